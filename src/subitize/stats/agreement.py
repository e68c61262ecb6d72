"""Agreement between raters: Gwet's AC1, Fleiss' κ, Krippendorff's α and raw agreement, with intervals.

Formulas, with missing answers, follow Gwet, Handbook of Inter-Rater Reliability (4th edition, 2014). Standard errors
allow for answers that share a prompt and for annotators who are themselves a sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers, share_interval, student, wilson_interval
from subitize.stats.ratings import (
    Cells,
    Ratings,
    has_varied_annotators,
    lack_of_distances,
    share_answers,
    sum_groups,
    why_no_interval,
)

_NOTHING = 1e-9
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, slots=True)
class Influence:
    """How much each answer moves a figure, to first order: as one of a pair of answers, and by itself.

    The contribution of a unit's pairs is divided among its answers. Both sum to 0 over all answers.
    """

    in_pairs: Floats
    alone: Floats


@dataclass(frozen=True, slots=True)
class AgreementError:
    """The standard error of a figure, its degrees of freedom, and the numbers of clusters and annotators behind it."""

    error: float
    degrees: float
    clusters: int
    annotators: int = 0


def one_way_spread(ratings: Ratings, moved: Floats) -> AgreementError:
    """Estimate the standard error over clusters of units from each answer's influence, for these annotators only."""
    answers = ratings.answers
    of_cells, weights = (sum_groups(answers.cell, each) for each in (moved, answers.weight))
    return _cluster_spread(answers.cells, of_cells, weights)


def two_way_spread(ratings: Ratings, influence: Influence) -> AgreementError:
    """Estimate the standard error over prompts and, if annotators are known, over annotators too (two-way clustering).

    The two are crossed: the variance of the annotators' sums of influence is added to that of the clusters' sums, less
    the part that arises within clusters (Cameron, Gelbach and Miller 2011). A pair of answers depends on both of its
    annotators, so each of them bears all of it. Degrees of freedom are the fewer of the two; annotators, who are
    compared with one another, have one less than clusters would.
    """
    answers, cells = ratings.answers, ratings.answers.cells
    each = influence.in_pairs, influence.alone, answers.weight
    in_pairs, alone, weights = (sum_groups(answers.cell, one) for one in each)
    spread = replace(_cluster_spread(cells, in_pairs + alone, weights), annotators=cells.annotators)
    shares = share_answers(ratings)
    if cells.annotator is None or spread.clusters < 2 or not has_varied_annotators(shares):
        return spread
    # An annotator is never paired with itself, which makes its sum smaller than its deviation by this factor.
    larger = ((1 - shares) / (1 - 2 * shares))[cells.annotator]
    more = _vary_between_clusters(cells.cluster, cells.annotator, 2 * larger * in_pairs + alone, shares)
    if more <= _NOTHING * spread.error**2:  # what is left of 0 by rounding differs from processor to processor
        return spread
    degrees = min(spread.degrees, _count_degrees(shares) - 1)
    return replace(spread, error=math.sqrt(spread.error**2 + more), degrees=degrees)


def coefficient_interval(value: float, n: int, spread: AgreementError, name: str, *, chance: float) -> Estimate:
    """Put Student's interval around a coefficient from −1 to 1; a single cluster leaves the whole range open.

    `chance` is the disagreement expected by chance. Where clusters never vary, Wilson's bound says how many may still
    differ.
    """
    over = _name_groups(spread, n)
    if spread.clusters < 2:
        return without_interval(value, n, name, f"only {over}")
    method = f"{name}, Student's interval over {over}"
    half = student(spread.degrees) * spread.error
    if half < _NOTHING:
        half = wilson_interval(0, spread.clusters).high / chance
        method = f"{name}, nothing varies: Wilson bound on the share that may differ, over {over}"
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value, min(low, value), high, n, method)


def log_interval(value: float, n: int, spread: AgreementError, name: str) -> Estimate:
    """Put Student's interval around the logarithm of 1 − coefficient, which is less skewed where distances vary."""
    over, apart = _name_groups(spread, n), 1 - value
    if spread.clusters < 2:
        return without_interval(value, n, name, f"only {over}")
    factor = math.exp(min(_LARGEST_EXPONENT, student(spread.degrees) * spread.error / apart))
    method = f"{name}, Student's interval of log(1 − α) over {over}"
    return Estimate(value, min(value, max(-1.0, 1 - apart * factor)), 1 - apart / factor, n, method)


def without_interval(value: float, n: int, name: str, reason: str) -> Estimate:
    """Give a coefficient the whole range from −1 to 1, and say why."""
    return Estimate(value, min(-1.0, value), 1.0, n, f"{name}, no interval: {reason}")


def crossed_share(share: float, ratings: Ratings, spread: AgreementError, what: str) -> Estimate:
    """Put Wilson's interval around a share, at the number of answers that would have its standard error."""
    from scipy.special import ndtri

    n, clusters = int(ratings.units.sum()), spread.clusters
    what = f"{what} over {_name_groups(spread, n)}"
    if clusters < 2 or spread.error < _NOTHING:
        return share_interval(share, clusters, n=n, what=what)
    alike = min(len(ratings.answers.row), share * (1 - share) / spread.error**2)
    return share_interval(share, alike * (float(ndtri(0.975)) / student(spread.degrees)) ** 2, n=n, what=what)


def _cluster_spread(cells: Cells, moved: Floats, weights: Floats) -> AgreementError:
    """Estimate the standard error over clusters from the sums of cells.

    A cluster with a share h of the units hides that share of its own deviation from the mean and leaves 1 − h of it.
    For clusters of one size this is G / (G − 1), on G − 1 degrees of freedom.
    """
    shares, sums = (sum_groups(cells.cluster, each) for each in (weights, moved))
    if len(shares) < 2:
        return AgreementError(math.inf, 0.0, len(shares))
    return AgreementError(math.sqrt(sums**2 @ (1 / (1 - shares))), _count_degrees(shares), len(shares))


def _count_degrees(shares: Floats) -> float:
    """Count degrees of freedom: one less than the effective number of groups (inverse Simpson index)."""
    return 1 / float(shares @ shares) - 1


def _vary_between_clusters(clusters: Integers, annotators: Integers, moved: Floats, shares: Floats) -> float:
    """Estimate the part of the variance of annotators' sums that arises between clusters, from the sums of cells.

    With c the annotators' sums, Q(c) = Σ (c_a − h_a Σc)² / (1 − h_a) is their variance, as for clusters. Each cluster's
    own Q is subtracted from that of all clusters together; for annotators without habits 0 is left on average.
    """
    left = 1 / (1 - shares)
    fixed = float(shares**2 @ left)
    own, weighed = (sum_groups(clusters, each) for each in (moved, moved * (shares * left)[annotators]))
    each = float(moved**2 @ left[annotators] - 2 * own @ weighed + own @ own * fixed)
    sums, total = sum_groups(annotators, moved), float(moved.sum())
    return float(sums**2 @ left - 2 * total * weighed.sum() + total**2 * fixed) - each


def _name_groups(spread: AgreementError, units: int) -> str:
    noun = "unit" if spread.clusters == units else "prompt"
    clusters = f"{spread.clusters} {noun}" + "s" * (spread.clusters != 1)
    return clusters + f" and {spread.annotators} annotators" * (spread.annotators > 0)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient (n: units with an answer), its standard error, and the observed and expected agreement."""

    coefficient: Estimate
    standard_error: float
    observed: float
    expected: float


def gwet_ac(ratings: Ratings) -> Agreement | None:
    """Estimate Gwet's AC1; None with fewer than two values or no pair of answers.

    The number of possible values matters: name them all to `count_ratings` where some were never used.
    """
    q = len(ratings.values)
    if q < 2:
        return None
    return _correct_for_chance(ratings, (1 - _mean_shares(ratings)) / (q - 1), "AC1")


def fleiss_kappa(ratings: Ratings) -> Agreement | None:
    """Estimate Fleiss' κ, also for differing numbers of answers; None if all answers are the same or none pair up.

    It has no interval where nearly all answers are the same.
    """
    return _correct_for_chance(ratings, _mean_shares(ratings), "Fleiss' κ", why_no_interval(ratings))


def pairwise_agreement(ratings: Ratings) -> Estimate | None:
    """Estimate how likely two annotators are to give a unit the same value; units with two answers weigh the same."""
    pairable = ratings.keep(ratings.raters > 1)
    if not len(pairable.units):
        return None
    same, observed = _share_of_same(pairable), _observe(pairable)
    influence = Influence((same - observed) * pairable.answers.weight, np.zeros(len(same)))
    return crossed_share(observed, pairable, two_way_spread(pairable, influence), "share of pairs")


def _mean_shares(ratings: Ratings) -> Floats:
    """Average the shares of values over units, each of which weighs the same, however many answers it has."""
    return np.asarray((ratings.units / ratings.raters) @ ratings.counts / max(1, ratings.units.sum()))


def _observe(ratings: Ratings) -> float:
    """Average the share of equal pairs of answers over the units that have any pair."""
    is_pair = ratings.raters > 1
    counts, raters, units = ratings.counts[is_pair], ratings.raters[is_pair], ratings.units[is_pair]
    return float(units @ ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1)))) / int(units.sum())


def _share_of_same(ratings: Ratings) -> Floats:
    """Return, for each answer, the share of the other answers to its unit that equal it; 0 if there are none."""
    answers = ratings.answers
    others = np.maximum(1, ratings.raters - 1)[answers.row]
    return np.asarray((ratings.counts[answers.row, answers.value] - 1) / others)


def _correct_for_chance(ratings: Ratings, by_chance: Floats, name: str, lack: str | None = None) -> Agreement | None:
    """Combine observed agreement with agreement by chance (per value), with the standard error of their quotient.

    Shares of values enter chance agreement twice, hence the 2 in each answer's contribution to the error.
    """
    is_pair = ratings.raters > 1
    n, paired = int(ratings.units.sum()), int(ratings.units[is_pair].sum())
    expected = float(_mean_shares(ratings) @ by_chance)
    if not paired or math.isclose(expected, 1.0, rel_tol=1e-12):
        return None
    answers, same, observed = ratings.answers, _share_of_same(ratings), _observe(ratings)
    value = (observed - expected) / (1 - expected)
    seen = np.where(is_pair[answers.row], same - expected, 0.0) * (n / paired) / (1 - expected) - value
    chance = -2 * (1 - value) * (by_chance[answers.value] - expected) / (1 - expected)
    spread = two_way_spread(ratings, Influence(seen * answers.weight, chance * answers.weight))
    if lack is None:
        found = coefficient_interval(value, n, spread, name, chance=1 - expected)
    else:
        found = without_interval(value, n, name, lack)
    return Agreement(found, spread.error, observed, expected)


Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


def krippendorff_alpha(ratings: Ratings, level: Level) -> Estimate | None:
    """Estimate α; n is the number of units with two answers or more.

    Units with one answer say nothing about agreement and are left out. None where α is undefined: no unit has two
    answers, or all answers are the same, so chance could not have made a difference. It has no interval where nearly
    all answers are the same or, except at the nominal level, hardly any differ.
    """
    pairable = ratings.keep(ratings.raters > 1)
    if np.count_nonzero(pairable.counts.any(axis=0)) < 2:
        return None
    is_nominal, name, n = level == "nominal", f"α, {level}", int(pairable.units.sum())
    alpha = _alpha_of_ranks(pairable) if level == "ordinal" else _alpha(pairable, _distances(pairable.values, level))
    if lack := (why_no_interval if is_nominal else lack_of_distances)(pairable):
        return without_interval(alpha.value, n, name, lack)
    spread = two_way_spread(pairable, alpha.influence)
    if is_nominal:
        return coefficient_interval(alpha.value, n, spread, name, chance=alpha.expected)
    return log_interval(alpha.value, n, spread, name)


def krippendorff_alphas(ratings: Ratings, levels: Sequence[Level]) -> dict[Level, Estimate]:
    """Estimate α at several levels; levels at which it is undefined are left out."""
    return {level: alpha for level in levels if (alpha := krippendorff_alpha(ratings, level)) is not None}


@dataclass(frozen=True, slots=True)
class _Alpha:
    """α, how much each answer moves it, and how far apart answers are by chance."""

    value: float
    influence: Influence
    expected: float


def _alpha(ratings: Ratings, distances: Floats) -> _Alpha:
    """Compare the distances between answers to one unit with those between all answers."""
    answers, given = ratings.answers, ratings.units @ ratings.counts
    n = float(given.sum())
    apart = (ratings.counts @ distances)[answers.row, answers.value] / (ratings.raters - 1)[answers.row]
    from_all = distances @ given / n
    observed, expected = float(apart.mean()), float(from_all @ given) / n
    ratio = observed / expected
    in_pairs = (observed - apart) / expected / n
    alone = 2 * ratio * (from_all[answers.value] / expected - 1) / n
    return _Alpha(1 - (n - 1) / n * ratio, Influence(in_pairs, alone), expected)


def _distances(values: Floats, level: Level) -> Floats:
    difference = np.abs(values[:, None] - values)
    if level == "ratio":
        total = values[:, None] + values
        difference = difference / np.where(total == 0, np.inf, total)
    return np.where(difference != 0, 1.0, 0.0) if level == "nominal" else difference**2


def _alpha_of_ranks(ratings: Ratings) -> _Alpha:
    """Compute α where the distance between two values is that between their mean ranks.

    An answer moves the ranks of all values above its own by one and its own by half, and α with them.
    """
    counts, given = ratings.counts, ratings.units @ ratings.counts
    n = float(given.sum())
    ranks = np.cumsum(given) - (given + n) / 2  # their mean is 0
    alpha = _alpha(ratings, (ranks[:, None] - ranks) ** 2)
    pairs = ratings.units / (ratings.raters - 1)
    # The derivative of α by each rank: through the distances within units, and through those by chance.
    within = 4 / n * (ranks * ((pairs * ratings.raters) @ counts) - (pairs * (counts @ ranks)) @ counts)
    by_chance = 4 / n * given * ranks
    gained = ((1 - alpha.value) * n / (n - 1) * by_chance - within) / alpha.expected
    moved = gained.sum() - np.cumsum(gained) + gained / 2
    alone = alpha.influence.alone + moved[ratings.answers.value]
    return replace(alpha, influence=replace(alpha.influence, alone=alone))
