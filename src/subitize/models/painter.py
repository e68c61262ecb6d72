"""Reads a prompt and draws it, exactly or with errors of a known distribution."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from subitize.errors import BadValueError
from subitize.interfaces import Model, Pixels, Reply, Request
from subitize.io.images import encode_png
from subitize.language.clauses import read_scene
from subitize.language.scene import MOST_THINGS, Halves, NotUnderstood, with_exact_numbers
from subitize.records import Refused
from subitize.stats.response_law import Slips, human_law
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.compositions import compose, drawing_order
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.placement import LARGEST_PICTURE_PX, SMALLEST_PICTURE_PX
from subitize.stimuli.recipes import WHITE, Colour, Layout, PlacedThing, paint

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
        many = (0, MOST_THINGS)
        _check("weber", weber, (0, 10))
        _check("subitizing", subitizing, many)
        _check("highest", highest, (1, MOST_THINGS))
        _check("over", over, many)
        _check("under", under, many)
        _check("omit", omit, (0, 1))
        _check("merge", merge, (0, 1))
        _check("size_px", size_px, (SMALLEST_PICTURE_PX, LARGEST_PICTURE_PX))
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


def _check(name: str, value: float, limits: tuple[int, int]) -> None:
    low, high = limits
    if not low <= value <= high:
        raise BadValueError(f"model 'painter': {name}={value:g}: should be from {low} to {high}")


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
