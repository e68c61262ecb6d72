"""Reads the items of a clause: how many of what, in which colour and form.

Numbers are exact ("seven red apples") or open ("only a few flowers"). Forms are whole, in pieces, a portion, or two
halves of different colours."""

import re
from fractions import Fraction
from typing import NamedTuple, NoReturn, cast, get_args

from subitize.language.drafts import Clause, Draft, Drafts, Joint
from subitize.language.lexicon import AFTERTHOUGHTS, ENDS, FRUIT_COLOURS, Kind
from subitize.language.nouns import singular
from subitize.language.scene import MOST_THINGS, Form, Halves, Pieces, Portion, Quantifier, Whole
from subitize.language.terms import END, Cursor, NotUnderstoodError, Term, Vocabulary

_ARTICLE = Term("a", "a")


class Look(NamedTuple):
    """The description between a number and its noun."""

    colour: str | None = None
    form: Form | None = None


class Items:
    """Reads items at a cursor, and adds them to the drafts and to the clause."""

    def __init__(self, cursor: Cursor, drafts: Drafts, known: Vocabulary) -> None:
        self._cursor, self._drafts, self._known = cursor, drafts, known

    def read(self, clause: Clause) -> Draft:
        """Read the item that begins here."""
        if clause.joint == "without":
            return self._absent(clause)
        cursor, start = self._cursor, self._cursor.at
        cursor.take_all("exactly")
        match cursor.peek().kind:
            case "number" | "a" | "another" | "single":
                return self._counted(clause)
            case "of-them" if cursor.peek(1).kind in ("number", "a"):  # "five cats, of which two are black"
                cursor.take()
                return self._counted(clause, is_part=True)
            case "the":
                return self._definite(clause)
            case "quantity" | "without" if not (clause.joint == "with" and cursor.peek().kind == "without"):
                name = cursor.take().name
                return self.thing(clause, cast(Quantifier, name) if name in get_args(Quantifier) else 0)
            case "noun" | "colour" | "adjective":
                return self._noun_first(clause)
            case "number-of":
                return self._number_of(clause)
            case "they":
                return self._they(clause)
            case "multiple":
                return self._multiple(clause)
            case "pot":
                return self._potted(clause)
            case "share" if cursor.peek(1).kind == "colour":
                return self._in_halves(clause)
            case "portion":
                return self._portion(clause)
            case "share" if cursor.peek().text.lower().startswith(("a ", "one ")):
                return self._portion(clause)
            case _:
                cursor.at = start
                return cursor.puzzle()

    def thing(self, clause: Clause, number: int | Quantifier | None, *, is_article: bool = False) -> Draft:
        """Read the noun and what precedes it, and add so many of it."""
        look, noun = self._look(number), self._cursor.peek()
        if noun.kind != "noun":
            puzzle_over_noun(self._cursor, self._known)
        if (is_article and noun.is_plural) or (not isinstance(number, int) and noun.is_singular):
            self._cursor.puzzle("one or several?")
        self._cursor.take()
        return self._add(clause, noun.name, number, look)

    def compared(self, clause: Clause) -> Draft:
        """Read the things on one side of a comparison: new ones, or the only ones of their kind."""
        self._cursor.take_all("the")
        start, look, noun = self._cursor.at, self._look(None), self._cursor.peek()
        told = self._drafts.find(noun.name) if noun.kind == "noun" else None
        if told is None:
            self._cursor.at = start
            return self.thing(clause, None)
        if look.colour not in (None, told.colour) or look.form is not None or noun.is_singular:
            self._cursor.puzzle("which of them?")
        self._cursor.take()
        return clause.mention(told)

    def _absent(self, clause: Clause) -> Draft:
        """Things that are not there: "a vase without any flowers", "a tree without a leaf"."""
        is_article = self._cursor.peek().kind == "a"
        self._cursor.take_all("a")
        return self.thing(clause, 0, is_article=is_article)

    def _potted(self, clause: Clause) -> Draft:
        """Flowers in a pot, which need not be drawn; with two pots it would be unclear what is in which."""
        self._cursor.take()
        self._cursor.take_all("exactly")
        if self._cursor.peek().kind == "pot" or self._drafts.potted is not None:
            self._cursor.puzzle("two pots")
        self._drafts.potted = self.read(clause)
        return self._drafts.potted

    def _counted(self, clause: Clause, *, is_definite: bool = False, is_part: bool = False) -> Draft:
        """A number or an article, and what it counts: "seven ripe apples", "a dozen of eggs", "3 of them red"."""
        cursor, opening = self._cursor, self._cursor.take()
        if is_spelt_fraction(opening):
            return self._with_a_share(clause, opening)
        number = 1
        if opening.kind == "number":
            number = self._number(opening)
            if not is_definite and self._counts_those(clause):
                return self._some_of_those(clause, number)
            is_part = self._skip_to_thing(opening, number) or is_part
        look, noun = self._look(number), cursor.peek()
        if noun.kind == "noun" and not is_part:
            if opening.kind != "number" and noun.is_plural:
                cursor.puzzle("one or several?")
            if is_definite:
                return self._refer(clause, number, look)
            cursor.take()
            return self._add(clause, noun.name, number, look, opening)
        return self._elided(clause, number, look, opening, is_part=is_part, is_definite=is_definite)

    def _elided(
        self, clause: Clause, number: int, look: Look, opening: Term, *, is_part: bool, is_definite: bool
    ) -> Draft:
        """A number of things by their colour alone: "3 red and 2 green apples", "two black ones", "3 of them red"."""
        cursor, noun = self._cursor, self._cursor.peek()
        if is_part and look.colour is None:
            cursor.puzzle()
        if look.colour is None or is_definite or noun.kind == "unknown":
            puzzle_over_noun(cursor, self._known)
        if noun.kind == "ones" or (noun.kind == "number" and noun.text.lower() == "one"):
            cursor.take()
            return self._add(clause, self._noun_of_ones(clause), number, look, opening)
        if number == 1 and look.colour in FRUIT_COLOURS:
            cursor.puzzle("a colour or a fruit?")
        return self._add(clause, "", number, look, opening)

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

    def _look(self, number: int | Quantifier | None) -> Look:
        """Skip what changes nothing between number and noun; return the colour, and the form of "whole" things."""
        colour, form = None, None
        while True:
            match self._cursor.peek().kind:
                case "colour" if colour is None:
                    colour = self._cursor.take().name
                case "colour":
                    self._cursor.puzzle("two colours")
                case "whole":
                    self._cursor.take()
                    form = Whole()
                case "single" if number != 1:
                    return Look(colour, form)
                case "comma" if not self._is_between_modifiers():
                    return Look(colour, form)
                case "adjective" | "cartoon" | "single" | "comma":
                    self._cursor.take()
                case _:
                    return Look(colour, form)

    def _is_between_modifiers(self) -> bool:
        before, after, then = self._cursor.peek(-1).kind, self._cursor.peek(1).kind, self._cursor.peek(2).kind
        return before in ("adjective", "colour") and after in ("adjective", "colour") and then in ("adjective", "noun")

    def _with_a_share(self, clause: Clause, opening: Term) -> Draft:
        """A number of things, and part of one more: "one and a half apples"."""
        if opening.number < 1:
            raise NotUnderstoodError(f"{opening.text!r} is no whole number of things")
        thing = self.thing(clause, int(opening.number))
        share = Portion(Fraction(opening.number % 1).limit_denominator(10))
        return self._add(clause, thing.noun, 1, Look(thing.colour, share))

    def _counts_those(self, clause: Clause) -> bool:
        """Whether "one" or "one fork" after "three forks" is one of them: "but one fork is broken"."""
        if is_cut_next(self._cursor):
            return True
        ahead, last = self._cursor.kinds(3), self._drafts.last
        if last is None or ahead[0] != "noun" or self._cursor.peek().name != last.noun:
            return False
        if clause.joint == "comma" and ahead[1] == "cut":  # "three forks, one fork broken in two" are three or four
            self._cursor.puzzle("one of them, or one more?")
        return ahead[1:] == ["be", "cut"] or (clause.joint == "but" and ahead[1] == "cut")

    def _some_of_those(self, clause: Clause, number: int) -> Draft:
        """A number of the things before: "one of them is broken in two", "of which one is broken in two"."""
        whole, opens = self._drafts.last, self._cursor.peek().kind
        is_clear = opens == "noun" or (len(self._drafts.told) == 1 and (clause.joint != "and" or opens != "cut"))
        if whole is None or not is_clear:
            self._cursor.puzzle("a number of what?")
        self._cursor.take_all("noun")
        self._drafts.set_apart(whole, number, read_pieces(self._cursor, number))
        return clause.mention(whole)

    def _noun_of_ones(self, clause: Clause) -> str:
        """The noun that "ones" stands for, if all items before it share one noun and have colours."""
        if clause.whole is not None or any(item.colour is None for item in clause.items):
            return ""
        nouns = {item.noun for item in clause.items}
        return nouns.pop() if len(nouns) == 1 else ""

    def _noun_first(self, clause: Clause) -> Draft:
        """A noun before its number ("apples: 7", "apple x 7"), or with an article before ("a cat and dog"), or none."""
        cursor, look, noun = self._cursor, self._look(0), self._cursor.peek()
        if noun.kind != "noun":
            cursor.puzzle()
        cursor.take()
        mark, after = cursor.kinds(2)
        if mark in ("colon", "equals", "times") and after in ("number", "exactly"):
            cursor.take()
            return self._number_after(clause, noun, look)
        if cursor.kinds(3) == ["open", "number", "close"]:
            number = _whole_number(cursor.peek(1))
            cursor.take(3)
            return self._add(clause, noun.name, number, look)
        if mark == "comma" and self._is_number_at_end():
            cursor.take()
            return self._number_after(clause, noun, look)
        if look == Look() and self._shares_article(clause, noun):
            return self._add(clause, noun.name, 1, look, _ARTICLE)
        if noun.is_singular or not cursor.has("compare"):
            raise NotUnderstoodError(f"{noun.text!r} has no number")
        return self._add(clause, noun.name, None, look)

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
        before = clause.groups[-1][-1] if clause.groups[-1] else None
        return before is not None and before.is_article and before.colour is None and noun.is_singular

    def _number_after(self, clause: Clause, noun: Term, look: Look) -> Draft:
        self._cursor.take_all("exactly")
        if self._cursor.peek().kind != "number":
            raise NotUnderstoodError(f"{noun.text!r} has no number")
        number = _whole_number(self._cursor.take())
        self._cursor.take_all("of-them")
        return self._add(clause, noun.name, number, look)

    def _number_of(self, clause: Clause) -> Draft:
        """A number introduced as such: "number of red apples: seven", "the number of dogs should be 3"."""
        self._cursor.take()
        look, noun = self._look(0), self._cursor.peek()
        if noun.kind != "noun" or self._cursor.peek(1).kind not in ("colon", "equals", "be"):
            puzzle_over_noun(self._cursor, self._known)
        self._cursor.take(2)
        return self._number_after(clause, noun, look)

    def _multiple(self, clause: Clause) -> Draft:
        """So many times as many as the only things before: "three cats and twice as many dogs"."""
        told = self._drafts.told
        if len(told) != 1 or told[0].form is not None or clause.joint != "and":
            self._cursor.puzzle("so many times as many as of what?")
        one, times = told[0].number, Fraction(self._cursor.take().name)
        number = one * times if isinstance(one, int) else Fraction(0)
        if number < 1 or number.denominator != 1:
            raise NotUnderstoodError(f"{times} times {one} is no whole number of things")
        thing = self.thing(clause, int(number))
        if thing.noun == told[0].noun:
            raise NotUnderstoodError(f"{thing.noun!r} is counted twice")
        return thing

    def _they(self, clause: Clause) -> Draft:
        """The only things so far: "they are red", "it is broken into two pieces"."""
        told, is_single = self._drafts.told, self._cursor.peek().text.lower() == "it"
        if len(told) != 1 or clause.joint == "with" or (is_single and told[0].number != 1):
            self._cursor.puzzle("who?")
        self._cursor.take()
        return clause.mention(told[0])

    def _definite(self, clause: Clause) -> Draft:
        """Things with "the" before them: "the dogs", "the two dogs"."""
        self._cursor.take_all("the")
        if self._cursor.peek().kind == "number":
            return self._counted(clause, is_definite=True)
        return self._refer(clause, None, self._look(0))

    def _refer(self, clause: Clause, number: int | None, look: Look) -> Draft:
        """Things from an earlier clause ("the dogs are above the cats"), or one new thing: "the dog"."""
        noun = take_noun(self._cursor, self._known)
        named = self._drafts.named(noun.name)
        told = [draft for draft in named if draft.clause < clause.number and look.colour in (None, draft.colour)]
        if is_cut_next(self._cursor):
            told = named
        elif any(draft.clause == clause.number for draft in named):
            self._cursor.puzzle("which of them?")
        if not told:
            if number is None and not noun.is_singular:
                raise NotUnderstoodError(f"{noun.text!r} has no number")
            return self._add(clause, noun.name, 1 if number is None else number, look)
        if len(told) > 1 or look.form is not None or (told[0].number == 1 and noun.is_plural):
            self._cursor.puzzle("which of them?")
        if number not in (None, told[0].number):
            raise NotUnderstoodError(f"{noun.name!r} is counted twice: {told[0].number} and {number}")
        if number is None and noun.is_singular and told[0].number != 1:
            self._cursor.puzzle("which of them?")
        return clause.mention(told[0])

    def _in_halves(self, clause: Clause) -> Draft:
        """A thing of two colours: "a half red, half blue pencil"."""
        if not self._cursor.peek().text.lower().startswith("a "):
            self._cursor.puzzle("half of what?")
        colours = read_halves(self._cursor)
        if len(set(colours)) != 2:
            self._cursor.puzzle("one half, and the other?")
        thing = self.thing(clause, 1, is_article=True)
        thing.form = Halves(colours)
        return thing

    def _portion(self, clause: Clause) -> Draft:
        """A share of a thing ("half of another apple"), or the colour of a half: "one half of a pencil is red"."""
        name, _, of = self._cursor.take().name.partition(" ")
        share = Fraction(name)
        if clause.joint == "with":
            self._cursor.puzzle()
        if of == "another":
            return self._of_another(clause, share)
        told = self._drafts.find(self._cursor.peek().name) if of == "the" else None
        if told is None:
            thing = self.thing(clause, 1, is_article=True)
        elif self._cursor.take().is_plural:
            self._cursor.puzzle("one or several?")
        else:
            thing = clause.mention(told)
        if share == HALF and of and has_colour_next(self._cursor):
            paint_half(self._cursor, thing, take_colour(self._cursor))
        elif told or thing.form is not None:
            self._cursor.puzzle()
        else:
            thing.form = Portion(share)
        return thing

    def _of_another(self, clause: Clause, share: Fraction) -> Draft:
        before, look, after = self._drafts.last, self._look(1), self._cursor.peek()
        is_same = after.kind != "noun" or (before is not None and after.name == before.noun and not after.is_plural)
        is_same = is_same and before is not None and look in (Look(), Look(before.colour)) and before.form is None
        if before is None or not is_same or not isinstance(before.number, int):
            self._cursor.puzzle("another than which?")
        if after.kind == "noun" or (after.kind == "number" and after.text.lower() == "one"):
            self._cursor.take()
        return self._add(clause, before.noun, 1, Look(before.colour, Portion(share)))

    def _add(
        self, clause: Clause, noun: str, number: int | Quantifier | None, look: Look, opening: Term = END
    ) -> Draft:
        is_another = opening.kind == "another"
        if is_another and not self._drafts.named(noun):
            self._cursor.puzzle("another than which?")
        joint: Joint = "and" if clause.joint == "with" else clause.joint or "first"
        draft = Draft(noun, number, *look, clause.number, len(clause.groups), joint)
        draft.is_article, draft.is_another = opening.kind == "a", is_another
        if noun and clause.whole is None:
            self._name_the_elided(clause, draft)
        return clause.mention(self._drafts.add(draft))

    def _name_the_elided(self, clause: Clause, named: Draft) -> None:
        """Give its noun to earlier items without one: "three red and two green apples"."""
        follower = named
        for draft in reversed(clause.groups[-1]):
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


def is_spelt_fraction(term: Term) -> bool:
    """Whether it is a number like "one and a half"; "1.5 apples" may also mean a mass."""
    return term.number % 1 != 0 and _SPELT_FRACTION.fullmatch(term.text) is not None


_SPELT_FRACTION = re.compile(r"[a-z-]+ and (?:a|one) (?:half|quarter)", re.IGNORECASE)

MOST_PIECES = 20
HALF = Fraction(1, 2)
_BEFORE_CUT: frozenset[Kind] = frozenset({"of-them", "be", "that", "each", "all"})
_MOST_BEFORE_CUT = 4


def is_cut_next(cursor: Cursor) -> bool:
    """Whether the next words are like "of them is cut", "in two pieces"."""
    ahead = 0
    while ahead < _MOST_BEFORE_CUT and cursor.peek(ahead).kind in _BEFORE_CUT:
        ahead += 1
    return cursor.peek(ahead).kind == "cut" or cursor.kinds(ahead + 3)[ahead:] == ["hold", "number", "pieces"]


def read_pieces(cursor: Cursor, number: int) -> Pieces:
    """The pieces that so many things are cut or broken into."""
    is_each = number == 1
    while (kind := cursor.peek().kind) in _BEFORE_CUT:
        is_each = is_each or kind in ("each", "all")
        cursor.take()
    if not is_cut_next(cursor):
        cursor.puzzle("a number of what?")
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


def read_size(cursor: Cursor, drafts: Drafts) -> None:
    """The relative size of two pieces: "one piece is twice the size of the other"."""
    in_two = [draft for draft in drafts.told if draft.form == Pieces(2)]
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


def paint_half(cursor: Cursor, thing: Draft, colour: str) -> None:
    """Give one half of a thing its colour."""
    painted = thing.form.colours if isinstance(thing.form, Halves) else ()
    if thing.number != 1 or thing.colour or (thing.form and not painted) or len(painted) > 1 or colour in painted:
        cursor.puzzle("half of what?")
    thing.form = Halves((*painted, colour))
