"""Probes of counting: a question about an image, its number, wrong ones, and statements of each; files of them."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints

from subitize.csv_files import read_text
from subitize.errors import BadFileError

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "validation", "test")
SEPARATOR = " [SEP] "
"""Between a question and its answer (section 4.1.1)."""
LARGEST = 1000
"""No sensible answer to a question about a photograph is larger; a released foil is 543."""


class Candidate(NamedTuple):
    """A number that may be the answer, as a statement."""

    number: int
    statement: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about an image, or only statements of it where there is none (""), the answer, and foils.

    Foils are kept as they were given: `candidates` leaves out those that are right, or stand there twice. `split` is
    standard, hard, interpolated or another set of probes. The masked texts have a gap for the number: one is the same
    for any answer, the other has the grammar of the right one, as the paper's has.
    """

    id: str
    split: str
    part: str
    image: str
    question: str
    answer: int
    foils: tuple[int, ...]
    statement: str
    statement_foils: tuple[str, ...]
    masked: str
    masked_faithful: str

    def candidates(self) -> Iterator[Candidate]:
        """Go through the right answer and its valid foils."""
        yield Candidate(self.answer, self.statement, is_right=True)
        known = {self.answer}
        for number, statement in zip(self.foils, self.statement_foils, strict=True):
            if number not in known:
                yield Candidate(number, statement, is_right=False)
            known.add(number)

    def count_invalid(self) -> int:
        """Count the foils that are no foils: equal to the answer, or to one another."""
        return len(self.foils) + 1 - sum(1 for _ in self.candidates())

    def question_with(self, number: int) -> str:
        """Write the question with a number as its answer."""
        return f"{self.question}{SEPARATOR}{number}"


@dataclass(frozen=True, slots=True)
class CaptionPair:
    """An image with a caption of its own, and one of another image of the same source."""

    id: str
    source: str
    image: str
    caption: str
    foil: str


RecordT = TypeVar("RecordT", Probe, CaptionPair)


def write_records(path: Path, records: Iterable[Probe | CaptionPair]) -> None:
    """Write a line of JSON per record; the file is there whole, or as it was."""
    lines = "".join(f"{json.dumps(asdict(record), ensure_ascii=False)}\n" for record in records)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(lines)
        os.replace(file.name, path)
    except OSError as error:
        raise BadFileError(f"cannot write {path}: {error.strerror}") from None


def read_records(path: Path, kind: type[RecordT]) -> list[RecordT]:
    """Read a file that `subitize probes` wrote; what is wrong is said with its line."""
    records = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        records.append(
            _make_record(kind, read_object(line, f"{path.name} line {number}"), f"{path.name} line {number}")
        )
    if not records:
        raise BadFileError(f"{path.name} is empty; write one with: subitize probes --help")
    return records


def read_object(text: str, where: str) -> dict[str, Any]:
    """Read a JSON object; `where` says in messages where it stands."""
    found = read_json(text, where)
    if not isinstance(found, dict):
        raise BadFileError(f"{where}: should be a JSON object, not {text[:40]!r}")
    return found


def read_json(text: str, where: str) -> Any:  # noqa: ANN401
    """Read JSON; one that is cut short is an error that says so."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        reason = "it ends too soon; get the whole file" if is_cut else error.msg
        raise BadFileError(f"{where}: no JSON at line {error.lineno}, column {error.colno}: {reason}") from None
    except RecursionError:
        raise BadFileError(f"{where}: no JSON of probes: it is nested too deeply") from None


def _make_record(kind: type[RecordT], given: Mapping[str, Any], where: str) -> RecordT:
    names = [field.name for field in fields(kind)]
    missing = [name for name in names if name not in given]
    if missing:
        raise BadFileError(
            f"{where}: no {', '.join(missing)}; should have {', '.join(names)}, as subitize probes writes them"
        )
    hints = get_type_hints(kind)
    values = {name: _check(given[name], hints[name], f"{where}: {name}") for name in names}
    if kind is Probe and len(values["foils"]) != len(values["statement_foils"]):
        raise BadFileError(f"{where}: {len(values['foils'])} foils and {len(values['statement_foils'])} statements")
    return kind(**values)


def _check(value: object, wanted: object, where: str) -> Any:  # noqa: ANN401
    """Take a value of the type that a field has: a text, a count, or several of them."""
    if wanted is str and isinstance(value, str):
        return value
    if wanted is int and is_count(value):
        return value
    if wanted in (tuple[int, ...], tuple[str, ...]) and isinstance(value, list):
        inner = int if wanted == tuple[int, ...] else str
        return tuple(_check(one, inner, where) for one in value)
    described = "text" if wanted in (str, tuple[str, ...]) else f"a whole number from 0 to {LARGEST}"
    raise BadFileError(f"{where} {str(value)[:40]!r}: should be {described}")


def is_count(value: object) -> bool:
    """Tell whether a value is a number of things that somebody may have counted."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def count_invalid_foils(probes: Sequence[Probe]) -> int:
    """Count the foils of all probes that are right, or stand there twice."""
    return sum(probe.count_invalid() for probe in probes)
