"""What responses follow: against statsmodels, and on drawn pictures whose readers are known."""

import functools
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.regression.linear_model import OLS, RegressionResults  # type: ignore[import-untyped]

from subitize.records import Control, Stimulus
from subitize.stats.cues import CueResponses, Cues, find_cues
from subitize.stimuli.recipes import magnitudes

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


def read(cue: str, shown: NDArray[np.float64], noise: float = 0.0, seed: int = 0) -> CueResponses:
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
    return see(np.maximum(1, np.rint(noisy)), shown)


def see(responses: NDArray[np.float64], shown: NDArray[np.float64]) -> CueResponses:
    """Take each response for one to a picture of its own."""
    number, area, hull = shown
    return CueResponses(responses, number, area, hull, np.arange(len(responses)))


def verdict(seen: CueResponses) -> str:
    found = find_cues(seen)
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
        found = find_cues(read(cue, shown, 0.02))
        assert found is not None
        assert [one.slope.value for one in found.coefficients] == pytest.approx(expected, abs=0.15)


LAWS_OF_NUMBER = {
    "even numbers only": lambda number: np.maximum(2, 2 * np.rint(number / 2)),
    "never above 6": lambda number: np.minimum(6, np.rint(number)),
    ".7 n": lambda number: np.rint(0.7 * number),
}


def read_number(law: str, shown: NDArray[np.float64], noise: float, seed: int) -> CueResponses:
    """Respond by number alone, with noise in proportion, by a law that is not proportional."""
    noisy = shown[0] * np.random.default_rng(seed).normal(1, noise, shown.shape[1])
    return see(np.maximum(1, LAWS_OF_NUMBER[law](noisy)), shown)


@pytest.mark.parametrize("law", LAWS_OF_NUMBER)
def test_whoever_answers_by_number_alone_follows_number(law: str) -> None:
    assert verdict(read_number(law, show("none"), 0.0, 0)) == "number"
    found = [verdict(read_number(law, show("none", "area", "size"), 0.15, seed)) for seed in range(20)]
    assert found.count("number") >= 17


PROOF = pytest.mark.proof("subitize.stats.cues", "subitize.stimuli")


@PROOF
@pytest.mark.parametrize("noise", [0.1, 0.2])
@pytest.mark.parametrize("law", LAWS_OF_NUMBER)
def test_a_bias_is_seldom_seen_where_there_is_none(law: str, noise: float) -> None:
    for shown in (show("none"), show("area", "size"), show("none", "area", "size")):
        slopes = []
        for seed in range(1000):
            found = find_cues(read_number(law, shown, noise, seed))
            assert found is not None
            slopes.append([not one.slope.low <= 0 <= one.slope.high for one in found.coefficients[1:]])
        assert np.mean(np.any(slopes, axis=1)) <= 0.07


@PROOF
@pytest.mark.parametrize("cue", ["number", "ink", "hull", "density"])
def test_readers_of_every_cue_are_told_apart_each_time(cue: str) -> None:
    for noise in (0.0, 0.1):
        for shown in (show("none"), show("area", "size"), show("none", "area", "size")):
            found = [verdict(read(cue, shown, noise, seed)) for seed in range(200)]
            assert {one.split(",")[0] for one in found} == {cue}


@pytest.mark.parametrize(
    ("magnitude", "expected"), [(1, "number, with a bias by item size"), (2, "number, with a bias by hull")]
)
def test_who_reads_number_but_more_where_things_are_large_or_spread_has_a_bias(magnitude: int, expected: str) -> None:
    shown = show("none", "area", "size")
    noise = np.random.default_rng(2).normal(1, 0.05, shown.shape[1])
    biased = shown[0] * (shown[magnitude] / shown[magnitude].mean()) ** 0.3 * noise
    assert verdict(see(np.maximum(1, np.rint(10 * biased)), shown)) == expected


def test_answers_to_one_picture_count_once() -> None:
    seen = read("number", show("none"), 0.2)
    often = CueResponses(
        *(np.repeat(getattr(seen, name), 5) for name in ("responses", "number", "item_area", "hull", "pictures"))
    )
    once, repeated = find_cues(seen), find_cues(often)
    assert once is not None
    assert repeated is not None
    assert (once.n, repeated.n) == (100, 500)
    assert once.verdict == repeated.verdict
    for one, other in zip(once.coefficients, repeated.coefficients, strict=True):
        assert (one.slope.low, one.slope.high) == pytest.approx((other.slope.low, other.slope.high), abs=1e-9)


def logs(seen: CueResponses) -> dict[str, NDArray[np.float64]]:
    number, area, hull = np.log(seen.number), np.log(seen.item_area), np.log(seen.hull)
    return {"number": number, "item area": area, "hull": hull, "ink": number + area, "density": number - hull}


def levels(seen: CueResponses) -> NDArray[np.float64]:
    return np.asarray(seen.number[:, None] == np.unique(seen.number), dtype=np.float64)


def cubic(seen: CueResponses, cue: str) -> NDArray[np.float64]:
    return np.stack([logs(seen)[cue] ** power for power in range(4)], axis=1)


def regress(seen: CueResponses, *designs: NDArray[np.float64]) -> RegressionResults:
    return OLS(np.log(seen.responses), np.concatenate(designs, axis=1), hasconst=True).fit()


@pytest.fixture(scope="module")
def seen() -> CueResponses:
    return read("ink", show("none", "area", "size"), 0.3, seed=5)


@pytest.fixture(scope="module")
def found(seen: CueResponses) -> Cues:
    cues = find_cues(seen)
    assert cues is not None
    return cues


def test_slopes_and_their_intervals_are_those_of_statsmodels(seen: CueResponses, found: Cues) -> None:
    columns = {name: logs(seen)[name][:, None] for name in ("item area", "hull")}
    expected = regress(seen, levels(seen), *columns.values()).get_robustcov_results("HC3", use_t=True)
    number, *others = found.coefficients
    intervals = expected.conf_int(alpha=0.025)  # both hold in 95 %
    for place, one in enumerate(others):
        assert one.predictor == list(columns)[place]
        assert one.slope.value == pytest.approx(expected.params[10 + place], abs=1e-9)
        assert (one.slope.low, one.slope.high) == pytest.approx(intervals[10 + place], abs=1e-9)
        rest = regress(seen, levels(seen), *(column for name, column in columns.items() if name != one.predictor))
        assert one.unique_share == pytest.approx(expected.rsquared - rest.rsquared, abs=1e-9)
    x = np.log(np.arange(1, 11)) - np.log(np.arange(1, 11)).mean()  # pictures of all numbers are equally many
    line = expected.t_test(np.concatenate([x / (x @ x), [0, 0]]))
    assert number.slope.value == pytest.approx(float(line.effect[0]), abs=1e-9)
    assert (number.slope.low, number.slope.high) == pytest.approx(line.conf_int()[0], abs=1e-9)


def test_the_models_of_single_cues_are_those_of_statsmodels(seen: CueResponses, found: Cues) -> None:
    # A cue that responses fall with explains nothing: its model is the mean alone, at the price of its law.
    mean_alone = regress(seen, np.ones((found.n, 1))).bic + 3 * np.log(found.n)
    number = regress(seen, levels(seen))
    bics = {}
    assert {one.cue for one in found.models} == {"number", "ink", "hull", "density"}
    for one in found.models:
        line = regress(seen, cubic(seen, one.cue)[:, :2]).get_robustcov_results("HC3", use_t=True)
        law = regress(seen, cubic(seen, one.cue))
        # Any law of number is a sum of its levels.
        both = number if one.cue == "number" else regress(seen, levels(seen), cubic(seen, one.cue)[:, 1:])
        assert one.slope.value == pytest.approx(line.params[1], abs=1e-9)
        assert (one.slope.low, one.slope.high) == pytest.approx(line.conf_int()[1], abs=1e-9)
        assert one.r_squared == pytest.approx(law.rsquared, abs=1e-8)
        bics[one.cue] = law.bic if line.params[1] > 0 else mean_alone
        assert one.share_over_number == pytest.approx(both.rsquared - number.rsquared, abs=1e-8)
        assert one.number_share_over_it == pytest.approx(both.rsquared - law.rsquared, abs=1e-8)
    for one in found.models:
        assert one.delta_bic == pytest.approx(bics[one.cue] - min(bics.values()), abs=1e-6)


def test_the_p_value_is_that_of_vuongs_test_against_the_closest_rival(seen: CueResponses, found: Cues) -> None:
    def densities(cue: str) -> NDArray[np.float64]:
        responses = np.log(seen.responses)
        rises = np.corrcoef(responses, logs(seen)[cue])[0, 1] > 0
        residuals = regress(seen, cubic(seen, cue)).resid if rises else responses - responses.mean()
        return np.asarray(stats.norm.logpdf(residuals, scale=np.sqrt((residuals**2).mean())))

    best, *rivals = (one.cue for one in found.models)
    gains = [densities(best) - densities(rival) for rival in rivals]
    p_values = [2 * stats.norm.sf(one.sum() / (np.sqrt(len(one)) * one.std())) for one in gains]
    assert found.p_value == pytest.approx(max(p_values), abs=1e-9)


def test_a_magnitude_held_constant_is_no_cue_and_has_no_slope() -> None:
    number = np.repeat(np.arange(1.0, 11), 10)
    hull = np.random.default_rng(1).uniform(1e5, 5e5, 100)
    cues = find_cues(see(number, np.stack([number, 1000 / number, hull])))
    assert cues is not None
    assert {one.cue for one in cues.models} == {"number", "hull", "density"}
    assert [one.predictor for one in cues.coefficients] == ["number", "hull"]
    assert (cues.verdict, cues.n) == ("number", 100)


def test_a_cue_that_makes_responses_smaller_is_not_followed() -> None:
    number = np.repeat(np.arange(1.0, 11), 10)
    random = np.random.default_rng(1)
    found = find_cues(see(11 - number, np.stack([number, *random.uniform(1, 2, (2, 100))])))
    assert found is not None
    assert found.verdict != "number"


@pytest.mark.parametrize("responses", [np.full(100, 4.0), np.zeros(100), np.repeat([0.0, 1, 2], [95, 2, 3])])
def test_where_responses_tell_nothing_there_is_no_verdict(responses: NDArray[np.float64]) -> None:
    assert find_cues(see(responses, show("none"))) is None
