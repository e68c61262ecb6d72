"""What makes an answer right? Logistic regression, with standard errors by cluster."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.clusters import sum_clusters
from subitize.stats.designs import Design

_STEPS = 50
_CONVERGED = 1e-14  # what the next step may still gain; steps gain twice the digits each
_ROUNDING = 1e-12
_APART = 1e-6
_LARGEST = 700.0  # beyond, e to that power is no number
_NEARLY_CERTAIN = 1e-6  # a fitted chance this close to 0 or 1 is looked into


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a regression: its coefficient (log odds), standard error, two-sided p, and odds ratio (n: all)."""

    name: str
    coefficient: float
    standard_error: float
    p: float
    odds_ratio: Estimate


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """The terms that were fitted, on how many observations in how many clusters."""

    terms: tuple[Term, ...]
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Separated:
    """No fit exists: along these terms, right and wrong are told apart without error, so that odds have no bound."""

    terms: tuple[str, ...]
    n: int


def fit_logistic(design: Design, correct: NDArray[Any], clusters: NDArray[Any]) -> LogisticFit | Separated:
    """Regress correctness (0 or 1) on a design, by maximum likelihood.

    Standard errors allow any dependence within clusters (the prompt, where images are within prompts), times
    G / (G − 1) · (n − 1) / (n − k); p and intervals are Student's on G − 1 degrees of freedom.
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


def _maximise(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Climb to the largest likelihood by Newton's steps, halved where they overshoot.

    Where there is none (see `Separated`), it stops far out, with chances next to 0 and 1.
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


def _chance(x: NDArray[np.float64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import expit

    return np.asarray(expit(x @ coefficients))


def _information(x: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    return x.T @ (x * (chance * (1 - chance))[:, None])


def _log_likelihood(x: NDArray[np.float64], y: NDArray[np.float64], coefficients: NDArray[np.float64]) -> float:
    from scipy.special import log_expit

    return float(log_expit((2 * y - 1) * (x @ coefficients)).sum())


def _separating_terms(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Find terms along which every right answer is on one side and every wrong one on the other or between.

    That is a linear program: among all directions that put no answer on the wrong side, the one that goes furthest.
    It goes nowhere exactly if a largest likelihood exists (Konis 2007, Linear programming algorithms for detecting
    separated data in binary logistic regression models).
    """
    from scipy.optimize import linprog

    sided = np.unique(x / np.abs(x).max(axis=0) * (2 * y - 1)[:, None], axis=0)
    found = linprog(-sided.sum(axis=0), A_ub=-sided, b_ub=np.zeros(len(sided)), bounds=(-1, 1), method="highs")
    direction = np.asarray(found.x, dtype=np.float64)
    return np.asarray((np.abs(direction) > _APART) & (sided.sum(axis=0) @ direction > _APART))


def _describe(name: str, coefficient: float, error: float, *, n: int, clusters: int) -> Term:
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(clusters - 1, 0.975)) * error
    p = float(2 * stdtr(clusters - 1, -abs(coefficient) / error)) if error > 0 else float(coefficient == 0)
    method = f"odds ratio, Student's interval over {clusters} clusters"
    value, low, high = np.exp(np.minimum([coefficient, coefficient - half, coefficient + half], _LARGEST)).tolist()
    return Term(name, coefficient, error, p, Estimate(value, low, high, n, method))
