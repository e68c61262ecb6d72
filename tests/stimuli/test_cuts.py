"""Things in pieces, in part and in two colours: the right number of pieces, of the right sizes."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import ndimage

from subitize.language.scene import Halves, Pieces, Portion
from subitize.stimuli import cuts, glyphs
from tests.cases import Case

NOUNS = ["apple", "cake", "pizza", "loaf", "fork", "pencil", "plate", "banana", "dog", "tree"]
EIGHT_NEIGHBOURS = np.ones((3, 3))


def areas(noun: str, variant: int, form: Pieces | Portion) -> list[int]:
    alpha = np.asarray(cuts.sprite(noun, variant, "blue", 160, form).getchannel("A")) >= 128
    labels, number = ndimage.label(alpha, EIGHT_NEIGHBOURS)
    return sorted(np.bincount(labels.ravel())[1 : number + 1].tolist())


@pytest.mark.parametrize(
    "nouns",
    [
        pytest.param(NOUNS[::3], id="some"),
        pytest.param(list(glyphs.GLYPHS), id="all", marks=pytest.mark.proof("subitize.stimuli")),
    ],
)
def test_a_thing_is_in_as_many_pieces_as_are_asked_for(nouns: list[str], case: Case) -> None:
    for noun in nouns:
        for variant in glyphs.whole_drawings(noun):
            for number in (2, 5):
                with case(f"{noun} {variant} in {number}"):
                    assert len(areas(noun, variant, Pieces(number, (1,) * number))) == number


def test_pieces_are_of_the_sizes_asked_for(case: Case) -> None:
    for noun in ("apple", "cake", "pizza", "loaf", "plate", "banana", "pencil"):
        for variant in glyphs.whole_drawings(noun):
            with case(f"{noun} {variant}"):
                smaller, larger = areas(noun, variant, Pieces(2, (1, 2)))
                assert 1.7 < larger / smaller < 2.6
                one, *_, last = areas(noun, variant, Pieces(3, (1, 1, 1)))
                assert last / one < 1.5


@pytest.mark.slow
def test_a_portion_is_that_share_of_the_thing_in_one_piece(case: Case) -> None:
    for noun in NOUNS:
        for variant in glyphs.whole_drawings(noun):
            whole = np.count_nonzero(np.asarray(glyphs.sprite(noun, variant, "blue", 160).getchannel("A")) >= 128)
            for share in (Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)):
                with case(f"{share} of {noun} {variant}"):
                    (portion,) = areas(noun, variant, Portion(share))
                    assert portion / whole == pytest.approx(float(share), rel=0.2)


def test_a_thing_of_two_colours_has_the_outline_of_one_and_half_of_each(case: Case) -> None:
    for noun in NOUNS:
        with case(noun):
            variant = glyphs.whole_drawings(noun)[0]
            two = np.asarray(cuts.sprite(noun, variant, "red", 160, Halves(("red", "blue")))).astype(int)
            red, blue = (np.asarray(glyphs.sprite(noun, variant, tint, 160)).astype(int) for tint in ("red", "blue"))
            assert (two[..., 3] == red[..., 3]).all()
            differs = (np.abs(red - blue).max(axis=2) > 40) & (red[..., 3] == 255)
            is_red, is_blue = ((two == one).all(axis=2) & differs for one in (red, blue))
            assert 0.25 < is_red.sum() / differs.sum() < 0.75
            assert is_red.sum() + is_blue.sum() > 0.9 * differs.sum()


def test_what_is_broken_has_jagged_edges_and_what_is_cut_has_not() -> None:
    broken, halved = (cuts.cut("fork", 0, (1, 1), is_broken=is_broken) for is_broken in (True, False))
    edges = [np.diff((parts == 1).argmax(axis=0)[(parts == 1).any(axis=0)]) for parts in (broken, halved)]
    assert np.abs(edges[0]).sum() > np.abs(edges[1]).sum()


def test_between_parts_that_lie_apart_nothing_is_taken_out() -> None:
    parts = np.full((60, 60), -1, dtype=np.int8)
    parts[:5, :5], parts[40:, 40:] = 0, 2  # and of part 1 nothing is left
    kept, edges = cuts._apart(parts)
    assert np.array_equal(kept, parts >= 0)
    assert not edges.any()
