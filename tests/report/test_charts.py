"""Charts are plain data: they must be Vega-Lite, and show what was asked and nothing else."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from vl_convert import vegalite_to_svg

from subitize.records import Spec
from subitize.report.charts import Palette, Panel, confusion, psychometric
from subitize.report.table import Figure
from subitize.store import Run
from tests.report.report_runs import (
    check_charts,
    composed,
    drawn,
    fill,
    named,
    naming_items,
    new_run,
    unnumbered,
    varied,
)


def many(folder: Path) -> Run:
    run = new_run(folder, "naming", naming_items())
    for place in range(8):
        fill(run, naming_items(), Spec(f"model-{place}", {}, f"model-{place}"), varied)
    return run


def few(folder: Path) -> Run:
    items = naming_items()[:12]
    run = new_run(folder, "naming", items)
    fill(run, items, Spec("model", {}, "model"), varied)
    return run


def figures(run: Run) -> dict[str, Figure]:
    with run:
        return {figure.name: figure for figure in composed(run).figures()}


def panel(model: str, targets: range) -> Panel:
    rows = [
        {"model": model, "category": "dots", "target": target, "response": target, "share": 1.0, "n": 9}
        for target in targets
    ]
    return Panel(model, rows, targets, range(1, 2 * max(targets) + 1))


def axis(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = row["spec"]["layer"][1]["encoding"][name]
    return found


PROOF = pytest.mark.proof("subitize.report")


@pytest.mark.slow
@pytest.mark.parametrize("make", [drawn, unnumbered, pytest.param(named, marks=PROOF), pytest.param(many, marks=PROOF)])
def test_every_chart_is_valid_by_the_schema_of_vega_lite(tmp_path: Path, make: Callable[[Path], Run]) -> None:
    check_charts(figures(make(tmp_path / "run")).values())


def test_numbers_that_a_model_was_not_asked_have_no_place_in_its_matrices() -> None:
    few, lots = confusion([panel("few", range(1, 11)), panel("lots", range(1, 16))], ["dots"])["vconcat"]
    assert axis(few, "x")["scale"]["domain"] == list(range(1, 11))
    assert axis(few, "y")["scale"]["domain"] == list(range(20, 0, -1))
    assert axis(lots, "x")["scale"]["domain"] == list(range(1, 16))
    assert few["spec"]["width"] / 10 == lots["spec"]["width"] / 15


def test_the_ground_of_a_matrix_is_where_there_are_answers() -> None:
    (row,) = confusion([panel("few", range(1, 11))], ["dots"])["vconcat"]
    ground = row["spec"]["layer"][0]
    assert "view" not in row["spec"]
    assert ground["transform"][0]["groupby"] == ["category", "target"]
    assert set(ground["encoding"]) == {"x"}


@pytest.mark.parametrize(
    ("categories", "ticks"), [(6, [1, 5, 10]), (2, list(range(1, 11)))], ids=["narrow cells", "wide cells"]
)
def test_numbers_below_a_matrix_stand_apart(categories: int, ticks: list[int]) -> None:
    high = Panel("high", panel("high", range(1, 11)).rows, range(1, 11), range(1, 31))
    (row,) = confusion([high], [f"category {place}" for place in range(categories)])["vconcat"]
    assert axis(row, "x")["axis"]["values"] == ticks


def test_matrices_of_few_numbers_are_as_wide_as_their_headings() -> None:
    small = Panel("small", panel("small", range(1, 4)).rows, range(1, 4), range(1, 4))
    (row,) = confusion([small], ["apples", "butterflies"])["vconcat"]
    assert row["spec"]["width"] >= 6 * len("butterflies")
    assert row["spec"]["height"] / 3 >= 12
    assert axis(row, "y")["axis"]["values"] == [3, 2, 1]


@pytest.mark.parametrize("numbers", [2, 3, 5, 12])
def test_a_number_stands_once_below_an_axis(numbers: int) -> None:
    rows = [{"model": "m", "number": n, "value": 1, "low": 0, "high": 1, "predicted": 1} for n in range(1, numbers + 1)]
    svg = vegalite_to_svg(dict(psychometric(rows, ["m"], Palette(("m",)))))
    assert re.findall(r">(\d+)</text>", svg) == [str(n) for n in range(1, numbers + 1)]


@pytest.mark.parametrize(
    ("make", "name", "title"),
    [(few, "naming-accuracy", "number shown"), (drawn, "production-accuracy", "number asked for")],
    ids=["naming", "production"],
)
def test_a_number_is_shown_in_naming_and_asked_for_in_production(
    tmp_path: Path, make: Callable[[Path], Run], name: str, title: str
) -> None:
    figure = figures(make(tmp_path / "run"))[name]
    assert figure.spec["layer"][0]["encoding"]["x"]["title"] == title
    assert title in figure.caption
