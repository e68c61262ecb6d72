"""Which word fills the gap in a text about a picture: masked language modelling, with an eye to numerals."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnusableModelError
from subitize.language.numbers import NUMERALS
from subitize.networks.pairs import Pairs, View, numbers, open_pairs
from subitize.networks.weights import Placement

GAP = "[GAP]"

_OTHER_WORDS = 10

_LOGITS = {"LxmertForPreTraining": "prediction_logits", "ViltForMaskedLM": "logits"}
FILLERS: frozenset[str] = frozenset(_LOGITS)


def open_filler(folder: Path, architecture: str, placement: Placement, regions: Path | None) -> "Filler":
    """Open the network of an architecture in FILLERS; LXMERT also needs a file of region features (regions.py)."""
    if architecture not in FILLERS:
        raise UnusableModelError(
            f"{folder} ({architecture}) cannot fill a gap in a text; known: {', '.join(sorted(FILLERS))}"
        )
    return Filler(open_pairs(folder, architecture, placement, regions), _LOGITS[architecture])


class Filler:
    """Gives every numeral of the vocabulary and the ten most probable other words, each with its probability.

    Probabilities are shares of the whole vocabulary, so that they add up to less than 1. Pieces of words, special
    tokens and punctuation are left out. A text that is longer than the network reads is an error.
    """

    def __init__(self, pairs: Pairs, logits: str) -> None:
        self._pairs = pairs
        self.network = pairs.model
        self._logits = logits
        self._tokenizer: Any = pairs.tokens.tokenizer
        if self._tokenizer.mask_token is None:
            raise UnusableModelError("the tokenizer has no mask token, so that no gap can be filled; take another")

    def fill(self, views: Sequence[View], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Give the probability of words in the gap of each text."""
        if not texts:
            return []
        masked = [self._mask(text) for text in texts]
        with self._pairs.at_work():
            inputs = self._pairs.encode(views, masked)
            gaps = (inputs["input_ids"] == self._tokenizer.mask_token_id).int().argmax(dim=1)
            logits = self._pairs.model(**inputs)[self._logits][range(len(texts)), gaps]
            shares = numbers(logits.double().softmax(dim=-1))
        return [self._words(row) for row in shares]

    def _mask(self, text: str) -> str:
        """Put the tokenizer's mask in the gap; refuse what cannot be filled, or not read whole."""
        count, mask = text.count(GAP), self._tokenizer.mask_token
        if count != 1:
            raise ValueError(f"the text has {count or 'no'} {GAP}: {text[:80]!r}; write one, where a word is missing")
        if mask in text:
            raise ValueError(f"{text[:80]!r} has a {mask} besides its {GAP}; leave it out")
        masked = text.replace(GAP, mask)
        cut = self._pairs.tokens.count_cut([masked])[0]
        if cut:
            most = self._pairs.tokens.most
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
        """List the tokens that the network has a number for; a piece of a word ("##s") is no word."""
        most = self._pairs.model.config.vocab_size
        special = set(self._tokenizer.all_special_tokens)
        found = self._tokenizer.get_vocab().items()
        return {word: id for word, id in found if id < most and word not in special}
