"""Figures against numbers computed by hand; their intervals are those of the estimator, which has its own tests."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from subitize.analysis.score import MEASURES, Score, score
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.frame import Frame, FrameRow, Status, frame_seen
from subitize.records import Ask, Choose, Confirm, Count, Design, Estimate, Item, Question, Scalar
from subitize.stats.estimate import estimate
from tests.samples import naming_item


def observe(
    value: Scalar | None, target: int = 3, *, status: Status = "eligible", item: Item | None = None
) -> FrameRow:
    item = item or naming_item(0, target)
    return FrameRow(item, item.asks[0], status, value, "random", "parser")


def about(question: Question, value: Scalar, *expects: Scalar) -> FrameRow:
    return observe(value, item=replace(naming_item(), asks=(Ask(question, "?", expects),)))


def measure(seen: Iterable[FrameRow], *, group: str = "all") -> dict[str, Estimate]:
    return {one.measure: one.estimate for one in score(frame_seen(seen)) if one.group == group}


def assert_is_share(estimate: Estimate, successes: int, n: int) -> None:
    assert (estimate.value, estimate.n) == (successes / n, n)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def assert_is_mean(estimate: Estimate, values: Sequence[float]) -> None:
    assert estimate.n == len(values)
    assert estimate.value == pytest.approx(np.mean(values), abs=1e-12)
    assert 0 <= estimate.low <= estimate.value <= estimate.high


RESPONSES: list[tuple[float, int]] = [(1, 1), (2, 2), (5, 3), (4, 4), (8, 10), (3.5, 3), (0, 2)]


def test_accuracy_and_errors_are_those_computed_by_hand() -> None:
    found = measure([observe(value, target) for value, target in RESPONSES])
    values, targets = np.array(RESPONSES, dtype=float).T
    errors = abs(values - targets)
    assert_is_share(found["accuracy"], 3, 7)
    assert_is_share(found["accuracy_answered"], 3, 7)
    assert_is_mean(found["mae"], errors.tolist())
    assert_is_mean(found["nae"], (errors / targets).tolist())
    assert_is_share(found["discarded"], 0, 7)
    assert_is_share(found["refused"], 0, 7)


def test_a_refusal_is_wrong_in_one_accuracy_and_left_out_of_the_other() -> None:
    found = measure([observe(3), observe(3), observe(4), observe(None, status="refused")])
    assert_is_share(found["accuracy"], 2, 4)
    assert_is_share(found["accuracy_read"], 2, 4)
    assert_is_share(found["accuracy_answered"], 2, 3)
    assert_is_share(found["refused"], 1, 4)
    assert_is_share(found["discarded"], 0, 3)
    assert found["mae"].n == 3


def test_a_discarded_answer_is_wrong_in_one_accuracy_and_left_out_of_the_others() -> None:
    found = measure([observe(3), observe(4), *[observe(None, status="discarded")] * 3])
    assert_is_share(found["accuracy"], 1, 5)
    assert_is_share(found["accuracy_read"], 1, 2)
    assert_is_share(found["accuracy_answered"], 1, 2)
    assert_is_share(found["discarded"], 3, 5)
    assert_is_share(found["refused"], 0, 5)


def test_a_model_that_refuses_everything_has_no_accuracy_but_of_nothing() -> None:
    found = measure([observe(None, status="refused")] * 5)
    assert_is_share(found["accuracy"], 0, 5)
    assert_is_share(found["refused"], 5, 5)
    assert_is_share(found["coverage"], 0, 5)
    assert set(found) == {"accuracy", "accuracy_read", "coverage", "mae_all", "nae_all", "refused"}


def test_what_has_no_value_at_all_is_wrong_and_has_no_error_but_that_of_nothing_counted() -> None:
    found = measure([observe(None, status="discarded")] * 4)
    assert set(found) == {"accuracy", "coverage", "mae_all", "nae_all", "discarded", "refused"}
    assert_is_share(found["accuracy"], 0, 4)
    assert_is_share(found["discarded"], 4, 4)
    assert_is_mean(found["mae_all"], [3.0] * 4)
    assert_is_mean(found["nae_all"], [1.0] * 4)


def test_who_answers_only_what_it_knows_has_small_errors_at_a_low_coverage_and_ranks_low() -> None:
    refuser = measure([observe(3)] * 3 + [observe(None, status="refused")] * 7)
    rival = measure([observe(3)] * 9 + [observe(4)])
    assert refuser["nae"].value < rival["nae"].value
    assert refuser["coverage"].value == 0.3
    assert refuser["accuracy"].value < rival["accuracy"].value
    assert refuser["nae_all"].value > rival["nae_all"].value


def test_what_a_judge_would_not_look_at_is_neither_right_nor_wrong() -> None:
    found = measure([observe(3), observe(4), observe(None, status="unknown"), observe(None, status="discarded")])
    assert_is_share(found["accuracy"], 1, 3)
    assert_is_share(found["coverage"], 2, 3)
    assert_is_share(found["unknown"], 1, 4)
    assert_is_share(found["discarded"], 1, 3)


def test_intervals_are_over_pictures_within_what_the_design_fixes() -> None:
    random = np.random.default_rng(1)
    items = [naming_item(seed, number) for seed in range(6) for number in (1, 2, 3)]
    seen = [
        FrameRow(item, item.asks[0], "eligible", int(random.integers(1, 4)), "random", "parser", repeat)
        for item in items
        for repeat in range(4)
    ]
    right = np.array([float(one.value == one.ask.expects[0]) for one in seen])
    pictures, numbers = [str(one.item.task) for one in seen], [one.ask.expects[0] for one in seen]
    framed = frame_seen(seen)
    plain, designed = (
        {one.measure: one.estimate for one in score(Frame(framed.rows, framed.items, designs), [])}
        for designs in ({}, {"naming": Design(strata=("number",))})
    )
    fixed = {one.measure: one.estimate for one in score(framed, [], prompts="fixed")}
    for found, wanted in (
        (plain, estimate(right, pictures)[0]),
        (designed, estimate(right, pictures, numbers)[0]),
        (fixed, estimate(right, None, pictures)[0]),
    ):
        ours = found["accuracy"]
        assert (ours.value, ours.low, ours.high) == pytest.approx((wanted.value, wanted.low, wanted.high), abs=1e-12)
        assert (ours.n, ours.method, ours.caution) == (wanted.n, wanted.method, wanted.caution)


def test_exactly_these_prompts_need_two_images_of_one() -> None:
    with pytest.raises(NothingToDoError, match=r"`prompts` fixed needs two images of a prompt.*`repeats` 2"):
        score(frame_seen([observe(3, 3), observe(2, 2)]), prompts="fixed")


def test_a_target_of_nought_has_an_error_but_no_relative_one() -> None:
    found = measure([observe(2, 0), observe(4, 2), observe(3, 2)])
    assert_is_mean(found["mae"], [2, 2, 1])
    assert_is_mean(found["nae"], [1.0, 0.5])


def test_one_observation_alone_bounds_its_error_only_from_below() -> None:
    found = measure([observe(5, 4)])
    assert (found["mae"].value, found["mae"].low, found["mae"].high) == (1.0, 0.0, np.inf)
    assert (found["nae"].value, found["nae"].low) == (0.25, 0.0)


def test_where_several_numbers_are_right_the_nearest_is_the_target() -> None:
    found = measure([about(Count("apple"), value, 2, 4) for value in (4, 2, 5, 1)])
    assert_is_share(found["accuracy"], 2, 4)
    assert_is_mean(found["mae"], [0, 0, 1, 1])
    assert_is_mean(found["nae"], [0, 0, 1 / 4, 1 / 2])


@pytest.mark.parametrize(
    "observations",
    [
        [about(Choose(("none", "some", "many")), value, 2) for value in (2, 0, 2)],
        [about(Confirm("there is a dog", is_informed=False), value, True) for value in (True, False, True)],
    ],
    ids=["lines", "yes or no"],
)
def test_only_counts_have_absolute_errors(observations: list[FrameRow]) -> None:
    found = measure(observations)
    assert "mae" not in found
    assert "nae" not in found
    assert found["accuracy"].n == len(observations)


def test_where_nobody_has_said_what_is_right_there_is_neither_accuracy_nor_error() -> None:
    untold = replace(naming_item(7), asks=(Ask(Count("apple"), "?", ()),))
    unknown = [observe(value, item=untold) for value in (1, 2)]
    assert set(measure(unknown)) == {"discarded", "refused"}
    both = measure([*unknown, observe(3), observe(9)])
    assert_is_share(both["accuracy"], 1, 2)
    assert both["discarded"].n == 4


def test_an_exclusion_makes_n_smaller_and_is_counted() -> None:
    observations = [observe(3), observe(3), observe(9)._replace(is_excluded=True)]
    scores = score(frame_seen(observations))
    assert {one.excluded for one in scores if one.group == "all"} == {1}
    found = measure(observations)
    assert_is_share(found["accuracy"], 2, 2)
    assert found["mae"].value == 0.0


def test_a_run_with_everything_excluded_says_how_to_take_it_back() -> None:
    with pytest.raises(NothingToDoError, match=r"all 2 observations are excluded; .*subitize show .*--undo"):
        score(frame_seen([observe(3)._replace(is_excluded=True)] * 2))


def _with_factors(value: int, **factors: Scalar) -> FrameRow:
    return observe(value, item=replace(naming_item(), id=f"naming/{factors}", factors=factors))


def groups(scores: Sequence[Score]) -> dict[tuple[str, str], int]:
    return {(one.factor, one.group): one.estimate.n for one in scores if one.measure == "accuracy"}


def test_each_level_of_each_factor_has_its_own_figures() -> None:
    observations = [
        _with_factors(3, category="apples", number=1),
        _with_factors(4, category="apples", number=2),
        _with_factors(3, category="dots", number=2, extra=True),
        _with_factors(3, category="dots", number=2, extra=False),
    ]
    assert groups(score(frame_seen(observations))) == {
        ("all", "all"): 4,
        ("category", "apples"): 2,
        ("category", "dots"): 2,
        ("number", "1"): 1,
        ("number", "2"): 3,
        ("extra", "True"): 1,
        ("extra", "False"): 1,
    }
    assert_is_share(measure(observations, group="apples")["accuracy"], 1, 2)


def test_a_factor_may_be_named_as_the_whole_is() -> None:
    observations = frame_seen([_with_factors(3, all="all"), _with_factors(4, all="some")])
    found = [
        (one.factor, one.group, one.estimate.n) for one in score(observations, ["all"]) if one.measure == "accuracy"
    ]
    assert found == [("all", "all", 2), ("all", "all", 1), ("all", "some", 1)]


@pytest.mark.parametrize("value", [0, 0.0, -0.0, False, "a\x1eb", "", 2**53 + 1, 10**400])
def test_a_value_is_right_where_it_is_equal_to_what_is_expected(value: Scalar) -> None:
    others: list[Scalar] = [0, "a", "b", 2**53, 10**401]
    for expected in (value, *others):
        (row,) = frame_seen([about(Choose(("a", "b")), value, expected)]).rows.iter_rows(named=True)
        assert row["is_right"] == (value == expected), (value, expected)


def test_only_the_factors_asked_for_are_grouped_by() -> None:
    observations = frame_seen(_with_factors(3, category=name, number=number) for name in "ab" for number in (1, 2))
    assert {factor for factor, _ in groups(score(observations, ["number"]))} == {"all", "number"}
    assert {factor for factor, _ in groups(score(observations, []))} == {"all"}


@pytest.mark.parametrize(("levels", "is_grouped"), [(1, False), (2, True), (50, True), (51, False)])
def test_a_factor_with_one_level_or_very_many_is_not_grouped_by_unless_asked_for(levels: int, is_grouped: bool) -> None:
    observations = frame_seen(_with_factors(3, key=level) for level in range(levels))
    assert any(one.factor == "key" for one in score(observations)) is is_grouped
    assert any(one.factor == "key" for one in score(observations, ["key"]))


def test_an_unknown_factor_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="no factor named 'colour'; known: category, number, wording"):
        score(frame_seen([observe(3)]), ["colour"])


def test_suites_models_and_judges_are_never_pooled() -> None:
    one = observe(3)
    other_suite = one._replace(item=replace(one.item, id="production/apples/3"))
    scores = score(frame_seen([one, one._replace(model="other"), one._replace(judge="human"), other_suite]))
    keys = {(found.suite, found.model, found.judge) for found in scores}
    assert keys == {
        ("naming", "random", "parser"),
        ("naming", "other", "parser"),
        ("naming", "random", "human"),
        ("production", "random", "parser"),
    }
    assert {found.estimate.n for found in scores if found.factor == "all"} == {1}


def test_every_figure_has_an_interval_an_n_and_a_method() -> None:
    for one in score(frame_seen(observe(value, target) for value, target in RESPONSES)):
        assert one.measure in MEASURES
        assert one.estimate.low <= one.estimate.value <= one.estimate.high
        assert one.estimate.n > 0
        assert one.estimate.method
        assert one.estimate.confidence == 0.95


@pytest.mark.parametrize("off", [0, 1], ids=["always right", "always one too many"])
def test_errors_that_never_vary_may_still_be_others(off: int) -> None:
    targets = [1, 2, 4, 5] * 5 if not off else [4] * 20
    items = [naming_item(seed, target) for seed, target in enumerate(targets)]
    found = measure([observe(target + off, target, item=item) for target, item in zip(targets, items, strict=True)])
    missed = stats.binomtest(0, 20).proportion_ci(method="wilson").high
    step = np.mean([1 / target for target in targets])
    for name, value, one_more in (("mae", off, 1.0), ("nae", off / 4, step)):
        assert (found[name].value, found[name].n) == (value, 20)
        assert found[name].high == pytest.approx(value + missed * one_more)
        assert found[name].low == pytest.approx(max(0.0, value - missed * one_more))
        assert found[name].caution == "never varies"


def test_one_answer_alone_says_nothing_about_its_error() -> None:
    assert measure([observe(3, 3)])["mae"].high == float("inf")


def test_a_value_that_was_discarded_has_no_error() -> None:
    found = measure([observe(3, 3), observe(2, 3), observe(0, 3, status="discarded")])
    assert (found["mae"].n, found["accuracy_read"].n, found["discarded"].n) == (2, 2, 3)
