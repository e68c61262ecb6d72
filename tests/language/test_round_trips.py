"""Numbers survive being written and read."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.language.final import read_number
from subitize.language.numbers import LARGEST_IN_WORDS, in_words


def _with_and(n: int) -> str:
    """British: "one hundred and five thousand and six"."""
    if n >= 1000:
        rest = n % 1000
        joint = " and " if 0 < rest < 100 else " " if rest else ""
        return f"{_with_and(n // 1000)} thousand{joint}{_with_and(rest) if rest else ''}"
    if n >= 100:
        return f"{in_words(n // 100)} hundred" + (f" and {in_words(n % 100)}" if n % 100 else "")
    return in_words(n)


SPELLINGS: dict[str, Callable[[int], str]] = {
    "in_words": in_words,
    "with and": _with_and,
    "without hyphens, in capitals": lambda n: in_words(n).replace("-", " ").upper(),
}
SOME = sorted({*range(1_100), *range(0, LARGEST_IN_WORDS, 2_003)})
# Every number below 1,100, every full thousand, and a prime stride that meets all pairs of endings.
MANY = sorted({*range(1_100), *range(0, LARGEST_IN_WORDS, 1_000), *range(0, LARGEST_IN_WORDS, 101)})
proof = pytest.mark.proof("subitize.language")


@pytest.mark.parametrize("numbers", [pytest.param(SOME, id="some"), pytest.param(MANY, id="all", marks=proof)])
@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_number_survives_being_written_and_read(spell: Callable[[int], str], numbers: list[int]) -> None:
    assert [n for n in numbers if read_number(spell(n)) != n] == []


@settings(deadline=None)
@given(st.integers(0, LARGEST_IN_WORDS), st.sampled_from(sorted(SPELLINGS)))
def test_any_number_survives_being_written_and_read(n: int, spelling: str) -> None:
    assert read_number(SPELLINGS[spelling](n)) == n


@proof
def test_every_number_below_a_million_survives_being_written_and_read() -> None:
    assert [n for n in range(LARGEST_IN_WORDS + 1) if read_number(in_words(n)) != n] == []
