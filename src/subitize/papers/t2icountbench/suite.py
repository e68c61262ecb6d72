"""T2ICountBench's suite: 525 prompts, four images each, of which one must show the right number of things.

Objects, scenes, styles and numbers come from vocabulary.toml, or from a user's own TOML file. Items are ordered so that
any prefix is a fair sample of objects, conditions and numbers."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from math import lcm
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Suite
from subitize.io.files import read_own_toml, read_text
from subitize.language.counted import CountedPhrase
from subitize.language.nouns import plural
from subitize.language.numbers import in_words
from subitize.language.scene import MOST_THINGS
from subitize.records import Ask, Count, Draw, Item, MatchesPrompt
from subitize.suites.checks import check_known


@dataclass(frozen=True, slots=True)
class ObjectWording:
    """What a prompt calls an object, and the singular noun that is counted in the picture."""

    singular: str
    plural: str
    noun: str
    opening: str = ""
    """The text before the number."""

    def counted(self, number: int) -> str:
        """Write a number of them: "1 apple", "7 apples"."""
        return f"{number} {self.singular if number == 1 else self.plural}"


@dataclass(frozen=True, slots=True)
class BenchmarkObject:
    """An object of the benchmark; in some scenes it has another name, or is something else."""

    category: str
    words: ObjectWording
    words_by_scene: Mapping[str, ObjectWording] = field(default_factory=dict)

    def words_in(self, scene: str) -> ObjectWording:
        """Return the wording in a scene."""
        return self.words_by_scene.get(scene, self.words)


HOME, PLAIN = "home", "plain"
"""The scene in which styles vary, and the style in which scenes vary."""

NUMBERS = tuple(range(1, 16))

DEFAULT = "default"
"""The key among a scene's places for all objects without a place of their own."""

_PUBLISHED = read_own_toml(__file__, "vocabulary.toml")
SCENES: dict[str, Mapping[str, str]] = _PUBLISHED["scenes"]
STYLES: dict[str, str] = _PUBLISHED["styles"]


def _read_object(name: str, category: str, words: Mapping[str, str]) -> BenchmarkObject:
    in_scenes = _PUBLISHED["words_by_scene"].get(name, {})
    return BenchmarkObject(
        category, ObjectWording(**words), {scene: ObjectWording(**other) for scene, other in in_scenes.items()}
    )


OBJECTS: dict[str, BenchmarkObject] = {name: _read_object(name, **one) for name, one in _PUBLISHED["objects"].items()}


def write_prompt(words: ObjectWording, number: int, place: str, style: str) -> str:
    """Fill the paper's template: a number of the object, in or on the scene, in the style."""
    before, after = surround(words, place, style)
    return f"{before}{words.counted(number)}{after}"


def surround(words: ObjectWording, place: str, style: str) -> tuple[str, str]:
    """Return the text of the template before and after the number of the object."""
    return f"Generate {words.opening}", f"{''.join(f' {said}' for said in (place, style) if said)}."


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

# Successive Fibonacci numbers: multiples of one, modulo the other, fill the range evenly from the start.
_STEP, _RANGE = 2584, 4181


def order_cells(things: Sequence[A], conditions: Sequence[B], numbers: Sequence[C]) -> Iterator[tuple[A, B, C]]:
    """Order all triples in rounds: each object in each condition once, with all numbers spread over them.

    In the published design, the first 7 are the 7 objects, the first 35 each object in each condition, and the first
    105 have each object once with each number.
    """
    pairs = list(product(range(len(conditions)), range(len(things))))
    places = {(condition, thing): place for place, (thing, condition) in enumerate(_mix(len(things), len(conditions)))}
    spread = [numbers[index] for index in sorted(range(len(numbers)), key=lambda index: index * _STEP % _RANGE)]
    cells = [(pairs[pair], spread[number]) for pair, number in _mix(len(pairs), len(spread))]
    for start in range(0, len(cells), len(pairs)):
        turn = cells[start : start + len(pairs)]
        for (condition, thing), number in sorted(turn, key=lambda cell: places[cell[0]]):
            yield things[thing], conditions[condition], number


def _mix(one: int, other: int) -> Iterator[tuple[int, int]]:
    """Pair each index below `one` with each below `other`, both running through their range again and again."""
    cycle = lcm(one, other)
    for step in range(one * other):
        yield step % one, (step + step // cycle) % other


LARGEST_BYTES = 1_000_000
_MOST_LETTERS = 200
_LONGEST_KEY = 100  # in messages


def _check_text(text: str) -> str:
    if not text or text != text.strip() or not text.isprintable() or text.endswith(".") or len(text) > _MOST_LETTERS:
        raise ValueError(
            f"should be a text of 1 to {_MOST_LETTERS} characters in one line, without a space around it "
            "or a full stop at its end"
        )
    return text


# Names are used in item ids, between slashes, and in options, joined by +.
Name = Annotated[str, Field(strict=True, pattern="^[A-Za-z0-9_-]{1,40}$")]
Text = Annotated[str, Field(strict=True), AfterValidator(_check_text)]
Number = Annotated[int, Field(strict=True, ge=1, le=MOST_THINGS)]
_CONFIG = ConfigDict(extra="forbid")
_NUMBER = f"should be a whole number from 1 to {MOST_THINGS}"
_REMEDIES = {
    "missing": "not there; add it",
    **dict.fromkeys(("dataclass_type", "dict_type", "mapping_type"), "should be a table"),
    "tuple_type": "should be a list such as [1, 2, 5]",
    "string_type": "should be a text in quotation marks",
    "string_pattern_mismatch": "should be 1 to 40 of A–Z, a–z, 0–9, - and _",
    **dict.fromkeys(("int_type", "greater_than_equal", "less_than_equal"), _NUMBER),
}


@pydantic_dataclass(frozen=True, config=_CONFIG)
class OwnObject:
    """An object defined in the file; its plural is the usual one unless given, its counted noun the singular."""

    category: Name
    singular: Text
    plural: Text | None = None
    noun: Text | None = None

    def thing(self) -> BenchmarkObject:
        """Convert it to an object like the published ones."""
        return BenchmarkObject(
            self.category,
            ObjectWording(self.singular, self.plural or plural(self.singular), self.noun or self.singular),
        )


@pydantic_dataclass(frozen=True, config=_CONFIG)
class Conditions:
    """The contents of a file; a scene maps objects to places, and "default" gives the place of all others."""

    objects: Mapping[Name, OwnObject] = field(default_factory=dict)
    scenes: Mapping[Name, Mapping[Name, Text]] = field(default_factory=dict)
    styles: Mapping[Name, Text] = field(default_factory=dict)
    numbers: tuple[Number, ...] = ()


def read_conditions(path: Path) -> Conditions:
    """Read and check the file; published objects, scenes and styles keep their names and words."""
    try:
        read = TypeAdapter(Conditions).validate_python(tomllib.loads(read_text(path, LARGEST_BYTES)))
    except ValidationError as error:
        raise BadFileError(f"{path.name}: {_describe(error)}") from None
    except (ValueError, RecursionError) as error:
        raise BadFileError(f"{path.name}: no TOML: {error}") from None
    for fault in _find_faults(read):
        raise BadFileError(f"{path.name}: {fault}")
    return read


def _describe(error: ValidationError) -> str:
    """Name the first fault with its key, its value and what would be right."""
    fault = error.errors(include_url=False)[0]
    places = [place for place in fault["loc"] if place != "[key]"]
    key = ".".join(str(place + 1) if isinstance(place, int) else place for place in places)[:_LONGEST_KEY]
    if fault["type"] == "unexpected_keyword_argument":
        table = OwnObject if len(places) > 1 else Conditions
        return f"{key}: unknown key; known: {', '.join(one.name for one in fields(table))}"
    value = "" if fault["type"] == "missing" else f" {fault['input']!r:.60}:"
    return f"{key}:{value} {_REMEDIES.get(fault['type']) or fault['msg'].removeprefix('Value error, ')}"


def _find_faults(read: Conditions) -> Iterator[str]:
    """Describe faults beyond single values: an empty file, a name taken or unknown, a repeated number."""
    if not (read.objects or read.scenes or read.styles or read.numbers):
        yield f"nothing in it; add {', '.join(one.name for one in fields(Conditions))}, or leave the file out"
    for key in _taken("objects", read.objects, [*OBJECTS, DEFAULT]) + _taken("styles", read.styles, STYLES):
        yield f"{key}: the name is taken; give it another"
    for number, times in Counter(read.numbers).items():
        if times > 1:
            yield f"numbers: {number} stands there {times} times; once is enough"
    known = [*OBJECTS, *read.objects, DEFAULT]
    for scene, places in read.scenes.items():
        for name in places:
            if name not in known:
                yield f"scenes.{scene}.{name}: no such object; known: {', '.join(known)}"
        for key in _taken(f"scenes.{scene}", places, SCENES.get(scene, ())):
            yield f"{key}: is worded already; give the scene another name"


def _taken(table: str, names: Iterable[str], published: Collection[str]) -> list[str]:
    return [f"{table}.{name}" for name in names if name in published]


NAME = "t2icountbench"
GROUP = 4
"""How many images are made of a prompt and voted on together (section 3.3)."""

DIFFICULTIES = {"easy": 5, "medium": 10, "hard": 15}
"""The levels of difficulty with their highest numbers (section 4.2)."""

BEYOND = "beyond"
"""The level of numbers above the paper's (our addition)."""


class T2ICountBench(Suite):
    """Draw 1 to 15 of seven objects in three scenes and three styles, each prompt 4 times (T2ICountBench).

    Scenes vary in plain style and styles at home, as in the paper; `cross` puts every scene into every style. An
    option that is not given takes in what the file of conditions adds.

    Args:
        objects: which objects
        scenes: which scenes
        styles: which styles
        cross: every scene in every style
        conditions: TOML file with objects, scenes, styles and numbers of your own
    """

    title = "T2ICountBench"
    judge = "observer"
    repeats = GROUP
    strata = ("scene", "style", "number")
    sampled = MappingProxyType({"object": "object"})

    def __init__(
        self,
        *,
        numbers: Annotated[tuple[int, ...], f"{NUMBERS[0]}-{NUMBERS[-1]}"] = (),
        objects: Annotated[tuple[str, ...], "+".join(OBJECTS)] = (),
        scenes: Annotated[tuple[str, ...], "+".join(SCENES)] = (),
        styles: Annotated[tuple[str, ...], "+".join(STYLES)] = (),
        cross: bool = False,
        conditions: str = "",
    ) -> None:
        own = read_conditions(Path(conditions)) if conditions else Conditions()
        self._things = OBJECTS | {name: one.thing() for name, one in own.objects.items()}
        self._scenes = SCENES | {name: {**SCENES.get(name, {}), **places} for name, places in own.scenes.items()}
        self._styles = STYLES | dict(own.styles)
        self._numbers = numbers or own.numbers or NUMBERS
        self._objects = _choose("object", objects, self._things)
        own_scenes, own_styles = _choose("scene", scenes, self._scenes), _choose("style", styles, self._styles)
        # As in the paper, scene or style varies, not both at once.
        self._conditions = [
            (scene, style) for style in own_styles for scene in own_scenes if cross or scene == HOME or style == PLAIN
        ]
        for number in self._numbers:
            if not 1 <= number <= MOST_THINGS:
                raise BadValueError(f"suite {NAME!r}: numbers={number}: should be from 1 to {MOST_THINGS}")
        _check_used("scene", scenes, [scene for scene, _ in self._conditions])
        _check_used("style", styles, [style for _, style in self._conditions])
        for scene in {scene for scene, _ in self._conditions}:
            _check_worded(Path(conditions), scene, self._scenes[scene], self._objects)

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the prompts, conditions and numbers mixed; the seed changes nothing, as the prompts are fixed."""
        for name, (scene, style), number in order_cells(self._objects, self._conditions, self._numbers):
            words = self._things[name].words_in(scene)
            yield Item(
                f"{NAME}/{name}/{scene}/{style}/{number}",
                Draw(write_prompt(words, number, self._place(name, scene), self._styles[style])),
                _asks(words, number),
                {
                    "category": self._things[name].category,
                    "object": name,
                    "scene": scene,
                    "style": style,
                    "number": number,
                    "difficulty": describe_difficulty(number),
                },
            )

    def find_counted(self, item: Item) -> CountedPhrase | None:
        """Split the prompt of one of the suite's items into its parts."""
        parts = item.id.split("/")
        if len(parts) != 5 or not isinstance(item.task, Draw):
            return None
        _, name, scene, style, number = parts
        is_known = name in self._things and scene in self._scenes and style in self._styles and number.isdecimal()
        if not is_known or not (name in self._scenes[scene] or DEFAULT in self._scenes[scene]):
            return None
        words = self._things[name].words_in(scene)
        before, after = surround(words, self._place(name, scene), self._styles[style])
        if item.task.prompt != f"{before}{words.counted(int(number))}{after}":
            return None
        forms = words.singular, words.plural
        return CountedPhrase(item.id, item.task.prompt, before, int(number), *forms, "digits", after)

    def _place(self, name: str, scene: str) -> str:
        places = self._scenes[scene]
        return places.get(name) or places[DEFAULT]


def describe_difficulty(number: int) -> str:
    """Return the level of difficulty of a number."""
    return next((level for level, highest in DIFFICULTIES.items() if number <= highest), BEYOND)


def _choose(kind: str, names: tuple[str, ...], known: Mapping[str, object]) -> list[str]:
    """Return the names given, or all known ones, including the user's own, if none are."""
    check_known(kind, names, known)
    return list(names or known)


def _check_used(kind: str, names: tuple[str, ...], used: Collection[str]) -> None:
    """Refuse a scene or style that was requested but occurs in no condition; so something is always left."""
    for name in names:
        if name not in used:
            raise BadValueError(
                f"suite {NAME!r}: no prompt is left for {kind} {name!r}: scenes vary in style {PLAIN!r} and styles in "
                f"scene {HOME!r}; add {PLAIN if kind == 'scene' else HOME} to the other option, or cross=true"
            )


def _check_worded(file: Path, scene: str, places: Mapping[str, str], objects: Iterable[str]) -> None:
    for name in objects:
        if name not in places and DEFAULT not in places:
            raise BadFileError(f"{file.name}: scenes.{scene}: no place for {name!r}; add {name} or {DEFAULT} to it")


def _asks(words: ObjectWording, number: int) -> tuple[Ask, ...]:
    """Ask for the number in each image and, as the paper does, whether one of the four has the right one."""
    nouns = words.plural if words.noun == words.singular else plural(words.noun)
    match = f"Does at least one of these {in_words(GROUP)} images show exactly {words.counted(number)}?"
    return (
        Ask(Count(words.noun), f"How many {nouns} are in the image?", (number,)),
        Ask(MatchesPrompt(), match, (True,), group=GROUP),
    )
