"""Responses of observers whose law is known, by prompt: for tests of what is fitted to them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from subitize.stats.response_law import Tallies

NUMBERS = tuple(range(1, 11))


@dataclass(frozen=True)
class Observer:
    """One whose responses are normal, cut off at 1 and the highest, and rounded, or else lapses.

    Categories have Weber fractions of their own where `category_sd` is above 0, prompts a bias where `prompt_sd` is;
    both are standard deviations of logs. With `sd` the spread is the same for all numbers.
    """

    weber: float = 0.15
    gain: float = 1.0
    lapse: float = 0.0
    category_sd: float = 0.0
    prompt_sd: float = 0.0
    sd: float | None = None

    def respond(self, seed: int, *, categories: int = 5, trials: int = 50, numbers: Sequence[int] = NUMBERS) -> Tallies:
        """Draw so many responses to each number of each category."""
        random = np.random.default_rng(seed)
        laws = []
        for weber in self.weber * np.exp(self.category_sd * random.normal(size=categories)):
            for mean in self.gain * np.array(numbers) * np.exp(self.prompt_sd * random.normal(size=len(numbers))):
                laws.append(self._law(mean, self.sd or weber * mean))
        counts = random.multinomial(trials, np.stack(laws))
        return arrange(counts, numbers, categories)

    def _law(self, mean: float, sd: float, highest: int = 20) -> NDArray[np.float64]:
        edges = np.clip(np.arange(highest + 1) + 0.5, 1, highest)
        mass = np.diff(ndtr((edges - mean) / sd))
        return np.asarray((1 - self.lapse) * mass / mass.sum() + self.lapse / highest)


def arrange(counts: NDArray[np.int64], numbers: Sequence[int], categories: int = 1) -> Tallies:
    """Make tallies of counts with a row per category and number, each a prompt."""
    codes = np.repeat(np.arange(categories), len(numbers))
    return Tallies(np.asarray(counts, dtype=np.int64), np.tile(numbers, categories), codes, np.arange(len(counts)))


def repeat(rule: NDArray[np.int64], *, categories: int = 5, trials: int = 50) -> Tallies:
    """Respond to 1..10 always alike."""
    return arrange(np.tile(np.eye(20, dtype=np.int64)[rule - 1] * trials, (categories, 1)), NUMBERS, categories)


def list_responses(tallies: Tallies) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give the responses one by one, and the row of the tallies that each is from."""
    places = np.repeat(np.arange(tallies.counts.size), tallies.counts.ravel())
    return (places % tallies.highest + 1).astype(np.float64), places // tallies.highest
