"""Logistic regression with standard errors by cluster, correlations and straight lines."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.estimate import Floats, student, sum_clusters

_COLLINEAR = 1e-9  # relative size of what is left of a column after the earlier columns are projected out

INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True)
class DesignMatrix:
    """The columns of a regression (observation, term): the intercept, numbers, and a column per level of a factor.

    `references` are the levels without a column, as all others are compared with them; `dropped` are the terms that
    are linear combinations of earlier terms, and so have no column either.
    """

    terms: tuple[str, ...]
    matrix: Floats
    references: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()


def build_design(
    numbers: Mapping[str, NDArray[Any]],
    factors: Mapping[str, NDArray[Any]],
    references: Mapping[str, str] | None = None,
) -> DesignMatrix:
    """Put numbers and factors side by side, in this order, each factor against its reference level.

    A level's term is called `factor=level`. Where `references` does not name one, the most frequent level is the
    reference (the alphabetically first of equally frequent ones), as comparisons with it are the most precise.
    """
    chosen: dict[str, str] = {}
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in numbers.items()}
    for factor, values in factors.items():
        labels = np.asarray(values).astype(str)
        chosen[factor] = _choose_reference(factor, labels, (references or {}).get(factor))
        levels = [level for level in np.unique(labels).tolist() if level != chosen[factor]]
        columns |= {f"{factor}={level}": (labels == level).astype(np.float64) for level in levels}
    n = len(next(iter(columns.values()))) if columns else 0
    columns = {INTERCEPT: np.ones(n), **columns}
    kept = _independent(columns)
    matrix = np.stack([columns[term] for term in kept], axis=1)
    return DesignMatrix(tuple(kept), matrix, chosen, tuple(term for term in columns if term not in kept))


def _choose_reference(factor: str, labels: NDArray[np.str_], wanted: str | None) -> str:
    levels, counts = np.unique(labels, return_counts=True)
    if wanted is None:
        return str(levels[np.argmax(counts)])
    if wanted not in levels:
        raise ValueError(f"factor {factor!r} has no level {wanted!r}; its levels: {', '.join(levels.tolist())}")
    return wanted


def _independent(columns: Mapping[str, Floats]) -> list[str]:
    """Name the columns that are linearly independent of earlier ones."""
    whole = np.stack(list(columns.values()))
    # Identical observations add nothing; they have the same weighted sum, whatever the weights of the columns.
    _, distinct = np.unique(np.random.default_rng(0).random(len(whole)) @ whole, return_index=True)
    kept: list[str] = []
    basis = np.empty((len(columns), len(distinct)))
    for term, column in zip(columns, whole[:, distinct], strict=True):
        rest, known = column.copy(), basis[: len(kept)]
        for _ in range(2):  # the second time removes what rounding left
            rest -= (known @ rest) @ known
        length = float(np.linalg.norm(rest))
        if length > _COLLINEAR * float(np.linalg.norm(column)):
            basis[len(kept)] = rest / length
            kept.append(term)
    return kept


_STEPS = 50
_CONVERGED = 1e-14  # the gain of the last step; each step doubles the digits
_ROUNDING = 1e-12
_APART = 1e-6
_LARGEST = 700.0  # e to a larger power overflows
_NEARLY_CERTAIN = 1e-6  # a fitted chance this close to 0 or 1 may mean separation


@dataclass(frozen=True, slots=True)
class LogitTerm:
    """A term of a regression: its coefficient (log odds), standard error, two-sided p, and odds ratio (n: all)."""

    name: str
    coefficient: float
    standard_error: float
    p: float
    odds_ratio: Estimate


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """The fitted terms, and the numbers of observations and clusters."""

    terms: tuple[LogitTerm, ...]
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Separated:
    """No fit exists: these terms separate right from wrong without error, so odds have no bound."""

    terms: tuple[str, ...]
    n: int


def fit_logistic(design: DesignMatrix, correct: NDArray[Any], clusters: NDArray[Any]) -> LogisticFit | Separated:
    """Regress correctness (0 or 1) on a design, by maximum likelihood.

    Standard errors allow any dependence within clusters (prompts, for images of prompts), with a factor of
    G / (G − 1) · (n − 1) / (n − k) on the variance; p and intervals are Student's on G − 1 degrees of freedom.
    """
    x, y = design.matrix, np.asarray(correct, dtype=np.float64)
    n, k = x.shape
    found = _maximise(x, y)
    chance = _chance(x, found)
    if np.minimum(chance, 1 - chance).min() < _NEARLY_CERTAIN:
        separating = _separating_terms(x, y)
        if separating.any():
            return Separated(tuple(term for term, is_one in zip(design.terms, separating, strict=True) if is_one), n)
    scores = sum_clusters(x * (y - chance)[:, None], clusters)
    groups = len(scores)
    if groups < 2:
        raise ValueError(f"all {n} observations are in one cluster; standard errors by cluster need two or more")
    bread = np.linalg.inv(_information(x, chance))
    covariance = bread @ (scores.T @ scores) @ bread * groups / (groups - 1) * (n - 1) / (n - k)
    errors = np.sqrt(np.diag(covariance))
    fitted = zip(design.terms, found.tolist(), errors.tolist(), strict=True)
    return LogisticFit(tuple(_describe(*term, n=n, clusters=groups) for term in fitted), n, groups)


def _maximise(x: Floats, y: Floats) -> Floats:
    """Maximise the likelihood by Newton's steps, halved where they overshoot.

    Where there is no maximum (see `Separated`), it stops far out, with chances next to 0 and 1.
    """
    coefficients = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        chance = _chance(x, coefficients)
        if np.minimum(chance, 1 - chance).max() < _NEARLY_CERTAIN:
            break
        gradient = x.T @ (y - chance)
        step = np.linalg.lstsq(_information(x, chance), gradient, rcond=None)[0]
        before = _log_likelihood(x, y, coefficients)
        while _log_likelihood(x, y, coefficients + step) < before - _ROUNDING * abs(before):
            step /= 2
        coefficients = coefficients + step
        if gradient @ step < _CONVERGED:
            break
    return coefficients


def _chance(x: Floats, coefficients: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(x @ coefficients))


def _information(x: Floats, chance: Floats) -> Floats:
    return x.T @ (x * (chance * (1 - chance))[:, None])


def _log_likelihood(x: Floats, y: Floats, coefficients: Floats) -> float:
    from scipy.special import log_expit

    return float(log_expit((2 * y - 1) * (x @ coefficients)).sum())


def _separating_terms(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Find terms along which every right answer is on one side and every wrong one on the other, or both on the line.

    This is a linear program: among all directions that put no answer on the wrong side, find the one that goes
    furthest. It is 0 exactly if the likelihood has a maximum (Konis 2007, Linear programming algorithms for detecting
    separated data in binary logistic regression models).
    """
    from scipy.optimize import linprog

    sided = np.unique(x / np.abs(x).max(axis=0) * (2 * y - 1)[:, None], axis=0)
    found = linprog(-sided.sum(axis=0), A_ub=-sided, b_ub=np.zeros(len(sided)), bounds=(-1, 1), method="highs")
    direction = np.asarray(found.x, dtype=np.float64)
    return np.asarray((np.abs(direction) > _APART) & (sided.sum(axis=0) @ direction > _APART))


def _describe(name: str, coefficient: float, error: float, *, n: int, clusters: int) -> LogitTerm:
    from scipy.special import stdtr

    half = student(clusters - 1) * error
    p = float(2 * stdtr(clusters - 1, -abs(coefficient) / error)) if error > 0 else float(coefficient == 0)
    method = f"odds ratio, Student's interval over {clusters} clusters"
    value, low, high = np.exp(np.minimum([coefficient, coefficient - half, coefficient + half], _LARGEST)).tolist()
    return LogitTerm(name, coefficient, error, p, Estimate(value, low, high, n, method))


def pearson_interval(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Estimate | None:
    """Estimate Pearson's correlation with Fisher's interval; None if one of the two hardly varies, or n < 2.

    With three pairs or fewer, or all on a line, the interval is unbounded: −1 to 1.
    """
    n = len(first)
    pair = np.array([first, second], dtype=np.float64)
    if n < 2 or (np.ptp(pair, axis=1) <= _CONSTANT * np.abs(pair).max(axis=1)).any():
        return None
    one, other = pair - pair.mean(axis=1, keepdims=True)
    r = float(np.clip(one @ other / math.sqrt(one @ one) / math.sqrt(other @ other), -1, 1))
    if n <= 3 or abs(r) >= 1 - _CONSTANT:
        return Estimate(r, -1.0, 1.0, n, _METHOD, confidence)
    return _enclose(r, 1 / math.sqrt(n - 3), n, _METHOD, confidence)


_METHOD = "Pearson correlation, Fisher's interval"
_CONSTANT = 1e-12  # smaller variation, relative to the size of the values, is due to rounding


def spearman_interval(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95, *, groups: int = 1
) -> Estimate | None:
    """Estimate Spearman's rank correlation; None if one of the two does not vary, or n < 2.

    The interval is Fisher's with the variance of ranks (Bonett and Wright 2000, Psychometrika 65, 23-28). Group means
    that were subtracted before cost degrees of freedom.
    """
    from scipy.stats import rankdata

    n = len(first)
    if n < 2 or np.ptp(np.asarray(first)) == 0 or np.ptp(np.asarray(second)) == 0:
        return None
    rho = float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])
    method = "Spearman correlation, Bonett and Wright's interval"
    degrees = n - (groups - 1) - 3
    if degrees <= 0 or abs(rho) >= 1 - _CONSTANT:
        return Estimate(rho, -1.0, 1.0, n, method, confidence)
    return _enclose(rho, math.sqrt((1 + rho**2 / 2) / degrees), n, method, confidence)


def _enclose(value: float, error: float, n: int, method: str, confidence: float) -> Estimate:
    """Put Fisher's interval around a correlation: a normal one of its inverse hyperbolic tangent."""
    from scipy.special import ndtri

    half = float(ndtri((1 + confidence) / 2)) * error
    low, high = (math.tanh(math.atanh(value) + sign * half) for sign in (-1, 1))
    return Estimate(value, low, high, n, method, confidence)


def fit_line(
    x: Sequence[float], y: Sequence[float], confidence: float = 0.95, *, groups: int = 1
) -> tuple[float, Estimate] | None:
    """Fit y = a + b x by least squares: a, and b with Student's interval; None if x does not vary, or n is too small.

    Group means that were subtracted before cost degrees of freedom.
    """
    n, degrees = len(x), len(x) - groups - 1
    if degrees < 1 or np.ptp(np.asarray(x)) == 0:
        return None
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    centred = xs - xs.mean()
    slope = float(centred @ ys / (centred @ centred))
    intercept = float(ys.mean() - slope * xs.mean())
    left = ys - intercept - slope * xs
    error = math.sqrt(float(left @ left) / degrees / float(centred @ centred))
    half = student(degrees, (1 + confidence) / 2) * error
    return intercept, Estimate(
        slope, slope - half, slope + half, n, "slope by least squares, Student's interval", confidence
    )
