"""The clip-art's files: whole documents that a viewer shows, and that render as they did when they were drawn."""

import json
import re
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest

from subitize.stimuli import clipart, glyphs
from subitize.stimuli.clipart import BARE, GLYPHS, PALETTE, PLAIN, UNCUT
from tests.cases import Case

SVG = "{http://www.w3.org/2000/svg}"
DIGESTS = Path(__file__).with_name("glyphs.json")
FILES = {file.stem: file.read_text(encoding="utf-8") for file in Path(clipart.__file__).parent.glob("*.svg")}
NOUN_OF = {
    f"{noun}-{drawing}".replace(" ", "-"): noun
    for noun, glyph in GLYPHS.items()
    for drawing in (*glyph.drawings, *(["bare"] if noun in BARE else []))
}


def digest(noun: str) -> str:
    """Hash the pixels of all drawings of a thing, in black as well: there, lines inside a thing are light."""
    variants = (*range(len(GLYPHS[noun].drawings)), *([PLAIN] if noun in BARE else []))
    sprites = [glyphs.sprite(noun, variant, colour, 64) for variant in variants for colour in ("red", "black")]
    return sha256(b"".join(sprite.tobytes() for sprite in sprites)).hexdigest()[:16]


def test_every_drawing_has_a_file_and_every_file_is_drawn() -> None:
    assert sorted(FILES) == sorted(NOUN_OF)


def test_what_is_said_of_drawings_is_said_of_things_that_there_are() -> None:
    assert not {*BARE, *UNCUT} - {*GLYPHS}
    assert not {colour for glyph in GLYPHS.values() for colour in glyph.colours} - {*PALETTE}


@pytest.mark.slow
def test_a_glyph_renders_to_the_same_pixels_as_ever() -> None:
    known = json.loads(DIGESTS.read_text(encoding="utf-8"))
    now = {noun: digest(noun) for noun in GLYPHS}
    changed = {noun: now.get(noun) for noun in {*known, *now} if now.get(noun) != known.get(noun)}
    assert not changed, f"if that is meant, put these into {DIGESTS.name}"


def test_a_viewer_shows_a_file_in_a_colour_that_the_thing_has_by_nature(case: Case) -> None:
    for name, text in FILES.items():
        with case(name):
            root = ElementTree.fromstring(text)
            assert (root.tag, root.get("viewBox")) == (f"{SVG}svg", "0 0 100 100")
            assert root.findtext(f"{SVG}title")
            tints = PALETTE[GLYPHS[NOUN_OF[name]].colours[0]]
            values = dict(re.findall(r"--(\w+): (#\w{6})", root.get("style", "")))
            assert values == {tint: getattr(tints, tint) for tint in values}
            assert {*re.findall(r"var\(--(.*?)\)", text)} <= {*values}


def test_a_file_loads_nothing_and_refers_to_what_is_in_it(case: Case) -> None:
    for name, text in FILES.items():
        with case(name):
            elements = list(ElementTree.fromstring(text).iter())
            ids = [element.get("id") for element in elements if element.get("id")]
            assert len(ids) == len({*ids})
            assert not {element.tag.removeprefix(SVG) for element in elements} & {"text", "image", "script", "style"}
            links = re.findall(r'href="(.*?)"|url\((.*?)\)', text)
            assert {"".join(link) for link in links} <= {f"#{own}" for own in ids}


@pytest.mark.parametrize(("colour", "expected"), [("red", "#7d0f1b"), ("black", "#777777")])
def test_a_line_inside_a_thing_shows_on_black_too(colour: str, expected: str) -> None:
    assert f'stroke="{expected}"' in clipart.draw("page", "torn", PALETTE[colour])
    assert "var(" not in clipart.draw("page", "torn", PALETTE[colour])
