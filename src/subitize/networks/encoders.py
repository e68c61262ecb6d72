"""Networks that encode a picture and a text and compare them: CLIP, SigLIP and others.

Also turns pictures and texts into tensors, and tensors into numbers, for all networks that read both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import BadValueError, UnusableModelError
from subitize.interfaces import Request
from subitize.io.images import Rgb, decode
from subitize.networks import weights
from subitize.networks.weights import Device, Untyped
from subitize.records import Elsewhere, Filed, Picture, Stimulus, Stored

Tensors = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LazyImage:
    """A picture's name and a function that loads its pixels; networks on region features need only the name."""

    name: str
    pixels: Callable[[], Rgb]

    @classmethod
    def of(cls, picture: Picture, load: Callable[[Picture], bytes]) -> "LazyImage":
        """Wrap a stored picture; it is loaded when its pixels are needed."""
        return cls(_name(picture), lambda: decode(load(picture)))

    @classmethod
    def of_pixels(cls, name: str, pixels: Rgb) -> "LazyImage":
        """Wrap pixels that are loaded already."""
        return cls(name, lambda: pixels)

    @classmethod
    def of_task(cls, request: Request) -> "LazyImage":
        """Wrap the picture of a request."""
        if request.task.kind == "draw":
            raise TypeError(f"the task of {request.item_id} has no picture: it asks for one")
        return cls.of(request.task.picture, request.load)


def _name(picture: Picture) -> str:
    match picture:
        case Stored(hash=hash):
            return hash
        case Filed(path=path):
            return path.replace("\\", "/").rpartition("/")[2]
        case Elsewhere(name=name):
            return name
        case Stimulus():
            return f"{picture.category}_{picture.number}_{picture.seed}"


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenizer with its network's limit; longer texts are cut."""

    tokenizer: Any
    most: int
    has_fixed_length: bool = False
    """Whether texts are padded to the limit and read with their padding, as SigLIP was trained."""
    lowers: bool = False
    """Whether texts are lowercased first, as not every tokenizer does it though configured to."""

    @classmethod
    def load(cls, folder: Path, most: int, *, has_fixed_length: bool = False) -> "Tokens":
        """Load the tokenizer of a folder."""
        from transformers import AutoTokenizer

        tokenizer = weights.load_part(AutoTokenizer, folder, f"the tokenizer of {folder}")
        if not has_fixed_length:
            tokenizer.padding_side = "right"
        # SigLIP 2 of fixed size uses Gemma's tokenizer, which ignores do_lower_case. BERT's heeds it, and would not
        # recognise its own [SEP] in lower case.
        lowers = has_fixed_length and bool(tokenizer.init_kwargs.get("do_lower_case"))
        return cls(tokenizer, min(most, tokenizer.model_max_length), has_fixed_length, lowers)

    def encode(self, texts: Sequence[str]) -> Tensors:
        """Make one row of token ids per text, cut and padded, and a mask of what is text."""
        encoded = self.tokenizer(
            self._cased(texts),
            padding="max_length" if self.has_fixed_length else "longest",
            truncation=True,
            max_length=self.most,
            return_tensors="pt",
        )
        names = ("input_ids",) if self.has_fixed_length else ("input_ids", "attention_mask")
        return {name: encoded[name] for name in names}

    def count_cut(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens that are cut off each text."""
        whole = self.tokenizer(self._cased(texts), truncation=False, padding=False, verbose=False)["input_ids"]
        return [max(0, len(ids) - self.most) for ids in whole]

    def _cased(self, texts: Sequence[str]) -> list[str]:
        return [text.lower() for text in texts] if self.lowers else list(texts)


def load_images(folder: Path) -> Callable[[Sequence[Rgb]], Tensors]:
    """Load the image processor; Pillow resizes, so that scores do not depend on what else is installed."""
    from transformers import AutoImageProcessor

    processor = weights.load_part(AutoImageProcessor, folder, f"the image processor of {folder}", backend="pil")

    def process(pictures: Sequence[Rgb]) -> Tensors:
        # As Pillow images: in an array the processor would have to guess the axis of the channels.
        shown = processor(images=[Image.fromarray(picture) for picture in pictures], return_tensors="pt")
        return dict(shown)

    return process


def to_device(model: Untyped, tensors: Tensors) -> Tensors:
    """Move tensors to a network's device, floats to its type."""
    return {
        name: tensor.to(model.device, model.dtype) if tensor.is_floating_point() else tensor.to(model.device)
        for name, tensor in tensors.items()
    }


def numbers(tensor: Untyped) -> NDArray[np.float64]:
    """Return a tensor as an array; raise ValueError on NaN or infinity, as half floats overflow."""
    found: NDArray[np.float64] = tensor.double().cpu().numpy()
    if not np.isfinite(found).all():
        raise ValueError("the network computed what is no number (nan); write dtype=float32")
    return found


def refuse_regions(folder: Path, architecture: str, regions: Path | None) -> None:
    """Refuse region features for a network that looks at pixels."""
    if regions is not None:
        raise BadValueError(f"regions={regions}: {folder.name} ({architecture}) looks at pixels; leave regions out")


def with_cut(scores: Mapping[str, float], tokens_cut: int) -> dict[str, float]:
    """Add the number of tokens that were cut off a text, if any."""
    return dict(scores) | ({"tokens_cut": float(tokens_cut)} if tokens_cut else {})


DUAL_ENCODERS = frozenset(
    {"AlignModel", "AltCLIPModel", "ChineseCLIPModel", "CLIPModel", "MetaClip2Model", "SiglipModel", "Siglip2Model"}
)

_TEXTS_AT_ONCE = 64
_TEXTS_KEPT = 4096

Vectors = NDArray[np.float64]


class DualEncoder:
    """Compares texts with pictures by the cosine between their encodings, as CLIP does.

    A folder of another network is refused. A text longer than the network reads (77 tokens for CLIP, 64 for SigLIP) is
    cut; `match` then says so by `tokens_cut`. The encodings of the latest 4096 texts are kept.
    """

    def __init__(self, folder: Path, placement: Device) -> None:
        weights.require("similarity", "torch", "transformers")
        import transformers

        self._kept: dict[str, Vectors] = {}
        architecture = find_dual_encoder(folder)
        self.network: Any = weights.load_model(getattr(transformers, architecture), folder, placement, str(folder))
        self._process = load_images(folder)
        self._tokens = Tokens.load(
            folder, _most_tokens(self.network.config), has_fixed_length=architecture in ("SiglipModel", "Siglip2Model")
        )

    def similarities(self, views: Sequence[LazyImage], texts: Sequence[str]) -> NDArray[np.float64]:
        """Compute the cosine between each picture and each text: pictures × texts, from -1 to 1."""
        if not views or not texts:
            return np.zeros((len(views), len(texts)))
        return self._encode_pictures(views) @ self._encode_texts(texts).T

    def match(self, views: Sequence[LazyImage], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture: the cosine ("match") and the network's own scaling of it ("logit").

        SigLIP, which was trained to recognise matching pairs, also gives a "probability".
        """
        if len(views) != len(texts):
            raise ValueError(f"{len(views)} pictures and {len(texts)} texts: each text goes with its picture")
        if not texts:
            return []
        cosines = (self._encode_pictures(views) * self._encode_texts(texts)).sum(axis=1)
        cut = self._tokens.count_cut(texts)
        return [with_cut(self._scores(cosine), tokens) for cosine, tokens in zip(cosines, cut, strict=True)]

    def _scores(self, cosine: float) -> dict[str, float]:
        model = self.network
        if hasattr(model, "temperature"):
            logit = cosine / model.temperature.item()
        else:
            logit = cosine * np.exp(model.logit_scale.item())
        scores = {"match": float(cosine)}
        if hasattr(model, "logit_bias"):
            logit += model.logit_bias.item()
            scores["probability"] = float(1 / (1 + np.exp(-logit)))
        return scores | {"logit": float(logit)}

    def _encode_pictures(self, views: Sequence[LazyImage]) -> Vectors:
        """Encode pictures, each only once (one may have several texts)."""
        import torch

        pictures = [view.pixels() for view in views]
        first: dict[tuple[tuple[int, ...], bytes], int] = {}
        places = [first.setdefault((picture.shape, picture.tobytes()), len(first)) for picture in pictures]
        different = [pictures[places.index(place)] for place in range(len(first))]
        with torch.inference_mode():
            found = self.network.get_image_features(**to_device(self.network, self._process(different)))
        return _unit(numbers(found.pooler_output))[places]

    def _encode_texts(self, texts: Sequence[str]) -> Vectors:
        # Texts used again move to the end, so that the oldest are dropped first.
        known = {text: self._kept.pop(text) for text in dict.fromkeys(texts) if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(new), _TEXTS_AT_ONCE):
            some = new[start : start + _TEXTS_AT_ONCE]
            known |= zip(some, self._encode_some_texts(some), strict=True)
        self._kept |= known
        for text in list(self._kept)[:-_TEXTS_KEPT]:
            del self._kept[text]
        return np.stack([known[text] for text in texts])

    def _encode_some_texts(self, texts: Sequence[str]) -> Vectors:
        import torch

        with torch.inference_mode():
            found = self.network.get_text_features(**to_device(self.network, self._tokens.encode(texts)))
        return _unit(numbers(found.pooler_output))


def find_dual_encoder(folder: Path) -> str:
    """Find the dual encoder in a folder; refuse another network."""
    named = weights.name_architecture(weights.read_config(folder), folder)
    if named not in DUAL_ENCODERS:
        known = ", ".join(sorted(DUAL_ENCODERS))
        raise UnusableModelError(f"{folder} is {named}, which has no similarity of pictures and texts; known: {known}")
    return named


def _most_tokens(config: Untyped) -> int:
    text = config.text_config
    # RoBERTa, in AltCLIP, counts positions from behind the number of its padding token.
    unused = text.pad_token_id + 1 if config.model_type == "altclip" else 0
    most: int = text.max_position_embeddings - unused
    return most


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
