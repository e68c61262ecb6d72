"""`subitize compare`: refined prompts beside those that they are made of, and models beside one another."""

from pathlib import Path

import pytest

from tests.commands import call
from tests.report.report_runs import PAINTERS, refined


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "run"
    refined(folder, "production:categories=apples,numbers=1-7", "grid", "additive", repeats=2).close()
    return folder


def test_each_refinement_is_compared_by_model_and_measure(run: Path) -> None:
    rows = call("compare", run, "--refined", "--json").json()
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
    done = call("compare", run, "--refined")
    assert done.code == 0
    assert "production" in done.out
    assert "Fallbacks: Pairs in which the refinement did not apply" in done.out


def test_a_run_without_refined_prompts_says_what_to_do_first(tmp_path: Path) -> None:
    refined(tmp_path / "plain", "production:categories=apples,numbers=1-2", repeats=1).close()
    done = call("compare", tmp_path / "plain", "--refined")
    assert done.code == 2
    assert "has no refined prompts that were judged beside the original ones; first: subitize run SUITE" in done.err


NAMING = "naming:categories=apples+dots,numbers=1-6,images=1,size_px=256"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for run, model, repeats in (("one", "random", 2), ("two", "ideal-human:weber=0.1", 1), ("two", "observer", 1)):
        made = call("run", NAMING, "--model", model, "--repeats", repeats, "--out", folder / run, "--seed", 1)
        assert made.code == 0, made.err
    return folder


def test_its_older_option_still_works_and_says_that_it_is_the_default(named: Path) -> None:
    done = call("compare", named / "two", "--models", "--json")
    assert done.err == "subitize: subitize compare --models is now: subitize compare\n"
    assert done.out == call("compare", named / "two", "--json").out


@pytest.mark.slow
def test_models_of_several_runs_are_compared_on_what_they_have_in_common(named: Path) -> None:
    found = call("compare", named / "one", named / "two", "--json").json()
    accuracy = next(one for one in found["leaderboards"] if one["measure"] == "accuracy")
    assert [one["model"] for one in accuracy["models"]][-1] == "random"
    (best, *_) = accuracy["models"]
    assert (best["best"], best["letters"]) == (1, "a")
    differences = {(one["first"], one["second"]): one["difference"]["value"] for one in accuracy["pairs"]}
    a, b, c = sorted({name for pair in differences for name in pair})
    assert differences[a, b] + differences[b, c] == pytest.approx(differences[a, c], abs=1e-9)
    asked = found["left_out"][0]["total"] // 2
    assert [(one["model"], one["count"]) for one in found["left_out"]] == [("random", asked)]
    assert {one["difference"]["n"] for one in accuracy["pairs"]} == {asked}


def test_the_table_of_models_says_who_cannot_be_told_apart(named: Path) -> None:
    done = call("compare", named / "two", "--measure", "accuracy", "--by", "category", columns=100)
    assert done.code == 0
    assert "accuracy in naming, judged by parser, category=dots" in done.out
    assert "letter: models that share one cannot be told apart" in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_models_under_different_items_are_not_compared(named: Path, tmp_path: Path) -> None:
    made = call("run", NAMING, "--model", "random", "--out", tmp_path / "other", "--seed", 2)
    assert made.code == 0
    done = call("compare", named / "two", tmp_path / "other")
    assert done.code == 2
    assert "no item and repeat is common to all models" in done.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(["two", "--measure", "speed"], "no measure to compare by named 'speed'", id="measure"),
        pytest.param(["two", "--measure", "success"], "these models have nothing that success is of", id="nothing"),
        pytest.param(["two", "--by", "colour"], "no factor named 'colour'", id="factor"),
        pytest.param(["one"], "there is one model only, 'random'; name a run of another", id="one model"),
        pytest.param(
            ["one", "two", "--refined"], "2 runs, but refined prompts are compared within one run", id="several runs"
        ),
        pytest.param(["one", "one"], "is given 2 times; once is enough", id="twice"),
        pytest.param(["two", "--refined", "--by", "category"], "--by category: leave it out with --refined", id="by"),
        pytest.param(
            ["two", "--refined", "--prompts", "fixed"], "--prompts fixed: leave it out with --refined", id="prompts"
        ),
        pytest.param(["two", "--prompts", "some"], "--prompts some: should be sampled or fixed", id="some"),
        pytest.param(["two", "--judge", "human"], "has no readings by 'human'", id="judge"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_remedy(named: Path, given: list[str], message: str) -> None:
    done = call("compare", *(named / one if one in ("one", "two") else one for one in given))
    assert done.code == 2
    assert message in done.err


def test_a_run_that_is_given_by_two_paths_is_refused(named: Path) -> None:
    done = call("compare", named / "one", named / "two" / ".." / "one")
    assert done.code == 2
    assert "is given 2 times; once is enough" in done.err


@pytest.mark.slow
def test_answers_that_were_read_by_different_rules_are_not_compared(named: Path, tmp_path: Path) -> None:
    made = call(
        "run", NAMING, "--model", "random", "--judge", "parser:policy=total", "--out", tmp_path / "total", "--seed", 1
    )
    assert made.code == 0, made.err
    done = call("compare", named / "two", tmp_path / "total")
    assert done.code == 2
    assert "ideal-human:weber=0.1 and random of naming were read differently: rule" in done.err
    assert "read all by one rule with --rule RULE" in done.err
    found = call("compare", named / "two", tmp_path / "total", "--rule", "strict", "--json").json()
    assert len(found["leaderboards"][0]["models"]) == 3
