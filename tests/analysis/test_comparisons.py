"""Models are compared on what all of them have, and on nothing else."""

import numpy as np
import pytest

from subitize.analysis.compare import Comparisons, Contestant, Leaderboard, compare_entries, rank_overall
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.frame import NO_JUDGE, FrameRow, Status, frame_seen
from tests.samples import naming_item


def entry(
    model: str, values: dict[tuple[int, int], float | None], *, judge: str = "parser", status: Status = "eligible"
) -> Contestant:
    """Make observations of naming items of the number 1 to 9, by item and repeat."""
    items = {place: naming_item(place, 1 + place % 9) for place, _ in values}
    seen = [
        FrameRow(
            items[place], items[place].asks[0], status if value is not None else "refused", value, model, judge, repeat
        )
        for (place, repeat), value in values.items()
    ]
    return Contestant(model, "naming", judge, frame_seen(seen))


def answers(seed: int, *, right: float, items: int = 45, repeats: int = 2) -> dict[tuple[int, int], float | None]:
    random = np.random.default_rng(seed)
    return {
        (place, repeat): 1 + place % 9 + (0 if random.random() < right else int(random.integers(1, 4)))
        for place in range(items)
        for repeat in range(repeats)
    }


def board(found: Comparisons, measure: str) -> Leaderboard:
    return next(one for one in found.boards if one.board.measure == measure)


def test_differences_are_of_what_all_have_and_add_up() -> None:
    own = {"a": answers(1, right=0.9), "b": answers(2, right=0.5), "c": answers(3, right=0.3, items=40, repeats=3)}
    own["a"].pop((0, 0))
    found = compare_entries([entry(model, values) for model, values in own.items()])
    common = [key for key in own["a"] if key in own["b"] and key in own["c"]]
    assert {(one.model, one.count, one.total) for one in found.left_out} == {
        ("a", 89 - 79, 89),
        ("b", 90 - 79, 90),
        ("c", 120 - 79, 120),
    }
    for measure in ("accuracy", "mae", "nae"):
        means = {
            model: np.mean([_figure(measure, key, values[key]) for key in common]) for model, values in own.items()
        }
        one = board(found, measure)
        assert {of.model: of.estimate.value for of in one.models} == pytest.approx(means, abs=1e-12)
        differences = {(of.first, of.second): of.difference for of in one.pairs}
        for pair, difference in differences.items():
            assert difference.value == pytest.approx(means[pair[0]] - means[pair[1]], abs=1e-12)
            assert difference.n == 79
        total = differences["a", "b"].value + differences["b", "c"].value
        assert total == pytest.approx(differences["a", "c"].value, abs=1e-9)


def _figure(measure: str, key: tuple[int, int], value: float | None) -> float:
    target = 1 + key[0] % 9
    assert value is not None
    return {"accuracy": float(value == target), "mae": abs(value - target), "nae": abs(value - target) / target}[
        measure
    ]


def test_of_errors_the_smallest_is_the_best() -> None:
    entries = [entry("worse", answers(1, right=0.2)), entry("better", answers(2, right=0.9))]
    found = compare_entries(entries)
    for measure in ("accuracy", "mae", "nae"):
        told = [(one.model, one.rank, one.letters) for one in board(found, measure).models]
        assert told == [("better", "1", "a"), ("worse", "2", "b")]
    assert board(found, "accuracy").pairs[0].difference.value > 0 > board(found, "mae").pairs[0].difference.value


def test_models_that_answer_alike_share_a_rank_and_a_letter() -> None:
    values = answers(1, right=0.5)
    found = rank_overall([entry("one", values), entry("other", values), entry("third", answers(5, right=0.5))])
    assert {(one.rank, one.letters) for one in found.values()} == {("1–3", "a")}


def test_what_was_refused_is_wrong_for_every_judge_and_no_error() -> None:
    mute: dict[tuple[int, int], float | None] = dict.fromkeys(answers(1, right=1))
    entries = [
        entry("mute", mute, judge=NO_JUDGE),
        *(entry("speaks", answers(1, right=1), judge=judge) for judge in ("human", "parser")),
    ]
    found = compare_entries(entries)
    assert {one.board.judge for one in found.boards} == {"human", "parser"}
    for one in found.boards:
        if one.board.measure == "accuracy":
            assert [(of.model, of.estimate.value) for of in one.models] == [("speaks", 1.0), ("mute", 0.0)]
    assert "mae" not in {one.board.measure for one in found.boards}


def test_who_answers_only_what_it_knows_ranks_below_who_answers_all_and_is_nearly_always_right() -> None:
    rival = answers(1, right=0.98)
    refuser: dict[tuple[int, int], float | None] = {key: 1 + key[0] % 9 if key[0] % 10 < 3 else None for key in rival}
    entries = [entry("refuser", refuser), entry("rival", rival)]
    found = compare_entries(entries)
    for measure in ("accuracy", "nae_all", "mae_all"):
        assert [(one.model, one.rank) for one in board(found, measure).models] == [("rival", "1"), ("refuser", "2")]
    assert {one.rank for one in rank_overall(entries).values()} == {"1", "2"}


def test_models_of_different_judges_are_not_compared() -> None:
    values = answers(1, right=0.5)
    found = compare_entries([entry("one", values, judge="human"), entry("other", values)])
    assert found.boards == ()


def test_groups_are_the_levels_of_a_factor() -> None:
    entries = [entry("one", answers(1, right=0.5)), entry("other", answers(2, right=0.5))]
    found = compare_entries(entries, ["accuracy"], ["number"])
    assert [one.board.group for one in found.boards] == ["all", *map(str, range(1, 10))]
    assert {one.pairs[0].difference.n for one in found.boards[1:]} == {10}
    assert "only 5 clusters" in {one.pairs[0].difference.caution for one in found.boards}


def test_a_measure_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no measure to compare by named 'speed'; known: accuracy, "):
        compare_entries([entry("one", answers(1, right=0.5))], ["speed"])


def test_of_exactly_these_prompts_only_images_vary() -> None:
    """Where prompts are right in all images or in none, new images of them would be the same."""
    random = np.random.default_rng(1)
    easy = {name: random.random(45) < share for name, share in (("one", 0.7), ("other", 0.5))}
    own: dict[str, dict[tuple[int, int], float | None]] = {
        name: {(place, repeat): 1 + place % 9 + (not right[place]) for place in range(45) for repeat in range(4)}
        for name, right in easy.items()
    }
    noisy = [(int(place), int(repeat)) for place, repeat in random.integers((45, 4), size=(60, 2))]
    for key in noisy:
        own["one"][key] = 1 + key[0] % 9 + 1
    entries = [entry(name, values) for name, values in own.items()]
    sampled = board(compare_entries(entries), "mae").pairs[0].difference
    fixed = board(compare_entries(entries, prompts="fixed"), "mae").pairs[0].difference
    assert fixed.n == sampled.n
    assert fixed.value == pytest.approx(sampled.value, abs=1e-12)
    off = {
        name: np.array([[values[place, r] != 1 + place % 9 for r in range(4)] for place in range(45)])
        for name, values in own.items()
    }
    within = (off["one"].astype(float) - off["other"]).var(axis=1, ddof=1)
    half_width = 1.96 * np.sqrt((within / 4).sum()) / 45
    assert (fixed.high - fixed.low) / 2 == pytest.approx(half_width, rel=0.1)
    assert sampled.high - sampled.low > 2 * (fixed.high - fixed.low)


def test_exactly_these_prompts_need_two_images_each() -> None:
    entries = [entry(name, answers(seed, right=0.5, repeats=1)) for seed, name in enumerate(("one", "other"))]
    with pytest.raises(NothingToDoError, match="`prompts` fixed needs two images of a prompt"):
        compare_entries(entries, prompts="fixed")
