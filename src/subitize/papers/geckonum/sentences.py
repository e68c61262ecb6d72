"""Writes the prompts of GeckoNum's twelve types from a vocabulary (vocabulary.toml).

Prompts come as text and entities, in the release's order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from subitize.io.files import read_own_toml
from subitize.language.nouns import article, plural
from subitize.language.numbers import count_noun
from subitize.language.scene import HoldingWord


@dataclass(frozen=True, slots=True)
class Held:
    """Things and the place that holds them: flowers in a vase."""

    thing: str
    word: HoldingWord
    place: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A thing that is cut, the word for another one of it, and the pieces."""

    noun: str
    another: str
    into: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A thing in two pieces of unequal size, and the wording for that: "broken", "is cut"."""

    noun: str
    how: Literal["broken", "is cut"]


@dataclass(frozen=True, slots=True)
class GeckonumVocabulary:
    """The nouns (each frequent or rare), pairs, colours and numbers of a set of prompts."""

    nouns: Mapping[str, bool]
    sentence_nouns: tuple[str, ...]
    compared: tuple[tuple[str, str], ...]
    held: tuple[Held, ...]
    cut: tuple[Cut, ...]
    broken: tuple[str, ...]
    split: tuple[Split, ...]
    halves: tuple[tuple[str, str], ...]
    coloured_nouns: tuple[str, ...]
    colours: tuple[str, ...]
    numbers: tuple[int, ...] = tuple(range(1, 11))

    @property
    def small_numbers(self) -> tuple[int, ...]:
        """The lower half of the numbers, which are also written in words and combined in one prompt."""
        return self.numbers[: -(-len(self.numbers) // 2)]

    @property
    def smallest_numbers(self) -> tuple[int, ...]:
        """The lowest two fifths of the numbers, which are combined with colours."""
        return self.numbers[: max(1, 2 * len(self.numbers) // 5)]


def with_frequency(nouns: str) -> dict[str, bool]:
    """Read comma-separated nouns, each with whether it is frequent; a star marks rare ones."""
    return {noun.strip().lstrip("*"): not noun.strip().startswith("*") for noun in nouns.split(",")}


WORDS: Mapping[str, Any] = read_own_toml(__file__, "vocabulary.toml")


def _read_official(words: Mapping[str, Any]) -> GeckonumVocabulary:
    lists = ("sentence_nouns", "broken", "coloured_nouns", "colours")
    return GeckonumVocabulary(
        with_frequency(words["nouns"]),
        compared=tuple((one, other) for one, other in words["compared"]),
        held=tuple(Held(*one) for one in words["held"]),
        cut=tuple(Cut(noun, another, tuple(into)) for noun, another, into in words["cut"]),
        split=tuple(Split(*one) for one in words["split"]),
        halves=tuple((one, other) for one, other in words["halves"]),
        **{name: tuple(words[name]) for name in lists},
    )


OFFICIAL = _read_official(WORDS["official"])

ZIPF: Mapping[str, float] = dict(zip(OFFICIAL.nouns, map(float, WORDS["official"]["zipf"].split()), strict=True))
"""Zipf frequencies of the official nouns; of two words the first. Frequent ones are above 3.78."""

SAMPLES = 100
"""The number of prompts of each sampled type."""

_GROUP = 10  # the release orders nouns in groups of ten
_MOST_DRAWS = 20_000  # a small vocabulary may not yield enough different prompts
_QUANTIFIERS = {"few": "only a few", "many": "many", "no": "no"}
_COMPARISONS = {"fewer": "fewer {} than {}", "as many": "as many {} as {}", "more": "more {} than {}"}
_SENTENCES = ("An image showing {}.", "There {verb} {}.", "There {verb} {} in this image.", "A picture of {}.")
_PLACES = ("above", "below", "to the left of", "to the right of")
_PORTIONS = {"half": "5", "quarter": "25"}
# The release names entities by the plural without its last letter, which mangles this one.
_RELEASED_NAMES = {"grain of rice": "grains of ric"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A prompt without its number in the set; `entities` is spelled as in the release."""

    text: str
    entities: str
    type: str
    has_numeral: bool = False
    is_frequent: bool | None = None


def make_sentences(words: GeckonumVocabulary, random: Random | None) -> Iterator[Sentence]:
    """Make all prompts; those of sampled types are drawn at random, or left out without `random`."""
    yield from _simple(words)
    yield from _sample(random, lambda random: _added(words, random, 2))
    yield from _sample(random, lambda random: _added(words, random, 3))
    for one, other in words.compared:
        yield from _compared(one, other)
    for held in words.held:
        yield from _held(held)
    for noun in words.sentence_nouns:
        yield from _in_sentences(noun, words.small_numbers)
    for cut in words.cut:
        yield from _cut(cut)
    for noun in words.broken:
        yield from _broken(noun)
    for split in words.split:
        yield from _split(split, words)
    yield from _coloured(words)
    yield from _sample(random, lambda random: _added_in_colours(words, random))
    yield from _sample(random, lambda random: _placed(words, random))


def _simple(words: GeckonumVocabulary) -> Iterator[Sentence]:
    nouns = list(words.nouns)
    for start in range(0, len(nouns), _GROUP):
        for number in words.numbers:
            for in_digits in (True, False) if number in words.small_numbers else (True,):
                for noun in nouns[start : start + _GROUP]:
                    text = _sentence(str(_Counted(number, noun, in_digits)))
                    is_frequent = words.nouns[noun]
                    yield Sentence(text, f"{noun}:{number}", "numeric_simple", not in_digits, is_frequent)


def _sample(random: Random | None, draw: Callable[[Random], Sentence]) -> Iterator[Sentence]:
    """Draw sentences that all differ; fewer if the vocabulary runs out."""
    if random is None:
        return
    drawn: set[str] = set()
    for _ in range(_MOST_DRAWS):
        sentence = draw(random)
        if sentence.text not in drawn:
            drawn.add(sentence.text)
            yield sentence
        if len(drawn) == SAMPLES:
            return


def _added(words: GeckonumVocabulary, random: Random, terms: int) -> Sentence:
    counts = _draw_counts(random.sample(list(words.nouns), terms), random, words.small_numbers)
    return _with_counts(_add(counts), counts, f"{terms}-additive", ", " if terms > 2 else ",")


def _add(counts: "Sequence[_Counted]") -> str:
    *first, last = counts
    return _sentence(f"{', '.join(str(one) for one in first)} and {last}")


@dataclass(frozen=True, slots=True)
class _Counted:
    """A number of things, written in digits or in words."""

    number: int
    thing: str
    in_digits: bool

    def __str__(self) -> str:
        return count_noun(self.number, self.thing, "digits" if self.in_digits else "words")


def _draw_counts(things: list[str], random: Random, choices: Sequence[int]) -> list[_Counted]:
    return [_Counted(random.choice(choices), thing, random.random() < 0.5) for thing in things]


def _with_counts(text: str, counts: list[_Counted], type: str, joint: str = ",") -> Sentence:
    entities = joint.join(f"{one.thing}:{one.number}" for one in counts)
    return Sentence(text, entities, type, has_numeral=not all(one.in_digits for one in counts))


def _compared(one: str, other: str) -> Iterator[Sentence]:
    ones, others = plural(one), plural(other)
    for word, pattern in _COMPARISONS.items():
        text = f"An image with some {ones} and some {others}. There are {pattern.format(ones, others)}."
        yield Sentence(text, f"{one}:{word},{other}:X", "approx-2-entity")


def _held(held: Held) -> Iterator[Sentence]:
    name = _RELEASED_NAMES.get(held.thing, held.thing)
    for word, quantity in _QUANTIFIERS.items():
        text = f"An image of {_a(held.place)}. There are {quantity} {plural(held.thing)} {held.word} the {held.place}."
        yield Sentence(text, f"{name}:{word},{held.place}:1", "approx-1-entity")


def _in_sentences(noun: str, numbers: Sequence[int]) -> Iterator[Sentence]:
    for number in numbers:
        for pattern in _SENTENCES:
            text = pattern.format(count_noun(number, noun), verb=_verb(number))
            yield Sentence(text, f"{noun}:{number}", "numeric_sentence")


def _cut(cut: Cut) -> Iterator[Sentence]:
    for into in cut.into:
        yield Sentence(_sentence(f"{_a(cut.noun)} cut into {into}"), f"{cut.noun}:{into}", "fractional-simple")
    for portion, decimals in _PORTIONS.items():
        for number in (1, 2, 3):
            things = count_noun(number, cut.noun, "words")
            text = f"There {_verb(number)} {things} and {portion} of another {cut.another} on the table."
            yield Sentence(text, f"{cut.noun}:{number}.{decimals}", "fractional-simple", has_numeral=True)


def _broken(noun: str) -> Iterator[Sentence]:
    for number in range(1, 6):
        which = "it" if number == 1 else f"one {noun}"
        things = f"There {_verb(number)} {count_noun(number, noun)} on the table"
        yield Sentence(f"{things}, but {which} is broken into two pieces.", f"{noun}:{number}", "part-whole", True)


def _split(split: Split, words: GeckonumVocabulary) -> Iterator[Sentence]:
    text = f"{_a(split.noun)} {split.how} into two pieces. One piece is twice the size of the other."
    yield Sentence(_capital(text), f"{split.noun}:1/3+2/3", "fractional-complex", has_numeral=True)
    for one, other in words.halves:
        text = f"An image of {_a(split.noun)} where one half of it is {one} and the other half is {other}."
        yield Sentence(text, f"{split.noun}:1/2{one}+1/2{other}", "fractional-complex", has_numeral=True)


def _coloured(words: GeckonumVocabulary) -> Iterator[Sentence]:
    for colour in words.colours:
        for number in words.smallest_numbers:
            for in_digits in (True, False):
                for noun in words.coloured_nouns:
                    thing = f"{colour} {noun}"
                    text = _sentence(str(_Counted(number, thing, in_digits)))
                    yield Sentence(text, f"{thing}:{number}", "attribute-color", not in_digits)


def _added_in_colours(words: GeckonumVocabulary, random: Random) -> Sentence:
    things = [f"{colour} {noun}" for colour in words.colours for noun in words.coloured_nouns]
    counts = _draw_counts(random.sample(things, 2), random, words.smallest_numbers)
    return _with_counts(_add(counts), counts, "2-additive-color")


def _placed(words: GeckonumVocabulary, random: Random) -> Sentence:
    counts = _draw_counts(random.sample(list(words.nouns), 2), random, words.small_numbers)
    one, other = counts
    text = f"There {_verb(one.number)} {one} {random.choice(_PLACES)} {other}."
    return _with_counts(text, counts, "attribute-spatial")


def _a(noun: str) -> str:
    return f"{article(noun)} {noun}"


def _verb(number: int) -> str:
    return "is" if number == 1 else "are"


def _sentence(text: str) -> str:
    return f"{_capital(text)}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
