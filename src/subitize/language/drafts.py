"""Collects what has been read of a prompt, and turns it into a scene."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from subitize.language import scene as scenes
from subitize.language.lexicon import POTTED, SIDES
from subitize.language.terms import NotUnderstoodError, Term
from subitize.records import RelationWord

MOST_ITEMS = 50

Joint = Literal["first", "comma", "and", "but", "with", "without"]
"""What comes before an item."""


@dataclass(slots=True, eq=False)
class Draft:
    """A partly read entity.

    The noun may follow later ("3 red and 2 green apples"); the number is None for a noun without one ("cats and dogs").
    """

    noun: str
    number: int | scenes.Quantifier | None
    colour: str | None = None
    form: scenes.Form | None = None
    clause: int = 0
    group: int = 0
    joint: Joint = "first"
    is_article: bool = False
    is_another: bool = False
    side: str | None = None
    cell: tuple[int, int] | None = None
    is_dropped: bool = False


@dataclass(slots=True, eq=False)
class Clause:
    """A partly read clause: its items, in groups with relations between them.

    `joint` is what comes before the next item; None if nothing has yet. `front` is a relation or a place in the picture
    that opens the clause. The first `sided_to` items have their place. `held` is what the thing before "with" holds.
    """

    number: int
    groups: list[list[Draft]] = field(default_factory=lambda: [[]])
    relations: list[RelationWord | scenes.ContactWord] = field(default_factory=list)
    joint: Joint | None = "first"
    front: RelationWord | scenes.ContactWord | Literal["side"] | None = None
    side: str | None = None
    sided_to: int = 0
    whole: Draft | None = None
    held: "Hold | None" = None
    has_setting: bool = False

    @property
    def items(self) -> list[Draft]:
        """The items of all groups."""
        return [item for group in self.groups for item in group]

    @property
    def awaits_item(self) -> bool:
        """Whether an item must follow, as after "and"."""
        return self.joint not in (None, "first", "comma")

    @property
    def is_complete(self) -> bool:
        """Whether the last item may be described further."""
        return self.joint in (None, "comma")

    def mention(self, item: Draft) -> Draft:
        """Add an item, unless the clause has mentioned it."""
        if item not in self.items:
            self.groups[-1].append(item)
        return item


@dataclass(slots=True, eq=False)
class Hold:
    """A thing in or on a place; while all numbers are exact, a loose one does not count ("a table with 3 cups")."""

    thing: Draft
    word: scenes.HoldingWord
    place: Draft
    is_loose: bool = False
    is_clear: bool = True


Related = tuple[Draft, RelationWord | scenes.ContactWord, Draft]
Compared = tuple[Draft, scenes.ComparisonWord, Draft]


@dataclass(slots=True, eq=False)
class Drafts:
    """All that is read of a prompt, in order; further description applies to `last`.

    `is_open` says that the prompt has open numbers, comparisons or parts.
    """

    is_open: bool
    told: list[Draft] = field(default_factory=list)
    last: Draft | None = None
    relations: list[Related] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    grid: tuple[int, int] | None = None
    potted: Draft | None = None
    at_most: int = MOST_ITEMS

    def add(self, draft: Draft) -> Draft:
        """Add a thing that has not been mentioned."""
        self.told.append(draft)
        if len(self.told) > MOST_ITEMS:
            raise NotUnderstoodError(f"more than {MOST_ITEMS} counts in one prompt")
        if len(self.told) > self.at_most:
            raise NotUnderstoodError("something else after nothing else")
        return draft

    def named(self, noun: str) -> list[Draft]:
        """The things mentioned with this noun."""
        return [draft for draft in self.told if draft.noun == noun]

    def find(self, noun: str) -> Draft | None:
        """The one thing mentioned with this noun."""
        found = self.named(noun)
        if len(found) > 1:
            raise NotUnderstoodError(f"which {noun!r}?")
        return found[0] if found else None

    def set_apart(self, whole: Draft, number: int, form: scenes.Form) -> None:
        """Give a form to some of the things: one of three forks is broken."""
        if not isinstance(whole.number, int) or whole.form is not None or not 1 <= number <= whole.number:
            raise NotUnderstoodError(f"{number} of which {whole.noun!r}?")
        if number == whole.number:
            whole.form = form
            return
        whole.number -= number
        self.told.insert(self.told.index(whole) + 1, replace(whole, number=number, form=form))


def make_scene(drafts: Drafts) -> scenes.Scene:
    """Make the scene; raise NotUnderstoodError if it is inconsistent."""
    kept = [draft for draft in drafts.told if not draft.is_dropped]
    _check_numbers(kept, drafts.compared)
    _check_counted_once(kept)
    _check_pot(kept, drafts)
    _check_positions(kept, drafts)
    holds = _settled_holds(drafts)
    places = list(dict.fromkeys(hold.place for hold in holds))
    kept = [draft for draft in kept if draft not in places] + places
    at = {draft: place for place, draft in enumerate(kept)}
    told = drafts.relations or _side_relations(kept)
    relations = dict.fromkeys(scenes.Relation(at[one], word, at[other]) for one, word, other in told)
    comparisons = tuple(scenes.Comparison(at[one], word, at[other]) for one, word, other in drafts.compared)
    entities = tuple(map(_make_entity, kept))
    scene = scenes.Scene(entities, tuple(relations), comparisons, _check_grid(kept, drafts.grid))
    if scene.relations and holds:
        raise NotUnderstoodError("things in or on others, and places in the picture besides")
    if scene.grid and (scene.relations or drafts.is_open or holds):
        raise NotUnderstoodError("rows and columns, and other places besides")
    if scenes.find_places(scene) is None:
        raise NotUnderstoodError("places that contradict one another")
    held = (scenes.Relation(at[hold.thing], hold.word, at[hold.place]) for hold in holds)
    return replace(scene, relations=(*scene.relations, *held))


def _make_entity(one: Draft) -> scenes.Entity:
    return scenes.Entity(one.noun, "some" if one.number is None else one.number, one.colour, one.form)


def _check_numbers(drafts: list[Draft], compared: list[Compared]) -> None:
    if not drafts:
        raise NotUnderstoodError("no number of things to draw")
    if sum(draft.number for draft in drafts if isinstance(draft.number, int)) > scenes.MOST_THINGS:
        raise NotUnderstoodError(f"more than {scenes.MOST_THINGS} things")
    in_comparison = [draft for one, _, other in compared for draft in (one, other)]
    for draft in drafts:
        if draft in in_comparison and draft.number not in (None, "some"):
            raise NotUnderstoodError(f"the number of {draft.noun!r}, and how it compares besides")
        if draft not in in_comparison and draft.number is None:
            raise NotUnderstoodError(f"{draft.noun!r} has no number")


def _check_counted_once(drafts: list[Draft]) -> None:
    """Refuse two counts of a noun unless they are clearly of different things: "2 apples and 3 apples"."""
    for place, later in enumerate(drafts):
        for earlier in drafts[:place]:
            if earlier.noun == later.noun and not _are_apart(drafts, earlier, later):
                raise NotUnderstoodError(f"{later.noun!r} is counted twice: {earlier.number} and {later.number}")


def _are_apart(drafts: list[Draft], earlier: Draft, later: Draft) -> bool:
    """Whether two counts of a noun are of different things: they differ in colour, form or place, or add up."""
    if earlier.colour and later.colour and earlier.colour != later.colour:
        return True
    if earlier.clause != later.clause or not (isinstance(earlier.number, int) and isinstance(later.number, int)):
        return False
    if earlier.group != later.group:
        return True
    if not (earlier.number and later.number):  # "no dogs and three dogs"
        return False
    return earlier.colour == later.colour if earlier.form != later.form else _add_up(drafts, earlier, later)


def _add_up(drafts: list[Draft], earlier: Draft, later: Draft) -> bool:
    group = [draft for draft in drafts if (draft.clause, draft.group) == (later.clause, later.group)]
    if earlier.colour != later.colour:  # in "7 apples, 3 red apples" the 3 may be among the 7
        return later.joint == "and" and group.index(later) == group.index(earlier) + 1
    # "a cat, a cat, a cat to the left of a dog": all three, or the last?
    is_alone = len(group) == len(drafts) and not any(draft.side for draft in group)
    is_drawn_out = is_alone and len(group) > 2 and all(draft.number == 1 and draft.colour is None for draft in group)
    is_list = len({draft.noun for draft in group}) == 1 and (group[-1].joint == "and" or is_drawn_out)
    return later.joint == "and" or later.is_another or is_list


def _check_pot(drafts: list[Draft], told: Drafts) -> None:
    """Refuse an undrawn pot that holds anything but plants, or has a place; its contents may have a side."""
    if told.potted is None:
        return
    if told.potted.noun not in POTTED:
        raise NotUnderstoodError(f"a pot with something else in it than flowers: {told.potted.noun!r}")
    is_mixed = any(draft.noun != told.potted.noun for draft in drafts)
    if told.relations or told.holds or (is_mixed and any(draft.side for draft in drafts)):
        raise NotUnderstoodError("a pot, and where it stands")


def _settled_holds(drafts: Drafts) -> list[Hold]:
    """What is in or on what; loose holds count only if there is more than exact numbers of things."""
    if not drafts.is_open and all(hold.is_loose for hold in drafts.holds):
        return []
    held: list[Draft] = []
    for hold in drafts.holds:
        if not hold.is_clear:
            raise NotUnderstoodError(f"what is {hold.word} what?")
        if hold.place.number != 1 or hold.place.form is not None or hold.thing is hold.place:
            raise NotUnderstoodError(f"what holds {hold.thing.noun!r}?")
        if hold.thing in held or hold.place in held:
            raise NotUnderstoodError(f"{hold.thing.noun!r} in two places")
        held.append(hold.thing)
    return drafts.holds


def _check_positions(drafts: list[Draft], told: Drafts) -> None:
    """Refuse what has two positions, and the position of what is not there or not whole: "no dogs above a cat"."""
    aside = [draft for draft in drafts if draft.side]
    if aside and told.relations:
        raise NotUnderstoodError("relations, and places in the picture besides")
    placed = aside + [draft for one, _, other in told.relations for draft in (one, other)]
    if told.is_open and any(draft.number == 0 or isinstance(draft.form, scenes.Portion) for draft in placed):
        raise NotUnderstoodError("the position of what is not there, or not whole")


def _side_relations(drafts: list[Draft]) -> list[Related]:
    """The relations implied by places in the picture, between neighbours along one axis."""
    sides = [draft.side for draft in drafts]
    if not any(sides):
        return []
    axes = {SIDES[side][0] for side in sides if side} - {""}
    ranks = sorted({SIDES[side][1] for side in sides if side})
    if None in sides or len(axes) != 1 or len(ranks) < 2:
        raise NotUnderstoodError("a place in the picture, and nothing to hold it against on the other side")
    word: RelationWord = "left of" if axes == {"across"} else "above"
    members = {rank: [draft for draft in drafts if draft.side and SIDES[draft.side][1] == rank] for rank in ranks}
    return [(one, word, other) for low, high in pairwise(ranks) for one in members[low] for other in members[high]]


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


def settle_parts(clause: Clause) -> None:
    """Replace a whole by parts that add up to its number: "seven apples, 3 red and 4 green"."""
    items = clause.items
    elided = [place for place, item in enumerate(items) if not item.noun]
    if clause.whole is None and not elided:
        return
    if (clause.whole is None and elided[0] != 1) or clause.front:
        raise NotUnderstoodError("a number of what?")
    whole, parts = items[0], items[1:]
    is_made_up = (
        whole.clause == clause.number
        and whole.colour is None
        and all(part.noun in ("", whole.noun) and part.colour and isinstance(part.number, int) for part in parts)
        and sum(part.number for part in parts if isinstance(part.number, int)) == whole.number
        and (clause.whole is not None or parts[0].joint == "comma")
        and len({part.colour for part in parts}) == len(parts)
    )
    if not is_made_up:
        raise NotUnderstoodError(f"the parts do not make up the {whole.number} of {whole.noun!r}")
    for part in parts:
        part.noun = whole.noun
    whole.is_dropped = True


def relate_groups(clause: Clause) -> list[Related]:
    """Relate all items before a relation word to all after it."""
    groups = [[item for item in group if not item.is_dropped] for group in clause.groups]
    found: list[Related] = []
    for (first, second), word in zip(pairwise(groups), clause.relations, strict=False):
        subjects, landmarks = (second, first) if clause.front else (first, second)
        found += [(subject, word, landmark) for subject in subjects for landmark in landmarks]
    return found


def read_bare(terms: list[Term]) -> scenes.Scene | None:
    """Read singular nouns with nothing but commas between them: one of each; None for anything else."""
    nouns, commas = terms[::2], terms[1::2]
    are_nouns = all(term.kind == "noun" and not term.is_plural for term in nouns)
    if len(terms) % 2 == 0 or not are_nouns or any(term.kind != "comma" for term in commas):
        return None
    names = [term.name for term in nouns]
    return scenes.Scene(tuple(scenes.Entity(name, 1) for name in names)) if len(set(names)) == len(names) else None
