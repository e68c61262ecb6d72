"""The Weber fraction: against scipy's normal law, whatever the observer does at the edges, with honest intervals."""

import math
from itertools import product
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from painter_laws import painter_law
from subitize.stats import human_law, uniform_law
from subitize.stats.number_laws import Slips
from subitize.stats.weber import fit_weber

TARGETS = tuple(range(1, 11))
Edges = Literal["cut off", "drawn anew", "put at the edge", "counted at the edge"]
EDGES: tuple[Edges, ...] = ("cut off", "drawn anew", "put at the edge", "counted at the edge")
FRACTIONS = (0.05, 0.1, 0.2, 0.4)
PROOF = pytest.mark.proof("subitize.stats.weber", "subitize.stats.number_laws")


def law_of(target: int, weber: float, edges: Edges, highest: int = 20) -> NDArray[np.float64]:
    """Give the responses of an observer by what becomes of numbers beyond 1 and the highest."""
    if edges == "cut off":
        return human_law(target, weber=weber, subitizing=0, highest=highest)
    if edges == "counted at the edge":  # as a matrix does with the responses of the painter, which has more room
        law = painter_law(target, Slips(weber=weber))[1:]
        return np.append(law[: highest - 1], law[highest - 1 :].sum())
    cumulative = stats.norm.cdf(np.arange(highest + 1) + 0.5, target, weber * target)
    if edges == "put at the edge":
        cumulative[[0, -1]] = 0, 1
    mass = np.diff(cumulative)
    return np.asarray(mass / mass.sum(), dtype=np.float64)


def draw(laws: list[NDArray[np.float64]], trials: int, seed: int) -> NDArray[np.int64]:
    drawn = np.random.default_rng(seed).multinomial(np.full(len(laws), trials), np.stack(laws))
    return np.asarray(drawn.T, dtype=np.int64)


def log_likelihood(counts: NDArray[np.int64], weber: float, targets: tuple[int, ...] = TARGETS) -> float:
    """Add up the log probabilities of responses, given that they are neither 1 nor the highest."""
    total = 0.0
    for column, target in enumerate(targets):
        given = counts[1:-1, column]
        cumulative = stats.norm.cdf(np.arange(1.5, len(counts)), target, weber * target)
        shares = np.diff(cumulative)[given > 0] / (cumulative[-1] - cumulative[0])
        total += float(given[given > 0] @ np.log(shares))
    return total


@pytest.mark.parametrize("weber", [0.1, 0.2, 0.4])
def test_the_fit_and_its_interval_are_those_of_scipys_normal_law(weber: float) -> None:
    counts = draw([law_of(target, weber, "cut off") for target in TARGETS], 30, seed=1)
    found = fit_weber(counts, TARGETS)
    assert found is not None
    best = optimize.minimize_scalar(lambda w: -log_likelihood(counts, w), bounds=(0.05, 1.0), options={"xatol": 1e-10})
    assert found.estimate.value == pytest.approx(best.x, rel=1e-6)
    assert log_likelihood(counts, found.estimate.value) == pytest.approx(-best.fun, abs=1e-9)
    for edge in (found.estimate.low, found.estimate.high):
        ratio = 2 * (-best.fun - log_likelihood(counts, edge))
        assert ratio == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-6)
    assert found.estimate.n == counts[1:-1].sum()


@pytest.mark.parametrize(
    ("weber", "edges", "samples"),
    [
        *((0.2, edges, 10) for edges in EDGES),
        *(pytest.param(*one, 100, marks=PROOF) for one in product(FRACTIONS, EDGES)),
    ],
)
def test_the_interval_covers_the_true_fraction_whatever_happens_at_the_edges(
    weber: float, edges: Edges, samples: int
) -> None:
    laws = [law_of(target, weber, edges) for target in TARGETS]
    found = [fit_weber(draw(laws, 50, seed), TARGETS) for seed in range(samples)]
    covered = sum(one is not None and one.estimate.low <= weber <= one.estimate.high for one in found)
    assert stats.binomtest(covered, samples, 0.95).pvalue > 0.005


@PROOF
@pytest.mark.parametrize("weber", FRACTIONS)
def test_in_2000_simulations_93_to_97_per_cent_of_the_intervals_cover_the_true_fraction(weber: float) -> None:
    laws = [law_of(target, weber, "cut off") for target in TARGETS]
    found = [fit_weber(draw(laws, 50, seed), TARGETS) for seed in range(2000)]
    covered = sum(one is not None and one.estimate.low <= weber <= one.estimate.high for one in found)
    assert 0.93 <= covered / len(found) <= 0.97


@pytest.mark.parametrize("samples", [10, pytest.param(100, marks=PROOF)])
def test_larger_numbers_are_fitted_as_well(samples: int) -> None:
    targets = tuple(range(1, 51))
    laws = [law_of(target, 0.2, "drawn anew", 100) for target in targets]
    found = [fit_weber(draw(laws, 10, seed), targets) for seed in range(samples)]
    covered = sum(one is not None and one.estimate.low <= 0.2 <= one.estimate.high for one in found)
    assert stats.binomtest(covered, samples, 0.95).pvalue > 0.005


def test_what_is_seen_exactly_is_left_out() -> None:
    counts = draw([human_law(target) for target in TARGETS], 200, seed=2)
    found = fit_weber(counts, TARGETS, subitizing=4)
    assert found is not None
    assert found.estimate.low < 0.15 < found.estimate.high
    assert found.estimate.n == counts[1:-1, 4:].sum()
    assert [point.predicted_exact for point in found.curve[:4]] == [1.0] * 4
    with_all = fit_weber(counts, TARGETS)
    assert with_all is not None
    assert with_all.estimate.high < 0.15


@pytest.mark.parametrize("trials", [1, 10, 500])
def test_where_all_answers_are_right_the_bound_is_where_that_would_happen_once_in_20_times(trials: int) -> None:
    counts = np.eye(20, 10, dtype=np.int64) * trials
    found = fit_weber(counts, TARGETS)
    assert found is not None
    assert (found.estimate.value, found.estimate.low) == (0.0, 0.0)
    assert log_likelihood(counts, found.estimate.high) == pytest.approx(math.log(0.05), abs=1e-6)
    assert [point.predicted_exact for point in found.curve] == [1.0] * 10


def test_an_answer_that_is_next_to_impossible_is_no_error() -> None:
    counts = np.eye(20, 10, dtype=np.int64) * 1000
    counts[18, 1] += 1
    found = fit_weber(counts, TARGETS)
    assert found is not None
    assert 0 < found.estimate.low < found.estimate.value < found.estimate.high < 1


@pytest.mark.parametrize(
    ("counts", "targets"),
    [
        (np.zeros((20, 10), dtype=np.int64), TARGETS),
        (np.eye(20, 1, dtype=np.int64) * 50, (1,)),
        (np.eye(20, 20, dtype=np.int64)[:, [19]], (10,)),
        (np.full((20, 1), 10), (10,)),
    ],
    ids=["nothing", "all at 1", "all at the top", "all the same"],
)
def test_where_nothing_speaks_for_a_fraction_there_is_none(counts: NDArray[np.int64], targets: tuple[int, ...]) -> None:
    assert fit_weber(counts, targets) is None


def test_random_answers_have_no_upper_bound_or_no_fraction() -> None:
    for seed in range(5):
        found = fit_weber(draw([uniform_law(1, 20)] * 10, 50, seed), TARGETS)
        assert found is None or found.estimate.high > 1


def test_the_curve_has_what_was_observed_and_what_the_law_predicts() -> None:
    counts = draw([law_of(target, 0.2, "cut off") for target in TARGETS], 40, seed=3)
    counts[:, 6] = 0
    found = fit_weber(counts, TARGETS)
    assert found is not None
    assert [point.number for point in found.curve] == [1, 2, 3, 4, 5, 6, 8, 9, 10]
    point = found.curve[-1]
    responses = np.repeat(np.arange(1, 21), counts[:, 9])
    law = human_law(10, weber=found.estimate.value, subitizing=0)
    mean = float(law @ np.arange(1, 21))
    assert (point.mean, point.sd) == pytest.approx((responses.mean(), responses.std(ddof=1)), abs=1e-9)
    assert point.exact.value == np.mean(responses == 10)
    assert point.predicted_exact == pytest.approx(law[9], abs=1e-12)
    assert point.predicted_mean == pytest.approx(mean, abs=1e-12)
    assert point.predicted_sd == pytest.approx(math.sqrt(law @ (np.arange(1, 21) - mean) ** 2), abs=1e-9)


def test_one_answer_alone_has_no_spread() -> None:
    found = fit_weber(np.eye(20, 1, k=-6, dtype=np.int64), (7,))
    assert found is not None
    assert found.curve[0].sd is None
