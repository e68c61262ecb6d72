"""Calibrations that are kept by name."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import date
from math import inf
from pathlib import Path

import pytest

from subitize.errors import BadFileError, BadValueError, StorageError, UnknownNameError
from subitize.labels import Rule, calibrations, make_rule
from subitize.labels.calibrations import Calibrated
from subitize.records import Estimate

FOUND = Calibrated(
    "grounding-dino:weights",
    "human",
    0.4,
    0.95,
    "nae",
    4000,
    10,
    Estimate(0.05, 0.04, 0.06, 3990, "mean"),
    Estimate(0.8, 0.7, 0.9, 4000, "mean"),
    date(2026, 1, 2),
    "0.1",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUBITIZE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_what_is_saved_is_loaded_again_and_is_a_rule(home: Path) -> None:
    path = calibrations.save("dino", FOUND)
    assert path == home / "calibrations" / "dino.json"
    assert calibrations.load("dino") == FOUND
    assert str(make_rule(calibrations.load("dino"))) == "boxes@1>=0.4,iou=0.95"
    assert make_rule(replace(FOUND, iou=1.0)) == Rule("boxes", 0.4, 1.0)
    assert calibrations.list_all() == ({"dino": FOUND}, [])
    assert json.loads(path.read_text())["nae"]["value"] == 0.05


def test_an_interval_without_an_upper_end_is_kept() -> None:
    endless = replace(FOUND, nae=Estimate(0.2, 0.0, inf, 3, "mean, one cluster alone"))
    path = calibrations.save("dino", endless)
    assert calibrations.load("dino") == endless
    kept = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    kept["nae"]["high"] = None  # as it was once written
    path.write_text(json.dumps(kept))
    assert calibrations.load("dino") == endless


@pytest.mark.parametrize("text", ["", "{", "[]", '{"judge": 3}', '{"nae": {"high": null}}'])
def test_one_that_cannot_be_read_is_replaced_if_told_so(home: Path, text: str) -> None:
    path = calibrations.save("dino", FOUND)
    path.write_text(text)
    with pytest.raises(BadValueError, match=r"'dino' cannot be read .*`save`, or replace it with `force`"):
        calibrations.save("dino", FOUND)
    calibrations.save("dino", FOUND, force=True)
    assert calibrations.load("dino") == FOUND


def test_without_a_home_they_are_with_the_users_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUBITIZE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert calibrations.folder() == tmp_path / "data" / "subitize" / "calibrations"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert calibrations.folder() == tmp_path / ".local" / "share" / "subitize" / "calibrations"


def test_only_another_judges_calibration_is_kept_from_being_replaced() -> None:
    calibrations.save("dino", FOUND)
    calibrations.save("dino", replace(FOUND, threshold=0.5))
    assert calibrations.load("dino").threshold == 0.5
    other = replace(FOUND, judge="detr:weights")
    with pytest.raises(
        BadValueError, match=r"'dino' is of judge 'grounding-dino:weights', not 'detr:weights'.*`force`"
    ):
        calibrations.save("dino", other)
    calibrations.save("dino", other, force=True)
    assert calibrations.load("dino") == other


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x" * 81, "ü", "a\n"])
def test_a_name_that_is_no_file_name_is_refused(name: str) -> None:
    with pytest.raises(BadValueError, match="should be letters, digits"):
        calibrations.load(name)
    with pytest.raises(BadValueError, match="should be letters, digits"):
        calibrations.save(name, FOUND)


@pytest.mark.parametrize("judge", ["grounding-dino:/a b/w,floor=0.1", "../..", "", "ü", "x" * 300, "-a"])
def test_every_judge_has_a_name_that_can_be_used(judge: str) -> None:
    name = calibrations.name_safely(judge)
    calibrations.save(name, FOUND)
    assert calibrations.load(name) == FOUND


def test_an_unknown_name_lists_the_known() -> None:
    calibrations.save("dino", FOUND)
    with pytest.raises(UnknownNameError, match="no calibration named 'x'; known: dino"):
        calibrations.load("x")


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"judge": 3}'])
def test_a_broken_file_says_what_to_do_and_hides_no_other(home: Path, text: str) -> None:
    calibrations.save("good", FOUND)
    (home / "calibrations" / "bad.json").write_text(text)
    with pytest.raises(BadFileError, match=r"bad\.json: .*; delete it, and calibrate again"):
        calibrations.load("bad")
    found, faults = calibrations.list_all()
    assert list(found) == ["good"]
    assert len(faults) == 1


def test_a_home_that_cannot_be_written_to_says_so(home: Path) -> None:
    home.write_text("a file")
    with pytest.raises(StorageError, match="set SUBITIZE_HOME"):
        calibrations.save("dino", FOUND)


def test_a_home_that_is_a_file_is_not_taken_for_an_empty_one(home: Path) -> None:
    home.write_text("a file")
    for look in (calibrations.names, calibrations.list_all, lambda: calibrations.load("dino")):
        with pytest.raises(StorageError, match=r"cannot read .*: Not a directory; set SUBITIZE_HOME to a folder"):
            look()


def test_others_may_read_what_is_kept_as_the_umask_says() -> None:
    before = os.umask(0o022)
    try:
        path = calibrations.save("dino", FOUND)
    finally:
        os.umask(before)
    assert stat.filemode(path.stat().st_mode) == "-rw-r--r--"


_WRITER = """
from dataclasses import replace
from subitize.labels import calibrations
found, n = calibrations.load("dino"), 0
while True:
    n += 1
    calibrations.save("dino", replace(found, n=n, version="v" * 50_000))
"""


@pytest.mark.proof("subitize.labels.calibrations")
def test_a_killed_writer_leaves_a_whole_file() -> None:
    for _ in range(3):
        calibrations.save("dino", FOUND)
        with subprocess.Popen([sys.executable, "-c", _WRITER]) as writer:
            while calibrations.load("dino").version == FOUND.version:
                assert writer.poll() is None
            for _ in range(100):
                assert calibrations.load("dino").judge == FOUND.judge
            writer.kill()
        assert calibrations.load("dino").judge == FOUND.judge
        assert calibrations.names() == ["dino"]
