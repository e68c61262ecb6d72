"""Prints what exists (suites, models, judges, glyphs, their options) and what is installed or missing.

Nothing here imports the store or the frame."""

import os
import platform
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, version

from subitize import __version__
from subitize.interfaces import Suite, design_of
from subitize.records import Scalar, task_text
from subitize.registry import Description, Listing, Resolved
from subitize.report.table import NOTHING
from subitize.report.terminal import print_line, print_table
from subitize.stimuli.clipart import Glyph

_LEVELS_SHOWN = 8
_PROMPTS_SHOWN = 3


def print_listings(listings: Iterable[Listing], heading: str = "what it does") -> None:
    """Print what exists of a kind."""
    rows = [(f"{one.name}:{one.target.upper()}" if one.target else one.name, one.summary) for one in listings]
    print_table(("name", heading), rows)
    print_line("all about one of them, with its options: subitize list NAME")


def print_descriptions(descriptions: Iterable[Description]) -> None:
    """Print everything about what a name stands for."""
    for place, one in enumerate(descriptions):
        if place:
            print()
        print_line(f"{one.kind.removesuffix('s')} {one.name}: {one.summary}")
        if one.details:
            print_line(f"  {one.details}")
        options = ",OPTION=VALUE" * bool(one.options)
        written = f":{one.target.upper()}{options}" if one.target else options.replace(",", ":")
        parts = f"missing; run: {one.remedy}" if one.remedy else "installed" if one.is_complete else ""
        for name, text in {"usage": written and one.name + written, **one.facts, "what it needs": parts}.items():
            if text:
                print_line(f"  {name}: {text}")
        print()
        rows = []
        for option in one.options:
            kind = "" if option.type == "text" else f" ({option.type})"
            name = option.name + " °" * option.is_runtime
            rows.append((name, option.default or NOTHING, f"{option.meaning}{kind}".strip()))
        if rows:
            print_table(("option", "default", "meaning"), rows)
        if any(option.is_runtime for option in one.options):
            print_line("° changes how it runs, not what it is: a run may go on with another value")


def print_glyphs(glyphs: Iterable[Glyph]) -> None:
    """Print the nouns that can be drawn, with the number of drawings and their natural colours."""
    known = sorted(glyphs, key=lambda one: one.noun)
    rows = ((one.noun, str(len(one.drawings)), ", ".join(one.colours)) for one in known)
    print_table(("noun", "drawings", "colours"), rows)


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
        "strata": ", ".join(design_of(made.obj).strata) or "none",
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
    return here + [one for one in found if one.wanted_by != "dev"]  # developers find theirs in CONTRIBUTING.md


def print_findings(findings: list[InstallationCheck]) -> None:
    """Print a row per part; missing ones with their remedy."""
    rows = ((one.part, one.wanted_by, one.version or f"missing; run: {one.remedy}") for one in findings)
    print_table(("part", "wanted by", "version"), rows)


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
