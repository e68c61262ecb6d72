"""A forecast holds also where a suite asks again."""

from pathlib import Path

import pytest

import subitize

pytestmark = pytest.mark.usefixtures("own_names")
SUITE = "naming:images=2,numbers=1-4,categories=dots,size_px=128"


def test_a_forecast_says_the_least_and_the_most_calls_where_a_suite_asks_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def vague(question: str) -> str:
        asked.append(question)
        return "cannot say"

    (before,) = subitize.run(SUITE, vague, tmp_path / "run", dry_run=True).records
    model, _ = before["expenses"]
    assert (model["calls"], model["more_expected"], model["more_at_most"]) == (24, None, 3.0)
    subitize.run(SUITE, vague, tmp_path / "run").close()
    assert len(asked) == 24 * 3


def test_a_forecast_expects_what_the_run_has_shown_so_far(tmp_path: Path) -> None:
    tried: dict[str, int] = {}

    def hesitant(question: str, seed: int) -> str:
        tried[question] = tried.get(question, 0) + 1
        return "cannot say" if tried[question] % 2 else "4"

    subitize.run(SUITE, hesitant, tmp_path / "run").close()
    made = sum(tried.values())
    found = subitize.run(SUITE, hesitant, tmp_path / "run", repeats=2, dry_run=True)
    (model, _) = found.records[0]["expenses"]
    assert model["calls"] == 24
    assert model["more_expected"] == made / 24
    usual = f"what shows nothing to count is asked again; as often as so far: {made} calls"
    assert f"expected: 24 calls to 72 calls, as {usual}" in str(found)


def test_what_a_finished_run_asks_again_is_forecast_before_it_is_judged(tmp_path: Path) -> None:
    def vague(question: str) -> str:
        return "cannot say"

    with subitize.run(SUITE, vague, tmp_path / "run", judge="none") as run:
        subitize.judge(run, "parser")
    found = subitize.run(SUITE, vague, tmp_path / "run", dry_run=True)
    (model, _) = found.records[0]["expenses"]
    assert (found.records[0]["done"], model["calls"], model["more_at_most"]) == (24, 24, 2.0)
