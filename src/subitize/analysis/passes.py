"""How likely one of k images of a prompt is right, for every k: by suite, model, judge and condition."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from subitize.analysis.attempts import Attempt
from subitize.analysis.levels import Level, check_factors, in_order, levels_of
from subitize.analysis.observations import NO_JUDGE
from subitize.errors import NothingToDoError
from subitize.records import Estimate
from subitize.stats.passes import average_passes


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
    chosen = check_factors((one.item for one in attempts), factors)
    cells: dict[_Key, list[Attempt]] = defaultdict(list)
    for one in attempts:
        for level in levels_of(one.item, chosen):
            cells[_Key(one.item.suite, one.model, one.judge, level)].append(one)
    ordered = sorted(cells, key=lambda key: (*key[:3], in_order(key.level, chosen)))
    return [found for key in ordered for found in _rate(key, cells[key])]


class _Key(NamedTuple):
    suite: str
    model: str
    judge: str
    level: Level


def _rate(key: _Key, attempts: Sequence[Attempt]) -> Iterator[PassRate]:
    decided = [one for one in attempts if one.most]
    for k in range(1, max((one.most for one in decided), default=0) + 1):
        known = [(one, rate) for one in decided if (rate := one.pass_at(k)) is not None]
        if not known:  # votes on groups of four say nothing of three images
            continue
        estimate = average_passes([rate for _, rate in known], math.fsum(one.choices(k) for one, _ in known))
        yield PassRate(
            *key[:3],
            key.level.factor,
            str(key.level.level),
            k,
            estimate,
            sum(len(one.votes) * k if one.is_voted(k) else one.images for one, _ in known),
            len(decided) - len(known),
            len(attempts) - len(decided),
            any(one.is_voted(k) for one, _ in known),
            any(_is_informed(one, k) for one, _ in known),
        )


def _is_informed(attempt: Attempt, k: int) -> bool:
    if attempt.judge == NO_JUDGE:  # all was refused, and nobody had to know anything
        return False
    size = k if attempt.is_voted(k) else 1
    return any(ask.question.is_informed for ask in attempt.item.asks if ask.group == size and ask.is_relevant)
