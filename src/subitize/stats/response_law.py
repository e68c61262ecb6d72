"""The law behind responses to number: Weber's law with a gain and lapses, by maximum likelihood.

P(r | n) = (1 − ℓ) · rounded normal(b n, W b n) + ℓ / highest, for the responses 1..highest: `W` is the Weber
fraction, `b` the gain (below 1: underestimation), `ℓ` the share of lapses, answers given without regard to the
number. The laws of known observers (random, ideal human, painter) are here too.

Edges. Numbers below 1 or above the highest may be drawn again, put at the edge or cut off before rounding. Observers
differ in this, and for a real one it is unknown, but it changes the chances of these two responses alone. So the
likelihood is that of each response given that it is neither. Lapses are conditioned in the same way: they keep their
share between the edges, which distinguishes them from the tails of the normal law.

Prompts. One that usually gets one thing too many has a gain of its own; taken for noise, this would inflate W. So
gains differ by prompt (in naming: by number and category) around that of their category, by a normal law of the log
gain. Its variance is estimated from the scores of a fit with one gain per category (DerSimonian and Laird's moments).
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from subitize.stats.estimate import Floats, Integers


def uniform_law(low: int, high: int) -> Floats:
    """Return the same probability for every response from `low` to `high`."""
    return np.full(high - low + 1, 1 / (high - low + 1))


def human_law(target: int, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> Floats:
    """Return the probabilities of the responses 1..highest of an ideal human observer.

    Exact up to `subitizing`; above it a normal law of mean `target` and spread `weber` × `target`, truncated to
    [1, highest] and rounded (Testolin et al. 2025, section 2.4.3: a Weber fraction of .15).
    """
    if target <= subitizing or weber == 0:
        return np.asarray(np.arange(1, highest + 1) == min(target, highest), dtype=np.float64)
    return predict_responses(target, weber * target, 0.0, highest)


@dataclass(frozen=True, slots=True)
class Slips:
    """How the number seen in a painter's picture departs from the number asked for."""

    weber: float = 0.0
    subitizing: int = 0
    highest: int = 200
    shift: int = 0
    """How many more things are drawn, or fewer if below 0; at least one is always drawn."""
    omit: float = 0.0
    """The probability that a thing is left out."""
    merge: float = 0.0
    """The probability that a thing after the first falls on another and is not seen."""


LEAST_RISE = 0.25
"""Responses that rise by less than this share of a proportional rise do not follow number."""
_SURE = 3.0  # standard errors by which the slope of responses on numbers must exceed 0
MOST_LAPSES = 0.5
LEAST_CATEGORIES = 3
"""Fewer categories cannot be taken for a sample."""
_LEAST_PER_CATEGORY = 30  # responses, for a Weber fraction of its own
_NO_NOISE = 0.02  # a spread of the responses to the highest number at which rounding leaves no noise
_HIGHEST_WEBER = 2.0
_ALIKE = 1e-6  # log-likelihoods that differ by less
_NO_LAPSE = -60.0  # logit
_LOG_GAINS = (-3.0, 3.0)
_LAPSE_LOGITS = (-12.0, 6.0)
_STARTS = (0.03, 0.08, 0.2, 0.5)  # Weber fractions
_START_LAPSE = math.log(0.05 / 0.95)
_MOST_STEPS = 80


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """How often each number was answered, by cluster of dependent responses: those to a picture or a prompt.

    `counts` has a row per cluster and a column per response, 1..highest. Clusters of one `group` share a gain.
    """

    counts: Integers
    numbers: Integers
    categories: Integers
    groups: Integers

    @property
    def highest(self) -> int:
        """The highest response, which includes all above it."""
        return int(self.counts.shape[1])

    def select(self, is_wanted: NDArray[np.bool_]) -> "Tallies":
        """Keep some clusters, and renumber groups and categories."""
        counts, numbers = self.counts[is_wanted], self.numbers[is_wanted]
        categories, groups = (
            np.unique(codes[is_wanted], return_inverse=True)[1].astype(np.int64)
            for codes in (self.categories, self.groups)
        )
        return Tallies(counts, numbers, categories, groups)

    def between_edges(self) -> "Tallies":
        """Keep only responses other than 1 and the highest, and the clusters that have any."""
        inner = self.counts.copy()
        inner[:, [0, -1]] = 0
        return replace(self, counts=inner).select(inner.sum(axis=1) > 0)

    def by_group(self) -> "Tallies":
        """Add up the clusters of each group."""
        _, first = np.unique(self.groups, return_index=True)
        counts = np.zeros((len(first), self.highest), dtype=np.int64)
        np.add.at(counts, self.groups, self.counts)
        return Tallies(counts, self.numbers[first], self.categories[first], np.arange(len(first)))

    def in_one_category(self) -> "Tallies":
        """Merge all categories into one."""
        return replace(self, categories=np.zeros_like(self.categories))


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Whole responses, the numbers shown, and codes of their categories and clusters, in any order."""

    responses: Floats
    numbers: Integers
    categories: Integers
    clusters: Integers


def tally(trials: Trials, highest: int, *, has_gain_by_cluster: bool) -> Tallies:
    """Count responses by cluster; those above the highest count as the highest, those below 1 are left out.

    Each cluster (a prompt) has a gain, or else each number and category (of which pictures are a sample).
    """
    is_kept = trials.responses >= 1
    numbers, categories, clusters = (codes[is_kept] for codes in (trials.numbers, trials.categories, trials.clusters))
    cells = categories * (numbers.max(initial=0) + 1) + numbers
    _, first, place = np.unique(
        cells * (clusters.max(initial=0) + 1) + clusters, return_index=True, return_inverse=True
    )
    responses = np.minimum(trials.responses[is_kept], highest).astype(np.int64) - 1
    counts = np.bincount(place * highest + responses, minlength=len(first) * highest).reshape(-1, highest)
    groups = np.arange(len(first)) if has_gain_by_cluster else cells[first]
    tallies = Tallies(counts, numbers[first], categories[first], groups)
    return tallies.select(np.ones(len(first), dtype=bool))


@dataclass(frozen=True, slots=True)
class Unfitted:
    """Why no law could be fitted to the responses."""

    reason: str


@dataclass(frozen=True, eq=False)
class ResponseLaw:
    """A law with its parameters and the data it is fitted to: `tallies` by group, between the edges."""

    tallies: Tallies
    log_weber: Floats
    log_gain: Floats
    lapse_logit: float
    penalty: Floats
    """The prior precision of the parameters."""
    gain_of: Integers
    """Which of the gains each group has."""

    @property
    def lapse(self) -> float:
        """The share of lapses."""
        return 1 / (1 + math.exp(-self.lapse_logit))

    @property
    def is_noiseless(self) -> NDArray[np.bool_]:
        """Mark the categories whose Weber fraction cannot be told from 0 because of rounding."""
        return self.log_weber <= _least_log_weber(self.tallies) + 1e-9

    @property
    def is_right(self) -> bool:
        """Return whether every response is right."""
        responses = np.arange(1, self.tallies.highest + 1)
        return not self.tallies.counts[responses != self.tallies.numbers[:, None]].any()

    @property
    def weber(self) -> Floats:
        """The Weber fraction by category."""
        return np.where(self.is_noiseless, 0.0, np.exp(self.log_weber))

    @cached_property
    def chances(self) -> "Chances":
        """The probabilities of the responses between the edges, by group, and how they change with parameters."""
        return _chances(self.tallies, self.parameters[self.places])

    @cached_property
    def places(self) -> Integers:
        """The indices of each group's log Weber fraction, log gain and lapse logit among the parameters."""
        last = len(self.log_weber) + len(self.log_gain)
        gains = len(self.log_weber) + self.gain_of
        return np.stack([self.tallies.categories, gains, np.full(len(gains), last)])

    @cached_property
    def parameters(self) -> Floats:
        """All parameters as one vector: log Weber fractions, log gains, lapse logit."""
        return np.concatenate([self.log_weber, self.log_gain, [self.lapse_logit]])

    def with_parameters(self, parameters: Floats) -> "ResponseLaw":
        """Replace all parameters."""
        log_weber, log_gain, lapse = np.split(parameters, [len(self.log_weber), len(parameters) - 1])
        return replace(self, log_weber=log_weber, log_gain=log_gain, lapse_logit=float(lapse[0]))

    @cached_property
    def log_likelihoods(self) -> Floats:
        """The log-likelihood by group."""
        return np.asarray((self.tallies.counts[:, 1:-1] * np.log(self.chances.shares)).sum(axis=1), dtype=np.float64)

    @cached_property
    def objective(self) -> float:
        """The log-likelihood, less the penalty."""
        return float(self.log_likelihoods.sum()) - float(self.parameters @ self.penalty @ self.parameters) / 2

    @cached_property
    def gradient(self) -> Floats:
        """How the objective changes with each parameter."""
        scores = (self.tallies.counts[:, 1:-1] * self.chances.slopes).sum(axis=2)
        return np.bincount(self.places.ravel(), scores.ravel(), len(self.parameters)) - self.penalty @ self.parameters

    @cached_property
    def information(self) -> Floats:
        """Fisher's information of the parameters, from the responses alone."""
        trials = self.tallies.counts.sum(axis=1)
        own = np.einsum(
            "agr,bgr,gr->abg", self.chances.slopes, self.chances.slopes, self.chances.shares * trials[:, None]
        )
        size = len(self.parameters)
        pairs = self.places[:, None] * size + self.places[None]
        return np.asarray(np.bincount(pairs.ravel(), own.ravel(), size**2).reshape(size, size), dtype=np.float64)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the parameters; it is 0 for a parameter held at its bound."""
        held = _is_held(self)
        precision = self.information + self.penalty
        found = np.zeros_like(precision)
        free = np.ix_(~held, ~held)
        found[free] = np.linalg.inv(precision[free] + 1e-9 * np.eye(int((~held).sum())))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """By group and response between the edges: its share, and d log share / d (log weber, log gain, lapse logit)."""

    shares: Floats
    slopes: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ResponseLawFit:
    """The fits to `tallies` between the edges: with one gain per category (`shared`), and one per group (`own`).

    Categories have Weber fractions of their own where each has enough responses.
    """

    tallies: Tallies
    shared: ResponseLaw
    own: ResponseLaw

    @property
    def n(self) -> int:
        """The number of responses it is fitted to."""
        return int(self.tallies.counts.sum())

    @property
    def tells_categories_apart(self) -> bool:
        """Return whether categories have Weber fractions of their own."""
        return len(self.own.log_weber) > 1


def fit_law(tallies: Tallies) -> ResponseLawFit | Unfitted:
    """Fit Weber fractions, gains and the share of lapses; or say why there are none."""
    reason = _why_not(tallies)
    if reason:
        return Unfitted(reason)
    inner = tallies.between_edges()
    by_category = np.bincount(inner.categories, inner.counts.sum(axis=1))
    is_apart = len(by_category) >= LEAST_CATEGORIES and by_category.min() >= _LEAST_PER_CATEGORY
    shared = _climb(_start((inner if is_apart else inner.in_one_category()).by_group()))
    if shared.lapse > MOST_LAPSES:
        return Unfitted(f"{100 * shared.lapse:.0f} % of the responses are lapses")
    if (shared.log_weber >= math.log(_HIGHEST_WEBER)).any():
        return Unfitted("responses spread over all numbers")
    if shared.is_right:
        shared = replace(shared, log_gain=np.zeros_like(shared.log_gain), lapse_logit=_NO_LAPSE)
    return ResponseLawFit(inner, shared, _free_gains(shared))


def predict_responses(mean: float, spread: float, lapse: float, highest: int) -> Floats:
    """Return the shares of the responses 1..highest of an observer that truncates its law at the edges, like people."""
    from scipy.special import ndtr  # it takes longer to import than some pictures to draw

    edges = np.clip(np.arange(highest + 1) + 0.5, 1, highest)
    mass = np.diff(ndtr((edges - mean) / max(spread, 1e-9)))
    if not mass.any():  # so far beyond an edge that no probability is left within: all of it is at the edge
        mass[0 if mean < 1 else -1] = 1
    return np.asarray((1 - lapse) * mass / mass.sum() + lapse / highest, dtype=np.float64)


def _why_not(tallies: Tallies) -> str:
    trials, responses = tallies.counts.sum(axis=1), np.arange(1, tallies.highest + 1)
    if len(np.unique(tallies.numbers[trials > 0])) < 2:
        return "there is only one number to fit it to"
    inner = int(tallies.counts[tallies.numbers > 1, 1:-1].sum())
    if inner == 0 or 2 * inner < trials[tallies.numbers > 1].sum():
        return f"most responses are 1 or {tallies.highest}"
    n, sums = trials.sum(), tallies.counts @ responses
    x = tallies.numbers - trials @ tallies.numbers / n
    mean, squares = sums.sum() / n, float(trials @ x**2)
    slope = float(x @ sums) / squares
    residual = float(tallies.counts.sum(axis=0) @ (responses - mean) ** 2) - slope**2 * squares
    error = math.sqrt(max(residual, 0.0) / max(n - 2, 1) / squares)
    rise = slope * float(trials @ tallies.numbers / n) / mean
    if rise < LEAST_RISE:
        return "responses do not rise with number"
    return "too few responses to tell whether they rise with number" if slope <= _SURE * error else ""


def _start(tallies: Tallies) -> ResponseLaw:
    """Start from the median gain of each category and the likeliest Weber fraction given that gain."""
    categories = int(tallies.categories.max()) + 1
    gains = np.array([_median_gain(tallies.select(tallies.categories == one)) for one in range(categories)])
    none = np.zeros((2 * categories + 1,) * 2)
    laws = [
        ResponseLaw(tallies, np.full(categories, math.log(weber)), gains, _START_LAPSE, none, tallies.categories)
        for weber in _STARTS
    ]
    likelihoods = [np.bincount(tallies.categories, law.log_likelihoods) for law in laws]
    best = np.argmax(likelihoods, axis=0)
    return replace(laws[0], log_weber=np.log(_STARTS)[best])


def _median_gain(tallies: Tallies) -> float:
    gains = np.log(np.arange(1, tallies.highest + 1) / tallies.numbers[:, None]).ravel()
    order = np.argsort(gains)
    before = np.cumsum(tallies.counts.ravel()[order])
    return float(gains[order][np.searchsorted(before, before[-1] / 2)])


def _climb(law: ResponseLaw) -> ResponseLaw:
    """Find the parameters of the greatest objective, by Fisher scoring with Levenberg's damping."""
    low, high = _bounds(law)
    longest = np.repeat([1.0, 0.3, 2.0], [len(law.log_weber), len(law.log_gain), 1])
    damping = 1e-3
    for _ in range(_MOST_STEPS):
        free = ~_is_held(law)
        precision = (law.information + law.penalty)[np.ix_(free, free)]
        step = np.zeros(len(free))
        step[free] = np.linalg.solve(precision + np.diag(damping * np.diag(precision) + 1e-8), law.gradient[free])
        step *= min(1.0, float((longest / np.maximum(np.abs(step), 1e-300)).min()))
        other = law.with_parameters(np.clip(law.parameters + step, low, high))
        gained = other.objective - law.objective
        if gained >= 0:
            law, damping = other, max(damping / 10, 1e-6)
        else:
            damping *= 10
        if abs(gained) < 1e-10 or damping > 1e8:
            break
    return _drop_noise(law)


def _drop_noise(law: ResponseLaw) -> ResponseLaw:
    """Take the least Weber fraction in categories whose responses are equally likely without noise.

    Because of rounding, a whole range of gains is then equally likely; its middle is taken.
    """
    categories = law.tallies.categories
    silent = replace(law, log_weber=np.full_like(law.log_weber, _least_log_weber(law.tallies)))
    best = np.bincount(categories, law.log_likelihoods)
    is_silent = best - np.bincount(categories, silent.log_likelihoods) < _ALIKE
    if not is_silent.any():
        return law
    shifts = np.linspace(-1, 1, 41) / int(law.tallies.numbers.max())
    moved = (replace(silent, log_gain=silent.log_gain + shift).log_likelihoods for shift in shifts)
    is_alike = np.array([best - np.bincount(categories, likelihoods) < _ALIKE for likelihoods in moved])
    middle = np.where(is_silent, shifts @ is_alike / np.maximum(is_alike.sum(axis=0), 1), 0.0)
    log_gain = law.log_gain.copy()
    log_gain[law.gain_of] = law.log_gain[law.gain_of] + middle[categories]
    return replace(law, log_weber=np.where(is_silent, silent.log_weber, law.log_weber), log_gain=log_gain)


def _bounds(law: ResponseLaw) -> tuple[Floats, Floats]:
    sizes = [len(law.log_weber), len(law.log_gain), 1]
    low, high = zip((_least_log_weber(law.tallies), math.log(_HIGHEST_WEBER)), _LOG_GAINS, _LAPSE_LOGITS, strict=True)
    return np.repeat(low, sizes), np.repeat(high, sizes)


def _least_log_weber(tallies: Tallies) -> float:
    return math.log(_NO_NOISE / int(tallies.numbers.max()))


def _is_held(law: ResponseLaw) -> NDArray[np.bool_]:
    """Mark the parameters at a bound that they would otherwise cross."""
    low, high = _bounds(law)
    at = law.parameters
    return ((at <= low) & (law.gradient < 0)) | ((at >= high) & (law.gradient > 0))


def _free_gains(law: ResponseLaw) -> ResponseLaw:
    """Let the gains of groups differ as far as the responses suggest.

    Estimating means takes up some of the spread, which is given back as n / (n − 1) does.
    """
    variance = _gain_variance(law)
    if variance < 1e-8:
        return law
    categories, groups = law.tallies.categories, np.arange(len(law.tallies.numbers))
    webers = len(law.log_weber)
    is_same = categories[:, None] == categories
    penalty = np.zeros((webers + len(groups) + 1,) * 2)
    penalty[webers:-1, webers:-1] = (np.eye(len(groups)) - is_same / is_same.sum(axis=1)) / variance
    freed = _climb(replace(law, log_gain=law.log_gain[law.gain_of], gain_of=groups, penalty=penalty))
    gains = slice(webers, -1)
    own = freed.information[gains, gains]
    taken = np.diag(np.linalg.solve(own + penalty[gains, gains] + 1e-9 * np.eye(len(groups)), own))
    trials = np.bincount(categories, freed.tallies.counts.sum(axis=1))
    left = np.maximum(trials - np.bincount(categories, taken), 1)
    return replace(
        freed, log_weber=np.where(freed.is_noiseless, freed.log_weber, freed.log_weber + np.log(trials / left) / 2)
    )


def _gain_variance(law: ResponseLaw) -> float:
    """Estimate the variance of log gains within categories, from the step that each group's own score suggests."""
    categories = law.tallies.categories
    trials = law.tallies.counts.sum(axis=1)
    slopes = law.chances.slopes[1]
    own = np.maximum((slopes**2 * law.chances.shares).sum(axis=1) * trials, 1e-9)
    moved = (law.tallies.counts[:, 1:-1] * slopes).sum(axis=1) / own
    total = np.bincount(categories, own)
    off = moved - (np.bincount(categories, own * moved) / total)[categories]
    scale = float((total - np.bincount(categories, own**2) / total).sum())
    excess = float(own @ off**2) - (len(moved) - len(total))
    return max(0.0, excess / scale) if scale > 0 else 0.0


def _chances(tallies: Tallies, parameters: Floats) -> Chances:
    from scipy.special import expit, ndtr

    highest = tallies.highest
    log_weber, log_gain, lapse_logit = parameters[:, :, None]
    mean, lapse = np.exp(log_gain) * tallies.numbers[:, None], expit(lapse_logit)
    spread = np.exp(log_weber) * mean
    edges = np.arange(1, highest) + 0.5
    z = (edges - mean) / spread
    # Probabilities are computed from the nearer tail, where differences of small ones are exact.
    tail = ndtr(-np.abs(z))
    left, right = z[:, :-1], z[:, 1:]
    nearer, farther = tail[:, :-1], tail[:, 1:]
    mass = np.where(left > 0, nearer - farther, np.where(right > 0, 1 - nearer - farther, farther - nearer))
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    by_weber = -(1 - lapse) * np.diff(z * density, axis=1)
    by_gain = -(1 - lapse) * np.diff(edges / spread * density, axis=1)
    by_lapse = (1 / highest - mass) * lapse * (1 - lapse)
    likely = (1 - lapse) * mass + lapse / highest
    total = likely.sum(axis=1, keepdims=True)
    changes = np.stack([by_weber, by_gain, by_lapse])
    return Chances(likely / total, changes / likely - changes.sum(axis=2, keepdims=True) / total)
