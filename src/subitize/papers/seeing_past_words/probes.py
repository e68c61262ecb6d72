"""Probes of counting: a question about an image, its number, wrong ones, and statements of each; files of them."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from subitize.csv_files import read_text
from subitize.errors import BadFileError

PARTS: tuple[str, ...] = ("train", "validation", "test")
SEPARATOR = " [SEP] "
"""Between a question and its answer (section 4.1.1)."""
LARGEST = 1000
"""No sensible answer to a question about a photograph is larger; a released foil is 543."""
Number = Annotated[int, Field(ge=0, le=LARGEST)]


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
    answer: Number
    foils: tuple[Number, ...]
    statement: str
    statement_foils: tuple[str, ...]
    masked: str
    masked_faithful: str

    def __post_init__(self) -> None:
        if len(self.foils) != len(self.statement_foils):
            raise ValueError(f"{len(self.foils)} foils and {len(self.statement_foils)} statements of them")

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
    adapter = TypeAdapter(kind)
    records = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            records.append(adapter.validate_json(line, strict=True))
        except ValidationError as error:
            first = error.errors()[0]
            what = ": ".join(filter(None, [" ".join(map(str, first["loc"])), first["msg"]]))
            raise BadFileError(f"{path.name} line {number}: {what}; build the file again") from None
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


def is_count(value: object) -> bool:
    """Tell whether a value is a number of things that somebody may have counted."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST
