"""People's answers in the columns of GeckoNum's files, and back."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.annotation.exchange.files import import_ratings
from subitize.errors import BadFileError
from subitize.papers.geckonum.files import COLUMNS
from subitize.papers.geckonum.importing import JUDGE
from subitize.papers.geckonum.prompts import TYPES
from subitize.records import Reading
from subitize.store import Folder, Run
from tests.commands import call
from tests.papers.geckonum.geckonum_release import SOME, write_release

PROMPTS = [next(prompt for prompt in SOME if TYPES[prompt.type] == task) for task in (1, 2, 3)]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("geckonum")
    write_release(path / "release", ["muse_a"], prompts=PROMPTS)
    assert call("import", "release", "geckonum", path / "release", "--out", path / "run").code == 0
    return path


def readings(run: Run, judge: str) -> list[Reading]:
    found = [replace(one.reading, judge="") for one in run.readings(judge)]
    return sorted(found, key=lambda one: (one.annotator, one.subject.id, one.question.id))


def rows(path: Path) -> list[dict[str, str]]:
    """Read a file's rows in an order of their own; whole numbers may be written 3 or 3.0."""
    with path.open(encoding="utf-8", newline="") as file:
        found = [row | {"answer": row.get("answer", "").removesuffix(".0")} for row in csv.DictReader(file)]
    return sorted(found, key=lambda row: sorted(row.items()))


def test_released_answers_go_out_as_they_came_and_in_again(imported: Path, tmp_path: Path) -> None:
    done = call("export", "ratings", imported / "run", "--paper", "geckonum", "-o", tmp_path / "out")
    assert (done.code, done.err) == (0, "")
    for task in (1, 2, 3):
        name = f"task_{task}_muse_a.csv"
        assert rows(tmp_path / "out" / name) == rows(imported / "release" / name)
        assert (tmp_path / "out" / name).read_text("utf-8").splitlines()[0] == ",".join(COLUMNS[task])
    with Run(Folder(imported / "run")) as run:
        summary = import_ratings(run, tmp_path / "out", judge="again")
        assert summary.added == len(readings(run, JUDGE)) > 0
        assert readings(run, "again") == readings(run, JUDGE)


def test_what_a_release_has_twice_goes_out_once(imported: Path, tmp_path: Path) -> None:
    shutil.copytree(imported / "release", tmp_path / "release")
    path = tmp_path / "release" / "task_1_muse_a.csv"
    header, first, *others = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([header, first, *others, first]) + "\n", encoding="utf-8")
    assert call("import", "release", "geckonum", tmp_path / "release", "--out", tmp_path / "run").code == 0
    assert call("export", "ratings", tmp_path / "run", "-o", tmp_path / "out.csv").code == 0
    done = call("import", "readings", tmp_path / "out.csv", "--run", tmp_path / "run", "--judge", "again")
    with Run(Folder(tmp_path / "run")) as run:
        assert done.out == f"{len(readings(run, JUDGE)) - 1} readings added\n"


def test_a_bad_image_is_named_with_its_line(imported: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("image_id,model,annot_id,question,answer\nno-image,muse_a,1,How many?,3\n", encoding="utf-8")
    with (
        Run(Folder(imported / "run")) as run,
        pytest.raises(BadFileError, match=r"own\.csv line 2: image_id 'no-image'"),
    ):
        import_ratings(run, file, judge="own")
