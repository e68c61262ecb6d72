"""Proofs: long tests that run again only when the modules they are about have changed.

`@pytest.mark.proof("subitize.language")` makes a test a proof about these modules or packages. `make prove` runs the
proofs whose modules, or whose own file, differ from what proofs.json recorded when they last passed.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

RECORD = Path(__file__).parent / "proofs.json"
SOURCES = Path(__file__).parent.parent / "src"
PROPERTY = "proof"


def fingerprint(item: pytest.Item) -> str:
    """Hash the source of the modules that a proof is about, its own file, and what that imports from beside it."""
    marker = item.get_closest_marker("proof")
    assert marker is not None
    assert marker.args, f"{item.nodeid}: a proof names the modules that it is about"
    about = {file for module in marker.args for file in source_files(module)}
    return hash_files(sorted({*about, item.path, *_tables(item.path)}))


def source_files(module: str) -> list[Path]:
    """List the file of a module, or all below a package, the drawings among them."""
    path = SOURCES / Path(*module.split("."))
    if path.with_suffix(".py").is_file():
        return [path.with_suffix(".py")]
    files = sorted(file for file in path.rglob("*") if file.suffix in (".py", ".svg"))
    assert files, f"no module {module}"
    return files


def _tables(test: Path) -> list[Path]:
    """List the modules of tests/ that a test file imports: tables of cases, made-up data."""
    imports = re.findall(r"^from tests(\.[\w.]+)? import ([\w, ]+|\()", test.read_text(encoding="utf-8"), re.MULTILINE)
    modules = [f"{package}.{name}" for package, names in imports for name in ("", *re.split(r" as \w+|, ", names))]
    files = (Path(__file__).parent / f"{module.strip('.').replace('.', '/')}.py" for module in modules)
    return [file for file in files if file.is_file()]


def hash_files(files: list[Path]) -> str:
    """Hash the names and contents of files, wherever the project lies."""
    root = SOURCES.parent
    parts = [f"{file.relative_to(root)}\0{file.read_text(encoding='utf-8')}" for file in files]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_record() -> dict[str, str]:
    """Read the fingerprints of what was proved; a record that was edited by hand proves nothing."""
    if not RECORD.exists():
        return {}
    stored = json.loads(RECORD.read_text(encoding="utf-8"))
    return dict(stored["proved"]) if stored["seal"] == seal(stored["proved"]) else {}


def write_record(proved: Mapping[str, str]) -> None:
    """Write the fingerprints with a seal over them."""
    stored = {"seal": seal(proved), "proved": dict(sorted(proved.items()))}
    RECORD.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def seal(proved: Mapping[str, str]) -> str:
    """Hash the record itself, so that an edit by hand shows."""
    return hashlib.sha256(json.dumps(["proved", sorted(proved.items())]).encode()).hexdigest()[:16]


class Recorder:
    """Takes down which proofs pass; it lives in the process that hears of every result."""

    def __init__(self) -> None:
        self._fingerprints: dict[str, str] = {}
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one report; a proof that is skipped proves nothing."""
        found = dict(report.user_properties).get(PROPERTY)
        if found is not None:
            self._fingerprints[report.nodeid] = str(found)
            if not report.passed:
                self._failed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Add what passed to the record, and drop what failed or is gone; nothing left to prove is no failure."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        proved = read_record() | self._fingerprints
        write_record({node: mark for node, mark in proved.items() if node not in self._failed and _exists(node)})


def _exists(node: str) -> bool:
    file, _, name = node.partition("::")
    path = SOURCES.parent / file
    return path.is_file() and f"def {name.partition('[')[0]}(" in path.read_text(encoding="utf-8")
