"""The protocol behind a score. Scores are comparable if their protocols have the same fingerprint.

Model names, revisions, versions and dates are what rows are there to compare, or do not affect what was asked: they are
shown beside a protocol but are not part of its fingerprint. Nor are the options and the seed of a suite: they say how
items are made, and the items themselves are part of it (see provenance.py). Another seed of the run may give the same
items but other seeds of trials, which are random anyway: whether trials have seeds of their own is part of it, which
ones is not. Of the options, only the cap on asking again says more than the items do.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import polars as pl
from pydantic_core import from_json

from subitize.analysis.frame import ReadOptions, RunRows
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
from subitize.frame import NO_JUDGE, RESPONSES, latest_attempts, pair_asks_with_responses
from subitize.io.frames import make_frame
from subitize.labels import MEDIAN, PLURALITY, find_parts_rule, rule_versions
from subitize.labels.consensus import EARLIER_NAME
from subitize.records import FAILED, MatchesPrompt, digest
from subitize.registry import RULE_OPTION
from subitize.store import Run
from subitize.store.rows import read_suite_options

SCORING_VERSION = 3
"""The version of how readings become a frame and the frame becomes scores: raised whenever the same readings would give
another score. The versions of rules cover how evidence becomes readings; the version of subitize itself also changes
for reasons that affect no score."""

_FINGERPRINT_DIGITS = 12
_SHORT_DIGITS = 6
_EXAMPLES = 3
# They say where an answer came from and how it ended, not how it was asked for, even if they never vary.
_WHENCE = frozenset(
    {
        *("base_url", "model", "provider", "endpoint", "file", "layout", "seed_in_name", "count_in_name"),
        *("n", "finish", "sends_seed"),
    }
)
_ASKING_AGAIN = ("max_attempts",)


class Unread(NamedTuple):
    """Counts of questions about items that a judge left unread in all answers or in some, and a hash of them."""

    wholly: int
    partly: int
    which: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """What must be the same for two rows to be comparable.

    `parameters` has the parameters of calls that all answers of the row share. One that changes from answer to answer
    was not set by the maker of the run, and with it no two rows would ever be comparable. For the same reason it has
    none that say where an answer came from (`file`, `seed_in_name`, `base_url` …), how many came at once (`n`; all
    repeats of an item are in `repeats`) or how one ended (`finish`). Only the fact of rewriting is included; the texts,
    and how often prompts are rewritten, are up to the model. Items also count if their calls failed in the end:
    failures are beyond control, and are reported among what no figure covers. Answers that a judge left unread enter no
    score, so they are part of the protocol.
    """

    suite: str
    asking_again: Mapping[str, str]
    """The suite's options for how often an item may be asked again."""
    items: int
    contents: str
    """A hash of the contents of the items."""
    unknown_pictures: tuple[str, ...]
    """The names of pictures whose files are gone, so that they cannot be compared."""
    prompts: str | None
    """A hash of the items with their prompts as sent: empty if all were sent as the items word them, None if it is
    unknown."""
    excluded: int
    exclusions: str
    """A hash of the items left out by hand."""
    repeats: tuple[tuple[int, int], ...]
    """Pairs of a number of times that items were asked, and the number of such items."""
    repeated: str
    """A hash of the items with the number of times each was asked."""
    is_rewritten: bool
    has_own_seeds: bool
    parameters: Mapping[str, str]
    judge: str = NO_JUDGE
    judge_options: Mapping[str, str] = field(default_factory=dict)
    judge_revisions: tuple[str, ...] = ()
    """The names under which its model was served; the builds behind a name change from day to day."""
    unread: Unread = field(default=Unread(0, 0, ""))
    readings: tuple[tuple[int, int], ...] = ()
    """Pairs of a number of readings per answer, and the percentage of answers with so many."""
    rules: tuple[str, ...] = ()
    agreement: str = ""
    is_voted: bool = True
    """Whether any answer has several readings; if none has, all consensus rules but those of papers agree."""
    scoring_version: int = SCORING_VERSION

    @property
    def fingerprint(self) -> str:
        """A short hash of the protocol: two rows are comparable exactly if theirs are equal."""
        return digest(_describe(self))[:_FINGERPRINT_DIGITS]


@dataclass(frozen=True, slots=True)
class RowProtocol:
    """The protocol of a row, and what is specific to it: options, seed and sample, calls and their readings."""

    protocol: Protocol
    suite_options: Mapping[str, str]
    seed: int
    sample: str
    model_options: Mapping[str, str]
    sight: str
    """The result of the sight check, or that there was none; empty for models that were asked to draw."""
    calls: ResponseTrail
    readings: ReadingTrail

    @property
    def varying(self) -> dict[str, Counter[str]]:
        """The parameters that vary between answers, with their values."""
        found = self.calls.answers().parameters()
        return {name: values for name, values in found.items() if name not in self.protocol.parameters}


def read_protocols(run: Run, trails: Trails, reader: ReadOptions | None = None) -> dict[Group, RowProtocol]:
    """Read the protocol of each row of a score, and what is specific to it; `reader` is how scores are read."""
    reader = reader or ReadOptions()
    options, excluded = read_suite_options(run), run.exclusions()
    seeds, samples = {entry.name: entry.seed for entry in run.suites()}, describe_samples(run)
    entries = run.models()
    models = {entry.spec: entry.options for entry in entries}
    stand_ins = {entry.spec for entry in entries if entry.is_stand_in}
    judges = {entry.spec: entry.options for entry in run.judges()}
    contents = read_contents(run, {item for calls in trails.responses.values() for item in calls.rows["item"].unique()})
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
            if reader.rule is not None:  # anything it leaves open comes from the rules of the readings
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


@dataclass(frozen=True, slots=True)
class Making:
    """What is told of how scores were made: the fingerprints of protocols by row, and the sizes of models."""

    fingerprints: Mapping[tuple[str, str, str], str]
    sizes: Mapping[str, int]


def read_making(run: Run, reader: ReadOptions, rows: RunRows | None = None) -> Making:
    """Read how the responses and readings behind scores were made, and let go of all but what is told."""
    trails = read_provenance(run, reader.judge, rows)
    found = read_protocols(run, trails, reader)
    return Making({place: one.protocol.fingerprint for place, one in found.items()}, trails.sizes())


def describe(protocol: Protocol) -> list[tuple[str, tuple[str, ...]]]:
    """Describe in words what rows with this protocol share."""
    return [
        (key, tuple(f"{name} = {value}" for name, value in own.items()) or (_NONE,))
        if isinstance(own, Mapping)
        else (key, (own,))
        for key, own in _describe(protocol).items()
    ]


def differences(one: Protocol, other: Protocol) -> list[str]:
    """Describe in words how two protocols differ; empty exactly if their fingerprints are the same."""
    found: list[str] = []
    mine, others = _describe(one), _describe(other)
    for key, a in mine.items():
        b, owner = others[key], _OWNERS.get(key)
        if owner is not None and mine[owner] != others[owner]:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            found += [
                f"{name} {a.get(name, _UNKNOWN)} against {b.get(name, _UNKNOWN)}"
                for name in dict.fromkeys((*a, *b))
                if a.get(name) != b.get(name)
            ]
        elif a != b:
            found.append(f"{key.lower()}: {a} against {b}")
    return found


_NONE, _UNKNOWN = "none", "not told"
_SUITE, _ITEMS, _JUDGE = "Suite", "Items", "Judge"
_AGAIN, _CONTENTS, _PROMPTS, _JUDGE_OPTIONS = "Asking again", "Content of the items", "Prompts as sent", "Judge options"
# Details are compared only if their owners are equal: different judges have different options anyway, and if the
# numbers of items differ, so do their contents.
_OWNERS = {_AGAIN: _SUITE, _CONTENTS: _ITEMS, _PROMPTS: _ITEMS, _JUDGE_OPTIONS: _JUDGE}


def _describe_calls(
    suite: str,
    options: Mapping[str, str],
    calls: ResponseTrail,
    contents: Mapping[str, Content],
    excluded: Collection[str],
) -> Protocol:
    """Describe what was asked of one model in one suite; the judge is filled in later."""
    asked = calls.rows.group_by("item").agg(pl.col("repeat").n_unique())
    items, repeats = asked["item"], asked["repeat"].to_list()
    hashes = [contents[item].hash for item in items]
    left_out = sorted(contents[item].hash for item in items if item in excluded)
    answers = calls.answers()
    return Protocol(
        suite=suite,
        asking_again={name: options[name] for name in _ASKING_AGAIN if name in options},
        items=len(items),
        contents=digest(sorted(hashes)),
        unknown_pictures=tuple(sorted({contents[item].unknown_picture for item in items} - {""})),
        prompts=_hash_prompts(calls, contents),
        excluded=len(left_out),
        exclusions=digest(left_out),
        repeats=tuple(sorted(Counter(repeats).items())),
        repeated=digest(sorted(zip(hashes, repeats, strict=True))),
        is_rewritten=answers.rewritten > 0,
        has_own_seeds=calls.has_own_seeds,
        parameters={
            name: next(iter(values))
            for name, values in sorted(answers.parameters().items())
            if name not in _WHENCE and len(values) == 1 and values.total() == answers.responses
        },
    )


def _hash_prompts(calls: ResponseTrail, contents: Mapping[str, Content]) -> str | None:
    """Hash the prompts sent with other words than the items have; those of images made elsewhere are unknown.

    The prompt of a failed call counts only if all calls about the item failed.
    """
    is_failed = pl.col("kind") == FAILED
    sent = calls.rows.filter(~is_failed | is_failed.all().over("item")).select("item", "prompt").unique()
    pairs = ((contents[item], str(from_json(prompt))) for item, prompt in sent.iter_rows())
    others = sorted((content.hash, prompt) for content, prompt in pairs if prompt != content.text)
    if not others:
        return ""
    return digest(others) if any(prompt for _, prompt in others) else None


def _strip(judge: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Remove from a judge's name and options its rule, which the protocol has by itself, and its model's address."""
    left = dict(options)
    if any(name.startswith("model ") for name in left):
        left.pop("model", None)  # the model's spec, which is part of the judge's name
    for option in (RULE_OPTION, *(f"model {name}" for name in _WHENCE)):
        if option not in left or (option == RULE_OPTION and left[option] not in rule_versions()):
            continue
        name, value = option.removeprefix("model "), left.pop(option)
        judge = re.sub(rf"(?<=[:,]){name}={re.escape(value)}(?:,|$)", "", judge).rstrip(",:")
    return judge, left


def _count_votes(
    run: Run, suite: str, subjects: pl.DataFrame, readings: ReadingTrail
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Count the readings by question and subject, and name the rule that derives wholes from parts, if there is one.

    A derived whole has as many readings as its least-read part.
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
    """Find the answers that a judge left unread, and how often it read the others, in whole percent.

    When people look, a few pictures get one look more or less by chance, and these differ between models.
    """
    votes = subjects.join(counted, on=["question", "subject"], how="left").with_columns(pl.col("votes").fill_null(0))
    read = votes.filter(pl.col("votes") > 0)
    shares = ((count, round(100 * times / read.height)) for count, times in read.group_by("votes").len().iter_rows())
    unread = votes.group_by("item", "hash", "question").agg(
        missing=(pl.col("votes") == 0).sum(), is_begun=(pl.col("votes") > 0).any()
    )
    unread = unread.filter(pl.col("missing") > 0)
    begun = unread.filter("is_begun").height
    # For questions that were not read at all, the number of answers does not matter: some calls may have failed.
    which = unread.select("hash", "question", pl.col("missing") * pl.col("is_begun")).rows()
    gaps = Unread(unread.height - begun, begun, digest(sorted(which)) if which else "")
    return gaps, tuple(sorted((count, share) for count, share in shares if share))


def _list_subjects(calls: ResponseTrail, contents: Mapping[str, Content]) -> pl.DataFrame:
    """List all subjects to read, by item and question: answers, or groups of them."""
    latest = latest_attempts(calls.rows.select(*RESPONSES))
    asked = (
        (item, contents[item].hash, question, size)
        for item in latest["item"].unique()
        for question, size in contents[item].questions
    )
    schema = {**dict.fromkeys(("item", "hash", "question"), pl.String()), "group": pl.Int64()}
    subjects = pair_asks_with_responses(make_frame(asked, schema).with_row_index("place"), latest)
    return subjects.filter(~pl.col("is_refused"))  # where all were refused there is nothing to read


def _describe(protocol: Protocol) -> dict[str, str | Mapping[str, str]]:
    """Describe everything in a protocol, with hashes in place of long lists.

    The keys and words are hashed: they must not change, or every fingerprint changes.
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
        "Unknown pictures": _name_unknown(protocol.unknown_pictures) or _NONE,
        _PROMPTS: _describe_prompts(protocol.prompts),
        "Excluded by hand": excluded if protocol.excluded else _NONE,
        "Answers or images per item": _write_counts(protocol.repeats, "items") + repeated,
        "Prompts rewritten by the provider": "some or all" if protocol.is_rewritten else _NONE,
        "Seeds": "each trial its own" if protocol.has_own_seeds else "shared between trials",
        "Parameters of the call": protocol.parameters,
        _JUDGE: protocol.judge,
        _JUDGE_OPTIONS: protocol.judge_options,
        "Revision of the judge": ", ".join(protocol.judge_revisions) or _UNKNOWN,
        "Left unread by the judge": unread if wholly or partly else _NONE,
        "Readings of an answer": _write_counts(protocol.readings, "%") or _NONE,
        "Rule, with version and threshold": ", ".join(protocol.rules) or _NONE,
        "Agreement of several readings": _name_agreement(protocol),
        "Scoring": f"version {protocol.scoring_version}",
    }


def _name_unknown(names: Sequence[str]) -> str:
    named = [f"unknown picture {name}" for name in names[:_EXAMPLES]]
    if len(names) > len(named):
        named.append(f"{len(names) - len(named):,} others ({digest(names)[:_SHORT_DIGITS]})")
    return ", ".join(named)


def _describe_prompts(prompts: str | None) -> str:
    if prompts is None:
        return _UNKNOWN
    return f"otherwise, hash {prompts[:_FINGERPRINT_DIGITS]}" if prompts else "as the items word them"


def _write_counts(counts: Sequence[tuple[int, int]], unit: str) -> str:
    """Write a number of times or, if it varies, every number of times with how many units have it."""
    if len(counts) == 1:
        return str(counts[0][0])
    return ", ".join(f"{times} ({many:,} {unit})" for times, many in counts)


def _name_agreement(protocol: Protocol) -> str:
    """Name the consensus rule as before its renaming, if the result is the same, so that older rows stay comparable."""
    is_as_before = protocol.agreement == "first" or (
        protocol.agreement in (PLURALITY, MEDIAN) and not protocol.is_voted
    )
    return EARLIER_NAME if is_as_before else protocol.agreement
