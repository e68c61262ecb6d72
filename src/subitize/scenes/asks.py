"""How many? The questions for the numbers of a scene, as GeckoNum puts them."""

from collections.abc import Iterator

from subitize.numerals import plural
from subitize.records import Ask, Count, Place, RelationWord
from subitize.scenes.scene import Relation, Scene

_INVERSE: dict[RelationWord, RelationWord] = {
    "above": "below",
    "below": "above",
    "left of": "right of",
    "right of": "left of",
}


def count_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask for the number of each noun and of its colours, then on both sides of each relation of places."""
    by_noun: dict[Count, int] = {}
    for noun in dict.fromkeys(entity.noun for entity in scene.entities):
        for entity in (entity for entity in scene.entities if entity.noun == noun):
            for question in dict.fromkeys((Count(noun), Count(noun, entity.colour))):
                by_noun[question] = by_noun.get(question, 0) + entity.exact_number
    by_place = (ask for relation in scene.relations for ask in _relation_asks(scene, relation))
    return (*(ask_count(question, number) for question, number in by_noun.items()), *by_place)


def _relation_asks(scene: Scene, relation: Relation) -> Iterator[Ask]:
    match relation.word:
        case "above" | "below" | "left of" | "right of" as word:
            subject, landmark = scene.entities[relation.subject], scene.entities[relation.landmark]
            yield ask_count(Count(subject.noun, place=Place(word, landmark.noun)), subject.exact_number)
            yield ask_count(Count(landmark.noun, place=Place(_INVERSE[word], subject.noun)), landmark.exact_number)


def ask_count(question: Count, number: int) -> Ask:
    """Ask for a number of things."""
    thing = f"{question.colour} {plural(question.noun)}" if question.colour else plural(question.noun)
    if question.place is None:
        return Ask(question, f"How many {thing} are in the image?", (number,))
    side = {"left of": "to the left of", "right of": "to the right of"}
    relation = side.get(question.place.relation, question.place.relation)
    return Ask(question, f"How many {thing} are {relation} {plural(question.place.landmark)}?", (number,))
