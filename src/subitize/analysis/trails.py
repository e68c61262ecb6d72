"""What a run tells about how it was made: all its responses and readings, gone through once."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from pydantic_core import from_json

from subitize.store import Run, is_later
from subitize.store.rows import ReadingTrace, ResponseRow, ResponseTrace, read_provenances, read_reading_provenances
from subitize.store.subjects import FAILED

_EXAMPLES = 3


class Place(NamedTuple):
    """The row of a score within its run."""

    suite: str
    model: str
    judge: str


@dataclass(slots=True)
class Trail:
    """What the responses of one model in one suite tell about how they were made; those that failed are included."""

    first_at: float = float("inf")
    last_at: float = 0.0
    trials: int = 0
    seeds: int = 0
    """How many different ones there are."""
    shown: dict[tuple[str, int], ResponseRow] = field(default_factory=dict)
    """By item and repeat, the attempt that figures use."""
    asked_again: set[tuple[str, int]] = field(default_factory=set)
    sent: dict[tuple[str, str], None] = field(default_factory=dict)
    """Items with the prompts that they were sent with, as JSON, where an answer or a refusal came of it."""
    sent_in_vain: dict[tuple[str, str], None] = field(default_factory=dict)
    tellings: Counter[tuple[str, bool, str]] = field(default_factory=Counter)
    """How many responses are of a kind, had their prompt rewritten, and were made with settings, as JSON."""
    usages: Counter[str] = field(default_factory=Counter)
    rewritings: dict[str, None] = field(default_factory=dict)

    @property
    def responses(self) -> int:
        """How many there are."""
        return self.tellings.total()

    @property
    def failed(self) -> int:
        """How many came to nothing."""
        return sum(count for (kind, _, _), count in self.tellings.items() if kind == FAILED)

    def prompts(self) -> tuple[str, ...]:
        """Give a few examples of prompts as they were sent."""
        different = dict.fromkeys(prompt for _, prompt in (*self.sent, *self.sent_in_vain))
        return tuple(str(from_json(prompt)) for prompt in islice(different, _EXAMPLES))

    def rewritten(self) -> tuple[str, ...]:
        """Give a few examples of what a provider made of prompts."""
        return tuple(str(from_json(prompt)) for prompt in self.rewritings)

    def settings(self) -> dict[str, Counter[str]]:
        """Sum up how many responses tell which revision, weights, parameters and versions."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for (_, _, text), count in self.tellings.items():
            for name, value in _settings(from_json(text)):
                found[name][value] += count
        return found

    def add(self, row: ResponseTrace) -> None:
        """Take in a response; what most have in common is decoded only once, when all are there."""
        how = row.how
        self.first_at, self.last_at = min(self.first_at, row.at), max(self.last_at, row.at)
        item_id = sys.intern(row.item_id)  # repeats of an item are many
        place = (item_id, row.repeat)
        one = ResponseRow(row.trial_id, item_id, row.model, row.repeat, row.attempt, sys.intern(row.kind))
        if place not in self.shown or is_later(one, self.shown[place]):
            self.shown[place] = one
        if row.attempt:
            self.asked_again.add(place)
        sent = self.sent if row.kind != FAILED else self.sent_in_vain
        sent[item_id, how.prompt] = None
        is_rewritten = how.rewritten not in ("null", how.prompt)  # some providers give back what they got
        self.tellings[row.kind, is_rewritten, how.settings] += 1
        self.usages[how.usage] += 1
        if is_rewritten and len(self.rewritings) < _EXAMPLES:
            self.rewritings[how.rewritten] = None


@dataclass(slots=True)
class ReadingTrail:
    """What the readings of one judge tell about how they were made."""

    rules: Counter[str] = field(default_factory=Counter)
    votes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How many readings there are, by question and subject."""
    annotators: set[str] = field(default_factory=set)
    first_at: float = float("inf")
    last_at: float = 0.0
    settings_texts: Counter[str] = field(default_factory=Counter)
    usages: Counter[str] = field(default_factory=Counter)

    def add(self, row: ReadingTrace) -> None:
        """Take in a reading."""
        self.rules[row.rule] += 1
        self.votes[row.question_id][row.subject_id] += 1
        self.first_at, self.last_at = min(self.first_at, row.at), max(self.last_at, row.at)
        if row.annotator:
            self.annotators.add(row.annotator)
        if row.how is not None:
            self.settings_texts[row.how.settings] += 1
            self.usages[row.how.usage] += 1

    def revisions(self) -> tuple[str, ...]:
        """List the revisions and weights of the model that judged, if they are known."""
        return self._join(lambda revision: revision)

    def served_names(self) -> tuple[str, ...]:
        """List the revisions without what follows a server's name of its model: the build of the day."""
        return self._join(lambda revision: revision.partition(" ")[0])

    def _join(self, short: Callable[[str], str]) -> tuple[str, ...]:
        found = set()
        for settings in map(from_json, self.settings_texts):
            known = (short(settings["revision"] or ""), settings["weights_hash"])
            found.add(", weights ".join(filter(None, known)))
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, slots=True)
class Trails:
    """All that a run tells about how it was made: by suite and model, and by row of a score."""

    responses: Mapping[tuple[str, str], Trail]
    readings: Mapping[Place, ReadingTrail]


def follow_trails(run: Run) -> Trails:
    """Go through all responses and readings once."""
    responses: dict[tuple[str, str], Trail] = defaultdict(Trail)
    seeds: dict[tuple[str, str], set[str]] = defaultdict(set)
    owners: dict[str, tuple[str, str]] = {}
    keys: dict[tuple[str, str], tuple[str, str]] = {}
    for response in read_provenances(run):
        key = (response.item_id.partition("/")[0], response.model)
        key = keys.setdefault(key, key)
        responses[key].add(response)
        seeds[key].add(response.how.seed)
        owners[response.trial_id] = key
    trials = Counter(owners.values())
    for key, trail in responses.items():
        trail.seeds, trail.trials = len(seeds.pop(key)), trials[key]
    readings: dict[Place, ReadingTrail] = defaultdict(ReadingTrail)
    for reading in read_reading_provenances(run):
        owner = owners.get(reading.trial_id)
        if owner is not None:
            readings[Place(*owner, reading.judge)].add(reading)
    return Trails(dict(responses), dict(readings))


def _settings(provenance: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    found = [("Revision", provenance["revision"]), ("Weights", provenance["weights_hash"])]
    found += [("Parameters", f"{name} = {value}") for name, value in provenance["parameters"].items()]
    found += [("Versions", f"{name} {value}") for name, value in provenance["versions"].items()]
    return [(name, str(value)) for name, value in found if value is not None]
