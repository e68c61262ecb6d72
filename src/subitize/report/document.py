"""Writes a report: one self-contained HTML page, with its figures and tables as files on request."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.analysis.frame import ReadOptions
from subitize.errors import BadValueError, StorageError
from subitize.interfaces import Events
from subitize.io.memory import gc_paused
from subitize.io.outputs import make_folder, write_atomic
from subitize.report import figures as chart_engine
from subitize.report.compose import build_report
from subitize.report.figures import save_figure
from subitize.report.series import read_sources
from subitize.report.table import Document
from subitize.report.writers import to_csv, to_html, to_latex, to_markdown
from subitize.store import Run


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the page goes, and the folders for figures and tables, if wanted."""

    page: Path
    figures: Path | None = None
    tables: Path | None = None


def write_report(
    runs: Sequence[Run], outputs: Outputs, events: Events, reader: ReadOptions | None = None
) -> list[Path]:
    """Write the report of these runs, and return its files."""
    check_outputs(outputs)
    with chart_engine.drawing(), gc_paused():
        document = build_report(read_sources(runs, reader), events)
        if outputs.tables or outputs.figures:
            document.check_names()
        files = [*_tables(document, outputs.tables), *_figures(document, outputs.figures, events)]
        return [*files, write_atomic(outputs.page, (text.encode() for text in to_html(document)))]


def check_outputs(outputs: Outputs, option: str = "out") -> None:
    """Refuse early what could not be written later; the option names the page in messages."""
    page = outputs.page
    if page.is_dir():
        raise BadValueError(f"`{option}` {page} is a folder; name a file in it, as {page / 'report.html'}")
    if not page.parent.is_dir():
        raise BadValueError(f"`{option}` {page}: there is no folder {page.parent}; run: mkdir -p {page.parent}")
    if not os.access(page.parent, os.W_OK):
        raise StorageError(f"`{option}` {page}: the folder {page.parent} cannot be written to; choose another")
    for flag, folder in (("`figures`", outputs.figures), ("`tables`", outputs.tables)):
        if folder is not None and os.path.lexists(folder) and not folder.is_dir():
            raise BadValueError(f"{flag} {folder} is not a folder; name one")
        if folder is not None and os.path.realpath(folder) == os.path.realpath(page):
            raise BadValueError(f"`out` and {flag} both name {page}; one is a file, the other a folder")


def _tables(document: Document, folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    make_folder(folder)
    for table in (*document.tables(), *(figure.data for figure in document.figures())):
        for suffix, text in (("csv", to_csv(table)), ("md", to_markdown(table)), ("tex", to_latex(table))):
            yield write_atomic(folder / f"{table.name}.{suffix}", [text.encode()])


def _figures(document: Document, folder: Path | None, events: Events) -> Iterator[Path]:
    if folder is None:
        return
    make_folder(folder)
    figures = list(document.figures())
    events.begin("figures", len(figures))
    for figure in figures:
        for suffix in ("svg", "png"):
            yield save_figure(figure.spec, folder / f"{figure.name}.{suffix}", figure.name)
        events.advance()
