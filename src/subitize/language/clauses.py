"""Reads a prompt into a scene: everything in it must be understood, or nothing is.

A prompt is clauses between full stops. A clause is openers ("please draw an image of"), then items ("seven red
apples", "only a few books", "half a pizza") joined by commas and "and", by relations ("above"), by places in the
picture ("on the left") or by what holds them ("on a shelf"); what follows an item may describe it ("cut in half").
An ambiguous prompt is read so that the picture is right either way ("two dogs and a cat above three cups": both are
above), or not at all. terms.py finds the terms, items.py reads the items, drafts.py makes the scene."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, cast, get_args

from subitize.language import drafts, items, lexicon
from subitize.language.lexicon import Kind
from subitize.language.questions import Node, make_graph
from subitize.language.scene import ComparisonWord, ContactWord, HoldingWord, NotUnderstood, Portion, Scene
from subitize.language.terms import Cursor, NotUnderstoodError, Openers, Term, Vocabulary, find_terms, vocabulary
from subitize.records import RelationWord


def read_scene(prompt: str, nouns: Collection[str], colours: Collection[str]) -> Scene | NotUnderstood:
    """The scene that a prompt asks for, in known nouns and colours; never a guess."""
    known = vocabulary(tuple(nouns), tuple(colours))
    try:
        terms = find_terms(prompt, known)
        return drafts.read_bare(terms) or _Reader(terms, known).read()
    except NotUnderstoodError as puzzle:
        return NotUnderstood(str(puzzle))


def read_graph(prompt: str, nouns: Collection[str], colours: Collection[str]) -> tuple[Node, ...]:
    """Make the graph of a prompt, parents first; empty if the prompt is not understood."""
    scene = read_scene(prompt, nouns, colours)
    return () if isinstance(scene, NotUnderstood) else make_graph(scene)


_RELATION_WORDS: tuple[RelationWord | ContactWord, ...] = (*get_args(RelationWord), *get_args(ContactWord))
_AFTER_BE: frozenset[Kind] = lexicon.AFTERTHOUGHTS | {
    "relation", "side", "all", "colour", "post-colour", "adjective", "single", "share", "hold",
}  # fmt: skip
_AFTER_EXACTLY: frozenset[Kind] = lexicon.ENDS | lexicon.AFTERTHOUGHTS | {"comma", "and"}
_AFTER_STYLE: frozenset[Kind] = lexicon.ENDS | lexicon.AFTERTHOUGHTS | {"comma"}


class _Place(NamedTuple):
    """A place that is named ("on the table"), and what the prompt has mentioned that may be it."""

    word: HoldingWord
    noun: str
    told: list[drafts.Draft]


class _Reader:
    """Reads the clauses of a prompt."""

    def __init__(self, terms: list[Term], known: Vocabulary) -> None:
        self._cursor = Cursor(terms)
        self._openers = Openers(self._cursor)
        self._drafts = drafts.Drafts(
            is_open=any(term.kind in lexicon.OPEN or items.is_spelt_fraction(term) for term in terms)
        )
        self._items = items.Items(self._cursor, self._drafts, known)
        self._settings: list[str] = []

    def read(self) -> Scene:
        clauses = 0
        while self._cursor.peek().kind != "end":
            self._clause(drafts.Clause(clauses))
            clauses += 1
            if self._cursor.peek().kind == "question" and not self._openers.is_question:
                self._cursor.puzzle("a question")
            self._cursor.take()
        self._check_settings()
        return drafts.make_scene(self._drafts)

    def _check_settings(self) -> None:
        """Refuse a setting that is also drawn: "a shelf. 3 books on the shelf, 2 to the left of the shelf"."""
        for setting in self._settings:
            told = [
                draft.noun for draft in self._drafts.told if draft.noun and lexicon.names_place(setting, draft.noun)
            ]
            if told:
                raise NotUnderstoodError(f"what is {setting!r}, and what beside the {told[0]}?")

    def _clause(self, clause: drafts.Clause) -> None:
        opening, front = self._cursor.peek(), self._front()
        self._openers.skip(has_items=bool(self._drafts.told))
        while self._cursor.peek().kind not in lexicon.ENDS:
            self._step(clause)
        self._close(clause)
        if front and clause.items and (opening.kind == "hold" or self._holds(front, clause.items[0])):
            self._put(clause, clause.items[0], front, is_loose=opening.kind != "hold")

    def _front(self) -> _Place | None:
        """The place that opens a clause: "on the table there are no plates"."""
        opening = self._cursor.peek()
        if opening.kind == "setting" or (opening.kind == "after" and opening.name):
            return self._named_place(None)
        if opening.kind != "hold" or items.is_cut_next(self._cursor):
            return None
        place = self._named_place(None)
        self._cursor.take(3)
        self._cursor.take_all("comma")
        if self._cursor.peek().kind != "there":
            self._cursor.puzzle("what is there?")
        return place

    def _step(self, clause: drafts.Clause) -> None:
        cursor, last = self._cursor, self._drafts.last
        match cursor.peek().kind:
            case "comma" | "and" | "but" | "dash" as kind:
                self._join(clause, "comma" if kind == "dash" else kind)
            case "relation":
                self._relate(clause)
            case "side":
                self._put_aside(clause)
            case "colon":
                self._begin_breakdown(clause)
            case "grid" if clause.items and not clause.awaits_item and self._drafts.grid is None:
                self._drafts.grid = self._take_ranks()
            case "cell" if clause.joint is None:
                self._put_into_cell(clause.items[-1])
            case "open":
                self._parenthesis(clause)
            case "there":
                self._there(clause)
            case "be" if clause.front in _RELATION_WORDS and len(clause.groups) == 1:
                self._there(clause)
            case "with" | "link" if clause.is_complete:
                self._join_with(clause)
            case "without" if clause.joint is None:
                self._open_holder(clause, "without")
            case "compare" if clause.joint is not None:
                self._compare(clause)
            case "size":
                items.read_size(cursor, self._drafts)
                clause.joint = None
            case "share" | "other" if last is not None and not self._opens_item(clause):
                self._share(clause, last)
            case "hold" | "cut" | "be" | "that" | "each" | "all" if (
                last and clause.is_complete and items.is_cut_next(cursor)
            ):
                self._cut(clause, last)
            case "be" | "that" | "all" if clause.items and not clause.awaits_item and self._is_description():
                self._describe(clause)
            case "hold" | "setting" if clause.joint is None:
                self._place(clause)
            case "post-colour":
                self._colour_after(clause)
            case "colour" if self._is_colour_after(clause):
                self._colour_after(clause)
            case "adjective" if clause.items and not clause.awaits_item:
                cursor.take()
            case "image" | "cartoon" if clause.joint == "comma" and cursor.peek(1).kind in _AFTER_STYLE:
                cursor.take()
            case kind if kind in lexicon.AFTERTHOUGHTS and self._is_afterthought(clause):
                self._pass_over(clause)
            case _:
                self._item(clause)

    def _join(self, clause: drafts.Clause, joint: drafts.Joint) -> None:
        is_dangling = clause.relations and not clause.groups[-1]
        is_first = clause.joint == "first" and not (clause.items or clause.front)
        is_double = clause.joint in ("with", "without") or (joint != "comma" and clause.awaits_item)
        if is_dangling or is_first or is_double:
            self._cursor.puzzle()
        if self._cursor.peek().kind == "dash" and self._cursor.peek(1).kind == "number":
            self._cursor.puzzle("a dash or a minus")
        if clause.is_complete or joint != "comma":
            clause.joint = joint
        self._cursor.take()

    def _item(self, clause: drafts.Clause) -> None:
        joint, before = clause.joint, clause.items[-1] if clause.items else None
        if joint is None:
            self._cursor.puzzle()
        if clause.held is not None:
            clause.held.is_clear = False
        item = self._items.read(clause)
        clause.joint, self._drafts.last = None, item
        if clause.front == "side" and clause.side:
            self._set_side(item, clause.side)
        if joint in ("with", "without") and before is not None:
            self._hold_in(clause, item, before, joint)

    def _join_with(self, clause: drafts.Clause) -> None:
        """After "with" comes a comparison, some of the things before it, or things held by the one before it."""
        after, then = self._cursor.peek(1), self._cursor.peek(2).kind
        is_part = after.kind == "number" and then in ("of-them", "cut", "be")
        if is_part or after.kind in ("compare", "size") or (after.kind == "share" and then in ("colour", "be")):
            clause.joint = "comma"
            self._cursor.take()
        else:
            self._open_holder(clause, "with")

    def _open_holder(self, clause: drafts.Clause, joint: drafts.Joint) -> None:
        place = clause.items[-1] if clause.items else None
        if clause.joint is not None or place is None or place.number != 1:
            self._cursor.puzzle("what holds them?")
        is_holder = place.noun in lexicon.HOLDS or joint == "without"
        if not is_holder and (place.noun not in lexicon.HOLDERS or self._cursor.peek(-1).kind not in ("noun", "after")):
            self._cursor.puzzle("what holds them?")
        clause.joint = joint
        self._cursor.take()

    def _hold_in(self, clause: drafts.Clause, thing: drafts.Draft, place: drafts.Draft, joint: drafts.Joint) -> None:
        if joint == "without" and lexicon.OWN_PARTS.get(place.noun) == thing.noun:
            self._cursor.puzzle(f"a {place.noun} without its own parts")
        is_loose = joint == "with" and place.noun in lexicon.HOLDERS
        clause.held = drafts.Hold(thing, cast(HoldingWord, lexicon.HOLDS.get(place.noun, "on")), place, is_loose)
        if place.noun in lexicon.HOLDS:
            self._drafts.holds.append(clause.held)
        self._drafts.last = None

    def _is_afterthought(self, clause: drafts.Clause) -> bool:
        """Whether a phrase belongs to the items before it; "exactly" may also open the next item."""
        if clause.awaits_item or not (clause.groups[-1] or clause.side):
            return False
        is_before = clause.joint is None or self._cursor.peek(1).kind in _AFTER_EXACTLY
        return is_before or self._cursor.peek().kind != "exactly"

    def _pass_over(self, clause: drafts.Clause) -> None:
        """Take an afterthought; "on it" tells where things are only if that matters."""
        term, last = self._cursor.peek(), self._drafts.last
        if term.kind == "setting":
            clause.has_setting = True
            self._settings.append(term.text.lower())
        if term.kind == "after" and term.name and last is not None:
            place = self._named_place(last)
            if place.told:
                self._put(clause, last, place, is_loose=True)
        if not lexicon.EXCLUSIVE.isdisjoint(term.text.lower().split()):
            self._drafts.at_most = min(self._drafts.at_most, len(self._drafts.told))
        self._cursor.take()

    def _is_description(self) -> bool:
        kind, after = self._cursor.peek().kind, self._cursor.peek(1).kind
        return after in _AFTER_BE or (kind == "that" and after in ("be", "all")) or (kind == "all" and after == "be")

    def _describe(self, clause: drafts.Clause) -> None:
        """Skip the verb of a description: "which are red", "is half blue", "that are in the vase"."""
        self._cursor.take()
        clause.joint = None
        if self._cursor.peek().kind in ("share", "hold"):
            self._check_only(clause, self._drafts.last)

    def _check_only(self, clause: drafts.Clause, thing: drafts.Draft | None) -> None:
        if thing is None or any(one.noun != thing.noun for one in clause.items):
            self._cursor.puzzle("which of them?")

    def _cut(self, clause: drafts.Clause, thing: drafts.Draft) -> None:
        """The pieces of things mentioned before: "cut into quarters", "each of them is cut in half"."""
        self._check_only(clause, thing)
        if not isinstance(thing.number, int) or thing.form is not None:
            self._cursor.puzzle()
        self._drafts.set_apart(thing, thing.number, items.read_pieces(self._cursor, thing.number))
        clause.joint = None

    def _opens_item(self, clause: drafts.Clause) -> bool:
        """Whether "half" opens an item here ("a half red, half blue pencil"), unrelated to what is before it."""
        is_in_halves = self._cursor.peek().text.lower() == "a half" and self._cursor.peek(1).kind == "colour"
        return clause.joint in ("with", "without") or (clause.joint is not None and is_in_halves)

    def _share(self, clause: drafts.Clause, thing: drafts.Draft) -> None:
        """Half of the last thing, in a colour ("half red"), or more of it: "an apple and a half"."""
        term = self._cursor.peek()
        is_last = self._cursor.peek(1).kind in lexicon.ENDS | lexicon.AFTERTHOUGHTS
        if term.kind == "other" or clause.joint != "and" or not is_last:
            if any(one.number == 1 for one in self._drafts.told if one is not thing):
                self._cursor.puzzle("half of which?")
            for colour in items.read_halves(self._cursor):
                items.paint_half(self._cursor, thing, colour)
        else:
            is_whole = isinstance(thing.number, int) and thing.number > 0 and thing.form is None
            if not is_whole or not term.text.lower().startswith(("a ", "one ")) or term.text.endswith("it"):
                self._cursor.puzzle("half of what?")
            self._cursor.take()
            share = replace(thing, number=1, form=Portion(Fraction(term.name)))
            clause.mention(self._drafts.add(share))
        clause.joint = None

    def _compare(self, clause: drafts.Clause) -> None:
        """How two numbers compare: "fewer cats than dogs", "as many cats as dogs", "the same number of both"."""
        word = self._cursor.take().name
        subject = self._items.compared(clause)
        joint = self._cursor.take().text.lower()
        if joint not in {"same": ("and", "as"), "as many": ("as",)}.get(word, ("than",)):
            self._cursor.puzzle("compared with what?")
        other = self._items.compared(clause)
        if self._drafts.compared or subject is other:
            self._cursor.puzzle("compared with what?")
        self._drafts.compared.append((subject, cast(ComparisonWord, "as many" if word == "same" else word), other))
        clause.joint, self._drafts.last = None, None

    def _place(self, clause: drafts.Clause) -> None:
        """Where things are: held by a place in the scene, or in a mere setting, which need not be drawn."""
        thing, is_setting = self._drafts.last, self._cursor.peek().kind == "setting"
        place = self._named_place(thing)
        if (is_setting or not place.noun) and not (thing and self._holds(place, thing)):
            self._pass_over(clause)
            return
        if thing is None:
            self._cursor.puzzle("what is there?")
        self._cursor.take(3 if place.noun and not is_setting else 1)
        self._put(clause, thing, place)

    def _named_place(self, thing: drafts.Draft | None) -> _Place:
        """The place named here; "it" may be any single thing but the one that is there."""
        term, article, noun = (self._cursor.peek(ahead) for ahead in range(3))
        if term.name.endswith(" it"):
            told = [one for one in self._drafts.told if one is not thing and one.number == 1]
            return _Place(cast(HoldingWord, term.name.split()[0]), "", told)
        if term.kind == "setting":
            words = term.text.lower().split()
            is_named = len(words) == 3 and words[0] in ("in", "on")
            word, name = (words[0], words[2]) if is_named else ("in", "")
        else:
            if article.kind not in ("a", "the") or noun.kind != "noun" or noun.is_plural:
                self._cursor.puzzle("where?")
            word, name = term.name, noun.name
        return _Place(cast(HoldingWord, word), name, self._drafts.named(name) if name else [])

    def _holds(self, place: _Place, thing: drafts.Draft) -> bool:
        """Whether a place is more than a setting: it is mentioned before, or holds an open number of things."""
        is_open = self._drafts.is_open and not (isinstance(thing.number, int) and thing.number)
        return any(one.number == 1 for one in place.told) or (is_open and lexicon.HOLDS.get(place.noun) == place.word)

    def _put(self, clause: drafts.Clause, thing: drafts.Draft, place: _Place, *, is_loose: bool = False) -> None:
        """Put the clause's only thing into or onto the place."""
        if not place.told and lexicon.HOLDS.get(place.noun) != place.word:
            self._cursor.puzzle("what is there?")
        holder = place.told[0] if place.told else self._drafts.add(drafts.Draft(place.noun, 1, clause=clause.number))
        is_clear = len(place.told) <= 1 and all(one in (thing, holder) for one in clause.items)
        self._drafts.holds.append(drafts.Hold(thing, place.word, holder, is_loose, is_clear))

    def _relate(self, clause: drafts.Clause) -> None:
        word = cast(RelationWord | ContactWord, self._cursor.peek().name)
        if not clause.items and clause.front is None:
            clause.front = word
            clause.relations.append(word)
            self._cursor.take()
            return
        if clause.front or clause.side or clause.awaits_item or not clause.groups[-1]:
            self._cursor.puzzle()
        if clause.relations and clause.relations[-1] != word:
            raise NotUnderstoodError(f"{clause.relations[-1]!r} and {word!r} in one sentence")
        clause.relations.append(word)
        self._begin_group(clause)

    def _begin_group(self, clause: drafts.Clause) -> None:
        clause.groups.append([])
        clause.joint = "first"
        self._cursor.take()

    def _there(self, clause: drafts.Clause) -> None:
        """In "above two cats there are three dogs" it separates the landmark from the subject."""
        if clause.front in _RELATION_WORDS:
            if len(clause.groups) == 2 or not clause.groups[0] or clause.awaits_item:
                self._cursor.puzzle()
            self._begin_group(clause)
            return
        if clause.joint is None:
            self._cursor.puzzle()
        self._cursor.take()

    def _put_aside(self, clause: drafts.Clause) -> None:
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
            if clause.awaits_item:
                self._cursor.puzzle()
            for item in clause.items[clause.sided_to :]:
                self._set_side(item, side)
            clause.joint = None
        clause.side = side
        clause.sided_to = len(clause.items)
        clause.groups.append([])
        self._cursor.take()

    def _put_into_cell(self, draft: drafts.Draft) -> None:
        if draft.number != 1 or draft.cell:
            self._cursor.puzzle("one thing in one place")
        draft.cell = self._take_ranks()

    def _take_ranks(self) -> tuple[int, int]:
        row, column = self._cursor.take().name.split()
        return int(row), int(column)

    def _set_side(self, item: drafts.Draft, side: str) -> None:
        if item.side not in (None, side):
            self._cursor.puzzle("two places in the picture")
        item.side = side

    def _begin_breakdown(self, clause: drafts.Clause) -> None:
        """A colon introduces the parts of the item before it: "seven apples: three red and four green"."""
        if clause.whole is not None or len(clause.items) != 1 or clause.joint is not None or clause.front:
            self._cursor.puzzle()
        self._cursor.take()
        clause.whole = clause.items[0]
        clause.joint = "first"

    def _parenthesis(self, clause: drafts.Clause) -> None:
        """A repetition in brackets, "seven apples (7)", or something that changes nothing."""
        cursor = self._cursor
        if not clause.items or clause.joint is not None:
            cursor.puzzle()
        last = clause.items[-1]
        cursor.take()
        cursor.take_all("exactly")
        if cursor.peek().kind == "number":
            again = cursor.take().number
            if again != last.number:
                raise NotUnderstoodError(f"{last.noun!r} is counted twice: {last.number} and {again:g}")
            if cursor.peek().kind == "noun" and cursor.peek().name == last.noun:
                cursor.take()
            cursor.take_all("after", "exactly")
        elif cursor.peek().kind in ("colour", "post-colour"):
            self._colour_after(clause)
        else:
            cursor.take_all(*lexicon.AFTERTHOUGHTS, "adjective", "comma")
        if cursor.peek().kind != "close":
            cursor.puzzle("in brackets")
        cursor.take()

    def _is_colour_after(self, clause: drafts.Clause) -> bool:
        before, after = self._cursor.peek(-1).kind, self._cursor.peek(1).kind
        is_told = before in ("be", "all", "that") or (before == "comma" and clause.joint == "comma")
        is_told = is_told or (before in ("noun", "they") and self._drafts_told(clause))
        is_last = after in lexicon.ENDS | lexicon.AFTERTHOUGHTS or after in ("comma", "relation")
        return bool(clause.items) and is_told and is_last

    def _drafts_told(self, clause: drafts.Clause) -> bool:
        """Whether all items come from earlier clauses: "make the apples red"."""
        return all(item.clause < clause.number for item in clause.items)

    def _colour_after(self, clause: drafts.Clause) -> None:
        about = clause.items
        is_clear = len(about) == 1 and not clause.awaits_item and not clause.has_setting
        if not is_clear or about[0].colour is not None or about[0].form is not None:
            self._cursor.puzzle("whose colour?")
        about[0].colour = self._cursor.take().name

    def _close(self, clause: drafts.Clause) -> None:
        if clause.awaits_item or (clause.relations and (len(clause.groups) < 2 or not clause.groups[-1])):
            self._cursor.puzzle("something is missing")
        has_rest = clause.sided_to < len(clause.items)
        if clause.side and has_rest != (clause.front == "side"):
            self._cursor.puzzle("a place in the picture, but of what?")
        if clause.held is not None and not clause.held.is_loose and not clause.held.is_clear:
            self._cursor.puzzle("held by it, or beside it?")
        drafts.settle_parts(clause)
        related = drafts.relate_groups(clause)
        for one in related:
            self._settle_contact(clause, one, is_clear=len(related) == 1)

    def _settle_contact(self, clause: drafts.Clause, related: drafts.Related, *, is_clear: bool) -> None:
        """Keep contact between single things; with several, "under" means below, and the rest is ambiguous.

        What lies on top of a table is on it, as are things on top of one that was mentioned before.
        """
        thing, word, landmark = related
        are_single = thing.number == landmark.number == 1
        is_told = landmark.clause < clause.number and landmark.number == 1
        if word == "on top of" and (lexicon.HOLDS.get(landmark.noun) == "on" or (is_told and not are_single)):
            self._drafts.holds.append(drafts.Hold(thing, "on", landmark, is_clear=is_clear))
        elif word == "under" and not are_single:
            self._drafts.relations.append((thing, "below", landmark))
        elif word in get_args(ContactWord) and not are_single:
            raise NotUnderstoodError(f"which of several is {word} which?")
        else:
            self._drafts.relations.append(related)
