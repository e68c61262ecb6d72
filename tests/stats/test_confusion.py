"""Matrices and their likeness, against scipy and loops by hand."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.confusion import (
    confusion_matrix,
    distance,
    highest_response,
    human_matrix,
    least_alike,
    pearson,
    random_matrix,
    response_shares,
)
from subitize.stats.estimate import wilson_interval
from subitize.stats.response_law import human_law

TARGETS = tuple(range(1, 11))
PROOF = pytest.mark.proof("subitize.stats.confusion", "subitize.stats.bootstrap")


def draw(laws: NDArray[np.float64], trials: int, seed: int) -> NDArray[np.int64]:
    drawn = np.random.default_rng(seed).multinomial(np.full(laws.shape[1], trials), laws.T)
    return np.asarray(drawn.T, dtype=np.int64)


def weber_matrix(weber: float) -> NDArray[np.float64]:
    return np.stack([human_law(target, weber=weber, subitizing=0) for target in TARGETS], axis=1)


def test_a_matrix_counts_responses_by_target() -> None:
    random = np.random.default_rng(1)
    responses, targets = random.integers(0, 40, 3000), random.integers(1, 13, 3000)
    expected = np.zeros((20, 10), dtype=int)
    for response, target in zip(responses, targets, strict=True):
        if response >= 1 and target <= 10:
            expected[min(response, 20) - 1, target - 1] += 1
    found = confusion_matrix(responses.astype(float), targets, TARGETS)
    np.testing.assert_array_equal(found, expected)


def test_the_columns_may_stand_in_any_order() -> None:
    found = confusion_matrix(np.array([2.0, 5.0, 5.0]), np.array([7, 3, 3]), (7, 3), 6)
    assert found[:, 0].tolist() == [0, 1, 0, 0, 0, 0]
    assert found[:, 1].tolist() == [0, 0, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("response", "row"),
    [(1.0, 0), (0.0, None), (0.4, None), (2.5, 1), (3.5, 3), (20.0, 19), (21.0, 19), (1e300, 19)],
)
def test_a_response_has_one_row_or_none(response: float, row: int | None) -> None:
    found = confusion_matrix(np.array([response]), np.array([1]), (1,))
    assert found[:, 0].nonzero()[0].tolist() == ([] if row is None else [row])


@pytest.mark.parametrize(
    ("response", "row"), [(2.0, 1), (2.4, 2), (2.5, 2), (1.6, 0), (1.5, 0), (2.6, 2), (1.4, 0), (3.4, 2)]
)
def test_only_an_exact_answer_is_in_the_row_of_the_target(response: float, row: int) -> None:
    found = confusion_matrix(np.array([response]), np.array([2]), (2,))
    assert found[:, 0].nonzero()[0].tolist() == [row]


@pytest.mark.parametrize(("targets", "rows"), [(TARGETS, 20), ((1, 2, 3), 20), ((3, 50), 100)])
def test_there_is_room_for_twice_the_highest_target(targets: tuple[int, ...], rows: int) -> None:
    assert highest_response(targets) == rows


def test_shares_of_a_shown_target_add_up_to_1_and_the_others_have_none() -> None:
    counts = np.array([[3, 0, 1], [1, 0, 1]])
    np.testing.assert_allclose(response_shares(counts), [[0.75, np.nan, 0.5], [0.25, np.nan, 0.5]])


@pytest.mark.parametrize("seed", range(5))
def test_the_correlation_of_matrices_is_scipys(seed: int) -> None:
    a, b = np.random.default_rng(seed).random((2, 7, 20, 10))
    expected = [stats.pearsonr(one.ravel(), other.ravel()).statistic for one, other in zip(a, b, strict=True)]
    np.testing.assert_allclose(pearson(a, b), expected, atol=1e-12)


@pytest.mark.parametrize("weber", [None, 0.35], ids=["ideal human", "Weber .35"])
@pytest.mark.parametrize(
    ("trials", "samples"), [(5, 6), *(pytest.param(trials, 40, marks=PROOF) for trials in (2, 5, 10, 20))]
)
def test_the_intervals_cover_the_truth_however_few_the_trials_of_five_categories(
    trials: int, samples: int, weber: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.stats.bootstrap.RESAMPLES", 200)
    human = human_matrix(TARGETS)
    law = human if weber is None else weber_matrix(weber)
    truths = (np.abs(law - human).sum() / 20, np.abs(law - 1 / 20).sum() / 20, 1.0)
    covered = np.zeros(3, dtype=int)
    for sample in range(samples):
        counts = np.stack([draw(law, trials, 5 * sample + category) for category in range(5)])
        alike = least_alike(counts)
        assert alike is not None
        found = (distance(counts, human), distance(counts, random_matrix(TARGETS)), alike[0])
        covered += [
            one is not None and one.low - 1e-9 <= truth <= one.high + 1e-9
            for one, truth in zip(found, truths, strict=True)
        ]
    assert covered.min() >= 0.875 * samples


def test_one_trial_per_cell_leaves_everything_possible() -> None:
    counts = np.stack([draw(weber_matrix(0.2), 1, seed) for seed in range(3)])
    far, alike = distance(counts, human_matrix(TARGETS)), least_alike(counts)
    assert far is not None
    assert alike is not None
    assert (far.low, far.high) == (0, 1)
    assert (alike[0].low, alike[0].high) == (-1, 1)
    assert "too few trials per cell" in far.method


def test_few_trials_per_cell_are_told_and_leave_the_ideal_possible() -> None:
    counts = np.stack([draw(weber_matrix(0.5), 5, seed) for seed in range(3)])
    far, enough = distance(counts, human_matrix(TARGETS)), distance(counts * 4, human_matrix(TARGETS))
    assert far is not None
    assert enough is not None
    assert far.low == 0
    assert far.method.endswith("too few trials per cell (5 of 20)")
    assert "too few" not in enough.method


@pytest.mark.parametrize("trials", [2, 5, 50])
def test_a_model_that_never_errs_might_still(trials: int) -> None:
    counts = np.stack([np.eye(20, 10, dtype=np.int64) * trials] * 3)
    alike = least_alike(counts)
    assert alike is not None
    for found in (distance(counts, human_matrix(TARGETS)), alike[0]):
        assert found is not None
        assert found.high - found.low > 1e-4
        assert found.low <= found.value <= found.high
        assert "never vary" in found.method
    # All trials of one number in one category that may have been missed.
    missed = wilson_interval(0, trials).high
    shares = np.eye(20, 10)
    shares[[0, 1], 0] = 1 - missed, missed
    assert alike[0].low <= float(pearson(shares, np.eye(20, 10))) + 1e-6


def test_the_least_alike_categories_are_those_of_a_search_by_hand() -> None:
    counts = np.stack([draw(weber_matrix(weber), 40, seed) for seed, weber in enumerate((0.1, 0.2, 0.5, 0.15))])
    counts[1, :, 4] = 0
    expected = {}
    for one, other in itertools.combinations(range(4), 2):
        both = [column for column in range(10) if counts[one, :, column].any() and counts[other, :, column].any()]
        shares = [counts[place][:, both] / counts[place][:, both].sum(axis=0) for place in (one, other)]
        expected[one, other] = np.corrcoef(shares[0].ravel(), shares[1].ravel())[0, 1]
    found = least_alike(counts)
    assert found is not None
    estimate, pair = found
    assert pair == min(expected, key=lambda key: expected[key])
    assert estimate.value == pytest.approx(min(expected.values()), abs=1e-9)
    assert estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize(
    "counts",
    [
        np.ones((1, 20, 10), dtype=np.int64),
        np.ones((3, 20, 10), dtype=np.int64),
        np.zeros((2, 20, 10), dtype=np.int64),
        np.stack([np.eye(4, 2, dtype=np.int64), np.eye(4, 2, dtype=np.int64)]) * np.array([[[1, 0]], [[0, 1]]]),
    ],
    ids=["one category", "constant", "nothing", "no target in common"],
)
def test_without_two_categories_to_compare_there_is_no_abstraction(counts: NDArray[np.int64]) -> None:
    assert least_alike(counts) is None


def test_categories_answered_alike_are_alike() -> None:
    counts = np.stack([np.eye(20, 10, dtype=np.int64) * 5] * 3)
    found = least_alike(counts)
    assert found is not None
    assert (found[0].value, found[0].high) == pytest.approx((1, 1), abs=1e-12)
    assert found[0].low < 0.999


def test_the_distance_to_a_law_is_half_the_summed_differences_averaged_over_targets() -> None:
    counts = np.zeros((2, 20, 3), dtype=np.int64)
    for category, responses in enumerate(([[1, 1, 2], [2, 3, 3], [5, 5, 20]], [[1, 1, 1], [2, 2, 4], [6, 5, 7]])):
        for column, own in enumerate(responses):
            for response in own:
                counts[category, response - 1, column] += 1
    law = human_matrix((1, 2, 5))
    by_hand = [
        sum(abs(counts[:, row, column].sum() / 6 - law[row, column]) for row in range(20)) / 2 for column in range(3)
    ]
    found = distance(counts, law)
    assert found is not None
    assert found.value == pytest.approx(sum(by_hand) / 3, abs=1e-9)
    assert found.low <= found.value <= found.high
    assert found.n == 18


def test_distances_tell_a_human_from_chance_where_correlations_cannot() -> None:
    targets = tuple(range(1, 11))
    human, random = human_matrix(targets), random_matrix(targets)
    counts = (human[None] * 1000).round().astype(np.int64)
    to_human, to_random = distance(counts, human), distance(counts, random)
    assert to_human is not None
    assert to_random is not None
    assert to_human.value < 0.01
    assert to_random.value > 0.7


def test_without_trials_there_is_no_distance() -> None:
    assert distance(np.zeros((1, 20, 2), dtype=np.int64), human_matrix((1, 2))) is None


@pytest.mark.parametrize("samples", [3, pytest.param(100, marks=PROOF)])
@pytest.mark.parametrize("law", [human_matrix(TARGETS), random_matrix(TARGETS)], ids=["human", "random"])
def test_a_sample_of_a_law_may_be_at_no_distance_from_it(law: NDArray[np.float64], samples: int) -> None:
    cells = np.full((2, len(TARGETS)), 40)
    cells[0, 0] = 0  # a number that one category does not have
    chance = np.random.default_rng(5)
    found = [distance(np.moveaxis(chance.multinomial(cells, law.T), -1, -2), law) for _ in range(samples)]
    assert np.mean([one is not None and one.low == 0 for one in found]) >= 0.9
