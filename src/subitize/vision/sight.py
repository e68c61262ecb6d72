"""What is seen in a picture: things, each with its kind, its colours, its form, its place, and what holds it."""

from dataclasses import dataclass
from fractions import Fraction

from subitize.records import Box
from subitize.scenes import Form, Portion


@dataclass(frozen=True, slots=True)
class Seen:
    """A thing in a picture; its form is None where it is unknown, its holder the position of what it is in or on.

    Two colours are those of its halves.
    """

    kind: str
    score: float
    xyxy: tuple[float, float, float, float]
    colours: tuple[str, ...]
    form: Form | None = None
    holder: int | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything that is seen in a picture; a holder comes before what it holds."""

    things: tuple[Seen, ...]

    def boxes(self) -> tuple[Box, ...]:
        """Give everything as boxes, from the top left to the bottom right; a portion is no thing of its kind."""
        boxes = (
            Box(_label(thing), thing.score, thing.xyxy, " and ".join(dict.fromkeys(thing.colours)))
            for thing in self.things
        )
        return tuple(sorted(boxes, key=lambda box: (box.xyxy[1], box.xyxy[0])))


def _label(thing: Seen) -> str:
    if isinstance(thing.form, Portion):
        return f"{_SHARES.get(thing.form.share, str(thing.form.share))} {thing.kind}"
    return thing.kind


_SHARES = {Fraction(1, 2): "half", Fraction(1, 4): "quarter"}
