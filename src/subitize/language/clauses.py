"""Reads a prompt into a scene: everything in it must be understood, or nothing is.

A prompt is clauses between full stops. A clause is openers ("please draw an image of"), then items ("seven red
apples") joined by commas and "and", by relations ("above") or by places in the picture ("on the left"). An ambiguous
prompt is read so that the picture is right either way ("two dogs and a cat above three cups": both are above), or
not at all. terms.py finds the terms, items.py reads the items, drafts.py makes the scene.
Prompts that this grammar does not understand go to a second one with words of its own, for open numbers, comparisons,
things in or on others, and parts: "a few books on a shelf", "more cats than dogs", "half a pizza"."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import cast, get_args

from subitize.language.drafts import (
    MOST_ITEMS,
    Clause,
    Draft,
    Joint,
    Thing,
    Things,
    make_scene,
    multiply,
    part_multiple,
    read_bare,
    relations_of,
    settle_parts,
)
from subitize.language.items import (
    Items,
    QuantityItems,
    QuantityJoint,
    is_in_pieces,
    is_spelt_fraction,
    paint_half,
    read_halves,
    read_pieces,
    read_size,
)
from subitize.language.lexicon import (
    AFTERTHOUGHTS,
    ENDS,
    EXCLUSIVE,
    HOLDERS,
    HOLDS,
    OWN_PARTS,
    POTTED,
    QUANTITY_PHRASES,
    SPECIAL,
    Kind,
    names_place,
)
from subitize.language.scene import ComparisonWord, ContactWord, HoldingWord, NotUnderstood, Portion, Relation, Scene
from subitize.language.terms import (
    Cursor,
    HeldPlaceError,
    NotUnderstoodError,
    Openers,
    Vocabulary,
    find_terms,
    vocabulary,
)
from subitize.records import RelationWord


def read_quantities(prompt: str, known: Vocabulary, *, is_held: bool = False) -> Scene | None:
    """The scene of a prompt with open numbers, parts or things held; None if it has no words for them."""
    terms = find_terms(prompt, replace(known, own=QUANTITY_PHRASES))
    if not is_held and not any(term.kind in SPECIAL or (term.number % 1 and is_spelt_fraction(term)) for term in terms):
        return None
    return _QuantityReader(Cursor(terms), known).read()


class _QuantityReader:
    """Reads clauses with open numbers, comparisons, places and parts."""

    def __init__(self, cursor: Cursor, known: Vocabulary) -> None:
        self._cursor, self._known = cursor, known
        self._openers = Openers(cursor)
        self._things = Things()
        self._items = QuantityItems(cursor, self._things, known)
        self._joint: QuantityJoint | None = "first"
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
            raise NotUnderstoodError("a place that is drawn, and another like it besides")
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
        """The place that opens a clause ("on the table there are no plates"); no noun if there is none."""
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

    def _join(self, joint: QuantityJoint) -> None:
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
        """After "with" comes a comparison, some of the things before it, or things held by the one before it."""
        after, then = self._cursor.peek(1), self._cursor.peek(2).kind
        is_part = after.kind == "number" and then in ("of-them", "cut", "be")
        if is_part or after.kind in ("compare", "size") or (after.kind == "share" and then in ("colour", "be")):
            self._joint = "comma"
            self._cursor.take()
        else:
            self._open_holder("with")

    def _open_holder(self, joint: QuantityJoint) -> None:
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
        """Whether "half" opens an item here ("a half red, half blue pencil"), unrelated to what is before it."""
        is_in_halves = self._cursor.peek().text.lower() == "a half" and self._cursor.peek(1).kind == "colour"
        return self._joint in ("with", "without") or (self._joint is not None and is_in_halves)

    def _share(self, thing: Thing) -> None:
        """Half of the last thing, in a colour ("half red"), or more of it: "an apple and a half"."""
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
        """The form of things mentioned before: "cut into quarters", "is half red and half blue"."""
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
        """Refer back to the only thing so far: "it is broken into two pieces"."""
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
        """Where things are: held by a place in the scene, or in a mere setting, which need not be drawn."""
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
        """Whether a place is more than a setting: it is mentioned before, or holds an open number of things."""
        told = self._things.find(noun)
        is_open = not (isinstance(thing.number, int) and thing.number)
        return (told is not None and told.number == 1) or (is_open and HOLDS.get(noun) == word)

    def _put(self, thing: Thing, word: str, noun: str) -> None:
        """Put the clause's only thing into or onto the place."""
        told = self._things.find(noun)
        others = [one for one in self._in_clause if one is not thing and one is not told]
        if others or (told is None and HOLDS.get(noun) != word):
            self._cursor.puzzle("what is there?")
        self._hold(thing, word, told or self._things.tell(Thing(noun, 1)))

    def _named_place(self, thing: Thing | None) -> tuple[str, str]:
        """The preposition and noun of the place named here; no noun if it is a mere setting."""
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


def read_scene(prompt: str, nouns: Collection[str], colours: Collection[str]) -> Scene | NotUnderstood:
    """The scene that a prompt asks for, in known nouns and colours; never a guess."""
    known = vocabulary(tuple(nouns), tuple(colours))
    if parted := part_multiple(prompt):
        first, second = (read_scene(text, nouns, colours) for text in parted.texts)
        return multiply(first, parted, second)
    try:
        terms = find_terms(prompt, known)
        return read_bare(terms) or _Reader(Cursor(terms), known).read()
    except NotUnderstoodError as puzzle:
        reason, is_held = str(puzzle), isinstance(puzzle, HeldPlaceError)
    try:
        return read_quantities(prompt, known, is_held=is_held) or NotUnderstood(reason)
    except NotUnderstoodError as puzzle:
        return NotUnderstood(str(puzzle))


_RELATION_WORDS: tuple[RelationWord | ContactWord, ...] = (*get_args(RelationWord), *get_args(ContactWord))
_AFTER_BE: frozenset[Kind] = AFTERTHOUGHTS | {"relation", "side", "all", "colour", "post-colour", "adjective", "single"}

_AFTER_EXACTLY: frozenset[Kind] = ENDS | AFTERTHOUGHTS | {"comma", "and"}
_AFTER_STYLE: frozenset[Kind] = ENDS | AFTERTHOUGHTS | {"comma"}


class _Reader:
    """Reads clauses with exact numbers, relations and places in the picture."""

    def __init__(self, cursor: Cursor, known: Vocabulary) -> None:
        self._cursor = cursor
        self._drafts: list[Draft] = []
        self._items = Items(cursor, self._drafts, known)
        self._relations: list[Relation] = []
        self._clauses = 0
        self._openers = Openers(cursor)
        self._items_at_most = MOST_ITEMS
        self._settings: list[str] = []
        self._grid: tuple[int, int] | None = None

    def read(self) -> Scene:
        while self._cursor.peek().kind != "end":
            self._clause()
            self._clauses += 1
            if self._cursor.peek().kind == "question" and not self._openers.is_question:
                self._cursor.puzzle("a question")
            self._cursor.take()
        if len(self._drafts) > self._items_at_most:
            raise NotUnderstoodError("something else after nothing else")
        self._check_settings()
        if self._items.potted is not None:
            self._check_pot(self._drafts[self._items.potted])
        return make_scene(self._drafts, self._relations, self._grid)

    def _check_settings(self) -> None:
        """Refuse a setting that is also drawn: "a shelf. 3 books on the shelf, 2 to the left of the shelf"."""
        for setting in self._settings:
            told = [draft.noun for draft in self._drafts if draft.noun and names_place(setting, draft.noun)]
            if told:
                raise HeldPlaceError(f"what is {setting!r}, and what beside the {told[0]}?")

    def _check_pot(self, potted: Draft) -> None:
        """Refuse an undrawn pot that holds anything but plants, or has a place; its contents may have a side."""
        if potted.noun not in POTTED:
            raise NotUnderstoodError(f"a pot with something else in it than flowers: {potted.noun!r}")
        is_mixed = any(draft.noun != potted.noun for draft in self._drafts)
        if self._relations or (is_mixed and any(draft.side for draft in self._drafts)):
            raise NotUnderstoodError("a pot, and where it stands")

    def _clause(self) -> None:
        self._openers.skip(has_items=bool(self._drafts))
        clause = Clause(self._clauses)
        while self._cursor.peek().kind not in ENDS:
            self._step(clause)
        self._close(clause)

    def _step(self, clause: Clause) -> None:
        match self._cursor.peek().kind:
            case "comma":
                self._join(clause, "comma")
            case "and":
                self._join(clause, "and")
            case "dash":
                if self._cursor.peek(1).kind == "number":
                    self._cursor.puzzle("a dash or a minus")
                self._join(clause, "comma")
            case "relation":
                self._relate(clause)
            case "side":
                self._put_aside(clause)
            case "colon":
                self._begin_breakdown(clause)
            case "with":
                self._join_with_holder(clause)
            case "grid" if clause.items and clause.joint != "and" and self._grid is None:
                self._grid = self._take_ranks()
            case "cell" if clause.joint is None:
                self._put_into_cell(self._drafts[clause.items[-1]])
            case "open":
                self._parenthesis(clause)
            case "there":
                self._there(clause)
            case "be" if clause.front in _RELATION_WORDS and len(clause.groups) == 1:
                self._there(clause)
            case "be" | "that" | "all" if clause.items and self._is_description():
                self._cursor.take()
            case "post-colour":
                self._colour_after(clause)
            case "colour" if self._is_colour_after(clause):
                self._colour_after(clause)
            case "adjective" if clause.items and clause.joint != "and":
                self._cursor.take()
            case "image" | "cartoon" if clause.joint == "comma" and self._cursor.peek(1).kind in _AFTER_STYLE:
                self._cursor.take()
            case kind if kind in AFTERTHOUGHTS and self._is_afterthought(clause):
                if kind == "setting":
                    clause.has_setting = True
                    self._settings.append(self._cursor.peek().text.lower())
                if not EXCLUSIVE.isdisjoint(self._cursor.take().text.lower().split()):
                    self._items_at_most = min(self._items_at_most, len(self._drafts))
            case _:
                self._item(clause)

    def _item(self, clause: Clause) -> None:
        if clause.joint is None:
            self._cursor.puzzle()
        item = self._items.read(clause)
        clause.groups[-1].append(item)
        clause.joint = None
        if clause.front == "side" and clause.side:
            self._set_side(item, clause.side)

    def _is_afterthought(self, clause: Clause) -> bool:
        """Whether a phrase belongs to the items before it; "exactly" may also open the next item."""
        if clause.joint == "and" or not (clause.groups[-1] or clause.side):
            return False
        return self._cursor.peek().kind != "exactly" or self._cursor.peek(1).kind in _AFTER_EXACTLY

    def _is_description(self) -> bool:
        kind, after = self._cursor.peek().kind, self._cursor.peek(1).kind
        return after in _AFTER_BE or (kind == "that" and after in ("be", "all")) or (kind == "all" and after == "be")

    def _join(self, clause: Clause, joint: Joint) -> None:
        is_dangling = clause.relations and not clause.groups[-1]
        if is_dangling or not (clause.items or clause.front) or clause.joint == joint == "and":
            self._cursor.puzzle()
        if clause.joint in (None, "comma") or joint == "and":
            clause.joint = joint
        self._cursor.take()

    def _relate(self, clause: Clause) -> None:
        word = cast(RelationWord | ContactWord, self._cursor.peek().name)
        if not clause.items and clause.front is None:
            clause.front = word
            clause.relations.append(word)
            self._cursor.take()
            return
        if clause.front or clause.side or clause.joint == "and" or not clause.groups[-1]:
            self._cursor.puzzle()
        if clause.relations and clause.relations[-1] != word:
            raise NotUnderstoodError(f"{clause.relations[-1]!r} and {word!r} in one sentence")
        clause.relations.append(word)
        clause.groups.append([])
        clause.joint = "first"
        self._cursor.take()

    def _there(self, clause: Clause) -> None:
        """In "above two cats there are three dogs" it separates the landmark from the subject."""
        if clause.front in _RELATION_WORDS:
            if len(clause.groups) == 2 or not clause.groups[0] or clause.joint == "and":
                self._cursor.puzzle()
            clause.groups.append([])
            clause.joint = "first"
        elif clause.joint is None:
            self._cursor.puzzle()
        self._cursor.take()

    def _put_aside(self, clause: Clause) -> None:
        """A place in the picture applies to the items after it if it opens the clause, else to those before it."""
        side = self._cursor.peek().name
        if clause.relations:
            self._cursor.puzzle("a relation and a place in the picture")
        if not clause.items and clause.front is None:
            clause.front = "side"
        elif clause.sided_to == len(clause.items):
            self._cursor.puzzle("a place in the picture, and nothing there")
        if clause.front == "side":
            clause.joint = "first"
        else:
            if clause.joint == "and":
                self._cursor.puzzle()
            for item in clause.items[clause.sided_to :]:
                self._set_side(item, side)
            clause.joint = None
        clause.side = side
        clause.sided_to = len(clause.items)
        clause.groups.append([])
        self._cursor.take()

    def _put_into_cell(self, draft: Draft) -> None:
        if draft.number != 1 or draft.cell:
            self._cursor.puzzle("one thing in one place")
        draft.cell = self._take_ranks()

    def _take_ranks(self) -> tuple[int, int]:
        row, column = self._cursor.take().name.split()
        return int(row), int(column)

    def _set_side(self, item: int, side: str) -> None:
        if self._drafts[item].side not in (None, side):
            self._cursor.puzzle("two places in the picture")
        self._drafts[item].side = side

    def _begin_breakdown(self, clause: Clause) -> None:
        """A colon introduces the parts of the item before it: "seven apples: three red and four green"."""
        items = clause.items
        if clause.whole is not None or len(items) != 1 or clause.joint is not None or clause.front:
            self._cursor.puzzle()
        self._cursor.take()
        clause.whole = items[0]
        clause.joint = "first"

    def _join_with_holder(self, clause: Clause) -> None:
        items = clause.items
        is_held = bool(items) and self._cursor.peek(-1).kind in ("noun", "after") and clause.joint is None
        if not is_held or self._drafts[items[-1]].noun not in HOLDERS or self._drafts[items[-1]].number != 1:
            self._cursor.puzzle()
        clause.joint = "and"
        self._cursor.take()

    def _parenthesis(self, clause: Clause) -> None:
        """A repetition in brackets, "seven apples (7)", or something that changes nothing."""
        if not clause.items or clause.joint is not None:
            self._cursor.puzzle()
        last = self._drafts[clause.items[-1]]
        self._cursor.take()
        self._cursor.take_all("exactly")
        if self._cursor.peek().kind == "number":
            again = self._cursor.take().number
            if again != last.number:
                raise NotUnderstoodError(f"{last.noun!r} is counted twice: {last.number} and {again:g}")
            if self._cursor.peek().kind == "noun" and self._cursor.peek().name == last.noun:
                self._cursor.take()
            self._cursor.take_all("after", "exactly")
        elif self._cursor.peek().kind in ("colour", "post-colour"):
            self._colour_after(clause)
        else:
            self._cursor.take_all(*AFTERTHOUGHTS, "adjective", "comma")
        if self._cursor.peek().kind != "close":
            self._cursor.puzzle("in brackets")
        self._cursor.take()

    def _is_colour_after(self, clause: Clause) -> bool:
        before, after = self._cursor.peek(-1).kind, self._cursor.peek(1).kind
        is_told = before in ("be", "all", "that") or (before == "comma" and clause.joint == "comma")
        is_told = is_told or (before in ("noun", "they") and self._drafts_told(clause))
        return bool(clause.items) and is_told and (after in ENDS | AFTERTHOUGHTS or after in ("comma", "relation"))

    def _drafts_told(self, clause: Clause) -> bool:
        """Whether all items come from earlier clauses: "make the apples red"."""
        return all(self._drafts[item].clause < clause.number for item in clause.items)

    def _colour_after(self, clause: Clause) -> None:
        items = clause.items
        is_clear = len(items) == 1 and clause.joint != "and" and not clause.has_setting
        if not is_clear or self._drafts[items[0]].colour is not None:
            self._cursor.puzzle("whose colour?")
        self._drafts[items[0]].colour = self._cursor.take().name

    def _close(self, clause: Clause) -> None:
        if clause.joint == "and" or (clause.relations and (len(clause.groups) < 2 or not clause.groups[-1])):
            self._cursor.puzzle("something is missing")
        has_rest = clause.sided_to < len(clause.items)
        if clause.side and has_rest != (clause.front == "side"):
            self._cursor.puzzle("a place in the picture, but of what?")
        settle_parts(clause, self._drafts)
        self._relations += [self._settle_contact(relation) for relation in relations_of(clause, self._drafts)]

    def _settle_contact(self, relation: Relation) -> Relation:
        """Keep contact between single things; with several, "under" means below, and the rest is ambiguous."""
        thing, landmark = self._drafts[relation.subject], self._drafts[relation.landmark]
        if relation.word not in get_args(ContactWord):
            return relation
        if relation.word == "on top of" and HOLDS.get(landmark.noun) == "on":
            raise HeldPlaceError(f"what lies on the {landmark.noun}?")
        if thing.number == landmark.number == 1:
            return relation
        if relation.word == "under":
            return replace(relation, word="below")
        raise NotUnderstoodError(f"which of several is {relation.word} which?")
