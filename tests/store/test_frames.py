"""The rules for rows (store.rows) and for columns (frame) choose the same attempts and groups."""

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize import frame as columns
from subitize.errors import DamagedRunError
from subitize.frame import RESPONSES
from subitize.io.frames import make_frame
from subitize.records import FAILED
from subitize.store import Folder, Run, reading
from subitize.store import rows as of_rows
from subitize.store.rows import ResponseRow
from tests.goldens.kept_runs import copy_run

KINDS = ("drawn", "said", "refused", "failed")
rows_of_a_run = st.lists(
    st.tuples(
        st.sampled_from(["a/1", "a/2"]),
        st.sampled_from(["m", "n"]),
        st.integers(0, 5),
        st.integers(0, 2),
        st.sampled_from(KINDS),
    ),
    max_size=25,
    unique_by=lambda row: row[:4],
).map(lambda rows: [ResponseRow(f"trial {place}", *row) for place, row in enumerate(rows)])


def frame(rows: list[ResponseRow]) -> pl.DataFrame:
    return make_frame(rows, RESPONSES)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(rows_of_a_run)
def test_columns_and_rows_keep_the_same_attempts_in_the_same_order(rows: list[ResponseRow]) -> None:
    kept = columns.latest_attempts(frame(rows))["trial"].to_list()
    assert kept == [row.trial_id for row in of_rows.latest_attempts(rows)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(rows_of_a_run, st.integers(1, 3))
def test_columns_and_rows_form_the_same_groups(rows: list[ResponseRow], size: int) -> None:
    latest = of_rows.latest_attempts(rows)
    expected = {
        (of_rows.subject_of(members).id, members[0].repeat, of_rows.is_refused(members))
        for item in ("a/1", "a/2")
        for members in of_rows.group_answers([row for row in latest if row.item_id == item], size)
    }
    answered = columns.latest_attempts(frame(rows)).filter(pl.col("kind") != FAILED)
    found = columns.group_responses(answered, size)
    assert {*found.select("subject", "repeat", "is_refused").iter_rows()} == expected
    assert found.height == len(expected)


def test_a_damaged_page_is_told_in_one_line(tmp_path: Path) -> None:
    folder = copy_run("released", tmp_path)
    Run(Folder(folder)).close()  # brought up to date first: the damage comes later
    with closing(sqlite3.connect(folder / "run.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = database.execute("PRAGMA page_size").fetchone()
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'readings'").fetchone()
    with (folder / "run.sqlite").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with Run(Folder(folder)) as run, pytest.raises(DamagedRunError, match=r"damaged: .*malformed.*\.recover"):
        reading.read_readings(run)
