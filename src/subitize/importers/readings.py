"""Answers that people gave elsewhere, from a CSV, as readings of a run."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from subitize import registry
from subitize.csv_files import read_records
from subitize.errors import BadFileError, BadValueError
from subitize.labels import Rule, interpret
from subitize.records import (
    Ask,
    Choose,
    Discarded,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Reading,
    Refused,
    Spec,
    Subject,
    Words,
)
from subitize.store import Run, StoredReading, StoredResponse, latest_attempts

COLUMNS = "annotator, item or image, question, answer; optional: model, repeat"


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import added: new readings, answers that were there, changed minds, answers without a value."""

    added: int
    already_there: int
    changed: int
    discarded: tuple[str, ...]

    def __str__(self) -> str:
        parts = [f"{self.added} readings added"]
        if self.changed:
            parts.append(f"{self.changed} of them replace earlier ones")
        if self.already_there:
            parts.append(f"{self.already_there} were there already")
        if self.discarded:
            parts.append(f"{len(self.discarded)} have no value, the first at {self.discarded[0]}")
        return ", ".join(parts)


def import_readings(run: Run, path: Path, *, judge: str, rule: Rule) -> ImportSummary:
    """Add every answer of the file, or none: the first bad line is an error."""
    if judge in registry.names("judges"):
        raise BadValueError(
            f"--judge {judge}: this is the name of a judge of ours; call people's answers something else"
        )
    lines = list(_lines(path))
    new, discarded, known = [], [], 0
    with run.lease(f"judge {judge}") as lease:
        run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
        book = _Book(run, judge)
        for line in lines:
            reading = book.reading(line, rule)
            if reading is None:
                known += 1
                continue
            new.append(reading)
            if isinstance(reading.value, Discarded):
                discarded.append(f"line {line.number}: {reading.value.reason}")
        run.add_readings(lease, new)
    changed = sum(reading.replaces is not None for reading in new)
    return ImportSummary(len(new), known, changed, tuple(discarded))


def _lines(path: Path) -> Iterator["_Line"]:
    records = read_records(path)
    _, names = next(records, (1, []))
    columns = [name.strip() for name in names]
    _check_columns(path, columns)
    for number, fields in records:
        if len(fields) != len(columns):
            raise BadFileError(f"{path.name} line {number}: should have {len(columns)} fields, not {len(fields)}")
        yield _Line(path.name, number, dict(zip(columns, (field.strip() for field in fields), strict=True)))


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    missing = {"annotator", "answer"} - set(columns)
    if missing or not {"item", "image"} & set(columns):
        wanted = ", ".join([*sorted(missing), *["item or image"] * (not {"item", "image"} & set(columns))])
        raise BadFileError(
            f"{path.name} line 1: no column {wanted} in {','.join(columns)[:80]!r}; "
            f"a comma between columns, small letters: {COLUMNS}"
        )
    twice = [name for name, times in Counter(columns).items() if name and times > 1]
    if twice:
        raise BadFileError(f"{path.name} line 1: column {twice[0]!r} stands there twice")


@dataclass(frozen=True, slots=True)
class _Line:
    file: str
    number: int
    row: Mapping[str, str]

    def get(self, column: str) -> str:
        value = self.row.get(column, "")
        if "\x00" in value:
            raise self.error(f"{column} {value!r} has a NUL character in it")
        return value

    def error(self, message: str) -> BadFileError:
        return BadFileError(f"{self.file} line {self.number}: {message}")


class _Book:
    """The responses of a run, to be found by item or image, and what the judge's annotators said before."""

    def __init__(self, run: Run, judge: str) -> None:
        self._judge = judge
        self._items = {item.id: item for item in run.items()}
        self._by_item: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_image: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_shorter_name: dict[str, list[StoredResponse]] = defaultdict(list)
        for stored in run.responses():
            outcome = stored.response.outcome
            if not isinstance(outcome, Failed | Refused):
                self._by_item[stored.response.trial.item_id].append(stored)
            if isinstance(outcome, Drawn):
                names = _image_names(stored, outcome)
                for name in names:
                    self._by_image[name].append(stored)
                for shorter in {shorter for name in names for shorter in _shorten(name)} - names:
                    self._by_shorter_name[shorter].append(stored)
        self._said: dict[tuple[str, str, str], StoredReading | None] = {}
        for said in run.readings(judge):
            self._said[said.reading.annotator, said.reading.subject.id, said.reading.question.id] = said

    def reading(self, line: _Line, rule: Rule) -> Reading | None:
        """Make the reading of a line, or None if the annotator said just that before."""
        annotator, answer = line.get("annotator"), line.get("answer")
        if not annotator or not answer:
            raise line.error("annotator and answer should not be empty")
        stored = self._response(line)
        question = self._ask(line, self._items[stored.response.trial.item_id]).question
        subject, evidence = Subject((stored.trial_id,)), Words(answer)
        key = (annotator, subject.id, question.id)
        before = self._said.get(key)
        if key in self._said and before is None:
            raise line.error(f"{annotator!r} answers {question.id!r} of this response a second time in this file")
        self._said[key] = None
        if before is not None and before.reading.evidence == evidence:
            return None
        # People's codes for lines are positions, which only this rule reads.
        used = Rule("geckonum") if isinstance(question, Choose) and answer.isdecimal() else rule
        value = interpret(evidence, question, used)
        replaces = before.id if before else None
        return Reading(subject, question, self._judge, evidence, str(used), value, annotator, replaces)

    def _response(self, line: _Line) -> StoredResponse:
        column = "image" if line.get("image") else "item"
        name = line.get(column)
        found = self._by_item[name] if column == "item" else self._responses_with_image(name)
        if not found:
            raise line.error(f"no response with {column} {name!r} in this run; `subitize export` lists what it has")
        fitting = latest_attempts(stored for stored in found if self._fits(line, stored))
        if len(fitting) != 1:
            have = ", ".join(f"{s.response.trial.model} repeat {s.response.trial.repeat}" for s in found[:4])
            raise line.error(
                f"{column} {name!r} has {len(found)} responses ({have}{', …' if len(found) > 4 else ''}), of which "
                f"{len(fitting)} fit; name one by the columns item, model and repeat"
            )
        return fitting[0]

    def _responses_with_image(self, name: str) -> list[StoredResponse]:
        """Find an image by its whole name, by more than that, or by less; folders that differ are never passed over."""
        whole = PurePosixPath(name).as_posix()
        longest = next((known for known in (name, whole, *_shorten(whole)) if known in self._by_image), "")
        return self._by_image[longest] if longest else self._by_shorter_name.get(whole, [])

    @staticmethod
    def _fits(line: _Line, stored: StoredResponse) -> bool:
        trial = stored.response.trial
        named = {"item": trial.item_id, "model": trial.model, "repeat": str(trial.repeat)}
        return all(line.get(column) in ("", value) for column, value in named.items())

    @staticmethod
    def _ask(line: _Line, item: Item) -> Ask:
        wanted = line.get("question")
        fitting = [ask for ask in item.asks if wanted in ("", ask.question.id, ask.wording)]
        if len(fitting) != 1:
            known = ", ".join(repr(ask.question.id) for ask in item.asks)
            raise line.error(f"question {wanted!r} is not one of item {item.id!r}; it has: {known}")
        return fitting[0]


def _image_names(stored: StoredResponse, outcome: Drawn) -> set[str]:
    """List what people may call an image: its hash, its file here, the file it was read from, its published name."""
    picture = outcome.picture
    names = {picture.name} if isinstance(picture, Elsewhere) else {picture.hash, f"{picture.hash}.{picture.format}"}
    file = stored.response.provenance.parameters.get("file")
    return names | ({str(file)} if file else set())


def _shorten(name: str) -> Iterator[str]:
    """Take folders off the front of a name, one by one, down to the bare name of the file."""
    parts = PurePosixPath(name).parts
    return ("/".join(parts[start:]) for start in range(1, len(parts)))
