"""Leaderboards say which ranks models may have, and headlines do not call equal models better."""

from typing import Any

import pytest

from subitize.analysis.compare import Ranked
from subitize.records import Estimate
from subitize.report.leaderboard import describe_standing, mark_models
from subitize.report.table import Column, Paragraph, Row, Table


def ranked(model: str, best: int, worst: int, letters: str, equals: tuple[str, ...] = ()) -> Ranked:
    return Ranked(model, Estimate(0.5, 0.4, 0.6, 10, "share"), best, worst, letters, equals)


def test_a_leaderboard_has_the_ranks_of_the_models_measured() -> None:
    rows = [Row(("one", 0.5)), Row(("other", 0.4), "stand-in"), Row(("one", 0.6), "published"), Row(("single", 0.1))]
    table = Table.of("t", "Leaderboard", (Column.text("Model"), "Accuracy"), rows)
    note = Paragraph("Judged by people.")
    standings = {"one": ranked("one", 1, 2, "a"), "other": ranked("other", 2, 2, "b")}
    marked, same = mark_models([table, note], (), standings)
    assert same is note
    assert [row.cells[1] for row in marked.rows] == ["1–2 a", "", "2 b", ""]  # type: ignore[union-attr]
    (unranked,) = mark_models([table], (), {})
    assert [column.name for column in unranked.columns] == ["Model", "Accuracy"]  # type: ignore[union-attr]


def test_a_leaderboard_with_ranks_of_its_own_keeps_them() -> None:
    table = Table.of("t", "Leaderboard", (Column.text("Model"), Column.text("Rank, Task 1")), [Row(("one", "1 a"))])
    (same,) = mark_models([table], (), {"one": ranked("one", 1, 2, "a")})
    assert (same.columns, same.rows) == (table.columns, table.rows)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("standings", "expected"),
    [
        pytest.param([("a", 1, 1, "a"), ("b", 2, 2, "b")], " It is better than all others.", id="better"),
        pytest.param(
            [("a", 1, 2, "a", ("b",)), ("b", 1, 2, "a", ("a",))], " It cannot be told apart from b.", id="equal"
        ),
        pytest.param(
            [("a", 1, 3, "a", ("b", "c")), ("b", 1, 3, "a"), ("c", 1, 3, "a"), ("d", 4, 4, "b")],
            " It cannot be told apart from b and c.",
            id="two equal",
        ),
        pytest.param([("b", 1, 1, "a"), ("a", 2, 2, "b")], " Others do better on what all models have.", id="worse"),
        pytest.param([("b", 1, 1, "a")], "", id="not compared"),
    ],
)
def test_the_headline_says_whether_the_best_is_better(standings: list[Any], expected: str) -> None:
    assert describe_standing("a", {one[0]: ranked(*one) for one in standings}) == expected


def test_the_headline_can_name_what_it_goes_by() -> None:
    told = describe_standing("a", {"a": ranked("a", 1, 1, "a")}, by="accuracy per image")
    assert told == " By accuracy per image, it is better than all others."
