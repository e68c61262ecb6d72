"""The Weber fraction: against scipy's normal law, whatever the observer does at the edges, with honest intervals."""

import math
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from subitize.stats.response_law import ResponseLawFit, Slips, Tallies, fit_law, human_law, uniform_law
from subitize.stats.weber import NoWeber, Weber, describe_weber
from tests.models.painter_laws import painter_law
from tests.stats.responses_by_law import Observer, arrange, repeat

TARGETS = tuple(range(1, 11))
Edges = Literal["cut off", "drawn anew", "put at the edge", "counted at the edge"]
EDGES: tuple[Edges, ...] = ("cut off", "drawn anew", "put at the edge", "counted at the edge")
FRACTIONS = (0.05, 0.1, 0.2, 0.4)
PROOF = pytest.mark.proof("subitize.stats.weber", "subitize.stats.response_law")


def fit_weber(tallies: Tallies, *, subitizing: int = 0) -> Weber | NoWeber | None:
    fit = fit_law(tallies.select(tallies.numbers > subitizing))
    return describe_weber(tallies, fit, subitizing=subitizing)


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


def fit(counts: NDArray[np.int64], targets: tuple[int, ...] = TARGETS, *, subitizing: int = 0) -> Weber:
    """Fit responses (rows) to targets (columns), of one category."""
    found = fit_weber(arrange(counts.T, targets), subitizing=subitizing)
    assert isinstance(found, Weber)
    return found


def covers(found: Weber | NoWeber | None, weber: float) -> bool:
    return isinstance(found, Weber) and found.estimate.low <= weber <= found.estimate.high


def log_likelihood(counts: NDArray[np.int64], weber: float) -> float:
    """Add up the log probabilities of responses without lapses, given that they are neither 1 nor the highest."""
    total = 0.0
    for column, target in enumerate(TARGETS):
        given = counts[1:-1, column]
        cumulative = stats.norm.cdf(np.arange(1.5, len(counts)), target, weber * target)
        shares = np.diff(cumulative)[given > 0] / (cumulative[-1] - cumulative[0])
        total += float(given[given > 0] @ np.log(shares))
    return total


DESIGNS = {
    "iid": Observer(),
    "categories differ": Observer(category_sd=0.4),
    "prompts are biased": Observer(prompt_sd=0.1),
    "2 % lapses": Observer(lapse=0.02),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("categories differ", 40),
        ("prompts are biased", 40),
        *(pytest.param(name, 2000, marks=PROOF) for name in DESIGNS),
    ],
)
def test_the_interval_covers_the_fraction_of_the_categories_that_could_be_asked_about(name: str, samples: int) -> None:
    covered = sum(covers(fit_weber(DESIGNS[name].respond(seed), subitizing=4), 0.15) for seed in range(samples))
    if samples < 2000:
        assert stats.binomtest(covered, samples, 0.95).pvalue > 0.005
    else:
        assert 0.93 <= covered / samples <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("samples", [5, pytest.param(200, marks=PROOF)])
@pytest.mark.parametrize("lapse", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("weber", [0.1, 0.2, 0.3])
def test_with_250_responses_per_number_the_fraction_is_within_2_hundredths_whatever_the_lapses(
    weber: float, lapse: float, samples: int
) -> None:
    found = [fit_weber(Observer(weber, lapse=lapse).respond(seed), subitizing=4) for seed in range(samples)]
    off = np.array([one.estimate.value - weber for one in found if isinstance(one, Weber)])
    # Not always: at a fraction of .3 with 10 % lapses the least possible standard error (Cramér and Rao) is .0087.
    assert np.count_nonzero(np.abs(off) < 0.02) >= 0.95 * samples
    assert abs(off.mean()) < (0.02 if samples < 200 else 0.003)


def test_the_interval_is_students_over_categories_on_the_scale_of_ratios() -> None:
    tallies = Observer(category_sd=0.4, lapse=0.02).respond(3)
    found, law = fit_weber(tallies, subitizing=4), fit_law(tallies.select(tallies.numbers > 4))
    assert isinstance(found, Weber)
    assert isinstance(law, ResponseLawFit)
    expected = stats.t.interval(0.95, 4, scale=stats.sem(law.own.weber) / law.own.weber.mean())
    low, high = law.own.weber.mean() * np.exp(expected)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high), abs=1e-9)
    assert found.estimate.value == pytest.approx(law.own.weber.mean(), abs=1e-12)


N = np.arange(1, 11)
NUMBERLESS = {"always 5": np.full(10, 5), "8 above 4": np.where(N > 4, 8, N), "at most 6": np.minimum(N, 6)}


@pytest.mark.parametrize("name", NUMBERLESS)
def test_where_responses_do_not_rise_there_is_no_fraction(name: str) -> None:
    found = fit_weber(repeat(NUMBERLESS[name]), subitizing=4)
    assert found == NoWeber("responses do not rise with number", 4)


@pytest.mark.parametrize("sd", [0.5, 1.2, 3.0])
@pytest.mark.parametrize("trials", [5, 50])
def test_about_8_above_4_has_no_fraction_however_it_spreads(sd: float, trials: int) -> None:
    about_8 = stats.norm.pdf(np.arange(1, 21), 8, sd)
    for seed in range(20):
        counts = draw([*np.eye(20)[:4], *[about_8 / about_8.sum()] * 6], 5 * trials, seed)
        assert isinstance(fit_weber(arrange(counts.T, TARGETS), subitizing=4), NoWeber)


def test_a_few_responses_that_rise_by_chance_tell_nothing() -> None:
    counts = np.array([[0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 1, 1]])
    found = fit_weber(arrange(counts, (3, 4)))
    assert found == NoWeber("too few responses to tell whether they rise with number", 0)


@pytest.mark.parametrize(("lapse", "percent"), [(0.55, 5), (0.65, 6)])
def test_where_most_responses_are_lapses_there_is_no_fraction(lapse: float, percent: int) -> None:
    found = fit_weber(Observer(0.02, lapse=lapse).respond(1), subitizing=4)
    assert isinstance(found, NoWeber)
    assert found.reason.startswith(str(percent))
    assert found.reason.endswith("% of the responses are lapses")


@pytest.mark.parametrize("lapse", [0.02, 0.1])
def test_lapses_of_an_exact_counter_are_no_noise(lapse: float) -> None:
    found = fit_weber(Observer(0.001, lapse=lapse).respond(2), subitizing=4)
    assert isinstance(found, Weber)
    assert found.estimate.value < 0.015
    assert found.lapse.low < lapse < found.lapse.high
    assert found.gain.value == pytest.approx(1, abs=0.02)


def test_underestimation_is_no_noise() -> None:
    found = fit_weber(repeat(np.floor(0.7 * N + 0.5).astype(np.int64)), subitizing=4)
    assert isinstance(found, Weber)
    assert (found.estimate.value, found.estimate.low) == (0.0, 0.0)
    assert found.estimate.high < 0.02
    assert found.gain.low < 0.7 < found.gain.high
    noisy = fit_weber(Observer(gain=0.7).respond(4), subitizing=4)
    assert isinstance(noisy, Weber)
    assert covers(noisy, 0.15)
    assert noisy.gain.value == pytest.approx(0.7, abs=0.02)


def test_even_numbers_only_are_fitted_but_do_not_fit() -> None:
    for even in (repeat(2 * np.maximum(np.rint(N / 2), 1).astype(np.int64)), _even(Observer().respond(5))):
        found = fit_weber(even, subitizing=4)
        assert isinstance(found, Weber)
        assert found.goodness_of_fit is not None
        assert found.goodness_of_fit.p < 1e-6


def _even(tallies: Tallies) -> Tallies:
    """Answer the even number that is next above."""
    counts = np.zeros_like(tallies.counts)
    counts[:, 1::2] = tallies.counts[:, 0::2] + tallies.counts[:, 1::2]
    return replace(tallies, counts=counts)


FITTING = (
    Observer(0.05),
    Observer(),
    Observer(0.4),
    Observer(gain=0.7),
    Observer(lapse=0.02),
    Observer(category_sd=0.4),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("observer", "samples"),
    [*(pytest.param(one, 1000, marks=PROOF) for one in FITTING), (FITTING[0], 30), (FITTING[-1], 30)],
)
def test_the_law_fits_those_who_follow_it(observer: Observer, samples: int) -> None:
    found = [fit_weber(observer.respond(seed), subitizing=4) for seed in range(samples)]
    p = np.array([one.goodness_of_fit.p for one in found if isinstance(one, Weber) and one.goodness_of_fit])
    assert len(p) == samples
    if samples < 1000:
        assert stats.kstest(p, "uniform").pvalue > 0.001
    else:
        assert np.mean(p < 0.05) <= 0.075
        assert 0.42 < np.mean(p < 0.5) < 0.62


def test_goodness_of_fit_is_pearsons_over_cells_that_hold_enough() -> None:
    tallies = Observer(0.3).respond(1, categories=1, trials=400, numbers=(8, 9))
    found, law = fit_weber(tallies), fit_law(tallies)
    assert isinstance(found, Weber)
    assert isinstance(law, ResponseLawFit)
    expected = law.shared.chances.shares * law.shared.tallies.counts.sum(axis=1)[:, None]
    assert expected.min() < 5
    chi_square = 0.0
    for row, counts in zip(expected, law.shared.tallies.counts[:, 1:-1], strict=True):
        first = int(np.searchsorted(np.cumsum(row), 5))
        last = len(row) - 1 - int(np.searchsorted(np.cumsum(row[::-1]), 5))
        joined = [
            np.concatenate([[one[: first + 1].sum()], one[first + 1 : last], [one[last:].sum()]])
            for one in (counts, row)
        ]
        chi_square += float(((joined[0] - joined[1]) ** 2 / joined[1]).sum())
    assert found.goodness_of_fit is not None
    assert found.goodness_of_fit.chi_square == pytest.approx(chi_square, rel=1e-9)


def test_pictures_asked_about_again_and_again_are_no_independent_observations() -> None:
    once = Observer().respond(1, categories=1, trials=1, numbers=tuple(np.repeat(np.arange(5, 11), 40)))
    pictures = replace(once, groups=once.numbers)
    pictures = pictures.select(pictures.numbers > 0)
    one, ten = (fit_weber(replace(pictures, counts=pictures.counts * times)) for times in (1, 10))
    assert isinstance(one, Weber)
    assert isinstance(ten, Weber)
    assert ten.estimate.value == pytest.approx(one.estimate.value, rel=0.02)
    assert ten.estimate.high - ten.estimate.low > 0.8 * (one.estimate.high - one.estimate.low)


def test_categories_with_few_responses_share_a_fraction() -> None:
    found = fit_weber(Observer(0.2).respond(1, categories=12, trials=2), subitizing=4)
    assert isinstance(found, Weber)
    assert "categories" not in found.estimate.method
    assert covers(found, 0.2)


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
    covered = sum(covers(fit_weber(arrange(draw(laws, 50, seed).T, TARGETS)), weber) for seed in range(samples))
    assert stats.binomtest(covered, samples, 0.95).pvalue > 0.005


@PROOF
@pytest.mark.parametrize("weber", FRACTIONS)
def test_in_2000_simulations_93_to_97_per_cent_of_the_intervals_cover_the_true_fraction(weber: float) -> None:
    laws = [law_of(target, weber, "cut off") for target in TARGETS]
    covered = sum(covers(fit_weber(arrange(draw(laws, 50, seed).T, TARGETS)), weber) for seed in range(2000))
    assert 0.93 <= covered / 2000 <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("samples", [10, pytest.param(100, marks=PROOF)])
def test_larger_numbers_are_fitted_as_well(samples: int) -> None:
    targets = tuple(range(1, 51))
    laws = [law_of(target, 0.2, "drawn anew", 100) for target in targets]
    covered = sum(covers(fit_weber(arrange(draw(laws, 10, seed).T, targets)), 0.2) for seed in range(samples))
    assert stats.binomtest(covered, samples, 0.95).pvalue > 0.005


def test_what_is_seen_exactly_is_left_out() -> None:
    counts = draw([human_law(target) for target in TARGETS], 200, seed=2)
    found = fit(counts, subitizing=4)
    assert found.estimate.low < 0.15 < found.estimate.high
    assert found.estimate.n == counts[1:-1, 4:].sum()
    assert [point.predicted_exact for point in found.curve[:4]] == [1.0] * 4
    with_all = fit(counts)
    assert with_all.estimate.high < 0.15


@pytest.mark.parametrize("trials", [1, 10, 500])
def test_where_all_answers_are_right_the_bound_is_where_that_would_happen_once_in_20_times(trials: int) -> None:
    counts = np.eye(20, 10, dtype=np.int64) * trials
    found = fit(counts)
    assert (found.estimate.value, found.estimate.low) == (0.0, 0.0)
    assert log_likelihood(counts, found.estimate.high) == pytest.approx(math.log(0.05), abs=1e-6)
    assert [point.predicted_exact for point in found.curve] == [1.0] * 10


def test_an_answer_that_is_next_to_impossible_is_no_error() -> None:
    counts = np.eye(20, 10, dtype=np.int64) * 1000
    counts[18, 1] += 1
    found = fit(counts)
    assert 0 <= found.estimate.low <= found.estimate.value < found.estimate.high < 0.05
    assert 0 < found.lapse.value < 0.001


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
    assert not isinstance(fit_weber(arrange(counts.T, targets)), Weber)


def test_random_answers_have_no_fraction() -> None:
    for seed in range(20):
        found = fit_weber(arrange(draw([uniform_law(1, 20)] * 10, 50, seed).T, TARGETS))
        assert found == NoWeber("responses do not rise with number", 0)


def test_responses_at_the_edges_tell_nothing() -> None:
    counts = np.zeros((20, 10), dtype=np.int64)
    counts[0, :5] = counts[-1, 5:] = 50
    assert fit_weber(arrange(counts.T, TARGETS)) == NoWeber("most responses are 1 or 20", 0)


def test_the_curve_has_what_was_observed_and_what_the_law_predicts() -> None:
    counts = draw([law_of(target, 0.2, "cut off") for target in TARGETS], 40, seed=3)
    counts[:, 6] = 0
    found, law = fit(counts), fit_law(arrange(counts.T, TARGETS))
    assert isinstance(law, ResponseLawFit)
    assert [point.number for point in found.curve] == [1, 2, 3, 4, 5, 6, 8, 9, 10]
    point = found.curve[-1]
    responses = np.repeat(np.arange(1, 21), counts[:, 9])
    mean, spread = (
        10 * math.exp(law.shared.log_gain[0]),
        10 * math.exp(law.shared.log_gain[0] + law.shared.log_weber[0]),
    )
    mass = np.diff(stats.norm.cdf(np.clip(np.arange(21) + 0.5, 1, 20), mean, spread))
    shares = (1 - law.shared.lapse) * mass / mass.sum() + law.shared.lapse / 20
    mean = float(shares @ np.arange(1, 21))
    assert (point.mean, point.sd) == pytest.approx((responses.mean(), responses.std(ddof=1)), abs=1e-9)
    assert point.exact.value == np.mean(responses == 10)
    assert point.predicted_exact == pytest.approx(shares[9], abs=1e-9)
    assert point.predicted_mean == pytest.approx(mean, abs=1e-9)
    assert point.predicted_sd == pytest.approx(math.sqrt(shares @ (np.arange(1, 21) - mean) ** 2), abs=1e-9)


def test_one_answer_alone_has_no_spread() -> None:
    assert fit(np.eye(20, 10, dtype=np.int64)).curve[0].sd is None


def test_one_number_alone_tells_nothing() -> None:
    found = fit_weber(arrange(np.eye(20, 1, k=-6, dtype=np.int64).T, (7,)))
    assert found == NoWeber("there is only one number to fit it to", 0)
