"""Collects what has been read of a prompt, and turns it into a scene.

Also reads bare nouns between commas, and numbers that follow from others ("twice as many")."""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from subitize.language.lexicon import LISTS, SIDES
from subitize.language.scene import (
    MOST_THINGS,
    Comparison,
    ComparisonWord,
    ContactWord,
    Entity,
    Form,
    HoldingWord,
    NotUnderstood,
    Quantifier,
    Relation,
    Scene,
    find_places,
)
from subitize.language.terms import NotUnderstoodError, Term
from subitize.language.tokens import list_phrases
from subitize.records import RelationWord

Joint = Literal["first", "comma", "and"]
"""What comes before an item."""


@dataclass(slots=True, eq=False)
class Draft:
    """A partly read entity; the noun may follow later ("3 red and 2 green apples")."""

    noun: str
    number: int
    colour: str | None
    clause: int
    group: int
    joint: Joint
    is_article: bool = False
    is_another: bool = False
    side: str | None = None
    cell: tuple[int, int] | None = None
    is_dropped: bool = False


@dataclass(slots=True, eq=False)
class Clause:
    """A partly read clause: its items, as indices of drafts, in groups with relations between them.

    `joint` is what comes before the next item; None if nothing has yet. `front` is a relation or a place in the picture
    that opens the clause. Items before index `sided_to` have their place.
    """

    number: int
    groups: list[list[int]] = field(default_factory=lambda: [[]])
    relations: list[RelationWord | ContactWord] = field(default_factory=list)
    joint: Joint | None = "first"
    front: RelationWord | ContactWord | Literal["side"] | None = None
    side: str | None = None
    sided_to: int = 0
    whole: int | None = None
    has_setting: bool = False

    @property
    def items(self) -> list[int]:
        """The items of all groups."""
        return [item for group in self.groups for item in group]


def settle_parts(clause: Clause, drafts: list[Draft]) -> None:
    """Replace a whole by parts that add up to its number: "seven apples, 3 red and 4 green"."""
    items = clause.items
    elided = [place for place, item in enumerate(items) if not drafts[item].noun]
    if clause.whole is None and not elided:
        return
    first = 1 if clause.whole is not None else elided[0]
    if first != 1 or clause.front:
        raise NotUnderstoodError("a number of what?")
    whole, parts = drafts[items[0]], [drafts[item] for item in items[1:]]
    is_made_up = (
        whole.clause == clause.number
        and whole.colour is None
        and all(part.noun in ("", whole.noun) and part.colour for part in parts)
        and sum(part.number for part in parts) == whole.number
        and (clause.whole is not None or parts[0].joint == "comma")
        and len({part.colour for part in parts}) == len(parts)
    )
    if not is_made_up:
        raise NotUnderstoodError(f"the parts do not make up the {whole.number} of {whole.noun!r}")
    for part in parts:
        part.noun = whole.noun
    whole.is_dropped = True


def relations_of(clause: Clause, drafts: list[Draft]) -> list[Relation]:
    """Relate all items before a relation word to all after it."""
    groups = [[item for item in group if not drafts[item].is_dropped] for group in clause.groups]
    found = []
    for (first, second), word in zip(pairwise(groups), clause.relations, strict=False):
        subjects, landmarks = (second, first) if clause.front else (first, second)
        found += [Relation(subject, word, landmark) for subject in subjects for landmark in landmarks]
    return found


def make_scene(drafts: list[Draft], relations: list[Relation], grid: tuple[int, int] | None = None) -> Scene:
    """Make the scene; raise NotUnderstoodError if it is inconsistent."""
    kept = [item for item, draft in enumerate(drafts) if not draft.is_dropped]
    drafts = [drafts[item] for item in kept]
    _check_total([draft.number for draft in drafts])
    _check_counted_once(drafts)
    place = {item: place for place, item in enumerate(kept)}
    told = dict.fromkeys(Relation(place[one.subject], one.word, place[one.landmark]) for one in relations)
    if told and any(draft.side for draft in drafts):
        raise NotUnderstoodError("relations, and places in the picture besides")
    entities = tuple(Entity(draft.noun, draft.number, draft.colour) for draft in drafts)
    scene = Scene(entities, (*told, *_side_relations(drafts)), grid=_check_grid(drafts, grid))
    if scene.grid and scene.relations:
        raise NotUnderstoodError("rows and columns, and other places besides")
    if find_places(scene) is None:
        raise NotUnderstoodError("places that contradict one another")
    return scene


def _check_total(numbers: list[int | Quantifier | None]) -> None:
    if not numbers:
        raise NotUnderstoodError("no number of things to draw")
    if sum(number for number in numbers if isinstance(number, int)) > MOST_THINGS:
        raise NotUnderstoodError(f"more than {MOST_THINGS} things")


def _check_counted_once(drafts: list[Draft]) -> None:
    """Refuse two counts of a noun unless colours or places differ, or they clearly add up: "2 apples and 3 apples"."""
    for place, later in enumerate(drafts):
        for earlier in drafts[:place]:
            if earlier.noun == later.noun and not _add_up(drafts, earlier, later):
                raise NotUnderstoodError(f"{later.noun!r} is counted twice: {earlier.number} and {later.number}")


def _add_up(drafts: list[Draft], earlier: Draft, later: Draft) -> bool:
    if earlier.colour and later.colour and earlier.colour != later.colour:
        return True
    if earlier.clause != later.clause:
        return False
    if earlier.group != later.group:
        return True
    group = [draft for draft in drafts if (draft.clause, draft.group) == (later.clause, later.group)]
    if earlier.colour != later.colour:  # in "7 apples, 3 red apples" the 3 may be among the 7
        return later.joint == "and" and group.index(later) == group.index(earlier) + 1
    # "a cat, a cat, a cat to the left of a dog": all three, or the last?
    is_alone = len(group) == len(drafts) and not any(draft.side for draft in group)
    is_drawn_out = is_alone and len(group) > 2 and all(draft.number == 1 and draft.colour is None for draft in group)
    is_list = len({draft.noun for draft in group}) == 1 and (group[-1].joint == "and" or is_drawn_out)
    return later.joint == "and" or later.is_another or is_list


def _check_grid(drafts: list[Draft], grid: tuple[int, int] | None) -> tuple[int, int] | None:
    """The grid that is named, or that things fill row by row with one in each cell."""
    cells = [draft.cell for draft in drafts if draft.cell]
    if grid:
        if cells or len(drafts) > 1 or grid[0] * grid[1] != drafts[0].number:
            raise NotUnderstoodError(
                f"a grid of {grid[0]} × {grid[1]} for other things than {grid[0] * grid[1]} of a kind"
            )
        return grid
    if not cells:
        return None
    columns = max(column for _, column in cells)
    in_order = [(place // columns + 1, place % columns + 1) for place in range(len(drafts))]
    is_of_a_kind = len({(draft.noun, draft.colour) for draft in drafts}) == 1
    if len(cells) < 2 or cells != in_order or not is_of_a_kind:
        raise NotUnderstoodError("rows and columns that are not filled one by one with things of a kind")
    return cells[-1][0], columns


def _side_relations(drafts: list[Draft]) -> list[Relation]:
    """The relations implied by places in the picture, between neighbours along one axis."""
    sides = [draft.side for draft in drafts]
    if not any(sides):
        return []
    axes = {SIDES[side][0] for side in sides if side} - {""}
    ranks = sorted({SIDES[side][1] for side in sides if side})
    if None in sides or len(axes) != 1 or len(ranks) < 2:
        raise NotUnderstoodError("a place in the picture, and nothing to hold it against on the other side")
    word: RelationWord = "left of" if axes == {"across"} else "above"
    members = {rank: [place for place, side in enumerate(sides) if side and SIDES[side][1] == rank] for rank in ranks}
    found = []
    for low, high in pairwise(ranks):
        found += [Relation(one, word, other) for one in members[low] for other in members[high]]
    return found


MOST_ITEMS = 50


@dataclass(slots=True, eq=False)
class Thing:
    """A partly read entity; its number is None for a noun without one ("cats and dogs")."""

    noun: str
    number: int | Quantifier | None
    colour: str | None = None
    form: Form | None = None
    clause: int = 0


@dataclass(slots=True, eq=False)
class Things:
    """All things mentioned, in order; further description applies to `last`."""

    clause: int = 0
    last: Thing | None = None
    told: list[Thing] = field(default_factory=list)
    held: list[tuple[Thing, HoldingWord, Thing]] = field(default_factory=list)
    compared: tuple[Thing, ComparisonWord, Thing] | None = None
    at_most: int = MOST_ITEMS

    def find(self, noun: str) -> Thing | None:
        """The one thing mentioned with this noun."""
        found = [thing for thing in self.told if thing.noun == noun]
        if len(found) > 1:
            raise NotUnderstoodError(f"which {noun!r}?")
        return found[0] if found else None

    def tell(self, thing: Thing) -> Thing:
        """Add a thing mentioned in this clause."""
        thing.clause = self.clause
        self.told.append(thing)
        if len(self.told) > self.at_most:
            raise NotUnderstoodError("something else after nothing else, or too many things")
        return thing

    def set_apart(self, whole: Thing, number: int, form: Form) -> None:
        """Give a form to some of the things: one of three forks is broken."""
        if not isinstance(whole.number, int) or whole.form is not None or not 1 <= number <= whole.number:
            raise NotUnderstoodError(f"{number} of which {whole.noun!r}?")
        if number == whole.number:
            whole.form = form
            return
        whole.number -= number
        self.told.insert(self.told.index(whole) + 1, Thing(whole.noun, number, whole.colour, form, whole.clause))

    def make_scene(self) -> Scene:
        """Make the scene; raise NotUnderstoodError if it is inconsistent."""
        self._check()
        places = [place for _, _, place in self.held]
        told = [thing for thing in self.told if thing not in places] + list(dict.fromkeys(places))
        at = {id(thing): position for position, thing in enumerate(told)}
        entities = tuple(
            Entity(one.noun, "some" if one.number is None else one.number, one.colour, one.form) for one in told
        )
        relations = tuple(Relation(at[id(thing)], word, at[id(place)]) for thing, word, place in self.held)
        if self.compared is None:
            return Scene(entities, relations)
        subject, word, other = self.compared
        return Scene(entities, relations, (Comparison(at[id(subject)], word, at[id(other)]),))

    def _check(self) -> None:
        _check_total([thing.number for thing in self.told])
        in_comparison = [self.compared[0], self.compared[2]] if self.compared else []
        for thing in self.told:
            if thing in in_comparison and thing.number not in (None, "some"):
                raise NotUnderstoodError(f"the number of {thing.noun!r}, and how it compares besides")
            if thing not in in_comparison and thing.number is None:
                raise NotUnderstoodError(f"{thing.noun!r} has no number")
        for position, later in enumerate(self.told):
            for earlier in self.told[:position]:
                if earlier.noun == later.noun and not _are_apart(earlier, later):
                    raise NotUnderstoodError(f"{later.noun!r} is counted twice: {earlier.number} and {later.number}")


def _are_apart(one: Thing, other: Thing) -> bool:
    """Whether two counts of a noun are of different things: in two colours, or some whole and some in parts."""
    if one.colour != other.colour:
        return one.colour is not None and other.colour is not None
    is_counted = all(isinstance(thing.number, int) and thing.number > 0 for thing in (one, other))
    return is_counted and one.form != other.form and one.clause == other.clause


def read_bare(terms: list[Term]) -> Scene | None:
    """Read singular nouns with nothing but commas between them: one of each; None for anything else."""
    nouns, commas = terms[::2], terms[1::2]
    are_nouns = all(term.kind == "noun" and not term.is_plural for term in nouns)
    if len(terms) % 2 == 0 or not are_nouns or any(term.kind != "comma" for term in commas):
        return None
    names = [term.name for term in nouns]
    return Scene(tuple(Entity(name, 1) for name in names)) if len(set(names)) == len(names) else None


_MULTIPLES = list_phrases(LISTS["multiples"])
_MULTIPLE = re.compile(
    rf"(?P<first>.+?),? and (?P<times>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))}) as many (?P<things>.+)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Multiple:
    """The texts of some things, and of others that are `times` as many, written as if there were two."""

    texts: tuple[str, str]
    times: Fraction


def part_multiple(prompt: str) -> Multiple | None:
    """Split "three cats and twice as many dogs"; None for any other prompt."""
    found = _MULTIPLE.fullmatch(prompt.strip().removesuffix("."))
    if found is None or re.search(r"\bas\b", found["things"]):  # "as many dogs as cats" compares
        return None
    times = Fraction(_MULTIPLES[found["times"].lower()])
    return Multiple((found["first"], f"two {found['things']}"), times)


def multiply(first: Scene | NotUnderstood, told: Multiple, second: Scene | NotUnderstood) -> Scene | NotUnderstood:
    """Compute the second number; each side must be one kind of thing, and the number whole."""
    for scene in (first, second):
        if isinstance(scene, NotUnderstood):
            return scene
        if len(scene.entities) != 1 or scene.relations or scene.grid:
            return NotUnderstood(f"so many times as many as of what? {told.texts[0]!r}")
    assert isinstance(first, Scene)
    assert isinstance(second, Scene)
    (thing,), (other,) = first.entities, second.entities
    if thing.noun == other.noun:
        return NotUnderstood(f"{thing.noun!r} is counted twice")
    number = thing.number * told.times if isinstance(thing.number, int) else Fraction(0)
    if number < 1 or number.denominator != 1:
        return NotUnderstood(f"{told.times} times {thing.number} is no whole number of things")
    return Scene((thing, replace(other, number=int(number))))
