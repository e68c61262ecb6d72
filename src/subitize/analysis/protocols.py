"""Under what protocol a score was got: what two rows must share to be comparable, and what is each row's own.

Model names, revisions, versions and dates are what rows are there to compare, or change nothing that was asked: they
are shown beside a protocol and are not in its fingerprint. So are the options and the seed of a suite: they say how
items are made, and the items themselves are in it (see contents.py). A seed of the run that gives the same items gives
trials other seeds, which are drawn by lot anyway: that trials have seeds of their own is in it, which ones is not. Of
the options only the cap on asking again says more than the items do.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pydantic_core import from_json

from subitize.analysis.contents import Content, read_contents
from subitize.analysis.observations import NO_JUDGE, Reader
from subitize.analysis.trails import Place, ReadingTrail, Trail, Trails, follow_trails
from subitize.labels import Rule, rule_versions
from subitize.records import digest
from subitize.store import Run, SuiteEntry, group_answers, is_refused, subject_of
from subitize.store.rows import ResponseRow, read_suite_options
from subitize.store.subjects import FAILED, REFUSED

SCORING_VERSION = 2
"""How observations are made of readings and scores of observations: raised whenever the same readings would give
another score. How readings are made of evidence is told by the versions of the rules; the version of subitize itself
changes with much that no score depends on."""

_FINGERPRINT_DIGITS = 12
_SHORT_DIGITS = 6
_EXAMPLES = 3
# They say where an answer came from and how it ended, not how it was asked for, and may be the same throughout.
_WHENCE = frozenset(
    {
        "base_url",
        "model",
        "provider",
        "endpoint",
        "file",
        "layout",
        "seed_in_name",
        "count_in_name",
        "n",
        "finish",
        "sends_seed",
    }
)
_ASKING_AGAIN = ("max_attempts",)
# The option by which judges are given a rule: under another rule their evidence is the same.
_RULE_OPTION = "policy"


class Gaps(NamedTuple):
    """Questions about items that a judge left unread, of all answers or of some, and a hash of which they are."""

    wholly: int
    partly: int
    which: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """What must be the same for two rows to be comparable.

    Of the parameters of the calls it has those that all answers of the row share. One that changes from answer to
    answer was not set by whoever made the run, and with it no two rows would ever be comparable. For the same reason
    it has none that say where an answer came from (`file`, `seed_in_name`, `base_url` …), how many came at once (`n`;
    `repeats` are all of an item) or how one ended (`finish`). Of rewriting it has the fact; the texts are the model's,
    and so is how often it saw reason to. Items that were asked count also where the call failed in the end: failing is
    the world's, and is told among what no figure covers. What a judge left unread enters no score, so it is told here.
    """

    suite: str
    asking_again: Mapping[str, str]
    """The options of the suite that say how often an item may be asked again."""
    items: int
    contents: str
    """A hash of what the items are."""
    unknown_pictures: tuple[str, ...]
    """The names of pictures whose files are gone, so that nobody can tell whether they are the same."""
    prompts: str | None
    """A hash of the items with their prompts as sent: empty where all were sent as the items word them, None where
    nobody can tell."""
    excluded: int
    exclusions: str
    """A hash of the items left out by hand."""
    repeats: tuple[tuple[int, int], ...]
    """How often items were asked, and how many of them so often."""
    repeated: str
    """A hash of which items were asked how often."""
    is_rewritten: bool
    has_own_seeds: bool
    parameters: Mapping[str, str]
    judge: str
    judge_options: Mapping[str, str]
    judge_revisions: tuple[str, ...]
    """The names that its model was served by; builds behind one name come and go by the day."""
    unread: Gaps
    readings: tuple[tuple[int, int], ...]
    """How many readings there are of an answer to a question, and of how many in a hundred so many."""
    rules: tuple[str, ...]
    agreement: str
    scoring_version: int = SCORING_VERSION

    @property
    def fingerprint(self) -> str:
        """A short hash of all that is in it: two rows are comparable exactly when theirs are equal."""
        return digest(_tell(self, _as_hashed))[:_FINGERPRINT_DIGITS]


@dataclass(frozen=True, slots=True)
class Particulars:
    """What is a row's own; `varying` has the parameters that are not the same in all answers, with their values."""

    suite_options: Mapping[str, str]
    seed: int
    model_options: Mapping[str, str]
    settings: Mapping[str, Counter[str]]
    varying: Mapping[str, Counter[str]]
    prompts: tuple[str, ...]
    responses: int
    answered: int
    rewritten: int
    asked_again: int
    judge_revisions: tuple[str, ...]
    annotators: int
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class Followed:
    """The protocol that a row followed, and what is its own."""

    protocol: Protocol
    particulars: Particulars


def follow_protocols(run: Run, trails: Trails, reader: Reader | None = None) -> dict[Place, Followed]:
    """Say under what protocol each row of a score was got, and what is its own; `reader` is how scores are read."""
    reader = reader or Reader()
    options = read_suite_options(run)
    suites = {entry.name: entry for entry in run.suites()}
    models = {entry.name: entry.options for entry in run.models()}
    judges = {entry.name: entry.options for entry in run.judges()}
    contents = read_contents(run, {item for trail in trails.responses.values() for item, _ in trail.shown})
    excluded = run.exclusions()
    by_owner: dict[tuple[str, str], dict[str, ReadingTrail]] = defaultdict(dict)
    for place, looked in trails.readings.items():
        by_owner[place.suite, place.model][place.judge] = looked
    found = {}
    for (suite, model), trail in trails.responses.items():
        told = _listen(trail)
        asked = _asked(suites[suite], options[suite], _Asking(trail, contents, excluded), told)
        own = _particulars(suites[suite], trail, told)
        own = replace(own, suite_options=options[suite], model_options=models[model])
        for judge, looked in (by_owner[suite, model] or {NO_JUDGE: ReadingTrail()}).items():
            if reader.judge is not None and judge not in (reader.judge, NO_JUDGE):
                continue
            name, judge_options = _strip(judge, judges.get(judge, {}))
            unread, readings = _cover(trail, contents, looked)
            protocol = replace(
                asked,
                judge=name,
                judge_options=judge_options,
                judge_revisions=looked.served_names(),
                unread=unread,
                readings=readings,
                rules=_rules(reader.rule, looked.rules),
                agreement=reader.agreement,
            )
            span = replace(
                own,
                judge_revisions=looked.revisions(),
                annotators=len(looked.annotators),
                last_at=max(own.last_at, looked.last_at),
            )
            found[Place(suite, model, judge)] = Followed(protocol, span)
    return found


def fingerprints(run: Run, reader: Reader | None = None) -> dict[tuple[str, str, str], str]:
    """Get the fingerprint of the protocol behind each row of a score, by suite, model and judge."""
    found = follow_protocols(run, follow_trails(run), reader)
    return {place: followed.protocol.fingerprint for place, followed in found.items()}


def describe(protocol: Protocol) -> list[tuple[str, tuple[str, ...]]]:
    """Say in words what rows under this protocol share."""
    return [
        (_as_shown(key), tuple(f"{name} = {value}" for name, value in told.items()) or (_as_shown("none"),))
        if isinstance(told, Mapping)
        else (_as_shown(key), (told,))
        for key, told in _tell(protocol, _as_shown).items()
    ]


def differences(one: Protocol, other: Protocol) -> list[str]:
    """Say in words in what two protocols differ; nothing exactly where their fingerprints are the same."""
    found: list[str] = []
    mine, others = _tell(one, _as_hashed), _tell(other, _as_hashed)
    shown, others_shown = _tell(one, _as_shown), _tell(other, _as_shown)
    untold = _as_shown(_UNTOLD)
    for key, a in mine.items():
        b, owner = others[key], _OWNERS.get(key)
        if owner is not None and mine[owner] != others[owner]:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            found += [
                f"{name} {a.get(name, untold)} against {b.get(name, untold)}"
                for name in dict.fromkeys((*a, *b))
                if a.get(name) != b.get(name)
            ]
        elif a != b:
            found.append(f"{_as_shown(key).lower()}: {shown[key]} against {others_shown[key]}")
    return found


# The keys and words of `_tell` are hashed: they stay as they are, or every fingerprint changes. To show other words,
# name them here, by the words that are hashed.
_SHOWN: dict[str, str] = {}
_UNTOLD = "not told"
_SUITE, _ITEMS, _JUDGE = "Suite", "Items", "Judge"
_AGAIN, _CONTENTS, _PROMPTS, _JUDGE_OPTIONS = "Asking again", "Content of the items", "Prompts as sent", "Judge options"
# What is told of something is not told of another: the options of one judge are no options of another, and where there
# are more items, it goes without saying that not all are the same.
_OWNERS = {_AGAIN: _SUITE, _CONTENTS: _ITEMS, _PROMPTS: _ITEMS, _JUDGE_OPTIONS: _JUDGE}


def _as_hashed(words: str) -> str:
    return words


def _as_shown(words: str) -> str:
    return _SHOWN.get(words, words)


class _Asking(NamedTuple):
    """What one model was asked in one suite, what the items are, and those that are left out by hand."""

    trail: Trail
    contents: Mapping[str, Content]
    excluded: Collection[str]


def _asked(suite: SuiteEntry, options: Mapping[str, str], asking: _Asking, told: "_Told") -> Protocol:
    """Say what was asked of one model in one suite; who judged is still open."""
    trail, contents = asking.trail, asking.contents
    repeats = Counter(item for item, _ in trail.shown)
    left_out = sorted(contents[item].hash for item in repeats if item in asking.excluded)
    return Protocol(
        suite=suite.name,
        asking_again={name: options[name] for name in _ASKING_AGAIN if name in options},
        items=len(repeats),
        contents=digest(sorted(contents[item].hash for item in repeats)),
        unknown_pictures=tuple(sorted({contents[item].unknown_picture for item in repeats} - {""})),
        prompts=_hash_prompts(_pairs_sent(trail), contents),
        excluded=len(left_out),
        exclusions=digest(left_out),
        repeats=tuple(sorted(Counter(repeats.values()).items())),
        repeated=digest(sorted((contents[item].hash, times) for item, times in repeats.items())),
        is_rewritten=told.rewritten > 0,
        # Seeds are drawn from 32 bits: among 100,000 trials a few are equal by chance.
        has_own_seeds=2 * trail.seeds > trail.trials,
        parameters=told.common,
        judge=NO_JUDGE,
        judge_options={},
        judge_revisions=(),
        unread=Gaps(0, 0, ""),
        readings=(),
        rules=(),
        agreement="",
    )


def _pairs_sent(trail: Trail) -> list[tuple[str, str]]:
    """List the items with their prompts; of a failed call only where no other call about the item did better."""
    settled = {item for item, _ in trail.sent}
    pairs = [*trail.sent, *(pair for pair in trail.sent_in_vain if pair[0] not in settled)]
    return [(item, str(from_json(prompt))) for item, prompt in pairs]


def _hash_prompts(pairs: Iterable[tuple[str, str]], contents: Mapping[str, Content]) -> str | None:
    """Hash the prompts that were sent otherwise than as the items word them; of images made elsewhere none is known."""
    others = sorted((contents[item].hash, prompt) for item, prompt in pairs if prompt != contents[item].text)
    if not others:
        return ""
    return digest(others) if any(prompt for _, prompt in others) else None


def _strip(judge: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Leave out of a judge's name and options the rule, which is told by itself, and where its model is served."""
    left = dict(options)
    if any(name.startswith("model ") for name in left):
        left.pop("model", None)  # the model as it was written, which is the judge's name
    for option in (_RULE_OPTION, *(f"model {name}" for name in _WHENCE)):
        if option not in left or (option == _RULE_OPTION and left[option] not in rule_versions()):
            continue
        name, value = option.removeprefix("model "), left.pop(option)
        judge = re.sub(rf"(?<=[:,]){name}={re.escape(value)}(?:,|$)", "", judge).rstrip(",:")
    return judge, left


def _rules(anew: Rule | None, stored: Iterable[str]) -> tuple[str, ...]:
    """List the rules that values were read by; what a new one leaves open is as it was in those of the readings."""
    rules = set(stored) if anew is None else {str(anew.over_stored(rule)) for rule in stored} or {str(anew)}
    return tuple(sorted(rules))


def _cover(
    trail: Trail, contents: Mapping[str, Content], looked: ReadingTrail
) -> tuple[Gaps, tuple[tuple[int, int], ...]]:
    """Find what a judge left unread of the answers, and how often it read the others, in whole percent.

    Where people look, a few pictures get a look more or less by chance, and differently so for every model.
    """
    votes: Counter[int] = Counter()
    unread: Counter[tuple[str, str]] = Counter()
    for item, question_id, subject_id in _subjects(trail, contents):
        count = looked.votes[question_id][subject_id] if question_id in looked.votes else 0
        votes[count] += 1
        if not count:
            unread[item, question_id] += 1
    shares = ((count, round(100 * times / (votes.total() - votes[0]))) for count, times in votes.items() if count)
    read = tuple(sorted((count, share) for count, share in shares if share))
    if not unread:
        return Gaps(0, 0, ""), read
    begun = {
        (item, question_id)
        for item, question_id, subject_id in _subjects(trail, contents)
        if (item, question_id) in unread and question_id in looked.votes and looked.votes[question_id][subject_id]
    }
    # Of what was not read at all it does not matter how many answers there are: some calls may have failed.
    which = ((contents[key[0]].hash, key[1], times if key in begun else 0) for key, times in unread.items())
    return Gaps(len(unread) - len(begun), len(begun), digest(sorted(which))), read


def _subjects(trail: Trail, contents: Mapping[str, Content]) -> Iterator[tuple[str, str, str]]:
    """Go through all that there is to read, as items, questions and subjects: answers, or groups of so many."""
    by_item: dict[str, list[ResponseRow]] = defaultdict(list)
    for (item, _), one in trail.shown.items():
        by_item[item].append(one)
    for item, answers in by_item.items():
        for question_id, size in contents[item].questions:
            for members in group_answers(answers, size):
                if not is_refused(members):
                    yield item, question_id, subject_of(members).id


@dataclass(frozen=True, slots=True)
class _Told:
    """What the answers tell of their calls, or where there are none the refusals, or else the failures."""

    answers: int
    rewritten: int
    common: Mapping[str, str]
    varying: Mapping[str, Counter[str]]


def _listen(trail: Trail) -> _Told:
    """Tell the parameters that all answers share from those that vary, and count what was rewritten."""
    kinds = {kind for kind, _, _ in trail.tellings}
    heard = (kinds - {REFUSED, FAILED}) or (kinds - {FAILED}) or kinds
    answers = rewritten = 0
    counts = defaultdict[str, Counter[str]](Counter)
    for (kind, is_rewritten, text), count in trail.tellings.items():
        if kind not in heard:
            continue
        answers += count
        rewritten += count * is_rewritten
        for name, value in from_json(text)["parameters"].items():
            counts[name][str(value)] += count
    whole = {name for name, found in counts.items() if found.total() == answers and len(found) == 1} - _WHENCE
    common = {name: next(iter(counts[name])) for name in sorted(whole)}
    return _Told(answers, rewritten, common, {name: found for name, found in counts.items() if name not in whole})


def _particulars(suite: SuiteEntry, trail: Trail, told: _Told) -> Particulars:
    return Particulars(
        suite_options={},
        seed=suite.seed,
        model_options={},
        settings=trail.settings(),
        varying=told.varying,
        prompts=trail.prompts(),
        responses=trail.responses,
        answered=told.answers,
        rewritten=told.rewritten,
        asked_again=len(trail.asked_again),
        judge_revisions=(),
        annotators=0,
        first_at=trail.first_at,
        last_at=trail.last_at,
    )


def _tell(protocol: Protocol, say: Callable[[str], str]) -> dict[str, str | Mapping[str, str]]:
    """Tell all that is in a protocol, in words that are hashed or shown; a hash stands where it would be too much."""
    none = say("none")
    return {
        _SUITE: protocol.suite,
        _AGAIN: protocol.asking_again,
        _ITEMS: f"{protocol.items:,}",
        _CONTENTS: say("hash {}").format(protocol.contents[:_FINGERPRINT_DIGITS]),
        "Unknown pictures": _tell_unknown(protocol.unknown_pictures, say) or none,
        _PROMPTS: _tell_prompts(protocol.prompts, say),
        "Excluded by hand": say("{:,} items ({})").format(protocol.excluded, protocol.exclusions[:_SHORT_DIGITS])
        if protocol.excluded
        else none,
        "Answers or images per item": _tell_repeats(protocol, say),
        "Prompts rewritten by the provider": say("some or all") if protocol.is_rewritten else none,
        "Seeds": say("each trial its own") if protocol.has_own_seeds else say("shared between trials"),
        "Parameters of the call": protocol.parameters,
        _JUDGE: say(protocol.judge),
        _JUDGE_OPTIONS: protocol.judge_options,
        "Revision of the judge": ", ".join(protocol.judge_revisions) or say(_UNTOLD),
        "Left unread by the judge": _tell_unread(protocol.unread, say) or none,
        "Readings of an answer": _tell_readings(protocol.readings) or none,
        "Rule, with version and threshold": ", ".join(protocol.rules) or none,
        "Agreement of several readings": protocol.agreement,
        "Scoring": say("version {}").format(protocol.scoring_version),
    }


def _tell_unknown(names: Sequence[str], say: Callable[[str], str]) -> str:
    told = [say("unknown picture {}").format(name) for name in names[:_EXAMPLES]]
    if len(names) > len(told):
        told.append(say("{:,} others ({})").format(len(names) - len(told), digest(names)[:_SHORT_DIGITS]))
    return ", ".join(told)


def _tell_prompts(prompts: str | None, say: Callable[[str], str]) -> str:
    if prompts is None:
        return say(_UNTOLD)
    if not prompts:
        return say("as the items word them")
    return say("otherwise, hash {}").format(prompts[:_FINGERPRINT_DIGITS])


def _tell_repeats(protocol: Protocol, say: Callable[[str], str]) -> str:
    if len(protocol.repeats) == 1:
        return str(protocol.repeats[0][0])
    told = ", ".join(say("{} ({:,} items)").format(times, items) for times, items in protocol.repeats)
    return say("{}, hash {}").format(told, protocol.repeated[:_SHORT_DIGITS])


def _tell_unread(unread: Gaps, say: Callable[[str], str]) -> str:
    if not unread.wholly and not unread.partly:
        return ""
    words = say("{:,} questions about items wholly, {:,} in part ({})")
    return words.format(unread.wholly, unread.partly, unread.which[:_SHORT_DIGITS])


def _tell_readings(readings: Sequence[tuple[int, int]]) -> str:
    if len(readings) == 1:
        return str(readings[0][0])
    return ", ".join(f"{count} ({share} %)" for count, share in readings)
