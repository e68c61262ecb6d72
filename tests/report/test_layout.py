"""Lines and tables fit the terminal, and no figure in them is ever cut."""

import random
import re
import sys
from collections.abc import Callable, Sequence

import pytest

from subitize.report.table import Table
from subitize.report.terminal import Grid, TerminalColumn, draw, lay_out, measure, print_line, wrap_line
from tests.cases import Case

FIGURE = "0.512 [0.430, 0.590]"
FIGURES = re.compile(r"−?\d[\d.,]*\d|\[[^]]*\]")


def printed(headings: Sequence[str], rows: Sequence[Sequence[str]], columns: int) -> str:
    grids = lay_out(headings, rows, columns)
    return "\n".join(line for grid in grids for line in (grid.above, *draw(grid)))


def headings_of(grid: Grid) -> list[str]:
    return [column.heading for column in grid.columns]


def test_a_table_that_fits_stands_as_it_is() -> None:
    told = printed(["model", "n", "accuracy"], [["painter *", "12", FIGURE], ["random", "5", FIGURE]], 80)
    assert told.splitlines() == [
        "",
        "model       n  accuracy",
        "─" * 35,
        f"painter *  12  {FIGURE}",
        f"random      5  {FIGURE}",
    ]


def test_what_all_rows_share_is_said_once_where_there_is_no_room() -> None:
    rows = [["production", "observer", name, FIGURE] for name in ("painter", "random")]
    (grid,) = lay_out(["suite", "judge", "model", "accuracy"], rows, 45)
    assert (grid.above, headings_of(grid)) == ("suite: production; judge: observer", ["model", "accuracy"])
    assert lay_out(["suite", "judge", "model", "accuracy"], rows, 60)[0].above == ""


def test_sentences_are_wrapped_before_names_and_figures() -> None:
    rows = [["a-name-in-one-word", FIGURE, "a sentence that goes on and on and has no end"], ["b", FIGURE, "short"]]
    (grid,) = lay_out(["name", "accuracy", "note"], rows, 70)
    assert [row[:2] for row in grid.rows] == [("a-name-in-one-word", FIGURE), ("b", FIGURE)]
    assert grid.rows[0][2] == "a sentence that goes on and\non and has no end"


def test_intervals_stand_below_their_values_in_all_columns_or_in_none() -> None:
    (grid,) = lay_out(["model", "accuracy", "mae", "n"], [["painter", FIGURE, FIGURE, "12"]] * 2 + [["r"] * 4], 50)
    assert grid.rows[0] == ("painter", *["0.512\n[0.430, 0.590]"] * 2, "12")


def test_a_table_of_few_rows_is_turned_on_its_side_where_that_is_shorter() -> None:
    headings = ["model", *(f"measure {place}" for place in range(6))]
    (grid,) = lay_out(headings, [["painter", *[FIGURE] * 6], ["random", *[FIGURE] * 6]], 60)
    assert headings_of(grid) == ["model", "painter", "random"]
    assert [row[0] for row in grid.rows] == headings[1:]


def test_a_table_of_many_rows_goes_on_below_and_names_its_rows_again() -> None:
    names = [f"model {place}" for place in range(9)]
    grids = lay_out(["model", *"abcdef"], [[name, *[FIGURE] * 6] for name in names], 60)
    assert [headings_of(grid) for grid in grids] == [["model", *"abc"], ["model", *"def"]]
    for grid in grids:
        assert [row[0] for row in grid.rows] == names


def test_names_are_broken_at_their_joints_then_lose_their_middle_and_still_differ(case: Case) -> None:
    told = {
        "painter:weber=0.3,size_px=128": "painter:\nweber=0.3,\nsize_px=128",
        "human_correlation_answered": "human_\ncorrelation_\nanswered",
        "abcdefghijklmnopqrstuvwxyz": "abcdefg…tuvwxyz",
        "abcde12345678901234uvwxyz": "abcde…uvwxyz",
        "numbers:1,000,numbers:2,000": "numbers:1,000,\nnumbers:2,000",
    }
    for name, expected in told.items():
        with case(name):
            assert TerminalColumn("", (name,)).wrap(15).cells == (expected,)
    twins = [f"a-long-name-{middle}-of-a-model" for middle in ("first", "other", "third")]
    assert len({*TerminalColumn("", tuple(twins)).wrap(12).cells}) == 3


@pytest.mark.slow
def test_no_figure_is_cut_however_narrow_the_terminal(case: Case) -> None:
    chance = random.Random(7)
    for trial in range(50):
        headings, rows = _make_table(chance)
        columns = chance.randrange(60, 140)
        with case((trial, columns)):
            told = printed(headings, rows, columns)
            assert max(map(measure, told.splitlines())) <= columns
            assert not re.search(r"\d…|…\d", told)
            for cell in (cell for row in rows for cell in row[1:]):
                assert {*FIGURES.findall(cell)} <= {*FIGURES.findall(told)}


def _make_table(chance: random.Random) -> tuple[list[str], list[list[str]]]:
    """Make names, figures of several kinds and perhaps a sentence."""
    kinds: list[Callable[[], str]] = [
        lambda: f"{chance.random():.3f} [{chance.random():.3f}, {chance.random():.3f}]" + " !" * chance.randrange(2),
        lambda: f"{chance.randrange(10**6):,}",
        lambda: f"{chance.randrange(1, 99)} + {chance.randrange(10, 99)} refused",
        lambda: f"< 0.{chance.randrange(100, 999)}",
        lambda: f"−{chance.randrange(10, 99)}.5 ≠ ({chance.randrange(10, 99)})",
    ]
    columns = [chance.choice(kinds) for _ in range(chance.randrange(1, 14))]
    names = ["painter", "openai:gpt-image-1,size=1024x1024,quality=low", "a model with a name of several words *"]
    rows = [[chance.choice(names) + f" {row}", *(make() for make in columns)] for row in range(chance.randrange(1, 12))]
    return ["model", *(f"column {place}" for place in range(len(columns)))], rows


def test_a_line_is_broken_between_words_and_a_command_stays_whole(case: Case) -> None:
    lines = {
        "a short line": ["a short line"],
        "a line that is too long for the width": ["a line that is too", "  long for the width"],
        "  indented and too long for the width": ["  indented and too", "    long for the width"],
        "see /a/very/long/path/to/a/file.json there": ["see", "  /a/very/long/path/to/a/file.json", "  there"],
        "mean 0.123 [0.100, 0.200] ! of these": ["mean 0.123", "  [0.100, 0.200] ! of", "  these"],
        "stored; see: subitize score a-run --judge observer": [
            "stored; see:",
            "  subitize score a-run --judge observer",
        ],
    }
    for line, expected in lines.items():
        with case(line):
            assert wrap_line(line, 22) == expected


def test_output_is_as_wide_as_columns_says_and_else_as_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(["word"] * 60)
    monkeypatch.setattr(sys, "__stdout__", None)  # no terminal, whoever runs the tests
    for given, widest in (("80", 80), ("200", 200), (None, 120), ("nonsense", 120), ("1", 40)):
        monkeypatch.delenv("COLUMNS") if given is None else monkeypatch.setenv("COLUMNS", given)
        print_line(words)
        assert widest - 7 < max(map(len, capsys.readouterr().out.splitlines())) <= widest


def test_control_characters_are_written_out_and_brackets_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print(Table.of("t", "a \x07 title", ["name [bold]"], [["\x1b[31mred[/bold]"]]))
    assert capsys.readouterr().out.splitlines() == [
        "a \\x07 title",
        "name [bold]",
        "─" * 18,
        "\\x1b[31mred[/bold]",
        "",
    ]


def test_wide_characters_take_two_columns() -> None:
    told = list(draw(Grid((TerminalColumn("name", ("模型", "model")), TerminalColumn("n", ("1", "2"))))))
    assert told[2:] == ["模型   1", "model  2"]
