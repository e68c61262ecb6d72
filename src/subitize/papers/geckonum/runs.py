"""GeckoNum's answers: of a run, a judge's about the images of any model; or straight from the released files."""

import polars as pl

from subitize.errors import NothingToDoError, UnknownNameError
from subitize.papers.geckonum.annotations import ANSWERS, Annotations, list_questions
from subitize.papers.geckonum.release import Release
from subitize.papers.geckonum.released_questions import released_items
from subitize.records import Choose, Item, Known, Question, Value
from subitize.scenes import line_codes
from subitize.store import Run
from subitize.store.frames import read_readings, read_responses
from subitize.store.rows import decode_value

SUITE = "geckonum"


def read_run(run: Run, judge: str | None = None) -> Annotations:
    """Take the answers of a run, those of the one judge that there is, or of the one named; excluded items stay out."""
    excluded = run.exclusions()
    items = [item for item in run.items(SUITE) if item.id not in excluded]
    if not items:
        raise NothingToDoError(
            f"{run.location} has no items of {SUITE}; first: subitize run {SUITE} --model MODEL --out RUN, "
            f"or: subitize import {SUITE} DIR --out RUN"
        )
    questions = list_questions(items)
    answers = read_readings(run, _choose_judge(run, judge)).rename({"value": "read"})
    trials = read_responses(run).select("item", "model", subject="trial", seed=pl.col("repeat").cast(pl.UInt16))
    found = (
        answers.join(trials, on="subject", maintain_order="left")
        .join(questions.select("item", "question", "key"), on=["item", "question"], maintain_order="left")
        .join(_values(answers, items), on=["question", "read"], maintain_order="left")
        .select(ANSWERS)
        .drop_nulls()
    )
    if not found.height:
        raise NothingToDoError(f"{run.location} has no readings of {SUITE} yet; subitize judge RUN --judge JUDGE")
    return Annotations(questions, found)


def read_released(release: Release) -> Annotations:
    """Take the answers of a release as they are."""
    questions = list_questions(released_items(release))
    keys = questions.select(
        "key", pl.col("prompt").cast(pl.Categorical), pl.col("wording").cast(pl.Categorical).alias("question")
    )
    found = [
        answers.join(keys, on=["prompt", "question"], maintain_order="left")
        .select(ANSWERS)
        .cast({"model": pl.String, "annotator": pl.String})
        for answers in release.answers.values()
    ]
    return Annotations(questions, pl.concat(found))


def _choose_judge(run: Run, judge: str | None) -> str:
    known = [entry.name for entry in run.judges()]
    if judge is None and len(known) == 1:
        return known[0]
    if judge in known:
        return str(judge)
    if judge is None and known:
        raise NothingToDoError(f"{run.location} has several judges: {', '.join(known)}; name one with --judge")
    raise UnknownNameError("judge in this run", str(judge), known)


def _values(answers: pl.DataFrame, items: list[Item]) -> pl.DataFrame:
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
