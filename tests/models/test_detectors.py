"""Detectors as models: they name numbers by counting what they find."""

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from PIL import Image

from subitize.interfaces import ComputesSeveral, Model, Reply, Request
from subitize.networks.collages import make_collage
from subitize.networks.detectors.classes import COCO_NUMBERS
from subitize.records import Answer, Filed, Refused, Said
from subitize.registry import make_model
from tests.commands import call
from tests.networks.coco_network import ssd_folder

pytestmark = pytest.mark.weights


@cache
def ssd() -> Model:
    return make_model(f"ssd:{ssd_folder()},threshold=0.6").obj


def ask(nouns: Sequence[str], question: str) -> Reply:
    (reply,) = ask_all(ssd(), nouns, [question])
    return reply


def ask_all(model: Model, nouns: Sequence[str], questions: Sequence[str]) -> list[Reply]:
    assert isinstance(model, ComputesSeveral)
    file = io.BytesIO()
    Image.fromarray(make_collage(nouns, 3).pixels).save(file, "PNG")
    tasks = [Answer(Filed("x.png"), question) for question in questions]
    return list(model.compute_all([Request("a/b", task, 0, 0, 1, lambda _: file.getvalue()) for task in tasks]))


@pytest.mark.parametrize(
    ("nouns", "question", "number"),
    [
        (["cat"] * 2, "How many cats are there in the picture?", "2"),
        (["cat", "motorcycle"], "How many motorbikes are there?", "1"),
        (["cat"] * 2, "How many objects are there in the picture?", "2"),
        (["cat"] * 2, "How many aeroplanes are there?", "0"),
    ],
)
def test_what_is_asked_for_is_counted(nouns: list[str], question: str, number: str) -> None:
    reply = ask(nouns, question)
    assert reply.content == Said(number)
    assert len(reply.provenance.weights_hash or "") == 64
    assert str(reply.provenance.parameters["rule"]).startswith("boxes@1>=")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many seeds are there?", "cannot see 'seed'"),
        ("How many cats are left of the seeds?", "cannot see 'seed'"),
        ("What does the image represent?", "not understood: 'What does the image represent?'"),
    ],
)
def test_what_it_cannot_see_is_refused_with_the_reason(question: str, reason: str) -> None:
    assert ask(["cat"], question).content == Refused(reason)


def test_questions_of_a_batch_are_answered_each_by_itself() -> None:
    model = ssd()
    questions = [f"How many {things} are there?" for things in ("cats", "seeds", "objects", "motorbikes", "planes")]
    together = ask_all(model, ["cat", "cat", "motorcycle"], questions)
    assert [reply.content for reply in together] == [
        Said("2"),
        Refused("cannot see 'seed'"),
        Said("3"),
        Said("1"),
        Said("0"),
    ]
    assert together == [ask_all(model, ["cat", "cat", "motorcycle"], [question])[0] for question in questions]


def test_what_came_of_the_self_test_is_told_with_every_reply() -> None:
    model = make_model(f"ssd:{ssd_folder()}").obj
    model.check()
    (reply,) = ask_all(model, ["cat"], ["How many cats are there?"])
    said = str(reply.provenance.parameters["self_test"])
    assert said.startswith("passed, counted ")
    assert "its 90 are taken for those of COCO" in said


def test_a_broken_one_is_refused_by_its_name(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"{COCO_NUMBERS.get(91 - number, 'n/a')}\n" for number in range(1, 91)), encoding="utf-8")
    model = f"ssd:{ssd_folder()},labels={labels}"
    done = call("run", "naming:images=1,numbers=1-2", "--model", model, "--out", tmp_path / "run")
    assert done.code == 2
    assert f"model ssd:{ssd_folder()} failed its self-test: counted 0 of 8 photo collages right" in done.err


def test_it_runs_the_naming_suite_and_drawn_shapes_are_what_it_gets_wrong(tmp_path: Path) -> None:
    suite = "naming:images=1,numbers=1-3,categories=people,wordings=category,size_px=256"
    done = call("run", suite, "--model", f"ssd:{ssd_folder()},self_test=false", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert "0 failed" in done.out
    rows = call("measure", tmp_path / "run", "--json").json()
    assert [row["model"] for row in rows] == [f"ssd:{ssd_folder()}"]
