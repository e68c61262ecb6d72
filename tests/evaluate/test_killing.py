"""A run killed at any moment and started again ends as if nothing had happened."""

import hashlib
import random
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from subitize.records import Drawn, Stored, Trial
from subitize.registry import make_suite
from subitize.store import Folder, Location, Run
from tests.commands import start, subitize

SUITE = "production:categories=apples+dots"
MODEL = "noisy:longest_ms=100"
PROOF = pytest.mark.proof("subitize.evaluate", "subitize.store")


@pytest.mark.slow
def test_a_run_killed_at_work_loses_nothing_doubles_nothing_and_leaves_no_orphan(location: Location) -> None:
    _kill(location, kills=1, repeats=4)


@pytest.mark.timeout(280)
@PROOF
def test_a_run_killed_again_and_again_loses_nothing_doubles_nothing_and_leaves_no_orphan(location: Location) -> None:
    _kill(location, kills=25, repeats=45)


def _kill(location: Location, *, kills: int, repeats: int) -> None:
    command = ["run", SUITE, "--model", MODEL, "--repeats", repeats, "--judge", "none", *_where(location)]
    moments = random.Random(20)
    stored_before = 0
    kills_at_work = 0
    for kill in range(kills):
        process = start(*command)
        if kill % 5 == 4:
            time.sleep(moments.uniform(0.0, 1.5))
        else:
            _wait_for_more(location, stored_before)
            time.sleep(moments.uniform(0.0, 0.08))
        was_running = process.poll() is None
        process.kill()
        process.communicate()
        stored = _stored(location)
        kills_at_work += was_running and stored > stored_before
        stored_before = stored
        _check_images(location, are_all_wanted=False)
    assert kills_at_work >= 0.6 * kills, "the kills must have hit the process at work"

    finished = subitize(*command)
    assert finished.code == 0, finished.err
    with Run(location) as run:
        planned = Counter(
            Trial(item.id, MODEL, {"longest_ms": "100"}, repeat).id
            for item in make_suite(SUITE).obj.items(0)
            for repeat in range(repeats)
        )
        assert Counter(response.trial_id for response in run.responses()) == planned
    assert _stored(location) == planned.total(), "no row beside the one per trial"
    _check_images(location, are_all_wanted=True)


@pytest.mark.timeout(120)
@PROOF
def test_a_computing_model_and_its_judge_killed_at_work_answer_and_read_everything_once(tmp_path: Path) -> None:
    location = Folder(tmp_path / "run")
    command = [
        "run",
        "naming:images=10,size_px=256,categories=apples+dots,wordings=category,control_question=false",
        "--model",
        "ideal-human",
        *_where(location),
    ]
    for table in ("responses", "responses", "readings"):
        process = start(*command)
        _wait_for_more(location, _stored(location, table), table)
        process.kill()
        process.communicate()
    finished = subitize(*command)
    assert finished.code == 0, finished.err
    with Run(location) as run:
        answered = Counter(stored.trial_id for stored in run.responses())
        assert answered.total() == len(answered) == 200
        assert Counter(stored.reading.subject.id for stored in run.readings()) == answered


COUNTS = """
import sys, time
for line in sys.stdin:
    time.sleep(0.05)
    print(3)
"""


@pytest.mark.timeout(120)
@PROOF
def test_a_model_and_a_judge_killed_in_the_middle_of_a_batch_answer_and_read_everything_once(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(COUNTS)
    counter = f"counter:{sys.executable} {script},batch_size=4"
    naming = "naming:images=4,size_px=128,categories=apples,wordings=category,control_question=false"
    draw = "production:categories=apples,numbers=1-8"
    commands = {
        "responses": ["run", naming, "--no-sight-check", "--model", counter, *_where(Folder(tmp_path / "named"))],
        "readings": ["judge", tmp_path / "drawn", "--judge", counter],
    }
    location = Folder(tmp_path / "drawn")
    drawn = subitize(
        "run", draw, "--model", "painter:size_px=128", "--repeats", 4, "--judge", "none", *_where(location)
    )
    assert drawn.code == 0, drawn.err
    for table, folder in (("responses", tmp_path / "named"), ("readings", tmp_path / "drawn")):
        for _ in range(3):
            process = start(*commands[table])
            _wait_for_more(Folder(folder), _stored(Folder(folder), table), table)
            assert process.poll() is None, "the kill must hit it at work"
            process.kill()
            process.communicate()
        finished = subitize(*commands[table])
        assert finished.code == 0, finished.err
    with Run(Folder(tmp_path / "named")) as run:
        assert sorted(Counter(stored.trial_id for stored in run.responses()).values()) == [1] * 40
    with Run(location) as run:
        assert sorted(Counter(stored.reading.subject.id for stored in run.readings()).values()) == [1] * 32


@pytest.mark.timeout(120)
@PROOF
def test_processes_with_different_models_work_and_judge_on_one_run_at_once(location: Location) -> None:
    suite = "naming:images=5,size_px=128,categories=apples+dots,wordings=category,control_question=false"
    models = ["instant", "random", "refusing", "apologetic"]
    with Run(location, create=True):
        pass
    processes = [start("run", suite, "--model", model, *_where(location)) for model in models]
    for process in processes:
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
    with Run(location) as run:
        assert Counter(stored.response.trial.model for stored in run.responses()) == dict.fromkeys(models, 100)


@pytest.mark.timeout(120)
@PROOF
def test_two_processes_started_on_one_run_do_not_do_the_same_trial(location: Location) -> None:
    command = ["run", SUITE, "--model", MODEL, "--repeats", 15, "--judge", "none", *_where(location)]
    first, second = start(*command), start(*command)
    ends = [(process.communicate(timeout=100), process.returncode) for process in (first, second)]
    codes = sorted(code for _, code in ends)
    assert codes == [0, 2], ends
    refused = next(err for (_, err), code in ends if code == 2)
    assert "is being worked on by process" in refused
    assert _stored(location) == 20 * 15
    _check_images(location, are_all_wanted=True)


def _where(location: Location) -> list[object]:
    if isinstance(location, Folder):
        return ["--out", location.path]
    return ["--out", location.run_id, "--database", location.url, "--images", location.images]


def _wait_for_more(location: Location, before: int, table: str = "responses") -> None:
    deadline = time.monotonic() + 60
    while _stored(location, table) <= before:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.02)


def _stored(location: Location, table: str = "responses") -> int:
    """Count the rows as they are, without the code under test."""
    query = f"SELECT count(*) FROM {table}"
    if isinstance(location, Folder):
        file = f"file:{location.path / 'run.sqlite'}?mode=rw"
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, uri=True)) as connection:
            return int(connection.execute(query).fetchone()[0])
        return 0  # the tables are not made yet
    url = location.url.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url, connect_args={"options": "-c search_path=subitize"})
    try:
        with engine.connect() as opened:
            return int(opened.execute(text(query)).scalar_one())
    except Exception:  # the tables are not made yet
        return 0
    finally:
        engine.dispose()


def _check_images(location: Location, *, are_all_wanted: bool) -> None:
    """Every image a row names is there, whole; and if all work is done, no other file is."""
    root = location.path / "images" if isinstance(location, Folder) else location.images
    files = {path.name: path for path in root.rglob("*") if path.is_file()}
    if _stored(location) == 0:
        return
    with Run(location) as run:
        outcomes = [stored.response.outcome for stored in run.responses()]
    pictures = [outcome.picture for outcome in outcomes if isinstance(outcome, Drawn)]
    named = {f"{picture.hash}.{picture.format}" for picture in pictures if isinstance(picture, Stored)}
    assert len(named) == len(outcomes)
    for name in named:
        assert hashlib.sha256(files[name].read_bytes()).hexdigest() == Path(name).stem
    if are_all_wanted:
        assert files.keys() == named
