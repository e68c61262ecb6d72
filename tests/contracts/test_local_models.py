"""What every model with weights of its own must hold, run on a tiny one of each kind, written to disk and loaded."""

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from conftest import require
from subitize.drawing.stimuli import render
from subitize.errors import BadFileError, UnusableModelError
from subitize.interfaces import Checks, ComputesSeveral, Model, Suite, Tried
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
from subitize.registry import Made, make_model
from subitize.runner.progress import Silent
from subitize.runner.running import Settings, run_suite
from subitize.store import Folder, Run
from subitize.vision.pixels import decode

OUTCOME_OF: Mapping[TaskKind, type[Outcome]] = {"answer": Said, "match": Scored, "fill": Scored, "draw": Drawn}
# By how much two drawings of one seed may differ in any pixel where their batches differ.
NEAR = 2
KINDS = (
    "vilt-vqa", "lxmert-vqa", "blip-vqa", "blip2", "blip2-t5", "llava", "paligemma", "qwen2.5-vl", "idefics3",
    "clip", "siglip", "siglip2", "vilt-itm", "vilt-mlm", "blip-itm", "blip2-itm", "lxmert",
    "sd", "sdxl", "sd3", "flux", "pixart",
    "grounding-dino", "owlv2", "detr", "rt-detr",
)  # fmt: skip


def write(kind: str, folder: Path) -> str:
    """Write the tiny weights of a kind, and say the model that they make."""
    import tiny_detectors
    import tiny_matchers
    import tiny_pipelines
    import tiny_vlms

    writers: dict[str, Callable[[Path], object]] = {
        "vilt-vqa": tiny_vlms.write_vilt_vqa,
        "lxmert-vqa": tiny_vlms.write_lxmert_vqa,
        "blip-vqa": tiny_vlms.write_blip_vqa,
        "blip2": tiny_vlms.write_blip2,
        "blip2-t5": lambda path: tiny_vlms.write_blip2(path, is_t5=True),
        "llava": tiny_vlms.write_llava,
        "paligemma": tiny_vlms.write_paligemma,
        "qwen2.5-vl": tiny_vlms.write_qwen25_vl,
        "idefics3": tiny_vlms.write_idefics3,
        "clip": tiny_matchers.write_clip,
        "siglip": tiny_matchers.write_siglip,
        "siglip2": tiny_matchers.write_siglip2,
        "vilt-itm": tiny_matchers.write_vilt_itm,
        "vilt-mlm": tiny_matchers.write_vilt_mlm,
        "blip-itm": tiny_matchers.write_blip_itm,
        "blip2-itm": tiny_matchers.write_blip2_itm,
        "lxmert": tiny_matchers.write_lxmert,
        "sd": tiny_pipelines.write_sd,
        "sdxl": tiny_pipelines.write_sdxl,
        "sd3": tiny_pipelines.write_sd3,
        "flux": tiny_pipelines.write_flux,
        "pixart": tiny_pipelines.write_pixart,
        "grounding-dino": tiny_detectors.write_grounding_dino,
        "owlv2": tiny_detectors.write_owlv2,
        "detr": lambda path: tiny_detectors.write_detr(path, classes=("cat", "apple", "dog")),
        "rt-detr": lambda path: tiny_detectors.write_rt_detr(path, classes=("cat", "apple", "dog")),
    }
    writers[kind](folder / "model")
    if kind in ("sd", "sdxl", "sd3", "flux", "pixart"):
        return f"diffusers:{folder / 'model'},steps=2,size=32x32"
    if kind in ("grounding-dino", "owlv2", "detr", "rt-detr"):
        return f"{kind}:{folder / 'model'},self_test=false,threshold=0.05"
    if kind.startswith("lxmert"):
        names = [f"{one}.png" for one in PICTURES]
        width = 6 if kind == "lxmert-vqa" else 20
        regions = tiny_matchers.write_regions(folder / "regions.npz", names, width=width)
        return f"transformers:{folder / 'model'},regions={regions}"
    return f"transformers:{folder / 'model'}"


PICTURES = {"one": (1, 128), "two": (2, 160), "three": (3, 144), "four": (4, 128), "five": (5, 192)}


class Probe:
    """A few tasks of every kind, about pictures of several sizes that lie in files; a file may be missing."""

    title = "Probe"
    judge = "parser"
    max_attempts = 1
    repeats = 1

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def items(self, seed: int) -> Iterator[Item]:
        for place, name in enumerate(PICTURES):
            for task in _tasks(Filed(str(self._folder / f"{name}.png")), place + 1):
                yield Item(f"probe/{task.kind}-{name}", task, (Ask(Count("apple"), "How many?", (place + 1,)),), {})

    def again(self, tried: object) -> Iterator[Tried]:
        return iter(())


def _tasks(picture: Picture, number: int) -> list[Task]:
    return [
        Answer(picture, "How many apples are there in the picture?" + " Look." * (number - 1)),
        Match(picture, "there are " + "very " * number + "many apples"),
        Fill(picture, "there are [GAP] apples" + " here" * number),
        Draw(f"{number} apples" + " and a cat" * (number % 2)),
    ]


@pytest.fixture(scope="module", params=KINDS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The spec of a tiny model, and a folder of pictures."""
    for part in ("torch", "transformers", "diffusers"):
        require(part, is_there=find_spec(part) is not None)
    folder = tmp_path_factory.mktemp(request.param)
    for name, (number, size_px) in PICTURES.items():
        (folder / f"{name}.png").write_bytes(render(Stimulus("apples", number, 1, size_px)).png)
    return write(request.param, folder), folder


def run_probe(folder: Path, spec: str, pictures: Path) -> Run:
    run = Run(Folder(folder), create=True)
    suite: Made[Suite] = Made(Spec("probe", {}, "probe"), Probe(pictures), "probe")
    run_suite(run, Settings(suite, make_model(spec), seed=5), Silent())
    return run


@pytest.fixture(scope="module")
def in_batches(written: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with run_probe(tmp_path_factory.mktemp("batches") / "run", f"{written[0]},batch_size=3", written[1]) as run:
        yield run


def outcomes(run: Run) -> dict[str, Outcome]:
    return {stored.response.trial.item_id: stored.response.outcome for stored in run.responses()}


def model_of(written: tuple[str, Path]) -> Made[Model]:
    return make_model(written[0])


def test_it_loads_says_what_it_can_do_and_is_made_again_from_its_spec(written: tuple[str, Path]) -> None:
    made = model_of(written)
    assert isinstance(made.it, ComputesSeveral)
    assert isinstance(made.it, Checks)
    made.it.check()
    assert made.it.tasks
    assert not made.it.is_stand_in
    assert make_model(made.spec.shown).spec == made.spec


def test_every_task_it_can_do_has_an_outcome_of_its_kind_with_provenance(
    written: tuple[str, Path], in_batches: Run
) -> None:
    tasks = model_of(written).it.tasks
    stored = list(in_batches.responses())
    assert len(stored) == len(PICTURES) * len(tasks)
    for one in stored:
        response = one.response
        kind = next(kind for kind in OUTCOME_OF if response.trial.item_id.startswith(f"probe/{kind}-"))
        assert isinstance(response.outcome, OUTCOME_OF[kind]), response.outcome
        assert len(response.provenance.weights_hash or "") == 64
        assert response.provenance.versions["torch"]
        assert response.provenance.seed == response.trial.seed(5)


def test_alone_or_in_a_batch_it_gives_the_same(written: tuple[str, Path], in_batches: Run, tmp_path: Path) -> None:
    with run_probe(tmp_path / "run", f"{written[0]},batch_size=1", written[1]) as alone:
        others = outcomes(alone)
        for item_id, outcome in outcomes(in_batches).items():
            match outcome, others[item_id]:
                case Drawn(picture=Stored() as picture), Drawn(picture=Stored() as other_picture):
                    one, two = decode(in_batches.images.load(picture)), decode(alone.images.load(other_picture))
                    assert np.abs(one.astype(int) - two.astype(int)).max() <= NEAR
                case pair:
                    assert_same(*pair)


def test_a_second_run_at_the_same_batch_gives_the_same_and_drawings_to_the_bit(
    written: tuple[str, Path], in_batches: Run, tmp_path: Path
) -> None:
    with run_probe(tmp_path / "run", f"{written[0]},batch_size=3", written[1]) as again:
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


def test_what_is_done_is_not_done_again(written: tuple[str, Path], in_batches: Run) -> None:
    suite: Made[Suite] = Made(Spec("probe", {}, "probe"), Probe(written[1]), "probe")
    summary = run_suite(in_batches, Settings(suite, make_model(written[0]), seed=5), Silent())
    assert (summary.answered, summary.already_done) == (0, len(outcomes(in_batches)))


def test_a_picture_that_cannot_be_read_is_a_stored_failure_and_the_others_are_answered(
    written: tuple[str, Path], tmp_path: Path
) -> None:
    tasks = model_of(written).it.tasks
    if tasks == {"draw"} or "lxmert" in written[0] or "regions=" in written[0]:
        return  # they look at no pixels
    for name in PICTURES:
        (tmp_path / f"{name}.png").write_bytes((written[1] / f"{name}.png").read_bytes())
    (tmp_path / "two.png").write_bytes(b"no picture")
    with run_probe(tmp_path / "run", f"{written[0]},batch_size=3", tmp_path) as run:
        failed = {name for name, outcome in outcomes(run).items() if isinstance(outcome, Failed)}
        assert failed == {f"probe/{task}-two" for task in tasks}
        assert len(outcomes(run)) == len(PICTURES) * len(tasks)


def test_weights_cut_short_are_refused_in_one_line_before_there_is_a_run(
    written: tuple[str, Path], tmp_path: Path
) -> None:
    import shutil

    source = written[1] / "model"
    shutil.copytree(source, tmp_path / "model")
    weights = max((tmp_path / "model").rglob("*.safetensors"), key=lambda path: path.stat().st_size)
    weights.write_bytes(weights.read_bytes()[:-100])
    model = make_model(written[0].replace(str(source), str(tmp_path / "model")))
    assert isinstance(model.it, Checks)
    with pytest.raises((UnusableModelError, BadFileError), match=r"copy|download") as caught:
        model.it.check()
    assert "\n" not in str(caught.value)
