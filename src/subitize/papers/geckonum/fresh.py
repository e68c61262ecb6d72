"""Fresh prompts of GeckoNum's design: other nouns, pairs and colours, which no model can have met."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from subitize.papers.geckonum.prompts import COLOURS, Prompt, number_prompts
from subitize.papers.geckonum.sentences import make_sentences
from subitize.papers.geckonum.vocabulary import OFFICIAL, WORDS, Cut, Held, Split, Vocabulary, with_frequency

T = TypeVar("T")

_BANK = WORDS["fresh"]
_HELD = tuple(Held(*one) for one in _BANK["held"])
_FREQUENT_OF_TEN = {"animals": 5, "food": 6, "nature": 5, "objects": 5}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What fresh prompts are to be about: own nouns with their frequency, or ours; colours; numbers."""

    nouns: Mapping[str, bool] | None = None
    colours: tuple[str, ...] = COLOURS
    numbers: tuple[int, ...] = OFFICIAL.numbers


def fresh_prompts(seed: int, wishes: Wishes | None = None) -> tuple[Prompt, ...]:
    """Draw as many prompts of each type as the release has, none of them one of its own, as far as wishes allow."""
    random = Random(f"geckonum fresh {seed}")
    return number_prompts(make_sentences(_draw(wishes or Wishes(), random), random), f"fresh{seed}")


def _draw(wishes: Wishes, random: Random) -> Vocabulary:
    given = wishes.nouns
    nouns = (
        _draw_nouns(random) if given is None else {noun: given[noun] for noun in _pick(given, random, OFFICIAL.nouns)}
    )
    names = tuple(nouns)
    compared = random.sample(names, 2 * len(OFFICIAL.compared))
    colours = random.sample(wishes.colours, len(wishes.colours))
    halves = [*random.sample(wishes.colours, min(4, len(wishes.colours)))]
    pairs = tuple(zip(halves[::2], halves[1::2], strict=False))
    return Vocabulary(
        nouns=nouns,
        sentence_nouns=_pick(names, random, OFFICIAL.sentence_nouns),
        compared=tuple(zip(compared[::2], compared[1::2], strict=True)),
        held=_pick(_HELD, random, OFFICIAL.held),
        cut=tuple(
            Cut(noun, noun, tuple(random.choice(_BANK["into"]))) for noun in _pick(_BANK["cut"], random, OFFICIAL.cut)
        ),
        broken=_pick(_BANK["broken"], random, OFFICIAL.broken),
        split=(Split(random.choice(_BANK["snapped"]), "broken"), Split(random.choice(_BANK["sliced"]), "is cut")),
        halves=pairs,
        coloured_nouns=_pick(names, random, OFFICIAL.coloured_nouns),
        colours=tuple(colours[: len(OFFICIAL.colours)]),
        numbers=wishes.numbers,
    )


def _draw_nouns(random: Random) -> dict[str, bool]:
    """Ten nouns of each group, as many of them frequent as in the release."""
    drawn: dict[str, bool] = {}
    for group, frequent in _FREQUENT_OF_TEN.items():
        nouns = with_frequency(_BANK[group])
        for is_frequent, number in ((True, frequent), (False, 10 - frequent)):
            own = [noun for noun in nouns if nouns[noun] is is_frequent]
            drawn |= dict.fromkeys(random.sample(own, number), is_frequent)
    return drawn


def _pick(
    bank: Mapping[T, object] | Sequence[T], random: Random, like: Mapping[str, bool] | tuple[object, ...]
) -> tuple[T, ...]:
    """As many of the bank as the release has of the like."""
    return tuple(random.sample(list(bank), len(like)))
