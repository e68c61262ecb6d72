"""The measures of models that name or draw numbers: Testolin, Hou and Zorzi (2025) and beyond.

Each is a method of `CountingReport`, marked by `@measure`; a new one needs no other change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.design import estimate_by, levels_of, units_of
from subitize.analysis.score import MEASURES
from subitize.records import Estimate, Stimulus
from subitize.stats import confusion
from subitize.stats.answers import (
    Anchoring,
    Direction,
    KnowerLevel,
    find_anchors,
    knower_level,
    signed_rank_test,
)
from subitize.stats.cues import Cues
from subitize.stats.response_law import ResponseLawFit, Tallies, Trials, Unfitted, fit_law, tally
from subitize.stats.weber import NoWeber, ScalarVariability, Weber, describe_weber, scalar_variability

ALL = "all"

SUBITIZING = 4  # numbers up to here are seen exactly, so the Weber fraction is that of the numbers above

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WordingScore:
    """The results of one wording of the question; the one with the smallest mean absolute error is kept.

    `n` is the number of answers with a count. Figures that cannot be estimated are None, here and below.
    """

    wording: str
    accuracy: Estimate | None
    mae: Estimate | None
    nae: Estimate | None
    n: int


@dataclass(frozen=True, slots=True)
class Abstraction:
    """The smallest correlation between the confusion matrices of two categories, and which two."""

    estimate: Estimate
    pair: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bias:
    """Whether responses lie systematically above or below the target, in one category or in all.

    `over` or `under` as in the paper: if `p_by_trial`, of independent trials, is below .05 and the effect size
    r = |z| / √n is at least .3, where n includes exact answers. `p` and the interval of r are over prompts or pictures.
    """

    category: str
    direction: Direction
    r: Estimate
    z: float
    p: float
    n: int
    p_by_trial: float


class CountMeasure(cached_property[T]):
    """A figure of a counting report, and its heading at a terminal, if it has a column."""

    def __init__(self, compute: Callable[[Any], T], heading: str = "") -> None:
        super().__init__(compute)
        self.heading = heading


def measure(heading: str = "") -> Callable[[Callable[[Any], T]], CountMeasure[T]]:
    """Mark a method as a measure; measures are laid out in the order of their definition."""
    return lambda compute: CountMeasure(compute, heading)


@dataclass(frozen=True, eq=False)
class CountingReport:
    """The answers of one model, as read by one judge, to one suite of counts in one run, and all measures of them.

    `wording` is the wording kept (None if the suite has none), on which alone every measure is based; `wordings` has
    all of them. `control` is the share of answers to "What does the image represent?" that name apples or fruit.
    `rows` has the answers kept, `left_out` counts observations of that wording whose items were excluded, and
    `pictures` has the pictures of items by id. Cues are found over several runs together.
    """

    run: str
    suite: str
    model: str
    judge: str
    wording: str | None
    wordings: tuple[WordingScore, ...]
    control: Estimate | None
    rows: pl.DataFrame
    left_out: int = 0
    pictures: Mapping[str, Stimulus] = field(default_factory=dict)
    pooled_cues: Cues | None = None

    def row(self) -> dict[str, object]:
        """Lay out the head and every measure by name."""
        names = [one.name for one in fields(self) if one.name not in _ANSWERS]
        return {name: getattr(self, name) for name in (*names, *measures())}

    accuracy = CountMeasure["Estimate | None"](lambda self: MEASURES["accuracy"].of(self.rows), "accuracy")
    accuracy_read = CountMeasure["Estimate | None"](lambda self: MEASURES["accuracy_read"].of(self.rows))
    accuracy_answered = CountMeasure["Estimate | None"](lambda self: MEASURES["accuracy_answered"].of(self.rows))
    mae = CountMeasure["Estimate | None"](lambda self: MEASURES["mae"].of(self.rows))
    nae = CountMeasure["Estimate | None"](lambda self: MEASURES["nae"].of(self.rows), "nae")
    nae_all = CountMeasure["Estimate | None"](lambda self: MEASURES["nae_all"].of(self.rows))
    coverage = CountMeasure["Estimate | None"](lambda self: MEASURES["coverage"].of(self.rows), "coverage")
    eligible = CountMeasure[int](lambda self: self.counted.height)
    discarded = CountMeasure[int](lambda self: self._count("discarded"))
    refused = CountMeasure[int](lambda self: self._count("refused"))
    unknown = CountMeasure[int](lambda self: self._count("unknown"))

    @measure()
    def zeros(self) -> int:
        """The number of responses of 0: drawings of nothing are discarded, answers of 0 are wrong and in no matrix."""
        return int((self.rows["response"].round() == 0).sum())

    excluded = CountMeasure[int](lambda self: self.left_out)

    @measure()
    def smallest_cell(self) -> int:
        """The fewest answers with a count to a number in a category; the paper requires 20."""
        return min(int((shown == one).sum()) for _, shown in self._by_category for one in self.numbers)

    @measure("level answered")
    def knower(self) -> KnowerLevel | None:
        """The knower level as in the paper: of answers with a count, with equal weight for categories."""
        return knower_level(self.replies) if self.eligible else None

    @measure("level")
    def knower_all(self) -> KnowerLevel | None:
        """The knower level where answers without a count are misses."""
        return self.knower if self.has_every_count else knower_level(self._all_replies)

    @measure("human answered")
    def human_correlation(self) -> Estimate | None:
        """Correlation with the exact matrix of the ideal human, as in the paper: of answers with a count.

        Every category weighs the same.
        """
        return confusion.correlate_with_law(self.replies, self.numbers, self._human)

    @measure("human")
    def human_correlation_all(self) -> Estimate | None:
        """The same correlation where no count, or a count of 0, is a response of its own, which people never give."""
        if not self.eligible or (self.has_every_count and not self.zeros):
            return self.human_correlation
        return confusion.correlate_with_law(self._all_replies, self.numbers, self._human, with_no_count=True)

    @measure()
    def human_distance(self) -> Estimate | None:
        """Distance from the matrix of the ideal human: 0 means equal, 1 nothing in common."""
        return confusion.distance(self._counts, self._human, self._design_effect)

    @measure("from chance")
    def random_distance(self) -> Estimate | None:
        """Distance from the matrix of random answers, which correlates with nothing, as all its shares are equal."""
        return confusion.distance(
            self._counts, confusion.random_matrix(self.numbers, self.responses[-1]), self._design_effect
        )

    @measure("abstraction")
    def abstraction(self) -> Abstraction | None:
        """The correlation of the two least similar categories."""
        found = confusion.least_alike(self._counts, self._design_effect)
        if found is None:
            return None
        estimate, (one, other) = found
        return Abstraction(estimate, (self.categories[one], self.categories[other]))

    @measure("bias")
    def biases(self) -> tuple[Bias, ...]:
        """Over- and underestimation, in ALL and by category."""
        counted = self.counted.with_columns(error=pl.col("response") - pl.col("number"))
        found = []
        for category in (ALL, *self.categories):
            part = counted if category == ALL else counted.filter(pl.col("category") == category)
            one = signed_rank_test(part["error"].to_numpy(), part["stratum"].to_numpy(), units_of(part))
            if one is not None:
                found.append(Bias(category, one.direction, one.r, one.z, one.p, one.n, one.p_by_trial))
        return tuple(found)

    @measure("slope")
    def scalar(self) -> ScalarVariability | None:
        """Whether spread grows with the mean: the slope of pooled trials against 1, and against the fitted law."""
        return scalar_variability(*self._answers, self._law)

    @measure("weber")
    def weber(self) -> Weber | NoWeber | None:
        """The Weber fraction of the numbers beyond subitizing; every category weighs the same."""
        is_exact = (pl.col("response") == pl.col("number")).cast(pl.Float64)
        shares = estimate_by(self.counted.filter(pl.col("response").round() > 0), is_exact, "number")
        exact = {number: share for (number,), share in shares.items()}
        return describe_weber(self._tallies, self._law, subitizing=self._subitizing, exact=exact)

    cues = CountMeasure["Cues | None"](lambda self: self.pooled_cues, "follows")

    @measure("anchors")
    def anchoring(self) -> Anchoring | None:
        """The answers that the model returns to whatever is shown."""
        return find_anchors(self.replies)

    @measure()
    def categories(self) -> tuple[str, ...]:
        """The categories that were counted."""
        return tuple(self.rows["category"].unique(maintain_order=True).to_list())

    @measure()
    def numbers(self) -> tuple[int, ...]:
        """The targets, which are the columns of a matrix."""
        return tuple(self.rows["number"].unique().sort().to_list())

    @measure()
    def responses(self) -> tuple[int, ...]:
        """The responses, which are the rows of a matrix."""
        return tuple(range(1, confusion.highest_response(self.numbers) + 1))

    @measure()
    def matrices(self) -> Mapping[str, NDArray[np.int64]]:
        """Counts by response and target, for ALL (trials pooled) and by category."""
        return {ALL: self._counts.sum(axis=0), **dict(zip(self.categories, self._counts, strict=True))}

    @cached_property
    def judged(self) -> pl.DataFrame:
        """The answers that the judge looked at."""
        return self.rows.filter(pl.col("status") != "unknown")

    @cached_property
    def counted(self) -> pl.DataFrame:
        """The answers that have a count."""
        return self.rows.filter(_IS_COUNTED)

    @cached_property
    def has_every_count(self) -> bool:
        """Whether all answers have a count, so that measures with and without the others coincide."""
        return self.counted.height == self.judged.height

    @cached_property
    def replies(self) -> confusion.Answers:
        """The answers that have a count, with their clusters and strata."""
        return _make_replies(self.counted)

    @cached_property
    def _all_replies(self) -> confusion.Answers:
        return _make_replies(self.judged)

    @cached_property
    def _human(self) -> NDArray[np.float64]:
        return confusion.human_matrix(self.numbers, self.responses[-1])

    @cached_property
    def _answers(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return _responses_and_targets(self.counted)

    @cached_property
    def _by_category(self) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        return [_responses_and_targets(self.counted.filter(pl.col("category") == one)) for one in self.categories]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """How often each number was answered: by category, response and target."""
        highest = self.responses[-1]
        return np.stack([confusion.confusion_matrix(*part, self.numbers, highest) for part in self._by_category])

    @cached_property
    def _design_effect(self) -> float:
        """The variance of the matrix relative to that of independent answers."""
        return confusion.design_effect(self.replies, self.numbers, self.responses[-1])

    @cached_property
    def _tallies(self) -> Tallies:
        """How often each number was answered, by prompt or picture; pictures of a number and category share a gain."""
        codes = self.counted.select(pl.col("category", "cluster").rank("dense").cast(pl.Int64))
        is_drawn = bool((self.rows["task"] == "draw").all())
        category, cluster = (codes[name].to_numpy() for name in ("category", "cluster"))
        found = Trials(confusion.round_responses(*self._answers), self._answers[1], category, cluster)
        return tally(found, self.responses[-1], has_gain_by_cluster=is_drawn)

    @cached_property
    def _subitizing(self) -> int:
        """The number up to which the law takes answers to be exact, if larger ones are shown."""
        return SUBITIZING if max(self.numbers) > SUBITIZING else 0

    @cached_property
    def _law(self) -> ResponseLawFit | Unfitted:
        """The law behind responses to numbers beyond subitizing."""
        return fit_law(self._tallies.select(self._tallies.numbers > self._subitizing))

    def _count(self, status: str) -> int:
        return int((self.rows["status"] == status).sum())


_ANSWERS = ("rows", "left_out", "pictures", "pooled_cues")
_IS_COUNTED = pl.col("status") == "eligible"


def measures() -> dict[str, CountMeasure[object]]:
    """List the measures by name."""
    return {name: line for name, line in vars(CountingReport).items() if isinstance(line, CountMeasure)}


def _make_replies(rows: pl.DataFrame) -> confusion.Answers:
    counts = rows.select(pl.when(_IS_COUNTED).then("response").otherwise(None).fill_null(np.nan))
    category = rows["category"].rank("dense").cast(pl.Int64) - 1
    places = (rows["number"], category, rows["cluster"], rows["stratum"])
    levels = {name: np.asarray(own) for name, own in levels_of(rows).items()}
    return confusion.make_answers(
        counts.to_series().to_numpy(), *(values.to_numpy() for values in places), levels=levels
    )


def _responses_and_targets(counted: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return counted["response"].to_numpy(), counted["number"].to_numpy()
