"""A suite's items, and which of them a limit takes: a stratified sample, in an order whose beginnings are balanced.

A run stores the scheme's name and must continue with the same items forever: another order is another scheme."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from random import Random
from typing import NamedTuple, TypeVar

from subitize.errors import ConflictError
from subitize.interfaces import Suite
from subitize.records import Count, Draw, Item, Scalar
from subitize.registry import Resolved, is_outside, make_items
from subitize.store import SAMPLED_FROM_AT_MOST

SCHEME = "stratified-2"
"""The name of the order in which new runs are sampled."""

T = TypeVar("T")
# An item's levels of the factors that define the strata; None where it lacks a factor.
Stratum = tuple[Scalar | None, ...]
_Members = Mapping[Stratum, Sequence[Item]]
_BYTES = 6  # of a hash: as many as a float holds exactly
_HELD_AT_MOST = 5_000
"""Items of larger suites are made again at each pass."""


class Remembered(Iterable[Item]):
    """Caches a generator of items, including its error."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._left, self._made = items, list[Item]()
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[Item]:
        for place in count():
            if place == len(self._made) and not self._make_one():
                return
            yield self._made[place]

    def _make_one(self) -> bool:
        if self._error is not None:
            raise self._error
        try:
            self._made.append(next(self._left))
        except StopIteration:
            return False
        except Exception as error:
            self._error = error
            raise
        return True


@dataclass(frozen=True, slots=True)
class _Remade(Iterable[Item]):
    """The items of a suite that are soon made, and so are made again at each pass rather than held."""

    suite: Resolved[Suite]
    seed: int

    def __iter__(self) -> Iterator[Item]:
        return make_items(self.suite, self.seed)


def items_of(suite: Resolved[Suite], seed: int) -> Iterable[Item]:
    """Return the items of a suite, made only once unless that costs more memory than it saves time."""
    if (suite.obj.count_items() or 0) > _HELD_AT_MOST and not is_outside(suite):
        return _Remade(suite, seed)
    return _remember_items(suite, seed)


@lru_cache(maxsize=16)
def _remember_items(suite: Resolved[Suite], seed: int) -> Iterable[Item]:
    return Remembered(make_items(suite, seed))


def batches(jobs: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Batch jobs in order, so that the same jobs always give the same batches."""
    remaining = iter(jobs)
    while batch := tuple(islice(remaining, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class _SeededDraws:
    """Random numbers, the same for the same scheme, seed and words on every machine."""

    scheme: str
    seed: int

    def draw(self, *what: str) -> float:
        """Draw a number from 0 to 1."""
        hashed = hashlib.sha256("\0".join((self.scheme, str(self.seed), *what)).encode(errors="surrogatepass")).digest()
        return int.from_bytes(hashed[:_BYTES], "big") / 2.0 ** (8 * _BYTES)


@lru_cache(maxsize=16)
def sample_of(suite: Resolved[Suite], seed: int, scheme: str = SCHEME) -> Iterable[Item]:
    """Return the items of a suite in the order in which a limit takes them, made only once."""
    return Remembered(order_items(items_of(suite, seed), suite.obj.design().strata, seed, scheme))


def order_items(items: Iterable[Item], strata: Sequence[str], seed: int, scheme: str = SCHEME) -> Iterator[Item]:
    """Order items as a limit takes them, shuffled by the seed.

    In any beginning each stratum has its share of all items, and strata of equal size never differ by more than one
    item. A suite may have more items than can be made, so they are ordered in blocks.
    """
    if scheme not in _ORDERS:
        known = ", ".join(_ORDERS)
        raise ConflictError(f"sampled by {scheme!r}, which this version does not know: update subitize; known: {known}")
    draws = _SeededDraws(scheme, seed)
    for block in batches(items, SAMPLED_FROM_AT_MOST):
        members: dict[Stratum, list[Item]] = defaultdict(list)
        for item in block:
            members[tuple(item.factors.get(name) for name in strata)].append(item)
        yield from _ORDERS[scheme](members, _stagger(list(members), draws), draws)


def _stagger(strata: Sequence[Stratum], draws: _SeededDraws) -> dict[Stratum, float]:
    """Give each stratum a start from 0 to 1, spread evenly over those that share a level of any factor."""
    levels = [_rank(column, draws) for column in zip(*strata, strict=True)]
    steps = _irrational_steps(len(levels))
    first = draws.draw("first stratum")
    return {
        stratum: (first + sum(rank[level] * step for rank, level, step in zip(levels, stratum, steps, strict=True))) % 1
        for stratum in strata
    }


def _rank(levels: Iterable[Scalar | None], draws: _SeededDraws) -> dict[Scalar | None, int]:
    """Number the levels of a factor in random order."""
    drawn = sorted(dict.fromkeys(levels), key=lambda level: draws.draw("level", str(level)))
    return {level: rank for rank, level in enumerate(drawn)}


def _irrational_steps(count: int) -> list[float]:
    """Find steps by which walks round a circle fill it evenly, in each direction: powers of the golden ratio's kin.

    It is the root of x^(count + 1) = x + 1 (Roberts 2018, The unreasonable effectiveness of quasirandom sequences).
    """
    root = 1.5
    for _ in range(64):
        root = (1 + root) ** (1 / (count + 1))
    return [root ** -(place + 1) for place in range(count)]


def _merge(queues: Iterable[tuple[float, Sequence[T]]], name: Callable[[T], str]) -> list[T]:
    """Merge queues evenly, each shifted by its start from 0 to 1, so that all end at the same time.

    If starts are random, each item is as likely as any other to be in a beginning.
    """
    places = [((rank + start) / len(own), name(one), one) for start, own in queues for rank, one in enumerate(own)]
    return [one for *_, one in sorted(places, key=lambda place: place[:2])]


def _group_shown(items: Iterable[Item], draws: _SeededDraws) -> dict[str, list[Item]]:
    """Group items by the prompt or picture that they show, in random order."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: draws.draw("item", item.id)):
        groups[item.task.prompt if isinstance(item.task, Draw) else repr(item.task.picture)].append(item)
    return groups


def _ease(item: Item) -> float:
    """Return how small the numbers are that an item asks for; among large ones, one more matters less."""
    eases = [1 / max(number, 0.5) for number in _numbers(item)]
    return sum(eases) / len(eases) if eases else 0.0


def _numbers(item: Item) -> list[int]:
    expected = [ask.expects[0] for ask in item.asks if isinstance(ask.question, Count) and len(ask.expects) == 1]
    return [number for number in expected if isinstance(number, int)]


class _Entry(NamedTuple):
    """An item, the cell whose places it may take, its ease, and counts of what it asks for."""

    item: Item
    cell: str
    ease: float
    asked: Counter[str]


def _order_by_halves(members: _Members, starts: Mapping[Stratum, float], draws: _SeededDraws) -> Iterator[Item]:
    """Order items so that any beginning asks for numbers and things in the same proportions as all items.

    Prompts and pictures that several items share come once each before any recurs: a stratum has a cell for those that
    come first, one for those that come second, and so on.
    """
    entries: list[_Entry] = []
    queues: list[tuple[float, list[str]]] = []
    for stratum, own in members.items():
        turns = [(turn, item) for group in _group_shown(own, draws).values() for turn, item in enumerate(group)]
        entries += [_Entry(item, f"{stratum} {turn}", _ease(item), _count_asked(item)) for turn, item in turns]
        queues.append((starts[stratum], [f"{stratum} {turn}" for turn in sorted(turn for turn, _ in turns)]))
    entries.sort(key=lambda entry: draws.draw("entry", entry.item.id))
    halving = _Halving(_merge(queues, str), Random(str(draws.draw("halves"))), _sum_asked(entries))
    return halving.order(entries, 0, len(entries), Counter(), Counter())


def _count_asked(item: Item) -> Counter[str]:
    """Count the numbers that an item asks for, and the things to be counted."""
    nouns = [ask.question.noun for ask in item.asks if isinstance(ask.question, Count)]
    return Counter([*nouns, *map(str, _numbers(item))])


def _sum_asked(entries: Iterable[_Entry]) -> Counter[str]:
    total: Counter[str] = Counter()
    for entry in entries:
        total.update(entry.asked)
    return total


@dataclass(frozen=True, slots=True)
class _Halving:
    """Assigns items to places, each reserved for one cell: to the first or second half, then to halves of those.

    Of two similar items in a cell, one goes into the first half: the one that brings the beginning nearer to the whole,
    or a random one if that makes no difference. All counts are integers, so that every machine gets the same order.
    """

    places: Sequence[str]
    random: Random
    total: Mapping[str, int]

    def order(
        self, entries: Sequence[_Entry], start: int, stop: int, before: Mapping[str, int], after: Mapping[str, int]
    ) -> Iterator[Item]:
        """Order the items of the places from start to stop, lazily.

        `before` and `after` are the excess up to start and stop: what is asked for up to there, times the number of all
        items, minus the share that so many places have of the whole.
        """
        if len(entries) == 1:
            yield entries[0].item
            return
        middle = (start + stop + 1) // 2
        first, second, pairs = self._pair(entries, Counter(self.places[start:middle]))
        rest = 2 * middle - start - stop
        twice = {  # the excess at the middle
            what: before[what] + after[what] - rest * self.total[what] for entry in entries for what in entry.asked
        }
        for entry in first:
            self._add(twice, entry, 1)
        for entry in second:
            self._add(twice, entry, -1)
        for one, other in pairs:
            gain = _weigh(twice, one) - _weigh(twice, other)
            is_turned = gain > 0 or (gain == 0 and self.random.random() < 0.5)
            earlier, later = (other, one) if is_turned else (one, other)
            first.append(earlier)
            second.append(later)
            self._add(twice, earlier, 1)
            self._add(twice, later, -1)
        at_middle = {what: excess // 2 for what, excess in twice.items()}
        yield from self.order(first, start, middle, before, at_middle)
        yield from self.order(second, middle, stop, at_middle, after)

    def _pair(
        self, entries: Sequence[_Entry], quotas: Mapping[str, int]
    ) -> tuple[list[_Entry], list[_Entry], list[tuple[_Entry, _Entry]]]:
        """Pair similar items of each cell; random items fill the places that one half has more than the other."""
        cells: dict[str, list[_Entry]] = defaultdict(list)
        for entry in sorted(entries, key=lambda entry: entry.ease):
            cells[entry.cell].append(entry)
        first: list[_Entry] = []
        second: list[_Entry] = []
        pairs: list[tuple[float, _Entry, _Entry]] = []
        for cell, own in cells.items():
            more = 2 * quotas[cell] - len(own)
            for _ in range(abs(more)):
                (first if more > 0 else second).append(own.pop(int(self.random.random() * len(own))))
            pairs += [(self.random.random(), *pair) for pair in zip(own[::2], own[1::2], strict=True)]
        return first, second, [(one, other) for _, one, other in sorted(pairs, key=lambda pair: pair[0])]

    def _add(self, twice: dict[str, int], entry: _Entry, sign: int) -> None:
        for what, times in entry.asked.items():
            twice[what] += sign * times * len(self.places)


def _weigh(excess: Mapping[str, int], entry: _Entry) -> int:
    return sum(times * excess[what] for what, times in entry.asked.items())


def _order_by_walks(members: _Members, starts: Mapping[Stratum, float], draws: _SeededDraws) -> Iterator[Item]:
    """Order items as in runs begun by earlier versions."""
    queues = ((starts[stratum], _shuffle(own, draws, stratum)) for stratum, own in members.items())
    return iter(_merge(queues, _id))


def _shuffle(items: Sequence[Item], draws: _SeededDraws, stratum: Stratum) -> list[Item]:
    """Shuffle the items of a stratum so that any beginning spreads over the numbers that they ask for."""
    shared = _group_shown(items, draws)
    drawn = sorted(shared, key=lambda shown: (_ease(shared[shown][0]), draws.draw("shown", shown)))
    # Up by every second one and down by the others: neighbours are similar all round the circle.
    circle = drawn[::2] + drawn[1::2][::-1]
    walked = _walk(circle, draws.draw("first of stratum", *map(str, stratum)))
    return _merge(((place / len(walked), shared[shown]) for place, shown in enumerate(walked)), _id)


def _id(item: Item) -> str:
    return item.id


def _walk(circle: Sequence[T], start: float) -> list[T]:
    """Visit everything by golden steps round the circle, which spread evenly however many there are."""
    (step,) = _irrational_steps(1)
    met: dict[int, None] = {}
    for place in count():
        met.setdefault(int((start + place * step) % 1 * len(circle)))
        if len(met) == len(circle):
            return [circle[where] for where in met]
    raise AssertionError("golden steps come everywhere")


_ORDERS: Mapping[str, Callable[[_Members, Mapping[Stratum, float], _SeededDraws], Iterator[Item]]] = {
    "stratified-1": _order_by_walks,
    SCHEME: _order_by_halves,
}
