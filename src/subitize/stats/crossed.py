"""The precision of agreement measures: answers share prompts, and annotators are themselves a sample."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.intervals import share_interval, wilson_interval
from subitize.stats.ratings import Cells, Codes, Ratings, sum_groups
from subitize.stats.scarcity import do_annotators_vary, share_answers

Floats = NDArray[np.float64]
_NOTHING = 1e-9
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, slots=True)
class Influence:
    """By how much each answer moves a figure, to first order: as one of a pair of answers, and by itself.

    What the pairs of a unit contribute is divided among its answers. Both sum to 0 over all answers.
    """

    in_pairs: Floats
    alone: Floats


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard error of a figure, its degrees of freedom, and from how many clusters and annotators it comes."""

    error: float
    degrees: float
    clusters: int
    annotators: int = 0


def cluster_spread(ratings: Ratings, moved: Floats) -> Spread:
    """Estimate the standard error over clusters of units from what each answer moves, for these annotators."""
    answers = ratings.answers
    of_cells, weights = (sum_groups(answers.cell, each) for each in (moved, answers.weight))
    return _cluster_spread(answers.cells, of_cells, weights)


def crossed_spread(ratings: Ratings, influence: Influence) -> Spread:
    """Estimate the standard error over clusters of units and, where it is known who answered, over annotators.

    The two are crossed: the variance of the annotators' sums of influence is added to that of the clusters', less what
    the answers to each cluster make of it by themselves, as in Cameron, Gelbach and Miller (2011). A pair of answers
    depends on both of its annotators, so that each of them bears all of it. Degrees of freedom are the fewer of both;
    annotators, who are compared with one another, have one less than clusters would.
    """
    answers, cells = ratings.answers, ratings.answers.cells
    each = influence.in_pairs, influence.alone, answers.weight
    in_pairs, alone, weights = (sum_groups(answers.cell, one) for one in each)
    spread = replace(_cluster_spread(cells, in_pairs + alone, weights), annotators=cells.annotators)
    shares = share_answers(ratings)
    if cells.annotator is None or spread.clusters < 2 or not do_annotators_vary(shares):
        return spread
    # The others in an annotator's pairs are all but itself, so that its sum is smaller than its deviation by that.
    larger = ((1 - shares) / (1 - 2 * shares))[cells.annotator]
    more = _vary_between_clusters(cells.cluster, cells.annotator, 2 * larger * in_pairs + alone, shares)
    if more <= 0:
        return spread
    degrees = min(spread.degrees, _count_degrees(shares) - 1)
    return replace(spread, error=math.sqrt(spread.error**2 + more), degrees=degrees)


def coefficient_interval(value: float, n: int, spread: Spread, name: str, *, chance: float) -> Estimate:
    """Put Student's interval around a coefficient from −1 to 1; one cluster alone leaves all of that.

    `chance` is the disagreement by chance: where clusters never vary, as many of them as Wilson leaves possible may
    differ.
    """
    over = _name_groups(spread, n)
    if spread.clusters < 2:
        return without_interval(value, n, name, f"only {over}")
    method = f"{name}, Student's interval over {over}"
    half = _student(spread) * spread.error
    if half < _NOTHING:
        half = wilson_interval(0, spread.clusters).high / chance
        method = f"{name}, nothing varies: Wilson bound on the share that may differ, over {over}"
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value, min(low, value), high, n, method)


def log_interval(value: float, n: int, spread: Spread, name: str) -> Estimate:
    """Put Student's interval around the logarithm of 1 − coefficient, which is less skewed where distances vary."""
    over, apart = _name_groups(spread, n), 1 - value
    if spread.clusters < 2:
        return without_interval(value, n, name, f"only {over}")
    factor = math.exp(min(_LARGEST_EXPONENT, _student(spread) * spread.error / apart))
    method = f"{name}, Student's interval of log(1 − α) over {over}"
    return Estimate(value, min(value, max(-1.0, 1 - apart * factor)), 1 - apart / factor, n, method)


def without_interval(value: float, n: int, name: str, reason: str) -> Estimate:
    """Give a coefficient that may be anything from −1 to 1, and say why."""
    return Estimate(value, min(-1.0, value), 1.0, n, f"{name}, no interval: {reason}")


def crossed_share(share: float, ratings: Ratings, spread: Spread, what: str) -> Estimate:
    """Put Wilson's interval around a share: that of as many answers as would have its standard error."""
    from scipy.special import ndtri

    n, clusters = int(ratings.units.sum()), spread.clusters
    what = f"{what} over {_name_groups(spread, n)}"
    if clusters < 2 or spread.error < _NOTHING:
        return share_interval(share, clusters, n=n, what=what)
    alike = min(len(ratings.answers.row), share * (1 - share) / spread.error**2)
    return share_interval(share, alike * (float(ndtri(0.975)) / _student(spread)) ** 2, n=n, what=what)


def _cluster_spread(cells: Cells, moved: Floats, weights: Floats) -> Spread:
    """Estimate the standard error over clusters from the sums of cells.

    A cluster with a share h of the units hides as much of its own deviation from the mean: 1 − h is left of it. Of
    clusters of one size that makes G / (G − 1), on G − 1 degrees of freedom.
    """
    shares, sums = (sum_groups(cells.cluster, each) for each in (weights, moved))
    if len(shares) < 2:
        return Spread(math.inf, 0.0, len(shares))
    return Spread(math.sqrt(sums**2 @ (1 / (1 - shares))), _count_degrees(shares), len(shares))


def _count_degrees(shares: Floats) -> float:
    """Count degrees of freedom: one less than groups of one size that are as uneven together."""
    return 1 / float(shares @ shares) - 1


def _vary_between_clusters(clusters: Codes, annotators: Codes, moved: Floats, shares: Floats) -> float:
    """Estimate the variance of the annotators' sums that comes from different clusters, from the sums of cells.

    With c the annotators' sums, Q(c) = Σ (c_a − h_a Σc)² / (1 − h_a) is their variance, as for clusters; from that of
    all clusters together goes off that of each by itself. Where annotators have no habits, 0 is left on average.
    """
    left = 1 / (1 - shares)
    fixed = float(shares**2 @ left)
    own, weighed = (sum_groups(clusters, each) for each in (moved, moved * (shares * left)[annotators]))
    each = float(moved**2 @ left[annotators] - 2 * own @ weighed + own @ own * fixed)
    sums, total = sum_groups(annotators, moved), float(moved.sum())
    return float(sums**2 @ left - 2 * total * weighed.sum() + total**2 * fixed) - each


def _student(spread: Spread) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(spread.degrees, 0.975))


def _name_groups(spread: Spread, units: int) -> str:
    noun = "unit" if spread.clusters == units else "prompt"
    clusters = f"{spread.clusters} {noun}" + "s" * (spread.clusters != 1)
    return clusters + f" and {spread.annotators} annotators" * (spread.annotators > 0)
