"""What is installed here, what is missing, and how to get it."""

import os
import platform
import re
import sqlite3
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, version

from subitize import __version__
from subitize.report.terminal.layout import print_table

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: what it is for, its version if it is there, and how to get it if it is not."""

    part: str
    wanted_by: str
    version: str | None
    remedy: str | None


def examine() -> list[Finding]:
    """Look at this machine."""
    here = [
        Finding("subitize", "", __version__, None),
        Finding("python", "core", platform.python_version(), None),
        Finding("sqlite", "core", sqlite3.sqlite_version, None),
        Finding("processor cores", "core", str(os.cpu_count()), None),
    ]
    found = [_look_for(requirement) for requirement in metadata("subitize").get_all("Requires-Dist") or []]
    return here + [one for one in found if one.wanted_by != "dev"]  # what developers need is in CONTRIBUTING.md


def print_findings(findings: list[Finding]) -> None:
    """Print a row each, those that are missing with their remedy."""
    rows = ((one.part, one.wanted_by, one.version or f"missing; run: {one.remedy}") for one in findings)
    print_table(("part", "wanted by", "version"), rows)


def _look_for(requirement: str) -> Finding:
    found = _REQUIREMENT.match(requirement)
    if found is None:
        raise ValueError(f"requirement {requirement!r} of our own package cannot be read")
    name, extra = found["name"], found["extra"]
    package = f"subitize[{extra}]" if extra else "subitize"
    try:
        return Finding(name, extra or "core", version(name), None)
    except PackageNotFoundError:
        return Finding(name, extra or "core", None, f"pip install '{package}'")
