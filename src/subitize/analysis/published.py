"""Published figures of models that name or draw numbers, to stand beside measured ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from subitize.stats.signed_ranks import Direction


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a leaderboard. The size is in billions of parameters, with the paper's own doubts."""

    suite: str
    model: str
    accuracy: float
    nae: float
    level: int
    human_correlation: float
    size_billion: str


@dataclass(frozen=True, slots=True)
class PublishedBias:
    """Whether a model errs one way in a category; r is printed only where there is a bias."""

    suite: str
    model: str
    category: str
    direction: Direction
    r: float | None


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """All that is printed of the models of one suite, and the design that it rests on; categories go by our names."""

    source: str
    rows: Sequence[PublishedRow]
    biases: Sequence[PublishedBias]
    abstractions: Mapping[str, float]
    """The smallest correlation between the confusion matrices of two categories, by model."""
    numbers: Sequence[int]
    categories: Sequence[str]
