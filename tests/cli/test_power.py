"""The command that plans a study."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import Case
from tests.commands import call

QUICK = ("--simulations", 200)


def plan(*arguments: object) -> dict[str, Any]:
    finished = call("make", "plan", *arguments, *QUICK, "--json")
    assert finished.code == 0, finished.err
    return dict(finished.json())


def value_of(found: dict[str, Any], what: str) -> float:
    return next(float(one["value"]["value"]) for one in found["answers"] if one["what"].startswith(what))


@pytest.mark.slow
def test_a_suite_gives_prompts_strata_and_images() -> None:
    found = plan("accuracy", "--suite", "t2icountbench", "--rate", 0.4, "--precision", 0.03)
    design = found["design"]
    assert (design["prompts"], design["images"], design["strata"]) == (525, 4, [7.0] * 75)
    assert (design["icc"], design["icc_within"]) == (0.5, 0.2)
    uncorrelated = plan(
        "accuracy", "--suite", "t2icountbench", "--rate", 0.4, "--precision", 0.03, "--noun-correlation", 0
    )
    assert value_of(uncorrelated, "images per prompt") == 3  # seven objects widen the interval even so
    assert next(one for one in found["answers"] if one["what"].startswith("images per"))["value"] is None


def test_refined_suites_options_and_other_strata_are_taken() -> None:
    suite = ("--suite", "t2icountbench~grid:numbers=1-5")
    assert len(plan("accuracy", *suite)["design"]["strata"]) == 25
    design = plan("accuracy", *suite, "--images", 2, "--prompts", 60, "--strata", 6)["design"]
    assert (design["prompts"], design["images"], design["strata"]) == (60, 2, [1.0] * 6)


def test_strata_that_explain_the_icc_make_the_interval_narrower() -> None:
    size = ("accuracy", "--prompts", 60, "--images", 10, "--rate", 0.4, "--icc", 0.5)
    alone, strata = (value_of(plan(*size, *more), "half-width") for more in ((), ("--strata", 10)))
    assert strata < 0.75 * alone


def test_an_error_is_planned_by_its_mean_and_spread() -> None:
    found = plan("error", "--prompts", 50, "--images", 4, "--mean", 0.3, "--sd", 0.4, "--against", 0.5)
    assert value_of(found, "power") > 0.5
    assert value_of(found, "lower value told apart") < 0.3 < value_of(found, "higher value told apart")


@pytest.mark.slow
def test_a_difference_has_power_sizes_and_a_curve(tmp_path: Path) -> None:
    figure = tmp_path / "curve.svg"
    size = ("--prompts", 30, "--images", 2, "--rate", 0.4, "--difference", 0.2, "--power", 0.95)
    finished = call("make", "plan", "difference", *size, *QUICK, "--figure", figure)
    assert finished.code == 0, finished.err
    assert "images of one prompt hang together" in finished.out
    assert "prompts for power 0.95, with 2 images each" in finished.out
    assert figure.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_the_least_difference_has_the_power_that_was_wanted() -> None:
    size = ("difference", "--prompts", 30, "--images", 2)
    least = value_of(plan(*size), "least difference with power 0.8")
    assert value_of(plan(*size, "--difference", least), "power") == pytest.approx(0.8, abs=0.1)


def test_several_models_are_found_to_differ_in_part_or_all() -> None:
    found = plan("difference", "--prompts", 30, "--images", 4, "--models", 3, "--difference", 0.12, "--strata", 3)
    shares = [value_of(found, f"{which} difference") for which in ("all", "any")]
    assert shares[0] < value_of(found, "power") < shares[1]
    assert 1 <= value_of(found, "ranks") <= 3


@pytest.mark.slow
def test_annotators_of_a_pool_with_habits_agree_less_surely() -> None:
    size = ("kappa", "--prompts", 40, "--raters", 3, "--kappa", 0.5)
    same, pool = (value_of(plan(*size, *more), "half-width") for more in ((), ("--annotators", 9, "--habit", 0.2)))
    assert 0 < pool < 1
    assert same > 0


def test_figures_tell_the_error_of_the_simulation_and_no_bar_where_nobody_looks() -> None:
    finished = call("make", "plan", "accuracy", "--prompts", 40, *QUICK)
    assert "95 % interval of the simulation's own error" in finished.out
    assert not finished.err


def test_many_tests_need_more() -> None:
    size = ("accuracy", "--prompts", 50, "--images", 4, "--rate", 0.4, "--against", 0.55)
    one, ten = (value_of(plan(*size, "--tests", tests), "power") for tests in (1, 10))
    assert one > ten + 0.1


@pytest.mark.slow
def test_a_run_tells_what_to_assume(tmp_path: Path) -> None:
    run = tmp_path / "run"
    drawn = ("production:categories=dots,numbers=5-9,max_attempts=1", "--repeats", 4, "--out", run)
    models = ("painter:weber=0.15,size_px=256", "painter:weber=0.2,size_px=256")
    assert call("run", *drawn, "--model", models[0], "--model", models[1]).code == 0
    size = ("--prompts", 60, "--images", 4, "--like", run)
    design = plan("accuracy", *size, "--model", models[0])["design"]
    assert 0 < design["rate"] < 1
    assert 0 <= design["icc"] < 1
    assert plan("error", *size, "--measure", "mae", "--model", models[0])["design"]["mean"] > 0
    compared = plan("difference", *size, "--strata", 5)["design"]
    assert (compared["rate"], compared["icc_within"] <= compared["icc"]) == (design["rate"], True)
    unknown = call("make", "plan", "accuracy", "--prompts", 100, "--like", run, "--model", "dalle")
    assert unknown.code == 2
    assert "painter:weber=0.15,size_px=256 on production by observer" in unknown.err


REFUSED = {
    "a rate against itself": ("accuracy --prompts 9 --rate 0.5 --against 0.5", "that is what is expected"),
    "a kappa against itself": (
        "kappa --prompts 9 --raters 3 --kappa 0.5 --against 0.5",
        "that is what is expected",
    ),
    "a model without a run": ("accuracy --prompts 9 --model painter", "add --like RUN"),
    "no size": ("accuracy", "give --suite NAME or --prompts N"),
    "no such suite": ("accuracy --suite t2i", "no suite named 't2i'"),
    "rate beyond 1 to be told apart from": (
        "accuracy --prompts 9 --against 1.5",
        "--against 1.5: should be from 0 to 1",
    ),
    "more strata than prompts": ("accuracy --prompts 9 --strata 10", "--strata 10: should be from 1 to 9"),
    "icc within above icc": ("accuracy --prompts 9 --strata 3 --icc 0.2 --icc-within 0.3", "no more than --icc 0.2"),
    "icc within without strata": ("accuracy --prompts 9 --icc 0.3 --icc-within 0.2", "without strata the same"),
    "icc that strata cannot have": ("accuracy --prompts 9 --strata 2 --rate 0.1 --icc 0.9", "more --strata"),
    "error without a mean": ("error --prompts 9 --sd 0.3", "give --mean and --sd"),
    "error of 0": ("error --prompts 9 --mean 0 --sd 0.3", "--mean 0: should be above 0"),
    "unknown error": ("error --prompts 9 --measure mse", "--measure mse: should be nae or mae"),
    "one model": ("difference --prompts 9 --models 1", "--models 1: should be from 2 to 20"),
    "many models apart": ("difference --prompts 9 --models 9 --difference 0.1", "it leads to 1.3"),
    "fewer annotators than raters": ("kappa --prompts 9 --raters 5 --kappa 0.5 --annotators 3", "should be from 5 to"),
    "more agreement than habits leave": ("kappa --prompts 9 --raters 5 --kappa 0.9 --habit 0.2", "here 0.64"),
    "images without icc": ("kappa --prompts 9 --images 2 --raters 5 --kappa 0.5", "give --icc as well"),
    "images more alike than answers": (
        "kappa --prompts 9 --images 2 --raters 5 --kappa 0.5 --icc 0.6",
        "--icc 0.6: should be from 0 to 0.5",
    ),
    "one prompt": ("accuracy --prompts 1", "--prompts 1: should be from 2 to 100000"),
    "too many prompts": ("accuracy --prompts 9000000", "should be from 2 to 100000"),
    "no images": ("accuracy --prompts 9 --images 0", "--images 0: should be from 1 to 100"),
    "too many images": ("accuracy --prompts 9 --images 500", "--images 500: should be from 1 to 100"),
    "rate of 0": ("accuracy --prompts 9 --rate 0", "--rate 0: should be above 0 and below 1"),
    "rate above 1": ("accuracy --prompts 9 --rate 40", "--rate 40: should be above 0 and below 1"),
    "rate that is no number": ("accuracy --prompts 9 --rate nan", "--rate nan: should be above 0"),
    "endless precision": ("accuracy --prompts 9 --precision inf", "--precision inf: should be above 0"),
    "confidence of 1": ("accuracy --prompts 9 --confidence 1", "--confidence 1: should be above 0 and below 1"),
    "icc above 1": ("accuracy --prompts 9 --icc 1.2", "--icc 1.2: should be from 0 to 1"),
    "negative correlation": ("difference --prompts 9 --correlation -0.2", "--correlation -0.2: should be from 0 to 1"),
    "difference beyond 1": ("difference --prompts 9 --rate 0.8 --difference 0.3", "it leads to 1.1"),
    "no difference": ("difference --prompts 9 --difference 0", "--difference 0: there is nothing to find"),
    "difference that is no number": ("difference --prompts 9 --difference nan", "--difference nan"),
    "k above images": ("accuracy --prompts 9 --images 2 --at 4", "there are only 2 images per prompt"),
    "kappa without raters": ("kappa --prompts 9 --kappa 0.5", "kappa needs --raters and --kappa"),
    "one rater": ("kappa --prompts 9 --raters 1 --kappa 0.5", "--raters 1: should be from 2 to 50"),
    "negative kappa": ("kappa --prompts 9 --raters 3 --kappa -0.3", "--kappa -0.3: should be from 0 to below 1"),
    "share of 0": ("kappa --prompts 9 --raters 3 --kappa 0.3 --share 0", "--share 0: should be above 0"),
    "power below alpha": ("accuracy --prompts 9 --power 0.01", "--power 0.01: should be above --alpha 0.05"),
    "no tests": ("accuracy --prompts 9 --tests 0", "--tests 0: should be from 1 to 10000"),
    "few simulations": ("accuracy --prompts 9 --simulations 1", "--simulations 1: should be from 100 to 1000000"),
    "negative seed": ("accuracy --prompts 9 --seed -1", "--seed -1: should be from 0"),
    "figure": ("accuracy --prompts 9 --figure curve.pdf", "should end in .png or .svg"),
    "no run": ("accuracy --prompts 9 --like nowhere", "nowhere"),
}


def test_what_cannot_be_planned_is_refused_in_one_line(case: Case) -> None:
    for name, (arguments, told) in REFUSED.items():
        with case(name):
            finished = call("make", "plan", *arguments.split())
            assert finished.code == 2
            assert told in finished.err
            assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("median", "No such command 'median'"),
        ("accuracy --prompts 9 --difference 0.1", "No such option: --difference"),
        ("difference --prompts 9 --against 0.1", "No such option: --against"),
        ("kappa --prompts 9 --tests 4", "No such option: --tests"),
    ],
)
def test_each_study_has_its_own_options_only(arguments: str, told: str) -> None:
    finished = call("make", "plan", *arguments.split())
    assert finished.code == 2
    assert told in finished.err


@pytest.mark.parametrize(
    ("study", "own"),
    [("accuracy", "--icc-within"), ("error", "--sd"), ("difference", "--models"), ("kappa", "--raters")],
)
def test_each_study_explains_its_options(study: str, own: str) -> None:
    finished = call("make", "plan", study, "--help")
    assert finished.code == 0
    assert own in finished.out
