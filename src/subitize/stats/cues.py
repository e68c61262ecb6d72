"""What responses follow: number, or a magnitude that goes along with it.

Total ink is number × mean item area, and density is number over hull, so all of them at once cannot be told apart.
In logarithms three predictors span them: number, item area and hull. A reader of number has the slopes 1, 0, 0; of
ink 1, 1, 0; of hull 0, 0, 1; of density 1, 0, −1. And each cue is tried as the only one.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate

Cue = Literal["number", "ink", "hull", "density"]
Verdict = Literal["number", "ink", "hull", "density", "undecided"]
Predictor = Literal["number", "item area", "hull"]

ALPHA = 0.05
# Pictures in which two cues share more of their variance than this do not tell one from the other.
MOST_SHARED = 0.99
_NO_SPREAD = 1e-9
_LEAST_RESIDUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One predictor of log response, beside the others: its slope, and the share of variance only it explains."""

    predictor: Predictor
    slope: Estimate
    unique_share: float


@dataclass(frozen=True, slots=True)
class CueModel:
    """Log response on the log of one cue alone.

    `delta_bic` is how much worse it is than the best of the cues (0: it is the best), where a cue that responses
    fall with explains nothing; `share_over_number` is the share of variance it explains beyond number,
    `number_share_over_it` what number explains beyond it.
    """

    cue: Cue
    slope: Estimate
    r_squared: float
    delta_bic: float
    share_over_number: float
    number_share_over_it: float


@dataclass(frozen=True, slots=True)
class Cues:
    """Which cue the responses follow; `p_value` is that of the closest rival's being as good (Vuong's test).

    `coefficients` is empty where the pictures do not tell the predictors apart (one is constant, or follows from
    the others); `models` has the cues that vary, the best first.
    """

    verdict: Verdict
    p_value: float | None
    coefficients: tuple[Coefficient, ...]
    models: tuple[CueModel, ...]
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Responses to pictures, and what was measured in these: one value each per response, all above 0."""

    responses: NDArray[np.float64]
    number: NDArray[np.float64]
    item_area: NDArray[np.float64]
    hull: NDArray[np.float64]


def find_cue(seen: Seen) -> Cues | None:
    """Tell which cue the responses follow; None where fewer than ten responses are left, or all are the same.

    The best one-cue model wins if responses rise with its cue, and if Vuong's test sets it apart from every other
    cue in the pictures; cues that the pictures hardly separate leave it undecided.
    """
    is_usable = seen.responses > 0
    response = np.log(seen.responses[is_usable])
    number, item_area, hull = (np.log(values[is_usable]) for values in (seen.number, seen.item_area, seen.hull))
    if len(response) < 10 or np.ptp(response) < _NO_SPREAD:
        return None
    logs: dict[Cue, NDArray[np.float64]] = {
        "number": number,
        "ink": number + item_area,
        "hull": hull,
        "density": number - hull,
    }
    varying = {cue: values for cue, values in logs.items() if np.ptp(values) >= _NO_SPREAD}
    if not varying:
        return None
    models = sorted(_models(response, varying, number), key=lambda model: model.delta_bic)
    verdict, p_value = _decide(response, varying, models[0])
    predictors: dict[Predictor, NDArray[np.float64]] = {"number": number, "item area": item_area, "hull": hull}
    return Cues(verdict, p_value, _coefficients(response, predictors), tuple(models), len(response))


def _models(
    response: NDArray[np.float64], logs: Mapping[Cue, NDArray[np.float64]], number: NDArray[np.float64]
) -> list[CueModel]:
    of_number = _explained(response, number)
    bics = {cue: -2 * float(_log_densities(response, values).sum()) for cue, values in logs.items()}
    best = min(bics.values())
    found = []
    for cue, values in logs.items():
        alone = _explained(response, values)
        both = max(_explained(response, number, values), alone, of_number)
        (slope,) = _slopes(response, values)
        found.append(CueModel(cue, slope, alone, bics[cue] - best, both - of_number, both - alone))
    return found


def _decide(
    response: NDArray[np.float64], logs: Mapping[Cue, NDArray[np.float64]], best: CueModel
) -> tuple[Verdict, float | None]:
    from scipy.special import ndtr

    ours = _log_densities(response, logs[best.cue])
    nothing = _log_densities(response, np.zeros_like(response))
    p_values = [_chi_square_p(2 * float((ours - nothing).sum()))]
    for cue, values in logs.items():
        if cue == best.cue:
            continue
        gains = ours - _log_densities(response, values)
        spread = float(gains.std())
        # One that falls as the best rises is told apart by that: responses rise with the cue they follow.
        likeness = float(np.corrcoef(values, logs[best.cue])[0, 1])
        is_told_apart = likeness <= math.sqrt(MOST_SHARED) and spread > _NO_SPREAD
        z = float(gains.sum()) / (spread * math.sqrt(len(gains))) if is_told_apart else 0.0
        p_values.append(float(2 * ndtr(-abs(z))))
    p_value = max(p_values)
    return (best.cue if p_value < ALPHA else "undecided"), p_value


def _chi_square_p(ratio: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(1, max(ratio, 0.0)))


def _log_densities(response: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each response's log density under the normal model of one cue, whose slope cannot be below 0."""
    residuals, centred = response - response.mean(), values - values.mean()
    power = float(centred @ centred)
    slope = max(0.0, float(centred @ residuals) / power) if power > 0 else 0.0
    # A cue that explains everything would have an infinite likelihood.
    least = _LEAST_RESIDUAL * float((residuals**2).mean())
    residuals = residuals - slope * centred
    variance = max(float((residuals**2).mean()), least)
    return np.asarray(-0.5 * (math.log(2 * math.pi * variance) + residuals**2 / variance), dtype=np.float64)


def _explained(response: NDArray[np.float64], *predictors: NDArray[np.float64]) -> float:
    """Give R² of the regression on the predictors."""
    centred = response - response.mean()
    design = np.stack([values - values.mean() for values in predictors], axis=1)
    fitted = design @ np.linalg.lstsq(design, centred, rcond=1e-9)[0]
    return 1 - float(((centred - fitted) ** 2).sum()) / float((centred**2).sum())


def _coefficients(
    response: NDArray[np.float64], predictors: Mapping[Predictor, NDArray[np.float64]]
) -> tuple[Coefficient, ...]:
    columns = list(predictors.values())
    if any(np.ptp(column) < _NO_SPREAD for column in columns):
        return ()
    others = [[other for other in columns if other is not column] for column in columns]
    if any(_explained(column, *rest) > MOST_SHARED for column, rest in zip(columns, others, strict=True)):
        return ()
    whole = _explained(response, *columns)
    found = []
    for name, slope in zip(predictors, _slopes(response, *columns), strict=True):
        rest = _explained(response, *(column for other, column in predictors.items() if other != name))
        found.append(Coefficient(name, slope, max(0.0, whole - rest)))
    return tuple(found)


def _slopes(response: NDArray[np.float64], *predictors: NDArray[np.float64]) -> list[Estimate]:
    """Fit slopes by least squares, with intervals that allow for unequal variances (HC3, Student)."""
    from scipy.special import stdtrit

    n = len(response)
    design = np.stack([np.ones(n), *predictors], axis=1)
    inverse = np.linalg.pinv(design)
    slopes = inverse @ response
    residuals = response - design @ slopes
    leverages = np.minimum((design * inverse.T).sum(axis=1), 1 - 1e-9)
    errors = np.sqrt(((inverse * (residuals / (1 - leverages))) ** 2).sum(axis=1))
    halves = float(stdtrit(n - design.shape[1], 0.975)) * errors
    method = "least squares on logarithms, HC3 interval"
    return [
        Estimate(float(slope), float(slope - half), float(slope + half), n, method)
        for slope, half in zip(slopes[1:], halves[1:], strict=True)
    ]
