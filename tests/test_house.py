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
