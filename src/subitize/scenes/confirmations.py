"""Is this so? A scene as a graph of yes-or-no questions, in the manner of a Davidsonian scene graph.

A thing's presence comes first; its number, its form and its colours rest on that, and how many pieces there are on its
being in pieces. Each statement is text that `read_scene` reads, and holds of a right picture.
"""

from collections.abc import Iterator
from fractions import Fraction

from subitize.numerals import article, counted
from subitize.records import Ask, Confirm
from subitize.scenes.names import spoken, spoken_plural
from subitize.scenes.scene import Entity, Halves, Pieces, Portion, Scene

_SHARES = {
    Fraction(1, 2): "half",
    Fraction(1, 3): "a third",
    Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter",
    Fraction(3, 4): "three quarters",
}
_SIZES = {2: "twice", 3: "three times"}

IMAGE_ASK = Ask(Confirm("this is an image", is_informed=False), "Is this an image?", (True,), is_relevant=False)
"""What GeckoNum asks, and leaves out of the score, where a prompt begins with "An image"."""


def confirm_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask of each kind of thing whether it is there, how many there are, and in what form."""
    kinds = dict.fromkeys((entity.noun, entity.colour) for entity in scene.entities)
    of_kind = ([one for one in scene.entities if (one.noun, one.colour) == kind] for kind in kinds)
    return tuple(ask for entities in of_kind for ask in _kind_asks(entities))


def setting_asks(scene: Scene, place: str) -> tuple[Ask, ...]:
    """Ask for the place that a prompt puts things on but that is not what it is about; out of the score."""
    there = Confirm(f"there are some {spoken_plural(place)}", is_informed=False)
    asks = [Ask(there, f"Is there {_a(spoken(place))}?", (True,), is_relevant=False)]
    for noun in dict.fromkeys(entity.noun for entity in scene.entities):
        is_one = sum(entity.exact_number for entity in scene.entities if entity.noun == noun) == 1
        subject = f"Is the {spoken(noun)}" if is_one else f"Are the {spoken_plural(noun)}"
        on_it = Confirm(f"there are some {spoken_plural(noun)} on {_a(place)}", is_informed=False)
        asks.append(Ask(on_it, f"{subject} on the {place}?", (True,), there.id, is_relevant=False))
    return tuple(asks)


def _kind_asks(entities: list[Entity]) -> Iterator[Ask]:
    noun, colour = entities[0].noun, entities[0].colour
    portions = [entity for entity in entities if isinstance(entity.form, Portion)]
    number = sum(entity.exact_number for entity in entities) - len(portions)
    root = None
    if number or not portions:
        presence = Confirm(f"there are some {spoken_plural(noun, colour)}", is_informed=False)
        yield Ask(presence, _is_there(noun, colour, number), (number > 0,))
        root = presence.id
    if number:
        things = counted(number, spoken(noun, colour))
        verb = "is" if number == 1 else "are"
        exact = Confirm(f"there {verb} {things}", is_informed=True)
        yield Ask(exact, f"{verb.capitalize()} there exactly {things}?", (True,), root)
    for entity in entities:
        match entity.form:
            case Pieces():
                yield from _pieces_asks(entity, entity.form, number - entity.exact_number, root)
            case Portion(share):
                part = f"{_SHARES[share]} of {_a(spoken(noun, colour))}"
                yield Ask(Confirm(f"there is {part}", is_informed=True), f"Is there {part}?", (True,), root)
            case Halves(colours):
                yield from (_half_ask(noun, half, root) for half in colours)


def _is_there(noun: str, colour: str | None, number: int) -> str:
    if number > 1:
        return f"Are there {spoken_plural(noun, colour)}?"
    return f"Is there {_a(spoken(noun, colour))}?"


def _pieces_asks(entity: Entity, form: Pieces, whole: int, root: str | None) -> Iterator[Ask]:
    """Ask whether so many are whole and the others are not, into how many pieces, and of what sizes."""
    thing, things = spoken(entity.noun, entity.colour), spoken_plural(entity.noun, entity.colour)
    if whole:
        left = counted(whole, thing).replace(" ", " whole ", 1)
        in_pieces = Confirm(f"there {'is' if whole == 1 else 'are'} {left}", is_informed=True)
        wording = f"{'Is' if whole == 1 else 'Are'} there exactly {left}?"
    else:
        in_pieces = Confirm(f"there are no whole {things}", is_informed=False)
        wording = f"Is the {thing} in pieces?" if entity.number == 1 else f"Are the {things} in pieces?"
    yield Ask(in_pieces, wording, (True,), root)
    is_equal = len(set(form.ratio)) == 1
    count = counted(entity.exact_number, thing)
    verb, each = ("is", "") if entity.number == 1 else ("are", ", each")
    said = f"there {verb} {count}{each} in {form.number} {'equal ' if is_equal else ''}pieces"
    number = Confirm(said, is_informed=True)
    yield Ask(number, _question(said), (True,), in_pieces.id)
    if form.ratio and not is_equal:
        size = f"{_SIZES[form.ratio[1]]} the size of the other"
        wording = f"Is one piece {size}?"
        yield Ask(Confirm(f"{said}, one {size}", is_informed=True), wording, (True,), number.id)


def _question(statement: str) -> str:
    """ "There is one" as "Is there one?"."""
    there, verb, rest = statement.split(" ", 2)
    return f"{verb.capitalize()} {there} {rest}?"


def _half_ask(noun: str, colour: str, root: str | None) -> Ask:
    said = Confirm(f"one half of {_a(spoken(noun))} is {colour}", is_informed=False)
    return Ask(said, f"Is one half of the {spoken(noun)} {colour}?", (True,), root)


def _a(thing: str) -> str:
    return f"{article(thing)} {thing}"
