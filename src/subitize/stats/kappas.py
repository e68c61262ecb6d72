"""Agreement corrected for chance by the shares of the values: Gwet's AC1 and Fleiss' κ.

Formulas, with missing answers, and standard errors over units as Gwet, Handbook of Inter-Rater Reliability
(4th edition, 2014) has them.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.ratings import Ratings


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
    by_chance = _unit_shares(ratings) @ (1 - _mean_shares(ratings)) * (1 / (q - 1))
    return _correct_for_chance(ratings, by_chance, "AC1")


def fleiss_kappa(ratings: Ratings) -> Agreement | None:
    """Estimate Fleiss' κ, also for differing numbers of answers; None if all answers are one value or without pairs."""
    return _correct_for_chance(ratings, _unit_shares(ratings) @ _mean_shares(ratings), "Fleiss' κ")


def _unit_shares(ratings: Ratings) -> NDArray[np.float64]:
    return ratings.counts / ratings.raters[:, None]


def _mean_shares(ratings: Ratings) -> NDArray[np.float64]:
    """Average the shares of values over units: every unit weighs the same, however many answers it has."""
    return np.asarray(ratings.units @ _unit_shares(ratings) / ratings.units.sum())


def _correct_for_chance(ratings: Ratings, by_chance: NDArray[np.float64], name: str) -> Agreement | None:
    """Put together what was seen and what chance gives (per row), with the standard error of the quotient.

    Shares of values enter chance agreement twice over, hence the 2 in what each unit contributes to the error.
    """
    from scipy.special import stdtrit

    units, raters = ratings.units, ratings.raters
    n, is_pair = int(units.sum()), raters > 1
    expected = float(units @ by_chance) / n if n else 1.0
    paired = int(units[is_pair].sum())
    if not paired or math.isclose(expected, 1.0, rel_tol=1e-12):
        return None
    same = (ratings.counts * (ratings.counts - 1)).sum(axis=1)
    seen = same / np.where(is_pair, raters * (raters - 1), 1.0)
    observed = float(units[is_pair] @ seen[is_pair]) / paired
    value = (observed - expected) / (1 - expected)
    method = f"{name}, Student's interval over units"
    if n == 1:
        return Agreement(Estimate(value, -1.0, 1.0, n, method), math.inf, observed, expected)
    own = np.where(is_pair, (seen - expected) * n / paired, 0.0) / (1 - expected)
    contribution = own - 2 * (1 - value) * (by_chance - expected) / (1 - expected)
    error = math.sqrt(float(units @ (contribution - value) ** 2) / n / (n - 1))
    half = float(stdtrit(n - 1, 0.975)) * error
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Agreement(Estimate(value, min(low, value), high, n, method), error, observed, expected)
