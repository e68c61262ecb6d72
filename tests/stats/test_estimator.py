"""The one estimator against formulae written out, statsmodels, and simulations of the designs that people run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri
from scipy.stats import t as student
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]

from subitize.records import Estimate
from subitize.stats.estimate import MEAN, SHARE, ColumnLike, compare_shares, error_scale, estimate, gather
from tests.cases import Case

Floats = NDArray[np.float64]


def estimate_share(
    values: ColumnLike, clusters: ColumnLike | None = None, strata: ColumnLike | None = None
) -> Estimate:
    return estimate(values, clusters, strata)[0]


def estimate_error(
    values: ColumnLike, clusters: ColumnLike | None = None, strata: ColumnLike | None = None
) -> Estimate:
    return estimate(values, clusters, strata, scale=error_scale())[0]


def reference_share(means: Floats, strata: NDArray[np.int64], observations: int) -> tuple[float, float, float]:
    """Shares of equal clusters, each stratum by itself; `observations` are those of a cluster."""
    n, mean = len(means), float(means.mean())
    parts = [means[strata == one] for one in np.unique(strata)]
    squares = [float(((part - part.mean()) ** 2).sum()) for part in parts]
    pooled = sum(squares) / (n - len(parts))
    variances = [(own + pooled) / len(part) * len(part) / n**2 for own, part in zip(squares, parts, strict=True)]
    # The pseudo-value adds a degree of freedom to each stratum.
    terms = [one**2 / len(part) for one, part in zip(variances, parts, strict=True)]
    degrees = min(sum(variances) ** 2 / sum(terms), n - len(parts))
    shrunk = [(part.sum() * observations + mean) / (len(part) * observations + 1) for part in parts]
    least = sum(
        (len(part) / n) ** 2 * p * (1 - p) / (len(part) * observations) for p, part in zip(shrunk, parts, strict=True)
    )
    z = float(ndtri(0.975))
    size = mean * (1 - mean) / max(sum(variances), least) * (z / student.ppf(0.975, degrees)) ** 2
    centre = (mean + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(mean * (1 - mean) / size + z**2 / (4 * size**2))
    return mean, centre - half, centre + half


@pytest.mark.parametrize("seed", range(5))
def test_a_share_of_equal_clusters_is_as_written_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    strata = np.repeat(np.arange(4), random.integers(2, 9, 4))
    right = random.integers(0, 2, (len(strata), 6))
    clusters = np.repeat(np.arange(len(strata)), 6)
    found = estimate_share(right.ravel().astype(float), clusters, np.repeat(strata, 6))
    assert (found.value, found.low, found.high) == pytest.approx(
        reference_share(right.mean(axis=1), strata, 6), abs=1e-9
    )
    assert found.n == right.size


def test_the_error_of_equal_clusters_is_that_of_statsmodels() -> None:
    random = np.random.default_rng(3)
    half = random.normal(size=(15, 4))
    # Mirrored, so that nothing is skewed and the interval is Student's.
    given = np.concatenate([5 + half, 5 - half])
    clusters = np.repeat(np.arange(30), 4)
    fitted = OLS(given.ravel(), np.ones(given.size)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = estimate_error(given.ravel(), clusters)
    assert (found.low, found.high) == pytest.approx(tuple(fitted.conf_int()[0]), abs=1e-9)


def test_the_error_of_unequal_clusters_is_bias_reduced() -> None:
    """CR2 of Bell and McCaffrey (2002) for a mean: residuals are divided by √(1 − leverage)."""
    random = np.random.default_rng(3)
    half = [random.normal(size=size) for size in random.integers(1, 7, 15)]
    values = [5 + one for one in half] + [5 - one for one in half]
    sizes = np.array([len(one) for one in values])
    n = int(sizes.sum())
    sums = np.array([(one - 5).sum() for one in values])
    error = math.sqrt(sum(sums**2 / (1 - sizes / n))) / n
    degrees = min(n**2 / (sizes**2).sum(), 29)
    found = estimate_error(np.concatenate(values), np.repeat(np.arange(30), sizes))
    width = student.ppf(0.975, degrees) * error
    assert (found.low, found.high) == pytest.approx((5 - width, 5 + width), abs=1e-9)


def test_what_the_design_fixes_does_not_widen_an_interval() -> None:
    values = np.repeat([0.0, 1.0], 40)
    strata = np.repeat([0, 1], 40)
    values[[0, 79]] = 1 - values[[0, 79]]
    fixed, sampled = estimate_share(values, None, strata), estimate_share(values)
    assert fixed.value == sampled.value
    assert fixed.high - fixed.low < 0.6 * (sampled.high - sampled.low)


def test_images_of_one_prompt_are_no_independent_observations() -> None:
    right = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0], 100)
    of_prompts = estimate_share(right, np.repeat(np.arange(10), 100))
    assert of_prompts.n == 1000
    assert of_prompts.high - of_prompts.low > 5 * (estimate_share(right).high - estimate_share(right).low)


def test_a_stratum_of_one_cluster_joins_its_neighbour() -> None:
    values = np.array([0.1, 0.2, 0.5, 0.6, 0.9])
    alone, paired = (estimate(values, None, strata, count=np.full(5, 10.0)) for strata in (range(5), [0, 0, 1, 1, 1]))
    assert alone == paired


def test_a_few_large_clusters_among_small_ones_leave_a_wide_interval() -> None:
    sizes = np.repeat([50, 1], [5, 55])
    truth, held, random = Drawn((-0.54,), 1, 1, 1.5).truth(), 0, np.random.default_rng(8)
    for _ in range(400):
        shares = expit(-0.54 + 1.5 * random.normal(size=60))
        right = random.binomial(sizes, shares) / sizes
        (found,) = estimate(right, weight=sizes, count=sizes)
        held += found.low <= truth <= found.high
    assert held >= 0.9 * 400


def test_groups_do_not_know_one_another() -> None:
    random = np.random.default_rng(5)
    parts = [(random.random(9), random.integers(0, 3, 9)) for _ in range(4)]
    values, strata = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    groups, counts = np.repeat(np.arange(4), 9), np.full(36, 4.0)
    for scale in (SHARE, error_scale()):
        together = estimate(values, None, strata, group=groups, count=counts, scale=scale)
        alone = [estimate(*one, count=counts[:9], scale=scale)[0] for one in ((means, None, of) for means, of in parts)]
        assert together == alone


def test_rows_of_values_are_groups_of_the_same_clusters() -> None:
    random = np.random.default_rng(6)
    rows, strata, weights = random.random((3, 12)), np.arange(12) // 4, random.integers(1, 5, 12)
    alone = [estimate(row, None, strata, weights, count=weights)[0] for row in rows]
    assert estimate(rows, None, strata, weights, count=weights) == alone


def test_units_may_be_named() -> None:
    right, prompts = [0.0, 1.0, 1.0, 1.0, 0.0, 1.0], [0, 0, 1, 1, 2, 2]
    assert estimate(right, {"prompt": prompts}) == estimate(right, prompts)


def test_a_plain_mean_refuses_what_it_would_ignore() -> None:
    with pytest.raises(ValueError, match="knows no strata"):
        estimate([1.0, 2.0], None, [0, 1], scale=MEAN)


def test_categories_may_weigh_alike_however_many_prompts_they_have() -> None:
    means, strata = np.array([1.0, 1.0, 0.0, 0.5, 0.5, 0.0]), np.array([0, 0, 1, 1, 1, 1])
    weights = np.array([1 / 2, 1 / 2, 1 / 4, 1 / 4, 1 / 4, 1 / 4])
    (found,) = estimate(means, None, strata, weights, count=np.full(6, 4.0))
    assert found.value == pytest.approx((1.0 + 0.25) / 2)


@pytest.mark.parametrize("seed", range(5))
def test_a_share_is_told_from_others_exactly_where_its_interval_ends(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns = (random.integers(0, 2, 300).astype(float), np.arange(300) // 5, np.arange(300) % 2)
    groups = np.repeat([0, 1, 2], 100)
    clusters, found = gather(*columns, group=groups), estimate(*columns, group=groups)
    above, below = compare_shares(clusters, np.array([one.low for one in found]))
    np.testing.assert_allclose(above, 0.025, atol=1e-9)
    np.testing.assert_allclose(above + below, 1, atol=1e-9)
    np.testing.assert_allclose(compare_shares(clusters, np.array([one.high for one in found]))[1], 0.025, atol=1e-9)


def test_one_cluster_tells_nothing_and_constant_ones_count_once() -> None:
    single = gather([1.0] * 9, [0] * 9)
    assert [float(p[0]) for p in compare_shares(single, np.array([0.5]))] == [1.0, 1.0]
    constant = gather([1.0] * 9, [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert float(compare_shares(constant, np.array([0.5]))[0][0]) == pytest.approx(float(ndtr(-math.sqrt(3))))


def test_where_there_is_too_little_it_is_said(case: Case) -> None:
    many = [0.0, 1.0] * 50
    cautions = {
        "enough": (estimate_share(many), ""),
        "few prompts": (estimate_share(many, [place % 5 for place in range(100)]), "only 5 clusters"),
        "one prompt": (estimate_share(many, [0] * 100), "only 1 cluster"),
        "all right": (estimate_share([1.0] * 100), "never varies"),
        "few successes": (estimate_share([1.0] * 9 + [0.0] * 91), "one outcome is in fewer than 10 clusters"),
        "few failures": (estimate_share([0.0] * 9 + [1.0] * 91), "one outcome is in fewer than 10 clusters"),
        "few prompts have all": (estimate_share([0.5] * 5 + [0.001] * 95), "one outcome is in fewer than 10 clusters"),
        "few successes of many images": (
            estimate_share([1.0] * 24 + [0.0] * 176, [place // 2 for place in range(200)]),
            "one outcome is in fewer than 15 clusters",
        ),
        "no error": (estimate_error([0.0] * 100), "never varies"),
        "a few large errors": (estimate_error([0.0] * 95 + [40.0] * 5), "rests on a few large errors"),
        "errors": (estimate_error([0.0, 1.0, 2.0] * 20), ""),
    }
    for name, (found, caution) in cautions.items():
        with case(name):
            assert found.caution == caution


def test_the_interval_of_one_cluster_is_whatever_is_possible() -> None:
    share, error = estimate_share([0.0, 1.0], [7, 7]), estimate_error([2.0, 3.0], [7, 7])
    assert (share.low, share.high) == (0.0, 1.0)
    assert (error.low, error.high) == (0.0, math.inf)


def test_an_interval_holds_its_value_and_what_is_possible() -> None:
    random = np.random.default_rng(11)
    for _ in range(200):
        count = int(random.integers(1, 12))
        clusters, strata = random.integers(0, 4, count), random.integers(0, 3, count)
        share = estimate_share(random.integers(0, 2, count).astype(float), clusters, strata)
        error = estimate_error(random.exponential(size=count) ** 3, clusters, strata)
        assert 0 <= share.low <= share.value <= share.high <= 1
        assert 0 <= error.low <= error.value <= error.high


@dataclass(frozen=True)
class Drawn:
    """Prompts whose logits are normal around those of their strata, so many images of each."""

    logits: tuple[float, ...]
    prompts: int
    images: int
    spread: float
    least: float = 0.93
    most: float = 0.975

    def truth(self) -> float:
        points, weights = np.polynomial.hermite_e.hermegauss(80)
        means = expit(np.asarray(self.logits)[:, None] + self.spread * points) @ weights / weights.sum()
        return float(means.mean())

    def estimate(self, replicates: int, random: np.random.Generator) -> list[Estimate]:
        strata = np.repeat(np.arange(len(self.logits)), self.prompts)
        count = len(strata)
        shares = expit(np.asarray(self.logits)[strata] + self.spread * random.normal(size=(replicates, count)))
        right, sizes = random.binomial(self.images, shares) / self.images, np.full(count, self.images)
        return estimate(right, None, strata, sizes, count=sizes)


FALLING = tuple(3.5 - 0.9 * number for number in range(1, 11))
# Logits at which the mean share of prompts with this spread is the one named.
DESIGNS = {
    "200 prompts, an image of each": Drawn((-0.405,), 200, 1, 0.0),
    "100 prompts x 5": Drawn((-0.54,), 100, 5, 1.5),
    "production, 40 x 100": Drawn((-0.54,), 40, 100, 1.5),
    "numbers fixed, 4 nouns x 100": Drawn(FALLING, 4, 100, 1.2),
    "numbers fixed, 60 nouns x 5": Drawn(FALLING, 60, 5, 1.2),
    "numbers fixed, 60 nouns, an image of each": Drawn(FALLING, 60, 1, 1.2),
    "nearly always right, 100 x 5": Drawn((5.0,), 100, 5, 1.0, most=0.985),
    "nearly never right, 40 x 100": Drawn((-5.5,), 40, 100, 1.5, least=0.87),
    "10 prompts x 5": Drawn((-0.54,), 10, 5, 1.5),
    "10 prompts x 100": Drawn((-0.54,), 10, 100, 1.5),
    "six categories, nearly never or always right": Drawn((-4.0, 4.0) * 3, 25, 4, 0.5, most=0.985),
    "numbers by categories, a prompt of each x 10": Drawn(FALLING * 5, 1, 10, 1.2, most=0.98),
}


def coverage(design: Drawn, replicates: int, seed: int) -> float:
    """Tell how often intervals hold the truth."""
    truth = design.truth()
    found = design.estimate(replicates, np.random.default_rng(seed))
    return float(np.mean([one.low <= truth <= one.high for one in found]))


@pytest.mark.slow
def test_a_share_covers_the_truth_in_every_design(case: Case) -> None:
    for name, design in DESIGNS.items():
        with case(name):
            noise = 3 * math.sqrt(0.95 * 0.05 / 500)
            assert design.least - noise <= coverage(design, 500, seed=1) <= design.most + noise


@pytest.mark.proof("subitize.stats.estimate")
@pytest.mark.parametrize("name", DESIGNS)
def test_shares_cover_the_truth_within_narrow_bounds(name: str) -> None:
    design, noise = DESIGNS[name], 0.005
    assert design.least - noise <= coverage(design, 2000, seed=2) <= design.most + noise


def test_a_share_that_few_prompts_carry_is_marked() -> None:
    found = DESIGNS["nearly never right, 40 x 100"].estimate(300, np.random.default_rng(3))
    assert np.mean([bool(one.caution) for one in found]) > 0.95


def error_coverage(values: Floats, truth: float, images: int = 1, least: float = 0.0) -> tuple[float, float]:
    """Tell how often intervals of (replicate, prompt) hold the truth, and how often they are marked."""
    sizes = np.full(values.shape[1], images)
    found = estimate(values, weight=sizes, count=sizes, scale=error_scale(low=least))
    return (
        float(np.mean([one.low <= truth <= one.high for one in found])),
        float(np.mean([bool(one.caution) for one in found])),
    )


def lognormal(spread: float, count: int, replicates: int) -> tuple[Floats, float]:
    drawn = np.exp(spread * np.random.default_rng(4).normal(size=(replicates, count)))
    return drawn, math.exp(spread**2 / 2)


def test_an_error_covers_the_truth_and_is_marked_where_tails_are_heavy(case: Case) -> None:
    for spread, count, least, is_heavy in [(0.5, 100, 0.92, False), (0.5, 40, 0.91, False), (1.5, 200, 0.88, True)]:
        with case(f"lognormal {spread}, {count} prompts"):
            held, marked = error_coverage(*lognormal(spread, count, 500))
            assert least <= held <= 0.985
            assert (marked > 0.8) is is_heavy


@pytest.mark.proof("subitize.stats.estimate")
def test_errors_cover_the_truth_within_narrow_bounds(case: Case) -> None:
    for spread, count, least in [
        (0.5, 40, 0.93),
        (0.5, 200, 0.93),
        (1.0, 200, 0.92),
        (1.5, 50, 0.89),
        (1.5, 200, 0.89),
    ]:
        with case(f"lognormal {spread}, {count} prompts"):
            assert least - 0.005 <= error_coverage(*lognormal(spread, count, 2000))[0] <= 0.98


def signed(off: Sequence[float], count: int, replicates: int) -> tuple[Floats, float]:
    """Draw by how much counts are off: each of these as likely as the others."""
    return np.random.default_rng(5).choice(off, size=(replicates, count)), float(np.mean(off))


SIGNED = {
    "rarely off": [0.0] * 8 + [-1.0, 1.0],
    "too few": [0.0] * 7 + [-2.0, -1.0, -1.0],
    "half off": [0.0, 0.0, 1.0, -2.0],
}


def test_a_signed_error_covers_the_truth_and_may_be_negative(case: Case) -> None:
    for name, off in SIGNED.items():
        with case(name):
            covered, _ = error_coverage(*signed(off, 60, 300), least=-math.inf)
            assert 0.9 <= covered <= 0.99
    (below,) = estimate([-1.0, -2.0, -1.0, -3.0], scale=error_scale(low=-math.inf))
    assert below.low < below.value < below.high < 0
    (alone,) = estimate([-1.0, -2.0], [0, 0], scale=error_scale(low=-math.inf))
    assert (alone.low, alone.value, alone.high) == (-math.inf, -1.5, math.inf)


def test_a_signed_error_that_rests_on_a_few_large_ones_is_marked_on_either_side() -> None:
    rare = [0.0] * 50 + [40.0]
    for sign in (1, -1):
        (found,) = estimate([sign * one for one in rare], scale=error_scale(low=-math.inf))
        assert found.caution == "rests on a few large errors"


@pytest.mark.proof("subitize.stats.estimate")
def test_signed_errors_cover_the_truth_within_narrow_bounds(case: Case) -> None:
    for name, off in SIGNED.items():
        for count in (60, 200):
            with case(f"{name}, {count} prompts"):
                assert 0.93 <= error_coverage(*signed(off, count, 2000), least=-math.inf)[0] <= 0.98
