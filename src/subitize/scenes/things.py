"""What quantities.py has read so far: things, where they are held and how they compare, and the scene they make."""

from dataclasses import dataclass, field

from subitize.scenes.items import MOST_ITEMS
from subitize.scenes.scene import (
    MOST_THINGS,
    Comparison,
    ComparisonWord,
    Entity,
    Form,
    HoldingWord,
    Quantifier,
    Relation,
    Scene,
)
from subitize.scenes.terms import PuzzledError


@dataclass(slots=True, eq=False)
class Thing:
    """An entity as far as it is read; its number is None where a noun stands alone ("cats and dogs")."""

    noun: str
    number: int | Quantifier | None
    colour: str | None = None
    form: Form | None = None
    clause: int = 0


@dataclass(slots=True, eq=False)
class Things:
    """All that is told of, in order; `last` is what may be said more of."""

    clause: int = 0
    last: Thing | None = None
    told: list[Thing] = field(default_factory=list)
    held: list[tuple[Thing, HoldingWord, Thing]] = field(default_factory=list)
    compared: tuple[Thing, ComparisonWord, Thing] | None = None
    at_most: int = MOST_ITEMS

    def find(self, noun: str) -> Thing | None:
        """The one thing of this noun that is told of."""
        found = [thing for thing in self.told if thing.noun == noun]
        if len(found) > 1:
            raise PuzzledError(f"which {noun!r}?")
        return found[0] if found else None

    def tell(self, thing: Thing) -> Thing:
        """Add a thing, told in this clause."""
        thing.clause = self.clause
        self.told.append(thing)
        if len(self.told) > self.at_most:
            raise PuzzledError("something else after nothing else, or too many things")
        return thing

    def set_apart(self, whole: Thing, number: int, form: Form) -> None:
        """Give a form to some of the things: of three forks one is broken."""
        if not isinstance(whole.number, int) or whole.form is not None or not 1 <= number <= whole.number:
            raise PuzzledError(f"{number} of which {whole.noun!r}?")
        if number == whole.number:
            whole.form = form
            return
        whole.number -= number
        self.told.insert(self.told.index(whole) + 1, Thing(whole.noun, number, whole.colour, form, whole.clause))

    def make_scene(self) -> Scene:
        """Make the scene, or find that it does not hold together."""
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
        if not self.told:
            raise PuzzledError("no number of things to draw")
        if sum(thing.number for thing in self.told if isinstance(thing.number, int)) > MOST_THINGS:
            raise PuzzledError(f"more than {MOST_THINGS} things")
        in_comparison = [self.compared[0], self.compared[2]] if self.compared else []
        for thing in self.told:
            if thing in in_comparison and thing.number not in (None, "some"):
                raise PuzzledError(f"the number of {thing.noun!r}, and how it compares besides")
            if thing not in in_comparison and thing.number is None:
                raise PuzzledError(f"{thing.noun!r} has no number")
        for position, later in enumerate(self.told):
            for earlier in self.told[:position]:
                if earlier.noun == later.noun and not _are_apart(earlier, later):
                    raise PuzzledError(f"{later.noun!r} is counted twice: {earlier.number} and {later.number}")


def _are_apart(one: Thing, other: Thing) -> bool:
    """Whether two counts of a noun are of different things: of two colours, or one sort whole and one in parts."""
    if one.colour != other.colour:
        return one.colour is not None and other.colour is not None
    is_counted = all(isinstance(thing.number, int) and thing.number > 0 for thing in (one, other))
    return is_counted and one.form != other.form and one.clause == other.clause
