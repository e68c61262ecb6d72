"""Where every figure comes from: each suite, model and judge of a run with all that was stored about it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic_core import from_json

from subitize.report.document import FactsBlock
from subitize.report.sources import Source
from subitize.store import Entry
from subitize.store.rows import Judging, read_judgings, read_provenances

_EXAMPLES = 3
_MOST_LISTED = 6
Facts = list[tuple[str, tuple[str, ...]]]


@dataclass(slots=True)
class Trail:
    """What the responses of one model tell about how they were made."""

    responses: int = 0
    first_at: float = float("inf")
    last_at: float = 0.0
    prompts: dict[str, None] = field(default_factory=dict)
    rewritten: dict[str, None] = field(default_factory=dict)
    settings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def follow_trails(source: Source) -> dict[str, Trail]:
    """Sum up the provenance of every response, by model."""
    trails: dict[str, Trail] = defaultdict(Trail)
    times: dict[str, list[float]] = defaultdict(list)
    settings: dict[tuple[str, str], int] = defaultdict(int)
    for model, at, text in read_provenances(source.run):
        times[model].append(at)
        # Seed and prompt differ from response to response and stand first; what follows is mostly the same.
        head, mark, tail = text.partition(',"parameters":')
        settings[model, "{" + mark[1:] + tail if mark else text] += 1
        if len(trails[model].prompts) < _EXAMPLES or '"prompt_rewritten":null' not in head:
            _add_prompts(trails[model], from_json(text))
    for model, found in times.items():
        trail = trails[model]
        trail.responses, trail.first_at, trail.last_at = len(found), min(found), max(found)
    for (model, text), count in settings.items():
        for name, value in _settings(from_json(text)):
            trails[model].settings[name][value] += count
    return trails


def describe_models(source: Source, trails: Mapping[str, Trail]) -> list[FactsBlock]:
    """List every model of the run with its options and how it answered."""
    return [_describe_model(entry, trails[entry.name], source) for entry in source.run.models() if entry.name in trails]


def describe_judges(source: Source) -> list[FactsBlock]:
    """List every judge that has read something."""
    entries = {entry.name: entry for entry in source.run.judges()}
    judgings: dict[str, list[Judging]] = defaultdict(list)
    for judging in read_judgings(source.run):
        judgings[judging.judge].append(judging)
    return [_describe_judge(name, entries.get(name), found, source) for name, found in judgings.items()]


def describe_suites(source: Source) -> FactsBlock:
    """List the suites of the run with their options and seed."""
    suites = source.run.suites()
    facts: Facts = [(entry.name, (entry.shown, f"run seed {entry.seed}")) for entry in suites]
    return FactsBlock(f"Suites of {source.name}", tuple(facts))


def day(at: float) -> str:
    """Write a time as a day, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def days(first_at: float, last_at: float) -> str:
    """Write a span of time as days, in UTC."""
    first, last = day(first_at), day(last_at)
    return first if first == last else f"{first} to {last}"


def _settings(provenance: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = [("Revision", provenance["revision"]), ("Weights", provenance["weights_hash"])]
    found += [("Parameters", f"{name} = {value}") for name, value in provenance["parameters"].items()]
    found += [("Versions", f"{name} {value}") for name, value in provenance["versions"].items()]
    return tuple((name, str(value)) for name, value in found if value is not None)


def _add_prompts(trail: Trail, provenance: Mapping[str, Any]) -> None:
    for known, text in ((trail.prompts, provenance["prompt_sent"]), (trail.rewritten, provenance["prompt_rewritten"])):
        if text is not None and len(known) < _EXAMPLES:
            known[text] = None


def _describe_model(entry: Entry, trail: Trail, source: Source) -> FactsBlock:
    seeds = sorted({suite.seed for suite in source.run.suites()})
    facts: Facts = [
        ("Name", (entry.name,)),
        ("Kind", ("embedded stand-in, not a real model" if entry.is_stand_in else "model",)),
        ("Options", _options(entry)),
        ("Run", (f"{source.name}, seed {', '.join(map(str, seeds))}",)),
        ("Responses", (f"{trail.responses:,}, stored {days(trail.first_at, trail.last_at)} (UTC)",)),
        ("Prompts as sent", tuple(trail.prompts)),
        ("Prompts as rewritten by the provider", tuple(trail.rewritten)),
    ]
    facts += [(name, _listed(values, trail.responses)) for name, values in trail.settings.items()]
    return FactsBlock(entry.name, _told(facts), "stand-in" if entry.is_stand_in else "")


def _describe_judge(name: str, entry: Entry | None, judgings: list[Judging], source: Source) -> FactsBlock:
    is_stand_in = entry is not None and entry.is_stand_in
    rules = tuple(f"{one.rule}: {one.readings:,} readings" for one in judgings)
    people = sum(one.annotators for one in judgings)
    span = days(min(one.first_at for one in judgings), max(one.last_at for one in judgings))
    facts: Facts = [
        ("Name", (name,)),
        ("Kind", ("embedded stand-in" if is_stand_in else "judge" if entry else "readings made elsewhere",)),
        ("Options", _options(entry) if entry else ()),
        ("Rule, with its version", rules),
        ("Annotators", (str(people),) if entry is None else ()),
        ("Run", (source.name,)),
        ("Read", (f"{span} (UTC)",)),
    ]
    return FactsBlock(name, _told(facts), "stand-in" if is_stand_in else "")


def _options(entry: Entry) -> tuple[str, ...]:
    return tuple(f"{name} = {value}" for name, value in entry.options.items()) or ("none",)


def _listed(values: Counter[str], responses: int) -> tuple[str, ...]:
    """List what was the same in all responses as it is, and what was not with how often; not endlessly."""
    lines = [text if count == responses else f"{text} ({count:,} responses)" for text, count in values.most_common()]
    rest = len(lines) - _MOST_LISTED
    return tuple(lines) if rest <= 0 else (*lines[:_MOST_LISTED], f"and {rest:,} other values")


def _told(facts: Facts) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, lines) for name, lines in facts if lines)
