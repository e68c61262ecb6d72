"""Pictures of one thing that is none of our drawings: what the observer should call unknown."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Rgb = NDArray[np.uint8]
Points = list[tuple[float, float]]

SMALLEST_PX, LARGEST_PX = 40, 240


@dataclass(frozen=True, slots=True)
class Foreign:
    """A picture, the family of what is in it, and its name."""

    family: str
    name: str
    pixels: Rgb


def foreign_things(per_family: int, seed: int, known: frozenset[str] = frozenset()) -> Iterator[Foreign]:
    """Draw that many of each family, of random sizes, turns and colours; what is `known` by name is left out."""
    random = np.random.default_rng(seed)
    for family, names in _FAMILIES.items():
        unknown = [name for name in names if name not in known]
        for index in range(per_family):
            name = unknown[index % len(unknown)]
            side = int(random.integers(SMALLEST_PX, LARGEST_PX + 1))
            yield Foreign(family, name, _DRAWN[family](name, side, random))


def _polygon(name: str, side: int, random: np.random.Generator) -> Rgb:
    turn = float(random.random() * 2 * math.pi) if random.random() < 0.5 else 0.0
    c, s = math.cos(turn), math.sin(turn)
    points = [(x * c - y * s, x * s + y * c) for x, y in _POLYGONS[name]]
    return _painted(side, lambda draw, r: draw.polygon([(r + r * x, r + r * y) for x, y in points], _ink(random)))


def _curve(name: str, side: int, random: np.random.Generator) -> Rgb:
    ink, degrees = _ink(random), float(random.random() * 360)

    def paint(draw: ImageDraw.ImageDraw, r: float) -> None:
        whole = (0, 0, 2 * r, 2 * r)
        match name:
            case "wheel":
                draw.ellipse(whole, outline=ink, width=round(r * 0.2))
                for spoke in range(3):
                    turn = math.radians(degrees + 60 * spoke)
                    x, y = r * 0.9 * math.cos(turn), r * 0.9 * math.sin(turn)
                    draw.line((r - x, r - y, r + x, r + y), fill=ink, width=round(r * 0.15))
            case "half moon":
                draw.pieslice(whole, degrees, degrees + 180, fill=ink)
            case "slice":
                draw.pieslice(whole, degrees, degrees + 290, fill=ink)
            case "ellipse":
                draw.ellipse((0, 0.3 * r, 2 * r, 1.7 * r), fill=ink)
            case "dumbbell":
                draw.ellipse((0, 0.5 * r, 1.05 * r, 1.5 * r), fill=ink)
                draw.ellipse((0.95 * r, 0.5 * r, 2 * r, 1.5 * r), fill=ink)
            case "ring":
                draw.ellipse(whole, outline=ink, width=round(r * 0.4))
            case "crescent":
                draw.ellipse(whole, fill=ink)
                x, y = r * 0.5 * math.cos(degrees), r * 0.5 * math.sin(degrees)
                draw.ellipse((0.1 * r + x, 0.1 * r + y, 1.9 * r + x, 1.9 * r + y), fill="white")
            case "balloon":
                draw.line((r, r, r, 2 * r), fill="black", width=round(r * 0.1))
                draw.ellipse((0.4 * r, 0.4 * r, 1.6 * r, 1.6 * r), fill=ink)
            case _:
                draw.arc(whole, degrees, degrees + 270, fill=ink, width=round(r * 0.3))

    return _painted(side, paint)


def _character(name: str, side: int, random: np.random.Generator) -> Rgb:
    ink = _ink(random)

    def paint(draw: ImageDraw.ImageDraw, r: float) -> None:
        draw.text((r, r), name, fill=ink, font=ImageFont.load_default(2.4 * r), anchor="mm")

    return _painted(side, paint)


def _blob(name: str, side: int, random: np.random.Generator) -> Rgb:
    """A closed curve whose radius is a few random waves; `name` says how many."""
    waves = int(name.split()[0])
    turns = np.linspace(0, 2 * np.pi, 160, endpoint=False)
    radii = np.ones_like(turns)
    for wave in range(2, waves + 2):
        radii += (0.8 / wave) * (random.random() - 0.5) * 2 * np.cos(wave * turns + 2 * np.pi * random.random())
    radii = np.maximum(radii, 0.25) / np.maximum(radii, 0.25).max()
    points = [(radius * math.cos(turn), radius * math.sin(turn)) for radius, turn in zip(radii, turns, strict=True)]
    return _painted(side, lambda draw, r: draw.polygon([(r + r * x, r + r * y) for x, y in points], _ink(random)))


def _scrap(name: str, side: int, random: np.random.Generator) -> Rgb:
    """A patch with the texture of a photograph: noise in coarse and fine grains, in a rectangle or a disc."""
    texture = np.zeros((side, side, 3))
    for grains in (2, 4, 8, 16, side):
        grain = random.integers(0, 256, (grains, grains, 3), dtype=np.uint8)
        resized = Image.fromarray(grain).resize((side, side), Image.Resampling.BICUBIC)
        texture += np.asarray(resized, dtype=np.float64) / 5
    across = np.abs(np.arange(side) - side / 2 + 0.5)
    height, width = (side / 2, side / 2 * float(random.uniform(0.5, 1))) if "oblong" in name else (side / 2, side / 2)
    is_inside = (across[:, None] <= height) & (across <= width)
    if "disc" in name:
        is_inside = np.hypot(across[:, None], across) <= side / 2
    flat = np.clip((texture - 128) * 2.2 + 110, 0, 215).astype(np.uint8)
    pixels = np.full((side + 40, side + 40, 3), 255, dtype=np.uint8)
    pixels[20:-20, 20:-20][is_inside] = flat[is_inside]
    return pixels


def _painted(side: int, paint: Callable[[ImageDraw.ImageDraw, float], None]) -> Rgb:
    """Paint into a square of `side` pixels with a margin, at four times the size, and scale down."""
    large = Image.new("RGB", (4 * side, 4 * side), "white")
    paint(ImageDraw.Draw(large), 2 * side)
    canvas = Image.new("RGB", (side + 40, side + 40), "white")
    canvas.paste(large.resize((side, side), Image.Resampling.BOX), (20, 20))
    return np.asarray(canvas)


def _ink(random: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = (int(level) for level in random.integers(0, 200, 3))
    return red, green, blue


def _regular(corners: int, inner: float = 1.0) -> Points:
    count = corners if inner == 1 else 2 * corners
    radii = (1.0, inner)
    turns = [2 * math.pi * k / count - math.pi / 2 for k in range(count)]
    return [(radii[k % 2] * math.cos(turn), radii[k % 2] * math.sin(turn)) for k, turn in enumerate(turns)]


def _cross(w: float) -> Points:
    return [(-w, -1), (w, -1), (w, -w), (1, -w), (1, w), (w, w), (w, 1), (-w, 1), (-w, w), (-1, w), (-1, -w), (-w, -w)]


def _heart() -> Points:
    turns = np.linspace(0, 2 * np.pi, 80)
    down = -(13 * np.cos(turns) - 5 * np.cos(2 * turns) - 2 * np.cos(3 * turns) - np.cos(4 * turns)) / 17
    return [(float(x), float(y)) for x, y in zip(0.95 * np.sin(turns) ** 3, down, strict=True)]


_POLYGONS: Mapping[str, Points] = {
    "square": _regular(4),
    "oblong": [(-0.85, -0.5), (0.85, -0.5), (0.85, 0.5), (-0.85, 0.5)],
    "triangle": _regular(3),
    "pentagon": _regular(5),
    "hexagon": _regular(6),
    "star": _regular(5, 0.45),
    "blunt star": _regular(8, 0.75),
    "cross": _cross(0.33),
    "thick cross": _cross(0.5),
    "arrow": [(0, -1), (0.7, 0), (0.3, 0), (0.3, 0.95), (-0.3, 0.95), (-0.3, 0), (-0.7, 0)],
    "heart": _heart(),
    "trapezium": [(-0.5, -0.6), (0.5, -0.6), (0.8, 0.6), (-0.8, 0.6)],
}
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "polygon": tuple(_POLYGONS),
    "curve": ("wheel", "half moon", "slice", "ellipse", "dumbbell", "ring", "crescent", "balloon", "arc"),
    "character": tuple("ABCDEFGHJKLMNPQRSTUVWXYZabdeghkmnpqrstuwxyz0123456789&@#"),
    "blob": ("3 waves", "5 waves", "8 waves"),
    "scrap": ("square", "oblong", "disc"),
}
_DRAWN: Mapping[str, Callable[[str, int, np.random.Generator], Rgb]] = {
    "polygon": _polygon,
    "curve": _curve,
    "character": _character,
    "blob": _blob,
    "scrap": _scrap,
}
