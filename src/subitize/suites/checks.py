"""Shared by suites: checks of options and of plug-ins' items, a limit on categories, and balanced order.

Items are ordered in rounds that contain every condition once, so any prefix is balanced."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.interfaces import Suite
from subitize.records import Item, Scalar


def check_known(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse an unknown name."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)


MOST_CATEGORIES = 20
_ALL = "things"


def pool_categories(items: Iterable[Item]) -> list[Item]:
    """Keep the categories if they are few; else turn them into the factor `noun`, under one category."""
    every = list(items)
    if len({item.factors.get("category") for item in every}) <= MOST_CATEGORIES:
        return every
    return [_pool(item) if "category" in item.factors else item for item in every]


def _pool(item: Item) -> Item:
    return replace(item, factors={**item.factors, "category": _ALL, "noun": item.factors["category"]})


def interleave(items: Iterable[Item], factor: str) -> list[Item]:
    """Order items in rounds with each condition once, the factor's levels mixed within a round."""
    seen: Counter[tuple[object, ...]] = Counter()
    rounds: dict[int, list[Item]] = {}
    for item in items:
        condition = tuple(item.factors.items())
        rounds.setdefault(seen[condition], []).append(item)
        seen[condition] += 1
    return [item for turn in sorted(rounds) for item in _mix(rounds[turn], factor)]


def _mix(items: list[Item], factor: str) -> list[Item]:
    """Spread each level's items evenly."""
    sizes = Counter(item.factors[factor] for item in items)
    before: Counter[Scalar] = Counter()
    places: dict[str, float] = {}
    for item in items:
        level = item.factors[factor]
        places[item.id] = (before[level] + 0.5) / sizes[level]
        before[level] += 1
    return sorted(items, key=lambda item: places[item.id])


def check_items(suite: str, it: Suite, seed: int) -> Iterator[Item]:
    """Iterate over a plug-in suite's items; the error for an unusable or unstorable one names it."""
    seen: set[str] = set()
    try:
        for item in it.items(seed):
            fault = _find_fault(suite, item, seen)
            if fault:
                raise BadValueError(f"suite {suite!r}: item {len(seen) + 1} {fault}")
            seen.add(item.id)
            yield item
    except SubitizeError:
        raise
    except Exception as error:  # an outside package may fail in any way
        raise BadValueError(
            f"suite {suite!r} failed to make item {len(seen) + 1}: {type(error).__name__}: {error}"
        ) from error


def _find_fault(suite: str, item: object, seen: Collection[str]) -> str:
    from subitize.io.codec import asks, factors, fault, task  # slow to import, and for plug-ins only

    if not isinstance(item, Item):
        return f"should be an Item, not {item!r:.60}"
    if not isinstance(item.id, str) or not item.id.startswith(f"{suite}/"):
        return f"has the id {item.id!r:.60}; it should begin with {suite}/"
    if item.id in seen:
        return f"has the id {item.id!r:.60} of an earlier one; each needs its own"
    faults = fault(task, item.task), fault(asks, item.asks), fault(factors, item.factors)
    return next((f"({item.id!r:.60}) {one}" for one in faults if one), "")
