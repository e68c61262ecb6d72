"""Pictures by a diffusers pipeline on this machine, each from noise of its own, in any batch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import BadValueError, UnusableModelError
from subitize.interfaces import Pixels, RuntimeOption
from subitize.io.images import LARGEST_IMAGE_MEGAPIXELS, encode_png
from subitize.io.specs import check_range
from subitize.networks import pipelines, weights
from subitize.networks.local import Described, LocalModel
from subitize.networks.weights import Untyped
from subitize.records import Failed, Refused, Scalar

if TYPE_CHECKING:
    import torch


class Diffusers(LocalModel):
    """Draw with a text-to-image pipeline of diffusers: a folder, or a name on the hub.

    What has no value is left to the pipeline; the provenance of each picture says what was in effect. `size` is width
    and height, as in 1024x768. With `offload`, parts that are not at work leave the accelerator's memory.

    Args:
        scheduler: class of diffusers that takes the steps
        variant: which files of weights, such as fp16
        vae_tiling: decode large pictures in overlapping tiles, in less memory
        vae_slicing: decode the pictures of a batch one by one, in less memory
        offload: keep on the accelerator only the part that is at work
    """

    _is_solitary = False
    """Whether the pipeline draws from torch's global generator, so that it draws pictures one by one."""
    name, packages = "diffusers", ("torch", "diffusers", "transformers")

    def __init__(
        self,
        model: str,
        /,
        *,
        steps: int | None = None,
        guidance: float | None = None,
        negative_prompt: str | None = None,
        size: str | None = None,
        scheduler: str | None = None,
        dtype: str = "auto",
        variant: str | None = None,
        vae_tiling: bool = False,
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 4,
        offload: Annotated[bool, RuntimeOption] = False,
        vae_slicing: Annotated[bool, RuntimeOption] = False,
    ) -> None:
        super().__init__(model, dtype=dtype, device=device, batch_size=batch_size)
        weights.require(self.who, "accelerate")
        check_range(self.who, 1, steps=steps)
        check_range(self.who, 0, guidance=guidance)
        with weights.naming(self.who):
            wanted = pipelines.parse_size(size)
            if wanted is not None and wanted[0] * wanted[1] > LARGEST_IMAGE_MEGAPIXELS * 1_000_000:
                raise BadValueError(f"size={size}: should be {LARGEST_IMAGE_MEGAPIXELS} megapixels at most")
            self._options = pipelines.PipelineOptions(steps, guidance, negative_prompt or None, wanted, scheduler)
        self._source = pipelines.PipelineSource(self.who, model, variant or None)
        self._offload, self._slices = offload, {"slicing": vae_slicing, "tiling": vae_tiling}
        self._source.find()

    @cached_property
    def folder(self) -> Path:
        """The folder of the pipeline, fetched from the hub if need be."""
        return self._source.locate()

    def load(self) -> None:
        """Load the pipeline, and check that it takes its options."""
        with weights.loading(self.who):
            pipeline = pipelines.load_pipeline(self._source, self.folder, self.device, offload=self._offload)
            if self._options.scheduler:
                pipeline.scheduler = _make_scheduler(pipeline.scheduler, self._options.scheduler)
            signature = pipelines.PipelineSignature(pipeline)
            self._pipeline, self._arguments = pipeline, signature.arguments(self._options)
            self._limits = signature.token_limits()
            self._defaults = signature.defaults(self._options)
            _save_memory(pipeline, self._slices)
        weights.hash_weights(self.folder)  # takes long, and is cached

    @cached_property
    def parameter_count(self) -> int | None:
        """How many parameters the denoiser has."""
        return pipelines.count_denoiser(self._pipeline)

    def parameters(self) -> dict[str, Scalar]:
        """List what was in effect for all pictures."""
        return {
            "pipeline": type(self._pipeline).__name__,
            "scheduler": type(self._pipeline.scheduler).__name__,
            **super().parameters(),
            "device": self.device.torch_device().type,
            **self._defaults,
            **self._arguments,
            **({"negative_prompt": self._options.negative_prompt} if self._options.negative_prompt else {}),
        }

    def draw(self, prompts: Sequence[str], seeds: Sequence[int]) -> list[Described]:
        """Draw each prompt from the noise of its seed, in batches where these change nothing but rounding."""
        with weights.quiet():
            counts = [
                {name: len(getattr(self._pipeline, name)(prompt).input_ids) for name in self._limits}
                for prompt in prompts
            ]
            drawn: dict[int, Described] = {}
            for group in self._groups(counts):
                made = self._draw_group([prompts[place] for place in group], [seeds[place] for place in group])
                for place, (content, size) in zip(group, made, strict=True):
                    cut = _tell_truncated(counts[place], self._limits)
                    drawn[place] = Described(content, cut | size)
        return [drawn[place] for place in range(len(prompts))]

    def _groups(self, counts: Sequence[Mapping[str, int]]) -> list[list[int]]:
        """Split a batch where prompts of unequal length would be padded to the longest, and so affect one another."""
        if type(self._pipeline).__name__ in _PAD_ALIKE:
            return [list(range(len(counts)))]
        alike: dict[tuple[int, ...], list[int]] = {}
        for place, count in enumerate(counts):
            alike.setdefault(tuple(count.values()), []).append(place)
        return list(alike.values())

    def _draw_group(self, prompts: list[str], seeds: list[int]) -> "list[_Made]":
        if self._is_solitary and len(prompts) > 1:
            return [made for one in zip(prompts, seeds, strict=True) for made in self._draw_group([one[0]], [one[1]])]
        with _seeded(seeds[0], self.device.torch_device()) as was_used:
            pictures, flags = self._call(prompts, seeds)
            # A pipeline that also uses torch's global generator would get other noise in another batch.
            self._is_solitary = self._is_solitary or was_used()
        if self._is_solitary and len(prompts) > 1:
            return self._draw_group(prompts, seeds)
        batch: dict[str, Scalar] = {"batch": len(prompts)}
        return [self._read(*one, batch) for one in zip(pictures, flags, strict=True)]

    def _call(self, prompts: list[str], seeds: list[int]) -> "tuple[Sequence[_Floats], Sequence[bool]]":
        import torch

        # On a CPU the noise is the same for every device.
        generators = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]
        negative = {"negative_prompt": [wanted] * len(prompts)} if (wanted := self._options.negative_prompt) else {}
        with torch.inference_mode(), _same_kernels():
            own = self._arguments | negative
            given = self._pipeline(prompt=prompts, generator=generators, output_type="np", **own)
        pictures = getattr(given, "images", None)
        if pictures is None or len(pictures) != len(prompts):
            raise UnusableModelError(f"{self.who}: {type(given).__name__} is not one picture per prompt")
        flags = getattr(given, "nsfw_content_detected", None) or getattr(given, "nsfw_detected", None)
        return pictures, flags or [False] * len(prompts)

    def _read(self, picture: "_Floats", is_flagged: bool, parameters: Mapping[str, Scalar]) -> "_Made":
        height, width = picture.shape[:2]
        if self._options.size not in (None, (width, height)):
            wanted = pipelines.write_size(self._options.size)
            raise UnusableModelError(f"{self.who} draws {width}x{height} where size={wanted} is asked; ask for that")
        told = {**parameters, "width": width, "height": height}
        if is_flagged:
            return Refused("the pipeline's safety checker holds the picture back"), told
        if not np.isfinite(picture).all():
            dtype = self.parameters()["dtype"]
            is_wide = dtype == "float32"
            remedy = "another scheduler or less guidance" if is_wide else "dtype=float32, as another model of the run"
            reason = f"the numbers ran over in {dtype}, so there is no picture; try {remedy}"
            return Failed(reason, is_transient=False), told
        pixels = np.clip(picture * 255, 0, 255).round().astype(np.uint8)
        return Pixels(encode_png(Image.fromarray(pixels))), told


_Floats = NDArray[np.floating[Any]]
_Made = tuple[Pixels | Refused | Failed, dict[str, Scalar]]
# These pad every prompt to a fixed length; others may pad to the longest of a batch.
_STABLE_DIFFUSIONS = ("StableDiffusion", "StableDiffusionXL", "StableDiffusion3")
_OTHERS = ("Flux", "LatentConsistencyModel", "PixArtAlpha", "PixArtSigma")
_PAD_ALIKE = frozenset(f"{name}Pipeline" for name in (*_STABLE_DIFFUSIONS, *_OTHERS))


def _tell_truncated(counts: Mapping[str, int], limits: Mapping[str, int]) -> dict[str, Scalar]:
    """Say which tokenizers cut a prompt: one may cut it where another reads all of it."""
    cut = [f"{name} read {limits[name]} of {count} tokens" for name, count in counts.items() if count > limits[name]]
    return {"truncated": ", ".join(cut)} if cut else {}


@contextmanager
def _seeded(seed: int, device: "torch.device") -> Iterator[Callable[[], bool]]:
    """Seed torch's global generators, for pipelines that ignore ours; the CPU's is restored afterwards.

    It yields a function that returns whether anything was drawn from them.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        before = _random_states(device)
        yield lambda: not all(map(torch.equal, before, _random_states(device)))


@contextmanager
def _same_kernels() -> Iterator[None]:
    """Have a GPU choose convolution kernels deterministically, not by today's timing."""
    import torch

    cudnn = torch.backends.cudnn
    before = cudnn.benchmark, cudnn.deterministic
    cudnn.benchmark, cudnn.deterministic = False, True
    try:
        yield
    finally:
        cudnn.benchmark, cudnn.deterministic = before


def _random_states(device: "torch.device") -> "list[torch.Tensor]":
    import torch

    states = [torch.get_rng_state()]
    if device.type in ("cuda", "xpu"):
        states.append(torch.get_device_module(device).get_rng_state(device))
    if device.type == "mps":
        states.append(torch.mps.get_rng_state())
    return states


def _make_scheduler(scheduler: Untyped, name: str) -> Untyped:
    from diffusers.utils.import_utils import DummyObject  # replaces classes that need a missing package

    known = {kind.__name__: kind for kind in [type(scheduler), *scheduler.compatibles]}
    if name not in known:
        offered = sorted(name for name, kind in known.items() if not isinstance(kind, DummyObject))
        more = f" … and {len(offered) - _OFFERED} more" if len(offered) > _OFFERED else ""
        raise BadValueError(f"scheduler={name}: this pipeline goes with {', '.join(offered[:_OFFERED])}{more}")
    return known[name].from_config(scheduler.config)


_OFFERED = 12


def _save_memory(pipeline: Untyped, wanted: Mapping[str, bool]) -> None:
    """Decode pictures one by one (slicing) or in overlapping tiles, which changes them a little at the seams."""
    for how in (how for how, is_wanted in wanted.items() if is_wanted):
        enable = getattr(getattr(pipeline, "vae", None), f"enable_{how}", None)
        if enable is None:
            raise BadValueError(f"vae_{how}=true: {type(pipeline).__name__} has no decoder that can; leave it out")
        enable()
