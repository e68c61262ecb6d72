"""What the detectors on transformers share: a network with its image processor, and pictures in batches for it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from subitize.detections import Detections, Floats
from subitize.errors import UnusableModelError
from subitize.image_files import Rgb
from subitize.networks.names import name_detector
from subitize.networks.weights import (
    Placement,
    hash_weights,
    load_model,
    load_part,
    locate,
    name_versions,
    read_config,
    require,
)

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, ProcessorMixin


@dataclass(frozen=True, slots=True)
class Batch:
    """Pictures that are of one size once they are prepared, by their place among those that were given."""

    places: tuple[int, ...]
    inputs: dict[str, "torch.Tensor"]

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True)
class Output:
    """What a network gives for a batch: pictures × boxes × classes, and pictures × boxes × (centre, sides)."""

    logits: "torch.Tensor"
    pred_boxes: "torch.Tensor"


class Pretrained:
    """A detector whose network is in a folder or on the hub, read when it is first needed."""

    own_name: str
    has_open_vocabulary: bool
    assumption = ""

    def __init__(self, folder: str, placement: Placement, *, name: str = "") -> None:
        self._name, self._given = name or self.own_name, folder
        require(self._name, "torch", "transformers")
        self.who = f"{self._name}:{folder}"
        # A box of a thousand pixels in bfloat16 is four pixels off, and these networks are small.
        self._placement = replace(placement, dtype="float32") if placement.dtype == "auto" else placement

    @cached_property
    def folder(self) -> Path:
        """Where it lies."""
        return locate(self._given)

    @cached_property
    def config(self) -> "PreTrainedConfig":
        """What its folder says about it; a network that this detector cannot use is refused."""
        from transformers import AutoConfig

        self._refuse_others(read_config(self.folder))
        return load_part(AutoConfig, self.folder, self.who)

    @cached_property
    def model(self) -> "PreTrainedModel":
        """Its weights, where they compute."""
        from transformers import AutoModelForObjectDetection, AutoModelForZeroShotObjectDetection

        _ = self.config  # another detector's network is refused
        is_open = self.has_open_vocabulary
        auto_class = AutoModelForZeroShotObjectDetection if is_open else AutoModelForObjectDetection
        return load_model(auto_class, self.folder, self._placement, self.who)

    @cached_property
    def image_processor(self) -> "ProcessorMixin":
        """What prepares pictures for it."""
        from transformers import AutoImageProcessor

        return load_part(AutoImageProcessor, self.folder, self.who)

    @cached_property
    def tokenizer(self) -> "ProcessorMixin":
        """What prepares words for it."""
        from transformers import AutoTokenizer

        return load_part(AutoTokenizer, self.folder, self.who)

    def batches(self, pictures: Sequence[Rgb]) -> list[Batch]:
        """Prepare pictures, each by itself, and put together those that come out in one size.

        Beside a larger one a picture would be padded, and what a network sees near the padding is not quite what it
        sees in the picture alone.
        """
        import torch

        prepared = [self._prepare(picture) for picture in pictures]
        sizes = [inputs["pixel_values"].shape for inputs in prepared]
        places = [tuple(at for at, other in enumerate(sizes) if other == size) for size in dict.fromkeys(sizes)]
        return [
            Batch(own, {name: torch.cat([prepared[at][name] for at in own]) for name in prepared[own[0]]})
            for own in places
        ]

    def run(self, batch: Batch, **words: "torch.Tensor") -> Output:
        """Compute what a batch gives, the words repeated for each of its pictures."""
        import torch

        texts = {name: rows.repeat(len(batch), 1).to(self.model.device) for name, rows in words.items()}
        with torch.inference_mode():
            pictures = {name: given.to(self.model.device) for name, given in batch.inputs.items()}
            pictures["pixel_values"] = pictures["pixel_values"].to(self.model.dtype)
            output = self.model(**pictures, **texts)
            return Output(output.logits.float().cpu(), output.pred_boxes.float().cpu())

    def weights_hash(self) -> str:
        """Tell the weights apart from others."""
        return hash_weights(self.folder)

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, and their versions."""
        return name_versions("torch", "transformers")

    def _prepare(self, picture: Rgb) -> dict[str, "torch.Tensor"]:
        given = self.image_processor(images=[Image.fromarray(picture)], return_tensors="pt")
        return {name: given[name] for name in ("pixel_values", "pixel_mask") if name in given}

    def _refuse_others(self, config: dict[str, Any]) -> None:
        from transformers.models.auto.modeling_auto import (
            MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES,
            MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES,
        )

        kind = str(config.get("model_type", ""))
        known = MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES | MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES
        reader = name_detector(known.get(kind, ""))
        if reader == self._name:
            return
        held = (config.get("architectures") or [kind or "model of no named type"])[0]
        remedy = f"write {reader}:{self._given}" if reader else "name the folder of a detector"
        raise UnusableModelError(f"{self._name}: {self._given} holds a {held}; {remedy}")


class OpenVocabulary(Pretrained):
    """What detectors have in common that are told what to look for."""

    has_open_vocabulary = True

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.model, self.image_processor, self.tokenizer

    def can_see(self, noun: str, /) -> bool:
        """Tell whether there is something to look for in the noun."""
        return any(character.isalnum() for character in noun)

    def classes(self) -> Collection[str]:
        """List nothing: it looks for any noun."""
        return ()


class Findings:
    """What is found in pictures, gathered batch by batch."""

    def __init__(self, pictures: Sequence[Rgb], floor: float) -> None:
        self._pictures, self._floor = pictures, floor
        self._found: list[list[tuple[Floats, Floats, str]]] = [[] for _ in pictures]

    def size(self, place: int) -> tuple[int, int]:
        """The height and width of a picture."""
        height, width, _ = self._pictures[place].shape
        return height, width

    def add(self, place: int, xyxy: object, scores: object, label: str) -> None:
        """Keep what has at least the floor as its score."""
        corners, given = np.asarray(xyxy, dtype=np.float64), np.asarray(scores, dtype=np.float64)
        is_kept = given >= self._floor
        self._found[place].append((corners[is_kept], given[is_kept], label))

    def detections(self) -> Iterator[Detections]:
        """Give what was found in each picture, best first."""
        for found in self._found:
            xyxy = np.concatenate([np.empty((0, 4)), *(corners for corners, _, _ in found)])
            scores = np.concatenate([np.empty(0), *(scores for _, scores, _ in found)])
            yield Detections.make(xyxy, scores, [label for _, scores, label in found for _ in scores])


def corners_of(centred: "torch.Tensor", width: float, height: float) -> Floats:
    """Make corners in pixels of boxes that are given by centre and sides, as shares of width and height."""
    x, y, w, h = np.asarray(centred, dtype=np.float64).T
    sides = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
    corners: Floats = np.stack(sides, axis=1)
    return corners
