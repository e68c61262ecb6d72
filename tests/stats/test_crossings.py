"""The number at which accuracy falls below one half: the fit is scipy's, the interval covers a known painter's."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from subitize.stats.crossing import find_crossing, isotonic_decreasing
from subitize.stats.response_law import Slips
from tests.cases import Case
from tests.models.painter_laws import painter_law

PROOF = pytest.mark.proof("subitize.stats.crossing", "subitize.stats.response_law")


def test_the_fit_is_scipys_isotonic_regression(case: Case) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        means, weights = random.integers(0, 8, 15) / 8, random.integers(1, 40, 15).astype(float)
        expected = isotonic_regression(means, weights=weights, increasing=False).x
        with case(f"seed {seed}"):
            assert isotonic_decreasing(means, weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rates", "number", "written"),
    [
        ([1, 1, 0, 0], 3, "3"),
        ([1, 1, 1, 1], None, "above 4"),
        ([0, 0, 0, 0], 1, "below one half from 1 on"),
        ([0, 0.2, 0.3, 0.4], 1, "below one half from 1 on"),
        ([1, 0.5, 0.5, 0], 4, "4"),
        ([1, 0.4, 0.8, 0], 4, "4"),
    ],
    ids=["a step", "never", "always", "it rises, below one half", "one half is not below", "a dip that is made up for"],
)
def test_the_first_number_below_one_half_is_found(rates: list[float], number: int | None, written: str) -> None:
    values = {n: [1.0] * round(20 * rate) + [0.0] * round(20 * (1 - rate)) for n, rate in enumerate(rates, 1)}
    found = find_crossing(values)
    assert found is not None
    assert found.number == number
    assert str(found).startswith(f"{written} [")
    assert found.n == 80


def test_without_values_there_is_no_crossing() -> None:
    assert find_crossing({}) is None
    assert find_crossing({3: []}) is None


def test_a_single_prompt_per_number_leaves_a_wide_interval() -> None:
    found = find_crossing({number: [float(number < 5)] for number in range(1, 10)})
    assert found is not None
    assert found.number == 5
    low, high = found.low, found.high
    assert low is not None
    assert low < 5
    assert high is None or high > 5


@pytest.mark.parametrize(
    ("weber", "k", "prompts", "runs"),
    [
        (0.2, 1, 5, 10),
        (0.2, 4, 35, 10),
        *(pytest.param(*one, 200, marks=PROOF) for one in product((0.1, 0.2, 0.3), (1, 4), (5, 35))),
    ],
)
def test_the_interval_covers_the_crossing_of_a_painter_whose_law_is_known(
    weber: float, k: int, prompts: int, runs: int
) -> None:
    numbers = range(1, 16)
    alone = np.array([painter_law(number, Slips(weber=weber))[number] for number in numbers])
    rates = 1 - (1 - alone) ** k
    below = np.flatnonzero(rates < 0.5)
    truth = numbers[below[0]] if len(below) else 99
    random, inside = np.random.default_rng(7), 0
    for seed in range(runs):
        images = random.random((len(numbers), prompts, 4)) < alone[:, None, None]
        drawn = images.mean(axis=2) if k == 1 else images.any(axis=2).astype(float)
        found = find_crossing(dict(zip(numbers, drawn.tolist(), strict=True)), seed=seed)
        assert found is not None
        inside += (found.low or 99) <= truth <= (found.high or 99)
    assert rates[0] > 0.5
    assert inside >= 0.9 * runs


def test_between_two_numbers_that_were_asked_for_any_may_be_it() -> None:
    found = find_crossing({1: [1.0] * 5, 15: [0.0] * 5})
    assert found is not None
    assert (found.earliest, found.number, found.low, found.high) == (2, 15, 2, 15)
    assert str(found) == "2 to 15 [2, 15]"
    assert not found.is_below_throughout


ASKED = ((1, 5, 10, 15), (2, 3, 12), tuple(range(1, 16, 2)))


@pytest.mark.parametrize(
    ("weber", "asked", "runs"),
    [
        *((0.2, asked, 5) for asked in ASKED),
        *(pytest.param(*one, 200, marks=PROOF) for one in product((0.1, 0.2, 0.3), ASKED)),
    ],
    ids=str,
)
def test_the_interval_covers_a_crossing_that_lies_between_the_numbers_asked_for(
    weber: float, asked: tuple[int, ...], runs: int
) -> None:
    rates = {number: float(painter_law(number, Slips(weber=weber))[number]) for number in range(1, 31)}
    truth = next(number for number, rate in rates.items() if rate < 0.5)
    random, inside = np.random.default_rng(8), 0
    for seed in range(runs):
        drawn = {number: (random.random((35, 4)) < rates[number]).mean(axis=1).tolist() for number in asked}
        found = find_crossing(drawn, seed=seed)
        assert found is not None
        low, high = (found.highest + 1 if end is None else end for end in (found.low, found.high))
        is_open = found.high is None or (found.low == found.lowest and truth < found.lowest)
        inside += low <= truth and (truth <= high or is_open)
    assert inside >= 0.9 * runs
