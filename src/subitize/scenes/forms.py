"""In what form things are: cut into thirds, broken in two, of two colours half and half."""

from fractions import Fraction

from subitize.scenes.cursor import Cursor
from subitize.scenes.scene import Halves, Pieces
from subitize.scenes.terms import Term
from subitize.scenes.things import Thing, Things
from subitize.scenes.words import Kind

MOST_PIECES = 20
HALF = Fraction(1, 2)
_DESCRIPTIVE: frozenset[Kind] = frozenset({"be", "that", "each", "all"})


def read_pieces(cursor: Cursor, number: int) -> Pieces | None:
    """What so many things are cut or broken into; None where that is not told here."""
    is_each = number == 1
    while (kind := cursor.peek().kind) in _DESCRIPTIVE:
        is_each = is_each or kind in ("each", "all")
        cursor.take()
    if cursor.peek().kind != "cut" and not is_in_pieces(cursor):
        return None
    how, into = cursor.take(), cursor.take()
    match into.kind:
        case "shares":
            return Pieces(int(into.name), (1,) * int(into.name))
        case "share" if into.name == "1/2" and how.text.lower().endswith("in"):
            return Pieces(2, (1, 1))
        case "number":
            return _counted_pieces(cursor, into, is_each=is_each)
        case _:
            cursor.at -= 1
            return cursor.puzzle("in how many pieces?")


def is_in_pieces(cursor: Cursor) -> bool:
    """Whether it is "in two pieces" that stands here."""
    return cursor.kinds(3) == ["hold", "number", "pieces"]


def _counted_pieces(cursor: Cursor, into: Term, *, is_each: bool) -> Pieces:
    """Of several things that are cut "into 5 pieces" it must be said that each is."""
    number = int(into.number)
    if number != into.number or not 2 <= number <= MOST_PIECES:
        cursor.puzzle(f"{into.text!r} pieces; 2 to {MOST_PIECES} can be drawn")
    if cursor.peek().kind != "pieces":  # "broken in two"
        return Pieces(number) if number == 2 else cursor.puzzle("in how many pieces?")
    if not is_each:
        cursor.puzzle("each, or all together?")
    return Pieces(number, (1,) * number if cursor.take().name == "equal" else ())


def read_size(cursor: Cursor, things: Things) -> None:
    """How the sizes of two pieces compare: "one piece is twice the size of the other"."""
    in_two = [thing for thing in things.told if thing.form == Pieces(2)]
    if len(in_two) != 1 or in_two[0].number != 1:
        cursor.puzzle("which pieces?")
    in_two[0].form = Pieces(2, (1, int(cursor.take().name)))


def read_halves(cursor: Cursor) -> tuple[str, ...]:
    """One half and its colour, and then perhaps the other: "half red and half blue"."""
    colours: list[str] = []
    while cursor.peek().kind in ("share", "other") and len(colours) < 2:
        if cursor.peek().kind == "share" and Fraction(cursor.peek().name) != HALF:
            cursor.puzzle()
        cursor.take()
        colours.append(take_colour(cursor))
        ahead = cursor.kinds(3)
        joints = next((place for place in (1, 2) if ahead[place] in ("share", "other")), 0)
        if all(kind in ("comma", "and", "but") for kind in ahead[:joints]):
            cursor.take(joints)
    return tuple(colours)


def has_colour_next(cursor: Cursor) -> bool:
    """Whether a colour is told here: "red", "is red"."""
    return cursor.peek().kind == "colour" or cursor.kinds(2) == ["be", "colour"]


def take_colour(cursor: Cursor) -> str:
    """Take the colour that is told here."""
    if not has_colour_next(cursor):
        cursor.puzzle("half of it, in which colour?")
    cursor.take_all("be")
    return cursor.take().name


def paint_half(cursor: Cursor, thing: Thing, colour: str) -> None:
    """Give one half of a thing its colour."""
    painted = thing.form.colours if isinstance(thing.form, Halves) else ()
    if thing.number != 1 or thing.colour or (thing.form and not painted) or len(painted) > 1 or colour in painted:
        cursor.puzzle("half of what?")
    thing.form = Halves((*painted, colour))
