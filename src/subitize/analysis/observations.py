"""What was observed: items, latest responses and readings joined, one row per question, judge and trial."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from subitize.errors import NothingToDoError
from subitize.labels import Rule, consensus, interpret
from subitize.records import Ask, Discarded, Failed, Item, Known, Label, Reading, Refused, Scalar
from subitize.store import Database, Exhibited, Run, StoredResponse, exhibited, latest_attempts

Status = Literal["eligible", "discarded", "refused"]

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
    status: Status
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
    labels = _labels(run, reader)
    latest = latest_attempts(run.responses())
    if reader.judge is not None and not labels and any(run.readings()):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    shown = list(_shown(run, latest))
    judges = _judges(shown, labels)
    excluded = run.exclusions()
    found = [
        Observation(one.item, one.ask, one.model, judge, one.repeat, status, value, one.item.id in excluded)
        for one in shown
        for judge in judges[one.item.suite, one.model]
        for status, value in _outcome(one, labels[judge])
    ]
    if not found:
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


@dataclass(frozen=True, slots=True)
class Gaps:
    """What no figure covers: items that a model was not given, trials that failed, answers that nobody has read."""

    unasked: int
    failed: int
    unread: int


def find_gaps(run: Run) -> Gaps:
    """Count what no figure covers."""
    latest = latest_attempts(run.responses())
    read = {trial_id for stored in run.readings() for trial_id in stored.reading.subject.trial_ids}
    failed = sum(isinstance(stored.response.outcome, Failed) for stored in latest)
    answered = (stored for stored in latest if not isinstance(stored.response.outcome, Failed | Refused))
    return Gaps(_unasked(run, latest), failed, sum(stored.trial_id not in read for stored in answered))


def _unasked(run: Run, latest: Iterable[StoredResponse]) -> int:
    suites = Counter(item.suite for item in run.items())
    asked = {(stored.response.trial.model, stored.response.trial.item_id) for stored in latest}
    begun = {(model, item_id.partition("/")[0]) for model, item_id in asked}
    return sum(suites[suite] for _, suite in begun) - len(asked)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A question and what it is about."""

    item: Item
    ask: Ask
    exhibited: Exhibited

    @property
    def model(self) -> str:
        return self.exhibited.members[0].response.trial.model

    @property
    def repeat(self) -> int:
        return self.exhibited.members[0].response.trial.repeat

    @property
    def is_refused(self) -> bool:
        return any(isinstance(stored.response.outcome, Refused) for stored in self.exhibited.members)


def _shown(run: Run, latest: Iterable[StoredResponse]) -> Iterator[_Shown]:
    by_item: dict[str, list[StoredResponse]] = defaultdict(list)
    for stored in latest:
        by_item[stored.response.trial.item_id].append(stored)
    for item in run.items():
        for ask in item.asks:
            if ask.is_relevant:
                yield from (_Shown(item, ask, one) for one in exhibited(ask, by_item[item.id]))


def _what_is_missing(run: Run, reader: Reader, latest: list[StoredResponse]) -> str:
    if all(isinstance(stored.response.outcome, Failed) for stored in latest) and latest:
        return f"all {len(latest)} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        known = ", ".join(sorted({stored.reading.judge for stored in run.readings()})) or "none"
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {known}"
    return f"{run.location} has no readings yet; finish its run, or: subitize judge {name} --judge JUDGE"


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
    shown: Iterable[_Shown], labels: dict[str, dict[tuple[str, str], Label]]
) -> dict[tuple[str, str], list[str]]:
    """Find the judges that looked at each suite and model; where there is no answer, no judge is needed."""
    seen = {judge: {subject_id for subject_id, _ in by_question} for judge, by_question in labels.items()}
    judges: dict[tuple[str, str], list[str]] = defaultdict(list)
    has_answers: set[tuple[str, str]] = set()
    for one in shown:
        key = (one.item.suite, one.model)
        known = judges[key]
        known += [judge for judge, ids in seen.items() if judge not in known and one.exhibited.subject.id in ids]
        if not one.is_refused:
            has_answers.add(key)
    return {key: names or [NO_JUDGE] * (key not in has_answers) for key, names in judges.items()}


def _outcome(one: _Shown, labels: dict[tuple[str, str], Label]) -> Iterator[tuple[Status, Scalar | None]]:
    label = labels.get((one.exhibited.subject.id, one.ask.question.id))
    if one.is_refused:
        yield "refused", None
    elif label is not None:
        match label.value:
            case Known(value=value):
                yield "eligible", value
            case Discarded(is_refusal=is_refusal):
                yield "refused" if is_refusal else "discarded", None
