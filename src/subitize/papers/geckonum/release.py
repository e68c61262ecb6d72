"""GeckoNum's released answers, read and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from subitize.papers.geckonum.files import LICENCE, GeckonumRelease, read_release, released_items
from subitize.records import Item

if TYPE_CHECKING:
    from subitize.imports.releases import ReleaseSummary
    from subitize.store import Run


@dataclass(frozen=True, slots=True)
class GeckonumImport:
    """A release, read and checked: its answers in columns, as they are many."""

    files: GeckonumRelease
    items: list[Item]
    warnings: Sequence[str]

    def seen(self) -> GeckonumRelease:
        """Return the answers."""
        return self.files

    def store(self, run: "Run") -> "ReleaseSummary":
        """Add them to a run."""
        from subitize.papers.geckonum.importing import import_geckonum  # tables need no store

        return import_geckonum(run, self.files, self.items)


def read(folder: Path) -> GeckonumImport:
    """Read and check a release first, so that a faulty one leaves no run behind."""
    files = read_release(folder)
    return GeckonumImport(files, released_items(files), (*files.warnings, LICENCE))
