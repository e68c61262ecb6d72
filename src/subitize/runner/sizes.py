"""Refuses runs that are too large before anything is made, and says what they would need."""

from itertools import islice

from subitize.errors import BadValueError
from subitize.interfaces import CountsItems, Suite
from subitize.registry import Made
from subitize.runner.planning import items_of

MOST_ITEMS = 1_000_000
MOST_ANSWERS = 100_000_000
_ANSWER_BYTES, _ANSWERS_PER_SECOND = 1_000, 1_000  # what a text and its reading take, answered by a quick server
_YEAR_SECONDS = 365 * 24 * 3600


def check_size(suite: Made[Suite], seed: int, limit: int | None = None, repeats: int = 1) -> None:
    """Refuse more items than one can hold, and more answers than one can wait for."""
    if limit is not None and limit <= MOST_ITEMS and limit * repeats <= MOST_ANSWERS:
        return
    items = _count(suite, seed)
    items = items if limit is None else min(items, limit)
    if items > MOST_ITEMS:
        more = "more than " * (items == MOST_ITEMS + 1)
        raise BadValueError(
            f"{suite.spec.shown} has {more}{items - bool(more):,} items, {_describe(items)}; "
            f"at most {MOST_ITEMS:,} are made: run and stimuli take fewer with --limit"
        )
    if items * repeats > MOST_ANSWERS:
        raise BadValueError(
            f"--repeats {repeats:,}: {items:,} items so often are {items * repeats:,} answers, "
            f"{_describe(items * repeats)}; at most {MOST_ANSWERS:,} are made"
        )


def _count(suite: Made[Suite], seed: int) -> int:
    """Count the items of a suite, where it cannot tell by making them, but only one more than are allowed."""
    if isinstance(suite.it, CountsItems):
        return suite.it.count_items()
    return sum(1 for _ in islice(items_of(suite, seed), MOST_ITEMS + 1))


def _describe(answers: int) -> str:
    size, seconds = answers * _ANSWER_BYTES, answers / _ANSWERS_PER_SECOND
    years = seconds / _YEAR_SECONDS
    time = f"{years:,.0f} years" if years >= 2 else f"{seconds / 86400:,.0f} days"
    return f"{size / 1e12:,.0f} TB of disk at least, and {time} at {_ANSWERS_PER_SECOND:,} a second"
