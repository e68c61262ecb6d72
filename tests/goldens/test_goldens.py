"""What commands print, write and store is what it was."""

from pathlib import Path

import pytest

from tests.goldens.__main__ import GOLDENS, expected, make

MARKED = [pytest.param(name, marks=(pytest.mark.slow, *golden.marks)) for name, golden in GOLDENS.items()]


@pytest.mark.usefixtures("undrawn")  # what is compared are the tables behind charts
@pytest.mark.parametrize("name", MARKED)
def test_a_golden_is_what_it_was(name: str, tmp_path: Path) -> None:
    assert make(name, tmp_path) == expected(name)
