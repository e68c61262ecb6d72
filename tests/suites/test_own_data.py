"""Tables of one's own as suites: what is read, what follows from a prompt, and what is refused with its line."""

import io
import json
import zipfile
from pathlib import Path

import polars as pl
import pytest

from subitize.errors import SubitizeError
from subitize.records import Answer, Choose, Count, Draw, Filed, Item
from subitize.registry import make_suite
from subitize.suites.own_data import Prompts, Questions
from tests.cases import Case
from tests.commands import call
from tests.suites.own_tables import PICTURE, packed, png, write_json, write_lines

HEADER = "image,question,count"
ROW = "1.png,How many apples are there?,3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three pictures, of which one is a copy of another."""
    for name, shade in {"1.png": 1, "2.png": 2, "copy.png": 1}.items():
        (tmp_path / name).write_bytes(png(shade))
    return tmp_path


def items_of(suite: Questions | Prompts) -> list[Item]:
    return list(suite.items(0))


def test_a_row_is_a_question_and_its_further_columns_are_factors(folder: Path) -> None:
    file = write_lines(
        folder / "photos.csv", f"{HEADER},light,distance,id", f"{ROW},dim,2.5,a", "2.png,How many pens?,0,,4,b"
    )
    first, second = items_of(Questions(str(file)))
    assert first.id == "questions/a"
    assert first.task == Answer(Filed(str(folder / "1.png")), "How many apples are there?")
    assert [(ask.question, ask.expects) for ask in first.asks] == [(Count("apple"), (3,))]
    assert first.factors == {"number": 3, "category": "apple", "light": "dim", "distance": 2.5}
    assert second.factors == {"number": 0, "category": "pen", "distance": 4}


def test_the_same_rows_are_the_same_items_in_every_kind_of_file(folder: Path, case: Case) -> None:
    rows = [
        {"image": f"{name}.png", "question": "How many apples are there?", "count": count, "light": "dim"}
        for name, count in (("1", 3), ("2", 4))
    ]
    wanted = items_of(Questions(str(write_json(folder / "a.json", rows))))
    lines = [",".join(map(str, row.values())) for row in rows]
    pl.DataFrame(rows).write_parquet(folder / "a.parquet")
    files = {
        "jsonl": write_lines(folder / "a.jsonl", *map(json.dumps, rows)),
        "csv": write_lines(folder / "a.csv", "image,question,count,light", *lines),
        "semicolons": write_lines(
            folder / "b.csv", "image;question;count;light", *(line.replace(",", ";") for line in lines)
        ),
        "capitals, blank rows": write_lines(
            folder / "c.csv", "Image,Question, COUNT,Light", lines[0], ",,,", "", lines[1]
        ),
        "byte order mark": write_lines(folder / "d.csv", "\ufeffimage,question,count,light", *lines),
        "numbers of pandas": write_lines(
            folder / "e.csv", "image,question,answer,light", *(line.replace(",dim", ".0,dim") for line in lines)
        ),
        "parquet": folder / "a.parquet",
    }
    for name, file in files.items():
        with case(name):
            assert items_of(Questions(str(file))) == wanted


def test_conditions_are_named_as_the_file_names_them_but_for_capitals(folder: Path) -> None:
    file = write_lines(folder / "a.csv", "image,question,count,,Größe,", "1.png,How many?,3,,2,")
    (item,) = items_of(Questions(str(file)))
    assert item.factors["größe"] == 2


def test_what_is_counted_is_read_off_the_question(folder: Path, case: Case) -> None:
    things = {
        "How many dogs wear hats?": Count("dog"),
        "How many yellow cars are there?": Count("car", "yellow"),
        "How many of the sheep are asleep?": Count("sheep"),
        "How many people?": Count("person"),
        "Count the nested squares.": Count("nested square"),
        "Which number is right?": Count("which number is right"),
    }
    file = write_json(folder / "a.json", [{"image": "1.png", "question": one, "count": 1} for one in things])
    for item, (question, wanted) in zip(items_of(Questions(str(file))), things.items(), strict=True):
        with case(question):
            assert item.asks[0].question == wanted


def test_a_copy_of_a_picture_is_that_picture_and_what_is_missing_is_said_in_one_line(folder: Path) -> None:
    names = ("1.png", "copy.png", "gone.png", "2.png")
    file = write_json(folder / "a.json", [{"image": name, "question": "How many?", "count": 1} for name in names])
    suite = Questions(str(file))
    assert [item.task.picture.path for item in items_of(suite)] == [  # type: ignore[union-attr]
        str(folder / name) for name in ("1.png", "1.png", "2.png")
    ]
    assert suite.notes == (
        "a.json: 3 questions; left out, no picture: 1 (gone.png); pictures that are copies of others: 1",
    )


def test_tables_of_excel_and_paths_of_windows_are_read(folder: Path, case: Case) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "9.png").write_bytes(png(9))
    text = "Image\tQuestion\tCOUNT\nmore\\9.png\tHow many?\t3\n\t\t\n"
    for name, encoding in {"a.csv": "utf-16", "b.tsv": "utf-8", "c.tsv": "utf-8-sig"}.items():
        with case(name):
            (folder / name).write_bytes(text.encode(encoding))
            (item,) = items_of(Questions(str(folder / name)))
            assert item.task == Answer(Filed(str(folder / "more" / "9.png")), "How many?")


def test_many_nouns_are_one_category_and_a_factor_of_their_own(folder: Path) -> None:
    nouns = [f"{letter}og" for letter in "abcdefghijklmnopqrstu"]
    rows = [{"image": "1.png", "question": "How many?", "count": 1, "noun": noun} for noun in nouns]
    many = items_of(Questions(str(write_json(folder / "a.json", rows))))
    assert many[0].factors == {"number": 1, "category": "things", "noun": "aog"}
    few = items_of(Questions(str(write_json(folder / "b.json", rows[:20]))))
    assert few[0].factors == {"number": 1, "category": "aog"}


def test_there_are_strata_only_where_columns_are_named(folder: Path) -> None:
    file = write_lines(folder / "photos.csv", f"{HEADER},light", f"{ROW},dim")
    assert make_suite(f"questions:{file}").obj.strata == ()
    assert make_suite(f"questions:{file},strata=light+number").obj.strata == ("light", "number")
    with pytest.raises(SubitizeError, match="no column named 'lite'; known: category, light, number"):
        make_suite(f"questions:{file},strata=lite")


def test_prompts_are_asked_about_by_their_columns_or_by_what_they_say(folder: Path, case: Case) -> None:
    rows: dict[str, tuple[dict[str, object], list[tuple[str, object]]]] = {
        "count and noun": ({"prompt": "5 gizmos", "count": 5, "noun": "gizmos"}, [("count:gizmo", 5)]),
        "entities": ({"prompt": "a", "entities": "dog:2, red cat:0"}, [("count:dog", 2), ("count:red cat", 0)]),
        "entities by bars": ({"prompt": "a", "entities": "dog:2|cat:3"}, [("count:dog", 2), ("count:cat", 3)]),
        "entities in JSON": (
            {"prompt": "a", "entities": [{"noun": "dog", "count": 2}, "cat:1"]},
            [("count:dog", 2), ("count:cat", 1)],
        ),
        "entities as an object": ({"prompt": "a", "entities": {"dog": 2}}, [("count:dog", 2)]),
        "words alone": ({"prompt": "three apples"}, [("count:apple", 3)]),
        "places": (
            {"prompt": "two dogs above three cats", "entities": "dog:2,cat:3"},
            [("count:dog", 2), ("count:cat", 3), ("count:dog above cat", 2), ("count:cat below dog", 3)],
        ),
        "own nouns in a scene": (
            {"prompt": "two gizmos left of a cup", "count": 2, "noun": "gizmo"},
            [("count:gizmo", 2), ("count:cup", 1), ("count:gizmo left of cup", 2), ("count:cup right of gizmo", 1)],
        ),
    }
    items = items_of(Prompts(str(write_json(folder / "p.json", [row for row, _ in rows.values()]))))
    for item, (name, (row, wanted)) in zip(items, rows.items(), strict=True):
        with case(name):
            assert item.task == Draw(str(row["prompt"]))
            assert [(ask.question.id, ask.expects[0]) for ask in item.asks] == wanted
    assert items[0].factors == {"number": 5, "category": "gizmo"}
    assert items[1].factors == {}
    (red,) = items_of(Prompts(str(write_lines(folder / "p.csv", "prompt", "three red apples"))))
    assert [ask.question.id for ask in red.asks] == ["count:apple", "count:red apple"]
    assert red.factors == {"number": 3}


def test_comparisons_and_pieces_in_prompts_are_asked_about_by_lines_and_by_yes_or_no(folder: Path) -> None:
    file = write_lines(folder / "p.csv", "prompt", "fewer apples than cups", "an apple cut into three pieces")
    fewer, pieces = items_of(Prompts(str(file)))
    assert isinstance(fewer.asks[0].question, Choose)
    assert {ask.question.kind for ask in pieces.asks} == {"confirm"}


def test_columns_count_where_the_words_of_a_prompt_say_another_number(folder: Path) -> None:
    suite = Prompts(str(write_lines(folder / "p.csv", "prompt,count,noun", "three apples,4,apple", "two cups,2,cup")))
    assert [item.asks[0].expects for item in items_of(suite)] == [(4,), (2,)]
    assert suite.notes == ("the words of 1 prompt say another number than the columns, which count (p.csv line 2)",)


def test_bad_files_are_refused_with_their_line_and_nothing_is_written(folder: Path, case: Case) -> None:
    (folder / "svg.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "empty.png").touch()
    (folder / "cut.parquet").write_bytes(
        _parquet({"image": [packed(1)], "question": ["How many?"], "count": [1]})[:-20]
    )
    (folder / "odd.parquet").write_bytes(
        _parquet({"image": [{"bytes": b"<svg/>", "path": None}], "question": ["How many?"], "count": [1]})
    )
    with zipfile.ZipFile(folder / "out.zip", "w") as archive:
        archive.writestr("../1.png", png(1))
    (folder / "no.zip").write_bytes(b"PK")
    good = write_lines(folder / "good.csv", HEADER, ROW)
    bad: dict[str, tuple[str, str]] = {
        "no such file": ("questions:gone.csv", "cannot read gone.csv"),
        "no table": ("questions:1.png", "one of .csv, .tsv, .jsonl, .json, .parquet"),
        "empty": (_spec(folder, "empty.csv"), "empty.csv has no rows"),
        "header only": (_spec(folder, "header.csv", HEADER), "header.csv has no rows"),
        "no column": (
            _spec(folder, "a.csv", "picture,question,answer", ROW),
            "a.csv: no column image; those there: picture, question, answer",
        ),
        "two counts": (_spec(folder, "b.csv", f"{HEADER},number", f"{ROW},3"), "count and number say how many"),
        "a word": (
            _spec(folder, "c.csv", HEADER, ROW, "1.png,How many?,three"),
            "c.csv line 3: count 'three': should be",
        ),
        "a fraction": (_spec(folder, "d.csv", HEADER, "1.png,How many?,1.5"), "d.csv line 2: count '1.5': should be"),
        "negative": (_spec(folder, "e.csv", HEADER, "1.png,How many?,-1"), "e.csv line 2: count '-1': should be"),
        "absurd": (_spec(folder, "f.csv", HEADER, "1.png,How many?,1001"), "from 0 to 1000"),
        "beyond numbers": (_spec(folder, "g.jsonl", _line(count=float("inf"))), "g.jsonl line 1: count 'inf'"),
        "a number of any length": (_spec(folder, "t.jsonl", _line(count=10**400)), "t.jsonl line 1: count '1000"),
        "half a character": (
            _spec(folder, "u.jsonl", _line(question="How \ud800?")),
            "u.jsonl line 1: it has a NUL or half",
        ),
        "NUL": (_spec(folder, "v.jsonl", _line(light="\x00")), "v.jsonl line 1: it has a NUL"),
        "NUL in CSV": (_spec(folder, "w.csv", HEADER, "1.png,How\x00many?,3"), "w.csv line 2: it has a NUL"),
        "not a number": (_spec(folder, "h.jsonl", _line(count=True)), "h.jsonl line 1: count 'True'"),
        "no answer": (_spec(folder, "i.csv", HEADER, "1.png,How many?,"), "i.csv line 2: no count"),
        "no question": (_spec(folder, "j.csv", HEADER, "1.png,,3"), "j.csv line 2: no question"),
        "ids twice": (
            _spec(folder, "k.csv", f"id,{HEADER}", f"7,{ROW}", f"7,{ROW}"),
            "k.csv line 3: id '7' stands there again, after k.csv line 2",
        ),
        "two answers": (
            _spec(folder, "k2.csv", HEADER, "1.png,How many?,3", "1.png,How many?,4"),
            "k2.csv line 3: count 4: the same question about this picture has 3, k2.csv line 2",
        ),
        "a URL": (
            _spec(folder, "k3.csv", HEADER, "http://x.example/1.png,How many?,3"),
            "a URL, which is never fetched: 1 (http://x.example/1.png)",
        ),
        "too many fields": (_spec(folder, "l.csv", HEADER, f"{ROW},4"), "l.csv line 2: should have 3 fields, not 4"),
        "SVG": (_spec(folder, "m.csv", HEADER, "svg.png,How many?,3"), "m.csv line 2: picture svg.png: not a PNG"),
        "empty picture": (_spec(folder, "n.csv", HEADER, "empty.png,How many?,3"), "n.csv line 2: picture empty.png"),
        "no picture at all": (_spec(folder, "o.csv", HEADER, "gone.png,How many?,3"), "no picture: 1 (gone.png)"),
        "out of the folder": (
            _spec(folder, "p.csv", HEADER, "../1.png,How many?,3"),
            "p.csv line 2: picture ../1.png: leads out of",
        ),
        "broken line": (_spec(folder, "q.jsonl", _line(), '{"image": '), "q.jsonl line 2: no JSON"),
        "no object": (_spec(folder, "r.jsonl", "3"), "r.jsonl line 1: '3' should be an object"),
        "no list": (_spec(folder, "s.json", "{}"), "s.json: should be a list"),
        "cut short": ("questions:cut.parquet", "cut.parquet: no Parquet that can be read"),
        "SVG in Parquet": ("questions:odd.parquet", "odd.parquet row 1: picture image: not a PNG"),
        "zip with a way out": (
            f"questions:{good.name},images=out.zip",
            "out.zip: its member '../1.png' leads out of it",
        ),
        "no zip": (f"questions:{good.name},images=no.zip", "no.zip: no zip that can be read"),
        "no folder": (f"questions:{good.name},images=nowhere", "images=nowhere: should be a folder"),
        "unknown format": (f"questions:{good.name},format=vqa", "no format named 'vqa'; known: auto, blindtest"),
        "no prompt column": (
            _spec(folder, "A.csv", "text", "x", suite="prompts"),
            "A.csv: no column prompt; those there: text",
        ),
        "empty prompt": (
            _spec(folder, "B.csv", "prompt,count,noun", ",3,cup", suite="prompts"),
            "B.csv line 2: no prompt",
        ),
        "not understood": (
            _spec(folder, "C.csv", "prompt", "a flock", suite="prompts"),
            "C.csv line 2: not understood (",
        ),
        "entities in words": (
            _spec(folder, "D.csv", "prompt,entities", "x,dog:two", suite="prompts"),
            "D.csv line 2: count 'two' of 'dog': should be a whole number",
        ),
        "entities run together": (
            _spec(folder, "D2.csv", "prompt,entities", "x,dog:2 cat:3", suite="prompts"),
            "entities 'dog:2 cat:3': should be like dog:2, cat:3",
        ),
        "entities without numbers": (
            _spec(folder, "E.csv", "prompt,entities", "x,dog", suite="prompts"),
            "should be like dog:2",
        ),
        "entities twice": (
            _spec(folder, "E2.csv", "prompt,entities", "x,dog:2;dogs:3", suite="prompts"),
            "E2.csv line 2: entities name 'dog' twice",
        ),
        "noun without count": (
            _spec(folder, "E3.csv", "prompt,count,noun", "x,,dog", suite="prompts"),
            "E3.csv line 2: no count beside the noun",
        ),
        "count without noun": (_spec(folder, "F.csv", "prompt,count", "x,3", suite="prompts"), "F.csv line 2: no noun"),
    }
    before = sorted(path.name for path in folder.iterdir())
    for name, (spec, message) in bad.items():
        with case(name), pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            done = call("run", spec, "--model", "painter" if spec.startswith("prompts") else "observer", "--out", "run")
            assert (done.code, done.out) == (2, "")
            assert message in done.err
            assert sorted(path.name for path in folder.iterdir()) == before


def _spec(folder: Path, name: str, *lines: str, suite: str = "questions") -> str:
    write_lines(folder / name, *lines)
    return f"{suite}:{name}"


def _line(**fields: object) -> str:
    return json.dumps({"image": "1.png", "question": "How many?", "count": 1} | fields)


def _parquet(columns: dict[str, list[object]]) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(columns, schema_overrides={"image": PICTURE}).write_parquet(file)
    return file.getvalue()
