"""The questions that follow from a scene."""

from collections.abc import Iterator

from subitize.numerals import article, counted, plural
from subitize.records import Ask, Confirm, Count, Place, RelationWord
from subitize.scenes.scene import Entity, Relation, Scene

_INVERSE: dict[RelationWord, RelationWord] = {
    "above": "below",
    "below": "above",
    "left of": "right of",
    "right of": "left of",
}


def count_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask for the number of each noun and of its colours, then on both sides of each relation, as GeckoNum does."""
    by_noun: dict[Count, int] = {}
    for noun in dict.fromkeys(entity.noun for entity in scene.entities):
        for entity in (entity for entity in scene.entities if entity.noun == noun):
            for question in dict.fromkeys((Count(noun), Count(noun, entity.colour))):
                by_noun[question] = by_noun.get(question, 0) + entity.number
    by_place = (ask for relation in scene.relations for ask in _relation_asks(scene, relation))
    return (*(_count(question, number) for question, number in by_noun.items()), *by_place)


def confirm_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask, yes or no, for each entity's presence, and for its number and parts, which rest on its presence."""
    return tuple(ask for entity in scene.entities for ask in _entity_chain(entity))


def _count(question: Count, number: int) -> Ask:
    thing = f"{question.colour} {plural(question.noun)}" if question.colour else plural(question.noun)
    if question.place is None:
        return Ask(question, f"How many {thing} are in the image?", (number,))
    side = {"left of": "to the left of", "right of": "to the right of"}
    relation = side.get(question.place.relation, question.place.relation)
    return Ask(question, f"How many {thing} are {relation} {plural(question.place.landmark)}?", (number,))


def _relation_asks(scene: Scene, relation: Relation) -> Iterator[Ask]:
    subject, landmark = scene.entities[relation.subject], scene.entities[relation.landmark]
    yield _count(Count(subject.noun, place=Place(relation.word, landmark.noun)), subject.number)
    yield _count(Count(landmark.noun, place=Place(_INVERSE[relation.word], subject.noun)), landmark.number)


def _entity_chain(entity: Entity) -> Iterator[Ask]:
    thing = f"{entity.colour} {entity.noun}" if entity.colour else entity.noun
    presence = Confirm(f"there is {article(thing)} {thing}", is_informed=False)
    yield Ask(presence, f"Is there {article(thing)} {thing}?", (entity.number > 0,))
    if entity.number == 0:
        return
    verb = "is" if entity.number == 1 else "are"
    number = Confirm(f"there {verb} {counted(entity.number, thing)}", is_informed=True)
    yield Ask(number, f"{verb.capitalize()} there exactly {counted(entity.number, thing)}?", (True,), presence.id)
    if entity.parts > 1:
        parts = Confirm(f"the {thing} is in {entity.parts} parts", is_informed=True)
        yield Ask(parts, f"Is the {thing} in {entity.parts} parts?", (True,), presence.id)
