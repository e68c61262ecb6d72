"""What guessing gets: scores of texts by their numbers alone, without a look at any image."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from subitize.papers.seeing_past_words.metrics import Booleans, Pairs, make_pairs, measure_pairs
from subitize.papers.seeing_past_words.probes import Probe
from subitize.records import Estimate
from subitize.stats.estimate import Floats, Integers


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers in the texts of probes, a row per text: whether it is right, its probe, its image, and its number."""

    numbers: Integers
    is_right: Booleans
    probes: Integers
    images: Integers

    def with_scores(self, scores: Floats) -> Pairs:
        """Put scores beside them."""
        return Pairs(scores, self.is_right, self.probes, self.images)


def lay_out_probes(probes: Sequence[Probe], *, as_given: bool = False) -> Numbers:
    """Lay out the numbers of probes; `as_given` keeps foils that are right or stand there twice."""
    rows = [
        (number, is_right, place, probe.image)
        for place, probe in enumerate(probes)
        for number, is_right in _list_numbers(probe, as_given=as_given)
    ]
    numbers, is_right, places, images = zip(*rows, strict=True)
    pairs = make_pairs(np.zeros(len(rows)), is_right, places, images)
    return Numbers(np.array(numbers, np.int64), pairs.is_right, pairs.probes, pairs.images)


def _list_numbers(probe: Probe, *, as_given: bool) -> list[tuple[int, bool]]:
    if as_given:
        return [(probe.answer, True), *((foil, False) for foil in probe.foils)]
    return [(one.number, one.is_right) for one in probe.candidates()]


def prefer_smaller(these: Numbers, _: Numbers) -> Floats:
    """The smaller a number among those of its probe, the better: the share of the others that are larger."""
    order = np.lexsort((these.numbers, these.probes))
    probes, numbers = these.probes[order], these.numbers[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(probes)) + 1]) if len(probes) else np.zeros(1, np.int64)
    sizes = np.diff([*starts, len(probes)])
    # Equal numbers of a probe share their places.
    is_new = np.concatenate([[True], (np.diff(probes) != 0) | (np.diff(numbers) != 0)])
    runs = np.cumsum(is_new) - 1
    places = np.arange(len(probes)) - np.repeat(starts, sizes)
    shared = np.bincount(runs, places) / np.bincount(runs)
    scores = np.empty(len(probes))
    scores[order] = 1 - shared[runs] / np.maximum(np.repeat(sizes, sizes) - 1, 1)
    return scores


def prefer_even(these: Numbers, _: Numbers) -> Floats:
    """Even numbers are right, 0 among them."""
    return np.asarray(these.numbers % 2 == 0, np.float64)


def prefer_majority(these: Numbers, learnt: Numbers) -> Floats:
    """The most frequent answer is right."""
    return np.asarray(these.numbers == find_majority(learnt), np.float64)


def prefer_usual(these: Numbers, learnt: Numbers) -> Floats:
    """A number is as likely to be right as it was where this was learnt, by one more of each kind.

    Where it is learnt from the same probes, half of the images teach the other half.
    """
    if learnt is not these:
        return _count_right(learnt, np.ones(len(learnt.numbers), bool))(these.numbers)
    scores = np.empty(len(these.numbers))
    for half in (0, 1):
        mine = these.images % 2 == half
        scores[mine] = _count_right(these, ~mine)(these.numbers[mine])
    return scores


def _count_right(learnt: Numbers, rows: Booleans) -> Callable[[Integers], Floats]:
    size = int(learnt.numbers.max(initial=0)) + 1
    right, all_of = (np.bincount(learnt.numbers[chosen], minlength=size) for chosen in (rows & learnt.is_right, rows))
    shares = (right + 1) / (all_of + 2)
    return lambda numbers: np.where(numbers < size, shares[np.minimum(numbers, size - 1)], 0.5)


def find_majority(numbers: Numbers) -> int:
    """Find the most frequent answer, of several the smallest."""
    return int(np.argmax(np.bincount(numbers.numbers[numbers.is_right])))


def _constantly(score: float) -> Callable[[Numbers, Numbers], Floats]:
    return lambda these, _: np.full(len(these.numbers), score)


BASELINES: Mapping[str, Callable[[Numbers, Numbers], Floats]] = {
    "the smaller number": prefer_smaller,
    "the most frequent answer": prefer_majority,
    "even numbers": prefer_even,
    "the number's prior": prefer_usual,
    "always foil": _constantly(0.5),
    "always right": _constantly(1.0),
}
"""Scores of texts by these numbers, and by those that something is learnt from: training data, or else the same."""


def measure_baselines(these: Numbers, learnt: Numbers | None = None) -> dict[str, dict[str, Estimate]]:
    """Compute every measure of every baseline."""
    return {
        name: measure_pairs(these.with_scores(score(these, these if learnt is None else learnt)))
        for name, score in BASELINES.items()
    }
