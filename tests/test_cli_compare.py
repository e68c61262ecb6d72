"""`subitize compare`: refined prompts beside those that they are made of, for any suite."""

from pathlib import Path

import pytest

from commands import call
from report_runs import PAINTERS, refined


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "run"
    refined(folder, "production:categories=apples,numbers=1-7", "grid", "additive", repeats=2).close()
    return folder


def test_each_refinement_is_compared_by_model_and_measure(run: Path) -> None:
    rows = call("compare", run, "--json").json()
    places = {(row["refinement"], row["model"], row["measure"]) for row in rows}
    assert places == {
        (name, model, measure)
        for name in ("grid", "additive")
        for model in PAINTERS
        for measure in ("success", "accuracy")
    }
    assert {(row["pairing"]["difference"]["n"], row["fallbacks"], row["unpaired"]) for row in rows} == {(7, 1, 0)}
    for row in rows:
        difference = row["pairing"]["first"]["value"] - row["pairing"]["second"]["value"]
        assert row["pairing"]["difference"]["value"] == pytest.approx(difference)


def test_the_table_says_what_a_fallback_is(run: Path) -> None:
    done = call("compare", run)
    assert done.code == 0
    assert "production" in done.out
    assert "fallbacks: pairs in which the refinement does not apply" in done.out


def test_a_run_without_refined_prompts_says_what_to_do_first(tmp_path: Path) -> None:
    refined(tmp_path / "plain", "production:categories=apples,numbers=1-2", repeats=1).close()
    done = call("compare", tmp_path / "plain")
    assert done.code == 2
    assert "has no refined prompts that were judged beside the original ones; first: subitize run SUITE" in done.err
