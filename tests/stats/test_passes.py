"""pass@k is the share of all choices with a right image, without bias, and its interval covers the truth."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from subitize.stats.estimate import estimate, pass_at_k
from subitize.stats.response_law import Slips
from tests.models.painter_laws import painter_law


@pytest.mark.parametrize("images", range(1, 9))
def test_it_is_the_share_of_all_choices_that_have_a_right_image(images: int) -> None:
    for right in range(images + 1):
        shown = [place < right for place in range(images)]
        for k in range(1, images + 1):
            chosen = [any(choice) for choice in combinations(shown, k)]
            assert pass_at_k(images, right, k) == pytest.approx(np.mean(chosen), abs=1e-12)


def test_many_images_make_no_difference_to_precision() -> None:
    expected = stats.hypergeom(5000, 3, 2500).sf(0)
    assert pass_at_k(5000, 3, 2500) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10])
def test_it_has_no_bias(k: int) -> None:
    images, share = 10, 0.17
    law = stats.binom(images, share)
    mean = sum(law.pmf(right) * pass_at_k(images, right, k) for right in range(images + 1))
    assert mean == pytest.approx(1 - (1 - share) ** k, abs=1e-12)


@pytest.mark.parametrize(("images", "right", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0), (4, 2, 5)])
def test_what_cannot_be_is_refused(images: int, right: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"cannot be right|should be from 1"):
        pass_at_k(images, right, k)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [100, pytest.param(2000, marks=pytest.mark.proof("subitize.stats.estimate"))])
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(("items", "images"), [(6, 4), (30, 4), (30, 10)])
def test_the_interval_covers_what_a_painter_of_known_law_does(items: int, images: int, k: int, runs: int) -> None:
    """Prompts are drawn anew each time: their numbers are a sample, as those of a benchmark are of all prompts."""
    random = np.random.default_rng(items * images + k)
    numbers = range(1, 13)
    right = np.array([painter_law(number, Slips(weber=0.2))[number] for number in numbers])
    truth = float(np.mean(1 - (1 - right) ** k))
    rates = [pass_at_k(images, count, k) for count in range(images + 1)]
    covered = 0
    for _ in range(runs):
        counts = random.binomial(images, random.choice(right, items))
        (found,) = estimate([rates[count] for count in counts], count=np.full(items, images / k))
        covered += found.low <= truth <= found.high
    assert covered / runs >= 0.93
