"""Suites of a user's own: questions about pictures, also of a published set, and prompts, each from a file."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from subitize.errors import BadFileError
from subitize.interfaces import Suite
from subitize.io import tables
from subitize.io.memory import gc_paused
from subitize.language.clauses import read_scene
from subitize.language.counted import find_counted, make_count
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun, list_some
from subitize.language.questions import ask_count, scene_asks
from subitize.language.scene import NotUnderstood, Scene
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.records import Answer, Ask, Count, Draw, Filed, Item, Scalar, Stored
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.glyphs import GLYPHS
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
        shown = picture if isinstance(picture, (Stored, tables.Unreadable)) else row.text("image")
        asked = row.text("question"), row.fields.get(counts[0]), row.text("noun")
        yield DatasetQuestion(row, row.text("id") or str(number), shown, *asked, tables.read_factors(row, _TAKEN))


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


_PROMPT_COLUMNS = {"id", "prompt", "count", "noun", "entities"}
_SHAPE = "should be like dog:2, cat:3"
Counts = dict[str, int]
"""How many of each noun a correct drawing shows."""


class Prompts(Suite):
    """Draw your own prompts, from a CSV, JSON, JSONL or Parquet file.

    Each has a count and a noun, several entities (dog:2, cat:3), or neither, if its words say both plainly.

    Args:
        strata: columns whose levels the design fixes
    """

    title = "Own prompts"
    judge = "observer"

    def __init__(self, file: str, /, *, strata: tuple[str, ...] = ()) -> None:
        table = tables.read_table(Path(file).expanduser())
        tables.check_columns(table, [("prompt",)])
        rows = [(row, _read_counts(row)) for row in table.rows]
        own = (make_count(noun, COLOUR_NAMES).noun for _, counts in rows for noun in counts)
        self._nouns = tuple(dict.fromkeys((*GLYPHS, *COCO_CLASSES, *own)))
        self._contradicted: list[str] = []
        self._items = pool_categories(self._make_items(rows))
        check_known("column", strata, {name for item in self._items for name in item.factors})
        self.strata = strata
        if self._contradicted:
            number, some = count_noun(len(self._contradicted), "prompt"), list_some(self._contradicted)
            self.notes = (f"the words of {number} say another number than the columns, which count ({some})",)

    def _make_items(self, rows: Iterable[tuple[tables.TableRow, Counts]]) -> Iterator[Item]:
        keys = tables.Keys()
        for number, (row, counts) in enumerate(rows, 1):
            key, prompt = row.text("id") or str(number), row.text("prompt")
            if not prompt:
                raise row.error("no prompt")
            keys.add(key, row)
            asks = self._ask(row, prompt, counts)
            factors = _count_factors(asks) | tables.read_factors(row, _PROMPT_COLUMNS)
            yield Item(f"prompts/{key}", Draw(prompt), asks, factors)

    def _ask(self, row: tables.TableRow, prompt: str, counts: Counts) -> tuple[Ask, ...]:
        """Ask what follows from the words, unless the columns differ or say more."""
        scene = read_scene(prompt, self._nouns, COLOUR_NAMES)
        follows = () if isinstance(scene, NotUnderstood) else scene_asks(scene)
        told = tuple(ask_count(make_count(noun, COLOUR_NAMES), number) for noun, number in counts.items())
        if not told and not follows:
            raise row.error(f"{_say_why(scene)}; say what to count in the columns count and noun, or entities")
        if not told:
            return follows
        known = {ask.question: ask.expects for ask in follows}
        if any(known.get(ask.question, ask.expects) != ask.expects for ask in told):
            self._contradicted.append(row.where)
            return told
        return follows if all(ask.question in known for ask in told) else told


def _say_why(scene: Scene | NotUnderstood) -> str:
    """Explain why no question follows from a prompt, without listing all known nouns."""
    if isinstance(scene, NotUnderstood):
        return f"not understood ({scene.reason.partition('; known')[0]})"
    return "no question follows from it"


def _read_counts(row: tables.TableRow) -> Counts:
    """Read the columns count and noun, or entities, if the row has them."""
    entities = row.fields.get("entities")
    if entities not in (None, "", [], {}):
        if row.text("count") or row.text("noun"):
            raise row.error("count and noun, or entities: give one of them")
        counts: Counts = {}
        for noun, number in (_read_entity(row, *pair) for pair in _split_entities(row, entities)):
            if noun in counts:
                raise row.error(f"entities name {noun!r} twice; once is enough")
            counts[noun] = number
        return counts
    if not row.text("count") and not row.text("noun"):
        return {}
    if not row.text("noun"):
        raise row.error("no noun beside the count; of what should there be so many?")
    if not row.text("count"):
        raise row.error("no count beside the noun; how many should there be?")
    return dict([_read_entity(row, row.text("noun"), row.fields.get("count"))])


def _split_entities(row: tables.TableRow, entities: object) -> Iterator[tuple[str, object]]:
    match entities:
        case dict():
            yield from ((str(noun), number) for noun, number in entities.items())
        case list():
            for one in entities:
                match one:
                    case {"noun": str(noun), "count": number}:
                        yield noun, number
                    case str():
                        yield _split_pair(row, one)
                    case _:
                        raise row.error(f"entities {str(one)[:40]!r}: {_SHAPE}")
        case _:
            yield from (_split_pair(row, pair) for pair in re.split("[;,|]", str(entities)) if pair.strip())


def _split_pair(row: tables.TableRow, pair: str) -> tuple[str, object]:
    noun, colon, number = pair.rpartition(":")
    if not colon or not noun.strip() or ":" in noun:
        raise row.error(f"entities {pair.strip()[:40]!r}: {_SHAPE}")
    return noun.strip(), number.strip()


def _read_entity(row: tables.TableRow, noun: str, number: object) -> tuple[str, int]:
    read = tables.read_count(number)
    if read is None:
        right = f"a whole number from 0 to {tables.LARGEST_COUNT}, in digits"
        raise row.error(f"count {str(number)[:40]!r} of {noun!r}: should be {right}")
    return singular(noun.lower()), read


def _count_factors(asks: Sequence[Ask]) -> dict[str, Scalar]:
    """Return the number if one kind of thing is counted, and its category if nothing else is asked."""
    nouns = {ask.question.noun if isinstance(ask.question, Count) else None for ask in asks}
    if len(nouns) > 1 or None in nouns:
        return {}
    number: dict[str, Scalar] = {"number": asks[0].expects[0]}
    return number | {"category": str(*nouns)} if len(asks) == 1 else number
