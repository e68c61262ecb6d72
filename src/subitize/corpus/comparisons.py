"""Two corpora compared: how many times as often one names a number as the other, and how their laws differ."""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from subitize.corpus.summaries import Summary
from subitize.records import Estimate
from subitize.stats.estimate import subtract_independent


@dataclass(frozen=True, slots=True)
class Ratio:
    """A number, and its share in the first corpus over that in the second."""

    number: int
    first: Estimate
    second: Estimate
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ratios of numbers that both have, and the differences of exponents, by the names of their fits."""

    first: str
    second: str
    ratios: tuple[Ratio, ...]
    exponents: dict[str, Estimate]


def compare_corpora(first: Summary, second: Summary) -> Comparison:
    """Compare two corpora number by number; captions of one are taken for independent."""
    others = {row.number: row for row in second.rows}
    ratios = tuple(
        Ratio(row.number, row.share, others[row.number].share, _ratio(row.share, others[row.number].share))
        for row in first.rows
        if row.number in others
    )
    fits = {fit.name: fit.law.exponent for fit in second.fits}
    differences = {
        fit.name: subtract_independent(fit.law.exponent, fits[fit.name]) for fit in first.fits if fit.name in fits
    }
    return Comparison(first.name, second.name, ratios, differences)


def _ratio(first: Estimate, second: Estimate) -> Estimate:
    """Divide two shares of independent samples (Katz's interval of the logarithm)."""
    value = first.value / second.value
    variance = sum((1 - one.value) / (one.value * one.n) for one in (first, second))
    half = float(ndtri(0.975)) * math.sqrt(variance)
    low, high = value * math.exp(-half), value * math.exp(half)
    return Estimate(value, low, high, first.n + second.n, "ratio of shares, log interval (Katz)")
