"""What a right picture shows: entities, where they stand to one another, and how their numbers compare."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from subitize.records import RelationWord

MOST_THINGS = 200
"""A prompt that asks for more things than this is not understood."""

Quantifier = Literal["some", "few", "many"]
"""How many, where the number is left open: at least one, only a few, many. "No" is the number 0."""


@dataclass(frozen=True, slots=True)
class Whole:
    """In one piece, and all of it is there."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """All of it is there, in so many pieces, whose sizes are as this ratio; () where the sizes are not told.

    "Cut into thirds" is Pieces(3, (1, 1, 1)), "broken into two pieces" Pieces(2), with one of them twice the size of
    the other Pieces(2, (1, 2)).
    """

    number: int
    ratio: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Portion:
    """This share of it is there: half of an apple, a quarter of a pizza."""

    share: Fraction


@dataclass(frozen=True, slots=True)
class Halves:
    """One piece, whose halves have these colours; of one colour only one half is told."""

    colours: tuple[str, ...]


Form = Whole | Pieces | Portion | Halves


@dataclass(frozen=True, slots=True)
class Entity:
    """Things of one kind: how many, of what colour and in what form; None where nothing is said of it.

    Things in one form and others in another are two entities: three forks of which one is broken are two forks, and
    one in pieces. Things of no told form are drawn whole.
    """

    noun: str
    number: int | Quantifier
    colour: str | None = None
    form: Form | None = None

    @property
    def exact_number(self) -> int:
        """How many, of an entity whose number is not left open."""
        if isinstance(self.number, int):
            return self.number
        raise TypeError(f"the number of {self.noun!r} is left open: {self.number}")


HoldingWord = Literal["in", "on"]
ContactWord = Literal["on top of", "under", "behind", "in front of"]
"""Lying right on or under something that need hold nothing, partly hidden by it, or hiding it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Where one entity stands to another; both are positions in the scene."""

    subject: int
    word: RelationWord | HoldingWord | ContactWord
    landmark: int


ComparisonWord = Literal["fewer", "as many", "more"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the number of one entity compares with that of another; both are positions in the scene."""

    subject: int
    word: ComparisonWord
    other: int


@dataclass(frozen=True, slots=True)
class Scene:
    """What a right picture shows; in a grid of rows and columns things of a kind stand row by row."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why a prompt makes no scene."""

    reason: str
