"""Makes the graph of yes-or-no questions about a prompt's scene, and of their dependencies.

The presence of things comes first. Their colours, numbers and forms depend on it; relations and comparisons depend on
the presence of both things. Also the default questions about a scene, for suites that bring none."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from subitize.language.clauses import read_scene
from subitize.language.nouns import spoken, spoken_plural, with_article
from subitize.language.questions import confirm_asks, count_asks, line_asks
from subitize.language.scene import Comparison, Entity, NotUnderstood, Relation, Scene
from subitize.records import Ask, Confirm


@dataclass(frozen=True, slots=True)
class Node:
    """A question of the graph, and the ids of the questions that must hold for it to make sense."""

    ask: Ask
    parents: tuple[str, ...] = ()


def read_graph(prompt: str, nouns: Collection[str], colours: Collection[str]) -> tuple[Node, ...]:
    """Make the graph of a prompt, parents first; empty if the prompt is not understood."""
    scene = read_scene(prompt, nouns, colours)
    return () if isinstance(scene, NotUnderstood) else make_graph(scene)


def make_graph(scene: Scene) -> tuple[Node, ...]:
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


def _is_plain(entities: Sequence[Entity]) -> bool:
    """Return whether questions can distinguish a noun's things, by colour alone or form alone, or need not."""
    have_colours = len({entity.colour for entity in entities}) > 1
    have_forms = any(entity.form is not None for entity in entities)
    is_open = any(isinstance(entity.number, str) for entity in entities)
    return len(entities) == 1 or not (is_open or (have_colours and have_forms))


def _noun_nodes(entities: Sequence[Entity]) -> Iterator[Node]:
    noun = entities[0].noun
    are_there = [entity for entity in entities if entity.number != 0]
    root = None
    if any(entity.colour for entity in are_there):
        root = confirm_asks(Scene((Entity(noun, _number(are_there)),)))[0]
        yield Node(root)
    for colour in dict.fromkeys(entity.colour for entity in entities):
        # Counting "apples" includes the red ones.
        kind = [entity for entity in entities if entity.colour == colour]
        whole = kind if colour or len(kind) == len(entities) else [Entity(noun, _number(entities))]
        yield from _kind_nodes(whole, root)


def _number(entities: Sequence[Entity]) -> int:
    """Count the things; an open number counts as two."""
    return sum(entity.number if isinstance(entity.number, int) else 2 for entity in entities)


def _kind_nodes(entities: Sequence[Entity], root: Ask | None) -> Iterator[Node]:
    """Ask the usual questions about one kind of thing; those about colour depend on its presence."""
    (entity, *_) = entities
    asks = confirm_asks(Scene(tuple(entities))) if isinstance(entity.number, int) else _open_asks(entity)
    for ask in asks:
        is_colour = root is not None and ask.parent is None and ask.expects == (True,) and ask != root
        own = replace(ask, parent=root.question.id) if root and is_colour else ask
        yield Node(own, () if own.parent is None else (own.parent,))


def _open_asks(entity: Entity) -> Iterator[Ask]:
    presence = confirm_asks(Scene((replace(entity, number=2),)))[0]
    yield presence
    things = spoken_plural(entity.noun, entity.colour)
    if entity.number != "some":
        many = f"{'only a few' if entity.number == 'few' else 'many'} {things}"
        said = Confirm(f"there are {many}", is_informed=True)
        yield Ask(said, f"Are there {many}?", (True,), presence.question.id)


def _has_both(scene: Scene, relation: Relation) -> bool:
    return all(scene.entities[index].number != 0 for index in (relation.subject, relation.landmark))


def _relation_node(scene: Scene, relation: Relation) -> Node:
    subject, landmark = scene.entities[relation.subject], scene.entities[relation.landmark]
    things, others = (spoken_plural(one.noun, one.colour) for one in (subject, landmark))
    holder = spoken(landmark.noun, landmark.colour)
    place = with_article(holder) if relation.word in ("in", "on") else f"some {others}"
    said = Confirm(f"there are some {things} {relation.word} {place}", is_informed=False)
    is_only = sum((one.noun, one.colour) == (subject.noun, subject.colour) for one in scene.entities) == 1
    start = _are_the(subject) if is_only else f"Are there {things}"
    side = f"to the {relation.word}" if relation.word in ("left of", "right of") else relation.word
    wording = f"{start} {side} the {holder if landmark.number == 1 else others}?"
    return Node(Ask(said, wording, (True,)), (_presence(subject), _presence(landmark)))


def _are_the(entity: Entity) -> str:
    if entity.number == 1:
        return f"Is the {spoken(entity.noun, entity.colour)}"
    return f"Are the {spoken_plural(entity.noun, entity.colour)}"


def _comparison_node(scene: Scene, comparison: Comparison) -> Node:
    subject, other = scene.entities[comparison.subject], scene.entities[comparison.other]
    things, others = (spoken_plural(one.noun, one.colour) for one in (subject, other))
    compared = f"{comparison.word} {things} {'as' if comparison.word == 'as many' else 'than'} {others}"
    said = Confirm(f"there are {compared}", is_informed=True)
    return Node(Ask(said, f"Are there {compared}?", (True,)), (_presence(subject), _presence(other)))


def _presence(entity: Entity) -> str:
    return Confirm(f"there are some {spoken_plural(entity.noun, entity.colour)}", is_informed=False).id


def _founded(node: Node, known: Collection[str]) -> Node:
    """Keep the parents that are in the graph: for half an apple, presence is not asked."""
    parents = tuple(dict.fromkeys(parent for parent in node.parents if parent in known))
    return Node(replace(node.ask, parent=parents[0] if parents else None), parents)


def scene_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask for numbers; for open numbers, which line is right; for parts, yes-or-no questions.

    Empty if no question can distinguish some things of one kind.
    """
    is_open = any(isinstance(entity.number, str) for entity in scene.entities)
    if not is_open and all(entity.form is None for entity in scene.entities):
        return count_asks(scene)
    if scene.comparisons or (is_open and _has_lines(scene)):
        return line_asks(scene)
    return tuple(node.ask for node in make_graph(scene))


def _has_lines(scene: Scene) -> bool:
    """Return whether a place holds only a few or many things."""
    holding = [scene.entities[one.subject] for one in scene.relations if one.word in ("in", "on")]
    return len(holding) == 1 and holding[0].number in ("few", "many")
