"""From prompts through drawn pictures, seen by the observer, back to the Weber fraction they were drawn with."""

from pathlib import Path

import pytest

from tests.commands import call

SUITE = "production:numbers=5-10,categories=apples+dots"


PROOF = pytest.mark.proof(
    "subitize.stats.weber",
    "subitize.stats.response_law",
    "subitize.analysis.counting",
    "subitize.analysis.measures",
    "subitize.models.stand_ins",
    "subitize.stimuli",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weber", "repeats", "size_px"),
    [(0.2, 2, 192), *(pytest.param(weber, 12, 512, marks=PROOF) for weber in (0.05, 0.1, 0.2, 0.4))],
)
def test_the_fraction_that_a_painter_was_given_is_found_again(
    weber: float, repeats: int, size_px: int, tmp_path: Path
) -> None:
    pictures = 12 * repeats
    model = f"painter:weber={weber},size_px={size_px}"
    done = call("run", SUITE, "--model", model, "--repeats", repeats, "--seed", 4, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    (found,) = call("measure", tmp_path / "run", "--json").json()
    fraction = found["weber"]["estimate"]
    assert fraction["low"] <= weber <= fraction["high"]
    assert fraction["high"] - fraction["low"] < 9 / pictures**0.5 * weber
    assert fraction["n"] >= 0.9 * pictures
