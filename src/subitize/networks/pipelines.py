"""Pipelines of diffusers that make pictures of words: found, checked part by part, and loaded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.networks import weights
from subitize.networks.names import PIPELINE_INDEX as INDEX
from subitize.networks.names import is_network, name_detector
from subitize.networks.weights import Placement


@dataclass(frozen=True, slots=True)
class Source:
    """Where a pipeline is loaded from; `who` names it in messages, `variant` the weights where there are several."""

    who: str
    model: str
    variant: str | None = None

    def find(self) -> Path | None:
        """Find its folder on this machine, None for a name on the hub; what is no pipeline is refused."""
        if is_network(self.model):
            path = Path(self.model).expanduser()
            config = weights.read_config(path)
            if kind := config.get("_class_name"):
                raise BadFileError(f"{path} is one part of a pipeline ({kind}); name the folder above, with {INDEX}")
            name = name_detector(weights.name_architecture(config, path)) or "transformers"
            raise BadFileError(f"{path} is a model of transformers, no pipeline that draws; write {name}:{self.model}")
        return weights.find_folder(self.model, INDEX)

    def locate(self) -> Path:
        """Find its folder; one on the hub is fetched first, with no more than it needs."""
        folder = self.find()
        if folder is not None:
            return folder
        with weights.loading(self.who), weights.no_bars("diffusers"):
            from diffusers import DiffusionPipeline

            repository, revision = weights.split_name(self.model)
            with weights.fetching(self.who, f"name a pipeline, or write transformers:{self.model}"):
                index = DiffusionPipeline.load_config(repository, revision=revision)
            _read_parts(index, self)  # before gigabytes are fetched: is it a pipeline for us at all?
            return Path(DiffusionPipeline.download(repository, revision=revision, variant=self.variant))


def load_pipeline(source: Source, folder: Path, placement: Placement, *, offload: bool = False) -> Any:  # noqa: ANN401
    """Load a pipeline to where it computes; with `offload` each part is there only while it is at work.

    Only classes of diffusers and transformers are made: code that comes with a model is never run.
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


def count_denoiser(pipeline: Any) -> int | None:  # noqa: ANN401
    """Count the parameters of the part that denoises: papers give them as the size of a pipeline."""
    denoisers = (pipeline.components.get(name) for name in ("transformer", "unet"))
    return next((weights.count_parameters(part) for part in denoisers if part is not None), None)


Part = tuple[str, str]


def _read_parts(index: Mapping[str, Any], source: Source) -> dict[str, Part]:
    """Read the library and the class of each part; what would not draw from words alone is refused."""
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


def _check_kind(kind: object, source: Source) -> None:
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


def _own_code(source: Source, where: str) -> str:
    return f"{source.who} comes with code of its own ({where}), which is never run; take one made of diffusers' parts"


def _is_known(library: str) -> bool:
    from diffusers import pipelines

    return library in ("diffusers", "transformers") or (library.isidentifier() and hasattr(pipelines, library))


def _check_folders(folder: Path, parts: Mapping[str, Part], source: Source) -> None:
    for name, (library, _) in parts.items():
        if not (folder / name).is_dir():
            raise BadFileError(f"{folder} has no {name}/, which its {INDEX} names; copy the whole model again")
        if (folder / name / f"{library}.py").exists():  # it would be run in place of the library
            raise UnusableModelError(_own_code(source, f"{name}/{library}.py"))


def _load_networks(source: Source, folder: Path, parts: Mapping[str, Part], placement: Placement) -> dict[str, Any]:
    """Load the parts that have weights, one by one: the pipeline's own loading would fill what is missing at random."""
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


def _network_class(library: str, kind: str) -> Any:  # noqa: ANN401
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


def _choose(source: Source, name: str, variants: set[str]) -> str | None:
    if source.variant in variants:
        return source.variant
    if "" not in variants:
        raise BadValueError(f"{name} has its weights as variant={' or '.join(sorted(variants))} only")
    return None


def _load_network(who: str, kind: Any, folder: Path, variant: str | None, placement: Placement) -> Any:  # noqa: ANN401
    import diffusers

    # Older versions of diffusers know no other name, newer ones still do.
    key = "torch_dtype" if issubclass(kind, diffusers.ModelMixin) else "dtype"
    with weights.loading(who):
        network, info = kind.from_pretrained(
            folder,
            variant=variant,
            local_files_only=True,
            output_loading_info=True,
            **{key: placement.torch_dtype()},
        )
    weights.refuse_random_weights(info, who)
    return network.eval()
