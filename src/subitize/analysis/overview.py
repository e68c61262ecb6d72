"""What is in a run, at a glance and item by item."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from subitize.errors import BadValueError
from subitize.records import Item, to_plain
from subitize.store import Run, StoredReading, StoredResponse, SuiteEntry
from subitize.store.counts import count_items, count_judged
from subitize.store.frames import read_responses


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """How far one model is on one suite; outcomes are counted by kind (said, drawn, refused, failed …)."""

    suite: str
    model: str
    is_stand_in: bool
    outcomes: dict[str, int]


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """What one judge has read."""

    judge: str
    is_stand_in: bool
    annotators: int
    readings: int
    discarded: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A run at a glance."""

    suites: list[SuiteEntry]
    items: dict[str, int]
    models: list[ModelProgress]
    judges: list[JudgeProgress]
    exclusions: dict[str, str]


@dataclass(frozen=True, slots=True)
class ItemStory:
    """One item with everything that came of it."""

    item: Item
    excluded: str | None
    responses: list[StoredResponse]
    readings: list[StoredReading]


@dataclass(frozen=True, slots=True)
class StandIns:
    """Which models and judges of a run are embedded stand-ins, to be marked wherever they are shown."""

    models: frozenset[str] = frozenset()
    judges: frozenset[str] = frozenset()

    def has(self, model: str, judge: str) -> bool:
        """Tell whether a model or its judge is one."""
        return model in self.models or judge in self.judges

    def mark_model(self, model: str) -> str:
        """Put a mark behind a model that is one."""
        return model + " *" * (model in self.models)

    def mark_judge(self, judge: str, *, is_informed: bool = False) -> str:
        """Put a mark behind a judge that is one, and another behind one that knew what was asked for."""
        return judge + " *" * (judge in self.judges) + " †" * is_informed

    def row(self, figure: Any) -> dict[str, object]:  # noqa: ANN401
        """Lay a figure of a model and a judge out for programs, its estimate flat, and say which of both is one."""
        row = to_plain(figure)
        estimate = row.pop("estimate", {})
        marks = {"is_stand_in": figure.model in self.models, "is_stand_in_judge": figure.judge in self.judges}
        return {**row, **estimate, **marks}


def find_stand_ins(run: Run) -> StandIns:
    """Look up which models and judges are stand-ins."""
    models, judges = (
        frozenset(entry.name for entry in entries if entry.is_stand_in) for entries in (run.models(), run.judges())
    )
    return StandIns(models, judges)


def overview(run: Run) -> Overview:
    """Count what the run has."""
    return Overview(run.suites(), count_items(run), _models(run), _judges(run), run.exclusions())


def item_story(run: Run, item_id: str) -> ItemStory:
    """Gather everything about one item."""
    item = find_item(run, item_id)
    responses, readings = list(run.responses(items=[item_id])), list(run.readings(items=[item_id]))
    return ItemStory(item, run.exclusions().get(item_id), responses, readings)


def find_item(run: Run, item_id: str) -> Item:
    """Get one item; where there is none of that id, say what ids are like."""
    for item in run.items(ids=[item_id]):
        return item
    some = ", ".join(item.id for item in run.items()[:3])
    like = f"its items read like {some}" if some else "it has no items yet"
    raise BadValueError(f"no item {item_id!r} in this run; {like}")


def _models(run: Run) -> list[ModelProgress]:
    stand_ins = find_stand_ins(run).models
    suite = pl.col("item").str.split("/").list.first()
    responses = read_responses(run).with_columns(suite=suite)
    outcomes: dict[tuple[str, str], dict[str, int]] = {}
    for *key, kind, count in responses.group_by("suite", "model", "kind", maintain_order=True).len().iter_rows():
        outcomes.setdefault((key[0], key[1]), {})[kind] = count
    return [ModelProgress(suite, model, model in stand_ins, own) for (suite, model), own in sorted(outcomes.items())]


def _judges(run: Run) -> list[JudgeProgress]:
    stand_ins = find_stand_ins(run).judges
    return [
        JudgeProgress(one.judge, one.judge in stand_ins, one.annotators, one.readings, one.discarded)
        for one in sorted(count_judged(run))
    ]
