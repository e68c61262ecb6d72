"""Annotators with habits of their own, who answer about images of prompts that are alike in some way."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from subitize.records import Estimate
from subitize.stats.agreement import LEVELS, fleiss_kappa, gwet_ac, krippendorff_alphas, pairwise_agreement
from subitize.stats.ratings import Ratings, count_ratings

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """So many images of each of so many prompts, each seen by some of a pool of people; 0: always by others.

    Habits are how far people lean towards an answer and take care, as a standard deviation of log odds.
    """

    kind: Literal["yes", "count"]
    prompts: int
    images: int
    raters: int
    pool: int = 0
    habits: float = 0.0

    def draw(self, random: np.random.Generator) -> Ratings:
        """Let everybody answer."""
        prompt = np.repeat(np.arange(self.prompts), self.images)
        shape = len(prompt), self.raters
        if self.pool:
            who = np.argsort(random.random((len(prompt), self.pool)), axis=1)[:, : self.raters]
        else:
            who = np.arange(len(prompt) * self.raters).reshape(shape)
        lean, care = (
            random.normal(0, self.habits, (2, self.pool or who.size)) if self.habits else np.zeros((2, who.size))
        )
        hard = random.normal(0, 1, self.prompts)[prompt]
        answer = self._answer_yes if self.kind == "yes" else self._count
        answers = answer(random, prompt, hard[:, None], lean[who], care[who])
        units = np.repeat(np.arange(len(prompt)), self.raters)
        domain = np.array([0.0, 1.0]) if self.kind == "yes" else None
        clusters = np.repeat(prompt, self.raters)
        return count_ratings(units, answers.ravel(), domain=domain, clusters=clusters, annotators=who.ravel())

    def _answer_yes(
        self, random: np.random.Generator, prompt: NDArray[np.int64], hard: Floats, lean: Floats, care: Floats
    ) -> Floats:
        is_so = random.random(len(prompt)) < expit(random.normal(0, 1.5, self.prompts)[prompt])
        odds = np.where(is_so, 1, -1)[:, None] * (1.5 + care - hard / 2) + lean
        return (random.random(lean.shape) < expit(odds)).astype(np.float64)

    def _count(
        self, random: np.random.Generator, prompt: NDArray[np.int64], hard: Floats, lean: Floats, care: Floats
    ) -> Floats:
        drawn = random.integers(1, 11, self.prompts)[prompt]
        is_off = random.random(len(prompt)) < expit(hard[:, 0] - 1)
        drawn = np.maximum(1, drawn + np.where(is_off, random.integers(-2, 3, len(prompt)), 0))
        is_wrong = random.random(care.shape) < expit(0.7 * hard - 2 - care)
        by = random.choice([-2, -1, 1, 2], care.shape, p=[0.1, 0.45, 0.35, 0.1])
        return np.maximum(1, drawn[:, None] + np.where(is_wrong, by, 0)).astype(np.float64)


def measure(ratings: Ratings) -> dict[str, Estimate]:
    """Estimate how far they agree in all ways that apply."""
    is_yes = len(ratings.values) == 2
    alphas = krippendorff_alphas(ratings, LEVELS[:1] if is_yes else LEVELS)
    kappa, ac1, pairs = fleiss_kappa(ratings), gwet_ac(ratings), pairwise_agreement(ratings)
    assert kappa is not None
    assert ac1 is not None
    assert pairs is not None
    found = {"κ": kappa.coefficient, "AC1": ac1.coefficient, "pairs": pairs}
    return {**found, **{f"α {level}": alpha for level, alpha in alphas.items()}}


def truth_of(study: Study, prompts: int) -> dict[str, float]:
    """Find out how far people agree on so many prompts, nearly without end, each of which others look at."""
    return _truth_of(replace(study, prompts=prompts, images=1, raters=2, pool=0))


@cache
def _truth_of(study: Study) -> dict[str, float]:
    return {name: one.value for name, one in measure(study.draw(np.random.default_rng(99))).items()}
