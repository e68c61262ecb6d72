"""Numbers in words, and counted things."""

import pytest

from subitize.language.numbers import LARGEST_IN_WORDS, count_noun, in_words
from tests.cases import Case

SPELLED = {
    0: "zero", 1: "one", 10: "ten", 13: "thirteen", 20: "twenty", 21: "twenty-one", 40: "forty", 99: "ninety-nine",
    100: "one hundred", 105: "one hundred five", 342: "three hundred forty-two", 1_000: "one thousand",
    1_001: "one thousand one", 12_345: "twelve thousand three hundred forty-five", 100_000: "one hundred thousand",
    999_999: "nine hundred ninety-nine thousand nine hundred ninety-nine",
}  # fmt: skip


def test_a_number_is_written_in_words(case: Case) -> None:
    for n, words in SPELLED.items():
        with case(n):
            assert in_words(n) == words


@pytest.mark.parametrize("n", [-1, 1_000_000])
def test_a_number_outside_the_words_is_named(n: int) -> None:
    with pytest.raises(ValueError, match=f"cannot write {n} in words; the number must be from 0 to 999,999"):
        in_words(n)


@pytest.mark.parametrize(
    "step", [pytest.param(101, id="some"), pytest.param(1, id="all", marks=pytest.mark.proof("subitize.language"))]
)
def test_the_million_numbers_have_a_million_different_words(step: int) -> None:
    numbers = range(0, LARGEST_IN_WORDS + 1, step)
    assert len({in_words(n) for n in numbers}) == len(numbers)


def test_things_are_counted_in_digits_or_words() -> None:
    assert [count_noun(n, "fly") for n in (0, 1, 2)] == ["0 flies", "1 fly", "2 flies"]
    assert [count_noun(n, "fly", "words") for n in (0, 1, 2)] == ["zero flies", "one fly", "two flies"]
    assert count_noun(21, "loaf of bread", style="words") == "twenty-one loaves of bread"
