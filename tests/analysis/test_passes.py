"""pass@k by model and condition: means over items, and what is left out is counted."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import PassRate, PromptResult, gather_attempts, rate_passes, score
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.frame import NO_JUDGE
from subitize.records import Ask, Count, Draw, Item, MatchesPrompt
from subitize.stats.response_law import Slips
from subitize.store import Folder, Run
from tests.commands import call
from tests.models.painter_laws import painter_law

ASKS = (Ask(Count("apple"), "How many?", (3,)), Ask(MatchesPrompt(), "One of them?", (True,), group=4))


def attempt(
    place: int, right: int, images: int = 4, *, model: str = "painter", category: str = "fruit"
) -> PromptResult:
    item = Item(f"fruit/{category}/{place}", Draw("3 apples"), ASKS, {"category": category, "number": place})
    return PromptResult(item, model, "observer", images, right)


def voted(place: int, *votes: bool) -> PromptResult:
    return PromptResult(attempt(place, 0).item, "painter", "human", 0, 0, (), votes, 4 if votes else 0)


def by_k(passes: list[PassRate]) -> dict[int, PassRate]:
    return {one.k: one for one in passes}


def test_the_mean_is_over_items_for_every_k() -> None:
    found = by_k(rate_passes([attempt(1, 4), attempt(2, 1), attempt(3, 0)]))
    assert [found[k].estimate.value for k in (1, 2, 3, 4)] == pytest.approx([5 / 12, 1 / 2, 7 / 12, 2 / 3])
    assert {one.estimate.n for one in found.values()} == {3}
    assert {one.images for one in found.values()} == {12}
    assert not any(one.is_voted or one.is_informed or one.left_out for one in found.values())


def test_items_with_fewer_images_are_left_out_and_counted() -> None:
    found = by_k(rate_passes([attempt(1, 4), attempt(2, 1, images=2), attempt(3, 0, images=1)]))
    assert {k: (one.estimate.n, one.left_out, one.images) for k, one in found.items()} == {
        1: (3, 0, 7),
        2: (2, 1, 6),
        3: (1, 2, 4),
        4: (1, 2, 4),
    }


def test_votes_are_pass_at_the_size_of_their_group_and_informed() -> None:
    (found,) = rate_passes([voted(1, True), voted(2, False), voted(3, True, False), voted(4)])
    assert (found.k, found.estimate.value, found.estimate.n, found.images) == (4, 0.5, 3, 16)
    assert (found.is_voted, found.is_informed, found.undecided, found.left_out) == (True, True, 1, 0)


def test_refusals_that_no_judge_saw_are_neither_voted_nor_informed() -> None:
    passes = rate_passes([replace(attempt(1, 0), judge=NO_JUDGE)])
    assert [(one.k, one.estimate.value, one.is_voted, one.is_informed) for one in passes] == [
        (k, 0, False, False) for k in (1, 2, 3, 4)
    ]


def test_groups_come_by_factor_in_order_and_numbers_by_size() -> None:
    passes = rate_passes([attempt(10, 1), attempt(9, 2, category="cats"), attempt(9, 2)], ["category", "number"])
    assert [(one.factor, one.group) for one in passes if one.k == 1] == [
        ("all", "all"),
        ("category", "cats"),
        ("category", "fruit"),
        ("number", "9"),
        ("number", "10"),
    ]


def test_models_are_kept_apart() -> None:
    passes = rate_passes([attempt(1, 4), attempt(1, 0, model="other")])
    assert {one.model: one.estimate.value for one in passes if one.k == 1} == {"painter": 1.0, "other": 0.0}


def test_a_factor_that_no_item_has_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no factor named 'colour'; known: category, number"):
        rate_passes([attempt(1, 1)], ["colour"])


@pytest.mark.parametrize("attempts", [[], [voted(1)]], ids=["nothing", "a tie"])
def test_nothing_judged_is_said(attempts: list[PromptResult]) -> None:
    with pytest.raises(NothingToDoError, match="has a value yet; first: subitize judge"):
        rate_passes(attempts)


@pytest.mark.slow
def test_pass_at_1_is_the_score_with_the_same_interval(tmp_path: Path) -> None:
    """Also where images were refused or unusable, where two items have one prompt, and where some have fewer images."""
    run = tmp_path / "run"
    suite = "production:numbers=1-5,categories=apples+dots"
    assert call("run", suite, "--model", "painter:weber=0.3,size_px=128", "--repeats", 4, "--out", run).code == 0
    with Run(Folder(run)) as opened:
        observed = observe_run(opened, ReadOptions())
    place = pl.int_range(pl.len())
    status = pl.when(place % 7 == 3).then(pl.lit("refused")).when(place % 5 == 1).then(pl.lit("discarded"))
    is_spoilt = pl.col("status") != "eligible"
    spoilt = observed.rows.with_columns(status=status.otherwise("status")).with_columns(
        pl.when(is_spoilt).then(None).otherwise(pl.col("value", "value_text")).name.keep(),
        is_right=pl.col("is_right") & ~is_spoilt,
    )
    assert spoilt["status"].unique().sort().to_list() == ["discarded", "eligible", "refused"]
    same = {id: replace(item, task=Draw(str(item.factors["number"]))) for id, item in observed.items.items()}
    fewer = spoilt.filter((pl.col("repeat") < 2) | (pl.col("item").str.contains("apples")))
    assert fewer.group_by("item").len()["len"].n_unique() == 2
    for rows, items in ((observed.rows, observed.items), (spoilt, observed.items), (spoilt, same), (fewer, same)):
        seen = replace(observed, rows=rows, items=items)
        scores = {one.group: one.estimate for one in score(seen, ["number"]) if one.measure == "accuracy"}
        rates = {one.group: one.estimate for one in rate_passes(gather_attempts(seen), ["number"]) if one.k == 1}
        assert len(scores) == 6
        assert rates.keys() == scores.keys()
        for group, rate in rates.items():
            wanted = scores[group]
            assert (rate.value, rate.low, rate.high) == pytest.approx(
                (wanted.value, wanted.low, wanted.high), abs=1e-12
            )
            assert (rate.method, rate.caution) == (wanted.method, wanted.caution)


def test_numbers_that_the_design_fixes_do_not_widen_the_interval() -> None:
    """Small numbers are all right and large ones all wrong: what other prompts would give varies little."""
    made = [replace(attempt(place, 4 if place <= 5 else 0), stratum=(place,)) for place in range(1, 11) for _ in "abc"]
    made = [replace(one, item=replace(one.item, task=Draw(f"{at} apples"))) for at, one in enumerate(made)]
    fixed, sampled = (
        by_k(rate_passes(these))[1].estimate for these in (made, [replace(one, stratum=()) for one in made])
    )
    assert fixed.value == sampled.value == 0.5
    assert fixed.high - fixed.low < 0.5 * (sampled.high - sampled.low)


PROOF = pytest.mark.proof("subitize.analysis.score", "subitize.stats.estimate", "subitize.models.stand_ins")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "size_px"),
    [
        ("production:numbers=2-6,categories=apples", 128),
        pytest.param("production:numbers=2-6", 1024, marks=PROOF),
        pytest.param("t2icountbench:numbers=2-6,objects=apple+cat", 1024, marks=PROOF),
    ],
)
def test_the_interval_covers_what_a_painter_of_known_law_does(suite: str, size_px: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    model = f"painter:weber=0.25,size_px={size_px}"
    assert call("run", suite, "--model", model, "--repeats", 4, "--out", run).code == 0
    rows = call("score", run, "--pass-at-k", "--by", "number", "--json").json()
    law = {number: float(painter_law(number, Slips(weber=0.25))[number]) for number in range(2, 7)}
    for row in rows:
        shares = np.array([law[int(row["group"])]] if row["factor"] == "number" else list(law.values()))
        expected = float(np.mean(1 - (1 - shares) ** row["k"]))
        assert row["low"] <= expected <= row["high"], row
    assert {row["k"] for row in rows} == {1, 2, 3, 4}


def test_the_command_prints_a_sensible_set_of_k_and_json_has_all(tmp_path: Path) -> None:
    run = tmp_path / "run"
    suite = "production:numbers=2,categories=apples"
    assert call("run", suite, "--model", "painter:size_px=128", "--repeats", 12, "--out", run).code == 0
    printed = call("score", run, "--pass-at-k")
    heads = [word for word in printed.out.split() if word.startswith("pass@") and word[5:].isdecimal()]
    assert heads[:7] == ["pass@1", "pass@2", "pass@3", "pass@4", "pass@5", "pass@10", "pass@12"]
    rows = call("score", run, "--pass-at-k", "--json").json()
    assert [row["k"] for row in rows] == list(range(1, 13))
    assert all(row["is_stand_in"] for row in rows)
