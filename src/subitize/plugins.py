"""What papers bring, found by name from below them: a paper is imported when one is looked for, the rest when used."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUP = "subitize.papers"
"""The package with the table of the papers built in, and the entry points of those that are not."""


def find(what: str, name: str) -> str | None:
    """Find what a paper brings under this name, written `module:object`; None if no paper does."""
    for paper in papers():
        if name in getattr(paper, what):
            return str(getattr(paper, what)[name])
    return None


def list_all(what: str) -> dict[str, str]:
    """List what all papers bring of a kind, by name; of two with a name the first counts, as in `find`."""
    found: dict[str, str] = {}
    for paper in papers():
        for name, reference in getattr(paper, what).items():
            found.setdefault(name, reference)
    return found


def load(reference: str) -> Any:  # noqa: ANN401
    """Import what is written `module:object`."""
    return EntryPoint("", reference, "").load()


def built_in() -> dict[str, str]:
    """List the papers that are built in, each written `module:object`."""
    table: dict[str, str] = import_module(GROUP).PAPERS
    return table


def papers() -> Iterator[Any]:
    """Go through the papers; those that are built in come first, and without a look at what else is installed."""
    return (paper for _, paper in _named())


def papers_by_name() -> dict[str, Any]:
    """List the papers that can be loaded; `subitize list papers` says why one cannot."""
    return dict(reversed([*_named()]))


def _named() -> Iterator[tuple[str, Any]]:
    yield from _load_built_in().items()
    for point in entry_points(group=GROUP):
        with suppress(Exception):  # one that cannot be loaded brings nothing
            yield point.name, point.load()


@cache
def _load_built_in() -> dict[str, Any]:
    return {name: load(reference) for name, reference in built_in().items()}
