"""The protocol stands beside every score, and rows that may not be compared are said to be."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.records import Answer, Item, Outcome, Spec, Stimulus, Value
from subitize.report.table import Document, Facts, Paragraph, Section, Table, Worded
from subitize.report.writers import to_csv, to_latex, to_markdown
from subitize.store import Folder, Run
from tests.report.report_runs import HOSTILE, composed, exact, fill, naming_items, new_run, page, unnumbered

ITEMS = naming_items()
ONE, TWO = Spec("one", {}, "one"), Spec("two", {"steps": "3"}, "two")
FINGERPRINT = re.compile(r"[0-9a-f]{12}")


def asked(folder: Path, *parts: tuple[Spec, Sequence[Item]]) -> Run:
    run = new_run(folder, "naming", ITEMS)
    for model, items in parts:
        fill(run, items, model, exact)
    return run


def protocols(table: Table) -> dict[tuple[object, str], object]:
    assert table.columns[-1].name == "Protocol"
    return {(row.cells[0], row.badge): row.cells[-1] for row in table.rows}


def leaderboard(document: Document, suite: str = "naming") -> Table:
    return next(table for table in document.tables() if table.name == f"{suite}-leaderboard")


def section(document: Document, name: str) -> Section:
    return next(section for section in document.sections if section.id == name)


def warnings(document: Document) -> list[str]:
    (suite,) = section(document, "leaderboard").sections
    return [block.text for block in suite.blocks if isinstance(block, Paragraph) and block.is_warning]


@pytest.mark.slow
def test_models_asked_the_same_have_one_protocol_and_no_warning(tmp_path: Path) -> None:
    with asked(tmp_path / "run", (ONE, ITEMS), (TWO, ITEMS)) as run:
        document = composed(run)
    assert "Protocol" not in [column.name for column in leaderboard(document).columns]
    assert warnings(document) == []
    (facts,) = [block for block in section(document, "protocols").blocks if isinstance(block, Facts)]
    assert dict(facts.facts)["Rows"] == ("one", "two")
    assert dict(facts.facts)["Parameters of the call"] == ("temperature = 0.25",)
    assert "How many apples are there in the picture?" in dict(facts.facts)["Examples of prompts as sent"]


@pytest.mark.slow
def test_a_model_asked_less_is_warned_of_with_the_difference(tmp_path: Path) -> None:
    with asked(tmp_path / "run", (ONE, ITEMS), (TWO, ITEMS[:20])) as run:
        document = composed(run)
    found = protocols(leaderboard(document))
    common, other = found["one", ""], found["two", ""]
    assert isinstance(common, Worded)
    assert isinstance(other, Worded)
    assert (common.word, other.word) == ("1", "2")
    assert warnings(document) == [
        f"Not all rows may be compared: they follow 2 protocols. one: protocol {common.word}. The others differ from "
        f"it:\ntwo: protocol {other.word}; items: 20 against 36."
    ]


def seeded(folder: Path, seed: int, items: Sequence[Item] = ITEMS) -> Run:
    run = Run(Folder(folder), create=True)
    run.add_suite(Spec("naming", {}, "naming"), seed, items)
    run.add_judge(Spec("parser", {"policy": "strict"}, "parser"), is_stand_in=False)
    fill(run, items, ONE, exact)
    return run


def repainted(item: Item) -> Item:
    assert isinstance(item.task, Answer)
    assert isinstance(item.task.picture, Stimulus)
    return replace(item, task=replace(item.task, picture=replace(item.task.picture, background="grey")))


@pytest.mark.slow
def test_runs_with_the_same_items_are_comparable_and_those_with_other_pictures_are_not(tmp_path: Path) -> None:
    grey = [repainted(item) for item in ITEMS]
    with seeded(tmp_path / "may", 1) as may, seeded(tmp_path / "june", 2) as june:
        assert warnings(composed(may, june)) == []
        with seeded(tmp_path / "july", 1, grey) as july:
            (found,) = warnings(composed(may, june, july))
    assert re.search(r"; content of the items: hash \w{12} against hash \w{12}\.$", found)
    assert "one (june), one (may): protocol" in found


@pytest.mark.slow
def test_a_model_judged_by_half_is_warned_of(tmp_path: Path) -> None:
    def half(item: Item, place: int) -> tuple[Outcome, Value | None]:
        outcome, value = exact(item, place)
        return outcome, value if place % 2 else None

    with asked(tmp_path / "run", (ONE, ITEMS)) as run:
        fill(run, ITEMS, TWO, half)
        (found,) = warnings(composed(run))
    assert "left unread by the judge: 18 questions about items wholly, 0 in part" in found


@pytest.mark.slow
def test_published_rows_and_baselines_have_no_protocol_of_ours(tmp_path: Path) -> None:
    with asked(tmp_path / "run", (ONE, ITEMS), (TWO, ITEMS[:20])) as run:
        table = leaderboard(composed(run))
    assert {cell for (_, badge), cell in protocols(table).items() if badge in ("published", "baseline")} == {""}
    assert "Published rows were judged by parser, under the paper’s protocol." in table.caption


def test_scores_without_numbers_have_their_protocol_too(tmp_path: Path) -> None:
    with unnumbered(tmp_path / "run") as run:
        document = composed(run)
    (facts,) = [block for block in section(document, "protocols").blocks if isinstance(block, Facts)]
    assert FINGERPRINT.fullmatch(dict(facts.facts)["Fingerprint"][0])


@pytest.mark.slow
def test_every_row_is_listed_with_what_is_its_own(tmp_path: Path) -> None:
    with asked(tmp_path / "run", (ONE, ITEMS), (TWO, ITEMS)) as run:
        (table,) = [table for table in composed(run).tables() if table.name == "protocol-rows"]
    names = [column.name for column in table.columns]
    (one, two) = (dict(zip(names, row.cells, strict=True)) for row in table.rows)
    assert (one["Options"], two["Options"]) == ("", "steps = 3")
    assert one["Seed of the run"] == "11"
    assert (one["Revision"], one["Weights"], one["Versions"]) == ("rev-7", "feedbeef", "some-library 1.2.3")
    assert (one["Responses"], one["Judge"], one["Run"]) == (36, "parser", "run")
    assert "Prompts rewritten" not in names


@pytest.mark.slow
def test_a_number_leads_to_its_protocol_and_is_in_every_table(tmp_path: Path) -> None:
    with asked(tmp_path / "run", (ONE, ITEMS), (Spec(HOSTILE, {}, HOSTILE), ITEMS[:9])) as run:
        html, table = page(run), leaderboard(composed(run))
    found = dict(re.findall(r'<a class="fingerprint" href="#protocol-([0-9a-f]{12})">(\d)</a>', html))
    assert sorted(found.values()) == ["1", "2"]
    assert all(f'<details class="facts" id="protocol-{one}">' in html for one in found)
    assert HOSTILE not in html
    for write in (to_csv, to_markdown, to_latex):
        assert "Protocol" in write(table), write
    rows = csv.DictReader(to_csv(table).splitlines())
    assert {row["Protocol"] for row in rows if row["kind"] == "measured"} == {"1", "2"}
