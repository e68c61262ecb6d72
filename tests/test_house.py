"""The package keeps its order: a class has a name of its own, and only its folder names a paper."""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from subitize.papers import PAPERS as BUILT_IN

SOURCE = Path(__file__).resolve().parent.parent / "src" / "subitize"
PAPERS = re.compile("|".join([*BUILT_IN, r"seeing[ _-]?past[ _-]?words"]), re.IGNORECASE)


def test_no_two_public_classes_have_one_name() -> None:
    codes = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    names = Counter(name for code in codes for name in re.findall(r"^class ([A-Z]\w*)", code, re.MULTILINE))
    assert len(names) > 500
    assert [name for name, count in names.items() if count > 1] == []


def test_the_page_on_architecture_names_files_and_objects_that_are_there() -> None:
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = re.findall(r"`([a-z_/]+(?:\.py|/))`", page)
    assert len(files) > 60
    assert [file for file in files if not any((root / file).exists() for root in (SOURCE, SOURCE.parents[1]))] == []
    names = re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)\.([A-Z]\w+)`", page)
    assert names
    assert [f"{module}.{name}" for module, name in names if not _has(module, name)] == []


OPENED_ELSEWHERE = {
    "(files('subitize') / 'options.toml').read_text",  # our own
    "(files('subitize.annotation') / 'instructions.toml').read_text",
    "(here / f'{name}.py').read_text",
    "Image.open",  # a glyph of ours, from memory
    "Regions.open",  # calls open_input
    "archive.open",  # a member of a zip that open_zip opened
    "np.fromfile",  # weights, checked when they were found
    "np.load",  # through open_input
    "os.open",  # a folder's lock
    "webbrowser.open",
}
"""What may open something without `io`, and why."""


def test_files_that_users_name_are_opened_by_io_alone() -> None:
    files = [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in ("io", "store")]
    found = {
        (path.relative_to(SOURCE).as_posix(), call) for path in files for call in _openings(path.read_text("utf-8"))
    }
    assert {call for _, call in found} >= OPENED_ELSEWHERE
    assert sorted(f"{file}: {call}(…)" for file, call in found if call not in OPENED_ELSEWHERE) == []


@pytest.mark.parametrize(
    "code",
    [
        "open(name)",
        "path.open('rb')",
        "path.open(encoding='utf-8')",
        "path.read_text()",
        "path.read_bytes()",
        "zipfile.ZipFile(path)",
        "ZipFile(path)",
        "pl.read_csv(path)",
        "pl.scan_ndjson(path)",
        "Image.open(path)",
        "np.load(path)",
        "np.fromfile(path)",
    ],
)
def test_the_test_sees_every_way_to_open_a_file(code: str) -> None:
    assert list(_openings(code))


def test_writing_and_reading_what_lies_beside_the_code_are_no_reading_of_users_files() -> None:
    code = "path.open('w')\nopen(path, mode='ab')\nPath(__file__).with_name('x.toml').read_text(encoding='utf-8')\n"
    assert not list(_openings(code))


def _openings(code: str) -> Iterator[str]:
    """List the calls that read a file; writing is not reading, and files beside the code are the package's own."""
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call) and _OPENS.fullmatch(name := ast.unparse(call.func)) and "__file__" not in name:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            modes = [one.value for one in given if isinstance(one, ast.Constant)]
            is_own = name == "open" and "\ndef open(" in code
            if not is_own and not any(re.fullmatch(r"[wax]b?\+?", str(mode)) for mode in modes):
                yield name


_OPENS = re.compile(
    r"open|.*\.(?:open|read_text|read_bytes)|(?:zipfile\.)?ZipFile|(?:pl|polars)\.(?:read|scan)_\w+|np\.(?:load|fromfile)",
    re.DOTALL,
)


def _has(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(f"subitize.{module}"), name)


@pytest.mark.slow
def test_no_identifier_and_no_string_outside_its_folder_names_a_paper() -> None:
    files = [path for path in SOURCE.rglob("*.py") if SOURCE / "papers" not in path.parents]
    assert len(files) > 200
    codes = {path: path.read_text(encoding="utf-8") for path in files}
    named = {
        f"{path.relative_to(SOURCE)}:{line}: {text[:80]}"
        for path, code in codes.items()
        if PAPERS.search(re.sub(r"\W+", "", code))  # parsing takes long; a string may be in pieces
        for line, text in _words(ast.parse(code))
        if PAPERS.search(text)
    }
    assert not named, "\n".join(sorted(named))


@pytest.mark.parametrize(
    "code",
    [
        "geckonum = 1",
        "import subitize.papers.gimbrr",
        "from subitize.papers import numbersense",
        "def read_geckonum(): ...",
        "def f(geckonum): ...",
        "x = 'T2ICountBench'",
        "x = f'{y} of GeckoNum'",
        "f(geckonum=1)",
        "x.geckonum",
    ],
)
def test_the_test_sees_a_name_wherever_it_stands(code: str) -> None:
    assert any(PAPERS.search(text) for _, text in _words(ast.parse(code)))


def test_comments_and_docstrings_may_cite() -> None:
    code = '"""After GeckoNum."""\n# Numbersense\ndef f():\n    """As in GIMBRR."""\nX = 1\n"""GeckoNum\'s."""\n'
    assert not any(PAPERS.search(text) for _, text in _words(ast.parse(code)))


def _words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Go through identifiers and strings; a string that is a statement by itself is a comment."""
    comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=str() as text) if id(node) not in comments:
                yield line, text
            case ast.Name(id=text) | ast.Attribute(attr=text) | ast.arg(arg=text) | ast.alias(name=text):
                yield line, text
            case ast.FunctionDef(name=text) | ast.AsyncFunctionDef(name=text) | ast.ClassDef(name=text):
                yield line, text
            case ast.keyword(arg=str() as text) | ast.ImportFrom(module=str() as text):
                yield line, text
