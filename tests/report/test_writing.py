"""A report: everything is in it, it needs nothing but itself, and what others wrote stays text."""

import csv
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from PIL import Image

from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import NoEvents
from subitize.records import Spec
from subitize.report.document import Outputs, check_outputs, write_report
from subitize.report.table import Block, Document, Figure, Section, Table
from tests.cases import Case
from tests.commands import call
from tests.report.report_runs import (
    FORMULA,
    HOSTILE,
    STRANGE,
    VAGUE,
    Written,
    drawn,
    exact,
    fill,
    named,
    naming_items,
    new_run,
    report,
)

SECTIONS = [
    *("leaderboard", "naming-leaderboard", "production-leaderboard"),
    *("naming", "naming-confusion", "naming-accuracy", "naming-knower", "naming-bias", "naming-pictures"),
    *("production", "production-confusion", "production-pictures"),
    *("costs", "gaps", "provenance", "citations"),
]
FIGURES = {"naming-leaderboard-chart", "naming-confusion", "naming-accuracy", "naming-knower", "production-confusion"}
TABLES = {"naming-leaderboard", "naming-bias", "naming-knower-levels", "naming-confusion-matrices", "gaps"}


def cells(written: Written, table: str) -> list[dict[str, str]]:
    with (written.tables / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_sections_stand_in_their_order(written: Written) -> None:
    found = re.findall(r'<section id="([^"]+)"', written.html)
    assert [name for name in found if name in SECTIONS] == SECTIONS


def test_every_figure_is_in_the_page_and_on_disk(written: Written) -> None:
    shown = re.findall(r'data-figure="([^"]+)"', written.html)
    assert set(shown) >= FIGURES
    assert {path.name for path in written.figures.iterdir()} == {f"{n}.{s}" for n in shown for s in ("png", "svg")}
    assert written.html.count('role="img" aria-label="') == len(shown)
    for name in shown:
        assert ET.parse(written.figures / f"{name}.svg").getroot().tag.endswith("svg")
        with Image.open(written.figures / f"{name}.png") as image:
            assert min(image.size) > 100


def test_every_table_and_the_data_of_every_figure_are_written_three_ways(written: Written) -> None:
    shown = re.findall(r'data-table="([^"]+)"', written.html)
    assert set(shown) | {"naming-confusion-matrices"} >= TABLES
    names = {path.stem for path in written.tables.iterdir()}
    assert names >= set(shown) | TABLES
    assert {path.name for path in written.tables.iterdir()} == {f"{n}.{s}" for n in names for s in ("csv", "md", "tex")}


def test_the_page_loads_nothing(written: Written) -> None:
    html = written.html
    loading = re.findall(r"<(?:link|script|iframe|object|embed|source|video|audio|base)\b[^>]*>", html)
    assert loading == ["<script>"]
    assert {source[:5] for source in re.findall(r'\bsrc="([^"]*)"', html)} <= {"data:"}
    assert not re.search(r"@import|url\((?!['\"]?#)", html)
    elsewhere = re.findall(r'<(\w+)[^>]*\bhref="(?!#)([^"]*)"', html)
    assert {tag for tag, _ in elsewhere} <= {"a"}
    assert "default-src 'none'" in html


def test_no_two_elements_have_the_same_id(written: Written) -> None:
    counts = Counter(re.findall(r'\bid="([^"]+)"', written.html))
    assert [name for name, count in counts.items() if count > 1] == []
    references = set(re.findall(r"url\(#([^)]+)\)", written.html)) | set(re.findall(r'href="#([^"]+)"', written.html))
    assert references <= set(counts)


def test_what_models_and_people_wrote_is_text(written: Written) -> None:
    html = written.html
    assert HOSTILE not in html
    assert VAGUE not in html
    assert escape(VAGUE).replace("&#x27;", "&#39;") in html
    assert "printed <i>badly" not in html
    assert "HTTP 500 <b>" not in html
    assert "odd <run>" not in html
    assert STRANGE not in html


def test_a_spreadsheet_runs_nothing(written: Written) -> None:
    for path in written.tables.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                for cell in row:
                    assert not cell.startswith(("=", "@")), (path.name, cell)
                    assert not cell.startswith(("+", "-")) or re.fullmatch(r"-?[\d.e-]+|-inf", cell), (path.name, cell)
    assert f"'{FORMULA}" in {row["Model"] for row in cells(written, "naming-leaderboard")}


def test_the_leaderboard_is_best_first_and_says_what_is_measured(written: Written) -> None:
    rows = cells(written, "naming-leaderboard")
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    assert kinds == ["measured", "stand-in", "baseline", "published"]
    for kind in kinds:
        accuracies = [float(row["Accuracy"]) for row in rows if row["kind"] == kind]
        assert accuracies == sorted(accuracies, reverse=True)
    assert [row["kind"] for row in rows].count("published") == 7
    measured = [row for row in rows if row["kind"] in ("measured", "stand-in")]
    assert all(row["Accuracy low"] and row["Accuracy n"] and row["NAE high"] for row in measured)
    assert not any(row["Accuracy low"] for row in rows if row["kind"] == "published")
    assert written.html.count('badge-stand-in">stand-in') >= 3
    assert re.search(r'<th scope="rowgroup" colspan="\d+">Embedded stand-ins, not real models</th>', written.html)


def test_the_summary_says_what_was_done_and_found(written: Written) -> None:
    found = re.search(r'<p class="summary">(.*?)</p>', written.html, re.DOTALL)
    assert found is not None
    assert (
        "3 runs (named, drawn, odd &lt;run&gt;) with 5 models, 1 of them embedded stand-ins: 50 scored items"
        in found[1]
    )
    assert re.search("In naming, .* is right most often: .* of its answers are right", found[1])
    assert "exact" not in found[1]  # an embedded stand-in


def test_pictures_are_a_bounded_sample_and_it_says_of_how_many(written: Written) -> None:
    cards = re.findall(r'class="card card-(\w+)" data-model="([^"]*)"', written.html)
    assert {outcome for outcome, _ in cards} == {"right", "wrong", "refused", "discarded"}
    assert re.search(r"\d+ of 100 responses are shown: at most 4 for each model, outcome and category", written.html)
    assert all(count <= 8 for count in Counter(cards).values())
    thumbnails = re.findall(r'<img src="(data:image/webp;base64,[^"]+)"', written.html)
    assert len(thumbnails) == len(cards)
    assert max(map(len, thumbnails)) < 20_000


def test_boxes_of_a_judge_are_drawn_over_the_picture(written: Written) -> None:
    overlays = re.findall(r'<svg class="boxes" viewBox="0 0 300 200"[^>]*>(.*?)</svg>', written.html, re.DOTALL)
    assert sorted(overlay.count("<rect") for overlay in overlays)[-1] >= 4
    assert '<rect class="counted" x="10.0" y="5.0" width="8.0" height="20.0">' in "".join(overlays)


def test_what_no_figure_covers_is_said_with_its_reasons(written: Written) -> None:
    (row,) = [row for row in cells(written, "gaps") if row["Run"] == "named"]
    assert (row["Failed"], row["Not read"], row["Not asked"]) == ("8", "0", "0")
    assert row["Refused"] == row["Discarded"] == "8"
    assert row["Excluded"] == "3"
    assert "Where all are zero, every answer is in the figures." in written.html
    assert "HTTP 500 &lt;b&gt;" in written.html
    assert "printed &lt;i&gt;badly&lt;/i&gt;" in written.html


def test_every_model_and_judge_is_shown_with_where_it_came_from(written: Written) -> None:
    for fact in (
        *("weber = 0.0", "embedded stand-in, not a real model", "named, seed 11", "rev-7", "feedbeef"),
        *("temperature = 0.25", "some-library 1.2.3", "How many apples are there in the picture?", "better p"),
        *("policy = strict", "strict@1: ", "boxes@1: 6 readings"),
    ):
        assert fact in written.html, fact


def test_a_suite_without_numbers_gets_its_scores_by_condition(written: Written) -> None:
    assert "By kind of prompt" in written.html
    (path,) = written.tables.glob("strange*-by-*.csv")
    (row,) = cells(written, path.stem)
    assert (float(row["plain"]), row["plain n"]) == (0.75, "4")


def test_a_judge_that_is_a_stand_in_is_marked(written: Written) -> None:
    assert "Judged by finder (embedded stand-in)." in written.html


def test_the_papers_whose_protocol_is_used_are_cited(written: Written) -> None:
    assert "Visual Enumeration Remains Challenging" in written.html
    assert "Le Corre" in written.html


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    with drawn(tmp_path / "run") as run:
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
        one, other = (report([run], tmp_path / name) for name in ("one", "other"))
    assert one.page.read_bytes() == other.page.read_bytes()
    for path in [*one.tables.iterdir(), *one.figures.glob("*.svg")]:
        assert path.read_bytes() == (tmp_path / "other" / path.relative_to(tmp_path / "one")).read_bytes()


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    named(tmp_path / "run").close()
    return tmp_path / "run"


def refused(*arguments: object) -> str:
    done = call("report", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("subitize: ")
    assert "Traceback" not in done.err
    return done.err


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "nowhere" in refused(tmp_path / "nowhere", "-o", tmp_path / "r.html")


def test_an_empty_run_says_what_to_do_first(tmp_path: Path) -> None:
    new_run(tmp_path / "run", "naming", naming_items()).close()
    assert "subitize run" in refused(tmp_path / "run", "-o", tmp_path / "r.html")


def test_a_run_without_readings_says_how_to_get_them(tmp_path: Path) -> None:
    items = naming_items()
    with new_run(tmp_path / "run", "naming", items) as run:
        fill(run, items, Spec("mute", {}, "mute"), lambda item, place: (exact(item, place)[0], None))
    assert "subitize judge" in refused(tmp_path / "run", "-o", tmp_path / "r.html")


def test_a_run_given_twice_is_refused(finished: Path) -> None:
    with named(finished.parent / "again") as run, pytest.raises(BadValueError, match="2 times"):
        write_report([run, run], Outputs(finished.parent / "r.html"), NoEvents())


def test_outputs_that_cannot_be_written_are_refused_before_any_work(finished: Path, tmp_path: Path) -> None:
    assert "is a folder; name a file in it" in refused(finished, "-o", tmp_path)
    assert "mkdir -p" in refused(finished, "-o", tmp_path / "missing" / "r.html")
    (tmp_path / "file").write_text("mine")
    assert "--figures" in refused(finished, "-o", tmp_path / "r.html", "--figures", tmp_path / "file")
    assert "--tables" in refused(finished, "-o", tmp_path / "r.html", "--tables", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "r.html").exists()


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_named(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "cannot make the folder" in refused(
        finished, "-o", tmp_path / "r.html", "--tables", tmp_path / "file" / "tables"
    )


def test_a_report_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    page.write_text("old")
    with new_run(tmp_path / "run", "naming", naming_items()) as run, pytest.raises(NothingToDoError):
        write_report([run], Outputs(page), NoEvents())
    assert page.read_text() == "old"
    assert list(tmp_path.glob(".*partial")) == []


def test_two_tables_or_figures_of_one_name_are_refused_as_one_file_would_replace_the_other(case: Case) -> None:
    table = Table.of("table", "Table", ["column"], [])
    figure = Figure("figure", "Figure", {}, "", "", replace(table, name="figure"))
    Document("", "", (Section("one", "One", (table, figure)),)).check_names()
    others: dict[str, tuple[Block, Block]] = {
        "tables of one name in a report: table;": (table, replace(table, title="Another")),
        "tables of one name in a report: figure;": (figure, replace(table, name="figure")),
        "figures of one name in a report: figure;": (figure, replace(figure, data=table)),
    }
    for message, (first, second) in others.items():
        inner = Section("two", "Two", (second,))
        with case(message), pytest.raises(ValueError, match=message):
            Document("", "", (Section("one", "One", (first,), (inner,)),)).check_names()


def test_a_page_and_a_folder_of_one_name_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="`out` and `figures` both name"):
        check_outputs(Outputs(tmp_path / "same", figures=tmp_path / "same"))
    assert not (tmp_path / "same").exists()
