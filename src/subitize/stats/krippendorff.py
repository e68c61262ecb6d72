"""Krippendorff's α: how far raters agree beyond chance, at each level of measurement."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.crossed import Influence, coefficient_interval, crossed_spread, log_interval, without_interval
from subitize.stats.ratings import Ratings
from subitize.stats.scarcity import lack_of_distances, lack_of_values

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


def krippendorff_alpha(ratings: Ratings, level: Level) -> Estimate | None:
    """Estimate α; n is the number of units with two answers or more.

    Units with one answer say nothing of agreement and are left out. None where α is not defined: no unit has two
    answers, or all answers are the same value, so that chance could not have made a difference. It has no interval
    where nearly all answers are one value or, but for nominal values, hardly any differ.
    """
    pairable = ratings.keep(ratings.raters > 1)
    if np.count_nonzero(pairable.counts.any(axis=0)) < 2:
        return None
    is_nominal, name, n = level == "nominal", f"α, {level}", int(pairable.units.sum())
    alpha = _alpha_of_ranks(pairable) if level == "ordinal" else _alpha(pairable, _distances(pairable.values, level))
    if lack := (lack_of_values if is_nominal else lack_of_distances)(pairable):
        return without_interval(alpha.value, n, name, lack)
    spread = crossed_spread(pairable, alpha.influence)
    if is_nominal:
        return coefficient_interval(alpha.value, n, spread, name, chance=alpha.expected)
    return log_interval(alpha.value, n, spread, name)


def krippendorff_alphas(ratings: Ratings, levels: Sequence[Level]) -> dict[Level, Estimate]:
    """Estimate α at several levels; there is nothing in it where α is not defined."""
    return {level: alpha for level in levels if (alpha := krippendorff_alpha(ratings, level)) is not None}


@dataclass(frozen=True, slots=True)
class _Alpha:
    """α, by how much each answer moves it, and how far answers are apart by chance."""

    value: float
    influence: Influence
    expected: float


def _alpha(ratings: Ratings, distances: Floats) -> _Alpha:
    """Compare how far the answers to a unit are apart with how far all answers are."""
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
    """Compute α where two values are as far apart as there are answers between them: as their mean ranks are.

    An answer moves the ranks of all values above its own by one, its own by half, and α with them.
    """
    counts, given = ratings.counts, ratings.units @ ratings.counts
    n = float(given.sum())
    ranks = np.cumsum(given) - (given + n) / 2  # their mean is 0
    alpha = _alpha(ratings, (ranks[:, None] - ranks) ** 2)
    pairs = ratings.units / (ratings.raters - 1)
    # What α gains by each rank's derivative: of the distances within units, and of those by chance.
    within = 4 / n * (ranks * ((pairs * ratings.raters) @ counts) - (pairs * (counts @ ranks)) @ counts)
    by_chance = 4 / n * given * ranks
    gained = ((1 - alpha.value) * n / (n - 1) * by_chance - within) / alpha.expected
    moved = gained.sum() - np.cumsum(gained) + gained / 2
    alone = alpha.influence.alone + moved[ratings.answers.value]
    return replace(alpha, influence=replace(alpha.influence, alone=alone))
