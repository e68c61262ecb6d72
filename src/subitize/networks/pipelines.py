"""Finds, checks and loads text-to-image pipelines of diffusers, with the settings that each accepts."""

import inspect
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.networks import weights
from subitize.networks.detectors.hub import name_detector
from subitize.networks.weights import PIPELINE_INDEX as INDEX
from subitize.networks.weights import Device, Untyped, is_network
from subitize.records import Scalar


@dataclass(frozen=True, slots=True)
class PipelineSource:
    """A pipeline's name or folder; `who` names it in messages, `variant` chooses among several sets of weights."""

    who: str
    model: str
    variant: str | None = None

    def find(self) -> Path | None:
        """Find its folder on this machine, None for a name on the hub; refuse a folder without a pipeline."""
        if is_network(self.model):
            path = Path(self.model).expanduser()
            config = weights.read_config(path)
            if kind := config.get("_class_name"):
                raise BadFileError(f"{path} is one part of a pipeline ({kind}); name the folder above, with {INDEX}")
            name = name_detector(weights.name_architecture(config, path)) or "transformers"
            raise BadFileError(f"{path} is a model of transformers, no pipeline that draws; write {name}:{self.model}")
        return weights.find_folder(self.model, INDEX)

    def locate(self) -> Path:
        """Find its folder; fetch a pipeline on the hub first, with no more files than it needs."""
        folder = self.find()
        if folder is not None:
            return folder
        with weights.loading(self.who), weights.no_bars("diffusers"):
            from diffusers import DiffusionPipeline

            repository, revision = weights.split_name(self.model)
            with weights.fetching(self.who, f"name a pipeline, or write transformers:{self.model}"):
                index = DiffusionPipeline.load_config(repository, revision=revision)
            _read_parts(index, self)  # refuse an unusable pipeline before gigabytes are fetched
            return Path(DiffusionPipeline.download(repository, revision=revision, variant=self.variant))


def load_pipeline(source: PipelineSource, folder: Path, placement: Device, *, offload: bool = False) -> Untyped:
    """Load a pipeline onto its device; with `offload` each part is there only while it computes.

    Only classes of diffusers and transformers are used: code that comes with a model is never run.
    """
    with weights.loading(source.who), weights.no_bars("diffusers"):
        from diffusers import AutoPipelineForText2Image

        device = placement.torch_device()
        parts = _read_parts(weights.read_config(folder, INDEX), source)
        _check_folders(folder, parts, source)
        networks = _load_networks(source, folder, parts, placement)
        pipeline = AutoPipelineForText2Image.from_pretrained(str(folder), local_files_only=True, **networks)
        pipeline.set_progress_bar_config(disable=True)
        if offload and device.type != "cpu":
            pipeline.enable_model_cpu_offload(device=device)
        else:
            pipeline.to(device)
        return pipeline


def count_denoiser(pipeline: Untyped) -> int | None:
    """Count the parameters of the denoiser, which papers give as the size of a pipeline."""
    denoisers = (pipeline.components.get(name) for name in ("transformer", "unet"))
    return next((weights.count_parameters(part) for part in denoisers if part is not None), None)


Part = tuple[str, str]


def _read_parts(index: Mapping[str, Any], source: PipelineSource) -> dict[str, Part]:
    """Read the library and the class of each part; refuse a pipeline that does not draw from words alone."""
    _check_kind(index.get("_class_name"), source)
    named = {name: value for name, value in index.items() if isinstance(value, list) and not name.startswith("_")}
    parts = {}
    for name, value in named.items():
        match value:
            case [None, None]:
                continue
            case [str(library), str(kind)] if _is_known(library):
                parts[name] = (library, kind)
            case [str(library), str()]:
                raise UnusableModelError(_own_code(source, f"{name}: {library}"))
            case _:
                pass  # a setting that is a list
    return parts


def _check_kind(kind: object, source: PipelineSource) -> None:
    import diffusers
    from diffusers.pipelines.auto_pipeline import AUTO_TEXT2IMAGE_PIPELINES_MAPPING

    if isinstance(kind, list):
        raise UnusableModelError(_own_code(source, f"{kind[0]}.py" if kind else INDEX))
    if not isinstance(kind, str):
        raise BadFileError(f"{source.who}: its {INDEX} names no pipeline (_class_name); copy the model again")
    if kind not in {known.__name__ for known in AUTO_TEXT2IMAGE_PIPELINES_MAPPING.values()}:
        if not hasattr(diffusers, kind):
            known_to = f"diffusers {weights.name_versions('diffusers')['diffusers']}"
            raise UnusableModelError(
                f"{source.who}: its pipeline {kind} is not known to {known_to}; run: pip install --upgrade diffusers"
            )
        why = _NEED_A_PRIOR if kind in _DECODERS else "makes no picture of words alone"
        raise UnusableModelError(f"{source.who}: {kind} {why}; take a text-to-image pipeline")
    for word, what in _NEEDS_MORE.items():
        if word in kind:
            raise UnusableModelError(f"{source.who}: {kind} {what}; take a text-to-image pipeline")


_NEED_A_PRIOR = "draws what a second pipeline, its prior, makes of the words, and such pairs are not supported"
_DECODERS = frozenset(
    {"KandinskyPipeline", "KandinskyV22Pipeline", "StableCascadeDecoderPipeline", "WuerstchenDecoderPipeline"}
)
_NEEDS_MORE = {"Control": "needs a picture to go by", "Helios": "makes videos"}


def _own_code(source: PipelineSource, where: str) -> str:
    return f"{source.who} comes with code of its own ({where}), which is never run; take one made of diffusers' parts"


def _is_known(library: str) -> bool:
    from diffusers import pipelines

    return library in ("diffusers", "transformers") or (library.isidentifier() and hasattr(pipelines, library))


def _check_folders(folder: Path, parts: Mapping[str, Part], source: PipelineSource) -> None:
    for name, (library, _) in parts.items():
        if not (folder / name).is_dir():
            raise BadFileError(f"{folder} has no {name}/, which its {INDEX} names; copy the whole model again")
        if (folder / name / f"{library}.py").exists():  # it would be run in place of the library
            raise UnusableModelError(_own_code(source, f"{name}/{library}.py"))


def _load_networks(
    source: PipelineSource, folder: Path, parts: Mapping[str, Part], placement: Device
) -> dict[str, Any]:
    """Load the parts with weights one by one: diffusers would fill in missing tensors at random."""
    classes = {name: kind for name, part in parts.items() if (kind := _network_class(*part)) is not None}
    found = {name: _find_variants(folder / name) for name in classes}
    if source.variant and not any(source.variant in variants for variants in found.values()):
        known = sorted({variant for variants in found.values() for variant in variants if variant})
        is_plain = all("" in variants for variants in found.values())
        there = " or ".join([*known, *(["none (leave variant out)"] if is_plain else [])])
        raise BadValueError(f"variant={source.variant}: there is {there}")
    return {
        name: _load_network(f"{source.who}: {name}", kind, folder / name, _choose(source, name, found[name]), placement)
        for name, kind in classes.items()
    }


def _network_class(library: str, kind: str) -> Untyped:
    """Find the class of a part with weights; None for a tokenizer or a scheduler."""
    import diffusers
    import transformers

    home = {"diffusers": diffusers, "transformers": transformers}.get(library)
    found = getattr(home or getattr(diffusers.pipelines, library), kind, None)
    is_network = isinstance(found, type) and issubclass(found, diffusers.ModelMixin | transformers.PreTrainedModel)
    return found if is_network else None


def _find_variants(folder: Path) -> set[str]:
    """List the variants of the weights in a part's folder; "" is the plain one."""
    matches = (_WEIGHTS.fullmatch(path.name) for path in folder.iterdir())
    variants = {match["variant"] or "" for match in matches if match}
    if not variants:
        raise BadFileError(f"{folder} has no weights (*.safetensors); copy the whole model again")
    return variants


_WEIGHTS = re.compile(
    r"(?:model|pytorch_model|diffusion_pytorch_model)(?:\.(?P<variant>\w+))?(?:-\d+-of-\d+)?\.(?:safetensors|bin)"
)


def _choose(source: PipelineSource, name: str, variants: set[str]) -> str | None:
    if source.variant in variants:
        return source.variant
    if "" not in variants:
        raise BadValueError(f"{name} has its weights as variant={' or '.join(sorted(variants))} only")
    return None


def _load_network(who: str, kind: Untyped, folder: Path, variant: str | None, placement: Device) -> Untyped:
    import diffusers

    # The only name in older versions of diffusers, and still accepted by newer ones.
    key = "torch_dtype" if issubclass(kind, diffusers.ModelMixin) else "dtype"
    with weights.loading(who):
        network, info = kind.from_pretrained(
            folder, variant=variant, local_files_only=True, output_loading_info=True, **{key: placement.torch_dtype()}
        )
    weights.refuse_random_weights(info, who)
    return network.eval()


Size = tuple[int, int]
# Guidance by a second pass without the prompt, in networks that also embed a guidance number.
_TRUE_GUIDANCE = "true_cfg_scale"


def parse_size(size: str | None) -> Size | None:
    """Parse width and height as users write them; return None where no size is given."""
    if not size:
        return None
    shape = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", size, re.ASCII)
    if not shape:
        raise BadValueError(f"size={size!r}: should be width and height, as in size=1024x768")
    return int(shape[1]), int(shape[2])


def write_size(size: Size | None) -> str:
    """Write width and height as users do."""
    return "x".join(map(str, size or ()))


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """The options of a pipeline; None leaves a value to it."""

    steps: int | None
    guidance: float | None
    negative_prompt: str | None
    size: Size | None
    scheduler: str | None


class PipelineSignature:
    """The arguments a pipeline takes, from the signature of its call."""

    def __init__(self, pipeline: Untyped) -> None:
        self._pipeline, self._name = pipeline, type(pipeline).__name__
        self._takes = inspect.signature(type(pipeline).__call__).parameters

    def arguments(self, options: PipelineOptions) -> dict[str, Scalar]:
        """Turn options into arguments; refuse those that would have no effect."""
        arguments: dict[str, Scalar] = {}
        if options.steps is not None:
            self._need("steps", "num_inference_steps")
            arguments["num_inference_steps"] = options.steps
        if options.guidance is not None:
            arguments[self._guidance_name(options)] = options.guidance
        if options.negative_prompt is not None:
            self._check_negative_prompt(arguments)
        if options.size is not None:
            self._check_size(options.size)
            arguments["width"], arguments["height"] = options.size
        return arguments

    def defaults(self, options: PipelineOptions) -> dict[str, Scalar]:
        """List the values in effect where no option is given."""
        guided_by = self._guided_by()
        is_guided = guided_by is not None and (guided_by != _TRUE_GUIDANCE or options.negative_prompt is not None)
        names = ["num_inference_steps", *([guided_by] if guided_by and is_guided else [])]
        values = {name: self._default(name) for name in names}
        return {name: value for name, value in values.items() if isinstance(value, int | float)}

    def token_limits(self) -> dict[str, int]:
        """List how many tokens of a prompt each tokenizer reads."""
        from transformers import PreTrainedTokenizerBase

        longest = self._default("max_sequence_length")
        limits = {}
        for name, part in self._pipeline.components.items():
            if isinstance(part, PreTrainedTokenizerBase):
                is_clip = type(part).__name__.startswith("CLIP")  # these have a limit of their own
                own = int(part.model_max_length)
                limits[name] = own if is_clip or not isinstance(longest, int) else min(own, longest)
        return limits

    def _default(self, name: str) -> object:
        return self._takes[name].default if name in self._takes else None

    def _need(self, option: str, *names: str) -> None:
        for name in names:
            if name not in self._takes:
                raise BadValueError(f"{option}: {self._name} takes no {name}; leave it out")

    def _guided_by(self) -> str | None:
        """Name the argument that sets guidance: some pipelines take one without any effect."""
        has_true = _TRUE_GUIDANCE in self._takes
        if self._default("guidance_scale") is None:
            return _TRUE_GUIDANCE if has_true else None
        return None if has_true and not self._embeds_guidance() else "guidance_scale"

    def _embeds_guidance(self) -> bool:
        """Return whether the network embeds guidance, so that it needs no second pass without the prompt."""
        network = getattr(self._pipeline, "transformer", None) or getattr(self._pipeline, "unet", None)
        config = getattr(network, "config", {})
        return bool(config.get("guidance_embeds") or config.get("time_cond_proj_dim"))

    def _guidance_name(self, options: PipelineOptions) -> str:
        name = self._guided_by()
        if name is None:
            raise BadValueError(f"guidance={options.guidance:g}: this {self._name} takes none; leave it out")
        if name == _TRUE_GUIDANCE and options.negative_prompt is None:
            raise BadValueError(
                f"guidance={options.guidance:g}: {self._name} takes it only with a negative_prompt; give one as well"
            )
        return name

    def _check_negative_prompt(self, arguments: Mapping[str, Scalar]) -> None:
        """Refuse a negative prompt that the pipeline would ignore: most read it only while guidance is above 1."""
        has_true = _TRUE_GUIDANCE in self._takes
        name = _TRUE_GUIDANCE if has_true else "guidance_scale"
        scale = arguments.get(name, self._default(name))
        is_idle = isinstance(scale, int | float) and scale <= 1
        is_own = name not in self._takes  # guidance under another name, above 1 by default
        is_steered = is_own or (self._guided_by() == name and (has_true or not self._embeds_guidance()))
        if "negative_prompt" not in self._takes or not (is_steered or (has_true and not is_idle)):
            raise BadValueError(f"negative_prompt: this {self._name} takes none; leave it out")
        if is_idle:
            raise BadValueError(f"negative_prompt has no effect with guidance={scale:g}; write guidance above 1")

    def _check_size(self, size: Size) -> None:
        self._need("size", "width", "height")
        multiple = self._multiple()
        if any(side % multiple for side in size):
            given, near = write_size(size), write_size((_nearest(size[0], multiple), _nearest(size[1], multiple)))
            raise BadValueError(f"size={given}: {self._name} draws multiples of {multiple} px, as in size={near}")

    def _multiple(self) -> int:
        """Find what width and height must be multiples of: the pixels that one cell of the network's grid covers."""
        decoded = int(getattr(self._pipeline, "vae_scale_factor", 1))
        network = getattr(getattr(self._pipeline, "transformer", None), "config", {})
        patch = network.get("patch_size") or 1
        processed = getattr(getattr(self._pipeline, "image_processor", None), "config", {})
        return math.lcm(
            _FINEST_GRID_PX,
            decoded * (patch if isinstance(patch, int) else max(patch)),
            int(processed.get("vae_scale_factor", 1)),
        )


_FINEST_GRID_PX = 8  # what pipelines require, even where their decoder would allow less


def _nearest(side: int, multiple: int) -> int:
    return max(1, round(side / multiple)) * multiple
