"""Checks the items of plug-in suites one by one before they are used."""

from collections.abc import Collection, Iterator

from subitize.errors import BadValueError, SubitizeError
from subitize.interfaces import Suite
from subitize.records import Item
from subitize.store import codec


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
    if not isinstance(item, Item):
        return f"should be an Item, not {item!r:.60}"
    if not isinstance(item.id, str) or not item.id.startswith(f"{suite}/"):
        return f"has the id {item.id!r:.60}; it should begin with {suite}/"
    if item.id in seen:
        return f"has the id {item.id!r:.60} of an earlier one; each needs its own"
    parts = (
        codec.fault(codec.task, item.task),
        codec.fault(codec.asks, item.asks),
        codec.fault(codec.factors, item.factors),
    )
    return next((f"({item.id!r:.60}) {fault}" for fault in parts if fault), "")
