"""What terminal, report and JSON say of the laws behind responses, for observers whose law is known."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from subitize.analysis.counting import CountingReport
from subitize.analysis.overview import Names
from subitize.records import to_plain
from subitize.report.charts import Palette
from subitize.report.number_sense import counting_result, counting_sections
from subitize.report.series import CountingModel
from subitize.report.table import Figure, Section, Table
from subitize.stats.response_law import Tallies
from subitize.stats.weber import Weber
from tests.stats.responses_by_law import Observer, list_responses, repeat


def measure(tallies: Tallies, model: str, task: str = "draw") -> CountingReport:
    """Make the rows of a run in which each row of the tallies is a prompt."""
    responses, clusters = list_responses(tallies)
    rows = pl.DataFrame(
        {
            "task": [task] * len(responses),
            "category": [f"category {one}" for one in tallies.categories[clusters]],
            "number": tallies.numbers[clusters],
            "response": responses,
            "value": responses,
            "target": tallies.numbers[clusters].astype(np.float64),
            "expected": tallies.numbers[clusters].astype(str),
            "is_right": responses == tallies.numbers[clusters],
            "group": [1] * len(responses),
            "status": ["eligible"] * len(responses),
            "is_excluded": [False] * len(responses),
            "cluster": clusters,
            "stratum": tallies.numbers[clusters],
        }
    )
    return CountingReport("run", "production", model, "judge", None, (), None, rows)


def find_section(name: str, counted: Sequence[CountingModel], palette: Palette) -> Section:
    sections = counting_sections("production", counted, palette, are_drawn=True)
    return next(section for section in sections if section.id == f"production-{name}")


@pytest.fixture(scope="module")
def models() -> list[CountingReport]:
    always_5 = repeat(np.full(10, 5))
    return [measure(Observer(lapse=0.02).respond(1), "estimator"), measure(always_5, "always 5")]


@pytest.mark.slow
def test_the_terminal_has_the_law_or_why_there_is_none(
    models: list[CountingReport], capsys: pytest.CaptureFixture[str]
) -> None:
    print(counting_result(models, Names()))
    printed = capsys.readouterr().out
    weber, scalar = models[0].weber, models[0].scalar
    assert isinstance(weber, Weber)
    assert weber.goodness_of_fit is not None
    assert scalar is not None
    assert scalar.law is not None
    fit = f"gain {weber.gain.value:.2f}, lapses {weber.lapse.value:.2f}, fit p {weber.goodness_of_fit.p:.3f}"
    assert f"{weber.estimate.value:.3f} [{weber.estimate.low:.3f}, {weber.estimate.high:.3f}] ({fit})" in printed
    assert f"(law {scalar.law.predicted:.2f}, p {scalar.law.p:.3f})" in printed
    assert "none: responses do not rise with number" in printed


@pytest.mark.slow
def test_json_keeps_the_keys_of_before_and_has_the_law(models: list[CountingReport]) -> None:
    estimator, always_5 = (to_plain(one.row()) for one in models)
    assert {"estimate", "subitizing", "highest", "curve"} < set(estimator["weber"])
    assert set(estimator["weber"]["goodness_of_fit"]) == {"chi_square", "degrees", "p"}
    assert {"slope", "p_value_against_1", "points"} < set(estimator["scalar"])
    assert set(estimator["scalar"]["law"]) == {"slope", "predicted", "p", "numbers"}
    assert always_5["weber"] == {"reason": "responses do not rise with number", "subitizing": 4, "estimate": None}


@pytest.mark.slow
def test_the_report_has_a_row_for_each_model_and_a_curve_of_those_that_were_fitted(
    models: list[CountingReport],
) -> None:
    counted = [CountingModel(one.model, "", one) for one in models]
    palette = Palette(tuple(one.model for one in models))
    fractions, figure = find_section("weber", counted, palette).blocks
    assert isinstance(fractions, Table)
    assert [row.cells[0] for row in fractions.rows] == ["estimator", "always 5"]
    assert [row.cells[-1] for row in fractions.rows] == ["", "responses do not rise with number"]
    assert isinstance(figure, Figure)
    assert {row.cells[0] for row in figure.data.rows} == {"estimator"}
    assert len(find_section("weber", counted[1:], palette).blocks) == 1


def test_the_report_names_numbers_that_never_vary() -> None:
    tallies = Observer().respond(1)
    tallies.counts[tallies.numbers <= 3] = np.eye(20, dtype=np.int64)[np.tile([0, 1, 2], 5)] * 50
    found = CountingModel("subitizer", "", measure(tallies, "subitizer"))
    slopes = find_section("scalar", [found], Palette(("subitizer",))).blocks[0]
    assert isinstance(slopes, Table)
    assert slopes.rows[0].cells[-1] == "1–3"


@pytest.mark.parametrize(("task", "expected"), [("draw", 0.15), ("answer", 0.175)])
def test_prompts_have_gains_of_their_own_but_the_pictures_of_a_number_spread(task: str, expected: float) -> None:
    """Five prompts for each number: what sets them apart is no noise of the model that draws them."""
    numbers = tuple(np.repeat(np.arange(5, 11), 5).tolist())
    weber = measure(Observer(prompt_sd=0.1).respond(2, trials=20, numbers=numbers), "model", task).weber
    assert isinstance(weber, Weber)
    assert weber.estimate.value == pytest.approx(expected, abs=0.012)
