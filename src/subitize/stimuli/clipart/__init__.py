"""Our own clip-art: what can be drawn, how, and in which colours; every drawing is an SVG file in this folder.

A drawing stays inside the circle of radius 48 around (50, 50) of a 100 × 100 view box and is one connected shape:
placement can then keep things apart by their circles alone. Parts that take the colour asked for are painted with the
CSS variables --light, --plain, --shade, --line and --ink, the names of `Tints`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from subitize.io.files import read_own_toml


@dataclass(frozen=True, slots=True)
class Tints:
    """Shades of one colour: in the light, plain, in the shade, and as a contour."""

    light: str
    plain: str
    shade: str
    line: str

    @property
    def ink(self) -> str:
        """The colour of lines inside a thing: on black, those of a contour would not show."""
        return self.light if self.line == "#000000" else self.line


@dataclass(frozen=True, slots=True)
class Glyph:
    """A thing that can be drawn, with its drawings (two or more) and its natural colours."""

    noun: str
    drawings: tuple[str, ...]
    colours: tuple[str, ...]


def draw(noun: str, drawing: str, tints: Tints) -> str:
    """Return a drawing as an SVG document in one colour."""
    source = _source(f"{noun}-{drawing}")
    for variable in _VARIABLES:  # resvg does not support variables
        source = source.replace(f"var(--{variable})", getattr(tints, variable))
    return source


_VARIABLES = ("light", "plain", "shade", "line", "ink")


@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(f"{name.replace(' ', '-')}.svg").read_text(encoding="utf-8")


_TABLES = read_own_toml(__file__, "clipart.toml")

PALETTE: Mapping[str, Tints] = {name: Tints(*tints) for name, tints in _TABLES["palette"].items()}
GLYPHS: Mapping[str, Glyph] = {
    noun: Glyph(noun, tuple(row["drawings"]), tuple(row["colours"])) for noun, row in _TABLES["glyphs"].items()
}

# Also drawn bare (plain and whole), in NOUN-bare.svg. Things lie on a holder's large flat area of one colour.
HOLDERS = ("table", "cake", "plate", "watermelon", "vase", "shelf", "book")
BARE = (*HOLDERS, "pizza")
PLAIN = -1
"""In place of a drawing's number: the bare drawing, uncut and with nothing in or on it."""
UNCUT: Mapping[str, tuple[int, ...]] = {
    noun: tuple(row["uncut"]) for noun, row in _TABLES["glyphs"].items() if "uncut" in row
}
"""The drawings that show a thing whole, where others show it opened, bitten or sliced."""
