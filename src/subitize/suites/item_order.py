"""Orders a suite's items: every condition once, then once more, so that any prefix is balanced."""

from collections import Counter
from collections.abc import Iterable

from subitize.records import Item, Scalar


def interleave(items: Iterable[Item], factor: str) -> list[Item]:
    """Order items so that each condition comes once, then once more, the levels of the factor mixed."""
    seen: Counter[tuple[object, ...]] = Counter()
    rounds: dict[int, list[Item]] = {}
    for item in items:
        condition = tuple(item.factors.items())
        rounds.setdefault(seen[condition], []).append(item)
        seen[condition] += 1
    return [item for turn in sorted(rounds) for item in _mix(rounds[turn], factor)]


def _mix(items: list[Item], factor: str) -> list[Item]:
    """Spread the items of each level evenly."""
    sizes = Counter(item.factors[factor] for item in items)
    before: Counter[Scalar] = Counter()
    places: dict[str, float] = {}
    for item in items:
        level = item.factors[factor]
        places[item.id] = (before[level] + 0.5) / sizes[level]
        before[level] += 1
    return sorted(items, key=lambda item: places[item.id])
