"""The design behind figures: clusters of dependent observations, strata, and factors to split by."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.io.frames import add_columns, make_frame
from subitize.records import Design, Draw, Estimate, Item, Scalar
from subitize.stats.estimate import SHARE, Scale, estimate

if TYPE_CHECKING:
    from subitize.frame import Frame


Prompts = Literal["sampled", "fixed"]
ESTIMANDS: dict[Prompts, str] = {
    "sampled": "prompts (or pictures) like these",
    "fixed": "exactly these prompts (or pictures), with new images (or answers)",
}
"""The population that figures refer to."""
WHOLE = "all"
"""The factor, and its level, of all items."""


def check_prompts(text: str) -> Prompts:
    """Refuse anything but the two kinds of population."""
    match text:
        case "sampled" | "fixed":
            return text
    raise BadValueError(f"`prompts` {text}: should be sampled or fixed")


def cluster_of(item: Item) -> Hashable:
    """Return what dependent answers share: the prompt's text, or the picture that was shown."""
    return item.task.prompt if isinstance(item.task, Draw) else item.task.picture


def stratum_of(item: Item, designs: Mapping[str, Design]) -> tuple[Scalar, ...]:
    """Return the levels of the factors fixed by the suite's design, as far as it is known and the item has them."""
    strata = designs[item.suite].strata if item.suite in designs else ()
    return tuple(item.factors[name] for name in strata if name in item.factors)


def assign_units(items: Iterable[Item], designs: Mapping[str, Design]) -> pl.DataFrame:
    """Number the stratum and the cluster of each item; similar strata have neighbouring numbers."""
    known = list(items)
    strata = number_strata(stratum_of(item, designs) for item in known)
    places = zip((item.id for item in known), strata, number_clusters(known), strict=True)
    return make_frame(places, {"item": pl.String(), "stratum": pl.Int64(), "cluster": pl.Int64()})


def number_strata(strata: Iterable[tuple[Scalar, ...]]) -> list[int]:
    """Number strata so that similar ones have neighbouring numbers."""
    given = list(strata)
    # Numbers come first, so neighbours share a number and differ in category rather than the reverse.
    ordered = sorted(set(given), key=lambda levels: sorted(map(order_level, levels)))
    codes = {levels: code for code, levels in enumerate(ordered)}
    return [codes[levels] for levels in given]


def number_clusters(items: Iterable[Item]) -> list[int]:
    """Number clusters in the order in which they first occur."""
    codes: dict[Hashable, int] = {}
    return [codes.setdefault(cluster_of(item), len(codes)) for item in items]


def order_level(level: Scalar) -> tuple[bool, float, str]:
    """Sort key: numbers by size, then texts by name."""
    return isinstance(level, str), 0.0 if isinstance(level, str) else float(level), str(level)


def with_units(observations: "Frame", prompts: Prompts = "sampled") -> "Frame":
    """Add columns with the numbers of stratum and cluster.

    For exactly these prompts, each prompt is a stratum and its images are the clusters.
    """
    places = assign_units(observations.seen_items(), observations.designs)
    rows = add_columns(observations.rows, places, "item")
    if prompts == "fixed":
        rows = rows.with_columns(stratum="cluster", cluster=pl.col("subject").rank("dense").cast(pl.Int64))
        if rows.select((pl.col("cluster").n_unique().over("model", "judge", "stratum") < 2).all()).item():
            raise NothingToDoError(
                "`prompts` fixed needs two images of a prompt, or two answers about a picture, and there is one of "
                "each; run it again with `repeats` 2 or more, or leave it at `prompts` sampled"
            )
    return replace(observations, rows=rows)


def estimate_by(
    rows: pl.DataFrame,
    value: pl.Expr | str,
    *by: str,
    weight: str | None = None,
    count: str | None = None,
    scale: Scale = SHARE,
    confidence: float = 0.95,
) -> dict[tuple[Any, ...], Estimate]:
    """Estimate the mean of a value in each group, by its levels of one column or more, in the order of first rows.

    Rows have columns `stratum` and, unless each is a cluster by itself, `cluster`; those with a null level are dropped.
    n is the sum of weights, or the number of rows, whatever the numbers of observations (`count`) behind them.
    """
    named = rows.drop_nulls(by)
    if not named.height:
        return {}
    groups = named.select(by).unique(maintain_order=True).with_row_index("_group")
    placed = named.join(groups, on=by, maintain_order="left")
    cluster, weights, counts = (
        placed[name].to_numpy() if name in rows.columns else None for name in ("cluster", weight, count)
    )
    group = placed["_group"].cast(pl.Int64).to_numpy()
    found = estimate(
        placed.select(value).to_series().to_numpy(),
        cluster,
        placed["stratum"].to_numpy(),
        weights,
        group=group,
        count=counts,
        scale=scale,
        confidence=confidence,
    )
    sizes = np.bincount(group, weights).tolist()
    levels = groups.drop("_group").iter_rows()
    return {key: replace(one, n=round(size)) for key, one, size in zip(levels, found, sizes, strict=True)}


def check_factors(items: Iterable[Item], factors: Iterable[str]) -> list[str]:
    """Refuse factors that no item has, and drop repetitions."""
    known = {name for item in items for name in item.factors}
    for name in factors:
        if name not in known:
            raise UnknownNameError("factor", name, known)
    return list(dict.fromkeys(factors))


def by_factor(observations: "Frame", factors: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield all rows, then for each factor the rows whose items have it, with its `level` as text.

    `order` numbers the levels in the order in which they are shown.
    """
    items, first = observations.seen_items(), 0
    for name in (None, *factors):
        of: list[tuple[str, Scalar]] = [
            (item.id, WHOLE if name is None else item.factors[name])
            for item in items
            if name is None or name in item.factors
        ]
        order = sorted(dict.fromkeys(level for _, level in of), key=order_level)
        # Levels that are equal are one, as 1 and 1.0, however they are written.
        places = {level: (str(level), first + place) for place, level in enumerate(order)}
        levels = make_frame(
            ((id, *places[level]) for id, level in of),
            {"item": pl.String(), "level": pl.String(), "order": pl.Int64()},
        )
        yield observations.rows.with_columns(factor=pl.lit(WHOLE if name is None else name)).join(
            levels, on="item", maintain_order="left"
        )
        first += len(order)


def name_level(factor: str, group: str) -> str:
    """Write a condition briefly."""
    return group if factor == WHOLE else f"{factor}={group}"
