"""Numbers and what they count, in words whose kinds are given; and in captions, by spaCy."""

import csv
from pathlib import Path

import pytest

from subitize.corpus.numerosities import OPTIONAL, CaptionRule, Kind, find_numbers, find_numerosities, needed_places
from subitize.corpus.tagging import SpacyTagger
from subitize.errors import UnknownNameError
from tests.cases import Case

CAPTIONS = Path(__file__).with_name("captions.csv")
# What the paper's rule cannot know.
MISSES = {
    "names": {
        "Boeing 747 landing at sunset": 747,
        "iPhone 6 case in blue": 6,
        "Windows 10 wallpaper": 10,
        "route 66 sign in the desert": 66,
        "size 10 shoes on a shelf": 10,
        "psalm 23 wall art": 23,
        "World War 2 tank in a museum": 2,
        "formula 1 car on the grid": 1,
        "channel 4 news studio": 4,
        "area 51 warning sign": 51,
    },
    "measures that it does not leave out": {
        "90 degrees fahrenheit": 90,
        "only $5 today": 5,
        "50 percent off on all shoes": 50,
        "100 dollars on a table": 100,
        "180 degrees view of the bay": 180,
        "a 2019 calendar on a wall": 2019,
    },
    "two adjectives": {"three large white boats in a harbor": 0, "two big brown bears in a river": 0},
    "participles": {"two smiling women": 0, "three parked cars on a street": 0, "two running horses": 0},
    "nouns of titles": {"12 Stainless Steel Spoons": 0, "Set Of 4 Dining Chairs": 0, "8 Colorful Markers": 0},
    "idioms": {"2 in 1 laptop with stylus": 1, "2 x 4 lumber in a stack": 4, "3 out of 5 stars": 5},
}
NUMBERS = {
    "two dogs": [2],
    "twenty - five dogs": [25],
    "two hundred cars": [200],
    "one hundred and five chairs": [105],
    "three dozen roses": [36],
    "a dozen eggs": [12],
    "half a dozen eggs": [6],
    "a hundred people": [100],
    "1,000 people": [1000],
    "1.5 million people": [1_500_000],
    "3 bananas and 2 apples": [3, 2],
    "one two three": [1, 2, 3],
    "2.5 cups": [],
    "0 people": [],
    "a few hundred people": [],
    "several dozen sheep": [],
    "5 - 6 kids": [5],
    "3d 24/7 4x4 1st 12:30 ½ ３": [],
    "1234567890123456 things": [],
}
KINDS = {"N": Kind.NUMBER, "A": Kind.ADJECTIVE, "O": Kind.NOUN, "P": Kind.PROPER_NOUN, "V": Kind.PARTICIPLE}


def count(text: str, rule: CaptionRule) -> list[tuple[int, str]]:
    """Find numerosities in words that have their kinds behind a slash."""
    pairs = [word.rpartition("/") for word in text.split()]
    words = [word or kind for word, _, kind in pairs]
    kinds = [KINDS.get(kind, Kind.OTHER) if word else Kind.OTHER for word, _, kind in pairs]
    numbers = find_numbers(words)
    # Nothing but the needed places is looked at.
    needed = {place: kinds[place] for place in needed_places(numbers, words, rule)}
    assert list(find_numerosities(words, numbers, needed, rule)) == list(find_numerosities(words, numbers, kinds, rule))
    return [(one.number, one.noun) for one in find_numerosities(words, numbers, needed, rule)]


def test_numbers_are_composed_of_words(case: Case) -> None:
    for text, expected in NUMBERS.items():
        with case(text):
            assert [number.value for number in find_numbers(text.split())] == expected


PLAIN = {
    "two/N dogs/O": [(2, "dog")],
    "two/N red/A dogs/O": [(2, "dog")],
    "3/N bananas/O and 2/N apples/O": [(3, "banana"), (2, "apple")],
    "two/N big/A red/A dogs/O": [],
    "two/N parked/V cars/O": [],
    "12/N steel/P spoons/P": [],
    "two/N of us": [],
    "two/N": [],
    "two/O dogs/O": [],  # no number by its tag
    "a dozen/O eggs/O": [(12, "egg")],
    "two/N - headed snake/O": [],
    "two/N , dogs/O": [],
    "5/N %/O": [(5, "%")],
    "6/N feet/O": [],
    "5/N kilograms/O": [],
    "400/N m/O": [],
    "8/N oz./O": [],
    "3/N years/O": [],
    "20/N celsius/O": [],
    "9/N pm/O": [],
    "50/N percent/O": [(50, "percent")],
    "iphone/P 6/N case/O": [(6, "case")],
}
OPTIONS = [
    ("two/N big/A red/A dogs/O", CaptionRule(adjectives=2), [(2, "dog")]),
    ("two/N red/A dogs/O", CaptionRule(adjectives=0), []),
    ("two/N parked/V cars/O", CaptionRule(participles=True), [(2, "car")]),
    ("12/N steel/P spoons/P", CaptionRule(proper_nouns=True), [(12, "steel")]),
    ("50/N percent/O", CaptionRule(exclude=("percent",)), []),
    ("5/N %/O", CaptionRule(exclude=("percent",)), []),
    ("$ 5/N bill/O", CaptionRule(exclude=("money",)), []),
    ("2019/N calendar/O", CaptionRule(exclude=("years",)), []),
    ("iphone/P 6/N case/O", CaptionRule(exclude=("identifiers",)), []),
    ("64/N gb/O", CaptionRule(exclude=("bytes",)), []),
]


def test_a_number_counts_the_noun_after_it_or_after_one_adjective(case: Case) -> None:
    for text, expected in PLAIN.items():
        with case(text):
            assert count(text, CaptionRule()) == expected


def test_each_departure_from_the_paper_is_an_option(case: Case) -> None:
    for text, rule, expected in OPTIONS:
        with case(text):
            assert count(text, rule) == expected


def test_an_unknown_exclusion_lists_those_known() -> None:
    with pytest.raises(UnknownNameError, match="'percents'; known: bytes, degrees, identifiers, money"):
        CaptionRule(exclude=("percents",))


def sums(rule: CaptionRule) -> dict[str, tuple[int, int]]:
    """Give the right sum and the one found of every caption in the table."""
    with CAPTIONS.open(encoding="utf-8", newline="") as file:
        rows = [(row["caption"], int(row["numerosity"] or 0)) for row in csv.DictReader(file)]
    found = SpacyTagger(rule).find([caption for caption, _ in rows])
    return {caption: (right, sum(one.number for one in own)) for (caption, right), own in zip(rows, found, strict=True)}


@pytest.mark.spacy
def test_the_paper_rule_misses_what_is_listed_and_nothing_else() -> None:
    found = sums(CaptionRule())
    assert len(found) >= 250
    listed = {caption: wrong for own in MISSES.values() for caption, wrong in own.items()}
    assert {caption: own for caption, (right, own) in found.items() if own != right} == listed


@pytest.mark.spacy
def test_with_every_option_hardly_anything_is_missed() -> None:
    found = sums(CaptionRule(3, participles=True, proper_nouns=True, exclude=OPTIONAL))
    assert sum(right != own for right, own in found.values()) <= 7
