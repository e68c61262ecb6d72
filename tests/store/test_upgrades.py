"""A run of an earlier version is brought up to date when it is opened, whole or not at all, and says what it said."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from subitize.errors import BadValueError, BusyError, StorageError
from subitize.records import Design, Known, Provenance, Subject, Words
from subitize.store import Database, Folder, Location, Run, StoredReading
from subitize.store.reading import READING, read_readings, trace_readings
from subitize.store.rows import count_by_source, list_sources, read_designs, read_values
from subitize.store.upgrades import upgrade_statements
from tests.commands import call
from tests.goldens.kept_runs import copy_run, expected
from tests.goldens.texts import without_last_digits
from tests.samples import MODEL, SUITE, drawing_item, naming_item, reading, response, trial
from tests.store.disks import read_only
from tests.store.earlier_schemas import EARLIER, open_engine, take_back

ITEMS = [naming_item(index) for index in range(4)]
ASKS_AGAIN = replace(SUITE, name="production", options={"max_attempts": "1"})


@pytest.fixture(params=EARLIER, ids=lambda version: f"schema {version}")
def version(request: pytest.FixtureRequest) -> int:
    """An earlier version."""
    found: int = request.param
    return found


def _fill(run: Run, *, has_provenance: bool = True) -> None:
    """Put readings of all kinds into a run: of several judges, of people, of a group, and one that replaces another."""
    run.add_suite(SUITE, 5, ITEMS)
    run.add_suite(ASKS_AGAIN, 5, [drawing_item()], Design(asks_again=True))
    run.add_model(MODEL, is_stand_in=True)
    trials = [trial(item) for item in ITEMS]
    how = Provenance(7, "How many?", revision="r") if has_provenance else None
    group = replace(reading(trials[0], "4", annotator="bo"), subject=Subject(tuple(one.id for one in trials)))
    with run.lease("m") as lease:
        run.add_responses(lease, [response(one) for one in trials])
        run.add_readings(lease, [reading(one) for one in trials])
        run.add_readings(lease, [reading(trials[0], "5", annotator="ada"), group])
        run.add_readings(lease, [replace(reading(trials[1]), judge="vlm", provenance=how)])
        first = next(iter(run.readings("human")))
        run.add_readings(lease, [replace(reading(trials[0], "6", annotator="ada"), replaces=first.id)])


def _read_all(run: Run) -> list[object]:
    return [
        list(run.readings()),
        list(run.readings("human")),
        read_readings(run, columns=(*READING, "evidence", "question_record")).rows(named=True),
        trace_readings(run).rows(named=True),
        list(read_values(run, "human")),
        list_sources(run),
        count_by_source(run),
        sorted(run.answered("human")),
    ]


def _make(location: Location, version: int) -> list[object]:
    """Make a run of an earlier version; return what is in it."""
    with Run(location, create=True) as run:
        _fill(run, has_provenance=version > 1)
        kept = _read_all(run)
    take_back(location, version)
    return kept


@pytest.mark.slow
def test_an_earlier_run_keeps_what_it_has_and_goes_on(location: Location, version: int) -> None:
    kept = _make(location, version)
    for _ in range(2):
        with Run(location) as run:
            assert _read_all(run) == kept
            assert read_designs(run) == {"naming": Design(), "production": Design(asks_again=True)}
            run.add_suite(SUITE, 5, ITEMS)
    with Run(location) as run, run.lease("m") as lease:
        before = list(run.readings())
        run.add_readings(lease, [reading(trial(ITEMS[2]), "7", annotator="ada")])
        after = list(run.readings())
    assert after[:-1] == before
    assert after[-1].id > max(one.id for one in before)
    assert after[-1].reading.value == Known(7)


def test_an_earlier_run_without_readings_is_brought_up_to_date(location: Location, version: int) -> None:
    Run(location, create=True).close()
    take_back(location, version)
    with Run(location) as run:
        run.add_suite(SUITE, 5, ITEMS)
        with run.lease("m") as lease:
            run.add_readings(lease, [reading(trial(ITEMS[0]))])
        assert [one.reading for one in run.readings()] == [reading(trial(ITEMS[0]))]


def _describe_tables(location: Location) -> object:
    """Say which columns and indexes the tables have."""
    engine = open_engine(location)
    query = (
        "SELECT m.name, p.name, p.type FROM sqlite_schema m, pragma_table_info(m.name) p ORDER BY m.name, p.cid"
        if isinstance(location, Folder)
        else "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'subitize'::regnamespace AND a.attnum > 0 "
        "AND NOT a.attisdropped ORDER BY 1, 2"
    )
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return sorted(found)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_an_upgraded_run_has_the_tables_of_a_new_one(
    kind: str, version: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    def locate(name: str) -> Location:
        if kind == "sqlite":
            return Folder(tmp_path / name)
        return Database(request.getfixturevalue("postgres").new_database(), "run", tmp_path)

    new, old = locate("new"), locate("old")
    for location in (new, old):
        Run(location, create=True).close()
    take_back(old, version)
    assert _describe_tables(old) != _describe_tables(new)
    Run(old).close()
    assert _describe_tables(old) == _describe_tables(new)


# Opens a run, and is killed before the so-manieth statement of the upgrade.
_KILLED = """
import os, signal, sys
from pathlib import Path
from subitize.store import Folder, Run, database
original, left = database.upgrade_statements, [int(sys.argv[2])]
def killed(*arguments):
    for statement in original(*arguments):
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        yield statement
database.upgrade_statements = killed
Run(Folder(Path(sys.argv[1])))
"""
_STATEMENTS = len(list(upgrade_statements(3, "sqlite")))


@pytest.mark.slow
@pytest.mark.parametrize("done", [1, _STATEMENTS // 2, _STATEMENTS - 1])
def test_a_kill_during_the_upgrade_leaves_the_run_as_it_was(done: int, tmp_path: Path) -> None:
    location = Folder(tmp_path / "run")
    kept = _make(location, 3)
    command = [sys.executable, "-c", _KILLED, str(location.path), str(done)]
    assert subprocess.run(command, timeout=60).returncode == -signal.SIGKILL
    with closing(sqlite3.connect(location.path / "run.sqlite")) as database:
        assert database.execute("SELECT version FROM schema_version").fetchone() == (3,)
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
        assert {"readings_by_judge"} == names & {"readings_by_judge", "whole_readings", "questions", "sources"}
    with Run(location) as run:
        assert _read_all(run) == kept


_OPENED = """
import sys
from pathlib import Path
from subitize.store import Database, Folder, Run
where, images = sys.argv[1:]
with Run(Database(where, "a-run", Path(images)) if "://" in where else Folder(Path(where))) as run:
    print(len(list(run.readings())))
"""


@pytest.mark.slow
def test_two_processes_can_upgrade_at_once(location: Location, tmp_path: Path) -> None:
    kept = _make(location, 3)
    where = str(location.path) if isinstance(location, Folder) else location.url
    command = [sys.executable, "-c", _OPENED, where, str(tmp_path)]
    opened = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    with Run(location) as run:
        assert _read_all(run) == kept
    stored = kept[0]
    assert isinstance(stored, list)
    assert [process.communicate(timeout=120)[0].strip() for process in opened] == [str(len(stored))] * 2
    assert [process.returncode for process in opened] == [0, 0]


def _make_many(location: Location, count: int) -> list[StoredReading]:
    with Run(location, create=True) as run:
        run.add_suite(SUITE, 0, ITEMS)
        many = [replace(reading(trial(ITEMS[0], repeat=repeat)), evidence=Words("3" * 5)) for repeat in range(count)]
        with run.lease("m") as lease:
            run.add_readings(lease, many)
        kept = list(run.readings())
    take_back(location, 3)
    return kept


@pytest.mark.slow
def test_the_file_of_an_upgraded_run_gives_back_what_it_no_longer_needs(tmp_path: Path) -> None:
    location = Folder(tmp_path / "run")
    kept = _make_many(location, 3_000)
    before = (location.path / "run.sqlite").stat().st_size
    with Run(location) as run:
        assert list(run.readings()) == kept
    assert (location.path / "run.sqlite").stat().st_size < 0.75 * before


def test_a_run_that_another_reads_meanwhile_is_upgraded_all_the_same(tmp_path: Path) -> None:
    location = Folder(tmp_path / "run")
    kept = _make_many(location, 300)
    with closing(sqlite3.connect(location.path / "run.sqlite")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM readings").fetchone()
        with Run(location) as run:
            assert list(run.readings()) == kept


@pytest.fixture
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files are made; all of them must be gone in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["schema_1", "naming", "schema_3"], ids=["schema 1", "schema 2", "schema 3"])
def test_an_earlier_run_that_cannot_be_written_is_read(name: str, tmp_path: Path, temporary_files: Path) -> None:
    folder = copy_run(name, tmp_path)
    stored = (folder / "run.sqlite").read_bytes()
    with read_only(folder) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        scored = call("score", folder, "--json")
        assert scored.code == 0, scored.err
        with Run(Folder(folder)) as run:
            assert len(list(temporary_files.iterdir())) == 1
            with pytest.raises(StorageError, match="readonly"):
                run.exclude(run.items()[0].id, "why")
    assert (folder / "run.sqlite").read_bytes() == stored
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["run.sqlite"]
    assert without_last_digits(scored.out) == expected(name)["score.json"]


@pytest.mark.slow
def test_an_earlier_run_that_is_worked_on_is_not_upgraded(location: Location) -> None:
    kept = _make(location, 3)
    with Run(location) as run, run.lease("m"):
        take_back(location, 3)
        with pytest.raises(BusyError, match=r"older subitize, and process \d+ on .* is at work on it; wait"):
            Run(location)
    with Run(location) as run:
        assert _read_all(run) == kept


@pytest.mark.postgres
def test_a_database_that_cannot_hold_every_text_is_refused(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    latin = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    location = Database(request.getfixturevalue("postgres").new_database(latin), "a-run", tmp_path)
    with pytest.raises(BadValueError, match=r"encoded in LATIN1.*createdb --encoding UTF8"):
        Run(location, create=True)


def test_an_earlier_run_is_refused_where_not_even_a_copy_can_be_written(
    tmp_path: Path, temporary_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_run("schema_1", tmp_path)
    with read_only(folder) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        monkeypatch.setattr("subitize.store.database._upgrade", _refuse)
        with pytest.raises(StorageError, match=r"older subitize.*disk is full.*copy it to a folder of your own"):
            Run(Folder(folder))


def _refuse(_: object) -> None:
    raise StorageError("the disk is full")


@pytest.mark.postgres
def test_who_may_only_look_is_told_that_an_earlier_run_cannot_be_upgraded(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    location = Database(request.getfixturevalue("postgres").new_database(), "a-run", tmp_path)
    kept = _make(location, 3)
    engine = create_engine(location.url.replace("postgresql://", "postgresql+psycopg://"))
    reader = f"reader_{os.getpid()}"
    with engine.begin() as connection:
        connection.execute(text(f"CREATE ROLE {reader} LOGIN"))
        connection.execute(text(f"GRANT USAGE ON SCHEMA subitize TO {reader}"))
        connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA subitize TO {reader}"))
    engine.dispose()
    looking = replace(location, url=location.url.replace("subitize@", f"{reader}@"))
    with pytest.raises(StorageError, match=r"refused: must be owner of table suites"):
        Run(looking)
    with Run(location) as run:
        assert _read_all(run) == kept
