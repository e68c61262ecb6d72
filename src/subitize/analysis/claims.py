"""What papers conclude in words, as statements that are computed: what holds of these data, and how surely."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from subitize.analysis.refinements import Pairing, Place, Values, adjust_pairings, pair
from subitize.records import Estimate
from subitize.stats.intervals import p_of_interval, subtract_independent

Verdict = Literal["holds", "does not hold", "undecided"]

ALPHA = 0.05
SMALL = 0.05
"""A drop that is surely smaller, in shares, is taken for none; ours."""
POOLED = "all models"
"""What a comparison of all models together is called; `is_pooled` tells it from one of a model of that name."""

ByModel = Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference of means with its interval (n: pairs), of one model or of all together (`is_pooled`).

    Of figures that share nothing, n is the number of observations. `p_holm` is adjusted for the statement's comparisons
    of all models together, or for those of single models.
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
        """Tell whether the second is surely lower, surely higher, surely not much lower, or neither."""
        low, high = self.difference.low, self.difference.high
        if self.p_holm < ALPHA and low > 0:
            return "drop"
        if self.p_holm < ALPHA and high < 0:
            return "rise"
        return "none" if high < SMALL and self.n > 1 else "open"


@dataclass(frozen=True, slots=True)
class Statement:
    """A conclusion of a paper, `claim` in our words, by the number it has there, and whether it holds of these data."""

    id: str
    verdict: Verdict
    sentence: str
    comparisons: tuple[Comparison, ...] = ()
    claim: str = ""


def decide(*, holds: bool, fails: bool) -> Verdict:
    """Give the verdict; what fails does not hold."""
    return "does not hold" if fails else "holds" if holds else "undecided"


def judge_drops(comparisons: Iterable[Comparison]) -> Verdict:
    """All are drops, or one is surely none; anything else is open."""
    trends = {one.trend for one in comparisons}
    return decide(holds=trends == {"drop"}, fails=bool(trends & {"rise", "none"}))


def judge_most(comparisons: Iterable[Comparison]) -> Verdict:
    """More than half are drops, or at least half are surely none; anything else is open."""
    trends = [one.trend for one in comparisons]
    return decide(
        holds=trends.count("drop") > len(trends) / 2,
        fails=trends.count("rise") + trends.count("none") >= len(trends) / 2,
    )


def compare_drops(
    wanted: Sequence[tuple[str, ByModel, str, ByModel]], places: Mapping[str, Place] | None = None
) -> tuple[Comparison, ...]:
    """Compare first and second of each, by model and, where there are several, of the mean over models.

    Names without a place are clusters of their own.
    """
    found: dict[tuple[str, str | None], Pairing] = {}
    for first, before, second, after in wanted:
        label = f"{first} − {second}"
        models = [model for model in before if model in after]
        pairings: dict[str | None, Pairing | None] = {
            model: pair(before[model], after[model], places=places) for model in models
        }
        if len(models) > 1:
            ours, theirs = (average([of[model] for model in models]) for of in (before, after))
            pairings[None] = pair(ours, theirs, places=places)
        found |= {(label, model): pairing for model, pairing in pairings.items() if pairing}
    return adjust(found)


def subtract(first: Estimate, second: Estimate) -> Pairing:
    """Compare figures that share no observations; p is what their difference's interval has."""
    difference = subtract_independent(first, second)
    p = p_of_interval(difference)
    return Pairing(first, second, difference, p, p)


def adjust(pairings: Mapping[tuple[str, str | None], Pairing]) -> tuple[Comparison, ...]:
    """Adjust p by Holm: of comparisons of all models together (None) among themselves, of single models likewise."""
    adjusted: dict[tuple[str, str | None], Pairing] = {}
    for is_pooled in (True, False):
        family = {key: one for key, one in pairings.items() if (key[1] is None) == is_pooled}
        adjusted |= zip(family, adjust_pairings(list(family.values())), strict=True)
    return tuple(_compare(label, model, adjusted[label, model]) for label, model in pairings)


def _compare(label: str, model: str | None, one: Pairing) -> Comparison:
    name, is_pooled = (POOLED, True) if model is None else (model, False)
    return Comparison(label, name, one.difference, one.p, one.p_holm, one.difference.n, is_pooled)


def keep_main(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Keep those of all models together, and where there is one model only, its own."""
    pooled = {one.label for one in comparisons if one.is_pooled}
    return [one for one in comparisons if one.is_pooled or one.label not in pooled]


def average(values: Sequence[Values]) -> Values:
    """Average by name what all have."""
    common = [name for name in values[0] if all(name in other for other in values)]
    return {name: sum(one[name] for one in values) / len(values) for name in common}
