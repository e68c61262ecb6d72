"""GIMBRR's released files: what is odd about them is told, what is wrong with them is refused with its line."""

import re
from pathlib import Path

import polars as pl
import pytest

from subitize.analysis.papers import Release
from subitize.errors import BadFileError
from subitize.papers.gimbrr.export import COLUMNS
from subitize.papers.gimbrr.release import LICENCE, read
from subitize.papers.gimbrr.suite import MATCH
from subitize.papers.gimbrr.tables import rows as rows_of
from subitize.records import task_text
from tests.cases import Case
from tests.commands import call
from tests.papers.gimbrr.gimbrr_release import DIRECTORY, RATINGS, Row, read_rows, write_release, write_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", ["Dalle", "SD1.5"])


def change(folder: Path, place: int, **changes: str) -> None:
    """Change some fields of a rating, which stands two lines further down."""
    rows = read_rows(folder / RATINGS)
    rows[place] |= changes
    write_rows(folder / RATINGS, COLUMNS, rows)


def test_what_is_wrong_with_a_file_is_told_with_its_line(case: Case, tmp_path: Path) -> None:
    name, known = "p1_1_v0.0.5_pd230228.png", "known: Conditional generation"
    changes: dict[str, tuple[Row, str]] = {
        "a file of no convention": (
            {"File_name": "cat.png"},
            "File_name 'cat.png' should be like p801_1_v0.0.5_pd23020",
        ),
        "no sample": ({"File_name": "p1_0_v0.0.5_pd230228.png"}, "sample from 1"),
        "an unknown prompt": (
            {"File_name": "p99_1_v0.0.5_pd230228.png", "ID": "99", "Prompt_no": "99"},
            "ID 99: no such prompt in Prompt_dir_230228_extraVars.csv",
        ),
        "two numbers": ({"ID": "2"}, f"ID '2', Prompt_no '1', File_name '{name}': three numbers of one prompt"),
        "no number": ({"ID": "one"}, "ID 'one', Prompt_no '1'"),
        "an unknown task": ({"Task": "Juggling"}, f"no task named 'Juggling'; {known}"),
        "another task": ({"Task": "Counting"}, "ID 1 is of 'Counting', and in Prompt_dir_230228_extraVars.csv of"),
        "a later directory": (
            {"File_name": "p1_1_v0.0.6_pd240101.png"},
            "which is later than Prompt_dir_230228_extraVars.csv; take Prompt_dir_240101.csv",
        ),
        "no vote": ({"annotation": "Maybe"}, "annotation 'Maybe': should be True or False"),
        "nobody's image": ({"Algorithm": ""}, "Algorithm is empty; name the model that drew the image"),
    }
    for what, (changed, message) in changes.items():
        with case(what):
            folder = write_release(tmp_path / what, ["Dalle"], per_task=1)
            change(folder, 0, **changed)
            done = call("import", "release", "gimbrr", folder, "--out", tmp_path / "run")
            assert (done.code, done.out) == (2, "")
            assert done.err.startswith(f"subitize: {RATINGS} line 2: ")
            assert message in done.err
            assert len(done.err.splitlines()) == 1
            assert not (tmp_path / "run").exists()


def test_two_files_of_one_sample_are_refused(folder: Path) -> None:
    rows = read_rows(folder / RATINGS)
    rows.insert(1, {**rows[0], "File_name": "p1_1_v0.0.5_pd230208.png"})
    write_rows(folder / RATINGS, COLUMNS, rows)
    told = "sample 1 of prompt 1 by Dalle is p1_1_v0.0.5_pd230228.png in line 2; rate one of the two"
    with pytest.raises(BadFileError, match=rf"line 3: File_name 'p1_1_v0\.0\.5_pd230208\.png': {re.escape(told)}"):
        read(folder)


def test_a_missing_column_or_file_is_named(case: Case, tmp_path: Path) -> None:
    with case("a column"):
        folder = write_release(tmp_path / "column", ["Dalle"], per_task=1)
        text = (folder / RATINGS).read_text(encoding="utf-8").replace("Algorithm", "Model", 1)
        (folder / RATINGS).write_text(text, encoding="utf-8")
        done = call("report", "reproduce", "gimbrr", folder)
        assert done.code == 2
        assert f"{RATINGS} line 1: no column Algorithm in" in done.err
        assert "a comma, a semicolon or a tab between columns: File_name, annotation, Algorithm, ID" in done.err
    with case("a directory with an unknown task"):
        folder = write_release(tmp_path / "task", ["Dalle"], per_task=1)
        text = (folder / DIRECTORY).read_text(encoding="utf-8").replace("Simple arithmetic", "Juggling")
        (folder / DIRECTORY).write_text(text, encoding="utf-8")
        done = call("report", "reproduce", "gimbrr", folder)
        assert (done.code, f"{DIRECTORY} line 3: no task named 'Juggling'" in done.err) == (2, True)
    with case("no directory"):
        assert "no Prompt_dir_230228.csv in" in call("report", "reproduce", "gimbrr", tmp_path).err
    with case("no ratings"):
        (folder / RATINGS).unlink()
        assert "no annotations*.csv in" in call("report", "reproduce", "gimbrr", folder).err
    with case("no folder"):
        assert (
            "gimbrr needs its release: subitize report reproduce gimbrr DIR"
            in call("report", "reproduce", "gimbrr").err
        )


def test_ratings_that_are_doubled_or_missing_are_told_and_counted(folder: Path) -> None:
    rows = read_rows(folder / RATINGS)
    singles = [row for row in rows if row["Algorithm"] == "SD1.5" and row["Task"] == "Single object"]
    agreed, divided, missing = singles[:3]
    other = {"True": "False", "False": "True"}[divided["annotation"]]
    rows += [agreed, {**divided, "annotation": other}]
    rows.remove(missing)
    write_rows(folder / RATINGS, COLUMNS, rows)
    release = read(folder)
    ratings = rows_of(release.seen())
    assert release.warnings == (
        "SD1.5: more than one rating of 2 images, 1 of them once yes and once no "
        f"({divided['ID']}); every rating counts",
        f"SD1.5: no rating of 1 prompt ({missing['ID']})",
        LICENCE,
    )
    assert ratings.height == len(rows)
    assert ratings["is_first"].sum() == len(rows) - 2


def test_two_files_may_not_rate_different_images_as_one_sample(folder: Path) -> None:
    rows = read_rows(folder / RATINGS)
    other = {**rows[0], "File_name": rows[0]["File_name"].replace("_v0", "_v9")}
    write_rows(folder / "annotations_more.csv", COLUMNS, [other])
    with pytest.raises(
        BadFileError, match=rf"annotations_more.csv line 2: .* is {rows[0]['File_name']} in {RATINGS} line 2"
    ):
        read(folder)


def test_of_two_texts_the_one_that_was_drawn_is_kept(folder: Path) -> None:
    """Images carry the date of their directory: that of another one was drawn with the text beside its rating."""
    rows = read_rows(folder / RATINGS)
    same, older = (next(row for row in rows if row["Task"] == task) for task in ("Directed actions", "Text rendering"))
    for row in rows:
        if row["ID"] == same["ID"]:
            row["Prompt"] = "an older text"
        if row["ID"] == older["ID"]:
            row |= {"Prompt": "a text drawn earlier", "File_name": row["File_name"].replace("230228", "230208")}
    text = same["Prompt"]
    write_rows(folder / RATINGS, COLUMNS, rows)
    release = read(folder)
    texts = {item.id: task_text(item.task) for item in release.items}
    assert texts[f"gimbrr/{older['ID']}"] == "a text drawn earlier"
    assert texts[f"gimbrr/{same['ID']}"] != text
    assert "an older text beside the ratings of 1 prompt (Directed actions 1); the images" in release.warnings[0]
    assert f"images of 1 prompt ({older['ID']}) are of an older text than {DIRECTORY} has" in release.warnings[1]


def test_items_have_the_factors_of_the_directory(folder: Path) -> None:
    items = {item.id: item for item in read(folder).items}
    assert items["gimbrr/801"].factors == {"task": "counting", "classes": "drum", "linked": "1801", "number": 2}
    assert items["gimbrr/1"].factors == {
        "task": "conditional",
        "target_position": 1,
        "adjective": True,
        "classes": "drum",
        "linked": "1801",
        "absent": "boot",
    }
    assert items["gimbrr/1301"].factors["numbers"] == "3,6"
    assert items["gimbrr/1202"].factors["common"] is False
    assert items["gimbrr/1801"].asks[0] == MATCH


def test_without_extra_variables_a_warning_says_what_is_not_known(folder: Path) -> None:
    (folder / DIRECTORY).rename(folder / "Prompt_dir_230228.csv")
    assert "no Prompt_dir_230228_extraVars.csv: sizes of sets" in read(folder).warnings[-2]


@pytest.mark.slow
def test_the_defects_of_the_released_data_are_told(released: Release, released_ratings: pl.DataFrame) -> None:
    assert len(released.readings) == released_ratings.height == 8408
    doubled, missing, older, drawn, relations, licence = released.warnings
    assert doubled == (
        "SD1.5: more than one rating of 16 images, 5 of them once yes and once no (2115, 2141, 2145, 2183, 2192); "
        "every rating counts"
    )
    assert "SD1.5: no rating of 16 prompts (2207, 2208" in missing
    assert "an older text beside the ratings of 96 prompts" in older
    assert "(Directed actions 6, Controlled multiple object counting 90)" in older
    assert "images of 2 prompts (907, 969) are of an older text" in drawn
    assert "the relation of 7 prompts (489, 490" in relations
    assert licence == LICENCE
