"""A damaged run is told in one line that names the row, and what to do."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import Finished, call
from tests.goldens.kept_runs import copy_run

BACKUP = "restore the run from a backup"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the current schema, its log emptied into its file."""
    folder = copy_run("production", tmp_path_factory.mktemp("whole"))
    Run(Folder(folder)).close()
    with closing(sqlite3.connect(folder / "run.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def change(run: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        assert database.execute(statement, values).rowcount == 1


def told(finished: Finished) -> str:
    assert (finished.code, finished.err.count("\n")) == (2, 1), finished
    return finished.err


DAMAGE = [
    ("responses", "outcome", '{"picture":', "row id = 2: outcome cannot be read (Invalid JSON: EOF"),
    ("responses", "repeat", "many", "row id = 2: repeat should be a number, not 'many'"),
    ("responses", "model", "nobody", "row id = 2: model 'nobody' is not in table models"),
    ("readings", "value", "[]", "row id = 2: value cannot be read (Input should be an object): '[]'"),
    ("readings", "subject", 10**6, "row id = 2: subject 1000000 is not in table subjects"),
    ("items", "asks", "null", "asks cannot be read (Input should be a valid array): 'null'"),
    ("questions", "question_id", b"\xff\xfe", "row id = 2: question_id is not UTF-8"),
    ("models", "options", "{", "options cannot be read (Invalid JSON"),
    ("runs", "subitize_version", b"\xff\xfe", "subitize_version is not UTF-8"),
    ("suites", "suite", b"\xff\xfe", "row suite = '\\udcff\\udcfe': suite is not UTF-8"),
]


@pytest.mark.slow
def test_a_damaged_row_is_named_with_the_remedy(whole: Path, tmp_path: Path, case: Case) -> None:
    for table, column, value, message in DAMAGE:
        with case(f"{table} {column}"):
            run = Path(shutil.copytree(whole, tmp_path / f"{table}-{column}"))
            text = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
            change(
                run,
                f"UPDATE {table} SET {column} = {text} WHERE rowid = min(2, (SELECT max(rowid) FROM {table}))",
                value,
            )
            line = told(call("score", run))
            assert f"{run} is damaged: table {table}, row " in line
            assert message in line
            assert BACKUP in line


def test_a_damaged_question_is_named_by_what_reads_it(whole: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    change(run, "UPDATE questions SET question = CAST(? AS TEXT) WHERE rowid = 2", b"\xff\xfe")
    line = told(call("export", run, "--out", tmp_path / "tables"))
    assert "row id = 2: question is not UTF-8" in line
    assert BACKUP in line


@pytest.mark.slow
def test_a_sample_that_does_not_say_of_how_many_it_is_names_its_row(tmp_path: Path, case: Case) -> None:
    run = tmp_path / "run"
    done = call("run", "production", "--model", "painter", "--limit", 2, "--repeats", 1, "--out", run)
    assert done.code == 0, done.err
    other = Path(shutil.copytree(run, tmp_path / "other"))
    change(run, "UPDATE suites SET sampled_from = NULL")
    for command in (("show", run), ("score", run), ("compare", run, other), ("report", run)):
        with case(command[0]):
            line = told(call(*command, *(("-o", tmp_path / "r.html") if command[0] == "report" else ())))
            assert "table suites, row suite = 'production': sampled_from is empty, though its sampling is" in line
            assert BACKUP in line


@pytest.mark.slow
def test_a_damaged_response_is_made_again_once_its_row_is_taken_out(whole: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    before = call("score", run).out
    change(run, "UPDATE responses SET outcome = ? WHERE id = 2", "{")
    remedy = "DELETE FROM responses WHERE id = 2"
    assert f"or {remedy} and run again" in told(call("score", run))
    change(run, remedy)
    shown = call("show", run, "--json").json()
    suite, model = shown["suites"][0]["shown"], shown["models"][0]["model"]
    again = call("run", suite, "--repeats", 2, "--model", model, "--judge", "observer", "--out", run)
    assert again.code == 0, again
    assert call("score", run).out == before


def test_a_truncated_database_is_told(whole: Path, tmp_path: Path, case: Case) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    file = run / "run.sqlite"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for command in ("show", "score", "report"):
        with case(command):
            assert "is damaged: database disk image is malformed; restore the run from a backup" in told(
                call(command, run)
            )


def test_a_missing_or_broken_image_is_told(whole: Path, tmp_path: Path, case: Case) -> None:
    for damage, message in (("missing", "is gone"), ("truncated", "is damaged")):
        run = Path(shutil.copytree(whole, tmp_path / damage))
        for image in run.glob("images/??/*"):
            image.unlink() if damage == "missing" else image.write_bytes(image.read_bytes()[:100])
        with case(damage):
            judged = call("judge", run, "--judge", "vlm:ideal-human")
            assert (judged.code, judged.out) == (2, "vlm:ideal-human: 0 new readings, 16 looks failed\n")
            assert re.search(rf"image {run}/images/\S+ {message}; restore it from a backup", judged.err)
            assert "none of its 6 pictures can be read" in told(
                call("report", "plate", run, "-o", tmp_path / "p.svg", "--judge", "observer")
            )
