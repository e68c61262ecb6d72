"""Tiny pipelines of every family, loaded from the disk through the same code as anybody's."""

import re
import shutil
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.errors import BadFileError, BadValueError, MissingPartError, SubitizeError, UnusableModelError
from subitize.interfaces import ComputesSeveral, Model, Pixels, Reply, Request
from subitize.io.images import decode
from subitize.models.diffusers import Diffusers
from subitize.networks.weights import is_out_of_memory
from subitize.records import Draw, Drawn, Failed, Refused, Stored
from subitize.registry import Resolved, make_model, make_suite
from subitize.store import Folder, Run
from tests.commands import call
from tests.models.little_memory import little_memory
from tests.networks.tiny_weights import PIPELINES, find_tiny
from tests.runs import run_suite

pytestmark = pytest.mark.torch

PROMPTS = [
    "three apples",
    "a photo of two white apples on an apple",
    "one",
    "a picture of three apples and two white apples and an apple",
    "two",
]
SIZES = {"pixart": "256x256"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Find the folder of a family; tests that spoil one copy it."""
    return partial(find_tiny, folders=tmp_path_factory)


@pytest.fixture(scope="module")
def opened(folders: Callable[[str], Path]) -> Callable[[str], Resolved[Model]]:
    """A pipeline of a family that is loaded once."""
    return cache(lambda family: make_model(small(family, folders(family))))


@pytest.fixture
def copied(folders: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda family: Path(shutil.copytree(folders(family), tmp_path / family))


def request(prompt: str, seed: int) -> Request:
    return Request(f"production/{prompt}", Draw(prompt), 0, 0, seed, lambda picture: b"")


def draw(model: str | Resolved[Model], prompts: Sequence[str] = PROMPTS, *, batch_size: int = 4) -> list[Reply]:
    """Draw prompts in batches, the first with seed 0, the next with seed 1."""
    made: Any = (make_model(model) if isinstance(model, str) else model).obj
    requests = [request(prompt, seed) for seed, prompt in enumerate(prompts)]
    return [
        reply
        for start in range(0, len(requests), batch_size)
        for reply in made.compute_all(requests[start : start + batch_size])
    ]


def spec(folder: Path, **options: object) -> str:
    return ",".join([f"diffusers:{folder}", *(f"{key}={value}" for key, value in options.items())])


def small(family: str, folder: Path, **options: object) -> str:
    return spec(folder, steps=2, size=SIZES.get(family, "32x32"), **options)


def png(reply: Reply) -> bytes:
    assert isinstance(reply.content, Pixels), reply.content
    return reply.content.data


def pixels(replies: Sequence[Reply]) -> NDArray[np.int16]:
    return np.stack([decode(png(reply)) for reply in replies]).astype(np.int16)


def refuse(text: str, kind: type[SubitizeError] = SubitizeError) -> str:
    """Have a model checked that cannot be used, and give its one line."""
    with pytest.raises(kind) as caught:
        check(text)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    return message


def check(text: str) -> None:
    model: Any = make_model(text).obj
    model.check()


def test_it_is_a_model_that_draws_batches(folders: Callable[[str], Path]) -> None:
    made = make_model(spec(folders("sd"), steps=2, batch_size=3, device="cpu"))
    assert made.obj.tasks == {"draw"}
    assert not made.obj.is_stand_in
    assert isinstance(made.obj, ComputesSeveral)
    assert made.obj.batch_size == 3
    assert made.spec.text == spec(folders("sd"), steps=2)


@pytest.mark.parametrize("family", PIPELINES)
def test_the_same_batch_gives_the_same_bytes(
    family: str, folders: Callable[[str], Path], opened: Callable[[str], Resolved[Model]]
) -> None:
    first, again = draw(opened(family)), draw(small(family, folders(family)))
    assert [png(reply) for reply in first] == [png(reply) for reply in again]


@pytest.mark.parametrize("family", PIPELINES)
def test_a_picture_is_the_same_in_any_batch_but_for_the_rounding(
    family: str, opened: Callable[[str], Resolved[Model]]
) -> None:
    model = opened(family)
    alone = pixels(draw(model, batch_size=1))
    for batch_size in (2, 5):
        assert np.abs(pixels(draw(model, batch_size=batch_size)) - alone).max() <= 2
    # The bound would be empty if pictures were alike anyway.
    others = np.abs(alone[:, None] - alone[None]).mean(axis=(2, 3, 4))
    assert others[~np.eye(len(PROMPTS), dtype=bool)].min() > 4


@pytest.mark.parametrize("family", PIPELINES)
def test_prompt_and_seed_both_matter(family: str, opened: Callable[[str], Resolved[Model]]) -> None:
    model: Any = opened(family).obj
    asked = [request("three apples", 1), request("three apples", 2), request("two white", 1)]
    first, other_seed, other_prompt = (png(reply) for reply in model.compute_all(asked))
    assert first != other_seed
    assert first != other_prompt


def test_the_noise_is_that_of_the_trials_own_seed(copied: Callable[[str], Path]) -> None:
    import torch
    from diffusers import AutoencoderKL, DDIMScheduler

    from tests.networks.tiny_pipelines import change_weights

    folder = copied("sd")

    def see_no_noise(state: dict[str, Any]) -> None:
        for name in ("conv_out.weight", "conv_out.bias"):
            state[name] = torch.zeros_like(state[name])

    change_weights(folder, "unet", see_no_noise)  # so that the picture is the noise, scaled and decoded
    drawn = pixels(draw(small("sd", folder), batch_size=4))
    vae = AutoencoderKL.from_pretrained(folder / "vae").eval()
    scheduler = DDIMScheduler.from_pretrained(folder / "scheduler")
    scheduler.set_timesteps(2)
    for seed, picture in enumerate(drawn):
        latents = torch.randn((1, 4, 16, 16), generator=torch.Generator("cpu").manual_seed(seed))
        with torch.inference_mode():
            for timestep in scheduler.timesteps:
                latents = scheduler.step(torch.zeros_like(latents), timestep, latents).prev_sample
            image = vae.decode(latents / vae.config.scaling_factor).sample[0].permute(1, 2, 0).numpy()
        expected = np.clip((image / 2 + 0.5) * 255, 0, 255).round()
        assert np.abs(picture - expected).max() <= 1


def test_prompts_that_might_be_padded_to_the_longest_are_drawn_with_their_equals(copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_index

    prompts = ["two", "one", "three apples", "two"]
    folder = copied("sd")
    assert [reply.provenance.parameters["batch"] for reply in draw(small("sd", folder), prompts)] == [4] * 4
    change_index(folder, {"_class_name": "StableDiffusionPAGPipeline"})
    replies = draw(small("sd", folder), prompts)
    assert [reply.provenance.parameters["batch"] for reply in replies] == [3, 3, 1, 3]
    assert len({png(reply) for reply in replies}) == 4


def test_a_latent_consistency_model_pads_all_prompts_alike(opened: Callable[[str], Resolved[Model]]) -> None:
    replies = draw(opened("lcm"), ["two", "three apples"])
    assert [reply.provenance.parameters["batch"] for reply in replies] == [2, 2]


def test_a_scheduler_that_draws_from_torchs_own_generator_is_run_one_by_one(tmp_path: Path) -> None:
    import torch

    from tests.networks.tiny_pipelines import write_flux

    text = small("flux", write_flux(tmp_path / "flux", is_noisy=True))
    before = torch.get_rng_state()
    together, alone = draw(text, batch_size=4), draw(text, batch_size=1)
    assert [png(reply) for reply in together] == [png(reply) for reply in alone]
    assert {reply.provenance.parameters["batch"] for reply in together} == {1}
    assert torch.equal(torch.get_rng_state(), before)


def test_the_provenance_says_what_was_in_effect(folders: Callable[[str], Path]) -> None:
    [reply] = draw(spec(folders("sd"), steps=3, negative_prompt="two white"), ["three apples"])
    told = reply.provenance
    assert told.seed == 0
    assert told.prompt_sent == "three apples"
    assert told.parameters == {
        "pipeline": "StableDiffusionPipeline",
        "scheduler": "DDIMScheduler",
        "dtype": "float32",
        "device": "cpu",
        "num_inference_steps": 3,
        "guidance_scale": 7.5,
        "negative_prompt": "two white",
        "batch": 1,
        "width": 32,
        "height": 32,
    }
    assert told.weights_hash is not None
    assert len(told.weights_hash) == 64
    assert set(told.versions) == {"subitize", "torch", "diffusers", "transformers"}
    assert told.revision is None
    assert reply.seconds is not None


def test_what_is_asked_for_changes_the_picture(folders: Callable[[str], Path]) -> None:
    prompts = ["three apples"]
    specs = [
        small("sd", folders("sd")),
        spec(folders("sd"), steps=3, size="32x32"),
        small("sd", folders("sd"), guidance=3),
        small("sd", folders("sd"), negative_prompt="two white"),
        small("sd", folders("sd"), scheduler="EulerAncestralDiscreteScheduler"),
        small("sd", folders("sd"), dtype="bfloat16"),
        spec(folders("sd"), steps=2, size="48x32"),
    ]
    drawn = [draw(text, prompts)[0] for text in specs]
    assert len({png(reply) for reply in drawn}) == len(specs)
    assert decode(png(drawn[-1])).shape == (32, 48, 3)
    assert drawn[-1].provenance.parameters["width"] == 48
    assert drawn[4].provenance.parameters["scheduler"] == "EulerAncestralDiscreteScheduler"
    assert drawn[5].provenance.parameters["dtype"] == "bfloat16"


def test_decoding_one_by_one_changes_no_more_than_the_rounding(
    folders: Callable[[str], Path], opened: Callable[[str], Resolved[Model]]
) -> None:
    text = small("sd", folders("sd"))
    plain = pixels(draw(opened("sd")))
    assert np.abs(pixels(draw(f"{text},vae_slicing=true")) - plain).max() <= 2
    # Smaller than a tile; and on a CPU there is nowhere to move parts to.
    assert np.abs(pixels(draw(f"{text},vae_tiling=true,offload=true")) - plain).max() <= 2


@pytest.mark.parametrize(
    ("family", "prompt", "told"),
    [
        ("sd", "apples " * 20, "tokenizer read 77 of 122 tokens"),
        ("flux", "apples " * 20, "tokenizer read 77 of 122 tokens"),
        ("pixart", "apples " * 350, "tokenizer read 300 of 351 tokens"),
        ("sd", "three apples", None),
        ("pixart", "apples " * 20, None),
    ],
)
def test_a_prompt_that_is_cut_says_so(
    family: str, prompt: str, told: str | None, opened: Callable[[str], Resolved[Model]]
) -> None:
    [reply] = draw(opened(family), [prompt.strip()])
    assert reply.provenance.parameters.get("truncated") == told


def test_what_the_safety_checker_flags_is_a_refusal(tmp_path: Path) -> None:
    from tests.networks.tiny_pipelines import write_sd

    flagged = draw(small("sd", write_sd(tmp_path / "strict", flags=True)), PROMPTS[:2])
    assert [reply.content for reply in flagged] == [Refused("the pipeline's safety checker holds the picture back")] * 2
    shown = draw(small("sd", write_sd(tmp_path / "lax", flags=False)), PROMPTS[:2])
    assert pixels(shown).std() > 1


def test_numbers_that_run_over_make_a_failure_and_no_black_picture(copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_weights

    folder = copied("sd")
    change_weights(folder, "vae", lambda state: state["decoder.conv_out.bias"].fill_(float("nan")))
    told = {
        "float32": "ran over in float32, so there is no picture; try another scheduler or less guidance",
        "bfloat16": "ran over in bfloat16, so there is no picture; try dtype=float32, as another model of the run",
    }
    for dtype, reason in told.items():
        [reply] = draw(small("sd", folder, dtype=dtype), ["three apples"])
        assert isinstance(reply.content, Failed)
        assert reason in reply.content.reason


def test_nothing_is_printed(folders: Callable[[str], Path], capfd: pytest.CaptureFixture[str]) -> None:
    draw(small("sd", folders("sd")), ["apples " * 40])
    assert capfd.readouterr() == ("", "")


def test_too_little_memory_is_raised_as_what_it_is(folders: Callable[[str], Path]) -> None:
    """The runner asks for each half of a batch, and says what to do where one is too much."""
    model: Any = make_model(spec(folders("sd"), steps=1, size="4096x4096")).obj
    model.check()
    with little_memory(), pytest.raises(Exception, match="memory") as caught:
        model.compute_all([request("three apples", 1)])
    assert is_out_of_memory(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("steps=0", "steps=0: should be at least 1"),
        ("guidance=-1", "guidance=-1: should be at least 0"),
        ("batch_size=0", "batch_size=0: should be at least 1"),
        ("size=big", "size='big': should be width and height"),
        ("size=20000x20000", "size=20000x20000: should be 64 megapixels at most"),
        ("device=tpu", "device='tpu'"),
        ("dtype=int8", "dtype='int8'"),
    ],
)
def test_values_are_checked_before_anything_is_loaded(options: str, message: str) -> None:
    with pytest.raises(BadValueError, match=f"^diffusers:owner/name: {message}"):
        make_model(f"diffusers:owner/name,{options}")


@pytest.mark.parametrize("guidance", [float("nan"), float("inf")])
def test_guidance_is_a_number(guidance: float) -> None:
    with pytest.raises(BadValueError, match="should be at least 0"):
        Diffusers("owner/name", guidance=guidance)


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("sd", "size=100x64", "size=100x64: StableDiffusionPipeline draws multiples of 8 px, as in size=96x64"),
        (
            "sd",
            "scheduler=Nope",
            r"scheduler=Nope: this pipeline goes with (\w+, ){11}\w+ … and \d+ more$",
        ),
        ("sd", "variant=fp16", r"variant=fp16: there is none \(leave variant out\)$"),
        ("sd", "guidance=1,negative_prompt=white", "negative_prompt has no effect with guidance=1"),
        ("flux", "negative_prompt=white", "negative_prompt: this FluxPipeline takes none; leave it out"),
        ("lcm", "negative_prompt=white", "negative_prompt: this LatentConsistencyModelPipeline takes none"),
        ("pixart", "size=200x256", r"size=200x256: \w+ draws multiples of 32 px"),
    ],
)
def test_what_the_pipeline_cannot_do_is_refused(
    family: str, options: str, message: str, folders: Callable[[str], Path]
) -> None:
    with pytest.raises(BadValueError, match=f"^diffusers:{folders(family)}: {message}"):
        check(f"diffusers:{folders(family)},{options}")


def test_a_scheduler_that_needs_a_package_which_is_not_here_is_refused_and_not_offered(
    folders: Callable[[str], Path],
) -> None:
    if find_spec("torchsde") is not None:
        pytest.skip("this machine has the package")
    folder = folders("sd")
    told = refuse(f"diffusers:{folder},scheduler=DPMSolverSDEScheduler", UnusableModelError)
    assert "needs a package that is not here" in told
    assert "torchsde" in told
    offered = refuse(f"diffusers:{folder},scheduler=FlowMatchEulerDiscreteScheduler", BadValueError)
    assert "DPMSolverMultistepScheduler" in offered
    assert "DPMSolverSDEScheduler" not in offered


def test_guidance_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    from tests.networks.tiny_pipelines import write_flux

    folder = write_flux(tmp_path / "schnell", has_guidance=False)
    assert "guidance=3: this FluxPipeline takes none" in refuse(spec(folder, guidance=3), BadValueError)
    [reply] = draw(small("flux", folder), ["one"])
    assert "guidance_scale" not in reply.provenance.parameters


def test_a_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.networks.weights.find_spec", lambda name: None)
    with pytest.raises(MissingPartError, match=r"needs torch and diffusers .*pip install 'subitize\[local\]'"):
        make_model("diffusers:owner/name")


def test_a_folder_that_is_no_pipeline_says_what_it_is(folders: Callable[[str], Path], tmp_path: Path) -> None:
    assert "has no model_index.json" in refuse(f"diffusers:{tmp_path}", BadFileError)
    assert "there is no folder" in refuse(f"diffusers:{tmp_path}/nowhere", BadFileError)
    part = folders("sd") / "unet"
    assert "is one part of a pipeline (UNet2DConditionModel)" in refuse(f"diffusers:{part}", BadFileError)
    text_encoder = folders("sd") / "text_encoder"
    assert f"write transformers:{text_encoder}" in refuse(f"diffusers:{text_encoder}", BadFileError)
    detector = tmp_path / "detector"
    detector.mkdir()
    (detector / "config.json").write_text('{"architectures": ["DetrForObjectDetection"]}', encoding="utf-8")
    with pytest.raises(BadFileError, match=f"no pipeline that draws; write detr:{detector}"):
        make_model(f"diffusers:{detector}")
    (tmp_path / "model_index.json").write_text("{", encoding="utf-8")
    assert "cannot be read" in refuse(f"diffusers:{tmp_path}", BadFileError)
    (tmp_path / "model_index.json").write_text("{}", encoding="utf-8")
    assert "names no pipeline" in refuse(f"diffusers:{tmp_path}", BadFileError)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("WonderPipeline", "its pipeline WonderPipeline is not known to diffusers"),
        ("StableDiffusionInpaintPipeline", "makes no picture of words alone"),
        ("StableDiffusionControlNetPipeline", "needs a picture to go by"),
        ("HeliosPipeline", "makes videos"),
        ("KandinskyV22Pipeline", "a second pipeline, its prior, makes of the words, and such pairs are not supported"),
        ("StableCascadeDecoderPipeline", "a second pipeline, its prior"),
        (["pipeline", "Mine"], "code of its own (pipeline.py), which is never run"),
    ],
    ids=str,
)
def test_a_pipeline_of_another_kind_is_refused(kind: object, message: str, copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_index

    folder = copied("sd")
    change_index(folder, {"_class_name": kind})
    (folder / "pipeline.py").write_text("raise SystemExit('run')", encoding="utf-8")
    assert message in refuse(f"diffusers:{folder}", UnusableModelError)


def test_code_that_comes_with_a_part_is_never_run(copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_index

    folder = copied("sd")
    for name in ("own", "diffusers", "None"):
        for place in (folder, folder / "scheduler"):
            (place / f"{name}.py").write_text("raise SystemExit('run')", encoding="utf-8")
    assert "scheduler/diffusers.py), which is never run" in refuse(f"diffusers:{folder}", UnusableModelError)
    change_index(folder, {"scheduler": ["own", "Mine"]})
    assert "(scheduler: own), which is never run" in refuse(f"diffusers:{folder}", UnusableModelError)
    change_index(folder, {"scheduler": ["os", "Mine"]})
    assert "(scheduler: os), which is never run" in refuse(f"diffusers:{folder}", UnusableModelError)


def test_code_beside_a_whole_pipeline_is_never_run(copied: Callable[[str], Path]) -> None:
    folder = copied("sd")
    (folder / "None.py").write_text("raise SystemExit('run')", encoding="utf-8")
    refuse(f"diffusers:{folder}", UnusableModelError)


@pytest.mark.parametrize("part", ["unet", "text_encoder", "vae"])
def test_weights_cut_short_are_called_damaged(part: str, copied: Callable[[str], Path]) -> None:
    folder = copied("sd")
    [weights] = (folder / part).glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1000])
    message = refuse(f"diffusers:{folder}", UnusableModelError)
    assert f": {part} cannot be loaded: its weights are damaged" in message


@pytest.mark.parametrize("part", ["unet", "text_encoder"])
def test_weights_that_lack_something_are_not_filled_at_random(part: str, copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_weights

    def drop_first(state: dict[str, Any]) -> None:
        del state[min(state)]

    folder = copied("sd")
    change_weights(folder, part, drop_first)
    message = refuse(f"diffusers:{folder}", UnusableModelError)
    assert re.search(rf": {part} cannot be loaded: its weights lack [\w.]+, which would be random;", message)


@pytest.mark.parametrize("part", ["unet", "text_encoder"])
def test_weights_of_another_shape_are_refused(part: str, copied: Callable[[str], Path]) -> None:
    from tests.networks.tiny_pipelines import change_weights

    def cut_in_half(state: dict[str, Any]) -> None:
        name = next(name for name in sorted(state) if state[name].ndim > 1)
        state[name] = state[name][: len(state[name]) // 2].clone()

    folder = copied("sd")
    change_weights(folder, part, cut_in_half)
    message = refuse(f"diffusers:{folder}", UnusableModelError)
    assert f": {part} cannot be loaded: " in message
    assert "copy or download the model again" in message


def test_a_missing_folder_or_file_of_a_part_is_named(copied: Callable[[str], Path]) -> None:
    folder = copied("sd")
    [weights] = (folder / "vae").glob("*.safetensors")
    weights.unlink()
    assert "vae has no weights" in refuse(f"diffusers:{folder}", BadFileError)
    shutil.rmtree(folder / "vae")
    assert "has no vae/, which its model_index.json names" in refuse(f"diffusers:{folder}", BadFileError)


def test_a_variant_is_loaded_where_it_is_named_alone(copied: Callable[[str], Path]) -> None:
    folder = copied("sd")
    plain = draw(small("sd", folder), ["one"])[0]
    for name in ("unet/diffusion_pytorch_model", "vae/diffusion_pytorch_model"):
        (folder / f"{name}.safetensors").rename(folder / f"{name}.fp16.safetensors")
    assert "has its weights as variant=fp16 only" in refuse(f"diffusers:{folder}", BadValueError)
    assert png(draw(small("sd", folder, variant="fp16"), ["one"])[0]) == png(plain)
    told = refuse(spec(folder, variant="bf16"), BadValueError)
    assert told == f"diffusers:{folder}: variant=bf16: there is fp16"


def test_a_pipeline_fetched_from_the_hub_before_is_known_by_its_revision(
    folders: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    kept = tmp_path / "models--owner--name"
    shutil.copytree(folders("sd"), kept / "snapshots" / commit)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit, encoding="utf-8")
    # What the environment says, which the library has read by now.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    [reply] = draw("diffusers:owner/name,steps=1", ["one"])
    assert reply.provenance.revision == commit
    message = refuse("diffusers:owner/other", UnusableModelError)
    assert message == (
        "diffusers:owner/other is no folder here, and the hub is not asked while HF_HUB_OFFLINE is set; name a folder,"
        " or unset it"
    )


def test_a_stopped_run_goes_on_to_the_same_pictures(folders: Callable[[str], Path], tmp_path: Path) -> None:
    made = make_model(small("sd", folders("sd")))
    suite = make_suite("production:numbers=1-3,categories=apples")

    def pictures(run: Run) -> dict[str, NDArray[np.int16]]:
        outcomes = {stored.response.trial.id: stored.response.outcome for stored in run.responses()}
        return {
            id: decode(run.image_files.load(outcome.picture)).astype(np.int16)
            for id, outcome in outcomes.items()
            if isinstance(outcome, Drawn) and isinstance(outcome.picture, Stored)
        }

    with Run(Folder(tmp_path / "whole"), create=True) as whole, Run(Folder(tmp_path / "parts"), create=True) as parts:
        assert run_suite(whole, suite, made, repeats=5).answered == 15
        assert run_suite(parts, suite, made, repeats=5, limit=1).answered == 5
        assert run_suite(parts, suite, made, repeats=5).answered == 10
        assert run_suite(parts, suite, made, repeats=5).answered == 0
        expected, found = pictures(whole), pictures(parts)
        batches = {stored.response.provenance.parameters["batch"] for stored in parts.responses()}
    assert batches == {4, 2, 1}
    assert found.keys() == expected.keys()
    assert len(found) == 15
    assert max(np.abs(found[id] - picture).max() for id, picture in expected.items()) <= 2


def test_a_model_that_cannot_be_used_ends_the_command_with_2_and_one_line(
    copied: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = copied("sd")
    [weights] = (folder / "unet").glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1000])
    command = ("run", "production:numbers=1", "--model", f"diffusers:{folder}", "--judge", "none")
    ended = call(*command, "--out", tmp_path / "run")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "its weights are damaged" in ended.err
    assert not (tmp_path / "run").exists()
