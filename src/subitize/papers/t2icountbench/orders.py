"""An order in which any beginning is a fair sample of objects, conditions and numbers."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import lcm
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

# Two successive Fibonacci numbers: multiples of one, modulo the other, fill the range evenly from the first on.
_STEP, _RANGE = 2584, 4181


def order_cells(things: Sequence[A], conditions: Sequence[B], numbers: Sequence[C]) -> Iterator[tuple[A, B, C]]:
    """Go through all triples in rounds: each object in each condition once, with all numbers spread over them.

    Of the published design, the first 7 are the 7 objects, the first 35 each object in each condition, and the first
    105 have each object once with each number.
    """
    pairs = list(product(range(len(conditions)), range(len(things))))
    places = {(condition, thing): place for place, (thing, condition) in enumerate(_mix(len(things), len(conditions)))}
    spread = [numbers[index] for index in sorted(range(len(numbers)), key=lambda index: index * _STEP % _RANGE)]
    cells = [(pairs[pair], spread[number]) for pair, number in _mix(len(pairs), len(spread))]
    for start in range(0, len(cells), len(pairs)):
        turn = cells[start : start + len(pairs)]
        for (condition, thing), number in sorted(turn, key=lambda cell: places[cell[0]]):
            yield things[thing], conditions[condition], number


def _mix(one: int, other: int) -> Iterator[tuple[int, int]]:
    """Pair each index below `one` with each below `other`, in such an order that both run through again and again."""
    cycle = lcm(one, other)
    for step in range(one * other):
        yield step % one, (step + step // cycle) % other
