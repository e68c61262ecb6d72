"""Models are compared on what all of them have; p and interval agree, and ranks hold."""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit

from subitize.stats.compare import Difference, SharedClusters, Standing, compare_all, compare_studies, rank_models
from subitize.stats.estimate import cluster_spread, estimate, gather

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
PROOF = pytest.mark.proof("subitize.stats.compare", "subitize.stats.estimate")


def compare_two(differences: Floats, strata: Integers | None = None, *, most: float = np.inf) -> Difference:
    """Test whether the mean of clusters' differences, one of each, is 0."""
    size = len(differences)
    codes = np.zeros(size, dtype=np.int64) if strata is None else strata
    means = np.array([differences, np.zeros(size)])
    (found,) = compare_all(SharedClusters(means, np.ones(size), codes, most))
    return found


def _spread(differences: Floats, weights: Floats, strata: Integers) -> tuple[float, float]:
    found = cluster_spread(gather(differences, None, strata, weights, count=weights))
    return float(found.mean[0]), float(found.variance[0]) ** 0.5


@pytest.mark.parametrize("seed", range(4))
def test_p_is_that_of_a_plain_loop_over_all_flips_of_residuals(seed: int) -> None:
    random = np.random.default_rng(seed)
    strata = np.array([0, 0, 0, 1, 1, 1, 2, 2]) if seed else np.zeros(8, dtype=np.int64)
    means, weights = random.random((3, 8)), random.integers(1, 6, 8).astype(np.float64)
    for found in compare_all(SharedClusters(means, weights, strata)):
        differences = means[found.first] - means[found.second]
        residuals = differences.copy()
        for stratum in np.unique(strata):
            own = strata == stratum
            residuals[own] -= np.average(differences[own], weights=weights[own])
        mean, error = _spread(differences, weights, strata)
        extreme, total = 0, 0
        for signs in product((1, -1), repeat=8):
            flipped, its_error = _spread(np.array(signs) * residuals, weights, strata)
            extreme += abs(flipped) * error >= abs(mean) * its_error * (1 - 1e-9)
            total += 1
        assert found.p == pytest.approx((1 + extreme) / (1 + total), abs=1e-12)
        assert found.estimate.value == pytest.approx(mean, abs=1e-12)


def test_many_studies_are_compared_as_each_by_itself() -> None:
    random = np.random.default_rng(6)
    means, strata = random.binomial(4, 0.4, (30, 3, 40)) / 4, np.arange(40) // 8
    clusters = [SharedClusters(of_study, np.full(40, 4.0), strata, 1.0, are_shares=True) for of_study in means]
    together = compare_studies(clusters[0], means)
    for found, alone in zip(together, map(compare_all, clusters), strict=True):
        for one, other in zip(found, alone, strict=True):
            assert (one.p, one.p_holm) == (other.p, other.p_holm)
            assert one.estimate.low == pytest.approx(other.estimate.low, abs=1e-12)


def test_of_one_stratum_the_statistic_is_students_and_p_nears_that_of_plain_flips() -> None:
    random = np.random.default_rng(5)
    first, second = random.normal(0.1, 1, 400), random.normal(0, 1, 400)
    found = compare_two(first - second)
    expected = stats.ttest_rel(first, second)
    interval = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue, abs=0.025)
    # One pseudo-value more makes the variance larger by 1 in 400.
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high), abs=0.012)
    flipped = random.choice([-1.0, 1.0], (1_999, len(first))) * (first - second)
    quotients = np.abs(flipped.mean(axis=1) / flipped.std(axis=1))
    own = abs((first - second).mean() / (first - second).std())
    assert found.p == pytest.approx((1 + (quotients >= own).sum()) / 2_000, abs=0.04)


@pytest.mark.parametrize("clusters", [2, 4, 5, 6, 9, 12, 40, 300])
@pytest.mark.parametrize("strata", [1, 3])
def test_p_is_below_05_exactly_where_0_lies_outside_the_interval(clusters: int, strata: int) -> None:
    random = np.random.default_rng(clusters)
    verdicts = set()
    for shift in np.linspace(0, 0.6, 13):
        for share in (0.02, 0.5, 1.0):
            is_different = random.random(clusters) < share
            differences = np.where(is_different, np.clip(np.round(random.normal(shift, 0.4, clusters), 1), -1, 1), 0.0)
            found = compare_two(differences, np.arange(clusters) % strata, most=1.0)
            estimate = found.estimate
            assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1
            assert (found.p < 0.05) == (not estimate.low <= 0 <= estimate.high)
            verdicts.add(found.p < 0.05)
    if clusters < 5 or clusters > 9:
        assert verdicts == ({False} if clusters < 5 else {False, True})


def test_differences_add_up_and_do_not_depend_on_who_comes_first() -> None:
    random = np.random.default_rng(2)
    means, weights, strata = random.random((4, 60)), random.integers(1, 9, 60).astype(np.float64), np.arange(60) % 7
    found = {(one.first, one.second): one for one in compare_all(SharedClusters(means, weights, strata))}
    for a, b, c in combinations(range(4), 3):
        total = found[a, b].estimate.value + found[b, c].estimate.value
        assert total == pytest.approx(found[a, c].estimate.value, abs=1e-9)
    mirrored = compare_all(SharedClusters(means[::-1], weights, strata))
    for one in mirrored:
        other = found[3 - one.second, 3 - one.first]
        assert one.p == other.p
        assert one.estimate.low == pytest.approx(-other.estimate.high, abs=1e-12)


@pytest.mark.parametrize(
    ("differences", "p", "low", "high", "caution"),
    [
        pytest.param([0.0] * 40, 1.0, -0.0876, 0.0876, "never varies", id="never"),
        pytest.param([1.0] * 40, 2.0**-39, 0.9124, 1.0, "never varies", id="always"),
        pytest.param([0.01] * 40, 0.525, -0.0776, 0.0976, "never varies", id="alike, and next to nothing"),
        pytest.param([1.0] * 3, 0.25, 0.0, 1.0, "only 3 clusters", id="three"),
        pytest.param([0.0] * 3, 1.0, -0.5615, 0.5615, "only 3 clusters", id="none of three"),
        pytest.param([1.0], 1.0, -1.0, 1.0, "only 1 cluster", id="one"),
        pytest.param([1.0] * 3 + [0.0] * 37, 0.09, None, None, "differs in fewer than 10 clusters", id="few differ"),
    ],
)
def test_what_never_varies_may_still_differ(
    differences: list[float], p: float, low: float | None, high: float | None, caution: str
) -> None:
    found = compare_two(np.array(differences), most=1.0)
    assert found.p == pytest.approx(p, abs=0.02 if low is None else 0.001)
    if low is not None:
        assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high), abs=1e-4)
    assert found.estimate.caution == caution


def test_many_models_can_still_be_told_apart() -> None:
    """With as many flips for all, Holm's adjustment of the least p of 15 models would be above .05."""
    random = np.random.default_rng(3)
    means = np.arange(16)[:, None] + random.normal(0, 0.1, (16, 30))
    found = compare_all(SharedClusters(means, np.ones(30), np.zeros(30, dtype=np.int64)))
    assert max(one.p_holm for one in found) < 0.05


def _differences(count: int, significant: set[tuple[int, int]], values: list[float]) -> list[Difference]:
    from subitize.records import Estimate

    found = []
    for first, second in combinations(range(count), 2):
        value, p = values[first] - values[second], 0.01 if (first, second) in significant else 0.5
        found.append(Difference(first, second, Estimate(value, value, value, 9, ""), p, p, p))
    return found


@pytest.mark.parametrize(
    ("values", "significant", "expected"),
    [
        pytest.param([3, 2, 1], set(), ["1-3 a", "1-3 a", "1-3 a"], id="nobody is better"),
        pytest.param([3, 2, 1], {(0, 1), (0, 2), (1, 2)}, ["1-1 a", "2-2 b", "3-3 c"], id="all told apart"),
        pytest.param([3, 2, 1], {(0, 1), (0, 2)}, ["1-1 a", "2-3 b", "2-3 b"], id="first alone"),
        pytest.param([1, 2, 3], {(0, 2)}, ["2-3 b", "1-3 ab", "1-2 a"], id="a chain, the best last"),
        pytest.param([4, 3, 2, 1], {(0, 2), (0, 3), (1, 3)}, ["1-2 a", "1-3 ab", "2-4 bc", "3-4 c"], id="longer chain"),
    ],
)
def test_ranks_and_letters(values: list[float], significant: set[tuple[int, int]], expected: list[str]) -> None:
    differences = _differences(len(values), significant, values)
    assert [_told(one) for one in rank_models(differences, values)] == expected
    errors = [-value for value in values]
    differences = _differences(len(values), significant, errors)
    assert [_told(one) for one in rank_models(differences, errors, is_error=True)] == expected


def _told(one: Standing) -> str:
    return f"{one.best}-{one.worst} {one.letters}"


@pytest.mark.parametrize("seed", range(20))
def test_models_share_a_letter_exactly_where_they_cannot_be_told_apart(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = 7
    pairs = set(combinations(range(count), 2))
    significant = {pair for pair in pairs if random.random() < 0.5}
    values = random.random(count).tolist()
    letters = [one.letters for one in rank_models(_differences(count, significant, values), values)]
    assert all(letters)
    for first, second in pairs:
        assert bool(set(letters[first]) & set(letters[second])) == ((first, second) not in significant)


def _reject(draw: str, prompts: int, strata: int, replicates: int) -> float:
    """Say how often models that do not differ are told apart."""
    random = np.random.default_rng(prompts + strata)
    codes, rejected = np.arange(prompts) % strata, 0
    for _ in range(replicates):
        means = np.zeros((2, prompts))
        if draw == "skewed":
            means[0] = random.lognormal(0, 1, prompts) - np.exp(0.5)
        else:
            logits = random.normal(0, 1.5, prompts) + random.normal(0, 1, (2, prompts))
            means = random.binomial(5, 1 / (1 + np.exp(-logits))) / 5
        rejected += compare_all(SharedClusters(means, np.full(prompts, 5.0), codes))[0].p < 0.05
    return rejected / replicates


_DESIGNS = [
    pytest.param("symmetric", 40, 1, 0.06, id="40"),
    pytest.param("symmetric", 40, 10, 0.06, id="40 in 10 strata"),
    pytest.param("symmetric", 200, 10, 0.06, id="200 in 10 strata"),
    pytest.param("skewed", 300, 1, 0.08, id="300 skewed"),
    pytest.param("skewed", 300, 10, 0.08, id="300 skewed, in 10 strata"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "prompts", "strata", "most"), _DESIGNS)
def test_models_that_do_not_differ_are_seldom_told_apart(draw: str, prompts: int, strata: int, most: float) -> None:
    replicates = 60
    slack = 3 * (most * (1 - most) / replicates) ** 0.5
    assert _reject(draw, prompts, strata, replicates) <= most + slack


@PROOF
@pytest.mark.parametrize(("draw", "prompts", "strata", "most"), _DESIGNS)
def test_the_error_of_the_first_kind_is_bounded(draw: str, prompts: int, strata: int, most: float) -> None:
    assert _reject(draw, prompts, strata, 2_000) <= most


def _cover_ranks(replicates: int) -> float:
    """Say how often the rank intervals of seven models, three of them alike, all hold the true rank."""
    random = np.random.default_rng(11)
    truth = np.array([0.8, 0.5, 0.5, 0.5, 0.35, 0.3, 0.1])
    # Models that are alike share the ranks 2 to 4.
    best, worst = [1, 2, 2, 2, 5, 6, 7], [1, 4, 4, 4, 5, 6, 7]
    codes, covered = np.arange(120) % 10, 0
    for _ in range(replicates):
        logits = np.log(truth / (1 - truth))[:, None] + random.normal(0, 1, 120) + random.normal(0, 0.5, (7, 120))
        means = random.binomial(5, 1 / (1 + np.exp(-logits))) / 5
        found = compare_all(SharedClusters(means, np.full(120, 5.0), codes))
        ranks = rank_models(found, means.mean(axis=1).tolist())
        covered += all(one.best <= low and high <= one.worst for one, low, high in zip(ranks, best, worst, strict=True))
    return covered / replicates


def test_rank_intervals_hold_the_true_ranks() -> None:
    assert _cover_ranks(15) >= 0.8


@PROOF
def test_all_rank_intervals_hold_the_true_ranks_at_once() -> None:
    assert _cover_ranks(2_000) >= 0.95


def test_models_that_hardly_deviate_from_their_strata_are_told_apart() -> None:
    """Right throughout against right three times, in strata of two: flips of so few residuals say nothing."""
    strata = np.repeat(np.arange(25), 2)
    worse = np.zeros(50)
    worse[[3, 10, 30]] = 1.0
    (found,) = compare_all(SharedClusters(np.array([np.ones(50), worse]), np.ones(50), strata, 1.0, are_shares=True))
    assert found.p < 0.001
    assert 0.8 < found.estimate.low < 0.94 < found.estimate.high <= 1.0


def test_a_difference_from_one_that_is_never_right_is_as_uncertain_as_the_other_is() -> None:
    strata, images = np.repeat(np.arange(5), 4), np.full(20, 3.0)
    means = np.array(
        [[1, 1, 2 / 3, 1], [2 / 3, 2 / 3, 1, 2 / 3], [1 / 3] * 4, [1 / 3, 1 / 3, 0, 1 / 3], [0] * 4]
    ).ravel()
    (alone,) = estimate(means, None, strata, images, count=images)
    shared = SharedClusters(np.array([means, np.zeros(20)]), images, strata, 1.0, are_shares=True)
    (found,) = compare_all(shared)
    assert found.estimate.value == pytest.approx(alone.value)
    assert found.estimate.high - found.estimate.low > 0.8 * (alone.high - alone.low)


def test_models_that_plainly_differ_are_told_apart_where_strata_have_one_cluster_each() -> None:
    """Thirty pictures, each of another category and number: of two neighbours few deviate from each other."""
    better, worse = np.ones(30), np.zeros(30)
    better[[2, 7, 12, 25]], worse[[3, 9]] = 1 / 3, 1 / 3
    shared = SharedClusters(np.array([better, worse]), np.full(30, 3.0), np.arange(30), 1.0, are_shares=True)
    (found,) = compare_all(shared)
    assert found.p < 0.001
    assert found.estimate.low > 0.7
    assert found.estimate.method.startswith("difference, Student's interval, over 30 clusters in 15 strata")
    best, worst = rank_models([found], [better.mean(), worse.mean()])
    assert (_told(best), _told(worst)) == ("1-1 a", "2-2 b")


def _find_logit(rate: float) -> float:
    """Find the logit at which prompts whose logits vary by 1 have this mean rate."""
    hard = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    return float(brentq(lambda at: expit(at + hard).mean() - rate, -9, 9))


def _rank(rates: Sequence[float], replicates: int, seed: int) -> tuple[float, float]:
    """Return in how many studies of 60 prompts x 4 models are ordered wrongly, and the mean span of their ranks."""
    random = np.random.default_rng(seed)
    logits = [_find_logit(rate) for rate in rates]
    false, spans = 0, []
    for _ in range(replicates):
        means = random.binomial(4, expit(np.array(logits)[:, None] + random.normal(size=60))) / 4
        found = compare_all(SharedClusters(means, np.full(60, 4.0), np.zeros(60, dtype=np.int64), 1.0, are_shares=True))
        apart = [one for one in found if one.p_joint < 0.05]
        false += any((rates[one.first] - rates[one.second]) * one.estimate.value <= 0 for one in apart)
        spans += [one.worst - one.best + 1 for one in rank_models(found, means.mean(axis=1).tolist())]
    return false / replicates, float(np.mean(spans))


TIED = {"seven equal": [0.45] * 7, "three tied": [0.3, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7]}
STEPS = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]


def test_models_are_ranked_more_sharply_than_by_holm_and_ties_are_kept() -> None:
    assert _rank(TIED["three tied"], 20, seed=1)[0] <= 0.05 + 3 * (0.05 * 0.95 / 20) ** 0.5
    assert _rank(STEPS, 20, seed=2)[1] <= 4.3


@PROOF
@pytest.mark.parametrize("name", TIED)
def test_equal_models_are_ordered_wrongly_in_few_studies(name: str) -> None:
    assert _rank(TIED[name], 2000, seed=3)[0] <= 0.055


@PROOF
def test_ranks_of_seven_models_span_about_four_of_seven() -> None:
    assert _rank(STEPS, 2000, seed=4)[1] <= 4.1


@pytest.mark.parametrize("models", [4, 8])
def test_joint_p_is_between_that_of_the_pair_and_the_largest_of_all(models: int) -> None:
    random = np.random.default_rng(models)
    means = random.binomial(4, np.linspace(0.3, 0.6, models)[:, None], (models, 30)) / 4
    found = compare_all(SharedClusters(means, np.full(30, 4.0), np.zeros(30, dtype=np.int64), 1.0, are_shares=True))
    for one in found:
        assert one.p <= one.p_joint
    assert np.mean([one.p_joint for one in found]) < np.mean([one.p_holm for one in found])
