"""The cells of a table as people read them, and as programs do."""

import math
import unicodedata
import zlib
from collections.abc import Sequence

from subitize.records import Estimate
from subitize.report.document.blocks import Cell, Column, Linked, Printed, Tagged

NOTHING = "–"
_LEVEL = 0.05


def readable(cell: Cell, column: Column) -> str:
    """Write a cell for a person: a figure with its interval."""
    match cell:
        case None:
            return NOTHING
        case Estimate():
            return estimate_text(cell, column.digits)
        case Printed(value=value, standard_error=error):
            return f"{figure(value, column.digits)} ± {figure(error, column.digits)}"
        case Tagged(word=word, estimate=None) | Linked(word=word):
            return word
        case Tagged(word=word, estimate=Estimate() as estimate):
            return f"{word} {estimate_text(estimate, column.digits)}"
        case float() if column.is_probability:
            return write_p(cell, column.digits)
        case float():
            return figure(cell, column.digits)
        case int():
            return f"{cell:,}"
        case str():
            return printable(cell)
    raise TypeError(f"no cell: {cell!r}")


def figure(value: float, digits: int) -> str:
    """Write a number with so many decimals and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def write_p(p: float, digits: int = 3) -> str:
    """Write a p-value; one below .05 has as many decimals as it takes not to read as .05."""
    if p < 10**-digits:
        return f"< {10**-digits:.{digits}f}"
    while p < _LEVEL <= round(p, digits):
        digits += 1
    return figure(p, digits)


def billions(count: int) -> str:
    """Write how many parameters a network has as papers do: in billions, to three digits."""
    return f"{count / 1e9:.3g}"


def interval(estimate: Estimate, digits: int, mark: str = "†") -> str:
    """Write an interval in brackets, marked where it rests on too little."""
    return f"[{figure(estimate.low, digits)}, {figure(estimate.high, digits)}]" + mark * bool(estimate.caution)


def estimate_text(estimate: Estimate | None, digits: int = 3, mark: str = "†") -> str:
    """Write a figure with its interval."""
    return NOTHING if estimate is None else f"{figure(estimate.value, digits)} {interval(estimate, digits, mark)}"


def list_names(names: Sequence[str]) -> str:
    """Write names as a list: "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def percent_text(share: Estimate | None) -> str:
    """Write a share with its interval in whole percent."""
    if share is None:
        return "none"
    return f"{100 * share.value:.0f} % [{figure(100 * share.low, 0)}, {figure(100 * share.high, 0)}]"


def number_of(count: int, noun: str) -> str:
    """Write how many there are of something."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def sort_key(cell: Cell) -> str:
    """Give what a column is sorted by, as a number in text, or the text itself."""
    match cell:
        case Estimate(value=value) | Printed(value=value) | Tagged(estimate=Estimate(value=value)):
            return str(value)
        case Linked(word=word) | Tagged(word=word):
            return word
        case None:
            return ""
    return str(cell)


def slug(text: str) -> str:
    """Make a name that can stand in a file's name or an anchor; what it cannot keep is told apart by a checksum."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in text.lower()).strip("-")
    return plain if plain == text else f"{plain[:40]}-{zlib.crc32(text.encode('utf-8', 'replace')):08x}".strip("-")


def printable(text: str) -> str:
    """Write control and direction characters out: what a model or a person wrote must not steer the page."""
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else repr(char)[1:-1] for char in text)


def _is_harmless(char: str) -> bool:
    # Joiners hold emoji and some scripts together; other format characters can turn a line around.
    return char.isprintable() or char in "\n\u200c\u200d" or unicodedata.category(char) == "Zs"
