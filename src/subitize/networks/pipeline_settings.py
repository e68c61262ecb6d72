"""What a text-to-image pipeline can be asked for, and what it does where nothing is asked."""

import inspect
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from subitize.errors import BadValueError
from subitize.records import Scalar

Size = tuple[int, int]
# Guidance by a second look without the prompt, of networks that were taught guidance by a number as well.
_TRUE_GUIDANCE = "true_cfg_scale"


def read_size(size: str | None) -> Size | None:
    """Read width and height as users write them; None where no size is given."""
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
class Wishes:
    """What is asked of a pipeline; None is left to it."""

    steps: int | None
    guidance: float | None
    negative_prompt: str | None
    size: Size | None
    scheduler: str | None


class Settings:
    """What a pipeline can be told, as the signature of its call has it."""

    def __init__(self, pipeline: Any) -> None:  # noqa: ANN401
        self._pipeline, self._name = pipeline, type(pipeline).__name__
        self._takes = inspect.signature(type(pipeline).__call__).parameters

    def settle(self, wishes: Wishes) -> dict[str, Scalar]:
        """Put wishes as arguments; those that would have no effect are refused."""
        arguments: dict[str, Scalar] = {}
        if wishes.steps is not None:
            self._need("steps", "num_inference_steps")
            arguments["num_inference_steps"] = wishes.steps
        if wishes.guidance is not None:
            arguments[self._guidance_name(wishes)] = wishes.guidance
        if wishes.negative_prompt is not None:
            self._check_negative_prompt(arguments)
        if wishes.size is not None:
            self._check_size(wishes.size)
            arguments["width"], arguments["height"] = wishes.size
        return arguments

    def defaults(self, wishes: Wishes) -> dict[str, Scalar]:
        """List what is in effect where nothing is wished."""
        guided_by = self._guided_by()
        is_guided = guided_by is not None and (guided_by != _TRUE_GUIDANCE or wishes.negative_prompt is not None)
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
                is_clip = type(part).__name__.startswith("CLIP")  # these have a length of their own
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
        """Name the argument that guidance is: some take one without any effect."""
        has_true = _TRUE_GUIDANCE in self._takes
        if self._default("guidance_scale") is None:
            return _TRUE_GUIDANCE if has_true else None
        return None if has_true and not self._embeds_guidance() else "guidance_scale"

    def _embeds_guidance(self) -> bool:
        """Tell whether the network itself was taught guidance, so that it needs no second look without the prompt."""
        network = getattr(self._pipeline, "transformer", None) or getattr(self._pipeline, "unet", None)
        config = getattr(network, "config", {})
        return bool(config.get("guidance_embeds") or config.get("time_cond_proj_dim"))

    def _guidance_name(self, wishes: Wishes) -> str:
        name = self._guided_by()
        if name is None:
            raise BadValueError(f"guidance={wishes.guidance:g}: this {self._name} takes none; leave it out")
        if name == _TRUE_GUIDANCE and wishes.negative_prompt is None:
            raise BadValueError(
                f"guidance={wishes.guidance:g}: {self._name} takes it only with a negative_prompt; give one as well"
            )
        return name

    def _check_negative_prompt(self, arguments: Mapping[str, Scalar]) -> None:
        """Refuse one that the pipeline would leave unread: most read it only while guidance is above 1."""
        has_true = _TRUE_GUIDANCE in self._takes
        name = _TRUE_GUIDANCE if has_true else "guidance_scale"
        scale = arguments.get(name, self._default(name))
        is_idle = isinstance(scale, int | float) and scale <= 1
        is_own = name not in self._takes  # guidance under names of its own, above 1 unless it is told otherwise
        is_steered = is_own or (self._guided_by() == name and (has_true or not self._embeds_guidance()))
        if "negative_prompt" not in self._takes or not (is_steered or (has_true and not is_idle)):
            raise BadValueError(f"negative_prompt: this {self._name} takes none; leave it out")
        if is_idle:
            raise BadValueError(f"negative_prompt has no effect with guidance={scale:g}; write guidance above 1")

    def _check_size(self, size: Size) -> None:
        self._need("size", "width", "height")
        multiple = self._multiple()
        if any(side % multiple for side in size):
            near = write_size((_nearest(size[0], multiple), _nearest(size[1], multiple)))
            raise BadValueError(
                f"size={write_size(size)}: {self._name} draws multiples of {multiple} px, as in size={near}"
            )

    def _multiple(self) -> int:
        """Find what width and height must be multiples of: what one place of the network's grid covers."""
        decoded = int(getattr(self._pipeline, "vae_scale_factor", 1))
        network = getattr(getattr(self._pipeline, "transformer", None), "config", {})
        patch = network.get("patch_size") or 1
        processed = getattr(getattr(self._pipeline, "image_processor", None), "config", {})
        return math.lcm(
            _FINEST_GRID_PX,
            decoded * (patch if isinstance(patch, int) else max(patch)),
            int(processed.get("vae_scale_factor", 1)),
        )


_FINEST_GRID_PX = 8  # what pipelines ask for whatever their decoder would allow


def _nearest(side: int, multiple: int) -> int:
    return max(1, round(side / multiple)) * multiple
