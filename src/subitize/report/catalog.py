"""Lists what exists (suites, models, judges, glyphs, their options) and what is installed or missing.

Nothing here imports the store or the frame."""

import os
import platform
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, metadata, version

from subitize import __version__
from subitize.interfaces import Suite
from subitize.records import Scalar, task_text, to_plain
from subitize.registry import Resolved
from subitize.report.listing import Description, Listing
from subitize.report.table import Result, Table
from subitize.stimuli.clipart import Glyph

_LEVELS_SHOWN = 8
_PROMPTS_SHOWN = 3


def listing_result(listings: Sequence[Listing], heading: str = "what it does") -> Result:
    """List what exists of a kind."""
    rows = ((f"{one.name}:{one.target.upper()}" if one.target else one.name, one.summary) for one in listings)
    see = "all about one of them, with its options: subitize list NAME"
    return Result((Table.of("names", "", ("name", heading), rows),), to_plain(listings), notes=(see,))


def description_result(descriptions: Sequence[Description]) -> Result:
    """Say everything about what a name stands for."""
    tables = tuple(_describe(one, is_first=not place) for place, one in enumerate(descriptions))
    runtime = "° changes how it runs, not what it is: a run may go on with another value"
    are_there = any(option.is_runtime for one in descriptions for option in one.options)
    return Result(tables, to_plain(descriptions), notes=(runtime,) * are_there)


def _describe(one: Description, *, is_first: bool) -> Table:
    """Make the table of its options, under all else that is known."""
    lines = [*[""] * (not is_first), f"{one.kind.removesuffix('s')} {one.name}: {one.summary}"]
    lines += [f"  {one.details}"] if one.details else []
    options = ",OPTION=VALUE" * bool(one.options)
    written = f":{one.target.upper()}{options}" if one.target else options.replace(",", ":")
    parts = f"missing; run: {one.remedy}" if one.remedy else "installed" if one.is_complete else ""
    facts = {"usage": written and one.name + written, **one.facts, "what it needs": parts}
    lines += [f"  {name}: {text}" for name, text in facts.items() if text]
    rows = []
    for option in one.options:
        kind = "" if option.type == "text" else f" ({option.type})"
        name = option.name + " °" * option.is_runtime
        rows.append((name, option.default or None, f"{option.meaning}{kind}".strip()))
    table = Table.of(one.name, "", ("option", "default", "meaning"), rows)
    return replace(table, lead=(*lines, ""))


def glyph_result(glyphs: Mapping[str, Glyph]) -> Result:
    """List the nouns that can be drawn, with the number of drawings and their natural colours."""
    rows = ((noun, len(one.drawings), ", ".join(one.colours)) for noun, one in sorted(glyphs.items()))
    records = {noun: {"drawings": len(one.drawings), "colours": one.colours} for noun, one in glyphs.items()}
    return Result((Table.of("glyphs", "", ("noun", "drawings", "colours"), rows),), records)


def describe_suite(made: Resolved[Suite]) -> dict[str, str]:
    """Describe a suite by its items: their tasks, conditions and questions."""
    items = list(made.obj.items(0))
    tasks = Counter(item.task.kind for item in items)
    asked = Counter(ask.question.kind for item in items for ask in item.asks)
    levels: dict[str, dict[Scalar, None]] = {}
    for item in items:
        for name, level in item.factors.items():
            levels.setdefault(name, {})[level] = None
    factors = (f"{name} ({_some(own, _LEVELS_SHOWN)})" for name, own in levels.items())
    return {
        "suite": made.spec.text,
        "title": made.obj.title,
        "items": ", ".join(f"{count:,} to {kind}" for kind, count in tasks.items()),
        "repeats": str(made.obj.repeats),
        "prompts": _some((task_text(item.task) for item in items), _PROMPTS_SHOWN, "; "),
        "questions": ", ".join(f"{count:,} {kind}" for kind, count in asked.items()),
        "factors": "; ".join(factors),
        "strata": ", ".join(made.obj.design().strata) or "none",
        "judge": made.obj.judge,
    }


def _some(values: Iterable[Scalar], most: int, between: str = ", ") -> str:
    texts = list(dict.fromkeys(map(str, values)))
    return between.join(texts[:most]) + (f"{between}…" if len(texts) > most else "")


_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


@dataclass(frozen=True, slots=True)
class InstallationCheck:
    """One part: what needs it, its version if installed, and how to get it if not."""

    part: str
    wanted_by: str
    version: str | None
    remedy: str | None


def examine() -> list[InstallationCheck]:
    """Check what is installed on this machine."""
    here = [
        InstallationCheck("subitize", "", __version__, None),
        InstallationCheck("python", "core", platform.python_version(), None),
        InstallationCheck("sqlite", "core", sqlite3.sqlite_version, None),
        InstallationCheck("processor cores", "core", str(os.cpu_count()), None),
    ]
    found = [_look_for(requirement) for requirement in metadata("subitize").get_all("Requires-Dist") or []]
    # Developers find theirs in CONTRIBUTING.md; an extra may be another name of one.
    return here + [one for one in found if one.wanted_by != "dev" and one.part != "subitize"]


def installation_result(findings: Sequence[InstallationCheck]) -> Result:
    """Show a row per part; missing ones with their remedy."""
    rows = ((one.part, one.wanted_by, one.version or f"missing; run: {one.remedy}") for one in findings)
    return Result((Table.of("parts", "", ("part", "wanted by", "version"), rows),), to_plain(findings))


def _look_for(requirement: str) -> InstallationCheck:
    found = _REQUIREMENT.match(requirement)
    if found is None:
        raise ValueError(f"requirement {requirement!r} of our own package cannot be read")
    name, extra = found["name"], found["extra"]
    package = f"subitize[{extra}]" if extra else "subitize"
    try:
        return InstallationCheck(name, extra or "core", version(name), None)
    except PackageNotFoundError:
        return InstallationCheck(name, extra or "core", None, f"pip install '{package}'")
