"""Figures where nouns, templates or other factors were sampled, too: prompts that share a level are dependent."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, ndtri, stdtrit
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]

from subitize.records import Estimate
from subitize.stats.compare import Difference, SharedClusters, compare_all
from subitize.stats.estimate import (
    Floats,
    Integers,
    Spread,
    Units,
    _SharedUnits,
    cluster_spread,
    error_scale,
    estimate,
    gather,
    share_levels,
)
from tests.cases import Case

IMAGES = 4


@dataclass(frozen=True)
class Laws:
    """Prompts with these levels of sampled factors, whose effects on the logit are normal, around those of strata."""

    levels: Mapping[str, tuple[str, ...]]
    strata: Integers
    logits: Floats
    spreads: Mapping[str, float]
    prompt: float = 0.5

    @property
    def units(self) -> Units:
        return {"prompt": np.arange(len(self.strata)), **self.levels}

    def draw(self, random: np.random.Generator) -> Floats:
        """Draw the share of right images of each prompt."""
        logits = self.logits[self.strata] + self.prompt * random.normal(size=len(self.strata))
        for name, texts in self.levels.items():
            effects: dict[str, float] = {}
            for place, text in enumerate(texts):
                for level in text.split(", "):
                    if level not in effects:
                        effects[level] = self.spreads[name] * random.normal()
                    logits[place] += effects[level]
        return random.binomial(IMAGES, expit(logits)) / IMAGES

    def truth(self) -> float:
        points, weights = np.polynomial.hermite_e.hermegauss(80)
        slots = sum(self.spreads[name] ** 2 * (texts[0].count(",") + 1) for name, texts in self.levels.items())
        means = expit(self.logits[self.strata][:, None] + math.sqrt(self.prompt**2 + slots) * points) @ weights
        return float(means.mean() / weights.sum())

    def estimate(self, right: Floats) -> Estimate:
        sizes = np.full(len(right), IMAGES)
        return estimate(right, self.units, self.strata, sizes, count=sizes)[0]


def crossed(nouns: int, spread: float, templates: int = 0, of_templates: float = 0.0, numbers: int = 10) -> Laws:
    """Make the prompts of every noun (and template) with every number."""
    number, noun, template = (
        one.ravel() for one in np.meshgrid(np.arange(numbers), np.arange(nouns), np.arange(max(1, templates)))
    )
    levels = {"noun": tuple(f"n{one}" for one in noun)}
    if templates:
        levels["template"] = tuple(f"t{one}" for one in template)
    spreads = {"noun": spread, "template": of_templates}
    return Laws(levels, number, np.linspace(1.5, -1.5, numbers), spreads)


def paired(nouns: int, prompts: int, spread: float) -> Laws:
    """Make prompts with two different nouns each."""
    random = np.random.default_rng(0)
    pairs = (random.choice(nouns, 2, replace=False) for _ in range(prompts))
    levels = {"noun": tuple(f"n{one}, n{other}" for one, other in pairs)}
    return Laws(levels, np.zeros(prompts, dtype=np.int64), np.array([0.3]), {"noun": spread})


# With the least and the most coverage allowed.
LAWS = {
    "10 numbers x 5 nouns, sd .5": (crossed(5, 0.5), 0.9, 0.985),
    "10 numbers x 5 nouns, sd 1": (crossed(5, 1.0), 0.9, 0.985),
    "10 numbers x 20 nouns, sd .5": (crossed(20, 0.5), 0.93, 0.975),
    "10 numbers x 20 nouns, sd 1": (crossed(20, 1.0), 0.93, 0.975),
    "10 numbers x 40 nouns, sd .5": (crossed(40, 0.5), 0.93, 0.975),
    "10 numbers x 40 nouns, sd 1": (crossed(40, 1.0), 0.93, 0.975),
    "10 numbers x 40 nouns that differ in nothing": (crossed(40, 0.0), 0.93, 0.975),
    "20 nouns x 10 templates": (crossed(20, 0.7, 10, 0.7, numbers=4), 0.93, 0.975),
    "12 nouns x 12 templates": (crossed(12, 0.7, 12, 0.5, numbers=4), 0.93, 0.975),
    "100 prompts with two of 40 nouns": (paired(40, 100, 1.0), 0.92, 0.975),
    "100 prompts with two of 40 nouns, sd .5": (paired(40, 100, 0.5), 0.92, 0.975),
}


def simulate(law: Laws, replicates: int, seed: int) -> tuple[float, float, list[Estimate]]:
    """Return the coverage of intervals, and their mean width relative to an oracle's.

    The oracle knows the standard error, and has as many degrees of freedom as there are nouns less one.
    """
    random = np.random.default_rng(seed)
    found, truth = [law.estimate(law.draw(random)) for _ in range(replicates)], law.truth()
    nouns = len({level for text in law.levels["noun"] for level in text.split(", ")})
    templates = len(set(law.levels.get("template", ()))) or nouns
    oracle = 2 * float(stdtrit(min(nouns, templates) - 1, 0.975)) * float(np.std([one.value for one in found]))
    covered = float(np.mean([one.low <= truth <= one.high for one in found]))
    return covered, float(np.mean([one.high - one.low for one in found])) / oracle, found


def test_a_share_covers_the_truth_where_nouns_were_sampled(case: Case) -> None:
    for name in ("10 numbers x 20 nouns, sd 1", "100 prompts with two of 40 nouns"):
        with case(name):
            law, least, _ = LAWS[name]
            assert simulate(law, 60, seed=1)[0] >= least - 3 * math.sqrt(0.05 * 0.95 / 60)


@pytest.mark.proof("subitize.stats.estimate")
@pytest.mark.parametrize("name", LAWS)
def test_shares_over_sampled_factors_cover_the_truth_within_narrow_bounds(name: str) -> None:
    law, least, most = LAWS[name]
    covered, width, found = simulate(law, 2000, seed=2)
    assert least - 0.005 <= covered <= most + 0.005
    assert width <= 1.15
    assert all(one.caution == "only 5 nouns" for one in found) is ("x 5 nouns" in name)


@pytest.mark.proof("subitize.stats.estimate")
def test_errors_cover_the_truth_where_nouns_were_sampled() -> None:
    noun, strata, held = np.tile(np.arange(20), 10), np.repeat(np.arange(10), 20), 0
    random = np.random.default_rng(3)
    for _ in range(2000):
        effects = np.exp(0.5 * random.normal(size=20))[noun] * (1 + strata / 10)
        errors = effects * random.gamma(4, 1 / 4, 200)
        units = {"prompt": np.arange(200), "noun": noun.astype(str)}
        (found,) = estimate(errors, units, strata, scale=error_scale())
        held += found.low <= math.exp(0.125) * 1.45 <= found.high
    assert 0.925 <= held / 2000 <= 0.98


def test_the_variance_over_nouns_is_that_of_clustered_regression() -> None:
    random = np.random.default_rng(4)
    nouns = np.repeat(np.arange(12), 5)
    values = random.normal(size=12)[nouns] + random.normal(size=60)
    units = {"prompt": np.arange(60), "noun": nouns.astype(str)}
    fitted = OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": nouns})
    assert spread_of(values, units).variance[0] == pytest.approx(fitted.bse[0] ** 2, rel=1e-9)


def test_the_variance_over_two_factors_is_that_of_two_way_clustering() -> None:
    random = np.random.default_rng(5)
    nouns, templates = (one.ravel() for one in np.meshgrid(np.arange(12), np.arange(9)))
    values = random.normal(size=12)[nouns] + random.normal(size=9)[templates] + 0.1 * random.normal(size=108)
    units = {"prompt": np.arange(108), "noun": nouns.astype(str), "template": templates.astype(str)}
    groups = np.stack([nouns, templates], axis=1)
    fitted = OLS(values, np.ones(108)).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    # Each way gets its own G / (G − 1); statsmodels is asked for none.
    assert 12 / 11 < spread_of(values, units).variance[0] / fitted.bse[0] ** 2 < 9 / 8
    assert uncorrected(values, units) == pytest.approx(fitted.bse[0] ** 2, rel=1e-9)


def spread_of(values: Floats, units: Units, strata: Integers | None = None) -> Spread:
    return cluster_spread(gather(values, units, strata))


def uncorrected(values: Floats, units: Units, strata: Integers | None = None) -> float:
    """Compute the variance without what makes up for lost degrees of freedom."""
    given = gather(values, units, strata)
    assert given.shared is not None
    found = _SharedUnits.of(given, given.shared, cluster_spread(given))
    factors = len(given.shared.names) - 1
    return float(replace(found, free=np.ones_like(found.free)).sum_squares(np.ones((factors, 1), dtype=bool))[0])


@pytest.mark.parametrize("seed", range(4))
def test_every_pair_of_prompts_that_shares_any_level_counts_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    nouns = [random.choice(6, random.integers(0, 4), replace=False) for _ in range(30)]
    templates = random.integers(0, 4, 30)
    values = random.normal(size=30)
    units: Units = {
        "prompt": np.arange(30),
        "noun": [", ".join(f"n{one}" for one in own) for own in nouns],
        "template": [f"t{one}" if one else "" for one in templates],
    }
    levels = [
        {f"n{one}" for one in own} | ({f"t{of}"} if of else set()) for own, of in zip(nouns, templates, strict=True)
    ]
    residuals = (values - values.mean()) / 30
    by_pairs = sum(
        residuals[one] * residuals[other]
        for one in range(30)
        for other in range(30)
        if one == other or levels[one] & levels[other]
    )
    assert uncorrected(values, units) == pytest.approx(by_pairs, abs=1e-12)


def test_figures_name_their_units_and_say_where_there_are_few(case: Case) -> None:
    random = np.random.default_rng(6)
    for nouns, caution in ((4, "only 4 nouns"), (20, "")):
        with case(f"{nouns} nouns"):
            law = crossed(nouns, 1.0)
            found = law.estimate(law.draw(random))
            assert found.method.startswith(f"share, Wilson interval over {10 * nouns} prompts and {nouns} nouns")
            assert found.method.endswith("in 10 strata")
            assert found.caution == caution


def test_the_variance_is_never_below_that_of_prompts_and_says_so() -> None:
    values, nouns = np.tile([0.0, 1.0], 30), np.repeat(np.arange(30), 2).astype(str)
    (found,) = estimate(values, {"prompt": np.arange(60), "noun": nouns})
    (alone,) = estimate(values)
    assert (found.low, found.high) == (alone.low, alone.high)
    assert found.method == "share, Wilson interval over 60 prompts and 30 nouns (variance that of prompts)"


def test_one_noun_says_nothing_of_others_and_is_held_fixed() -> None:
    values = np.tile([0.0, 1.0, 1.0], 10)
    (found,), (alone,) = estimate(values, {"prompt": np.arange(30), "noun": ["cat"] * 30}), estimate(values)
    assert (found.low, found.high) == (alone.low, alone.high)
    assert found.caution == "only 1 noun"


def test_prompts_without_nouns_are_estimated_over_prompts() -> None:
    values = np.tile([0.0, 1.0, 1.0], 10)
    (found,), (alone,) = estimate(values, {"prompt": np.arange(30), "noun": [""] * 30}), estimate(values)
    assert (found.low, found.high, found.caution) == (alone.low, alone.high, alone.caution)
    assert found.method == "share, Wilson interval over 30 prompts"
    right = np.ones(30)
    assert estimate(right, {"prompt": np.arange(30), "noun": [""] * 30})[0].low == estimate(right)[0].low


def test_nouns_that_strata_determine_are_held_fixed() -> None:
    values, nouns = np.tile([0.0, 1.0, 1.0], 10), np.repeat(np.arange(6), 5)
    (found,) = estimate(values, {"prompt": np.arange(30), "noun": nouns.astype(str)}, nouns)
    (alone,) = estimate(values, None, nouns)
    assert (found.low, found.high) == (alone.low, alone.high)


def test_where_all_are_right_each_noun_counts_once() -> None:
    (found,) = estimate(np.ones(60), {"prompt": np.arange(60), "noun": np.repeat(np.arange(12), 5).astype(str)})
    (twelve,) = estimate(np.ones(12))
    assert found.low == twelve.low


def test_a_group_is_estimated_like_alone() -> None:
    law, random = crossed(12, 1.0), np.random.default_rng(7)
    first, second = law.draw(random), law.draw(random)
    assert isinstance(law.units, Mapping)
    twice = {name: [*own, *own] for name, own in law.units.items()}
    strata, sizes = np.tile(law.strata, 2), np.full(240, IMAGES)
    both = estimate(np.r_[first, second], twice, strata, sizes, group=np.repeat([0, 1], 120), count=sizes)
    assert both == [law.estimate(first), law.estimate(second)]
    assert estimate(np.stack([first, second]), law.units, law.strata, sizes[:120], count=sizes[:120]) == both


def compare_two(law: Laws, random: np.random.Generator, spread: float) -> Difference:
    """Compare two equal models that find different nouns hard."""
    own = replace(law, spreads={**law.spreads, "noun": spread})
    weights = np.full(len(law.strata), float(IMAGES))
    means: NDArray[np.float64] = np.stack([own.draw(random), own.draw(random)])
    shared = share_levels(law.units)
    (found,) = compare_all(SharedClusters(means, weights, law.strata, 1.0, are_shares=True, shared=shared))
    return found


def false_alarms(law: Laws, replicates: int, seed: int, spread: float = 0.8) -> float:
    random = np.random.default_rng(seed)
    return float(np.mean([compare_two(law, random, spread).p < 0.05 for _ in range(replicates)]))


def test_equal_models_that_find_other_nouns_hard_do_not_differ() -> None:
    assert false_alarms(crossed(20, 0.8, numbers=4), 60, seed=8) <= 0.07 + 3 * math.sqrt(0.05 * 0.95 / 60)


@pytest.mark.proof("subitize.stats.estimate", "subitize.stats.compare")
@pytest.mark.parametrize(
    ("nouns", "spread"), [(40, 0.8), (40, 0.0), (20, 0.8), (10, 0.8), (10, 0.0)], ids=lambda value: f"{value:g}"
)
def test_two_equal_models_differ_in_no_more_studies_than_the_level(nouns: int, spread: float) -> None:
    assert false_alarms(crossed(nouns, 0.8, numbers=6), 2000, seed=9, spread=spread) <= 0.07


@pytest.mark.proof("subitize.stats.estimate", "subitize.stats.compare")
def test_two_equal_models_do_not_differ_where_prompts_have_two_nouns() -> None:
    assert false_alarms(paired(40, 100, 0.8), 2000, seed=10) <= 0.07


def test_the_test_is_by_noun_where_prompts_have_one_and_by_student_where_they_have_several() -> None:
    random = np.random.default_rng(11)
    assert compare_two(crossed(12, 0.8), random, 0.8).estimate.method.startswith("difference, sign flips, over")
    assert "Student's interval" in compare_two(paired(20, 60, 0.8), random, 0.8).estimate.method


def test_fewer_than_six_nouns_are_too_few_to_test() -> None:
    found = compare_two(crossed(5, 0.8), np.random.default_rng(12), 0.8)
    assert math.isnan(found.p)
    assert math.isnan(found.p_holm)
    assert found.estimate.caution == "only 5 nouns: too few to test"
    assert found.estimate.high - found.estimate.low > 2 * float(ndtri(0.975)) * 0.02
