"""Things lie on the flat part of what holds them, apart from each other."""

from itertools import combinations

import numpy as np
import pytest

from subitize.errors import BadValueError
from subitize.stimuli import cuts, glyphs
from subitize.stimuli.clipart import BARE, HOLDERS
from tests.cases import Case


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_plain_drawing_is_one_shape_inside_its_circle(case: Case) -> None:
    for noun in BARE:
        with case(noun):
            alpha = np.asarray(glyphs.sprite(noun, glyphs.PLAIN, "red", 200).getchannel("A"))
            rows, columns = np.nonzero(alpha >= 16)
            assert np.hypot(rows - 99.5, columns - 99.5).max() < 97


def test_a_good_part_of_a_holder_is_flat(case: Case) -> None:
    for noun in HOLDERS:
        with case(noun):
            assert cuts.surface(noun).mean() > 0.15


@pytest.mark.slow
def test_things_lie_on_the_flat_part_and_apart(case: Case) -> None:
    for noun in HOLDERS:
        is_flat = cuts.surface(noun)
        for number in (0, 1, 5, 18):
            with case(f"{number} on {noun}"):
                sides, corners = cuts.lay(number, noun, 900, seeded(1))
                centres = corners + np.array(sides).reshape(-1, 1) / 2
                for (x, y), side in zip(centres, sides, strict=True):
                    for turn in np.linspace(0, 2 * np.pi, 16):
                        way = np.array([np.sin(turn), np.cos(turn)])
                        row, column = (np.array([y, x]) + way * side / 2) * cuts.SURFACE_PX / 900
                        assert is_flat[int(row), int(column)]
                for one, other in combinations(range(number), 2):
                    assert np.hypot(*(centres[one] - centres[other])) > (sides[one] + sides[other]) / 2


def test_more_than_there_is_room_for_are_refused() -> None:
    with pytest.raises(BadValueError, match="no room in or on one shelf"):
        cuts.lay(200, "shelf", 300, seeded(1))


@pytest.mark.parametrize(("holder", "colour", "clashing"), [("table", "black", "grey"), ("plate", "white", "white")])
def test_colours_that_would_not_be_seen_clash(holder: str, colour: str, clashing: str) -> None:
    assert clashing in cuts.clashing_colours(holder, colour)
    assert "red" not in cuts.clashing_colours(holder, colour)
