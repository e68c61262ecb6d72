"""What a plate shows: which models and prompts, and what came of each, as `score` counts it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from subitize.analysis.observations import NO_JUDGE, Observations, Reader, Seen, Survey, survey_run
from subitize.analysis.overview import find_item
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.records import Ask, Draw, Item, task_text
from subitize.runner.sampling import order_items
from subitize.store import Run, find_spec
from subitize.store.subjects import FAILED, REFUSED

Verdict = Literal["right", "wrong", "refused", "failed", "unjudged", "unasked"]
USUAL_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user wants on a plate; what is left open is chosen.

    An item is named by its id or by the words of its prompt. Pictures are squares of this size. A plate that is
    transposed has prompts in its rows.
    """

    suite: str | None = None
    items: Sequence[str] = ()
    models: Sequence[str] = ()
    columns: int | None = None
    repeat: int = 0
    seed: int = 0
    size_px: int = 240
    is_transposed: bool = False

    def __post_init__(self) -> None:
        if self.columns is not None and self.columns < 1:
            raise BadValueError(f"--columns {self.columns}: should be at least 1")
        for option, given in (("--columns", self.columns), ("--suite", self.suite)):
            if given is not None and self.items:
                raise BadValueError(f"{option} {given}: it is for prompts drawn by lot; leave it out, or --item")
        if self.repeat < 0:
            raise BadValueError(f"--repeat {self.repeat}: repeats are counted from 0")


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one item given to one model, by the trials that are shown."""

    verdict: Verdict
    trials: tuple[str, ...]
    seen: tuple[Seen, ...]
    """What was read of each question, in their order."""
    right: int
    """How many of the questions are answered right."""
    asks: tuple[Ask, ...]
    """The questions that enter the score."""


@dataclass(frozen=True, slots=True)
class Plate:
    """The cells of some models and items, by model and item id, as one judge sees them."""

    models: Sequence[str]
    items: Sequence[Item]
    judge: str
    repeat: int
    is_informed: bool
    cells: Mapping[tuple[str, str], Cell] = field(repr=False)

    @property
    def is_drawn(self) -> bool:
        """Tell whether the models drew the pictures; else they were shown them."""
        return isinstance(self.items[0].task, Draw)


def make_plate(run: Run, reader: Reader, choice: Choice) -> Plate:
    """Choose models and items, and look up what came of them."""
    survey = survey_run(run, reader)
    observations = survey.observations.kept()
    named = [_find_item(survey, name) for name in dict.fromkeys(choice.items)]
    suites = list(dict.fromkeys(item.suite for item in named)) or [_choose_suite(observations, choice.suite)]
    own = observations.filter(pl.col("suite").is_in(suites))
    judge = _choose_judge(survey.run, own, suites)
    own = own.filter(pl.col("judge").is_in([judge, NO_JUDGE]))
    # Where groups of images were voted on, nobody may have looked at single ones.
    single = own.filter(pl.col("group") == 1)
    own = single if len(single) else own
    models = _choose_models(survey, suites, choice.models)
    _check_repeat(survey, choice.repeat)
    at = pl.col("repeat") // pl.col("group") == choice.repeat // pl.col("group")
    own = own.filter(at, pl.col("model").is_in(models))
    items = named or _choose_items(own, models, choice)
    if len({isinstance(item.task, Draw) for item in items}) > 1:
        raise BadValueError("some of these items are drawn and others shown; a plate is of one kind, so leave some out")
    cells = {(model, item.id): cell for model in models for item, cell in _cells(survey, own, model, items, choice)}
    return Plate(models, items, judge, choice.repeat, bool(own.rows["is_informed"].any()), cells)


def _find_item(survey: Survey, name: str) -> Item:
    items = survey.whole.items
    by_words = (item for item in items.values() if task_text(item.task) == name)
    found = items.get(name) or next(by_words, None) or find_item(survey.run, name)
    reason = survey.run.exclusions().get(found.id)
    if reason is not None:
        raise BadValueError(
            f"item {found.id!r} is excluded ({reason}); take it back first: "
            f"subitize exclude RUN {found.id} --reason WHY --undo"
        )
    return found


def _choose_suite(observations: Observations, name: str | None) -> str:
    known = observations.rows["suite"].unique().sort().to_list()
    if not known:
        raise NothingToDoError(
            "everything is excluded; take an exclusion back with: subitize exclude RUN ITEM --reason WHY --undo"
        )
    if name is not None and name not in known:
        raise UnknownNameError("suite with readings", name, known)
    if name is None and len(known) > 1:
        raise BadValueError(f"a plate is of one suite; name it with --suite: {', '.join(known)}")
    return name or known[0]


def _choose_judge(run: Run, observations: Observations, suites: Sequence[str]) -> str:
    judges = [name for name in observations.rows["judge"].unique().sort() if name != NO_JUDGE]
    if len(judges) > 1:
        told = ", ".join(run.judge_names().get(name, name) for name in judges)
        raise BadValueError(f"{', '.join(suites)} was judged by {told}; name one with --judge")
    return judges[0] if judges else NO_JUDGE


def _choose_models(survey: Survey, suites: Sequence[str], wanted: Sequence[str]) -> list[str]:
    suite = pl.col("item").str.extract("^([^/]*)")
    known = survey.responses.filter(suite.is_in(list(suites)))["model"].unique().sort().to_list()
    names = survey.run.model_names()
    chosen = [find_spec(name, names) for name in wanted]
    for name, model in zip(wanted, chosen, strict=True):
        if model not in known:
            raise UnknownNameError("model with answers", name, [names[one] for one in known])
    return list(dict.fromkeys(chosen)) or known


def _check_repeat(survey: Survey, repeat: int) -> None:
    known = survey.responses["repeat"].unique().sort().to_list()
    if repeat not in known:
        raise BadValueError(f"--repeat {repeat}: this run has the repeats {', '.join(map(str, known[:20]))}")


def _choose_items(observations: Observations, models: Sequence[str], choice: Choice) -> list[Item]:
    """Draw items by lot, spread over strata and numbers; those that all models have come first."""
    counts = observations.rows.group_by("item", maintain_order=True).agg(pl.col("model").n_unique())
    if not counts.height:
        raise NothingToDoError(f"no answer of repeat {choice.repeat} has been judged; name another with --repeat")
    order: list[Item] = []
    for is_whole in (True, False):
        ids = counts.filter((pl.col("model") == len(models)) == is_whole)["item"]
        items = [observations.items[id] for id in ids]
        strata = next((observations.designs[item.suite].strata for item in items[:1]), ())
        order += order_items(items, strata, choice.seed)
    chosen = {item.id for item in order[: choice.columns or USUAL_COLUMNS]}
    return [item for item in observations.seen_items() if item.id in chosen]


def _cells(
    survey: Survey, observations: Observations, model: str, items: Sequence[Item], choice: Choice
) -> Iterable[tuple[Item, Cell]]:
    responses = survey.responses.filter(pl.col("model") == model, pl.col("item").is_in([item.id for item in items]))
    rows = observations.rows.filter(pl.col("model") == model)
    size = int(observations.rows["group"].min() or 1)  # type: ignore[arg-type]
    block = pl.col("repeat") // size == choice.repeat // size
    for item in items:
        asks = tuple(ask for ask in item.asks if ask.is_relevant and ask.group == size)
        shown = responses.filter(block, pl.col("item") == item.id).sort("repeat")
        read = rows.filter(pl.col("item") == item.id).to_dicts()
        seen = tuple(observations.look(row) for row in read)
        right = sum(row["is_right"] for row in read)
        verdict = _verdict(set(shown["kind"]), read, len(asks))
        yield item, Cell(verdict, tuple(shown["trial"]), seen, right, asks)


def _verdict(kinds: set[str], rows: Sequence[Mapping[str, Any]], asks: int) -> Verdict:
    """Tell what came of an item: it is right if all questions about it are, and wrong as soon as one is not."""
    if not kinds or kinds == {FAILED}:
        return "failed" if kinds else "unasked"
    if kinds == {REFUSED} or (rows and all(row["status"] == "refused" for row in rows)):
        return "refused"
    judged = [row for row in rows if row["status"] != "unknown"]
    if not all(row["is_right"] for row in judged):
        return "wrong"
    return "right" if judged and len(judged) == asks else "unjudged"
