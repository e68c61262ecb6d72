"""Detectors as judges: a real COCO network on real photographs, and what is kept, refused and said."""

import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from PIL import Image

from subitize.errors import UnusableModelError
from subitize.evaluate.judging import JudgeTally, self_test
from subitize.interfaces import ComputesSeveral, Judge, JudgeQuestion, JudgeRequest
from subitize.labels import interpret, parse_rule
from subitize.networks.collages import make_collage
from subitize.records import Boxes, Confirm, Count, Drawn, Fit, Known, Place, Said, Scalar, Stored
from subitize.registry import make_judge
from subitize.store import Folder, Run
from tests.commands import call
from tests.networks.coco_network import ssd_folder
from tests.networks.collage_runs import paste
from tests.runs import judge_run

pytestmark = pytest.mark.weights

PICTURE = [Drawn(Stored("0" * 64, "png"))]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, JudgeTally]]:
    """Collages of cats and motorcycles, judged by the real network."""
    judge = make_judge(f"ssd:{ssd_folder()}")
    with Run(Folder(tmp_path_factory.mktemp("collages") / "run"), create=True) as run:
        paste(run, ["cat", "motorcycle"], [1, 2, 3])
        yield run, judge_run(run, judge)


def test_counts_and_statements_about_photographs_are_read_off_boxes(judged: tuple[Run, JudgeTally]) -> None:
    run, summary = judged
    assert (summary.readings, summary.failed, summary.unanswerable) == (12, 0, 0)
    expected = {
        (stored.trial_id, ask.question.id): Known(ask.expects[0])
        for stored in run.responses()
        for item in run.items()
        if item.id == stored.response.trial.item_id
        for ask in item.asks
    }
    readings = [stored.reading for stored in run.readings()]
    right = sum(one.value == expected[one.subject.id, one.question.id] for one in readings)
    assert right >= 11
    assert {one.rule for one in readings} == {str(parse_rule(make_judge(f"ssd:{ssd_folder()}").obj.rule))}


def test_boxes_below_the_threshold_are_kept_and_count_under_another_rule(judged: tuple[Run, JudgeTally]) -> None:
    run, _ = judged
    readings = [stored.reading for stored in run.readings() if isinstance(stored.reading.question, Count)]
    scores = [box.score for one in readings if isinstance(one.evidence, Boxes) for box in one.evidence.boxes]
    assert min(scores) < 0.3 <= max(scores)
    assert min(scores) >= 0.05
    for one in readings:
        counts = [interpret(one.evidence, one.question, parse_rule(f"boxes>={at}")) for at in (0.99, 0.3, 0.05)]
        numbers = [count.value for count in counts if isinstance(count, Known) and isinstance(count.value, int)]
        assert len(numbers) == 3
        assert numbers == sorted(numbers)


def test_every_box_says_what_was_asked_for_and_whose_weights_found_it(judged: tuple[Run, JudgeTally]) -> None:
    run, _ = judged
    for stored in run.readings():
        reading = stored.reading
        assert isinstance(reading.evidence, Boxes)
        nouns = {reading.question.noun} if isinstance(reading.question, Count) else {"cat", "motorcycle"}
        assert {box.label for box in reading.evidence.boxes} <= nouns
        assert reading.provenance is not None
        assert len(reading.provenance.weights_hash or "") == 64
        assert reading.provenance.versions["opencv"]


def test_what_was_looked_for_is_told_of_each_picture_whatever_was_beside_it(judged: tuple[Run, JudgeTally]) -> None:
    run, _ = judged
    sent = {
        (stored.reading.provenance.prompt_sent, stored.reading.question.noun)
        for stored in run.readings()
        if stored.reading.provenance is not None and isinstance(stored.reading.question, Count)
    }
    assert sent == {("cat", "cat"), ("motorcycle", "motorcycle")}


@pytest.mark.parametrize(
    ("options", "told"), [("", "passed, counted "), (",self_test=false", "left out (self_test=false)")]
)
def test_what_came_of_the_self_test_is_told_with_every_reading(options: str, told: str) -> None:
    judge = make_judge(f"ssd:{ssd_folder()}{options}")
    assert "self_test" not in _parameters(judge.obj)
    assert told in self_test(judge)
    said = str(_parameters(judge.obj)["self_test"])
    assert said.startswith(told)
    assert "its 90 are taken for those of COCO" in said


def _parameters(judge: Judge) -> Mapping[str, Scalar]:
    assert isinstance(judge, ComputesSeveral)
    file = io.BytesIO()
    Image.fromarray(make_collage(["cat"], 1).pixels).save(file, "PNG")
    exhibit = JudgeRequest((PICTURE[0],), (JudgeQuestion(Count("cat"), "How many cats?"),), lambda _: file.getvalue())
    ((finding,),) = judge.compute_all([exhibit])
    parameters: Mapping[str, Scalar] = finding.provenance.parameters
    return parameters


def test_what_it_cannot_tell_is_named() -> None:
    judge = make_judge(f"ssd:{ssd_folder()}").obj
    assert judge.why_not(Count("seed", "turquoise")) == "cannot see 'seed'"
    assert judge.why_not(Count("cat", "turquoise")) == "cannot tell the colour 'turquoise'"
    assert judge.why_not(Count("cat", "red")) == judge.why_not(Fit("three cats")) == ""


def test_it_says_what_it_can_see() -> None:
    judge = make_judge(f"ssd:{ssd_folder()}").obj
    assert judge.can_answer(Count("cat"), PICTURE)
    assert judge.can_answer(Count("plane", "red"), PICTURE)
    assert judge.can_answer(Count("cat", place=Place("left of", "dog")), PICTURE)
    assert judge.can_answer(Confirm("there are no cats", is_informed=False), PICTURE)
    assert not judge.can_answer(Count("cat", "turquoise"), PICTURE)
    assert not judge.can_answer(Count("seed"), PICTURE)
    assert not judge.can_answer(Count("cat", place=Place("left of", "seed")), PICTURE)
    assert not judge.can_answer(Count("cat"), [Said("3 cats")])
    assert not judge.can_answer(Count("cat"), PICTURE * 2)
    assert not judge.can_answer(Fit("three cats"), PICTURE)


def test_what_it_cannot_see_is_named(tmp_path: Path) -> None:
    suite = "production:numbers=1-2,categories=apples+butterflies"
    call("run", suite, "--model", "painter:size_px=128", "--repeats", "1", "--judge", "none", "--out", tmp_path / "run")
    done = call("judge", tmp_path / "run", "--judge", f"ssd:{ssd_folder()},self_test=false")
    assert done.code == 0, done.err
    assert "2 new readings, 2 questions it cannot answer (cannot see 'butterfly')" in done.out


def test_a_detector_with_wrong_labels_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    swapped = {1: "motorcycle", 4: "person", 17: "cup", 47: "cat"}  # COCO's numbers
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"{swapped.get(number, f'thing {number}')}\n" for number in range(1, 91)))
    judge = make_judge(f"ssd:{ssd_folder()},labels={labels}")
    with pytest.raises(UnusableModelError, match=r"failed its self-test: "):
        self_test(judge)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("threshold=0.01", "threshold=0.01 is below floor=0.05"),
        ("threshold=1.5", "threshold=1.5: should be from 0 to 1"),
        ("iou=-1", "iou=-1: should be from 0 to 1"),
        ("batch_size=0", "batch_size=0: should be at least 1"),
        ("thresold=0.4", "has no option 'thresold'"),
    ],
)
def test_options_that_mean_nothing_are_refused(tmp_path: Path, options: str, said: str) -> None:
    Run(Folder(tmp_path / "run"), create=True).close()
    done = call("judge", tmp_path / "run", "--judge", f"ssd:{ssd_folder()},{options}")
    assert done.code == 2
    assert said in done.err


def test_threshold_and_overlap_make_another_judge_but_batches_do_not() -> None:
    one, other = (make_judge(f"ssd:{ssd_folder()}{more}").spec.text for more in ("", ",batch_size=2"))
    assert one == other != make_judge(f"ssd:{ssd_folder()},threshold=0.4").spec.text
