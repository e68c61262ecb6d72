"""What was observed: items, latest responses and readings joined, one row per question, judge and trial."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from subitize.analysis.rows import ReadingRow, ResponseRow, read_readings, read_responses
from subitize.errors import NothingToDoError
from subitize.labels import Rule, consensus, interpret
from subitize.records import Ask, Item, Known, Scalar, Subject, Value
from subitize.store import Database, Run, codec

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
    subject: Subject | None = field(default=None, compare=False, repr=False)
    """What was read; nothing where an observation was made without a run."""

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
    latest, readings = _latest(read_responses(run)), _read(run, reader)
    found = _observe(_Material(run.items(), latest, _labels(readings, reader.agreement), run.exclusions()))
    if not found or (reader.judge is not None and not readings and read_readings(run)):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


def observe_asides(run: Run, reader: Reader) -> list[Observation]:
    """Join the asks that do not enter the score, if any; their values are as stored, as rules are for counts."""
    labels = _labels(read_readings(run, reader.judge), reader.agreement)
    material = _Material(run.items(), _latest(read_responses(run)), labels, run.exclusions())
    return _observe(material, is_relevant=False)


def _read(run: Run, reader: Reader) -> list[ReadingRow]:
    rule = reader.rule
    anew = None if rule is None else lambda evidence, question: interpret(evidence, question, rule)
    return read_readings(run, reader.judge, anew)


_Labels = dict[str, dict[tuple[str, str], Value]]


class _Material(NamedTuple):
    """What observations are made of: items, the responses that count, and the values read of them by judge."""

    items: Sequence[Item]
    latest: Sequence[ResponseRow]
    labels: _Labels
    excluded: Mapping[str, str]


def _observe(material: _Material, *, is_relevant: bool = True) -> list[Observation]:
    labels, excluded = material.labels, material.excluded
    shown = list(_shown(material, is_relevant=is_relevant))
    judges = _judges(shown, labels)
    return [
        Observation(
            one.item, one.ask, one.model, judge, one.repeat, status, value, one.item.id in excluded, one.subject
        )
        for one in shown
        for judge in judges[one.suite, one.model]
        for status, value in _outcome(one, labels[judge])
    ]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What no figure covers: items that a model was not given, trials that failed, answers that nobody has read."""

    unasked: int
    failed: int
    unread: int


def find_gaps(run: Run) -> Gaps:
    """Count what no figure covers."""
    return _gaps(run.items(), _latest(read_responses(run)), read_readings(run))


@dataclass(frozen=True, slots=True)
class Survey:
    """All that figures are made of, read at once: the responses that count, what was observed, and the gaps.

    `asides` are the observations of asks that do not enter the score.
    """

    responses: list[ResponseRow]
    observations: list[Observation]
    asides: list[Observation]
    gaps: Gaps


def survey_run(run: Run) -> Survey:
    """Read a run once, for all figures; the values are as stored."""
    items, latest, readings = run.items(), _latest(read_responses(run)), read_readings(run)
    material = _Material(items, latest, _labels(readings, Reader().agreement), run.exclusions())
    found = _observe(material)
    if not found:
        raise NothingToDoError(_what_is_missing(run, Reader(), latest))
    return Survey(latest, found, _observe(material, is_relevant=False), _gaps(items, latest, readings))


def _gaps(items: Iterable[Item], latest: Sequence[ResponseRow], readings: Iterable[ReadingRow]) -> Gaps:
    read = {trial_id for row in readings for trial_id in _members(row)}
    failed = sum(row.kind == "failed" for row in latest)
    answered = (row for row in latest if row.kind not in ("failed", "refused"))
    return Gaps(_unasked(items, latest), failed, sum(row.trial_id not in read for row in answered))


def _members(row: ReadingRow) -> Sequence[str]:
    """Name the trials that a reading is about; only of a group must they be decoded."""
    return codec.trial_ids.validate_json(row.trial_ids) if "," in row.trial_ids else (row.subject_id,)


def _unasked(items: Iterable[Item], latest: Iterable[ResponseRow]) -> int:
    suites = Counter(item.suite for item in items)
    asked = {(row.model, row.item_id) for row in latest}
    begun = {(model, item_id.partition("/")[0]) for model, item_id in asked}
    return sum(suites[suite] for _, suite in begun) - len(asked)


def _latest(responses: Iterable[ResponseRow]) -> list[ResponseRow]:
    """Keep the attempts that figures use, as `latest_attempts` does: the last that did not fail, if any."""
    latest: dict[tuple[str, str, int], ResponseRow] = {}
    for row in responses:
        key = (row.item_id, row.model, row.repeat)
        known = latest.get(key)
        if known is None or (known.kind != "failed", known.attempt) < (row.kind != "failed", row.attempt):
            latest[key] = row
    return list(latest.values())


class _Shown(NamedTuple):
    """A question and what it is about."""

    item: Item
    suite: str
    ask: Ask
    subject: Subject
    model: str
    repeat: int
    is_refused: bool


def _shown(material: _Material, *, is_relevant: bool) -> Iterator[_Shown]:
    by_item: dict[str, list[ResponseRow]] = defaultdict(list)
    for row in material.latest:
        if row.kind != "failed":  # it has nothing to show
            by_item[row.item_id].append(row)
    for item in material.items:
        suite, rows = item.suite, by_item[item.id]
        for ask in item.asks:
            if ask.is_relevant != is_relevant:
                continue
            if ask.group == 1:
                for row in rows:
                    subject = Subject((row.trial_id,))
                    yield _Shown(item, suite, ask, subject, row.model, row.repeat, row.kind == "refused")
                continue
            for members in _grouped(rows, ask.group):
                subject = Subject(tuple(row.trial_id for row in members))
                is_refused = any(row.kind == "refused" for row in members)
                yield _Shown(item, suite, ask, subject, members[0].model, members[0].repeat, is_refused)


def _grouped(rows: Sequence[ResponseRow], size: int) -> Iterable[Sequence[ResponseRow]]:
    """Take the repeats 0 to size-1 of a model together, then the next so many; incomplete groups are left out."""
    groups: dict[tuple[str, int], list[ResponseRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda one: one.repeat):
        groups[row.model, row.repeat // size].append(row)
    return (group for group in groups.values() if len(group) == size)


def _what_is_missing(run: Run, reader: Reader, latest: Sequence[ResponseRow]) -> str:
    if all(row.kind == "failed" for row in latest) and latest:
        return f"all {len(latest)} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        known = ", ".join(sorted({row.judge for row in read_readings(run)})) or "none"
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {known}"
    return f"{run.location} has no readings yet; finish its run, or: subitize judge {name} --judge JUDGE"


def _labels(readings: Iterable[ReadingRow], agreement: str) -> _Labels:
    """Make one value of all the readings of a question, by judge, subject and question."""
    labels: _Labels = defaultdict(dict)
    several: dict[tuple[str, str, str], list[Value]] = {}
    for subject_id, _, question_id, judge, value in readings:
        of_judge, key = labels[judge], (subject_id, question_id)
        if key in of_judge:
            several.setdefault((judge, *key), [of_judge[key]]).append(value)
        else:
            of_judge[key] = value
    for (judge, *where), values in several.items():
        labels[judge][where[0], where[1]] = consensus(values, agreement)
    # One vote counts as it is, unless the rule makes something else of it; a rule that is not known is refused.
    if agreement not in ("mode", "majority"):
        for judge, of_judge in labels.items():
            labels[judge] = {
                key: value if (judge, *key) in several else consensus([value], agreement)
                for key, value in of_judge.items()
            }
    return labels


def _judges(shown: Iterable[_Shown], labels: _Labels) -> dict[tuple[str, str], list[str]]:
    """Find the judges that looked at each suite and model; where there is no answer, no judge is needed."""
    seen = {judge: {subject_id for subject_id, _ in by_question} for judge, by_question in labels.items()}
    judges: dict[tuple[str, str], list[str]] = defaultdict(list)
    has_answers: set[tuple[str, str]] = set()
    for one in shown:
        key = (one.suite, one.model)
        known = judges[key]
        if len(known) < len(seen):
            subject_id = one.subject.id
            known += [judge for judge, ids in seen.items() if judge not in known and subject_id in ids]
        if not one.is_refused:
            has_answers.add(key)
    return {key: names or [NO_JUDGE] * (key not in has_answers) for key, names in judges.items()}


def _outcome(one: _Shown, labels: Mapping[tuple[str, str], Value]) -> Iterator[tuple[Status, Scalar | None]]:
    label = labels.get((one.subject.id, one.ask.question.id))
    if one.is_refused:
        yield "refused", None
    elif isinstance(label, Known):
        yield "eligible", label.value
    elif label is not None:
        yield "refused" if label.is_refusal else "discarded", None
