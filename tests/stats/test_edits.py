"""Distances between texts, against their definition written as a recursion."""

import random
from functools import cache

import pytest

from subitize.language.texts import edit_distance, normalise, normalised_edit_distance, normalised_word_distance


def by_definition(one: str, other: str) -> int:
    """The distance as it is defined, from the ends of both texts."""

    @cache
    def between(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        if one[i - 1] == other[j - 1]:
            return between(i - 1, j - 1)
        return 1 + min(between(i - 1, j), between(i, j - 1), between(i - 1, j - 1))

    return between(len(one), len(other))


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("ab", "ba", 2), ("same", "same", 0)],
    ids=["nothing", "all put in", "kitten", "flaw", "swapped", "same"],
)
def test_known_distances(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance


def test_it_is_the_distance_by_definition() -> None:
    chance = random.Random(5)
    for _ in range(400):
        one, other = ("".join(chance.choices("abc ", k=chance.randrange(9))) for _ in range(2))
        assert edit_distance(one, other) == by_definition(one, other)


def test_it_keeps_the_triangle_inequality() -> None:
    chance = random.Random(6)
    for _ in range(200):
        a, b, c = ("".join(chance.choices("xyz", k=chance.randrange(12))) for _ in range(3))
        assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("OPEN", "open"),
        ("Straße", "STRASSE"),
        ("happy  new\nyear ", "happy new year"),
        ("it’s “on”", 'it\'s "on"'),
        ("ﬁsh", "fish"),
        ("caf\u0065\u0301", "caf\u00e9"),
        ("ＡＢＣ", "abc"),
    ],
    ids=["case", "sharp s", "blanks", "quotes", "ligature", "combining accent", "full width"],
)
def test_what_is_written_alike_is_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)
    assert normalised_edit_distance(one, other) == 0


def test_normalising_twice_changes_nothing() -> None:
    for code in range(0x20, 0x3000):
        once = normalise(f"a{chr(code)}b")
        assert normalise(once) == once


def test_it_is_a_share_of_the_longer_text() -> None:
    assert normalised_edit_distance("open", "") == 1
    assert normalised_edit_distance("", "") == 0
    assert normalised_edit_distance("OPEN", "oven") == 0.25
    assert normalised_edit_distance("Happy New Year", "happy year") == 4 / 14


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("Plant one tree", "plant ONE\ntree", 0),
        ("Plant one tree", "plant one three", 1 / 3),
        ("Plant one tree", "tree", 2 / 3),
        ("open", "", 1),
        ("", "", 0),
    ],
    ids=["same", "a word changed", "words left out", "all", "nothing"],
)
def test_words_are_what_the_distance_in_words_counts(one: str, other: str, share: float) -> None:
    assert normalised_word_distance(one, other) == normalised_word_distance(other, one) == pytest.approx(share)
