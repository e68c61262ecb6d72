"""The section on how well drawings fit their prompts: whole titles, a scale per panel, no interval made up."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from subitize.analysis.frame import ReadOptions, RunFrame
from subitize.analysis.overview import read_names
from subitize.analysis.provenance import read_provenance
from subitize.frame import Frame, frame_seen
from subitize.judges.asking import graph_of
from subitize.records import Fit, Item, Known, Question, Reading, Subject, Trial, Value, Words, task_text
from subitize.report.alignment import alignment_sections
from subitize.report.figures import to_inline_svg
from subitize.report.series import ReportRun
from subitize.report.table import Figure, Paragraph, Section
from subitize.store import Run
from subitize.store.reading import read_readings, read_responses
from tests.judges.drawn_prompts import EXACT, item, new_run, store
from tests.samples import trial

ITEMS = [item(0, "2 red dogs above a cat."), item(1, "Three apples.")]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A drawing of each of two prompts, of which nobody has said anything."""
    run = new_run(tmp_path / "run", ITEMS)
    store(run, [(trial(one, model=EXACT), b"\x89PNG") for one in ITEMS])
    return run


def read(run: Run, of: Trial, given: Mapping[Question, Value], judge: str) -> None:
    readings = [Reading(Subject((of.id,)), one, judge, Words(""), "strict@2", value) for one, value in given.items()]
    with run.lease("judge") as lease:
        run.add_readings(lease, readings)


def fit(one: Item, score: float) -> dict[Question, Value]:
    return {Fit(task_text(one.task)): Known(score)}


def section_of(run: Run) -> Section:
    readings, observed = read_readings(run), Frame(frame_seen([]).rows, {item.id: item for item in run.items()})
    survey = RunFrame(run, ReadOptions(), read_responses(run), readings, observed)
    (section,) = alignment_sections([ReportRun("run", run, survey, read_provenance(run), read_names(run))])
    return section


def chart(section: Section) -> Figure:
    (found,) = [block for block in section.blocks if isinstance(block, Figure)]
    return found


LONG = "fit:transformers:an-organisation/a-model-with-a-long-name-7B-instruct,dtype=bfloat16"


@pytest.mark.slow
def test_each_panel_has_a_scale_of_its_own_and_its_whole_title(run: Run) -> None:
    for place, one in enumerate(ITEMS):
        read(run, trial(one, model=EXACT), fit(one, place / 10), LONG)
        read(run, trial(one, model=EXACT), fit(one, 20.0 + place), "fit:other")
    figure = chart(section_of(run))
    assert figure.spec["resolve"] == {"scale": {"x": "independent"}}
    titles = list(dict.fromkeys(point["model"] for point in figure.spec["data"]["values"]))
    assert [title.replace("\n", "") for title in titles] == ["fitfit:other", f"fit{LONG}"]
    lines = titles[1].split("\n")
    assert max(map(len, lines)) <= 36
    drawn = re.findall(r">([^<>]+)<", to_inline_svg(figure))
    assert set(lines) <= set(drawn)
    assert not any("…" in text for text in drawn)


def test_where_there_is_no_interval_none_is_drawn_or_told(run: Run) -> None:
    for place, one in enumerate(ITEMS):
        read(run, trial(one, model=EXACT), fit(one, 0.0), "clipscore:w/clip")
        read(run, trial(one, model=EXACT), fit(one, place / 10), "fit:other")
    figure = chart(section_of(run))
    alike, varied = figure.spec["data"]["values"]
    assert (alike["low"], alike["high"]) == (None, None)
    assert varied["low"] < varied["value"] < varied["high"]
    assert "A hollow point has no interval" in figure.caption
    assert figure.data.rows[0].cells[4:6] == (0.0, 2)


def test_measures_are_explained_in_one_sentence_and_no_title_is_said_twice(run: Run) -> None:
    for one in ITEMS:
        answers: dict[Question, Value] = {node.ask.question: Known(node.ask.expects[0]) for node in graph_of(one)}
        read(run, trial(one, model=EXACT), answers | fit(one, 0.2), "a judge")
    section = section_of(run)
    note = section.blocks[0]
    assert isinstance(note, Paragraph)
    assert re.fullmatch(r"Here graph is [^.]*; fit is [^.]*\.", note.text)
    assert chart(section).title != section.title
