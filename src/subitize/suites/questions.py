"""Counting questions about a user's pictures or a published set, from a file."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from subitize.errors import BadFileError
from subitize.interfaces import Suite
from subitize.io import tables
from subitize.io.memory import gc_paused
from subitize.language.counted import find_counted, make_count
from subitize.language.numbers import count_noun, list_some
from subitize.records import Answer, Ask, Count, Filed, Item, Scalar, Stored
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.suites.checks import check_known, pool_categories
from subitize.suites.datasets import DATASET, DatasetQuestion, Omitted, find_format, list_datasets, read_dataset
from subitize.suites.pictures import Found, MissingPicture, open_place

_COUNTS = ("count", "answer", "number")
_TAKEN = {"id", "image", "question", "noun", *_COUNTS}
_OTHER = "other"


class Questions(Suite):
    """Answer questions about pictures with counts, from a table of your own or a published one.

    A table is a CSV, JSON, JSONL or Parquet file. The pictures lie in it or beside it, unless `images` says where.

    Args:
        format: which published set it is, or own; auto: told by the columns
        images: the folder, zip or Parquet file with the pictures
        strata: columns whose levels the design fixes
    """

    title = "Own questions"
    judge = "parser"

    def __init__(self, file: str, /, *, format: str = "auto", images: str = "", strata: tuple[str, ...] = ()) -> None:
        path = Path(file).expanduser()
        table = tables.read_table(path)
        self._name = path.name
        self._place = open_place(path, images)
        self._omitted: dict[str, list[str]] = defaultdict(list)
        self._copies: set[str] = set()
        format = find_format(table, format)
        dataset = list_datasets().get(format)
        asked = read_dataset(format, table, images) if dataset else _read_own(table)
        with gc_paused():
            self._items = pool_categories(self._make_items(asked, dataset.title if dataset else ""))
        if not self._items:
            raise BadFileError(f"{self._name}: no question can be asked{self._say_omitted()}")
        if strata:
            check_known("column", strata, {name for item in self._items for name in item.factors})
        self.strata = strata
        copies = self._place.copies + len(self._copies)
        left_out = self._say_omitted() + (f"; pictures that are copies of others: {copies:,}" if copies else "")
        read = f"{self._name}: {count_noun(len(self._items), 'question')}{left_out}" if left_out else ""
        self.notes = tuple(filter(None, [str(dataset or ""), read]))

    def load_pictures(self, wanted: Collection[Stored]) -> Iterator[bytes]:
        """Read the pictures from a zip or Parquet file."""
        return self._place.load(wanted)

    def _make_items(self, questions: Iterable[DatasetQuestion | Omitted], dataset: str) -> Iterator[Item]:
        """Make the items; a fault is an error in a user's file, and leaves the row out of a published set."""
        keys = tables.Keys()
        first_shown: dict[Stored, str] = {}
        counts: dict[tuple[Filed | Stored, str, str], tuple[int, str]] = {}
        for asked in questions:
            if isinstance(asked, Omitted):
                self._omitted[asked.reason].append(asked.name)
                continue
            number, picture = tables.read_count(asked.answer), self._place.find(asked.picture)
            fault, where = _find_fault(asked, number, picture), asked.row.where
            if fault and not dataset:
                raise asked.row.error(fault)
            keys.add(asked.key, asked.row)
            if isinstance(picture, MissingPicture):
                reason = "a URL, which is never fetched" if "://" in picture.name else "no picture"
                self._omitted[reason].append(picture.name or where)
            elif fault or number is None or isinstance(picture, tables.Unreadable):
                self._omitted["unusable picture or answer"].append(where)
            else:
                if isinstance(asked.picture, Stored) and first_shown.setdefault(asked.picture, where) != where:
                    self._copies.add(where)
                known, first = counts.setdefault((picture, asked.question, asked.things), (number, where))
                if known != number and not dataset:
                    raise asked.row.error(f"count {number}: the same question about this picture has {known}, {first}")
                yield _make_item(asked, picture, number, dataset)

    def _say_omitted(self) -> str:
        each = (f"{reason}: {len(names):,} ({list_some(names)})" for reason, names in self._omitted.items())
        return f"; left out, {'; '.join(each)}" if self._omitted else ""


def _read_own(table: tables.DataTable) -> Iterator[DatasetQuestion]:
    """Read a table with the columns image, question and count; all others but id and noun are factors."""
    tables.check_columns(table, [("image",), ("question",), _COUNTS])
    counts = [name for name in _COUNTS if name in table.columns]
    if len(counts) > 1:
        raise BadFileError(f"{table.path.name}: {' and '.join(counts)} say how many there are; keep one of them")
    for number, row in enumerate(table.rows, 1):
        picture = row.fields.get("image")
        yield DatasetQuestion(
            row,
            row.text("id") or str(number),
            picture if isinstance(picture, (Stored, tables.Unreadable)) else row.text("image"),
            row.text("question"),
            row.fields.get(counts[0]),
            row.text("noun"),
            tables.read_factors(row, _TAKEN),
        )


def _find_fault(asked: DatasetQuestion, number: int | None, picture: Found) -> str:
    if not asked.question:
        return "no question"
    if asked.answer in (None, ""):
        return "no count; how many are there?"
    if number is None:
        return f"count {str(asked.answer)[:40]!r}: should be a whole number from 0 to {tables.LARGEST_COUNT}, in digits"
    return f"picture {picture.name}: {picture.reason}" if isinstance(picture, tables.Unreadable) else ""


def _make_item(asked: DatasetQuestion, picture: Filed | Stored, number: int, dataset: str) -> Item:
    things = asked.things or find_counted(asked.question)
    question = make_count(things, COLOUR_NAMES) if things else Count(asked.question.strip(" ?").lower())
    factors: dict[str, Scalar] = {"number": number, "category": question.noun if things else _OTHER, **asked.factors}
    if dataset:
        factors[DATASET] = dataset
    ask = Ask(question, asked.question, (number,))
    return Item(f"questions/{asked.key}", Answer(picture, asked.question), (ask,), factors)
