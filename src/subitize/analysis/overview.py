"""What is in a run, at a glance and item by item."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from subitize.errors import BadValueError
from subitize.records import Item, to_plain
from subitize.store import Run, StoredReading, StoredResponse, SuiteEntry


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
    suite_of = {item.id: item.suite for item in run.items()}
    stand_ins = {entry.name: entry.is_stand_in for entry in run.models()}
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    for stored in run.responses():
        trial = stored.response.trial
        outcomes.setdefault((suite_of[trial.item_id], trial.model), Counter())[stored.response.outcome.kind] += 1
    models = [ModelProgress(s, m, stand_ins[m], dict(counts)) for (s, m), counts in sorted(outcomes.items())]
    return Overview(run.suites(), dict(Counter(suite_of.values())), models, _judges(run), run.exclusions())


def item_story(run: Run, item_id: str) -> ItemStory:
    """Gather everything about one item."""
    items = run.items()
    item = next((item for item in items if item.id == item_id), None)
    if item is None:
        some = ", ".join(item.id for item in items[:3])
        like = f"its items read like {some}" if some else "it has no items yet"
        raise BadValueError(f"no item {item_id!r} in this run; {like}")
    responses = [stored for stored in run.responses() if stored.response.trial.item_id == item_id]
    trials = {stored.trial_id for stored in responses}
    readings = [stored for stored in run.readings() if trials & set(stored.reading.subject.trial_ids)]
    return ItemStory(item, run.exclusions().get(item_id), responses, readings)


def _judges(run: Run) -> list[JudgeProgress]:
    annotators: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    discarded: Counter[str] = Counter()
    for stored in run.readings():
        reading = stored.reading
        annotators.setdefault(reading.judge, set()).add(reading.annotator)
        counts[reading.judge] += 1
        discarded[reading.judge] += reading.value.kind == "discarded"
    stand_ins = find_stand_ins(run).judges
    return [
        JudgeProgress(name, name in stand_ins, len(who - {""}), counts[name], discarded[name])
        for name, who in sorted(annotators.items())
    ]
