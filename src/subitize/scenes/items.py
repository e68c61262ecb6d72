"""The items of a clause: how many of what, in which colour."""

from typing import NoReturn

from subitize.numerals import singular
from subitize.scenes.cursor import Cursor
from subitize.scenes.drafts import Clause, Draft
from subitize.scenes.scene import MOST_THINGS
from subitize.scenes.terms import END, PuzzledError, Term, Vocabulary
from subitize.scenes.words import AFTERTHOUGHTS, ENDS, FRUIT_COLOURS

MOST_ITEMS = 50
_ARTICLE = Term("a", "a")


class Items:
    """Reads items at a cursor, and adds to the drafts what they ask for."""

    def __init__(self, cursor: Cursor, drafts: list[Draft], known: Vocabulary) -> None:
        self._cursor, self._drafts, self._known = cursor, drafts, known
        self.potted: int | None = None

    def read(self, clause: Clause) -> int:
        """Read the item that begins here, and give its place among the drafts."""
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
        """Flowers in a pot, which need not be drawn; of two pots it would not be seen what is in which."""
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
        """The number, or two that make it up, before what they count: "3 times 4 apples", "5 plus 6 red apples"."""
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
        """What stands so far ahead, or after the adjectives and the colour that stand there."""
        while self._cursor.peek(ahead).kind in ("adjective", "cartoon", "colour"):
            ahead += 1
        return self._cursor.peek(ahead)

    def _skip_to_thing(self, opening: Term, number: int) -> bool:
        """Pass over what may follow a number, and tell whether it counts a part of things told of ("3 of them")."""
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
        """Pass over what changes nothing between number and noun, and give the colour."""
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
        """The noun that "ones" stands for, if all items before it are of one noun and have colours, too."""
        told = [self._drafts[item] for item in clause.items]
        if clause.whole is not None or any(draft.colour is None for draft in told):
            return ""
        nouns = {draft.noun for draft in told}
        return nouns.pop() if len(nouns) == 1 else ""

    def _noun_first(self, clause: Clause) -> int:
        """A noun that its number follows ("apples: 7", "apple x 7"), or that shares an article ("a cat and dog")."""
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
        raise PuzzledError(f"{noun.text!r} has no number")

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
            raise PuzzledError(f"{noun.text!r} has no number")
        number = _whole_number(self._cursor.take())
        self._cursor.take_all("of-them")
        return self._add(clause, noun.name, number, colour)

    def _number_of(self, clause: Clause) -> int:
        """A number that is named: "number of red apples: seven", "the number of dogs should be 3"."""
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
        """Things that an earlier clause has told of ("the dogs are above the cats"), or one thing: "the dog"."""
        noun = self._cursor.peek()
        if noun.kind != "noun":
            puzzle_over_noun(self._cursor, self._known)
        self._cursor.take()
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
                raise PuzzledError(f"{noun.name!r} is counted twice: {self._drafts[told[0]].number} and {number}")
            return told[0]
        if number is None and not noun.is_singular:
            raise PuzzledError(f"{noun.text!r} has no number")
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
            raise PuzzledError(f"more than {MOST_ITEMS} counts in one prompt")
        return len(self._drafts) - 1

    def _name_the_elided(self, clause: Clause, named: Draft) -> None:
        """Give the noun to the items before it that lack one: "three red and two green apples"."""
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


def puzzle_over_noun(cursor: Cursor, known: Vocabulary) -> NoReturn:
    """Name the noun that has no drawing, or whatever else stands in its place."""
    term, after = cursor.peek(), cursor.peek(1).kind
    ends = ENDS | AFTERTHOUGHTS | {"comma", "and", "relation", "side", "be", "that", "with", "open", "of"}
    if term.kind == "unknown" and term.text.isalpha() and after in ends:
        raise PuzzledError(f"no drawing of {singular(term.text.lower())!r}; known: {', '.join(known.nouns)}")
    cursor.puzzle("a number of what?")


def _whole_number(term: Term) -> int:
    if term.number < 0 or term.number != int(term.number):
        raise PuzzledError(f"{term.text!r} is no whole number of things")
    if term.number > MOST_THINGS:
        raise PuzzledError(f"more than {MOST_THINGS} things: {term.text!r}")
    return int(term.number)
