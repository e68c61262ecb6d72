"""Detectors as models: they name numbers by counting what they find."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from coco_network import ssd_folder
from commands import call
from subitize.interfaces import ComputesSeveral, Reply, Request
from subitize.networks.detectors.collages import make_collage
from subitize.records import Answer, Filed, Refused, Said
from subitize.registry import make_model


def ask(folder: Path, nouns: Sequence[str], question: str) -> Reply:
    model = make_model(f"ssd:{ssd_folder()},threshold=0.6").it
    assert isinstance(model, ComputesSeveral)
    file = io.BytesIO()
    Image.fromarray(make_collage(nouns, 3).pixels).save(file, "PNG")
    request = Request("a/b", Answer(Filed("x.png"), question), 0, 0, 1, lambda _: file.getvalue())
    (reply,) = model.compute_all([request])
    assert isinstance(reply, Reply)
    return reply


@pytest.mark.parametrize(
    ("nouns", "question", "number"),
    [
        (["cat"] * 2, "How many cats are there in the picture?", "2"),
        (["cat", "motorcycle"], "How many motorbikes are there?", "1"),
        (["cat"] * 2, "How many objects are there in the picture?", "2"),
        (["cat"] * 2, "How many aeroplanes are there?", "0"),
    ],
)
def test_what_is_asked_for_is_counted(tmp_path: Path, nouns: list[str], question: str, number: str) -> None:
    reply = ask(tmp_path, nouns, question)
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
def test_what_it_cannot_see_is_refused_with_the_reason(tmp_path: Path, question: str, reason: str) -> None:
    assert ask(tmp_path, ["cat"], question).content == Refused(reason)


def test_it_runs_the_naming_suite_and_drawn_shapes_are_what_it_gets_wrong(tmp_path: Path) -> None:
    suite = "naming:images=1,numbers=1-3,categories=apples+people,size_px=256"
    done = call("run", suite, "--model", f"ssd:{ssd_folder()}", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert "0 failed" in done.out
    rows = call("measure", tmp_path / "run", "--json").json()
    assert [row["model"] for row in rows] == [f"ssd:{ssd_folder()}"]
