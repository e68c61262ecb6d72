"""What was observed: items, latest responses and readings joined, one row per question, judge and trial."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from subitize.errors import NothingToDoError
from subitize.labels import Rule, consensus, interpret
from subitize.records import Ask, Discarded, Failed, Item, Known, Label, Reading, Refused, Scalar, Subject
from subitize.store import Database, Run, StoredResponse, latest_attempts

# A judge's name where nothing could be judged, because every response was a refusal.
NO_JUDGE = "none"


@dataclass(frozen=True, slots=True)
class Observation:
    """One relevant question about the latest response to an item, as one judge read it."""

    item: Item
    ask: Ask
    model: str
    judge: str
    repeat: int
    status: Literal["eligible", "discarded", "refused"]
    value: Scalar | None
    is_excluded: bool

    @property
    def is_right(self) -> bool:
        """Tell whether the value is one of those that a right outcome shows."""
        return self.status == "eligible" and self.value in self.ask.expects


@dataclass(frozen=True, slots=True)
class Reader:
    """Which readings to take, how to read their evidence (None: as stored), and how several become one."""

    judge: str | None = None
    rule: Rule | None = None
    agreement: str = "mode"


def observe_run(run: Run, reader: Reader) -> list[Observation]:
    """Join what the run has. Failed trials are left out; refusals stand for every judge of that model."""
    items = {item.id: item for item in run.items()}
    excluded = run.exclusions()
    labels = _labels(run, reader)
    latest = latest_attempts(run.responses())
    if reader.judge is not None and not labels and any(run.readings()):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    judges = _judges(latest, items, labels)
    found = [
        Observation(item, ask, stored.response.trial.model, judge, stored.response.trial.repeat, status, value, hidden)
        for stored in latest
        for item in [items[stored.response.trial.item_id]]
        for hidden in [item.id in excluded]
        for judge in judges[item.suite, stored.response.trial.model]
        for ask, status, value in _outcomes(stored, item, labels[judge])
    ]
    if not found:
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


def _what_is_missing(run: Run, reader: Reader, latest: list[StoredResponse]) -> str:
    if all(isinstance(stored.response.outcome, Failed) for stored in latest) and latest:
        return f"all {len(latest)} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        known = ", ".join(sorted({stored.reading.judge for stored in run.readings()})) or "none"
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {known}"
    return f"{run.location} has no readings yet; first: subitize judge {name} --judge JUDGE"


def _labels(run: Run, reader: Reader) -> dict[str, dict[tuple[str, str], Label]]:
    """Make one label of all the readings of a question, by judge, subject and question."""
    groups: dict[tuple[str, str, str], list[Reading]] = defaultdict(list)
    for stored in run.readings(reader.judge):
        reading = stored.reading
        groups[reading.judge, reading.subject.id, reading.question.id].append(reading)
    labels: dict[str, dict[tuple[str, str], Label]] = defaultdict(dict)
    for (judge, subject_id, question_id), readings in groups.items():
        labels[judge][subject_id, question_id] = _label(readings, reader)
    return labels


def _label(readings: list[Reading], reader: Reader) -> Label:
    first = readings[0]
    values = [
        reading.value if reader.rule is None else interpret(reading.evidence, reading.question, reader.rule)
        for reading in readings
    ]
    return Label(first.subject, first.question, consensus(values, reader.agreement), reader.agreement, len(values))


def _judges(
    latest: Iterable[StoredResponse], items: dict[str, Item], labels: dict[str, dict[tuple[str, str], Label]]
) -> dict[tuple[str, str], list[str]]:
    """Find the judges that looked at each suite and model; where there is no answer, no judge is needed."""
    seen = {judge: {subject_id for subject_id, _ in by_question} for judge, by_question in labels.items()}
    judges: dict[tuple[str, str], list[str]] = defaultdict(list)
    has_answers: set[tuple[str, str]] = set()
    for stored in latest:
        key = (items[stored.response.trial.item_id].suite, stored.response.trial.model)
        known = judges[key]
        subject = Subject((stored.trial_id,))
        known += [judge for judge, subjects in seen.items() if judge not in known and subject.id in subjects]
        if not isinstance(stored.response.outcome, Refused | Failed):
            has_answers.add(key)
    return {key: names or [NO_JUDGE] * (key not in has_answers) for key, names in judges.items()}


def _outcomes(
    stored: StoredResponse, item: Item, labels: dict[tuple[str, str], Label]
) -> Iterator[tuple[Ask, Literal["eligible", "discarded", "refused"], Scalar | None]]:
    for ask in item.asks:
        label = labels.get((Subject((stored.trial_id,)).id, ask.question.id))
        if not ask.is_relevant:
            continue
        if isinstance(stored.response.outcome, Refused):
            yield ask, "refused", None
        elif label is not None:
            match label.value:
                case Known(value=value):
                    yield ask, "eligible", value
                case Discarded(is_refusal=is_refusal):
                    yield ask, "refused" if is_refusal else "discarded", None
