"""Reading a prompt into a scene: everything in it must be understood, or nothing is.

A prompt is clauses between full stops. A clause is openers ("please draw an image of"), then items ("seven red
apples") joined by commas and "and", by relations ("above") or by places in the picture ("on the left"). What
can be read in two ways is read so that the picture is right in both ("two dogs and a cat above three cups": both
are above), or not at all. Terms are found in terms.py by the closed lists of words.py, items are read in
items.py, and drafts.py makes the scene of them. Open numbers, comparisons and parts have a grammar of their own, in
quantities.py, which gets what this one does not understand.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import cast, get_args

from subitize.records import RelationWord
from subitize.scenes.bare import multiply, part_multiple, read_bare
from subitize.scenes.cursor import Cursor
from subitize.scenes.drafts import Clause, Draft, Joint, make_scene, relations_of, settle_parts
from subitize.scenes.items import MOST_ITEMS, Items
from subitize.scenes.openers import Openers
from subitize.scenes.quantities import read_quantities
from subitize.scenes.quantity_words import HOLDS
from subitize.scenes.scene import ContactWord, NotUnderstood, Relation, Scene
from subitize.scenes.terms import HeldError, PuzzledError, Vocabulary, find_terms, vocabulary
from subitize.scenes.words import AFTERTHOUGHTS, ENDS, EXCLUSIVE, HOLDERS, POTTED, Kind, names_place


def read_scene(prompt: str, nouns: Collection[str], colours: Collection[str]) -> Scene | NotUnderstood:
    """What the prompt asks for, of the nouns and colours that are known; never a guess."""
    known = vocabulary(tuple(nouns), tuple(colours))
    if parted := part_multiple(prompt):
        first, second = (read_scene(text, nouns, colours) for text in parted.texts)
        return multiply(first, parted, second)
    try:
        terms = find_terms(prompt, known)
        return read_bare(terms) or _Reader(Cursor(terms), known).read()
    except PuzzledError as puzzle:
        reason, is_held = str(puzzle), isinstance(puzzle, HeldError)
    try:
        return read_quantities(prompt, known, is_held=is_held) or NotUnderstood(reason)
    except PuzzledError as puzzle:
        return NotUnderstood(str(puzzle))


_RELATION_WORDS: tuple[RelationWord | ContactWord, ...] = (*get_args(RelationWord), *get_args(ContactWord))
_AFTER_BE: frozenset[Kind] = AFTERTHOUGHTS | {"relation", "side", "all", "colour", "post-colour", "adjective", "single"}

_AFTER_EXACTLY: frozenset[Kind] = ENDS | AFTERTHOUGHTS | {"comma", "and"}
_AFTER_STYLE: frozenset[Kind] = ENDS | AFTERTHOUGHTS | {"comma"}


class _Reader:
    """Reads openers and what joins items, clause by clause."""

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
            raise PuzzledError("something else after nothing else")
        self._check_settings()
        if self._items.potted is not None:
            self._check_pot(self._drafts[self._items.potted])
        return make_scene(self._drafts, self._relations, self._grid)

    def _check_settings(self) -> None:
        """A place that is drawn is no mere setting: "a shelf. 3 books on the shelf, 2 to the left of the shelf"."""
        for setting in self._settings:
            told = [draft.noun for draft in self._drafts if draft.noun and names_place(setting, draft.noun)]
            if told:
                raise HeldError(f"what is {setting!r}, and what beside the {told[0]}?")

    def _check_pot(self, potted: Draft) -> None:
        """A pot that is not drawn holds plants, and it is not told where it stands; what is in it may have its side."""
        if potted.noun not in POTTED:
            raise PuzzledError(f"a pot with something else in it than flowers: {potted.noun!r}")
        is_mixed = any(draft.noun != potted.noun for draft in self._drafts)
        if self._relations or (is_mixed and any(draft.side for draft in self._drafts)):
            raise PuzzledError("a pot, and where it stands")

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
        """Whether a phrase says more of the items before it; "exactly" may open the next item."""
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
            raise PuzzledError(f"{clause.relations[-1]!r} and {word!r} in one sentence")
        clause.relations.append(word)
        clause.groups.append([])
        clause.joint = "first"
        self._cursor.take()

    def _there(self, clause: Clause) -> None:
        """In "above two cats there are three dogs" it parts the landmark from the subject."""
        if clause.front in _RELATION_WORDS:
            if len(clause.groups) == 2 or not clause.groups[0] or clause.joint == "and":
                self._cursor.puzzle()
            clause.groups.append([])
            clause.joint = "first"
        elif clause.joint is None:
            self._cursor.puzzle()
        self._cursor.take()

    def _put_aside(self, clause: Clause) -> None:
        """A place in the picture holds for the items after it if it opens the clause, else for those before it."""
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
        """What follows a colon are the parts of the item before it: "seven apples: three red and four green"."""
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
        """Say again, in brackets, what was said: "seven apples (7)"; or something that changes nothing."""
        if not clause.items or clause.joint is not None:
            self._cursor.puzzle()
        last = self._drafts[clause.items[-1]]
        self._cursor.take()
        self._cursor.take_all("exactly")
        if self._cursor.peek().kind == "number":
            again = self._cursor.take().number
            if again != last.number:
                raise PuzzledError(f"{last.noun!r} is counted twice: {last.number} and {again:g}")
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
        """Whether the clause is about things of an earlier one: "make the apples red"."""
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
        """One thing touches or hides one other; of several it is not clear which does which, and under is below."""
        thing, landmark = self._drafts[relation.subject], self._drafts[relation.landmark]
        if relation.word not in get_args(ContactWord):
            return relation
        if relation.word == "on top of" and HOLDS.get(landmark.noun) == "on":
            raise HeldError(f"what lies on the {landmark.noun}?")
        if thing.number == landmark.number == 1:
            return relation
        if relation.word == "under":
            return replace(relation, word="below")
        raise PuzzledError(f"which of several is {relation.word} which?")
