"""Writes cells, figures and names as text, for every medium."""

import math
import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence

from subitize.records import Estimate
from subitize.report import terminal
from subitize.report.table import Cell, Column, PublishedValue, Worded

NOTHING = "–"
_LEVEL = 0.05


def cell_text(cell: Cell, column: Column, mark: str = "†") -> str:
    """Write a cell for people: figures with their intervals, marked if they rest on too little."""
    match cell:
        case None:
            return NOTHING
        case Estimate():
            return estimate_text(cell, column.digits, mark)
        case PublishedValue(value=value, standard_error=error):
            return f"{number_text(value, column.digits)} ± {number_text(error, column.digits)}"
        case Worded(word=word, estimate=estimate, after=after, digits=digits):
            figure = estimate_text(estimate, column.digits if digits is None else digits, mark) if estimate else ""
            return " ".join(filter(None, (printable(word), figure, after)))
        case float() if column.kind == "p":
            return write_p(cell, column.digits)
        case float():
            return number_text(cell, column.digits)
        case int():
            return f"{cell:,}"
        case str():
            return printable(cell)
    raise TypeError(f"no cell: {cell!r}")


def number_text(value: float, digits: int) -> str:
    """Write a number with so many decimals and a real minus sign."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def write_p(p: float, digits: int = 3) -> str:
    """Write a p-value; values just below .05 get extra decimals so that they do not round to .05."""
    if p < 10**-digits:
        return f"< {10**-digits:.{digits}f}"
    while p < _LEVEL <= round(p, digits):
        digits += 1
    return number_text(p, digits)


def billions(count: int) -> str:
    """Write a number of parameters as papers do: in billions, to three digits."""
    return f"{count / 1e9:.3g}"


def interval(estimate: Estimate, digits: int, mark: str = "†") -> str:
    """Write an interval in brackets, marked if it rests on too little."""
    low, high = number_text(estimate.low, digits), number_text(estimate.high, digits)
    return f"[{low}, {high}]" + mark * bool(estimate.caution)


def estimate_text(estimate: Estimate | None, digits: int = 3, mark: str = "†") -> str:
    """Write a figure with its interval."""
    return NOTHING if estimate is None else f"{number_text(estimate.value, digits)} {interval(estimate, digits, mark)}"


def list_names(names: Sequence[str]) -> str:
    """Write names as a list: "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def percent_text(share: Estimate | None) -> str:
    """Write a share with its interval in whole percent."""
    if share is None:
        return "none"
    return f"{100 * share.value:.0f} % [{number_text(100 * share.low, 0)}, {number_text(100 * share.high, 0)}]"


def number_of(count: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def break_lines(text: str, width: float, measure: Callable[[str], float] = len) -> list[str]:
    """Break a text into lines at blanks and after signs that names contain, or else anywhere."""
    lines = [""]
    for piece in re.split(r"(?<=[\s:/,;_=@+-])", text):
        if measure((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        for char in piece:
            if measure((lines[-1] + char).rstrip()) > width:
                lines.append("")
            lines[-1] += char
    return [line.strip() for line in lines if line.strip()]


def sort_key(cell: Cell) -> str:
    """Return what a column is sorted by: a number as text, or the text itself."""
    match cell:
        case Estimate(value=value) | PublishedValue(value=value) | Worded(estimate=Estimate(value=value)):
            return str(value)
        case Worded(word=word):
            return word
        case None:
            return ""
    return str(cell)


def slug(text: str) -> str:
    """Make a name for a file or an anchor; a checksum keeps texts apart that it cannot write in full."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in text.lower()).strip("-")
    return plain if plain == text else f"{plain[:40]}-{zlib.crc32(text.encode('utf-8', 'replace')):08x}".strip("-")


def printable(text: str) -> str:
    """Spell out control and direction characters: text of models and people must not steer the page."""
    return terminal.printable(text, _is_harmless)


def _is_harmless(char: str) -> bool:
    # Joiners hold emoji and some scripts together; other format characters can reverse a line.
    return char.isprintable() or char in "\n\u200c\u200d" or unicodedata.category(char) == "Zs"
