"""Sections on where figures come from, what they do not cover, and which rows may be compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import polars as pl

from subitize.analysis.advice import describe_reward_judge, is_reward_judge
from subitize.analysis.overview import describe_samples
from subitize.analysis.protocols import Protocol, RowProtocol, describe, differences, read_protocols
from subitize.analysis.provenance import Group, ResponseTrail
from subitize.io.frames import group_rows
from subitize.records import FAILED
from subitize.report.series import ReportRun, Series
from subitize.report.table import Column, Facts, Paragraph, Record, RowKind, Section, Table, Worded
from subitize.report.texts import number_of, slug
from subitize.store import Entry
from subitize.store.rows import list_sources, look_up_failures
from subitize.suites.datasets import name_datasets

_EXAMPLES = 3
_DISCARDED = "Answers in which the rule found no value: wrong in accuracy, in no error."
_UNKNOWN = "Drawings that the judge would not look at, and ties of several readings."
_SIGHT = "Whether the model named one to four things in plain pictures before it was asked."
_REASONS_LISTED = 10
_MOST_LISTED = 6
Lines = list[tuple[str, tuple[str, ...]]]
_MOST_COMPARED = 8


def describe_provenance(sources: Sequence[ReportRun]) -> Section:
    """List every suite, model and judge of each run."""
    inner = []
    for source in sources:
        blocks = (_describe_suites(source), *_describe_models(source), *_describe_judges(source))
        inner.append(Section(f"provenance-{slug(source.name)}", f"Run {source.name}", blocks))
    note = "Every suite, model and judge with all its options, as they were stored with the answers."
    return Section("provenance", "Provenance", (Paragraph(note),), tuple(inner))


def _describe_models(source: ReportRun) -> list[Facts]:
    """List every model of the run with its options and how it answered."""
    seeds = ", ".join(map(str, sorted({suite.seed for suite in source.run.suites()})))
    blocks = []
    for entry in source.run.models():
        trails = [trail for (_, model), trail in source.trails.responses.items() if model == entry.spec]
        if not trails:
            continue
        whole = ResponseTrail(pl.concat(trail.rows for trail in trails))
        prompts = dict.fromkeys(prompt for trail in trails for prompt in trail.prompts())
        facts: Lines = [
            ("Run", (f"{source.name}, seed {seeds}",)),
            ("Responses", (f"{whole.responses:,}, stored {days(whole.first_at, whole.last_at)} (UTC)",)),
            ("Prompts as sent", tuple(prompts)[:_EXAMPLES]),
            ("Prompts as rewritten by the provider", whole.rewritings()),
        ]
        facts += [(name, list_values(values, whole.responses)) for name, values in whole.facts().items()]
        kind = "embedded stand-in, not a real model" if entry.is_stand_in else "model"
        blocks.append(_describe_entry(source.name_model(entry.spec), entry, kind, facts))
    return blocks


def _describe_judges(source: ReportRun) -> list[Facts]:
    """List every judge with readings."""
    entries = {entry.spec: entry for entry in source.run.judges()}
    blocks = []
    for judge, own in group_rows(list_sources(source.run), lambda one: one.judge).items():
        entry = entries.get(judge)
        rules = {rule: sum(one.stored for one in of) for rule, of in group_rows(own, lambda one: one.rule).items()}
        span = days(min(one.first_at for one in own), max(one.last_at for one in own))
        facts: Lines = [
            ("Rule, with its version", tuple(f"{rule}: {number_of(n, 'reading')}" for rule, n in rules.items())),
            ("Annotators", (str(len(own)),) if entry is None else ()),
            ("Run", (source.name,)),
            ("Read", (f"{span} (UTC)",)),
        ]
        kind = "readings made elsewhere" if entry is None else "embedded stand-in" if entry.is_stand_in else "judge"
        block = _describe_entry(source.name_judge(judge), entry, kind, facts)
        blocks.append(replace(block, title=f"{block.title} (judge)"))
    return blocks


def _describe_entry(name: str, entry: Entry | None, kind: str, others: Lines) -> Facts:
    """Describe an entry: its name, its spec if that differs, its address, options and other facts."""
    options = tuple(f"{option} = {value}" for option, value in entry.options.items()) or ("none",) if entry else ()
    facts: Lines = [
        ("Name", (name,)),
        ("Spec", (entry.spec,) if entry and entry.spec != name else ()),
        ("Address", entry.addresses if entry else ()),
        ("Kind", (kind,)),
        ("Options", options),
        *others,
    ]
    known = tuple((title, lines) for title, lines in facts if lines)
    return Facts(name, known, "stand-in" if entry and entry.is_stand_in else "")


def _describe_suites(source: ReportRun) -> Facts:
    """List the suites of the run with their options and seed, and the published data sets behind them."""
    suites, samples = source.run.suites(), describe_samples(source.run)
    facts: Lines = [
        (entry.name, (entry.shown, f"run seed {entry.seed}", *filter(None, [samples.get(entry.name)])))
        for entry in suites
    ]
    datasets = name_datasets(source.survey.observations.seen_items())
    facts += [(one.title, (f"licence: {one.licence}", one.citation)) for one in datasets]
    return Facts(f"Suites of {source.name}", tuple(facts))


def days(first_at: float, last_at: float) -> str:
    """Write a span of time as days, in UTC."""
    first, last = (datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d") for at in (first_at, last_at))
    return first if first == last else f"{first} to {last}"


def list_values(values: Counter[str], responses: int) -> tuple[str, ...]:
    """List the most common values; those that not all responses share with their counts."""
    lines = [text if count == responses else f"{text} ({count:,} responses)" for text, count in values.most_common()]
    rest = len(lines) - _MOST_LISTED
    return tuple(lines) if rest <= 0 else (*lines[:_MOST_LISTED], f"and {rest:,} other values")


def missing_data_section(sources: Sequence[ReportRun]) -> Section:
    """Write the section on what no figure covers, and why."""
    records: list[tuple[Record, RowKind]] = []
    ties = 0
    for source in sources:
        gaps, seen = source.survey.gaps(), source.survey.observations.rows
        statuses = Counter(dict(seen["status"].value_counts().iter_rows()))
        record: Record = {
            Column.text("Run"): source.name,
            Column("Not asked", "Items that a model was not given although it was given others."): gaps.unasked,
            Column("Failed", "Trials that came to nothing."): gaps.failed,
            Column("Not read", "Answers that no judge has looked at."): gaps.unread,
            Column("Discarded", _DISCARDED): statuses["discarded"],
            Column("Unknown", _UNKNOWN): statuses["unknown"],
            Column("Refused", "Wrong in accuracy; in no error."): statuses["refused"],
            Column("Excluded", "Left out by hand."): int(seen["is_excluded"].sum()),
        }
        records.append((record, ""))
        ties += gaps.tied
    caption = (
        "Counts of observations, or of trials where nothing was observed. "
        "Where all are zero, every answer is in the figures."
    )
    if ties:
        caption += f" Of the unknown, {ties:,} have readings that are tied."
    title, reasons = "What no figure covers", (block for source in sources for block in _reasons(source))
    return Section("gaps", title, (Table.of_records("gaps", title, records, caption), *reasons))


def _reasons(source: ReportRun) -> list[Table]:
    failed = source.survey.responses.filter(pl.col("kind") == FAILED)["trial"].to_list()
    reasons = Counter(look_up_failures(source.run, failed).values()).most_common(_REASONS_LISTED)
    run, reason = slug(source.name), Column.text("Reason")
    why = Table.of(f"failures-{run}", f"Why trials of {source.name} failed", (reason, "Trials"), reasons)
    title, excluded = f"Items of {source.name} left out by hand", source.run.exclusions().items()
    left_out = Table.of(f"exclusions-{run}", title, (Column.text("Item"), reason), excluded)
    return [table for table in (why, left_out) if table.rows]


@dataclass(frozen=True, slots=True)
class SeriesProtocol:
    """A series and the protocol it follows."""

    series: Series
    followed: RowProtocol
    number: int
    """The number of the protocol in the report, from 1."""

    @property
    def has_reward_judge(self) -> bool:
        """Whether its judge rewarded its model in training."""
        return is_reward_judge(self.series.judge, self.followed.model_options)

    @property
    def protocol(self) -> Protocol:
        """What it shares with rows that it may be compared with."""
        return self.followed.protocol

    @property
    def parameter_count(self) -> int | None:
        """The number of the model's parameters, if it is known."""
        return self.series.source.trails.responses[self.series.suite, self.series.model].parameter_count

    def link(self) -> Worded:
        """Link to what the protocol is."""
        return Worded(str(self.number), anchor=f"protocol-{self.protocol.fingerprint}")


def find_protocols(series: Sequence[Series]) -> list[SeriesProtocol]:
    """Find the protocol of each series."""
    sources = {one.source.name: one.source for one in series}
    known = {name: read_protocols(one.run, one.trails, one.survey.reader) for name, one in sources.items()}
    found = [known[one.source.name][Group(one.suite, one.model, one.judge)] for one in series]
    order = [fingerprint for fingerprint, _ in Counter(one.protocol.fingerprint for one in found).most_common()]
    numbers = [order.index(one.protocol.fingerprint) + 1 for one in found]
    return list(map(SeriesProtocol, series, found, numbers))


def describe_protocols(protocols: Sequence[SeriesProtocol]) -> Section:
    """List every protocol with its rows, and what is specific to each row."""
    groups = _group(protocols)
    note = Paragraph(
        "Two rows may be compared exactly when their protocols have the same fingerprint. It is a hash of what stands "
        "here under it; models, their revisions, library versions and dates are not in it, and stand in the table, as "
        "do the options and the seed that the items were made with: the items themselves are in it."
    )
    facts = [_describe(fingerprint, members) for fingerprint, members in groups.items()]
    rows = [(_own(one), one.series.badge) for one in protocols]
    caption = (
        "What is each row’s own and not in the fingerprint. Parameters that vary are those that were not the same in "
        "all answers; rewritten are answers whose prompt the provider put in other words, of those that tell."
    )
    table = Table.of_records("protocol-rows", "What each row has of its own", rows, caption, drops_empty=True)
    return Section("protocols", "Protocols", (note, *facts, table))


def _group(protocols: Sequence[SeriesProtocol]) -> dict[str, list[SeriesProtocol]]:
    """Group the rows that may be compared, the largest group first."""
    groups = group_rows(protocols, lambda one: one.protocol.fingerprint)
    return dict(sorted(groups.items(), key=lambda pair: -len(pair[1])))


def warn_of_protocols(protocols: Sequence[SeriesProtocol]) -> list[Paragraph]:
    """Say which rows may not be compared and why, and whose judge also rewarded the model in training."""
    groups = list(_group(protocols).values())
    lines = []
    if len(groups) > 1:
        members, *others = groups
        lead = f"Not all rows may be compared: they follow {len(groups)} protocols."
        lines = [f"{lead} {_labels(members)}: protocol {members[0].number}. The others differ from it:"]
        for own in others[:_MOST_COMPARED]:
            found = differences(own[0].protocol, members[0].protocol)
            lines.append(f"{_labels(own)}: protocol {own[0].number}; {'; '.join(found)}.")
        if len(others) > _MOST_COMPARED:
            lines.append(f"And {len(others) - _MOST_COMPARED} further protocols; see “Protocols”.")
    rewarded = [one.series for one in protocols if one.has_reward_judge]
    trained = [f"{describe_reward_judge(one.label, one.judge_name)}." for one in rewarded]
    return [Paragraph("\n".join(text), is_warning=True) for text in (lines, trained) if text]


def _labels(protocols: Sequence[SeriesProtocol]) -> str:
    return ", ".join(one.series.label for one in protocols)


def _describe(fingerprint: str, members: Sequence[SeriesProtocol]) -> Facts:
    first, protocol = members[0], members[0].protocol
    examples = tuple(text for text in first.followed.calls.prompts() if text)
    rewarded = tuple(one.series.label for one in members if one.has_reward_judge)
    facts = [("Fingerprint", (fingerprint,)), ("Rows", tuple(one.series.label for one in members))]
    facts += describe(protocol)
    further = [("Examples of prompts as sent", examples), ("Trained with this judge", rewarded)]
    facts += [(name, lines) for name, lines in further if lines]
    title = f"Protocol {first.number}: {protocol.suite}, judged by {first.series.source.name_judge(protocol.judge)}"
    return Facts(title, tuple(facts), id=f"protocol-{fingerprint}")


def _own(one: SeriesProtocol) -> Record:
    series, own, calls, readings = one.series, one.followed, one.followed.calls, one.followed.readings
    answers, judged_by = calls.answers(), "; ".join(readings.revisions())
    settings = {name: "; ".join(list_values(values, calls.responses)) for name, values in calls.facts().items()}
    varying = [f"{name} = {', '.join(list_values(values, answers.responses))}" for name, values in own.varying.items()]
    rewritten = f"{answers.rewritten:,} of {answers.responses:,}" if answers.rewritten else ""
    return {
        Column.text("Model"): series.label,
        Column.text("Protocol"): one.link(),
        Column.text("Fingerprint"): one.protocol.fingerprint,
        Column.text("Suite"): series.suite,
        Column.text("Judge"): series.judge_name,
        Column.text("Run"): series.source.name,
        Column.text("Options"): _join(own.model_options),
        Column.text("Options of the suite"): _join(own.suite_options),
        Column.text("Seed of the run"): str(own.seed),
        Column.text("Sample", "What a limit took of the suite, where it did not take all."): own.sample,
        Column.text("Sight", _SIGHT): own.sight,
        Column.text("Revision", "As the server or the files name it."): settings.get("Revision", ""),
        Column.text("Weights"): settings.get("Weights", ""),
        Column.text("Versions"): settings.get("Versions", ""),
        Column.text("Parameters that vary"): "; ".join(varying),
        Column("Responses", "All calls that were stored, those that failed included."): calls.responses,
        Column.text("Prompts rewritten"): rewritten,
        Column("Asked again", "Answers or images that were asked for more than once."): calls.asked_again or None,
        Column("Annotators"): readings.annotators or None,
        Column.text("Revision of the judge", "As the server names it, with the build."): judged_by,
        Column.text("Stored (UTC)"): days(calls.first_at, max(calls.last_at, readings.last_at)),
    }


def _join(options: Mapping[str, str]) -> str:
    """List the options that were given."""
    return "; ".join(f"{name} = {value}" for name, value in options.items() if value)
