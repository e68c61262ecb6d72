"""Success by prompt: how many of its images are right, how people voted on groups of them, and pass@k over prompts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from subitize.analysis.clusters import Rate, at_levels, check_factors, cluster_of, estimate_rates, stratum_of
from subitize.analysis.observations import NO_JUDGE, Observations
from subitize.errors import NothingToDoError
from subitize.io.frames import make_frame
from subitize.records import Estimate, Item, Scalar
from subitize.stats.estimate import pass_at_k

Unusable = Literal["wrong", "left out"]
"""What an image counts as of which an answer has no usable value: as in the accuracy, or as papers do."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An item given to a model, as one judge saw what came of it.

    An image is right if every relevant answer about it is; a refusal is an image that is not right, and an image of
    which an answer is missing is left out. `numbers` are the counts that were read, where one count was asked for.
    `votes` are what was said of groups of `group` images: whether at least one of them is right. `stratum` are the
    levels of the factors that the suite's design fixes.
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

    @property
    def most(self) -> int:
        """The largest k of which `pass_at` is known."""
        return max(self.images, self.group if self.votes else 0)

    def pass_at(self, k: int) -> float | None:
        """Estimate how likely one of k images is right: by votes on groups of k, else by images; None with fewer."""
        if self.is_voted(k):
            return sum(self.votes) / len(self.votes)
        return pass_at_k(self.images, self.right, k) if k <= self.images else None

    def choices(self, k: int) -> float:
        """Tell how many choices of k images that have none in common `pass_at` rests on."""
        return len(self.votes) if self.is_voted(k) else self.images / k

    def is_voted(self, k: int) -> bool:
        """Tell whether `pass_at` of k is by votes on groups."""
        return bool(self.votes) and k == self.group


_PLACE = ("item", "model", "judge")


def gather_attempts(
    observations: Observations, *, keep_empty: bool = False, unusable: Unusable = "wrong"
) -> list[Attempt]:
    """Put together what belongs to one item, model and judge; what was excluded by hand is left out.

    So are votes without a value, as where they are tied, and attempts of which nothing is left, unless they are to be
    counted. Of votes on groups, those on the largest that anything is known of are taken.
    """
    # It is known to be right or wrong: a drawing with nothing in it to count has the value 0.
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
    """Count the images of which every relevant question has an answer, and the right ones.

    The number that was read of an image is kept where one count was asked for; a refusal has none.
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


def _attempt(row: Mapping[str, Any], observations: Observations) -> Attempt:
    item = observations.items[row["item"]]
    images, group, votes = row["images"] or 0, row["group"] or 0, row["votes"] or ()
    if row["judge"] == NO_JUDGE and images:
        group, votes = 0, ()  # nobody voted: that no image of a group is right follows from the images
    right, numbers = row["right"] or 0, tuple(row["number"] or ())
    stratum = stratum_of(item, observations.designs)
    return Attempt(item, row["model"], row["judge"], images, right, numbers, tuple(votes), group, stratum)


@dataclass(frozen=True, slots=True)
class Omissions:
    """The items of models, by model and id, that are in no attempt: undecided ones, and those excluded by hand.

    Undecided are those of which no answer has a value, as where votes are tied.
    """

    undecided: frozenset[tuple[str, str]] = frozenset()
    excluded: frozenset[tuple[str, str]] = frozenset()


def find_omissions(observations: Observations, *, unusable: Unusable = "wrong") -> Omissions:
    """Find what `gather_attempts` leaves out."""
    attempts = gather_attempts(observations, keep_empty=True, unusable=unusable)
    excluded = observations.rows.filter("is_excluded").select("model", "item").unique()
    undecided = frozenset((one.model, one.item.id) for one in attempts if not one.most)
    return Omissions(undecided, frozenset(excluded.iter_rows()))


@dataclass(frozen=True, slots=True)
class PassRate:
    """The mean of pass@k over items (its n); pass@1 is the accuracy per image.

    `images` are those of these items, `left_out` the items with fewer than k images, `undecided` those of which
    nothing has a value, as where votes are tied; voted are figures from votes on groups of k, informed those whose
    judge knew what was asked for.
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


def rate_passes(attempts: Sequence[Attempt], factors: Iterable[str] = ()) -> list[PassRate]:
    """Estimate pass@k of every model for every k, on the whole and by each level of the factors."""
    if not any(one.most for one in attempts):
        raise NothingToDoError(
            "no image and no vote on a group of images has a value yet; first: subitize judge RUN --judge JUDGE"
        )
    items = {one.item.id: one.item for one in attempts}
    chosen = check_factors(items.values(), factors)
    rows = ((one.item.suite, one.model, one.judge, one.item.id) for one in attempts)
    named = make_frame(rows, dict.fromkeys(("suite", "model", "judge", "item"), pl.String()))
    placed = Observations(named.with_row_index("place"), items)
    cells = pl.concat(at_levels(placed, chosen)).group_by(*_CELL, maintain_order=True).agg("place")
    rated = []
    for suite, model, judge, factor, level, _, own in cells.sort("suite", "model", "judge", "order").iter_rows():
        tried = [attempts[place] for place in own]
        for k in range(1, max(one.most for one in tried) + 1):
            # Votes on groups of four say nothing of three images.
            known = [one for one in tried if one.pass_at(k) is not None]
            if known:
                rated.append(((suite, model, judge, factor, level), k, tried, known))
    estimates = estimate_rates([[_rate(one, k) for one in known] for _, k, _, known in rated])
    return [
        PassRate(
            *cell,
            k,
            estimate,
            images=sum(len(one.votes) * k if one.is_voted(k) else one.images for one in known),
            left_out=sum(1 for one in tried if one.most) - len(known),
            undecided=sum(1 for one in tried if not one.most),
            is_voted=any(one.is_voted(k) for one in known),
            is_informed=any(_is_informed(one, k) for one in known),
        )
        for (cell, k, tried, known), estimate in zip(rated, estimates, strict=True)
    ]


_CELL = ("suite", "model", "judge", "factor", "level", "order")


def _rate(attempt: Attempt, k: int) -> Rate:
    """Give its pass@k, which rests on as many observations as there are choices of k images with none in common.

    Prompts weigh the same, but for k = 1, which is the accuracy: there images do.
    """
    weight = attempt.images if k == 1 and attempt.images else 1.0
    return Rate(cluster_of(attempt.item), attempt.stratum, attempt.pass_at(k) or 0.0, attempt.choices(k), weight)


def _is_informed(attempt: Attempt, k: int) -> bool:
    if attempt.judge == NO_JUDGE:  # all was refused, and nobody had to know anything
        return False
    size = k if attempt.is_voted(k) else 1
    return any(ask.question.is_informed for ask in attempt.item.asks if ask.group == size and ask.is_relevant)
