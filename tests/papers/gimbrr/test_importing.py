"""GIMBRR's ratings come in as a run and go out again in the authors' columns."""

from collections import Counter
from pathlib import Path

import pytest

from subitize.papers.gimbrr.export import COLUMNS
from subitize.papers.gimbrr.release import JUDGE
from subitize.store import Folder, Run
from tests.commands import call
from tests.papers.gimbrr.gimbrr_release import DIRECTORY, RATINGS, read_rows, write_release, write_rows


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with an image that is rated twice, once each way."""
    folder = write_release(tmp_path_factory.mktemp("odd"), ["Dalle", "SD1.5"], per_task=2)
    rows = read_rows(folder / RATINGS)
    rows.append({**rows[-1], "annotation": "True" if rows[-1]["annotation"] == "False" else "False"})
    write_rows(folder / RATINGS, COLUMNS, rows)
    return folder


def test_ratings_go_out_as_they_came_in(odd: Path, tmp_path: Path) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert call("import", "release", "gimbrr", odd, "--out", run).code == 0
    again.mkdir()
    done = call("export", "ratings", run, "--paper", "gimbrr", "-o", again / RATINGS)
    assert done.code == 0, done.err
    rows = read_rows(odd / RATINGS)
    assert done.out == f"{len(rows)} ratings in {again / RATINGS}\n"
    assert read_rows(again / RATINGS) == rows
    (again / DIRECTORY).write_bytes((odd / DIRECTORY).read_bytes())
    assert call("import", "release", "gimbrr", again, "--out", tmp_path / "second").code == 0
    first, second = (
        call("report", "tables", one, "--paper", "gimbrr", "--json").out for one in (run, tmp_path / "second")
    )
    assert first == second


@pytest.mark.slow
def test_the_released_ratings_go_out_as_they_came_in(shared_data: Path, tmp_path: Path) -> None:
    """But for what the release has of older texts, and which conditional prompts can be assessed automatically."""
    run, file = tmp_path / "run", tmp_path / "ratings.csv"
    assert call("import", "release", "gimbrr", shared_data / "gimbrr", "--out", run).code == 0
    assert call("export", "ratings", run, "--paper", "gimbrr", "-o", file).code == 0
    ours, theirs = read_rows(file), read_rows(shared_data / "gimbrr" / RATINGS)
    assert list(ours[0]) == list(theirs[0]) == list(COLUMNS)
    others = ("Prompt", "Representations", "Auto_assessment", "Task_specific_label")
    for column in (name for name in COLUMNS if name not in others):
        assert [row[column] for row in ours] == [row[column] for row in theirs], column
    differing = {
        own["ID"] for own, row in zip(ours, theirs, strict=True) if own["Prompt"].strip() != row["Prompt"].strip()
    }
    assert len(differing) == 96


def test_a_release_that_is_imported_again_adds_nothing(odd: Path, tmp_path: Path) -> None:
    assert call("import", "release", "gimbrr", odd, "--out", tmp_path / "run").code == 0
    again = call("import", "release", "gimbrr", odd, "--out", tmp_path / "run")
    rated = len(read_rows(odd / RATINGS))
    assert again.out.startswith(f"0 images and 0 readings added, {rated} readings there already")
    changed = write_release(tmp_path / "changed", ["Dalle"], per_task=2)
    rows = read_rows(changed / RATINGS)
    rows[0]["annotation"] = "True" if rows[0]["annotation"] == "False" else "False"
    write_rows(changed / RATINGS, COLUMNS, rows)
    refused = call("import", "release", "gimbrr", changed, "--out", tmp_path / "run")
    assert (refused.code, "has other ratings of Dalle than the release" in refused.err) == (2, True)


def test_a_divided_image_is_two_readings_and_a_tie(odd: Path, tmp_path: Path) -> None:
    done = call("import", "release", "gimbrr", odd, "--out", tmp_path / "run")
    rows = read_rows(odd / RATINGS)
    assert f"{len(rows) - 1} images and {len(rows)} readings added" in done.out
    assert f"once yes and once no ({rows[-1]['ID']})" in done.err
    shown = call("show", tmp_path / "run", f"gimbrr/{rows[-1]['ID']}")
    assert shown.code == 0, shown.err
    assert shown.out.count("gimbrr-annotators") >= 2


def test_an_export_or_tables_that_cannot_be_made_say_why(odd: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    call("import", "release", "gimbrr", odd, "--out", run)
    nobody = call("export", "ratings", run, "--paper", "gimbrr", "--judge", "nobody")
    assert (nobody.code, "no readings by 'nobody'; judges with readings: gimbrr-annotators" in nobody.err) == (2, True)
    other = call("export", "ratings", run, "--paper", "t2icountbench")
    assert (other.code, "t2icountbench cannot be exported to; those that can: geckonum, gimbrr" in other.err) == (
        2,
        True,
    )
    into_run = call("export", "ratings", run, "--paper", "gimbrr", "-o", run / "run.sqlite")
    assert (into_run.code, "is the name of a run's database" in into_run.err) == (2, True)
    Run(Folder(tmp_path / "empty"), create=True).close()
    empty = call("report", "tables", tmp_path / "empty", "--paper", "gimbrr")
    assert (empty.code, "has no items of gimbrr; first: subitize run gimbrr" in empty.err) == (2, True)


def test_ratings_in_the_authors_columns_come_in_again(odd: Path, tmp_path: Path) -> None:
    run, file = tmp_path / "run", tmp_path / "ratings.csv"
    call("import", "release", "gimbrr", odd, "--out", run)
    assert call("export", "ratings", run, "--paper", "gimbrr", "-o", file).code == 0
    assert call("import", "readings", file, "--run", run, "--judge", "again").code == 0
    with Run(Folder(run)) as stored:
        ours, again = (
            Counter((one.reading.subject, one.reading.evidence, one.reading.value, one.reading.rule) for one in found)
            for found in (stored.readings(JUDGE), stored.readings("again"))
        )
    assert ours == again != Counter()
    file.write_text(file.read_text("utf-8").replace("\np", "\nq", 1), encoding="utf-8")
    bad = call("import", "readings", file, "--run", run, "--judge", "bad")
    assert (bad.code, "ratings.csv line 2: " in bad.err) == (2, True)
