"""A network of one's own needs no more than a way to be loaded and a method for each task."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.interfaces import ComputesSeveral, Request
from subitize.networks.local import LocalModel
from subitize.records import Answer, Match, Said, Stimulus
from subitize.stimuli.recipes import render
from tests.cases import Case

pytestmark = pytest.mark.torch
PAGE = Path(__file__).parents[2] / "docs" / "local-models.md"
PICTURE = Stimulus("dots", 3, 1, 128)


@pytest.fixture
def model(tmp_path: Path) -> LocalModel:
    """The model that the page shows, with weights of its own."""
    import torch

    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    shown: dict[str, type[LocalModel]] = {}
    exec(code, shown)
    (tmp_path / "config.json").write_text("{}")
    torch.save(torch.tensor(0.1), tmp_path / "model.pt")
    return shown["Brightness"](str(tmp_path), device="cpu")


def ask(text: str) -> Request:
    return Request("naming/1", Answer(PICTURE, text), 0, 0, 5, lambda _: render(PICTURE).png)


def test_the_model_of_the_page_answers_and_says_whose_weights_it_has(model: LocalModel) -> None:
    assert isinstance(model, ComputesSeveral)
    assert model.tasks == {"answer"}
    reply, other = model.compute_all([ask("How many?"), ask("How many dots?")])
    assert reply.content == other.content == Said("25")
    assert reply.provenance.parameters == {"dtype": "float32"}
    assert reply.provenance.weights_hash
    assert set(reply.provenance.versions) == {"subitize", "torch"}
    assert (reply.provenance.revision, reply.provenance.prompt_sent) == (None, "How many?")


def test_it_is_loaded_once_and_does_what_it_has_a_method_for(model: LocalModel) -> None:
    model.check()
    (model.folder / "model.pt").unlink()
    model.check()
    assert isinstance(model.compute_all([]), list)
    with pytest.raises(BadValueError, match=r"brightness:.* cannot do the task 'match'; it can answer"):
        model.compute_all([replace(ask(""), task=Match(PICTURE, "three dots"))])


def test_options_are_refused_in_its_name(model: LocalModel, case: Case) -> None:
    for options, said in (
        ({"batch_size": 0}, "batch_size=0: should be at least 1"),
        ({"device": "tpu"}, "device='tpu'"),
    ):
        with case(said), pytest.raises(BadValueError, match=rf"brightness:.*: {re.escape(said)}"):
            type(model)(model.given, **options)


def test_the_tasks_follow_from_the_methods() -> None:
    class Both(LocalModel):
        name = "both"

        def score(self, images: object, texts: object) -> list[dict[str, float]]:
            return []

        def draw(self, prompts: object, seeds: object) -> list[bytes]:
            return []

    assert Both.tasks == {"match", "draw"}
