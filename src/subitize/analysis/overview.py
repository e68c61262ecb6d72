"""The contents of a run, at a glance and item by item."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import polars as pl

from subitize.errors import BadValueError
from subitize.io.frames import group_rows
from subitize.records import Item, to_plain
from subitize.store import (
    SAMPLED_FROM_AT_MOST,
    Entry,
    Run,
    StoredReading,
    StoredResponse,
    StoredSuite,
    display_names,
    find_spec,
)
from subitize.store.reading import read_responses
from subitize.store.rows import count_by_source, count_items


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """The progress of one model on one suite; outcomes are counted by kind (said, drawn, refused, failed …)."""

    suite: str
    model: str
    is_stand_in: bool
    outcomes: dict[str, int]
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The readings of one judge."""

    judge: str
    is_stand_in: bool
    annotators: int
    readings: int
    discarded: int
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """A run at a glance."""

    suites: list[StoredSuite]
    items: dict[str, int]
    models: list[ModelProgress]
    judges: list[JudgeProgress]
    exclusions: dict[str, str]


@dataclass(frozen=True, slots=True)
class ItemStory:
    """One item with all of its responses and readings."""

    item: Item
    excluded: str | None
    responses: list[StoredResponse]
    readings: list[StoredReading]


@dataclass(frozen=True, slots=True)
class Names:
    """Display names of the models and judges of a run, by spec, and which of them are embedded stand-ins."""

    models: frozenset[str] = frozenset()
    judges: frozenset[str] = frozenset()
    model_names: Mapping[str, str] = field(default_factory=dict)
    judge_names: Mapping[str, str] = field(default_factory=dict)

    def has(self, model: str, judge: str) -> bool:
        """Return whether a model or its judge is a stand-in."""
        return model in self.models or judge in self.judges

    def name_model(self, model: str) -> str:
        """Name a model."""
        return self.model_names.get(model, model)

    def mark_model(self, model: str) -> str:
        """Name a model, and mark a stand-in."""
        return self.name_model(model) + " *" * (model in self.models)

    def name_judge(self, judge: str) -> str:
        """Name a judge; people, and judges without their rule or address, keep the name given."""
        return self.judge_names.get(find_spec(judge, self.judge_names), judge)

    def mark_judge(self, judge: str, *, is_informed: bool = False) -> str:
        """Name a judge, and mark a stand-in and one that knew what was asked for."""
        return self.name_judge(judge) + " *" * (judge in self.judges) + " †" * is_informed

    def without_same(self) -> "Names":
        """Leave out names that equal their specs, such as those of published models."""
        models, judges = (
            {spec: name for spec, name in names.items() if spec != name}
            for names in (self.model_names, self.judge_names)
        )
        return replace(self, model_names=models, judge_names=judges)

    def add_names(self, plain: Any) -> Any:  # noqa: ANN401
        """Add a display name beside each spec in plain data: `model_name` beside `model`."""
        if isinstance(plain, list):
            return [self.add_names(one) for one in plain]
        if not isinstance(plain, dict):
            return plain
        found = {}
        for key, value in plain.items():
            found[key] = self.add_names(value)
            if isinstance(value, str) and (name := self._find_name(key, value)) is not None:
                found[f"{key}_name"] = name
        return found

    def plain(self, records: object) -> Any:  # noqa: ANN401
        """Convert records to plain data with display names, as `--json` prints them."""
        return self.add_names(to_plain(records))

    def rename(self, record: Any) -> Any:  # noqa: ANN401
        """Replace specs by display names, in records and those nested in them."""
        if isinstance(record, list | tuple) and not hasattr(record, "_fields"):
            return type(record)(map(self.rename, record))
        if not is_dataclass(record) or isinstance(record, type):
            return record
        values = {one.name: getattr(record, one.name) for one in fields(record) if one.init}
        named = {name: self._find_name(name, value) for name, value in values.items() if isinstance(value, str)}
        known = {name: found for name, found in named.items() if found is not None}
        return replace(record, **{name: self.rename(value) for name, value in values.items()} | known)

    def _find_name(self, key: str, value: str) -> str | None:
        """Find the name of the spec under a key; in the head of a table a suffix may follow the spec."""
        if key in ("judge", "against"):
            return self.judge_names.get(value)
        if key in ("row", "column"):
            heads = (one for one in self.model_names if value == one or value.startswith((f"{one} · ", f"{one} (")))
            spec = max(heads, key=len, default="")
            return self.model_names[spec] + value.removeprefix(spec) if spec else None
        return self.model_names.get(value) if key in ("model", "first", "second") else None

    def row(self, figure: Any) -> dict[str, object]:  # noqa: ANN401
        """Convert a figure of a model and a judge to plain data, with a flat estimate and marks of stand-ins."""
        marks = {"is_stand_in": figure.model in self.models, "is_stand_in_judge": figure.judge in self.judges}
        named: dict[str, object] = self.add_names(flatten(figure) | marks)
        return named


def flatten(figure: object) -> dict[str, Any]:
    """Convert a figure to plain data in which the parts of its estimate stand beside its own fields."""
    row: dict[str, Any] = to_plain(figure)
    estimate: dict[str, Any] = row.pop("estimate", {})
    return row | estimate


def read_names(*runs: Run) -> Names:
    """Read the display names of the models and judges of runs, distinct across the runs."""
    models, judges = [one for run in runs for one in run.models()], [one for run in runs for one in run.judges()]
    return Names(
        frozenset(one.spec for one in models if one.is_stand_in),
        frozenset(one.spec for one in judges if one.is_stand_in),
        display_names(models),
        display_names(judges, keeps_kind=True),
    )


def overview(run: Run) -> Overview:
    """Summarise the contents of a run."""
    known = {entry.spec: entry for entry in run.models()}
    responses = read_responses(run).with_columns(suite=pl.col("item").str.split("/").list.first())
    counts = responses.group_by("suite", "model", "kind", maintain_order=True).len()
    outcomes = group_rows(counts.iter_rows(), lambda row: row[:2])
    models = [
        ModelProgress(suite, model, known[model].is_stand_in, {row[2]: row[3] for row in own}, known[model].addresses)
        for (suite, model), own in sorted(outcomes.items())
    ]
    entries, judges = {entry.spec: entry for entry in run.judges()}, []
    sources = group_rows(count_by_source(run), lambda one: one.judge)
    for judge, own in sorted(sources.items()):
        entry = entries.get(judge, Entry(judge, {}, is_stand_in=False))
        annotators = len({one.annotator for one in own} - {""})
        readings, discarded = sum(one.readings for one in own), sum(one.discarded for one in own)
        judges.append(JudgeProgress(judge, entry.is_stand_in, annotators, readings, discarded, entry.addresses))
    return Overview(run.suites(), count_items(run), models, judges, run.exclusions())


def item_story(run: Run, item_id: str) -> ItemStory:
    """Gather everything about one item."""
    item = find_item(run, item_id)
    responses, readings = run.responses(items=[item_id]), run.readings(items=[item_id], with_reviews=True)
    return ItemStory(item, run.exclusions().get(item_id), list(responses), list(readings))


def find_item(run: Run, item_id: str) -> Item:
    """Get one item; the error for an unknown id shows what ids look like."""
    for item in run.items(ids=[item_id]):
        return item
    some = ", ".join(item.id for item in run.items()[:3])
    like = f"its items read like {some}" if some else "it has no items yet"
    raise BadValueError(f"no item {item_id!r} in this run; {like}")


def describe_samples(run: Run) -> dict[str, str]:
    """Describe the sample of each suite of which the run has only a part."""
    items, seeds, found = count_items(run), {one.name: one.seed for one in run.suites()}, {}
    for suite, sampling in run.samplings().items():
        if items[suite] < sampling.sampled_from:
            of = "the first " * (sampling.sampled_from == SAMPLED_FROM_AT_MOST) + f"{sampling.sampled_from:,}"
            found[suite] = f"a sample of {items[suite]:,} of {of} items ({sampling.scheme}, seed {seeds[suite]})"
    return found
