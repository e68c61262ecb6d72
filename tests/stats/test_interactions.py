"""The test of an interaction has the false alarms that it claims, and finds orders that are turned around."""

from itertools import permutations, product

import numpy as np
import pytest

from subitize.stats.significance import INTERACTION_PERMUTATIONS, interaction_test


def p_of(values: np.ndarray, seed: int = 0) -> float:
    found = interaction_test(values, seed=seed)
    assert found is not None
    assert found.permutations == INTERACTION_PERMUTATIONS
    return found.p


def test_p_is_that_of_all_permutations() -> None:
    values = np.random.default_rng(4).random((4, 3, 2))
    centred = values - values.mean(axis=2, keepdims=True)

    def squares(one: np.ndarray) -> float:
        means = one.mean(axis=0)
        return float(((means - means.mean(axis=0)) ** 2).sum())

    every = [
        squares(np.stack([centred[item, list(order)] for item, order in enumerate(orders)]))
        for orders in product(permutations(range(3)), repeat=4)
    ]
    expected = np.mean(np.array(every) >= squares(centred) - 1e-12)
    assert p_of(values) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("runs", [10, pytest.param(1000, marks=pytest.mark.proof("subitize.stats.significance"))])
@pytest.mark.parametrize("gap", [0.0, 0.03], ids=["identical models", "models in one order, close together"])
def test_false_alarms_are_as_rare_as_claimed_though_scenes_differ(gap: float, runs: int) -> None:
    rates = 0.35 + gap * np.arange(4) - np.array([0.0, 0.05, 0.15])[:, None]
    random = np.random.default_rng(5)
    alarms = sum(p_of((random.random((40, 3, 4)) < rates).astype(float), seed) < 0.05 for seed in range(runs))
    assert alarms <= np.ceil(0.065 * runs)


def test_an_order_that_is_turned_around_is_found() -> None:
    rates = np.array([[0.1, 0.3, 0.5, 0.7], [0.7, 0.5, 0.3, 0.1]])
    assert p_of((np.random.default_rng(6).random((60, 2, 4)) < rates).astype(float)) < 0.001


def test_that_one_rater_is_stricter_is_no_interaction() -> None:
    values = np.random.default_rng(7).random((20, 1, 3)) + np.array([0.0, 0.5])[None, :, None]
    assert p_of(values) == 1


@pytest.mark.parametrize("shape", [(0, 3, 3), (5, 1, 3), (5, 3, 1)])
def test_where_nothing_can_interact_there_is_no_test(shape: tuple[int, ...]) -> None:
    assert interaction_test(np.zeros(shape)) is None
