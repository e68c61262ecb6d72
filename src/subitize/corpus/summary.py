"""Summarises the counts of a corpus: frequencies of numbers, power laws, heaped decades; compares two corpora."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from subitize.corpus.counting import MOST_NOUNS, CaptionSample, CountedCorpus, Counts, rank
from subitize.errors import BadValueError
from subitize.records import Estimate
from subitize.stats import frequencies
from subitize.stats.estimate import subtract_independent, wilson_bounds, wilson_interval

DECADES = tuple(range(10, 101, 10))
LARGEST = 1_000
"""Larger numbers count as outliers: years, prices, identifiers."""
_LEAST_FITTED = 50
_Z = float(ndtri(0.975))


@dataclass(frozen=True, slots=True)
class NumberCount:
    """A numerosity with its captions, their share of all captions with one, and its commonest nouns."""

    number: int
    captions: int
    share: Estimate
    nouns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PowerLawFit:
    """A power law fitted to some of the numbers; `fit` is the share of its own samples at least as far from it."""

    name: str
    law: frequencies.PowerLaw
    fit: Estimate
    alternatives: tuple[frequencies.Alternative, ...]


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """The summary of a corpus."""

    name: str
    rule: Mapping[str, Any]
    shards: int
    captions: int
    candidates: int
    counted: Estimate
    """The share of captions with a numerosity."""
    outliers: Estimate | None
    """The share of these with a numerosity above LARGEST."""
    rows: tuple[NumberCount, ...]
    decades: tuple[frequencies.Heap, ...]
    fits: tuple[PowerLawFit, ...]
    unlisted_nouns: int
    """Numerosities whose nouns are not among the commonest."""
    samples: Mapping[int, tuple[CaptionSample, ...]]
    problems: int
    first_problems: tuple[str, ...]


def summarise(corpus: CountedCorpus, start: int = 1) -> CorpusSummary:
    """Summarise a corpus; power laws are fitted from `start` and from a chosen start."""
    if start < 1:
        raise BadValueError(f"`start` {start}: should be 1 or more")
    counts = corpus.counts
    large = sum(count for number, count in counts.numerosities.items() if number > LARGEST)
    return CorpusSummary(
        name=corpus.name,
        rule=corpus.rule,
        shards=corpus.shards,
        captions=counts.captions,
        candidates=counts.candidates,
        counted=_share(counts.counted, counts.captions),
        outliers=_share(large + counts.dropped_numbers, counts.counted) if counts.counted else None,
        rows=tuple(_rows(counts)),
        decades=tuple(frequencies.measure_heaping(counts.numerosities, DECADES)),
        fits=tuple(_fits(frequencies.Histogram.of(counts.numerosities), start)),
        unlisted_nouns=_count_unlisted(counts),
        samples={number: tuple(own) for number, own in sorted(counts.samples.items())},
        problems=counts.problems,
        first_problems=tuple(counts.first_problems),
    )


def _share(part: int, whole: int) -> Estimate:
    return wilson_interval(part, whole) if whole else Estimate(0.0, 0.0, 1.0, 0, "share of nothing")


def _count_unlisted(counts: Counts) -> int:
    listed = sum(count for _, count in rank(counts.nouns)[:MOST_NOUNS])
    return counts.mentions.total() + counts.dropped_mentions - listed


def _rows(counts: Counts) -> list[NumberCount]:
    numbers = sorted(counts.numerosities)
    seen = np.array([counts.numerosities[number] for number in numbers], dtype=np.float64)
    n = counts.counted
    low, high = wilson_bounds(seen / max(n, 1), np.full(len(seen), float(n)), _Z)
    nouns: dict[int, list[tuple[str, int]]] = {}
    for (number, noun), count in rank(counts.nouns)[:MOST_NOUNS]:
        nouns.setdefault(number, []).append((noun, count))
    method = "share of captions with a numerosity, Wilson interval"
    return [
        NumberCount(number, int(count), Estimate(count / n, below, above, n, method), tuple(nouns.get(number, ())))
        for number, count, below, above in zip(numbers, seen.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def _fits(histogram: frequencies.Histogram, start: int) -> list[PowerLawFit]:
    if histogram.between(start).n < _LEAST_FITTED:
        return []
    found = [
        (f"from {start}", frequencies.fit_power_law(histogram, start), False),
        ("start chosen", frequencies.choose_start(histogram), True),
        (f"from {start} to {LARGEST}", frequencies.fit_power_law(histogram, start, LARGEST), False),
    ]
    return [
        PowerLawFit(
            name,
            law,
            frequencies.measure_fit(histogram, law, is_start_chosen=is_chosen),
            tuple(frequencies.compare_laws(histogram, law)) if law.most is None else (),
        )
        for name, law, is_chosen in found
        if law is not None
    ]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A number's shares in two corpora, and the ratio of the first to the second."""

    number: int
    first: Estimate
    second: Estimate
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class CorpusComparison:
    """The ratios of shared numbers, and the differences of exponents by fit."""

    first: str
    second: str
    ratios: tuple[Ratio, ...]
    exponents: dict[str, Estimate]


def compare_corpora(first: CorpusSummary, second: CorpusSummary) -> CorpusComparison:
    """Compare two corpora number by number; captions count as independent."""
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
    return CorpusComparison(first.name, second.name, ratios, differences)


def _ratio(first: Estimate, second: Estimate) -> Estimate:
    """Divide two shares of independent samples (Katz's interval of the logarithm)."""
    value = first.value / second.value
    variance = sum((1 - one.value) / (one.value * one.n) for one in (first, second))
    half = _Z * math.sqrt(variance)
    low, high = value * math.exp(-half), value * math.exp(half)
    return Estimate(value, low, high, first.n + second.n, "ratio of shares, log interval (Katz)")
