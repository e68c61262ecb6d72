"""Networks that read a picture and a text together: image-text matching, gap filling, heads of ready answers.

A text's fit is a similarity, the output of a head trained on matching pairs, or the probability of a yes. Gaps are
filled by masked language modelling, and numerals are ranked. Heads choose among ready answers: ViLT looks at pixels,
LXMERT at region features (regions.py)."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError, UnusableModelError
from subitize.language.numbers import NUMERALS
from subitize.networks.encoders import (
    DUAL_ENCODERS,
    DualEncoder,
    JointNetwork,
    LazyImage,
    Tensors,
    numbers,
    open_joint,
    refuse_regions,
    with_cut,
)
from subitize.networks.generators import OTHERS
from subitize.networks.weights import Device, Untyped, quiet
from subitize.records import Said, Scalar, Token


def open_matcher(folder: Path, architecture: str, placement: Device, regions: Path | None) -> "Matcher | DualEncoder":
    """Open a network whose architecture is in MATCHERS; LXMERT also needs a file of region features (regions.py)."""
    if architecture in DUAL_ENCODERS:
        refuse_regions(folder, architecture, regions)
        return DualEncoder(folder, placement)
    if architecture not in _HEADS:
        raise UnusableModelError(
            f"{folder} ({architecture}) cannot say how well a text fits a picture; known: {', '.join(sorted(MATCHERS))}"
        )
    return Matcher(open_joint(folder, architecture, placement, regions), _HEADS[architecture])


class Matcher:
    """A network with a head for image-text matching: "match" is the probability of a match, the sigmoid of "logit"."""

    def __init__(self, joint: JointNetwork, head: "_Head") -> None:
        self._joint = joint
        self.network = joint.model
        self._head = head

    def match(self, views: Sequence[LazyImage], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture."""
        if not texts:
            return []
        with self._joint.at_work():
            found = self._head(self._joint.model, self._joint.encode(views, texts))
        columns = {name: numbers(column) for name, column in found.items()}
        columns = {"match": 1 / (1 + np.exp(-columns["logit"]))} | columns
        return [
            with_cut({name: float(column[row]) for name, column in columns.items()}, cut)
            for row, cut in enumerate(self._joint.tokens.count_cut(texts))
        ]


_Head = Callable[[Any, Tensors], dict[str, Any]]


def _match_by_blip(model: Untyped, inputs: Tensors) -> dict[str, Untyped]:
    found = model(**inputs)
    # For the similarity the text is read without the picture; the picture's encoding is reused.
    read = model.text_encoder(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
    picture = model.vision_proj(found.last_hidden_state[:, 0])
    text = model.text_proj(read.last_hidden_state[:, 0])
    return {"logit": _odds(found.itm_score), "similarity": _cosine(picture, text)}


def _match_by_blip_2(model: Untyped, inputs: Tensors) -> dict[str, Untyped]:
    import torch

    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    queries = model.query_tokens.expand(len(ids), -1, -1)
    if model.config.image_token_index is None:
        told = {"input_ids": ids, "attention_mask": mask}
    else:
        # Newer folders expect one placeholder per query in front of the text; the network drops them again.
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


def _odds(logits: Untyped) -> Untyped:
    """Return the logit of a match against no match: its sigmoid is the softmax's second probability."""
    return logits.double()[:, 1] - logits.double()[:, 0]


def _cosine(pictures: Untyped, texts: Untyped) -> Untyped:
    import torch

    return torch.nn.functional.cosine_similarity(pictures.double(), texts.double(), dim=-1)


_HEADS: Mapping[str, _Head] = {
    "Blip2ForImageTextRetrieval": _match_by_blip_2,
    "BlipForImageTextRetrieval": _match_by_blip,
    "LxmertForPreTraining": lambda model, inputs: {"logit": _odds(model(**inputs).cross_relationship_score)},
    "ViltForImageAndTextRetrieval": lambda model, inputs: {"logit": model(**inputs).logits[:, 0]},
}
MATCHERS: frozenset[str] = DUAL_ENCODERS | _HEADS.keys()


VQASCORE_PROMPT = 'Does this figure show "{text}"? Please answer yes or no.'


def ask(text: str) -> str:
    """Ask whether a picture shows what a text says: the probability of a yes is VQAScore (Lin et al. 2024).

    It is the probability of the whole answer: by the first token alone, "Yes" and "Yesterday" may count the same. The
    authors' code for CLIP-FlanT5 takes the geometric mean over the answer's tokens; here it is their product, which is
    a probability.
    """
    return VQASCORE_PROMPT.replace("{text}", text)


GAP = "[GAP]"

_OTHER_WORDS = 10

_LOGITS = {"LxmertForPreTraining": "prediction_logits", "ViltForMaskedLM": "logits"}
FILLERS: frozenset[str] = frozenset(_LOGITS)


def open_filler(folder: Path, architecture: str, placement: Device, regions: Path | None) -> "Filler":
    """Open a network whose architecture is in FILLERS; LXMERT also needs a file of region features (regions.py)."""
    if architecture not in FILLERS:
        raise UnusableModelError(
            f"{folder} ({architecture}) cannot fill a gap in a text; known: {', '.join(sorted(FILLERS))}"
        )
    return Filler(open_joint(folder, architecture, placement, regions), _LOGITS[architecture])


class Filler:
    """Fills a gap: gives the probabilities of all numerals of the vocabulary and of the ten likeliest other words.

    Probabilities are over the whole vocabulary, so that they add up to less than 1. Pieces of words, special tokens
    and punctuation are left out. A text longer than the network reads is refused.
    """

    def __init__(self, joint: JointNetwork, logits: str) -> None:
        self._joint = joint
        self.network = joint.model
        self._logits = logits
        self._tokenizer: Any = joint.tokens.tokenizer
        if self._tokenizer.mask_token is None:
            raise UnusableModelError("the tokenizer has no mask token, so that no gap can be filled; take another")

    def fill(self, views: Sequence[LazyImage], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Give the probabilities of words in the gap of each text."""
        if not texts:
            return []
        masked = [self._mask(text) for text in texts]
        with self._joint.at_work():
            inputs = self._joint.encode(views, masked)
            gaps = (inputs["input_ids"] == self._tokenizer.mask_token_id).int().argmax(dim=1)
            logits = self._joint.model(**inputs)[self._logits][range(len(texts)), gaps]
            shares = numbers(logits.double().softmax(dim=-1))
        return [self._words(row) for row in shares]

    def _mask(self, text: str) -> str:
        """Put the tokenizer's mask in the gap; refuse a text without just one gap, or too long to read."""
        count, mask = text.count(GAP), self._tokenizer.mask_token
        if count != 1:
            raise ValueError(f"the text has {count or 'no'} {GAP}: {text[:80]!r}; write one, where a word is missing")
        if mask in text:
            raise ValueError(f"{text[:80]!r} has a {mask} besides its {GAP}; leave it out")
        masked = text.replace(GAP, mask)
        cut = self._joint.tokens.count_cut([masked])[0]
        if cut:
            most = self._joint.tokens.most
            raise ValueError(f"{text[:80]!r} has {most + cut} tokens; this network reads {most}: shorten the text")
        return masked

    def _words(self, shares: NDArray[np.float64]) -> dict[str, float]:
        numerals = {word: float(shares[id]) for word, id in self._numerals.items()}
        best = self._others[np.argsort(-shares[self._others], kind="stable")[:_OTHER_WORDS]]
        others = {str(self._tokenizer.convert_ids_to_tokens(int(id))): float(shares[id]) for id in best}
        return dict(sorted((numerals | others).items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def _numerals(self) -> dict[str, int]:
        vocabulary = self._vocabulary()
        return {word: vocabulary[word] for word in NUMERALS if word in vocabulary}

    @cached_property
    def _others(self) -> NDArray[np.int64]:
        others = {id for word, id in self._vocabulary().items() if word not in self._numerals and word.isalnum()}
        return np.array(sorted(others), np.int64)

    def _vocabulary(self) -> dict[str, int]:
        """List the tokens that the network has an output for, without special ones."""
        most = self._joint.model.config.vocab_size
        special = set(self._tokenizer.all_special_tokens)
        found = self._tokenizer.get_vocab().items()
        return {word: id for word, id in found if id < most and word not in special}


_SCORES = {"LxmertForQuestionAnswering": "question_answering_score", "ViltForQuestionAnswering": "logits"}
HEADS: frozenset[str] = frozenset(_SCORES)


class Head:
    """A network that chooses among ready answers, each with a probability of its own (they need not add up to 1)."""

    def __init__(self, joint: JointNetwork, scores: str, names: Mapping[int, str]) -> None:
        self._joint, self._scores, self._names = joint, scores, names
        self.network = joint.model

    def describe(self) -> dict[str, Scalar]:
        """Describe how questions are put: as they are."""
        return {}

    def answer(self, views: Sequence[LazyImage], questions: Sequence[str], seeds: Sequence[int], /) -> list[Said]:
        """Give the likeliest answer as a single token, and the next few as its alternatives."""
        return [self._read(logprobs) for logprobs in self._logprobs(views, questions)]

    def probability_of_yes(self, views: Sequence[LazyImage], questions: Sequence[str], /) -> list[float]:
        """Give the probability of the answer yes."""
        yes = next(number for number, name in self._names.items() if name.lower() == "yes")
        return [math.exp(logprobs[yes]) for logprobs in self._logprobs(views, questions)]

    def _logprobs(self, views: Sequence[LazyImage], questions: Sequence[str]) -> list[list[float]]:
        import torch

        for question, cut in zip(questions, self._joint.tokens.count_cut(questions), strict=True):
            if cut:
                raise BadValueError(
                    f"the question {question[:40]!r} is {cut} tokens longer than the {self._joint.tokens.most} that "
                    "this network reads; shorten it"
                )
        with self._joint.at_work(), quiet():
            scores = self._joint.model(**self._joint.encode(views, questions))[self._scores]
            # Both networks were trained on each answer by itself: several may be right.
            found: list[list[float]] = numbers(torch.nn.functional.logsigmoid(scores.double())).tolist()
        return found

    def _read(self, logprobs: Sequence[float]) -> Said:
        best, *others = sorted(self._names, key=lambda number: -logprobs[number])[: OTHERS + 1]
        alternatives = {self._names[number]: logprobs[number] for number in others}
        return Said(self._names[best], (Token(self._names[best], logprobs[best], alternatives),))


def open_head(folder: Path, architecture: str, placement: Device, regions: Path | None) -> Head:
    """Load a network with an answer head; LXMERT also needs a file of region features (regions.py)."""
    joint = open_joint(folder, architecture, placement, regions)
    return Head(joint, _SCORES[architecture], _read_names(folder, joint.model.config))


def can_say_yes(config: Mapping[str, Any]) -> bool:
    """Return whether yes is among a network's answers, by its config."""
    names = config.get("id2label")
    return isinstance(names, dict) and any(str(name).lower() == "yes" for name in names.values())


def _read_names(folder: Path, config: Untyped) -> dict[int, str]:
    names = {int(number): str(name) for number, name in config.id2label.items()}
    expected = getattr(config, "num_qa_labels", len(names))
    is_complete = sorted(names) == list(range(expected))
    if not is_complete or all(re.fullmatch(r"LABEL_\d+", name) for name in names.values()):
        raise UnusableModelError(
            f"the config.json of {folder} does not name its {expected} answers; add them as id2label, in the order it "
            'was trained with: {"0": "net", "1": "pitcher", …}'
        )
    return names
