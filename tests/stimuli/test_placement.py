"""Placement: inside the picture, apart, always ending."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.errors import BadValueError
from subitize.stimuli import placement


def seeded(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size_px=st.sampled_from([128, 300, 1024, 4096]),
    shares=st.lists(st.floats(0.02, 0.3), min_size=1, max_size=30),
)
def test_placed_discs_are_inside_and_apart(seed: int, size_px: int, shares: list[float]) -> None:
    asked = [max(placement.SMALLEST_ITEM_PX, int(size_px * share)) for share in shares]
    diameters, corners = placement.fit(asked, size_px, seeded(seed))
    gap = placement.gap_px(size_px)
    discs = [(left + d / 2, top + d / 2, d / 2) for d, (left, top) in zip(diameters, corners.tolist(), strict=True)]
    assert all(min(x, y) - r >= gap and max(x, y) + r <= size_px - gap for x, y, r in discs)
    assert all(np.hypot(a[0] - b[0], a[1] - b[1]) >= a[2] + b[2] + gap for a, b in combinations(discs, 2))


@pytest.mark.parametrize("seed", range(5))
def test_a_disc_keeps_to_its_field_and_off_the_others(seed: int) -> None:
    fields = [placement.Field(4, 4, 200.5, 150.2), placement.Field(100.3, 90.7, 508, 508)] * 6
    diameters, corners = placement.fit([40] * len(fields), 512, seeded(seed), fields=fields)
    for field, diameter, (left, top) in zip(fields, diameters, corners.tolist(), strict=True):
        assert field.left <= left <= field.right - diameter
        assert field.top <= top <= field.bottom - diameter
    middles = corners + np.array(diameters)[:, None] / 2
    assert min(np.hypot(*(a - b)) for a, b in combinations(middles, 2)) >= min(diameters) + placement.gap_px(512)


def test_a_crowded_field_is_filled_where_chance_alone_finds_no_room() -> None:
    field = placement.Field(4, 4, 124, 124)
    diameters, _ = placement.fit([placement.SMALLEST_ITEM_PX] * 34, 512, seeded(1), fields=[field] * 34)
    assert len(diameters) == 34


def test_discs_that_find_no_room_in_their_fields_are_refused() -> None:
    narrow = [placement.Field(4, 4, 15, 500)]
    with pytest.raises(
        BadValueError, match=r"number 1: .* find no room in their places on 512 × 512 px: ask for fewer"
    ):
        placement.fit([40], 512, seeded(1), fields=narrow)


def test_discs_that_have_room_are_not_shrunk() -> None:
    assert placement.fit([200, 90, 150], 1024, seeded(1))[0] == (200, 90, 150)


def test_discs_too_large_for_the_picture_are_shrunk_together() -> None:
    diameters, _ = placement.fit([900, 450], 1024, seeded(1))
    assert diameters[0] < 900
    assert diameters[0] / diameters[1] == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("grid", [(3, 4), (1, 12), (12, 1)], ids=str)
def test_discs_in_a_grid_stand_row_by_row_inside_and_apart(grid: tuple[int, int]) -> None:
    gap, columns = placement.gap_px(512), grid[1]
    for asked in ([61], [61] * 5, [61] * 12, [30, 61, 99] * 5):
        diameters, corners = placement.fit_into_grid(asked, 512, grid)
        middles = corners + np.array(diameters)[:, None] / 2
        assert len(diameters) == len(asked)
        assert (corners >= gap).all()
        assert (corners + np.array(diameters)[:, None] <= 512 - gap).all()
        for one, other in combinations(range(len(asked)), 2):
            apart = np.abs(middles[one] - middles[other])
            is_same = np.array([one % columns == other % columns, one // columns == other // columns])
            assert (apart[is_same] <= 1).all()  # in one line, but for half a pixel
            assert (apart[~is_same] >= (diameters[one] + diameters[other]) / 2 + gap - 1).all()


def test_more_discs_than_cells_take_more_rows_and_discs_no_wider_than_a_cell_keep_their_width() -> None:
    assert placement.fit_into_grid([40, 90, 200], 512, (1, 2))[0] == (40, 90, 200)
    assert len(set(placement.fit_into_grid([40] * 5, 512, (1, 2))[1][:, 1].tolist())) == 3


def test_a_grid_too_fine_for_the_picture_is_refused() -> None:
    with pytest.raises(BadValueError, match=r"find no room in 1 rows and 50 columns on 512 × 512 px"):
        placement.fit_into_grid([20] * 50, 512, (1, 50))


@pytest.mark.parametrize("size_px", [128, 129, 512, 1024])
def test_as_many_as_the_capacity_find_room(size_px: int) -> None:
    number = min(placement.capacity(size_px), 600)
    diameters, corners = placement.fit([placement.SMALLEST_ITEM_PX] * number, size_px, seeded(3))
    assert len(diameters) == len(corners) == number


@pytest.mark.parametrize(
    ("number", "size_px", "message"),
    [
        pytest.param(1, 127, "size_px 127: a picture has 128 to 4096 px a side", id="small"),
        pytest.param(1, 4097, "size_px 4097: a picture has 128 to 4096 px a side", id="large"),
        pytest.param(0, 128, "number 0: a picture shows 1 item or more", id="none"),
        pytest.param(200, 128, "number 200: .* do not fit on 128 × 128 px; at most 36 do", id="crowded"),
        pytest.param(10**12, 1024, "number 1000000000000: .* at most 1310 do", id="absurd"),
    ],
)
def test_what_finds_no_room_is_refused_with_its_numbers(number: int, size_px: int, message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        placement.check_room(number, size_px)
