"""The printed tables add up as far as rounding lets them; what does not is listed."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from subitize.analysis.published import CellId
from subitize.papers.t2icountbench.reproduction import ITEMS, check_means, check_text, implied_counts, observe_published
from subitize.papers.t2icountbench.tables import AVERAGE, CATEGORIES, CONDITIONS, MODELS, PUBLISHED, list_published


def test_tables_have_a_row_per_model_under_one_name() -> None:
    for table, columns in (("table1", 4), ("table2", 7), ("table3", 6)):
        rows = {row for row, _ in list_published(table)} - {AVERAGE}
        assert rows == set(MODELS)
        assert len(list_published(table)) == columns * len(rows) + (6 if table == "table3" else 0)
    assert len(MODELS) == 15


def test_means_follow_from_the_cells_but_for_those_that_are_listed() -> None:
    found = {(one.place.table, one.place.row, one.place.column): one.verdict for one in check_means()}
    listed = {key: verdict for key, verdict in found.items() if verdict != "follows"}
    half_way = ("Recraft V3", "Imagen-3", "Firefly 3", "SD 3.5", "Doubao", "Kling")
    assert listed == {("table2", model, AVERAGE): "half way" for model in half_way} | {
        ("table2", "Star-3 Alpha", AVERAGE): "by rounding",
        ("table3", "Recraft V3", AVERAGE): "by rounding",
        ("table3", "Kling", AVERAGE): "by rounding",
        ("table3", AVERAGE, "grid"): "by rounding",
    }
    assert len(found) == 15 + 15 + 6
    assert len(check_means()) == len(found) + 1  # the overall mean is one of rows and one of columns


def test_the_recomputed_means_are_numpys() -> None:
    cells = list_published("table3")
    for one in check_means():
        if one.place.table == "table3" and one.place.row in MODELS:
            expected = np.mean([float(cells[one.place.row, name]) for name in CONDITIONS])
            assert one.recomputed == pytest.approx(expected)


def test_every_average_of_table_2_follows_from_numbers_of_successes() -> None:
    """Shares of 75 prompts (150 of fruit) round to the printed cells, and their mean to the printed average."""
    cells = list_published("table2")
    for model in MODELS:
        counts = [implied_counts(cells[model, name], ITEMS[name]) for name in CATEGORIES]
        means = [np.mean([k / n for k, n in zip(ks, ITEMS.values(), strict=True)]) for ks in product(*counts)]
        assert any(f"{mean:.2f}" == cells[model, AVERAGE] for mean in means), model


def test_what_the_text_says_that_the_cells_do_not() -> None:
    assert [one.said for one in check_text() if not one.agrees] == [
        "the best improves on the worst by nearly 150 %",
        "multiplicative prompts lose more than 40 % of the original accuracy",
        "FLUX 1.1 is among the worst at home",
    ]


def test_drops_by_refinement_are_near_those_of_scipy() -> None:
    statement = next(one for one in observe_published() if one.id == "5.1")
    cells = list_published("table3")
    assert statement.verdict == "holds"
    for name, found in zip(CONDITIONS[1:], statement.comparisons, strict=True):
        drops = np.array([float(cells[m, "original"]) - float(cells[m, name]) for m in MODELS]).round(2)
        low, high = stats.ttest_1samp(drops, 0).confidence_interval(0.95)
        assert found.difference.value == pytest.approx(drops.mean(), abs=1e-9)
        # Flips of signs, not Student's law, and one pseudo-value in the variance.
        assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=0.006)
        assert found.p < 0.001
        assert found.n == 15


def test_figures_of_the_text_are_shipped() -> None:
    assert PUBLISHED.cells[CellId("figure5", "all 15 models", "city")] == "21"
    assert PUBLISHED.cells[CellId("figure4", "FLUX 1.1", "city")] == "28"
    assert PUBLISHED.cells[CellId("figure1", "SD 3.5", "hard")] == "2"
    assert PUBLISHED.cells[CellId("table2", "Doubao", "animal")] == "0.4"
