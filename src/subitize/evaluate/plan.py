"""Plans the trials that are not stored yet, and refuses runs that are too large."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from typing import TypeVar

from subitize.errors import BadValueError, RunError
from subitize.interfaces import Attempt, Suite
from subitize.records import Draw, Item, Spec, Trial, Value
from subitize.registry import Resolved, make_items
from subitize.store import latest_attempts
from subitize.store.reading import RowT

# The trials of one call: most often a single one.
TrialBatch = tuple[Trial, ...]
T = TypeVar("T")


class Remembered(Iterable[Item]):
    """Caches a generator of items, including its error."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._left, self._made = items, list[Item]()
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[Item]:
        for place in count():
            if place == len(self._made) and not self._make_one():
                return
            yield self._made[place]

    def _make_one(self) -> bool:
        if self._error is not None:
            raise self._error
        try:
            self._made.append(next(self._left))
        except StopIteration:
            return False
        except Exception as error:
            self._error = error
            raise
        return True


@lru_cache(maxsize=16)
def items_of(suite: Resolved[Suite], seed: int) -> Iterable[Item]:
    """Return the items of a suite, made only once."""
    return Remembered(make_items(suite, seed))


def batches(jobs: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Batch jobs in order, so that the same jobs always give the same batches."""
    remaining = iter(jobs)
    while batch := tuple(islice(remaining, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """A model's trials: `repeats` of each item, with several repeats of one item or a batch of any items per call.

    `absent`, by item and repeat, are those that the model is known not to have; they are not asked for.
    """

    items: Sequence[Item]
    model: Spec
    repeats: int
    repeats_per_call: int = 1
    batch_size: int = 1
    absent: Collection[tuple[str, int]] = frozenset()

    @property
    def total(self) -> int:
        """The number of trials, done or not."""
        return len(self.items) * self.repeats - len(self.absent)

    def left(self, finished: Collection[str]) -> Iterator[TrialBatch]:
        """Yield the trials without a response, all items once before any is repeated."""
        groups = self._by_item(finished)
        if self.batch_size == 1:
            return groups
        return batches((trial for group in groups for trial in group), self.batch_size)

    def _by_item(self, finished: Collection[str]) -> Iterator[TrialBatch]:
        for start in range(0, self.repeats, self.repeats_per_call):
            repeats = range(start, min(start + self.repeats_per_call, self.repeats))
            for item in self.items:
                there = (repeat for repeat in repeats if (item.id, repeat) not in self.absent)
                trials = (Trial(item.id, self.model.text, self.model.options, repeat) for repeat in there)
                group = tuple(trial for trial in trials if trial.id not in finished)
                if group and isinstance(item.task, Draw):
                    yield group
                else:
                    yield from ((trial,) for trial in group)


def further_attempts(
    suite: Suite, model: Spec, tried: Sequence[Attempt], finished: Collection[str]
) -> Iterator[TrialBatch]:
    """Yield the next attempts at what the suite asks again, up to its maximum."""
    for one in suite.again(tried):
        if not isinstance(one, Attempt):
            raise RunError(f"suite {type(suite).__name__}: again should give what it was given, not {one!r:.60}")
        trial = Trial(one.item.id, model.text, model.options, one.repeat, one.attempt + 1)
        if trial.attempt < suite.max_attempts and trial.id not in finished:
            yield (trial,)


def latest_tried(
    items: Iterable[Item], trials: Iterable[RowT], readings: Iterable[tuple[str, str, Value]]
) -> list[Attempt]:
    """Pair the latest attempt at each item and repeat with one judge's values; unread ones are left out.

    Readings are triples of subject, question and value.
    """
    by_id = {item.id: item for item in items}
    values: dict[str, dict[str, Value]] = defaultdict(dict)
    for subject, question, value in readings:
        values[subject][question] = value
    return [
        Attempt(by_id[trial.item_id], trial.repeat, trial.attempt, values[trial.trial_id])
        for trial in latest_attempts(trials)
        if trial.item_id in by_id and trial.trial_id in values
    ]


MOST_ITEMS = 1_000_000
MOST_ANSWERS = 100_000_000
_ANSWER_BYTES, _ANSWERS_PER_SECOND = 1_000, 1_000  # of a text and its reading, from a quick server
_YEAR_SECONDS = 365 * 24 * 3600


def check_size(suite: Resolved[Suite], seed: int, limit: int | None = None, repeats: int = 1) -> None:
    """Refuse more items than fit into memory, and more answers than one can wait for."""
    if limit is not None and limit <= MOST_ITEMS and limit * repeats <= MOST_ANSWERS:
        return
    items = _count(suite, seed)
    items = items if limit is None else min(items, limit)
    if items > MOST_ITEMS:
        more = "more than " * (items == MOST_ITEMS + 1)
        raise BadValueError(
            f"{suite.spec.text} has {more}{items - bool(more):,} items, {_describe(items)}; "
            f"at most {MOST_ITEMS:,} are made: run and stimuli take fewer with --limit"
        )
    if items * repeats > MOST_ANSWERS:
        raise BadValueError(
            f"--repeats {repeats:,}: {items:,} items so often are {items * repeats:,} answers, "
            f"{_describe(items * repeats)}; at most {MOST_ANSWERS:,} are made"
        )


def _count(suite: Resolved[Suite], seed: int) -> int:
    """Count the items of a suite, if need be by making them, up to one more than is allowed."""
    known = suite.obj.count_items()
    return sum(1 for _ in islice(items_of(suite, seed), MOST_ITEMS + 1)) if known is None else known


def _describe(answers: int) -> str:
    size, seconds = answers * _ANSWER_BYTES, answers / _ANSWERS_PER_SECOND
    years = seconds / _YEAR_SECONDS
    time = f"{years:,.0f} years" if years >= 2 else f"{seconds / 86400:,.0f} days"
    return f"{size / 1e12:,.0f} TB of disk at least, and {time} at {_ANSWERS_PER_SECOND:,} a second"
