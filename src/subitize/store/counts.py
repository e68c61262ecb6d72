"""Counts of a run's rows, by SQL."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Integer, cast, func, select

from subitize.store import tables
from subitize.store.interning import IS_ANSWER, stands
from subitize.store.run import Run

# The kind is the last that is written of a record; quotes within texts before it have a backslash.
_IS_DISCARDED = tables.readings.c.value.like('%"discarded"}')
IS_UNUSABLE = _IS_DISCARDED & tables.readings.c.value.not_like('%"is_refusal":true,"kind":"discarded"}')
"""Whether a reading has no value, and is no refusal either."""


def count_items(run: Run) -> dict[str, int]:
    """Count the items of every suite."""
    c = tables.items.c
    query = select(c.suite, func.count()).where(c.run_id == run.run_id).group_by(c.suite).order_by(c.suite)
    return dict(map(tuple, run.fetch(query)))


def count_trials(run: Run) -> int:
    """Count the trials that something came of, if only a failure."""
    c = tables.responses.c
    return _count(run, func.count(c.trial_id.distinct()), c.run_id == run.run_id)


def count_readings(run: Run, *, with_reviews: bool = False) -> int:
    """Count the answers that stand, or also what reviewers and adjudicators said of them."""
    return _count(run, func.count(), stands(run.run_id) if with_reviews else stands(run.run_id) & IS_ANSWER)


class Judged(NamedTuple):
    """What one judge has read: by how many people, how often, and how often without a value."""

    judge: str
    annotators: int
    readings: int
    discarded: int


def count_judged(run: Run) -> list[Judged]:
    """Count the answers that stand of every judge."""
    c, sources = tables.readings.c, tables.sources.c
    counted = (func.count().label("readings"), func.sum(cast(_IS_DISCARDED, Integer)).label("discarded"))
    own = select(c.source, *counted).where(stands(run.run_id), IS_ANSWER).group_by(c.source).subquery()
    people = func.count(func.nullif(sources.annotator, "").distinct())
    sums = (people, func.sum(own.c.readings), func.sum(own.c.discarded))
    query = select(sources.judge, *sums).where(sources.id == own.c.source).group_by(sources.judge)
    return [Judged(judge, *map(int, counts)) for judge, *counts in run.fetch(query)]


class Discards(NamedTuple):
    """What a judge, not people, has read by one rule: how often, and how often without a value that was no refusal."""

    judge: str
    rule: str
    readings: int
    discarded: int


def count_discards(run: Run) -> list[Discards]:
    """Count what stands of the readings of every judge and rule."""
    c, sources = tables.readings.c, tables.sources.c
    counted = (func.count().label("readings"), func.sum(cast(IS_UNUSABLE, Integer)).label("discarded"))
    own = select(c.source, *counted).where(stands(run.run_id)).group_by(c.source).subquery()
    query = (
        select(sources.judge, sources.rule, own.c.readings, own.c.discarded)
        .where(sources.id == own.c.source, sources.annotator == "")
        .order_by(sources.judge, sources.rule)
    )
    return [Discards(judge, rule, *map(int, counts)) for judge, rule, *counts in run.fetch(query)]


def _count(run: Run, what: ColumnElement[int], where: ColumnElement[bool]) -> int:
    ((count,),) = run.fetch(select(what).where(where))
    return int(count)
