"""Measures of probes: worked examples, independent implementations, and what guessing gets."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from subitize.language.numbers import NUMERALS, name_number
from subitize.papers.seeing_past_words.build import Recipe, build_probes
from subitize.papers.seeing_past_words.measures import (
    BASELINES,
    ScoredTexts,
    bin_number,
    make_pairs,
    measure_baselines,
    measure_pairs,
    measure_ranks,
    measure_said,
    numbers_of_probes,
    prefer_smaller,
    rank_number,
)
from subitize.papers.seeing_past_words.probes import Probe
from tests.cases import Case
from tests.papers.seeing_past_words.probe_files import make_probes

Probes = Sequence[tuple[float, Sequence[float]]]


def pairs_of(probes: Probes) -> ScoredTexts:
    rows = [
        (score, place == 0, probe)
        for probe, (right, foils) in enumerate(probes)
        for place, score in enumerate([right, *foils])
    ]
    return make_pairs(*zip(*rows, strict=True))


# Of the caption and its foils; positive above .5.
EXAMPLES: dict[str, tuple[Probes, dict[str, float]]] = {
    "three foils": (
        [(0.9, [0.2, 0.6, 0.4]), (0.3, [0.3, 0.1, 0.7]), (0.8, [0.1, 0.2, 0.3])],
        {
            "accuracy": 0.75,
            "recall_right": 0.6667,
            "recall_foiled": 0.7778,
            "precision_right": 0.5,
            "precision_foiled": 0.875,
            "balanced_accuracy": 0.7222,
            "min_recall": 0.6667,
            "pairwise_accuracy_ties_win": 0.8889,
            "pairwise_accuracy_ties_lose": 0.7778,
            "pairwise_accuracy": 0.8333,
            "tied_pairs": 1 / 9,
            "auroc": 0.8519,
        },
    ),
    "constant": (
        [(0.5, [0.5, 0.5, 0.5])] * 2,
        {
            "accuracy": 0.75,
            "recall_right": 0.0,
            "recall_foiled": 1.0,
            "precision_foiled": 0.75,
            "balanced_accuracy": 0.5,
            "min_recall": 0.0,
            "pairwise_accuracy_ties_win": 1.0,
            "pairwise_accuracy_ties_lose": 0.0,
            "pairwise_accuracy": 0.5,
            "tied_pairs": 1.0,
            "auroc": 0.5,
        },
    ),
    "one foil": (
        [(0.7, [0.6]), (0.4, [0.45]), (0.55, [0.1]), (0.2, [0.05])],
        {
            "accuracy": 0.625,
            "recall_right": 0.5,
            "recall_foiled": 0.75,
            "precision_right": 0.6667,
            "precision_foiled": 0.6,
            "balanced_accuracy": 0.625,
            "min_recall": 0.5,
            "pairwise_accuracy_ties_win": 0.75,
            "pairwise_accuracy_ties_lose": 0.75,
            "pairwise_accuracy": 0.75,
            "tied_pairs": 0.0,
            "auroc": 0.6875,
        },
    ),
    "no foils": (
        [(0.7, []), (0.4, [])],
        {"accuracy": 0.5, "recall_right": 0.5, "precision_right": 1.0, "precision_foiled": 0.0},
    ),
}


def test_worked_examples(case: Case) -> None:
    for name, (probes, expected) in EXAMPLES.items():
        with case(name):
            found = {measure: estimate.value for measure, estimate in measure_pairs(pairs_of(probes)).items()}
            assert found == pytest.approx(expected, abs=5e-5)


def draw(probes: int, seed: int, per_image: int = 1) -> ScoredTexts:
    rng = np.random.default_rng(seed)
    places = np.repeat(np.arange(probes), 4)
    is_right = np.tile([True, False, False, False], probes)
    shared = rng.normal(size=probes)[places // per_image]
    scores = 1 / (1 + np.exp(-(rng.normal(size=4 * probes) + shared + 0.7 * is_right)))
    return make_pairs(scores.round(2), is_right, places, places // per_image)


def test_measures_agree_with_an_independent_implementation() -> None:
    pairs = draw(300, 1)
    found = measure_pairs(pairs)
    right, foiled = pairs.scores[pairs.is_right], pairs.scores[~pairs.is_right]
    accepted_right, accepted_foiled = int((right > 0.5).sum()), int((foiled > 0.5).sum())
    area = stats.mannwhitneyu(right, foiled).statistic / (len(right) * len(foiled))
    wins = [(a > b) + (a == b) / 2 for a, three in zip(right, foiled.reshape(-1, 3), strict=True) for b in three]
    expected = {
        "accuracy": (accepted_right + 900 - accepted_foiled) / 1200,
        "recall_right": accepted_right / 300,
        "recall_foiled": 1 - accepted_foiled / 900,
        "precision_right": accepted_right / (accepted_right + accepted_foiled),
        "balanced_accuracy": (accepted_right / 300 + 1 - accepted_foiled / 900) / 2,
        "auroc": area,
        "pairwise_accuracy": np.mean(wins),
    }
    assert {name: found[name].value for name in expected} == pytest.approx(expected, abs=1e-12)


def half_width(pairs: ScoredTexts, measure: str) -> float:
    """Compute half an interval by leaving out one image after the other."""
    images = np.unique(pairs.images)
    left = [measure_pairs(keep(pairs, pairs.images != image))[measure].value for image in images]
    error = np.sqrt((len(images) - 1) * np.var(left))
    return float(stats.t.ppf(0.975, len(images) - 1) * error)


def keep(pairs: ScoredTexts, rows: np.typing.NDArray[np.bool_]) -> ScoredTexts:
    return make_pairs(pairs.scores[rows], pairs.is_right[rows], pairs.probes[rows], pairs.images[rows])


@pytest.mark.slow
def test_intervals_are_those_of_images_left_out_one_by_one(case: Case) -> None:
    pairs = draw(80, 2, per_image=2)
    found = measure_pairs(pairs)
    for measure in ("auroc", "balanced_accuracy", "pairwise_accuracy", "precision_right", "recall_foiled"):
        with case(measure):
            estimate = found[measure]
            assert (estimate.high - estimate.low) / 2 == pytest.approx(half_width(pairs, measure), rel=0.06)


def test_texts_of_an_image_are_one_cluster() -> None:
    single = draw(200, 3)
    probes = np.concatenate([single.probes, single.probes + 200])
    doubled = make_pairs(np.tile(single.scores, 2), np.tile(single.is_right, 2), probes, np.tile(single.images, 2))
    one, two = measure_pairs(single)["auroc"], measure_pairs(doubled)["auroc"]
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=1e-3)


@pytest.mark.parametrize(
    ("scores", "number", "rank", "said"),
    [
        ({"two": 0.4, "no": 0.2, "one": 0.15, "a": 0.12, "3": 0.1, "three": 0.03}, 1, 3, 2),
        ({"two": 0.5, "three": 0.3, "3": 0.1, "four": 0.1}, 3, 2, 2),
        ({"many": 0.9, "a": 0.05, "no": 0.04, "two": 0.01}, 0, 2, 1),
        ({"two": 0.25, "three": 0.25, "four": 0.25, "five": 0.25}, 4, 2.5, 2),
        ({"two": 0.5, "three": 0.3}, 7, 1 + 2 + (len(NUMERALS) - 2 - 2) / 2, 2),  # "7" and "seven" among the rest
        ({"hundred": 0.5, "100": 0.6, "an": 0.1, "Twenty": 0.55}, 20, 2, 100),
        ({"many": 1.0}, 2, 1 + (len(NUMERALS) - 2) / 2, None),
        ({"two": 1.0}, 543, len(NUMERALS) / 2 + 1.5, 2),
    ],
)
def test_the_best_placed_form_of_a_number_has_its_rank(
    scores: dict[str, float], number: int, rank: float, said: int | None
) -> None:
    assert rank_number(scores, number) == rank
    assert name_number(scores) == said


def test_ranks_give_recall_and_their_mean() -> None:
    found = measure_ranks([1, 2, 3, 6], ["a", "b", "c", "c"])
    assert {name: one.value for name, one in found.items()} == {
        "recall@1": 0.25,
        "recall@2": 0.5,
        "recall@5": 0.75,
        "mean_rank": 3.0,
    }
    assert found["mean_rank"].low >= 1
    assert measure_ranks([], []) == {}


def test_what_is_said_instead_is_a_share_of_what_is_wrong() -> None:
    found = measure_said([2, 2, 2, 0, 3, None], [1, 5, 2, 4, 3, 7], list("abcdef"))
    assert {number: one.value for number, one in found.items()} == {2: 0.5, 0: 0.25}
    assert list(found) == [2, 0]


def test_numbers_have_the_bins_of_table_7() -> None:
    assert [bin_number(number) for number in (0, 7, 8, 10, 11, 20, 21, 543)] == [
        *("0", "7", "8-10", "8-10", "11-20", "11-20", "21+", "21+"),
    ]


GUESSES = {  # pairwise accuracy of validation, ties half: standard, hard, interpolated
    "the smaller number": (71.8, 61.2, 75.2),
    "always foil": (50.0, 50.0, 50.0),
    "always right": (50.0, 50.0, 50.0),
}


@pytest.mark.slow
def test_guessing_gets_what_it_is_known_to_get(shared_data: Path) -> None:
    for place, split in enumerate(("standard", "hard", "interpolation")):
        file = shared_data / "counting-probe" / f"visual7w_counting_{split}_split.val.json"
        found = measure_baselines(numbers_of_probes(build_probes([file], Recipe()).probes))
        for name, expected in GUESSES.items():
            assert round(100 * found[name]["pairwise_accuracy"].value, 1) == expected[place], (split, name)
        assert round(100 * found["always foil"]["accuracy"].value, 1) == 74.9
        for measure in ("balanced_accuracy", "auroc", "pairwise_accuracy"):
            assert found["always foil"][measure].value == pytest.approx(0.5, abs=1e-12)
    assert round(100 * found["even numbers"]["pairwise_accuracy"].value, 1) == 18.7
    assert round(100 * found["even numbers"]["pairwise_accuracy_ties_win"].value, 1) == 37.4


def test_guessing_is_seen_through_on_probes_of_our_own(tmp_path: Path) -> None:
    """Foils that are exchanged leave every rule of numbers alone at one half."""
    answers = [0] * 7 + [1] * 26 + [2] * 30 + [3] * 14 + [4] * 9 + [5] * 6
    found = measure_baselines(numbers_of_probes(make_probes(tmp_path, answers)))
    assert set(found) == set(BASELINES)
    for name, measures in found.items():
        if name != "the number's prior":  # learnt from one half of the images for the other, it is off by chance
            assert measures["pairwise_accuracy"].value == pytest.approx(0.5), name


def test_what_is_learnt_is_learnt_in_training(tmp_path: Path) -> None:
    training, test = (
        numbers_of_probes(make_probes(tmp_path, [5, 5, 5, 1, 2])),
        numbers_of_probes(make_probes(tmp_path, [1, 1, 1, 5, 2])),
    )
    found = measure_baselines(test, training)
    assert found["the most frequent answer"]["recall_right"].value == pytest.approx(1 / 5)
    assert measure_baselines(test)["the most frequent answer"]["recall_right"].value == pytest.approx(3 / 5)


def test_equal_numbers_of_a_probe_are_equally_small() -> None:
    probe = Probe("a", "s", "test", "a.jpg", "", 2, (1, 2, 3), "", ("", "", ""), "", "")
    numbers = numbers_of_probes([probe])
    assert prefer_smaller(numbers, numbers).tolist() == [0.5, 1.0, 0.5, 0.0]
