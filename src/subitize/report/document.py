"""Writes a report: one self-contained HTML page, with its figures and tables as files on request."""

import base64
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from subitize import __version__
from subitize.analysis.frame import ReadOptions
from subitize.errors import BadValueError, StorageError
from subitize.interfaces import Progress
from subitize.io.memory import gc_paused
from subitize.io.outputs import make_folder, write_atomic
from subitize.records import Estimate
from subitize.report import figures as chart_engine
from subitize.report.compose import build_report
from subitize.report.figures import save_figure, to_inline_svg
from subitize.report.series import read_sources
from subitize.report.table import (
    Block,
    Document,
    Linked,
    RowKind,
    Tagged,
    cell_text,
    interval,
    number_text,
    printable,
    sort_key,
)
from subitize.report.writers import to_csv, to_latex, to_markdown
from subitize.store import Run

if TYPE_CHECKING:
    from jinja2 import Template


# By their names in the page's templates: text, table, figure, gallery, facts, reference.
_KINDS = {kind.__name__.removesuffix("Block").lower(): kind for kind in get_args(Block)}
_MARKS = {"right": "✓", "wrong": "✗", "refused": "⊘", "discarded": "∅", "unknown": "?"}
_KIND_NAMES: dict[RowKind, str] = {
    "": "Models",
    "stand-in": "Embedded stand-ins, not real models",
    "stand-in judge": "Judged by a stand-in",
    "baseline": "Baselines, computed",
    "published": "Published, not measured here",
}
_FILTER_NAMES = {
    "model": "Model",
    "judge": "Judge",
    "outcome": "Outcome",
    "category": "Category",
    "target": "Right answer",
}


def to_html(document: Document) -> Iterator[str]:
    """Write the page piece by piece; text of models and users is escaped where it is inserted."""
    return _page().generate(
        document=document,
        version=__version__,
        has_published=any(row.badge == "published" for table in document.tables() for row in table.rows),
        marks=_MARKS,
        filter_names=_FILTER_NAMES,
        kind_names=_KIND_NAMES,
    )


@cache
def _page() -> "Template":
    """Compile the template once; its style, script and filters are the same for every document."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup, escape

    loader = PackageLoader("subitize", "report/page")
    page = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_finalize)
    page.filters |= {
        "figure": number_text,
        "interval": interval,
        "readable": cell_text,
        "sort_key": sort_key,
        "breakable": lambda text: Markup(re.sub(r"([:/,=_.·])", r"\1<wbr>", str(escape(text)))),
        "svg": lambda block: Markup(to_inline_svg(block)),
    }
    page.tests |= {
        "estimate": lambda value: isinstance(value, Estimate),
        "linked": lambda value: isinstance(value, Linked),
        "tagged": lambda value: isinstance(value, Tagged),
        "block_kind": lambda block, name: isinstance(block, _KINDS[name]),
    }
    style, script = (loader.get_source(page, name)[0] for name in ("report.css", "report.js"))
    page.globals |= {
        "style": Markup(style),
        "script": Markup(script),
        # The browser runs only this script, whatever else may be in the page.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return page.get_template("report.html")


def _finalize(value: object) -> object:
    return printable(value) if type(value) is str else value


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the page goes, and the folders for figures and tables, if wanted."""

    page: Path
    figures: Path | None = None
    tables: Path | None = None


def write_report(
    runs: Sequence[Run], outputs: Outputs, progress: Progress, reader: ReadOptions | None = None
) -> list[Path]:
    """Write the report of these runs, and return its files."""
    check_outputs(outputs)
    chart_engine.start()
    with gc_paused():
        document = build_report(read_sources(runs, reader), progress)
        if outputs.tables or outputs.figures:
            document.check_names()
        files = [*_tables(document, outputs.tables), *_figures(document, outputs.figures, progress)]
        return [*files, write_atomic(outputs.page, (text.encode() for text in to_html(document)))]


def check_outputs(outputs: Outputs) -> None:
    """Refuse early what could not be written later."""
    page = outputs.page
    if page.is_dir():
        raise BadValueError(f"-o {page} is a folder; name a file in it, as {page / 'report.html'}")
    if not page.parent.is_dir():
        raise BadValueError(f"-o {page}: there is no folder {page.parent}; make it first: mkdir -p {page.parent}")
    if not os.access(page.parent, os.W_OK):
        raise StorageError(f"-o {page}: the folder {page.parent} cannot be written to; choose another")
    for flag, folder in (("--figures", outputs.figures), ("--tables", outputs.tables)):
        if folder is not None and os.path.lexists(folder) and not folder.is_dir():
            raise BadValueError(f"{flag} {folder} is not a folder; name one")
        if folder is not None and os.path.realpath(folder) == os.path.realpath(page):
            raise BadValueError(f"-o and {flag} both name {page}; one is a file, the other a folder")


def _tables(document: Document, folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    make_folder(folder)
    for table in (*document.tables(), *(figure.data for figure in document.figures())):
        for suffix, text in (("csv", to_csv(table)), ("md", to_markdown(table)), ("tex", to_latex(table))):
            yield write_atomic(folder / f"{table.name}.{suffix}", [text.encode()])


def _figures(document: Document, folder: Path | None, progress: Progress) -> Iterator[Path]:
    if folder is None:
        return
    make_folder(folder)
    figures = list(document.figures())
    progress.begin("figures", len(figures))
    for figure in figures:
        for suffix in ("svg", "png"):
            yield save_figure(figure.spec, folder / f"{figure.name}.{suffix}", figure.name)
        progress.advance(has_failed=False)
