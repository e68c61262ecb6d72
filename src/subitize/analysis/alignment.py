"""How well drawings fit their prompts, according to judges that ask about the whole prompt.

Depending on the judge, a drawing's score is the share of right answers to the yes-or-no questions of the prompt's scene
graph, where an answer counts only if all those that it depends on are right; the score that a network gives the prompt;
or the similarity of the text written in it to the one asked for. Every judge that answered all questions counts: a
model, the observer, people.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import polars as pl

from subitize.analysis.design import assign_units, by_factor, check_factors, cluster_of, units_of
from subitize.analysis.frame import RunFrame, list_judges
from subitize.errors import NothingToDoError
from subitize.frame import Frame, label_readings, latest_attempts, read_label
from subitize.io.frames import make_frame
from subitize.judges.asking import graph_of
from subitize.judges.ocr import text_asks
from subitize.labels import PLURALITY
from subitize.language.questions import Node
from subitize.language.texts import normalised_edit_distance, normalised_word_distance
from subitize.records import Design, Draw, Estimate, Fit, Item, Known, Value, as_float
from subitize.stats.estimate import MEAN, SHARE, Scale, Units, estimate, first_units
from subitize.store import Run
from subitize.store.reading import VOTE, read_readings, read_responses
from subitize.store.rows import read_designs

AlignmentMeasure = Literal["graph", "fit", "text", "text_words", "text_exact"]
MEASURES: dict[AlignmentMeasure, str] = {
    "graph": "share of the yes-or-no questions of the prompt's scene graph that are answered right, parents respected",
    "fit": "the score that a network gives the prompt",
    "text": "1 less the normalised edit distance of the text read from the one asked for",
    "text_words": "1 less the normalised edit distance in words",
    "text_exact": "share of drawings whose text is the one asked for",
}


@dataclass(frozen=True, slots=True)
class Alignment:
    """One measure of how well one model's drawings fit their prompts, as one judge sees them.

    `discarded` counts answers without a usable value; in the graph they are wrong, elsewhere they have no score.
    `incomplete` counts drawings with unanswered questions, `excluded` those left out by hand.
    """

    suite: str
    model: str
    judge: str
    factor: str
    group: str
    measure: AlignmentMeasure
    estimate: Estimate
    discarded: int
    incomplete: int
    excluded: int

    @property
    def is_informed(self) -> bool:
        """Return whether the judge knew what was asked for; written text is read blind."""
        return self.measure in ("graph", "fit")

    @property
    def has_interval(self) -> bool:
        """Return whether the interval has ends: scores differ and are of several prompts."""
        return math.isfinite(self.estimate.low) and math.isfinite(self.estimate.high)


def align_run(run: Run, judge: str | None = None, factors: Sequence[str] = ()) -> list[Alignment]:
    """Score the drawings of a run by judge and measure, overall and by each level of the factors."""
    items = {item.id: item for item in run.items()}
    chosen = check_factors(items.values(), factors)
    latest, readings = latest_attempts(read_responses(run)), read_readings(run, judge, VOTE)
    marked = _mark_all(latest, readings, items, read_designs(run))
    if marked.rows["score"].null_count() == len(marked):
        who = "" if judge is None else f" by {judge!r}"
        raise NothingToDoError(
            f"{run.location} has no readings{who} of how well drawings fit their prompts; first: subitize judge RUN "
            f"--judge dsg:MODEL, fit:MODEL, clipscore:MODEL or ocr (judges with readings: {list_judges(run)})"
        )
    return _align_all(marked, run.exclusions(), chosen)


def align_survey(survey: RunFrame) -> list[Alignment]:
    """Score the drawings of a run that has been read, by judge and measure; empty if no judge was asked."""
    marked = _mark_all(survey.responses, survey.readings, survey.whole.items, survey.whole.designs)
    return _align_all(marked, survey.run.exclusions())


def _align_all(marked: Frame, excluded: Collection[str], factors: Sequence[str] = ()) -> list[Alignment]:
    rows = pl.concat(by_factor(marked, factors)).with_columns(is_excluded=pl.col("item").is_in(list(excluded)))
    ordered = rows.sort("suite", "model", "judge", pl.col("measure").cast(pl.Enum(list(MEASURES))), "order")
    return [found for own in ordered.partition_by(*_CELL, maintain_order=True) for found in _align(own)]


_CELL = ("suite", "model", "judge", "factor", "level", "measure")
# One judge's mark of one drawing; the score is null if a question has no usable answer yet.
_MARKS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "item", "prompt", "model", "judge", "measure"), pl.String()),
    "score": pl.Float64(),
    "discarded": pl.Int64(),
}
_KINDS = ("confirm:", "fit:", "transcribe")


def _mark_all(
    latest: pl.DataFrame, readings: pl.DataFrame, items: Mapping[str, Item], designs: Mapping[str, Design]
) -> Frame:
    """Mark each drawing by each judge, whose readings of a question are reduced to one value."""
    asked = readings.filter(pl.any_horizontal(pl.col("question").str.starts_with(kind) for kind in _KINDS))
    drawn = latest.filter(pl.col("kind") == "drawn")
    labels = label_readings(asked, PLURALITY).join(drawn, left_on="subject", right_on="trial", maintain_order="left")
    by_judge = labels.group_by("item", "model", "judge", "subject", maintain_order=True)
    drawings = by_judge.agg("question", "label", "value", "value_text").drop("subject")
    graph = cache(lambda item_id: graph_of(items[item_id]))  # shared by drawings and judges of an item
    marks: list[tuple[object, ...]] = []
    for item_id, model, judge, *answers in drawings.iter_rows():
        item = items[item_id]
        given = {question: read_label(*label) for question, *label in zip(*answers, strict=True)}
        place = (item.suite, item_id, str(cluster_of(item)), model, judge)
        marks += [(*place, *measured) for measured in _measure(item, graph(item_id), given)]
    strata = assign_units(items.values(), designs).drop("cluster")
    return Frame(make_frame(marks, _MARKS).join(strata, on="item", maintain_order="left"), items)


def _measure(
    item: Item, graph: Sequence[Node], given: Mapping[str, Value]
) -> Iterator[tuple[AlignmentMeasure, float | None, int]]:
    ids = [node.ask.question.id for node in graph]
    if any(id in given for id in ids):
        is_complete = all(id in given for id in ids)
        discarded = sum(not isinstance(given[id], Known) for id in ids if id in given)
        yield "graph", score_graph(graph, given) if is_complete else None, discarded
    if isinstance(item.task, Draw) and (value := given.get(Fit(item.task.prompt).id)) is not None:
        fit = as_float(value.value) if isinstance(value, Known) else math.nan
        yield ("fit", fit, 0) if math.isfinite(fit) else ("fit", None, 1)
    for ask in text_asks(item)[:1]:
        if (value := given.get(ask.question.id)) is not None:
            read, discarded = (str(value.value), 0) if isinstance(value, Known) else ("", 1)
            near = max(1 - normalised_edit_distance(read, str(wanted)) for wanted in ask.expects)
            yield "text", near, discarded
            words = max(1 - normalised_word_distance(read, str(wanted)) for wanted in ask.expects)
            yield "text_words", words, discarded
            yield "text_exact", float(near == 1), discarded


def score_graph(graph: Sequence[Node], answers: Mapping[str, Value]) -> float:
    """Compute the share of right answers; answers that depend on a wrong one, and discarded ones, are wrong."""
    nodes = {node.ask.question.id: node for node in graph}

    @cache
    def is_right(id: str) -> bool:
        value = answers[id]
        holds = isinstance(value, Known) and value.value in nodes[id].ask.expects
        return holds and all(is_right(parent) for parent in nodes[id].parents)

    return sum(is_right(id) for id in nodes) / len(nodes)


def _align(marks: pl.DataFrame) -> Iterator[Alignment]:
    suite, model, judge, factor, level, measure = marks.select(_CELL).row(0)
    kept = marks.filter(~pl.col("is_excluded"))
    scored = kept.drop_nulls("score")
    if not scored.height:
        return
    scores, prompts, strata = (scored[name].to_list() for name in ("score", "prompt", "stratum"))
    yield Alignment(
        *(suite, model, judge, factor, level, measure),
        estimate_scores(scores, units_of(scored) or prompts, strata, _scale(measure, judge)),
        discarded=int((kept if measure == "fit" else scored)["discarded"].sum()),
        incomplete=kept.height - scored.height if measure == "graph" else 0,
        excluded=marks.height - kept.height,
    )


def _scale(measure: AlignmentMeasure, judge: str) -> Scale:
    """Return the scale of scores; the bounds of those that models give (cosines, probabilities …) are unknown."""
    if measure != "fit":
        return SHARE
    if judge.partition(":")[0] != "clipscore":
        return MEAN
    from subitize.judges.clip import WEIGHT  # it is slow to import

    return Scale("mean", 0.0, WEIGHT)


def estimate_scores(scores: Sequence[float], units: Units, strata: Sequence[int], scale: Scale) -> Estimate:
    """Estimate a mean over drawings, where those of one prompt are correlated.

    Scores other than shares get Student's interval over prompts, which is unbounded if all scores are the same or all
    drawings are of one prompt.
    """
    if scale is SHARE:
        return estimate(scores, units, strata)[0]
    (found,) = estimate(scores, units, scale=scale)
    is_open = len(set(scores)) == 1 or len(set(first_units(units).tolist())) == 1
    return replace(found, low=-math.inf, high=math.inf) if is_open else found
