"""Under what protocol a score was got: what two rows must share to be comparable, and what is each row's own.

Model names, revisions, versions and dates are what rows are there to compare, or change nothing that was asked: they
are shown beside a protocol and are not in its fingerprint. So are the options and the seed of a suite: they say how
items are made, and the items themselves are in it (see contents.py). A seed of the run that gives the same items gives
trials other seeds, which are drawn by lot anyway: that trials have seeds of their own is in it, which ones is not. Of
the options only the cap on asking again says more than the items do.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import polars as pl
from pydantic_core import from_json

from subitize.analysis.frame import NO_JUDGE, ReadOptions, RunFrame, pair_asks_with_responses
from subitize.analysis.overview import describe_samples
from subitize.analysis.provenance import (
    Content,
    Group,
    ReadingTrail,
    ResponseTrail,
    Trails,
    read_contents,
    read_provenance,
)
from subitize.io.frames import make_frame
from subitize.labels import EARLIER_NAME, MEDIAN, PLURALITY, find_parts_rule, rule_versions
from subitize.records import MatchesPrompt, digest
from subitize.registry import RULE_OPTION
from subitize.store import Run
from subitize.store.frames import RESPONSES, latest_attempts
from subitize.store.reading import FAILED, read_suite_options

SCORING_VERSION = 3
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


class Unread(NamedTuple):
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
    judge: str = NO_JUDGE
    judge_options: Mapping[str, str] = field(default_factory=dict)
    judge_revisions: tuple[str, ...] = ()
    """The names that its model was served by; builds behind one name come and go by the day."""
    unread: Unread = field(default=Unread(0, 0, ""))
    readings: tuple[tuple[int, int], ...] = ()
    """How many readings there are of an answer to a question, and of how many in a hundred so many."""
    rules: tuple[str, ...] = ()
    agreement: str = ""
    is_voted: bool = True
    """Whether any answer has several readings; where none has, all rules but papers' own make the same of them."""
    scoring_version: int = SCORING_VERSION

    @property
    def fingerprint(self) -> str:
        """A short hash of all that is in it: two rows are comparable exactly when theirs are equal."""
        return digest(_describe(self))[:_FINGERPRINT_DIGITS]


@dataclass(frozen=True, slots=True)
class RowProtocol:
    """The protocol that a row followed, and what is its own: options, seed and sample, calls and their readings."""

    protocol: Protocol
    suite_options: Mapping[str, str]
    seed: int
    sample: str
    model_options: Mapping[str, str]
    sight: str
    """What came of the sight check, or that there was none; nothing of a model that was asked to draw."""
    calls: ResponseTrail
    readings: ReadingTrail

    @property
    def varying(self) -> dict[str, Counter[str]]:
        """The parameters that are not the same in all answers, with their values."""
        found = self.calls.answers().parameters()
        return {name: values for name, values in found.items() if name not in self.protocol.parameters}


def read_protocols(run: Run, trails: Trails, reader: ReadOptions | None = None) -> dict[Group, RowProtocol]:
    """Say under what protocol each row of a score was got, and what is its own; `reader` is how scores are read."""
    reader = reader or ReadOptions()
    options, excluded = read_suite_options(run), run.exclusions()
    seeds, samples = {entry.name: entry.seed for entry in run.suites()}, describe_samples(run)
    entries = run.models()
    models = {entry.spec: entry.options for entry in entries}
    stand_ins = {entry.spec for entry in entries if entry.is_stand_in}
    judges = {entry.spec: entry.options for entry in run.judges()}
    asked = {item for calls in trails.responses.values() for item in calls.rows["item"].unique()}
    contents = read_contents(run, asked)
    found = {}
    for (suite, model), calls in trails.responses.items():
        unjudged = _describe_calls(suite, options[suite], calls, contents, excluded)
        subjects = _list_subjects(calls, contents)
        sight = ""
        if model not in stand_ins and (calls.rows["kind"] == "said").any():
            from subitize.suites.sight import describe_sight  # it needs the tools of pictures

            sight = describe_sight(run, model)
        for place, readings in trails.readings.items():
            is_wanted = reader.judge is None or place.judge in (reader.judge, NO_JUDGE)
            if place[:2] != (suite, model) or not is_wanted:
                continue
            judge, judge_options = _strip(place.judge, judges.get(place.judge, {}))
            votes, joined_by = _count_votes(run, suite, subjects, readings)
            unread, coverage = _cover(subjects, votes)
            rules = {*readings.rows["rule"].unique()}
            if reader.rule is not None:  # what it leaves open is as it was in those of the readings
                rules = {str(reader.rule.over_stored(rule)) for rule in rules} or {str(reader.rule)}
            protocol = replace(
                unjudged,
                judge=judge,
                judge_options=judge_options,
                judge_revisions=readings.revisions(is_short=True),
                unread=unread,
                readings=coverage,
                rules=(*sorted(rules), *joined_by),
                agreement=reader.agreement,
                is_voted=bool((votes["votes"] > 1).any()),
            )
            own = (options[suite], seeds[suite], samples.get(suite, ""), models[model], sight)
            found[place] = RowProtocol(protocol, *own, calls, readings)
    return found


def fingerprints(survey: RunFrame, trails: Trails | None = None) -> dict[tuple[str, str, str], str]:
    """Get the fingerprint of the protocol behind each row of a score, by suite, model and judge."""
    found = read_protocols(survey.run, trails or read_provenance(survey.run, survey.readings), survey.reader)
    rows = {*survey.observations.rows.select(Group._fields).unique().iter_rows()}
    return {place: one.protocol.fingerprint for place, one in found.items() if place in rows}


def describe(protocol: Protocol) -> list[tuple[str, tuple[str, ...]]]:
    """Say in words what rows under this protocol share."""
    return [
        (key, tuple(f"{name} = {value}" for name, value in told.items()) or (_NONE,))
        if isinstance(told, Mapping)
        else (key, (told,))
        for key, told in _describe(protocol).items()
    ]


def differences(one: Protocol, other: Protocol) -> list[str]:
    """Say in words in what two protocols differ; nothing exactly where their fingerprints are the same."""
    found: list[str] = []
    mine, others = _describe(one), _describe(other)
    for key, a in mine.items():
        b, owner = others[key], _OWNERS.get(key)
        if owner is not None and mine[owner] != others[owner]:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            found += [
                f"{name} {a.get(name, _UNTOLD)} against {b.get(name, _UNTOLD)}"
                for name in dict.fromkeys((*a, *b))
                if a.get(name) != b.get(name)
            ]
        elif a != b:
            found.append(f"{key.lower()}: {a} against {b}")
    return found


_NONE, _UNTOLD = "none", "not told"
_SUITE, _ITEMS, _JUDGE = "Suite", "Items", "Judge"
_AGAIN, _CONTENTS, _PROMPTS, _JUDGE_OPTIONS = "Asking again", "Content of the items", "Prompts as sent", "Judge options"
# What is told of something is not told of another: the options of one judge are no options of another, and where there
# are more items, it goes without saying that not all are the same.
_OWNERS = {_AGAIN: _SUITE, _CONTENTS: _ITEMS, _PROMPTS: _ITEMS, _JUDGE_OPTIONS: _JUDGE}


def _describe_calls(
    suite: str,
    options: Mapping[str, str],
    calls: ResponseTrail,
    contents: Mapping[str, Content],
    excluded: Collection[str],
) -> Protocol:
    """Say what was asked of one model in one suite; who judged is still open."""
    repeats = dict(calls.rows.group_by("item").agg(pl.col("repeat").n_unique()).iter_rows())
    hashes = {item: contents[item].hash for item in repeats}
    left_out = sorted(hashes[item] for item in repeats if item in excluded)
    answers = calls.answers()
    return Protocol(
        suite=suite,
        asking_again={name: options[name] for name in _ASKING_AGAIN if name in options},
        items=len(repeats),
        contents=digest(sorted(hashes.values())),
        unknown_pictures=tuple(sorted({contents[item].unknown_picture for item in repeats} - {""})),
        prompts=_hash_prompts(calls, contents),
        excluded=len(left_out),
        exclusions=digest(left_out),
        repeats=tuple(sorted(Counter(repeats.values()).items())),
        repeated=digest(sorted((hashes[item], times) for item, times in repeats.items())),
        is_rewritten=answers.rewritten > 0,
        has_own_seeds=calls.has_own_seeds,
        parameters={
            name: next(iter(values))
            for name, values in sorted(answers.parameters().items())
            if name not in _WHENCE and len(values) == 1 and values.total() == answers.responses
        },
    )


def _hash_prompts(calls: ResponseTrail, contents: Mapping[str, Content]) -> str | None:
    """Hash the prompts that were sent otherwise than as the items word them; of images made elsewhere none is known.

    That of a failed call counts only where no other call about the item did better.
    """
    is_failed = pl.col("kind") == FAILED
    sent = calls.rows.filter(~is_failed | is_failed.all().over("item")).select("item", "prompt").unique()
    pairs = ((contents[item], str(from_json(prompt))) for item, prompt in sent.iter_rows())
    others = sorted((content.hash, prompt) for content, prompt in pairs if prompt != content.text)
    if not others:
        return ""
    return digest(others) if any(prompt for _, prompt in others) else None


def _strip(judge: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Leave out of a judge's name and options the rule, which is told by itself, and where its model is served."""
    left = dict(options)
    if any(name.startswith("model ") for name in left):
        left.pop("model", None)  # the model as it was written, which is the judge's name
    for option in (RULE_OPTION, *(f"model {name}" for name in _WHENCE)):
        if option not in left or (option == RULE_OPTION and left[option] not in rule_versions()):
            continue
        name, value = option.removeprefix("model "), left.pop(option)
        judge = re.sub(rf"(?<=[:,]){name}={re.escape(value)}(?:,|$)", "", judge).rstrip(",:")
    return judge, left


def _count_votes(
    run: Run, suite: str, subjects: pl.DataFrame, readings: ReadingTrail
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Count the readings by question and subject, and name the rule by which wholes follow from parts, if they do.

    Such a whole is read as often as the part that was read least.
    """
    votes = readings.rows.group_by("question", "subject").len("votes")
    whole, rule = MatchesPrompt().id, find_parts_rule(suite)
    if rule is None or not votes.height or whole in votes["question"]:
        return votes, ()
    asked = [(item.id, ask.question.id) for item in run.items(suite) for ask in rule.list_parts(item)]
    parts = pl.DataFrame(asked, {"item": pl.String(), "part": pl.String()}, orient="row")
    wholes = subjects.filter(pl.col("question") == whole).select("item", "question", "subject").join(parts, on="item")
    read = wholes.join(votes, left_on=["part", "subject"], right_on=["question", "subject"], how="left")
    joined = read.group_by("question", "subject").agg(pl.col("votes").fill_null(0).min()).select(votes.columns)
    return pl.concat([votes, joined], how="vertical_relaxed"), (rule.name,)


def _cover(subjects: pl.DataFrame, counted: pl.DataFrame) -> tuple[Unread, tuple[tuple[int, int], ...]]:
    """Find what a judge left unread of the answers, and how often it read the others, in whole percent.

    Where people look, a few pictures get a look more or less by chance, and differently so for every model.
    """
    votes = subjects.join(counted, on=["question", "subject"], how="left").with_columns(pl.col("votes").fill_null(0))
    read = votes.filter(pl.col("votes") > 0)
    shares = ((count, round(100 * times / read.height)) for count, times in read.group_by("votes").len().iter_rows())
    unread = votes.group_by("item", "hash", "question").agg(
        missing=(pl.col("votes") == 0).sum(), is_begun=(pl.col("votes") > 0).any()
    )
    unread = unread.filter(pl.col("missing") > 0)
    begun = unread.filter("is_begun").height
    # Of what was not read at all it does not matter how many answers there are: some calls may have failed.
    which = unread.select("hash", "question", pl.col("missing") * pl.col("is_begun")).rows()
    gaps = Unread(unread.height - begun, begun, digest(sorted(which)) if which else "")
    return gaps, tuple(sorted((count, share) for count, share in shares if share))


def _list_subjects(calls: ResponseTrail, contents: Mapping[str, Content]) -> pl.DataFrame:
    """List all that there is to read, by item and question: answers, or groups of so many."""
    latest = latest_attempts(calls.rows.select(*RESPONSES))
    asked = (
        (item, contents[item].hash, question, size)
        for item in latest["item"].unique()
        for question, size in contents[item].questions
    )
    schema = {**dict.fromkeys(("item", "hash", "question"), pl.String()), "group": pl.Int64()}
    # Where all were refused there is nothing to read.
    return pair_asks_with_responses(make_frame(asked, schema).with_row_index("place"), latest).filter(
        ~pl.col("is_refused")
    )


def _describe(protocol: Protocol) -> dict[str, str | Mapping[str, str]]:
    """Tell all that is in a protocol; a hash stands where it would be too much.

    The keys and words are hashed: they stay as they are, or every fingerprint changes.
    """
    excluded = f"{protocol.excluded:,} items ({protocol.exclusions[:_SHORT_DIGITS]})"
    repeated = f", hash {protocol.repeated[:_SHORT_DIGITS]}" if len(protocol.repeats) != 1 else ""
    wholly, partly, which = protocol.unread
    unread = f"{wholly:,} questions about items wholly, {partly:,} in part ({which[:_SHORT_DIGITS]})"
    return {
        _SUITE: protocol.suite,
        _AGAIN: protocol.asking_again,
        _ITEMS: f"{protocol.items:,}",
        _CONTENTS: f"hash {protocol.contents[:_FINGERPRINT_DIGITS]}",
        "Unknown pictures": _tell_unknown(protocol.unknown_pictures) or _NONE,
        _PROMPTS: _tell_prompts(protocol.prompts),
        "Excluded by hand": excluded if protocol.excluded else _NONE,
        "Answers or images per item": _tell_counts(protocol.repeats, "items") + repeated,
        "Prompts rewritten by the provider": "some or all" if protocol.is_rewritten else _NONE,
        "Seeds": "each trial its own" if protocol.has_own_seeds else "shared between trials",
        "Parameters of the call": protocol.parameters,
        _JUDGE: protocol.judge,
        _JUDGE_OPTIONS: protocol.judge_options,
        "Revision of the judge": ", ".join(protocol.judge_revisions) or _UNTOLD,
        "Left unread by the judge": unread if wholly or partly else _NONE,
        "Readings of an answer": _tell_counts(protocol.readings, "%") or _NONE,
        "Rule, with version and threshold": ", ".join(protocol.rules) or _NONE,
        "Agreement of several readings": _tell_agreement(protocol),
        "Scoring": f"version {protocol.scoring_version}",
    }


def _tell_unknown(names: Sequence[str]) -> str:
    told = [f"unknown picture {name}" for name in names[:_EXAMPLES]]
    if len(names) > len(told):
        told.append(f"{len(names) - len(told):,} others ({digest(names)[:_SHORT_DIGITS]})")
    return ", ".join(told)


def _tell_prompts(prompts: str | None) -> str:
    if prompts is None:
        return _UNTOLD
    return f"otherwise, hash {prompts[:_FINGERPRINT_DIGITS]}" if prompts else "as the items word them"


def _tell_counts(counts: Sequence[tuple[int, int]], unit: str) -> str:
    """Tell how often, and if that differs, of how many so often."""
    if len(counts) == 1:
        return str(counts[0][0])
    return ", ".join(f"{times} ({many:,} {unit})" for times, many in counts)


def _tell_agreement(protocol: Protocol) -> str:
    """Name the rule as rows got before it was renamed have it, where it makes the same of the readings."""
    is_as_before = protocol.agreement == "first" or (
        protocol.agreement in (PLURALITY, MEDIAN) and not protocol.is_voted
    )
    return EARLIER_NAME if is_as_before else protocol.agreement
