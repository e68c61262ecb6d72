"""GeckoNum's labels, one value per question from several answers, and their shares in groups of prompts.

All tables are functions of two frames, whether read from a run or straight from the released files: `questions` has a
row for each question of a prompt, identified by its `key`; `answers` has a row for each answer: model, key, seed (the
repeat of a run), annotator, value. In Task 2 the value is the code of the line, in Task 3 it is 1 for yes. Intervals
are over prompts, since labels of the same prompt are correlated; types and numbers are strata, fixed by the design.
Every label has the same weight; that of a whole image in Task 3 combines several answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from subitize.analysis.design import UNITS, assign_units, estimate_by
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.language.questions import line_codes
from subitize.papers.geckonum.files import GeckonumRelease, released_items
from subitize.papers.geckonum.suite import STRATA, design_of
from subitize.records import Ask, Choose, Confirm, Count, Design, Estimate, Item, Known, Question, Value

if TYPE_CHECKING:
    from subitize.analysis.frame import RunFrame
    from subitize.store import Run

Shares = dict[tuple[Any, ...], Estimate]
"""Estimates by the levels of their groups."""


def estimate_means(labels: pl.DataFrame, *by: str, confidence: float = 0.95) -> Shares:
    """Average `right` in each group; rows with a null level are dropped.

    Labels weigh the same, or by a column `weight`, which should average 1.
    """
    weight = "weight" if "weight" in labels.columns else None
    found = estimate_by(labels, "right", *by, weight=weight, count="observations", confidence=confidence)
    return dict(sorted(found.items()))


def estimate_events(labels: pl.DataFrame, events: Mapping[Any, pl.Expr], *by: str) -> Shares:
    """Estimate how often each of several events occurs in each group; the event is the last part of the key."""
    found: Shares = {}
    for event, is_so in events.items():
        rows = labels.with_columns(pl.lit(event).alias("event"))
        found |= estimate_by(rows, is_so.cast(pl.Float64), *by, "event", count="observations")
    return dict(sorted(found.items()))


def estimate_outcomes(labels: pl.DataFrame, outcome: str, *by: str) -> Shares:
    """Estimate the share of each outcome in the groups that have it; the outcome is the last part of the key."""
    events = {value: pl.col(outcome) == value for value in labels[outcome].unique().drop_nulls()}
    found = estimate_events(labels.with_columns(observations=1), events, *by)
    return {key: share for key, share in found.items() if share.value}


SEEDS = 5
"""Images per prompt used in the paper. Imagen-C has ten; only Task 1 of Table 2 uses them all."""

_QUESTIONS: dict[str, Any] = {
    **dict.fromkeys(("item", "prompt", "question", "parent", "wording"), pl.String),
    "is_relevant": pl.Boolean,
    "task": pl.UInt8,
    **dict.fromkeys(("type", "noun", "colour", "place"), pl.String),
    "lines": pl.UInt8,
    "truth": pl.Float64,
    **dict.fromkeys(("representation", "frequency", "quantifier"), pl.String),
}
ANSWERS = ("model", "key", "seed", "annotator", "value")
UNIT = ("model", "key", "seed")
"""The columns that identify one question about one image."""
_IMAGE = ("model", "prompt", "seed")
_IS_RIGHT = (pl.col("label") == pl.col("truth")).cast(pl.Float64).alias("right")
_DEEPEST = 4  # no scene graph of ours is deeper


def list_questions(items: Iterable[Item], design: Design | None = None) -> pl.DataFrame:
    """List the questions of items with their asks, factors, strata and clusters.

    Nouns were sampled, unless a `design` says otherwise, as that of a run made before they were stored.
    """
    known = list(items)
    own = design_of(known) if design is None else replace(design, strata=STRATA)
    rows = [_question(item, ask) for item in known for ask in item.asks]
    places = assign_units(known, dict.fromkeys((item.suite for item in known), own))
    return (
        pl.DataFrame(rows, schema=_QUESTIONS, orient="row")
        .join(places, on="item", maintain_order="left")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias("key"))
    )


def _question(item: Item, ask: Ask) -> tuple[object, ...]:
    factors, question = item.factors, ask.question
    noun = question.noun if isinstance(question, Count) else None
    colour = question.colour if isinstance(question, Count) else None
    place = question.place.relation if isinstance(question, Count) and question.place else None
    lines = len(question.lines) if isinstance(question, Choose) else None
    of_prompt = (item.id, item.id.partition("/")[2])
    of_question = (question.id, ask.parent, ask.wording, ask.is_relevant)
    rest = (factors.get(name) for name in ("representation", "frequency", "quantifier"))
    counted = (noun, colour, place, lines, _truth(ask))
    return (*of_prompt, *of_question, factors["task"], factors["type"], *counted, *rest)


def _truth(ask: Ask) -> float | None:
    """Return the one right value in the release's coding; None if an ask has several or none."""
    if len(ask.expects) != 1:
        return None
    (expected,) = ask.expects
    match ask.question:
        case Choose() as question:
            return float(line_codes(question)[int(expected)])
        case Count() | Confirm():
            return float(expected)
    return None


class Annotations:
    """Questions, the answers to them, and the labels that follow."""

    def __init__(self, questions: pl.DataFrame, answers: pl.DataFrame) -> None:
        self.questions = questions
        self.answers = answers

    def rename(self, names: Mapping[str, str]) -> "Annotations":
        """Rename models, keeping labels already computed."""
        if not names:
            return self
        code = pl.col("model").replace(names).cast(pl.String)
        found = Annotations(self.questions, self.answers.with_columns(code))
        labels = ("counts", "lines", "parts", "confirmations")
        vars(found).update({name: getattr(self, name).with_columns(code) for name in labels})
        renamed = [names.get(model, model) for model in self.models]
        if renamed == sorted(renamed):  # units are numbered by model name, so only an unchanged order keeps them
            found._by_task = {key: answers.with_columns(code) for key, answers in self._by_task.items()}
        return found

    @cached_property
    def models(self) -> list[str]:
        """The models, sorted by name."""
        return self.answers["model"].unique().sort().to_list()

    @cached_property
    def has_graph(self) -> bool:
        """Return whether any answered question depends on another; those of the release do not say."""
        answered = self.questions.join(self.answers.select("key").unique(), on="key", how="semi")
        return bool(answered.filter("is_relevant")["parent"].is_not_null().any())

    def of_task(self, task: int, *, is_relevant: bool = True) -> pl.DataFrame:
        """Return the answers to the questions of a task, in the order given.

        Columns number their unit, prompt, annotator (`person`) and value (`said`), each in sorted order.
        """
        found = self._by_task.get((task, is_relevant))
        return self._numbered.clear() if found is None else found

    @cached_property
    def _by_task(self) -> dict[Any, pl.DataFrame]:
        return self._numbered.partition_by("task", "is_relevant", as_dict=True)

    @cached_property
    def _numbered(self) -> pl.DataFrame:
        people, values = (self.answers[name].unique().sort() for name in ("annotator", "value"))
        prompt = pl.col("prompt").rank("dense").cast(pl.Int64)
        asked = self.questions.select("task", "is_relevant", prompt)[self.answers["key"]]
        model = pl.col("model").cast(pl.Enum(self.models)).to_physical().cast(pl.UInt64)
        unit = model * 2**48 + pl.col("key").cast(pl.UInt64) * 2**16 + pl.col("seed")
        return self.answers.hstack(asked).with_columns(
            unit.rank("dense").cast(pl.Int64).alias("unit"),
            pl.col("annotator").cast(pl.Enum(people)).to_physical().cast(pl.Int64).alias("person"),
            values.search_sorted(self.answers["value"]).alias("said"),
        )

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The labels of Task 1, rounded half to even; answers that the release has twice count as two labels."""
        found = _choose(self.of_task(1))
        label = pl.Series(np.rint(found["label"].to_numpy()))
        repeated = pl.int_range(pl.len()).repeat_by("copies").explode()
        return self._explain(found.with_columns(label=label).select(pl.all().gather(repeated)))

    @cached_property
    def first_counts(self) -> pl.DataFrame:
        """The labels of Task 1 for five images per prompt, as everywhere in the paper but in Table 2."""
        return self.counts.filter(pl.col("seed") < SEEDS)

    @cached_property
    def numbers(self) -> Shares:
        """Accuracy on these by type, model and number."""
        return estimate_means(self.first_counts, "type", "model", "truth")

    @cached_property
    def lines(self) -> pl.DataFrame:
        """The labels of Task 2, coded from 0 to 4."""
        return self.label(self.of_task(2))

    @cached_property
    def parts(self) -> pl.DataFrame:
        """The labels of the single questions of Task 3, 1 or 0."""
        return self.label(self.of_task(3))

    @cached_property
    def confirmations(self) -> pl.DataFrame:
        """The images of Task 3, with the mean of all answers to their questions as `right`.

        For `right_in_graph` an answer counts only if the answers it depends on are right, too.
        """
        answers = self.of_task(3).join(self.questions, on="key", maintain_order="left")
        answers = _hold_with_parents(answers.with_columns((pl.col("value") == pl.col("truth")).alias("holds")))
        means = (
            pl.col("holds").mean().alias("right"),
            pl.col("holds_in_graph").mean().alias("right_in_graph"),
            pl.len().alias("observations"),
        )
        return answers.group_by(*_IMAGE, "type", "stratum", "cluster", UNITS, maintain_order=True).agg(*means)

    @property
    def labels_by_task(self) -> dict[int, pl.DataFrame]:
        """The labels that enter the score, by task."""
        return {1: self.counts, 2: self.lines, 3: self.confirmations}

    def label(self, answers: pl.DataFrame) -> pl.DataFrame:
        """Take the most frequent value of each question, ties going to the first given; `top` people gave it."""
        return self._explain(_choose(answers))

    def _explain(self, labels: pl.DataFrame) -> pl.DataFrame:
        """Join the questions to their labels, and add whether these are right."""
        return labels.join(self.questions, on="key", maintain_order="left").with_columns(_IS_RIGHT, observations=1)


def _choose(answers: pl.DataFrame) -> pl.DataFrame:
    """Find each unit's label, in the order first given, and how often each person's answer is repeated (`copies`)."""
    rows = answers.select("unit", "person", said=pl.col("unit") * _WIDTH + pl.col("said")).with_row_index("row")
    votes = rows.group_by("said").agg(
        pl.col("unit").first(), pl.col("person").n_unique().alias("top"), pl.len().alias("votes"), pl.col("row").min()
    )
    # Most votes first, then the earliest row, as a single sort key.
    best = (pl.col("votes").cast(pl.Int64) * _WIDTH - pl.col("row")).max().alias("best")
    chosen = votes.group_by("unit").agg(best, pl.col("top").max(), pl.col("votes").sum())
    people = rows.group_by("unit").agg(pl.col("person").n_unique().alias("people"))
    chosen = (
        chosen.join(people, on="unit")
        .with_columns(row=-pl.col("best") % _WIDTH, copies=(pl.col("votes") / pl.col("people")).round().cast(pl.UInt32))
        .sort("row")
    )
    labels = answers.select(*UNIT, pl.col("value").alias("label"))[chosen["row"]]
    return labels.hstack(chosen.select("top", "people", "copies"))


_WIDTH = 2**32


def _hold_with_parents(answers: pl.DataFrame) -> pl.DataFrame:
    """Add `holds_in_graph`: whether an answer and all it depends on, up to the root of the scene graph, are right."""
    by = (*_IMAGE, "annotator")
    answers = answers.with_columns(pl.col("holds").alias("holds_in_graph"))
    for _ in range(_DEEPEST if answers["parent"].count() else 0):
        parents = answers.select(
            *by, pl.col("question").alias("parent"), pl.col("holds_in_graph").alias("parent_holds")
        )
        joined = answers.join(parents.unique((*by, "parent")), on=(*by, "parent"), how="left", maintain_order="left")
        settled = pl.col("holds_in_graph") & pl.col("parent_holds").fill_null(True)
        answers = joined.with_columns(settled.alias("holds_in_graph")).drop("parent_holds")
    return answers


SUITE = "geckonum"


def read_released(release: GeckonumRelease) -> Annotations:
    """Return the answers of a release without storing them."""
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


def read_run(run: "Run", judge: str | None = None) -> Annotations:
    """Read the answers of a run by its only judge or the one named, without excluded items."""
    from subitize.store.reading import VOTE, read_readings, read_responses  # not needed for released files

    items = _keep_items(run, run.items(SUITE))
    responses = read_responses(run)
    chosen = _choose_judge(run, judge, responses.filter(pl.col("item").is_in([item.id for item in items]))["trial"])
    return _annotate(run, items, responses, read_readings(run, chosen, VOTE))


def take_answers(survey: "RunFrame", judge: str) -> Annotations:
    """Return a judge's answers of a run that has been read, without excluded items."""
    items = _keep_items(survey.run, survey.whole.items.values())
    return _annotate(survey.run, items, survey.responses, survey.readings.filter(pl.col("judge") == judge))


def _keep_items(run: "Run", items: Iterable[Item]) -> list[Item]:
    excluded = run.exclusions()
    kept = [item for item in items if item.suite == SUITE and item.id not in excluded]
    if not kept:
        raise NothingToDoError(
            f"{run.location} has no items of {SUITE}; first: subitize run {SUITE} --model MODEL --out RUN, "
            f"or: subitize import release {SUITE} DIR --out RUN"
        )
    return kept


def _annotate(run: "Run", items: Sequence[Item], responses: pl.DataFrame, readings: pl.DataFrame) -> Annotations:
    from subitize.store.rows import read_designs  # not needed for released files

    questions = list_questions(items, read_designs(run).get(SUITE))
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
        raise _no_readings(run)
    return Annotations(questions, found)


def _no_readings(run: "Run") -> NothingToDoError:
    return NothingToDoError(f"{run.location} has no readings of {SUITE} yet; subitize judge RUN --judge JUDGE")


def _choose_judge(run: "Run", judge: str | None, trials: pl.Series) -> str:
    """Return the judge named, or the only one that read these trials: others may have read other suites."""
    from subitize.store.reading import read_readings

    names = run.judge_names()
    if judge in names:
        return str(judge)
    if judge is not None:
        raise UnknownNameError("judge in this run", judge, names.values())
    if len(names) > 1:
        readings = read_readings(run, columns=("subject", "judge"))
        there = {*readings.filter(pl.col("subject").is_in(trials.implode()))["judge"]}
        names = {spec: name for spec, name in names.items() if spec in there}
    if len(names) > 1:
        judges = ", ".join(names.values())
        raise NothingToDoError(f"{run.location} has several judges of {SUITE}: {judges}; name one with `judge`")
    if not names:
        raise _no_readings(run)
    return next(iter(names))


def _values(answers: pl.DataFrame, items: Sequence[Item]) -> pl.DataFrame:
    """Decode each distinct value once, lines by the release's codes; discarded values become null."""
    from subitize.store.rows import decode_value  # not needed for released files

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
