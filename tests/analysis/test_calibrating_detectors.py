"""A real network's threshold is found again from the counts of people who count as if by it."""

from pathlib import Path

import numpy as np
import pytest

from subitize.analysis.calibration import Search, calibrate
from subitize.interfaces import NoEvents
from subitize.labels import interpret, parse_rule
from subitize.networks.collages import PHOTO_NOUNS
from subitize.records import Count, Known, Reading, Spec, Words
from subitize.registry import make_judge
from subitize.store import Folder, Run
from tests.commands import call
from tests.networks.coco_network import yolo_folder
from tests.networks.collage_runs import paste
from tests.runs import judge_run

pytestmark = pytest.mark.weights
TRUE_THRESHOLD = 0.37


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return count(tmp_path_factory.mktemp("calibrating") / "run", repeats=1)


def count(folder: Path, repeats: int) -> tuple[Path, str]:
    """Have the network judge collages, and three people each of whom errs in one picture of twenty."""
    judge = make_judge(f"yolo:{yolo_folder()},floor=0.01")
    random = np.random.default_rng(1)
    with Run(Folder(folder), create=True) as run:
        paste(run, PHOTO_NOUNS, range(1, 7), repeats=repeats)
        judge_run(run, judge)
        people = []
        for stored in run.readings(judge.spec.text):
            seen = stored.reading
            if not isinstance(seen.question, Count):
                continue
            as_if = interpret(seen.evidence, seen.question, parse_rule(f"boxes>={TRUE_THRESHOLD},iou=0.45"))
            assert isinstance(as_if, Known)
            assert isinstance(as_if.value, int)
            for person in ("one", "two", "three"):
                number = as_if.value + (1 if random.random() < 0.05 else 0)
                words = Words(str(number))
                people.append(
                    Reading(seen.subject, seen.question, "human", words, "strict@2", Known(number), annotator=person)
                )
        run.add_judge(Spec("human", {}, "human"), is_stand_in=False)
        with run.lease("judge human") as lease:
            run.add_readings(lease, people)
    return folder, judge.spec.text


def test_the_threshold_by_which_people_counted_is_found_again(counted: tuple[Path, str]) -> None:
    assert_found_again(*counted, pictures=24)


@pytest.mark.proof("subitize.analysis.calibration", "subitize.networks.detectors")
def test_the_threshold_is_found_again_from_three_times_as_many_pictures(tmp_path: Path) -> None:
    assert_found_again(*count(tmp_path / "run", repeats=3), pictures=72)


def assert_found_again(folder: Path, judge: str, pictures: int) -> None:
    with Run(Folder(folder)) as run:
        found = calibrate(run, Search(judge), NoEvents())
    assert found.result.n == pictures
    assert found.result.threshold == pytest.approx(TRUE_THRESHOLD, abs=0.05)
    at_true = next(point for point in found.curve if point.threshold == pytest.approx(TRUE_THRESHOLD))
    assert found.best.nae is not None
    assert at_true.nae is not None
    assert found.best.nae.value <= at_true.nae.value <= 0.01
    assert found.result.nae is not None
    assert found.result.nae.value < 0.05


def test_a_saved_calibration_is_the_rule_of_later_runs(
    counted: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, judge = counted
    monkeypatch.setenv("SUBITIZE_HOME", str(tmp_path / "home"))
    figure = tmp_path / "nae.png"
    done = call(
        "agree", "calibrate", folder, "--judge", judge, "--against", "human", "--save", "collages", "--figure", figure
    )
    assert done.code == 0, done.err
    assert figure.stat().st_size > 10_000
    assert "collages" in call("list", "calibrations").out
    scored = call("score", folder, "--judge", judge, "--rule", "calibrated:collages", "--json")
    assert scored.code == 0, scored.err


def test_a_rule_for_judging_keeps_of_the_judges_own_what_it_does_not_name(tmp_path: Path) -> None:
    judge = f"yolo:{yolo_folder()},self_test=false"
    with Run(Folder(tmp_path / "run"), create=True) as run:
        paste(run, PHOTO_NOUNS[:1], [1])
        done = call("judge", tmp_path / "run", "--judge", judge, "--rule", "boxes>=0.3")
        assert done.code == 0, done.err
        assert {one.reading.rule for one in run.readings()} == {"boxes@1>=0.3,iou=0.45"}
