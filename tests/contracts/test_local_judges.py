"""What every judge with weights must hold, whatever they are worth: on tiny random ones, and on the few real ones."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from subitize.errors import UnusableModelError
from subitize.evaluate.judging import JudgeTally, self_test
from subitize.interfaces import ComputesSeveral, Judge
from subitize.labels import interpret, parse_rule
from subitize.records import Boxes, Compared, Drawn, Evidence, Measured, Stored, Words
from subitize.registry import Resolved, make_judge
from subitize.store import Folder, Run
from tests.networks.coco_network import ssd_folder, yolo_folder
from tests.networks.collage_runs import paste
from tests.networks.tiny_weights import find_tiny
from tests.runs import judge_run

RANDOM = {
    "grounding-dino": "grounding-dino",
    "mm-grounding-dino": "mm-grounding-dino",
    "molmo2": "molmo2",
    "owlv2": "owlv2",
    "sam3": "sam3",
    "detr": "detr-cat-apple-dog",
    "rf-detr": "rf-detr-cat-apple-dog",
    "rt-detr": "rt-detr-cat-apple-dog",
    "clip": "clip",
    "clipscore": "clip",
    "fit:transformers": "vilt-itm",
    "dsg:transformers": "vilt-vqa",
    "vlm:transformers": "vilt-vqa",
}
# Whichever engine reads, the judge is the same, and this one is quick.
OCR = "ocr:engine=tesseract"
REAL = {"ssd": [pytest.mark.weights], "yolo": [pytest.mark.weights], OCR: [pytest.mark.tesseract, pytest.mark.detect]}
KINDS = [
    *(pytest.param(kind, marks=pytest.mark.torch) for kind in RANDOM),
    *(pytest.param(kind, marks=parts) for kind, parts in REAL.items()),
]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def spec(kind: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The judge, made of weights that are written now, or found."""
    if kind == OCR:
        return OCR
    if kind in REAL:
        return f"{kind}:{ssd_folder() if kind == 'ssd' else yolo_folder()}"
    return f"{kind}:{find_tiny(RANDOM[kind], tmp_path_factory)}"


@pytest.fixture(scope="module")
def loaded(spec: str) -> Resolved[Judge]:
    """The judge with its usual options; its weights are loaded once."""
    return make_judge(spec)


@pytest.fixture(scope="module")
def pasted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photographs of cats side by side, unjudged; there is something to ask of every judge."""
    folder = tmp_path_factory.mktemp("pasted") / "run"
    paste(Run(Folder(folder), create=True), ["cat"], range(1, 5)).close()
    return folder


def open_copy(pasted: Path, folder: Path) -> Run:
    return Run(Folder(Path(shutil.copytree(pasted, folder))))


@pytest.fixture(scope="module")
def judged(
    spec: str, pasted: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Run, Resolved[Judge], JudgeTally]]:
    """All of it judged, in batches of three."""
    judge = made(spec, 3)
    with open_copy(pasted, tmp_path_factory.mktemp("judged") / "run") as run:
        yield run, judge, judge_run(run, judge)


def made(spec: str, batch_size: int) -> Resolved[Judge]:
    return make_judge(f"{spec},batch_size={batch_size}")


def evidence(run: Run, judge: Resolved[Judge]) -> dict[tuple[str, str], Evidence]:
    return {
        (stored.reading.subject.id, stored.reading.question.id): stored.reading.evidence
        for stored in run.readings(judge.spec.text)
    }


Judged = tuple[Run, Resolved[Judge], JudgeTally]


def test_it_loads_is_made_again_from_its_spec_and_reads_by_a_known_rule(loaded: Resolved[Judge]) -> None:
    assert isinstance(loaded.obj, ComputesSeveral)
    loaded.obj.check()
    assert make_judge(loaded.spec.text).spec == loaded.spec
    assert parse_rule(loaded.obj.rule)


def test_random_weights_are_refused_and_real_ones_pass(kind: str, loaded: Resolved[Judge]) -> None:
    if kind in REAL:
        assert "passed, " in self_test(loaded)
    else:
        with pytest.raises(UnusableModelError, match=r"failed its self-test"):
            self_test(loaded)


def test_every_reading_is_its_evidence_read_by_its_rule_and_is_made_once(judged: Judged) -> None:
    run, judge, summary = judged
    readings = [stored.reading for stored in run.readings(judge.spec.text)]
    assert summary.failed == 0
    assert len(readings) == summary.readings > 0
    for one in readings:
        assert interpret(one.evidence, one.question, parse_rule(one.rule)) == one.value
        assert one.provenance is not None
        assert one.provenance.versions
    assert judge_run(run, judge).readings == 0


@pytest.mark.usefixtures("loaded_anew")
def test_alone_or_in_a_batch_it_finds_the_same(spec: str, pasted: Path, judged: Judged, tmp_path: Path) -> None:
    run, judge, _ = judged
    alone = made(spec, 1)
    with open_copy(pasted, tmp_path / "run") as other:
        judge_run(other, alone)
        one, two = evidence(run, judge), evidence(other, alone)
    assert one.keys() == two.keys()
    for key, found in one.items():
        assert_same(found, two[key])


def assert_same(one: Evidence, other: Evidence) -> None:
    match one, other:
        case Measured(score=score), Measured(score=other_score):
            assert score == pytest.approx(other_score, abs=1e-4)
        case Compared(scores=scores), Compared(scores=others):
            assert scores == pytest.approx(others, abs=1e-4)
        case Boxes(boxes=boxes), Boxes(boxes=others):
            clear = [[box for box in side if box.score > 0.0501] for side in (boxes, others)]
            assert abs(len(boxes) - len(others)) <= 2
            assert [box.label for box in clear[0]] == [box.label for box in clear[1]]
            scores_of: Sequence[list[float]] = [[box.score for box in side] for side in clear]
            assert scores_of[0] == pytest.approx(scores_of[1], abs=1e-3)
        case Words(), Words():
            assert one == other
        case pair:
            pytest.fail(f"{pair}")


def test_a_picture_that_is_damaged_costs_only_itself_and_is_looked_at_again(
    pasted: Path, judged: Judged, tmp_path: Path
) -> None:
    _, judge, summary = judged
    looked_at = {subject_id for subject_id, _ in evidence(*judged[:2])}
    with open_copy(pasted, tmp_path / "run") as run:
        stored = next(one for one in run.responses() if one.trial_id in looked_at)
        assert isinstance(stored.response.outcome, Drawn)
        assert isinstance(stored.response.outcome.picture, Stored)
        picture = run.image_files.path(stored.response.outcome.picture)
        kept = picture.read_bytes()
        picture.write_bytes(kept[: len(kept) // 2])
        spoilt = judge_run(run, judge)
        picture.write_bytes(kept)
        mended = judge_run(run, judge)
    own = sum(subject_id == stored.trial_id for subject_id, _ in evidence(*judged[:2]))
    assert spoilt.failed >= 1
    assert (spoilt.readings, mended.readings) == (summary.readings - own, own)
    assert mended.failed == 0
