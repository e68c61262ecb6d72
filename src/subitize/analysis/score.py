"""Accuracy, errors, the shares of unusable answers, and pass@k, each with its interval and n."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from subitize.analysis.design import (
    UNITS,
    Prompts,
    by_factor,
    check_factors,
    list_levels,
    number_clusters,
    number_strata,
    stratum_of,
    units_of,
    with_units,
)
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE, Frame
from subitize.io.frames import add_columns, make_frame
from subitize.records import Estimate, Item, Scalar
from subitize.stats.estimate import SHARE, error_scale, estimate, pass_at_k


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of one model on one group of items.

    `excluded` counts the observations left out by hand; a figure is informed if its judge knew what was asked for.
    """

    suite: str
    model: str
    judge: str
    factor: str
    group: str
    measure: str
    estimate: Estimate
    excluded: int
    is_informed: bool


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric: which rows count, and what is averaged. With `step` it is an error, otherwise a share.

    The step is the change in the error if the answer were off by 1 more. At least one observation must satisfy `needs`
    for the figure to mean anything.
    """

    where: pl.Expr
    value: pl.Expr
    step: pl.Expr | None = None
    needs: pl.Expr | None = None

    def columns(self, name: str) -> Iterator[pl.Expr]:
        """Sum the values of a cluster and their steps, and count them, in columns of this name."""
        is_meant = self.where & _IS_KEPT
        yield is_meant.sum().alias(f"{name} n")
        # A filter within each group would take twice as long.
        yield pl.when(is_meant).then(self.value.cast(pl.Float64)).sum().alias(name)
        if self.step is not None:
            yield pl.when(is_meant).then(self.step).sum().alias(f"{name} step")
        if self.needs is not None:
            yield (self.needs & _IS_KEPT).any().alias(f"{name} needs")

    def estimate(self, clusters: pl.DataFrame, name: str) -> dict[int, Estimate]:
        """Estimate the figure of every `place` that has one, from the clusters' columns of this name."""
        n = pl.col(f"{name} n")
        known = clusters.filter(n > 0)
        if self.needs is not None:
            known = known.filter(pl.col(f"{name} needs").any().over("place"))
        scale = SHARE
        if self.step is not None:
            steps = known.group_by("place", maintain_order=True).agg(pl.col(f"{name} step").sum() / n.sum())
            scale = error_scale(steps[f"{name} step"].to_numpy())
        places = pl.col("place").rle_id().cast(pl.Int64)  # a row is a cluster, and rows are sorted by place
        columns = known.select(pl.col(name) / n, n.alias("n"), "stratum", places).get_columns()
        values, counts, strata, group = (one.to_numpy() for one in columns)
        units = units_of(known.drop("cluster"))
        found = estimate(values, units, strata, counts, group=group, count=counts, scale=scale)
        return dict(zip(known["place"].unique(maintain_order=True), found, strict=True))

    def of(self, rows: pl.DataFrame) -> Estimate | None:
        """Estimate the figure of all rows together; None if there is nothing to measure."""
        meant = rows.filter(self.where & _IS_KEPT)
        is_needed = self.needs is None or rows.select((self.needs & _IS_KEPT).any()).item()
        if not meant.height or not is_needed:
            return None
        values, strata = meant.select(self.value.cast(pl.Float64).alias("value"), "stratum").get_columns()
        scale = SHARE if self.step is None else error_scale(meant.select(self.step.mean()).item())
        return estimate(values.to_numpy(), units_of(meant), strata.to_numpy(), scale=scale)[0]


_IS_KEPT = ~pl.col("is_excluded")
_HAS_ANSWER = pl.col("expected") != ""  # the right answer about users' own pictures may be unknown
_IS_SINGLE = _HAS_ANSWER & (pl.col("group") == 1)  # "one of four is right" says nothing about each
_IS_GROUP = _HAS_ANSWER & (pl.col("group") != 1)
_IS_ELIGIBLE, _IS_REFUSED = pl.col("status") == "eligible", pl.col("status") == "refused"
_IS_JUDGED = pl.col("status") != "unknown"  # a judge's refusal to look is not the model's fault
_HAS_TARGET = pl.col("target").is_not_null() & _IS_JUDGED
_IS_COUNT = _IS_ELIGIBLE & pl.col("value").is_not_null() & _HAS_TARGET
_TARGET = pl.col("target")
_ERROR = (pl.col("value") - _TARGET).abs()
_ERROR_OR_ALL = pl.when(_IS_COUNT).then(_ERROR).otherwise(_TARGET)
_ONE = _HAS_TARGET.cast(pl.Float64)  # not a literal, which older polars cannot sum

MEASURES: dict[str, Measure] = {
    # Refusals and unusable answers count as wrong.
    "accuracy": Measure(_IS_SINGLE & _IS_JUDGED, pl.col("is_right")),
    # Unusable answers are left out, as in papers.
    "accuracy_read": Measure(_IS_SINGLE & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    "accuracy_answered": Measure(_IS_SINGLE & _IS_ELIGIBLE, pl.col("is_right")),
    # Ignores the answers that an answer depends on in a scene graph; without dependencies it equals the accuracy.
    "accuracy_by_itself": Measure(
        _IS_SINGLE & _IS_JUDGED, pl.col("is_right_by_itself"), needs=pl.col("parent").is_not_null()
    ),
    # The share of groups, judged together, with at least one right image.
    "success": Measure(_IS_GROUP & (_IS_ELIGIBLE | _IS_REFUSED), pl.col("is_right")),
    # Errors of counts, the share of answers with a count, and errors if answers without one counted as 0.
    "mae": Measure(_IS_COUNT, _ERROR, step=_ONE),
    "nae": Measure(_IS_COUNT & (_TARGET != 0), _ERROR / _TARGET, step=1 / _TARGET),
    "coverage": Measure(_HAS_TARGET, _IS_COUNT),
    "mae_all": Measure(_HAS_TARGET, _ERROR_OR_ALL, step=_ONE),
    "nae_all": Measure(_HAS_TARGET & (_TARGET != 0), _ERROR_OR_ALL / _TARGET, step=1 / _TARGET),
    "discarded": Measure(~_IS_REFUSED & _IS_JUDGED, pl.col("status") == "discarded"),
    "refused": Measure(_IS_JUDGED, _IS_REFUSED),
    "unknown": Measure(~_IS_REFUSED, ~_IS_JUDGED, needs=~_IS_JUDGED),
}


def score(observations: Frame, factors: Sequence[str] | None = None, *, prompts: Prompts = "sampled") -> list[Score]:
    """Score every model, overall and by each level of the factors (None: every factor with 2 to 50 levels)."""
    if observations.rows["is_excluded"].all():
        raise NothingToDoError(
            f"all {len(observations)} observations are excluded; take an exclusion back with: "
            "subitize show RUN --exclude ITEM --reason WHY --undo"
        )
    items = observations.seen_items()
    chosen = list_factors(items) if factors is None else check_factors(items, factors)
    owners = observations.rows.select(_OWNER).unique().sort(_OWNER)
    units = with_units(replace(observations, rows=observations.rows.select(_COLUMNS)), prompts)
    units = replace(units, rows=add_columns(units.rows, owners.with_row_index("owner"), *_OWNER).drop(_OWNER))
    levels: dict[int, tuple[str, str]] = {}
    found = sorted(one for some in _put_together(_sum_levels(units, chosen, levels)) for one in _score_places(some))
    return [
        Score(suite, model, judge, *levels[order], name, estimate, excluded, is_informed)
        for (owner, order), estimates, excluded, is_informed in found
        for suite, model, judge in [owners.row(owner)]
        for name, estimate in estimates.items()
    ]


_ROWS_AT_ONCE = 20_000
_OWNER = ("suite", "model", "judge")
_GROUP = (*_OWNER, "factor", "level", "order")
_COLUMNS = (
    *(*_OWNER, "item", "subject", "group", "status", "value", "target", "expected"),
    *("is_right", "is_right_by_itself", "parent", "is_excluded", "is_informed"),
)


def _put_together(clusters: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Put the clusters of factors together while they are few: all at once would take much memory in a large run.

    They stay sorted, as the levels of a factor have greater numbers than those before.
    """
    gathered: list[pl.DataFrame] = []
    for one in clusters:
        if sum(some.height for some in (*gathered, one)) > _ROWS_AT_ONCE and gathered:
            yield pl.concat(gathered)
            gathered = []
        gathered.append(one)
    if gathered:
        yield pl.concat(gathered)


def _score_places(clusters: pl.DataFrame) -> Iterator[tuple[tuple[int, int], dict[str, Estimate], int, bool]]:
    """Score the levels of each owner, both by number, with the number left out and whether any is informed."""
    groups = clusters.group_by("place").agg(pl.col("is_excluded").sum(), pl.col("is_informed").any())
    found = {name: one.estimate(clusters, name) for name, one in MEASURES.items()}
    for place, excluded, is_informed in groups.iter_rows():
        order, owner = divmod(place, _MOST_OWNERS)
        yield (owner, order), {name: of[place] for name, of in found.items() if place in of}, excluded, is_informed


_MOST_OWNERS = 2**32


def _sum_levels(units: Frame, factors: Sequence[str], levels: dict[int, tuple[str, str]]) -> Iterator[pl.DataFrame]:
    """Sum each measure within the clusters of every owner's levels, factor by factor; put each level into `levels`.

    A place is an owner and a level. The stratum of a cluster is that of its first row.
    """
    keys = replace(units, rows=units.rows.select("item", "owner", row=pl.int_range(pl.len())))
    rows = units.rows.drop("item", "subject", "owner")
    for placed in by_factor(keys, factors):
        known = placed.select("order", "factor", "level").unique()
        levels |= {order: (factor, level) for order, factor, level in known.iter_rows()}
        place = placed.select(place=pl.col("order") * _MOST_OWNERS + pl.col("owner"))
        own = rows if placed.height == rows.height else rows[placed["row"]]
        yield (
            own.hstack(place)
            .group_by("place", "cluster")
            .agg(
                pl.col("stratum").first(),
                UNITS.first(),
                pl.col("is_excluded").sum(),
                (pl.col("is_informed") & _IS_KEPT).any(),
                *(column for name, one in MEASURES.items() for column in one.columns(name)),
            )
            .sort("place", "cluster")  # sums in another order would have other last digits
        )


def list_factors(items: Iterable[Item], most_levels: int = 50) -> list[str]:
    """List the factors that vary between items, with at most `most_levels` levels."""
    levels: dict[str, set[object]] = defaultdict(set)
    for item in items:
        for name, level in item.factors.items():
            levels[name].add(level)
    return [name for name, found in levels.items() if 2 <= len(found) <= most_levels]


Unusable = Literal["wrong", "left out"]
"""How an image with an unusable answer counts: as in the accuracy, or as in papers."""


@dataclass(frozen=True, slots=True)
class PromptResult:
    """The results of one item given to a model, as one judge saw them.

    An image is right if every relevant answer about it is. A refusal is a wrong image; an image with a missing answer
    is left out. `numbers` are the counts that were read, if one count was asked for. `votes` say of groups of `group`
    images whether at least one of them is right. `stratum` has the levels of the factors that the suite's design fixes,
    `levels` those of the factors that it samples.
    """

    item: Item
    model: str
    judge: str
    images: int
    right: int
    numbers: tuple[float, ...] = ()
    votes: tuple[bool, ...] = ()
    group: int = 0
    stratum: tuple[Scalar, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The largest k for which `pass_at` is known."""
        return max(self.images, self.group if self.votes else 0)

    def pass_at(self, k: int) -> float | None:
        """Estimate the chance that one of k images is right, by votes on groups of k or else by images; None if few."""
        if self.is_voted(k):
            return sum(self.votes) / len(self.votes)
        return pass_at_k(self.images, self.right, k) if k <= self.images else None

    def choices(self, k: int) -> float:
        """Return the number of disjoint k-subsets of images behind `pass_at`."""
        return len(self.votes) if self.is_voted(k) else self.images / k

    def is_voted(self, k: int) -> bool:
        """Return whether `pass_at(k)` comes from votes on groups."""
        return bool(self.votes) and k == self.group


_PLACE = ("item", "model", "judge")


def gather_attempts(
    observations: Frame, *, keep_empty: bool = False, unusable: Unusable = "wrong"
) -> list[PromptResult]:
    """Gather the results of each item, model and judge, without items excluded by hand.

    Votes without a value, such as ties, are left out, and so are empty results unless `keep_empty`. Of votes on groups,
    those on the largest groups with any known vote are used.
    """
    # Discarded drawings without anything to count have the value 0 and are known to be wrong.
    is_known = pl.col("status").is_in(["eligible", "refused"]) | pl.col("value_text").is_not_null()
    rows = observations.kept().rows.with_columns(is_known=is_known)
    voted = rows.filter(pl.col("group") > 1, "is_known")
    largest = voted.filter(pl.col("group") == pl.col("group").max().over(_PLACE))
    votes = largest.group_by(_PLACE, maintain_order=True).agg(pl.col("group").first(), votes="is_right")
    gathered = rows.select(_PLACE).unique(maintain_order=True)
    for found in (_gather_images(rows, observations.items, unusable), votes):
        gathered = gathered.join(found, on=_PLACE, how="left", maintain_order="left")
    attempts = (_attempt(row, observations) for row in gathered.iter_rows(named=True))
    return [one for one in attempts if keep_empty or one.most]


def _gather_images(rows: pl.DataFrame, items: Mapping[str, Item], unusable: Unusable) -> pl.DataFrame:
    """Count the images with an answer to every relevant question, and the right ones.

    The number read from an image is kept if one count was asked for; a refusal has none.
    """
    needed = {
        id: len({ask.question.id for ask in items[id].asks if ask.group == 1 and ask.is_relevant})
        for id in rows["item"].unique()
    }
    is_count = pl.col("question_kind") == "count"
    images = (
        rows.filter(pl.col("group") == 1, pl.col("status") != "unknown")
        .group_by(*_PLACE, "repeat", maintain_order=True)
        .agg(
            pl.col("is_known").all(),
            pl.col("question").n_unique().alias("answered"),
            pl.col("is_right").all(),
            pl.when(is_count.sum() == 1).then(pl.col("value").filter(is_count).first()).alias("number"),
        )
    )
    complete = images.filter(pl.col("answered") >= pl.col("item").replace_strict(needed))
    if unusable == "left out":
        complete = complete.filter("is_known")
    return complete.group_by(_PLACE).agg(
        pl.len().alias("images"), pl.col("is_right").sum().alias("right"), pl.col("number").drop_nulls()
    )


def _attempt(row: Mapping[str, Any], observations: Frame) -> PromptResult:
    item = observations.items[row["item"]]
    images, group, votes = row["images"] or 0, row["group"] or 0, row["votes"] or ()
    if row["judge"] == NO_JUDGE and images:
        group, votes = 0, ()  # nobody voted: the groups are wrong because their images were refused
    right, numbers = row["right"] or 0, tuple(row["number"] or ())
    stratum = stratum_of(item, observations.designs)
    of_suite = observations.designs.get(item.suite)
    levels = {name: list_levels(item, name, observations.designs) for name in (of_suite.sampled if of_suite else ())}
    return PromptResult(item, row["model"], row["judge"], images, right, numbers, tuple(votes), group, stratum, levels)


@dataclass(frozen=True, slots=True)
class LeftOutResults:
    """The models' items, by model and id, that are in no result: undecided ones, and those excluded by hand.

    An item is undecided if none of its answers has a value, for example because votes are tied.
    """

    undecided: frozenset[tuple[str, str]] = frozenset()
    excluded: frozenset[tuple[str, str]] = frozenset()


def gather_decided(observations: Frame, *, unusable: Unusable = "wrong") -> tuple[list[PromptResult], LeftOutResults]:
    """Gather the results like `gather_attempts`, and find the items that are in none."""
    attempts = gather_attempts(observations, keep_empty=True, unusable=unusable)
    excluded = observations.rows.filter("is_excluded").select("model", "item").unique()
    undecided = frozenset((one.model, one.item.id) for one in attempts if not one.most)
    left_out = LeftOutResults(undecided, frozenset(excluded.iter_rows()))
    return [one for one in attempts if one.most], left_out


@dataclass(frozen=True, slots=True)
class PassRate:
    """The mean of pass@k over items (its n); pass@1 is the accuracy per image.

    `images` counts the images of these items, `left_out` the items with fewer than k images, `undecided` those without
    any value, for example because votes are tied. A figure is voted if it comes from votes on groups of k, and informed
    if its judge knew what was asked for.
    """

    suite: str
    model: str
    judge: str
    factor: str
    group: str
    k: int
    estimate: Estimate
    images: int
    left_out: int
    undecided: int
    is_voted: bool
    is_informed: bool


def rate_passes(attempts: Sequence[PromptResult], factors: Iterable[str] = ()) -> list[PassRate]:
    """Estimate pass@k of every model for every k, overall and by each level of the factors."""
    if not any(one.most for one in attempts):
        raise NothingToDoError(
            "no image and no vote on a group of images has a value yet; first: subitize judge RUN --judge JUDGE"
        )
    items = {one.item.id: one.item for one in attempts}
    chosen = check_factors(items.values(), factors)
    rows = ((one.item.suite, one.model, one.judge, one.item.id) for one in attempts)
    named = make_frame(rows, dict.fromkeys(("suite", "model", "judge", "item"), pl.String()))
    placed = Frame(named.with_row_index("place"), items)
    cells = pl.concat(by_factor(placed, chosen)).group_by(*_GROUP, maintain_order=True).agg("place")
    rated = []
    for suite, model, judge, factor, level, _, own in cells.sort("suite", "model", "judge", "order").iter_rows():
        tried = [attempts[place] for place in own]
        for k in range(1, max(one.most for one in tried) + 1):
            # Votes on groups of four say nothing about three images.
            known = [one for one in tried if one.pass_at(k) is not None]
            if known:
                rated.append(
                    PassRate(
                        *(suite, model, judge, factor, level, k),
                        _rate(known, k),
                        images=sum(len(one.votes) * k if one.is_voted(k) else one.images for one in known),
                        left_out=sum(1 for one in tried if one.most) - len(known),
                        undecided=sum(1 for one in tried if not one.most),
                        is_voted=any(one.is_voted(k) for one in known),
                        is_informed=any(_is_informed(one, k) for one in known),
                    )
                )
    return rated


def _rate(known: Sequence[PromptResult], k: int) -> Estimate:
    """Estimate pass@k; prompts weigh the same, except for k = 1, the accuracy, where images do."""
    return estimate_results(known, "success", k, [one.images if k == 1 and one.images else 1 for one in known])


RefinementMeasure = Literal["success", "accuracy"]
REFINEMENT_MEASURES: tuple[RefinementMeasure, ...] = ("success", "accuracy")
"""Whether one of k images of a prompt is right, and the share of its images that are."""


def estimate_results(
    results: Sequence[PromptResult], measure: RefinementMeasure, k: int, weights: Sequence[float] | None = None
) -> Estimate:
    """Average a measure of results that have it; n is their number."""
    values = [value_of(one, measure, k) or 0.0 for one in results]
    strata, clusters = number_strata(one.stratum for one in results), number_clusters(one.item for one in results)
    names = dict.fromkeys(name for one in results for name in one.levels)
    levels = {name: [one.levels.get(name, "") for one in results] for name in names}
    choices = [choices_of(one, measure, k) for one in results]
    return replace(estimate(values, {"prompt": clusters, **levels}, strata, weights, count=choices)[0], n=len(results))


def value_of(attempt: PromptResult, measure: RefinementMeasure, k: int) -> float | None:
    """Return a prompt's success with k images, or the share of its images that are right; None if it has too few."""
    if measure == "success":
        return attempt.pass_at(k)
    return attempt.right / attempt.images if attempt.images else None


def choices_of(attempt: PromptResult, measure: RefinementMeasure, k: int) -> float:
    """Return the number of disjoint sets of images behind `value_of`."""
    return attempt.choices(k) if measure == "success" else attempt.images


def _is_informed(attempt: PromptResult, k: int) -> bool:
    if attempt.judge == NO_JUDGE:  # everything was refused, so there was nothing to judge
        return False
    size = k if attempt.is_voted(k) else 1
    return any(ask.question.is_informed for ask in attempt.item.asks if ask.group == size and ask.is_relevant)
