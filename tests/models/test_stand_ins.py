"""The embedded models follow the laws they are known for, so that what the pipeline measures can be checked."""

import asyncio
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import score
from subitize.interfaces import Request
from subitize.models.random import Random
from subitize.models.stand_ins import IdealHuman, ObserverModel
from subitize.records import Answer, Estimate, Picture, Refused, Said, Stimulus
from subitize.registry import make_judge, make_model, make_suite
from subitize.stats.response_law import human_law
from subitize.stimuli.recipes import render
from subitize.stimuli.recognition import KINDS
from subitize.store import Folder, Run
from tests.runs import run_suite

CELLS = "categories=apples+dots,wordings=category,control_question=false"


def measured(run: Run) -> dict[str, Estimate]:
    return {one.measure: one.estimate for one in score(observe_run(run, ReadOptions()), []) if one.group == "all"}


def _give(picture: bytes, _: Picture) -> bytes:
    return picture


@pytest.mark.parametrize(
    ("images", "repeats"),
    [
        pytest.param(10, 1, id="some"),
        pytest.param(
            50,
            10,
            id="all",
            marks=pytest.mark.proof("subitize.models.random", "subitize.stats", "subitize.analysis"),
        ),
    ],
)
def test_random_converges_to_its_true_nae_and_accuracy(images: int, repeats: int, tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        suite, model = make_suite(f"naming:images={images},size_px=256,{CELLS}"), make_model("random")
        run_suite(run, suite, model, make_judge("parser"), seed=1, repeats=repeats)
        found = measured(run)
    assert found["accuracy"].n == 20 * images * repeats
    for measure, truth, width in (("accuracy", 0.05, 1), ("nae", 2.300, 14)):
        estimate = found[measure]
        assert abs(estimate.value - truth) < 4 * (estimate.high - estimate.low) / 2 / 1.96
        assert estimate.high - estimate.low < width / np.sqrt(estimate.n)


def test_ideal_human_converges_to_its_true_nae_and_accuracy() -> None:
    model = IdealHuman()
    targets, answers = [], []
    for target in range(1, 11):
        picture = render(Stimulus("dots", target, seed=target, size_px=192)).png
        for seed in range(150):
            task = Answer(Stimulus("dots", target, 0), "How many?")
            reply = model.compute(Request("i", task, 0, 0, seed, partial(_give, picture)))
            assert isinstance(reply.content, Said)
            targets.append(target)
            answers.append(int(reply.content.text))
    error = np.abs(np.array(answers) - np.array(targets))
    right, relative = error == 0, error / np.array(targets)
    assert abs(right.mean() - 0.6156) < 4 * np.sqrt(0.6156 * 0.3844 / len(right))
    assert abs(relative.mean() - 0.0689) < 4 * relative.std() / np.sqrt(len(relative))
    assert right[np.array(targets) <= 4].all()


@pytest.mark.slow
def test_ideal_humans_pipeline_figure_covers_the_truth_on_pictures(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        suite = make_suite(f"naming:images=10,size_px=256,{CELLS}")
        run_suite(run, suite, make_model("ideal-human"), make_judge("parser"), seed=2)
        found = measured(run)
    assert found["accuracy"].n == 200
    assert found["accuracy"].low <= 0.6156 <= found["accuracy"].high
    assert found["nae"].low <= 0.0689 <= found["nae"].high


def test_a_weber_fraction_of_zero_makes_the_ideal_human_exact() -> None:
    assert human_law(9, weber=0.0).argmax() + 1 == 9
    assert human_law(9, weber=0.0).max() == 1.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many apples are there in the picture?", Said("3")),
        ("How many things are there in the picture?", Said("3")),
        ("How many dots are there in the picture?", Said("0")),
        ("What does the image represent?", Said("3 apples")),
        (
            "How many unicorns are there in the picture?",
            Refused(f"not understood: 'unicorn' is none of the {len(KINDS)} kinds of things this observer knows"),
        ),
        ("Sing me a song", Refused("not understood: 'Sing me a song'")),
    ],
    ids=["apples", "things", "dots", "what", "unicorns", "song"],
)
def test_the_observer_answers_what_it_sees_or_says_that_it_does_not_know(question: str, expected: object) -> None:
    recipe = Stimulus("apples", 3, seed=1, size_px=256)
    request = Request("i", Answer(recipe, question), 0, 0, 0, lambda _: render(recipe).png)
    assert ObserverModel().compute(request).content == expected


def test_random_never_looks() -> None:
    def no_look(_: object) -> bytes:
        pytest.fail("random looked")

    request = Request("i", Answer(Stimulus("dots", 3, 0), "How many?"), 0, 0, 7, no_look)
    reply = asyncio.run(Random().respond(request))
    assert isinstance(reply.content, Said)
    assert 1 <= int(reply.content.text) <= 20
