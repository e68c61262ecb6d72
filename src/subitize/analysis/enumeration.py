"""How models name or draw numbers: which answers are kept, and what is measured of them."""

import heapq
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis import measures
from subitize.analysis.controls import score_controls
from subitize.analysis.measures import ALL, Enumeration, Kept, WordingScore
from subitize.analysis.observations import NO_JUDGE, Observations
from subitize.analysis.tidy import frame_counts
from subitize.drawing.stimuli import magnitudes
from subitize.errors import NothingToDoError
from subitize.frames import group_rows
from subitize.records import Answer, Stimulus
from subitize.stats.confusion import LEAST_PER_CELL, highest_response, human_matrix, pearson, random_matrix
from subitize.stats.cues import Cues, Seen, find_cue

__all__ = ["ALL", "LEAST_PER_CELL", "Baseline", "Enumeration", "baselines", "evaluate"]

# Measuring a picture takes a millisecond; this many, the same for all models, tell which cue is followed.
_MOST_PICTURES = 400


Observer = Literal["perfect counter", "ideal human", "random"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Exact figures of an observer whose law is known, on the same numbers: no sample, so no interval.

    The correlation with the ideal human is None for random answers: all their shares are equal.
    """

    name: Observer
    accuracy: float
    mae: float
    nae: float
    human_correlation: float | None


def evaluate(observed: Mapping[str, Observations]) -> list[Enumeration]:
    """Measure every model on every suite of counts, from what was observed in each run, by its name.

    The control score needs the asks that enter no other figure among them.
    Cues are pooled over the runs: pictures with one magnitude held constant tell more beside those with another.
    """
    counts = {run: frame_counts(seen) for run, seen in observed.items()}
    found = [one for run, seen in observed.items() for one in _keep(run, counts[run], seen)]
    if not found:
        raise NothingToDoError(
            "all counts are excluded; take an exclusion back with: subitize exclude RUN ITEM --reason WHY --undo"
            if any(rows.height for rows in counts.values())
            else "there are no counts to measure: these figures need items with the factors number and category, as "
            "those of naming and production; for others: subitize score RUN"
        )
    cues = _find_cues(found)
    return [replace(one, kept=replace(one.kept, cues=cues.get(_key(one)))) for one in found]


def baselines(numbers: Sequence[int]) -> tuple[Baseline, ...]:
    """Give the exact figures of observers whose law is known on these numbers, each shown equally often."""
    highest = highest_response(numbers)
    human = human_matrix(numbers, highest)
    laws: dict[Observer, NDArray[np.float64]] = {
        "perfect counter": np.eye(highest)[:, np.asarray(numbers) - 1],
        "ideal human": human,
        "random": random_matrix(numbers, highest),
    }
    return tuple(_baseline(name, law, human, numbers) for name, law in laws.items())


def name_baselines(given: Iterable[Sequence[int]]) -> list[tuple[str, Baseline]]:
    """Give the baselines for each distinct set of numbers, named with its range where there are several."""
    sets = sorted({tuple(sorted(set(numbers))) for numbers in given})
    return [
        (one.name + f", {write_range(numbers)}" * (len(sets) > 1), one)
        for numbers in sets
        for one in baselines(numbers)
    ]


def write_range(numbers: Sequence[int]) -> str:
    """Write sorted numbers in short: those that follow each other as 1–10."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans)


def _baseline(
    name: Observer,
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


def _keep(run: str, counts: pl.DataFrame, seen: Observations) -> Iterator[Enumeration]:
    controls = score_controls(seen)
    excluded = counts.filter("is_excluded").group_by(*_Key._fields, "wording").len()
    left_out = {(_Key(*key), wording): count for *key, wording, count in excluded.iter_rows()}
    pictures = {
        item.id: item.task.picture
        for item in seen.seen_items()
        if isinstance(item.task, Answer) and isinstance(item.task.picture, Stimulus)
    }
    for rows in counts.filter(~pl.col("is_excluded")).partition_by(*_Key._fields, maintain_order=True):
        key = _Key(*rows.select(_Key._fields).row(0))
        scores = {name: _score_wording(str(name), part) for (name,), part in _by_wording(rows)}
        wording = _best_wording(scores)
        kept = Kept(rows.filter(pl.col("wording").eq_missing(wording)), left_out.get((key, wording), 0), pictures)
        named = tuple(score for name, score in scores.items() if name is not None)
        # Where every control question was refused, nobody judged it, and the score is that of all judges of the counts.
        control = controls.get(key, controls.get(key._replace(judge=NO_JUDGE)))
        yield Enumeration(run, *key, wording, named, control, kept)


def _key(one: Enumeration) -> _Key:
    return _Key(one.suite, one.model, one.judge)


def _by_wording(rows: pl.DataFrame) -> Iterable[tuple[tuple[object, ...], pl.DataFrame]]:
    return rows.group_by("wording", maintain_order=True)


def _score_wording(name: str, rows: pl.DataFrame) -> WordingScore:
    kept = Kept(rows)
    errors = measures.mean_absolute_error(kept), measures.normalized_absolute_error(kept)
    return WordingScore(name, measures.accuracy(kept), *errors, measures.eligible(kept))


def _best_wording(scores: Mapping[object, WordingScore]) -> str | None:
    """Choose the smallest mean absolute error, the first of equal ones, among wordings that were answered.

    One that hardly ever gets a usable answer cannot win by being right in those few: it must have half as many as the
    most answered.
    """
    most = max(score.n for score in scores.values())
    answered = {name: score.mae.value for name, score in scores.items() if score.mae and 2 * score.n >= most}
    best = min(answered, key=lambda name: answered[name]) if answered else next(iter(scores))
    return None if best is None else str(best)


def _find_cues(found: Iterable[Enumeration]) -> dict[_Key, Cues | None]:
    by_key = group_rows((one for one in found if one.kept.pictures), _key)
    # By a hash, so that models that saw the same pictures are measured on the same ones.
    lot = lru_cache(None)(lambda picture: zlib.crc32(repr(picture).encode()))
    measure = lru_cache(None)(_measure_picture)
    cues = {}
    for key, own in by_key.items():
        parts = [one.kept for one in own]
        pictures = {kept.pictures[id] for kept in parts for id in set(_counted(kept)["item"]) & kept.pictures.keys()}
        measured = {picture: measure(picture) for picture in heapq.nsmallest(_MOST_PICTURES, pictures, key=lot)}
        places = {picture: place for place, picture in enumerate(measured)}
        rows = [row for kept in parts for row in _measured_rows(kept, measured, places)]
        response, number, area, hull, place = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        cues[key] = find_cue(Seen(response, number, area, hull, place.astype(np.int64)))
    return cues


_Magnitudes = tuple[float, float, float]


def _measure_picture(picture: Stimulus) -> _Magnitudes:
    found = magnitudes(picture)
    return found.number, found.mean_item_area_px, found.convex_hull_px


def _counted(kept: Kept) -> pl.DataFrame:
    return kept.rows.filter(pl.col("status") == "eligible").select("item", "response")


def _measured_rows(
    kept: Kept, measured: Mapping[Stimulus, _Magnitudes], places: Mapping[Stimulus, int]
) -> Iterator[tuple[float, ...]]:
    """Put what was measured in a picture beside each response to it, and which picture it is."""
    by_item = {
        id: (*measured[picture], places[picture]) for id, picture in kept.pictures.items() if picture in measured
    }
    for id, response in _counted(kept).iter_rows():
        if id in by_item:
            yield response, *by_item[id]
