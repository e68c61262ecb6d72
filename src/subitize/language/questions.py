"""Turns scenes into questions: how many, which line describes it, is this so.

Numbers and lines are asked about as in GeckoNum. Yes-or-no questions make a Davidsonian scene graph: the presence of
things comes first; their numbers, forms and colours depend on it, relations and comparisons on the presence of both
things. `read_scene` can read each statement, and a correct picture meets it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import get_args

from subitize.language import scene as scenes
from subitize.language.nouns import plural, plural_of, spoken, spoken_plural, with_article
from subitize.language.numbers import count_noun
from subitize.records import Ask, Choose, Confirm, Count, Place, RelationWord

_INVERSE: dict[RelationWord, RelationWord] = {
    "above": "below",
    "below": "above",
    "left of": "right of",
    "right of": "left of",
}


def scene_asks(scene: scenes.Scene) -> tuple[Ask, ...]:
    """Ask for numbers; for open numbers, which line is right; for parts, yes-or-no questions.

    Empty if no question can distinguish some things of one kind.
    """
    is_open = any(isinstance(entity.number, str) for entity in scene.entities)
    if not is_open and all(entity.form is None for entity in scene.entities):
        return count_asks(scene)
    is_placed = any(relation.word not in ("in", "on") for relation in scene.relations)
    if not is_placed and (scene.comparisons or (is_open and _has_lines(scene))):
        return line_asks(scene)
    return tuple(node.ask for node in make_graph(scene))


def _has_lines(scene: scenes.Scene) -> bool:
    """Return whether a place holds only a few or many things."""
    holding = [scene.entities[one.subject] for one in scene.relations if one.word in ("in", "on")]
    return len(holding) == 1 and holding[0].number in ("few", "many")


def count_asks(scene: scenes.Scene) -> tuple[Ask, ...]:
    """Ask for the number of each noun and of its colours, then for both sides of each spatial relation."""
    by_noun: dict[Count, int] = {}
    for noun in dict.fromkeys(entity.noun for entity in scene.entities):
        for entity in (entity for entity in scene.entities if entity.noun == noun):
            for question in dict.fromkeys((Count(noun), Count(noun, entity.colour))):
                by_noun[question] = by_noun.get(question, 0) + entity.exact_number
    by_place = (ask for relation in scene.relations for ask in _relation_asks(scene, relation))
    return (*(ask_count(question, number) for question, number in by_noun.items()), *by_place)


def _relation_asks(scene: scenes.Scene, relation: scenes.Relation) -> Iterator[Ask]:
    match relation.word:
        case "above" | "below" | "left of" | "right of" as word:
            subject, landmark = scene.entities[relation.subject], scene.entities[relation.landmark]
            yield ask_count(Count(subject.noun, place=Place(word, landmark.noun)), subject.exact_number)
            yield ask_count(Count(landmark.noun, place=Place(_INVERSE[word], subject.noun)), landmark.exact_number)


def ask_count(question: Count, number: int) -> Ask:
    """Ask for the number of things."""
    thing = plural_of(question.noun, question.colour)
    if question.place is None:
        return Ask(question, f"How many {thing} are in the image?", (number,))
    side = {"left of": "to the left of", "right of": "to the right of"}
    relation = side.get(question.place.relation, question.place.relation)
    return Ask(question, f"How many {thing} are {relation} {plural(question.place.landmark)}?", (number,))


MOST_FEW = 10
"""People call up to ten of something a few, and more than ten many (Figure A16 of the paper)."""

LINES_WORDING = "Which line describes the image the best?"
_QUANTITIES: dict[int | scenes.Quantifier, str] = {0: "no", "few": "only a few", "many": "many"}
_COMPARISONS: dict[scenes.ComparisonWord, str] = {
    "fewer": "fewer {ones} than {others}",
    "as many": "as many {ones} as {others}",
    "more": "more {ones} than {others}",
}
_CODES = {3: (0, 2, 3), 5: (0, 1, 2, 3, 4)}


def line_asks(scene: scenes.Scene) -> tuple[Ask, ...]:
    """Ask which line describes the scene, and for things that a place holds also, unscored, how many."""
    if scene.comparisons:
        return (_comparison_ask(scene, scene.comparisons[0]),)
    holding = next((relation for relation in scene.relations if relation.word in ("in", "on")), None)
    if holding is None:
        raise ValueError("a scene without comparison or things that a place holds has no lines to choose from")
    return _holding_asks(scene, holding)


def line_codes(question: Choose) -> tuple[int, ...]:
    """GeckoNum's code for each line: "only a few" is 2 and "many" 3 in the release, unlike in the paper."""
    return _CODES[len(question.lines)]


def _comparison_ask(scene: scenes.Scene, comparison: scenes.Comparison) -> Ask:
    ones, others = (spoken_plural(scene.entities[of].noun) for of in (comparison.subject, comparison.other))
    compared = (pattern.format(ones=ones, others=others) for pattern in _COMPARISONS.values())
    lines = (
        f"An image with no {ones} and with no {others}.",
        f"An image with some {ones} or some {others}, but not with both {ones} and {others}.",
        *(f"An image with some {ones} and some {others}. There are {one}." for one in compared),
    )
    return Ask(Choose(lines), LINES_WORDING, (2 + get_args(scenes.ComparisonWord).index(comparison.word),))


def _holding_asks(scene: scenes.Scene, holding: scenes.Relation) -> tuple[Ask, ...]:
    thing, place = scene.entities[holding.subject], spoken(scene.entities[holding.landmark].noun)
    things = spoken_plural(thing.noun)
    opening = f"An image of {with_article(place)}."
    lines = tuple(f"{opening} There are {word} {things} {holding.word} the {place}." for word in _QUANTITIES.values())
    few, many = range(1, MOST_FEW + 1), range(MOST_FEW + 1, scenes.MOST_THINGS + 1)
    numbers = {0: (0,), "few": tuple(few), "many": tuple(many)}
    return (
        Ask(Choose(lines), LINES_WORDING, (list(_QUANTITIES).index(thing.number),)),
        Ask(Count(thing.noun), f"How many {things} are in the image?", numbers[thing.number], is_relevant=False),
    )


_SHARES = {
    Fraction(1, 2): "half",
    Fraction(1, 3): "a third",
    Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter",
    Fraction(3, 4): "three quarters",
}
_SIZES = {2: "twice", 3: "three times"}

IMAGE_ASK = Ask(Confirm("this is an image", is_informed=False), "Is this an image?", (True,), is_relevant=False)
"""GeckoNum's unscored question for prompts that begin with "An image"."""


def confirm_asks(scene: scenes.Scene) -> tuple[Ask, ...]:
    """Ask whether each kind of thing is there, how many there are, and in what form."""
    kinds = dict.fromkeys((entity.noun, entity.colour) for entity in scene.entities)
    of_kind = ([one for one in scene.entities if (one.noun, one.colour) == kind] for kind in kinds)
    return tuple(ask for entities in of_kind for ask in _kind_asks(entities))


def setting_asks(scene: scenes.Scene, place: str) -> tuple[Ask, ...]:
    """Ask about the place that a prompt puts things on without asking for it; unscored."""
    there = Confirm(f"there are some {spoken_plural(place)}", is_informed=False)
    asks = [Ask(there, f"Is there {with_article(spoken(place))}?", (True,), is_relevant=False)]
    for noun in dict.fromkeys(entity.noun for entity in scene.entities):
        is_one = sum(entity.exact_number for entity in scene.entities if entity.noun == noun) == 1
        subject = f"Is the {spoken(noun)}" if is_one else f"Are the {spoken_plural(noun)}"
        on_it = Confirm(f"there are some {spoken_plural(noun)} on {with_article(place)}", is_informed=False)
        asks.append(Ask(on_it, f"{subject} on the {place}?", (True,), there.id, is_relevant=False))
    return tuple(asks)


def _kind_asks(entities: list[scenes.Entity]) -> Iterator[Ask]:
    noun, colour = entities[0].noun, entities[0].colour
    portions = [entity for entity in entities if isinstance(entity.form, scenes.Portion)]
    number = sum(entity.exact_number for entity in entities) - len(portions)
    root = None
    if number or not portions:
        presence = _presence(entities[0])
        yield Ask(presence, _is_there(noun, colour, number), (number > 0,))
        root = presence.id
    if number:
        things = count_noun(number, spoken(noun, colour))
        verb = "is" if number == 1 else "are"
        exact = Confirm(f"there {verb} {things}", is_informed=True)
        yield Ask(exact, f"{verb.capitalize()} there exactly {things}?", (True,), root)
    for entity in entities:
        match entity.form:
            case scenes.Pieces():
                yield from _pieces_asks(entity, entity.form, number - entity.exact_number, root)
            case scenes.Portion(share):
                part = f"{_SHARES[share]} of {with_article(spoken(noun, colour))}"
                yield Ask(Confirm(f"there is {part}", is_informed=True), f"Is there {part}?", (True,), root)
            case scenes.Halves(colours):
                yield from (_half_ask(noun, half, root) for half in colours)


def _is_there(noun: str, colour: str | None, number: int) -> str:
    if number > 1:
        return f"Are there {spoken_plural(noun, colour)}?"
    return f"Is there {with_article(spoken(noun, colour))}?"


def _pieces_asks(entity: scenes.Entity, form: scenes.Pieces, whole: int, root: str | None) -> Iterator[Ask]:
    """Ask how many are whole, into how many pieces the others are cut, and of what sizes."""
    thing, things = spoken(entity.noun, entity.colour), spoken_plural(entity.noun, entity.colour)
    if whole:
        left = count_noun(whole, thing).replace(" ", " whole ", 1)
        in_pieces = Confirm(f"there {'is' if whole == 1 else 'are'} {left}", is_informed=True)
        wording = f"{'Is' if whole == 1 else 'Are'} there exactly {left}?"
    else:
        in_pieces = Confirm(f"there are no whole {things}", is_informed=False)
        wording = f"Is the {thing} in pieces?" if entity.number == 1 else f"Are the {things} in pieces?"
    yield Ask(in_pieces, wording, (True,), root)
    is_equal = len(set(form.ratio)) == 1
    count = count_noun(entity.exact_number, thing)
    verb, each = ("is", "") if entity.number == 1 else ("are", ", each")
    said = f"there {verb} {count}{each} in {form.number} {'equal ' if is_equal else ''}pieces"
    number = Confirm(said, is_informed=True)
    yield Ask(number, _question(said), (True,), in_pieces.id)
    if form.ratio and not is_equal:
        size = f"{_SIZES[form.ratio[1]]} the size of the other"
        wording = f"Is one piece {size}?"
        yield Ask(Confirm(f"{said}, one {size}", is_informed=True), wording, (True,), number.id)


def _question(statement: str) -> str:
    """ "there is one" as "Is there one?"."""
    there, verb, rest = statement.split(" ", 2)
    return f"{verb.capitalize()} {there} {rest}?"


def _half_ask(noun: str, colour: str, root: str | None) -> Ask:
    said = Confirm(f"one half of {with_article(spoken(noun))} is {colour}", is_informed=False)
    return Ask(said, f"Is one half of the {spoken(noun)} {colour}?", (True,), root)


@dataclass(frozen=True, slots=True)
class Node:
    """A question of the graph, and the ids of the questions that must hold for it to make sense."""

    ask: Ask
    parents: tuple[str, ...] = ()


def make_graph(scene: scenes.Scene) -> tuple[Node, ...]:
    """Make the graph of a scene; empty if no question can distinguish some things of one kind."""
    nouns = dict.fromkeys(entity.noun for entity in scene.entities)
    by_noun = [[one for one in scene.entities if one.noun == noun] for noun in nouns]
    if not all(_is_plain(entities) for entities in by_noun):
        return ()
    things = [node for entities in by_noun for node in _noun_nodes(entities)]
    known = {node.ask.question.id for node in things}
    relations = (_relation_node(scene, relation) for relation in scene.relations if _has_both(scene, relation))
    comparisons = (_comparison_node(scene, comparison) for comparison in scene.comparisons)
    nodes: dict[str, Node] = {}
    for node in chain(things, (_founded(one, known) for one in chain(relations, comparisons))):
        nodes.setdefault(node.ask.question.id, node)
    return tuple(nodes.values())


def _is_plain(entities: Sequence[scenes.Entity]) -> bool:
    """Return whether questions can distinguish a noun's things, by colour alone or form alone, or need not."""
    have_colours = len({entity.colour for entity in entities}) > 1
    have_forms = any(entity.form is not None for entity in entities)
    is_open = any(isinstance(entity.number, str) for entity in entities)
    return len(entities) == 1 or not (is_open or (have_colours and have_forms))


def _noun_nodes(entities: Sequence[scenes.Entity]) -> Iterator[Node]:
    noun = entities[0].noun
    are_there = [entity for entity in entities if entity.number != 0]
    root = None
    if any(entity.colour for entity in are_there):
        root = confirm_asks(scenes.Scene((scenes.Entity(noun, _number(are_there)),)))[0]
        yield Node(root)
    for colour in dict.fromkeys(entity.colour for entity in entities):
        # Counting "apples" includes the red ones.
        kind = [entity for entity in entities if entity.colour == colour]
        whole = kind if colour or len(kind) == len(entities) else [scenes.Entity(noun, _number(entities))]
        yield from _kind_nodes(whole, root)


def _number(entities: Sequence[scenes.Entity]) -> int:
    """Count the things; an open number counts as two."""
    return sum(entity.number if isinstance(entity.number, int) else 2 for entity in entities)


def _kind_nodes(entities: Sequence[scenes.Entity], root: Ask | None) -> Iterator[Node]:
    """Ask the usual questions about one kind of thing; those about colour depend on its presence."""
    (entity, *_) = entities
    asks = confirm_asks(scenes.Scene(tuple(entities))) if isinstance(entity.number, int) else _open_asks(entity)
    for ask in asks:
        is_colour = root is not None and ask.parent is None and ask.expects == (True,) and ask != root
        own = replace(ask, parent=root.question.id) if root and is_colour else ask
        yield Node(own, () if own.parent is None else (own.parent,))


def _open_asks(entity: scenes.Entity) -> Iterator[Ask]:
    things, presence = spoken_plural(entity.noun, entity.colour), _presence(entity)
    yield Ask(presence, f"Are there {things}?", (True,))
    if entity.number in _QUANTITIES:
        many = f"{_QUANTITIES[entity.number]} {things}"
        yield Ask(Confirm(f"there are {many}", is_informed=True), f"Are there {many}?", (True,), presence.id)


def _has_both(scene: scenes.Scene, relation: scenes.Relation) -> bool:
    return all(scene.entities[index].number != 0 for index in (relation.subject, relation.landmark))


def _relation_node(scene: scenes.Scene, relation: scenes.Relation) -> Node:
    subject, landmark = scene.entities[relation.subject], scene.entities[relation.landmark]
    things, others = (spoken_plural(one.noun, one.colour) for one in (subject, landmark))
    holder = spoken(landmark.noun, landmark.colour)
    place = with_article(holder) if relation.word in ("in", "on") else f"some {others}"
    said = Confirm(f"there are some {things} {relation.word} {place}", is_informed=False)
    is_only = sum((one.noun, one.colour) == (subject.noun, subject.colour) for one in scene.entities) == 1
    start = _are_the(subject) if is_only else f"Are there {things}"
    side = f"to the {relation.word}" if relation.word in ("left of", "right of") else relation.word
    wording = f"{start} {side} the {holder if landmark.number == 1 else others}?"
    return Node(Ask(said, wording, (True,)), (_presence(subject).id, _presence(landmark).id))


def _are_the(entity: scenes.Entity) -> str:
    if entity.number == 1:
        return f"Is the {spoken(entity.noun, entity.colour)}"
    return f"Are the {spoken_plural(entity.noun, entity.colour)}"


def _comparison_node(scene: scenes.Scene, comparison: scenes.Comparison) -> Node:
    subject, other = scene.entities[comparison.subject], scene.entities[comparison.other]
    things, others = (spoken_plural(one.noun, one.colour) for one in (subject, other))
    compared = f"{comparison.word} {things} {'as' if comparison.word == 'as many' else 'than'} {others}"
    said = Confirm(f"there are {compared}", is_informed=True)
    return Node(Ask(said, f"Are there {compared}?", (True,)), (_presence(subject).id, _presence(other).id))


def _presence(entity: scenes.Entity) -> Confirm:
    return Confirm(f"there are some {spoken_plural(entity.noun, entity.colour)}", is_informed=False)


def _founded(node: Node, known: Collection[str]) -> Node:
    """Keep the parents that are in the graph: for half an apple, presence is not asked."""
    parents = tuple(dict.fromkeys(parent for parent in node.parents if parent in known))
    return Node(replace(node.ask, parent=parents[0] if parents else None), parents)
