"""The command that plans a study."""

from pathlib import Path

import pytest

from cases import Case
from commands import call

QUICK = ("--simulations", 2000)


def test_a_suite_gives_prompts_and_images() -> None:
    finished = call("power", "accuracy", "--suite", "t2icountbench", "--rate", 0.4, "--precision", 0.035, "--json")
    found = finished.json()
    assert (found["design"]["prompts"], found["design"]["images"]) == (525, 4)
    needed = next(one for one in found["answers"] if one["what"].startswith("images per prompt"))
    assert needed["value"]["value"] == 3


def test_refined_suites_and_options_are_suites_too() -> None:
    suite = ("--suite", "t2icountbench~grid:numbers=1-5")
    found = call("power", "accuracy", *suite, "--images", 2, "--method", "closed", "--json").json()
    assert (found["design"]["prompts"], found["design"]["images"]) == (175, 2)


def test_a_difference_has_power_sizes_and_the_least_that_is_found(tmp_path: Path) -> None:
    figure = tmp_path / "curve.svg"
    size = ("--prompts", 525, "--images", 4, "--rate", 0.4, "--difference", 0.05)
    finished = call("power", "difference", *size, "--method", "closed", "--figure", figure)
    assert finished.code == 0, finished.err
    assert "not even 100 are enough" in finished.out
    assert "least difference upwards with power 0.8" in finished.out
    assert figure.read_text(encoding="utf-8").startswith("<svg")


def test_simulated_figures_tell_their_error() -> None:
    finished = call("power", "kappa", "--prompts", 40, "--raters", 6, "--kappa", 0.58, "--share", 0.1, *QUICK)
    assert finished.code == 0, finished.err
    assert "95 % interval of the simulation's own error" in finished.out


def test_many_tests_need_more() -> None:
    size = ("--prompts", 300, "--images", 4, "--rate", 0.4, "--difference", 0.1, "--method", "closed", "--json")
    one, ten = (call("power", "difference", *size, "--tests", tests).json() for tests in (1, 10))
    values = [next(a["value"]["value"] for a in found["answers"] if a["what"] == "power") for found in (one, ten)]
    assert values[0] > values[1] + 0.1


def test_a_run_tells_what_to_assume(tmp_path: Path) -> None:
    run = tmp_path / "run"
    drawn = (
        "production:categories=dots,numbers=1+9,max_attempts=1",
        "--model",
        "painter:weber=0.15,size_px=256",
        "--repeats",
        6,
        "--out",
        run,
    )
    assert call("run", *drawn).code == 0
    finished = call("power", "accuracy", "--prompts", 100, "--images", 4, "--like", run, "--method", "closed", "--json")
    assert finished.code == 0, finished.err
    design = finished.json()["design"]
    assert 0 < design["rate"] < 1
    assert design["icc"] > 0
    unknown = call("power", "accuracy", "--prompts", 100, "--like", run, "--model", "dalle")
    assert unknown.code == 2
    assert "painter:weber=0.15,size_px=256 on production by observer" in unknown.err


REFUSED = {
    "a rate against itself": ("accuracy --prompts 9 --rate 0.5 --against 0.5", "it is --rate itself"),
    "a kappa against itself": (
        "kappa --prompts 9 --raters 3 --kappa 0.5 --against 0.5",
        "it is --kappa itself",
    ),
    "a model without a run": ("accuracy --prompts 9 --model painter", "add --like RUN"),
    "no size": ("accuracy", "give --suite NAME or --prompts N"),
    "no such suite": ("accuracy --suite t2i", "no suite named 't2i'"),
    "unknown method": ("accuracy --prompts 9 --method bayes", "no method named 'bayes'"),
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
    "discordance": ("difference --prompts 9 --rate 0.3 --difference 0.2 --discordance 0.05", "can be from 0.2867 to"),
    "discordance and correlation": ("difference --prompts 9 --discordance 0.3 --correlation 0.1", "give one of them"),
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
            finished = call("power", *arguments.split())
            assert finished.code == 2
            assert told in finished.err
            assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("median", "No such command 'median'"),
        ("accuracy --prompts 9 --difference 0.1", "No such option: --difference"),
        ("difference --prompts 9 --against 0.1", "No such option: --against"),
        ("kappa --prompts 9 --images 4", "No such option: --images"),
    ],
)
def test_each_study_has_its_own_options_only(arguments: str, told: str) -> None:
    finished = call("power", *arguments.split())
    assert finished.code == 2
    assert told in finished.err


@pytest.mark.parametrize(("study", "own"), [("accuracy", "--against"), ("difference", "--like"), ("kappa", "--raters")])
def test_each_study_explains_its_options(study: str, own: str) -> None:
    finished = call("power", study, "--help")
    assert finished.code == 0
    assert own in finished.out
