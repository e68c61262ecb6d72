"""Power laws against brute force and scipy, and how often their intervals hold the truth."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special, stats

from subitize.stats.frequencies import (
    Histogram,
    PowerLaw,
    choose_start,
    compare_laws,
    draw_power_law,
    fit_power_law,
    measure_fit,
)
from tests.cases import Case

EXPONENTS = (1.5, 2.0, 2.5, 3.0)


def draw(exponent: float, n: int, seed: int, start: int = 1) -> Histogram:
    return draw_power_law(exponent, n, np.random.default_rng(seed), start)


def draw_log_normal(n: int, seed: int, mu: float = 1.5, sigma: float = 0.8) -> Histogram:
    drawn = np.rint(np.exp(np.random.default_rng(seed).normal(mu, sigma, n))).astype(int)
    return Histogram.of(dict(zip(*np.unique(drawn[drawn >= 1], return_counts=True), strict=True)))


def law_of(histogram: Histogram) -> PowerLaw:
    law = fit_power_law(histogram)
    assert law is not None
    return law


def fitted(histogram: Histogram, start: int = 1, most: int | None = None) -> tuple[float, float, float, float]:
    law = fit_power_law(histogram, start, most)
    assert law is not None
    return law.exponent.value, law.exponent.low, law.exponent.high, law.distance


def truncated_zipf_cost(a: float, numbers: NDArray[np.int64], start: int) -> float:
    """Give minus the log-likelihood of scipy's Zipf law, cut off below the start."""
    return float(-stats.zipf.logpmf(numbers, a).sum() + len(numbers) * np.log1p(-stats.zipf.cdf(start - 1, a)))


def test_the_exponent_is_that_of_maximum_likelihood(case: Case) -> None:
    for exponent in EXPONENTS:
        for start in (1, 5):
            with case(f"{exponent} from {start}"):
                histogram = draw(exponent, 2_000, seed=1)
                tail = histogram.between(start)
                numbers = np.repeat(tail.values, tail.counts)
                cost = partial(truncated_zipf_cost, numbers=numbers, start=start)
                best = optimize.minimize_scalar(cost, bounds=(1.05, 6), method="bounded", options={"xatol": 1e-9})
                value, low, high, _ = fitted(histogram, start)
                assert value == pytest.approx(best.x, abs=1e-5)
                for end in (low, high):
                    assert 2 * (cost(end) - best.fun) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)


def test_a_law_with_an_upper_bound_is_normalised_by_its_sum() -> None:
    histogram = draw(1.5, 3_000, seed=2)
    numbers = np.arange(2, 101)
    tail = histogram.between(2, 100)

    def cost(a: float) -> float:
        chances = numbers**-a / (numbers**-a).sum()
        return -float(tail.counts @ np.log(chances[tail.values - 2]))

    best = optimize.minimize_scalar(cost, bounds=(0.1, 6), method="bounded", options={"xatol": 1e-9})
    assert fitted(histogram, 2, 100)[0] == pytest.approx(best.x, abs=1e-5)


def test_the_distance_is_the_largest_over_all_whole_numbers() -> None:
    histogram = draw(2.0, 500, seed=3)
    value, _, _, distance = fitted(histogram)
    every = np.arange(1, histogram.values.max() + 1)
    seen = np.zeros(len(every))
    seen[histogram.values - 1] = histogram.counts
    expected = np.abs(np.cumsum(seen) / histogram.n - stats.zipf.cdf(every, value)).max()
    assert distance == pytest.approx(expected, abs=1e-9)


def test_the_start_is_chosen_where_the_law_begins() -> None:
    chosen = choose_start(draw_late(2.5, np.random.default_rng(4)))
    assert chosen is not None
    assert 9 <= chosen.start <= 12
    assert chosen.exponent.value == pytest.approx(2.5, abs=0.1)


def test_the_fit_of_a_power_law_is_good_and_that_of_another_is_not() -> None:
    histogram = draw(2.2, 2_000, seed=5)
    law = law_of(histogram)
    assert measure_fit(histogram, law, is_start_chosen=False, samples=50).value > 0.1
    other = draw_log_normal(2_000, seed=5)
    assert measure_fit(other, law_of(other), is_start_chosen=False, samples=50).value < 0.1


@pytest.mark.slow
def test_a_log_normal_is_told_from_a_power_law_where_n_suffices(case: Case) -> None:
    for n, told in ((25, range(3)), (2_000, [3])):
        with case(f"log-normal, n = {n}"):
            drawn = [draw_log_normal(n, seed, mu=0.5, sigma=1.5) for seed in range(3)]
            assert sum(next(compare_laws(one, law_of(one))).verdict == "log-normal" for one in drawn) in told
    with case("power law"):
        histogram = draw(2.0, 50_000, seed=6)
        log_normal, cut_off = compare_laws(histogram, law_of(histogram))
        assert log_normal.verdict in ("power law", "cannot tell")
        assert cut_off.verdict == "cannot tell"


@pytest.mark.slow
def test_a_law_that_an_exponential_cuts_off_is_recognised() -> None:
    numbers = np.arange(1, 2_000)
    chances = numbers**-1.5 * np.exp(-0.05 * numbers)
    counts = np.random.default_rng(7).multinomial(20_000, chances / chances.sum())
    histogram = Histogram.of(dict(zip(numbers.tolist(), counts.tolist(), strict=True)))
    _, cut_off = compare_laws(histogram, law_of(histogram))
    assert cut_off.verdict == cut_off.name
    assert cut_off.parameters["exponent"] == pytest.approx(1.5, abs=0.08)
    assert cut_off.parameters["rate"] == pytest.approx(0.05, abs=0.008)


def test_ratios_and_their_spread_are_those_of_single_numbers() -> None:
    histogram = draw(2.0, 3_000, seed=8)
    law = law_of(histogram)
    found = next(compare_laws(histogram, law))
    numbers = np.repeat(histogram.values, histogram.counts)
    mu, sigma = found.parameters["mu"], found.parameters["sigma"]
    upper, lower = (stats.norm.sf((np.log(numbers + step) - mu) / sigma) for step in (-0.5, 0.5))
    other = np.log(upper - lower) - np.log(stats.norm.sf((np.log(0.5) - mu) / sigma))
    own = -law.exponent.value * np.log(numbers) - np.log(special.zeta(law.exponent.value, 1))
    differences = own - other
    z = differences.sum() / (np.sqrt(len(numbers)) * differences.std(ddof=1))
    assert found.log_likelihood_ratio == pytest.approx(differences.sum(), abs=1e-6)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=1e-9)


def test_one_number_alone_follows_no_law() -> None:
    assert fit_power_law(Histogram.of({3: 100})) is None
    assert choose_start(Histogram.of({})) is None


def draw_late(exponent: float, random: np.random.Generator) -> Histogram:
    """Draw numbers that are equally frequent up to 9, and of a law from 10 on."""
    below = dict(enumerate(random.multinomial(3_000, np.full(9, 1 / 9)), start=1))
    tail = draw_power_law(exponent, 5_000, random, start=10)
    return Histogram.of(below | dict(zip(tail.values, tail.counts, strict=True)))


Fit = Callable[[Histogram], PowerLaw | None]


def coverage(exponent: float, replicates: int, draw: Callable[[np.random.Generator], Histogram], fit: Fit) -> float:
    """Tell how often the interval of planted laws holds the exponent."""
    random = np.random.default_rng(9)
    laws = [fit(draw(random)) for _ in range(replicates)]
    held = [law is not None and law.exponent.low <= exponent <= law.exponent.high for law in laws]
    return sum(held) / replicates


def test_intervals_hold_planted_exponents() -> None:
    assert 0.89 <= coverage(2.0, 100, partial(draw_power_law, 2.0, 1_000), fit_power_law) <= 0.99


@pytest.mark.proof("subitize.stats.frequencies")
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_intervals_hold_planted_exponents_within_narrow_bounds(exponent: float) -> None:
    assert 0.93 <= coverage(exponent, 2_000, partial(draw_power_law, exponent, 1_000), fit_power_law) <= 0.97


@pytest.mark.proof("subitize.stats.frequencies")
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_with_a_chosen_start_fewer_intervals_hold_the_exponent(exponent: float) -> None:
    """As docs/corpus.md says."""
    assert 0.91 <= coverage(exponent, 500, partial(draw_power_law, exponent, 1_000), choose_start) <= 0.97
    assert 0.87 <= coverage(exponent, 500, partial(draw_late, exponent), choose_start) <= 0.97
