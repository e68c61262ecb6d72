"""The scene that a prompt's type and entities name; of its text only where things stand is taken."""

import re
from fractions import Fraction

from subitize.language.scene import (
    Comparison,
    ComparisonWord,
    Entity,
    Form,
    Halves,
    HoldingWord,
    Pieces,
    Portion,
    Quantifier,
    Relation,
    Scene,
)
from subitize.records import RelationWord

_COMPARISONS: dict[str, ComparisonWord] = {"fewer": "fewer", "as many": "as many", "more": "more"}
_QUANTITIES: dict[str, int | Quantifier] = {"few": "few", "many": "many", "no": 0}
_RELATIONS: tuple[RelationWord, ...] = ("above", "below", "left of", "right of")
_HOLDINGS: tuple[HoldingWord, ...] = ("in", "on")
_EQUAL_PARTS = {"halves": 2, "thirds": 3, "quarters": 4}
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
# What drawings are called here; the release spells the second without its last letter.
_NOUNS = {"loaf of bread": "loaf", "grains of ric": "rice grain", "grain of rice": "rice grain"}


def depict(type: str, entities: str, text: str) -> Scene:
    """Make the scene; a ValueError says what is wrong with the entities."""
    try:
        named = [_split(entity) for entity in entities.split(",")]
        match type:
            case "approx-2-entity":
                return _compared(named)
            case "approx-1-entity":
                return _held(named, text)
            case "fractional-simple" | "fractional-complex" | "part-whole":
                if len(named) != 1:
                    raise ValueError(f"{len(named)} things: should be one")
                return Scene(tuple(_parts(type, *named[0])))
        has_colour = type in ("attribute-color", "2-additive-color")
        things = tuple(_counted(name, number, has_colour=has_colour) for name, number in named)
        return Scene(things, (_relation(text),) if type == "attribute-spatial" else ())
    except ValueError as error:
        raise ValueError(f"entities {entities!r}: {error}") from None


def noun_of(name: str) -> str:
    """The noun that scenes have for an entity's name."""
    return _NOUNS.get(name, name)


def _split(entity: str) -> tuple[str, str]:
    name, colon, number = entity.strip().rpartition(":")
    if not colon or not name or not number:
        raise ValueError(f"{entity.strip()!r}: should be written as noun:number")
    return name, number


def _counted(name: str, number: str, *, has_colour: bool) -> Entity:
    colour, _, noun = name.partition(" ") if has_colour else ("", "", name)
    if not noun:
        raise ValueError(f"{name!r}: should be a colour and a noun")
    return Entity(noun_of(noun), _digits(number), colour or None)


def _digits(number: str) -> int:
    if not (number.isascii() and number.isdecimal()):
        raise ValueError("the number must be digits")
    return int(number)


def _relation(text: str) -> Relation:
    found = [word for word in _RELATIONS if f" {word} " in text]
    if len(found) != 1:
        raise ValueError(f"no one place in {text!r}; should have one of {', '.join(_RELATIONS)}")
    return Relation(0, found[0], 1)


def _compared(named: list[tuple[str, str]]) -> Scene:
    if len(named) != 2 or named[0][1] not in _COMPARISONS or named[1][1] != "X":
        raise ValueError("should be written as one:fewer,other:X, with fewer, as many or more")
    (one, word), (other, _) = named
    things = (Entity(noun_of(one), "some"), Entity(noun_of(other), "some"))
    return Scene(things, comparisons=(Comparison(0, _COMPARISONS[word], 1),))


def _held(named: list[tuple[str, str]], text: str) -> Scene:
    if len(named) != 2 or named[0][1] not in _QUANTITIES or named[1][1] != "1":
        raise ValueError("should be written as thing:few,place:1, with few, many or no")
    (thing, quantity), (place, _) = named
    words = [word for word in _HOLDINGS if text.endswith(f" {word} the {place}.")]
    if not words:
        raise ValueError(f"nothing is in or on the {place} in {text!r}")
    things = (Entity(noun_of(thing), _QUANTITIES[quantity]), Entity(noun_of(place), 1))
    return Scene(things, (Relation(0, words[0], 1),))


def _parts(type: str, name: str, number: str) -> list[Entity]:
    noun = noun_of(name)
    if type == "part-whole":
        return _some(noun, _digits(number) - 1, Pieces(2))
    decimal = re.fullmatch(r"([1-9]\d?)(\.\d{1,2})", number, re.ASCII)
    if decimal and type == "fractional-simple":
        return _some(noun, int(decimal[1]), Portion(Fraction(decimal[2])))
    form = _pieces(number) if type == "fractional-simple" else _sizes_or_halves(number)
    if form is None:
        raise ValueError(f"{number!r} is no known number or form of parts")
    return [Entity(noun, 1, form=form)]


def _some(noun: str, whole: int, form: Form) -> list[Entity]:
    """So many whole ones, if any, and one of the form."""
    if whole < 0:
        raise ValueError("the number must be 1 or more")
    last = Entity(noun, 1, form=form)
    return [Entity(noun, whole), last] if whole else [last]


def _pieces(written: str) -> Pieces | None:
    if written in _EQUAL_PARTS:
        return Pieces(_EQUAL_PARTS[written], (1,) * _EQUAL_PARTS[written])
    counted = re.fullmatch(r"(\d{1,2}|[a-z]+) (?:parts|pieces|slices)", written, re.ASCII)
    if counted is None:
        return None
    number = int(counted[1]) if counted[1].isdecimal() else _NUMBERS.get(counted[1])
    return None if number is None else Pieces(number)


def _sizes_or_halves(written: str) -> Form | None:
    halves = re.fullmatch(r"1/2([a-z]+)\+1/2([a-z]+)", written)
    if halves:
        return Halves((halves[1], halves[2]))
    return Pieces(2, (1, 2)) if written == "1/3+2/3" else None
