"""Describes suites, models, judges, refinements and papers, briefly and in full, as `subitize list` shows them."""

import inspect
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from subitize import papers as plugins
from subitize.errors import BadValueError, MissingPartError, SubitizeError, UnknownNameError
from subitize.interfaces import Paper
from subitize.io import specs
from subitize.registry import KINDS, Factory, Kind, find_paper, names

_FIRST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Listing:
    """A suite, model or judge in `subitize list`; defaults are written as users write them."""

    name: str
    summary: str
    target: str | None
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """An option in `subitize list NAME`; runtime options may change when a run is resumed."""

    name: str
    type: str
    default: str
    meaning: str
    is_runtime: bool


@dataclass(frozen=True, slots=True)
class Description:
    """A suite, model, judge, refinement or paper in full, with whether its requirements are installed."""

    kind: Kind
    name: str
    summary: str
    details: str = ""
    target: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    options: Sequence[Option] = ()
    is_complete: bool = False
    remedy: str | None = None


def listings(kind: Kind) -> list[Listing]:
    """Describe everything of a kind."""
    return [describe(kind, name) for name in names(kind)]


def describe(kind: Kind, name: str) -> Listing:
    """Describe one of a kind briefly; a broken plug-in shows its error and does not hide the others."""
    try:
        if kind == "papers":
            return _list_paper(name)
        factory = Factory(kind, name)
        return Listing(name, _read_docstring(factory.make)[0], factory.target, _write_defaults(factory))
    except SubitizeError as error:
        return Listing(name, str(error), None, {})


def describe_all(name: str) -> list[Description]:
    """Describe everything with a name, as a suite and a paper, or a model and a judge, may share one."""
    known = {kind: names(kind) for kind in KINDS}
    found = [_describe_fully(kind, name) for kind in KINDS if name in known[kind]]
    if not found:
        raise UnknownNameError("suite, model, judge, refinement or paper", name, set().union(*known.values()))
    return found


def _describe_fully(kind: Kind, name: str) -> Description:
    try:
        if kind == "papers":
            paper = _list_paper(name)
            return Description(kind, name, paper.summary, facts=paper.options)
        return _describe_made(Factory(kind, name))
    except SubitizeError as error:
        return Description(kind, name, str(error))


def _describe_made(factory: Factory) -> Description:
    summary, details, own = _read_docstring(factory.make)
    meanings, defaults = _shared_meanings() | own, _write_defaults(factory)
    options = [
        Option(key, specs.type_name(kind), defaults[key], meanings.get(key, ""), key in factory.runtime_options)
        for key, kind in factory.types.items()
    ]
    told = Description(factory.kind, factory.name, summary, details, factory.target, options=options)
    made = None
    try:  # build with a dummy target just to see whether optional packages are installed
        made = factory.build("observer" if factory.needs_model else factory.target or "", {})[1]
    except MissingPartError as error:
        return replace(told, facts=_list_facts(factory, made), remedy=error.remedy)
    except SubitizeError as error:
        if not factory.target:
            return replace(told, facts={"note": str(error)})
    return replace(told, facts=_list_facts(factory, made), is_complete=True)


def _write_defaults(factory: Factory) -> dict[str, str]:
    """Write defaults; the annotation may say what a placeholder default means."""
    return {
        key: factory.stands_for.get(key) or specs.format_value(default) for key, default in factory.defaults.items()
    }


def _list_facts(factory: Factory, made: Any) -> dict[str, str]:  # noqa: ANN401
    own = {name: getattr(factory.make, name, "") for name in ("instead", "judge", "repeats", "is_stand_in")}
    told = {
        "as in": str(own["instead"]),
        "task": _name_tasks(factory, made),
        "judged by": str(own["judge"]),
        "repeats": str(own["repeats"]),
        "answers are read by": str(getattr(made, "rule", "")) if factory.kind == "judges" else "",
        "stand-in": "yes, not a real one" if own["is_stand_in"] else "",
    }
    return {name: text for name, text in told.items() if text}


def _name_tasks(factory: Factory, made: Any) -> str:  # noqa: ANN401
    tasks = getattr(factory.make, "tasks", ())
    if factory.kind == "suites" and made is not None:
        try:
            tasks = {item.task.kind for item in islice(made.items(0), _FIRST_ITEMS)}
        except Exception as error:  # an outside package may fail in any way
            raise BadValueError(f"{factory.who} makes no items: {type(error).__name__}: {error}") from error
    # A property: the tasks depend on the network.
    return ", ".join(sorted(map(str, tasks))) if isinstance(tasks, Collection) else "what its network can do"


def _list_paper(name: str) -> Listing:
    paper = find_paper(name)
    works = {"suites": paper.suites, "rules": {**paper.rules, **paper.consensus_rules}, "layouts": paper.file_names}
    does = {"reproduce": {"release", "reproduction"}, "tables": {"tables"}, "import": {"release"}, "export": {"export"}}
    brought = {kind: ", ".join(found) for kind, found in works.items() if found}
    able = {command: "yes" for command, parts in does.items() if parts & {*paper.parts}}
    # Built-in papers are tested, and slow to import.
    faults = [] if name in plugins.PAPERS else _find_faults(paper)
    return Listing(name, "; ".join([paper.citation, *faults]), None, brought | able)


def _find_faults(paper: Paper) -> list[str]:
    """List the parts of a paper that cannot be imported."""
    faults, named = [], [f"{paper.package}.{part}" for part in paper.parts]
    for value in (getattr(paper, one.name) for one in fields(paper) if one.name not in _NAMES_NOTHING):
        named += value.values() if isinstance(value, Mapping) else [value]
    for reference in filter(None, named):
        try:
            plugins.load(reference)
        except SubitizeError as error:
            faults.append(str(error))
    return faults


_NAMES_NOTHING = ("package", "title", "references", "parts", "picture_suites", "judged_by", "thresholds", "kappas")
"""Plain fields of a paper; all others name objects as `module:object`."""


def _read_docstring(documented: object) -> tuple[str, str, dict[str, str]]:
    """Split a docstring into its first line, the rest, and the meaning of each option under "Args:"."""
    text, _, listed = (inspect.getdoc(documented) or "").partition("\nArgs:\n")
    summary, _, details = text.partition("\n")
    meanings = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", listed, flags=re.MULTILINE)
    return summary, " ".join(details.split()), {name: " ".join(meaning.split()) for name, meaning in meanings}


@cache
def _shared_meanings() -> dict[str, str]:
    return tomllib.loads((files("subitize") / "options.toml").read_text(encoding="utf-8"))
