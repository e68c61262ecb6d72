"""Reads the items of a clause: how many of what, in which colour and form.

One reader handles plain numbers ("seven red apples"), the other open numbers and parts ("only a few flowers", "one of
them broken in two"). Forms are whole, in pieces, a portion, or two halves of different colours."""

import re
from fractions import Fraction
from typing import Literal, NamedTuple, NoReturn, cast

from subitize.language.drafts import MOST_ITEMS, Clause, Draft, Thing, Things
from subitize.language.lexicon import AFTERTHOUGHTS, ENDS, FRUIT_COLOURS, HOLDS, Kind
from subitize.language.nouns import singular
from subitize.language.scene import MOST_THINGS, Form, Halves, Pieces, Portion, Quantifier, Whole
from subitize.language.terms import END, Cursor, NotUnderstoodError, Term, Vocabulary

_ARTICLE = Term("a", "a")


class Items:
    """Reads items with exact numbers at a cursor, and adds them to the drafts."""

    def __init__(self, cursor: Cursor, drafts: list[Draft], known: Vocabulary) -> None:
        self._cursor, self._drafts, self._known = cursor, drafts, known
        self.potted: int | None = None

    def read(self, clause: Clause) -> int:
        """Read the item that begins here, and return its index among the drafts."""
        cursor = self._cursor
        if cursor.peek().kind == "pot":
            return self._potted(clause)
        start = cursor.at
        cursor.take_all("exactly")
        if cursor.peek().kind == "of-them":  # "five cats, of which two are black and three are white"
            cursor.take()
            return self._counted(clause, is_part=True)
        is_definite = cursor.peek().kind == "the"
        cursor.take_all("the")
        match cursor.peek().kind:
            case "number":
                return self._counted(clause, is_definite=is_definite)
            case _ if is_definite:
                return self._definite(clause, None, self._modifiers(0))
            case "a" | "another" | "single":
                return self._counted(clause)
            case "number-of":
                return self._number_of(clause)
            case "they":
                return self._they(clause)
            case "noun" | "colour" | "adjective":
                return self._noun_first(clause)
            case _:
                cursor.at = start
                return cursor.puzzle()

    def _potted(self, clause: Clause) -> int:
        """Flowers in a pot, which need not be drawn; with two pots it would be unclear what is in which."""
        if self.potted is not None:
            self._cursor.puzzle("two pots")
        self._cursor.take()
        self.potted = len(self._drafts)
        self.potted = self.read(clause)
        return self.potted

    def _counted(self, clause: Clause, *, is_definite: bool = False, is_part: bool = False) -> int:
        """A number or an article, and what it counts: "seven ripe apples", "a dozen of eggs", "3 of them red"."""
        cursor, opening = self._cursor, self._cursor.take()
        number = 1
        if opening.kind == "number":
            number = self._number(opening)
            is_part = self._skip_to_thing(opening, number) or is_part
        colour = self._modifiers(number)
        noun = cursor.peek()
        if noun.kind == "noun" and not is_part:
            if opening.kind != "number" and noun.is_plural:
                cursor.puzzle("one or several?")
            if is_definite:
                return self._definite(clause, number, colour)
            cursor.take()
            return self._add(clause, noun.name, number, colour, opening)
        if is_part and colour is None:
            cursor.puzzle()
        if colour is None or is_definite or noun.kind == "unknown":
            puzzle_over_noun(self._cursor, self._known)
        if noun.kind == "ones" or (noun.kind == "number" and noun.text.lower() == "one"):
            cursor.take()
            return self._add(clause, self._noun_of_ones(clause), number, colour, opening)
        if number == 1 and colour in FRUIT_COLOURS:
            cursor.puzzle("a colour or a fruit?")
        return self._add(clause, "", number, colour, opening)

    def _number(self, first: Term) -> int:
        """A number, or two that are combined: "3 times 4 apples", "5 plus 6 red apples"."""
        cursor, joint, number = self._cursor, self._cursor.peek(), _whole_number(first)
        is_sum = joint.kind == "and" and joint.text.lower() == "plus"
        second, noun = cursor.peek(1), self._noun_after(2)
        if not (is_sum or joint.kind == "product") or second.kind != "number" or noun.kind != "noun":
            return number
        other = _whole_number(second)
        number = number + other if is_sum else number * other
        if first.is_group or second.is_group or (noun.is_singular and number != 1):
            cursor.puzzle("a number of what?")
        cursor.take(2)
        return _whole_number(Term("number", f"{first.text} {joint.text} {second.text}", number=number))

    def _noun_after(self, ahead: int) -> Term:
        """The term so far ahead, past any adjectives and colours."""
        while self._cursor.peek(ahead).kind in ("adjective", "cartoon", "colour"):
            ahead += 1
        return self._cursor.peek(ahead)

    def _skip_to_thing(self, opening: Term, number: int) -> bool:
        """Skip what may follow a number; return whether it counts some of the things before ("3 of them")."""
        cursor = self._cursor
        if opening.is_group and cursor.peek().kind == "of":
            cursor.take()
        if cursor.kinds(3) == ["open", "number", "close"]:  # "seven (7) apples"
            if cursor.peek(1).number != number:
                cursor.puzzle("two numbers")
            cursor.take(3)
        if cursor.peek().kind == "times" and not opening.is_group:
            cursor.take()
        is_part = cursor.peek().kind in ("of-them", "be")
        cursor.take_all("of-them", "be")
        return is_part

    def _modifiers(self, number: int) -> str | None:
        """Skip what changes nothing between number and noun, and return the colour."""
        colour = None
        while True:
            kind = self._cursor.peek().kind
            if kind == "colour":
                if colour is not None:
                    self._cursor.puzzle("two colours")
                colour = self._cursor.take().name
                continue
            is_single = kind == "single" and number == 1
            is_comma = kind == "comma" and self._is_between_modifiers()
            if not (kind in ("adjective", "cartoon") or is_single or is_comma):
                return colour
            self._cursor.take()

    def _is_between_modifiers(self) -> bool:
        before, after, then = self._cursor.peek(-1).kind, self._cursor.peek(1).kind, self._cursor.peek(2).kind
        return before in ("adjective", "colour") and after in ("adjective", "colour") and then in ("adjective", "noun")

    def _noun_of_ones(self, clause: Clause) -> str:
        """The noun that "ones" stands for, if all items before it share one noun and have colours."""
        told = [self._drafts[item] for item in clause.items]
        if clause.whole is not None or any(draft.colour is None for draft in told):
            return ""
        nouns = {draft.noun for draft in told}
        return nouns.pop() if len(nouns) == 1 else ""

    def _noun_first(self, clause: Clause) -> int:
        """A noun before its number ("apples: 7", "apple x 7"), or one that shares an article ("a cat and dog")."""
        cursor, colour = self._cursor, self._modifiers(0)
        noun = cursor.peek()
        if noun.kind != "noun":
            cursor.puzzle()
        cursor.take()
        mark, after = cursor.kinds(2)
        if mark in ("colon", "equals", "times") and after in ("number", "exactly"):
            cursor.take()
            return self._number_after(clause, noun, colour)
        if cursor.kinds(3) == ["open", "number", "close"]:
            number = _whole_number(cursor.peek(1))
            cursor.take(3)
            return self._add(clause, noun.name, number, colour)
        if mark == "comma" and self._is_number_at_end():
            cursor.take()
            return self._number_after(clause, noun, colour)
        if colour is None and self._shares_article(clause, noun):
            return self._add(clause, noun.name, 1, None, _ARTICLE)
        raise NotUnderstoodError(f"{noun.text!r} has no number")

    def _is_number_at_end(self) -> bool:
        """Whether a number after the comma here ends the clause: "apples, exactly 7 of them"."""
        ahead = 1
        while self._cursor.peek(ahead).kind == "exactly":
            ahead += 1
        if self._cursor.peek(ahead).kind != "number":
            return False
        ahead += 1
        while self._cursor.peek(ahead).kind in ("of-them", "after", "exactly"):
            ahead += 1
        return self._cursor.peek(ahead).kind in ENDS

    def _shares_article(self, clause: Clause, noun: Term) -> bool:
        items = clause.groups[-1]
        before = self._drafts[items[-1]] if items else None
        return before is not None and before.is_article and before.colour is None and noun.is_singular

    def _number_after(self, clause: Clause, noun: Term, colour: str | None) -> int:
        self._cursor.take_all("exactly")
        if self._cursor.peek().kind != "number":
            raise NotUnderstoodError(f"{noun.text!r} has no number")
        number = _whole_number(self._cursor.take())
        self._cursor.take_all("of-them")
        return self._add(clause, noun.name, number, colour)

    def _number_of(self, clause: Clause) -> int:
        """A number introduced as such: "number of red apples: seven", "the number of dogs should be 3"."""
        self._cursor.take()
        colour = self._modifiers(0)
        noun = self._cursor.peek()
        if noun.kind != "noun" or self._cursor.peek(1).kind not in ("colon", "equals", "be"):
            puzzle_over_noun(self._cursor, self._known)
        self._cursor.take(2)
        return self._number_after(clause, noun, colour)

    def _they(self, clause: Clause) -> int:
        if len(self._drafts) != 1 or self._drafts[0].clause == clause.number:
            self._cursor.puzzle("who?")
        self._cursor.take()
        return 0

    def _definite(self, clause: Clause, number: int | None, colour: str | None) -> int:
        """Things from an earlier clause ("the dogs are above the cats"), or one new thing: "the dog"."""
        noun = take_noun(self._cursor, self._known)
        told = [
            item
            for item, draft in enumerate(self._drafts)
            if draft.clause < clause.number and draft.noun == noun.name and colour in (None, draft.colour)
        ]
        is_told_here = any(draft.clause == clause.number and draft.noun == noun.name for draft in self._drafts)
        if len(told) > 1 or is_told_here:
            self._cursor.puzzle("which of them?")
        if told:
            if number is not None and number != self._drafts[told[0]].number:
                raise NotUnderstoodError(f"{noun.name!r} is counted twice: {self._drafts[told[0]].number} and {number}")
            return told[0]
        if number is None and not noun.is_singular:
            raise NotUnderstoodError(f"{noun.text!r} has no number")
        return self._add(clause, noun.name, 1 if number is None else number, colour)

    def _add(self, clause: Clause, noun: str, number: int, colour: str | None, opening: Term = END) -> int:
        is_another = opening.kind == "another"
        if is_another and not any(draft.noun == noun for draft in self._drafts):
            self._cursor.puzzle("another than which?")
        joint = clause.joint or "first"
        draft = Draft(noun, number, colour, clause.number, len(clause.groups), joint, opening.kind == "a", is_another)
        self._drafts.append(draft)
        if noun and clause.whole is None:
            self._name_the_elided(clause, draft)
        if len(self._drafts) > MOST_ITEMS:
            raise NotUnderstoodError(f"more than {MOST_ITEMS} counts in one prompt")
        return len(self._drafts) - 1

    def _name_the_elided(self, clause: Clause, named: Draft) -> None:
        """Give its noun to earlier items without one: "three red and two green apples"."""
        follower = named
        for draft in (self._drafts[item] for item in reversed(clause.groups[-1])):
            if draft.noun:
                # In "three dogs, two red and one green apple" it may be the dogs that are red.
                if follower is not named and follower.joint == "comma" and draft.colour is None:
                    self._cursor.puzzle("a number of what?")
                return
            if named.colour is None:
                self._cursor.puzzle("a number of what?")
            draft.noun = named.noun
            follower = draft


def take_noun(cursor: Cursor, known: Vocabulary) -> Term:
    """Take a noun; raise an error that names anything else."""
    if cursor.peek().kind != "noun":
        puzzle_over_noun(cursor, known)
    return cursor.take()


def puzzle_over_noun(cursor: Cursor, known: Vocabulary) -> NoReturn:
    """Raise an error that names the noun without a drawing, or whatever is in its place."""
    term, after = cursor.peek(), cursor.peek(1).kind
    ends = ENDS | AFTERTHOUGHTS | {"comma", "and", "relation", "side", "be", "that", "with", "open", "of"}
    if term.kind == "unknown" and term.text.isalpha() and after in ends:
        raise NotUnderstoodError(f"no drawing of {singular(term.text.lower())!r}; known: {', '.join(known.nouns)}")
    cursor.puzzle("a number of what?")


def _whole_number(term: Term) -> int:
    if term.number < 0 or term.number != int(term.number):
        raise NotUnderstoodError(f"{term.text!r} is no whole number of things")
    if term.number > MOST_THINGS:
        raise NotUnderstoodError(f"more than {MOST_THINGS} things: {term.text!r}")
    return int(term.number)


MOST_PIECES = 20
HALF = Fraction(1, 2)
_DESCRIPTIVE: frozenset[Kind] = frozenset({"be", "that", "each", "all"})


def read_pieces(cursor: Cursor, number: int) -> Pieces | None:
    """The pieces that things are cut or broken into; None if nothing here says so."""
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
    """Whether the next words are like "in two pieces"."""
    return cursor.kinds(3) == ["hold", "number", "pieces"]


def _counted_pieces(cursor: Cursor, into: Term, *, is_each: bool) -> Pieces:
    """A number of pieces; for several things, the text must say that each is cut so."""
    number = int(into.number)
    if number != into.number or not 2 <= number <= MOST_PIECES:
        cursor.puzzle(f"{into.text!r} pieces; 2 to {MOST_PIECES} can be drawn")
    if cursor.peek().kind != "pieces":  # "broken in two"
        return Pieces(number) if number == 2 else cursor.puzzle("in how many pieces?")
    if not is_each:
        cursor.puzzle("each, or all together?")
    return Pieces(number, (1,) * number if cursor.take().name == "equal" else ())


def read_size(cursor: Cursor, things: Things) -> None:
    """The relative size of two pieces: "one piece is twice the size of the other"."""
    in_two = [thing for thing in things.told if thing.form == Pieces(2)]
    if len(in_two) != 1 or in_two[0].number != 1:
        cursor.puzzle("which pieces?")
    in_two[0].form = Pieces(2, (1, int(cursor.take().name)))


def read_halves(cursor: Cursor) -> tuple[str, ...]:
    """The colour of one half, and perhaps of the other: "half red and half blue"."""
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
    """Whether a colour comes next: "red", "is red"."""
    return cursor.peek().kind == "colour" or cursor.kinds(2) == ["be", "colour"]


def take_colour(cursor: Cursor) -> str:
    """Take the colour that comes next."""
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


QuantityJoint = Literal["first", "comma", "and", "but", "with", "without"]
"""What comes before an item."""


class Look(NamedTuple):
    """The description between a number and its noun."""

    colour: str | None = None
    form: Form | None = None


class QuantityItems:
    """Reads items with open numbers or parts at a cursor, and adds them to the things."""

    def __init__(self, cursor: Cursor, things: Things, known: Vocabulary) -> None:
        self._cursor, self._things, self._known = cursor, things, known

    def read(self, joint: QuantityJoint) -> Thing:
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
        """Skip what changes nothing; return the colour, and the form if the text says "whole"."""
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
        """Take the noun, and add so many of it."""
        noun = self._cursor.peek()
        if noun.kind != "noun":
            puzzle_over_noun(self._cursor, self._known)
        if (is_article and noun.is_plural) or (not isinstance(number, int) and noun.is_singular):
            self._cursor.puzzle("one or several?")
        self._cursor.take()
        return self._things.tell(Thing(noun.name, number, look.colour, look.form))

    def _counted(self, joint: QuantityJoint) -> Thing:
        """A number of things, or of those before: "one and a half apples", "one of them is broken in two"."""
        opening = self._cursor.take()
        whole, rest = int(opening.number), Fraction(opening.number % 1).limit_denominator(10)
        if opening.number < 0 or (rest and (whole < 1 or not is_spelt_fraction(opening))):
            raise NotUnderstoodError(f"{opening.text!r} is no whole number of things")
        if not rest and self._counts_those(joint):
            return self._some_of_those(joint, whole)
        if opening.is_group and self._cursor.peek().kind == "of":
            self._cursor.take()
        thing = self.add(whole, self.look())
        return self._things.tell(Thing(thing.noun, 1, thing.colour, Portion(rest))) if rest else thing

    def _counts_those(self, joint: QuantityJoint) -> bool:
        """Whether "one" or "one fork" after "three forks" is one of them: "but one fork is broken"."""
        ahead, last = self._cursor.kinds(3), self._things.last
        if ahead[0] in ("of-them", "be", "cut"):
            return True
        if ahead[0] != "noun" or last is None or last.noun != self._cursor.peek().name:
            return False
        if joint == "comma" and ahead[1] == "cut":  # "three forks, one fork broken in two" are three or four
            self._cursor.puzzle("one of them, or one more?")
        return ahead[1:] == ["be", "cut"] or (joint == "but" and ahead[1] == "cut")

    def _some_of_those(self, joint: QuantityJoint, number: int) -> Thing:
        """A number of the things before: "one of them is broken in two", "of which one is broken in two"."""
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

    def _portion(self, joint: QuantityJoint) -> Thing:
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
        """A thing mentioned before, or a place: "the vase has no flowers"."""
        self._cursor.take_all("the")
        noun = take_noun(self._cursor, self._known)
        told = self._things.find(noun.name)
        if told is not None and (told.number == 1) == (not noun.is_plural):
            return told
        if told is not None or noun.is_plural or noun.name not in HOLDS:
            raise NotUnderstoodError(f"which {noun.text!r}?")
        return self._things.tell(Thing(noun.name, 1))


def is_spelt_fraction(term: Term) -> bool:
    """Whether it is a number like "one and a half"; "1.5 apples" may also mean a mass."""
    return term.kind == "number" and _SPELT_FRACTION.fullmatch(term.text) is not None


_SPELT_FRACTION = re.compile(r"[a-z-]+ and (?:a|one) (?:half|quarter)", re.IGNORECASE)
