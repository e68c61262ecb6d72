"""Power and precision are those of studies that are simulated by code of its own, and of other programs."""

from collections.abc import Callable
from functools import cache
from itertools import product
from math import ceil

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats import proportion  # type: ignore[import-untyped]
from statsmodels.stats.inter_rater import fleiss_kappa as other_fleiss  # type: ignore[import-untyped]
from statsmodels.stats.power import NormalIndPower  # type: ignore[import-untyped]

from cases import Case
from rating_matrices import tally_matrix
from subitize.records import Estimate
from subitize.stats.intervals import mean_interval, wilson_interval
from subitize.stats.kappas import fleiss_kappa
from subitize.stats.passes import average_passes
from subitize.stats.power import (
    Accuracy,
    Agreement,
    Difference,
    Method,
    coverage,
    half_width,
    least_number,
    least_share,
    like_one,
    like_two,
    power,
)
from subitize.stats.power.laws import Pair, beta_binomial, discordance_range, outcome_law
from subitize.stats.power.readings import SignedRanks, fleiss, passes
from subitize.stats.signed_ranks import wilcoxon_test

Floats = NDArray[np.float64]

PROOF = pytest.mark.proof("subitize.stats.power", "subitize.stats.passes", "subitize.stats.intervals")
MANY = 40_000  # studies
CLOSED = Method("closed")


def simulate(studies: int) -> tuple[Method, float]:
    """Say how to simulate beside so many studies, and by how much shares of both may differ by chance."""
    return Method(simulations=4 * studies), 2 / studies**0.5


def chances(random: np.random.Generator, rate: float, icc: float, size: tuple[int, int]) -> Floats:
    odds = (1 - icc) / icc
    return random.beta(rate * odds, (1 - rate) * odds, size)


def draw_means(design: Accuracy, studies: int) -> Floats:
    """Means of prompts (study, prompt), drawn image by image."""
    random = np.random.default_rng(11)
    drawn = chances(random, design.rate, design.icc, (studies, design.prompts))
    return np.asarray(random.binomial(design.images, drawn) / design.images)


def draw_differences(design: Difference, studies: int) -> Floats:
    """Differences of prompts' means; some prompts are at one quantile in both conditions."""
    random, size = np.random.default_rng(12), (studies, design.prompts)
    odds = (1 - design.icc) / design.icc
    first, second = ((rate * odds, (1 - rate) * odds) for rate in (design.rate, design.rate + design.difference))
    places = random.random(size)
    steps = max(1_000, studies // 2)
    alike = np.corrcoef([_quantiles(law, places[:500], steps).ravel() for law in (first, second)])[0, 1]
    is_shared = random.random(size) < min(1.0, design.correlation / alike)
    others = np.where(is_shared, places, random.random(size))
    rates = [_quantiles(law, at, steps) for law, at in ((first, places), (second, others))]
    counts = [random.binomial(design.images, rate) for rate in rates]
    return np.asarray((counts[1] - counts[0]) / design.images)


def _quantiles(law: tuple[float, float], places: Floats, steps: int = 4_000) -> Floats:
    """Quantiles of a beta law by a table: to compute each is slow."""
    return np.asarray(np.interp(places, *_table(law, steps)))


@cache
def _table(law: tuple[float, float], steps: int) -> tuple[Floats, Floats]:
    grid = np.sin(np.linspace(0, np.pi / 2, steps + 1)) ** 2
    return grid, stats.beta.ppf(grid, *law)


def pass_intervals(rates: Floats, choices: float) -> tuple[Floats, Floats]:
    """The interval of `score --pass-at-k` of each study: Wilson's of as many prompts as its spread is worth."""
    n, mean = rates.shape[1], rates.mean(axis=1)
    z, wider = stats.norm.ppf(0.975), stats.t.ppf(0.975, n - 1)
    with np.errstate(all="ignore"):
        worth = mean * (1 - mean) / stats.sem(rates, axis=1) ** 2
    worth = np.where(np.ptp(rates, axis=1) == 0, choices, np.minimum(choices, worth))
    is_whole = ((rates == 0) | (rates == 1)).all(axis=1)
    worth = np.where(is_whole, n, worth * (z / wider) ** 2)
    roots = [mean + side * z * np.sqrt(mean * (1 - mean) / worth + (z / worth / 2) ** 2) for side in (-1, 1)]
    low, high = ((root + z**2 / worth / 2) / (1 + z**2 / worth) for root in roots)
    return np.where(mean == 0, 0, np.maximum(low, 0)), np.where(mean == 1, 1, np.minimum(high, 1))


ACCURACIES = [  # prompts, images, rate, icc, told apart from
    (20, 1, 0.1, 0.3, 0.35),
    (20, 4, 0.1, 0.05, 0.3),
    (20, 4, 0.1, 0.8, 0.35),
    (20, 16, 0.1, 0.3, 0.3),
    (50, 2, 0.4, 0.3, 0.6),
    (50, 16, 0.05, 0.8, 0.15),
    (100, 4, 0.4, 0.5, 0.5),
    (200, 4, 0.45, 0.3, 0.54),
    (525, 1, 0.4, 0.5, 0.45),
    (525, 4, 0.4, 0.5, 0.45),
    (525, 4, 0.05, 0.8, 0.08),
]


@pytest.mark.parametrize(
    ("prompts", "images", "rate", "icc", "against", "studies"),
    [*((*one, 1_000) for one in ACCURACIES[:4]), *(pytest.param(*one, MANY, marks=PROOF) for one in ACCURACIES)],
)
def test_precision_and_power_of_an_accuracy_are_those_of_simulated_studies(
    prompts: int, images: int, rate: float, icc: float, against: float, studies: int
) -> None:
    design = Accuracy(prompts, images, rate, icc)
    ours, within = simulate(studies)
    low, high = pass_intervals(draw_means(design, studies), prompts * images)
    for method in (Method(), CLOSED):
        assert half_width(design, 0.95, method).value == pytest.approx(float(np.mean(high - low)) / 2, abs=0.01)
    found = power(design, 0.05, ours, against=against)
    assert found.value == pytest.approx(float(np.mean((low > against) | (high < against))), abs=within)
    covered = coverage(design, 0.95, ours)
    if covered is not None:
        assert covered.value == pytest.approx(float(np.mean((low <= rate) & (rate <= high))), abs=within)


def signed_rank_rejections(differences: Floats) -> NDArray[np.bool_]:
    """Wilcoxon's test of each study without zeros: by scipy; of up to 50, by the exact law, rank by rank.

    Where all differences are 1 it is a binomial test.
    """

    @cache
    def law(ranks: tuple[int, ...]) -> Floats:
        sums = np.ones(1)
        for rank in ranks:
            sums = np.convolve(sums, np.r_[0.5, np.zeros(rank - 1), 0.5])
        return np.cumsum(sums)

    def exact_p(own: Floats) -> float:
        own = own[own != 0]
        if not len(own):
            return 1.0
        ranks = np.rint(2 * stats.rankdata(np.abs(own))).astype(int)
        smaller = min(ranks[own > 0].sum(), ranks[own < 0].sum())
        return min(1.0, 2 * float(law(tuple(sorted(ranks.tolist())))[smaller]))

    differences = np.round(differences, 9)
    with np.errstate(all="ignore"):
        p = np.array(stats.wilcoxon(differences, axis=1, correction=False, method="approx").pvalue)
    is_few = np.count_nonzero(differences, axis=1) <= 50
    p[is_few] = [exact_p(own) for own in differences[is_few]]
    is_whole = ~is_few & np.isin(differences, [-1, 0, 1]).all(axis=1)
    p[is_whole] = [
        stats.binomtest(int((own > 0).sum()), int(np.count_nonzero(own))).pvalue for own in differences[is_whole]
    ]
    return np.asarray(p < 0.05)


DIFFERENCES = [  # prompts, images, rate, difference, icc, correlation
    (20, 1, 0.1, 0.3, 0.3, 0.0),
    (20, 4, 0.1, 0.2, 0.8, 0.8),
    (20, 4, 0.4, 0.25, 0.05, 0.0),
    (50, 2, 0.4, -0.15, 0.3, 0.5),
    (60, 4, 0.1, 0.1, 0.3, 0.8),
    (100, 4, 0.4, 0.12, 0.5, 0.0),
    (200, 4, 0.4, 0.08, 0.3, 0.5),
    (200, 4, 0.05, 0.05, 0.8, 0.8),
    (525, 1, 0.4, 0.08, 0.5, 0.5),
    (525, 4, 0.4, 0.05, 0.5, 0.0),
    (525, 4, 0.4, 0.05, 0.5, 0.8),
]


@pytest.mark.parametrize(
    ("prompts", "images", "rate", "difference", "icc", "correlation", "studies"),
    [*((*one, 500) for one in DIFFERENCES[:2]), *(pytest.param(*one, MANY, marks=PROOF) for one in DIFFERENCES)],
)
def test_precision_and_power_of_a_difference_are_those_of_simulated_studies(
    prompts: int, images: int, rate: float, difference: float, icc: float, correlation: float, studies: int
) -> None:
    design = Difference(prompts, images, rate, difference, icc, correlation)
    drawn = draw_differences(design, studies)
    ours, within = simulate(studies)
    assert power(design, 0.05, ours).value == pytest.approx(float(np.mean(signed_rank_rejections(drawn))), abs=within)
    half = stats.t.ppf(0.975, prompts - 1) * stats.sem(drawn, axis=1)
    half[half == 0] = proportion.proportion_confint(0, prompts, method="wilson")[1]
    assert half_width(design, 0.95, Method()).value == pytest.approx(float(half.mean()), abs=0.01)


def kappas(votes: NDArray[np.int64], raters: int) -> tuple[Floats, Floats]:
    """Fleiss' κ of each study (votes for yes: study, prompt) and its standard error, by what one prompt changes."""
    n = votes.shape[1]
    alike = (votes * (votes - 1) + (raters - votes) * (raters - votes - 1)) / (raters * (raters - 1))
    same, share = alike.mean(axis=1, keepdims=True), votes.mean(axis=1, keepdims=True) / raters
    scale = 1 / (2 * share * (1 - share))
    slope = -2 * (1 - 2 * share) * scale**2
    changes = scale * (alike - same) - (1 - same) * slope * (votes / raters - share)
    return (1 - (1 - same) * scale)[:, 0], np.sqrt((changes**2).sum(axis=1) / n / (n - 1))


AGREEMENTS = [  # prompts, raters, κ, share of yes
    (100, 2, 0.58, 0.35),
    (100, 5, 0.4, 0.2),
    (200, 3, 0.9, 0.5),
    (525, 5, 0.58, 0.35),
    (525, 10, 0.1, 0.35),
]


@pytest.mark.parametrize(
    ("prompts", "raters", "kappa", "share", "studies"),
    [*((*one, 2_000) for one in AGREEMENTS[:2]), *(pytest.param(*one, MANY, marks=PROOF) for one in AGREEMENTS)],
)
def test_precision_of_kappa_is_that_of_simulated_studies(
    prompts: int, raters: int, kappa: float, share: float, studies: int
) -> None:
    design = Agreement(prompts, raters, kappa, share)
    random = np.random.default_rng(13)
    drawn = random.binomial(raters, chances(random, share, kappa, (studies, prompts)))
    found, error = kappas(drawn, raters)
    half = stats.t.ppf(0.975, prompts - 1) * error
    half = (np.minimum(1, found + half) - np.maximum(-1, found - half)) / 2
    assert half_width(design, 0.95, Method()).value == pytest.approx(float(np.nanmean(half)), abs=0.01)
    against = kappa - 0.1
    excluded = np.mean(np.abs(found - against) > stats.t.ppf(0.975, prompts - 1) * error)
    ours, within = simulate(studies)
    assert power(design, 0.05, ours, against=against).value == pytest.approx(float(excluded), abs=within)


def test_kappa_of_counts_is_that_of_kappas_and_of_statsmodels() -> None:
    random = np.random.default_rng(1)
    counts = random.multinomial(40, beta_binomial(5, 0.35, 0.5), size=20).astype(float)
    found = fleiss(5, 0.95)(counts)
    for row, value, low, high in zip(counts, found.estimate, found.low, found.high, strict=True):
        answers = np.column_stack([5 - np.arange(6.0), np.arange(6.0)])
        is_yes = np.repeat(np.arange(6), row.astype(int)) > np.arange(5)[:, None]
        ours = fleiss_kappa(tally_matrix(is_yes.astype(np.float64)))
        assert ours is not None
        assert (ours.coefficient.value, ours.coefficient.low) == pytest.approx((value, low), abs=1e-12)
        assert ours.coefficient.high == pytest.approx(min(1, high), abs=1e-12)
        assert value == pytest.approx(other_fleiss(np.repeat(answers, row.astype(int), axis=0)), abs=1e-12)


@pytest.mark.parametrize(
    "studies",
    [
        10,
        pytest.param(
            300,
            marks=pytest.mark.proof("subitize.stats.power", "subitize.stats.signed_ranks"),
        ),
    ],
)
@pytest.mark.parametrize(
    ("prompts", "images", "alpha"),
    [
        (20, 1, 0.05),
        (20, 4, 0.05),
        (16, 3, 0.005),
        (30, 8, 0.002),
        (50, 4, 0.01),
        (14, 6, 0.0005),
        (70, 4, 0.05),
        (200, 1, 0.05),
    ],
)
def test_rejections_are_those_of_the_tests_of_single_studies(
    prompts: int, images: int, alpha: float, studies: int
) -> None:
    law = Difference(prompts, images, 0.4, 0.25, 0.3, 0.3).law
    rows = np.random.default_rng(2).multinomial(prompts, law.shares, size=studies).astype(float)
    drawn = [np.repeat(law.values, row.astype(int)) for row in rows]
    own = [_p(one) < alpha for one in drawn]
    assert SignedRanks(law.values).rejects(rows, alpha).tolist() == own


def _p(differences: Floats) -> float:
    """McNemar's exact p of right and wrong, else Wilcoxon's."""
    differing = np.round(differences[differences != 0], 12)
    if not len(differing):
        return 1.0
    if (np.abs(differing) == 1).all():
        return float(stats.binomtest(int((differing > 0).sum()), len(differing)).pvalue)
    return wilcoxon_test(differing).p


def _half_width(differences: Floats) -> float:
    if (differences == differences[0]).all():
        return wilson_interval(0, len(differences)).high
    interval = mean_interval(differences.tolist())
    return (interval.high - interval.low) / 2


def test_half_widths_of_differences_are_those_of_single_studies() -> None:
    for prompts, images in ((2, 1), (3, 2), (12, 4), (60, 3)):
        design = Difference(prompts, images, 0.3, 0.2, 0.3, 0.3)
        rows = np.random.default_rng(4).multinomial(prompts, design.law.shares, size=20).astype(float)
        found = design.interval(0.95)(rows)
        for row, low, high in zip(rows, found.low, found.high, strict=True):
            assert (high - low) / 2 == pytest.approx(
                _half_width(np.repeat(design.law.values, row.astype(int))), abs=1e-9
            )


@pytest.mark.parametrize("studies", [20, pytest.param(300, marks=PROOF)])
def test_intervals_of_counts_are_those_of_average_passes(studies: int, case: Case) -> None:
    designs = ((1, 1), (2, 1), (4, 1), (3, 2), (6, 4), (4, 4))
    for (images, at), confidence, prompts in product(designs, (0.95, 0.995), (2, 5, 30, 525)):
        random = np.random.default_rng(prompts)
        values = Accuracy(9, images, 0.4, 0.3, at).law.values
        shares = random.dirichlet(np.full(len(values), 0.3), size=studies)
        rows = random.multinomial(prompts, shares).astype(float)
        found = passes(values, images / at, confidence)(rows)
        ours = [
            average_passes(np.repeat(values, row.astype(int)).tolist(), prompts * images / at, confidence)
            for row in rows
        ]
        with case(f"{prompts} prompts, {at} of {images}, {confidence}"):
            assert found.low == pytest.approx([one.low for one in ours], abs=1e-12)
            assert found.high == pytest.approx([one.high for one in ours], abs=1e-12)


@pytest.mark.parametrize(("images", "rate", "icc"), [(4, 0.4, 0.5), (16, 0.05, 0.8), (1, 0.3, 0.2), (3, 0.5, 0.0)])
def test_the_law_of_right_images_is_that_of_scipy(images: int, rate: float, icc: float) -> None:
    odds = (1 - icc) / icc if icc else 1e12
    law = stats.betabinom(images, rate * odds, (1 - rate) * odds) if icc else stats.binom(images, rate)
    assert beta_binomial(images, rate, icc) == pytest.approx(law.pmf(np.arange(images + 1)), abs=1e-12)


def test_success_at_k_has_the_rate_that_was_named() -> None:
    for at, images in ((2, 4), (4, 4), (4, 8)):
        assert Accuracy(100, images, 0.35, 0.4, at).law.mean == pytest.approx(0.35, abs=1e-9)
    design = Accuracy(525, 4, 0.6, 0.4, 4)
    assert design.law.values.tolist() == [0, 1]
    alike = half_width(Accuracy(525, 1, 0.6, 0.0), 0.95, Method())
    assert half_width(design, 0.95, Method()).value == pytest.approx(alike.value, abs=1e-12)


@pytest.mark.parametrize(("rate", "precision"), [(0.5, 0.03), (0.4, 0.05), (0.2, 0.02)])
def test_prompts_for_a_precision_are_about_those_of_statsmodels(rate: float, precision: float) -> None:
    found = least_number(
        lambda n, method: half_width(Accuracy(n, 1, rate, 0.0), 0.95, method),
        lambda half: half <= precision,
        range(2, 10_000),
        Method(),
    )
    other = ceil(proportion.samplesize_confint_proportion(rate, precision))
    assert found is not None
    assert found.value == pytest.approx(other - 1.96**2, abs=2)  # Wilson's is as narrow as Wald's with z² prompts more


def test_power_of_one_image_is_about_that_of_the_normal_law_of_statsmodels() -> None:
    effect = (0.45 - 0.4) / (0.45 * 0.55) ** 0.5
    other = NormalIndPower(ddof=0).power(effect, 2000, 0.05, ratio=0)
    assert power(Accuracy(2000, 1, 0.45, 0.0), 0.05, Method(), against=0.4).value == pytest.approx(other, abs=0.01)


def test_precision_follows_the_design_effect() -> None:
    many = half_width(Accuracy(10_000, 4, 0.4, 0.5), 0.95, CLOSED).value
    assert many == pytest.approx(1.96 * (0.24 * 2.5 / 4 / 10_000) ** 0.5, rel=1e-3)


def test_two_alike_conditions_differ_as_often_as_they_are_said_to() -> None:
    for correlation in (0.0, 0.4, 0.9):
        pair = Pair(0.3, 0.3, 0.5, correlation)
        joint = pair.joint(1)
        assert joint[1, 0] + joint[0, 1] == pytest.approx(2 * 0.21 * (1 - 0.5 * correlation), abs=1e-4)
        assert joint.sum(axis=1) == pytest.approx([0.7, 0.3], abs=1e-4)
    assert discordance_range(Pair(0.3, 0.4, 1.0, 0.0)) == pytest.approx((0.1, 0.46), abs=1e-9)


def test_of_a_hundred_images_of_few_prompts_none_may_be_enough() -> None:
    def found(images: int) -> float:
        return half_width(Accuracy(60, images, 0.4, 0.5), 0.95, CLOSED).value

    assert found(100) > 0.08 > 0.5 * found(1)
    assert (
        least_number(
            lambda n, method: half_width(Accuracy(60, n, 0.4, 0.5), 0.95, method),
            lambda half: half <= 0.08,
            range(1, 101),
            CLOSED,
        )
        is None
    )


def test_the_least_difference_has_the_power_that_was_wanted() -> None:
    def found(share: float, method: Method = CLOSED) -> Estimate:
        return power(Difference(300, 4, 0.4, share, 0.3, 0.5), 0.05, method)

    least = least_share(found, _enough(0.8), 0.5, CLOSED)
    assert least is not None
    assert found(least.value).value >= 0.8 > found(least.value - 0.001).value


def test_what_is_found_with_few_simulations_first_is_right_with_all() -> None:
    method = Method("simulation", 8000)

    def found(prompts: int, method: Method = method) -> Estimate:
        return power(Difference(prompts, 2, 0.3, 0.3, 0.3, 0.0), 0.05, method)

    least = least_number(found, _enough(0.8), range(2, 1000), method)
    assert least is not None
    assert least.n == 8000
    assert found(int(least.value)).value >= 0.8 > found(int(least.value) - 1).value
    assert found(int(least.high)).low >= 0.8 > found(int(least.high) - 1).low
    assert found(int(least.low)).high >= 0.8 > found(int(least.low) - 1).high


def _enough(target: float) -> Callable[[float], bool]:
    return lambda value: value >= target


def test_simulations_are_repeatable_and_tell_their_error() -> None:
    design = Accuracy(30, 16, 0.2, 0.3)
    once, again, other = (power(design, 0.05, Method("simulation", 5000, seed), against=0.4) for seed in (1, 1, 2))
    assert once == again != other
    assert once.low < once.value < once.high
    assert once.n == 5000


def test_what_is_learnt_from_images_is_what_they_were_drawn_with() -> None:
    design = Difference(20_000, 4, 0.4, 0.1, 0.3, 0.6)
    random, odds = np.random.default_rng(5), 0.7 / 0.3
    places, others = random.random((2, 20_000))
    others = np.where(random.random(20_000) < design.correlation, places, others)
    laws = [(rate * odds, (1 - rate) * odds) for rate in (0.4, 0.5)]
    right = [random.binomial(4, _quantiles(law, at)) for law, at in zip(laws, (places, others), strict=True)]
    images = np.full(20_000, 4)
    found = like_two((right[0], images), (right[1], images))
    assert found.rate.value == pytest.approx(0.4, abs=0.01)
    assert found.icc is not None
    assert found.icc.value == pytest.approx(0.3, abs=0.02)
    assert found.icc.low < found.icc.value < found.icc.high
    assert found.correlation == pytest.approx(0.6, abs=0.03)


def test_one_image_per_prompt_cannot_tell_how_images_hang_together() -> None:
    assert like_one(np.array([0, 1, 1]), np.array([1, 1, 1])).icc is None
    assert like_one(np.array([0, 0]), np.array([4, 4])).icc is None


@PROOF
@pytest.mark.parametrize("images", [1, 2, 4, 16])
@pytest.mark.parametrize("prompts", [20, 50, 100, 200, 525])
def test_power_is_right_over_a_grid_of_designs(prompts: int, images: int, case: Case) -> None:
    ours, within = simulate(MANY)
    for rate, icc in product((0.1, 0.4), (0.05, 0.3, 0.8)):
        design = Accuracy(prompts, images, rate, icc)
        law = outcome_law(images, rate, icc)
        spread = float(np.sqrt(law.shares @ (law.values - rate) ** 2 / prompts))
        low, high = pass_intervals(draw_means(design, MANY), prompts * images)
        for against in (rate - 2 * spread, rate + 2 * spread, rate + 2.8 * spread):
            if against > 0:
                expected = float(np.mean((low > against) | (high < against)))
                with case(f"rate {rate}, ICC {icc}, against {against:.3f}"):
                    assert power(design, 0.05, ours, against=against).value == pytest.approx(expected, abs=within)
