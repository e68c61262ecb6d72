"""What is drawn, to the byte and to the pixel, and what the observer sees in it: a line for each picture."""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image

from subitize.language.scene import Halves, Pieces, Portion
from subitize.stimuli import cuts, glyphs
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.observing import see_picture
from subitize.stimuli.recipes import BACKGROUNDS, CATEGORIES
from tests.goldens.texts import Golden, Texts, printed
from tests.language.prompt_cases import OF_QUANTITIES, UNDERSTOOD
from tests.suites.own_tables import write_lines

STIMULI = (
    f"naming:images=1,size_px=256,numbers=1+4+9,categories={'+'.join(CATEGORIES)}",
    *(
        f"naming:images=1,size_px=256,numbers=3+8,categories=apples+dots,control={control}"
        for control in ("area", "size", "hull", "density")
    ),
    *(f"naming:images=1,size_px=256,numbers=5,categories=people,background={name}" for name in BACKGROUNDS),
    "naming:images=2,size_px=128,numbers=6+20,categories=dots,overlap=0.3",
    "naming:images=1,size_px=1024,numbers=50,categories=apples",
)
PROMPTS = 60
"""How many of the prompts that are understood are drawn, evenly over the table; of quantities and forms one in four."""
MOST_BOXES = 12
FORMS = (
    *(Pieces(2, ()), Pieces(5, (1,) * 5), Pieces(2, (1, 3)), Portion(Fraction(1, 2)), Portion(Fraction(3, 4))),
    Halves(("red", "blue")),
)


def make_stimuli() -> Texts:
    """The files of `stimuli`, of every category, control and background."""
    for number, suite in enumerate(STIMULI):
        folder = Path(f"set{number}")
        printed("make", "stimuli", "--suite", suite, "--seed", number, "--out", folder)
        yield f"{number}-pictures.jsonl", "".join(_describe_files(folder))
        yield f"{number}-stimuli.csv", (folder / "stimuli.csv").read_text(encoding="utf-8")
        if number == 0:
            yield "correlations.csv", (folder / "correlations.csv").read_text(encoding="utf-8")


def make_glyphs() -> Texts:
    """Each drawing in its first colour at two sizes, whole and cut, and the sheet of all of them."""
    printed("list", "glyphs", "--out", "sheet.png")
    yield "sheet.jsonl", _describe("sheet.png", Path("sheet.png").read_bytes(), is_seen=False)
    lines = [
        [noun, variant, colour, *(_hash(glyphs.sprite(noun, variant, colour, side)) for side in (24, 160))]
        for noun, glyph in glyphs.GLYPHS.items()
        for variant in range(len(glyph.drawings))
        for colour in (glyph.colours[0],)
    ]
    yield "drawings.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines)
    noun = "apple"
    colours = [[colour, _hash(glyphs.sprite(noun, 0, colour, 64))] for colour in PALETTE]
    yield "colours.jsonl", "".join(f"{json.dumps(line)}\n" for line in colours)
    forms = [
        [noun, *(_hash(cuts.sprite(noun, glyphs.whole_drawings(noun)[0], "green", 96, form)) for form in FORMS)]
        for noun in list(glyphs.GLYPHS)[::3]
    ]
    yield "cuts.jsonl", "".join(f"{json.dumps(line)}\n" for line in forms)


def make_painted() -> Texts:
    """The painter's pictures of prompts of every kind, and what the observer sees in them."""
    plain = [prompt for prompt, _ in UNDERSTOOD if "\n" not in prompt]
    of_quantities = [prompt for prompt, _ in OF_QUANTITIES if "\n" not in prompt][::4]
    chosen = list(dict.fromkeys([*plain[:: len(plain) // PROMPTS], *of_quantities]))
    for number, (options, step) in enumerate((("size_px=256", 1), ("size_px=256,weber=0.4,omit=0.1,merge=0.1", 3))):
        # A question for those that no suite understands.
        rows = [f'"{prompt}",1,apple' for prompt in chosen[::step]]
        table = write_lines(Path(f"prompts{number}.csv"), "prompt,count,noun", *rows)
        run = f"run{number}"
        printed(
            *("run", f"prompts:{table}", "--model", f"painter:{options}", "--judge", "none"),
            *("--repeats", 1, "--seed", 1, "--out", run),
        )
        printed("export", run, "--format", "jsonl", "--out", f"export{number}")
        yield f"{number}-pictures.jsonl", "".join(_describe_drawn(Path(f"export{number}")))


def _describe_files(folder: Path) -> Iterator[str]:
    for file in sorted(folder.glob("*.png")):
        yield _describe(file.name, file.read_bytes())


def _describe_drawn(export: Path) -> Iterator[str]:
    """Describe each picture of a run by its prompt; of what was refused say why."""
    rows = [json.loads(line) for line in (export / "responses.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in sorted(rows, key=lambda row: int(row["item"].rpartition("/")[2])):
        if row["image"] is None:
            yield f"{json.dumps([row['prompt_sent'], row['outcome'], row['reason']])}\n"
        else:
            yield _describe(row["prompt_sent"], Path(row["image"]).read_bytes())


def _describe(name: str, png: bytes, *, is_seen: bool = True) -> str:
    """Hash a file and its pixels, and say what the observer sees in it."""
    hashes = [hashlib.sha256(png).hexdigest(), _hash(Image.open(io.BytesIO(png)))]
    boxes = see_picture(png).boxes() if is_seen else ()
    seen: list[list[object]] = [[box.label, box.colour, round(box.score, 3), *map(round, box.xyxy)] for box in boxes]
    return f"{json.dumps([name, *hashes, _shortened(seen)])}\n"


def _shortened(seen: list[list[object]]) -> object:
    """Give a few boxes as they are, of many a hash and how many there are of each kind."""
    if len(seen) <= MOST_BOXES:
        return seen
    kinds = Counter(f"{label} {colour}" for label, colour, *_ in seen)
    return [dict(sorted(kinds.items())), hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16]]


def _hash(image: Image.Image) -> str:
    """Hash pixels, whatever file they are written to."""
    return hashlib.sha256(np.asarray(image.convert("RGBA")).tobytes()).hexdigest()[:16]


GOLDENS: dict[str, Golden] = {
    "pixels-stimuli": Golden(make_stimuli),
    "pixels-glyphs": Golden(make_glyphs),
    "pixels-painted": Golden(make_painted),
}
