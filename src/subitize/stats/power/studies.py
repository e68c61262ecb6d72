"""The studies that can be planned: what they draw, and what the estimators that report them make of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.comparisons import Difference, SharedClusters, compare_studies, rank_models
from subitize.stats.estimator import Clusters, Floats, Integers, estimate_errors, estimate_shares
from subitize.stats.kappas import fleiss_kappa
from subitize.stats.krippendorff import krippendorff_alpha
from subitize.stats.passes import pass_at_k
from subitize.stats.power.chances import find_chances, most_covariance, place_strata, size_strata, success_rate
from subitize.stats.ratings import tally

Columns = dict[str, NDArray[np.float64] | NDArray[np.bool_]]
"""What each simulated study shows, by name; `low` and `high` are the ends of its interval at the level of the test."""

_AT_ONCE = 400_000  # prompts


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a study: an interval of some confidence and width, a test that it differs from `against`."""

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
    """Prompts in strata, with their shares of the prompts, and so many images of each.

    `icc` is the correlation of two images of one prompt, `icc_within` that within its stratum.
    """

    prompts: int
    images: int
    strata: tuple[float, ...] = (1.0,)
    icc: float = 0.5
    icc_within: float = 0.5

    @cached_property
    def sizes(self) -> Integers:
        """The number of prompts in each stratum."""
        return size_strata(self.strata, self.prompts)

    @property
    def at_once(self) -> int:
        """How many studies are simulated at once."""
        return max(1, _AT_ONCE // self.prompts)

    def gather(self, means: Floats, weight: float, observations: float) -> Clusters:
        """Make each study (row of prompts' means) a group of clusters."""
        strata = np.tile(np.repeat(np.arange(len(self.sizes)), self.sizes), len(means))
        groups = np.repeat(np.arange(len(means)), self.prompts)
        return Clusters(
            means.ravel(), np.full(means.size, float(weight)), np.full(means.size, float(observations)), groups, strata
        )


@dataclass(frozen=True)
class Accuracy(_Prompts):
    """The share of right images, or with `at` k pass@k; or those of several models on the same prompts.

    Each model's rate is by `difference` above that of the one before. `correlation` is that of the prompts' chances in
    two models, within a stratum: a share of the prompts is equally hard for all models, in that their chances stand at
    the same quantile, and in the others they are independent.
    """

    rate: float = 0.5
    at: int = 1
    models: int = 1
    difference: float = 0.0
    correlation: float = 0.0
    limits: ClassVar = (0.0, 1.0)

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.rate

    @property
    def command(self) -> str:
        """What reports it."""
        return "score" if self.models == 1 else "compare --models"

    @property
    def at_once(self) -> int:
        """How many studies are simulated at once; of comparisons, which need more room, a hundred in all."""
        return super().at_once if self.models == 1 else max(1, 200 // (self.models * (self.models - 1)))

    @cached_property
    def rates(self) -> Floats:
        """The rates of single images by model (row) and stratum: the later the stratum, the lower."""
        return np.array([self._place(self.rate + place * self.difference) for place in range(self.models)])

    @property
    def attained_icc(self) -> float:
        """As much of the icc as strata can have in all models."""
        means = np.average(self.rates, axis=1, weights=self.sizes)
        between = np.average((self.rates - means[:, None]) ** 2, axis=1, weights=self.sizes) / means / (1 - means)
        return float((between + self.icc_within * (1 - between)).min())

    def draw(self, random: np.random.Generator, studies: int) -> Integers:
        """Draw how many images of each prompt are right, by study and model."""
        places = random.random((studies, self.models, self.prompts))
        if self.correlation:
            is_shared = random.random((studies, 1, self.prompts)) < self._shared
            places = np.where(is_shared, places[:, :1], places)
        for model, rates in enumerate(self.rates):
            places[:, model] = find_chances(places[:, model], self.sizes, rates, self.icc_within)
        return np.asarray(random.binomial(self.images, places))

    def estimate(self, right: Integers, confidence: float) -> list[Estimate]:
        """Estimate the first model's figure as `score` does, in each study."""
        passes = np.array([pass_at_k(self.images, one, self.at) for one in range(self.images + 1)])
        weight = self.images if self.at == 1 else 1
        return estimate_shares(self.gather(passes[right[:, 0]], weight, self.images / self.at), confidence=confidence)

    def compare(self, right: Integers) -> list[list[Difference]]:
        """Compare models as `compare --models` does, in each study."""
        means, weights = right / self.images, np.full(self.prompts, float(self.images))
        strata = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return compare_studies(SharedClusters(means[0], weights, strata, 1.0, are_shares=True), means)

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies."""
        right = self.draw(random, studies)
        if self.models == 1:
            return _read(lambda confidence: self.estimate(right, confidence), self.rate, wanted)
        compared = self.compare(right)
        found = self._read(compared, wanted.level)
        if self.models == 2 or not self.difference:
            return found
        means = right.mean(axis=2).tolist()
        standings = (rank_models(own, of_study) for own, of_study in zip(compared, means, strict=True))
        ranks = np.array([np.mean([one.worst - one.best + 1 for one in own]) for own in standings])
        return found | {"ranks a model may have": ranks}

    def _read(self, compared: Sequence[Sequence[Difference]], level: float) -> Columns:
        """Tell how wide the intervals of pairs are, whether they hold the truth, and which differences are found."""
        steps = np.array([one.second - one.first for one in compared[0]])
        ends = np.array([[(one.estimate.low, one.estimate.high) for one in own] for own in compared])
        low, high, truth = ends[..., 0], ends[..., 1], -self.difference * steps
        columns: Columns = {
            "half-width": ((high - low) / 2).mean(axis=1),
            "coverage": ((low <= truth) & (truth <= high)).mean(axis=1),
        }
        is_found = np.array([[one.p_holm < level for one in own] for own in compared])
        if self.difference:
            columns["power"] = is_found[:, 0] if self.models == 2 else is_found[:, steps == 1].mean(axis=1)
        if self.difference and self.models > 2:
            columns["any difference found"] = np.asarray(is_found.any(axis=1))
            columns["all differences found"] = np.asarray(is_found.all(axis=1))
        return columns

    @cached_property
    def _shared(self) -> float:
        """The share of prompts that are equally hard for two neighbours; 1 where that is not enough."""
        first, second = self.rates[:2]
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        together = np.average([most_covariance(*pair, self.icc_within) for pair in pairs], weights=self.sizes)
        spreads = [np.average(rates * (1 - rates), weights=self.sizes) for rates in (first, second)]
        needed = self.correlation * self.icc_within * math.sqrt(spreads[0] * spreads[1])
        return min(1.0, float(needed / together)) if together > 0 else 0.0

    def _place(self, rate: float) -> Floats:
        """Place the rates of strata; with `at` k, those of images of which k have this success."""
        from scipy.optimize import brentq
        from scipy.special import expit, ndtr

        def place(rate: float) -> Floats:
            spread = rate * (1 - rate)
            return place_strata(self.sizes, rate, self.icc, self.icc_within, spread, lambda at: ndtr(-at))

        def excess(logit: float) -> float:
            of_strata = success_rate(place(float(expit(logit))), self.icc_within, self.at)
            return float(np.average(of_strata, weights=self.sizes)) - rate

        return place(rate if self.at == 1 else float(expit(brentq(excess, -30, 30))))


@dataclass(frozen=True)
class Errors(_Prompts):
    """A mean error, as NAE or MAE, and its standard deviation over images.

    Gamma laws of the prompts' means, and of images around them; both spread in proportion to their means, and those of
    strata ascend.
    """

    mean: float = 1.0
    sd: float = 1.0
    limits: ClassVar = (0.0, math.inf)
    command: ClassVar = "score"

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.mean

    def draw(self, random: np.random.Generator, studies: int) -> Floats:
        """Draw the mean error of each prompt's images, by study."""
        of_strata = place_strata(self.sizes, self.mean, self.icc, self.icc_within, self.sd**2, np.exp)
        means = np.repeat(of_strata, self.sizes)
        relative = (self.sd**2 - float(means.var())) / float((means**2).mean())
        of_prompts = relative * self.icc_within
        of_images = relative * (1 - self.icc_within) / (1 + of_prompts) / self.images
        drawn = np.tile(means, (studies, 1))
        for variance in (of_prompts, of_images):
            drawn *= random.gamma(1 / variance, variance, drawn.shape) if variance > 0 else 1.0
        return drawn

    def estimate(self, errors: Floats, confidence: float) -> list[Estimate]:
        """Estimate as `score` does, in each study."""
        clusters = self.gather(errors, self.images, self.images)
        return estimate_errors(clusters, np.ones(len(errors)), confidence=confidence)

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies."""
        errors = self.draw(random, studies)
        return _read(lambda confidence: self.estimate(errors, confidence), self.mean, wanted)


@dataclass(frozen=True)
class Agreement:
    """Agreement of `raters` out of so many `annotators` who say yes or no of each image; a `share` say yes.

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
    limits: ClassVar = (-1.0, 1.0)
    command: ClassVar = "agree"

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.kappa

    def draw(self, random: np.random.Generator, studies: int) -> tuple[NDArray[np.bool_], Integers]:
        """Draw answers, and who gives them, by study, image and rater; images of a prompt stand side by side."""
        of_prompts, of_images = (one / (1 - self.habit) ** 2 for one in (self.icc, self.kappa))
        within = (of_images - of_prompts) / (1 - of_prompts) if of_prompts < 1 else 0.0
        means = _draw_beta(random, np.full((studies, self.prompts), self.share), of_prompts)
        chances = _draw_beta(random, np.repeat(means, self.images, axis=1), within)
        who = random.random((*chances.shape, self.annotators)).argsort(axis=2)[..., : self.raters]
        habits = random.random((studies, self.annotators)) < self.share
        seen = random.random(who.shape) < chances[..., None]
        is_habit = random.random(who.shape) < self.habit
        return np.where(is_habit, habits[np.arange(studies)[:, None, None], who], seen), who

    def estimate(self, answers: NDArray[np.bool_], who: Integers) -> tuple[Estimate | None, Estimate | None]:
        """Estimate κ and α of one study as `agree` does."""
        units = np.repeat(np.arange(self.prompts * self.images), self.raters)
        said, domain = answers.ravel().astype(np.float64), np.array([0.0, 1.0])
        ratings = tally(units, said, domain=domain, clusters=units // self.images, annotators=who.ravel())
        kappa = fleiss_kappa(ratings)
        return (None if kappa is None else kappa.coefficient), krippendorff_alpha(ratings, "nominal")

    def simulate(self, random: np.random.Generator, studies: int, wanted: Wanted) -> Columns:
        """Simulate studies; one without an interval leaves everything from −1 to 1."""
        found = [self.estimate(*one) for one in zip(*self.draw(random, studies), strict=True)]
        of_kappa, of_alpha = ([one or _NO_INTERVAL for one in of] for of in zip(*found, strict=True))
        kappa, alpha = (_read(lambda _, of=of: of, self.kappa, wanted) for of in (of_kappa, of_alpha))  # type: ignore[misc]
        return kappa | {
            "half-width of α": alpha["half-width"],
            "coverage of α": alpha["coverage"],
            "anything possible": (kappa["low"] == -1) & (kappa["high"] == 1),
        }


Study = Accuracy | Errors | Agreement
_NO_INTERVAL = Estimate(math.nan, -1.0, 1.0, 0, "no interval: all answers are the same")


def _read(estimate: Callable[[float], Sequence[Estimate]], truth: float, wanted: Wanted) -> Columns:
    """Tell how wide intervals are, whether they hold the truth, and what they leave out."""
    low, high = _list_ends(estimate(wanted.confidence))
    columns: Columns = {"half-width": (high - low) / 2, "coverage": (low <= truth) & (truth <= high)}
    if not math.isclose(wanted.confidence, 1 - wanted.level):
        low, high = _list_ends(estimate(1 - wanted.level))
    if wanted.against is not None:
        columns["power"] = (low > wanted.against) | (high < wanted.against)
    return columns | {"low": low, "high": high}


def _list_ends(found: Sequence[Estimate]) -> tuple[Floats, Floats]:
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def _draw_beta(random: np.random.Generator, means: Floats, icc: float) -> Floats:
    """Draw chances around means."""
    if icc <= 0:
        return means
    if icc >= 1:
        return np.asarray(random.random(means.shape) < means, dtype=np.float64)
    odds, inner = (1 - icc) / icc, np.clip(means, 1e-12, 1 - 1e-12)
    return np.asarray(random.beta(inner * odds, (1 - inner) * odds))
