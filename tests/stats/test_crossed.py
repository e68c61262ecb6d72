"""Standard errors over prompts and annotators are those of plain loops, and of leaving prompts out."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.stats.agreement import (
    LEVELS,
    Influence,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    pairwise_agreement,
    two_way_spread,
)
from subitize.stats.ratings import Ratings, count_ratings, find_cautions
from tests.cases import Case
from tests.stats.rating_matrices import tally_matrix

Floats = NDArray[np.float64]


def draw_ratings(seed: int, people: int = 6) -> Ratings:
    """Images of 12 prompts, one to four of each, seen by some people, who are not all as busy."""
    random = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(12), random.integers(1, 5, 12))
    matrix = random.integers(0, 3, (people, len(prompts))).astype(np.float64)
    matrix[random.random(matrix.shape) < np.linspace(0.1, 0.5, people)[:, None]] = np.nan
    return tally_matrix(matrix, clusters=prompts, are_people=True)


def variance_slowly(ratings: Ratings, influence: Influence) -> float:
    """Add up the squares of prompts' and of annotators' sums one by one."""
    answers, cells = ratings.answers, ratings.answers.cells
    assert cells.annotator is not None
    prompt, who = cells.cluster[answers.cell].tolist(), cells.annotator[answers.cell].tolist()
    pairs, alone, weights = influence.in_pairs.tolist(), influence.alone.tolist(), answers.weight.tolist()
    people = range(cells.annotators)
    share = [sum(w for w, one in zip(weights, who, strict=True) if one == person) for person in people]

    def of_people(prompts: set[int]) -> float:
        sums = [0.0 for _ in people]
        for place, person in enumerate(who):
            if prompt[place] in prompts:
                longer = (1 - share[person]) / (1 - 2 * share[person])
                sums[person] += 2 * pairs[place] * longer + alone[place]
        return float(sum((own - h * sum(sums)) ** 2 / (1 - h) for own, h in zip(sums, share, strict=True)))

    every = set(prompt)
    of_prompts = 0.0
    for one in every:
        places = [place for place, other in enumerate(prompt) if other == one]
        own = sum(pairs[place] + alone[place] for place in places)
        of_prompts += own**2 / (1 - sum(weights[place] for place in places))
    return of_prompts + max(0.0, of_people(every) - sum(of_people({one}) for one in every))


def test_the_error_is_that_of_loops_over_prompts_and_annotators(case: Case) -> None:
    for seed in range(20):
        ratings, random = draw_ratings(seed), np.random.default_rng(seed)
        habits = random.normal(0, 2, ratings.answers.cells.annotators)[ratings.answers.cells.annotator]
        drawn = random.normal(0, 1, (2, len(ratings.answers.row))) + habits[ratings.answers.cell]
        influence = Influence(*(drawn - drawn.mean(axis=1, keepdims=True)))
        with case(f"seed {seed}"):
            expected = variance_slowly(ratings, influence)
            assert two_way_spread(ratings, influence).error ** 2 == pytest.approx(expected, rel=1e-9)


def leave_out(ratings_of: Floats, prompts: NDArray[np.int64], which: int) -> list[float]:
    ratings = tally_matrix(ratings_of[:, prompts != which], domain=np.arange(4.0))
    kappa, ac1, pairs = fleiss_kappa(ratings), gwet_ac(ratings), pairwise_agreement(ratings)
    assert kappa is not None
    assert ac1 is not None
    assert pairs is not None
    return [kappa.coefficient.value, ac1.coefficient.value, pairs.value]


def test_the_error_over_prompts_is_that_of_leaving_prompts_out() -> None:
    random = np.random.default_rng(2)
    prompts = np.repeat(np.arange(60), 4)
    truth = random.integers(0, 4, 60)[prompts]
    matrix = np.where(random.random((3, 240)) < 0.3, random.integers(0, 4, (3, 240)), truth).astype(np.float64)
    ratings = tally_matrix(matrix, domain=np.arange(4.0), clusters=prompts)
    left = np.array([leave_out(matrix, prompts, which) for which in range(60)])
    errors = np.sqrt(59 / 60 * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    kappa, ac1 = fleiss_kappa(ratings), gwet_ac(ratings)
    assert kappa is not None
    assert ac1 is not None
    assert (kappa.standard_error, ac1.standard_error) == pytest.approx(tuple(errors[:2]), rel=0.03)
    assert kappa.coefficient.method == "Fleiss' κ, Student's interval over 60 prompts"


def test_the_share_of_pairs_is_what_is_observed() -> None:
    ratings = draw_ratings(0)
    found, kappa = pairwise_agreement(ratings), fleiss_kappa(ratings)
    assert found is not None
    assert kappa is not None
    assert found.value == pytest.approx(kappa.observed)
    assert 0 < found.low < found.value < found.high < 1


def test_without_pairs_there_is_no_share_of_them() -> None:
    assert pairwise_agreement(count_ratings(np.arange(3), np.ones(3))) is None


def test_prompts_that_never_vary_leave_room_for_as_many_as_wilson_does() -> None:
    matrix = np.tile([0.0, 1.0], (3, 20))
    found = fleiss_kappa(tally_matrix(matrix))
    assert found is not None
    assert (found.coefficient.value, found.coefficient.high) == (1, 1)
    assert 0.7 < found.coefficient.low < 0.9
    assert "nothing varies" in found.coefficient.method


def test_annotators_who_tell_nearly_nothing_leave_nearly_everything_open() -> None:
    random = np.random.default_rng(0)
    pairs = np.repeat([(0, 1), (0, 2), (1, 2)], [80, 10, 10], axis=0)
    counts = random.integers(1, 9, (100, 1)) + (random.random((100, 2)) < np.array([0.1, 0.6, 0.4])[pairs])
    ratings = count_ratings(np.repeat(np.arange(100), 2), counts.ravel().astype(np.float64), annotators=pairs.ravel())
    for level in LEVELS[1:]:
        found = krippendorff_alpha(ratings, level)
        assert found is not None
        assert -1 <= found.low <= found.value <= found.high <= 1


def test_one_prompt_alone_leaves_no_interval() -> None:
    matrix = np.random.default_rng(0).integers(0, 2, (3, 30)).astype(np.float64)
    ratings = tally_matrix(matrix, clusters=np.zeros(30, dtype=np.int64))
    found = fleiss_kappa(ratings)
    assert found is not None
    assert (found.coefficient.low, found.coefficient.high) == (-1, 1)
    assert "no interval: only 1 prompt" in found.coefficient.method
    assert "only 1 prompt" in list(find_cautions(ratings))


def of_people(*pairs: tuple[int, int]) -> Ratings:
    """Fifty images for each pair of people, who both answer at random."""
    random, units = np.random.default_rng(0), 50 * len(pairs)
    who = np.repeat(np.array(pairs), 50, axis=0)
    return count_ratings(
        np.repeat(np.arange(units), 2), random.integers(0, 2, 2 * units).astype(np.float64), annotators=who.ravel()
    )


PEOPLE = {
    "two": (of_people((0, 1)), "2 annotators: the interval is for these people, not for others like them"),
    "one with all others": (
        of_people((0, 1), (0, 2), (0, 3)),
        "one annotator in nearly every pair: the interval is for these people, not for others like them",
    ),
    "three": (of_people((0, 1), (0, 2), (1, 2)), "only 3 annotators"),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_of_few_annotators_it_is_said_that_they_are_few(name: str) -> None:
    ratings, caution = PEOPLE[name]
    assert list(find_cautions(ratings)) == [caution]


def test_of_enough_prompts_and_annotators_there_is_nothing_to_say() -> None:
    pairs = [(one, other) for one, other in product(range(5), repeat=2) if one < other]
    assert list(find_cautions(of_people(*pairs))) == []


def test_counts_that_are_rarely_0_are_told() -> None:
    matrix = np.random.default_rng(0).integers(1, 5, (3, 60)).astype(np.float64)
    matrix[0, :3] = 0
    ratings = tally_matrix(matrix)
    assert list(find_cautions(ratings)) == []
    assert list(find_cautions(ratings, are_counts=True)) == [
        "only 3 prompts with an answer of 0, which α by ratio hangs on"
    ]


def test_people_who_add_nothing_to_the_variance_take_no_degrees_of_freedom() -> None:
    """What they add is 0, of which rounding leaves 4e-17."""
    matrix = np.array([[3, 3, 3, 1], [3, 3, 1, 2], [2, 1, 2, 2]], dtype=np.float64)
    known, unknown = (pairwise_agreement(tally_matrix(matrix, are_people=people)) for people in (True, False))
    assert known is not None
    assert unknown is not None
    assert (known.low, known.high) == pytest.approx((unknown.low, unknown.high))
