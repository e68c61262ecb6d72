"""Measure every model that names or draws numbers, beside exact figures of observers with known laws."""

import heapq
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.design import estimate_by, with_units
from subitize.analysis.measures import ALL, CountingReport, WordingScore
from subitize.analysis.provenance import Group
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE, Frame
from subitize.io.frames import group_rows, make_frame
from subitize.records import Answer, Estimate, Stimulus
from subitize.stats.confusion import LEAST_PER_CELL, highest_response, human_matrix, pearson, random_matrix
from subitize.stats.cues import CueResponses, Cues, find_cues
from subitize.stimuli.recipes import magnitudes

__all__ = ["ALL", "LEAST_PER_CELL", "Baseline", "CountingReport", "baselines", "measure_counting"]


# Measuring a picture takes a millisecond; this many, the same for all models, suffice to find the cue.
_MOST_PICTURES = 400
_CONTROL = "control"
# Section 2.1.1 accepts these: "apple(s)" and "fruit".
_RIGHT_CONTROL = r"(?i)\b(apples?|fruits?)\b"

Observer = Literal["perfect counter", "ideal human", "random"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Exact figures of an observer with a known law, on the same numbers: no sample, so no interval.

    The correlation with the ideal human is None for random answers: all their shares are equal.
    """

    name: Observer
    accuracy: float
    mae: float
    nae: float
    human_correlation: float | None


def measure_counting(observed: Mapping[str, Frame]) -> list[CountingReport]:
    """Measure every model on every suite of counts, from the frames of runs by name.

    The control score needs asks that enter no other figure, so frames should include them.
    Cues are pooled over the runs: pictures with one magnitude held constant are more informative beside those with
    another.
    """
    counts = {run: frame_counts(seen) for run, seen in observed.items()}
    found = [one for run, seen in observed.items() for one in _keep(run, counts[run], seen)]
    if not found:
        raise NothingToDoError(
            "all counts are excluded; take an exclusion back with: subitize show RUN --exclude ITEM --reason WHY --undo"
            if any(rows.height for rows in counts.values())
            else "there are no counts to measure: these figures need items with the factors number and category, as "
            "those of naming and production; for others: subitize score RUN"
        )
    cues = _find_cues(found)
    return [replace(one, pooled_cues=cues.get(_key(one))) for one in found]


def baselines(numbers: Sequence[int]) -> tuple[Baseline, ...]:
    """Compute the exact figures of observers with known laws on these numbers, each shown equally often."""
    highest = highest_response(numbers)
    human = human_matrix(numbers, highest)
    laws: dict[Observer, NDArray[np.float64]] = {
        "perfect counter": np.eye(highest)[:, np.asarray(numbers) - 1],
        "ideal human": human,
        "random": random_matrix(numbers, highest),
    }
    targets = np.asarray(numbers)
    found = []
    for name, law in laws.items():
        errors = law * np.abs(np.arange(1, highest + 1)[:, None] - targets)
        accuracy = float(law[targets - 1, np.arange(len(targets))].mean())
        mae, nae = float(errors.sum(axis=0).mean()), float((errors / targets).sum(axis=0).mean())
        correlation = float(pearson(law, human))
        found.append(Baseline(name, accuracy, mae, nae, correlation if np.isfinite(correlation) else None))
    return tuple(found)


def name_baselines(given: Iterable[Sequence[int]]) -> list[tuple[str, Baseline]]:
    """Compute the baselines for each distinct set of numbers, named with its range if there are several."""
    sets = sorted({tuple(sorted(set(numbers))) for numbers in given})
    return [
        (one.name + f", {write_range(numbers)}" * (len(sets) > 1), one)
        for numbers in sets
        for one in baselines(numbers)
    ]


def write_range(numbers: Sequence[int]) -> str:
    """Write sorted numbers briefly: consecutive ones as 1–10."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans)


def frame_counts(observations: Frame) -> pl.DataFrame:
    """Take the observations of counts with one right number, in items with a category and that number.

    The wording is null if a suite has only one, and so is a missing response. Each answer is right by itself, whatever
    else was asked about the same subject.
    """
    counts = with_units(observations.filter(pl.col("is_number") & pl.col("is_relevant")))
    items = (
        (item.id, item.task.kind, str(of["category"]), of["number"], str(of["wording"]) if "wording" in of else None)
        for item in counts.seen_items()
        for of in [item.factors]
    )
    rows = counts.rows.join(make_frame(items, _FACTORS), on="item", maintain_order="left")
    return rows.with_columns(response="value", is_right="is_right_by_itself", group=pl.lit(1, pl.Int64))


_FACTORS: dict[str, pl.DataType] = {
    **dict.fromkeys(("item", "task", "category"), pl.String()),
    "number": pl.Int64(),
    "wording": pl.String(),
}


def _score_controls(observations: Frame) -> dict[tuple[str, ...], Estimate]:
    """Estimate the share of right answers to "What does the image represent?" by suite, model and judge.

    A refusal is wrong. The question enters no score, as it is not about number. Refusals count for every judge of that
    suite and model, and for NO_JUDGE if there is nothing else.
    """
    controls = [item.id for item in observations.seen_items() if item.factors.get("wording") == _CONTROL]
    asked = with_units(
        observations.kept().filter(
            pl.col("item").is_in(controls), pl.col("question_kind") == "name", pl.col("status") != "discarded"
        )
    )
    is_right = (pl.col("status") == "eligible") & pl.col("value_text").str.contains(_RIGHT_CONTROL)
    return estimate_by(asked.rows, is_right.fill_null(value=False).cast(pl.Float64), *Group._fields)


def _keep(run: str, counts: pl.DataFrame, seen: Frame) -> Iterator[CountingReport]:
    controls = _score_controls(seen)
    excluded = counts.filter("is_excluded").group_by(*Group._fields, "wording").len()
    left_out = {(Group(*key), wording): count for *key, wording, count in excluded.iter_rows()}
    pictures = {
        item.id: item.task.picture
        for item in seen.seen_items()
        if isinstance(item.task, Answer) and isinstance(item.task.picture, Stimulus)
    }
    for rows in counts.filter(~pl.col("is_excluded")).partition_by(*Group._fields, maintain_order=True):
        key = Group(*rows.select(Group._fields).row(0))
        # If every control question was refused, it has no judge, and the score holds for all judges of the counts.
        control = controls.get(key, controls.get(key._replace(judge=NO_JUDGE)))
        found = [
            CountingReport(run, *key, wording, (), control, part, left_out.get((key, wording), 0), pictures)
            for part in rows.partition_by("wording", maintain_order=True)
            for wording in [part["wording"][0]]
        ]
        scores = (
            WordingScore(one.wording, one.accuracy, one.mae, one.nae, one.eligible)
            for one in found
            if one.wording is not None
        )
        yield replace(_choose_wording(found), wordings=tuple(scores))


def _key(one: CountingReport) -> Group:
    return Group(one.suite, one.model, one.judge)


def _choose_wording(found: Sequence[CountingReport]) -> CountingReport:
    """Choose the wording with the smallest mean absolute error, the first of equal ones.

    A wording that hardly ever gets a usable answer cannot win by being right in those few: it must have at least half
    as many as the most answered one.
    """
    most = max(one.eligible for one in found)
    errors = {place: one.mae.value for place, one in enumerate(found) if one.mae and 2 * one.eligible >= most}
    return found[min(errors, key=errors.__getitem__) if errors else 0]


def _find_cues(found: Iterable[CountingReport]) -> dict[Group, Cues | None]:
    by_key = group_rows((one for one in found if one.pictures), _key)
    # Pictures are drawn by a hash, so that models that saw the same pictures are measured on the same ones.
    draw = lru_cache(None)(lambda picture: zlib.crc32(repr(picture).encode()))
    measure = lru_cache(None)(magnitudes)
    cues = {}
    for key, own in by_key.items():
        pictures = {one.pictures[id] for one in own for id in set(one.counted["item"]) & one.pictures.keys()}
        measured = {}
        for place, picture in enumerate(heapq.nsmallest(_MOST_PICTURES, pictures, key=draw)):
            shown = measure(picture)
            measured[picture] = (shown.number, shown.mean_item_area_px, shown.convex_hull_px, place)
        rows: list[tuple[float, ...]] = []
        for one in own:
            by_item = {id: measured[picture] for id, picture in one.pictures.items() if picture in measured}
            answers = one.counted.select("item", "response").iter_rows()
            rows += [(response, *by_item[id]) for id, response in answers if id in by_item]
        response, number, area, hull, seen = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        cues[key] = find_cues(CueResponses(response, number, area, hull, seen.astype(np.int64)))
    return cues
