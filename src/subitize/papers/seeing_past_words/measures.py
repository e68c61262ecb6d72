"""Measures of probes, columns in and figures out: image–text pairs, numerals in a gap, and guessing.

Scores above the threshold accept a text. Intervals are clustered by image; undefined measures, such as the precision of
a model that accepts nothing, are left out. Guessing scores texts by their numbers alone, without the image."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.language.numbers import NUMERALS
from subitize.papers.seeing_past_words.probes import Probe
from subitize.records import Estimate
from subitize.stats.estimate import ROUNDING, Floats, Integers, error_scale, estimate

Booleans = NDArray[np.bool_]
Ties = Literal["half", "win", "lose"]
TIES: Mapping[Ties, float] = {"half": 0.5, "win": 1.0, "lose": 0.0}
PAIRWISE: Mapping[Ties, str] = {
    "half": "pairwise_accuracy",
    "win": "pairwise_accuracy_ties_win",
    "lose": "pairwise_accuracy_ties_lose",
}
"""Pairwise ranking of right and foiled texts of the same probe: chance is ½ only if ties count half. The paper counts
ties as wins, VALSE as losses."""
BINS: Mapping[int, str] = {**{number: str(number) for number in range(8)}, 8: "8-10", 11: "11-20", 21: "21+"}
"""The rows of the paper's Table 7, by the smallest number in each."""


@dataclass(frozen=True, slots=True)
class ScoredTexts:
    """Scores of texts for images, a row each, with correctness, probe and image; and the numbers in the texts."""

    scores: Floats
    is_right: Booleans
    probes: Integers
    images: Integers
    numbers: Integers = field(default_factory=lambda: np.empty(0, np.int64))


def make_pairs(
    scores: Sequence[float] | Floats,
    is_right: Sequence[bool] | Booleans,
    probes: Sequence[Any] | NDArray[Any],
    images: Sequence[Any] | NDArray[Any] | None = None,
) -> ScoredTexts:
    """Encode probes and images of any names as columns; without images, every probe has its own."""
    codes = [
        np.unique(np.asarray(names), return_inverse=True)[1].astype(np.int64)
        for names in (probes, images)
        if names is not None
    ]
    return ScoredTexts(np.asarray(scores, np.float64), np.asarray(is_right, bool), codes[0], codes[-1])


def measure_pairs(pairs: ScoredTexts, *, threshold: float = 0.5) -> dict[str, Estimate]:
    """Compute every measure of scored texts.

    `recall_right` and `recall_foiled` are p_c and p_f of the paper's Tables 1 and 2 and of VALSE, `precision_right` and
    `precision_foiled` those of Table 3. `min_recall` is the smaller of both recalls.
    """
    accepts, right = pairs.scores > threshold, pairs.is_right
    is_correct = np.asarray(accepts == right, np.float64)
    chosen = {
        "accuracy": np.ones(len(right), bool),
        "recall_right": right,
        "recall_foiled": ~right,
        "precision_right": accepts,
        "precision_foiled": ~accepts,
    }
    columns = {
        name: _Column(is_correct[rows], pairs.images[rows], is_mixed=not name.startswith("recall"))
        for name, rows in chosen.items()
    }
    has_both = bool(right.any() and not right.all())
    if has_both:
        weights = np.where(right, 0.5 / right.mean(), 0.5 / (~right).mean())
        columns["balanced_accuracy"] = _Column(is_correct, pairs.images, weights, is_mixed=True)
        columns["auroc"] = _Column(_linearise_auroc(pairs), pairs.images, is_mixed=True)
    margins, images = compare_foils(pairs)
    for ties, name in PAIRWISE.items():
        columns[name] = _Column(np.where(margins == 0, TIES[ties], margins > 0), images)
    columns["tied_pairs"] = _Column(np.asarray(margins == 0, np.float64), images)
    found = _estimate_all({name: one for name, one in columns.items() if len(one.values)})
    if has_both:
        found["min_recall"] = _take_smaller(found["recall_right"], found["recall_foiled"])
    return found


class _Column(NamedTuple):
    """Values whose mean is a share, with their clusters and optional weights.

    Right and foiled texts of one image are negatively correlated, so with mixed texts the variance may be below the
    binomial one; it must not be bounded from below.
    """

    values: Floats
    images: Integers
    weights: Floats | None = None
    is_mixed: bool = False


def _estimate_all(columns: Mapping[str, _Column]) -> dict[str, Estimate]:
    """Estimate the shares of several columns at once; n is the number of values."""
    if not columns:
        return {}
    parts = []
    for place, (values, images, weights, is_mixed) in enumerate(columns.values()):
        n = len(values)
        is_bounded = not is_mixed or float(np.ptp(values)) < ROUNDING
        counts = np.full(n, 1 if is_bounded else n)  # n is enough to lift the bound
        parts.append((values, images, np.ones(n) if weights is None else weights, counts, np.full(n, place)))
    values, images, weights, counts, groups = (np.concatenate(one) for one in zip(*parts, strict=True))
    found = zip(columns.items(), estimate(values, images, None, weights, group=groups, count=counts), strict=True)
    return {name: replace(share, n=len(column.values)) for (name, column), share in found}


def compare_foils(pairs: ScoredTexts) -> tuple[Floats, Integers]:
    """Return the score of the right text minus that of each foil, for probes with a right text, and the images."""
    probes = int(pairs.probes.max(initial=-1)) + 1
    right = np.full(probes, np.nan)
    right[pairs.probes[pairs.is_right]] = pairs.scores[pairs.is_right]
    margins = right[pairs.probes[~pairs.is_right]] - pairs.scores[~pairs.is_right]
    is_known = ~np.isnan(margins)
    return margins[is_known], pairs.images[~pairs.is_right][is_known]


def _linearise_auroc(pairs: ScoredTexts) -> Floats:
    """Return one value per row whose mean is the area under the ROC curve, with ties half, and whose variance is its
    own.

    They are DeLong's components, weighted so that clusters of images add up (Obuchowski 1997, Biometrics 53, 567-578).
    """
    right, n = pairs.is_right, len(pairs.scores)
    ranks, own = _rank(pairs.scores), np.empty(n)
    own[right], own[~right] = _rank(pairs.scores[right]), _rank(pairs.scores[~right])
    # How many of the other kind rank below; for foils, the share of right texts that do not.
    below = (ranks - own) / np.where(right, n - right.sum(), right.sum())
    shares = np.where(right, below, 1 - below)
    area = float(shares[right].mean())
    return np.asarray(area + (shares - area) * n / np.where(right, right.sum(), n - right.sum()))


def _rank(scores: Floats) -> Floats:
    """Rank scores from the lowest; ties share the average rank."""
    _, codes, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes], np.float64)


def _take_smaller(one: Estimate, other: Estimate) -> Estimate:
    smaller = min(one, other, key=lambda each: each.value)
    method = f"the smaller of both recalls; {smaller.method}"
    return replace(smaller, low=min(one.low, other.low), high=min(one.high, other.high), method=method)


def rank_number(scores: Mapping[str, float], number: int) -> float:
    """Rank the best form of a number ("1", "one", "a") among all numerals; other words do not count.

    Tied forms share the average rank; forms without a score tie for last.
    """
    given = {word.lower(): score for word, score in scores.items() if word.lower() in NUMERALS}
    known = dict.fromkeys(NUMERALS, -np.inf) | given
    best = max((known[word] for word, value in NUMERALS.items() if value == number), default=-np.inf)
    above = sum(score > best for score in known.values())
    beside = sum(score == best and NUMERALS[word] != number for word, score in known.items())
    return 1 + above + beside / 2


def measure_ranks(ranks: Sequence[float] | Floats, images: Sequence[Any] | NDArray[Any]) -> dict[str, Estimate]:
    """Compute the share of numbers ranked first or among the first, and the mean rank."""
    given, names = np.asarray(ranks, np.float64), np.asarray(images)
    if not len(given):
        return {}
    shares = {f"recall@{k}": estimate((given <= k).astype(np.float64), names)[0] for k in (1, 2, 5)}
    return {**shares, "mean_rank": estimate(given, names, scale=error_scale(low=1.0))[0]}


def measure_said(said: Sequence[float | None], answers: Sequence[int], images: Sequence[Any]) -> dict[int, Estimate]:
    """Compute the share of each number among wrong answers, the most frequent first."""
    wrong = [(number, image) for number, answer, image in zip(said, answers, images, strict=True) if number != answer]
    clusters = [image for _, image in wrong]
    found = {
        number: estimate([float(one == number) for one, _ in wrong], clusters)[0]
        for number in {int(number) for number, _ in wrong if number is not None and number == int(number)}
    }
    return dict(sorted(found.items(), key=lambda pair: (-pair[1].value, pair[0])))


def bin_number(number: int) -> str:
    """Return a number's bin in the paper's Table 7."""
    return BINS[max(least for least in BINS if least <= number)]


def numbers_of_probes(probes: Sequence[Probe]) -> ScoredTexts:
    """List the numbers of probes as given, including invalid foils: those that are right, or given twice."""
    rows = [
        (number, is_right, place, probe.image)
        for place, probe in enumerate(probes)
        for number, is_right in [(probe.answer, True), *((foil, False) for foil in probe.foils)]
    ]
    numbers, is_right, places, images = zip(*rows, strict=True)
    return replace(make_pairs(np.zeros(len(rows)), is_right, places, images), numbers=np.array(numbers, np.int64))


def prefer_smaller(these: ScoredTexts, _: ScoredTexts) -> Floats:
    """The smaller a number in its probe, the better: the share of the others that are larger."""
    rows = pl.DataFrame({"probe": these.probes, "number": these.numbers})
    smaller = pl.col("number").rank("average").over("probe") - 1
    others = pl.max_horizontal(pl.len().over("probe") - 1, 1)
    return rows.select(1 - smaller / others).to_series().to_numpy()


def prefer_even(these: ScoredTexts, _: ScoredTexts) -> Floats:
    """Even numbers, including 0, are right."""
    return np.asarray(these.numbers % 2 == 0, np.float64)


def by_majority(these: ScoredTexts, learnt: ScoredTexts) -> Floats:
    """The most frequent answer is right."""
    commonest = np.argmax(np.bincount(learnt.numbers[learnt.is_right]))  # of several the smallest
    return np.asarray(these.numbers == commonest, np.float64)


def by_prior(these: ScoredTexts, learnt: ScoredTexts) -> Floats:
    """A number's rate of being right in the training data, with one more of each kind.

    If that is the same data, each half of the images is scored by the other.
    """
    if learnt is not these:
        return _count_right(learnt, np.ones(len(learnt.numbers), bool))(these.numbers)
    scores = np.empty(len(these.numbers))
    for half in (0, 1):
        mine = these.images % 2 == half
        scores[mine] = _count_right(these, ~mine)(these.numbers[mine])
    return scores


def _count_right(learnt: ScoredTexts, rows: Booleans) -> Callable[[Integers], Floats]:
    numbers, codes = np.unique(learnt.numbers, return_inverse=True)
    right, all_of = (np.bincount(codes[chosen], minlength=len(numbers)) for chosen in (rows & learnt.is_right, rows))
    shares = dict(zip(numbers.tolist(), ((right + 1) / (all_of + 2)).tolist(), strict=True))
    return lambda wanted: np.array([shares.get(number, 0.5) for number in wanted.tolist()])


def _constantly(score: float) -> Callable[[ScoredTexts, ScoredTexts], Floats]:
    return lambda these, _: np.full(len(these.numbers), score)


BASELINES: Mapping[str, Callable[[ScoredTexts, ScoredTexts], Floats]] = {
    "the smaller number": prefer_smaller,
    "the most frequent answer": by_majority,
    "even numbers": prefer_even,
    "the number's prior": by_prior,
    "always foil": _constantly(0.5),
    "always right": _constantly(1.0),
}
"""Functions that score texts by their numbers and by numbers to learn from: training data, or the same."""


def measure_baselines(these: ScoredTexts, learnt: ScoredTexts | None = None) -> dict[str, dict[str, Estimate]]:
    """Compute every measure of every baseline."""
    return {
        name: measure_pairs(replace(these, scores=score(these, these if learnt is None else learnt)))
        for name, score in BASELINES.items()
    }
