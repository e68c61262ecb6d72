"""Wrong numbers near the right one, for questions that come without: by lot, and so that they give nothing away."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

FoilRule = Literal["symmetric", "as-released"]
FOIL_RULES: tuple[FoilRule, ...] = ("symmetric", "as-released")
# How far from the answer the released foils lie (validation, standard split).
_DISTANCES: Mapping[int, float] = {1: 0.37, 2: 0.27, 3: 0.17, 4: 0.10, 5: 0.06, 6: 0.03}
_ABOVE = 0.6  # where there is room below; 72 % of all, as released, since of small answers there is little
FOILS = 3
"""As many as Visual7W has for a question."""


def draw_foils(answers: Sequence[int], rule: FoilRule, seed: int) -> list[tuple[int, ...]]:
    """Draw the foils of each answer, none of them equal to it or to one another.

    With `symmetric` answers are exchanged: as often as 3 is a foil of 2, 2 is a foil of 3, so that whoever sees only
    the numbers is right in half of all pairs. An answer that most questions share has fewer foils for that; where it
    has none at all, they are drawn from both sides. With `as-released` most lie above, as in the released data.
    """
    rng = random.Random(seed)
    if rule == "symmetric":
        return list(_fill_up(answers, _exchange(answers, rng), None, rng))
    return list(_fill_up(answers, [()] * len(answers), _ABOVE, rng))


def _exchange(answers: Sequence[int], rng: random.Random) -> list[tuple[int, ...]]:
    """Give pairs of near numbers to each other as foils, as often to the one as to the other."""
    counts = Counter(answers)
    foils: dict[int, list[int]] = {number: [] for number in counts}
    for (low, high), times in _pair_numbers(counts, rng).items():
        foils[low] += [high] * times
        foils[high] += [low] * times
    dealt: list[list[int]] = [[] for _ in answers]
    for number, own in foils.items():
        places = [place for place, answer in enumerate(answers) if answer == number]
        rng.shuffle(places)
        # Equal foils are neighbours and no more than there are places, so that none gets two of them.
        for turn, foil in enumerate(own):
            dealt[places[turn % len(places)]].append(foil)
    return [tuple(own) for own in dealt]


def _pair_numbers(counts: Mapping[int, int], rng: random.Random) -> Counter[tuple[int, int]]:
    """Choose how often two numbers are exchanged: those that need most foils first, with near ones by preference."""
    needed = {number: FOILS * count for number, count in counts.items()}
    found: Counter[tuple[int, int]] = Counter()
    while True:
        number = max(needed, key=lambda one: (needed[one], one), default=-1)
        partners = {
            other: _weigh(number, other)
            for other in needed
            if other != number and needed[other] and found[_ordered(number, other)] < min(counts[number], counts[other])
        }
        if not partners:
            if number < 0:
                return found
            del needed[number]
            continue
        partner = rng.choices(list(partners), list(partners.values()))[0]
        # Some at a time: with large files, one by one would take long.
        room = min(counts[number], counts[partner]) - found[_ordered(number, partner)]
        times = max(1, min(room, needed[number], needed[partner]) // 8)
        found[_ordered(number, partner)] += times
        needed[number] -= times
        needed[partner] -= times
        if not needed[number]:
            del needed[number]


def _weigh(number: int, other: int) -> float:
    return _DISTANCES.get(abs(number - other), 0.01 / abs(number - other))


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _fill_up(
    answers: Sequence[int], given: Sequence[tuple[int, ...]], above: float | None, rng: random.Random
) -> Iterator[tuple[int, ...]]:
    """Draw foils for answers without, a share of them above; None draws from both sides in turn, if there is room."""
    balance = 0
    for answer, own in zip(answers, given, strict=True):
        foils = list(own)
        while not own and len(foils) < FOILS:
            has_room = any(number not in foils for number in range(max(0, answer - max(_DISTANCES)), answer))
            chance = above if above is not None else 0.5 if not balance else float(balance < 0)
            is_above = not has_room or rng.random() < chance
            distance = rng.choices(list(_DISTANCES), list(_DISTANCES.values()))[0]
            foil = answer + distance if is_above else answer - distance
            if foil >= 0 and foil not in foils:
                foils.append(foil)
                balance += 1 if is_above else -1
        rng.shuffle(foils)
        yield tuple(foils)
