"""Which responses count, and which a question is about: one rule for judging, scoring and all that is told of both."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from subitize.records import Subject

FAILED, REFUSED = "failed", "refused"


class TrialRow(Protocol):
    """What came of a trial: a row of the database, or a whole response."""

    @property
    def trial_id(self) -> str:
        """The id of the trial."""
        ...

    @property
    def item_id(self) -> str:
        """What was asked."""
        ...

    @property
    def model(self) -> str:
        """Who was asked."""
        ...

    @property
    def repeat(self) -> int:
        """Which of the repeats of the item it is."""
        ...

    @property
    def attempt(self) -> int:
        """How often it had been asked before."""
        ...

    @property
    def kind(self) -> str:
        """The kind of its outcome."""
        ...


RowT = TypeVar("RowT", bound=TrialRow)


def latest_attempts(answers: Iterable[RowT]) -> list[RowT]:
    """Keep the last attempt where an item was asked again: the one that figures use.

    A failed attempt counts only where there is no other: failing at asking again does not undo what was answered.
    """
    latest: dict[tuple[str, str, int], RowT] = {}
    for one in answers:
        key = (one.item_id, one.model, one.repeat)
        if key not in latest or _is_later(one, latest[key]):
            latest[key] = one
    return list(latest.values())


def group_answers(answers: Iterable[RowT], size: int) -> Iterator[tuple[RowT, ...]]:
    """Go through what a question about so many responses is about, among the answers to its item; none has failed.

    About one: every attempt. About several: the latest attempts of a model at the repeats 0 to size-1, then at the
    next so many; a group that is not yet complete is left out. One that was refused stays in its group: it shows
    nothing and is wrong, the others are looked at.
    """
    shown = [one for one in answers if one.kind != FAILED]
    if size == 1:
        yield from ((one,) for one in shown)
        return
    groups: dict[tuple[str, int], list[RowT]] = defaultdict(list)
    for one in sorted(latest_attempts(shown), key=lambda one: one.repeat):
        groups[one.model, one.repeat // size].append(one)
    yield from (tuple(members) for members in groups.values() if len(members) == size)


def subject_of(members: Iterable[TrialRow]) -> Subject:
    """Name what a question is about."""
    return Subject(tuple(one.trial_id for one in members))


def is_refused(members: Iterable[TrialRow]) -> bool:
    """Tell whether there is nothing to look at."""
    return all(one.kind == REFUSED for one in members)


def _is_later(one: TrialRow, other: TrialRow) -> bool:
    """Tell whether the one counts, of two attempts at the same item and repeat."""
    return (other.kind != FAILED, other.attempt) < (one.kind != FAILED, one.attempt)
