"""Writes tables for every medium: CSV, JSON, Markdown, LaTeX, lines for a terminal, and HTML with all of a report."""

import base64
import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, get_args

from subitize import __version__
from subitize.io.files import escape_formula, read_own_toml
from subitize.records import Estimate
from subitize.report import terminal
from subitize.report.figures import to_inline_svg
from subitize.report.table import Block, Cell, Document, PublishedValue, Result, Row, RowKind, Table, Worded
from subitize.report.texts import cell_text, interval, number_text, printable, sort_key

if TYPE_CHECKING:
    from jinja2 import Template

_ESTIMATE_PARTS = ("value", "low", "high", "n")
_CHARACTERS: dict[str, str] = read_own_toml(__file__, "tex.toml")
# Combining marks from U+0300 on, and the commands that put them on a letter in every font encoding.
_COMBINING = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
_ACCENTS = dict(zip(_COMBINING, "`'^~=u.\"rHvc", strict=True))

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


def print_result(result: Result, *, as_json: bool = False) -> None:
    """Print a result: as JSON for programs, or so that it fits the terminal without cutting a figure."""
    if as_json:
        print(to_json(result.records))
    else:
        for line in to_lines(result, terminal.find_width(), terminal.embolden):
            print(line)


def to_json(records: object) -> str:
    """Write records as JSON; values that are not finite, such as the interval of one observation, are null."""
    from pydantic_core import to_json

    return to_json(records, indent=2, inf_nan_mode="null").decode()


def to_lines(result: Result, width: int, emphasise: Callable[[str], str] = str) -> Iterator[str]:
    """Write a result for a terminal; what several tables share is explained below the last of them."""
    yield from terminal.wrap_lines(result.lead, width)
    legends = [_explain(table) for table in result.tables]
    for place, table in enumerate(result.tables):
        yield from _table_lines(table, width, emphasise)
        later = {line for legend in legends[place + 1 :] for line in legend}
        yield from terminal.wrap_lines((line for line in legends[place] if line not in later), width)
    cautions = terminal.describe_cautions(caution for table in result.tables for caution in table.cautions())
    yield from terminal.wrap_lines((*cautions, *result.notes), width)


def _explain(table: Table) -> list[str]:
    helps = [f"{column.name}: {column.help}" for column in table.columns if column.help]
    return [*filter(None, [table.caption]), *table.notes, *helps] if table.rows else []


def _table_lines(table: Table, width: int, emphasise: Callable[[str], str]) -> Iterator[str]:
    yield from terminal.wrap_lines((*filter(None, [table.title]), *table.lead), width)
    if not table.rows:
        return
    rows = [
        [cell_text(cell, column, " !") for cell, column in zip(row.cells, table.columns, strict=True)]
        for row in table.rows
    ]
    for grid in terminal.lay_out([column.name for column in table.columns], rows, width):
        yield from terminal.wrap_lines(filter(None, [grid.above]), width)
        head, *lines = terminal.draw(grid)
        yield from (emphasise(head), *lines, "")


def to_csv(table: Table) -> str:
    """Write a table as CSV: full precision, bounds and n in columns of their own, and text that no spreadsheet runs."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    parts = [_parts([row.cells[place] for row in table.rows]) for place in range(len(table.columns))]
    has_kinds = any(row.badge for row in table.rows)
    head = [
        f"{column.name} {part}" if place else column.name
        for column, found in zip(table.columns, parts, strict=True)
        for place, part in enumerate(found)
    ]
    writer.writerow([_inert(name) for name in head] + ["kind"] * has_kinds)
    for row in table.rows:
        cells = [value for cell, found in zip(row.cells, parts, strict=True) for value in _values(cell, found)]
        writer.writerow(cells + [row.badge or "measured"] * has_kinds)
    return file.getvalue()


def to_markdown(table: Table) -> str:
    """Write a table as Markdown, under its title."""
    lines = [_markdown_row([column.name for column in table.columns])]
    lines.append("|" + "|".join(" ---: " if column.kind != "text" else " --- " for column in table.columns) + "|")
    lines += [_markdown_row(_texts(table, row)) for row in table.rows]
    caption = f"\n{_markdown(table.full_caption())}\n" if table.full_caption() else ""
    return f"**{_markdown(table.title)}**\n\n" + "\n".join(lines) + "\n" + caption


def to_latex(table: Table) -> str:
    """Write a table with booktabs rules, every cell escaped."""
    align = "".join("r" if column.kind != "text" else "l" for column in table.columns)
    head = _latex_row([column.name for column in table.columns])
    rows = "".join(f"  {_latex_row(_texts(table, row))} \\\\\n" for row in table.rows)
    caption = to_tex(". ".join(filter(None, (table.title, table.full_caption()))))
    return (
        "% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n"
        f"  \\caption{{{caption}}}\n  \\label{{tab:{table.name}}}\n"
        f"  \\begin{{tabular}}{{{align}}}\n  \\toprule\n  {head} \\\\\n  \\midrule\n{rows}"
        "  \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
    )


def _parts(cells: list[Cell]) -> tuple[str, ...]:
    """List the CSV columns that the cells of one column need."""
    if any(isinstance(cell, Worded) and not cell.anchor for cell in cells):
        return ("word", *_ESTIMATE_PARTS)
    if any(isinstance(cell, PublishedValue) for cell in cells):
        return (*_ESTIMATE_PARTS, "standard error")
    return _ESTIMATE_PARTS if any(isinstance(cell, Estimate) for cell in cells) else ("text",)


def _values(cell: Cell, parts: tuple[str, ...]) -> list[object]:
    """Split a cell into these parts; those it lacks are empty."""
    found: dict[str, object] = {}
    match cell:
        case Worded(word=word, estimate=estimate, anchor=""):
            return [_inert(word), *_values(estimate, parts[1:])]
        case Estimate(value=value, low=low, high=high, n=n):
            found = {"value": value, "low": low, "high": high, "n": n}
        case PublishedValue(value=value, standard_error=error):
            found = {"value": value, "standard error": error}
        case Worded(word=word) | str(word):
            found = {parts[0]: _inert(word)}
        case int() | float():
            found = {"value" if "value" in parts else "text": cell}
    return [found.get(part, "") for part in parts]


def _inert(text: str) -> str:
    """Keep a spreadsheet from running a text that looks like a formula."""
    return escape_formula(printable(text))


def _texts(table: Table, row: Row) -> list[str]:
    texts = [cell_text(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]
    return [f"{texts[0]} ({row.badge})", *texts[1:]] if row.badge else texts


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(_markdown(cell).replace("\n", " ") for cell in cells) + " |"


def _markdown(text: str) -> str:
    escaped = re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", text)
    return escaped.replace("&", "&amp;")


def _latex_row(cells: list[str]) -> str:
    row = " & ".join(map(to_tex, cells))
    # TeX would take these for an option of the rule or row above.
    return f"{{}}{row}" if row.lstrip().startswith(("[", "*")) else row


def to_tex(text: str) -> str:
    """Escape TeX's special characters, and spell out those that it does not know."""
    return "".join(_spell(char) for char in unicodedata.normalize("NFC", text))


def _spell(char: str) -> str:
    """Write a character as pdflatex knows it, or else its code point."""
    if char in _CHARACTERS:
        return _CHARACTERS[char]
    if " " <= char <= "~" or "\xa1" <= char <= "\xff":
        return char
    parts = unicodedata.normalize("NFD", char)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\texttt{{U+{ord(char):04X}}}"


# By their names in the page's templates: paragraph, table, figure, gallery, facts, citation.
_KINDS = {kind.__name__.lower(): kind for kind in get_args(Block)}


def to_html(document: Document) -> Iterator[str]:
    """Write the page piece by piece; text of models and users is escaped where it is inserted."""
    has_published = any(row.badge == "published" for table in document.tables() for row in table.rows)
    return _template("report.html").generate(document=document, version=__version__, has_published=has_published)


def to_fragment(result: Result) -> str:
    """Write a result as a part of a page, such as a notebook."""
    return str(vars(_template("blocks.html").module)["result"](result))


@cache
def _template(name: str) -> "Template":
    """Compile a template once; style, script and filters are the same for every document."""
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
        "worded": lambda value: isinstance(value, Worded),
        "block_kind": lambda block, name: isinstance(block, _KINDS[name]),
    }
    style, script = (loader.get_source(page, name)[0] for name in ("report.css", "report.js"))
    page.globals |= {
        "style": Markup(style),
        "script": Markup(script),
        # The browser runs only this script, whatever else may be in the page.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "marks": _MARKS,
        "filter_names": _FILTER_NAMES,
        "kind_names": _KIND_NAMES,
    }
    return page.get_template(name)


def _finalize(value: object) -> object:
    return printable(value) if type(value) is str else value
