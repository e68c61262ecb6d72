"""The conditions that figures are split by: on the whole, and at each level of chosen factors."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from subitize.errors import UnknownNameError
from subitize.records import Item, Scalar

WHOLE = "all"


class Level(NamedTuple):
    """A factor and one of its levels; of all items both are WHOLE."""

    factor: str
    level: Scalar


def check_factors(items: Iterable[Item], factors: Iterable[str]) -> list[str]:
    """Refuse a factor that no item has; each is taken once."""
    known = {name for item in items for name in item.factors}
    for name in factors:
        if name not in known:
            raise UnknownNameError("factor", name, known)
    return list(dict.fromkeys(factors))


def levels_of(item: Item, factors: Sequence[str]) -> Iterator[Level]:
    """Go through the conditions that an item belongs to."""
    yield Level(WHOLE, WHOLE)
    yield from (Level(name, item.factors[name]) for name in factors if name in item.factors)


def name_level(factor: str, group: str) -> str:
    """Write a condition in short."""
    return group if factor == WHOLE else f"{factor}={group}"


def in_order(level: Level, factors: Sequence[str]) -> tuple[int, bool, float, str]:
    """Order levels by their factor, numbers by size, and what is no number after them by name."""
    value = level.level
    is_text = isinstance(value, str)
    return [WHOLE, *factors].index(level.factor), is_text, 0.0 if isinstance(value, str) else float(value), str(value)
