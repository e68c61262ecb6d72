"""Our clip-art: one connected shape each, inside its circle, in every colour."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from subitize.errors import BadValueError, UnknownNameError
from subitize.stimuli import glyphs
from subitize.stimuli.clipart import PALETTE
from tests.cases import Case

Drawings = list[tuple[str, int]]
DRAWINGS: Drawings = [
    (glyph.noun, variant) for glyph in glyphs.GLYPHS.values() for variant in range(len(glyph.drawings))
]
some_and_all = pytest.mark.parametrize(
    "drawings",
    [
        pytest.param(DRAWINGS[::13], id="some"),
        pytest.param(
            DRAWINGS, id="all", marks=pytest.mark.proof("subitize.stimuli.clipart", "subitize.stimuli.glyphs")
        ),
    ],
)


@some_and_all
def test_a_glyph_is_one_connected_shape(drawings: Drawings, case: Case) -> None:
    for noun, variant in drawings:
        for side_px in (20, 40, 200):
            with case(f"{noun} {variant}, {side_px} px"):
                alpha = np.asarray(glyphs.sprite(noun, variant, "red", side_px).getchannel("A"))
                _, number = ndimage.label(alpha >= 128)
                assert number == 1


@pytest.mark.slow
@some_and_all
def test_a_glyph_hangs_together_on_white_and_on_light_grey(drawings: Drawings, case: Case) -> None:
    for noun, variant in drawings:
        for colour in glyphs.glyph_of(noun).colours:
            for side_px in (24, 200):
                sprite = glyphs.sprite(noun, variant, colour, side_px)
                for ground in (255, 235):
                    with case(f"{colour} {noun} {variant} on {ground}, {side_px} px"):
                        picture = Image.new("RGB", (side_px + 8, side_px + 8), (ground, ground, ground))
                        picture.paste(sprite, (4, 4), sprite)
                        differs = np.abs(np.asarray(picture).astype(int) - ground).max(axis=2) > 36
                        _, number = ndimage.label(differs, structure=np.ones((3, 3)))
                        assert number == 1


@some_and_all
def test_a_glyph_stays_inside_its_circle(drawings: Drawings, case: Case) -> None:
    for noun, variant in drawings:
        with case(f"{noun} {variant}"):
            rows, columns = np.nonzero(np.asarray(glyphs.sprite(noun, variant, "red", 200).getchannel("A")))
            assert np.hypot(rows - 99.5, columns - 99.5).max() < 100


@some_and_all
def test_a_glyph_fills_at_least_a_fifth_of_its_circle_and_reaches_out_to_it(drawings: Drawings, case: Case) -> None:
    for noun, variant in drawings:
        with case(f"{noun} {variant}"):
            alpha = np.asarray(glyphs.sprite(noun, variant, "red", 200).getchannel("A"))
            rows, columns = np.nonzero(alpha >= 128)
            assert alpha.sum() / 255 > np.pi * 100**2 / 5
            assert max(np.ptp(rows), np.ptp(columns)) > 150


@some_and_all
def test_most_of_a_glyph_takes_the_colour_asked_for(drawings: Drawings, case: Case) -> None:
    for noun, variant in drawings:
        with case(f"{noun} {variant}"):
            red, blue = (
                np.asarray(glyphs.sprite(noun, variant, colour, 100)).astype(int) for colour in ("red", "blue")
            )
            is_inside = red[..., 3] >= 128
            is_tinted = np.abs(red - blue)[..., :3].max(axis=2) > 40
            assert (is_tinted & is_inside).sum() > 0.5 * is_inside.sum()


@some_and_all
def test_a_glyph_has_two_drawings_and_three_colours_that_all_differ(drawings: Drawings, case: Case) -> None:
    for noun in dict(drawings):
        with case(noun):
            glyph = glyphs.glyph_of(noun)
            assert len(glyph.drawings) >= 2
            assert len(glyph.colours) >= 3
            pictures = {
                glyphs.sprite(noun, variant, colour, 64).tobytes()
                for variant in range(len(glyph.drawings))
                for colour in glyph.colours
            }
            assert len(pictures) == len(glyph.drawings) * len(glyph.colours)


def test_a_dot_has_the_colour_asked_for(case: Case) -> None:
    for colour, shades in PALETTE.items():
        with case(colour):
            red, green, blue, alpha = np.asarray(glyphs.sprite("dot", 0, colour, 41))[20, 20].tolist()
            assert (f"#{red:02x}{green:02x}{blue:02x}", alpha) == (shades.plain, 255)


@pytest.mark.parametrize(
    ("noun", "variant", "colour", "error", "message"),
    [
        pytest.param("unicorn", 0, "red", UnknownNameError, "no glyph named 'unicorn'; known: a", id="noun"),
        pytest.param("dot", 0, "mauve", UnknownNameError, "no colour named 'mauve'; known: black, blue", id="colour"),
        pytest.param("apple", 9, "red", BadValueError, "no drawing 9 of 'apple'; it has 0 to 1", id="variant"),
    ],
)
def test_what_cannot_be_drawn_is_named(
    noun: str, variant: int, colour: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        glyphs.svg(noun, variant, colour)
