"""Who the numbered people are: exported only on request."""

import json
from collections.abc import Mapping

import polars as pl
from sqlalchemy import select

from subitize.annotation import tables
from subitize.annotation.people import RECRUITERS_DETAILS
from subitize.io.frames import make_frame
from subitize.store import Run


def mask_people(run: Run) -> dict[str, str]:
    """Give the people of a run's studies other names, which tell nothing of them."""
    return {name: f"person {number}" for number, name in enumerate(_read_details(run), start=1)}


def describe_people(run: Run, people: Mapping[str, int]) -> pl.DataFrame:
    """Say whom each number stands for, with what a recruiter's link carried."""
    details = _read_details(run)
    rows = (
        (number, name, *(details.get(name, {}).get(detail) for detail in RECRUITERS_DETAILS))
        for name, number in people.items()
    )
    return make_frame(rows, {"annotator": pl.Int64(), **dict.fromkeys(("name", *RECRUITERS_DETAILS), pl.String())})


def _read_details(run: Run) -> dict[str, dict[str, str]]:
    own = tables.people.c.run_id == run.run_id
    query = select(tables.people.c.name, tables.people.c.details).where(own).order_by(tables.people.c.id)
    return {row.name: json.loads(row.details or "{}") for row in tables.read_rows(run, tables.people, query)}
