"""The least that suffices: of prompts or images, and the least difference that is found."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from subitize.records import Estimate
from subitize.stats.power.methods import Method

_CLOSE_ENOUGH = 5e-4
_ROUGH, _ROUGH_LEAST = 8, 1000  # so much fewer simulations while the place is sought, at least so many

Enough = Callable[[float], bool]


def least_number(
    figure: Callable[[int, Method], Estimate], is_enough: Enough, span: range, method: Method
) -> Estimate | None:
    """Find the smallest whole number in a span from which on a figure is enough; None if not even the last is.

    The figure must get better with the number; where it goes up and down a little, one of the places where it becomes
    enough is found. The interval is that of the figure's own: from where it may be enough to where it must be.
    """
    return _search(figure, is_enough, span, method, _climb)


def least_share(
    figure: Callable[[float, Method], Estimate], is_enough: Enough, up_to: float, method: Method
) -> Estimate | None:
    """Find the smallest share, above 0, from which on a figure is enough, to 0.0005; None if not even `up_to` is."""
    steps = math.ceil(up_to / _CLOSE_ENOUGH)

    def at(step: int) -> float:
        return min(up_to, step * _CLOSE_ENOUGH)

    span = range(1, steps + 1)
    found = _search(lambda step, method: figure(at(step), method), is_enough, span, method, _halve_all)
    if found is None:
        return None
    low, high = (at(int(edge)) if math.isfinite(edge) else math.inf for edge in (found.low, found.high))
    return Estimate(at(int(found.value)), low, high, found.n, found.method)


_Test = Callable[[int], bool]


def _search(
    figure: Callable[[int, Method], Estimate],
    is_enough: Enough,
    span: range,
    method: Method,
    find: Callable[[_Test, range], int | None],
) -> Estimate | None:
    """Find a place with few simulations, then around it the right one with all of them."""
    rough = cache(lambda n: figure(n, _roughen(method)))
    known = cache(lambda n: figure(n, method) if rough(n).n else rough(n))
    guess = find(lambda n: is_enough(rough(n).value), span)
    if guess is None and not is_enough(rough(span[-1]).high):
        return None
    value = _find_near(lambda n: is_enough(known(n).value), span, span[-1] if guess is None else guess)
    if value is None:
        return None
    edges = [
        _find_near(lambda n: is_enough(known(n).low), span, value),
        _find_near(lambda n: is_enough(known(n).high), span, value),
    ]
    reached = [math.inf if edge is None else edge for edge in edges]
    what = known(value)
    return Estimate(value, min(value, *reached), max(value, *reached), what.n, what.method)


def _roughen(method: Method) -> Method:
    return replace(method, simulations=min(method.simulations, max(_ROUGH_LEAST, method.simulations // _ROUGH)))


def _climb(is_enough: _Test, span: range) -> int | None:
    """Go up from the first: large studies take long to compute, so are not tried first."""
    return _find_near(is_enough, span, span.start)


def _halve_all(is_enough: _Test, span: range) -> int | None:
    return _halve(is_enough, span.start - 1, span[-1]) if is_enough(span[-1]) else None


def _find_near(is_enough: _Test, span: range, start: int) -> int | None:
    """Go from a place by doubled steps, up to what is enough or down to what is not, then halve the last."""
    step = 1
    if is_enough(start):
        enough, below = start, start - 1
        while below >= span.start and is_enough(below):
            step *= 2
            enough, below = below, below - step
        return _halve(is_enough, max(below, span.start - 1), enough)
    below = start
    while below < span[-1]:
        tried = min(below + step, span[-1])
        if is_enough(tried):
            return _halve(is_enough, below, tried)
        below, step = tried, 2 * step
    return None


def _halve(is_enough: _Test, below: int, enough: int) -> int:
    """Find the first by halving between one that is not enough and one that is."""
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if is_enough(middle) else (middle, enough)
    return enough
