"""From prompts through drawn pictures, seen by the observer, back to the Weber fraction they were drawn with."""

from pathlib import Path

import pytest

from commands import call
from thoroughness import thorough

SUITE = "production:numbers=5-10,categories=apples+dots"


@thorough
@pytest.mark.parametrize("weber", [0.05, 0.1, 0.2, 0.4])
def test_the_fraction_that_a_painter_was_given_is_found_again(weber: float, tmp_path: Path) -> None:
    model = f"painter:weber={weber},size_px=512"
    done = call("run", SUITE, "--model", model, "--repeats", 12, "--seed", 4, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    (found,) = call("measure", tmp_path / "run", "--json").json()
    fraction = found["weber"]["estimate"]
    assert fraction["low"] <= weber <= fraction["high"]
    assert fraction["high"] - fraction["low"] < 0.75 * weber
    assert fraction["n"] >= 130
