"""What `make test` leaves out is run elsewhere: proofs by what changed, parts by their markers."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import proofs
from tests.parts import PARTS

ROOT = Path(__file__).parent.parent

PROOF = """
import pytest

@pytest.mark.proof("subitize.errors")
def test_a_proof() -> None:
    assert {holds}
"""


def test_the_record_of_proofs_was_not_edited_by_hand() -> None:
    stored = json.loads(proofs.RECORD.read_text(encoding="utf-8"))
    assert stored["seal"] == proofs.seal(stored["proved"]), "tests/proofs.json is written by `make prove` only"


def test_a_record_that_was_edited_by_hand_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "RECORD", tmp_path / "proofs.json")
    proofs.write_record({"a": "1"})
    assert proofs.read_record() == {"a": "1"}
    proofs.RECORD.write_text(proofs.RECORD.read_text().replace('"1"', '"2"'))
    assert proofs.read_record() == {}


def test_a_change_of_a_module_of_its_name_or_of_a_drawing_changes_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "SOURCES", tmp_path / "src")
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "one.py").write_text("x = 1\n")
    before = proofs.hash_files(proofs.source_files("package"))
    assert proofs.hash_files(proofs.source_files("package.one")) == before
    (package / "one.py").write_text("x = 2\n")
    changed = proofs.hash_files(proofs.source_files("package"))
    (package / "one.py").rename(package / "two.py")
    renamed = proofs.hash_files(proofs.source_files("package"))
    (package / "drawing.svg").write_text("<svg/>\n")
    drawn = proofs.hash_files(proofs.source_files("package"))
    assert len({before, changed, renamed, drawn}) == 4
    with pytest.raises(AssertionError, match=r"no module package\.one"):
        proofs.source_files("package.one")


def test_a_proof_rests_on_what_its_file_imports_from_beside_it() -> None:
    found = proofs._tables(ROOT / "tests" / "models" / "test_openai.py")
    assert {"openai_server.py", "commands.py"} <= {file.name for file in found}


@pytest.mark.slow
def test_a_proof_runs_until_it_passes_and_again_only_when_something_changed(tmp_path: Path) -> None:
    tests, module = tmp_path / "tests", tmp_path / "src" / "subitize" / "errors.py"
    tests.mkdir()
    module.parent.mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file in (ROOT / "tests").rglob("*.py"):
        if not file.name.startswith("test_"):
            copy = tests / file.relative_to(ROOT / "tests")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)

    def prove(*, holds: bool, source: str, found: str, workers: int = 0) -> int:
        (tests / "test_it.py").write_text(PROOF.format(holds=holds))
        module.write_text(source)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--prove", "changed", "-n", str(workers)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert found in done.stdout, done.stdout
        return done.returncode

    assert prove(holds=False, source="", found="1 failed") == 1
    assert prove(holds=True, source="", found="1 passed", workers=1) == 0
    assert prove(holds=True, source="", found="no tests ran", workers=1) == 0
    assert prove(holds=True, source="x = 1", found="1 passed") == 0


def test_every_part_has_its_marker_and_is_among_those_that_make_check_tests() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    markers = set(re.findall(r"^\w+", "\n".join(options["markers"]), re.MULTILINE))
    (checked,) = re.findall(r"^PARTS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(checked.split(" or ")) == set(PARTS)
    assert markers - set(PARTS) == {"slow", "proof"}
    assert set(PARTS) <= markers
