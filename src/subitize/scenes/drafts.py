"""Drafts of entities and clauses while a prompt is read, and how they become a scene."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from subitize.records import RelationWord
from subitize.scenes.places import find_places
from subitize.scenes.scene import MOST_THINGS, ContactWord, Entity, Relation, Scene
from subitize.scenes.terms import PuzzledError
from subitize.scenes.words import SIDES

Joint = Literal["first", "comma", "and"]
"""What stands before an item."""


@dataclass(slots=True, eq=False)
class Draft:
    """An entity as far as it is read; the noun may follow later ("3 red and 2 green apples")."""

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
    """What is read of a clause: its items, by their place among the drafts, in groups with relations between them.

    `joint` is what stands before the next item; None means that it has yet to come. A relation or a place in the
    picture that opens the clause is its `front`. Of the items those up to `sided_to` have their place.
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
        """All items, of whatever group."""
        return [item for group in self.groups for item in group]


def settle_parts(clause: Clause, drafts: list[Draft]) -> None:
    """Put parts in the place of their whole if they come to its number: "seven apples, 3 red and 4 green"."""
    items = clause.items
    elided = [place for place, item in enumerate(items) if not drafts[item].noun]
    if clause.whole is None and not elided:
        return
    first = 1 if clause.whole is not None else elided[0]
    if first != 1 or clause.front:
        raise PuzzledError("a number of what?")
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
        raise PuzzledError(f"the parts do not make up the {whole.number} of {whole.noun!r}")
    for part in parts:
        part.noun = whole.noun
    whole.is_dropped = True


def relations_of(clause: Clause, drafts: list[Draft]) -> list[Relation]:
    """Relate all items before a relation to all after it."""
    groups = [[item for item in group if not drafts[item].is_dropped] for group in clause.groups]
    found = []
    for (first, second), word in zip(pairwise(groups), clause.relations, strict=False):
        subjects, landmarks = (second, first) if clause.front else (first, second)
        found += [Relation(subject, word, landmark) for subject in subjects for landmark in landmarks]
    return found


def make_scene(drafts: list[Draft], relations: list[Relation], grid: tuple[int, int] | None = None) -> Scene:
    """Make the scene, or find that it does not hold together."""
    kept = [item for item, draft in enumerate(drafts) if not draft.is_dropped]
    drafts = [drafts[item] for item in kept]
    if not drafts:
        raise PuzzledError("no number of things to draw")
    if sum(draft.number for draft in drafts) > MOST_THINGS:
        raise PuzzledError(f"more than {MOST_THINGS} things")
    _check_counted_once(drafts)
    place = {item: place for place, item in enumerate(kept)}
    told = dict.fromkeys(Relation(place[one.subject], one.word, place[one.landmark]) for one in relations)
    if told and any(draft.side for draft in drafts):
        raise PuzzledError("relations, and places in the picture besides")
    entities = tuple(Entity(draft.noun, draft.number, draft.colour) for draft in drafts)
    scene = Scene(entities, (*told, *_side_relations(drafts)), grid=_check_grid(drafts, grid))
    if scene.grid and scene.relations:
        raise PuzzledError("rows and columns, and other places besides")
    if find_places(scene) is None:
        raise PuzzledError("places that contradict one another")
    return scene


def _check_counted_once(drafts: list[Draft]) -> None:
    """Two counts of a noun must be of different colours or places, or plainly add up: "2 apples and 3 apples"."""
    for place, later in enumerate(drafts):
        for earlier in drafts[:place]:
            if earlier.noun == later.noun and not _add_up(drafts, earlier, later):
                raise PuzzledError(f"{later.noun!r} is counted twice: {earlier.number} and {later.number}")


def _add_up(drafts: list[Draft], earlier: Draft, later: Draft) -> bool:
    if earlier.colour and later.colour and earlier.colour != later.colour:
        return True
    if earlier.clause != later.clause:
        return False
    if earlier.group != later.group:
        return True
    group = [draft for draft in drafts if (draft.clause, draft.group) == (later.clause, later.group)]
    if earlier.colour != later.colour:  # of "7 apples, 3 red apples" the 3 may be among the 7
        return later.joint == "and" and group.index(later) == group.index(earlier) + 1
    # "a cat, a cat, a cat to the left of a dog": all three, or the last?
    is_alone = len(group) == len(drafts) and not any(draft.side for draft in group)
    is_drawn_out = is_alone and len(group) > 2 and all(draft.number == 1 and draft.colour is None for draft in group)
    is_list = len({draft.noun for draft in group}) == 1 and (group[-1].joint == "and" or is_drawn_out)
    return later.joint == "and" or later.is_another or is_list


def _check_grid(drafts: list[Draft], grid: tuple[int, int] | None) -> tuple[int, int] | None:
    """The grid that is told of, or that things fill row by row with one in each cell."""
    cells = [draft.cell for draft in drafts if draft.cell]
    if grid:
        if cells or len(drafts) > 1 or grid[0] * grid[1] != drafts[0].number:
            raise PuzzledError(f"a grid of {grid[0]} × {grid[1]} for other things than {grid[0] * grid[1]} of a kind")
        return grid
    if not cells:
        return None
    columns = max(column for _, column in cells)
    in_order = [(place // columns + 1, place % columns + 1) for place in range(len(drafts))]
    is_of_a_kind = len({(draft.noun, draft.colour) for draft in drafts}) == 1
    if len(cells) < 2 or cells != in_order or not is_of_a_kind:
        raise PuzzledError("rows and columns that are not filled one by one with things of a kind")
    return cells[-1][0], columns


def _side_relations(drafts: list[Draft]) -> list[Relation]:
    """The relations that follow from places in the picture, between neighbours along the one axis."""
    sides = [draft.side for draft in drafts]
    if not any(sides):
        return []
    axes = {SIDES[side][0] for side in sides if side} - {""}
    ranks = sorted({SIDES[side][1] for side in sides if side})
    if None in sides or len(axes) != 1 or len(ranks) < 2:
        raise PuzzledError("a place in the picture, and nothing to hold it against on the other side")
    word: RelationWord = "left of" if axes == {"across"} else "above"
    members = {rank: [place for place, side in enumerate(sides) if side and SIDES[side][1] == rank] for rank in ranks}
    found = []
    for low, high in pairwise(ranks):
        found += [Relation(one, word, other) for one in members[low] for other in members[high]]
    return found
