"""What commands print, write and store today, kept in golden/expected: a change of it must be meant.

`python -m tests.goldens [NAME …]` writes anew what they print, for a change that is meant. Look at the difference
before it is committed; the subject of that commit begins with `golden:`.
"""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.goldens import commands as golden_commands
from tests.goldens import papers as golden_papers
from tests.goldens import rows as golden_rows
from tests.goldens.texts import Golden, kept

EXPECTED = Path(__file__).parents[1] / "golden" / "expected"
GOLDENS: Mapping[str, Golden] = {**golden_commands.GOLDENS, **golden_papers.GOLDENS, **golden_rows.GOLDENS}


def make(name: str, folder: Path) -> dict[str, str]:
    """Make the texts of a golden in an empty folder."""
    with contextlib.chdir(folder):
        texts = [(file, kept(text)) for file, text in GOLDENS[name].make()]
    made = dict(texts)
    assert len(made) == len(texts), f"{name}: two texts have one name"
    return made


def expected(name: str) -> dict[str, str]:
    """Read the texts that are expected, by file."""
    return {file.name: file.read_bytes().decode() for file in sorted((EXPECTED / name).iterdir())}


def _write_expected(name: str) -> None:
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = make(name, Path(folder))
    except pytest.skip.Exception as absent:
        print(f"{name} stays as it is: {absent}", file=sys.stderr)
        return
    shutil.rmtree(EXPECTED / name, ignore_errors=True)
    (EXPECTED / name).mkdir(parents=True)
    for file, text in made.items():
        (EXPECTED / name / file).write_bytes(text.encode())


if __name__ == "__main__":
    for one in sys.argv[1:] or GOLDENS:
        _write_expected(one)
