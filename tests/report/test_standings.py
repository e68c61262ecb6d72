"""Leaderboards say which ranks models may have, and headlines do not call equal models better."""

from typing import Any

import pytest

from subitize.analysis.compare import Ranked
from subitize.records import Estimate
from subitize.report.leaderboard import SIZE, KnownModels, describe_standing, finish_leaderboard
from subitize.report.table import Column, Row, Table, Worded


def ranked(model: str, best: int, worst: int, letters: str, equals: tuple[str, ...] = ()) -> Ranked:
    return Ranked(model, Estimate(0.5, 0.4, 0.6, 10, "share"), best, worst, letters, equals)


ROWS = [Row(("one", 0.5)), Row(("other", 0.4), "stand-in"), Row(("one", 0.6), "published"), Row(("single", 0.1))]
TABLE = Table.of("t", "Leaderboard", (Column.text("Model"), "Accuracy"), ROWS)
RANKS = {"one": ranked("one", 1, 2, "a"), "other": ranked("other", 2, 2, "b")}


def column(table: Table, name: str) -> list[object]:
    place = [column.name for column in table.columns].index(name)
    return [row.cells[place] for row in table.rows]


def test_a_leaderboard_has_the_ranks_of_the_models_measured() -> None:
    finished = finish_leaderboard(TABLE, KnownModels(RANKS))
    assert column(finished, "Model") == ["one", "single", "other", "one"]
    assert column(finished, "Rank") == ["1–2 a", "", "2 b", ""]
    unranked = finish_leaderboard(TABLE, KnownModels())
    assert [column.name for column in unranked.columns] == ["Model", "Accuracy"]


def test_a_leaderboard_with_ranks_of_its_own_keeps_them() -> None:
    rows = [Row(("one", "1 a")), Row(("single", "2 a"), "stand-in judge")]
    table = Table.of("t", "Leaderboard", (Column.text("Model"), Column.text("Rank, Task 1")), rows)
    same = finish_leaderboard(table, KnownModels(RANKS))
    assert same.columns == table.columns
    assert column(same, "Rank, Task 1") == ["1 a", ""], "a stand-in cannot count what it does not know"


def test_sizes_of_measured_models_stand_beside_those_printed() -> None:
    printed = TABLE.with_column(SIZE, ["", "", "3.5", ""], 2)
    for table, published in ((printed, "3.5"), (TABLE, "")):
        sized = finish_leaderboard(table, KnownModels(sizes={"one": 87_400_000}))
        assert column(sized, SIZE.name) == ["0.0874", "", "", published]


def test_protocols_are_a_column_where_they_differ() -> None:
    links = {"one": Worded("1", anchor="protocol-a"), "other": Worded("2", anchor="protocol-b")}
    told = finish_leaderboard(TABLE, KnownModels(protocols=links), "people")
    assert column(told, "Protocol") == [links["one"], "", links["other"], ""]
    assert "Published rows were judged by people" in told.caption
    alike = finish_leaderboard(TABLE, KnownModels(protocols=dict.fromkeys(links, links["one"])))
    assert [column.name for column in alike.columns] == ["Model", "Accuracy"]


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
