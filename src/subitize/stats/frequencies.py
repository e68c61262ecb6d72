"""Power laws of whole numbers, and heaping: how much more often round numbers occur than their neighbours.

p(x) = x^-a / zeta(a, start) from some start on (Clauset, Shalizi and Newman 2009). Exponents are estimated by maximum
likelihood; their interval contains the values that a likelihood-ratio test does not reject. The start is given, or
chosen where the law fits best. Other laws are compared by Vuong's test."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers, student, wilson_interval

LEAST_IN_TAIL = 50
"""The fewest numbers that a chosen start may leave."""
_MOST_STARTS = 25
_EXPONENTS = (1.001, 20.0)
_BOUNDED_EXPONENTS = (0.01, 20.0)
_HEAD = 5_000  # terms that sums add one by one


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distinct numbers in their order, and how often each occurs."""

    values: Integers
    counts: Integers

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "Histogram":
        """Make a histogram from a mapping, without numbers that do not occur or are below 1."""
        kept = sorted((value, count) for value, count in counts.items() if value >= 1 and count > 0)
        return cls(*(np.array([pair[place] for pair in kept], dtype=np.int64) for place in (0, 1)))

    @property
    def n(self) -> int:
        """The number of numbers counted."""
        return int(self.counts.sum())

    def between(self, start: int, most: int | None = None) -> "Histogram":
        """Keep the numbers from `start` to `most`."""
        is_kept = (self.values >= start) & (self.values <= (self.values.max(initial=0) if most is None else most))
        return Histogram(self.values[is_kept], self.counts[is_kept])


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A fitted law: its range, its exponent, and the largest distance of its distribution from the data's."""

    start: int
    most: int | None
    exponent: Estimate
    distance: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another law against the power law: a ratio above 0 favours the power law, and p is its significance."""

    name: str
    parameters: Mapping[str, float]
    log_likelihood_ratio: float
    p: float

    @property
    def verdict(self) -> str:
        """The law that the data favour."""
        if self.p >= 0.05:
            return "cannot tell"
        return "power law" if self.log_likelihood_ratio > 0 else self.name


def fit_power_law(
    histogram: Histogram, start: int = 1, most: int | None = None, *, confidence: float = 0.95
) -> PowerLaw | None:
    """Fit the numbers from `start` on, up to `most` if given; None if fewer than two are distinct."""
    from scipy.optimize import brentq
    from scipy.stats import chi2

    tail = histogram.between(start, most)
    closest = _fit(tail, start, most)
    if closest is None:
        return None
    best, distance = closest
    likelihood = _likelihood(tail, start, most)
    worst = likelihood(best) - chi2.ppf(confidence, 1) / 2

    def excess(exponent: float) -> float:
        return likelihood(exponent) - worst

    lowest, highest = _bounds(most)
    low = brentq(excess, lowest, best) if excess(lowest) < 0 else lowest
    high = brentq(excess, best, highest) if excess(highest) < 0 else highest
    method = f"maximum likelihood from {start}{'' if most is None else f' to {most}'}, likelihood-ratio interval"
    exponent = Estimate(best, float(low), float(high), tail.n, method, confidence)
    return PowerLaw(start, most, exponent, distance)


def choose_start(histogram: Histogram, most: int | None = None) -> PowerLaw | None:
    """Fit from the start that brings law and data closest; the interval ignores this choice."""
    closest = _find_closest(histogram, most)
    return None if closest is None else fit_power_law(histogram, closest[0], most)


def measure_fit(
    histogram: Histogram, law: PowerLaw, *, is_start_chosen: bool, samples: int = 100, seed: int = 0
) -> Estimate:
    """Estimate the share of samples of the law itself that are as far from their own fit as the data are from theirs.

    Below 0.1 the law fits poorly. Numbers below the start are drawn from the data; a chosen start is chosen again.
    """
    random = np.random.default_rng(seed)
    farther = 0
    for _ in range(samples):
        drawn = _draw_like(histogram, law, random)
        fit = _find_closest if is_start_chosen else partial(_fit_from, start=law.start)
        fitted = fit(drawn, most=law.most)
        farther += fitted is not None and fitted[1] >= law.distance
    return wilson_interval(farther, samples)


def draw_power_law(exponent: float, n: int, random: np.random.Generator, start: int = 1) -> Histogram:
    """Draw numbers from a power law."""
    from scipy.special import zeta

    head = np.arange(start, start + _HEAD)
    total = zeta(exponent, start)
    chances = head.astype(np.float64) ** -exponent / total
    beyond = max(0.0, 1 - chances.sum())
    drawn = random.multinomial(n, np.append(chances, beyond) / (chances.sum() + beyond))
    # So far out the law is practically continuous.
    far = (start + _HEAD - 0.5) * (1 - random.random(int(drawn[-1]))) ** (-1 / (exponent - 1)) + 0.5
    values, counts = np.unique(np.minimum(far, 2.0**62).astype(np.int64), return_counts=True)
    is_drawn = drawn[:-1] > 0
    return Histogram(
        np.concatenate([head[is_drawn], values]), np.concatenate([drawn[:-1][is_drawn], counts]).astype(np.int64)
    )


def compare_laws(histogram: Histogram, law: PowerLaw) -> Iterator[Alternative]:
    """Compare a fitted law with a log-normal one (Vuong's test) and with an exponential cut-off (nested)."""
    if law.most is not None:
        raise ValueError("laws are compared without an upper bound")
    tail = histogram.between(law.start)
    own = -law.exponent.value * np.log(tail.values) - _log_zeta(law.exponent.value, law.start)
    yield _compare_log_normal(tail, own, law.start)
    yield _compare_cut_off(tail, own, law)


def _compare_log_normal(tail: Histogram, own: Floats, start: int) -> Alternative:
    from scipy.special import erfc, log_ndtr

    logs = np.log(tail.values[:, None] + np.array([-0.5, 0.5]))
    first = np.log(start - 0.5)

    def densities(parameters: Floats) -> Floats:
        mu, sigma = parameters[0], np.exp(parameters[1])
        above, beyond = log_ndtr((mu - logs) / sigma).T
        within = above + np.log1p(-np.exp(np.minimum(beyond - above, -1e-15)))
        return np.asarray(within - log_ndtr((mu - first) / sigma), dtype=np.float64)

    mean = float(np.average(np.log(tail.values), weights=tail.counts))
    best = _minimise(lambda given: -float(tail.counts @ densities(given)), [[mean, 0.0], [-2.0, 1.0], [-20.0, 2.0]])
    differences = own - densities(best)
    ratio = float(tail.counts @ differences)
    spread = float(np.sqrt(np.cov(differences, fweights=tail.counts) * tail.n)) if tail.n > 1 else 0.0
    p = float(erfc(abs(ratio) / (np.sqrt(2) * spread))) if spread > 0 else 1.0
    return Alternative("log-normal", {"mu": float(best[0]), "sigma": float(np.exp(best[1]))}, ratio, p)


def _compare_cut_off(tail: Histogram, own: Floats, law: PowerLaw) -> Alternative:
    """Compare with a cut-off, of which the power law is the boundary case: half of its ratios are 0."""
    from scipy.stats import chi2

    logs = np.log(tail.values)
    sums = float(tail.counts @ logs), float(tail.counts @ tail.values)

    def cost(parameters: Floats) -> float:
        exponent, rate = parameters[0], np.exp(parameters[1])
        if not -5 < exponent < _EXPONENTS[1]:
            return np.inf
        return float(exponent * sums[0] + rate * sums[1] + tail.n * _log_sum_cut_off(exponent, rate, law.start))

    mean = sums[1] / tail.n
    tries = [[law.exponent.value, np.log(share / mean)] for share in (1e-4, 1e-2, 0.5)]
    best = _minimise(cost, tries)
    ratio = float(tail.counts @ own + cost(best))
    p = float(chi2.sf(max(0.0, -2 * ratio), 1)) / 2 if ratio < 0 else 1.0
    found = {"exponent": float(best[0]), "rate": float(np.exp(best[1]))}
    return Alternative("power law with a cut-off", found, min(ratio, 0.0), p)


def _log_sum_cut_off(exponent: float, rate: float, start: int) -> float:
    """Sum x^-a e^-rx over all x from start on: first one by one, then as an integral on a logarithmic scale."""
    head = np.arange(start, start + _HEAD, dtype=np.float64)
    edge = start + _HEAD - 0.5
    end = max(edge * 2, 60 / rate)
    grid = np.linspace(np.log(edge), np.log(end), 600)
    logs = np.concatenate([-exponent * np.log(head) - rate * head, (1 - exponent) * grid - rate * np.exp(grid)])
    top = logs.max()
    terms = np.exp(logs - top)
    tail = (terms[_HEAD + 1 :] + terms[_HEAD:-1]) @ np.diff(grid) / 2
    return float(top + np.log(terms[:_HEAD].sum() + tail))


def _find_closest(histogram: Histogram, most: int | None) -> tuple[int, float] | None:
    """Return the start at which law and data are closest, and their distance."""
    fits = (_fit_from(histogram, most, start) for start in _starts(histogram, most))
    return min((fit for fit in fits if fit is not None), key=lambda fit: fit[1], default=None)


def _fit_from(histogram: Histogram, most: int | None, start: int) -> tuple[int, float] | None:
    fit = _fit(histogram.between(start, most), start, most)
    return None if fit is None else (start, fit[1])


def _fit(tail: Histogram, start: int, most: int | None) -> tuple[float, float] | None:
    """Return the exponent, and the distance of the law from the data."""
    if len(tail.values) < 2:
        return None
    exponent = _maximise(_likelihood(tail, start, most), *_bounds(most))
    return exponent, _distance(tail, exponent, start, most)


def _bounds(most: int | None) -> tuple[float, float]:
    return _EXPONENTS if most is None else _BOUNDED_EXPONENTS


def _likelihood(tail: Histogram, start: int, most: int | None) -> Callable[[float], float]:
    total, n = float(tail.counts @ np.log(tail.values)), tail.n
    if most is None:
        return lambda exponent: -exponent * total - n * _log_zeta(exponent, start)
    logs = np.log(np.arange(start, most + 1, dtype=np.float64))
    return lambda exponent: -exponent * total - n * float(np.log(np.exp(-exponent * logs).sum()))


def _log_zeta(exponent: float, start: int) -> float:
    from scipy.special import zeta

    return float(np.log(zeta(exponent, start)))


def _maximise(likelihood: Callable[[float], float], lowest: float, highest: float) -> float:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda exponent: -likelihood(exponent), bounds=(lowest, highest), method="bounded", options={"xatol": 1e-8}
    )
    return float(found.x)


def _minimise(cost: Callable[[Floats], float], tries: list[list[float]]) -> Floats:
    from scipy.optimize import minimize

    with np.errstate(all="ignore"):  # far from the optimum, likelihoods are 0
        found = [
            minimize(cost, given, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-6, "maxiter": 2_000})
            for given in tries
        ]
    return np.asarray(min(found, key=lambda one: np.inf if np.isnan(one.fun) else one.fun).x)


def _distance(tail: Histogram, exponent: float, start: int, most: int | None) -> float:
    """Return the largest distance of the two distribution functions, at the numbers that occur and just before them."""
    below = np.cumsum(tail.counts) / tail.n
    before = np.concatenate([[0.0], below[:-1]])
    at, just_before = (_distribution(values, exponent, start, most) for values in (tail.values, tail.values - 1))
    return float(max(np.abs(below - at).max(), np.abs(before - just_before).max()))


def _distribution(values: Integers, exponent: float, start: int, most: int | None) -> Floats:
    from scipy.special import zeta

    if most is None:
        return 1 - zeta(exponent, values + 1) / zeta(exponent, start)
    sums = np.cumsum(np.arange(start, most + 1, dtype=np.float64) ** -exponent)
    return np.concatenate([[0.0], sums / sums[-1]])[values - start + 1]


def _starts(histogram: Histogram, most: int | None) -> list[int]:
    kept = histogram.between(1, most)
    left = kept.n - np.cumsum(kept.counts) + kept.counts
    return [int(start) for start in kept.values[:-1][left[:-1] >= LEAST_IN_TAIL][:_MOST_STARTS]]


def _draw_like(histogram: Histogram, law: PowerLaw, random: np.random.Generator) -> Histogram:
    """Draw as many numbers: those below the start from the data, the others from the law."""
    kept = histogram.between(1, law.most)
    below = kept.between(1, law.start - 1)
    in_tail = int(random.binomial(kept.n, 1 - below.n / kept.n))
    if law.most is None:
        tail = draw_power_law(law.exponent.value, in_tail, random, law.start)
    else:
        values = np.arange(law.start, law.most + 1)
        chances = values.astype(np.float64) ** -law.exponent.value
        tail = Histogram(values, random.multinomial(in_tail, chances / chances.sum()))
        tail = Histogram(tail.values[tail.counts > 0], tail.counts[tail.counts > 0])
    if not below.n:
        return tail
    drawn = random.multinomial(kept.n - in_tail, below.counts / below.n)
    return Histogram(
        np.concatenate([below.values[drawn > 0], tail.values]), np.concatenate([drawn[drawn > 0], tail.counts])
    )


NEIGHBOURS = (-4, -3, -2, -1, 1, 2, 3, 4)
_LEAST_COUNTED = 10
_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class Heap:
    """A number, how often it occurs, and the ratio to how often it is expected."""

    number: int
    count: int
    ratio: Estimate
    is_flagged: bool
    """Whether it is significantly above 1 among all numbers tested (Bonferroni)."""


def measure_heaping(counts: Mapping[int, int], numbers: Sequence[int], *, alpha: float = 0.05) -> list[Heap]:
    """Compare numbers with the power law through their neighbours, four on each side.

    Neighbours that scatter more than by chance widen the interval. Numbers with too few neighbours on one side are left
    out, as a line through the others says nothing about them.
    """
    tested = [number for number in numbers if _has_neighbours(counts, number)]
    degrees = len(NEIGHBOURS) - 2
    heaps = []
    for number in tested:
        own = counts.get(number, 0)
        expected, variance = _expect(counts, number)
        log_ratio = math.log(max(own, 0.5)) - expected
        error = math.sqrt(variance)
        half = student(degrees, 1 - alpha / 2) * error
        bound = student(degrees, 1 - alpha / 2 / len(tested)) * error
        low, high = (math.exp(min(log_ratio + end, 700.0)) for end in (-half, half))
        ratio = Estimate(own / math.exp(expected), low if own else 0.0, high, own, _METHOD, 1 - alpha)
        heaps.append(Heap(number, own, ratio, log_ratio > bound))
    return heaps


_METHOD = "observed over expected by a quasi-Poisson regression on log number through 8 neighbours"


def _has_neighbours(counts: Mapping[int, int], number: int) -> bool:
    around = [counts.get(number + step, 0) for step in NEIGHBOURS]
    middle = len(around) // 2
    sides = (around[:middle], around[middle:])
    return sum(around) >= _LEAST_COUNTED and all(sum(count > 0 for count in side) > 2 for side in sides)


def _expect(counts: Mapping[int, int], number: int) -> tuple[float, float]:
    """Return the logarithm of the count expected from the neighbours, and the variance of the log ratio."""
    around = np.array([number + step for step in NEIGHBOURS], dtype=np.float64)
    seen = np.array([counts.get(int(one), 0) for one in around], dtype=np.float64)
    design = np.stack([np.ones_like(around), np.log(around / number)], axis=1)
    fitted, covariance = _fit_poisson(design, seen)
    means = np.exp(design @ fitted)
    dispersion = max(1.0, float(((seen - means) ** 2 / means).sum()) / (len(NEIGHBOURS) - 2))
    own = max(counts.get(number, 0), 0.5)
    return float(fitted[0]), dispersion * (float(covariance[0, 0]) + 1 / own)


def _fit_poisson(design: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Fit a log-linear regression of counts by iterated weighted least squares."""
    fitted = np.asarray(np.linalg.lstsq(design, np.log(seen + 0.5), rcond=None)[0], dtype=np.float64)
    for _ in range(_ITERATIONS):
        means = np.exp(np.clip(design @ fitted, -50, 50))
        information = design.T @ (means[:, None] * design)
        step = np.linalg.solve(information, design.T @ (seen - means))
        fitted = fitted + step * min(1.0, 2 / max(1e-300, float(np.abs(step).max())))  # no leaps far from the optimum
        if np.abs(step).max() < 1e-12:
            break
    means = np.exp(design @ fitted)
    return fitted, np.asarray(np.linalg.inv(design.T @ (means[:, None] * design)), dtype=np.float64)
