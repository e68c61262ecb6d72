"""How well a text fits a picture, by whichever network: similarity, a head trained to tell matching pairs, or a yes."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from subitize.errors import UnusableModelError
from subitize.networks.pairs import Pairs, Tensors, View, numbers, open_pairs, refuse_regions, with_cut
from subitize.networks.similarity import DUAL_ENCODERS, Similarity
from subitize.networks.weights import Placement


def open_matcher(folder: Path, architecture: str, placement: Placement, regions: Path | None) -> "Matcher | Similarity":
    """Open the network of an architecture in MATCHERS; LXMERT also needs a file of region features (regions.py)."""
    if architecture in DUAL_ENCODERS:
        refuse_regions(folder, architecture, regions)
        return Similarity(folder, placement)
    if architecture not in _HEADS:
        raise UnusableModelError(
            f"{folder} ({architecture}) cannot say how well a text fits a picture; known: {', '.join(sorted(MATCHERS))}"
        )
    return Matcher(open_pairs(folder, architecture, placement, regions), _HEADS[architecture])


class Matcher:
    """A network with a head for image-text matching: "match" is the probability of a match, the sigmoid of "logit"."""

    def __init__(self, pairs: Pairs, head: "_Head") -> None:
        self._pairs = pairs
        self.network = pairs.model
        self._head = head

    def match(self, views: Sequence[View], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture."""
        if not texts:
            return []
        with self._pairs.at_work():
            found = self._head(self._pairs.model, self._pairs.encode(views, texts))
        columns = {name: numbers(column) for name, column in found.items()}
        columns = {"match": 1 / (1 + np.exp(-columns["logit"]))} | columns
        return [
            with_cut({name: float(column[row]) for name, column in columns.items()}, cut)
            for row, cut in enumerate(self._pairs.tokens.count_cut(texts))
        ]


_Head = Callable[[Any, Tensors], dict[str, Any]]


def _match_by_blip(model: Any, inputs: Tensors) -> dict[str, Any]:  # noqa: ANN401
    found = model(**inputs)
    # For the similarity the text is read without the picture; the picture need not be looked at again.
    read = model.text_encoder(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
    picture = model.vision_proj(found.last_hidden_state[:, 0])
    text = model.text_proj(read.last_hidden_state[:, 0])
    return {"logit": _odds(found.itm_score), "similarity": _cosine(picture, text)}


def _match_by_blip_2(model: Any, inputs: Tensors) -> dict[str, Any]:  # noqa: ANN401
    import torch

    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    queries = model.query_tokens.expand(len(ids), -1, -1)
    if model.config.image_token_index is None:
        told = {"input_ids": ids, "attention_mask": mask}
    else:
        # Newer folders expect one placeholder per query in front of the text, which is dropped again.
        front = torch.full(queries.shape[:2], model.config.image_token_index, dtype=ids.dtype, device=ids.device)
        told = {
            "input_ids": torch.cat([front, ids], dim=1),
            "attention_mask": torch.cat([torch.ones_like(front), mask], dim=1),
        }
    found = model(pixel_values=inputs["pixel_values"], use_image_text_matching_head=True, **told)
    looked = model.qformer(
        query_embeds=queries, encoder_hidden_states=found.vision_model_output.last_hidden_state
    ).last_hidden_state
    read = model.qformer(
        query_embeds=model.embeddings(input_ids=ids), query_length=0, attention_mask=mask
    ).last_hidden_state
    numeric = model.vision_projection.weight.dtype
    pictures = model.vision_projection(looked.to(numeric))
    texts = model.text_projection(read[:, 0].to(numeric))
    return {"logit": _odds(found.logits_per_image), "similarity": _cosine(pictures, texts[:, None]).max(dim=1).values}


def _odds(logits: Any) -> Any:  # noqa: ANN401
    """Take the logit of a match over no match: its sigmoid is the softmax's second probability."""
    return logits.double()[:, 1] - logits.double()[:, 0]


def _cosine(pictures: Any, texts: Any) -> Any:  # noqa: ANN401
    import torch

    return torch.nn.functional.cosine_similarity(pictures.double(), texts.double(), dim=-1)


_HEADS: Mapping[str, _Head] = {
    "Blip2ForImageTextRetrieval": _match_by_blip_2,
    "BlipForImageTextRetrieval": _match_by_blip,
    "LxmertForPreTraining": lambda model, inputs: {"logit": _odds(model(**inputs).cross_relationship_score)},
    "ViltForImageAndTextRetrieval": lambda model, inputs: {"logit": model(**inputs).logits[:, 0]},
}
MATCHERS: frozenset[str] = DUAL_ENCODERS | _HEADS.keys()


WORDING = 'Does this figure show "{text}"? Please answer yes or no.'


def ask(text: str) -> str:
    """Ask whether a picture shows what a text says: the chance of a yes is VQAScore (Lin et al. 2024).

    It is that of the whole answer: where the first token alone is read, "Yes" and "Yesterday" may count the same. The
    authors' code for CLIP-FlanT5 takes the geometric mean over the answer's tokens; here it is their product, which is
    a probability.
    """
    return WORDING.replace("{text}", text)
