"""Random samples of pages, quotas per model, and seeded draws."""

import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from subitize.annotation import tables
from subitize.annotation.pages import Page, PageSet
from subitize.errors import BadValueError, UnknownNameError
from subitize.records import Scalar
from subitize.store import Run


def seeded_uniform(*what: object) -> float:
    """Return a number from 0 to below 1 that depends only on the arguments."""
    hashed = hashlib.sha256("\0".join(map(str, what)).encode()).digest()
    return int.from_bytes(hashed[:6], "big") / 2.0**48


Stratum = tuple[str, str, tuple[tuple[bool, Scalar], ...]]
SCHEME = "systematic-1"
"""Systematic: every page has the same chance, and each stratum its share of the sample, to within one page."""


@dataclass(frozen=True, slots=True)
class PageSample:
    """A random sample of `frame` pages, stratified by suite, model and further factors, with each page's chance."""

    name: str
    frame: int
    by: tuple[str, ...]
    seed: int
    probability: float
    subjects: tuple[str, ...]
    scheme: str = SCHEME


def draw_sample(collected: PageSet, name: str, size: int, by: Sequence[str], seed: int) -> PageSample:
    """Draw a seeded random sample of pages, stratified by suite, model and factors."""
    frame = len(collected.pages)
    if not 0 < size <= frame:
        raise BadValueError(f"`size` {size}: the run has {frame} images to read; take 1 to {frame}")
    known = sorted({factor for page in collected.pages for factor in page.factors})
    for factor in by:
        if factor not in known:
            raise UnknownNameError("factor", factor, known)
    ordered = sorted(collected.pages, key=lambda page: (_stratum(page, by), _draw(seed, page.subject.id)))
    start, step = _draw(seed, "start"), frame / size
    drawn = [ordered[int((start + place) * step)] for place in range(size)]
    return PageSample(name, frame, tuple(by), seed, size / frame, tuple(page.subject.id for page in drawn))


def store_sample(run: Run, sample: PageSample) -> None:
    """Store a sample under a new name."""
    run.create_tables(tables.metadata)
    with run.lease("samples") as lease, run.writing(lease) as connection:
        insert_sample(connection, run, sample)


def insert_sample(connection: Connection, run: Run, sample: PageSample) -> None:
    """Store a sample under a new name, within a transaction."""
    if sample.name in list_samples(run):
        raise BadValueError(f"there is a sample {sample.name!r} already, and it stays as it is; name another")
    row = asdict(sample) | {"by": json.dumps(sample.by), "subjects": json.dumps(sample.subjects)}
    row |= {"run_id": run.run_id, "sample": row.pop("name"), "unit": "page", "created_at": time.time()}
    connection.execute(insert(tables.samples).values(**row))


def filter_to_sample(run: Run, name: str, collected: PageSet) -> PageSet:
    """Keep the pages of a stored sample."""
    found = {row.sample: row.subjects for row in _read_samples(run)}
    if name not in found:
        raise UnknownNameError("sample", name, found)
    subjects = frozenset(json.loads(found[name]))
    return collected.filter(lambda page: page.subject.id in subjects)


def keep_quota(collected: PageSet, most: int, seed: int) -> PageSet:
    """Keep at most `most` random pages of each model; held-back pages only where others run out."""
    by_model: dict[str, list[Page]] = defaultdict(list)
    for pages in (collected.pages, collected.held_back):
        for page in sorted(pages, key=lambda page: seeded_uniform("quota", seed, page.subject.id)):
            by_model[page.model].append(page)
    kept = {page.subject.id for pages in by_model.values() for page in pages[:most]}
    return collected.filter(lambda page: page.subject.id in kept)


def list_samples(run: Run) -> list[str]:
    """List the names of a run's samples."""
    return [row.sample for row in _read_samples(run)]


def describe(sample: PageSample, collected: PageSet) -> list[str]:
    """Describe how many pages of each stratum were drawn."""
    drawn = frozenset(sample.subjects)
    frame = Counter(_stratum(page, sample.by) for page in collected.pages)
    taken = Counter(_stratum(page, sample.by) for page in collected.pages if page.subject.id in drawn)
    return [f"{_describe(stratum, sample.by)}: {taken[stratum]} of {total}" for stratum, total in frame.items()]


def _describe(stratum: Stratum, by: Sequence[str]) -> str:
    suite, model, levels = stratum
    return " ".join((suite, model, *(f"{factor}={level}" for factor, (_, level) in zip(by, levels, strict=True))))


def _read_samples(run: Run) -> Sequence[Row[Any]]:
    query = select(tables.samples).where(tables.samples.c.run_id == run.run_id).order_by(tables.samples.c.created_at)
    return tables.read_rows(run, tables.samples, query)


def _stratum(page: Page, by: Sequence[str]) -> Stratum:
    """Return the stratum of a page; numbers sort before texts."""
    levels = [page.factors.get(factor, "") for factor in by]
    return page.suite, page.model, tuple((isinstance(level, str), level) for level in levels)


def _draw(seed: int, what: str) -> float:
    return seeded_uniform(SCHEME, seed, what)
