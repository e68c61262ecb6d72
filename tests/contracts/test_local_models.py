"""What every model with weights of its own must hold, run on a tiny one of each kind, written to disk and loaded."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from subitize.errors import BadFileError, UnusableModelError
from subitize.interfaces import ComputesSeveral, Model, Suite
from subitize.io.images import decode
from subitize.records import (
    Answer,
    Ask,
    Count,
    Draw,
    Drawn,
    Failed,
    Filed,
    Fill,
    Item,
    Match,
    Outcome,
    Picture,
    Said,
    Scored,
    Spec,
    Stimulus,
    Stored,
    Task,
    TaskKind,
)
from subitize.registry import Resolved, make_model
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.networks.tiny_matchers import write_regions
from tests.networks.tiny_weights import PIPELINES, find_tiny
from tests.runs import run_suite

pytestmark = pytest.mark.torch

OUTCOME_OF: Mapping[TaskKind, type[Outcome]] = {"answer": Said, "match": Scored, "fill": Scored, "draw": Drawn}
# By how much two drawings of one seed may differ in any pixel where their batches differ.
NEAR = 2
DETECTORS = {
    "grounding-dino": "grounding-dino",
    "mm-grounding-dino": "mm-grounding-dino",
    "molmo2": "molmo2",
    "owlv2": "owlv2",
    "sam3": "sam3",
    "detr-cat-apple-dog": "detr",
    "rf-detr-cat-apple-dog": "rf-detr",
    "rt-detr-cat-apple-dog": "rt-detr",
}
WRITERS = ("blip-vqa", "blip2-opt", "blip2-t5", "llava", "paligemma", "qwen2.5-vl", "idefics3")
"""They write their answers, token by token."""
KINDS = (
    *WRITERS, "vilt-vqa", "lxmert-vqa",
    "clip", "siglip", "siglip2", "vilt-itm", "vilt-mlm", "blip-itm", "blip2-itm", "lxmert",
    "vilbert", "vilbert-12-in-1",
    "sd", "sdxl", "sd3", "flux", "pixart",
    *DETECTORS,
)  # fmt: skip


class Written(NamedTuple):
    """A tiny model: its spec, the folder of its weights, and one of pictures."""

    spec: str
    weights: Path
    pictures: Path

    def make(self) -> Resolved[Model]:
        return make_model(self.spec)


PICTURES = {"one": (1, 128), "two": (2, 160), "three": (3, 128)}


class Probe(Suite):
    """A few tasks of every kind, about pictures of several sizes that lie in files; a file may be missing."""

    title = "Probe"
    judge = "parser"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def items(self, seed: int) -> Iterator[Item]:
        for place, name in enumerate(PICTURES):
            for task in _tasks(Filed(str(self._folder / f"{name}.png")), place + 1):
                yield Item(f"probe/{task.kind}-{name}", task, (Ask(Count("apple"), "How many?", (place + 1,)),), {})


def _tasks(picture: Picture, number: int) -> list[Task]:
    return [
        Answer(picture, "How many apples are there in the picture?" + " Look." * (number - 1)),
        Match(picture, "there are " + "very " * number + "many apples"),
        Fill(picture, "there are [GAP] apples" + " here" * number),
        Draw(f"{number} apples" + " and a cat" * (number % 2)),
    ]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for name, (number, size_px) in PICTURES.items():
        (folder / f"{name}.png").write_bytes(render(Stimulus("apples", number, 1, size_px)).png)
    return folder


@pytest.fixture(scope="module", params=KINDS)
def written(request: pytest.FixtureRequest, pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Written:
    kind, weights = request.param, find_tiny(request.param, tmp_path_factory)
    spec = f"{'vilbert' if kind.startswith('vilbert') else 'transformers'}:{weights}"
    if kind in PIPELINES:
        spec = f"diffusers:{weights},steps=2,size=32x32"
    elif kind in DETECTORS:
        spec = f"{DETECTORS[kind]}:{weights},self_test=false" + ",threshold=0.05" * (kind != "molmo2")
    elif kind in WRITERS:
        spec += ",max_tokens=4"
    elif kind.startswith(("lxmert", "vilbert")):
        file = tmp_path_factory.mktemp("regions") / "regions.npz"
        width = 6 if kind == "lxmert-vqa" else 20
        spec += f",regions={write_regions(file, [f'{one}.png' for one in PICTURES], width=width)}"
    return Written(spec, weights, pictures)


def run_probe(folder: Path, spec: str, pictures: Path) -> Run:
    run = Run(Folder(folder), create=True)
    suite: Resolved[Suite] = Resolved(Spec("probe", {}, "probe"), Probe(pictures), "probe")
    run_suite(run, suite, make_model(spec), seed=5)
    return run


@pytest.fixture(scope="module")
def in_batches(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("batches") / "run"
    with run_probe(folder, f"{written.spec},batch_size=2", written.pictures) as run:
        yield run


# What files have beside what was learnt: computed, or of a norm whose numbers stand still.
BUFFERS = (
    *("position_ids", "pos_embed.pos_embed", "running_mean", "running_var", "num_batches_tracked"),
    *("normalization.weight", "normalization.bias"),
    # Of ViLBERT: a tied tensor, which its authors store twice, and heads that are not read.
    *(
        "cls.predictions.decoder.weight",
        "vil_logit.weight",
        "vil_logit.bias",
        "vil_binary_prediction.logit_fc.0.weight",
    ),
)


def count_stored(folder: Path) -> int:
    """Count the numbers in a model's files that were learnt; of a pipeline, those of the part that denoises."""
    from safetensors.torch import load_file

    part = next((folder / name for name in ("transformer", "unet") if (folder / name).is_dir()), folder)
    files = (load_file(file) for file in part.glob("*.safetensors"))
    return sum(tensor.numel() for tensors in files for name, tensor in tensors.items() if not name.endswith(BUFFERS))


def outcomes(run: Run) -> dict[str, Outcome]:
    return {stored.response.trial.item_id: stored.response.outcome for stored in run.responses()}


def test_it_loads_says_what_it_can_do_and_is_made_again_from_its_spec(written: Written) -> None:
    made = written.make()
    assert isinstance(made.obj, ComputesSeveral)
    made.obj.check()
    assert made.obj.tasks
    assert not made.obj.is_stand_in
    assert make_model(made.spec.text).spec == made.spec


def test_every_task_it_can_do_has_an_outcome_of_its_kind_with_provenance(written: Written, in_batches: Run) -> None:
    tasks = written.make().obj.tasks
    stored = list(in_batches.responses())
    assert len(stored) == len(PICTURES) * len(tasks)
    for one in stored:
        response = one.response
        kind = next(kind for kind in OUTCOME_OF if response.trial.item_id.startswith(f"probe/{kind}-"))
        assert isinstance(response.outcome, OUTCOME_OF[kind]), response.outcome
        assert len(response.provenance.weights_hash or "") == 64
        assert response.provenance.parameter_count == count_stored(written.weights)
        assert response.provenance.versions["torch"]
        assert response.provenance.seed == response.trial.seed(5)


def test_alone_or_in_a_batch_it_gives_the_same(written: Written, in_batches: Run, tmp_path: Path) -> None:
    with run_probe(tmp_path / "run", f"{written.spec},batch_size=1", written.pictures) as alone:
        others = outcomes(alone)
        for item_id, outcome in outcomes(in_batches).items():
            match outcome, others[item_id]:
                case Drawn(picture=Stored() as picture), Drawn(picture=Stored() as other_picture):
                    one, two = (
                        decode(in_batches.image_files.load(picture)),
                        decode(alone.image_files.load(other_picture)),
                    )
                    assert np.abs(one.astype(int) - two.astype(int)).max() <= NEAR
                case pair:
                    assert_same(*pair)


@pytest.mark.usefixtures("loaded_anew")
def test_a_second_run_at_the_same_batch_gives_the_same_and_drawings_to_the_bit(
    written: Written, in_batches: Run, tmp_path: Path
) -> None:
    with run_probe(tmp_path / "run", f"{written.spec},batch_size=2", written.pictures) as again:
        others = outcomes(again)
        for item_id, outcome in outcomes(in_batches).items():
            assert_same(outcome, others[item_id])


def assert_same(one: Outcome, other: Outcome) -> None:
    match one, other:
        case Said(text=text), Said(text=other_text):
            assert text == other_text
        case Scored(scores=scores), Scored(scores=other_scores):
            assert scores == pytest.approx(other_scores, rel=1e-3, abs=0)
        case _:
            assert one == other


def test_what_is_done_is_not_done_again(written: Written, in_batches: Run) -> None:
    suite: Resolved[Suite] = Resolved(Spec("probe", {}, "probe"), Probe(written.pictures), "probe")
    summary = run_suite(in_batches, suite, written.make(), seed=5)
    assert (summary.answered, summary.already_done) == (0, len(outcomes(in_batches)))


def test_a_picture_that_cannot_be_read_is_a_stored_failure_and_the_others_are_answered(
    written: Written, tmp_path: Path
) -> None:
    tasks = written.make().obj.tasks
    if tasks == {"draw"} or "regions=" in written.spec:
        return  # they look at no pixels
    pictures = Path(shutil.copytree(written.pictures, tmp_path / "pictures"))
    (pictures / "two.png").write_bytes(b"no picture")
    with run_probe(tmp_path / "run", f"{written.spec},batch_size=2", pictures) as run:
        failed = {name for name, outcome in outcomes(run).items() if isinstance(outcome, Failed)}
        assert failed == {f"probe/{task}-two" for task in tasks}
        assert len(outcomes(run)) == len(PICTURES) * len(tasks)


def test_weights_cut_short_are_refused_in_one_line_before_there_is_a_run(written: Written, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(written.weights, tmp_path / "model"))
    weights = max(copied.rglob("*.safetensors"), key=lambda path: path.stat().st_size)
    weights.write_bytes(weights.read_bytes()[:-100])
    model = make_model(written.spec.replace(str(written.weights), str(copied)))
    with pytest.raises((UnusableModelError, BadFileError), match=r"copy|download") as caught:
        model.obj.check()
    assert "\n" not in str(caught.value)
