"""Prompts from a user's file; questions come from its columns, or follow from the words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subitize.interfaces import Suite
from subitize.io.tables import LARGEST_COUNT, Keys, TableRow, check_columns, read_count, read_factors, read_table
from subitize.language.clauses import read_scene
from subitize.language.counted import make_count
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun, list_some
from subitize.language.questions import ask_count, scene_asks
from subitize.language.scene import NotUnderstood, Scene
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.records import Ask, Count, Draw, Item, Scalar
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.glyphs import GLYPHS
from subitize.suites.checks import check_known, pool_categories

_TAKEN = {"id", "prompt", "count", "noun", "entities"}
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
        table = read_table(Path(file).expanduser())
        check_columns(table, [("prompt",)])
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

    def _make_items(self, rows: Iterable[tuple[TableRow, Counts]]) -> Iterator[Item]:
        keys = Keys()
        for number, (row, counts) in enumerate(rows, 1):
            key, prompt = row.text("id") or str(number), row.text("prompt")
            if not prompt:
                raise row.error("no prompt")
            keys.add(key, row)
            asks = self._ask(row, prompt, counts)
            factors = _count_factors(asks) | read_factors(row, _TAKEN)
            yield Item(f"prompts/{key}", Draw(prompt), asks, factors)

    def _ask(self, row: TableRow, prompt: str, counts: Counts) -> tuple[Ask, ...]:
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


def _read_counts(row: TableRow) -> Counts:
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


def _split_entities(row: TableRow, entities: object) -> Iterator[tuple[str, object]]:
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


def _split_pair(row: TableRow, pair: str) -> tuple[str, object]:
    noun, colon, number = pair.rpartition(":")
    if not colon or not noun.strip() or ":" in noun:
        raise row.error(f"entities {pair.strip()[:40]!r}: {_SHAPE}")
    return noun.strip(), number.strip()


def _read_entity(row: TableRow, noun: str, number: object) -> tuple[str, int]:
    read = read_count(number)
    if read is None:
        raise row.error(
            f"count {str(number)[:40]!r} of {noun!r}: should be a whole number from 0 to {LARGEST_COUNT}, in digits"
        )
    return singular(noun.lower()), read


def _count_factors(asks: Sequence[Ask]) -> dict[str, Scalar]:
    """Return the number if one kind of thing is counted, and its category if nothing else is asked."""
    nouns = {ask.question.noun if isinstance(ask.question, Count) else None for ask in asks}
    if len(nouns) > 1 or None in nouns:
        return {}
    number: dict[str, Scalar] = {"number": asks[0].expects[0]}
    return number | {"category": str(*nouns)} if len(asks) == 1 else number
