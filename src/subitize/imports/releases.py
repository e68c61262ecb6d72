"""What papers' released data have in common: results of an import, rating columns, counts in file names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize import papers as plugins
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.io.files import CsvRow, read_rows
from subitize.labels import Rule, interpret
from subitize.language.numbers import count_noun
from subitize.records import Count, Drawn, Item, Question, Reading, Response, Spec, Subject, Words
from subitize.store import Run


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """Counts of what an import added, and of what was there already."""

    responses: int
    readings: int
    already_there: int

    def __str__(self) -> str:
        known = f", {count_noun(self.already_there, 'reading')} there already" if self.already_there else ""
        return f"{count_noun(self.responses, 'image')} and {count_noun(self.readings, 'reading')} added{known}"


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The possible headers of a paper's ratings, and the translation of their lines to `answers.COLUMNS`."""

    headers: Sequence[Sequence[str]]
    translate: Callable[[Iterable[CsvRow]], Iterator[Mapping[str, str]]]

    def fits(self, header: Sequence[str]) -> bool:
        """Return whether a file with these columns has such ratings."""
        return any(set(columns) <= set(header) for columns in self.headers)

    def read(self, path: Path, records: Iterator[tuple[int, list[str]]]) -> Iterator[CsvRow]:
        """Read the ratings of a file from its records."""
        lines = list(read_rows(path, records, (), ""))
        for line, row in zip(lines, self.translate(lines), strict=True):
            yield line._replace(row=row)


def find_rating_columns(header: Sequence[str]) -> RatingColumns | None:
    """Find the paper whose ratings have these columns; None if they are ours or unknown."""
    names = [name.strip() for name in header]
    if "annotator" in names:
        return None
    known: dict[str, RatingColumns] = plugins.load_all("rating_columns")
    return next((columns for columns in known.values() if columns.fits(names)), None)


JUDGE = "human"
ANNOTATOR = "file names"
RULE = Rule("strict")


def import_named_counts(run: Run, model: str) -> int:
    """Add the counts in the names of a folder's images, all or none; return how many readings are new."""
    names = run.model_names()
    if model not in names:
        raise UnknownNameError("model", model, names.values())
    with run.lease(f"judge {JUDGE}") as lease:
        items = {item.id: item for item in run.items()}
        read = [read_named_count(one.response, items[one.item_id]) for one in run.responses(model)]
        readings = [reading for reading in read if reading is not None]
        if not readings:
            example = "3_4_apples_17.png shows 4 where 3 were asked for"
            raise NothingToDoError(f"no image of {model!r} has a count in its name; a layout that has: {example}")
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        stored = (one.reading for one in run.readings(JUDGE) if one.reading.annotator == ANNOTATOR)
        said = {(reading.subject.id, reading.question.id) for reading in stored}
        new = [reading for reading in readings if (reading.subject.id, reading.question.id) not in said]
        run.add_readings(lease, new)
    return len(new)


def read_named_count(response: Response, item: Item) -> Reading | None:
    """Read the count in the name of a response's image, if there is one.

    A file that could not be read has none.
    """
    text = response.provenance.parameters.get("count_in_name")
    if text is None or not isinstance(response.outcome, Drawn):
        return None
    question, words = _question(item), Words(str(text))
    value = interpret(words, question, RULE)
    return Reading(Subject((response.trial.id,)), question, JUDGE, words, str(RULE), value, ANNOTATOR)


def _question(item: Item) -> Question:
    """Find the question that a count in a name answers: the item's only count."""
    counts = [ask.question for ask in item.asks if isinstance(ask.question, Count) and ask.group == 1]
    if len(counts) != 1:
        remedy = "import such answers with: subitize import readings"
        raise BadValueError(f"{item.id!r} asks for {len(counts)} counts, and a file name has one; {remedy}")
    return counts[0]
