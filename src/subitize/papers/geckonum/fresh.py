"""Fresh prompts of GeckoNum's design: other nouns, pairs and colours, which no model can have met."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from subitize.papers.geckonum.prompts import COLOURS, Prompt, number_prompts
from subitize.papers.geckonum.sentences import make_sentences
from subitize.papers.geckonum.vocabulary import OFFICIAL, Cut, Held, Split, Vocabulary, with_frequency

T = TypeVar("T")

# Of the groups of the release, with what wordfreq calls frequent there (see nouns.py); * is rare.
_ANIMALS = (
    "horse, bird, rabbit, sheep, cow, pig, chicken, mouse, duck, bear, lion, tiger, monkey, snake, butterfly, wolf,"
    "*otter, *hedgehog, *lemur, *alpaca, *puffin, *meerkat, *platypus, *ostrich, *walrus, *toucan, *gecko, *wombat,"
    "*ladybug, *armadillo, *starfish, *badger, *sloth"
)
_FOOD = (
    "sandwich, cake, potato, banana, candy, tomato, onion, sausage, pie, lemon, fig,"
    "*carrot, *watermelon, *dumpling, *pretzel, *cupcake, *kiwi, *radish, *macaron, *bagel, *croissant, *artichoke,"
    "*eggplant, *muffin, *waffle, *pear, *taco"
)
_NATURE = (
    "star, stone, seed, nut, rose, mountain, shell, cloud, rock, branch,"
    "*grape, *feather, *acorn, *cactus, *pinecone, *walnut, *tulip, *daffodil, *seashell, *almond, *sunflower, *pebble,"
    "*fern, *orchid, *dandelion, *hazelnut, *cashew, *thistle"
)
_OBJECTS = (
    "chair, cup, plate, car, ball, plane, bell, fork, candle, clock, lamp, shoe, hat, key, knife, phone, box,"
    "*vase, *stapler, *thimble, *whisk, *teapot, *ladle, *trombone, *accordion, *harmonica, *snorkel, *spatula,"
    "*wheelbarrow, *doorknob, *padlock"
)
_HELD = (
    Held("cup", "on", "table"), Held("candle", "on", "table"), Held("spoon", "on", "plate"),
    Held("mushroom", "on", "pizza"), Held("egg", "in", "nest"), Held("coin", "in", "jar"), Held("key", "on", "desk"),
    Held("apple", "in", "basket"), Held("cherry", "on", "cake"), Held("bird", "on", "roof"),
    Held("shoe", "on", "shelf"), Held("fish", "in", "aquarium"), Held("button", "on", "shirt"),
    Held("pencil", "in", "cup"), Held("leaf", "on", "branch"), Held("cookie", "on", "tray"),
)  # fmt: skip
_CUT = ("lemon", "watermelon", "sandwich", "tomato", "potato", "pear", "sausage", "pie", "cucumber", "muffin", "banana")
_INTO = (("thirds", "quarters", "5 pieces"), ("3 slices", "4 slices", "5 slices"), ("thirds", "quarters", "five parts"))
_BROKEN = ("spoon", "cup", "vase", "knife", "chair", "ruler", "candle", "bottle", "mug", "key", "cookie")
_SNAPPED, _SLICED = ("ruler", "candle", "stick", "feather"), ("carrot", "cucumber", "sausage", "loaf of bread")
_FREQUENT_OF_TEN = {_ANIMALS: 5, _FOOD: 6, _NATURE: 5, _OBJECTS: 5}


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
        cut=tuple(Cut(noun, noun, random.choice(_INTO)) for noun in _pick(_CUT, random, OFFICIAL.cut)),
        broken=_pick(_BROKEN, random, OFFICIAL.broken),
        split=(Split(random.choice(_SNAPPED), "broken"), Split(random.choice(_SLICED), "is cut")),
        halves=pairs,
        coloured_nouns=_pick(names, random, OFFICIAL.coloured_nouns),
        colours=tuple(colours[: len(OFFICIAL.colours)]),
        numbers=wishes.numbers,
    )


def _draw_nouns(random: Random) -> dict[str, bool]:
    """Ten nouns of each group, as many of them frequent as in the release."""
    drawn: dict[str, bool] = {}
    for group, frequent in _FREQUENT_OF_TEN.items():
        nouns = with_frequency(group)
        for is_frequent, number in ((True, frequent), (False, 10 - frequent)):
            own = [noun for noun in nouns if nouns[noun] is is_frequent]
            drawn |= dict.fromkeys(random.sample(own, number), is_frequent)
    return drawn


def _pick(
    bank: Mapping[T, object] | tuple[T, ...], random: Random, like: Mapping[str, bool] | tuple[object, ...]
) -> tuple[T, ...]:
    """As many of the bank as the release has of the like."""
    return tuple(random.sample(list(bank), len(like)))
