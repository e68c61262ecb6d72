"""Which items a limit takes: a sample over strata, in an order of which every beginning is balanced.

A run keeps the name of the scheme and must go on with the same items for ever: another order is another scheme.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import TypeVar

from subitize.interfaces import Suite, design_of
from subitize.records import Count, Draw, Item, Scalar
from subitize.registry import Made
from subitize.runner.planning import Remembered, batches, items_of
from subitize.store import FRAME_ITEMS

SCHEME = "stratified-1"
"""The name of the order that is made here."""

T = TypeVar("T")
# The levels that an item has of the factors that make the strata; None where it has none of a factor.
Stratum = tuple[Scalar | None, ...]
_BYTES = 6  # of a hash: as many as a float holds


@lru_cache(maxsize=16)
def sample_of(suite: Made[Suite], seed: int) -> Iterable[Item]:
    """Go through the items of a suite in the order in which a limit takes them, which is made only once."""
    return Remembered(order_items(items_of(suite, seed), design_of(suite.it).strata, seed))


def order_items(items: Iterable[Item], strata: Sequence[str], seed: int) -> Iterator[Item]:
    """Put items in the order in which a limit takes them, shuffled by the seed.

    In any beginning of it each stratum has the share that it has of all items, and strata of one size never differ by
    more than one item. A suite may have more items than anybody can make: so many are put in order at a time.
    """
    for block in batches(items, FRAME_ITEMS):
        yield from _order(block, strata, seed)


def _order(items: Sequence[Item], strata: Sequence[str], seed: int) -> list[Item]:
    members: dict[Stratum, list[Item]] = defaultdict(list)
    for item in items:
        members[tuple(item.factors.get(name) for name in strata)].append(item)
    starts = _stagger(list(members), seed)
    return _merge((starts[stratum], _shuffle(own, seed, stratum)) for stratum, own in members.items())


def _merge(queues: Iterable[tuple[float, Sequence[Item]]]) -> list[Item]:
    """Put queues together so that all are through at the same time, each after its start from 0 to 1.

    Where starts are drawn by lot, each item is as likely as any other to be in a beginning.
    """
    places = [((rank + start) / len(own), item.id, item) for start, own in queues for rank, item in enumerate(own)]
    return [item for *_, item in sorted(places, key=lambda place: place[:2])]


def _stagger(strata: Sequence[Stratum], seed: int) -> dict[Stratum, float]:
    """Give each stratum a start from 0 to 1, spread evenly over those that share a level of any factor."""
    levels = [_rank(column, seed) for column in zip(*strata, strict=True)]
    steps = _irrational_steps(len(levels))
    first = _draw(seed, "first stratum")
    return {
        stratum: (first + sum(rank[level] * step for rank, level, step in zip(levels, stratum, steps, strict=True))) % 1
        for stratum in strata
    }


def _rank(levels: Iterable[Scalar | None], seed: int) -> dict[Scalar | None, int]:
    """Number the levels of a factor in an order by lot."""
    drawn = sorted(dict.fromkeys(levels), key=lambda level: _draw(seed, "level", str(level)))
    return {level: rank for rank, level in enumerate(drawn)}


def _irrational_steps(count: int) -> list[float]:
    """Find steps by which walks round a circle fill it evenly, in each direction: powers of the golden ratio's kin.

    It is the root of x^(count + 1) = x + 1 (Roberts 2018, The unreasonable effectiveness of quasirandom sequences).
    """
    root = 1.5
    for _ in range(64):
        root = (1 + root) ** (1 / (count + 1))
    return [root ** -(place + 1) for place in range(count)]


def _shuffle(items: Sequence[Item], seed: int, stratum: Stratum) -> list[Item]:
    """Shuffle the items of a stratum so that any beginning is spread over the numbers that they ask for.

    Prompts and pictures that several items share come once each before any comes again.
    """
    shared: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: _draw(seed, "item", item.id)):
        shared[_shown(item)].append(item)
    drawn = sorted(shared.values(), key=lambda own: (_ease(own[0]), _draw(seed, "shown", _shown(own[0]))))
    # Up by every second one and down by the others: round the circle, neighbours are alike everywhere.
    circle = drawn[::2] + drawn[1::2][::-1]
    walked = _walk(circle, _draw(seed, "first of stratum", *map(str, stratum)))
    return _merge((place / len(walked), own) for place, own in enumerate(walked))


def _walk(circle: Sequence[T], start: float) -> list[T]:
    """Go round by golden steps, which spreads any number of them evenly, until everything was met."""
    (step,) = _irrational_steps(1)
    met: dict[int, None] = {}
    for place in count():
        met.setdefault(int((start + place * step) % 1 * len(circle)))
        if len(met) == len(circle):
            return [circle[where] for where in met]
    raise AssertionError("golden steps come everywhere")


def _ease(item: Item) -> float:
    """Tell how small the numbers are that an item asks for; of large ones, one more makes less of a difference."""
    numbers = [ask.expects[0] for ask in item.asks if isinstance(ask.question, Count) and len(ask.expects) == 1]
    eases = [1 / max(number, 0.5) for number in numbers if isinstance(number, int)]
    return sum(eases) / len(eases) if eases else 0.0


def _shown(item: Item) -> str:
    return item.task.prompt if isinstance(item.task, Draw) else repr(item.task.picture)


def _draw(seed: int, *what: str) -> float:
    """Draw a number from 0 to 1 by lot, the same for the same things on every machine."""
    hashed = hashlib.sha256("\0".join((SCHEME, str(seed), *what)).encode(errors="surrogatepass")).digest()
    return int.from_bytes(hashed[:_BYTES], "big") / 2.0 ** (8 * _BYTES)
