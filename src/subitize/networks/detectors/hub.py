"""Object detectors of transformers, from a folder or the hub: DETR, Grounding DINO, OWLv2, SAM 3, Molmo 2 and others.

Molmo 2 points instead of drawing boxes: each point in its reply is a box without extent."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import UnusableModelError
from subitize.interfaces import RuntimeOption
from subitize.io.images import Rgb
from subitize.io.specs import check_range
from subitize.language.nouns import article, plural
from subitize.networks import weights
from subitize.networks.detectors.classes import choose_classes
from subitize.networks.detectors.detector import Detector
from subitize.networks.encoders import LazyImage
from subitize.networks.generators import GenerationOptions, Generator, open_generator
from subitize.networks.local import LocalNetwork
from subitize.networks.processors import make_rf_detr_processor
from subitize.networks.weights import Untyped
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

    def above(self, floor: float, picture: Rgb) -> Detections:
        """Keep the boxes with at least this score."""
        scores = np.asarray(self.scores, dtype=np.float64)
        is_kept = scores >= floor
        xyxy, (height, width, _) = np.asarray(self.xyxy, dtype=np.float64)[is_kept], picture.shape
        sides = (width, height, width, height)
        masks = [] if self.maps is None else cut_masks(np.asarray(self.maps)[is_kept], xyxy / sides)
        return Detections.make(xyxy, scores[is_kept], [self.noun] * len(xyxy), masks)


class HubDetector(LocalNetwork, Detector):
    """Base class of detectors of transformers, from a folder or the hub, loaded when first needed."""

    packages = ("torch", "transformers")
    architectures: tuple[str, ...] = ()
    """How the names of the networks that it runs begin."""
    reads: tuple[str, ...] = ()
    """Other detectors whose weights it also runs."""
    usual_dtype = "float32"  # a box of a thousand pixels in bfloat16 is four pixels off, and most are small
    model_class = "AutoModelForObjectDetection"
    processor_class = "AutoImageProcessor"

    def __init__(self, model: str, /, *, dtype: str = "auto", device: Annotated[str, RuntimeOption] = "auto") -> None:
        super().__init__(model, dtype=self.usual_dtype if dtype == "auto" else dtype, device=device)

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
        return weights.load_model(self._find_class(self.model_class), self.folder, self.device, self.who)

    @cached_property
    def image_processor(self) -> "ProcessorMixin":
        """The processor that prepares pictures for it."""
        return weights.load_part(self._find_class(self.processor_class), self.folder, self.who)

    def _find_class(self, name: str) -> Untyped:
        with weights.loading(self.who):
            import transformers

            return getattr(transformers, name)

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.model, self.image_processor

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture all the things of the nouns with at least this score."""
        self.load()
        found: list[list[Detections]] = [[] for _ in pictures]
        for boxes in self._find(pictures, nouns):
            found[boxes.place].append(boxes.above(floor, pictures[boxes.place]))
        return list(map(Detections.join, found))

    def batches(self, pictures: Sequence[Rgb]) -> list[tuple[tuple[int, ...], Inputs]]:
        """Prepare pictures one by one, and batch those of equal size; return the positions and inputs of each batch.

        Beside a larger picture one would be padded, and near padding a network sees other things than in the picture
        alone.
        """
        import torch

        prepared = [self._prepare(picture) for picture in pictures]
        sizes = [inputs["pixel_values"].shape for inputs in prepared]
        places = [tuple(at for at, other in enumerate(sizes) if other == size) for size in dict.fromkeys(sizes)]
        names = list(prepared[0]) if prepared else []
        return [(own, {name: torch.cat([prepared[at][name] for at in own]) for name in names}) for own in places]

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

    @property
    def parameter_count(self) -> int:
        """Count the network's parameters."""
        return weights.count_parameters(self.model)

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, with their versions."""
        return weights.name_versions(*self.packages)

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
        if reader in (self.name, *self.reads):
            weights.require_transformers(held, self.who)
            return
        remedy = f"write {reader}:{self.given}" if reader else "name the folder of a detector"
        raise UnusableModelError(f"{self.name}: {self.given} holds a {held}; {remedy}")


# The thresholds and overlaps of Grounding DINO are from Numbersense's supplementary information and its authors' code;
# those of MM Grounding DINO, RF-DETR and SAM 3 are the defaults of transformers, which suppresses nothing.


class Detr(HubDetector):
    """Count what a DETR finds; it knows the classes it was trained on.

    It looks for whatever it knows; a class is kept if it was asked for, by that name or another for the same.
    """

    name = "detr"  # and its successors: Conditional and Deformable DETR, YOLOS …

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
    """Count what an RT-DETR finds; it knows the classes it was trained on."""

    name, architectures, iou = "rt-detr", ("RTDetr",), 0.9


class RfDetr(Detr):
    """Count what an RF-DETR finds; it knows the classes it was trained on."""

    name, architectures = "rf-detr", ("RfDetr",)

    def _find_class(self, name: str) -> Untyped:
        """Find the class for a network that finds boxes or outlines, or make the image processor."""
        if name == self.processor_class:
            with weights.loading(self.who):
                return make_rf_detr_processor()
        is_outlining = self.config.architectures == ["RfDetrForInstanceSegmentation"]
        return super()._find_class("RfDetrForInstanceSegmentation" if is_outlining else "RfDetrForObjectDetection")


class OpenVocabulary(HubDetector):
    """Base class of detectors that take any noun."""

    is_open_vocabulary = True
    model_class = "AutoModelForZeroShotObjectDetection"

    @cached_property
    def tokenizer(self) -> "ProcessorMixin":
        """The tokenizer that prepares words for it."""
        from transformers import AutoTokenizer

        return weights.load_part(AutoTokenizer, self.folder, self.who)

    def load(self) -> None:
        """Load the weights, once."""
        super().load()
        _ = self.tokenizer

    def _encode(self, texts: str | list[str]) -> dict[str, "torch.Tensor"]:
        """Turn texts into tokens, padded to the most that the network reads."""
        longest = self.model.config.text_config.max_position_embeddings
        made = self.tokenizer(texts, return_tensors="pt", padding="max_length", truncation=True, max_length=longest)
        return {name: made[name] for name in ("input_ids", "attention_mask")}


class GroundingDino(OpenVocabulary):
    """Count what Grounding DINO finds, told the noun (by default score .40 and overlap .95).

    Beside another, a noun is seen with other scores.
    """

    name, threshold, iou = "grounding-dino", 0.4, 0.95
    architectures: tuple[str, ...] = ("GroundingDino",)
    reads: tuple[str, ...] = ("mm-grounding-dino",)  # which shared Grounding DINO's name at first

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find one noun at a time, as Numbersense does; a box's score is the largest of the noun's own tokens."""
        batches = self.batches(pictures)
        for noun in dict.fromkeys(nouns):
            words, is_of_noun = self._tokenize(noun)
            for places, inputs in batches:
                output = self.run(inputs, **words)
                scores = output.logits.sigmoid()[..., : len(is_of_noun)][..., is_of_noun].amax(-1)
                for place, own_scores, boxes in zip(places, scores, output.pred_boxes, strict=True):
                    height, width, _ = pictures[place].shape
                    yield NounBoxes(place, _corners_of(boxes, width, height), own_scores, noun)

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
    """Count what MM Grounding DINO finds, told the noun."""

    name, threshold, iou = "mm-grounding-dino", 0.25, 1.0
    architectures = ("MMGroundingDino",)
    reads = ()


class Sam3(OpenVocabulary):
    """Count what SAM 3 finds, told the noun; masks are kept, too."""

    name, architectures, threshold = "sam3", ("Sam3",), 0.3
    model_class = "Sam3Model"  # also of weights for videos, as the hub has them
    processor_class = "ViTImageProcessorPil"  # its own needs torchvision, and does the same

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find one noun at a time; a score is the box's times that of the noun's presence in the picture."""
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
    """Count what OWLv2 finds, told the noun."""

    name, architectures, threshold, iou = "owlv2", ("Owlv2",), 0.2, 0.5

    def _find(self, pictures: Sequence[Rgb], nouns: Sequence[str]) -> Iterator[NounBoxes]:
        """Find all nouns at once, as none changes another's score; one place may be found for several of them."""
        asked = list(dict.fromkeys(nouns))
        if not asked:
            return
        words = self._encode([QUERY.format(a=article(noun), noun=noun) for noun in asked])
        for places, inputs in self.batches(pictures):
            output = self.run(inputs, **words)
            for place, scores, boxes in zip(places, output.logits.sigmoid(), output.pred_boxes, strict=True):
                height, width, _ = pictures[place].shape
                # A picture is made square by padding on its right or below, and boxes are shares of the square.
                corners = _corners_of(boxes, max(height, width), max(height, width))
                centres = (corners[:, :2] + corners[:, 2:]) / 2
                is_in_picture = (centres[:, 0] <= width) & (centres[:, 1] <= height)
                for noun, own_scores in zip(asked, scores.T, strict=True):
                    yield NounBoxes(place, corners[is_in_picture], np.asarray(own_scores)[is_in_picture], noun)


def _corners_of(centred: "torch.Tensor", width: float, height: float) -> Floats:
    """Convert boxes from centre and sides, in shares of width and height, to corners in pixels."""
    from transformers.image_transforms import center_to_corners_format

    corners: Floats = center_to_corners_format(np.asarray(centred, dtype=np.float64)) * (width, height, width, height)
    return corners


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


REQUEST = "Point to the {nouns}."
"""The wording of the model card for several things."""
_POINTS = re.compile(r'<points\b[^<>]{0,200}? coords="([\d ;]*)"', re.ASCII)
_GROUP = re.compile(r"1((?: \d{1,4} \d{1,4} \d{1,4})+)", re.ASCII)
_NONE = re.compile(r"there are none[.!]?", re.IGNORECASE)
_SCALE = 1000
"""Positions are thousandths of the picture's sides (arXiv 2601.10611, appendix A)."""


class Molmo2(OpenVocabulary):
    """Count where Molmo 2 points, told the noun.

    What it says without pointing is kept as it is: it is no count of nothing, unless it says that there are none.
    """

    name, architectures, threshold = "molmo2", ("Molmo2",), 0.0
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
        check_range(self.who, 1, max_tokens=max_tokens)

    @cached_property
    def generator(self) -> Generator:
        """The network, with its prompts and options."""
        with weights.naming(self.who):
            options = GenerationOptions(self._max_tokens)
            return open_generator(self.folder, self.config.architectures[0], self.device, options)

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


def is_detector(architecture: str) -> bool:
    """Return whether a network only detects things in pictures."""
    return architecture.endswith("ForObjectDetection") or architecture in _OUTLINES


def name_detector(architecture: str) -> str | None:
    """Name the detector that runs an architecture; None if there is none."""
    found: type[HubDetector] = next((one for one in _WITH_NAMES if architecture.startswith(one.architectures)), Detr)
    is_run = is_detector(architecture) or found is Molmo2  # which answers, too
    return found.name if is_run and not architecture.startswith(_NOT_RUN) else None


_OUTLINES = ("RfDetrForInstanceSegmentation", "Sam3Model", "Sam3VideoModel")
_NOT_RUN = ("PP", "OmDet", "OwlViT")  # those that detect text, and those that take nouns in ways of their own
_WITH_NAMES = (GroundingDino, MmGroundingDino, Molmo2, Owlv2, RfDetr, RtDetr, Sam3)
