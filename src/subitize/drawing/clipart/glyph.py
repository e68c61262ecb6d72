"""A thing that can be drawn, and the colours it can be drawn in.

A drawing stays inside the circle of radius 48 around (50, 50) of a 100 × 100 view box and is one connected
shape: placement can then keep things apart by their circles alone. It can be drawn in every colour of PALETTE;
`colours` are those that the thing has by nature.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

Drawing = Callable[["Tints"], str]


@dataclass(frozen=True, slots=True)
class Tints:
    """One colour as a draughtsman uses it: where light falls, by itself, in the shade, and as a contour."""

    light: str
    plain: str
    shade: str
    line: str


@dataclass(frozen=True, slots=True)
class Glyph:
    """A thing that can be drawn, in two or more drawings."""

    noun: str
    drawings: tuple[Drawing, ...]
    colours: tuple[str, ...]


PALETTE: Mapping[str, Tints] = MappingProxyType(
    {
        "red": Tints("#ff9a8f", "#dc2b2f", "#a81622", "#7d0f1b"),
        "orange": Tints("#ffcf94", "#f5821f", "#cf5f0c", "#9c4507"),
        "yellow": Tints("#fff0a0", "#f7cb2d", "#dba20f", "#a87808"),
        "green": Tints("#d3f09a", "#6fb52c", "#4a8a1b", "#33660f"),
        "blue": Tints("#a5cdff", "#2f6fd6", "#1c4da6", "#123674"),
        "purple": Tints("#d9b3f0", "#8a3fb5", "#652888", "#471a61"),
        "pink": Tints("#ffd9e8", "#f279a8", "#d2527f", "#a0375d"),
        "brown": Tints("#cf9f73", "#8b5328", "#653a19", "#46270f"),
        "black": Tints("#777777", "#1b1b1b", "#0a0a0a", "#000000"),
        "white": Tints("#ffffff", "#f1f1f1", "#c4c4c4", "#6a6a6a"),
        "grey": Tints("#c9c9c9", "#8a8a8a", "#686868", "#474747"),
    }
)
