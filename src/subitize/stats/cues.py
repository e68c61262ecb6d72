"""What responses follow: number, or a magnitude that is correlated with it.

Total ink is number × mean item area, and density is number over hull, so not all of them can be told apart at once.
In logarithms three predictors span them: number, item area and hull. Number is a factor with a level for every number,
so an observer that answers by number alone, in whatever way (even numbers only, never above 6, 7 for 10), has slopes of
0 for the others. One that follows ink has a slope of 1 for item area, one that follows hull a slope of 1 for hull, and
one that follows density a slope of −1 for hull. Each cue is also tried as the only one, with any smooth law.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers, student

Cue = Literal["number", "ink", "hull", "density"]
CueVerdict = Literal[
    "number",
    "number, with a bias by item size",
    "number, with a bias by hull",
    "number, with a bias by item size and hull",
    "ink",
    "hull",
    "density",
    "undecided",
]
Predictor = Literal["number", "item area", "hull"]

ALPHA = 0.05
# Pictures in which two cues share more of their variance than this cannot separate them.
MOST_SHARED = 0.99
# A magnitude whose logarithm varies by less than this among pictures of one number was held constant.
_HELD = 0.01
_NO_SPREAD = 1e-9
_LEAST_RESIDUAL = 1e-9
_LEAST_PICTURES = 10
_POWERS = 3  # the law of a cue is a cubic in logarithms


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One predictor of log response beside the others: its slope, and the share of variance that only it explains.

    Number's slope is that of the line through its levels. The intervals of item area and hull hold simultaneously.
    """

    predictor: Predictor
    slope: Estimate
    unique_share: float


@dataclass(frozen=True, slots=True)
class CueModel:
    """Log response by one cue alone: its slope on the log of the cue, and how well the law of the cue explains it.

    `delta_bic` is how much worse it is than the best cue (0: it is the best), where a cue with which responses fall
    explains nothing. `share_over_number` is the share of variance it explains beyond number, `number_share_over_it`
    what number explains beyond it.
    """

    cue: Cue
    slope: Estimate
    r_squared: float
    delta_bic: float
    share_over_number: float
    number_share_over_it: float


@dataclass(frozen=True, slots=True)
class Cues:
    """Which cue the responses follow; `p_value` tests whether its closest rival is as good (Vuong's test).

    `coefficients` lacks item area or hull where pictures of one number hardly differ in it, or differ in it only as
    they do in the other. `models` has the cues that vary, the best first. `n` is the number of responses.
    """

    verdict: CueVerdict
    p_value: float | None
    coefficients: tuple[Coefficient, ...]
    models: tuple[CueModel, ...]
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class CueResponses:
    """Responses, the (positive) magnitudes of the pictures shown, and which picture each response is to."""

    responses: Floats
    number: Floats
    item_area: Floats
    hull: Floats
    pictures: Integers


def find_cues(seen: CueResponses) -> Cues | None:
    """Find the cue that responses follow; None if fewer than ten pictures are left, or all responses are the same.

    The best one-cue model wins if responses rise with its cue and Vuong's test separates it from every other cue; cues
    that the pictures hardly separate leave it undecided. Where number wins, item area or hull is a bias if its slope
    beside number is not 0.
    """
    is_usable = seen.responses > 0
    n = int(is_usable.sum())
    # Responses to one picture are correlated: the picture counts once, with their mean.
    _, first, picture = np.unique(seen.pictures[is_usable], return_index=True, return_inverse=True)
    if len(first) < _LEAST_PICTURES:
        return None
    response = np.bincount(picture, np.log(seen.responses[is_usable])) / np.bincount(picture)
    number, item_area, hull = (np.log(values[is_usable][first]) for values in (seen.number, seen.item_area, seen.hull))
    logs: dict[Cue, Floats] = {"number": number, "ink": number + item_area, "hull": hull, "density": number - hull}
    laws = {cue: _law(values) for cue, values in logs.items() if np.ptp(values) >= _NO_SPREAD}
    if np.ptp(response) < _NO_SPREAD or not laws:
        return None
    models = sorted(_models(response, logs, laws, n), key=lambda model: model.delta_bic)
    best, p_value = _decide(response, logs, laws, models[0].cue)
    coefficients = _coefficients(response, number, {"item area": item_area, "hull": hull}, n)
    verdict = _name_biases(coefficients) if best == "number" else best
    return Cues(verdict, p_value, coefficients, tuple(models), n)


def _name_biases(coefficients: tuple[Coefficient, ...]) -> CueVerdict:
    is_biased = {one.predictor: not one.slope.low <= 0 <= one.slope.high for one in coefficients}
    return _BIASES[is_biased.get("item area", False), is_biased.get("hull", False)]


_BIASES: dict[tuple[bool, bool], CueVerdict] = {
    (False, False): "number",
    (True, False): "number, with a bias by item size",
    (False, True): "number, with a bias by hull",
    (True, True): "number, with a bias by item size and hull",
}


def _law(values: Floats) -> Floats:
    """Return orthonormal columns, the mean among them, that span the law of a cue."""
    powers = min(_POWERS, len(np.unique(values)) - 1)
    return np.linalg.qr(np.vander((values - values.mean()) / values.std(), powers + 1))[0]


def _levels(number: Floats) -> Floats:
    _, level, sizes = np.unique(number, return_inverse=True, return_counts=True)
    return np.eye(len(sizes))[level] / np.sqrt(sizes)


def _residuals(response: Floats, law: Floats) -> Floats:
    return response - law @ (law.T @ response)


def _models(response: Floats, logs: Mapping[Cue, Floats], laws: Mapping[Cue, Floats], n: int) -> list[CueModel]:
    total = float(((response - response.mean()) ** 2).sum())
    levels = _levels(logs["number"])
    of_number = 1 - float((_residuals(response, levels) ** 2).sum()) / total
    bics = {cue: -2 * float(_log_densities(response, logs[cue], law).sum()) for cue, law in laws.items()}
    best = min(bics.values())
    found = []
    for cue, law in laws.items():
        alone = 1 - float((_residuals(response, law) ** 2).sum()) / total
        together = _orthonormal(levels, law)
        both = max(1 - float((_residuals(response, together) ** 2).sum()) / total, alone, of_number)
        (slope,) = _slopes(response, np.stack([np.ones(len(response)), logs[cue]], axis=1), [np.array([0.0, 1.0])], n)
        found.append(CueModel(cue, slope, alone, bics[cue] - best, both - of_number, both - alone))
    return found


def _orthonormal(basis: Floats, columns: Floats) -> Floats:
    """Extend a basis by the part of columns that is orthogonal to it."""
    rest = columns - basis @ (basis.T @ columns)
    vectors, sizes, _ = np.linalg.svd(rest, full_matrices=False)
    return np.concatenate([basis, vectors[:, sizes > _NO_SPREAD]], axis=1)


def _decide(
    response: Floats, logs: Mapping[Cue, Floats], laws: Mapping[Cue, Floats], best: Cue
) -> tuple[Cue | Literal["undecided"], float]:
    """Test the best model against the mean alone, and against all other cues."""
    from scipy.special import chdtrc, ndtr

    ours = _log_densities(response, logs[best], laws[best])
    nothing = _log_densities(response, logs[best], np.full((len(response), 1), len(response) ** -0.5))
    parameters = laws[best].shape[1] - 1
    gain = 2 * float((ours - nothing).sum()) + parameters * math.log(len(response))
    p_values = [float(chdtrc(parameters, max(gain, 0.0)))]
    for cue, law in laws.items():
        if cue == best:
            continue
        gains = ours - _log_densities(response, logs[cue], law)
        spread = float(gains.std())
        is_told_apart = _are_apart(logs, laws, best, cue) and spread > _NO_SPREAD
        z = float(gains.sum()) / (spread * math.sqrt(len(gains))) if is_told_apart else 0.0
        p_values.append(float(2 * ndtr(-abs(z))))
    p_value = max(p_values)
    return (best if p_value < ALPHA else "undecided"), p_value


def _are_apart(logs: Mapping[Cue, Floats], laws: Mapping[Cue, Floats], one: Cue, other: Cue) -> bool:
    """Return whether pictures separate two cues, as they do if one cue falls while the other rises."""
    if float(np.corrcoef(logs[one], logs[other])[0, 1]) <= 0:
        return True
    varies = float(((logs[other] - logs[other].mean()) ** 2).sum())
    return float((_residuals(logs[other], laws[one]) ** 2).sum()) >= (1 - MOST_SHARED) * varies


def _log_densities(response: Floats, values: Floats, law: Floats) -> Floats:
    """Return each response's log density under the normal model of one cue, less its part of the BIC penalty.

    A cue with which responses fall explains nothing.
    """
    n, parameters = len(response), law.shape[1] - 1
    around_mean = response - response.mean()
    rises = float((values - values.mean()) @ around_mean) > 0
    residuals = _residuals(response, law) if rises else around_mean
    # A cue that explains everything would have an infinite likelihood.
    variance = max(float((residuals**2).mean()), _LEAST_RESIDUAL * float((around_mean**2).mean()))
    log_densities = -0.5 * (math.log(2 * math.pi * variance) + residuals**2 / variance)
    return np.asarray(log_densities - parameters * math.log(n) / (2 * n), dtype=np.float64)


def _coefficients(
    response: Floats, number: Floats, magnitudes: Mapping[Predictor, Floats], n: int
) -> tuple[Coefficient, ...]:
    """Fit number as a factor beside the magnitudes that vary among pictures of one number."""
    levels = _levels(number)
    within = {name: _residuals(values, levels) for name, values in magnitudes.items()}
    varying = [name for name, values in within.items() if float(values.std()) >= _HELD]
    is_shared = len(varying) > 1 and float(np.corrcoef([within[name] for name in varying])[0, 1]) ** 2 > MOST_SHARED
    if not varying or is_shared or len(response) <= levels.shape[1] + len(varying) or np.ptp(number) < _NO_SPREAD:
        return ()
    design = np.stack([*levels.T, *(magnitudes[name] for name in varying)], axis=1)
    # The line through the levels of number, each weighted by its number of pictures.
    centred = number - number.mean()
    line = np.concatenate([levels.T @ centred / float(centred @ centred), np.zeros(len(varying))])
    slopes = _slopes(response, design, [line, *np.eye(design.shape[1])[levels.shape[1] :]], n)
    names: list[Predictor] = ["number", *varying]
    columns = [levels, *(magnitudes[name][:, None] for name in varying)]
    found = []
    for place, (name, slope) in enumerate(zip(names, slopes, strict=True)):
        rest = np.concatenate([np.ones((len(response), 1)), *columns[:place], *columns[place + 1 :]], axis=1)
        found.append(Coefficient(name, slope, max(0.0, _explained(response, design) - _explained(response, rest))))
    return tuple(found)


def _explained(response: Floats, design: Floats) -> float:
    """Compute R² of the regression on the columns of a design."""
    residuals = response - design @ np.linalg.lstsq(design, response, rcond=1e-9)[0]
    return 1 - float((residuals**2).sum()) / float(((response - response.mean()) ** 2).sum())


def _slopes(response: Floats, design: Floats, combinations: Sequence[Floats], n: int) -> list[Estimate]:
    """Fit combinations of coefficients by least squares, with intervals for unequal variances (HC3, Student).

    The first interval holds by itself, the others hold simultaneously (Bonferroni).
    """
    pictures, terms = design.shape
    inverse = np.linalg.pinv(design)
    residuals = response - design @ (inverse @ response)
    residuals[np.abs(residuals) < _NO_SPREAD] = 0.0
    leverages = np.minimum((design * inverse.T).sum(axis=1), 1 - _NO_SPREAD)
    weights = np.stack(combinations) @ inverse
    slopes = weights @ response
    slopes[np.abs(slopes) < _NO_SPREAD] = 0.0
    errors = np.sqrt(((weights * (residuals / (1 - leverages))) ** 2).sum(axis=1))
    found = []
    for place, (slope, error) in enumerate(zip(slopes.tolist(), errors.tolist(), strict=True)):
        together = max(1, len(combinations) - 1) if place else 1
        half = student(pictures - terms, 1 - ALPHA / 2 / together) * error
        method = f"least squares on logarithms, HC3 interval over {pictures} pictures" + ", holds with the other" * (
            together > 1
        )
        found.append(Estimate(slope, slope - half, slope + half, n, method))
    return found
