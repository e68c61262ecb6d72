"""What a report says of money: all that is known was paid, what is not known, and what may have been paid twice."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.records import (
    Answer,
    Ask,
    Count,
    Discarded,
    Estimate,
    Failed,
    Item,
    Known,
    Provenance,
    Reading,
    Response,
    Said,
    Spec,
    Stimulus,
    Subject,
    Trial,
    Words,
)
from subitize.report.table import Document, Paragraph, Row, Table
from subitize.store import Run
from tests.report.report_runs import Written, composed, naming_items, new_run, unnumbered

MODEL = Spec("talker", {}, "talker")
PAID = Provenance(0, "How many?", tokens_in=300, tokens_out=4, price_usd=0.002)
JUDGED = Provenance(0, "How many?", tokens_in=50, tokens_out=2, price_usd=0.0005)


def priced(folder: Path, provenances: Sequence[Provenance], *, judged: Provenance | None = None) -> Run:
    """Make a run in which the model gives one answer per provenance, every other one right; the last call failed."""
    items = naming_items()[: len(provenances)]
    run = new_run(folder, "naming", items)
    run.add_model(MODEL, is_stand_in=False)
    responses, readings = [], []
    for place, (item, provenance) in enumerate(zip(items, provenances, strict=True)):
        trial = Trial(item.id, MODEL.text, MODEL.options)
        has_failed = place == len(items) - 1
        outcome = Failed("timed out", is_transient=True) if has_failed else Said("3")
        responses.append(Response(trial, outcome, provenance))
        if not has_failed:
            value = Known(int(item.factors["number"]) + place % 2)
            subject, question = Subject((trial.id,)), item.asks[0].question
            readings.append(Reading(subject, question, "parser", Words("3"), "strict@1", value, provenance=judged))
    with run.lease("test") as lease:
        run.add_responses(lease, responses)
        run.add_readings(lease, readings)
    return run


def costs(document: Document) -> Table:
    (found,) = [table for table in document.tables() if table.name == "costs"]
    return found


def cells(table: Table, row: Row) -> dict[str, object]:
    return dict(zip((column.name for column in table.columns), row.cells, strict=True))


def warnings(document: Document) -> list[str]:
    (section,) = [section for section in document.sections if section.id == "costs"]
    return [block.text for block in section.blocks if isinstance(block, Paragraph) and block.is_warning]


def test_all_calls_are_summed_up_also_those_that_failed(tmp_path: Path) -> None:
    with priced(tmp_path / "run", [PAID] * 11) as run:
        table = costs(composed(run))
    (row,) = table.rows
    found = cells(table, row)
    assert (found["Model or judge"], found["Role"], found["Run"], found["Suite"]) == (
        *("talker", "model", "run", "naming"),
    )
    assert (found["Answers"], found["Failed"], found["n priced"]) == (11, 1, 11)
    assert "Price unknown" not in found
    assert (found["Tokens in"], found["Tokens out"]) == (3300, 44)
    assert found["USD"] == pytest.approx(0.022)
    each, right = found["USD per answer"], found["USD per right answer"]
    assert isinstance(each, Estimate)
    assert isinstance(right, Estimate)
    assert each.value == pytest.approx(0.002)
    assert each.n == 11
    # Of ten answers five are right.
    assert right.value == pytest.approx(0.022 / 5)
    assert right.n == found["n scored"] == 10
    assert 0.022 / 10 < right.low < right.value < right.high


def test_an_image_is_right_if_all_questions_about_it_are(tmp_path: Path) -> None:
    asks = tuple(Ask(Count(noun), "How many?", (1,)) for noun in ("apple", "pear"))
    items = [Item(f"naming/{place}", Answer(Stimulus("apples", 1, place), "?"), asks, {}) for place in range(4)]
    # Both right, one right, none right; the second question about the last could not be used.
    values = [(1, 1), (1, 2), (2, 2), (1, None)]
    with new_run(tmp_path / "run", "naming", items) as run:
        run.add_model(MODEL, is_stand_in=False)
        with run.lease("test") as lease:
            for item, told in zip(items, values, strict=True):
                trial = Trial(item.id, MODEL.text, MODEL.options)
                run.add_responses(lease, [Response(trial, Said("1"), PAID)])
                run.add_readings(lease, [read(trial, ask, value) for ask, value in zip(asks, told, strict=True)])
        table = costs(composed(run))
    found = cells(table, table.rows[0])["USD per right answer"]
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(4 * 0.002 / 1)
    assert found.n == 4


def read(trial: Trial, ask: Ask, value: int | None) -> Reading:
    read_as = Discarded("vague") if value is None else Known(value)
    return Reading(Subject((trial.id,)), ask.question, "parser", Words("?"), "strict@1", read_as)


def test_it_is_said_that_calls_about_excluded_items_are_in_the_sum(tmp_path: Path) -> None:
    with priced(tmp_path / "run", [PAID] * 11) as run:
        run.exclude(naming_items()[0].id, "misprinted")
        table = costs(composed(run))
    found = cells(table, table.rows[0])
    assert found["USD"] == pytest.approx(0.022)
    assert found["n scored"] == 9
    assert "those about excluded items included" in table.caption
    assert "calls of judges that came to nothing are not included" in table.caption


def test_what_is_not_known_is_counted_and_warned_of(tmp_path: Path) -> None:
    unpriced = replace(PAID, price_usd=None, unsettled_tries=2)
    with priced(tmp_path / "run", [PAID, unpriced, unpriced, PAID]) as run:
        document = composed(run)
    table = costs(document)
    found = cells(table, table.rows[0])
    assert (found["n priced"], found["Price unknown"], found["Unsettled tries"]) == (2, 2, 4)
    assert found["USD"] == pytest.approx(0.004)
    assert warnings(document) == [
        "The price of 2 of 4 answers is not known: sums are too low by what they cost.",
        "4 tries timed out or were cut off: they may have been paid twice.",
    ]


def test_where_only_tokens_are_known_no_price_is_made_up(tmp_path: Path) -> None:
    with priced(tmp_path / "run", [replace(PAID, price_usd=None)] * 3) as run:
        table = costs(composed(run))
    found = cells(table, table.rows[0])
    assert found["Tokens in"] == 900
    assert not [name for name in found if "USD" in name or "rice" in name]


@pytest.mark.slow
def test_what_a_judge_cost_stands_in_a_row_of_its_own(tmp_path: Path) -> None:
    with priced(tmp_path / "run", [PAID] * 5, judged=JUDGED) as run:
        table = costs(composed(run))
    found = cells(table, table.rows[1])
    assert (found["Model or judge"], found["Role"], found["Answers"], found["Tokens in"]) == ("parser", "judge", 4, 200)
    assert found["USD"] == pytest.approx(0.002)


def test_a_run_that_cost_nothing_has_no_costs(tmp_path: Path) -> None:
    with unnumbered(tmp_path / "run") as run:
        assert "costs" not in {table.name for table in composed(run).tables()}


@pytest.mark.slow
def test_costs_are_on_the_page_and_in_the_tables(written: Written) -> None:
    assert 'id="costs"' in written.html
    assert {path.suffix for path in written.tables.glob("costs.*")} == {".csv", ".md", ".tex"}
