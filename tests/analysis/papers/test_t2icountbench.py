"""T2ICountBench's tables from attempts are those that polars makes of the same attempts."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from subitize.analysis.attempts import Attempt
from subitize.analysis.papers.t2icountbench import (
    TableCell,
    averages,
    by_difficulty,
    by_scene,
    by_style,
    choose_k,
    list_warnings,
    place,
    table_2,
    table_3,
)
from subitize.analysis.papers.t2icountbench_beyond import drawn_numbers, half_points
from subitize.analysis.papers.t2icountbench_observations import observe
from subitize.records import Estimate, Item
from subitize.stats.ratings import tally
from t2icountbench_attempts import Rate, attempt_all, design

SKILLS = {"good": 0.5, "fair": 0.3, "poor": 0.12}


def difficulty(item: Item) -> float:
    return {"easy": 1.0, "medium": 0.3, "hard": 0.02}[str(item.factors["difficulty"])]


@pytest.fixture(scope="module")
def attempts() -> list[Attempt]:
    made: list[Attempt] = []
    for seed, (model, skill) in enumerate(SKILLS.items()):

        def rate(item: Item, skill: float = skill) -> float:
            cost = 0.3 if item.factors["scene"] == "city" else 0.6 if item.factors["scene"] == "nature" else 1.0
            return skill * cost * difficulty(item)

        made += attempt_all(model, design(), rate, seed=seed)

        def refined(item: Item, rate: Rate = rate) -> float:
            return rate(item) / 4

        made += attempt_all(model, design("grid"), refined, seed=seed + 10)
    return made


@pytest.fixture(scope="module")
def frame(attempts: list[Attempt]) -> pl.DataFrame:
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
    attempts: list[Attempt],
    frame: pl.DataFrame,
    figure: Callable[[Sequence[Attempt]], list[TableCell]],
    factor: str,
    fixed: str | None,
) -> None:
    rows = frame.filter(suite="t2icountbench")
    rows = rows.filter(pl.col(fixed).is_in(["home", "plain"])) if fixed else rows
    cells = ours(figure(attempts))
    assert len(cells) == 9
    for (model, level), cell in cells.items():
        own = rows.filter(pl.col("model") == model, pl.col(factor) == level)
        assert value(cell).value == pytest.approx(mean_of_categories(own))
        assert value(cell).n == own.height
        assert cell.per_image is not None
        assert cell.per_image.value == pytest.approx(mean_of_categories(own, "right"))
        assert value(cell).low <= value(cell).value <= value(cell).high


def test_table_2_averages_six_categories_and_stands_among_the_papers_rows(
    attempts: list[Attempt], frame: pl.DataFrame
) -> None:
    cells = table_2(attempts)
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


def test_figure_5_averages_models(attempts: list[Attempt], frame: pl.DataFrame) -> None:
    cells = ours(averages(attempts))
    city = frame.filter(suite="t2icountbench", scene="city", style="plain")
    found = value(cells["3 models here", "city"])
    assert found.value == pytest.approx(mean_of_categories(city))
    assert found.n == 105
    assert {column for _, column in cells} == {"home", "nature", "city", "plain", "watercolor", "cartoon"}


def test_table_3_is_of_home_and_plain_with_and_without_fallbacks(attempts: list[Attempt], frame: pl.DataFrame) -> None:
    cells = {(cell.table, cell.row, cell.column): cell for cell in table_3(attempts) if not cell.is_published}
    there = frame.filter(scene="home", style="plain", model="good")
    for suite, column in (("t2icountbench", "original"), ("t2icountbench~grid", "grid")):
        found = cells["table3", "good", column]
        assert value(found).value == pytest.approx(mean_of_categories(there.filter(suite=suite)))
    assert cells["table3", "good", "grid"].fallbacks == 7
    applied = there.filter(pl.col("suite") == "t2icountbench~grid", pl.col("number") > 1)
    assert value(cells["table3_applied", "good", "grid"]).value == pytest.approx(mean_of_categories(applied))
    mean = (value(cells["table3", "good", "original"]).value + value(cells["table3", "good", "grid"]).value) / 2
    assert value(cells["table3", "good", "average"]).value == pytest.approx(mean)


def test_a_model_is_placed_by_its_average_and_the_ends_of_its_interval(attempts: list[Attempt]) -> None:
    found = {one.model: one for one in place(attempts)}
    assert found["poor"].rank == 16
    assert all(one.best <= one.rank <= one.worst <= 16 for one in found.values())


def test_observations_hold_of_models_that_are_made_so(attempts: list[Attempt]) -> None:
    found = {one.id: one for one in observe(attempts)}
    verdicts = {id: one.verdict for id, one in found.items()}
    assert verdicts["4.1"] == verdicts["4.2"] == verdicts["5.1"] == verdicts["C.1"] == verdicts["C.3"] == "holds"
    assert verdicts["C.2"] == "does not hold"
    easy = next(one for one in found["4.2"].comparisons if one.model == "good")
    assert (easy.label, easy.n) == ("easy − medium", 35)
    assert all(one.p <= one.p_holm <= 1 for statement in found.values() for one in statement.comparisons)


def test_where_scenes_and_refinements_change_nothing_observations_do_not_hold() -> None:
    made: list[Attempt] = []
    for seed in range(8):
        own = attempt_all(f"model {seed}", design(), lambda _: 0.3, seed=seed)
        again = attempt_all(f"model {seed}", design("grid"), lambda _: 0.3, seed=seed + 50)
        made += [*own, *again]
    verdicts = {one.id: one.verdict for one in observe(made)}
    assert "holds" not in {verdicts[id] for id in ("4.1", "4.2", "5.1", "C.1", "C.3")}


def test_one_model_and_little_data_leave_it_undecided_and_say_why() -> None:
    made = attempt_all("one", design(numbers=[2], objects=["cat"]), lambda _: 0.2)
    for one in observe(made):
        assert one.verdict == "undecided"
        assert one.sentence
    found = {one.id: one for one in observe(made)}
    assert "3 models" in found["C.2"].sentence


def test_annotators_votes_give_kappa() -> None:
    made = attempt_all("one", design(numbers=[2]), lambda _: 0.2)
    votes = tally(np.repeat(np.arange(40), 5), np.tile([1.0, 1, 1, 1, 0, 0, 0, 0, 0, 1], 20))
    assert observe(made, votes)[-1].id == "κ"
    assert "over 40 groups" in observe(made, votes)[-1].sentence


def test_warnings_name_judges_missing_prompts_and_fewer_images() -> None:
    made = attempt_all("one", design(numbers=[2, 20]), lambda _: 0.5, images=1)
    text = "\n".join(list_warnings(made))
    for part in (
        "judges differ",
        "observer",
        "1 image, not of 4",
        "35 prompts are not of the published design",
        "490 of",
    ):
        assert part in text
    assert choose_k(made) == 1
    whole = attempt_all("one", design(), lambda _: 0.5)
    assert len(list_warnings(whole)) == 1
    broken = [replace(whole[0], images=3, right=0), *whole[1:]]
    assert "1 of 525 prompts have fewer than 4" in list_warnings(broken)[-1]


def test_own_objects_and_numbers_have_tables_too() -> None:
    made = attempt_all("one", design(numbers=[2, 30], objects=["cat", "spoon"]), lambda _: 0.5)
    assert {column for _, column in ours(table_2(made))} == {"animal", "own", "average"}
    assert {column for _, column in ours(by_difficulty(made))} == {"easy", "beyond"}
    assert table_3(made) == []


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
    success, accuracy = half_points(made)
    assert (success.measure, success.k, accuracy.measure, accuracy.k) == ("success", 4, "accuracy", 1)
    assert accuracy.crossing.number in (7, 8, 9)
    assert success.crossing.number in (12, 13, 14)


def test_votes_on_groups_suffice() -> None:
    made = attempt_all("one", design(), lambda _: 0.3)
    voted = [replace(one, images=0, right=0, numbers=(), votes=(one.right > 0,), group=4) for one in made]
    cells, plain = ours(table_2(voted)), ours(table_2(made))
    assert {key: value(cell) for key, cell in cells.items()} == {key: value(cell) for key, cell in plain.items()}
    assert all(cell.per_image is None for cell in cells.values())
    assert drawn_numbers(voted) == []
