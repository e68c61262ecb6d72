"""How often the observer's eye is right: python -m benchmarks.observer [--pictures 5000] [--seed 1] [--only kind].

Number on naming stimuli of every category; kind and colour on pictures of all glyphs mixed; how often what is none of
our drawings is called unknown; and the painter's pictures of GeckoNum's prompts, right if every question about them is
answered so. Every share is printed with its n and its Wilson interval.
"""

import argparse
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from benchmarks.foreign import Rgb, foreign_things
from benchmarks.geckonum_pictures import judge_pictures
from subitize.records import UNKNOWN, Box, Stimulus
from subitize.stats.estimate import wilson_interval
from subitize.stimuli import placement, recipes
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import see
from subitize.stimuli.recipes import Layout, PlacedThing, paint

GREY = (235, 235, 235)
# As in pictures of many things and in pictures of few: sizes from, to, and how many to a picture.
SIZES: Mapping[str, tuple[int, int, int]] = {"35 to 80 px": (35, 80, 60), "80 to 240 px": (80, 240, 8)}
SCALE = 0.75


Shares = Iterator[tuple[str, "Share"]]


@dataclass(slots=True)
class Share:
    """How often something was so, and what stood in its place when it was not."""

    right: int = 0
    n: int = 0
    instead: Counter[str] = field(default_factory=Counter)

    def add(self, is_right: bool, instead: str) -> None:
        """Count one more."""
        self.n += 1
        self.right += is_right
        if not is_right:
            self.instead[instead] += 1

    def __str__(self) -> str:
        if not self.n:
            return "none"
        estimate = wilson_interval(self.right, self.n)
        return f"{100 * estimate.value:7.2f} %  n {self.n:6d}  [{100 * estimate.low:.2f}, {100 * estimate.high:.2f}]"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=5000, help="naming stimuli of 1 to 10 things")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other pictures")
    parser.add_argument("--only", action="append", choices=PARTS, help="a part by itself")
    options = parser.parse_args()
    print(f"{len(GLYPHS)} glyphs, {len(recipes.CATEGORIES)} categories of naming stimuli")
    for part in options.only or PARTS:
        for what, share in PARTS[part](options.pictures, options.seed):
            _show(what, share)


def number(pictures: int, seed: int) -> Shares:
    """Count naming stimuli: all of them as drawn, a tenth of them in each distortion; of the crowded ones fewer."""
    for distortion in DISTORTIONS:
        few = pictures if distortion == "as drawn" else pictures // 10
        many = pictures // 5 if distortion == "as drawn" else pictures // 20
        for numbers, count in ((range(1, 11), few), (range(11, 101), many)):
            things = f"{numbers.start} to {numbers.stop - 1} things, {distortion}"
            of_all, of_kinds = numbers_right(distortion, count, numbers, seed)
            yield f"number, {things}", of_all
            yield f"number of each kind, {things}", of_kinds


def kind(pictures: int, seed: int) -> Shares:
    """Name everything in every colour, once and again for every thousand pictures."""
    for sizes in SIZES:
        for distortion in DISTORTIONS:
            for what, share in kinds_right(distortion, sizes, max(1, pictures // 1000), seed).items():
                yield f"{what}, {sizes}, {distortion}", share


def unknown(pictures: int, seed: int) -> Shares:
    """Show a tenth as many things of each family that is not ours."""
    for family, share in foreign_unknown(max(50, pictures // 10), seed).items():
        yield f"unknown: {family}", share


def geckonum(pictures: int, seed: int) -> Shares:
    """Judge so many pictures of Task 1 and of Tasks 2 and 3 as drawn, and a tenth of them in two distortions."""
    for tasks in ((1,), (2, 3)):
        for distortion, distort in PICTURE_DISTORTIONS.items():
            count = pictures if distortion == "as drawn" else max(1, pictures // 10)
            shares: dict[str, Share] = {}
            for judged in judge_pictures(count, seed, tasks, distort):
                for name in ("all", judged.type):
                    shares.setdefault(name, Share()).add(judged.is_right, judged.wrong)
            for name, share in shares.items():
                yield f"GeckoNum task {' and '.join(map(str, tasks))}, {name}, {distortion}", share


PARTS: Mapping[str, Callable[[int, int], Shares]] = {
    "number": number,
    "kind": kind,
    "unknown": unknown,
    "geckonum": geckonum,
}


def numbers_right(distortion: str, pictures: int, numbers: range, seed: int) -> tuple[Share, Share]:
    """Count the things in naming stimuli of all categories in turn: all of them, and those of each kind."""
    random, categories = np.random.default_rng([seed, len(numbers)]), tuple(recipes.CATEGORIES)
    of_all, of_kinds = Share(), Share()
    for index in range(pictures):
        wanted = int(random.integers(numbers.start, numbers.stop))
        stimulus = Stimulus(categories[index % len(categories)], wanted, int(random.integers(1 << 30)))
        plan = recipes.layout(stimulus)
        found = Counter(box.label for box in see(DISTORTIONS[distortion](plan)).boxes())
        instead = f"{stimulus.category} {wanted} seen as {dict(found)} (seed {stimulus.seed})"
        of_all.add(found.total() == wanted, instead)
        of_kinds.add(found == Counter(item.noun for item in plan.items), instead)
    return of_all, of_kinds


def kinds_right(distortion: str, sizes: str, rounds: int, seed: int) -> Mapping[str, Share]:
    """Name every drawing in every colour, mixed, so many times; things seen in pieces or not at all are wrong."""
    shares = {what: Share() for what in ("kind", "colour", "kind, other colours", "colour, other colours")}
    scale = SCALE if "size" in distortion else 1.0
    for plan in _plans(SIZES[sizes], rounds, seed):
        seen = see(DISTORTIONS[distortion](plan)).boxes()
        for item, boxes in zip(plan.items, _shared_out(seen, plan.items, scale), strict=True):
            name = f"{item.noun} {item.variant}"
            labels = "+".join(sorted(box.label for box in boxes)) or "nothing"
            natural = "" if item.colour in GLYPHS[item.noun].colours else ", other colours"
            shares[f"kind{natural}"].add(labels == item.noun, f"{name} → {labels}")
            if distortion == "as drawn" and labels == item.noun:
                (box,) = boxes
                shares[f"colour{natural}"].add(box.colour == item.colour, f"{name} {item.colour} → {box.colour}")
    return {what: share for what, share in shares.items() if share.n}


def foreign_unknown(per_family: int, seed: int) -> Mapping[str, Share]:
    """Show things that are none of ours."""
    shares: dict[str, Share] = {}
    for thing in foreign_things(per_family, seed, frozenset(GLYPHS)):
        kinds = {box.label for box in see(thing.pixels).boxes()} - {UNKNOWN}
        shares.setdefault(thing.family, Share()).add(not kinds, f"{thing.name} → {', '.join(sorted(kinds))}")
    return shares


def jpeg(image: Image.Image) -> Image.Image:
    """Compress at quality 85."""
    written = io.BytesIO()
    image.save(written, "JPEG", quality=85)
    return Image.open(written).convert("RGB")


def shrink(image: Image.Image) -> Image.Image:
    """Resize by three quarters."""
    return image.resize((round(image.width * SCALE), round(image.height * SCALE)), Image.Resampling.BICUBIC)


def turn_hue(image: Image.Image, steps: int) -> Image.Image:
    """Turn every hue by so many 256ths of a circle."""
    hue, strength, value = image.convert("HSV").split()
    return Image.merge("HSV", (hue.point(lambda level: (level + steps) % 256), strength, value)).convert("RGB")


PICTURE_DISTORTIONS: Mapping[str, Callable[[Image.Image], Image.Image]] = {
    "as drawn": lambda image: image,
    "JPEG 85": jpeg,
    "size × .75": shrink,
}
DISTORTIONS: Mapping[str, Callable[[Layout], Rgb]] = {
    "as drawn": lambda plan: np.asarray(paint(plan)),
    "JPEG 85": lambda plan: np.asarray(jpeg(paint(plan))),
    "size × .75": lambda plan: np.asarray(shrink(paint(plan))),
    "hue + 80/256": lambda plan: np.asarray(turn_hue(paint(plan), 80)),
    "hue + 147/256": lambda plan: np.asarray(turn_hue(paint(plan), 147)),
    "grey ground": lambda plan: np.asarray(paint(plan, GREY)),
    "hue, grey, size × .75, JPEG": lambda plan: np.asarray(jpeg(shrink(turn_hue(paint(plan, GREY), 160)))),
}


def _plans(sizes: tuple[int, int, int], rounds: int, seed: int) -> Iterator[Layout]:
    """Put every drawing in every colour somewhere, many to a picture."""
    random = np.random.default_rng(seed)
    smallest, largest, per_picture = sizes
    everything = [
        (noun, variant, colour)
        for noun, glyph in GLYPHS.items()
        for variant in range(len(glyph.drawings))
        for colour in PALETTE
    ]
    for _ in range(rounds):
        order = random.permutation(len(everything))
        for start in range(0, len(order), per_picture):
            things = [everything[index] for index in order[start : start + per_picture]]
            yield _plan(things, random.integers(smallest, largest + 1, len(things)).tolist(), random)


def _plan(things: Sequence[tuple[str, int, str]], wanted: Sequence[int], random: np.random.Generator) -> Layout:
    sides, corners = placement.fit(wanted, 1024, random)
    items = (
        PlacedThing(noun, variant, colour, int(left), int(top), side)
        for (noun, variant, colour), side, (left, top) in zip(things, sides, corners, strict=True)
    )
    return Layout(1024, tuple(items))


def _shared_out(seen: Sequence[Box], items: Sequence[PlacedThing], scale: float) -> list[list[Box]]:
    """Give every box to the thing whose middle is nearest to its own."""
    middles = np.array([(item.left + item.side_px / 2, item.top + item.side_px / 2) for item in items]) * scale
    shares: list[list[Box]] = [[] for _ in items]
    for box in seen:
        left, top, right, bottom = box.xyxy
        distances = np.hypot(middles[:, 0] - (left + right) / 2, middles[:, 1] - (top + bottom) / 2)
        shares[int(distances.argmin())].append(box)
    return shares


def _show(what: str, share: Share) -> None:
    print(f"{what:68s} {share}", flush=True)
    for instead, times in share.instead.most_common(_SHOWN):
        print(f"    {times:4d} × {instead}")


_SHOWN = 12

if __name__ == "__main__":
    main()
