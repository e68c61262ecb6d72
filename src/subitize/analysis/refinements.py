"""Do refined prompts do better than the prompts they are made of? A paired comparison, for any suite."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.analysis.attempts import Attempt, adopt_refusals, gather_attempts
from subitize.analysis.clusters import Rate, estimate_rates
from subitize.analysis.observations import Reader, observe_run
from subitize.errors import NothingToDoError
from subitize.records import REFINED, Estimate, base_suite
from subitize.stats.multiplicity import adjust_holm
from subitize.stats.pairs import compare_models
from subitize.stats.signed_ranks import wilcoxon_test
from subitize.store import Run

Measure = Literal["success", "accuracy"]
MEASURES: tuple[Measure, ...] = ("success", "accuracy")
"""Whether one of k images of a prompt is right, and how many of its images are."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The mean of the first minus that of the second over what both have (n pairs), with a two-sided p.

    It is McNemar's exact one where all are right or wrong, else Wilcoxon's. `p_holm` is adjusted for all the
    comparisons that it was made with.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a refinement does to a model's success of k images, or accuracy per image: refined minus original.

    `fallbacks` of the pairs have the original prompt twice, as the refinement did not apply; `applied` is without them.
    `unpaired` prompts were judged refined only, or original only although others were refined.
    """

    suite: str
    refinement: str
    model: str
    judge: str
    measure: Measure
    k: int
    pairing: Pairing
    applied: Pairing | None
    fallbacks: int
    unpaired: int


def compare(attempts: Iterable[Attempt], k: int | None = None) -> list[Refinement]:
    """Compare each refinement with the original, by suite, judge and model; k as `usual_k` has it if not given.

    Holm's adjustment is over the models and refinements of one suite, judge and measure; the comparisons without
    fallbacks are adjusted among themselves. What was only ever refused is wrong for every judge.
    """
    by_suite: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for one in adopt_refusals(attempts):
        by_suite[base_suite(one.item.suite), one.judge].append(one)
    found: list[Refinement] = []
    for own in by_suite.values():
        chosen = k or usual_k(own)
        for measure in MEASURES:
            found += _adjust([row for row in _compare(own, measure, chosen) if row])
    return found


def compare_run(run: Run, reader: Reader) -> list[Refinement]:
    """Compare each refinement with the original, for all suites, models and judges of a run."""
    found = compare(gather_attempts(observe_run(run, reader)))
    if not found:
        raise NothingToDoError(
            f"{run.location} has no refined prompts that were judged beside the original ones; first: "
            "subitize run SUITE --refine NAME --model MODEL --out RUN"
        )
    return found


def usual_k(attempts: Sequence[Attempt], most: int | None = None) -> int:
    """Choose k: as many images as at least half of the prompts have, at most so many; where fewer are, none counts."""
    usual = median_low([one.most for one in attempts])
    return usual if most is None else min(usual, most)


def value_of(attempt: Attempt, measure: Measure, k: int) -> float | None:
    """Give an attempt's success of k images, or the share of its images that are right; None if it has too few."""
    if measure == "success":
        return attempt.pass_at(k)
    return attempt.right / attempt.images if attempt.images else None


def choices_of(attempt: Attempt, measure: Measure, k: int) -> float:
    """Tell how many choices of images that have none in common `value_of` rests on."""
    return attempt.choices(k) if measure == "success" else attempt.images


def is_fallback(attempt: Attempt) -> bool:
    """Tell whether a refinement did not apply, so that the prompt is the original one."""
    return attempt.item.factors.get("is_refined") is False


Values = Mapping[str, float]
Rates = Mapping[str, Rate]


def pair(first: Values, second: Values, rates: tuple[Rates, Rates] | None = None) -> Pairing | None:
    """Compare values from 0 to 1 by name, where both have one; None if nothing is common. `p_holm` is p yet.

    `rates` are the values with what they rest on, where that is known.
    """
    common = [name for name in first if name in second]
    if not common:
        return None
    ours, theirs = ([values[name] for name in common] for values in (first, second))
    labels = np.repeat(["a", "b"], len(common))
    found = compare_models(np.array(ours + theirs), labels, np.array(common + common))[0]
    p = _test(np.round(np.array(ours) - np.array(theirs), 12))
    bounded = replace(found.difference, low=max(-1.0, found.difference.low), high=min(1.0, found.difference.high))
    rest_on = rates or tuple({name: Rate(name, (), values[name]) for name in common} for values in (first, second))
    ours_mean, theirs_mean = estimate_rates([[of[name] for name in common] for of in rest_on])
    return Pairing(ours_mean, theirs_mean, bounded, p, p)


def _test(differences: NDArray[np.float64]) -> float:
    """Test, two-sided, whether differences lie around 0; those of 0 tell nothing.

    Of right and wrong it is McNemar's exact test: a coin for each pair that differs.
    """
    from scipy.special import bdtr

    differing = differences[differences != 0]
    n = len(differing)
    if not n:
        return 1.0
    if (np.abs(differing) == 1).all():
        fewer = min(int((differing > 0).sum()), int((differing < 0).sum()))
        return min(1.0, 2 * float(bdtr(fewer, n, 0.5)))
    return wilcoxon_test(differing).p


def adjust_pairings(pairings: Sequence[Pairing]) -> list[Pairing]:
    """Adjust the p-values of comparisons that belong together."""
    adjusted = adjust_holm(np.array([one.p for one in pairings]))
    return [replace(one, p_holm=float(p)) for one, p in zip(pairings, adjusted, strict=True)]


def _compare(attempts: Sequence[Attempt], measure: Measure, k: int) -> list[Refinement | None]:
    by_place: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for one in attempts:
        by_place[one.model, one.item.suite].append(one)
    return [
        _compare_one(by_place[model, base_suite(suite)], own, measure, k)
        for (model, suite), own in list(by_place.items())
        if REFINED in suite
    ]


def _compare_one(
    originals: Sequence[Attempt], refined: Sequence[Attempt], measure: Measure, k: int
) -> Refinement | None:
    first = refined[0]
    unrefined, others = {one.item.id: one for one in originals}, {one.item.base or "": one for one in refined}
    rates = _rates(others, measure, k), _rates(unrefined, measure, k)
    after, before = ({name: one.value for name, one in of.items()} for of in rates)
    fallen_back = {one.item.base for one in refined if is_fallback(one)}
    pairing = pair(after, before, rates)
    if pairing is None:
        return None
    suite, _, name = first.item.suite.partition(REFINED)
    applied = pair({base: value for base, value in after.items() if base not in fallen_back}, before, rates)
    fallbacks = sum(base in fallen_back for base in after if base in before)
    unpaired = len(before.keys() ^ after.keys())
    return Refinement(suite, name, first.model, first.judge, measure, k, pairing, applied, fallbacks, unpaired)


def _rates(attempts: Mapping[str, Attempt], measure: Measure, k: int) -> dict[str, Rate]:
    return {
        name: Rate(name, one.stratum, value, choices_of(one, measure, k))
        for name, one in attempts.items()
        if (value := value_of(one, measure, k)) is not None
    }


def _adjust(rows: Sequence[Refinement]) -> list[Refinement]:
    pairings = adjust_pairings([row.pairing for row in rows])
    applied = iter(adjust_pairings([row.applied for row in rows if row.applied]))
    return [
        replace(row, pairing=pairing, applied=next(applied) if row.applied else None)
        for row, pairing in zip(rows, pairings, strict=True)
    ]
