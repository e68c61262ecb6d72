"""The reward of a count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from subitize.records import Discarded, Known, Value
from subitize.rewards.samples import Unjudged

RewardKind = Literal["exact", "graded"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A thing that was counted: how many there should be, and what the judge makes of it."""

    thing: str
    expected: int
    value: Value


@dataclass(frozen=True, slots=True)
class Reward:
    """The reward of a sample, None where anything about it is unknown; and what it rests on."""

    value: float | None
    counts: Mapping[str, float]
    expected: Mapping[str, int]
    reason: str | None = None


def reward(counted: Sequence[Counted] | Unjudged, kind: RewardKind) -> Reward:
    """Reward a sample by its counts; where one of them is unknown there is no reward, which is not a reward of 0."""
    if isinstance(counted, Unjudged):
        return Reward(None, {}, {}, counted.reason)
    expected = {one.thing: one.expected for one in counted}
    known: dict[str, float] = {}
    reasons = []
    for one in counted:
        match one.value:
            case Known(value=int() | float() as number):
                known[one.thing] = number
            case Known(value=other):
                reasons.append(f"{one.thing}: {other!r:.80} is no number")
            case Discarded(reason=why):
                reasons.append(f"{one.thing}: {why}")
    if reasons:
        return Reward(None, known, expected, "; ".join(reasons))
    return Reward(_RULES[kind](list(known.values()), list(expected.values())), known, expected)


def _exact(counts: Sequence[float], expected: Sequence[int]) -> float:
    return float(counts == expected)


def _graded(counts: Sequence[float], expected: Sequence[int]) -> float:
    """The mean of 1 − |n − t| / max(t, 1), or 0 where that is less."""
    each = [max(0.0, 1 - abs(n - t) / max(t, 1)) for n, t in zip(counts, expected, strict=True)]
    return sum(each) / len(each)


_RULES: Mapping[RewardKind, Callable[[Sequence[float], Sequence[int]], float]] = {"exact": _exact, "graded": _graded}
