"""How likely one of k images of a prompt is right, for every k: by suite, model, judge and condition."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from subitize.analysis.attempts import Attempt
from subitize.analysis.clusters import Rate, cluster_of, estimate_rates
from subitize.analysis.levels import at_levels, check_factors
from subitize.analysis.observations import NO_JUDGE, Observations
from subitize.errors import NothingToDoError
from subitize.frames import make_frame
from subitize.records import Estimate


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
    places = ((place, one.item.suite, one.model, one.judge, one.item.id) for place, one in enumerate(attempts))
    placed = Observations(make_frame(places, _PLACED), items)
    cells = pl.concat(at_levels(placed, chosen)).group_by(*_CELL, maintain_order=True).agg("place")
    rated = []
    for suite, model, judge, factor, level, _, own in cells.sort("suite", "model", "judge", "order").iter_rows():
        tried = [attempts[place] for place in own]
        rated += [((suite, model, judge, factor, level), k, tried, known) for k, known in _by_k(tried)]
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


_PLACED: dict[str, pl.DataType] = {
    "place": pl.Int64(),
    **dict.fromkeys(("suite", "model", "judge", "item"), pl.String()),
}
_CELL = ("suite", "model", "judge", "factor", "level", "order")


def _by_k(attempts: Iterable[Attempt]) -> Iterator[tuple[int, list[Attempt]]]:
    """Tell of which attempts pass@k is known, for every k; votes on groups of four say nothing of three images."""
    decided = [one for one in attempts if one.most]
    for k in range(1, max((one.most for one in decided), default=0) + 1):
        known = [one for one in decided if one.pass_at(k) is not None]
        if known:
            yield k, known


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
