"""Files of users are read to a limit, by one reader, and what is wrong with them is told with its line."""

import os
import re
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from subitize.errors import BadFileError
from subitize.io.files import (
    escape_formula,
    hash_file,
    open_input,
    open_zip,
    read_bounded,
    read_lines,
    read_records,
    read_text,
)
from subitize.io.frames import read_csv, scan_parquet
from subitize.io.tables import read_table
from tests.cases import Case
from tests.commands import call


def test_a_file_is_read_up_to_the_limit_and_not_beyond(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_bytes(b"x" * 10)
    assert read_text(file, 10) == "x" * 10
    with pytest.raises(BadFileError, match=r"own\.csv: 10 bytes; at most 9 are read"):
        read_text(file, 9)


def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for limit, is_read in ((10, True), (9, False)):
        writer = threading.Thread(target=pipe.write_bytes, args=(b"x" * 10,))
        writer.start()
        if is_read:
            assert read_text(pipe, limit, allow_pipe=True) == "x" * 10
        else:
            with pytest.raises(BadFileError, match="pipe: more than 9 bytes"):
                read_text(pipe, limit, allow_pipe=True)
        writer.join()


DOORS: dict[str, Callable[[Path], object]] = {
    "bytes": read_bounded,
    "text": read_text,
    "lines": lambda path: list(read_lines(path, (), "")),
    "opened": open_input,
    "hash": hash_file,
    "zip": open_zip,
    "table": read_table,
    "Parquet": scan_parquet,
    "CSV frame": read_csv,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_what_is_no_file_is_refused_before_it_is_opened(door: Callable[[Path], object], tmp_path: Path) -> None:
    loop, pipe, folder = tmp_path / "loop.csv", tmp_path / "pipe.csv", tmp_path / "folder.csv"
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    folder.mkdir()
    endless = tmp_path / "endless.csv"
    endless.symlink_to("/dev/zero")
    for path, reason in {
        tmp_path / "none.csv": "No such file or directory",
        loop: "Too many levels of symbolic links",
        folder: "Is a directory; name a file in it",
        pipe: "a pipe, and this file is read more than once; write it to a file, and name that",
        endless: "not a file, but a device or socket; write what it gives to a file, and name that",
    }.items():
        with pytest.raises(BadFileError, match=re.escape(f"cannot read {path}: {reason}")):
            door(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.touch(0)
    with pytest.raises(BadFileError, match=re.escape(f"cannot read {file}: Permission denied")):
        read_text(file)


def test_a_pipe_may_be_imported(tmp_path: Path) -> None:
    run, pipe = tmp_path / "run", tmp_path / "pipe"
    suite = "naming:images=1,numbers=1-2,categories=apples,size_px=128,wordings=category,control_question=false"
    assert call("run", suite, "--model", "random", "--out", run).code == 0
    os.mkfifo(pipe)
    rows = "annotator,item,answer\nA,naming/apples/1/0/category,2\n"
    writer = threading.Thread(target=pipe.write_text, args=(rows,))
    writer.start()
    done = call("import", "readings", pipe, "--run", run)
    writer.join()
    assert (done.code, done.err) == (0, "")


def test_a_file_whose_name_has_brackets_is_no_pattern(tmp_path: Path) -> None:
    file = tmp_path / "a[1].parquet"
    pl.DataFrame({"prompt": ["two dogs"]}).write_parquet(file)
    assert [row.fields for row in read_table(file).rows] == [{"prompt": "two dogs"}]
    assert scan_parquet(file).collect().height == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("prompts", "production", "--refine", "rewritten:file=/dev/zero"),
        ("prompts", "t2icountbench:conditions=/dev/zero"),
        ("import", "votes", "/dev/zero", "--run", "none", "--suite", "t2icountbench"),
    ],
    ids=["rewritten", "conditions", "votes"],
)
def test_what_has_no_end_is_not_read(arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert done.code == 2
    assert "cannot read /dev/zero: not a file" in done.err


def test_spaces_around_names_and_fields_are_no_part_of_them(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(" item , prompt\n a ,b \n", encoding="utf-8")
    (line,) = read_lines(file, (("item",),), "item, prompt")
    assert (line.get("item"), line.get("prompt"), line.get("other"), line.number) == ("a", "b", "", 2)


def test_a_line_has_its_columns_casefolded_and_their_names_as_the_file_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("Item,,Größe,,Light\na,,3,,dim\n", encoding="utf-8")
    (line,) = read_lines(file, (("ITEM",),), "item")
    assert (line.header, list(line.row)) == (("Item", "", "Größe", "Light"), ["item", "", "grösse", "light"])
    assert [line.get(column) for column in ("item", "ITEM", "größe", "GRÖSSE", "other")] == ["a", "a", "3", "3", ""]
    assert line._replace(row={**line.row, "item": "b"}).get("Item") == "b"


TABLE = "item,model,answer\na,m,3\nb,m,4\n"
AS_PEOPLE_SAVE_IT = {
    "semicolons": TABLE.replace(",", ";"),
    "tabs": TABLE.replace(",", "\t"),
    "capitals": TABLE.replace("item,model,answer", "Item,MODEL,Answer"),
    "a byte order mark": "\ufeff" + TABLE,
    "lines of Windows": TABLE.replace("\n", "\r\n"),
    "blank rows": TABLE.replace("b,m", "\n,,\n , ,\nb,m") + ",,\n",
    "columns that are empty": TABLE.replace("\n", ",,\n"),
    "rows that are longer by an empty field": TABLE.replace("3\n", "3,\n"),
    "a line for Excel": "sep=;\n" + TABLE.replace(",", ";"),
}


def test_files_are_read_as_people_save_them(tmp_path: Path, case: Case) -> None:
    file = tmp_path / "own.csv"
    for name, text in AS_PEOPLE_SAVE_IT.items():
        with case(name):
            file.write_bytes(text.encode())
            lines = list(read_lines(file, (("item",), ("answer",)), "item, answer"))
            found = [(line.get("item"), line.get("answer"), line.get("model")) for line in lines]
            assert found == [("a", "3", "m"), ("b", "4", "m")]


def test_a_line_after_blank_rows_is_told_by_its_own_number(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("item;answer\n;\n\na;3;5\n")
    with pytest.raises(BadFileError, match=r"own\.csv line 4: should have 2 fields, not 3"):
        list(read_lines(file, (("item",),), "item, answer"))
    file.write_text("Item,item\na,b\n")
    with pytest.raises(BadFileError, match="line 1: column 'item' stands there twice"):
        list(read_lines(file, (("item",),), "item"))


def test_a_formula_is_written_with_an_apostrophe_and_read_without(tmp_path: Path, case: Case) -> None:
    file = tmp_path / "own.csv"
    for text in ("=cmd|' /C calc'!A0", "+1", "-1", "@sum", " =1", "\uff1d1+1", "\ufe63x", "'=1", "''-x"):
        with case(text):
            assert escape_formula(text) == f"'{text}"
            file.write_text(f'item\n"{escape_formula(text)}"\n', encoding="utf-8")
            assert [fields for _, fields in read_records(file)][1:] == [[text]]
    for text in ("3 - 1", "'tis", "a=b", "", "5", "'quoted", "'"):
        assert escape_formula(text) == text


def test_every_sign_that_is_taken_for_one_of_a_formula_is_known() -> None:
    forms = map(chr, (*range(0xD800), *range(0xE000, 0x110000)))
    signs = [one for one in forms if unicodedata.normalize("NFKC", one)[0] in "=+-@"]
    assert [one for one in signs if escape_formula(one) == one] == []


def test_an_answer_that_is_no_count_is_told_by_its_line(tmp_path: Path, case: Case) -> None:
    run, file = tmp_path / "run", tmp_path / "own.csv"
    suite = "naming:images=1,numbers=1-2,categories=apples,size_px=128,wordings=category,control_question=false"
    assert call("run", suite, "--model", "random", "--out", run).code == 0
    for answer, told in (
        ("", "own.csv line 3: annotator and answer should not be empty"),
        ("1.5", "own.csv line 3: answer '1.5' to 'count:apple': should be a whole number"),
    ):
        with case(answer):
            file.write_text(
                f"Annotator;Item;Answer\nA;naming/apples/1/0/category;2\nA;naming/apples/2/0/category;{answer}\n;;\n"
            )
            done = call("import", "readings", file, "--run", run)
            assert (done.code, done.err) == (2, f"subitize: {told}\n")


def test_a_number_without_end_is_said_and_is_no_traceback(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text(f'{{"doc_id": {"9" * 200_000}}}\n')
    refused = call("import", "outputs", outputs, "--out", tmp_path / "run")
    assert refused.code == 2
    assert refused.err.endswith("outputs.jsonl line 1: a number in this JSON has thousands of digits\n")
