"""Pictures and texts in one space: CLIP, SigLIP and other networks with an encoder for each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnusableModelError
from subitize.networks import weights
from subitize.networks.pairs import Tokens, View, load_images, numbers, place, with_cut
from subitize.networks.weights import Placement

DUAL_ENCODERS = frozenset(
    {"AlignModel", "AltCLIPModel", "ChineseCLIPModel", "CLIPModel", "MetaClip2Model", "SiglipModel", "Siglip2Model"}
)

_TEXTS_AT_ONCE = 64
_TEXTS_KEPT = 4096

Vectors = NDArray[np.float64]


class Similarity:
    """How near a text is to a picture: the cosine of the angle between what two encoders make of them.

    A folder that holds no such network is refused. A text longer than the network reads (77 tokens for CLIP, 64 for
    SigLIP) is cut; `match` then says so by `tokens_cut`. Texts that come again are not encoded again; the latest 4096
    are kept.
    """

    def __init__(self, folder: Path, placement: Placement) -> None:
        weights.require("similarity", "torch", "transformers")
        import transformers

        self._kept: dict[str, Vectors] = {}
        architecture = find_dual_encoder(folder)
        self.network: Any = weights.load_model(getattr(transformers, architecture), folder, placement, str(folder))
        self._show = load_images(folder)
        self._tokens = Tokens.load(
            folder, _most_tokens(self.network.config), has_fixed_length=architecture in ("SiglipModel", "Siglip2Model")
        )

    def similarities(self, views: Sequence[View], texts: Sequence[str]) -> NDArray[np.float64]:
        """Compute the cosine between each picture and each text: pictures × texts, from -1 to 1."""
        if not views or not texts:
            return np.zeros((len(views), len(texts)))
        return self._encode_pictures(views) @ self._encode_texts(texts).T

    def match(self, views: Sequence[View], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture: the cosine ("match") and the network's own scaling of it ("logit").

        SigLIP, which was trained to tell pairs that belong together from others, also gives a "probability".
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

    def _encode_pictures(self, views: Sequence[View]) -> Vectors:
        """Encode pictures, of those that are the same (one with several texts) only the first."""
        import torch

        pictures = [view.pixels() for view in views]
        first: dict[tuple[tuple[int, ...], bytes], int] = {}
        places = [first.setdefault((picture.shape, picture.tobytes()), len(first)) for picture in pictures]
        different = [pictures[places.index(place)] for place in range(len(first))]
        with torch.inference_mode():
            found = self.network.get_image_features(**place(self.network, self._show(different)))
        return _unit(numbers(found.pooler_output))[places]

    def _encode_texts(self, texts: Sequence[str]) -> Vectors:
        # Those that come again are put behind the others: the first are the first to go.
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
            found = self.network.get_text_features(**place(self.network, self._tokens.encode(texts)))
        return _unit(numbers(found.pooler_output))


def find_dual_encoder(folder: Path) -> str:
    """Find which network with an encoder for pictures and one for texts a folder holds; refuse another."""
    named = weights.name_architecture(weights.read_config(folder), folder)
    if named not in DUAL_ENCODERS:
        raise UnusableModelError(
            f"{folder} is {named}, which has no similarity of pictures and texts; known: "
            f"{', '.join(sorted(DUAL_ENCODERS))}"
        )
    return named


def _most_tokens(config: Any) -> int:  # noqa: ANN401
    text = config.text_config
    # RoBERTa, in AltCLIP, counts positions from behind the number of its padding token.
    unused = text.pad_token_id + 1 if config.model_type == "altclip" else 0
    most: int = text.max_position_embeddings - unused
    return most


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
