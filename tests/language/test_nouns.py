"""Plurals, singulars and articles."""

import re

import pytest

from subitize.language.nouns import article, plural, singular
from tests.cases import Case

# GeckoNum's 40 nouns and the things of its other prompts: noun + s, but for fish, flies, leaves, loaves.
GECKONUM_NOUNS = re.split(
    ",",
    "dog,cat,ant,axolotl,seahorse,kangaroo,koala,manatee,apple,egg,burger,cookie,pizza,lychee,parsnip,samosa,chocolate,"
    "cinnamon stick,tree,flower,coconut,olive,mushroom,durian,bonsai,pistachio,okra,table,book,bottle,spoon,pencil,"
    "crib,paperclip,flute,trowel,corkscrew,fork,plate,banana,cake,candle,page,seed,vase,watermelon,black apple",
)
PLURALS = {
    **{noun: noun + "s" for noun in GECKONUM_NOUNS},
    "fish": "fish", "fly": "flies", "leaf": "leaves", "loaf of bread": "loaves of bread", "shelf": "shelves",
    "grain of rice": "grains of rice", "red fish": "red fish", "goldfish": "goldfish", "bookshelf": "bookshelves",
    "person": "people", "salesperson": "salespeople", "child": "children", "man": "men", "woman": "women",
    "snowman": "snowmen", "human": "humans", "mouse": "mice", "tooth": "teeth", "foot": "feet", "goose": "geese",
    "mongoose": "mongooses", "sheep": "sheep", "deer": "deer", "moose": "moose", "ox": "oxen", "die": "dice",
    "wolf": "wolves", "knife": "knives", "life": "lives", "scarf": "scarves", "roof": "roofs", "giraffe": "giraffes",
    "chef": "chefs", "cliff": "cliffs", "glove": "gloves", "wave": "waves", "potato": "potatoes", "tomato": "tomatoes",
    "hero": "heroes", "mango": "mangoes", "piano": "pianos", "photo": "photos", "zoo": "zoos", "flamingo": "flamingos",
    "bus": "buses", "box": "boxes", "fox": "foxes", "dish": "dishes", "church": "churches", "glass": "glasses",
    "quiz": "quizzes", "octopus": "octopuses", "cactus": "cacti", "walrus": "walruses", "lens": "lenses",
    "stomach": "stomachs", "boy": "boys", "key": "keys", "cherry": "cherries", "butterfly": "butterflies",
    "pie": "pies", "slice": "slices", "menu": "menus",
    "tie": "ties", "movie": "movies", "zombie": "zombies", "shoe": "shoes", "toe": "toes", "horse": "horses",
    "rose": "roses", "house": "houses", "vase of flowers": "vases of flowers", "prize": "prizes", "axe": "axes",
    "headache": "headaches", "taxi": "taxis", "kiwi": "kiwis", "iris": "irises", "oasis": "oases", "bee": "bees",
    "mother-in-law": "mothers-in-law", "passer-by": "passers-by", "man of war": "men of war", "dot": "dots",
    "filled dot": "filled dots", "bell": "bells", "candy": "candies", "plane": "planes", "star": "stars",
    "cup of coffee": "cups of coffee", "man with a hat": "men with a hat", "gas": "gases", "series": "series",
    "jellyfish": "jellyfish", "grandchild": "grandchildren", "soliloquy": "soliloquies", "Fly": "Flies", "DOG": "DOGS",
    "iPad": "iPads",
    "police": "police", "news": "news", "ramen": "ramen", "tennis": "tennis", "chalice": "chalices",
    "splice": "splices", "accomplice": "accomplices", "blouse": "blouses", "louse": "lice", "dormouse": "dormice",
    "specimen": "specimens",
    "superhero": "superheroes", "cause": "causes", "clause": "clauses", "pause": "pauses", "freebie": "freebies",
    "trellis": "trellises",
}  # fmt: skip


def test_a_noun_has_its_plural_and_comes_back(case: Case) -> None:
    for one, many in PLURALS.items():
        with case(one):
            assert plural(one) == many
            assert singular(many) == one
            assert singular(one) == one


@pytest.mark.parametrize(
    ("many", "one"),
    [("persons", "person"), ("mangos", "mango"), ("fishes", "fish"), ("cactuses", "cactus"), ("TVs", "TV"), ("", "")],
)
def test_a_second_plural_is_understood(many: str, one: str) -> None:
    assert singular(many) == one


AN = (
    "apple", "egg", "hour", "honest man", "heirloom", "X-ray", "MRI", "SUV", "umbrella", "uninteresting image",
    "8-ball",
    "11th apple", "18-year-old", "orange", "owl", "undershirt", "Apple", "F", "unidentified object", "ant", "urn",
    "only one",
    "onion", "usher", "hourglass", "unimportant thing", "ugly duck", "axolotl", "utterance", "80 %",
)  # fmt: skip
A = (
    "dog", "unicorn", "one-way street", "UFO", "university", "European", "ewe", "user", "used car", "house", "TV",
    "ukulele",
    "utensil", "hat", "1 dog", "one-eyed cat", "uniform", "union", "U-turn", "NASA rocket", "hero", "year", "once-over",
    "urinal", "unit", "110-page book", "yellow apple", "ouija board", "usual one", "Unicorn", "",
)  # fmt: skip


def test_the_article_follows_the_sound(case: Case) -> None:
    for expected, nouns in (("an", AN), ("a", A)):
        for noun in nouns:
            with case(noun):
                assert article(noun) == expected
