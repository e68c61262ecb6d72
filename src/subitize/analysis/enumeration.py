"""How models name or draw numbers: the measures of Testolin, Hou and Zorzi (2025) and beyond, for counting suites."""

import heapq
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.controls import score_controls
from subitize.analysis.observations import NO_JUDGE, Observation
from subitize.analysis.scoring import estimate_error
from subitize.analysis.tidy import frame_counts, is_count
from subitize.drawing.stimuli import magnitudes
from subitize.errors import NothingToDoError
from subitize.records import Answer, Estimate, Stimulus
from subitize.stats.confusion import (
    LEAST_PER_CELL,
    confusion_matrix,
    correlate,
    distance,
    highest_response,
    human_matrix,
    least_alike,
    pearson,
    random_matrix,
)
from subitize.stats.cues import Coefficient, CueModel, Cues, Seen, find_cue
from subitize.stats.intervals import wilson_interval
from subitize.stats.knower_levels import KnowerLevel, KnownNumber, knower_level
from subitize.stats.scalar_variability import ScalarVariability, Spread, scalar_variability
from subitize.stats.signed_ranks import Direction, signed_rank_test
from subitize.stats.weber import CurvePoint, Weber, fit_weber

__all__ = [
    "ALL",
    "LEAST_PER_CELL",
    "Abstraction",
    "Baseline",
    "Bias",
    "Coefficient",
    "CueModel",
    "Cues",
    "CurvePoint",
    "Enumeration",
    "KnowerLevel",
    "KnownNumber",
    "ScalarVariability",
    "Spread",
    "Weber",
    "WordingScore",
    "baselines",
    "evaluate",
]

ALL = "all"

SUBITIZING = 4  # numbers up to here are seen exactly, so the Weber fraction is that of the numbers above

# Measuring a picture takes a millisecond; this many, the same for all models, tell which cue is followed.
_MOST_PICTURES = 400


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


@dataclass(frozen=True, slots=True)
class Enumeration:
    """How one model enumerates, as one judge read it, on one suite of one run.

    `wording` is the wording kept (None where the suite has none) and every figure below rests on it alone;
    `wordings` has all of them. `control` is the share of answers to "What does the image represent?" that name
    apples or fruit. `accuracy` counts refusals as wrong, `accuracy_answered` leaves them out. `zeros` are
    responses of 0: drawn pictures with nothing to count are discarded; an answer of 0 is wrong, and has no place
    in a matrix. The exact matrix of random answers correlates with nothing, as all its shares are equal: how near
    a model is to it, and to the ideal human, is told by distances (0: the same, 1: nothing in common).
    `smallest_cell` is the fewest eligible trials of a number in a category; the paper wants 20. `excluded` are
    observations of the wording kept whose items were excluded.

    Knower level, correlation and distances give every category equal weight, whatever the number of its trials; the
    matrix of ALL, the Weber fraction, scalar variability, accuracy and errors pool trials, so that a category with
    more of them weighs more.

    `matrices` are counts, one matrix per category and ALL: rows are the responses 1..k (`responses`), what
    is above in the last; columns are the targets (`numbers`).
    """

    run: str
    suite: str
    model: str
    judge: str
    wording: str | None
    wordings: tuple[WordingScore, ...]
    control: Estimate | None
    accuracy: Estimate | None
    accuracy_answered: Estimate | None
    mae: Estimate | None
    nae: Estimate | None
    eligible: int
    discarded: int
    refused: int
    zeros: int
    excluded: int
    smallest_cell: int
    knower: KnowerLevel | None
    human_correlation: Estimate | None
    human_distance: Estimate | None
    random_distance: Estimate | None
    abstraction: Abstraction | None
    biases: tuple[Bias, ...]
    scalar: ScalarVariability | None
    weber: Weber | None
    cues: Cues | None
    categories: tuple[str, ...]
    numbers: tuple[int, ...]
    responses: tuple[int, ...]
    matrices: Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Exact figures of an observer whose law is known, on the same numbers: no sample, so no interval.

    The correlation with the ideal human is None for random answers: all their shares are equal.
    """

    name: Literal["ideal human", "random"]
    accuracy: float
    mae: float
    nae: float
    human_correlation: float | None


def evaluate(observed: Mapping[str, Sequence[Observation]]) -> list[Enumeration]:
    """Measure every model on every suite of counts, from the observations of each run, by its name.

    The control score needs what `observe_controls` finds among them; it enters nothing else.
    Cues are pooled over the runs: pictures with one magnitude held constant tell more beside those with another.
    """
    kept = [one for run, observations in observed.items() for one in _keep(run, observations)]
    if not kept:
        raise NothingToDoError(_what_is_missing(observed))
    cues = _find_cues(kept)
    return [replace(_measure(one), cues=cues.get(one.key)) for one in kept]


def _what_is_missing(observed: Mapping[str, Sequence[Observation]]) -> str:
    if any(is_count(one) for observations in observed.values() for one in observations):
        return "all counts are excluded; take an exclusion back with: subitize exclude RUN ITEM --reason WHY --undo"
    return (
        "there are no counts to measure: these figures need items with the factors number and category, as those of "
        "naming and production; for others: subitize score RUN"
    )


def baselines(numbers: Sequence[int]) -> tuple[Baseline, ...]:
    """Give the exact figures of the ideal human and of random answers on these numbers, each shown equally often."""
    highest = highest_response(numbers)
    human, random = human_matrix(numbers, highest), random_matrix(numbers, highest)
    return _baseline("ideal human", human, human, numbers), _baseline("random", random, human, numbers)


def _baseline(
    name: Literal["ideal human", "random"],
    law: NDArray[np.float64],
    human: NDArray[np.float64],
    numbers: Sequence[int],
) -> Baseline:
    targets = np.asarray(numbers)
    errors = law * np.abs(np.arange(1, len(law) + 1)[:, None] - targets)
    accuracy = float(law[targets - 1, np.arange(len(targets))].mean())
    mae, nae = float(errors.sum(axis=0).mean()), float((errors / targets).sum(axis=0).mean())
    correlation = float(pearson(law, human))
    return Baseline(name, accuracy, mae, nae, correlation if np.isfinite(correlation) else None)


class _Key(NamedTuple):
    suite: str
    model: str
    judge: str


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What one model's figures rest on: the rows of the wording kept, and what became of the rest."""

    run: str
    key: _Key
    rows: pl.DataFrame
    wording: str | None
    wordings: tuple[WordingScore, ...]
    control: Estimate | None
    excluded: int
    pictures: Mapping[str, Stimulus]


def _keep(run: str, observations: Sequence[Observation]) -> list[_Kept]:
    controls = score_controls(observations)
    excluded = Counter((_key(one), _wording(one)) for one in observations if one.is_excluded and is_count(one))
    pictures = {
        one.item.id: one.item.task.picture
        for one in observations
        if isinstance(one.item.task, Answer) and isinstance(one.item.task.picture, Stimulus)
    }
    found = []
    for rows in frame_counts(observations).partition_by(*_Key._fields, maintain_order=True):
        key = _Key(*rows.select(_Key._fields).row(0))
        scores = {name: _wording_score(str(name), part) for (name,), part in _by_wording(rows)}
        wording = _best_wording(scores)
        kept = rows.filter(pl.col("wording").eq_missing(wording))
        named = tuple(score for name, score in scores.items() if name is not None)
        # Where every control question was refused, nobody judged it, and the score is that of all judges of the counts.
        control = controls.get(key, controls.get(key._replace(judge=NO_JUDGE)))
        found.append(_Kept(run, key, kept, wording, named, control, excluded[key, wording], pictures))
    return found


def _key(one: Observation) -> _Key:
    return _Key(one.item.suite, one.model, one.judge)


def _wording(one: Observation) -> str | None:
    wording = one.item.factors.get("wording")
    return None if wording is None else str(wording)


def _by_wording(rows: pl.DataFrame) -> Iterable[tuple[tuple[object, ...], pl.DataFrame]]:
    return rows.group_by("wording", maintain_order=True)


def _wording_score(name: str, rows: pl.DataFrame) -> WordingScore:
    figures = _figures(rows)
    return WordingScore(name, figures.accuracy, figures.mae, figures.nae, figures.eligible)


def _best_wording(scores: Mapping[object, WordingScore]) -> str | None:
    """Choose the smallest mean absolute error, the first of equal ones, among wordings that were answered.

    One that hardly ever gets a usable answer cannot win by being right in those few: it must have half as many as the
    most answered.
    """
    most = max(score.n for score in scores.values())
    answered = {name: score.mae.value for name, score in scores.items() if score.mae and 2 * score.n >= most}
    best = min(answered, key=lambda name: answered[name]) if answered else next(iter(scores))
    return None if best is None else str(best)


class _Figures(NamedTuple):
    accuracy: Estimate | None
    accuracy_answered: Estimate | None
    mae: Estimate | None
    nae: Estimate | None
    eligible: int
    refused: int


def _figures(rows: pl.DataFrame) -> _Figures:
    refused = int((rows["status"] == "refused").sum())
    response, number = _eligible(rows)
    errors = np.abs(response - number)
    n, right = len(errors), int((errors == 0).sum())
    return _Figures(
        wilson_interval(right, n + refused) if n + refused else None,
        wilson_interval(right, n) if n else None,
        estimate_error(errors.tolist(), [1.0] * n) if n else None,
        estimate_error((errors / number).tolist(), (1 / number).tolist()) if n else None,
        n,
        refused,
    )


def _eligible(rows: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give responses and targets of the rows that have a count."""
    counted = rows.filter(pl.col("status") == "eligible")
    return counted["response"].to_numpy(), counted["number"].to_numpy()


def _measure(kept: _Kept) -> Enumeration:
    rows = kept.rows
    figures = _figures(rows)
    numbers = tuple(rows["number"].unique().sort().to_list())
    categories = tuple(rows["category"].unique(maintain_order=True).to_list())
    response, number = _eligible(rows)
    highest = highest_response(numbers)
    parts = [_eligible(rows.filter(pl.col("category") == category)) for category in categories]
    counts = np.stack([confusion_matrix(*part, numbers, highest) for part in parts])
    trials = np.array([[int((shown == target).sum()) for target in numbers] for _, shown in parts])
    pooled = counts.sum(axis=0)
    return Enumeration(
        *(kept.run, *kept.key, kept.wording, kept.wordings, kept.control),
        *(figures.accuracy, figures.accuracy_answered, figures.mae, figures.nae),
        eligible=figures.eligible,
        discarded=int((rows["status"] == "discarded").sum()),
        refused=figures.refused,
        zeros=int((rows["response"].round() == 0).sum()),
        excluded=kept.excluded,
        smallest_cell=int(trials.min()),
        knower=knower_level(counts, numbers, trials) if figures.eligible else None,
        human_correlation=correlate(counts, human_matrix(numbers, highest)),
        human_distance=distance(counts, human_matrix(numbers, highest)),
        random_distance=distance(counts, random_matrix(numbers, highest)),
        abstraction=_abstraction(counts, categories),
        biases=tuple(_biases(rows, categories)),
        scalar=scalar_variability(response, number),
        weber=fit_weber(pooled, numbers, subitizing=SUBITIZING if max(numbers) > SUBITIZING else 0),
        cues=None,
        categories=categories,
        numbers=numbers,
        responses=tuple(range(1, highest + 1)),
        matrices={ALL: pooled, **dict(zip(categories, counts, strict=True))},
    )


def _abstraction(counts: NDArray[np.int64], categories: Sequence[str]) -> Abstraction | None:
    found = least_alike(counts)
    if found is None:
        return None
    estimate, (one, other) = found
    return Abstraction(estimate, (categories[one], categories[other]))


def _biases(rows: pl.DataFrame, categories: Sequence[str]) -> Iterable[Bias]:
    counted = rows.filter(pl.col("status") == "eligible").with_columns(
        error=pl.col("response") - pl.col("number"),
        stratum=pl.struct("category", "number").rank("dense").cast(pl.Int64),
    )
    for category in (ALL, *categories):
        part = counted if category == ALL else counted.filter(pl.col("category") == category)
        found = signed_rank_test(part["error"].to_numpy(), part["stratum"].to_numpy())
        if found is not None:
            yield Bias(category, found.direction, found.r, found.z, found.p, found.n)


def _find_cues(kept: Iterable[_Kept]) -> dict[_Key, Cues]:
    shown: dict[_Key, list[_Shown]] = defaultdict(list)
    for one in kept:
        counted = one.rows.filter(pl.col("status") == "eligible")
        if one.pictures:
            shown[one.key].append(_Shown(one.pictures, counted["item_id"].to_list(), counted["response"].to_list()))
    measured: dict[Stimulus, _Magnitudes] = {}
    # By a hash, so that models that saw the same pictures are measured on the same ones.
    lot = lru_cache(None)(lambda picture: zlib.crc32(repr(picture).encode()))
    found = {}
    for key, parts in shown.items():
        pictures = {part.pictures[id] for part in parts for id in set(part.item_ids) & part.pictures.keys()}
        chosen = heapq.nsmallest(_MOST_PICTURES, pictures, key=lot)
        for picture in chosen:
            if picture not in measured:
                measured[picture] = _measure_picture(picture)
        found[key] = _find_cue(parts, {picture: measured[picture] for picture in chosen})
    return {key: cues for key, cues in found.items() if cues is not None}


class _Shown(NamedTuple):
    """The pictures of one run by item, and the responses to its items."""

    pictures: Mapping[str, Stimulus]
    item_ids: list[str]
    responses: list[float]


_Magnitudes = tuple[float, float, float]


def _measure_picture(picture: Stimulus) -> _Magnitudes:
    found = magnitudes(picture)
    return found.number, found.mean_item_area_px, found.convex_hull_px


def _find_cue(parts: Iterable[_Shown], measured: Mapping[Stimulus, _Magnitudes]) -> Cues | None:
    rows = []
    for part in parts:
        by_item = {id: measured[picture] for id, picture in part.pictures.items() if picture in measured}
        rows += [
            (response, *by_item[id])
            for id, response in zip(part.item_ids, part.responses, strict=True)
            if id in by_item
        ]
    return find_cue(Seen(*np.array(rows, dtype=np.float64).reshape(-1, 4).T))
