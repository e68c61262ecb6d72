"""Under what protocol a score was got: what two rows must share to be comparable, and what is each row's own.

Model names, revisions, versions and dates are what rows are there to compare, or change nothing that was asked: they
are shown beside a protocol and are not in its fingerprint.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from subitize.analysis.observations import NO_JUDGE, Reader
from subitize.records import Scalar, digest
from subitize.store import Run, SuiteEntry
from subitize.store.rows import (
    ReadingTrace,
    ResponseTrace,
    read_provenances,
    read_reading_provenances,
    read_suite_options,
)

SCORING_VERSION = 1
"""How observations are made of readings and scores of observations: raised whenever the same readings would give
another score. The version of subitize itself changes with much that no score depends on."""

Rewriting = Literal["none", "some", "all"]

_FINGERPRINT_DIGITS = 12
_EXAMPLES = 3
# They say where an answer came from and how it ended, not how it was asked for, and may be the same throughout.
_WHENCE = frozenset(
    {"base_url", "model", "provider", "endpoint", "file", "layout", "seed_in_name", "count_in_name", "n", "finish"}
)
_REFUSED, _FAILED = "refused", "failed"


class Place(NamedTuple):
    """The row of a score within its run."""

    suite: str
    model: str
    judge: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """What must be the same for two rows to be comparable.

    Of the parameters of the calls it has those that all answers of the row share. One that changes from answer to
    answer was not set by whoever made the run, and with it no two rows would ever be comparable. For the same reason
    it has none that say where an answer came from (`file`, `seed_in_name`, `base_url` …), how many came at once (`n`;
    `repeats` are all of an item) or how one ended (`finish`). Of rewriting it has the fact; the texts are the model's,
    and so is how often it saw reason to. Items that were asked count also where the call failed in the end: failing is
    the world's, and is told among what no figure covers.
    """

    suite: str
    suite_options: Mapping[str, str]
    seed: int
    items: int
    prompts: str
    """A hash of the items with their prompts as sent."""
    excluded: int
    exclusions: str
    """A hash of the items left out by hand."""
    repeats: tuple[tuple[int, int], ...]
    """How often items were asked, and how many of them so often. How often a suite asks again is an option of it."""
    rewritten: Rewriting
    has_own_seeds: bool
    parameters: Mapping[str, Scalar]
    judge: str
    judge_options: Mapping[str, str]
    judge_revisions: tuple[str, ...]
    rules: tuple[str, ...]
    agreement: str
    scoring_version: int = SCORING_VERSION

    @property
    def fingerprint(self) -> str:
        """A short hash: two rows are comparable exactly when theirs are equal."""
        return digest(asdict(self))[:_FINGERPRINT_DIGITS]


@dataclass(frozen=True, slots=True)
class Particulars:
    """What is a row's own; `varying` has the parameters that are not the same in all answers, with their values."""

    model_options: Mapping[str, str]
    settings: Mapping[str, Counter[str]]
    varying: Mapping[str, Counter[str]]
    prompts: tuple[str, ...]
    responses: int
    answered: int
    rewritten: int
    asked_again: int
    annotators: int
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class Followed:
    """The protocol that a row followed, and what is its own."""

    protocol: Protocol
    particulars: Particulars


@dataclass(slots=True)
class Trail:
    """What the responses of one model in one suite tell about how they were made; those that failed are included."""

    first_at: float = float("inf")
    last_at: float = 0.0
    trials: int = 0
    seeds: int = 0
    """How many different ones there are."""
    repeats: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """By item, a bit for each repeat that was asked for."""
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
        return sum(count for (kind, _, _), count in self.tellings.items() if kind == _FAILED)

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
        self.repeats[row.item_id] |= 1 << row.repeat
        if row.attempt:
            self.asked_again.add((row.item_id, row.repeat))
        sent = self.sent_in_vain if row.kind == _FAILED else self.sent
        sent[row.item_id, how.prompt] = None
        is_rewritten = how.rewritten not in ("null", how.prompt)  # some providers give back what they got
        self.tellings[row.kind, is_rewritten, how.settings] += 1
        self.usages[how.usage] += 1
        if is_rewritten and len(self.rewritings) < _EXAMPLES:
            self.rewritings[how.rewritten] = None


@dataclass(slots=True)
class ReadingTrail:
    """What the readings of one judge tell about how they were made."""

    rules: Counter[str] = field(default_factory=Counter)
    annotators: set[str] = field(default_factory=set)
    first_at: float = float("inf")
    last_at: float = 0.0
    settings_texts: Counter[str] = field(default_factory=Counter)
    usages: Counter[str] = field(default_factory=Counter)

    def add(self, row: ReadingTrace) -> None:
        """Take in a reading."""
        self.rules[row.rule] += 1
        self.first_at, self.last_at = min(self.first_at, row.at), max(self.last_at, row.at)
        if row.annotator:
            self.annotators.add(row.annotator)
        if row.how is not None:
            self.settings_texts[row.how.settings] += 1
            self.usages[row.how.usage] += 1

    def revisions(self) -> tuple[str, ...]:
        """List the revisions and weights of the model that judged, if they are known."""
        found = {_revision(from_json(text)) for text in self.settings_texts}
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


def follow_protocols(run: Run, trails: Trails, reader: Reader | None = None) -> dict[Place, Followed]:
    """Say under what protocol each row of a score was got, and what is its own; `reader` is how scores are read."""
    reader = reader or Reader()
    options, excluded = read_suite_options(run), run.exclusions()
    suites = {entry.name: entry for entry in run.suites()}
    models = {entry.name: entry.options for entry in run.models()}
    judges = {entry.name: entry.options for entry in run.judges()}
    by_owner: dict[tuple[str, str], dict[str, ReadingTrail]] = defaultdict(dict)
    for place, looked in trails.readings.items():
        by_owner[place.suite, place.model][place.judge] = looked
    found = {}
    for (suite, model), trail in trails.responses.items():
        told = _listen(trail)
        asked = _asked(suites[suite], options[suite], trail, told, excluded)
        own = _particulars(models[model], trail, told)
        for judge, looked in (by_owner[suite, model] or {NO_JUDGE: ReadingTrail()}).items():
            if reader.judge is not None and judge not in (reader.judge, NO_JUDGE):
                continue
            protocol = replace(
                asked,
                judge=judge,
                judge_options=dict(judges.get(judge, {})),
                judge_revisions=looked.revisions(),
                rules=(str(reader.rule),) if reader.rule else tuple(sorted(looked.rules)),
                agreement=reader.agreement,
            )
            span = replace(own, annotators=len(looked.annotators), last_at=max(own.last_at, looked.last_at))
            found[Place(suite, model, judge)] = Followed(protocol, span)
    return found


def fingerprints(run: Run, reader: Reader | None = None) -> dict[tuple[str, str, str], str]:
    """Get the fingerprint of the protocol behind each row of a score, by suite, model and judge."""
    found = follow_protocols(run, follow_trails(run), reader)
    return {place: followed.protocol.fingerprint for place, followed in found.items()}


def describe(protocol: Protocol) -> list[tuple[str, tuple[str, ...]]]:
    """Say in words what rows under this protocol share."""
    return [
        (name, tuple(f"{key} = {value}" for key, value in told.items()) or ("none",))
        if isinstance(told, Mapping)
        else (name, (told,))
        for name, told in _tell(protocol).items()
    ]


def differences(one: Protocol, other: Protocol) -> list[str]:
    """Say in words in what two protocols differ; nothing where they are the same."""
    found = []
    mine, others = _tell(one), _tell(other)
    for name in mine:
        a, b = mine[name], others[name]
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            # The options of one judge are no options of another.
            if _OWNERS.get(name) is None or mine[_OWNERS[name]] == others[_OWNERS[name]]:
                found += [
                    f"{key} {a.get(key, _UNTOLD)} against {b.get(key, _UNTOLD)}"
                    for key in dict.fromkeys((*a, *b))
                    if a.get(key, _UNTOLD) != b.get(key, _UNTOLD)
                ]
        elif a != b and not (name == _PROMPTS and mine[_ITEMS] != others[_ITEMS]):
            found.append(f"{name.lower()}: {a} against {b}")
    return found


_UNTOLD = "not told"
_ITEMS, _PROMPTS = "Items", "Prompts as sent"
_OWNERS = {"Suite options": "Suite", "Judge options": "Judge"}


def _asked(
    suite: SuiteEntry, options: Mapping[str, str], trail: Trail, told: "_Told", excluded: Iterable[str]
) -> Protocol:
    """Say what was asked of one model in one suite; who judged is still open."""
    pairs = _pairs_sent(trail)
    items = {item for item, _ in pairs}
    left_out = sorted(items.intersection(excluded))
    return Protocol(
        suite=suite.name,
        suite_options=dict(options),
        seed=suite.seed,
        items=len(items),
        prompts=digest(pairs),
        excluded=len(left_out),
        exclusions=digest(left_out),
        repeats=_repeats(trail),
        rewritten=told.rewriting,
        # Seeds are drawn from 32 bits: among 100,000 trials a few are equal by chance.
        has_own_seeds=2 * trail.seeds > trail.trials,
        parameters=told.common,
        judge=NO_JUDGE,
        judge_options={},
        judge_revisions=(),
        rules=(),
        agreement="",
    )


def _pairs_sent(trail: Trail) -> list[tuple[str, str]]:
    """List the items with their prompts; of a failed call only where no other call about the item did better."""
    settled = {item for item, _ in trail.sent}
    pairs = [*trail.sent, *(pair for pair in trail.sent_in_vain if pair[0] not in settled)]
    return sorted((item, str(from_json(prompt))) for item, prompt in pairs)


def _repeats(trail: Trail) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(bits.bit_count() for bits in trail.repeats.values()).items()))


@dataclass(frozen=True, slots=True)
class _Told:
    """What the answers tell of their calls, or where there are none the refusals, or else the failures."""

    answers: int
    rewritten: int
    common: Mapping[str, Scalar]
    varying: Mapping[str, Counter[str]]

    @property
    def rewriting(self) -> Rewriting:
        return "none" if not self.rewritten else "all" if self.rewritten == self.answers else "some"


def _listen(trail: Trail) -> _Told:
    """Tell the parameters that all answers share from those that vary, and count what was rewritten."""
    kinds = {kind for kind, _, _ in trail.tellings}
    heard = (kinds - {_REFUSED, _FAILED}) or (kinds - {_FAILED}) or kinds
    answers = rewritten = 0
    counts, values = defaultdict[str, Counter[str]](Counter), dict[str, Scalar]()
    for (kind, is_rewritten, text), count in trail.tellings.items():
        if kind not in heard:
            continue
        answers += count
        rewritten += count * is_rewritten
        for name, value in from_json(text)["parameters"].items():
            counts[name][str(value)] += count
            values[name] = value
    whole = {name for name, found in counts.items() if found.total() == answers and len(found) == 1} - _WHENCE
    common = {name: values[name] for name in sorted(whole)}
    return _Told(answers, rewritten, common, {name: found for name, found in counts.items() if name not in whole})


def _particulars(options: Mapping[str, str], trail: Trail, told: _Told) -> Particulars:
    return Particulars(
        model_options=options,
        settings=trail.settings(),
        varying=told.varying,
        prompts=trail.prompts(),
        responses=trail.responses,
        answered=told.answers,
        rewritten=told.rewritten,
        asked_again=len(trail.asked_again),
        annotators=0,
        first_at=trail.first_at,
        last_at=trail.last_at,
    )


def _settings(provenance: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    found = [("Revision", provenance["revision"]), ("Weights", provenance["weights_hash"])]
    found += [("Parameters", f"{name} = {value}") for name, value in provenance["parameters"].items()]
    found += [("Versions", f"{name} {value}") for name, value in provenance["versions"].items()]
    return [(name, str(value)) for name, value in found if value is not None]


def _revision(provenance: Mapping[str, Any]) -> str:
    known = (provenance["revision"], provenance["weights_hash"])
    return ", weights ".join(str(value) for value in known if value is not None)


def _tell(protocol: Protocol) -> dict[str, str | Mapping[str, str]]:
    repeats = [
        f"{times}" if len(protocol.repeats) == 1 else f"{times} ({items:,} items)" for times, items in protocol.repeats
    ]
    left_out = f"{protocol.excluded:,} items ({protocol.exclusions[:6]})" if protocol.excluded else "none"
    return {
        "Suite": protocol.suite,
        "Suite options": protocol.suite_options,
        "Seed of the run": str(protocol.seed),
        _ITEMS: f"{protocol.items:,}",
        _PROMPTS: f"hash {protocol.prompts[:_FINGERPRINT_DIGITS]}",
        "Excluded by hand": left_out,
        "Answers or images per item": ", ".join(repeats),
        "Prompts rewritten by the provider": protocol.rewritten,
        "Seeds": "each trial its own" if protocol.has_own_seeds else "shared between trials",
        "Parameters of the call": {name: str(value) for name, value in protocol.parameters.items()},
        "Judge": protocol.judge,
        "Judge options": protocol.judge_options,
        "Revision of the judge": ", ".join(protocol.judge_revisions) or _UNTOLD,
        "Rule, with version and threshold": ", ".join(protocol.rules) or "none",
        "Agreement of several readings": protocol.agreement,
        "Scoring": f"version {protocol.scoring_version}",
    }
