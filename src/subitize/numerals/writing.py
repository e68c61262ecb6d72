"""Numbers written in words, and counted things."""

from collections.abc import Iterable
from typing import Literal

from subitize.numerals.nouns import plural
from subitize.numerals.number_words import NUMBERS_BELOW_20, TENS

LARGEST_IN_WORDS = 999_999


def in_words(n: int) -> str:
    """21 as "twenty-one"; from 0 to 999,999."""
    if not 0 <= n <= LARGEST_IN_WORDS:
        raise ValueError(f"cannot write {n} in words; the number must be from 0 to {LARGEST_IN_WORDS:,}")
    if n < 20:
        return NUMBERS_BELOW_20[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{NUMBERS_BELOW_20[n % 10]}" if n % 10 else "")
    scale, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    rest = f" {in_words(n % scale)}" if n % scale else ""
    return f"{in_words(n // scale)} {name}{rest}"


def counted(n: int, noun: str, style: Literal["digits", "words"] = "digits") -> str:
    """A number and its noun: "1 apple", "two flies"."""
    return f"{in_words(n) if style == 'words' else n} {noun if n == 1 else plural(noun)}"


def list_some(texts: Iterable[str], most: int = 3) -> str:
    """The first of several texts: "a.png, b.png, c.png, …"."""
    every = list(texts)
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")
