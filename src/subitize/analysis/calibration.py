"""The score threshold at which a detector's counts best match people's."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import polars as pl

from subitize import __version__
from subitize.analysis.frame import check_judge, list_judges
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.frame import label_readings
from subitize.interfaces import Events, watch
from subitize.io import codec
from subitize.labels import PLURALITY, Rule, read_share
from subitize.labels.calibrations import Calibrated
from subitize.records import Box, Boxes, Count, Estimate
from subitize.stats import thresholds
from subitize.stats.boxes import Detections
from subitize.store import Run
from subitize.store.reading import VOTE, read_readings, read_responses
from subitize.store.rows import list_sources

LEAST_PAIRS = 10
IOUS: tuple[float, ...] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Search:
    """The judge whose scores are searched, the reference, the `metric` (nae or accuracy), and the procedure."""

    judge: str
    against: str = "human"
    metric: str = "nae"
    with_iou: bool = False
    folds: int = thresholds.FOLDS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """The quality of counts above a threshold; NAE is None if every true count is 0."""

    threshold: float
    nae: Estimate | None
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of a search: the curve at the chosen overlap, the best point on it, and its held-out quality.

    `result` has the held-out figures. `notes` say what was left out, and what to be wary of.
    """

    result: Calibrated
    best: ThresholdPoint
    curve: tuple[ThresholdPoint, ...]
    fold_thresholds: tuple[float, ...]
    fold_ious: tuple[float, ...]
    items: int
    notes: tuple[str, ...]


def calibrate(run: Run, search: Search, events: Events) -> Calibration:
    """Search for the threshold, and estimate by cross-validation over items how good it is."""
    metric = _check(search)
    pairs, notes = _pair_up(run, search)
    _check_enough(pairs, metric)
    options: Mapping[str, str] = next((entry.options for entry in run.judges() if entry.spec == search.judge), {})
    floor = read_share(options, "floor") or 0.0
    grid = tuple(threshold for threshold in thresholds.GRID if threshold >= floor)
    if not grid:
        raise BadValueError(f"the judge kept no boxes below {floor:g}, so that there is no threshold to search")
    ious = IOUS if search.with_iou else (_own_iou(run, search.judge, options),)
    # (picture, iou, threshold)
    counts = np.stack([thresholds.count_above(_scores(pair, ious), grid) for pair in watch(events, "pictures", pairs)])
    shape = (len(ious), len(grid))
    truth, items = [pair.true for pair in pairs], [pair.item_id for pair in pairs]
    errors = thresholds.find_errors(counts.reshape(len(truth), -1), truth, items)
    overlap, place = thresholds.choose(thresholds.average(errors, metric).reshape(shape), metric)
    folds = min(search.folds, _count_items(pairs, metric))
    held_out = thresholds.cross_validate(errors, metric, shape, folds=folds, seed=search.seed)
    chosen = thresholds.find_errors(counts[:, overlap], truth, items)
    naes = thresholds.estimate_settings(chosen, "nae") if chosen.has_nae else [None] * len(grid)
    accuracies = thresholds.estimate_settings(chosen, "accuracy")
    curve = tuple(ThresholdPoint(*each) for each in zip(grid, naes, accuracies, strict=True))
    return Calibration(
        Calibrated(
            search.judge,
            search.against,
            grid[place],
            ious[overlap],
            metric,
            len(truth),
            folds,
            held_out.nae,
            held_out.accuracy,
            datetime.now(UTC).date(),
            __version__,
        ),
        curve[place],
        curve,
        tuple(grid[threshold] for _, threshold in held_out.chosen),
        tuple(ious[iou] for iou, _ in held_out.chosen),
        len(set(items)),
        (*notes, *_warn(search, grid, place, folds)),
    )


class _Pair(NamedTuple):
    """A picture that both looked at: the judge's boxes and the reference count."""

    item_id: str
    question: Count
    boxes: tuple[Box, ...]
    true: float


def _check(search: Search) -> thresholds.Metric:
    metric = next((known for known in thresholds.METRICS if known == search.metric), None)
    if metric is None:
        raise UnknownNameError("metric", search.metric, thresholds.METRICS)
    if search.folds < 2:
        raise BadValueError(f"`folds` {search.folds}: cross-validation needs at least 2")
    if not 0 <= search.seed < 2**63:
        raise BadValueError(f"`seed` {search.seed}: should be from 0 to {2**63 - 1}")
    if search.judge == search.against:
        raise BadValueError(f"`against` {search.against}: a judge is not set against itself; name people's readings")
    return metric


def _pair_up(run: Run, search: Search) -> tuple[list[_Pair], list[str]]:
    """Find the pictures that both looked at, and describe those left out."""
    for judge in (search.judge, search.against):
        check_judge(run, judge)
    judged = read_readings(run, search.judge, (*VOTE, "evidence"))
    has_boxes = judged.filter(pl.col("evidence").str.contains('"kind":"boxes"', literal=True))
    if not has_boxes.height:
        raise NothingToDoError(
            f"the readings of {search.judge!r} have no boxes, so that there is no score to set a threshold for; "
            f"name a judge that finds boxes; judges with readings: {list_judges(run)}"
        )
    labels = label_readings(read_readings(run, search.against, VOTE), PLURALITY)
    is_yes_or_no = pl.col("value_text").is_in(["True", "False"])
    labels = labels.select("subject", "question", "label", number=pl.when(~is_yes_or_no).then("value"))
    # Groups of pictures drop out: they have no boxes.
    seen = has_boxes.join(read_responses(run), left_on="subject", right_on="trial", maintain_order="left")
    seen = seen.join(labels, on=["subject", "question"], how="left", maintain_order="left")
    asked = {
        (item.id, ask.question.id): ask.question
        for item in run.items()
        for ask in item.asks
        if isinstance(ask.question, Count)
    }
    excluded = run.exclusions()
    pairs: list[_Pair] = []
    left_out: Counter[str] = Counter()
    rows = seen.select("item", "question", "evidence", "label", "number").iter_rows()
    for id, question_id, text, label, number in rows:
        question = asked.get((id, question_id))
        if question is None:
            continue
        if question.place is not None:
            left_out["ask for a place, which depends on other things' boxes"] += 1
        elif id in excluded:
            left_out["are of excluded items"] += 1
        elif label is None:
            left_out[f"have no reading by {search.against}"] += 1
        elif number is None:
            left_out[f"have no number from {search.against}"] += 1
        else:
            evidence = codec.evidence.validate_json(text)
            boxes = evidence.boxes if isinstance(evidence, Boxes) else ()
            pairs.append(_Pair(id, question, boxes, number))
    notes = [f"{count} readings of {search.judge} {why}: left out" for why, count in left_out.items()]
    if zeros := sum(pair.true == 0 for pair in pairs):
        notes.append(f"{zeros} pictures have a true count of 0, which NAE cannot divide by: only accuracy has them")
    return pairs, notes


def _check_enough(pairs: Sequence[_Pair], metric: thresholds.Metric) -> None:
    if len(pairs) < LEAST_PAIRS:
        raise NothingToDoError(
            f"{len(pairs)} pictures have both boxes and a true count; a threshold needs at least {LEAST_PAIRS}, "
            "and a good one hundreds"
        )
    if _count_items(pairs, metric) < 2:
        what = "item with a true count above 0" if metric == "nae" else "item"
        other = "; --metric accuracy takes counts of 0, too" if metric == "nae" else ""
        raise NothingToDoError(f"cross-validation needs more than one {what} among the {len(pairs)} pictures{other}")


def _count_items(pairs: Iterable[_Pair], metric: thresholds.Metric) -> int:
    return len({pair.item_id for pair in pairs if pair.true > 0 or metric == "accuracy"})


def _own_iou(run: Run, judge: str, options: Mapping[str, str]) -> float:
    """Find the overlap by which the judge counts or, if it has none of its own, that of its readings' rule."""
    own = read_share(options, "iou")
    if own is not None:
        return own
    rules = {one.rule for one in list_sources(run) if one.judge == judge}
    found = {rule: Rule("boxes").over_stored(rule).iou for rule in rules}
    ious = {1.0 if iou is None else iou for iou in found.values()}
    if len(ious) > 1:
        raise BadValueError(
            f"the readings of {judge!r} were counted by rules of different overlaps, {', '.join(sorted(rules))}; "
            "search the overlap, too: `iou`"
        )
    return ious.pop()


def _scores(pair: _Pair, ious: Sequence[float]) -> list[list[float]]:
    """List the scores of all boxes that could count, for each maximal overlap."""
    found = Detections.of(pair.boxes).labelled(pair.question.noun)
    colour = pair.question.colour
    is_right = np.array([colour in (None, own) for own in found.colours], dtype=bool)
    overlaps = found.overlaps()
    return [found.scores[is_right & overlaps.unsuppressed(iou)].tolist() for iou in ious]


def _warn(search: Search, grid: Sequence[float], place: int, folds: int) -> Iterator[str]:
    if grid[0] > thresholds.GRID[0]:
        yield f"{search.judge} kept no boxes below {grid[0]:g}: the search starts there"
    if place == 0 and len(grid) > 1:
        lower = ", a lower one may be better: judge again with a lower floor" if grid[0] > thresholds.GRID[0] else ""
        yield f"the best threshold is the lowest that was tried{lower}"
    if folds < search.folds:
        with_what = " with a true count above 0" if search.metric == "nae" else ""
        yield f"{folds} folds instead of {search.folds}, as there are no more items{with_what}"
