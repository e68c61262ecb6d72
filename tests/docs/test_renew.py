"""Printed samples of a page are found, compared with what is printed, and written again; nothing else changes."""

from pathlib import Path

import pytest

from tests.cases import Case
from tests.docs.pages import commands, find_samples, is_shown
from tests.docs.renew import main, renew_sample

# Two blanks at the end of a line, a tab, a line end of Windows, none at the end of the file: all of it stays.
PAGE = """# Fish\x20\x20

```yaml fish.yaml
prompts: "{number} {noun}"
words:
  noun: [fish, star]
  number: 1-2
```

```console
$ mkdir made
$ subitize make prompts fish.yaml
FIRST
$ subitize make prompts fish.yaml
```

\tOf these lines:\r

```output
…
fish.yaml/star/1,…
SECOND
```

```
fish.yaml/fish/1,1 shark,1,fish
```"""
RIGHT = {"FIRST": "fish.yaml/fish/1,1 fish,1,fish", "SECOND": "fish.yaml/star/2,2 star,2,star"}
PRINTED = ["3 replies of a model", "", "name   right", "tree       1", "house     20", "", "that is all"]


def write(lines: dict[str, str]) -> bytes:
    text = PAGE
    for place, line in lines.items():
        text = text.replace(place, line)
    return text.encode()


def renew(folder: Path, lines: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, bytes]:
    page = folder / "page.md"
    page.write_bytes(write(lines))
    monkeypatch.setattr("sys.argv", ["renew_docs.py", str(page)])
    code = main()
    return code, page.read_bytes()


def test_samples_are_found_with_their_commands() -> None:
    inline, apart = find_samples(PAGE)
    assert (inline.lines, [*inline.commands]) == (["FIRST"], [1])
    assert (apart.lines[2], [*apart.commands]) == ("SECOND", [0, 1, 2])
    assert PAGE.split("\n")[apart.first + 2] == "SECOND"
    assert len(commands(PAGE)) == 3


SHOWN = (
    (PRINTED, True),
    (["name right", "house 20"], True),
    (["…", "  name      right", "tree 1", "…"], True),
    (["3 … of a model", "that…"], True),
    (["house 20", "tree 1"], False),
    (["tree 1", "tree 1"], False),
    (["3 replies", "name right"], False),
    (["a … model"], False),
)


def test_a_sample_leaves_out_lines_and_parts_of_lines_and_keeps_the_order(case: Case) -> None:
    for sample, is_right in SHOWN:
        with case(sample):
            assert is_shown(sample, PRINTED) == is_right


RENEWED: tuple[tuple[list[str], list[str], list[int]], ...] = (
    # An accepted sample stays, whatever its spaces.
    (["name right", "tree  1"], ["name right", "tree  1"], []),
    # A table is set again as a whole, without the rows that the page leaves out; a paragraph beside it is not.
    (["3   replies of a model", "", "name  right", "house   2"], ["3   replies of a model", "", *PRINTED[2:5:2]], []),
    (["3 answers of a model", "…", "that is all"], ["3 replies of a model", "…", "that is all"], []),
    # What has no counterpart stays, and so does a line whose left-out part may be another by now.
    (["tree 1", "quite unknown words"], ["tree       1", "quite unknown words"], [1]),
    (["3 answers … model", "that…"], ["3 answers … model", "that…"], [0]),
)


def test_lines_that_are_printed_otherwise_are_renewed_and_others_are_left(case: Case) -> None:
    for sample, expected, left in RENEWED:
        with case(sample):
            renewed = renew_sample(sample, [["of another command"], PRINTED])
            assert (renewed.lines, renewed.left) == (expected, left)


def test_a_page_that_shows_what_is_printed_stays_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = RIGHT | {"SECOND": "fish.yaml/star/2,…"}
    assert renew(tmp_path, right, monkeypatch) == (0, write(right))
    assert capsys.readouterr() == ("", "")


def test_one_wrong_line_is_written_again_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = RIGHT | {"SECOND": "…"}
    wrong = right | {"FIRST": "fish.yaml/fish/1,1 whale,1,fish"}
    assert renew(tmp_path, wrong, monkeypatch) == (0, write(right))
    assert capsys.readouterr().out == f"{tmp_path}/page.md: 1 line renewed\n"


def test_a_line_that_is_left_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"FIRST": "something else entirely", "SECOND": "…"}
    assert renew(tmp_path, wrong, monkeypatch) == (1, write(wrong))
    assert capsys.readouterr().err == f"{tmp_path}/page.md:13: change this line by hand: something else entirely\n"


def test_a_page_whose_command_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = RIGHT | {"1-2": "1-x"}
    assert renew(tmp_path, wrong, monkeypatch) == (1, write(wrong))
    assert (
        "page.md: subitize make prompts fish.yaml: subitize: fish.yaml line 4: number '1-x'" in capsys.readouterr().err
    )
