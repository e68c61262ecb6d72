"""Writes tables as CSV for programs, Markdown for pages, and LaTeX for papers."""

import csv
import io
import re
import tomllib
import unicodedata
from pathlib import Path

from subitize.io.files import escape_formula
from subitize.records import Estimate
from subitize.report.table import Cell, Linked, Printed, Row, TableBlock, Tagged, cell_text, printable

_ESTIMATE_PARTS = ("value", "low", "high", "n")
_CHARACTERS: dict[str, str] = tomllib.loads(Path(__file__).with_name("tex.toml").read_text(encoding="utf-8"))
# Combining marks from U+0300 on, and the commands that put them on a letter in every font encoding.
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327", "`'^~=u.\"rHvc", strict=True)
)


def to_csv(table: TableBlock) -> str:
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


def to_markdown(table: TableBlock) -> str:
    """Write a table as Markdown, under its title."""
    lines = [_markdown_row([column.name for column in table.columns])]
    lines.append("|" + "|".join(" ---: " if column.is_numeric else " --- " for column in table.columns) + "|")
    lines += [_markdown_row(_texts(table, row)) for row in table.rows]
    caption = f"\n{_markdown(table.caption)}\n" if table.caption else ""
    return f"**{_markdown(table.title)}**\n\n" + "\n".join(lines) + "\n" + caption


def to_latex(table: TableBlock) -> str:
    """Write a table with booktabs rules, every cell escaped."""
    align = "".join("r" if column.is_numeric else "l" for column in table.columns)
    head = _latex_row([column.name for column in table.columns])
    rows = "".join(f"  {_latex_row(_texts(table, row))} \\\\\n" for row in table.rows)
    caption = to_tex(f"{table.title}. {table.caption}" if table.caption else table.title)
    return (
        "% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n"
        f"  \\caption{{{caption}}}\n  \\label{{tab:{table.name}}}\n"
        f"  \\begin{{tabular}}{{{align}}}\n  \\toprule\n  {head} \\\\\n  \\midrule\n{rows}"
        "  \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
    )


def _parts(cells: list[Cell]) -> tuple[str, ...]:
    """List the CSV columns that the cells of one column need."""
    if any(isinstance(cell, Tagged) for cell in cells):
        return ("word", *_ESTIMATE_PARTS)
    if any(isinstance(cell, Printed) for cell in cells):
        return (*_ESTIMATE_PARTS, "standard error")
    return _ESTIMATE_PARTS if any(isinstance(cell, Estimate) for cell in cells) else ("text",)


def _values(cell: Cell, parts: tuple[str, ...]) -> list[object]:
    """Split a cell into these parts; those it lacks are empty."""
    found: dict[str, object] = {}
    match cell:
        case Tagged(word=word, estimate=estimate):
            return [_inert(word), *_values(estimate, parts[1:])]
        case Estimate(value=value, low=low, high=high, n=n):
            found = {"value": value, "low": low, "high": high, "n": n}
        case Printed(value=value, standard_error=error):
            found = {"value": value, "standard error": error}
        case Linked(word=word) | str(word):
            found = {parts[0]: _inert(word)}
        case int() | float():
            found = {"value" if "value" in parts else "text": cell}
    return [found.get(part, "") for part in parts]


def _inert(text: str) -> str:
    """Keep a spreadsheet from running a text that looks like a formula."""
    return escape_formula(printable(text))


def _texts(table: TableBlock, row: Row) -> list[str]:
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
