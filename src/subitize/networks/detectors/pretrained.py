"""Detectors on transformers: a network with its image processor, and pictures in batches for it."""

import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from PIL import Image

from subitize.detections import Detections, Floats
from subitize.errors import UnusableModelError
from subitize.image_files import Rgb
from subitize.interfaces import RuntimeOption
from subitize.networks import weights
from subitize.networks.detectors.coco import choose_classes, class_of
from subitize.networks.names import name_detector
from subitize.networks.weights import Placement
from subitize.numerals import article

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, ProcessorMixin

_NO_CLASS = ("", "N/A")
"""What gaps in the numbering of COCO's classes are called."""
QUERY = "a photo of {a} {noun}"
"""One of the captions in which CLIP, and OWLv2's forerunner OWL-ViT, were taught nouns (arXiv 2205.06230)."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a network gives for a batch: pictures × boxes × classes, and pictures × boxes × (centre, sides)."""

    logits: "torch.Tensor"
    pred_boxes: "torch.Tensor"


Inputs = dict[str, "torch.Tensor"]
Found = tuple[int, object, object, str]
"""Boxes in the picture at a place among those given (n × 4 corners in its pixels), their n scores, and their noun."""


class Pretrained:
    """A detector whose network is in a folder or on the hub, read when it is first needed."""

    kind: str
    has_open_vocabulary: bool
    assumption = ""

    def __init__(self, model: str, /, *, dtype: str = "auto", device: Annotated[str, RuntimeOption] = "auto") -> None:
        self.who, self._given = f"{self.kind}:{model}", model
        with weights.naming(self.who):
            # A box of a thousand pixels in bfloat16 is four pixels off, and these networks are small.
            self._placement = Placement(device, "float32" if dtype == "auto" else dtype)
        weights.require(self.kind, "torch", "transformers")

    @cached_property
    def folder(self) -> Path:
        """Where it lies."""
        return weights.locate(self._given)

    @cached_property
    def config(self) -> "PreTrainedConfig":
        """What its folder says about it; a network that this detector cannot use is refused."""
        from transformers import AutoConfig

        self._refuse_others(weights.read_config(self.folder))
        return weights.load_part(AutoConfig, self.folder, self.who)

    @cached_property
    def model(self) -> "PreTrainedModel":
        """Its weights, where they compute."""
        from transformers import AutoModelForObjectDetection, AutoModelForZeroShotObjectDetection

        _ = self.config  # another detector's network is refused
        is_open = self.has_open_vocabulary
        auto_class = AutoModelForZeroShotObjectDetection if is_open else AutoModelForObjectDetection
        return weights.load_model(auto_class, self.folder, self._placement, self.who)

    @cached_property
    def image_processor(self) -> "ProcessorMixin":
        """What prepares pictures for it."""
        from transformers import AutoImageProcessor

        return weights.load_part(AutoImageProcessor, self.folder, self.who)

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.model, self.image_processor

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture all the things of the nouns with at least this score."""
        self.load()
        found: list[list[tuple[Floats, Floats, str]]] = [[] for _ in pictures]
        for place, xyxy, given, label in self._look(pictures, nouns):
            scores = np.asarray(given, dtype=np.float64)
            is_kept = scores >= floor
            found[place].append((np.asarray(xyxy, dtype=np.float64)[is_kept], scores[is_kept], label))
        return [_gather(of_one) for of_one in found]

    def batches(self, pictures: Sequence[Rgb]) -> list[tuple[tuple[int, ...], Inputs]]:
        """Prepare pictures, each by itself, and put together those that come out in one size: their places and inputs.

        Beside a larger one a picture would be padded, and what a network sees near the padding is not quite what it
        sees in the picture alone.
        """
        import torch

        prepared = [self._prepare(picture) for picture in pictures]
        sizes = [inputs["pixel_values"].shape for inputs in prepared]
        places = [tuple(at for at, other in enumerate(sizes) if other == size) for size in dict.fromkeys(sizes)]
        return [
            (own, {name: torch.cat([prepared[at][name] for at in own]) for name in prepared[own[0]]}) for own in places
        ]

    def run(self, inputs: Inputs, **words: "torch.Tensor") -> Output:
        """Compute what a batch gives, the words repeated for each of its pictures."""
        import torch

        count = len(inputs["pixel_values"])
        texts = {name: rows.repeat(count, 1).to(self.model.device) for name, rows in words.items()}
        with torch.inference_mode():
            pictures = {name: given.to(self.model.device) for name, given in inputs.items()}
            pictures["pixel_values"] = pictures["pixel_values"].to(self.model.dtype)
            output = self.model(**pictures, **texts)
            return Output(output.logits.float().cpu(), output.pred_boxes.float().cpu())

    def weights_hash(self) -> str:
        """Tell the weights apart from others."""
        return weights.hash_weights(self.folder)

    def parameter_count(self) -> int:
        """Count what the network has learnt."""
        return weights.count_parameters(self.model)

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, and their versions."""
        return weights.name_versions("torch", "transformers")

    def _look(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[Found]:
        """Go through what the network finds, whatever its score."""
        raise NotImplementedError

    def _prepare(self, picture: Rgb) -> Inputs:
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
        if reader == self.kind:
            return
        held = (config.get("architectures") or [kind or "model of no named type"])[0]
        remedy = f"write {reader}:{self._given}" if reader else "name the folder of a detector"
        raise UnusableModelError(f"{self.kind}: {self._given} holds a {held}; {remedy}")


class Detr(Pretrained):
    """DETR and its successors (Conditional and Deformable DETR, YOLOS …).

    It looks for whatever it knows; a class is kept if it was asked for, by that name or another for the same.
    """

    kind = "detr"
    has_open_vocabulary = False

    def can_see(self, noun: str, /) -> bool:
        """Tell whether the noun names one of its classes."""
        return class_of(noun, self.classes()) is not None

    def classes(self) -> tuple[str, ...]:
        """List its classes, as its config calls them; the weights are not needed for it."""
        names = dict.fromkeys(self.config.id2label.values())
        return tuple(name for name in names if name not in _NO_CLASS)

    def _look(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[Found]:
        """Find the things of the nouns, or all.

        The folder's own processor reads the output: whether there is a class for nothing differs by network.
        """
        wanted = choose_classes(self.who, nouns, self.classes())
        read = self.image_processor.post_process_object_detection
        for places, inputs in self.batches(pictures):
            output = self.run(inputs)
            # Some keep the best hundred pairs of box and class only, which would be a ceiling for counting.
            limit = {"top_k": output.logits[0].numel()} if "top_k" in inspect.signature(read).parameters else {}
            sizes = [pictures[place].shape[:2] for place in places]
            each = read(output, threshold=-1.0, target_sizes=sizes, **limit)
            for place, found in zip(places, each, strict=True):
                names = [self.config.id2label.get(int(label), "") for label in found["labels"]]
                for noun, own in wanted.items():
                    chosen = [name == own for name in names]
                    yield place, found["boxes"][chosen], found["scores"][chosen], noun


class RtDetr(Detr):
    """RT-DETR, of both versions."""

    kind = "rt-detr"


class OpenVocabulary(Pretrained):
    """What detectors have in common that are told what to look for."""

    has_open_vocabulary = True

    @cached_property
    def tokenizer(self) -> "ProcessorMixin":
        """What prepares words for it."""
        from transformers import AutoTokenizer

        return weights.load_part(AutoTokenizer, self.folder, self.who)

    def load(self) -> None:
        """Load the weights, once."""
        super().load()
        _ = self.tokenizer

    def can_see(self, noun: str, /) -> bool:
        """Tell whether there is something to look for in the noun."""
        return any(character.isalnum() for character in noun)

    def classes(self) -> Collection[str]:
        """List nothing: it looks for any noun."""
        return ()


class GroundingDino(OpenVocabulary):
    """Looks for one noun at a time, as the Numbersense paper does (its appendix on counting objects).

    Beside another, a noun is seen with other scores.
    """

    kind = "grounding-dino"

    def _look(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[Found]:
        """Find the things of the nouns; a box's score is the largest of the noun's own tokens."""
        batches = self.batches(pictures)
        for noun in dict.fromkeys(nouns):
            words, is_of_noun = self._tokenize(noun)
            for places, inputs in batches:
                output = self.run(inputs, **words)
                scores = output.logits.sigmoid()[..., : len(is_of_noun)][..., is_of_noun].amax(-1)
                for place, own_scores, boxes in zip(places, scores, output.pred_boxes, strict=True):
                    height, width, _ = pictures[place].shape
                    yield place, corners_of(boxes, width, height), own_scores, noun

    def _tokenize(self, noun: str) -> tuple[dict[str, "torch.Tensor"], "torch.Tensor"]:
        """Write a noun as the network was taught, in lower case with a stop, and tell which tokens are the noun's."""
        import torch

        tokenizer, longest = self.tokenizer, self.config.max_text_len
        # A stop within a noun would make two things of it.
        text = " ".join(noun.lower().replace(".", " ").replace("?", " ").split()) + "."
        words = dict(tokenizer(text, return_tensors="pt", truncation=True, max_length=longest))
        others = [tokenizer.cls_token_id, tokenizer.sep_token_id, *tokenizer.convert_tokens_to_ids([".", "?"])]
        return words, ~torch.isin(words["input_ids"][0], torch.tensor(others))


class Owlv2(OpenVocabulary):
    """Looks for all nouns at once: its score for one does not depend on the others."""

    kind = "owlv2"

    def _look(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[Found]:
        """Find the things of the nouns; one place may be found for several of them."""
        asked = list(dict.fromkeys(nouns))
        if not asked:
            return
        words = self._tokenize(asked)
        for places, inputs in self.batches(pictures):
            output = self.run(inputs, **words)
            for place, scores, boxes in zip(places, output.logits.sigmoid(), output.pred_boxes, strict=True):
                height, width, _ = pictures[place].shape
                # A picture is made square by padding on its right or below, and boxes are shares of the square.
                corners = corners_of(boxes, max(height, width), max(height, width))
                centres = (corners[:, :2] + corners[:, 2:]) / 2
                is_in_picture = (centres[:, 0] <= width) & (centres[:, 1] <= height)
                for noun, own_scores in zip(asked, scores.T, strict=True):
                    yield place, corners[is_in_picture], np.asarray(own_scores)[is_in_picture], noun

    def _tokenize(self, nouns: Sequence[str]) -> dict[str, "torch.Tensor"]:
        texts = [QUERY.format(a=article(noun), noun=noun) for noun in nouns]
        longest = self.config.text_config.max_position_embeddings
        made = self.tokenizer(texts, return_tensors="pt", padding="max_length", truncation=True, max_length=longest)
        return {name: made[name] for name in ("input_ids", "attention_mask")}


def _gather(found: Sequence[tuple[Floats, Floats, str]]) -> Detections:
    xyxy = np.concatenate([np.empty((0, 4)), *(corners for corners, _, _ in found)])
    scores = np.concatenate([np.empty(0), *(scores for _, scores, _ in found)])
    return Detections.make(xyxy, scores, [label for _, scores, label in found for _ in scores])


def corners_of(centred: "torch.Tensor", width: float, height: float) -> Floats:
    """Make corners in pixels of boxes that are given by centre and sides, as shares of width and height."""
    x, y, w, h = np.asarray(centred, dtype=np.float64).T
    sides = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
    corners: Floats = np.stack(sides, axis=1)
    return corners
