"""What responses follow: against statsmodels, and on drawn pictures whose readers are known."""

import functools
from typing import Literal

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy import stats

from subitize.drawing.stimuli import magnitudes
from subitize.records import Control, Stimulus
from subitize.stats.cues import Cues, Seen, find_cue

Held = Literal["area", "size", "none"]


@functools.cache
def pictures(held: Held) -> NDArray[np.float64]:
    """Measure 100 pictures of 1 to 10 dots with a magnitude held constant: number, item area, hull."""
    control = None if held == "none" else Control(held, 10)
    found = [
        magnitudes(Stimulus("dots", number, seed, control=control)) for number in range(1, 11) for seed in range(10)
    ]
    return np.array([(one.number, one.mean_item_area_px, one.convex_hull_px) for one in found]).T


def show(*held: Held) -> NDArray[np.float64]:
    return np.concatenate([pictures(one) for one in held], axis=1)


def read(cue: str, shown: NDArray[np.float64], noise: float = 0.0, seed: int = 0) -> Seen:
    """Respond to the pictures as a reader of one cue does, with noise in proportion, in whole numbers."""
    number, area, hull = shown
    strength = {
        "number": number,
        "ink": number * area / area.mean(),
        "hull": hull / hull.min() * 3,
        "density": number / hull * hull.mean(),
        "nothing": np.random.default_rng(seed).uniform(1, 20, len(number)),
    }[cue]
    noisy = strength * np.random.default_rng(seed).normal(1, noise, len(number))
    return Seen(np.maximum(1, np.rint(noisy)), number, area, hull)


def verdict(seen: Seen) -> str:
    found = find_cue(seen)
    assert found is not None
    return found.verdict


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("cue", ["number", "ink"])
def test_a_reader_of_ink_is_told_from_one_of_number_if_area_and_size_are_held_in_turn(cue: str, noise: float) -> None:
    for seed in range(4):
        assert verdict(read(cue, show("area", "size"), noise, seed)) == cue


@pytest.mark.parametrize("cue", ["number", "hull", "density"])
def test_a_reader_of_number_hull_or_density_is_found_in_ordinary_pictures(cue: str) -> None:
    for seed in range(5):
        assert verdict(read(cue, show("none"), 0.1, seed)) == cue


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("cue", ["number", "ink"])
def test_pictures_of_items_of_one_size_cannot_tell_ink_from_number(cue: str, noise: float) -> None:
    assert verdict(read(cue, show("size"), noise)) == "undecided"


def test_who_reads_nothing_follows_nothing() -> None:
    assert [verdict(read("nothing", show("none"), seed=seed)) for seed in range(10)] == ["undecided"] * 10


def test_the_slopes_tell_the_readers_apart() -> None:
    shown = show("area", "size")
    for cue, expected in {"number": (1, 0, 0), "ink": (1, 1, 0)}.items():
        found = find_cue(read(cue, shown, 0.02))
        assert found is not None
        assert [one.slope.value for one in found.coefficients] == pytest.approx(expected, abs=0.15)


def logs(seen: Seen) -> dict[str, NDArray[np.float64]]:
    number, area, hull = np.log(seen.number), np.log(seen.item_area), np.log(seen.hull)
    return {"number": number, "item area": area, "hull": hull, "ink": number + area, "density": number - hull}


def regress(seen: Seen, *names: str) -> "sm.regression.linear_model.RegressionResults":
    design = sm.add_constant(np.stack([logs(seen)[name] for name in names], axis=1))
    return sm.OLS(np.log(seen.responses), design).fit()


@pytest.fixture(scope="module")
def seen() -> Seen:
    return read("ink", show("none", "area", "size"), 0.3, seed=5)


@pytest.fixture(scope="module")
def found(seen: Seen) -> Cues:
    cues = find_cue(seen)
    assert cues is not None
    return cues


def test_slopes_and_their_intervals_are_those_of_statsmodels(seen: Seen, found: Cues) -> None:
    names = ("number", "item area", "hull")
    expected = regress(seen, *names).get_robustcov_results("HC3", use_t=True)
    intervals = expected.conf_int()
    assert [one.predictor for one in found.coefficients] == list(names)
    for place, one in enumerate(found.coefficients, start=1):
        assert one.slope.value == pytest.approx(expected.params[place], abs=1e-9)
        assert (one.slope.low, one.slope.high) == pytest.approx(intervals[place], abs=1e-9)
        rest = regress(seen, *(name for name in names if name != one.predictor))
        assert one.unique_share == pytest.approx(expected.rsquared - rest.rsquared, abs=1e-9)


def test_the_models_of_single_cues_are_those_of_statsmodels(seen: Seen, found: Cues) -> None:
    # A cue that responses fall with explains nothing: its model is the mean alone.
    mean_alone = sm.OLS(np.log(seen.responses), np.ones(found.n)).fit().bic + np.log(found.n)
    best = min(regress(seen, one.cue).bic for one in found.models)
    number = regress(seen, "number")
    assert {one.cue for one in found.models} == {"number", "ink", "hull", "density"}
    for one in found.models:
        expected = regress(seen, one.cue)
        both = regress(seen, "number", one.cue) if one.cue != "number" else number
        interval = expected.get_robustcov_results("HC3", use_t=True).conf_int()[1]
        assert one.slope.value == pytest.approx(expected.params[1], abs=1e-9)
        assert (one.slope.low, one.slope.high) == pytest.approx(interval, abs=1e-9)
        assert one.r_squared == pytest.approx(expected.rsquared, abs=1e-9)
        bic = expected.bic if expected.params[1] > 0 else mean_alone
        assert one.delta_bic == pytest.approx(bic - best, abs=1e-7)
        assert one.share_over_number == pytest.approx(both.rsquared - number.rsquared, abs=1e-9)
        assert one.number_share_over_it == pytest.approx(both.rsquared - expected.rsquared, abs=1e-9)


def test_the_p_value_is_that_of_vuongs_test_against_the_closest_rival(seen: Seen, found: Cues) -> None:
    def densities(cue: str) -> NDArray[np.float64]:
        fitted = regress(seen, cue)
        logs = np.log(seen.responses)
        residuals = fitted.resid if fitted.params[1] > 0 else logs - logs.mean()
        return np.asarray(stats.norm.logpdf(residuals, scale=np.sqrt((residuals**2).mean())))

    best, *rivals = (one.cue for one in found.models)
    gains = [densities(best) - densities(rival) for rival in rivals]
    p_values = [2 * stats.norm.sf(one.sum() / (np.sqrt(len(one)) * one.std())) for one in gains]
    assert found.p_value == pytest.approx(max(p_values), abs=1e-9)


def test_a_magnitude_held_constant_is_no_cue_and_leaves_no_slopes() -> None:
    number = np.repeat(np.arange(1.0, 11), 10)
    hull = np.random.default_rng(1).uniform(1e5, 5e5, 100)
    cues = find_cue(Seen(number, number, 1000 / number, hull))
    assert cues is not None
    assert {one.cue for one in cues.models} == {"number", "hull", "density"}
    assert cues.coefficients == ()
    assert (cues.verdict, cues.n) == ("number", 100)


def test_a_cue_that_makes_responses_smaller_is_not_followed() -> None:
    number = np.repeat(np.arange(1.0, 11), 10)
    random = np.random.default_rng(1)
    found = find_cue(Seen(11 - number, number, random.uniform(1, 2, 100), random.uniform(1, 2, 100)))
    assert found is not None
    assert found.verdict != "number"


@pytest.mark.parametrize("responses", [np.full(100, 4.0), np.zeros(100), np.repeat([0.0, 1, 2], [95, 2, 3])])
def test_where_responses_tell_nothing_there_is_no_verdict(responses: NDArray[np.float64]) -> None:
    number, area, hull = show("none")
    assert find_cue(Seen(responses, number, area, hull)) is None
