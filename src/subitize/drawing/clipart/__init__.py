"""Our own clip-art: what can be drawn, how, and in which colours; every drawing is an SVG file beside this module.

A drawing stays inside the circle of radius 48 around (50, 50) of a 100 × 100 view box and is one connected shape:
placement can then keep things apart by their circles alone. What takes the colour asked for is painted with the CSS
variables --light, --plain, --shade, --line and --ink, the names of `Tints`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Tints:
    """One colour as a draughtsman uses it: where light falls, by itself, in the shade, and as a contour."""

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
    """A thing that can be drawn, in two or more drawings, and the colours that it has by nature."""

    noun: str
    drawings: tuple[str, ...]
    colours: tuple[str, ...]


def draw(noun: str, drawing: str, tints: Tints) -> str:
    """Give a drawing as an SVG document in one colour."""
    source = _source(f"{noun}-{drawing}")
    for variable in _VARIABLES:  # resvg knows none
        source = source.replace(f"var(--{variable})", getattr(tints, variable))
    return source


_VARIABLES = ("light", "plain", "shade", "line", "ink")


@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(f"{name.replace(' ', '-')}.svg").read_text(encoding="utf-8")


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

_ALL_BUT_WHITE = tuple(colour for colour in PALETTE if colour != "white")

GLYPHS: Mapping[str, Glyph] = MappingProxyType(
    {
        glyph.noun: glyph
        for glyph in (
            Glyph("dot", ("flat", "rimmed"), _ALL_BUT_WHITE),
            Glyph("star", ("faceted", "rounded"), ("yellow", "orange", "red", "blue", "green", "purple", "black")),
            Glyph("triangle", ("flat", "rimmed"), _ALL_BUT_WHITE),
            Glyph("apple", ("lobed", "round"), ("red", "green", "yellow")),
            Glyph("lychee", ("halved", "peeled"), ("red", "pink", "purple")),
            Glyph("durian", ("whole", "opened"), ("green", "yellow", "brown")),
            Glyph("coconut", ("halved", "tapped"), ("brown", "green", "orange")),
            Glyph("olive", ("picked", "leafy"), ("green", "black", "purple")),
            Glyph("watermelon", ("striped", "slice"), ("green", "red", "yellow")),
            Glyph("banana", ("curved", "peeled"), ("yellow", "green", "red")),
            Glyph("parsnip", ("leafy", "trimmed"), ("yellow", "brown", "orange")),
            Glyph("cinnamon stick", ("rolled", "curled"), ("brown", "orange", "red")),
            Glyph("pistachio", ("split", "open"), ("yellow", "brown", "green")),
            Glyph("okra", ("whole", "cut"), ("green", "red", "purple")),
            Glyph("mushroom", ("spotted", "gilled"), ("red", "brown", "orange", "yellow")),
            Glyph("rice grain", ("polished", "husked"), ("yellow", "brown", "black")),
            Glyph("seed", ("striped", "sprouting"), ("black", "brown", "yellow")),
            Glyph("egg", ("fried", "cracked"), ("yellow", "orange", "brown")),
            Glyph("burger", ("flat", "tall"), ("orange", "brown", "yellow")),
            Glyph("pizza", ("sectioned", "slice"), ("orange", "yellow", "red")),
            Glyph("samosa", ("crimped", "bitten"), ("orange", "brown", "yellow")),
            Glyph("loaf", ("sandwich", "slashed"), ("brown", "orange", "yellow")),
            Glyph("cookie", ("bitten", "dipped"), ("orange", "brown", "yellow")),
            Glyph("chocolate", ("wrapped", "bitten"), ("brown", "red", "purple")),
            Glyph("candy", ("wrapped", "lollipop"), ("red", "green", "purple", "pink")),
            Glyph("cake", ("birthday", "slice"), ("pink", "brown", "orange")),
            Glyph("person", ("man", "woman", "waver"), ("red", "blue", "green", "purple", "orange")),
            Glyph(
                "butterfly",
                ("spotted", "swallowtail", "resting"),
                ("orange", "blue", "yellow", "purple", "pink", "red"),
            ),
            Glyph("dog", ("standing", "face"), ("brown", "grey", "black")),
            Glyph("cat", ("sitting", "face"), ("orange", "grey", "black", "brown")),
            Glyph("fish", ("long", "tall"), ("orange", "blue", "yellow", "red", "green")),
            Glyph("ant", ("above", "side"), ("black", "red", "brown")),
            Glyph("fly", ("above", "side"), ("black", "grey", "blue", "green")),
            Glyph("axolotl", ("smiling", "walking"), ("pink", "yellow", "brown", "grey")),
            Glyph("seahorse", ("slender", "stout"), ("orange", "yellow", "purple", "red")),
            Glyph("kangaroo", ("standing", "leaping"), ("brown", "orange", "grey")),
            Glyph("koala", ("face", "climbing"), ("grey", "brown", "black")),
            Glyph("manatee", ("swimming", "above"), ("grey", "brown", "blue")),
            Glyph("tree", ("broad", "fir"), ("green", "orange", "yellow", "red", "brown")),
            Glyph("leaf", ("beech", "maple"), ("green", "orange", "red", "yellow", "brown")),
            Glyph(
                "flower", ("tulip", "daisy"), ("red", "blue", "orange", "pink", "purple", "yellow", "green", "black")
            ),
            Glyph("bonsai", ("upright", "leaning"), ("green", "orange", "pink", "red")),
            Glyph("table", ("dining", "pedestal"), ("brown", "grey", "orange", "black")),
            Glyph("chair", ("kitchen", "armchair"), ("brown", "red", "green", "blue")),
            Glyph("crib", ("barred", "cradle"), ("brown", "pink", "blue", "yellow")),
            Glyph("shelf", ("standing", "wall"), ("brown", "grey", "blue", "orange")),
            Glyph("book", ("closed", "open"), ("red", "blue", "green", "purple")),
            Glyph("page", ("dog-eared", "torn"), ("yellow", "grey", "pink", "blue")),
            Glyph("cup", ("mug", "teacup"), ("blue", "red", "yellow", "green")),
            Glyph("plate", ("shallow", "patterned"), ("blue", "grey", "green", "pink")),
            Glyph("vase", ("shouldered", "amphora"), ("purple", "orange", "blue", "brown")),
            Glyph("bottle", ("wine", "water"), ("green", "brown", "blue")),
            Glyph("candle", ("pillar", "chamberstick"), ("red", "purple", "yellow", "green")),
            Glyph("spoon", ("table", "wooden"), ("grey", "brown", "yellow")),
            Glyph("fork", ("table", "dessert"), ("grey", "black", "yellow")),
            Glyph("trowel", ("garden", "brick"), ("grey", "green", "red")),
            Glyph("pencil", ("rubber-tipped", "stub"), ("yellow", "red", "blue", "green")),
            Glyph("flute", ("transverse", "recorder"), ("grey", "brown", "yellow", "black")),
            Glyph("corkscrew", ("handled", "winged"), ("brown", "grey", "red")),
            Glyph("paperclip", ("round", "pointed"), ("grey", "blue", "red", "yellow")),
            Glyph("bell", ("hand", "church"), ("yellow", "orange", "red", "green", "blue", "black", "grey")),
            Glyph("car", ("side", "front"), ("red", "blue", "green", "orange", "black", "grey", "yellow")),
            Glyph("plane", ("jet", "propeller"), ("blue", "red", "orange", "green", "black", "grey", "yellow")),
            Glyph("ball", ("beach", "football"), ("red", "blue", "green", "orange", "yellow", "purple", "pink")),
        )
    }
)

# Also drawn bare, in NOUN-bare.svg: plain and whole. On the large flat area of a holder, in one colour, things lie.
HOLDERS = ("table", "cake", "plate", "watermelon", "vase", "shelf", "book")
BARE = (*HOLDERS, "pizza")
PLAIN = -1
"""In place of a drawing's number: the thing bare, uncut and with nothing in or on it."""
# The drawings that show a thing whole, where others show it opened, bitten or sliced.
UNCUT: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "banana": (0,),
        "cookie": (1,),
        "chocolate": (0,),
        "loaf": (1,),
        "samosa": (0,),
        "watermelon": (0,),
        "cake": (PLAIN,),
        "pizza": (PLAIN,),
    }
)
