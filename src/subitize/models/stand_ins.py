"""Embedded models: the observer, the painter, and an ideal human who follows Weber's law.

The observer answers by classical vision, and the painter draws prompts by our own glyphs, exactly or with errors of a
known distribution. The ideal human counts a few things exactly and estimates more. None needs a key, a download or a
GPU."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Model, Pixels, Reply, Request
from subitize.io.images import encode_png
from subitize.io.specs import check_range
from subitize.labels import Rule, interpret
from subitize.language.clauses import read_scene
from subitize.language.counted import is_count, make_count, read_counted
from subitize.language.nouns import singular
from subitize.language.numbers import count_noun
from subitize.language.scene import MOST_THINGS, Halves, NotUnderstood, with_exact_numbers
from subitize.records import UNKNOWN, Box, Boxes, Count, Draw, Known, Place, Refused, RelationWord, Said
from subitize.stats.response_law import Slips, human_law
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.compositions import compose, drawing_order
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import look_at
from subitize.stimuli.placement import LARGEST_PICTURE_PX, SMALLEST_PICTURE_PX
from subitize.stimuli.recipes import WHITE, Colour, Layout, PlacedThing, paint
from subitize.stimuli.recognition import KINDS

_PLACE = re.compile(r"\b(left of|right of|above|below) (?:the |an |a )?([a-z -]{1,60})", re.IGNORECASE)
_WHAT = re.compile(r"what (?:does|is|do)\b", re.IGNORECASE)
ANY_KIND = {"object", "thing", "shape", "item"}
_RELATIONS: dict[str, RelationWord] = {word: word for word in ("left of", "right of", "above", "below")}


class ObserverModel(Model):
    """Count and name what is seen, by classical vision; what it does not know it calls unknown."""

    tasks = frozenset({"answer"})
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        """Look at the picture and answer the question in words."""
        content = answer(request.text, look_at(request.picture()))
        return Reply(content, request.provenance())


def read_count(question: str) -> Count | None:
    """Read what a question asks to count, if it asks for a number: "red apples", "to the left of the trees"."""
    asked = read_counted(question)
    if asked is None:
        return None
    place = _PLACE.search(asked.rest)
    where = Place(_RELATIONS[place[1].lower()], singular(place[2].strip().lower())) if place else None
    return replace(make_count(asked.things, COLOUR_NAMES), place=where)


def answer(question: str, seen: tuple[Box, ...]) -> Said | Refused:
    """Answer a question from what is seen."""
    if asked := read_count(question):
        return _count(asked, seen)
    if _WHAT.search(question):
        kinds = Counter(box.label for box in seen)
        return Said(", ".join(count_noun(n, kind) for kind, n in kinds.most_common()) or "nothing")
    return Refused(f"not understood: {question[:60]!r}")


def _count(asked: Count, seen: tuple[Box, ...]) -> Said | Refused:
    if asked.noun in ANY_KIND and asked.place is None:
        return Said(str(sum(asked.colour in (None, box.colour) for box in seen)))
    for noun in (asked.noun, asked.place.landmark if asked.place else asked.noun):
        if noun not in KINDS:
            return Refused(f"not understood: {noun!r} is none of the {len(KINDS)} kinds of things this observer knows")
    if strange := sum(box.label == UNKNOWN for box in seen):
        return Refused(f"{strange} of {len(seen)} things seen are unknown to this observer")
    number = interpret(Boxes(seen), asked, Rule("boxes"))
    return Said(str(number.value)) if isinstance(number, Known) else Refused(number.reason)


class IdealHuman(Model):
    """See or draw how many there are, exactly to `subitizing`, then with the Weber fraction `weber` (Numbersense)."""

    tasks = frozenset({"answer", "draw"})
    is_stand_in = True

    def __init__(self, *, weber: float = 0.15, subitizing: int = 4, highest: int = 20) -> None:
        if not (0 <= weber <= 10 and subitizing >= 0 and 1 <= highest <= 10_000):
            given = f"weber={weber:g},subitizing={subitizing},highest={highest}"
            wanted = "weber 0 to 10, subitizing >= 0, highest 1 to 10000"
            raise BadValueError(f"model 'ideal-human': {given}: should be {wanted}")
        self._weber, self._subitizing, self._highest = weber, subitizing, highest

    def compute(self, request: Request, /) -> Reply:
        """Look, or read the prompt, then sample the response from the law of its number."""
        if isinstance(request.task, Draw):
            return draw(request, lambda asked, random: DrawnNumber(self._number(asked, random)))
        seen = look_at(request.picture())
        if not is_count(request.text):
            return Reply(answer(request.text, seen), request.provenance())
        response = self._number(len(seen), np.random.default_rng(request.seed))
        return Reply(Said(str(response)), request.provenance())

    def _number(self, target: int, random: np.random.Generator) -> int:
        if target == 0:
            return 0
        law = human_law(target, weber=self._weber, subitizing=self._subitizing, highest=self._highest)
        return 1 + int(random.choice(len(law), p=law))


SIZE_PX = 1024


class Painter(Model):
    """Draw what the prompt says with our own glyphs, or say that it is not understood; never a guess.

    The number of things of a kind is drawn from round(normal(n, weber × n)) truncated to [1, highest]; up to
    `subitizing` it is exact. Then `over` more or `under` fewer are drawn (at least 1), each is left out with
    probability `omit`, and each but the first falls on another, and so is not seen, with probability `merge`.

    Args:
        over: so many more are drawn
        under: so many fewer are drawn, but at least 1
        omit: how likely each is left out
        merge: how likely each falls on another and is not seen
    """

    tasks = frozenset({"draw"})
    is_stand_in = True

    def __init__(
        self,
        *,
        weber: float = 0.0,
        subitizing: int = 0,
        highest: int = MOST_THINGS,
        over: int = 0,
        under: int = 0,
        omit: float = 0.0,
        merge: float = 0.0,
        size_px: int = SIZE_PX,
    ) -> None:
        who = "model 'painter'"
        check_range(who, 0, 10, weber=weber)
        check_range(who, 0, MOST_THINGS, subitizing=subitizing, over=over, under=under)
        check_range(who, 1, MOST_THINGS, highest=highest)
        check_range(who, 0, 1, omit=omit, merge=merge)
        check_range(who, SMALLEST_PICTURE_PX, LARGEST_PICTURE_PX, size_px=size_px)
        self.slips = Slips(weber, subitizing, highest, over - under, omit, merge)
        self._size_px = size_px

    def compute(self, request: Request, /) -> Reply:
        """Read the prompt and draw it."""
        return draw(request, self.number, size_px=self._size_px)

    def number(self, asked: int, random: np.random.Generator) -> "DrawnNumber":
        """Draw the number of things with all slips applied."""
        if asked == 0:
            return DrawnNumber(0)
        slips = self.slips
        law = human_law(asked, weber=slips.weber, subitizing=slips.subitizing, highest=slips.highest)
        meant = max(1, 1 + int(random.choice(len(law), p=law)) + slips.shift)
        drawn = int(np.count_nonzero(random.random(meant) >= slips.omit))
        merged = int(np.count_nonzero(random.random(max(drawn - 1, 0)) < slips.merge))
        return DrawnNumber(drawn - merged, merged)


@dataclass(frozen=True, slots=True)
class DrawnNumber:
    """How many things of a kind are visible in a picture, and how many more coincide with them."""

    seen: int
    hidden: int = 0


def draw(
    request: Request, number: Callable[[int, np.random.Generator], DrawnNumber], *, size_px: int = SIZE_PX
) -> Reply:
    """Draw the prompt's scene; `number` turns the number asked for into the number drawn."""
    asked = read_scene(request.text, tuple(GLYPHS), tuple(PALETTE))
    if isinstance(asked, NotUnderstood):
        return Reply(Refused(f"not understood: {asked.reason}"), request.provenance())
    random = np.random.default_rng(request.seed)
    settled = with_exact_numbers(asked, random)
    numbers = [number(entity.exact_number, random) for entity in settled.entities]
    entities = (replace(entity, number=n.seen) for entity, n in zip(settled.entities, numbers, strict=True))
    scene = replace(settled, entities=tuple(entities))
    try:
        plan = compose(scene, request.seed, size_px)
    except BadValueError as error:  # understood, but there is no room for so many
        return Reply(Refused(f"not drawn: {error}"), request.provenance())
    in_order = [numbers[index] for index in drawing_order(scene)]
    return Reply(Pixels(_png(_with_hidden(plan, in_order, random))), request.provenance())


def _with_hidden(plan: Layout, numbers: list[DrawnNumber], random: np.random.Generator) -> Layout:
    """Lay merged things exactly onto others of their entity, so that they are invisible."""
    hidden = []
    start = 0
    for number in numbers:
        own = plan.items[start : start + number.seen]
        hidden += [own[int(random.random() * len(own))] for _ in range(number.hidden)]
        start += number.seen
    return Layout(plan.size_px, (*plan.items, *hidden))


def _png(plan: Layout) -> bytes:
    background = _PALE_BLUE if any("white" in _colours(item) for item in plan.items) else WHITE
    return encode_png(paint(plan, background))


def _colours(item: PlacedThing) -> tuple[str, ...]:
    return item.form.colours if isinstance(item.form, Halves) else (item.colour,)


_PALE_BLUE: Colour = (150, 180, 210)  # white things would be invisible on white
