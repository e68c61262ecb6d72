"""The prompts of GenEval and GenEval 2, from their authors' files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from subitize.interfaces import Reference, Suite
from subitize.io.tables import LARGEST_COUNT, TableRow, read_count, read_table
from subitize.language import final, mentions
from subitize.language.counted import find_counted, make_count
from subitize.language.nouns import plural, plural_of, singular
from subitize.records import Ask, Confirm, Count, Draw, Item, Place, RelationWord, Scalar
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.suites.checks import check_known, interleave

COUNTING = "counting"
"""The tag of the prompts whose numbers must be met exactly."""
_RELATIONS: tuple[RelationWord, ...] = ("above", "below", "left of", "right of")
_PRESENCE = re.compile(
    r"(?:is|are) there (?:an? |any |some )?(?P<things>[a-z][a-z -]*?)(?: in the (?:image|picture))?\?", re.IGNORECASE
)


class GenEval(Suite):
    """Draw GenEval's prompts, from its evaluation_metadata.jsonl: objects, numbers, colours, positions.

    It asks for the exact number of each thing, also of its colour and in its place.

    Args:
        tags: which prompts, by their tag; none: all
    """

    title = "GenEval"
    judge = "observer"
    repeats = 4
    strata = ("tag",)
    references = (
        Reference(
            "Dhruba Ghosh, Hanna Hajishirzi and Ludwig Schmidt. GenEval: An Object-Focused Framework for Evaluating "
            "Text-to-Image Alignment. 2023.",
            "https://arxiv.org/abs/2310.11513",
            "the prompts (licence: MIT), and the rule by which they are rescored",
        ),
    )

    def __init__(self, file: str, /, *, tags: tuple[str, ...] = ()) -> None:
        rows = list(read_table(Path(file).expanduser(), otherwise=".jsonl").rows)
        check_known("tag", tags, {str(row.fields.get("tag")) for row in rows})
        made = (_make_item(number, row) for number, row in enumerate(rows))
        self._items = interleave((item for item in made if not tags or item.factors["tag"] in tags), "tag")
        self.notes = [_cite(self)]


class GenEval2(Suite):
    """Draw GenEval 2's prompts, from its geneval2_data.jsonl, and ask the questions that it asks about them."""

    title = "GenEval 2"
    judge = "observer"
    strata = ("atoms",)
    references = (
        Reference(
            "Amita Kamath, Kai-Wei Chang, Ranjay Krishna, Luke Zettlemoyer, Yushi Hu and Marjan Ghazvininejad. GenEval "
            "2: Addressing Benchmark Drift in Text-to-Image Evaluation. 2025.",
            "https://arxiv.org/abs/2512.16853",
            "the prompts and questions (licence: CC BY-NC 4.0), and the rule by which they are rescored",
        ),
    )

    def __init__(self, file: str, /) -> None:
        rows = read_table(Path(file).expanduser(), otherwise=".jsonl").rows
        self._items = interleave((_make_questioned(number, row) for number, row in enumerate(rows)), "atoms")
        self.notes = [_cite(self)]


def _cite(suite: GenEval | GenEval2) -> str:
    work = suite.references[0]
    return f"{suite.title}: {work.use}; please cite: {work.citation}"


def _take(row: TableRow, name: str, kind: type) -> Any:  # noqa: ANN401
    """Take a field of this type."""
    value = row.fields.get(name)
    if not isinstance(value, kind):
        raise row.error(f"{name} {value!r:.60}: should be {_KINDS[kind]}")
    return value


_KINDS: dict[type, str] = {str: "text", list: "a list"}


class _Included(NamedTuple):
    """Part of a GenEval prompt: a number of one class, perhaps with a colour or a place relative to another."""

    noun: str
    number: int
    colour: str | None
    place: Place | None


def _make_item(number: int, row: TableRow) -> Item:
    tag, included = _take(row, "tag", str), _read_included(row)
    most = {noun: count - 1 for noun, count in _read_excluded(row, tag)}
    factors: dict[str, Scalar] = {"tag": tag}
    if tag == COUNTING:
        factors |= {"category": included[0].noun, "number": included[0].number}
    return Item(f"geneval/{number:05}", Draw(_read_prompt(row)), tuple(_ask_all(included, most)), factors)


def _read_prompt(row: TableRow) -> str:
    prompt: str = _take(row, "prompt", str)
    if not prompt.strip():
        raise row.error("no prompt")
    return prompt


def _read_included(row: TableRow) -> list[_Included]:
    found: list[_Included] = []
    for one in _take(row, "include", list):
        required = TableRow(f"{row.where}, include {len(found)}", one if isinstance(one, dict) else {})
        colour = required.fields.get("color")
        place = None
        if "position" in required.fields:
            match required.fields["position"]:
                case [str(word), int(index)] if word in _RELATIONS and 0 <= index < len(found):
                    place = Place(word, found[index].noun)
                case other:
                    raise required.error(f"position {other!r:.60}: should be like ['left of', 0]")
        if colour is not None and not isinstance(colour, str):
            raise required.error(f"color {colour!r:.60}: should be text")
        found.append(_Included(_take(required, "class", str), _read_count(required), colour, place))
    if not found:
        raise row.error("include is empty")
    return found


def _read_excluded(row: TableRow, tag: str) -> Iterator[tuple[str, int]]:
    excluded = row.fields.get("exclude") or []
    if excluded and tag != COUNTING:
        raise row.error(f"exclude belongs to {COUNTING} only, not to {tag}")
    for one in excluded if isinstance(excluded, list) else [excluded]:
        refused = TableRow(f"{row.where}, exclude", one if isinstance(one, dict) else {})
        yield _take(refused, "class", str), _read_count(refused)


def _read_count(row: TableRow) -> int:
    told = row.fields.get("count")
    count = read_count(told) if isinstance(told, int) else None
    if not count:
        raise row.error(f"count {told!r:.60}: should be a whole number from 1 to {LARGEST_COUNT}")
    return count


def _ask_all(included: Sequence[_Included], most: Mapping[str, int]) -> Iterator[Ask]:
    """Ask for the number of each class, and with each colour and place; numbers of equal questions add up."""
    wanted: dict[Count, int] = {}
    for one in included:
        questions = [Count(one.noun)]
        questions += [Count(one.noun, one.colour)] if one.colour else []
        questions += [Count(one.noun, place=one.place)] if one.place else []
        for question in questions:
            wanted[question] = wanted.get(question, 0) + one.number
    for question, number in wanted.items():
        highest = most.get(question.noun, number)
        yield Ask(question, _word(question), tuple(range(number, max(number, highest) + 1)))


def _word(question: Count) -> str:
    where = ""
    if question.place:
        side = "to the " if question.place.relation in ("left of", "right of") else ""
        where = f"{side}{question.place.relation} the {question.place.landmark} "
    return f"How many {plural_of(question.noun, question.colour)} are {where}in the image?"


def _make_questioned(number: int, row: TableRow) -> Item:
    prompt, pairs = _read_prompt(row), _take(row, "vqa_list", list)
    asks = {ask.question.id: ask for ask in (_read_question(row, pair) for pair in pairs)}
    atoms = row.fields.get("atom_count", len(pairs))
    if not asks or not isinstance(atoms, int):
        raise row.error(f"vqa_list {pairs!r:.40} or atom_count {atoms!r:.40}: should be questions, and their number")
    return Item(f"geneval2/{number:04}", Draw(prompt), tuple(asks.values()), {"atoms": atoms})


def _read_question(row: TableRow, pair: object) -> Ask:
    match pair:
        case [str(question), str(answer)] if question.strip():
            if (things := find_counted(question)) is not None:
                number = final.read_number(answer, "strict")
                if isinstance(number, mentions.NoValue) or number != int(number):
                    raise row.error(f"the answer {answer!r:.40} to {question!r:.80} should be a number")
                return Ask(make_count(things, COLOUR_NAMES), question, (int(number),))
            if answer.lower() in ("yes", "no"):
                return Ask(Confirm(_state(question), is_informed=False), question, (answer.lower() == "yes",))
            raise row.error(f"the answer {answer!r:.40} to {question!r:.80} should be Yes or No")
    raise row.error(f"{pair!r:.80} should be a question and its answer")


def _state(question: str) -> str:
    """Turn a question about presence into a statement that detectors can check; keep any other question."""
    found = _PRESENCE.fullmatch(question.strip())
    return f"there are some {plural(singular(found['things'].lower()))}" if found else question.strip()
