"""Where every figure comes from: each suite, model and judge of a run with all that was stored about it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl

from subitize.analysis.provenance import ResponseTrail
from subitize.analysis.samples import describe_samples
from subitize.frames import group_rows
from subitize.report.document.blocks import FactsBlock
from subitize.report.document.cells import number_of
from subitize.report.sections.sources import Source
from subitize.store import Entry
from subitize.store.rows import Judging, read_judgings
from subitize.suites.datasets import name_datasets

_EXAMPLES = 3
_MOST_LISTED = 6
Facts = list[tuple[str, tuple[str, ...]]]


def describe_models(source: Source) -> list[FactsBlock]:
    """List every model of the run with its options and how it answered."""
    trails = source.trails.responses
    found = [
        (entry, [trail for (_, model), trail in trails.items() if model == entry.spec]) for entry in source.run.models()
    ]
    return [_describe_model(entry, own, source) for entry, own in found if own]


def describe_judges(source: Source) -> list[FactsBlock]:
    """List every judge that has read something."""
    entries = {entry.spec: entry for entry in source.run.judges()}
    judgings = group_rows(read_judgings(source.run), lambda one: one.judge)
    return [
        _describe_judge(source.name_judge(judge), entries.get(judge), found, source)
        for judge, found in judgings.items()
    ]


def describe_suites(source: Source) -> FactsBlock:
    """List the suites of the run with their options and seed, and the published sets that they are about."""
    suites, samples = source.run.suites(), describe_samples(source.run)
    facts: Facts = [
        (entry.name, (entry.shown, f"run seed {entry.seed}", *filter(None, [samples.get(entry.name)])))
        for entry in suites
    ]
    datasets = name_datasets(source.survey.observations.seen_items())
    facts += [(one.title, (f"licence: {one.licence}", one.citation)) for one in datasets]
    return FactsBlock(f"Suites of {source.name}", tuple(facts))


def days(first_at: float, last_at: float) -> str:
    """Write a span of time as days, in UTC."""
    first, last = (datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d") for at in (first_at, last_at))
    return first if first == last else f"{first} to {last}"


def list_values(values: Counter[str], responses: int) -> tuple[str, ...]:
    """List what was the same in all responses as it is, and what was not with how often; not endlessly."""
    lines = [text if count == responses else f"{text} ({count:,} responses)" for text, count in values.most_common()]
    rest = len(lines) - _MOST_LISTED
    return tuple(lines) if rest <= 0 else (*lines[:_MOST_LISTED], f"and {rest:,} other values")


def _describe_model(entry: Entry, trails: Sequence[ResponseTrail], source: Source) -> FactsBlock:
    whole = ResponseTrail(pl.concat(trail.rows for trail in trails))
    prompts = dict.fromkeys(prompt for trail in trails for prompt in trail.prompts())
    seeds = sorted({suite.seed for suite in source.run.suites()})
    name = source.name_model(entry.spec)
    facts: Facts = [
        ("Name", (name,)),
        *_tell_what(entry, name),
        ("Kind", ("embedded stand-in, not a real model" if entry.is_stand_in else "model",)),
        ("Options", _options(entry)),
        ("Run", (f"{source.name}, seed {', '.join(map(str, seeds))}",)),
        ("Responses", (f"{whole.responses:,}, stored {days(whole.first_at, whole.last_at)} (UTC)",)),
        ("Prompts as sent", tuple(prompts)[:_EXAMPLES]),
        ("Prompts as rewritten by the provider", whole.rewritings()),
    ]
    facts += [(name, list_values(values, whole.responses)) for name, values in whole.facts().items()]
    return FactsBlock(name, _told(facts), "stand-in" if entry.is_stand_in else "")


def _describe_judge(name: str, entry: Entry | None, judgings: list[Judging], source: Source) -> FactsBlock:
    is_stand_in = entry is not None and entry.is_stand_in
    rules = tuple(f"{one.rule}: {number_of(one.readings, 'reading')}" for one in judgings)
    people = sum(one.annotators for one in judgings)
    span = days(min(one.first_at for one in judgings), max(one.last_at for one in judgings))
    facts: Facts = [
        ("Name", (name,)),
        *(_tell_what(entry, name) if entry else ()),
        ("Kind", ("embedded stand-in" if is_stand_in else "judge" if entry else "readings made elsewhere",)),
        ("Options", _options(entry) if entry else ()),
        ("Rule, with its version", rules),
        ("Annotators", (str(people),) if entry is None else ()),
        ("Run", (source.name,)),
        ("Read", (f"{span} (UTC)",)),
    ]
    return FactsBlock(f"{name} (judge)", _told(facts), "stand-in" if is_stand_in else "")


def _tell_what(entry: Entry, name: str) -> Facts:
    """Say what goes by a name, if the name does not, and where it is reached."""
    return [("Spec", (entry.spec,) if entry.spec != name else ()), ("Address", entry.addresses)]


def _options(entry: Entry) -> tuple[str, ...]:
    return tuple(f"{name} = {value}" for name, value in entry.options.items()) or ("none",)


def _told(facts: Facts) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, lines) for name, lines in facts if lines)
