"""Numbers survive being written and read."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeral_round_trip import find_misread
from subitize.numerals import LARGEST_IN_WORDS, in_words, value
from thoroughness import thorough


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
# Every number below 1,100, every full thousand, and a prime stride that meets all pairs of endings.
ROUND_TRIPS = sorted({*range(1_100), *range(0, LARGEST_IN_WORDS, 1_000), *range(0, LARGEST_IN_WORDS, 101)})


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_number_survives_being_written_and_read(spell: Callable[[int], str]) -> None:
    assert [n for n in ROUND_TRIPS if value(spell(n)) != n] == []


@settings(deadline=None)
@given(st.integers(0, LARGEST_IN_WORDS), st.sampled_from(sorted(SPELLINGS)))
def test_any_number_survives_being_written_and_read(n: int, spelling: str) -> None:
    assert value(SPELLINGS[spelling](n)) == n


def test_numbers_below_a_million_survive_being_written_and_read() -> None:
    assert _find_all_misread(range(0, LARGEST_IN_WORDS + 1, 41)) == []


@thorough
def test_every_number_below_a_million_survives_being_written_and_read() -> None:
    assert _find_all_misread(range(LARGEST_IN_WORDS + 1)) == []


def _find_all_misread(numbers: range) -> list[int]:
    """The numbers that do not survive, looked for by all processors."""
    size = 10_000
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    assert sum(map(len, parts)) == len(numbers)
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        return [n for misread in pool.map(find_misread, parts) for n in misread]
