"""Scenes: the entities that a correct picture shows, their relations, and how their numbers compare.

Also finds rows and columns that satisfy all spatial relations, and exact values for open numbers ("a few"), so that a
scene can be drawn."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from subitize.records import RelationWord

MOST_THINGS = 200
"""A prompt that asks for more things than this is not understood."""

Quantifier = Literal["some", "few", "many"]
"""An open number: at least one, only a few, many. "No" is the number 0."""


@dataclass(frozen=True, slots=True)
class Whole:
    """In one piece, with nothing missing."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """In a number of pieces, with nothing missing; `ratio` is that of their sizes, () if unknown.

    "Cut into thirds" is Pieces(3, (1, 1, 1)), "broken into two pieces" Pieces(2), with one of them twice the size of
    the other Pieces(2, (1, 2)).
    """

    number: int
    ratio: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Portion:
    """A share of one thing: half of an apple, a quarter of a pizza."""

    share: Fraction


@dataclass(frozen=True, slots=True)
class Halves:
    """In one piece, with halves of these colours; a single colour is that of one half."""

    colours: tuple[str, ...]


Form = Whole | Pieces | Portion | Halves


@dataclass(frozen=True, slots=True)
class Entity:
    """Things of one kind: their number, colour and form; None means unspecified.

    Things in different forms are different entities: three forks of which one is broken are two forks, and one in
    pieces. Things without a form are drawn whole.
    """

    noun: str
    number: int | Quantifier
    colour: str | None = None
    form: Form | None = None

    @property
    def exact_number(self) -> int:
        """The number, which must not be open."""
        if isinstance(self.number, int):
            return self.number
        raise TypeError(f"the number of {self.noun!r} is left open: {self.number}")


HoldingWord = Literal["in", "on"]
ContactWord = Literal["on top of", "under", "behind", "in front of"]
"""Touching something from above or below, or partly hidden by it, or hiding it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The position of one entity relative to another; both are indices into the scene."""

    subject: int
    word: RelationWord | HoldingWord | ContactWord
    landmark: int


ComparisonWord = Literal["fewer", "as many", "more"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the numbers of two entities compare; both are indices into the scene."""

    subject: int
    word: ComparisonWord
    other: int


@dataclass(frozen=True, slots=True)
class Scene:
    """What a correct picture shows; a grid (rows, columns) is filled with one kind of thing, row by row."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why a prompt gives no scene."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """The rank of each entity along one axis, from the top or left; None if it may be anywhere."""

    of_entity: tuple[int | None, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Places:
    """The rows and the columns of a scene."""

    rows: Ranks
    columns: Ranks


def find_places(scene: Scene) -> Places | None:
    """Rank the entities along both axes; None if the relations are contradictory."""
    down = [(r.subject, r.landmark) for r in scene.relations if r.word == "above"]
    down += [(r.landmark, r.subject) for r in scene.relations if r.word == "below"]
    across = [(r.subject, r.landmark) for r in scene.relations if r.word == "left of"]
    across += [(r.landmark, r.subject) for r in scene.relations if r.word == "right of"]
    rows, columns = (_rank(len(scene.entities), before) for before in (down, across))
    return None if rows is None or columns is None else Places(rows, columns)


def _rank(number: int, before: list[tuple[int, int]]) -> Ranks | None:
    """Rank each entity by the longest chain that leads to it; None if there is a cycle."""
    followers: dict[int, list[int]] = {first: [] for first, _ in before}
    waits_for = dict.fromkeys((entity for pair in before for entity in pair), 0)
    for first, second in before:
        followers[first].append(second)
        waits_for[second] += 1
    rank = dict.fromkeys(waits_for, 0)
    ready = [entity for entity, waits in waits_for.items() if waits == 0]
    for entity in ready:
        for follower in followers.get(entity, ()):
            rank[follower] = max(rank[follower], rank[entity] + 1)
            waits_for[follower] -= 1
            if waits_for[follower] == 0:
                ready.append(follower)
    if len(ready) < len(rank):
        return None
    return Ranks(tuple(rank.get(entity) for entity in range(number)), max(rank.values(), default=0) + 1)


# Unambiguous numbers: more than ten are many (Figure A16 of GeckoNum), and two may be a pair.
_RANGES: dict[Quantifier, tuple[int, int]] = {"some": (2, 5), "few": (3, 5), "many": (12, 18)}
_FEWER = (1, 3)
_DIFFERENCE = (2, 3)


def with_exact_numbers(scene: Scene, random: np.random.Generator) -> Scene:
    """Give each open number a value that fits its quantifier and comparison; others stay as they are."""
    numbers = [
        entity.number if isinstance(entity.number, int) else _draw(random, _RANGES[entity.number])
        for entity in scene.entities
    ]
    for comparison in scene.comparisons:
        if isinstance(scene.entities[comparison.subject].number, int):
            continue
        low = _draw(random, _RANGES["some"] if comparison.word == "as many" else _FEWER)
        high = low if comparison.word == "as many" else low + _draw(random, _DIFFERENCE)
        pair = (high, low) if comparison.word == "more" else (low, high)
        numbers[comparison.subject], numbers[comparison.other] = pair
    settled = (replace(entity, number=number) for entity, number in zip(scene.entities, numbers, strict=True))
    return replace(scene, entities=tuple(settled))


def _draw(random: np.random.Generator, bounds: tuple[int, int]) -> int:
    return int(random.integers(bounds[0], bounds[1], endpoint=True))
