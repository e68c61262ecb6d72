"""What is counted, in parts that can be added, and within bounds."""

import random
from itertools import product

import polars as pl
import pytest

from subitize.corpus import counting
from subitize.corpus.counting import CountedCorpus, Counts, from_plain, to_plain
from subitize.corpus.numerosities import NUMBER_WORDS, Numerosity, may_have_number
from subitize.corpus.summary import summarise
from tests.cases import Case


def count(captions: list[tuple[int, str]]) -> Counts:
    counts = Counts(samples_per_number=3)
    for place, (number, noun) in enumerate(captions):
        counts.captions += 1
        counts.add([Numerosity(number, noun)], f"{number} {noun}", f"http://{place % 50}")
    return counts


def draw(seed: int) -> list[tuple[int, str]]:
    chance = random.Random(seed)
    return [(chance.randrange(1, 8), chance.choice(["dog", "cat", "bird"])) for _ in range(300)]


def test_a_caption_counts_as_the_sum_of_its_numerosities() -> None:
    counts = Counts()
    counts.add([Numerosity(3, "banana"), Numerosity(2, "apple")], "3 bananas and 2 apples", "")
    assert counts.numerosities == {5: 1}
    assert counts.mentions == {3: 1, 2: 1}
    assert counts.nouns == {(3, "banana"): 1, (2, "apple"): 1}
    assert counts.counted == 1


def test_parts_add_up_to_the_whole_in_any_order() -> None:
    captions = draw(1)
    whole = count(captions)
    for order in ((0, 1, 2), (2, 0, 1)):
        parts = Counts(samples_per_number=3)
        for part in order:
            own = Counts(samples_per_number=3)
            for place, (number, noun) in enumerate(captions):
                if place % 3 == part:
                    own.captions += 1
                    own.add([Numerosity(number, noun)], f"{number} {noun}", f"http://{place % 50}")
            parts.merge(own)
        assert to_plain(parts) == to_plain(whole)
    assert all(len(own) == 3 for own in whole.samples.values())


def test_no_captions_are_kept_if_none_are_wanted() -> None:
    counts = Counts(samples_per_number=0)
    counts.add([Numerosity(2, "dog")], "two dogs", "")
    assert counts.samples == {}


def test_counts_survive_being_written() -> None:
    counts = count(draw(2))
    counts.problems, counts.first_problems = 1, ["a.csv line 3: no JSON"]
    assert from_plain(to_plain(counts)) == counts


def test_what_could_grow_for_ever_is_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_MOST_PAIRS", 10)
    monkeypatch.setattr(counting, "_MOST_NUMBERS", 10)
    counts = Counts()
    for number in range(1, 101):
        for _ in range(2 if number <= 10 else 1):
            counts.add([Numerosity(number, "dog")], "", "")
    counts.trim()
    assert len(counts.nouns) == len(counts.numerosities) == 10
    assert counts.dropped_numbers == 90
    assert counts.counted == 110
    assert set(counts.numerosities) == set(range(1, 11))  # the commonest


def test_numerosities_that_are_dropped_are_still_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_MOST_NUMBERS", 10)
    total = Counts()
    for part in range(3):
        counts = Counts(captions=30)
        for number in range(30):
            counts.add([Numerosity(100 * part + number, "dog")], "", "")
        counts.trim()
        assert (len(counts.mentions), counts.dropped_mentions) == (10, 20)
        total.merge(from_plain(to_plain(counts)))
    assert total.mentions.total() + total.dropped_mentions == 90
    summary = summarise(CountedCorpus("dogs", total, {}, 3))
    assert summary.unlisted_nouns == 0, "all are among the commonest nouns by number"


def test_counts_of_an_earlier_version_are_read() -> None:
    plain = to_plain(count(draw(3)))
    del plain["dropped_mentions"]
    assert from_plain(plain) == count(draw(3))


CANDIDATES = {
    "two dogs": True,
    "Two dogs": True,
    "a pair of 2": True,
    "dogs_two": True,
    "eur20": True,
    "twenty-five": True,
    "a dozen": True,
    "éone": True,  # the tokenizer decides
    "none of them": False,
    "someone stood there": False,
    "a cat": False,
    "weight of stone": False,
    "": False,
}


def test_a_caption_without_a_number_never_reaches_the_tagger(case: Case) -> None:
    for caption, expected in CANDIDATES.items():
        with case(caption):
            assert may_have_number(pl.Series([caption])).to_list() == [expected]
    assert may_have_number(pl.Series([None], dtype=pl.String)).to_list() == [False]


def test_every_number_word_passes_in_any_company(case: Case) -> None:
    for word in NUMBER_WORDS:
        with case(word):
            forms = (word, word.upper(), word.title())
            before, after = ("", "a ", "(", "“", "_", "é", "3"), ("", " b", ".", "'s", "_", "é")
            around = ["".join(parts) for parts in product(before, forms, after)]
            assert may_have_number(pl.Series(around)).all()
