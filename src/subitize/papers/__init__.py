"""The papers, one folder each, and a registry of what they provide, usable from lower layers too.

Each paper is imported on first use and is independent of the others. Outside packages add papers by entry points."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from operator import attrgetter
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from subitize.errors import BadValueError, SubitizeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


PAPERS = {
    "geckonum": "subitize.papers.geckonum:PAPER",
    "gimbrr": "subitize.papers.gimbrr:PAPER",
    "numbersense": "subitize.papers.numbersense:PAPER",
    "seeing-past-words": "subitize.papers.seeing_past_words:PAPER",
    "t2icountbench": "subitize.papers.t2icountbench:PAPER",
}

_KINDS = ("model", "judge", "detector", "suite", "refinement", "paper")
GROUP = "subitize.papers"
"""The entry-point group of papers from outside packages."""


def find(what: str, name: str) -> str | None:
    """Find what some paper provides under this name, as `module:object`; None if no paper does."""
    for paper in papers():
        if name in getattr(paper, what):
            return str(getattr(paper, what)[name])
    return None


def list_all(what: str) -> dict[str, str]:
    """List what all papers provide of a kind, by name; the first of two equal names wins, as in `find`."""
    found: dict[str, str] = {}
    for paper in papers():
        for name, reference in getattr(paper, what).items():
            found.setdefault(name, reference)
    return found


def load(reference: str, who: str = "") -> Any:  # noqa: ANN401
    """Import `module:object`; `who` names it in messages."""
    try:
        return _import_object(reference)
    except SubitizeError:
        raise
    except Exception as error:  # an outside package may raise anything
        raise BadValueError(f"{who or reference} cannot be loaded: {error}") from error


def _import_object(reference: str) -> Any:  # noqa: ANN401
    """Import the object of an entry point, ignoring extras in brackets."""
    module, _, name = (part.strip() for part in reference.partition("[")[0].partition(":"))
    found = import_module(module)
    return attrgetter(name)(found) if name else found


def load_all(what: str) -> dict[str, Any]:
    """Import what all papers provide of a kind, by name; skip what outside papers fail to import."""
    ours = {reference for paper in _load_built_in().values() for reference in getattr(paper, what).values()}
    found = {}
    for name, reference in list_all(what).items():
        try:
            found[name] = load(reference)
        except BadValueError:
            if reference in ours:
                raise
    return found


def find_culprit(error: BaseException) -> str | None:
    """Name the plug-in that raised an error, as `judge 'name' (module:object)`; None if there is none."""
    brought = {point.value: (kind, point) for kind in _KINDS for point in installed(f"subitize.{kind}s")}
    modules = {point.module for _, point in brought.values()}
    for frame, _ in reversed([*walk_tb(error.__traceback__)]):
        module, of = str(frame.f_globals.get("__name__")), type(frame.f_locals.get("self")).__name__
        if f"{module}:{of}" in brought:
            kind, point = brought[f"{module}:{of}"]
            return f"{kind} {point.name!r} ({point.value})"
        if module in modules:
            return f"plug-in {module}"
    return None


def papers() -> Iterator[Any]:
    """Iterate over the papers, built-in ones first, before installed packages are searched."""
    return (paper for _, paper in _named())


def papers_by_name() -> dict[str, Any]:
    """List the papers that can be loaded; `subitize list papers` explains why others cannot."""
    return dict(reversed([*_named()]))


def installed(group: str) -> "tuple[EntryPoint, ...]":
    """List the entry points of installed packages in a group."""
    return _read_entry_points(group, tuple(sys.path))


# Searching installed packages is slow, so it is done once per search path.
@lru_cache(maxsize=64)
def _read_entry_points(group: str, _: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    from importlib.metadata import entry_points  # slow to import

    return tuple(entry_points(group=group))


def _named() -> Iterator[tuple[str, Any]]:
    yield from _load_built_in().items()
    for point in installed(GROUP):
        with suppress(Exception):  # a broken paper is skipped
            found = point.load()
            if isinstance(found, import_module("subitize.interfaces").Paper):
                yield point.name, found


@cache
def _load_built_in() -> dict[str, Any]:
    return {name: load(reference) for name, reference in PAPERS.items()}
