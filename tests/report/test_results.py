"""Results: what a command found, for a terminal, for programs and for a notebook."""

import json

from subitize.records import Estimate
from subitize.report.table import Column, Result, Row, Table, Worded
from subitize.report.writers import to_json, to_lines
from tests.commands import call

SURE = Estimate(0.5, 0.25, 0.75, 12, "share, Wilson interval")
WEAK = Estimate(0.5, 0.0, 1.0, 2, "share, Wilson interval", caution="only 2 clusters")
MODEL = Column.text("model")


def table(name: str, *columns: Column, figure: Estimate = SURE, caption: str = "") -> Table:
    return Table.of(name, name, (MODEL, *columns), [("<painter>", *[figure] * len(columns))], caption)


def test_lines_stand_above_and_below_the_tables() -> None:
    text = str(Result((table("scores", Column("accuracy", digits=3)),), lead=("first",), notes=("last",)))
    assert text.splitlines() == [
        "first",
        "scores",
        "model      accuracy",
        "───────────────────────────────",
        "<painter>  0.500 [0.250, 0.750]",
        "",
        "last",
    ]


def test_what_tables_share_is_explained_once_below_the_last_of_them() -> None:
    right, wrong = Column("right", "share that is right"), Column("wrong", "share that is wrong")
    found = Result((table("a", right, caption="values"), table("b", right, wrong, caption="values")))
    first, second = "\n".join(to_lines(found, 80)).split("\nb\n")
    assert "share that is" not in first
    assert second.splitlines()[-3:] == ["values", "right: share that is right", "wrong: share that is wrong"]


def test_a_weak_figure_is_marked_and_explained_wherever_it_is_shown() -> None:
    weak = table("scores", Column("accuracy"), figure=WEAK)
    worded = Table.of("words", "", (MODEL, "bias"), [("painter", Worded("over", WEAK, "(r)"))])
    for one in (weak, worded):
        text = str(one)
        assert "0.50 [0.00, 1.00] !" in text
        assert "! too little to rely on: fewer than 10 clusters" in text
    assert weak.full_caption() == "† Too little to rely on: only 2 clusters."
    assert "over 0.50 [0.00, 1.00] ! (r)" in str(worded)


def test_columns_with_nothing_but_zeros_can_be_left_out() -> None:
    rows = [Row(("painter", 0, None)), Row(("observer", 2, ""))]
    shown = Table.of("counts", "", ("model", "failed", "note"), rows, drops_empty=True)
    assert [column.name for column in shown.columns] == ["model", "failed"]
    assert [row.cells for row in shown.rows] == [("painter", 0), ("observer", 2)]
    assert str(Table.of("none", "", ("model", "n"), [], drops_empty=True)) == ""


def test_a_notebook_shows_tables_with_names_escaped() -> None:
    html = Result((table("scores", Column("accuracy")),), notes=("a < b",))._repr_html_()
    assert "&lt;painter&gt;" in html
    assert "a &lt; b" in html
    assert "<table" in html
    assert "<table" in table("scores", Column("accuracy"))._repr_html_()


def test_records_are_a_frame_and_json() -> None:
    rows = [{"model": "painter", "value": 0.5}, {"model": "observer", "value": float("inf")}]
    assert Result(records=rows).frame.to_dicts() == rows
    assert Result(records={"prompts": "fixed", "pairs": rows}).frame.to_dicts() == [
        {"prompts": "fixed", **row} for row in rows
    ]
    assert Result(records={"naming": 3}).frame.to_dicts() == [{"naming": 3}]
    assert json.loads(to_json(rows))[1] == {"model": "observer", "value": None}


def test_published_scorers_can_be_listed_as_json() -> None:
    listed = {one["name"]: one for one in call("list", "scorers", "--json").json()}
    assert set(listed["vlmevalkit:countbenchqa"]) == {"name", "rule", "defect"}
