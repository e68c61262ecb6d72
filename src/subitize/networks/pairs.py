"""Converts pictures and texts to a network's input tensors, and its outputs back to numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Request
from subitize.io.images import Rgb, decode
from subitize.networks import weights
from subitize.networks.regions import Regions
from subitize.networks.weights import Placement
from subitize.records import Elsewhere, Filed, Picture, Stimulus, Stored

Tensors = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """A picture by the name it is known by, and a way to its pixels; what goes by features needs its name only."""

    name: str
    pixels: Callable[[], Rgb]

    @classmethod
    def of(cls, picture: Picture, load: Callable[[Picture], bytes]) -> "View":
        """Show a picture that is loaded when it is looked at."""
        return cls(_name(picture), lambda: decode(load(picture)))

    @classmethod
    def of_pixels(cls, name: str, pixels: Rgb) -> "View":
        """Show pixels that are there already."""
        return cls(name, lambda: pixels)

    @classmethod
    def of_task(cls, request: Request) -> "View":
        """Show the picture of a request."""
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
    """A tokenizer, and the most tokens that its network reads: what a text has beyond them is cut off."""

    tokenizer: Any
    most: int
    has_fixed_length: bool = False
    """Whether texts are filled up to the most tokens and read with what they are filled with, as SigLIP was trained."""
    lowers: bool = False
    """Whether texts are put in lower case first, which not every tokenizer does that is told to."""

    @classmethod
    def load(cls, folder: Path, most: int, *, has_fixed_length: bool = False) -> "Tokens":
        """Load the tokenizer of a folder."""
        from transformers import AutoTokenizer

        tokenizer = weights.load_part(AutoTokenizer, folder, f"the tokenizer of {folder}")
        if not has_fixed_length:
            tokenizer.padding_side = "right"
        # SigLIP 2 of fixed size reads by Gemma's tokenizer, which heeds no do_lower_case. BERT's does, and in lower
        # case would not know its own [SEP].
        lowers = has_fixed_length and bool(tokenizer.init_kwargs.get("do_lower_case"))
        return cls(tokenizer, min(most, tokenizer.model_max_length), has_fixed_length, lowers)

    def encode(self, texts: Sequence[str]) -> Tensors:
        """Make one row of token ids per text, cut and filled up, and a mask of what is text."""
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
    """Load what makes tensors of pixels; Pillow resizes, so that scores do not depend on what else is installed."""
    from transformers import AutoImageProcessor

    processor = weights.load_part(AutoImageProcessor, folder, f"the image processor of {folder}", backend="pil")

    def show(pictures: Sequence[Rgb]) -> Tensors:
        # As Pillow's images, as of an array it would be guessed which side is the channels.
        shown = processor(images=[Image.fromarray(picture) for picture in pictures], return_tensors="pt")
        return dict(shown)

    return show


def place(model: Any, tensors: Tensors) -> Tensors:  # noqa: ANN401
    """Bring tensors to where a network is, floats in its numbers."""
    return {
        name: tensor.to(model.device, model.dtype) if tensor.is_floating_point() else tensor.to(model.device)
        for name, tensor in tensors.items()
    }


def numbers(tensor: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Get a tensor as numbers; where a network computed none, as half floats overflow, that is an error."""
    found: NDArray[np.float64] = tensor.double().cpu().numpy()
    if not np.isfinite(found).all():
        raise ValueError("the network computed what is no number (nan); write dtype=float32")
    return found


class Pairs:
    """A network that reads a picture and a text together, with what makes its inputs of views and texts."""

    def __init__(self, model: Any, tokens: Tokens, look: Callable[[Sequence[View]], Tensors]) -> None:  # noqa: ANN401
        self.model = model
        self.tokens = tokens
        self._look = look

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Compute without gradients, and with the same random numbers each time: ViLT shuffles patches."""
        import torch

        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            yield

    def encode(self, views: Sequence[View], texts: Sequence[str]) -> Tensors:
        """Make the inputs, where the network is, of pictures and one text each."""
        if len(views) != len(texts):
            raise ValueError(f"{len(views)} pictures and {len(texts)} texts: each text goes with its picture")
        return place(self.model, self._look(views) | self.tokens.encode(texts))


def open_pairs(folder: Path, architecture: str, placement: Placement, regions: Path | None) -> Pairs:
    """Open a network that reads both at once; who opens it again while it is in use gets the same."""
    key = (folder.resolve(), architecture, placement, regions)
    found = _OPENED.get(key)
    if found is None:
        found = _OPENED[key] = _open(folder, architecture, placement, regions)
    return found


# Matching and filling by one network should not hold its weights twice.
_OPENED: WeakValueDictionary[tuple[Path, str, Placement, Path | None], Pairs] = WeakValueDictionary()


def refuse_regions(folder: Path, architecture: str, regions: Path | None) -> None:
    """Refuse region features where the network looks at pixels."""
    if regions is not None:
        raise BadValueError(f"regions={regions}: {folder.name} ({architecture}) looks at pixels; leave regions out")


def _open(folder: Path, architecture: str, placement: Placement, regions: Path | None) -> Pairs:
    import transformers

    is_lxmert = architecture.startswith("Lxmert")
    opened = None
    if not is_lxmert:
        refuse_regions(folder, architecture, regions)
    elif regions is None:
        raise BadValueError(f"{folder.name} ({architecture}) sees regions, not pixels; write regions=FILE.npz")
    else:
        opened = Regions.open(regions)
    model = weights.load_model(getattr(transformers, architecture), folder, placement, str(folder))
    config = model.config
    if architecture.startswith("Vilt"):
        # All patches are looked at: above a limit the network would sample them.
        config.max_image_length = -1
    text_config = getattr(config, "qformer_config", None) or config.get_text_config()
    tokens = Tokens.load(folder, text_config.max_position_embeddings)
    if opened:
        return Pairs(model, tokens, _look_at_regions(opened, config))
    show = load_images(folder)
    return Pairs(model, tokens, lambda views: show([view.pixels() for view in views]))


def _look_at_regions(regions: Regions, config: Any) -> Callable[[Sequence[View]], Tensors]:  # noqa: ANN401
    import torch

    def look(names: Sequence[str]) -> Tensors:
        features, boxes, mask = regions.of(names)
        if features.shape[2] != config.visual_feat_dim:
            raise BadFileError(
                f"{regions.path.name} has regions of {features.shape[2]} numbers; "
                f"this network takes {config.visual_feat_dim}"
            )
        found = {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": mask}
        return {name: torch.from_numpy(array) for name, array in found.items()}

    look([min(regions.names)])  # a file for another network is refused before anything is made
    return lambda views: look([view.name for view in views])


def with_cut(scores: Mapping[str, float], tokens_cut: int) -> dict[str, float]:
    """Say among the scores how many tokens of the text were not read, if any."""
    return dict(scores) | ({"tokens_cut": float(tokens_cut)} if tokens_cut else {})
