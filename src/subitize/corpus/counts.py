"""What is counted: captions by numerosity, nouns by number, and a few captions of each numerosity to look at."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from subitize.corpus.numerosities import Numerosity

MOST_NOUNS = 10_000
"""Nouns by number that are listed; the rest is counted."""
_MOST_PAIRS = 50_000  # kept while counting, so that what is listed in the end is exact but for the rarest
_MOST_NUMBERS = 100_000
_MOST_SAMPLED = 1_000  # the largest numerosity of which captions are kept
_SAMPLE_CHARACTERS = 300


class Sample(NamedTuple):
    """A caption kept at random: the key is a hash, so that any order of files keeps the same ones."""

    key: str
    caption: str
    address: str


@dataclass(slots=True)
class Counts:
    """The figures of a corpus or of a part of it; those of parts can be added."""

    captions: int = 0
    candidates: int = 0
    """Captions that might hold a number."""
    numerosities: Counter[int] = field(default_factory=Counter)
    """Captions by the sum of their numerosities."""
    mentions: Counter[int] = field(default_factory=Counter)
    """Numerosities by number."""
    nouns: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Numerosities by number and noun, the commonest."""
    samples: dict[int, list[Sample]] = field(default_factory=dict)
    samples_per_number: int = 5
    dropped_numbers: int = 0
    """Captions of numerosities so rare that they are not in the histogram, for want of room."""
    dropped_mentions: int = 0
    """Numerosities of numbers so rare that they are not among the mentions, for want of room."""
    problems: int = 0
    first_problems: list[str] = field(default_factory=list)

    @property
    def counted(self) -> int:
        """Captions with a numerosity."""
        return self.numerosities.total() + self.dropped_numbers

    def add(self, found: Iterable[Numerosity], caption: str, address: str) -> None:
        """Count a caption that has numerosities."""
        total = 0
        for one in found:
            total += one.number
            self.mentions[one.number] += 1
            self.nouns[one] += 1
        self.numerosities[total] += 1
        if total <= _MOST_SAMPLED and self.samples_per_number:
            self._sample(total, caption, address)

    def trim(self) -> None:
        """Keep within bounds what could grow for ever."""
        if len(self.nouns) > 2 * _MOST_PAIRS:
            self.nouns = Counter(dict(rank(self.nouns)[:_MOST_PAIRS]))
        if len(self.numerosities) > 2 * _MOST_NUMBERS:
            kept = Counter(dict(rank(self.numerosities)[:_MOST_NUMBERS]))
            self.dropped_numbers += self.numerosities.total() - kept.total()
            self.numerosities = kept
        if len(self.mentions) > 2 * _MOST_NUMBERS:
            common = Counter(dict(rank(self.mentions)[:_MOST_NUMBERS]))
            self.dropped_mentions += self.mentions.total() - common.total()
            self.mentions = common

    def merge(self, other: "Counts") -> None:
        """Add the counts of another part."""
        self.captions += other.captions
        self.candidates += other.candidates
        self.dropped_numbers += other.dropped_numbers
        self.dropped_mentions += other.dropped_mentions
        self.problems += other.problems
        self.first_problems = (self.first_problems + other.first_problems)[:20]
        self.numerosities.update(other.numerosities)
        self.mentions.update(other.mentions)
        self.nouns.update(other.nouns)
        for number, own in other.samples.items():
            both = {*self.samples.get(number, ()), *own}
            self.samples[number] = sorted(both)[: self.samples_per_number]
        self.trim()

    def _sample(self, number: int, caption: str, address: str) -> None:
        key = blake2b(f"{caption}\0{address}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        own = self.samples.setdefault(number, [])
        if len(own) < self.samples_per_number or key < own[-1].key:
            sample = Sample(key, caption[:_SAMPLE_CHARACTERS], address)
            self.samples[number] = sorted({*own, sample})[: self.samples_per_number]


def rank(counter: Counter[Any]) -> list[tuple[Any, int]]:
    """List the commonest first; of equally common ones the smaller."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def to_plain(counts: Counts) -> dict[str, Any]:
    """Write counts as JSON has them."""
    return {
        "captions": counts.captions,
        "candidates": counts.candidates,
        "counted": counts.counted,
        "numerosities": dict(sorted(counts.numerosities.items())),
        "mentions": dict(sorted(counts.mentions.items())),
        "nouns": [[number, noun, count] for (number, noun), count in rank(counts.nouns)],
        "samples": {number: [list(one) for one in own] for number, own in sorted(counts.samples.items())},
        "samples_per_number": counts.samples_per_number,
        "dropped_numbers": counts.dropped_numbers,
        "dropped_mentions": counts.dropped_mentions,
        "problems": counts.problems,
        "first_problems": counts.first_problems,
    }


def from_plain(plain: Mapping[str, Any]) -> Counts:
    """Read counts that were written as JSON."""
    return Counts(
        captions=plain["captions"],
        candidates=plain["candidates"],
        numerosities=Counter({int(number): count for number, count in plain["numerosities"].items()}),
        mentions=Counter({int(number): count for number, count in plain["mentions"].items()}),
        nouns=Counter({(number, noun): count for number, noun, count in plain["nouns"]}),
        samples={int(number): [Sample(*one) for one in own] for number, own in plain["samples"].items()},
        samples_per_number=plain["samples_per_number"],
        dropped_numbers=plain["dropped_numbers"],
        dropped_mentions=plain.get("dropped_mentions", 0),  # counts of earlier versions do not say
        problems=plain["problems"],
        first_problems=plain["first_problems"],
    )
