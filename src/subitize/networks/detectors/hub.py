"""Object detectors of transformers, from a folder or the hub: DETR, Grounding DINO, OWLv2, SAM 3, Molmo 2 and others.

Molmo 2 points instead of drawing boxes: each point in its reply is a box without extent."""

import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import UnusableModelError
from subitize.interfaces import RuntimeOption
from subitize.io.images import Rgb
from subitize.language.nouns import article, plural
from subitize.networks import weights
from subitize.networks.detectors.classes import choose_classes, class_of
from subitize.networks.encoders import LazyImage
from subitize.networks.generators import GenerationOptions, Generator, open_generator
from subitize.networks.processors import make_rf_detr_processor
from subitize.networks.weights import Device, Untyped, name_detector
from subitize.records import Said
from subitize.stats.boxes import Detections, Floats, Grid

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, ProcessorMixin


_NO_CLASS = ("", "N/A")
"""The names of gaps in the numbering of COCO's classes."""
QUERY = "a photo of {a} {noun}"
"""One of the captions with which CLIP, and OWLv2's forerunner OWL-ViT, learnt nouns (arXiv 2205.06230)."""


@dataclass(frozen=True, slots=True)
class NetworkOutput:
    """A network's output for a batch: pictures × boxes × classes, and pictures × boxes × (centre, sides)."""

    logits: "torch.Tensor"
    pred_boxes: "torch.Tensor"


Inputs = dict[str, "torch.Tensor"]
MASK_SIDE = 32
"""How many cells the grid of a mask has along each side: enough for a shape, and two kilobytes at most."""


class NounBoxes(NamedTuple):
    """The boxes of one noun in one picture: its position in the batch, n × 4 corners in its pixels, and n scores.

    Networks that outline things also give n maps of the whole picture, above 0 where the thing is.
    """

    place: int
    xyxy: Any
    scores: Any
    noun: str
    maps: Any = None

    def above(self, floor: float) -> "NounBoxes":
        """Keep the boxes with at least this score, as arrays."""
        scores = np.asarray(self.scores, dtype=np.float64)
        is_kept = scores >= floor
        maps = None if self.maps is None else np.asarray(self.maps)[is_kept]
        return NounBoxes(self.place, np.asarray(self.xyxy, dtype=np.float64)[is_kept], scores[is_kept], self.noun, maps)


class HubDetector:
    """A detector of transformers, from a folder or the hub, loaded when first needed."""

    kind: str
    reads: tuple[str, ...] = ()
    """Other kinds whose weights it also runs."""
    is_open_vocabulary: bool
    has_scores = True
    usual_dtype = "float32"  # a box of a thousand pixels in bfloat16 is four pixels off, and most are small
    assumption = ""

    def __init__(self, model: str, /, *, dtype: str = "auto", device: Annotated[str, RuntimeOption] = "auto") -> None:
        self.who, self._given = f"{self.kind}:{model}", model
        with weights.naming(self.who):
            self._placement = Device(device, self.usual_dtype if dtype == "auto" else dtype)
        weights.require(self.kind, "torch", "transformers")

    @cached_property
    def folder(self) -> Path:
        """The folder of its weights."""
        return weights.locate(self._given)

    @cached_property
    def config(self) -> "PreTrainedConfig":
        """Its config.json; a network that this detector cannot use is refused."""
        from transformers import AutoConfig

        self._refuse_others(weights.read_config(self.folder))
        return weights.load_part(AutoConfig, self.folder, self.who)

    @cached_property
    def model(self) -> "PreTrainedModel":
        """The network, on its device."""
        _ = self.config  # another detector's network is refused
        with weights.loading(self.who):
            import transformers

            model_class = getattr(transformers, self._model_class())
        return weights.load_model(model_class, self.folder, self._placement, self.who)

    @cached_property
    def image_processor(self) -> "ProcessorMixin":
        """The processor that prepares pictures for it."""
        with weights.loading(self.who):
            processor_class = self._processor_class()
        return weights.load_part(processor_class, self.folder, self.who)

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.model, self.image_processor

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture all the things of the nouns with at least this score."""
        self.load()
        found: list[list[NounBoxes]] = [[] for _ in pictures]
        for boxes in self._find(pictures, nouns):
            found[boxes.place].append(boxes.above(floor))
        return [_gather(own, picture) for own, picture in zip(found, pictures, strict=True)]

    def batches(self, pictures: Sequence[Rgb]) -> list[tuple[tuple[int, ...], Inputs]]:
        """Prepare pictures one by one, and batch those of equal size; return the positions and inputs of each batch.

        Beside a larger picture one would be padded, and near padding a network sees other things than in the picture
        alone.
        """
        import torch

        prepared = [self._prepare(picture) for picture in pictures]
        sizes = [inputs["pixel_values"].shape for inputs in prepared]
        places = [tuple(at for at, other in enumerate(sizes) if other == size) for size in dict.fromkeys(sizes)]
        return [
            (own, {name: torch.cat([prepared[at][name] for at in own]) for name in prepared[own[0]]}) for own in places
        ]

    def run(self, inputs: Inputs, **words: "torch.Tensor") -> NetworkOutput:
        """Run the network on a batch, the words repeated for each of its pictures."""
        import torch

        count = len(inputs["pixel_values"])
        texts = {name: rows.repeat(count, 1).to(self.model.device) for name, rows in words.items()}
        with torch.inference_mode():
            pictures = {name: given.to(self.model.device) for name, given in inputs.items()}
            pictures["pixel_values"] = pictures["pixel_values"].to(self.model.dtype)
            output = self.model(**pictures, **texts)
            return NetworkOutput(output.logits.float().cpu(), output.pred_boxes.float().cpu())

    def weights_hash(self) -> str:
        """Hash the weights."""
        return weights.hash_weights(self.folder)

    def parameter_count(self) -> int:
        """Count the network's parameters."""
        return weights.count_parameters(self.model)

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, with their versions."""
        return weights.name_versions("torch", "transformers")

    def _model_class(self) -> str:
        """Name the class of transformers that loads the network."""
        return "AutoModelForZeroShotObjectDetection" if self.is_open_vocabulary else "AutoModelForObjectDetection"

    def _processor_class(self) -> Untyped:
        """Find the class that loads the image processor."""
        from transformers import AutoImageProcessor

        return AutoImageProcessor

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Yield all boxes that the network finds, with any score."""
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
        held = str((config.get("architectures") or [kind or "model of no named type"])[0])
        known = MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES | MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES
        reader = name_detector(known.get(kind, held))
        if reader in (self.kind, *self.reads):
            weights.require_transformers(held, self.who)
            return
        remedy = f"write {reader}:{self._given}" if reader else "name the folder of a detector"
        raise UnusableModelError(f"{self.kind}: {self._given} holds a {held}; {remedy}")


class Detr(HubDetector):
    """DETR and its successors (Conditional and Deformable DETR, YOLOS …).

    It looks for whatever it knows; a class is kept if it was asked for, by that name or another for the same.
    """

    kind = "detr"
    is_open_vocabulary = False

    def knows(self, noun: str, /) -> bool:
        """Return whether the noun names one of its classes."""
        return class_of(noun, self.classes()) is not None

    def classes(self) -> tuple[str, ...]:
        """List its classes as its config names them, without loading the weights."""
        names = dict.fromkeys(self.config.id2label.values())
        return tuple(name for name in names if name not in _NO_CLASS)

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find the things of the nouns, or all.

        The folder's own processor reads the output: only some networks have a class for nothing.
        """
        wanted = choose_classes(self.who, nouns, self.classes())
        read = self.image_processor.post_process_object_detection
        for places, inputs in self.batches(pictures):
            output = self.run(inputs)
            # Some keep only the best hundred pairs of box and class, which would put a ceiling on counts.
            limit = {"top_k": output.logits[0].numel()} if "top_k" in inspect.signature(read).parameters else {}
            sizes = [pictures[place].shape[:2] for place in places]
            each = read(output, threshold=-1.0, target_sizes=sizes, **limit)
            for place, found in zip(places, each, strict=True):
                names = [self.config.id2label.get(int(label), "") for label in found["labels"]]
                for noun, own in wanted.items():
                    chosen = [name == own for name in names]
                    yield NounBoxes(place, found["boxes"][chosen], found["scores"][chosen], noun)


class RtDetr(Detr):
    """RT-DETR, of both versions."""

    kind = "rt-detr"


class RfDetr(Detr):
    """RF-DETR, also with weights that find outlines."""

    kind = "rf-detr"

    def _processor_class(self) -> Untyped:
        return make_rf_detr_processor()

    def _model_class(self) -> str:
        is_outlining = self.config.architectures == ["RfDetrForInstanceSegmentation"]
        return "RfDetrForInstanceSegmentation" if is_outlining else "RfDetrForObjectDetection"


class OpenVocabulary(HubDetector):
    """Base class of detectors that take any noun."""

    is_open_vocabulary = True

    @cached_property
    def tokenizer(self) -> "ProcessorMixin":
        """The tokenizer that prepares words for it."""
        from transformers import AutoTokenizer

        return weights.load_part(AutoTokenizer, self.folder, self.who)

    def load(self) -> None:
        """Load the weights, once."""
        super().load()
        _ = self.tokenizer

    def knows(self, noun: str, /) -> bool:
        """Return whether the noun has any letter or digit."""
        return any(character.isalnum() for character in noun)

    def classes(self) -> Collection[str]:
        """List nothing: it looks for any noun."""
        return ()

    def _encode(self, texts: str | list[str]) -> dict[str, "torch.Tensor"]:
        """Turn texts into tokens, padded to the most that the network reads."""
        longest = self.model.config.text_config.max_position_embeddings
        made = self.tokenizer(texts, return_tensors="pt", padding="max_length", truncation=True, max_length=longest)
        return {name: made[name] for name in ("input_ids", "attention_mask")}


class GroundingDino(OpenVocabulary):
    """Looks for one noun at a time, as the Numbersense paper does (its appendix on counting objects).

    Beside another, a noun is seen with other scores.
    """

    kind = "grounding-dino"
    reads: tuple[str, ...] = ("mm-grounding-dino",)  # which shared Grounding DINO's name at first

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find the things of the nouns; a box's score is the largest of the noun's own tokens."""
        batches = self.batches(pictures)
        for noun in dict.fromkeys(nouns):
            words, is_of_noun = self._tokenize(noun)
            for places, inputs in batches:
                output = self.run(inputs, **words)
                scores = output.logits.sigmoid()[..., : len(is_of_noun)][..., is_of_noun].amax(-1)
                for place, own_scores, boxes in zip(places, scores, output.pred_boxes, strict=True):
                    height, width, _ = pictures[place].shape
                    yield NounBoxes(place, corners_of(boxes, width, height), own_scores, noun)

    def _tokenize(self, noun: str) -> tuple[dict[str, "torch.Tensor"], "torch.Tensor"]:
        """Tokenize a noun as in training, in lower case with a full stop; mark its own tokens."""
        import torch

        tokenizer, longest = self.tokenizer, self.config.max_text_len
        # A full stop within a noun would split it in two.
        text = " ".join(noun.lower().replace(".", " ").replace("?", " ").split()) + "."
        words = dict(tokenizer(text, return_tensors="pt", truncation=True, max_length=longest))
        others = [tokenizer.cls_token_id, tokenizer.sep_token_id, *tokenizer.convert_tokens_to_ids([".", "?"])]
        return words, ~torch.isin(words["input_ids"][0], torch.tensor(others))


class MmGroundingDino(GroundingDino):
    """The same with other weights."""

    kind = "mm-grounding-dino"
    reads = ()


class Sam3(OpenVocabulary):
    """Looks for one noun at a time, in pictures that it takes in once for all nouns."""

    kind = "sam3"

    def _processor_class(self) -> Untyped:
        from transformers import ViTImageProcessorPil

        return ViTImageProcessorPil  # its own needs torchvision, and does the same

    def _model_class(self) -> str:
        return "Sam3Model"  # also of weights for videos, as the hub has them

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find the things of the nouns; a score is the box's times that of the noun's presence in the picture."""
        import torch

        words = {noun: self._encode(noun) for noun in dict.fromkeys(nouns)}
        for places, inputs in self.batches(pictures) if words else ():
            pixels = inputs["pixel_values"].to(self.model.device, self.model.dtype)
            with torch.inference_mode():
                seen = self.model.get_vision_features(pixels)
            for noun, tokens in words.items():
                with torch.inference_mode():
                    texts = {name: rows.repeat(len(places), 1).to(self.model.device) for name, rows in tokens.items()}
                    found = self.model(vision_embeds=seen, **texts)
                    scores = found.pred_logits.float().sigmoid() * found.presence_logits.float().sigmoid()
                    sizes = [pictures[place].shape[1::-1] * 2 for place in places]
                    corners = found.pred_boxes.float().cpu() * torch.tensor(sizes)[:, None]
                yield from map(NounBoxes, places, corners, scores.cpu(), repeat(noun), found.pred_masks.float().cpu())


class Owlv2(OpenVocabulary):
    """Looks for all nouns at once: its score for one does not depend on the others."""

    kind = "owlv2"

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find the things of the nouns; one place may be found for several of them."""
        asked = list(dict.fromkeys(nouns))
        if not asked:
            return
        words = self._encode([QUERY.format(a=article(noun), noun=noun) for noun in asked])
        for places, inputs in self.batches(pictures):
            output = self.run(inputs, **words)
            for place, scores, boxes in zip(places, output.logits.sigmoid(), output.pred_boxes, strict=True):
                height, width, _ = pictures[place].shape
                # A picture is made square by padding on its right or below, and boxes are shares of the square.
                corners = corners_of(boxes, max(height, width), max(height, width))
                centres = (corners[:, :2] + corners[:, 2:]) / 2
                is_in_picture = (centres[:, 0] <= width) & (centres[:, 1] <= height)
                for noun, own_scores in zip(asked, scores.T, strict=True):
                    yield NounBoxes(place, corners[is_in_picture], np.asarray(own_scores)[is_in_picture], noun)


def _gather(found: Sequence[NounBoxes], picture: Rgb) -> Detections:
    """Put together what was found of each noun in one picture."""
    height, width, _ = picture.shape
    xyxy = np.concatenate([np.empty((0, 4)), *(own.xyxy for own in found)])
    scores = np.concatenate([np.empty(0), *(own.scores for own in found)])
    labels = [own.noun for own in found for _ in own.scores]
    sides = (width, height, width, height)
    masks = [mask for own in found if own.maps is not None for mask in cut_masks(own.maps, own.xyxy / sides)]
    return Detections.make(xyxy, scores, labels, masks)


def cut_masks(maps: NDArray[np.float32], shares: Floats) -> list[Grid]:
    """Sample each map of the whole picture at the centres of the cells of a grid over its box.

    Boxes are in shares of the picture. Cells outside it are not covered.
    """
    height, width = maps.shape[1:]
    centres = (np.arange(MASK_SIDE) + 0.5) / MASK_SIDE
    grids = []
    for one, (left, top, right, bottom) in zip(maps, shares, strict=True):
        x = np.floor((left + centres * (right - left)) * width).astype(int)
        y = np.floor((top + centres * (bottom - top)) * height).astype(int)
        is_inside = ((y >= 0) & (y < height))[:, None] & ((x >= 0) & (x < width))
        grids.append(is_inside & (one[np.ix_(y.clip(0, height - 1), x.clip(0, width - 1))] > 0))
    return grids


def corners_of(centred: "torch.Tensor", width: float, height: float) -> Floats:
    """Convert boxes from centre and sides, in shares of width and height, to corners in pixels."""
    x, y, w, h = np.asarray(centred, dtype=np.float64).T
    sides = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
    corners: Floats = np.stack(sides, axis=1)
    return corners


REQUEST = "Point to the {nouns}."
"""The wording of the model card for several things."""
_POINTS = re.compile(r'<points\b[^<>]{0,200}? coords="([\d ;]*)"', re.ASCII)
_GROUP = re.compile(r"1((?: \d{1,4} \d{1,4} \d{1,4})+)", re.ASCII)
_NONE = re.compile(r"there are none[.!]?", re.IGNORECASE)
_SCALE = 1000
"""Positions are thousandths of the picture's sides (arXiv 2601.10611, appendix A)."""


class Molmo2(OpenVocabulary):
    """Points at the things of one noun at a time; each point is a box without extent.

    What it says without pointing is kept as it is: it is no count of nothing, unless it says that there are none.
    """

    kind = "molmo2"
    has_scores = False
    usual_dtype = "auto"  # half floats cost boxes their precision, but not words

    def __init__(
        self,
        model: str,
        /,
        *,
        max_tokens: int = 2048,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
    ) -> None:
        super().__init__(model, dtype=dtype, device=device)
        self._max_tokens = max_tokens
        with weights.naming(self.who):
            weights.check_at_least(1, max_tokens=max_tokens)

    @cached_property
    def generator(self) -> Generator:
        """The network, with its prompts and options."""
        with weights.naming(self.who):
            return open_generator(
                self.folder, self.config.architectures[0], self._placement, GenerationOptions(self._max_tokens)
            )

    @property
    def model(self) -> "PreTrainedModel":
        """The network, on its device."""
        network: PreTrainedModel = self.generator.network
        return network

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.generator

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Ask for the things of each noun in all pictures; points have no scores, so a floor keeps all or none."""
        self.load()
        views = [LazyImage.of_pixels(str(place), picture) for place, picture in enumerate(pictures)]
        replies: list[dict[str, Said]] = [{} for _ in pictures]
        for noun in dict.fromkeys(nouns):
            asked = [REQUEST.format(nouns=plural(noun))] * len(pictures)
            for own, said in zip(replies, self.generator.answer(views, asked, [0] * len(pictures)), strict=True):
                own[noun] = said
        return [self._locate(own, picture).above(floor) for own, picture in zip(replies, pictures, strict=True)]

    def _locate(self, replies: Mapping[str, Said], picture: Rgb) -> Detections:
        """Find the points in the replies; a reply that was cut off is left unread, as points may be missing."""
        points: dict[str, Floats] = {}
        unread: dict[str, str] = {}
        for noun, said in replies.items():
            if len(said.tokens) >= self._max_tokens:
                unread[noun] = f"cut off at max_tokens={self._max_tokens}: {said.text}"
            elif (shares := read_points(said.text)) is None:
                unread[noun] = said.text
            else:
                points[noun] = shares
        height, width, _ = picture.shape
        centres = np.concatenate([np.empty((0, 2)), *points.values()]) * (width, height)
        labels = [noun for noun, shares in points.items() for _ in shares]
        return replace(Detections.make(np.tile(centres, 2), np.ones(len(centres)), labels), unread=unread)


def read_points(text: str) -> Floats | None:
    """Read the positions in a reply, n × 2 shares of width and height; None if it neither points nor denies.

    A tag lists pictures, separated by semicolons: the picture's number, always 1 here, and for each thing its number,
    x and y. A tag that holds anything else makes the whole reply unreadable.
    """
    if _NONE.fullmatch(text.strip()):
        return np.empty((0, 2))
    tags = _POINTS.findall(text)
    groups = [_GROUP.fullmatch(group) for tag in tags for group in tag.split(";")]
    if not groups or text.count("<points") != len(tags) or not all(groups):
        return None
    numbers = [int(number) for group in groups if group for number in group[1].split()]
    positions = np.array(numbers, dtype=np.float64).reshape(-1, 3)[:, 1:] / _SCALE
    return positions if (positions <= 1).all() else None
