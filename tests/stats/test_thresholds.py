"""The search for a threshold, against brute force and planted truths."""

import numpy as np
import pytest

from subitize.records import Estimate
from subitize.stats.thresholds import (
    GRID,
    CountErrors,
    assign_folds,
    average,
    choose,
    count_above,
    cross_validate,
    estimate_settings,
    find_errors,
)


def pictures(n: int, planted: float, seed: int = 0) -> tuple[list[list[float]], list[float]]:
    """Things score above the planted threshold, what is none of them below it."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, 11, n)
    scores = [
        [*random.uniform(planted, 1, true), *random.uniform(0, planted - 0.01, random.integers(0, 8))] for true in truth
    ]
    return scores, [float(true) for true in truth]


def noise(n: int, seed: int, per_item: int = 1) -> CountErrors:
    """Scores that tell nothing of the true counts."""
    random = np.random.default_rng(seed)
    scores = [list(random.uniform(0, 1, 12)) for _ in range(n)]
    truth = [float(number) for number in random.integers(1, 11, n)]
    return find_errors(count_above(scores, GRID), truth, [place // per_item for place in range(n)])


def test_the_grid_is_the_papers() -> None:
    assert (len(GRID), GRID[0], GRID[28], GRID[-1]) == (99, 0.01, 0.29, 0.99)


def test_counts_and_means_are_those_of_brute_force() -> None:
    random = np.random.default_rng(3)
    # Two decimals: many scores are exactly a threshold, and count.
    scores = [list(np.round(random.uniform(0, 1, size), 2)) for size in random.integers(0, 15, 40)]
    truth = [float(number) for number in random.integers(0, 9, 40)]
    counts = count_above(scores, GRID)
    brute = [[sum(score >= threshold for score in own) for threshold in GRID] for own in scores]
    assert counts.tolist() == brute
    errors = find_errors(counts, truth, range(40))
    for place in range(len(GRID)):
        off = [abs(row[place] - true) / true for row, true in zip(brute, truth, strict=True) if true]
        assert average(errors, "nae")[place] == pytest.approx(sum(off) / len(off), abs=1e-12)
        right = sum(row[place] == true for row, true in zip(brute, truth, strict=True))
        assert average(errors, "accuracy")[place] == pytest.approx(right / 40, abs=1e-12)


def test_a_true_count_of_0_is_in_the_accuracy_only() -> None:
    errors = find_errors(count_above([[0.9], [], [0.8]], (0.5,)), [1.0, 0.0, 2.0], "abc")
    assert (estimate_settings(errors, "nae")[0].value, estimate_settings(errors, "nae")[0].n) == (0.25, 2)
    accuracy = estimate_settings(errors, "accuracy")[0]
    assert accuracy.value == pytest.approx(2 / 3)
    assert accuracy.n == 3
    assert not find_errors(count_above([[0.9]], (0.5,)), [0.0], "a").has_nae


@pytest.mark.parametrize("metric", ["nae", "accuracy"])
@pytest.mark.parametrize("planted", [0.2, 0.4, 0.75])
def test_a_planted_threshold_is_found_again(planted: float, metric: str) -> None:
    scores, truth = pictures(100, planted)
    errors = find_errors(count_above(scores, GRID), truth, range(100))
    by_metric = average(errors, "nae") if metric == "nae" else average(errors, "accuracy")
    (place,) = choose(by_metric, "nae" if metric == "nae" else "accuracy")
    assert GRID[place] == pytest.approx(planted, abs=0.011)
    found = cross_validate(errors, "nae", (99,))
    assert all(GRID[chosen] == pytest.approx(planted, abs=0.011) for (chosen,) in found.chosen)
    assert found.nae is not None
    assert found.nae.value < 0.01


@pytest.mark.parametrize(
    ("values", "best"),
    [
        pytest.param([3, 1, 2], (1,), id="one"),
        pytest.param([1, 2, 1, 1, 1, 2], (3,), id="middle of the widest"),
        pytest.param([1, 1, 1, 1, 2], (1,), id="lower middle"),
        pytest.param([1, 1, 2, 1, 1], (0,), id="first of equally wide"),
        pytest.param([[1, 1, 2], [2, 1, 2]], (0, 0), id="widest of all lines"),
        pytest.param([[1, 2], [1, 2], [2, 2]], (1, 0), id="last of the others"),
    ],
)
def test_ties_go_to_the_middle_of_the_widest_run(values: list[object], best: tuple[int, ...]) -> None:
    given = np.array(values, dtype=np.float64)
    assert choose(given, "nae") == best
    assert choose(-given, "accuracy") == best


def test_a_search_in_noise_looks_better_where_it_was_made() -> None:
    gaps = []
    for seed in range(30):
        errors = noise(20, seed)
        held_out = cross_validate(errors, "accuracy", (99,), seed=seed).accuracy.value
        gaps.append(float(average(errors, "accuracy").max()) - held_out)
    assert np.mean(gaps) > 0.1


def test_the_held_out_figure_is_chosen_without_the_pictures_it_is_measured_on() -> None:
    errors = noise(60, 5, per_item=3)
    found = cross_validate(errors, "nae", (99,), folds=7, seed=2)
    fold_of = assign_folds(errors, 7, 2)
    off = np.zeros(60)
    for fold, (chosen,) in enumerate(found.chosen):
        is_in = fold_of != fold
        assert (chosen,) == choose(errors.relative[is_in].mean(axis=0), "nae")
        off[~is_in] = errors.relative[~is_in, chosen]
    assert found.nae is not None
    assert found.nae.value == pytest.approx(off.mean())


def test_pictures_of_one_item_are_in_one_fold_and_counts_above_0_in_each() -> None:
    items = [place // 4 for place in range(80)]
    truth = [float(item < 6) for item in items]
    errors = find_errors(np.zeros((80, 1), dtype=np.int64), truth, items)
    fold_of = assign_folds(errors, 6, seed=9)
    assert all(len(set(fold_of[start : start + 4])) == 1 for start in range(0, 80, 4))
    assert set(fold_of[:24]) == set(range(6))
    assert fold_of.tolist() == assign_folds(errors, 6, seed=9).tolist()
    assert fold_of.tolist() != assign_folds(errors, 6, seed=10).tolist()


@pytest.mark.parametrize(
    "samples",
    [20, pytest.param(200, marks=pytest.mark.proof("subitize.stats.thresholds", "subitize.stats.estimate"))],
)
def test_the_interval_covers_the_truth_and_knows_of_clusters(samples: int) -> None:
    covered, widths = 0, []
    for seed in range(samples):
        random = np.random.default_rng(seed)
        by_item = np.repeat(random.uniform(size=40) < 0.3, 5)
        counts = np.where(by_item, 2, 1).astype(np.int64)[:, None]
        found = estimate_settings(find_errors(counts, [1.0] * 200, [place // 5 for place in range(200)]), "nae")[0]
        covered += found.low <= 0.3 <= found.high
        naive = estimate_settings(find_errors(counts, [1.0] * 200, range(200)), "nae")[0]
        widths.append((found.high - found.low) / (naive.high - naive.low))
    assert covered >= 0.9 * samples
    assert np.mean(widths) == pytest.approx(5**0.5, rel=0.1)


def bounds(found: Estimate) -> tuple[float, float]:
    return found.low, found.high


def test_where_every_count_is_right_the_interval_still_has_a_width() -> None:
    errors = find_errors(np.full((20, 1), 2, dtype=np.int64), [2.0] * 20, range(20))
    assert bounds(estimate_settings(errors, "nae")[0]) == pytest.approx((0.0, 0.1611 / 2), abs=1e-3)
    assert bounds(estimate_settings(errors, "accuracy")[0]) == pytest.approx((1 - 0.1611, 1.0), abs=1e-3)


def test_one_cluster_alone_leaves_everything_possible() -> None:
    errors = find_errors(np.array([[1], [2]], dtype=np.int64), [2.0, 2.0], "aa")
    assert bounds(estimate_settings(errors, "nae")[0]) == (0.0, np.inf)
    assert bounds(estimate_settings(errors, "accuracy")[0]) == (0.0, 1.0)
