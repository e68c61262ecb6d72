"""What is computed from a study, for many studies at once.

A study is a row of counts: how many prompts gave each value of the law. Counts that are no whole numbers are allowed,
as the normal law asks how a figure changes with them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.stats.intervals import wilson_interval
from subitize.stats.power.laws import Floats

EXACT_UP_TO = 50
"""Prompts up to which `stats.signed_ranks.wilcoxon_test` takes the exact law."""

# The exact p may be on the other side of alpha than the one that is nearly normal if that is off alpha by less than a
# factor: 1.08 of 8 magnitudes or more, 1.2 of 3 or more and 25 differences that are not 0, 4 of 12, else any.
_CLEAR = ((8, 12, 1.08), (3, 25, 1.2), (1, 12, 4.0))
_CLEAR_ALPHA = 0.001  # of lower levels, any
_KEPT_LAWS, _LAWS_AT_ONCE = 200_000, 500
_NO_SPREAD = 1e-14  # of a prompt, but for rounding


@dataclass(frozen=True, slots=True)
class Bounds:
    """An estimate and its interval, of each study."""

    estimate: Floats
    low: Floats
    high: Floats


Interval = Callable[[Floats], Bounds]


def passes(values: Floats, choices: float, confidence: float, *, is_capped: bool | None = None) -> Interval:
    """Estimate a mean of shares as `average_passes` does; `choices` are those of one prompt.

    It takes no more prompts than there are choices. `is_capped` settles whether that is so, for the normal law, which
    cannot do with a figure that has a bend.
    """
    from scipy.special import ndtri, stdtrit

    edge = (1 + confidence) / 2
    z = float(ndtri(edge))
    partly = (values != 0) & (values != 1)

    def read(counts: Floats) -> Bounds:
        n = counts.sum(axis=-1)
        mean = np.clip(counts @ values / n, 0.0, 1.0)
        squares = counts @ values**2 - n * mean**2
        is_flat = squares <= _NO_SPREAD * n
        own = mean * (1 - mean) / np.where(is_flat, 1.0, squares) * n * (n - 1)
        is_cut = is_flat | (own > n * choices) if is_capped is None else is_capped
        prompts = np.where(is_cut, n * choices, own)
        widened = np.where(counts @ partly > 0, prompts * (z / stdtrit(n - 1, edge)) ** 2, n)
        return _score(mean, z**2 / widened)

    return read


def _score(share: Floats, z2: Floats) -> Bounds:
    """Put Wilson's interval around shares; `z2` is z² by the number of observations."""
    centre = (share + z2 / 2) / (1 + z2)
    half = np.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    low, high = np.where(share > 0, centre - half, 0.0), np.where(share < 1, centre + half, 1.0)
    return Bounds(share, np.maximum(low, 0.0), np.minimum(high, 1.0))


def student(values: Floats, confidence: float) -> Interval:
    """Estimate a mean difference over prompts with Student's interval.

    Where all prompts gave the same value there is no spread, and Wilson's bound on the share of prompts that may give
    another takes its place.
    """
    from scipy.special import stdtrit

    def read(counts: Floats) -> Bounds:
        n = counts.sum(axis=-1)
        mean = counts @ values / n
        squares = counts @ values**2 - n * mean**2
        half = stdtrit(n - 1, (1 + confidence) / 2) * np.sqrt(np.maximum(squares, 0) / (n - 1) / n)
        is_flat = (counts == n[..., None]).any(axis=-1)
        if not is_flat.any():
            return Bounds(mean, mean - half, mean + half)
        flat = wilson_interval(0, int(n.flat[0]), confidence).high
        half = np.where(is_flat, flat, half)
        return Bounds(mean, mean - half, mean + half)

    return read


def fleiss(raters: int, confidence: float) -> Interval:
    """Estimate Fleiss' κ of yes and no as `fleiss_kappa` does, not cut off at ±1; NaN where all answers are one.

    Prompts are independent, and annotators the same people; few answers that differ have an interval all the same.
    The value of a prompt is how many of its raters say yes: the counts are those of 0, 1, … of them.
    """
    from scipy.special import stdtrit

    yes = np.arange(raters + 1.0)
    seen = (yes * (yes - 1) + (raters - yes) * (raters - yes - 1)) / (raters * (raters - 1))
    shares = yes / raters

    def read(counts: Floats) -> Bounds:
        n = counts.sum(axis=-1)
        share = counts @ shares / n
        expected = share**2 + (1 - share) ** 2
        room = np.where((share > 0) & (share < 1), 1 - expected, np.nan)
        kappa = (counts @ seen / n - expected) / room
        by_chance = shares * share[..., None] + (1 - shares) * (1 - share[..., None])
        own = (seen - expected[..., None]) - 2 * (1 - kappa[..., None]) * (by_chance - expected[..., None])
        squares = (counts * (own / room[..., None] - kappa[..., None]) ** 2).sum(axis=-1)
        half = stdtrit(n - 1, (1 + confidence) / 2) * np.sqrt(squares / n / (n - 1))
        return Bounds(kappa, kappa - half, kappa + half)

    return read


class SignedRanks:
    """The test of paired differences that are not 0.

    It is McNemar's exact one where all are 1, else Wilcoxon's as `wilcoxon_test` does it: exact of up to 50.
    """

    def __init__(self, values: Floats) -> None:
        magnitudes, place = np.unique(np.abs(values[values != 0]), return_inverse=True)
        self._ties = np.zeros((len(values), len(magnitudes)))
        self._ties[np.flatnonzero(values), place] = 1
        self._upwards = self._ties * (values > 0)[:, None]
        self._is_whole = magnitudes == 1

    def z(self, counts: Floats) -> Floats:
        """Compute z of each study; 0 where nothing differs. That of McNemar's is by half a pair less, on average."""
        excess, ties, ranks = self._rank(counts)
        if self._is_whole.all():
            excess = excess - np.sign(excess) * ranks[..., 0] / 2
        variance = (ties * ranks**2).sum(axis=-1) / 4
        return np.where(variance > 0, excess / np.sqrt(np.where(variance > 0, variance, 1)), 0.0)

    def rejects(self, counts: Floats, alpha: float) -> NDArray[np.bool_]:
        """Tell of each study whether p is below alpha."""
        excess, ties, ranks = self._rank(counts)
        different = ties.sum(axis=-1)
        is_few = different <= EXACT_UP_TO
        found = np.zeros(len(counts), dtype=np.bool_)
        found[~is_few] = _is_normal_p_below(excess[~is_few], ties[~is_few], ranks[~is_few], alpha)
        found[is_few] = _is_exact_p_below(excess[is_few], ties[is_few], ranks[is_few], alpha)
        is_whole = ~is_few & (different == ties @ self._is_whole)
        found[is_whole] = _is_mcnemar_p_below(np.abs(excess[is_whole]), different[is_whole], alpha)
        return found

    def _rank(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Say how much the ranks upwards exceed half of all; per magnitude, how many differ, and the rank of each."""
        ties = counts @ self._ties
        ranks = np.cumsum(ties, axis=-1) - (ties - 1) / 2
        return ((counts @ self._upwards - ties / 2) * ranks).sum(axis=-1), ties, ranks


def _is_normal_p_below(excess: Floats, ties: Floats, ranks: Floats, alpha: float) -> NDArray[np.bool_]:
    from scipy.special import ndtri

    return np.asarray(np.abs(excess) > -ndtri(alpha / 2) * np.sqrt((ties * ranks**2).sum(axis=-1) / 4))


def _is_mcnemar_p_below(excess: Floats, different: Floats, alpha: float) -> NDArray[np.bool_]:
    """Toss a coin for each of the pairs that differ, all of which have the mean rank."""
    from scipy.special import bdtr

    fewer = np.rint(different / 2 - excess / ((different + 1) / 2))
    return np.asarray(2 * bdtr(fewer, different.astype(np.int64), 0.5) < alpha)


def _is_exact_p_below(excess: Floats, ties: Floats, ranks: Floats, alpha: float) -> NDArray[np.bool_]:
    """Compare nearly normal p with alpha where they are far apart, else the exact one."""
    p = _nearly_normal_p(np.abs(excess), ties, ranks)
    magnitudes, different = (ties > 0).sum(axis=-1), ties.sum(axis=-1)
    is_clear = np.zeros(len(p), dtype=np.bool_)
    for least, many, factor in _CLEAR if alpha >= _CLEAR_ALPHA else ():
        is_far = (p > alpha * factor) | (p < alpha / factor)
        is_clear |= is_far & (magnitudes >= least) & (different >= many)
    found, unclear = np.asarray(p < alpha), np.flatnonzero(~is_clear)
    least_excess = _find_least_excess(ties[unclear], ranks[unclear], alpha)
    found[unclear] = np.abs(excess[unclear]) >= least_excess - 1e-6
    return found


def _nearly_normal_p(excess: Floats, ties: Floats, ranks: Floats) -> Floats:
    """Compute p by the second, fourth and sixth cumulants of the sum of ranks (Edgeworth).

    The sum goes in steps; spread evenly over each, it goes in none, and half a step more is as extreme.
    """
    from scipy.special import erfc

    step = np.gcd.reduce(np.rint(2 * ranks * (ties > 0)).astype(np.int64), axis=-1) / 2
    squares = ranks**2 / 4
    second = (ties * squares).sum(axis=-1) + step**2 / 12
    second = np.where(second > 0, second, 1.0)
    fourth = (-2 * (ties * squares**2).sum(axis=-1) - step**4 / 120) / second**2
    sixth = (16 * (ties * squares**3).sum(axis=-1) + step**6 / 252) / second**3
    z = (excess - step / 2) / np.sqrt(second)
    z2 = z**2
    bends = fourth / 24 * (z2 - 3) + sixth / 720 * ((z2 - 10) * z2 + 15)
    bends += fourth**2 / 1152 * (((z2 - 21) * z2 + 105) * z2 - 105)
    return np.asarray(erfc(z / np.sqrt(2)) + np.sqrt(2 / np.pi) * np.exp(-z2 / 2) * z * bends)


def _find_least_excess(ties: Floats, ranks: Floats, alpha: float) -> Floats:
    """Find the smallest excess with a p below alpha; it hangs on the ties alone, so is computed once for each."""
    if not len(ties):
        return np.zeros(0)
    packed = ties.astype(np.uint8).view(np.dtype((np.void, ties.shape[1]))).ravel()
    distinct, first, place = np.unique(packed, return_index=True, return_inverse=True)
    keys = [(alpha, one.tobytes().replace(b"\0", b"")) for one in distinct]
    if len(_LEAST_EXCESS) > _KEPT_LAWS:
        _LEAST_EXCESS.clear()
    missing = np.array([at for at, key in enumerate(keys) if key not in _LEAST_EXCESS], dtype=np.int64)
    for start in range(0, len(missing), _LAWS_AT_ONCE):
        own = missing[start : start + _LAWS_AT_ONCE]
        rows = first[own]
        least = _least_excess(ties[rows].astype(np.int64), np.rint(2 * ranks[rows]).astype(np.int64), alpha)
        _LEAST_EXCESS.update(zip([keys[at] for at in own], least.tolist(), strict=True))
    return np.array([_LEAST_EXCESS[key] for key in keys])[place]


_LEAST_EXCESS: dict[tuple[float, bytes], float] = {}


def _least_excess(ties: NDArray[np.int64], doubled: NDArray[np.int64], alpha: float) -> Floats:
    """Find, per row of ties, the smallest excess with a p below alpha; infinite if there is none.

    Four times the excess is a sum of the doubled ranks with signs by the toss of a coin: its characteristic function is
    a product of cosines. Sums are even, or odd, with their largest: half of the angles tell both.
    """
    from scipy.fft import irfft, next_fast_len

    total = (ties * doubled).sum(axis=1)
    size = next_fast_len(int(total.max(initial=0)) + 1, real=True)
    angles = np.arange(size // 2 + 1)
    cosines = np.cos(np.pi * np.arange(2 * size) / size)
    wave = np.ones((len(ties), len(angles)))
    for column in range(ties.shape[1]):
        own = np.flatnonzero(ties[:, column])
        wave[own] *= _raise(cosines[doubled[own, column, None] * angles % (2 * size)], ties[own, column])
    turns = np.exp(-1j * np.pi * np.arange(2 * size) / size)
    law = irfft(wave * turns[total[:, None] * angles % (2 * size)], size, axis=1)  # of the doubled ranks upwards
    beyond = np.cumsum(law[:, ::-1], axis=1)[:, ::-1]
    is_extreme = 2 * beyond < alpha - 1e-12
    least = np.where(is_extreme.any(axis=1), is_extreme.argmax(axis=1), np.inf)
    return np.where(least > total, np.inf, least - total / 2) / 2


def _raise(values: Floats, powers: NDArray[np.int64]) -> Floats:
    """Raise each row to its power, by squares: quicker than the power function."""
    found = np.ones_like(values)
    while powers.any():
        is_odd = powers % 2 == 1
        found[is_odd] *= values[is_odd]
        values, powers = values**2, powers // 2
    return found
