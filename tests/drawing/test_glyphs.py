"""Our clip-art: one connected shape each, inside its circle, in every colour."""

import numpy as np
import pytest
from scipy import ndimage

from subitize.drawing import glyphs
from subitize.errors import BadValueError, UnknownNameError

DRAWINGS = [(glyph.noun, variant) for glyph in glyphs.GLYPHS.values() for variant in range(len(glyph.drawings))]


@pytest.mark.parametrize(("noun", "variant"), DRAWINGS)
@pytest.mark.parametrize("side_px", [16, 40, 200])
def test_a_glyph_is_one_connected_shape(noun: str, variant: int, side_px: int) -> None:
    alpha = np.asarray(glyphs.sprite(noun, variant, "red", side_px).getchannel("A"))
    _, number = ndimage.label(alpha >= 128)
    assert number == 1


@pytest.mark.parametrize(("noun", "variant"), DRAWINGS)
def test_a_glyph_stays_inside_its_circle(noun: str, variant: int) -> None:
    alpha = np.asarray(glyphs.sprite(noun, variant, "red", 200).getchannel("A"))
    rows, columns = np.nonzero(alpha)
    assert np.hypot(rows - 99.5, columns - 99.5).max() < 100


@pytest.mark.parametrize(("noun", "variant"), DRAWINGS)
def test_a_glyph_fills_most_of_its_circle(noun: str, variant: int) -> None:
    alpha = np.asarray(glyphs.sprite(noun, variant, "red", 200).getchannel("A"))
    assert alpha.sum() / 255 > np.pi * 100**2 / 2


def test_apples_come_in_several_drawings_and_colours() -> None:
    apple = glyphs.glyph_of("apple")
    pictures = {
        glyphs.sprite("apple", variant, colour, 64).tobytes() for variant in range(2) for colour in apple.colours
    }
    assert len(pictures) == len(apple.drawings) * len(apple.colours) >= 6


@pytest.mark.parametrize("colour", glyphs.PALETTE)
def test_a_dot_has_the_colour_asked_for(colour: str) -> None:
    wanted = glyphs.PALETTE[colour].plain
    red, green, blue, alpha = np.asarray(glyphs.sprite("dot", 0, colour, 41))[20, 20].tolist()
    assert (f"#{red:02x}{green:02x}{blue:02x}", alpha) == (wanted, 255)


def test_a_drawing_holds_no_text_and_loads_nothing() -> None:
    sources = [glyphs.svg(noun, variant, "red") for noun, variant in DRAWINGS]
    assert not [source for source in sources if "<text" in source or "href" in source or "<image" in source]


@pytest.mark.parametrize(
    ("noun", "variant", "colour", "error", "message"),
    [
        pytest.param("axolotl", 0, "red", UnknownNameError, "no glyph named 'axolotl'; known: apple, dot", id="noun"),
        pytest.param("dot", 0, "mauve", UnknownNameError, "no colour named 'mauve'; known: black, blue", id="colour"),
        pytest.param("apple", 9, "red", BadValueError, "no drawing 9 of 'apple'; it has 0 to 1", id="variant"),
    ],
)
def test_what_cannot_be_drawn_is_named(
    noun: str, variant: int, colour: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        glyphs.svg(noun, variant, colour)
