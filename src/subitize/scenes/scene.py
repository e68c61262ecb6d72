"""What a right picture shows: entities, and where they stand to one another."""

from dataclasses import dataclass

from subitize.records import RelationWord


@dataclass(frozen=True, slots=True)
class Entity:
    """Things of one kind: how many, of what colour, and into how many parts each is divided."""

    noun: str
    number: int
    colour: str | None = None
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Relation:
    """Where one entity stands to another; both are positions in the scene."""

    subject: int
    word: RelationWord
    landmark: int


@dataclass(frozen=True, slots=True)
class Scene:
    """What a right picture shows."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...] = ()
