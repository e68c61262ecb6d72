"""Published files of questions are told by their columns, and read as their authors mean them; all is invented."""

import hashlib
import zipfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from subitize.errors import BadFileError
from subitize.records import Answer, Filed, Item, Stored
from subitize.suites.own_data import Questions
from tests.commands import call
from tests.suites.own_tables import PICTURE, packed, png, write_json, write_parquet


def read(file: Path, format: str = "auto", images: str = "") -> tuple[list[Item], str]:
    """The items of a file, and what is said about it."""
    suite = Questions(str(file), format=format, images=images)
    return list(suite.items(0)), "\n".join(suite.notes)


def asked(items: list[Item]) -> list[tuple[str, object]]:
    return [(item.task.question, item.asks[0].expects[0]) for item in items if isinstance(item.task, Answer)]


def test_countbench_in_json_asks_for_what_its_captions_count_and_never_sends_them(tmp_path: Path) -> None:
    rows = [
        {"image_url": "http://x.example/a/kites.png?w=1", "text": "Set of five red kites", "number": 5},
        {"image_url": "http://x.example/b.png", "text": "Six-pack", "number": 6},
        {"image_url": "http://x.example/gone.png", "text": "two mugs", "number": 2},
    ]
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "kites.png").write_bytes(png(1))
    items, notes = read(write_json(tmp_path / "CountBench.json", rows), images=str(tmp_path / "pictures"))
    assert asked(items) == [("How many red kites are there in the image?", 5)]
    assert items[0].task.picture == Filed(str(tmp_path / "pictures" / "kites.png"))  # type: ignore[union-attr]
    assert "no picture: 1 (gone.png)" in notes
    assert "its caption does not say of what there are so many: 1 (CountBench.json entry 2)" in notes
    assert "Teaching CLIP to Count to Ten" in notes
    assert not any("five" in str(item) for item in items)


def test_countbench_in_parquet_leaves_out_what_has_no_picture_and_counts_copies(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "image_url": ["http://x.example/1", "http://x.example/2", "http://x.example/3"],
        "text": ["Four mugs", "Ten ducks on water", "Three old chairs"],
        "number": [4, 10, 3],
        "image": [packed(1), None, packed(1)],
    }
    file = write_parquet(tmp_path / "train-00000-of-00001.parquet", columns, image=PICTURE, number=pl.Int64)
    items, notes = read(file)
    assert asked(items) == [
        ("How many mugs are there in the image?", 4),
        ("How many old chairs are there in the image?", 3),
    ]
    assert "no picture: 1" in notes
    assert "pictures that are copies of others: 1" in notes


def test_countbenchqa_is_read_in_both_forms_without_its_captions(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "image": [packed(1), packed(2)],
        "text": ["four mugs", "Nine cats"],
        "question": ["How many mugs are there in the image?", "How many cats are there in the image?"],
        "number": [4, 9],
    }
    hub, notes = read(write_parquet(tmp_path / "test.parquet", columns, image=PICTURE, number=pl.Int32))
    assert "PaliGemma" in notes
    assert [item.asks[0].question.id for item in hub] == ["count:mug", "count:cat"]
    paired = write_json(
        tmp_path / "countbench_paired_questions.json", [{"question": one} for one in columns["question"]]
    )
    pictures = {name: values for name, values in columns.items() if name != "question"}
    bench = write_parquet(tmp_path / "countbench.parquet", pictures | {"image_url": ["u", "v"]}, image=PICTURE)
    joined, _ = read(paired, images=str(bench))
    assert [(item.task, item.asks) for item in joined] == [(item.task, item.asks) for item in hub]
    assert not any(text in str(item) for item in (*hub, *joined) for text in ("four mugs", "Nine cats"))
    write_parquet(bench, {name: values[:1] for name, values in pictures.items()}, image=PICTURE)
    with pytest.raises(BadFileError, match="one ends before row 2"):
        read(paired, images=str(bench))
    with pytest.raises(BadFileError, match=r"images=FILE\.parquet"):
        read(paired)


def test_pixmo_count_finds_its_pictures_by_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "downloaded").mkdir()
    (tmp_path / "downloaded" / "any name.jpg").write_bytes(png(1))
    columns: dict[str, list[object]] = {
        "image_url": ["http://x.example/b.jpg", "http://x.example/dead.jpg"],
        "image_sha256": [hashlib.sha256(png(shade)).hexdigest() for shade in (1, 2)],
        "count": [3, 4],
        "points": [None, None],
        "label": ["ducks", "people"],
    }
    points = pl.Struct({"x": pl.List(pl.Float64), "y": pl.List(pl.Float64)})
    file = write_parquet(tmp_path / "test.parquet", columns, points=points, count=pl.Int32)
    items, notes = read(file, images=str(tmp_path / "downloaded"))
    assert asked(items) == [("How many ducks are there in the image?", 3)]
    assert items[0].asks[0].question.id == "count:duck"
    assert "no picture: 1" in notes
    assert "ODC-BY" in notes


def test_tallyqa_is_split_as_its_authors_do(tmp_path: Path) -> None:
    (tmp_path / "VG_100K").mkdir()
    (tmp_path / "VG_100K" / "17.jpg").write_bytes(png(1))
    row = {"image": "VG_100K/17.jpg", "image_id": 917, "question": "How many dogs wear hats?", "answer": 2}
    kinds = [("amt", False), ("imported_genome", True), ("imported_genome", False), ("amt", True)]
    rows = [
        row | {"data_source": source, "issimple": simple, "question_id": id}
        for id, (source, simple) in enumerate(kinds)
    ]
    items, notes = read(write_json(tmp_path / "test.json", rows))
    assert [(item.id, item.factors["split"]) for item in items] == [
        ("questions/0", "complex"),
        ("questions/1", "simple"),
        ("questions/3", "complex"),
    ]
    assert "neither simple nor complex in the authors' split: 1" in notes
    train = [{name: value for name, value in one.items() if name != "issimple"} for one in rows]
    items, _ = read(write_json(tmp_path / "train.json", train))
    assert len(items) == 4
    assert not any("split" in item.factors for item in items)


def test_countqa_has_a_question_each_of_a_row(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "image": [packed(1), packed(2)],
        "questions": [["How many pens?", "How many red caps?"], ["How many cans are there?"]],
        "answers": [["12", "0"], ["a lot"]],
        "objects": [["pen", "cap"], ["can"]],
        "categories": [["Office", "Office"], ["Kitchen"]],
        "is_focused": [True, False],
    }
    items, notes = read(write_parquet(tmp_path / "test-00000-of-00013.parquet", columns, image=PICTURE))
    assert asked(items) == [("How many pens?", 12), ("How many red caps?", 0)]
    assert items[1].factors == {
        "number": 0,
        "category": "cap",
        "focused": True,
        "topic": "Office",
        "dataset": "CountQA",
    }
    assert "unusable picture or answer: 1 (test-00000-of-00013.parquet row 2)" in notes
    assert "copies" not in notes


def test_blindtest_gives_its_counts_of_a_grid_two_and_counts_what_is_left_out(tmp_path: Path) -> None:
    grid = "Counting Grid - Blank Grids"
    tasks = ("Nested Squares", grid, "Touching Circles", "Olympic Counting - Circles", grid)
    columns: dict[str, list[object]] = {
        "task": list(tasks),
        "image": [packed(shade) for shade in range(5)],
        "prompt": ["Count the squares. Answer in curly brackets, as in {9}."] * 5,
        "groundtruth": ["4", "3,5", "Yes", "6", "3"],
        "metadata": ["{}"] * 5,
    }
    items, notes = read(write_parquet(tmp_path / "valid.parquet", columns, image=PICTURE))
    told = [(item.id, item.factors["task"], item.asks[0].question.id, item.factors["number"]) for item in items]
    assert told == [
        ("questions/1", "Nested Squares", "count:square", 4),
        ("questions/2/rows", grid, "count:row", 3),
        ("questions/2/columns", grid, "count:column", 5),
        ("questions/4", "Olympic Counting - Circles", "count:square", 6),
        ("questions/5/rows", grid, "count:row", 3),
    ]
    assert asked(items)[1] == ("How many rows does the grid have?", 3)
    assert "unusable picture or answer: 1 (valid.parquet row 5)" in notes
    assert "its task is no count: 1" in notes


def test_a_format_can_be_named_and_one_that_does_not_fit_says_which_column_is_missing(tmp_path: Path) -> None:
    row = {
        "image": "a.png",
        "question": "How many?",
        "answer": 1,
        "data_source": "amt",
        "question_id": 1,
        "light": "dim",
    }
    (tmp_path / "a.png").write_bytes(png(1))
    file = write_json(tmp_path / "mine.json", [row])
    own, notes = read(file, format="own")
    assert own[0].factors["light"] == "dim"
    assert not notes
    with pytest.raises(
        BadFileError, match=r"mine\.json: no column questions, answers, as CountQA has; those there: image"
    ):
        read(file, format="countqa")


def test_pictures_in_a_zip_or_parquet_are_kept_in_the_run_and_shown_to_the_model(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as archive:
        for shade in (1, 2):
            archive.writestr(f"photos/{shade}.png", png(shade))
    rows = [{"image": f"{shade}.png", "question": "How many things are there?", "count": 0} for shade in (1, 2)]
    table = write_json(tmp_path / "mine.json", rows)
    spec = f"questions:{table},images={tmp_path / 'photos.zip'}"
    done = call("run", spec, "--model", "observer", "--out", tmp_path / "run", "--limit", 1)
    assert (done.code, done.err) == (0, "")
    assert Counter(path.suffix for path in (tmp_path / "run" / "images").glob("??/*")) == {".png": 1}
    done = call("run", spec, "--model", "observer", "--out", tmp_path / "run")
    assert "1 answered, 0 refused, 0 failed, 1 done before" in done.out
    stored = {path.stem for path in (tmp_path / "run" / "images").glob("??/*")}
    assert stored == {hashlib.sha256(png(shade)).hexdigest() for shade in (1, 2)}
    assert all(isinstance(item.task.picture, Stored) for item in read(table, images=str(tmp_path / "photos.zip"))[0])  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_report_names_licence_and_citation_of_the_published_set(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "image": [packed(1), packed(2)],
        "text": ["four mugs", "Nine cats"],
        "question": ["How many mugs are there in the image?", "How many cats are there in the image?"],
        "number": [4, 9],
    }
    file = write_parquet(tmp_path / "test.parquet", columns, image=PICTURE)
    page = tmp_path / "report.html"
    done = call("run", f"questions:{file}", "--model", "random", "--out", tmp_path / "run", "--report", page)
    assert done.code == 0, done.err
    assert "subitize: CountBenchQA (licence: none stated); please cite: Lucas Beyer and others. PaliGemma" in done.err
    assert str(page) in done.out
    text = page.read_text(encoding="utf-8")
    assert "licence: none stated" in text
    assert "PaliGemma" in text.partition("Please cite")[2]
    assert "four mugs" not in text


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = ["run", "production:numbers=1", "--model", "painter", "--out", tmp_path / "run"]
    done = call(*command, "--report", tmp_path / "file" / "report.html")
    assert done.code == 2
    assert "is a file, not a folder" in done.err
    assert not (tmp_path / "run").exists()


def test_an_odd_picture_in_a_published_file_costs_its_row_only(tmp_path: Path) -> None:
    odd = {"bytes": b"<svg/>", "path": None}
    columns: dict[str, list[object]] = {
        "image": [odd, packed(2)],
        "text": ["four mugs", "Nine cats"],
        "question": ["How many mugs?", "How many cats?"],
        "number": [4, 9],
    }
    suite = Questions(str(write_parquet(tmp_path / "test.parquet", columns, image=PICTURE)))
    (item,) = suite.items(0)
    assert isinstance(item.task, Answer)
    assert isinstance(item.task.picture, Stored)
    assert "unusable picture or answer: 1 (test.parquet row 1)" in suite.notes[1]
    assert list(suite.load_pictures([item.task.picture])) == [png(2)]
