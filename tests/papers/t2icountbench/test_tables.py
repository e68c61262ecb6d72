"""T2ICountBench's tables from attempts are those that polars makes of the same attempts."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from subitize.analysis.claims import Claim, Contrast
from subitize.analysis.score import LeftOutResults, PromptResult, rate_passes
from subitize.papers.t2icountbench.beyond import drawn_numbers, thresholds_at_half
from subitize.papers.t2icountbench.claims import claims, claims_of, falls_with_number, low_and_unequal, ranks_change
from subitize.papers.t2icountbench.tables import (
    Attempts,
    PaperTables,
    PromptShare,
    TableCell,
    average_categories,
    averages,
    by_difficulty,
    by_scene,
    by_style,
    list_warnings,
    rank_among_published,
    show_tables,
    table_2,
    table_3,
)
from subitize.records import Estimate, Item
from subitize.report.claims import tell
from subitize.report.texts import estimate_text
from subitize.stats.ratings import count_ratings
from tests.papers.t2icountbench.attempts import RateOf, attempt_all, design

SKILLS = {"good": 0.5, "fair": 0.3, "poor": 0.12}


def difficulty(item: Item) -> float:
    return {"easy": 1.0, "medium": 0.3, "hard": 0.02}[str(item.factors["difficulty"])]


def always(share: float) -> RateOf:
    return lambda _: share


@pytest.fixture(scope="module")
def attempts() -> list[PromptResult]:
    made: list[PromptResult] = []
    for seed, (model, skill) in enumerate(SKILLS.items()):

        def rate(item: Item, skill: float = skill) -> float:
            cost = 0.3 if item.factors["scene"] == "city" else 0.6 if item.factors["scene"] == "nature" else 1.0
            return skill * cost * difficulty(item)

        made += attempt_all(model, design(), rate, seed=seed)

        def refined(item: Item, rate: RateOf = rate) -> float:
            return rate(item) / 4

        made += attempt_all(model, design("grid"), refined, seed=seed + 10)
    return made


@pytest.fixture(scope="module")
def observed(attempts: list[PromptResult]) -> dict[str, Claim]:
    return {one.id: one for one in claims(Attempts(attempts))}


@pytest.fixture(scope="module")
def frame(attempts: list[PromptResult]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"model": a.model, "suite": a.item.suite, "right": a.right / 4, "success": float(a.right > 0)}
            | {name: a.item.factors[name] for name in ("category", "scene", "style", "difficulty", "number")}
            for a in attempts
        ]
    )


def mean_of_categories(rows: pl.DataFrame, column: str = "success") -> float:
    found = rows.group_by("category").agg(pl.col(column).mean())[column].mean()
    assert isinstance(found, float)
    return found


def ours(cells: list[TableCell]) -> dict[tuple[str, str], TableCell]:
    return {(cell.row, cell.column): cell for cell in cells if not cell.is_published}


def value(cell: TableCell) -> Estimate:
    assert isinstance(cell.value, Estimate)
    return cell.value


@pytest.mark.parametrize(
    ("figure", "factor", "fixed"),
    [(by_difficulty, "difficulty", None), (by_style, "style", "scene"), (by_scene, "scene", "style")],
)
def test_figures_are_means_of_categories(
    attempts: list[PromptResult],
    frame: pl.DataFrame,
    figure: Callable[[Attempts], list[TableCell]],
    factor: str,
    fixed: str | None,
) -> None:
    rows = frame.filter(suite="t2icountbench")
    rows = rows.filter(pl.col(fixed).is_in(["home", "plain"])) if fixed else rows
    cells = ours(figure(Attempts(attempts)))
    assert len(cells) == 9
    for (model, level), cell in cells.items():
        own = rows.filter(pl.col("model") == model, pl.col(factor) == level)
        assert value(cell).value == pytest.approx(mean_of_categories(own))
        assert value(cell).n == own.height
        assert cell.per_image is not None
        assert cell.per_image.value == pytest.approx(mean_of_categories(own, "right"))
        assert value(cell).low <= value(cell).value <= value(cell).high


def test_table_2_averages_six_categories_and_stands_among_the_papers_rows(
    attempts: list[PromptResult], frame: pl.DataFrame
) -> None:
    cells = table_2(Attempts(attempts))
    for model in SKILLS:
        own = frame.filter(pl.col("model") == model, pl.col("suite") == "t2icountbench")
        mine = ours(cells)
        assert value(mine[model, "average"]).value == pytest.approx(mean_of_categories(own))
        fruit = own.filter(category="fruit")
        assert value(mine[model, "fruit"]).n == 150
        assert value(mine[model, "fruit"]).value == pytest.approx(fruit["success"].mean())
    shown = [
        cell.value if isinstance(cell.value, str) else cell.value.value for cell in cells if cell.column == "average"
    ]
    assert [float(one) for one in shown] == sorted(float(one) for one in shown)
    assert len(shown) == 18


def test_figure_5_averages_models(attempts: list[PromptResult], frame: pl.DataFrame) -> None:
    cells = ours(averages(Attempts(attempts)))
    city = frame.filter(suite="t2icountbench", scene="city", style="plain")
    found = value(cells["3 models here", "city"])
    assert found.value == pytest.approx(mean_of_categories(city))
    assert found.n == 105
    assert {column for _, column in cells} == {"home", "nature", "city", "plain", "watercolor", "cartoon"}


def test_figure_5_leaves_out_what_not_all_models_were_given() -> None:
    """The second model has nothing in the city, and at home only 1 to 5: it must not be averaged with others' rest."""
    first = attempt_all("first", design(), lambda _: 1.0)
    second = [
        one
        for one in attempt_all("second", design(), lambda _: 0.0)
        if one.item.factors["scene"] == "home" and one.item.factors["difficulty"] == "easy"
    ]
    cells = ours(averages(Attempts([*first, *second])))
    assert {column for _, column in cells} == {"home", "plain", "watercolor", "cartoon"}
    home = value(cells["2 models here", "home"])
    assert (home.value, home.n) == (0.5, 35)
    image = cells["2 models here", "home"].per_image
    assert image is not None
    assert (image.value, image.n) == (0.5, 35)


def test_a_cell_of_a_category_is_its_pass_at_4_of_eight_images() -> None:
    made = attempt_all("one", design(), lambda _: 0.1, images=8)
    cells = ours(table_2(Attempts(made)))
    for rate in rate_passes(made, ["category"]):
        if rate.factor == "category" and rate.k == 4:
            assert value(cells["one", rate.group]) == rate.estimate
        if rate.factor == "category" and rate.k == 1:
            assert cells["one", rate.group].per_image == rate.estimate


def _prompts(sizes: Sequence[int], right: Sequence[int]) -> list[PromptShare]:
    return [
        PromptShare(f"{category} {place}", category, (), float(place < count))
        for category, (size, count) in enumerate(zip(sizes, right, strict=True))
        for place in range(size)
    ]


def test_categories_weigh_the_same_however_large() -> None:
    found = average_categories(_prompts((100, 20), (10, 10)))
    assert (found.value, found.n) == pytest.approx((0.3, 120))
    assert found.method.startswith("mean of 2 categories, Wilson interval over 120 clusters in 2 strata")


def test_categories_that_differ_do_not_widen_the_interval_of_their_mean() -> None:
    apart, alike = (average_categories(_prompts((50,) * 6, right)) for right in ((1, 49) * 3, (25,) * 6))
    assert apart.value == alike.value == pytest.approx(0.5)
    assert apart.high - apart.low < 0.4 * (alike.high - alike.low)


PROOF = pytest.mark.proof("subitize.papers.t2icountbench.tables", "subitize.stats.estimate")


@pytest.mark.slow
@pytest.mark.parametrize("runs", [100, pytest.param(1000, marks=PROOF)])
@pytest.mark.parametrize(
    "rates",
    [(0.2, 0.3, 0.5, 0.6, 0.1, 0.4), (0.02, 0.98, 0.02, 0.98, 0.02, 0.98), (0.99,) * 6],
    ids=["mixed", "extreme", "nearly all"],
)
def test_the_interval_of_a_mean_of_categories_covers_the_truth(rates: tuple[float, ...], runs: int) -> None:
    random, inside = np.random.default_rng(3), 0
    for _ in range(runs):
        found = average_categories(_prompts((75,) * 6, random.binomial(75, rates).tolist()))
        inside += found.low <= sum(rates) / len(rates) <= found.high
    assert inside >= 0.93 * runs


def test_a_cell_of_few_prompts_says_so_at_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    made = attempt_all("one", design(numbers=(1, 2), objects=("apple", "cat")), lambda _: 0.5)
    found = PaperTables("observer", 4, [], table_2(Attempts(made)), [], [], None)
    assert all(value(cell).caution for cell in ours(found.cells).values())
    print(show_tables(found))
    printed = capsys.readouterr().out
    assert "! too little to rely on: " in printed


@pytest.mark.slow
def test_fallbacks_are_counted_as_prompts_of_the_cell() -> None:
    made = attempt_all("one", design(), lambda _: 0.5)
    for seed, name in enumerate(("grid", "additive"), 1):
        made += attempt_all("one", design(name), lambda _: 0.3, seed=seed)
    cells = ours([cell for cell in table_3(Attempts(made)) if cell.table == "table3"])
    assert {column: cell.fallbacks for (_, column), cell in cells.items()} == {
        "original": 0,
        "grid": 7,
        "additive": 7,
        "average": 7,
    }
    few = [replace(one, images=3, right=0) if one.item.factors["object"] == "cat" else one for one in made]
    assert ours([cell for cell in table_3(Attempts(few)) if cell.table == "table3"])["one", "grid"].fallbacks == 6
    sentence = next(one for one in claims(Attempts([*made, *_renamed(made)])) if one.id == "5.1").sentence
    assert "7 prompts could not be refined" in sentence


def _renamed(made: Sequence[PromptResult]) -> list[PromptResult]:
    return [replace(one, model="two") for one in made]


def test_table_3_is_of_home_and_plain_with_and_without_fallbacks(
    attempts: list[PromptResult], frame: pl.DataFrame
) -> None:
    cells = {(cell.table, cell.row, cell.column): cell for cell in table_3(Attempts(attempts)) if not cell.is_published}
    there = frame.filter(scene="home", style="plain", model="good")
    for suite, column in (("t2icountbench", "original"), ("t2icountbench~grid", "grid")):
        found = cells["table3", "good", column]
        assert value(found).value == pytest.approx(mean_of_categories(there.filter(suite=suite)))
    assert cells["table3", "good", "grid"].fallbacks == 7
    applied = there.filter(pl.col("suite") == "t2icountbench~grid", pl.col("number") > 1)
    assert value(cells["table3_applied", "good", "grid"]).value == pytest.approx(mean_of_categories(applied))
    mean = (value(cells["table3", "good", "original"]).value + value(cells["table3", "good", "grid"]).value) / 2
    assert value(cells["table3", "good", "average"]).value == pytest.approx(mean)


def test_a_model_is_placed_by_its_average_and_the_ends_of_its_interval(attempts: list[PromptResult]) -> None:
    found = {one.model: one for one in rank_among_published(Attempts(attempts))}
    assert found["poor"].rank == 16
    assert all(one.best <= one.rank <= one.worst <= 16 for one in found.values())


def test_a_model_without_a_category_is_not_placed_and_what_is_missing_is_named() -> None:
    made = attempt_all("one", design(numbers=range(1, 11), objects=["cat", "human"]), lambda _: 0.5)
    some = [one for one in made if one.item.factors["scene"] != "city"]
    assert rank_among_published(Attempts(some)) == []
    told = list_warnings(Attempts(some))
    assert "one: not placed among the fifteen, as it has nothing of fruit, shape, furniture, plant" in told
    assert "one: its average has nothing of hard, city plain" in told


def test_refined_prompts_that_are_missing_are_counted_by_model_and_refinement() -> None:
    made = attempt_all("one", design(), lambda _: 0.5)
    refined = attempt_all("one", design("grid"), lambda _: 0.5)
    assert len(list_warnings(Attempts([*made, *refined]))) == 1
    told = list_warnings(Attempts([*made, *(one for one in refined if one.item.factors["object"] == "cat")]))
    assert any(text.startswith("one: 90 of 105 prompts at home in plain style were judged") for text in told)


def test_ties_and_exclusions_are_counted_and_are_not_missing() -> None:
    made = attempt_all("one", design(), lambda _: 0.5)
    ids = [one.item.id for one in made]
    omissions = LeftOutResults(frozenset({("one", ids[0]), ("one", ids[1])}), frozenset({("one", ids[2])}))
    told = list_warnings(Attempts(made[3:], omissions=omissions))[1:]
    assert told == [
        "1 prompt is excluded by hand",
        "one: 2 prompts are undecided: votes are tied, or no answer has a value",
    ]


@pytest.mark.slow
def test_observations_hold_of_models_that_are_made_so(observed: dict[str, Claim]) -> None:
    verdicts = {id: one.verdict for id, one in observed.items()}
    assert verdicts["4.1"] == verdicts["4.2"] == verdicts["5.1"] == verdicts["C.1"] == verdicts["C.3"] == "holds"
    assert verdicts["C.2"] == "does not hold"
    easy = next(one for one in observed["4.2"].comparisons if one.model == "good")
    assert (easy.label, easy.n) == ("easy − medium", 35)
    assert all(one.p <= one.p_holm <= 1 for statement in observed.values() for one in statement.comparisons)


@pytest.mark.slow
def test_where_scenes_and_refinements_change_nothing_observations_do_not_hold() -> None:
    made: list[PromptResult] = []
    for seed in range(4):
        own = attempt_all(f"model {seed}", design(), lambda _: 0.3, seed=seed)
        again = attempt_all(f"model {seed}", design("grid"), lambda _: 0.3, seed=seed + 50)
        made += [*own, *again]
    found = {one.id: one for one in claims(Attempts(made))}
    assert "holds" not in {one.verdict for one in found.values()}
    assert "chance alone makes W less than 1" in found["C.2"].sentence


@pytest.mark.slow
def test_it_is_said_where_a_claim_fails_by_a_margin_only() -> None:
    made = [one for seed in range(3) for one in attempt_all(f"model {seed}", design(), lambda _: 0.002, seed=seed)]
    found = {one.id: one for one in claims(Attempts(made))}
    for id in ("4.2", "C.1", "C.3"):
        assert found[id].verdict == "does not hold"
        assert "surely smaller than 0.05 is taken for none, a margin of ours" in found[id].sentence
    assert "margin" not in found["5.1"].sentence


@pytest.mark.parametrize("seed", range(3))
def test_models_of_one_order_that_are_close_do_not_change_their_ranks(seed: int) -> None:
    made: list[PromptResult] = []
    for index in range(6):
        made += attempt_all(f"model {index}", _plain(), always(0.1 + index / 200), seed=9 * seed + index)
    assert ranks_change(Attempts(made)).verdict != "holds"


def test_models_whose_order_is_turned_around_in_a_scene_change_their_ranks() -> None:
    made: list[PromptResult] = []
    for index in range(6):

        def rate(item: Item, index: int = index) -> float:
            rank = {"home": index, "nature": 5 - index, "city": (2 * index) % 5}[str(item.factors["scene"])]
            return 0.02 + rank / 12

        made += attempt_all(f"model {index}", _plain(), rate, seed=index)
    found = ranks_change(Attempts(made))
    assert found.verdict == "holds"
    assert "p < 0.001 (2000 permutations" in found.sentence


def _plain() -> list[Item]:
    return [item for item in design() if item.factors["style"] == "plain"]


@pytest.mark.slow
@pytest.mark.parametrize(("models", "able"), [(15, 3), (5, 1)])
def test_nearly_all_are_four_fifths_exactly(models: int, able: int) -> None:
    made: list[PromptResult] = []
    items = [item for item in design() if item.factors["scene"] == "home"]
    for index in range(models):
        hard = 0.25 if index < able else 0.0

        def rate(item: Item, hard: float = hard) -> float:
            return {"easy": 0.9, "medium": 0.35, "hard": hard}[str(item.factors["difficulty"])]

        made += attempt_all(f"model {index}", items, rate, seed=index)
    found = falls_with_number(Attempts(made))
    assert found.verdict == "holds"
    assert f"{models - able} with the whole interval" in found.sentence
    more = attempt_all("one more", items, lambda item: 0.3 if item.factors["difficulty"] == "hard" else 0.9, seed=99)
    assert falls_with_number(Attempts([*made, *more])).verdict == "does not hold"


@pytest.mark.parametrize(
    ("numbers", "objects", "images", "what"),
    [
        (range(1, 6), (), 4, "medium, hard"),
        (range(1, 16), ("cat", "apple"), 4, "human, shape, furniture, plant"),
        (range(1, 16), (), 2, "the success of 4 images"),
    ],
    ids=["easy numbers only", "two objects", "two images"],
)
def test_of_a_part_of_the_design_nothing_is_said_about_the_whole(
    numbers: Sequence[int], objects: Sequence[str], images: int, what: str
) -> None:
    made: list[PromptResult] = []
    for seed, skill in enumerate((0.9, 0.02)):
        own = design(numbers=numbers, objects=objects)
        made += attempt_all(f"model {seed}", own, always(skill), seed=seed, images=images)
    found = low_and_unequal(Attempts(made))
    assert found.verdict == "undecided"
    assert f"there is nothing of {what}" in found.sentence
    assert found.sentence.startswith(f"success of {images}: ")
    assert low_and_unequal(Attempts(made[: len(made) // 2])).verdict == "undecided"


@pytest.mark.slow
def test_intervals_of_every_one_of_many_models_are_wider() -> None:
    made = [one for place in range(10) for one in attempt_all(f"model {place}", design(), lambda _: 0.14, seed=place)]
    alone = [low_and_unequal(Attempts([one for one in made if one.model == f"model {place}"])) for place in range(10)]
    together = low_and_unequal(Attempts(made))
    said = sum(int(one.sentence.split(" of 1 model")[0].removeprefix("success of 4: ")) for one in alone)
    assert "99.5 %, which is 95 % for 10 models together" in together.sentence
    assert int(together.sentence.removeprefix("success of 4: ").split(" of ")[0]) < said


def test_comparisons_of_all_models_and_of_single_ones_are_adjusted_by_themselves(
    observed: dict[str, Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage at every call
    found = observed["C.1"].comparisons
    for is_pooled in (True, False):
        own = [one for one in found if one.is_pooled is is_pooled]
        expected = multipletests([one.p for one in own], method="holm")[1]
        assert [one.p_holm for one in own] == pytest.approx(expected)
    assert sum(one.is_pooled for one in found) == 2


@pytest.mark.slow
def test_a_model_named_all_models_is_one_of_them(attempts: list[PromptResult], observed: dict[str, Claim]) -> None:
    renamed = [replace(one, model="all models") if one.model == "good" else one for one in attempts]
    ours, theirs = next(one for one in claims(Attempts(renamed)) if one.id == "C.1"), observed["C.1"]
    assert ours.sentence == theirs.sentence
    assert len(ours.comparisons) == len(theirs.comparisons)


def test_small_numbers_are_written_without_a_minus_and_others_with_a_true_one() -> None:
    assert estimate_text(Estimate(-0.0001, -0.25, 0.1, 3, "")) == "0.000 [−0.250, 0.100]"
    one = Contrast("a − b", "", Estimate(0.5, 0.2, 0.7, 1, ""), 1.0, 1.0, 1)
    assert tell(one).endswith("1 pair")


def test_one_model_and_little_data_leave_it_undecided_and_say_why() -> None:
    made = attempt_all("one", design(numbers=[2], objects=["cat"]), lambda _: 0.2)
    for one in claims(Attempts(made)):
        assert one.verdict == "undecided"
        assert one.sentence
    found = {one.id: one for one in claims(Attempts(made))}
    assert "3 models" in found["C.2"].sentence


def test_annotators_votes_give_kappa() -> None:
    votes = count_ratings(np.repeat(np.arange(40), 5), np.tile([1.0, 1, 1, 1, 0, 0, 0, 0, 0, 1], 20))
    assert "over 40 groups" in claims_of.evaluate("κ", votes).sentence


def test_warnings_name_judges_missing_prompts_and_fewer_images() -> None:
    made = attempt_all("one", design(numbers=[2, 20]), lambda _: 0.5, images=1)
    text = "\n".join(list_warnings(Attempts(made)))
    for part in (
        "judges differ",
        "observer",
        "1 image, not of 4",
        "35 prompts are not of the published design",
        "490 of",
    ):
        assert part in text
    assert Attempts(made).k == 1
    whole = attempt_all("one", design(), lambda _: 0.5)
    assert len(list_warnings(Attempts(whole))) == 1
    broken = [replace(whole[0], images=3, right=0), *whole[1:]]
    assert "1 of 525 prompts have fewer than 4" in list_warnings(Attempts(broken))[-1]
    assert "1 of 525 prompts have fewer than 4" in list_warnings(Attempts([*broken, *_renamed(broken)]))[-1]


def test_own_objects_and_numbers_have_tables_too() -> None:
    made = attempt_all("one", design(numbers=[2, 30], objects=["cat", "spoon"]), lambda _: 0.5)
    assert {column for _, column in ours(table_2(Attempts(made)))} == {"animal", "own", "average"}
    assert {column for _, column in ours(by_difficulty(Attempts(made)))} == {"easy", "beyond"}
    assert table_3(Attempts(made)) == []


def test_drawn_numbers_tell_too_many_from_too_few() -> None:
    made = attempt_all("one", design(), lambda _: 0.5)
    found = drawn_numbers(made)
    assert [one.number for one in found] == list(range(1, 16))
    for one in found:
        assert one.error.low <= 0.5 <= one.error.high or abs(one.error.value - 0.5) < 0.2
        assert (one.prompts, one.error.n) == (35, 140)
        assert one.spread is not None
        assert one.spread.value == pytest.approx(0.5, abs=0.05)


def test_half_points_of_success_lie_above_those_of_single_images() -> None:
    made = attempt_all("one", design(), lambda item: 1 - int(item.factors["number"]) / 15)
    success, accuracy = thresholds_at_half(made)
    assert (success.measure, success.k, accuracy.measure, accuracy.k) == ("success", 4, "accuracy", 1)
    assert accuracy.crossing.number in (7, 8, 9)
    assert success.crossing.number in (12, 13, 14)


def test_votes_on_groups_suffice() -> None:
    made = attempt_all("one", design(), lambda _: 0.3)
    voted = [replace(one, images=0, right=0, numbers=(), votes=(one.right > 0,), group=4) for one in made]
    cells, plain = ours(table_2(Attempts(voted))), ours(table_2(Attempts(made)))
    assert {key: value(cell) for key, cell in cells.items()} == {key: value(cell) for key, cell in plain.items()}
    assert all(cell.per_image is None for cell in cells.values())
    assert drawn_numbers(voted) == []
