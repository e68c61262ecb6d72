"""What every judge must hold, run on those that can be right about our drawings; the others: test_local_judges.py."""

import sys
from pathlib import Path

import pytest

from subitize.interfaces import Computes, ComputesSeveral, Judge, Responds
from subitize.labels import parse_rule
from subitize.records import Count, Drawn, Fit, Known, Outcome, Said, Stimulus, Stored
from subitize.registry import Resolved, make_judge, make_model, make_suite
from subitize.report.listing import listings
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.runs import judge_run, run_suite

LOCAL = {
    *("clip", "clipscore", "detr", "dsg", "fit", "grounding-dino", "mm-grounding-dino", "molmo2", "ocr", "owlv2"),
    *("rf-detr", "rt-detr", "sam3", "ssd", "yolo"),
}
OUTCOMES: list[Outcome] = [Said("3 apples"), Drawn(Stored("0" * 64, "png"))]
PICTURES = {number: render(Stimulus("apples", number, 1, 256)).png for number in (1, 2, 3)}
# It knows them by what they weigh.
COUNTS = f"""
import os, sys
for line in sys.stdin:
    print({ {len(png): number for number, png in PICTURES.items()} }[os.stat(line.rstrip("\\n")).st_size])
"""


@pytest.fixture(params=[listing.name for listing in listings("judges") if listing.name not in LOCAL])
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Resolved[Judge]:
    if request.param == "counter":
        (tmp_path / "count.py").write_text(COUNTS)
        return make_judge(f"counter:{sys.executable} -IS {tmp_path / 'count.py'}")
    return make_judge({"parts": "parts:observer", "vlm": "vlm:observer"}.get(request.param, request.param))


@pytest.fixture
def run(judge: Resolved[Judge], tmp_path: Path) -> Run:
    """A run with right answers of the kind that the judge looks at, unjudged."""
    run = Run(Folder(tmp_path / "run"), create=True)
    if judge.obj.can_answer(Count("apple"), OUTCOMES[:1]):
        suite = (
            "naming:images=2,numbers=1-3,size_px=256,categories=apples+dots,wordings=category,control_question=false"
        )
        model = "observer"
    else:
        folder = tmp_path / "pictures"
        folder.mkdir()
        for number, png in PICTURES.items():
            (folder / f"apples_{number}.png").write_bytes(png)
        suite, model = "production:numbers=1-3,categories=apples", f"folder:{folder}"
    run_suite(run, make_suite(suite), make_model(model), repeats=1)
    return run


def test_it_looks_at_something_and_reads_by_a_known_rule(judge: Resolved[Judge]) -> None:
    assert any(judge.obj.can_answer(Count("apple"), [outcome]) for outcome in OUTCOMES)
    assert not any(judge.obj.can_answer(Fit("three apples"), [outcome]) for outcome in OUTCOMES)
    assert parse_rule(judge.obj.rule)
    assert sum(isinstance(judge.obj, shape) for shape in (Responds, Computes, ComputesSeveral)) == 1


def test_it_is_made_again_from_its_spec(judge: Resolved[Judge]) -> None:
    assert make_judge(judge.spec.text).spec == judge.spec


def test_it_reads_right_answers_as_right_once_and_keeps_the_evidence(judge: Resolved[Judge], run: Run) -> None:
    summary = judge_run(run, judge)
    assert (summary.readings, summary.failed, summary.unanswerable) == (len(run.items()), 0, 0)
    assert judge_run(run, judge).readings == 0
    expected = {
        stored.trial_id: item.asks[0].expects[0]
        for stored in run.responses()
        for item in run.items()
        if item.id == stored.response.trial.item_id
    }
    for stored in run.readings(judge.spec.text):
        reading = stored.reading
        assert reading.value == Known(expected[reading.subject.id])
        assert reading.evidence
        assert reading.rule == str(parse_rule(judge.obj.rule))
