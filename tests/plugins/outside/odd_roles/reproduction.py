"""A part of a paper that fails."""

from subitize.analysis.papers import Tabulated


def reproduce(*_: object, **__: object) -> Tabulated:
    raise RuntimeError("no data")
