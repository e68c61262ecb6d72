"""Agreement corrected for chance by the shares of the values: Gwet's AC1 and Fleiss' κ; and agreement as it is.

Formulas, with missing answers, and standard errors over units as Gwet, Handbook of Inter-Rater Reliability
(4th edition, 2014) has them.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.crossed import Influence, coefficient_interval, crossed_share, crossed_spread, without_interval
from subitize.stats.ratings import Ratings
from subitize.stats.scarcity import lack_of_values


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient (n: units with an answer), its standard error, and the agreement that was seen and by chance."""

    coefficient: Estimate
    standard_error: float
    observed: float
    expected: float


def gwet_ac(ratings: Ratings) -> Agreement | None:
    """Estimate Gwet's AC1; None with fewer than two values or no pair of answers.

    The number of values that could have been given matters: name them all to `tally` where some were never used.
    """
    q = len(ratings.values)
    if q < 2:
        return None
    return _correct_for_chance(ratings, (1 - _mean_shares(ratings)) / (q - 1), "AC1")


def fleiss_kappa(ratings: Ratings) -> Agreement | None:
    """Estimate Fleiss' κ, also for differing numbers of answers; None if all answers are one value or without pairs.

    It has no interval where nearly all answers are one value.
    """
    return _correct_for_chance(ratings, _mean_shares(ratings), "Fleiss' κ", lack_of_values(ratings))


def pairwise_agreement(ratings: Ratings) -> Estimate | None:
    """Estimate how likely two annotators give a unit the same value; every unit with two answers weighs the same."""
    pairable = ratings.keep(ratings.raters > 1)
    if not len(pairable.units):
        return None
    same, observed = _share_of_same(pairable), _observe(pairable)
    influence = Influence((same - observed) * pairable.answers.weight, np.zeros(len(same)))
    return crossed_share(observed, pairable, crossed_spread(pairable, influence), "share of pairs")


def _mean_shares(ratings: Ratings) -> NDArray[np.float64]:
    """Average the shares of values over units: every unit weighs the same, however many answers it has."""
    return np.asarray((ratings.units / ratings.raters) @ ratings.counts / max(1, ratings.units.sum()))


def _observe(ratings: Ratings) -> float:
    """Average the share of pairs of answers that are the same over the units that have any."""
    is_pair = ratings.raters > 1
    counts, raters, units = ratings.counts[is_pair], ratings.raters[is_pair], ratings.units[is_pair]
    return float(units @ ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1)))) / int(units.sum())


def _share_of_same(ratings: Ratings) -> NDArray[np.float64]:
    """Give, for each answer, the share of the other answers to its unit that are the same; 0 if there are none."""
    answers = ratings.answers
    others = np.maximum(1, ratings.raters - 1)[answers.row]
    return np.asarray((ratings.counts[answers.row, answers.value] - 1) / others)


def _correct_for_chance(
    ratings: Ratings, by_chance: NDArray[np.float64], name: str, lack: str | None = None
) -> Agreement | None:
    """Put together what was seen and what chance gives (per value), with the standard error of the quotient.

    Shares of values enter chance agreement twice over, hence the 2 in what each answer contributes to the error.
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
    spread = crossed_spread(ratings, Influence(seen * answers.weight, chance * answers.weight))
    if lack is None:
        found = coefficient_interval(value, n, spread, name, chance=1 - expected)
    else:
        found = without_interval(value, n, name, lack)
    return Agreement(found, spread.error, observed, expected)
