"""Probes of counting: a question about an image, its number, wrong ones, and statements of each; and their files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError

from subitize.errors import BadFileError
from subitize.io.files import number_lines, read_json
from subitize.io.outputs import make_folder, write_atomic

PARTS: tuple[str, ...] = ("train", "validation", "test")
SEPARATOR = " [SEP] "
"""The text between a question and its answer (section 4.1.1)."""
LARGEST = 1000
"""The largest answer: no sensible one about a photograph exceeds it."""
LARGEST_FOIL = 10**9
"""The largest wrong number: people made them up, and some released ones exceed LARGEST."""
Number = Annotated[int, Field(ge=0, le=LARGEST)]
FoilNumber = Annotated[int, Field(ge=0, le=LARGEST_FOIL)]


class Candidate(NamedTuple):
    """A number that may be the answer, as a statement."""

    number: int
    statement: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about an image (or "" if there are only statements), the answer, and foils.

    Foils are kept as given: `candidates` leaves out those that are right or repeated. `split` is standard, hard,
    interpolated or another set of probes. The masked texts have a gap for the number: one is the same for any answer,
    the other has the grammar of the right one, as in the paper.
    """

    id: str
    split: str
    part: str
    image: str
    question: str
    answer: Number
    foils: tuple[FoilNumber, ...]
    statement: str
    statement_foils: tuple[str, ...]
    masked: str
    masked_faithful: str

    def __post_init__(self) -> None:
        if len(self.foils) != len(self.statement_foils):
            raise ValueError(f"{len(self.foils)} foils and {len(self.statement_foils)} statements of them")

    def candidates(self) -> Iterator[Candidate]:
        """Yield the right answer and its valid foils."""
        yield Candidate(self.answer, self.statement, is_right=True)
        known = {self.answer}
        for number, statement in zip(self.foils, self.statement_foils, strict=True):
            if number not in known:
                yield Candidate(number, statement, is_right=False)
            known.add(number)

    def count_invalid(self) -> int:
        """Count the invalid foils: equal to the answer, or to one another."""
        return len(self.foils) + 1 - sum(1 for _ in self.candidates())

    def question_with(self, number: int) -> str:
        """Write the question with a number as its answer."""
        return f"{self.question}{SEPARATOR}{number}"


@dataclass(frozen=True, slots=True)
class CaptionPair:
    """An image with its own caption, and that of another image from the same source."""

    id: str
    source: str
    image: str
    caption: str
    foil: str


RecordT = TypeVar("RecordT", Probe, CaptionPair)
T = TypeVar("T")


def write_records(path: Path, records: Sequence[RecordT]) -> None:
    """Write a line of JSON per record; the file is written whole, or left as it was."""
    adapter = TypeAdapter(type(records[0]))
    try:
        make_folder(path.parent)
        write_atomic(path, (adapter.dump_json(record) + b"\n" for record in records))
    except PydanticSerializationError as error:
        raise BadFileError(f"a text cannot be written as UTF-8, take it out of the data: {error}") from None


def read_records(path: Path, kind: type[RecordT]) -> list[RecordT]:
    """Read a file written by `subitize make probes`; errors name the line."""
    adapter, lines = TypeAdapter(kind), list(number_lines(path))
    if len(lines) > 1 and _is_json("\n".join(line for _, line in lines)):
        raise BadFileError(
            f"{path.name} is JSON over several lines, and a file of probes has one per line; make one of it: "
            f"subitize make {'probes' if kind is Probe else 'caption-probes'} {path}"
        )
    records = [validate(adapter, read_json(line, where), where) for where, line in lines]
    if not records:
        raise BadFileError(f"{path.name} is empty; write one with: subitize make probes")
    return records


def _is_json(text: str) -> bool:
    try:
        read_json(text, "")
    except BadFileError:
        return False
    return True


def validate(kind: TypeAdapter[T], given: object, where: str) -> T:
    """Make records of data that was read; errors say what is wrong."""
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        raise BadFileError(_describe(error.errors()[0], where)) from None


def _describe(error: ErrorDetails, where: str) -> str:
    """Describe the first invalid field, and where it is."""
    *outer, last = map(str, error["loc"] or ("",))
    match error["type"]:
        case "missing":
            return f"{', '.join([where, *outer])}: no {last}; should have one"
        case "dataclass_type":
            return (
                f"{', '.join(filter(None, [where, *outer, last]))}: should be a JSON object, not {error['input']!r:.40}"
            )
    message = error["msg"].removeprefix("Value error, ").replace("Input should", "should")
    return f"{', '.join(filter(None, [where, *outer, last]))}: {message}, not {error['input']!r:.40}"
