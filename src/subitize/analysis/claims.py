"""The conclusions of papers as computed claims: whether each holds in the data, and with what certainty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from subitize.analysis.design import UNITS
from subitize.records import Estimate
from subitize.stats.compare import SharedClusters, compare_all
from subitize.stats.estimate import p_of_interval, share_levels, subtract_independent
from subitize.stats.significance import adjust_holm

Verdict = Literal["holds", "does not hold", "undecided"]

ALPHA = 0.05
SMALL = 0.05
"""A drop in shares that is certainly smaller counts as none; the threshold is ours."""
POOLED = "all models"
"""The name of a contrast of all models together; `is_pooled` distinguishes it from that of a model of that name."""

Values = Mapping[str, float]
ByModel = Mapping[str, Values]


class Position(NamedTuple):
    """The numbers of the stratum and the cluster of a unit, and its levels of the sampled factors."""

    stratum: int
    cluster: int
    levels: Mapping[str, str] = MappingProxyType({})


class ModelContrast(NamedTuple):
    """A difference with its two-sided p, which is below .05 exactly where the interval excludes 0."""

    difference: Estimate
    p: float


Differences = Mapping[tuple[str, str | None], ModelContrast]
"""Contrasts by label and model; None means all models together."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of means with its interval (n: pairs), for one model or for all together (`is_pooled`).

    For figures that share no observations, n is their number. `p_holm` is adjusted for the claim's contrasts of all
    models together, or for those of single models.
    """

    label: str
    model: str
    difference: Estimate
    p: float
    p_holm: float
    n: int
    is_pooled: bool = False

    @property
    def trend(self) -> Literal["drop", "rise", "none", "open"]:
        """Whether the second is certainly lower, certainly higher, certainly not much lower, or none of these."""
        low, high = self.difference.low, self.difference.high
        if self.p_holm < ALPHA and low > 0:
            return "drop"
        if self.p_holm < ALPHA and high < 0:
            return "rise"
        return "none" if high < SMALL and self.n > 1 else "open"


@dataclass(frozen=True, slots=True)
class Claim:
    """A conclusion of a paper, in our words (`claim`), by its number there, and whether it holds in these data."""

    id: str
    verdict: Verdict
    sentence: str
    comparisons: tuple[Contrast, ...] = ()
    claim: str = ""


def pair(first: Values, second: Values, places: Mapping[str, Position] | None = None) -> ModelContrast | None:
    """Compare values from 0 to 1 by name, where both have one; None if no name is shared.

    Names without a position are clusters of their own in one stratum. Every name weighs the same.
    """
    common = [name for name in first if name in second]
    if not common:
        return None
    alone = {name: Position(0, place) for place, name in enumerate(common)}
    placed = [(places or alone)[name] for name in common]
    strata, clusters = np.array([one[:2] for one in placed], dtype=np.int64).T
    _, at, code = np.unique(clusters, return_index=True, return_inverse=True)
    sizes = np.bincount(code).astype(np.float64)
    means = np.array([np.bincount(code, [of[name] for name in common]) / sizes for of in (first, second)])
    names = dict.fromkeys(name for one in placed for name in one.levels)
    levels = {name: [placed[place].levels.get(name, "") for place in at.tolist()] for name in names}
    shared = share_levels({"prompt": at, **levels})
    (found,) = compare_all(SharedClusters(means, sizes, strata[at], most=1.0, shared=shared))
    return ModelContrast(found.estimate, found.p)


def list_positions(units: pl.DataFrame) -> dict[str, Position]:
    """List the positions of items, from columns `item`, `stratum`, `cluster` and those of sampled factors."""
    names = units.select(UNITS).columns[1:]
    return {
        row["item"]: Position(row["stratum"], row["cluster"], {name: row[name] for name in names})
        for row in units.unique("item", maintain_order=True).iter_rows(named=True)
    }


def decide(*, holds: bool, fails: bool) -> Verdict:
    """Return the verdict; a claim that fails does not hold."""
    return "does not hold" if fails else "holds" if holds else "undecided"


def all_drop(comparisons: Iterable[Contrast]) -> Verdict:
    """Decide whether all are drops: it fails if one is certainly none, and is otherwise undecided."""
    trends = {one.trend for one in comparisons}
    return decide(holds=trends == {"drop"}, fails=bool(trends & {"rise", "none"}))


def most_drop(comparisons: Iterable[Contrast]) -> Verdict:
    """Decide whether more than half are drops: it fails if at least half are certainly none."""
    trends = [one.trend for one in comparisons]
    return decide(
        holds=trends.count("drop") > len(trends) / 2,
        fails=trends.count("rise") + trends.count("none") >= len(trends) / 2,
    )


def compare_drops(
    wanted: Sequence[tuple[str, ByModel, str, ByModel]], places: Mapping[str, Position] | None = None
) -> tuple[Contrast, ...]:
    """Compare the first and second of each pair, by model and, if there are several, for the mean over models.

    Names without a position are clusters of their own.
    """
    found: dict[tuple[str, str | None], ModelContrast] = {}
    for first, before, second, after in wanted:
        label = f"{first} − {second}"
        models = [model for model in before if model in after]
        pairings: dict[str | None, ModelContrast | None] = {
            model: pair(before[model], after[model], places) for model in models
        }
        if len(models) > 1:
            ours, theirs = (average([of[model] for model in models]) for of in (before, after))
            pairings[None] = pair(ours, theirs, places)
        found |= {(label, model): pairing for model, pairing in pairings.items() if pairing}
    return adjust(found)


def subtract(first: Estimate, second: Estimate) -> ModelContrast:
    """Compare figures that share no observations."""
    difference = subtract_independent(first, second)
    return ModelContrast(difference, p_of_interval(difference))


def adjust(found: Differences) -> tuple[Contrast, ...]:
    """Adjust p by Holm: among the contrasts of all models together, and among those of single models."""
    adjusted: dict[tuple[str, str | None], float] = {}
    for is_pooled in (True, False):
        family = [key for key in found if (key[1] is None) == is_pooled]
        adjusted |= zip(family, adjust_holm(np.array([found[key].p for key in family])).tolist(), strict=True)
    return tuple(
        Contrast(
            label,
            POOLED if model is None else model,
            one.difference,
            one.p,
            adjusted[label, model],
            one.difference.n,
            is_pooled=model is None,
        )
        for (label, model), one in found.items()
    )


def pooled_or_single(comparisons: Sequence[Contrast]) -> list[Contrast]:
    """Keep the contrasts of all models together, and those of a single model where there is no other."""
    pooled = {one.label for one in comparisons if one.is_pooled}
    return [one for one in comparisons if one.is_pooled or one.label not in pooled]


def average(values: Sequence[Values]) -> Values:
    """Average values by name, for the names that all have."""
    common = [name for name in values[0] if all(name in other for other in values)]
    return {name: sum(one[name] for one in values) / len(values) for name in common}
