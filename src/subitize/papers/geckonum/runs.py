"""GeckoNum's answers in a run: a judge's, about the images of any model."""

from collections.abc import Iterable, Sequence

import polars as pl

from subitize.analysis.frame import RunFrame
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.language.questions import line_codes
from subitize.papers.geckonum.annotations import ANSWERS, Annotations, list_questions
from subitize.records import Choose, Item, Known, Question, Value
from subitize.store import Run
from subitize.store.frames import read_readings, read_responses
from subitize.store.reading import decode_value

SUITE = "geckonum"


def read_run(run: Run, judge: str | None = None) -> Annotations:
    """Take the answers of a run, those of the one judge that there is, or of the one named; excluded items stay out."""
    items = _keep_items(run, run.items(SUITE))
    return _annotate(run, items, read_responses(run), read_readings(run, _choose_judge(run, judge)))


def take_answers(survey: RunFrame, judge: str) -> Annotations:
    """Take the answers of a judge of a run that has been read; excluded items stay out."""
    items = _keep_items(survey.run, survey.whole.items.values())
    return _annotate(survey.run, items, survey.responses, survey.readings.filter(pl.col("judge") == judge))


def _keep_items(run: Run, items: Iterable[Item]) -> list[Item]:
    excluded = run.exclusions()
    kept = [item for item in items if item.suite == SUITE and item.id not in excluded]
    if not kept:
        raise NothingToDoError(
            f"{run.location} has no items of {SUITE}; first: subitize run {SUITE} --model MODEL --out RUN, "
            f"or: subitize import {SUITE} DIR --out RUN"
        )
    return kept


def _annotate(run: Run, items: Sequence[Item], responses: pl.DataFrame, readings: pl.DataFrame) -> Annotations:
    questions = list_questions(items)
    answers = readings.select("subject", "question", "annotator", read="value")
    trials = responses.lazy().select("item", "model", subject="trial", seed=pl.col("repeat").cast(pl.UInt16))
    keys = questions.lazy().select("item", "question", "key")
    found = (
        answers.lazy()
        .join(trials, on="subject", maintain_order="left")
        .join(keys, on=["item", "question"], maintain_order="left")
        .join(_values(answers, items).lazy(), on=["question", "read"], maintain_order="left")
        .select(ANSWERS)
        .drop_nulls()
        .collect(engine="in-memory")
    )
    if not found.height:
        raise NothingToDoError(f"{run.location} has no readings of {SUITE} yet; subitize judge RUN --judge JUDGE")
    return Annotations(questions, found)


def _choose_judge(run: Run, judge: str | None) -> str:
    names = run.judge_names()
    if judge is None and len(names) == 1:
        return next(iter(names))
    if judge in names:
        return str(judge)
    if judge is None and names:
        told = ", ".join(names.values())
        raise NothingToDoError(f"{run.location} has several judges: {told}; name one with --judge")
    raise UnknownNameError("judge in this run", str(judge), names.values())


def _values(answers: pl.DataFrame, items: Sequence[Item]) -> pl.DataFrame:
    """Read each different value once, lines by the release's codes; what was discarded has none."""
    questions = {ask.question.id: ask.question for item in items for ask in item.asks}
    different = answers.select("question", "read").unique(maintain_order=True)
    rows = [
        (id, text, _value(questions[id], decode_value(text)) if id in questions else None)
        for id, text in different.iter_rows()
    ]
    return pl.DataFrame(rows, schema={"question": pl.String, "read": pl.String, "value": pl.Float64}, orient="row")


def _value(question: Question, value: Value) -> float | None:
    if not isinstance(value, Known) or isinstance(value.value, str):
        return None
    if not isinstance(question, Choose):
        return float(value.value)
    codes = line_codes(question)
    return float(codes[int(value.value)]) if 0 <= value.value < len(codes) else None
