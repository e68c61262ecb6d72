"""Reading open numbers, comparisons, things that a place holds, and parts: a second grammar, over its own words.

It gets the prompts that the grammar of reading.py does not understand: "a few books on a shelf", "more cats than
dogs", "a vase without flowers", "half a pizza", "three forks, one of them broken in two". Here, too, everything
must be understood. Things come before the place that holds them, in whatever order they are told.
"""

from dataclasses import replace
from fractions import Fraction
from typing import cast

from subitize.scenes.cursor import Cursor
from subitize.scenes.forms import is_in_pieces, paint_half, read_halves, read_pieces, read_size
from subitize.scenes.openers import Openers
from subitize.scenes.quantity_items import Joint, QuantityItems, is_spelt_fraction
from subitize.scenes.quantity_words import HOLDS, OWN_PARTS, QUANTITY_PHRASES, SPECIAL
from subitize.scenes.scene import ComparisonWord, HoldingWord, Portion, Scene
from subitize.scenes.terms import PuzzledError, Vocabulary, find_terms
from subitize.scenes.things import Thing, Things
from subitize.scenes.words import AFTERTHOUGHTS, ENDS, EXCLUSIVE, names_place


def read_quantities(prompt: str, known: Vocabulary, *, is_held: bool = False) -> Scene | None:
    """The scene of a prompt with open numbers, parts or things held; None where it has no words for them."""
    terms = find_terms(prompt, replace(known, own=QUANTITY_PHRASES))
    if not is_held and not any(term.kind in SPECIAL or (term.number % 1 and is_spelt_fraction(term)) for term in terms):
        return None
    return _Reader(Cursor(terms), known).read()


class _Reader:
    """Reads what joins items, clause by clause."""

    def __init__(self, cursor: Cursor, known: Vocabulary) -> None:
        self._cursor, self._known = cursor, known
        self._openers = Openers(cursor)
        self._things = Things()
        self._items = QuantityItems(cursor, self._things, known)
        self._joint: Joint | None = "first"
        self._in_clause: list[Thing] = []
        self._is_full = False
        self._settings: list[str] = []

    def read(self) -> Scene:
        while self._cursor.peek().kind != "end":
            self._clause()
            self._things.clause += 1
            if self._cursor.peek().kind == "question" and not self._openers.is_question:
                self._cursor.puzzle("a question")
            self._cursor.take()
        if any(names_place(setting, thing.noun) for setting in self._settings for thing in self._things.told):
            raise PuzzledError("a place that is drawn, and another like it besides")
        return self._things.make_scene()

    def _clause(self) -> None:
        opening, (word, noun) = self._cursor.peek(), self._front()
        self._openers.skip(has_items=bool(self._things.told))
        self._joint, self._in_clause, self._is_full = "first", [], False
        while self._cursor.peek().kind not in ENDS:
            self._step()
        if self._joint in ("and", "but", "with", "without"):
            self._cursor.puzzle("something is missing")
        if noun and self._in_clause and (opening.kind == "hold" or self._holds(word, noun, self._in_clause[0])):
            self._put(self._in_clause[0], word, noun)

    def _front(self) -> tuple[str, str]:
        """The place that opens a clause ("on the table there are no plates"); no noun where there is none."""
        opening = self._cursor.peek()
        if opening.kind not in ("hold", "setting") or is_in_pieces(self._cursor):
            return "", ""
        word, noun = self._named_place(None)
        if opening.kind == "hold" and noun:
            self._cursor.take(3)
            self._cursor.take_all("comma")
            if self._cursor.peek().kind != "there":
                self._cursor.puzzle("what is there?")
        return word, noun

    def _step(self) -> None:
        is_open = self._joint in (None, "comma")
        match self._cursor.peek().kind:
            case "comma" | "dash":
                self._join("comma")
            case "and":
                self._join("and")
            case "but":
                self._join("but")
            case "there" if self._joint is not None:
                self._cursor.take()
            case "with" | "link" if is_open:
                self._join_with()
            case "without" if self._joint is None:
                self._open_holder("without")
            case "compare" if self._joint is not None:
                self._compare()
            case "size":
                read_size(self._cursor, self._things)
                self._joint = None
            case "share" | "other" if self._things.last is not None and not self._opens_item():
                self._share(self._things.last)
            case "cut" | "be" | "that" | "each" | "all" if is_open and self._things.last is not None:
                self._describe(self._things.last)
            case "hold" | "setting" if self._joint is None:
                self._place()
            case "they" if self._joint not in (None, "with", "without"):
                self._refer()
            case kind if kind in AFTERTHOUGHTS and is_open and self._in_clause:
                self._pass_over()
            case _:
                self._item()

    def _join(self, joint: Joint) -> None:
        if (
            not self._things.told
            or self._joint in ("with", "without")
            or (self._joint and joint != "comma" != self._joint)
        ):
            self._cursor.puzzle()
        if self._joint not in ("and", "but"):
            self._joint = joint
        self._cursor.take()

    def _join_with(self) -> None:
        """What stands after "with" is a comparison, some of the things before it, or held by the one before it."""
        after, then = self._cursor.peek(1), self._cursor.peek(2).kind
        is_part = after.kind == "number" and then in ("of-them", "cut", "be")
        if is_part or after.kind in ("compare", "size") or (after.kind == "share" and then in ("colour", "be")):
            self._joint = "comma"
            self._cursor.take()
        else:
            self._open_holder("with")

    def _open_holder(self, joint: Joint) -> None:
        place = self._things.last
        is_held = place is not None and (place.noun in HOLDS or (joint == "without" and place.number == 1))
        if not is_held or self._joint is not None or place not in self._in_clause:
            self._cursor.puzzle("what holds them?")
        self._joint = joint
        self._cursor.take()

    def _item(self) -> None:
        joint, place = self._joint, self._things.last
        if joint is None:
            self._cursor.puzzle()
        if self._is_full:
            self._cursor.puzzle("held by it, or beside it?")
        thing = self._items.read(joint)
        self._in_clause.append(thing)
        self._joint, self._things.last = None, thing
        if joint in ("with", "without") and place is not None:
            if OWN_PARTS.get(place.noun) == thing.noun:
                self._cursor.puzzle(f"a {place.noun} without its own parts")
            if place.noun in HOLDS:
                self._hold(thing, HOLDS[place.noun], place)
            self._things.last, self._is_full = None, True

    def _opens_item(self) -> bool:
        """Whether "half" opens an item here ("a half red, half blue pencil") and says nothing of what is before it."""
        is_in_halves = self._cursor.peek().text.lower() == "a half" and self._cursor.peek(1).kind == "colour"
        return self._joint in ("with", "without") or (self._joint is not None and is_in_halves)

    def _share(self, thing: Thing) -> None:
        """Half of the thing before it, in a colour ("half red"), or more of it: "an apple and a half"."""
        term = self._cursor.peek()
        if term.kind == "other" or self._joint != "and" or self._cursor.peek(1).kind not in ENDS | AFTERTHOUGHTS:
            if any(one.number == 1 for one in self._things.told if one is not thing):
                self._cursor.puzzle("half of which?")
            for colour in read_halves(self._cursor):
                paint_half(self._cursor, thing, colour)
        else:
            is_whole = isinstance(thing.number, int) and thing.number > 0 and thing.form is None
            if not is_whole or not term.text.lower().startswith(("a ", "one ")) or term.text.endswith("it"):
                self._cursor.puzzle("half of what?")
            self._cursor.take()
            self._things.tell(Thing(thing.noun, 1, thing.colour, Portion(Fraction(term.name))))
        self._joint = None

    def _describe(self, thing: Thing) -> None:
        """What form the things have that are told of: "cut into quarters", "is half red and half blue"."""
        if not isinstance(thing.number, int) or thing.form is not None:
            self._cursor.puzzle()
        if any(one.noun != thing.noun for one in self._in_clause):
            self._cursor.puzzle("which of them?")
        start = self._cursor.at
        form = read_pieces(self._cursor, thing.number)
        if form is not None:
            self._things.set_apart(thing, thing.number, form)
        else:
            self._cursor.at = start
            self._cursor.take_all("be", "that")
            is_said = self._cursor.peek().kind in ("share", "hold", "setting", *AFTERTHOUGHTS)
            if self._cursor.at == start or not is_said:
                self._cursor.puzzle()
        self._joint = None

    def _refer(self) -> None:
        """Say more of the one thing told of: "it is broken into two pieces"."""
        told = self._things.told
        if len(told) != 1 or told[0].number != 1:
            self._cursor.puzzle("who?")
        self._cursor.take()
        self._things.last, self._joint = told[0], None
        self._in_clause.append(told[0])

    def _pass_over(self) -> None:
        if self._cursor.peek().kind == "setting":
            self._settings.append(self._cursor.peek().text.lower())
        if not EXCLUSIVE.isdisjoint(self._cursor.take().text.lower().split()):
            self._things.at_most = min(self._things.at_most, len(self._things.told))
        self._joint = None

    def _compare(self) -> None:
        """How two numbers compare: "fewer cats than dogs", "as many cats as dogs", "the same number of both"."""
        word = self._cursor.take().name
        subject = self._compared_thing()
        joint = self._cursor.take().text.lower()
        if joint not in {"same": ("and", "as"), "as many": ("as",)}.get(word, ("than",)):
            self._cursor.puzzle("compared with what?")
        other = self._compared_thing()
        if self._things.compared or subject is other:
            self._cursor.puzzle("compared with what?")
        self._things.compared = subject, cast(ComparisonWord, "as many" if word == "same" else word), other
        self._joint, self._things.last = None, None
        self._in_clause += [subject, other]

    def _compared_thing(self) -> Thing:
        self._cursor.take_all("the")
        look, noun = self._items.look(), self._cursor.peek()
        told = self._things.find(noun.name) if noun.kind == "noun" else None
        if told is None:
            return self._items.add(None, look)
        if look.colour not in (None, told.colour) or look.form is not None or noun.is_singular:
            self._cursor.puzzle("which of them?")
        self._cursor.take()
        return told

    def _place(self) -> None:
        """Where things are: held by a place that is told of, or in a mere setting, which need not be drawn."""
        thing, term = self._things.last, self._cursor.peek()
        if thing is not None and is_in_pieces(self._cursor):
            self._describe(thing)
            return
        word, noun = self._named_place(thing)
        if (term.kind == "setting" or not noun) and not (thing and self._holds(word, noun, thing)):
            self._pass_over()
            return
        if thing is None:
            self._cursor.puzzle("what is there?")
        self._cursor.take(3 if term.kind == "hold" and " " not in term.name else 1)
        self._put(thing, word, noun)

    def _holds(self, word: str, noun: str, thing: Thing) -> bool:
        """Whether a place is more than a setting: it is told of, or it is left open how much it holds."""
        told = self._things.find(noun)
        is_open = not (isinstance(thing.number, int) and thing.number)
        return (told is not None and told.number == 1) or (is_open and HOLDS.get(noun) == word)

    def _put(self, thing: Thing, word: str, noun: str) -> None:
        """Put the only thing of the clause into or onto the place."""
        told = self._things.find(noun)
        others = [one for one in self._in_clause if one is not thing and one is not told]
        if others or (told is None and HOLDS.get(noun) != word):
            self._cursor.puzzle("what is there?")
        self._hold(thing, word, told or self._things.tell(Thing(noun, 1)))

    def _named_place(self, thing: Thing | None) -> tuple[str, str]:
        """The preposition and the noun of the place that is named here; no noun where it is a mere setting."""
        term = self._cursor.peek()
        if term.kind == "setting":
            words = term.text.lower().split()
            return (words[0], words[2]) if len(words) == 3 and words[0] in ("in", "on") else ("", "")
        if term.name.endswith(" it"):
            places = [told for told in self._things.told if told is not thing and told.number == 1]
            if len(places) > 1:
                self._cursor.puzzle("where?")
            return term.name.split()[0], places[0].noun if places and thing is not None else ""
        article, noun = self._cursor.peek(1), self._cursor.peek(2)
        if article.kind not in ("a", "the") or noun.kind != "noun" or noun.is_plural:
            self._cursor.puzzle("where?")
        return term.name, noun.name

    def _hold(self, thing: Thing, word: str, place: Thing) -> None:
        if place.number != 1 or place.form is not None or thing is place:
            self._cursor.puzzle("what holds them?")
        if any(one in (thing, place) for one, _, _ in self._things.held):
            self._cursor.puzzle("two places")
        self._things.held.append((thing, cast(HoldingWord, word), place))
