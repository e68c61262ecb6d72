"""Others' scores beside ours, for the same replies or drawings, with the reasons where they differ."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from subitize.analysis.clusters import Rate, cluster_of, estimate_rates
from subitize.frames import group_rows
from subitize.records import Estimate, Item, Scalar

WHOLE = "all"
"""The group that has everything."""
_EXAMPLES = 3
REASONS = {
    "reasoning": "a number in the model's reasoning was taken",
    "number word": "the count is written as a word",
    "punctuation": "only marks or spaces stand beside the number",
    "sentence": "the number stands in a sentence",
    "first integer": "the first number of the reply is another than the answer",
    "substring": "the digits stand within another number",
    "larger than 20": "a number above 20 is not read",
    "braces": "the count does not stand in braces",
    "near miss": "a count that is off is credited",
    "no one count": "we read no single count: several, a range, or none",
    "part of the credit": "less than the whole credit is given",
    "surplus": "more things than were asked for are credited",
    "threshold": "another score or distance is enough for them than for our judge",
    "other": "none of these",
}
"""Why a reply is read, or a drawing seen, differently."""


@dataclass(frozen=True, slots=True)
class Example:
    """A reply, or what was seen in a drawing: what is right, what we read, and the credit that the scorer gives."""

    item: str
    reply: str
    expected: str
    ours: str
    credit: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Replies that are read differently for one reason, with examples; where only they give credit, we are stricter."""

    reason: str
    we_are_stricter: bool
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """One model's replies or drawings by one scorer and by our judge, the same in both figures.

    `is_recorded` where the score was imported, not computed here. `left_out` counts what the scorer does
    not score, or the judge did not answer. `their_average` is the figure as they print it, where that is no plain mean.
    """

    suite: str
    model: str
    judge: str
    scorer: str
    group: str
    is_recorded: bool
    theirs: Estimate
    ours: Estimate
    left_out: int
    differences: tuple[Difference, ...]
    their_average: float | None = None

    @property
    def different(self) -> int:
        """How many replies are read differently."""
        return sum(one.count for one in self.differences)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reply or drawing: whether it is right as we read it, its credit elsewhere, and why they differ."""

    item: Item
    example: Example
    is_right: bool
    reason: str
    weight: float = 1.0
    stratum: tuple[Scalar, ...] = ()


class Heading(NamedTuple):
    """What verdicts are about."""

    suite: str
    model: str
    judge: str
    scorer: str
    group: str = WHOLE
    is_recorded: bool = False


def sum_up(heading: Heading, verdicts: Sequence[Verdict], left_out: int, average: float | None = None) -> Rescored:
    """Estimate both figures, and gather the reasons for what differs."""
    credited = [Rate(cluster_of(one.item), one.stratum, one.example.credit, weight=one.weight) for one in verdicts]
    right = [rate._replace(value=float(one.is_right)) for rate, one in zip(credited, verdicts, strict=True)]
    theirs, ours = estimate_rates([credited, right])
    return Rescored(*heading, theirs, ours, left_out, tuple(_gather(verdicts)), average)


def _gather(verdicts: Iterable[Verdict]) -> Iterator[Difference]:
    """Gather what differs by reason, the most frequent first."""
    different = (one for one in verdicts if one.example.credit != float(one.is_right))
    groups = group_rows(different, lambda one: (one.reason, not one.is_right))
    for (reason, we_are_stricter), own in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        yield Difference(reason, we_are_stricter, len(own), tuple(one.example for one in own[:_EXAMPLES]))
