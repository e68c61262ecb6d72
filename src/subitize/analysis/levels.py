"""The conditions that figures are split by: on the whole, and at each level of chosen factors."""

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from subitize.analysis.clusters import order_level
from subitize.analysis.observations import Observations
from subitize.errors import UnknownNameError
from subitize.frames import make_frame
from subitize.records import Item, Scalar

WHOLE = "all"


def check_factors(items: Iterable[Item], factors: Iterable[str]) -> list[str]:
    """Refuse a factor that no item has; each is taken once."""
    known = {name for item in items for name in item.factors}
    for name in factors:
        if name not in known:
            raise UnknownNameError("factor", name, known)
    return list(dict.fromkeys(factors))


def at_levels(observations: Observations, factors: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Give the rows on the whole, and once for each factor, where items have it, with its `level` as text.

    `order` numbers the levels as they are shown.
    """
    items, first = observations.seen_items(), 0
    whole: list[tuple[str, Scalar]] = [(item.id, WHOLE) for item in items]
    own = [[(item.id, item.factors[name]) for item in items if name in item.factors] for name in factors]
    for name, of in zip((WHOLE, *factors), (whole, *own), strict=True):
        order = sorted(dict.fromkeys(level for _, level in of), key=order_level)
        # Levels that are equal are one, as 1 and 1.0, however they are written.
        places = {level: (str(level), first + place) for place, level in enumerate(order)}
        levels = make_frame(
            ((id, *places[level]) for id, level in of),
            {"item": pl.String(), "level": pl.String(), "order": pl.Int64()},
        )
        yield observations.rows.with_columns(factor=pl.lit(name)).join(levels, on="item", maintain_order="left")
        first += len(order)


def name_level(factor: str, group: str) -> str:
    """Write a condition in short."""
    return group if factor == WHOLE else f"{factor}={group}"
