"""Simulated studies: how large a study must be, analysed by the very code that reports studies."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtr, ndtri

from subitize.records import Estimate
from subitize.stats.agreement import fleiss_kappa, krippendorff_alpha
from subitize.stats.compare import Difference, SharedClusters, compare_studies, rank_models
from subitize.stats.estimate import (
    MEAN,
    Floats,
    Integers,
    Units,
    error_scale,
    estimate,
    pass_at_k,
    share_levels,
    wilson_interval,
)
from subitize.stats.ratings import count_ratings

Columns = dict[str, Floats | NDArray[np.bool_]]
"""The results of each study, or of each pair of its models (columns), by name; `low` and `high` are the ends of its
interval at the level of the test."""
_Law = Callable[[Floats], Floats]

_AT_ONCE = 400_000  # prompts
_STEEPEST = 20.0  # strata are nearly all or nothing
_LITTLE = 1e-9


@dataclass(frozen=True, slots=True)
class Wanted:
    """The aims of a study: an interval of some confidence and width, a test of a difference from `against`."""

    confidence: float = 0.95
    alpha: float = 0.05
    power: float | None = None
    tests: int = 1
    precision: float | None = None
    against: float | None = None

    @property
    def level(self) -> float:
        """The level of each test: Bonferroni's."""
        return self.alpha / self.tests


@dataclass(frozen=True)
class _Prompts:
    """Prompts in strata, with the strata's shares of the prompts, and the number of images per prompt.

    `icc` is the correlation of two images of one prompt, `icc_within` that within its stratum.
    """

    prompts: int
    images: int
    strata: tuple[float, ...] = (1.0,)
    icc: float = 0.5
    icc_within: float = 0.5
    nouns: int = field(default=0, kw_only=True)
    noun_correlation: float = field(default=0.0, kw_only=True)
    """That of two prompts of one noun within a stratum: the part of what differs between prompts that nouns make up."""

    @cached_property
    def noun(self) -> Integers:
        """The noun of each prompt; strata have the same nouns, as far as they have prompts."""
        return np.concatenate([np.arange(size) for size in self.sizes]) % max(1, self.nouns)

    @property
    def units(self) -> Units | None:
        """The sampled units of prompts, if nouns are sampled, too."""
        return {"prompt": np.arange(self.prompts), "noun": self.noun.astype(str)} if self.nouns else None

    @cached_property
    def sizes(self) -> Integers:
        """The number of prompts in each stratum; strata that get none are left out."""
        ends = np.rint(np.cumsum(self.strata) / sum(self.strata) * self.prompts + _LITTLE)
        sizes = np.diff(ends, prepend=0).astype(np.int64)
        return np.asarray(sizes[sizes > 0])

    @property
    def stratum(self) -> Integers:
        """The stratum of each prompt."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def at_once(self) -> int:
        """How many studies are simulated at once."""
        return max(1, _AT_ONCE // self.prompts)

    def place_strata(self, mean: float, link: _Law, variance: _Law, seen: _Law = np.asarray) -> Floats:
        """Map normal scores of strata through a link, spaced so that strata account for their part of the variance.

        The overall mean, as transformed by `seen`, is `mean`. Strata that cannot differ so much differ as much as they
        can.
        """
        shares = self.sizes / self.prompts
        scores = np.asarray(ndtri(np.cumsum(shares) - shares / 2))

        def at(slope: float) -> Floats:
            middle = brentq(lambda at: float(shares @ seen(link(at + slope * scores))) - mean, -100, 100, xtol=1e-13)
            return np.asarray(link(middle + slope * scores))

        def excess(slope: float) -> float:
            means = at(slope)
            part = (self.icc - self.icc_within) / (1 - self.icc_within)
            return float(shares @ (means - shares @ means) ** 2 - part * variance(shares @ means))

        if self.icc <= self.icc_within or len(shares) == 1:
            return at(0.0)
        return at(brentq(excess, 0.0, _STEEPEST) if excess(_STEEPEST) > 0 else _STEEPEST)


@dataclass(frozen=True)
class Accuracy(_Prompts):
    """The share of right images, or pass@k with k = `at`; or those of several models on the same prompts.

    Each model's rate exceeds that of the previous one by `difference`. `correlation` is that of the prompts' chances
    between two models, within a stratum: a share of the prompts is equally hard for all models, as their chances are at
    the same quantile; chances of the others are independent.
    """

    rate: float = 0.5
    at: int = 1
    models: int = 1
    difference: float = 0.0
    correlation: float = 0.0
    estimand: ClassVar = "rate"
    limits: ClassVar = (0.0, 1.0)

    @property
    def at_once(self) -> int:
        """How many studies are simulated at once; fewer of comparisons, which need more memory."""
        return super().at_once if self.models == 1 else max(1, 200 // (self.models * (self.models - 1)))

    @cached_property
    def rates(self) -> Floats:
        """The rates of single images by model (row) and stratum; later strata have lower rates."""
        laws: tuple[_Law, ...] = (lambda at: ndtr(-at), lambda rate: rate * (1 - rate), self._succeed)
        each = [self.rate + place * self.difference for place in range(self.models)]
        return np.array([self.place_strata(one, *laws) for one in each])

    @property
    def attained_icc(self) -> float:
        """The icc that strata attain in all models."""
        means = np.average(self.rates, axis=1, weights=self.sizes)
        between = np.average((self.rates - means[:, None]) ** 2, axis=1, weights=self.sizes) / means / (1 - means)
        return float((between + self.icc_within * (1 - between)).min())

    def draw(self, random: np.random.Generator, studies: int) -> Integers:
        """Draw the number of right images of each prompt, by study and model."""
        rates = self.rates[:, self.stratum]
        shapes = _shape_beta(rates, self.icc_within)
        if self.nouns and self.noun_correlation:
            of_nouns = random.normal(size=(studies, len(rates), self.nouns))[..., self.noun]
            own = random.normal(size=(studies, *rates.shape))
            part = self.noun_correlation
            chances = betaincinv(*shapes, ndtr(math.sqrt(part) * of_nouns + math.sqrt(1 - part) * own))
        else:
            chances = random.beta(*shapes, (studies, *rates.shape))
        if self.correlation:
            study, prompt = np.nonzero(random.random((studies, self.prompts)) < self._shared)
            shapes, places = _shape_beta(rates[:, prompt].T, self.icc_within), random.random((len(study), 1))
            chances[study, :, prompt] = betaincinv(*shapes, places)
        return np.asarray(random.binomial(self.images, chances))

    def estimate(self, right: Integers, confidence: float) -> list[Estimate]:
        """Estimate the first model's figure as `score` does, in each study."""
        passes = np.array([pass_at_k(self.images, one, self.at) for one in range(self.images + 1)])
        observations = np.full(self.prompts, self.images / self.at)
        weights = observations if self.at == 1 else np.ones(self.prompts)
        own = passes[right[:, 0]]
        return estimate(own, self.units, self.stratum, weights, count=observations, confidence=confidence)

    def compare(self, right: Integers) -> list[list[Difference]]:
        """Compare models as `compare` does, in each study."""
        means, weights = right / self.images, np.full(self.prompts, float(self.images))
        shared = share_levels(self.units)
        return compare_studies(
            SharedClusters(means[0], weights, self.stratum, 1.0, are_shares=True, shared=shared), means
        )

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies."""
        right = self.draw(random, studies)
        if self.models == 1:
            return _read(partial(self.estimate, right), self.rate, wanted)
        compared = self.compare(right)
        steps = np.array([one.second - one.first for one in compared[0]])
        ends = np.array([_list_ends([one.estimate for one in own]) for own in compared])
        columns = _cover(ends, -self.difference * steps)
        if not self.difference:
            return columns
        is_found = np.array([[one.p_holm < wanted.level for one in own] for own in compared])
        columns["power"] = is_found[:, steps == 1]
        if self.models > 2:
            standings = map(rank_models, compared, right.mean(axis=2).tolist())
            columns["any difference found"] = np.asarray(is_found.any(axis=1))
            columns["all differences found"] = np.asarray(is_found.all(axis=1))
            columns["ranks a model may have"] = np.array(
                [np.mean([one.worst - one.best + 1 for one in own]) for own in standings]
            )
        return columns

    @cached_property
    def _shared(self) -> float:
        """The share of prompts that are equally hard for two adjacent models; 1 where even that is not enough."""
        rates, (nodes, weights) = self.rates[:2], np.polynomial.legendre.leggauss(200)
        both = betaincinv(*_shape_beta(rates, self.icc_within), (nodes[:, None, None] + 1) / 2).prod(axis=1)
        together = np.average(weights / 2 @ both - rates.prod(axis=0), weights=self.sizes)
        spreads = np.average(rates * (1 - rates), axis=1, weights=self.sizes)
        needed = self.correlation * self.icc_within * math.sqrt(spreads.prod())
        return min(1.0, float(needed / together)) if together > 0 else 0.0

    def _succeed(self, rates: Floats) -> Floats:
        """Compute the probability that at least one of `at` images of a prompt is right."""
        right, wrong = _shape_beta(rates, self.icc_within)
        return np.asarray(1 - np.prod([(wrong + one) / (right + wrong + one) for one in range(self.at)], axis=0))


@dataclass(frozen=True)
class ErrorStudy(_Prompts):
    """A mean error, such as NAE or MAE, and its standard deviation over images.

    The prompts' means and the images around them follow gamma laws, which spread in proportion to their means; the
    means of strata ascend.
    """

    mean: float = 1.0
    sd: float = 1.0
    at: ClassVar = 1
    estimand: ClassVar = "mean"
    limits: ClassVar = (0.0, math.inf)

    def draw(self, random: np.random.Generator, studies: int) -> Floats:
        """Draw the mean error of each prompt's images, by study."""
        means = self.place_strata(self.mean, np.exp, lambda _: np.array(self.sd**2))[self.stratum]
        relative = (self.sd**2 - float(means.var())) / float((means**2).mean())
        of_prompts = relative * self.icc_within
        of_images = relative * (1 - self.icc_within) / (1 + of_prompts) / self.images
        drawn = np.tile(means, (studies, 1))
        if self.nouns and (of_nouns := of_prompts * self.noun_correlation):
            drawn *= random.gamma(1 / of_nouns, of_nouns, (studies, self.nouns))[:, self.noun]
            of_prompts = (of_prompts - of_nouns) / (1 + of_nouns)
        for variance in (of_prompts, of_images):
            drawn *= random.gamma(1 / variance, variance, drawn.shape) if variance > 0 else 1.0
        return drawn

    def estimate(self, errors: Floats, confidence: float) -> list[Estimate]:
        """Estimate as `score` does, in each study."""
        images = np.full(self.prompts, float(self.images))
        scale = error_scale()
        units = self.units
        return estimate(errors, units, self.stratum, images, count=images, scale=scale, confidence=confidence)

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies."""
        return _read(partial(self.estimate, self.draw(random, studies)), self.mean, wanted)


@dataclass(frozen=True)
class AgreementStudy:
    """Agreement of `raters` out of `annotators` who answer yes or no about each image; a `share` say yes.

    `kappa` is the correlation of two people's answers about an image, `icc` that about two images of a prompt. A share
    `habit` of a person's answers are given without looking, and are then always yes or always no.
    """

    prompts: int
    images: int
    raters: int
    annotators: int
    kappa: float
    share: float
    icc: float = 0.0
    habit: float = 0.0
    at_once: ClassVar = 100
    estimand: ClassVar = "kappa"
    limits: ClassVar = (-1.0, 1.0)

    def draw(self, random: np.random.Generator, studies: int) -> tuple[NDArray[np.bool_], Integers]:
        """Draw answers and their annotators, by study, image and rater; images of a prompt are adjacent."""
        of_prompts, of_images = (one / (1 - self.habit) ** 2 for one in (self.icc, self.kappa))
        within = (of_images - of_prompts) / (1 - of_prompts) if of_prompts < 1 else 0.0
        means = random.beta(*_shape_beta(np.full((studies, self.prompts), self.share), of_prompts))
        chances = random.beta(*_shape_beta(np.repeat(means, self.images, axis=1), within))
        who = random.random((*chances.shape, self.annotators)).argsort(axis=2)[..., : self.raters]
        habits = random.random((studies, self.annotators)) < self.share
        seen = random.random(who.shape) < chances[..., None]
        is_habit = random.random(who.shape) < self.habit
        return np.where(is_habit, habits[np.arange(studies)[:, None, None], who], seen), who

    def estimate(self, answers: NDArray[np.bool_], who: Integers) -> tuple[Estimate, Estimate]:
        """Estimate κ and α of one study as `agree` does; without an interval, anything is possible."""
        units = np.repeat(np.arange(self.prompts * self.images), self.raters)
        said, domain = answers.ravel().astype(np.float64), np.array([0.0, 1.0])
        ratings = count_ratings(units, said, domain=domain, clusters=units // self.images, annotators=who.ravel())
        kappa, alpha = fleiss_kappa(ratings), krippendorff_alpha(ratings, "nominal")
        return kappa.coefficient if kappa else _NO_INTERVAL, alpha or _NO_INTERVAL

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies."""
        found = [self.estimate(*one) for one in zip(*self.draw(random, studies), strict=True)]
        kappas, alphas = zip(*found, strict=True)
        of_alpha = {f"{name} of α": column for name, column in _cover(_list_ends(alphas), self.kappa).items()}
        is_open = (_list_ends(kappas) == (-1, 1)).all(axis=1)
        return _read(lambda _: kappas, self.kappa, wanted) | of_alpha | {"anything possible": is_open}


Study = Accuracy | ErrorStudy | AgreementStudy
Track = Callable[[str, Sequence[int]], Iterable[int]]
"""Passes on the pieces of a named task, and may show progress."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """A study, its aims, the number of simulations, and their seed."""

    study: Study
    wanted: Wanted
    studies: int = 10_000
    seed: int = 0
    track: Track = lambda _, pieces: pieces

    def run(self, **changes: Any) -> Columns:  # noqa: ANN401
        """Simulate the study, with these changes, in pieces that fit into memory."""
        study = replace(self.study, **changes)
        random = np.random.default_rng(self.seed)
        sizes = [min(study.at_once, self.studies - begin) for begin in range(0, self.studies, study.at_once)]
        what = f"{self.studies} studies of {study.prompts} prompts × {study.images}"
        found = [study.simulate(random, size, self.wanted) for size in self.track(what, sizes)]
        return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


def summarize(column: Floats | NDArray[np.bool_]) -> Estimate:
    """Average results over studies (in each over pairs), with the interval of the simulation's own error."""
    if column.dtype == np.bool_ and column.size == len(column):
        return wilson_interval(int(column.sum()), len(column))
    return estimate(column.reshape(len(column), -1).mean(axis=1), scale=MEAN)[0]


_NO_INTERVAL = Estimate(math.nan, -1.0, 1.0, 0, "no interval: all answers are the same")


def _read(estimate: Callable[[float], Sequence[Estimate]], truth: float, wanted: Wanted) -> Columns:
    """Compute the width of intervals, whether they contain the truth, and their power."""
    ends = _list_ends(estimate(wanted.confidence))
    columns = _cover(ends, truth)
    is_same = math.isclose(wanted.confidence, 1 - wanted.level)
    low, high = (ends if is_same else _list_ends(estimate(1 - wanted.level))).T
    if wanted.against is not None:
        columns["power"] = (low > wanted.against) | (high < wanted.against)
    return columns | {"low": low, "high": high}


def _cover(ends: Floats, truth: float | Floats) -> Columns:
    """Compute the width of intervals, and whether they contain the truth."""
    low, high = ends[..., 0], ends[..., 1]
    return {"half-width": (high - low) / 2, "coverage": (low <= truth) & (truth <= high)}


def _list_ends(found: Sequence[Estimate]) -> Floats:
    """List the ends of intervals (rows), the low one first."""
    return np.array([(one.low, one.high) for one in found])


def _shape_beta(means: Floats, icc: float) -> tuple[Floats, Floats]:
    """Compute the parameters of beta laws of chances from means and the correlation of two outcomes of one chance."""
    inner, rest = np.clip(means, 1e-12, 1 - 1e-12), min(max(icc, _LITTLE), 1 - _LITTLE)
    return inner * (1 - rest) / rest, (1 - inner) * (1 - rest) / rest
