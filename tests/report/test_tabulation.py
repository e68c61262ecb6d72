"""Tables as files: figures with their bounds, text that no spreadsheet or TeX takes for anything else."""

import csv
import io
import math

import pytest

from subitize.records import Estimate
from subitize.report.table import Column, Row, Table, Worded
from subitize.report.texts import cell_text, number_text, printable, slug, sort_key
from subitize.report.writers import to_csv, to_latex, to_markdown, to_tex

HALF = Estimate(0.5, 0.25, 0.75, 12, "made up")
TABLE = Table(
    "some-table",
    "A table & more",
    (Column.text("Model"), Column("Share"), Column("Bias", digits=1), Column("n")),
    (
        Row(("one_model", HALF, Worded("Over.", HALF), 12)),
        Row(("=1+1", 0.25, "Under. 0.4", None), "published"),
        Row(("a|b\n{c}", None, None, 3)),
    ),
    "100 % sure.",
)


def test_csv_has_a_figures_bounds_and_n_in_columns_of_their_own() -> None:
    head, first, second, third = csv.reader(io.StringIO(to_csv(TABLE)))
    assert head[:5] == ["Model", "Share", "Share low", "Share high", "Share n"]
    assert head[5:] == ["Bias", "Bias value", "Bias low", "Bias high", "Bias n", "n", "kind"]
    assert first == ["one_model", "0.5", "0.25", "0.75", "12", "Over.", "0.5", "0.25", "0.75", "12", "12", "measured"]
    assert second == ["'=1+1", "0.25", "", "", "", "Under. 0.4", "", "", "", "", "", "published"]
    assert third == ["a|b\n{c}", "", "", "", "", "", "", "", "", "", "3", "measured"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "  =1", "\t=1", "＝1+1", "\u3000＋1", "\u200d=1"])
def test_text_like_a_formula_is_made_inert(text: str) -> None:
    table = Table("t", "T", (Column("x"),), (Row((text,)),))
    ((cell,),) = list(csv.reader(io.StringIO(to_csv(table))))[1:]
    assert cell.startswith(("'", "\\"))


def test_a_negative_number_stays_a_number() -> None:
    table = Table("t", "T", (Column("x"),), (Row((-0.5,)),))
    assert to_csv(table) == "x\n-0.5\n"


def test_markdown_escapes_what_would_break_a_table() -> None:
    text = to_markdown(TABLE)
    assert "| one\\_model | 0.50 \\[0.25, 0.75\\] | Over. 0.5 \\[0.2, 0.8\\] | 12 |" in text
    assert "| a\\|b \\{c\\} | – | – | 3 |" in text
    assert "=1+1 (published)" in text


def test_latex_escapes_every_character_that_means_something() -> None:
    text = to_latex(TABLE)
    assert r"one\_model & 0.50 [0.25, 0.75] & Over. 0.5 [0.2, 0.8] & 12 \\" in text
    assert r"a|b \{c\} & -- & -- & 3 \\" in text
    assert r"\caption{A table \& more. 100 \% sure.}" in text
    assert text.count("rule") == 3
    assert r"\begin{tabular}{lrrr}" in text


@pytest.mark.parametrize("text", ["[1] a", "*", " [x", "*a"])
def test_latex_takes_no_first_cell_for_an_option_of_the_line_above(text: str) -> None:
    lines = to_latex(Table("t", "T", (Column(text), Column("[y]")), (Row((text, "[z]")),))).splitlines()
    assert [line for line in lines if line.lstrip().startswith(("[", "*"))] == []
    assert f"  {{}}{text} & [z] \\\\" in lines


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        *(("Δ AIC", r"$\Delta$ AIC"), ("χ²", r"$\chi$²"), ("“a” – b…", r"``a'' -- b\ldots{}")),
        *(("Dvořák", r"Dvo\v{r}ák"), ("Łódź", r"\L{}ód\'{z}"), ("e\u0301", "é")),
        *(("中", r"\texttt{U+4E2D}"), ("👍", r"\texttt{U+1F44D}"), ('"', r"\symbol{34}")),
    ],
)
def test_tex_gets_no_character_that_it_does_not_know(text: str, tex: str) -> None:
    assert to_tex(text) == tex


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.126, "0.13"), (-0.126, "−0.13"), (-0.0001, "0.00"), (math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "–")],
)
def test_a_figure_is_written_with_its_decimals(value: float, text: str) -> None:
    assert number_text(value, 2) == text


def test_a_tiny_probability_is_not_written_as_0() -> None:
    column = Column.p("p")
    assert [cell_text(p, column) for p in (0.00001, 0.04)] == ["< 0.001", "0.040"]


def test_a_probability_below_the_level_does_not_read_as_the_level() -> None:
    column = Column.p("p")
    written = ["0.0496", "0.04996", "0.050", "0.049", "0.051", "–"]
    assert [cell_text(p, column) for p in (0.0496, 0.04996, 0.05, 0.0494, 0.0506, math.nan)] == written


def test_control_characters_are_written_out() -> None:
    assert printable("a\x1b[31m\u202eb\x00\ud800") == "a\\x1b[31m\\u202eb\\x00\\ud800"
    assert printable("naïve 👩\u200d🔬\nnext") == "naïve 👩\u200d🔬\nnext"


def test_names_that_differ_have_different_files() -> None:
    assert slug("naming") == "naming"
    assert len({slug("a b"), slug("a-b"), slug("a/b"), slug("A-b")}) == 4
    assert slug("../..") not in {"..", "../.."}
    assert "/" not in slug("../../etc")


def test_words_are_sorted_by_their_figure_or_else_as_they_are() -> None:
    assert [sort_key(Worded("Over.", HALF)), sort_key(Worded("holds", None))] == [str(HALF.value), "holds"]
