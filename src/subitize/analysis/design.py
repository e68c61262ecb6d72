"""The design behind figures: clusters of dependent observations, strata, and factors to split by."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import polars.selectors as cs

from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.io.frames import make_frame
from subitize.language.nouns import plural, singular
from subitize.records import Design, Draw, Estimate, Item, Scalar, task_text
from subitize.stats.estimate import SHARE, ColumnLike, Scale, Units, estimate

if TYPE_CHECKING:
    from subitize.frame import Frame


Prompts = Literal["sampled", "fixed"]
Nouns = Literal["sampled", "fixed"]
ESTIMANDS: dict[Prompts, str] = {
    "sampled": "prompts (or pictures) like these",
    "fixed": "exactly these prompts (or pictures), with new images (or answers)",
}
"""The population that figures refer to."""


@dataclass(frozen=True, slots=True)
class Estimand:
    """The population that figures refer to: prompts, and the `factors` beside them that the suites sampled."""

    prompts: Prompts = "sampled"
    nouns: Nouns = "sampled"
    factors: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.prompts == "sampled" and self.nouns == "fixed":
            return "prompts (or pictures) like these, with exactly these nouns; the judge is held fixed, too"
        if self.prompts == "sampled" and self.factors:
            names = " and ".join(("prompts (or pictures)", *map(plural, self.factors)))
            return f"{names} like these; the judge is held fixed"
        return ESTIMANDS[self.prompts]

    def record(self) -> dict[str, str]:
        """Lay it out; nouns are named where they make a difference."""
        is_about_nouns = bool(self.factors) or self.nouns == "fixed"
        about: dict[str, str] = {"prompts": self.prompts}
        return about | ({"nouns": self.nouns} if is_about_nouns else {})

    def over(self, designs: Iterable[Design]) -> "Estimand":
        """Add the factors that these designs sample."""
        return replace(self, factors=tuple(dict.fromkeys(name for one in designs for name in one.sampled)))


WHOLE = "all"
"""The factor, and its level, of all items."""


def check_prompts(text: str, option: str = "prompts") -> Prompts:
    """Refuse anything but the two kinds of population."""
    match text:
        case "sampled" | "fixed":
            return text
    raise BadValueError(f"`{option}` {text}: should be sampled or fixed")


def cluster_of(item: Item) -> Hashable:
    """Return what dependent answers share: the prompt's text, or the picture that was shown."""
    return item.task.prompt if isinstance(item.task, Draw) else item.task.picture


def stratum_of(item: Item, designs: Mapping[str, Design]) -> tuple[Scalar, ...]:
    """Return the levels of the factors fixed by the suite's design, as far as it is known and the item has them."""
    strata = designs[item.suite].strata if item.suite in designs else ()
    return tuple(item.factors[name] for name in strata if name in item.factors)


def assign_units(items: Iterable[Item], designs: Mapping[str, Design]) -> pl.DataFrame:
    """Number the stratum and the cluster of each item; similar strata have neighbouring numbers.

    Where factors were sampled, there are columns `unit_…` with the clusters, under what they are, and each factor's
    levels.
    """
    known = list(items)
    strata = number_strata(stratum_of(item, designs) for item in known)
    places = zip((item.id for item in known), strata, number_clusters(known), strict=True)
    frame = make_frame(places, {"item": pl.String(), "stratum": pl.Int64(), "cluster": pl.Int64()})
    suites = dict.fromkeys(item.suite for item in known)
    names = dict.fromkeys(name for suite in suites if suite in designs for name in designs[suite].sampled)
    if not names:
        return frame
    unit = "prompt" if all(isinstance(item.task, Draw) for item in known) else "picture"
    levels = {name: [list_levels(item, name, designs) for item in known] for name in names}
    return frame.with_columns(
        pl.col("cluster").alias(f"{_UNIT}{unit}"),
        *(pl.Series(f"{_UNIT}{name}", own, pl.String()) for name, own in levels.items()),
    )


_UNIT = "unit_"
UNITS = cs.starts_with(_UNIT)
"""The columns of sampled units, the finest first."""


def list_levels(item: Item, name: str, designs: Mapping[str, Design]) -> str:
    """List the levels of a sampled factor that an item has, separated by commas."""
    source = designs[item.suite].sampled.get(name, "") if item.suite in designs else ""
    if isinstance(source, str):
        return str(item.factors.get(source, ""))
    found = {singular(match.lower()) for match in _pattern_of(source).findall(task_text(item.task))}
    return ", ".join(sorted(found))


@lru_cache(maxsize=32)
def _pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match each of these words, or its plural."""
    forms = sorted({form for word in words for form in (word, plural(word))}, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})\b", re.IGNORECASE)


def units_of(rows: pl.DataFrame) -> Units | None:
    """Return the sampled units of rows: by name where there are several, else the clusters, if there are any."""
    named = {one.name.removeprefix(_UNIT): one.to_numpy() for one in rows.select(UNITS)}
    return named or (rows["cluster"].to_numpy() if "cluster" in rows.columns else None)


def levels_of(rows: pl.DataFrame) -> dict[str, ColumnLike]:
    """Return the levels of the sampled factors beside prompts, by name."""
    units = units_of(rows)
    return dict(list(units.items())[1:]) if isinstance(units, Mapping) else {}


def fix_levels(designs: Mapping[str, Design]) -> dict[str, Design]:
    """Hold the levels of sampled factors fixed."""
    return {suite: replace(design, sampled={}) for suite, design in designs.items()}


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
    rows = observations.rows.join(places, on="item", how="left", maintain_order="left")
    if prompts == "fixed":
        rows = rows.drop(UNITS).with_columns(stratum="cluster", cluster=pl.col("subject").rank("dense").cast(pl.Int64))
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

    Rows have columns `stratum` and, unless each is a cluster by itself, `cluster`, with those of `assign_units` where
    more is sampled; those with a null level are dropped.
    n is the sum of weights, or the number of rows, whatever the numbers of observations (`count`) behind them.
    """
    named = rows.drop_nulls(by)
    if not named.height:
        return {}
    groups = named.select(by).unique(maintain_order=True).with_row_index("_group")
    placed = named.join(groups, on=by, maintain_order="left")
    weights, counts = (placed[name].to_numpy() if name in rows.columns else None for name in (weight, count))
    group = placed["_group"].cast(pl.Int64).to_numpy()
    found = estimate(
        placed.select(value).to_series().to_numpy(),
        units_of(placed),
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
    """Write a condition briefly."""
    return group if factor == WHOLE else f"{factor}={group}"
