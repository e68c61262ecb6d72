"""What decides a claim: comparisons of single models or of all together, adjusted, and their trends."""

from collections.abc import Sequence

import pytest
from scipy.stats import norm

from subitize.analysis.claims import (
    Contrast,
    ModelContrast,
    Position,
    Verdict,
    adjust,
    all_drop,
    compare_drops,
    decide,
    most_drop,
    pair,
    subtract,
)
from subitize.records import Estimate
from subitize.stats.estimate import wilson_interval

TRENDS = {
    "drop": (0.3, 0.2, 0.4, 0.001),
    "rise": (-0.3, -0.4, -0.2, 0.001),
    "none": (0.0, -0.04, 0.04, 0.9),
    "open": (0.1, -0.1, 0.3, 0.4),
}


def compared(trend: str) -> Contrast:
    value, low, high, p = TRENDS[trend]
    return Contrast("a − b", "model", Estimate(value, low, high, 20, ""), p, p, 20)


@pytest.mark.parametrize("trend", TRENDS)
def test_a_trend_is_told_from_the_interval_and_the_adjusted_p(trend: str) -> None:
    assert compared(trend).trend == trend


@pytest.mark.parametrize(
    ("trends", "of_all", "of_most"),
    [
        (["drop", "drop", "drop"], "holds", "holds"),
        (["drop", "drop", "open"], "undecided", "holds"),
        (["drop", "drop", "none"], "does not hold", "holds"),
        (["drop", "open"], "undecided", "undecided"),
        (["drop", "rise"], "does not hold", "does not hold"),
        (["none", "none", "drop"], "does not hold", "does not hold"),
        (["open"], "undecided", "undecided"),
    ],
)
def test_claims_of_all_and_of_most_models_are_decided_by_their_trends(
    trends: Sequence[str], of_all: Verdict, of_most: Verdict
) -> None:
    comparisons = [compared(trend) for trend in trends]
    assert (all_drop(comparisons), most_drop(comparisons)) == (of_all, of_most)


def test_a_difference_is_over_the_names_that_both_have() -> None:
    found = pair({"a": 1.0, "b": 0.5, "c": 0.0}, {"a": 0.25, "c": 0.5, "d": 1.0})
    assert found is not None
    assert found.difference.value == pytest.approx((0.75 - 0.5) / 2)
    assert found.difference.n == 2
    assert pair({"a": 1.0}, {"b": 1.0}) is None


def test_what_fails_does_not_hold() -> None:
    assert decide(holds=True, fails=True) == "does not hold"


def test_models_are_adjusted_apart_from_all_together() -> None:
    estimate = Estimate(0.1, 0.0, 0.2, 9, "")
    found = adjust(
        {
            ("a", "x"): ModelContrast(estimate, 0.01),
            ("a", "y"): ModelContrast(estimate, 0.04),
            ("a", None): ModelContrast(estimate, 0.03),
        }
    )
    assert [(one.model, one.is_pooled, one.p_holm) for one in found] == [
        ("x", False, 0.02),
        ("y", False, 0.04),
        ("all models", True, 0.03),
    ]


def test_figures_of_other_prompts_are_subtracted_with_the_p_of_their_interval() -> None:
    found = subtract(wilson_interval(700, 1000), wilson_interval(650, 1000))
    error = (0.7 * 0.3 / 1000 + 0.65 * 0.35 / 1000) ** 0.5
    assert found.difference.value == pytest.approx(0.05)
    assert found.p == pytest.approx(2 * norm.sf(0.05 / error), abs=0.002)


def test_names_of_one_cluster_count_as_one() -> None:
    names = [f"{noun}/{number}" for noun in range(12) for number in range(4)]
    before = {"model": {name: 0.9 - 0.01 * place for place, name in enumerate(names)}}
    after = {"model": dict.fromkeys(names, 0.5)}
    places = {name: Position(0, int(name.partition("/")[0])) for name in names}
    (apart,), (together,) = (
        compare_drops([("a", before, "b", after)]),
        compare_drops([("a", before, "b", after)], places),
    )
    assert apart.difference.value == pytest.approx(together.difference.value)
    assert "48 clusters" in apart.difference.method
    assert "12 clusters" in together.difference.method
    assert together.difference.high - together.difference.low > apart.difference.high - apart.difference.low
