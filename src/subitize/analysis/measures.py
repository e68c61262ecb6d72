"""The measures of models that name or draw numbers: Testolin, Hou and Zorzi (2025) and beyond.

Each is a function of the answers kept, and a line of the table Enumeration; nothing else must be changed for a new one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.records import Estimate, Stimulus
from subitize.stats.anchoring import Anchoring, find_anchors
from subitize.stats.confusion import (
    confusion_matrix,
    distance,
    highest_response,
    human_matrix,
    least_alike,
    random_matrix,
    round_responses,
)
from subitize.stats.cues import Cues
from subitize.stats.estimator import estimate_errors, estimate_share, gather_clusters
from subitize.stats.knower_levels import KnowerLevel, knower_level
from subitize.stats.likeness import correlate, design_effect
from subitize.stats.replies import Replies, make_replies
from subitize.stats.response_law import Fit, Tallies, Trials, Unfitted, fit_law, tally
from subitize.stats.scalar_variability import ScalarVariability, scalar_variability
from subitize.stats.signed_ranks import Direction, signed_rank_test
from subitize.stats.weber import NoWeber, Weber, describe_weber

ALL = "all"

SUBITIZING = 4  # numbers up to here are seen exactly, so the Weber fraction is that of the numbers above

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WordingScore:
    """How one wording of the question fares; the one with the smallest mean absolute error is kept.

    `n` is the number of answers with a count. A figure that nothing can be said about is None, here and below.
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

    `over` or `under` where p < .05 and the effect size r = |z| / √n is at least .3, n counting exact answers too.
    """

    category: str
    direction: Direction
    r: Estimate
    z: float
    p: float
    n: int


@dataclass(frozen=True, eq=False)
class Kept:
    """What one model's measures rest on: the answers to the wording kept, a row each, and what several of them need.

    `excluded` are observations of that wording whose items were excluded, `pictures` are what items showed, by id.
    Cues are found over several runs together.
    """

    rows: pl.DataFrame
    excluded: int = 0
    pictures: Mapping[str, Stimulus] = field(default_factory=dict)
    cues: Cues | None = None

    @cached_property
    def judged(self) -> pl.DataFrame:
        """The answers without those that a judge would not look at."""
        return self.rows.filter(pl.col("status") != "unknown")

    @cached_property
    def counted(self) -> pl.DataFrame:
        """The answers that have a count."""
        return self.rows.filter(pl.col("status") == "eligible")

    @cached_property
    def answers(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Responses and targets of the answers that have a count."""
        return _responses_and_targets(self.counted)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The targets, which are the columns of a matrix."""
        return tuple(self.rows["number"].unique().sort().to_list())

    @cached_property
    def responses(self) -> tuple[int, ...]:
        """The responses, which are the rows of a matrix."""
        return tuple(range(1, highest_response(self.numbers) + 1))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """What was counted."""
        return tuple(self.rows["category"].unique(maintain_order=True).to_list())

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each number was answered: by category, response and target."""
        highest = self.responses[-1]
        return np.stack([confusion_matrix(*part, self.numbers, highest) for part in self._by_category])

    @cached_property
    def trials(self) -> NDArray[np.int64]:
        """How many answers have a count: by category and target."""
        return np.array([[int((shown == one).sum()) for one in self.numbers] for _, shown in self._by_category])

    @cached_property
    def replies(self) -> Replies:
        """The answers that have a count, with what the design says of them."""
        return _make_replies(self.counted)

    @cached_property
    def design_effect(self) -> float:
        """How many times larger the variance of the matrix is than if all answers were independent."""
        return design_effect(self.replies, self.numbers, self.responses[-1])

    @cached_property
    def all_replies(self) -> Replies:
        """The same with those that have no count."""
        return _make_replies(self.judged)

    @cached_property
    def has_every_count(self) -> bool:
        """Whether all answers have a count, so that what counts them all is what counts those."""
        return self.counted.height == self.judged.height

    @cached_property
    def knower(self) -> KnowerLevel | None:
        """The counting level of the answers that have a count."""
        return knower_level(self.replies) if self.counted.height else None

    @cached_property
    def human_correlation(self) -> Estimate | None:
        """The correlation of the answers that have a count with the ideal human's."""
        return correlate(self.replies, self.numbers, human_matrix(self.numbers, self.responses[-1]))

    @cached_property
    def tallies(self) -> Tallies:
        """How often each number was answered, by prompt or picture; pictures of a number and category share a gain."""
        codes = self.counted.select(pl.col("category", "cluster").rank("dense").cast(pl.Int64))
        is_drawn = bool((self.rows["task"] == "draw").all())
        category, cluster = (codes[name].to_numpy() for name in ("category", "cluster"))
        found = Trials(round_responses(*self.answers), self.answers[1], category, cluster)
        return tally(found, self.responses[-1], has_gain_by_cluster=is_drawn)

    @cached_property
    def subitizing(self) -> int:
        """Up to which number the law takes answers to be exact, where larger ones are shown."""
        return SUBITIZING if max(self.numbers) > SUBITIZING else 0

    @cached_property
    def law(self) -> Fit | Unfitted:
        """The law behind responses to numbers that are not seen exactly."""
        return fit_law(self.tallies.select(self.tallies.numbers > self.subitizing))

    def count(self, status: str) -> int:
        """Tell how many answers came to this."""
        return int((self.rows["status"] == status).sum())

    @cached_property
    def _by_category(self) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        return [_responses_and_targets(self.counted.filter(pl.col("category") == one)) for one in self.categories]


def _make_replies(rows: pl.DataFrame) -> Replies:
    counts = rows.select(pl.when(pl.col("status") == "eligible").then("response").otherwise(None).fill_null(np.nan))
    category = rows["category"].rank("dense").cast(pl.Int64) - 1
    places = (rows["number"], category, rows["cluster"], rows["stratum"])
    return make_replies(counts.to_series().to_numpy(), *(values.to_numpy() for values in places))


def _responses_and_targets(counted: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return counted["response"].to_numpy(), counted["number"].to_numpy()


def accuracy(kept: Kept) -> Estimate | None:
    """Share of right answers, what was refused or has no usable value counted as wrong."""
    return _share_right(kept.judged)


def accuracy_read(kept: Kept) -> Estimate | None:
    """Share of right answers, refusals counted as wrong, what has no usable value left out."""
    return _share_right(kept.judged.filter(pl.col("status") != "discarded"))


def accuracy_answered(kept: Kept) -> Estimate | None:
    """Share of right answers, refusals left out."""
    return _share_right(kept.counted)


def _share_right(rows: pl.DataFrame) -> Estimate | None:
    is_right = (pl.col("status") == "eligible") & (pl.col("response") == pl.col("number"))
    return _share(rows.with_columns(value=is_right.fill_null(value=False)))


def coverage(kept: Kept) -> Estimate | None:
    """Share of what was asked that has a count, which is what errors are of."""
    return _share(kept.judged.with_columns(value=pl.col("status") == "eligible"))


def _share(rows: pl.DataFrame) -> Estimate | None:
    values = rows["value"].cast(pl.Float64).to_numpy()
    return estimate_share(values, rows["cluster"].to_numpy(), rows["stratum"].to_numpy()) if rows.height else None


def mean_absolute_error(kept: Kept) -> Estimate | None:
    """Mean of |response − target|."""
    return _mean_error(kept.counted, _ERROR, pl.lit(1.0))


def normalized_absolute_error(kept: Kept) -> Estimate | None:
    """Mean of |response − target| / target."""
    return _mean_error(kept.counted, _ERROR / pl.col("number"), 1 / pl.col("number"))


def normalized_error_of_all(kept: Kept) -> Estimate | None:
    """Mean of |response − target| / target, what has no count standing for a count of 0."""
    is_counted = pl.col("status") == "eligible"
    error = pl.when(is_counted).then(_ERROR / pl.col("number")).otherwise(1.0)
    return _mean_error(kept.judged, error, 1 / pl.col("number"))


_ERROR = (pl.col("response") - pl.col("number")).abs()


def _mean_error(rows: pl.DataFrame, error: pl.Expr, step: pl.Expr) -> Estimate | None:
    if not rows.height:
        return None
    found = rows.select("cluster", "stratum", error=error, step=step)
    clusters = gather_clusters(found["error"].to_numpy(), found["cluster"].to_numpy(), found["stratum"].to_numpy())
    return estimate_errors(clusters, np.array([found["step"].mean()]))[0]


def eligible(kept: Kept) -> int:
    """How many answers have a count."""
    return kept.counted.height


def zeros(kept: Kept) -> int:
    """How many responses are 0: a drawing of nothing is discarded, an answer is wrong and has no place in a matrix."""
    return int((kept.rows["response"].round() == 0).sum())


def smallest_cell(kept: Kept) -> int:
    """The fewest answers with a count to a number in a category; the paper wants 20."""
    return int(kept.trials.min())


def knower(kept: Kept) -> KnowerLevel | None:
    """Up to which number all are known, as in the paper: of answers with a count; every category weighs the same."""
    return kept.knower


def knower_of_all(kept: Kept) -> KnowerLevel | None:
    """Up to which number all are known, what has no count being a miss."""
    if kept.has_every_count:
        return kept.knower
    return knower_level(kept.all_replies)


def human_correlation(kept: Kept) -> Estimate | None:
    """Correlation with the exact matrix of the ideal human, as in the paper: of answers with a count.

    Every category weighs the same.
    """
    return kept.human_correlation


def human_correlation_of_all(kept: Kept) -> Estimate | None:
    """The same correlation where no count, or one of 0, is a response of its own, which people never give."""
    if not eligible(kept) or (kept.has_every_count and not zeros(kept)):
        return kept.human_correlation
    law = human_matrix(kept.numbers, kept.responses[-1])
    return correlate(kept.all_replies, kept.numbers, law, with_no_count=True)


def anchoring(kept: Kept) -> Anchoring | None:
    """Which answers are returned to whatever is shown."""
    return find_anchors(kept.replies)


def human_distance(kept: Kept) -> Estimate | None:
    """Distance from the matrix of the ideal human: 0 is the same, 1 nothing in common."""
    return distance(kept.counts, human_matrix(kept.numbers, kept.responses[-1]), kept.design_effect)


def random_distance(kept: Kept) -> Estimate | None:
    """Distance from the matrix of random answers, which correlates with nothing, as all its shares are equal."""
    return distance(kept.counts, random_matrix(kept.numbers, kept.responses[-1]), kept.design_effect)


def abstraction(kept: Kept) -> Abstraction | None:
    """How alike the two categories are that are least so."""
    found = least_alike(kept.counts, kept.design_effect)
    if found is None:
        return None
    estimate, (one, other) = found
    return Abstraction(estimate, (kept.categories[one], kept.categories[other]))


def biases(kept: Kept) -> tuple[Bias, ...]:
    """Over- and underestimation, of ALL and by category."""
    counted = kept.counted.with_columns(
        error=pl.col("response") - pl.col("number"),
        stratum=pl.struct("category", "number").rank("dense").cast(pl.Int64),
    )
    return tuple(_find_biases(counted, kept.categories))


def _find_biases(counted: pl.DataFrame, categories: Iterable[str]) -> Iterable[Bias]:
    for category in (ALL, *categories):
        part = counted if category == ALL else counted.filter(pl.col("category") == category)
        found = signed_rank_test(part["error"].to_numpy(), part["stratum"].to_numpy())
        if found is not None:
            yield Bias(category, found.direction, found.r, found.z, found.p, found.n)


def scalar(kept: Kept) -> ScalarVariability | None:
    """Whether responses spread with their mean: of the pooled trials against 1, and against the law behind them."""
    return scalar_variability(*kept.answers, kept.law)


def weber(kept: Kept) -> Weber | NoWeber | None:
    """The Weber fraction of the numbers that are not seen exactly; every category weighs the same."""
    return describe_weber(kept.tallies, kept.law, subitizing=kept.subitizing)


def matrices(kept: Kept) -> Mapping[str, NDArray[np.int64]]:
    """Counts by response and target, of ALL (trials pooled) and by category."""
    return {ALL: kept.counts.sum(axis=0), **dict(zip(kept.categories, kept.counts, strict=True))}


class Measure(cached_property[T]):
    """A line of the table: the function that computes a measure, and its heading at a terminal, if it has a column."""

    def __init__(self, compute: Callable[[Kept], T], heading: str = "") -> None:
        super().__init__(lambda one: compute(one.kept))
        self.heading = heading


@dataclass(frozen=True, eq=False)
class Enumeration:
    """How one model enumerates, as one judge read it, on one suite of one run: the table of measures.

    `wording` is the wording kept (None where the suite has none) and every measure rests on it alone; `wordings` has
    all of them. `control` is the share of answers to "What does the image represent?" that name apples or fruit.
    """

    run: str
    suite: str
    model: str
    judge: str
    wording: str | None
    wordings: tuple[WordingScore, ...]
    control: Estimate | None
    kept: Kept

    accuracy = Measure(accuracy, "accuracy")
    accuracy_read = Measure(accuracy_read)
    accuracy_answered = Measure(accuracy_answered)
    mae = Measure(mean_absolute_error)
    nae = Measure(normalized_absolute_error, "nae")
    nae_all = Measure(normalized_error_of_all)
    coverage = Measure(coverage, "coverage")
    eligible = Measure(eligible)
    discarded = Measure(lambda kept: kept.count("discarded"))
    refused = Measure(lambda kept: kept.count("refused"))
    unknown = Measure(lambda kept: kept.count("unknown"))
    zeros = Measure(zeros)
    excluded = Measure(lambda kept: kept.excluded)
    smallest_cell = Measure(smallest_cell)
    knower = Measure(knower, "level answered")
    knower_all = Measure(knower_of_all, "level")
    human_correlation = Measure(human_correlation, "human answered")
    human_correlation_all = Measure(human_correlation_of_all, "human")
    human_distance = Measure(human_distance)
    random_distance = Measure(random_distance, "from chance")
    abstraction = Measure(abstraction, "abstraction")
    biases = Measure(biases, "bias")
    scalar = Measure(scalar, "slope")
    weber = Measure(weber, "weber")
    cues = Measure(lambda kept: kept.cues, "follows")
    anchoring = Measure(anchoring, "anchors")
    categories = Measure(lambda kept: kept.categories)
    numbers = Measure(lambda kept: kept.numbers)
    responses = Measure(lambda kept: kept.responses)
    matrices = Measure(matrices)

    def row(self) -> dict[str, object]:
        """Lay out what it is of, and every measure, by name."""
        names = [one.name for one in fields(self) if one.name != "kept"]
        return {name: getattr(self, name) for name in (*names, *measures())}


def measures() -> dict[str, Measure[object]]:
    """List the measures of the table by name."""
    return {name: line for name, line in vars(Enumeration).items() if isinstance(line, Measure)}
