"""Every combination of the words that a template names, or a balanced sample of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from subitize.suites.files.templates import Word
from subitize.suites.files.words import Words

Combination = Mapping[str, Word]
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
    random.shuffle(cells)
    each, more = divmod(number, len(cells))
    drawn = []
    for place, cell in enumerate(cells):
        for index in random.sample(range(count_combinations(free)), each + (place < more)):
            drawn.append({**_merge(fixed, cell), **_merge(free, _find(free, index))})
    order = [name for one in words for name in one.names]
    return [{name: one[name] for name in order} for one in drawn]


def _find(words: Sequence[Words], index: int) -> list[tuple[Word, ...]]:
    """Find the rows of the combination at a place among all."""
    rows = []
    for one in words:
        index, place = divmod(index, len(one.rows))
        rows.append(one.rows[place])
    return rows


def _merge(words: Sequence[Words], rows: Sequence[tuple[Word, ...]]) -> dict[str, Word]:
    return {name: word for one, row in zip(words, rows, strict=True) for name, word in zip(one.names, row, strict=True)}
