"""What was observed: items, latest responses and readings joined, one row per question, judge and trial."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from subitize.errors import BadValueError, NothingToDoError
from subitize.labels import Rule, check_floor, consensus, interpret
from subitize.records import Ask, Count, Draw, Item, Known, Scalar, Subject, Value
from subitize.store import Database, Run, codec, group_answers, is_refused, latest_attempts, subject_of
from subitize.store.rows import (
    Material,
    ReadingRow,
    ResponseRow,
    read_designs,
    read_judgings,
    read_readings,
    read_responses,
)

Status = Literal["eligible", "discarded", "refused"]

# A judge's name where nothing could be judged, because every response was a refusal.
NO_JUDGE = "none"


@dataclass(frozen=True, slots=True)
class Observation:
    """One relevant question about the latest response to an item, as one judge read it.

    Where a suite asks again for what came out as nothing, a drawing in which nothing is to be counted is discarded, its
    value 0 (Numbersense, section 2.1.2): after the last attempt there is no number to be right or wrong about.
    """

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
    is_founded: bool = True
    """Whether the answers to the questions that this one rests on, in a scene graph, are right."""

    @property
    def is_right(self) -> bool:
        """Tell whether the value is one of those that a right outcome shows, and what it rests on is right, too."""
        return self.is_founded and self.is_right_by_itself

    @property
    def is_right_by_itself(self) -> bool:
        """Tell whether the value is one of those that a right outcome shows."""
        return self.status == "eligible" and self.value in self.ask.expects


def asks_for_number(item: Item, ask: Ask) -> bool:
    """Tell whether an ask is a count whose right answer is the item's factor `number`, of things of its category."""
    factors = item.factors
    number = factors.get("number")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return isinstance(ask.question, Count) and is_number and "category" in factors and ask.expects == (number,)


@dataclass(frozen=True, slots=True)
class Reader:
    """Which readings to take, how to read their evidence (None: as stored), and how several become one.

    What a rule leaves open is as in the rule that a reading was stored with.
    """

    judge: str | None = None
    rule: Rule | None = None
    agreement: str = "mode"


def observe_run(run: Run, reader: Reader) -> list[Observation]:
    """Join what the run has. Failed trials are left out; refusals stand for every judge of that model."""
    latest, readings = latest_attempts(read_responses(run)), _read(run, reader)
    found = _observe(_gather(run, latest, _labels(readings, reader.agreement)))
    if not found or (reader.judge is not None and not readings and read_readings(run)):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


def observe_rows(
    items: Sequence[Item], responses: Iterable[ResponseRow], readings: Iterable[ReadingRow], *, asked_again: Set[str]
) -> list[Observation]:
    """Join what is known without a run, as a run's is; `asked_again` are the suites that ask again for nothing."""
    labels = _labels(readings, Reader().agreement)
    return _observe(_Material(items, latest_attempts(responses), labels, {}, asked_again))


def observe_asides(run: Run, reader: Reader) -> list[Observation]:
    """Join the asks that do not enter the score, if any; their values are as stored, as rules are for counts."""
    labels = _labels(read_readings(run, reader.judge), reader.agreement)
    return _observe(_gather(run, latest_attempts(read_responses(run)), labels), is_relevant=False)


def _read(run: Run, reader: Reader) -> list[ReadingRow]:
    if reader.rule is None:
        return read_readings(run, reader.judge)
    for entry in run.judges():
        if reader.judge in (None, entry.name):
            check_floor(reader.rule, entry.options, entry.name)
    return read_readings(run, reader.judge, _Anew(run, reader.judge, reader.rule))


class _Anew:
    """Reads evidence by another rule than it was read by."""

    def __init__(self, run: Run, judge: str | None, rule: Rule) -> None:
        self._run, self._judge, self._rule = run, judge, rule
        self._whole: dict[str, Rule] = {}

    def __call__(self, stored: Material) -> Value:
        if stored.rule not in self._whole:
            self._whole[stored.rule] = self._rule.over_stored(stored.rule)
        try:
            return interpret(stored.evidence, stored.question, self._whole[stored.rule])
        except BadValueError as error:
            known = ", ".join(sorted({one.judge for one in read_judgings(self._run)}))
            remedy = f", as {stored.judge!r} has; name a judge with --judge: {known}" if self._judge is None else ""
            raise BadValueError(f"{error}{remedy}") from None


_Labels = dict[str, dict[tuple[str, str], Value]]


class _Material(NamedTuple):
    """What observations are made of: items, the responses that count, and the values read of them by judge."""

    items: Sequence[Item]
    latest: Sequence[ResponseRow]
    labels: _Labels
    excluded: Mapping[str, str]
    asked_again: Set[str]
    """The suites that ask again for what came out as nothing."""


def _gather(run: Run, latest: Sequence[ResponseRow], labels: _Labels) -> _Material:
    asked_again = {suite for suite, design in read_designs(run).items() if design.asks_again}
    return _Material(run.items(), latest, labels, run.exclusions(), asked_again)


def _observe(material: _Material, *, is_relevant: bool = True) -> list[Observation]:
    labels, excluded = material.labels, material.excluded
    shown = list(_shown(material, is_relevant=is_relevant))
    judges = _judges(shown, labels)
    found = []
    for one in shown:
        item, key = one.item, (one.subject.id, one.question_id)
        for judge in judges[one.place]:
            status, value = _outcome(one, labels[judge].get(key))
            if status is not None:
                is_excluded = item.id in excluded
                found.append(
                    Observation(item, one.ask, one.model, judge, one.repeat, status, value, is_excluded, one.subject)
                )
    return _with_foundations(found) if any(one.ask.parent for one in found) else found


def _with_foundations(observations: Sequence[Observation]) -> list[Observation]:
    """Mark the answers that rest on a wrong one: where there is no fork, it does not matter that none is broken."""
    known = {_place(one, one.ask.question.id): one for one in observations}

    def is_founded(one: Observation) -> bool:
        parent = known.get(_place(one, one.ask.parent)) if one.ask.parent else None
        return parent is None or (parent.is_right_by_itself and is_founded(parent))

    return [one if is_founded(one) else replace(one, is_founded=False) for one in observations]


def _place(one: Observation, question_id: str) -> tuple[str, str, str]:
    return (one.subject.id if one.subject else "", one.judge, question_id)


@dataclass(frozen=True, slots=True)
class Gaps:
    """What no figure covers: items that a model was not given, trials that failed, answers that nobody has read."""

    unasked: int
    failed: int
    unread: int


def find_gaps(run: Run) -> Gaps:
    """Count what no figure covers."""
    return _gaps(run.items(), latest_attempts(read_responses(run)), read_readings(run))


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
    latest, readings = latest_attempts(read_responses(run)), read_readings(run)
    material = _gather(run, latest, _labels(readings, Reader().agreement))
    found = _observe(material)
    if not found:
        raise NothingToDoError(_what_is_missing(run, Reader(), latest))
    return Survey(latest, found, _observe(material, is_relevant=False), _gaps(material.items, latest, readings))


def _gaps(items: Iterable[Item], latest: Sequence[ResponseRow], readings: Iterable[ReadingRow]) -> Gaps:
    read: set[str] = set()
    for row in readings:
        if "," in row.trial_ids:  # a group: only then must they be decoded
            read.update(codec.trial_ids.validate_json(row.trial_ids))
        else:
            read.add(row.subject_id)
    failed = sum(row.kind == "failed" for row in latest)
    answered = (row for row in latest if row.kind not in ("failed", "refused"))
    return Gaps(_unasked(items, latest), failed, sum(row.trial_id not in read for row in answered))


def _unasked(items: Iterable[Item], latest: Iterable[ResponseRow]) -> int:
    suites = Counter(item.suite for item in items)
    asked = {(row.model, row.item_id) for row in latest}
    begun = {(model, item_id.partition("/")[0]) for model, item_id in asked}
    return sum(suites[suite] for _, suite in begun) - len(asked)


class _Shown(NamedTuple):
    """A question and what it is about."""

    item: Item
    suite: str
    ask: Ask
    question_id: str
    subject: Subject
    model: str
    repeat: int
    is_refused: bool
    is_to_draw: bool
    """Whether a number of things was to be drawn, in a suite that asks again where there are none."""

    @property
    def place(self) -> tuple[str, str, bool]:
        """Where its judges are the same: who looks at images one by one need not look at groups of them."""
        return self.suite, self.model, self.ask.group > 1


def _shown(material: _Material, *, is_relevant: bool) -> Iterator[_Shown]:
    by_item: dict[str, list[ResponseRow]] = defaultdict(list)
    for row in material.latest:
        by_item[row.item_id].append(row)
    for item in material.items:
        suite, rows = item.suite, by_item[item.id]
        for ask in item.asks:
            if ask.is_relevant != is_relevant:
                continue
            question_id = ask.question.id
            is_to_draw = isinstance(item.task, Draw) and suite in material.asked_again and asks_for_number(item, ask)
            for members in group_answers(rows, ask.group):
                first, subject = members[0], subject_of(members)
                nothing = is_refused(members)
                yield _Shown(item, suite, ask, question_id, subject, first.model, first.repeat, nothing, is_to_draw)


def _what_is_missing(run: Run, reader: Reader, latest: Sequence[ResponseRow]) -> str:
    if all(row.kind == "failed" for row in latest) and latest:
        return f"all {len(latest)} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        known = ", ".join(sorted({row.judge for row in read_readings(run)})) or "none"
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {known}"
    if read_readings(run):
        return (
            f"{run.location} has no readings of the suites' own questions yet: subitize judge {name} --judge JUDGE; "
            f"for those of judges that ask their own: subitize align {name}"
        )
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


def _judges(shown: Iterable[_Shown], labels: _Labels) -> dict[tuple[str, str, bool], list[str]]:
    """Find the judges that looked at each suite and model; where there is no answer, no judge is needed."""
    judges: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    has_answers: set[tuple[str, str, bool]] = set()
    for one in shown:
        key = one.place
        known = judges[key]
        if len(known) < len(labels):
            place = (one.subject.id, one.question_id)
            known += [judge for judge, by_question in labels.items() if judge not in known and place in by_question]
        if not one.is_refused:
            has_answers.add(key)
    return {key: names or [NO_JUDGE] * (key not in has_answers) for key, names in judges.items()}


def _outcome(one: _Shown, label: Value | None) -> tuple[Status | None, Scalar | None]:
    """Tell what came of it as one judge labels it; nothing where an answer has no label."""
    if one.is_refused:
        return "refused", None
    if isinstance(label, Known):
        is_empty = one.is_to_draw and not isinstance(label.value, str) and round(label.value) == 0
        return ("discarded" if is_empty else "eligible"), label.value
    if label is None:
        return None, None
    # Words that decline are a refusal of the model that wrote them; about a drawing they are the judge's.
    is_own = not isinstance(one.item.task, Draw)
    return ("refused" if label.is_refusal and is_own else "discarded"), None
