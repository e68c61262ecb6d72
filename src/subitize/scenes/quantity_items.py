"""The items of quantities.py: "only a few flowers", "half of another apple", "one of them broken in two"."""

import re
from fractions import Fraction
from typing import Literal, NamedTuple, cast

from subitize.scenes.cursor import Cursor
from subitize.scenes.forms import HALF, has_colour_next, paint_half, read_halves, read_pieces, take_colour
from subitize.scenes.items import puzzle_over_noun
from subitize.scenes.quantity_words import HOLDS
from subitize.scenes.scene import Form, Halves, Portion, Quantifier, Whole
from subitize.scenes.terms import PuzzledError, Term, Vocabulary
from subitize.scenes.things import Thing, Things

Joint = Literal["first", "comma", "and", "but", "with", "without"]
"""What stands before an item."""


class Look(NamedTuple):
    """What is said of things between their number and their noun."""

    colour: str | None = None
    form: Form | None = None


class QuantityItems:
    """Reads items at a cursor, and adds to the things what they tell of."""

    def __init__(self, cursor: Cursor, things: Things, known: Vocabulary) -> None:
        self._cursor, self._things, self._known = cursor, things, known

    def read(self, joint: Joint) -> Thing:
        """Read the item that begins here."""
        self._cursor.take_all("exactly")
        kind = self._cursor.peek().kind
        if (joint == "without" and kind not in ("a", "noun", "colour", "adjective")) or (
            joint == "with" and kind == "without"
        ):
            self._cursor.puzzle("with how many?")
        match kind:
            case "quantity" | "without":
                name = self._cursor.take().name
                number = cast(Quantifier, name) if name in ("some", "few", "many") else 0
                return self.add(number, self.look())
            case "noun" | "colour" | "adjective":
                return self.add(0 if joint == "without" else None, self.look())
            case "number":
                return self._counted(joint)
            case "a" | "single":
                self._cursor.take()
                return self.add(0 if joint == "without" else 1, self.look(), is_article=True)
            case "of-them" if self._cursor.peek(1).kind == "number":
                self._cursor.take()
                return self._some_of_those(joint, int(self._cursor.take().number))
            case "share" if self._cursor.peek(1).kind == "colour":
                return self._in_halves()
            case "share" if self._cursor.peek().text.lower().startswith(("a ", "one ")):
                return self._portion(joint)
            case "portion":
                return self._portion(joint)
            case "the":
                return self._definite()
            case _:
                return puzzle_over_noun(self._cursor, self._known)

    def look(self) -> Look:
        """Pass over what changes nothing, and give the colour, and whether the things are said to be whole."""
        look = Look()
        while (kind := self._cursor.peek().kind) in ("colour", "whole", "adjective"):
            if (kind == "colour" and look.colour) or (kind == "whole" and look.form):
                self._cursor.puzzle("said twice")
            term = self._cursor.take()
            if kind == "colour":
                look = look._replace(colour=term.name)
            elif kind == "whole":
                look = look._replace(form=Whole())
        return look

    def add(self, number: int | Quantifier | None, look: Look, *, is_article: bool = False) -> Thing:
        """Take the noun, and tell of so many of it."""
        noun = self._cursor.peek()
        if noun.kind != "noun":
            puzzle_over_noun(self._cursor, self._known)
        if (is_article and noun.is_plural) or (not isinstance(number, int) and noun.is_singular):
            self._cursor.puzzle("one or several?")
        self._cursor.take()
        return self._things.tell(Thing(noun.name, number, look.colour, look.form))

    def _counted(self, joint: Joint) -> Thing:
        """A number of things, or a number of those before: "one and a half apples", "one of them is broken in two"."""
        opening = self._cursor.take()
        whole, rest = int(opening.number), Fraction(opening.number % 1).limit_denominator(10)
        if opening.number < 0 or (rest and (whole < 1 or not is_spelt_fraction(opening))):
            raise PuzzledError(f"{opening.text!r} is no whole number of things")
        if not rest and self._counts_those(joint):
            return self._some_of_those(joint, whole)
        if opening.is_group and self._cursor.peek().kind == "of":
            self._cursor.take()
        thing = self.add(whole, self.look())
        return self._things.tell(Thing(thing.noun, 1, thing.colour, Portion(rest))) if rest else thing

    def _counts_those(self, joint: Joint) -> bool:
        """Whether "one" or "one fork" after "three forks" is one of them: "but one fork is broken"."""
        ahead, last = self._cursor.kinds(3), self._things.last
        if ahead[0] in ("of-them", "be", "cut"):
            return True
        if ahead[0] != "noun" or last is None or last.noun != self._cursor.peek().name:
            return False
        if joint == "comma" and ahead[1] == "cut":  # "three forks, one fork broken in two" are three or four
            self._cursor.puzzle("one of them, or one more?")
        return ahead[1:] == ["be", "cut"] or (joint == "but" and ahead[1] == "cut")

    def _some_of_those(self, joint: Joint, number: int) -> Thing:
        """So many of the things told of: "one of them is broken in two", "of which one is broken in two"."""
        whole, opens = self._things.last, self._cursor.peek().kind
        is_clear = opens == "noun" or (len(self._things.told) == 1 and (joint != "and" or opens != "cut"))
        if whole is None or not is_clear:
            self._cursor.puzzle("a number of what?")
        self._cursor.take_all("of-them", "noun")
        form = read_pieces(self._cursor, number)
        if form is None:
            self._cursor.puzzle("a number of what?")
        self._things.set_apart(whole, number, form)
        return whole

    def _in_halves(self) -> Thing:
        """A thing of two colours: "a half red, half blue pencil"."""
        if not self._cursor.peek().text.lower().startswith("a "):
            self._cursor.puzzle("half of what?")
        colours = read_halves(self._cursor)
        if len(set(colours)) != 2:
            self._cursor.puzzle("one half, and the other?")
        return self.add(1, Look(form=Halves(colours)), is_article=True)

    def _portion(self, joint: Joint) -> Thing:
        """A share of a thing ("half of another apple"), or the colour of a half: "one half of a pencil is red"."""
        name, _, of = self._cursor.take().name.partition(" ")
        share = Fraction(name)
        if joint == "with":
            self._cursor.puzzle()
        if of == "another":
            return self._of_another(share)
        told = self._things.find(self._cursor.peek().name) if of == "the" else None
        thing = self._definite() if told else self.add(1, self.look(), is_article=True)
        if share == HALF and of and has_colour_next(self._cursor):
            paint_half(self._cursor, thing, take_colour(self._cursor))
        elif told or thing.form is not None:
            self._cursor.puzzle()
        else:
            thing.form = Portion(share)
        return thing

    def _of_another(self, share: Fraction) -> Thing:
        before, look, after = self._things.last, self.look(), self._cursor.peek()
        is_same = after.kind != "noun" or (before is not None and after.name == before.noun and not after.is_plural)
        is_same = is_same and before is not None and look in (Look(), Look(before.colour)) and before.form is None
        if before is None or not is_same or not isinstance(before.number, int):
            self._cursor.puzzle("another than which?")
        if after.kind == "noun" or (after.kind == "number" and after.text.lower() == "one"):
            self._cursor.take()
        return self._things.tell(Thing(before.noun, 1, before.colour, Portion(share)))

    def _definite(self) -> Thing:
        """A thing that is told of before, or a place: "the vase has no flowers"."""
        self._cursor.take_all("the")
        noun = self._cursor.peek()
        if noun.kind != "noun":
            puzzle_over_noun(self._cursor, self._known)
        self._cursor.take()
        told = self._things.find(noun.name)
        if told is not None and (told.number == 1) == (not noun.is_plural):
            return told
        if told is not None or noun.is_plural or noun.name not in HOLDS:
            raise PuzzledError(f"which {noun.text!r}?")
        return self._things.tell(Thing(noun.name, 1))


def is_spelt_fraction(term: Term) -> bool:
    """Whether it is a number such as "one and a half"; "1.5 apples" may mean a mass as well."""
    return term.kind == "number" and _SPELT_FRACTION.fullmatch(term.text) is not None


_SPELT_FRACTION = re.compile(r"[a-z-]+ and (?:a|one) (?:half|quarter)", re.IGNORECASE)
