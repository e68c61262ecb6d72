"""Intervals of agreement cover what prompts and annotators like these would show, and say where they cannot."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from subitize.stats.agreement import fleiss_kappa
from subitize.stats.ratings import Ratings, find_cautions
from tests.stats.annotators import Study, measure, truth_of
from tests.stats.rating_matrices import tally_matrix

PROOF = pytest.mark.proof("subitize.stats.agreement", "subitize.stats.ratings")
STUDIES = {
    "200 images of a prompt each": Study("yes", 200, 1, 3),
    "100 prompts of 4 images": Study("yes", 100, 4, 3),
    "25 prompts of 7 images": Study("yes", 25, 7, 5),
    "3 people of 10": Study("yes", 200, 1, 3, pool=10, habits=0.4),
    "5 people of 10": Study("yes", 200, 1, 5, pool=10, habits=0.4),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "samples", "least", "most"),
    [
        ("yes", "100 prompts of 4 images", 100, 0.91, 0.985),
        ("count", "3 people of 10", 100, 0.91, 0.985),
        *(pytest.param(kind, name, 2000, 0.93, 0.975, marks=PROOF) for kind in ("yes", "count") for name in STUDIES),
    ],
)
def test_intervals_cover_and_are_no_wider_than_they_must_be(
    kind: Literal["yes", "count"], name: str, samples: int, least: float, most: float
) -> None:
    study = replace(STUDIES[name], kind=kind)
    truth = truth_of(study, 200 * samples)
    drawn = [measure(study.draw(np.random.default_rng(seed))) for seed in range(samples)]
    degrees = min(study.prompts, study.pool or study.prompts) - 1
    for figure, true in truth.items():
        found = [one[figure] for one in drawn]
        covered = np.mean([one.low <= true <= one.high for one in found])
        width = np.mean([one.high - one.low for one in found])
        # An interval has to reach from the values to the truth: ordinal α of 25 prompts is .006 below it on average.
        needed = 2 * stats.t.ppf(0.975, degrees) * np.sqrt(np.mean([(one.value - true) ** 2 for one in found]))
        assert least <= covered <= most, figure
        if samples >= 2000:
            assert width <= 1.1 * needed, figure


SMALL = {
    "20 units, 2 raters, rare yes": (20, 2, 0.1, 0.05),
    "20 units, 2 raters, careless": (20, 2, 0.5, 0.3),
    "50 units, 2 raters, rare yes": (50, 2, 0.1, 0.05),
    "50 units, 3 raters, nearly perfect": (50, 3, 0.5, 0.02),
    "100 units, 2 raters, very rare yes": (100, 2, 0.05, 0.02),
    "100 units, 5 raters, nearly perfect": (100, 5, 0.3, 0.01),
}


def draw_small(random: np.random.Generator, name: str) -> Ratings:
    units, raters, share, noise = SMALL[name]
    is_so = random.random(units) < share
    return tally_matrix((is_so ^ (random.random((raters, units)) < noise)).astype(np.float64))


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("samples", [200, pytest.param(2000, marks=PROOF)])
def test_where_there_is_too_little_an_interval_is_not_silently_wrong(name: str, samples: int) -> None:
    _, _, share, noise = SMALL[name]
    random = np.random.default_rng(5)
    agreed, yes = noise**2 + (1 - noise) ** 2, share * (1 - noise) + (1 - share) * noise
    chance = yes**2 + (1 - yes) ** 2
    truth, silent = (agreed - chance) / (1 - chance), 0
    for _ in range(samples):
        ratings = draw_small(random, name)
        found = fleiss_kappa(ratings)
        is_wrong = found is not None and not found.coefficient.low <= truth <= found.coefficient.high
        silent += is_wrong and not list(find_cautions(ratings))
    assert silent / samples < 0.08


def test_of_20_units_with_a_rare_yes_it_is_said_that_they_are_too_few() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        ratings = draw_small(random, "20 units, 2 raters, rare yes")
        assert any("another answer than the most frequent one" in one for one in find_cautions(ratings))
