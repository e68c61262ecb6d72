"""Imports people's answers from a CSV, or line by line, as readings of a run.

Finds the responses that each line is about, by item, model and repeat or by image name; reads clicked positions, one
per counted thing; adds only what is new."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from subitize import records, registry
from subitize.errors import BadValueError, SubitizeError
from subitize.imports.releases import find_rating_columns
from subitize.io.files import CsvRow, read_records, read_rows
from subitize.labels import Rule, interpret
from subitize.labels.rules import find_positional_rule, parse_rule
from subitize.language.numbers import count_noun
from subitize.store import Run, StoredReading, StoredResponse, group_answers, is_refused, latest_attempts, subject_of
from subitize.store.leases import Lease

_FRACTION = re.compile(r"[0-9]+[.,][0-9]*[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import added: new readings, answers already there, changed answers, answers without a value.

    `named_images` are responses added by name only, because answers are about them.
    """

    added: int
    already_there: int
    changed: int
    discarded: tuple[str, ...]
    named_images: int = 0

    def __str__(self) -> str:
        parts = [f"{count_noun(self.added, 'reading')} added"]
        if self.changed:
            parts.append(f"{self.changed} of them replace earlier ones")
        if self.already_there:
            parts.append(f"{self.already_there} were there already")
        if self.discarded:
            parts.append(f"{len(self.discarded)} have no value, the first at {self.discarded[0]}")
        if self.named_images:
            parts.append(f"{count_noun(self.named_images, 'image')} added, known by name only")
        return ", ".join(parts)


def check_judge(judge: str) -> None:
    """Refuse an empty name for people's answers, and the name of one of our judges."""
    if not judge.strip():
        raise BadValueError("`judge` is empty; call people's answers something, as human")
    if judge in registry.names("judges"):
        raise BadValueError(
            f"`judge` {judge}: this is the name of a judge of ours; call people's answers something else"
        )


class AnswerLog:
    """A judge's earlier answers by annotator, and what the lines of a file add."""

    def __init__(self, judge: str, before: Iterable[StoredReading] = ()) -> None:
        self._judge = judge
        self._said: dict[tuple[str, str, str], StoredReading | None] = {}
        for said in before:
            self._said[said.reading.annotator, said.reading.subject.id, said.reading.question.id] = said

    def enter(
        self, line: CsvRow, about: tuple[records.Subject, records.Question], evidence: records.Evidence, rule: Rule
    ) -> records.Reading | None:
        """Make the reading of a line, or return None if its annotator gave the same answer before."""
        (subject, question), annotator = about, line.get("annotator")
        key = (annotator, subject.id, question.id)
        before = self._said.get(key)
        if key in self._said and before is None:
            raise line.error(f"{annotator!r} answers {question.id!r} of this response a second time in this file")
        self._said[key] = None
        if before is not None and before.reading.evidence == evidence:
            return None
        replaces = before.id if before else None
        value = interpret(evidence, question, rule)
        if isinstance(question, records.Count) and rule.name == "strict" and not line.get("rule"):
            _check_whole(line, question, evidence)
        return records.Reading(subject, question, self._judge, evidence, str(rule), value, annotator, replaces)


def _check_whole(line: CsvRow, question: records.Count, evidence: records.Evidence) -> None:
    """Refuse a fraction of a thing, unless the line names the rule that people answered by: some allow it."""
    if isinstance(evidence, records.Words) and _FRACTION.fullmatch(evidence.text):
        raise line.error(f"answer {evidence.text!r} to {question.id!r}: should be a whole number")


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """What the lines of a file add to a run: readings, and the responses that it lacks."""

    read: Sequence[tuple[CsvRow, records.Reading | None]]
    """Each line with its reading; None if the annotator gave the same answer before."""
    responses: Sequence[records.Response] = ()

    def add(self, run: Run, lease: Lease, judge: str) -> ImportSummary:
        """Add them all, and return a summary."""
        new = [(line, reading) for line, reading in self.read if reading is not None]
        run.add_judge(records.Spec(judge, {}, judge), is_stand_in=False)
        run.add_judged(lease, self.responses, [reading for _, reading in new])
        changed = sum(reading.replaces is not None for _, reading in new)
        unread = ((line, one.value) for line, one in new if isinstance(one.value, records.Discarded))
        discarded = tuple(f"{line.kind} {line.number}: {value.reason}" for line, value in unread)
        return ImportSummary(len(new), len(self.read) - len(new), changed, discarded, len(self.responses))


def read_place(line: CsvRow, column: Literal["group", "repeat"] = "group") -> int | None:
    """Read the column `group` or `repeat`: both count from 0, groups of images or images of an item and model."""
    text = line.get(column)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        which = "images" if column == "group" else "image"
        raise line.error(f"{column} {text!r}: should be a whole number, 0 for the first {which} of the item")
    return int(text)


def find_group(
    line: CsvRow, ask: records.Ask, responses: Iterable[StoredResponse], place: int | None
) -> records.Subject:
    """Find the group of a model's images of an item that a line is about; `place` counts groups from 0."""
    own = latest_attempts(responses)
    groups = {members[0].repeat // ask.group: members for members in group_answers(own, ask.group)}
    begun = sorted({stored.repeat // ask.group for stored in own})
    if place is None and len(begun) > 1:
        known = ", ".join(map(str, begun))
        raise line.error(f"there are {len(begun)} groups of {ask.group} images; name one in the column group: {known}")
    wanted = (begun or [0])[0] if place is None else place
    if wanted not in groups:
        raise line.error(f"group {wanted} is not complete: {_what_is_missing(ask.group, wanted, own)}")
    if is_refused(groups[wanted]):
        raise line.error(f"all {ask.group} images of group {wanted} were refused: there is nothing to vote on")
    return subject_of(groups[wanted])


def _what_is_missing(size: int, place: int, responses: Iterable[StoredResponse]) -> str:
    by_repeat = {stored.response.trial.repeat: stored.response.outcome for stored in responses}
    wanted = range(place * size, (place + 1) * size)
    missing = [str(repeat) for repeat in wanted if repeat not in by_repeat]
    failed = [str(repeat) for repeat in wanted if isinstance(by_repeat.get(repeat), records.Failed)]
    faults = [f"{what} {', '.join(which)}" for what, which in (("missing", missing), ("failed", failed)) if which]
    return f"of the repeats {wanted[0]} to {wanted[-1]} {'; '.join(faults)}; finish the run, or leave the line out"


class ResponseLookup:
    """Finds the responses of a run by item or image."""

    def __init__(self, run: Run) -> None:
        self._by_item: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_image: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_shorter_name: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_model: dict[str, dict[str, list[StoredResponse]]] = defaultdict(lambda: defaultdict(list))
        for stored in run.responses():
            outcome, trial = stored.response.outcome, stored.response.trial
            self._by_model[trial.item_id][trial.model].append(stored)
            if not isinstance(outcome, records.Failed | records.Refused):
                self._by_item[trial.item_id].append(stored)
            if isinstance(outcome, records.Drawn):
                names = _image_names(stored, outcome)
                for name in names:
                    self._by_image[name].append(stored)
                for shorter in {shorter for name in names for shorter in _shorten(name)} - names:
                    self._by_shorter_name[shorter].append(stored)

    def has(self, item_id: str) -> bool:
        """Return whether an item has a response other than refusals and failures."""
        return item_id in self._by_item

    def by_model(self, item_id: str) -> Mapping[str, list[StoredResponse]]:
        """Return the responses to an item, by model."""
        return self._by_model[item_id]

    def find(self, line: CsvRow) -> StoredResponse:
        """Find the one response that a line names, by `image` or by `item`, `model` and `repeat`."""
        column = "image" if line.get("image") else "item"
        name = line.get(column)
        found = self._by_item.get(name, []) if column == "item" else self._responses_with_image(name)
        if not found:
            raise line.error(f"no response with {column} {name!r} in this run; `subitize export` lists what it has")
        fitting = latest_attempts(stored for stored in found if _fits(line, stored))
        if len(fitting) != 1:
            have = ", ".join(f"{s.response.trial.model} repeat {s.response.trial.repeat}" for s in found[:4])
            raise line.error(
                f"{column} {name!r} has {len(found)} responses ({have}{', …' if len(found) > 4 else ''}), of which "
                f"{len(fitting)} fit; name one by the columns item, model and repeat"
            )
        return fitting[0]

    def _responses_with_image(self, name: str) -> list[StoredResponse]:
        """Find an image by its name, or with folders left off either name; folders that differ never match."""
        whole = PurePosixPath(name).as_posix()
        longest = next((known for known in (name, whole, *_shorten(whole)) if known in self._by_image), "")
        return self._by_image[longest] if longest else self._by_shorter_name.get(whole, [])


def _fits(line: CsvRow, stored: StoredResponse) -> bool:
    trial = stored.response.trial
    named = {"item": trial.item_id, "model": trial.model, "repeat": str(trial.repeat)}
    return all(line.get(column) in ("", value) for column, value in named.items())


def _image_names(stored: StoredResponse, outcome: records.Drawn) -> set[str]:
    """List the names of an image: its hash, its stored file, the file it was read from, its published name."""
    picture = outcome.picture
    names = {picture.name} if isinstance(picture, records.Elsewhere | records.Attached) else set()
    if isinstance(picture, records.Stored):
        names |= {picture.hash, f"{picture.hash}.{picture.format}"}
    file = stored.response.provenance.parameters.get("file")
    return names | ({str(file)} if file else set())


def _shorten(name: str) -> Iterator[str]:
    """Yield a name without its first folder, without its first two, and so on, down to the bare file name."""
    parts = PurePosixPath(name).parts
    return ("/".join(parts[start:]) for start in range(1, len(parts)))


_MOST_CLICKS = 1_000
_Pixel = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
_POINTS = TypeAdapter(Annotated[list[tuple[_Pixel, _Pixel]], Field(max_length=_MOST_CLICKS)])


def read_clicks(question: records.Question, text: str) -> records.Boxes:
    """Read clicked points, in pixels of the picture, as boxes without extent."""
    try:
        points = _POINTS.validate_json(text)
    except ValidationError:
        raise BadValueError(f"clicks should be a list of [x, y], at most {_MOST_CLICKS}") from None
    label = question.noun if isinstance(question, records.Count) else records.UNKNOWN
    return records.Boxes(tuple(records.Box(label, 1.0, (x, y, x, y)) for x, y in points))


COLUMNS = "annotator, item or image, question, answer; optional: model, repeat, group, clicks, rule"
_NEEDED = (("annotator",), ("answer",), ("item", "image"))
Note = Callable[[CsvRow, records.Subject, records.Question], None]
_STRICT, _CLICKS = Rule("strict"), Rule("boxes")


def import_readings(run: Run, path: Path, *, judge: str, rule: Rule | None = None) -> ImportSummary:
    """Add every answer of a CSV, or none: the first bad line raises an error."""
    return import_lines(run, read_answers(path), judge=judge, rule=rule)


def read_answers(path: Path) -> Iterator[CsvRow]:
    """Read the answers in a CSV, or from a pipe, in our columns or in those of a paper's ratings."""
    lines = read_records(path, allow_pipe=True)
    header = next(lines, (1, []))
    columns = find_rating_columns(header[1])
    lines = chain([header], lines)
    return columns.read(path, lines) if columns else read_rows(path, lines, _NEEDED, COLUMNS)


def import_lines(
    run: Run, given: Iterable[CsvRow], *, judge: str, rule: Rule | None = None, note: Note | None = None
) -> ImportSummary:
    """Add every answer, or none; without a rule each is read by the rule that its line names, or else by `strict`.

    `note` is called with what each line is about, before anything is stored.
    """
    check_judge(judge)
    lines = list(given)
    with run.lease(f"judge {judge}") as lease:
        importer = _AnswerImporter(run, AnswerLog(judge, run.readings(judge)), rule, note)
        return AnswerLines([(line, importer.reading(line)) for line in lines]).add(run, lease, judge)


class _AnswerImporter:
    """Turns lines into readings of a run's responses."""

    def __init__(self, run: Run, log: AnswerLog, rule: Rule | None, note: Note | None) -> None:
        self._log, self._rule, self._note = log, rule, note
        self._positional = find_positional_rule()  # people's codes for choices are positions
        self._items = {item.id: item for item in run.items()}
        self._lookup = ResponseLookup(run)

    def reading(self, line: CsvRow) -> records.Reading | None:
        """Make the reading of a line, or return None if the annotator gave the same answer before."""
        answer = line.get("answer")
        if not line.get("annotator") or not answer:
            raise line.error("annotator and answer should not be empty")
        about = self._about(line)
        if self._note is not None:
            self._note(line, *about)
        if line.get("clicks"):
            return self._log.enter(line, about, _read_clicks(line, about[1]), _CLICKS)
        has_position = isinstance(about[1], records.Choose) and answer.isdecimal()
        used = self._positional if has_position and self._positional else self._rule or _read_rule(line)
        return self._log.enter(line, about, records.Words(answer), used)

    def _about(self, line: CsvRow) -> tuple[records.Subject, records.Question]:
        """Find the response that a line is about, or the group if the question is about a group."""
        item = self._items.get(line.get("item"))
        ask = self._ask(line, item) if item and not line.get("image") and self._lookup.has(item.id) else None
        if item is not None and ask is not None and ask.group > 1:
            return self._group(line, item, ask), ask.question
        stored = self._lookup.find(line)
        ask = self._ask(line, self._items[stored.response.trial.item_id])
        if ask.group > 1:
            raise line.error(
                f"{ask.question.id!r} is about {ask.group} images together; name them by item, model and group"
            )
        return records.Subject((stored.trial_id,)), ask.question

    def _group(self, line: CsvRow, item: records.Item, ask: records.Ask) -> records.Subject:
        models = self._lookup.by_model(item.id)
        wanted = line.get("model") or (next(iter(models)) if len(models) == 1 else "")
        if wanted not in models:
            raise line.error(
                f"model {wanted!r} has no response to item {item.id!r}; those that have: {', '.join(models)}"
            )
        return find_group(line, ask, models[wanted], _read_group(line, ask.group))

    @staticmethod
    def _ask(line: CsvRow, item: records.Item) -> records.Ask:
        wanted = line.get("question")
        fitting = [ask for ask in item.asks if wanted in ("", ask.question.id, ask.wording)]
        if len(fitting) != 1:
            known = ", ".join(repr(ask.question.id) for ask in item.asks)
            raise line.error(f"question {wanted!r} is not one of item {item.id!r}; it has: {known}")
        return fitting[0]


def _read_rule(line: CsvRow) -> Rule:
    try:
        return parse_rule(line.get("rule")) if line.get("rule") else _STRICT
    except SubitizeError as error:
        raise line.error(f"{error}; or name the rule of all answers with `rule`") from None


def _read_clicks(line: CsvRow, question: records.Question) -> records.Boxes:
    try:
        return read_clicks(question, line.get("clicks"))
    except BadValueError as error:
        raise line.error(f"clicks {line.get('clicks')[:60]!r}: {error}") from None


def _read_group(line: CsvRow, size: int) -> int | None:
    """Read which group is meant, by its number or by one of its images; if both are given, they must agree."""
    place, repeat = read_place(line), read_place(line, "repeat")
    if repeat is None:
        return place
    if place not in (None, repeat // size):
        raise line.error(f"repeat {repeat} is in group {repeat // size}, not {place}; leave one of them out")
    return repeat // size
