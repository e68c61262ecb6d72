"""Files of users are read to a limit, by one reader, and what is wrong with them is told with its line."""

import os
import threading
from pathlib import Path

import pytest

from commands import call
from subitize.csv_files import read_lines, read_text
from subitize.errors import BadFileError


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
            assert read_text(pipe, limit) == "x" * 10
        else:
            with pytest.raises(BadFileError, match="pipe: 10 bytes; at most 9 are read"):
                read_text(pipe, limit)
        writer.join()


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
