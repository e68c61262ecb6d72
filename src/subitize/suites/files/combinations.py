"""Every combination of the words that a template names, or a balanced sample of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import TypeVar

from subitize.suites.files.templates import Word
from subitize.suites.files.words import Words

Combination = Mapping[str, Word]
T = TypeVar("T")
MOST_ITEMS = 100_000
MOST_COMBINATIONS = 10**15
"""That a sample is drawn from."""


def count_combinations(words: Sequence[Words]) -> int:
    """Tell how many combinations there are, without making them."""
    return math.prod(len(one.rows) for one in words)


def combine(words: Sequence[Words]) -> Iterator[Combination]:
    """Make all combinations, the last list going round fastest."""
    return (_merge(words, rows) for rows in product(*(one.rows for one in words)))


def draw(words: Sequence[Words], strata: Sequence[str], number: int, seed: str) -> list[Combination]:
    """Draw so many different combinations by lot, of each level of the strata as many, or one more.

    There may be more combinations than anybody can make.
    """
    random = Random(seed)
    fixed = [one for one in words if set(one.names) & set(strata)]
    if count_combinations(fixed) > MOST_ITEMS:  # each of them is hardly ever drawn twice
        fixed = []
    free = [one for one in words if one not in fixed]
    cells = list(product(*(one.rows for one in fixed)))
    _shuffle(cells, random)
    each, more = divmod(number, len(cells))
    drawn = []
    for place, cell in enumerate(cells):
        for index in _sample(count_combinations(free), each + (place < more), random):
            drawn.append({**_merge(fixed, cell), **_merge(free, _find(free, index))})
    order = [name for one in words for name in one.names]
    return [{name: one[name] for name in order} for one in drawn]


# Which items there are must not depend on the version of Python, which may change how it shuffles and samples. These
# are as those of Python 3.11 are.
def _shuffle(values: list[T], random: Random) -> None:
    for place in range(len(values) - 1, 0, -1):
        other = _draw_below(place + 1, random)
        values[place], values[other] = values[other], values[place]


def _sample(total: int, number: int, random: Random) -> list[int]:
    """Draw so many different numbers below a total."""
    if total > 21 + (4 ** math.ceil(math.log(number * 3, 4)) if number > 5 else 0):
        drawn: dict[int, None] = {}
        while len(drawn) < number:
            drawn[_draw_below(total, random)] = None
        return list(drawn)
    left = list(range(total))
    return [_take(left, _draw_below(len(left), random)) for _ in range(number)]


def _take(left: list[int], place: int) -> int:
    """Take one out; the last one comes in its place."""
    left[place], left[-1] = left[-1], left[place]
    return left.pop()


def _draw_below(limit: int, random: Random) -> int:
    while (drawn := random.getrandbits(limit.bit_length())) >= limit:
        pass
    return drawn


def _find(words: Sequence[Words], index: int) -> list[tuple[Word, ...]]:
    """Find the rows of the combination at a place among all."""
    rows = []
    for one in words:
        index, place = divmod(index, len(one.rows))
        rows.append(one.rows[place])
    return rows


def _merge(words: Sequence[Words], rows: Sequence[tuple[Word, ...]]) -> dict[str, Word]:
    return {name: word for one, row in zip(words, rows, strict=True) for name, word in zip(one.names, row, strict=True)}
