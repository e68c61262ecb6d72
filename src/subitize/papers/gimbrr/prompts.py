"""GIMBRR's tasks and their grammar: what the prompts of each task mean, and how they are written and read.

Words come from vocabulary.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from subitize.io.files import read_own_toml
from subitize.language import final, mentions
from subitize.language.counted import quoted_texts
from subitize.language.nouns import article, plural, singular
from subitize.language.numbers import in_words


@dataclass(frozen=True, slots=True)
class GimbrrTask:
    """A task: its key in our items (factor `task`), its title and first ID in the released files.

    `label` is the factor that the files call its task-specific label, `least_classes` the fewest classes of a prompt.
    """

    key: str
    title: str
    first_id: int
    label: str = ""
    least_classes: int = 1


TASKS: tuple[GimbrrTask, ...] = (
    GimbrrTask("conditional", "Conditional generation", 1, label="absent"),
    GimbrrTask("arithmetic", "Simple arithmetic", 101, label="numbers", least_classes=2),
    GimbrrTask("negation", "Negation", 201, label="absent"),
    GimbrrTask("actions", "Directed actions", 301, label="verb", least_classes=2),
    GimbrrTask("spatial", "Spatial relationships", 401, label="relation", least_classes=2),
    GimbrrTask("unusual", "Unusual arrangements", 501, label="verb", least_classes=2),
    GimbrrTask("compositional", "Compositional characteristics", 601, label="attribute"),
    GimbrrTask("chimeras", "Chimeras", 701),
    GimbrrTask("counting", "Counting", 801, label="number"),
    GimbrrTask("text", "Text rendering", 901, label="text"),
    GimbrrTask("multiple", "Multiple objects", 1201),
)
"""The eleven cognitive tasks, 100 prompts each."""

SINGLE = GimbrrTask("single", "Single object", 1801)
"""A bare noun: one prompt per object in the eleven tasks."""

CONTROLLED: tuple[GimbrrTask, ...] = (
    GimbrrTask("controlled-single", "Controlled single object", 1701),
    GimbrrTask("controlled-multiple", "Controlled multiple objects", 1501),
    GimbrrTask("controlled-counting", "Controlled single object counting", 1601, label="number"),
    GimbrrTask(
        "controlled-two-counting", "Controlled multiple object counting", 1401, label="numbers", least_classes=2
    ),
    GimbrrTask("controlled-arithmetic", "Controlled arithmetic", 1301, label="numbers", least_classes=2),
)
"""The same twenty objects in ten pairs, each step requesting one thing more."""

STRATA = ("task", "number", "numbers", "common", "objects", "features")
"""The factors whose levels are fixed by the design."""

SAMPLED = MappingProxyType({"noun": "classes"})
"""The factor whose levels were drawn from a list of objects: one to several in a prompt."""

ALL: dict[str, GimbrrTask] = {task.key: task for task in (*TASKS, SINGLE, *CONTROLLED)}
BY_TITLE: dict[str, GimbrrTask] = {task.title: task for task in ALL.values()}

WORDS: Mapping[str, Any] = read_own_toml(__file__, "vocabulary.toml")


@cache  # the same lists are split hundreds of times
def split(words: str) -> tuple[str, ...]:
    """Split comma-separated words, ignoring line breaks."""
    return tuple(" ".join(word.split()) for word in words.split(","))


def split_each(lists: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Split the words of every list."""
    return {name: split(words) for name, words in lists.items()}


_MASS, _PLURAL = (frozenset(split(WORDS["speech"][name])) for name in ("mass", "plural"))
PLACES = split_each(WORDS["places"])
KINDS = split_each(WORDS["conditional"]["kinds"])


def are_common(nouns: tuple[str, ...]) -> bool:
    """Return whether things are commonly seen together, that is, in one of our places."""
    return any(set(nouns) <= set(things) for things in PLACES.values())


def a(noun: str) -> str:
    """Write one of a noun: "an apple", "some grass", "some scissors"."""
    return f"some {noun}" if noun in _MASS or is_plural(noun) else f"{article(noun)} {noun}"


def several(noun: str) -> str:
    """Write any number of a noun: "apples", "grass", "scissors"."""
    return noun if noun in _MASS or is_plural(noun) else plural(noun)


def be(noun: str) -> str:
    """Choose the verb for any number of a noun: "there are apples", "there is grass"."""
    return "is" if noun in _MASS else "are"


def is_plural(noun: str) -> bool:
    """Return whether a noun is plural: scissors, wheels; "sheep", one or several, counts as singular."""
    return noun in _PLURAL or (noun not in _MASS and singular(noun) != noun)


RELATIONS = ("on top of", "under", "behind", "in front of", "to the left of", "to the right of")


@dataclass(frozen=True, slots=True)
class Objects:
    """Things of these classes; for several, possibly whether they are commonly seen together."""

    nouns: tuple[str, ...]
    is_common: bool | None = None


@dataclass(frozen=True, slots=True)
class ObjectCounts:
    """Things with their numbers; with an operation, the second number follows from the first."""

    things: tuple[tuple[str, int], ...]
    operation: str = ""


@dataclass(frozen=True, slots=True)
class SpatialRelation:
    """A thing in a relation to another."""

    subject: str
    relation: str
    landmark: str


@dataclass(frozen=True, slots=True)
class Action:
    """Someone acts on another; the deed is all that follows the actor: "looking at a bag"."""

    actor: str
    verb: str
    other: str
    deed: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two things, the one of the wanted kind; `first` and `second` are as in the text."""

    shown: str
    absent: str
    first: str
    second: str
    wanted: str
    position: int | None
    has_adjective: bool | None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A thing and what it has: "golden mane", "red wheels"."""

    noun: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Absence:
    """A thing or place and what is missing; the lack is its wording: "without any flowers"."""

    noun: str
    absent: str
    lack: str


@dataclass(frozen=True, slots=True)
class Chimera:
    """An animal with parts of others, each a part and its donor."""

    body: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A thing and the texts written on it; the phrase introduces them: "with the title"."""

    noun: str
    phrase: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A prompt of the authors outside its task's grammar: its classes are known, its parts are not."""

    nouns: tuple[str, ...]
    absent: str


Meaning = (
    Objects | ObjectCounts | SpatialRelation | Action | Choice | Attribute | Absence | Chimera | WrittenText | Unparsed
)


def classes_of(meaning: Meaning) -> tuple[str, ...]:
    """List the classes to be shown, excluding rejected and negated ones."""
    match meaning:
        case Objects(nouns=nouns) | Unparsed(nouns=nouns):
            return nouns
        case ObjectCounts(things=things):
            return tuple(noun for noun, _ in things)
        case SpatialRelation(subject=one, landmark=other) | Action(actor=one, other=other):
            return one, other
        case Choice(shown=noun) | Attribute(noun=noun) | Absence(noun=noun) | WrittenText(noun=noun):
            return (noun,)
        case Chimera(body=body, parts=parts):
            return tuple(dict.fromkeys((body, *(donor for _, donor in parts))))


def write_prompt(task: GimbrrTask, meaning: Meaning) -> str:
    """Write the prompt of a task."""
    match meaning:
        case Objects(nouns=nouns):
            return " and ".join(map(a, nouns)) if task.key.startswith("controlled") else ", ".join(nouns)
        case ObjectCounts(things=((noun, number),)):
            return f"{in_words(number)} {plural(noun)}"
        case ObjectCounts(things=((noun, number), (other, other_number)), operation=operation):
            many = f"{operation} as many" if operation else in_words(other_number)
            return f"{in_words(number)} {plural(noun)} and {many} {plural(other)}"
        case SpatialRelation():
            return f"{a(meaning.subject)} {meaning.relation} {a(meaning.landmark)}"
        case Action(actor=actor, deed=deed):
            return f"{actor.capitalize() if task.key == 'actions' else a(actor)} {deed}"
        case Choice():
            return f"{_begin(a(meaning.first))} or {a(meaning.second)} - only render {meaning.wanted}"
        case Attribute(noun=noun, attribute=attribute):
            return f"{_begin(a(noun))} with {with_article(attribute)}"
        case Absence(noun=noun, lack=lack):
            return f"{a(noun)} {lack}"
        case Chimera(body=body, parts=parts):
            return f"{a(body)} with {' and '.join(f'the {part} of {a(donor)}' for part, donor in parts)}"
        case WrittenText(noun=noun, phrase=phrase, texts=(text, *_)):
            return f'{_begin(a(noun))} {phrase} "{text}"'
    raise TypeError(f"{task.title} has no prompt that says {meaning}")


def with_article(attribute: str) -> str:
    """Write an attribute with its article: "a golden mane", "red wheels"."""
    word = attribute.split()[-1]
    return attribute if singular(word) != word else a(attribute)


def read_prompt(task: GimbrrTask, text: str) -> Meaning | None:
    """Parse a text by its task's grammar; None if it does not fit.

    Articles are optional. For choices, the target is known only if an adjective or one of our categories names it.
    """
    pattern = _PATTERNS[task.key]
    found = pattern.fullmatch(text.strip())
    if found is None:
        return None
    one, other = (re.sub(_ARTICLE, "", part or "", flags=re.IGNORECASE) for part in found.group("one", "other"))
    match task.key:
        case "single" | "controlled-single":
            return Objects((one,))
        case "multiple":
            nouns = tuple(part.strip() for part in text.split(","))
            return Objects(nouns, are_common(nouns))
        case "controlled-multiple":
            return Objects((one, other))
        case "counting" | "controlled-counting" | "controlled-two-counting" | "arithmetic" | "controlled-arithmetic":
            return _read_counted(found, one, other)
        case "spatial":
            return SpatialRelation(one, found["how"], other)
        case "actions" | "unusual":
            actor = one.lower() if task.key == "actions" else one
            return Action(actor, found["how"], other, f"{found['how']} {found['other']}")
        case "conditional":
            return _read_choice(one, other, found["how"])
        case "compositional":
            return Attribute(one, other)
        case "negation":
            return Absence(one, singular(other), f"{found['how']} {found['other']}")
        case "chimeras":
            parts = (part.partition(" of ") for part in re.split(r" and the ", found["other"]))
            return Chimera(one, tuple((part, re.sub(_ARTICLE, "", donor)) for part, _, donor in parts))
        case _:
            return WrittenText(one, found["how"], quoted_texts(text))


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


_ARTICLE = r"^(?:an?|some) "
_ONE, _OTHER = "(?P<one>.+?)", "(?P<other>.+)"
_NUMBER = "(?P<number>[a-z]+)"
_OPERATION = "(?P<how>twice|half|an? [a-z]+|[a-z]+ times) as many"
_PATTERNS = {
    task: re.compile(pattern)
    for task, pattern in {
        **dict.fromkeys(("single", "controlled-single"), f"(?P<one>.+){_OTHER}{{0}}"),
        "multiple": f"{_ONE}, {_OTHER}",
        "controlled-multiple": f"{_ONE} and {_OTHER}",
        **dict.fromkeys(("counting", "controlled-counting"), f"{_NUMBER} (?P<one>.+){_OTHER}{{0}}"),
        **dict.fromkeys(("arithmetic", "controlled-arithmetic"), f"{_NUMBER} {_ONE} and {_OPERATION} {_OTHER}"),
        "controlled-two-counting": f"{_NUMBER} {_ONE} and (?P<second>[a-z]+) {_OTHER}",
        "spatial": f"{_ONE} (?P<how>{'|'.join(RELATIONS)}) {_OTHER}",
        "actions": "(?P<one>[A-Z][A-Za-z ]*?) (?P<how>[a-z]+ing(?: at| on)?) (?P<other>an? .+)",
        "unusual": f"{_ONE} (?P<how>[a-z]+ing(?: [a-z]+)?) (?P<other>an? .+)",
        "conditional": rf"(?i:{_ONE} or {_OTHER} ?- ?only render (?P<how>.+))",
        "compositional": f"(?P<one>.+?) with {_OTHER}",
        "negation": f"{_ONE} (?P<how>without any|with no|without an?) {_OTHER}",
        "chimeras": f"{_ONE}(?: with)? the {_OTHER}",
        "text": rf'{_ONE} (?P<how>(?:that|with|advertising)\b[^"]*) "(?P<other>[^"]+)"',
    }.items()
}  # fmt: skip


def _read_counted(found: re.Match[str], one: str, other: str) -> ObjectCounts | None:
    groups = found.groupdict()
    number = _read_number(groups["number"])
    if number is None:
        return None
    things = ((singular(one), number),)
    if not other:
        return ObjectCounts(things)
    operation = groups.get("how", "")
    second = _work_out(number, operation) if operation else _read_number(groups["second"])
    return None if second is None else ObjectCounts((*things, (singular(other), second)), operation)


def _read_number(word: str) -> int | None:
    number = final.read_number(word, "strict")
    return None if isinstance(number, mentions.NoValue) else int(number)


_FACTORS = {"twice": 2.0, "three times": 3.0, "four times": 4.0, "half": 1 / 2, "a third": 1 / 3, "a quarter": 1 / 4}


def _work_out(number: int, operation: str) -> int | None:
    return round(number * _FACTORS[operation]) if operation in _FACTORS else None


def _read_choice(first: str, second: str, wanted: str) -> Choice | None:
    """Find the target by its adjective or kind."""
    adjective = wanted.partition(" ")[0]
    said = Choice("", "", first, second.strip(), wanted, None, None)
    for position, (one, other) in enumerate(((said.first, said.second), (said.second, said.first)), start=1):
        if one.startswith(f"{adjective} "):
            nouns = (noun.partition(" ")[2] for noun in (one, other))
            return replace(said, shown=next(nouns), absent=next(nouns), position=position, has_adjective=True)
        if one in KINDS.get(wanted, ()):
            return replace(said, shown=one, absent=other, position=position, has_adjective=False)
    return said
