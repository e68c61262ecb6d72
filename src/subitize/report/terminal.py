"""Prints lines, tables and progress at a terminal: wraps text, shortens long names, keeps figures whole.

It imports little, because every command prints and `list parts` must work where packages are missing."""

import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count, zip_longest
from math import ceil
from operator import not_
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


PIPED_WIDTH = 120
"""The width of output to pipes and files, unless COLUMNS says otherwise."""
GAP = 2
"""Blanks between columns."""
_LEAST_WIDTH = 40
_FEW_WORDS, _FEW_LINES = 4, 2
_PROSE_WIDTH = 24
_NAME_WIDTH = 16
_NUMBER = r"(?:[<>≤≥≈~=≠+±×−]\s?)?[+−-]?(?:\d[\d.,]*|\.\d+)(?:e[+−-]?\d+)?"
_BARE = re.compile(rf"(?:{_NUMBER}(?: ?%)?|[–∞])?")
_FIGURE = re.compile(rf"[(\[]?(?:{_NUMBER}|[–∞]|−∞).*", re.DOTALL)
# What is never broken: an interval with its marks, a sign with its number, a word with its number or mark.
_ATOM = re.compile(
    r"""\[[−\d.,∞\s+-]*\]\S*(?:\s[!*†‡](?!\S))*
    | \(\d+\s\w+\)
    | \+\s\d\S*\s[a-z]+\S*
    | (?:[<>≤≥≈~=≠⌊×±−]\s+)+(?!\d)\S+
    | (?:\(?[^\W\d_]+\s)?(?:[<>≤≥≈~=≠⌊×±−]\s+)*[(−+-]?[.\d]\S*(?:\s[×±]\s\d\S*)?(?:\s[!*†‡](?!\S)|\s%[\]):;,.]*(?!\S))*
    | \S+(?:\s[!*†‡](?!\S))*""",
    re.VERBOSE,
)
_OF_NUMBERS = "0123456789.,"
# A name may be broken after one of these signs, but not inside a number; after a weak one only if it must be.
_JOINT = re.compile(r"(?<=[,:/~+;|])(?![\d\s,:/~+;|])|(?<=[^\d,:/~+;|][,:/~+;|])(?=\d)")
_WEAK = re.compile(r"(?<=[^\W\d]_)(?=[^\W\d])|(?<=[^\W\d]-)(?=[^\W\d])")


def find_width() -> int:
    """Return the width of the output: that of COLUMNS, else of the terminal, else of a pipe."""
    return max(shutil.get_terminal_size((PIPED_WIDTH, 0)).columns, _LEAST_WIDTH)


def printable(text: str, is_harmless: Callable[[str], bool] = str.isprintable) -> str:
    """Spell out control characters: text of models and people must not steer the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(char if is_harmless(char) else repr(char)[1:-1] for char in text)


def print_line(*lines: str) -> None:
    """Print lines that may hold text of others, wrapped if they are too long."""
    for line in wrap_lines(lines, find_width()):
        print(line)


def print_warnings(*lines: str) -> None:
    """Print lines on stderr, each after our name."""
    for line in lines:
        print(f"subitize: {line}", file=sys.stderr)


def wrap_lines(lines: Iterable[str], width: int) -> Iterator[str]:
    """Wrap lines that may hold text of others if they are too long."""
    for line in lines:
        yield from wrap_line(printable(line), width)


def describe_cautions(cautions: Iterable[str]) -> Iterator[str]:
    """Explain the "!" marks, if there are any; cluster counts are in --json."""
    from subitize.stats.estimate import FEW

    parts = (part for caution in cautions if caution for part in caution.split("; "))
    found = sorted({f"fewer than {FEW} clusters" if part.startswith("only ") else part for part in parts})
    if found:
        yield f"! too little to rely on: {'; '.join(found)}"
        if any("cluster" in reason for reason in found):
            yield "cluster: all images of a prompt, or all answers to a picture"


def embolden(text: str) -> str:
    """Make a text bold at a terminal."""
    if not sys.stdout.isatty():
        return text
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    with console.capture() as captured:
        console.print(Text(text, style="bold"), end="")
    return captured.get()


def wrap_line(line: str, width: int) -> list[str]:
    """Break a line between words; a command at its end stays whole so that it can be copied."""
    if measure(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    before, command, arguments = line.partition(": subitize ")
    filled = _fill(([word] for word in _ATOM.findall(before + command[:1])), width - len(indent) - GAP)
    if command:
        filled.append(command[2:] + arguments)
    return [indent + " " * GAP * (place > 0) + text for place, text in enumerate(filled)]


def measure(text: str) -> int:
    """Measure the widest line of a text, in terminal columns."""
    if text.isascii() and "\n" not in text:
        return len(text)
    from rich.cells import cell_len

    return max(map(cell_len, text.split("\n")))


@dataclass(frozen=True)
class TerminalColumn:
    """A heading and its cells, each of one or more lines."""

    heading: str
    cells: tuple[str, ...]

    @cached_property
    def width(self) -> int:
        """The width of the widest line."""
        return max(map(measure, (self.heading, *self.cells)))

    @cached_property
    def has_figures(self) -> bool:
        """Whether all its cells are figures."""
        return any(self.cells) and all(_FIGURE.fullmatch(cell) for cell in self.cells if cell)

    @cached_property
    def has_bare_numbers(self) -> bool:
        """Whether all its cells are single numbers, so that it is aligned to the right."""
        return any(self.cells) and all(map(_BARE.fullmatch, self.cells))

    @cached_property
    def floors(self) -> tuple[int, int]:
        """Two least widths: with only sentences and the heading wrapped, and with everything wrapped."""
        heads, words = _ATOM.findall(self.heading), [word for cell in self.cells for word in _ATOM.findall(cell)]
        whole = max(map(measure, (*heads, *self.cells)), default=0)
        if not self.has_figures and any(len(cell.split()) > _FEW_WORDS for cell in self.cells):
            whole = min(whole, max(_PROSE_WIDTH, *map(measure, words)))
        pieces = [piece for word in (*heads, *words) for part in _split(word, _JOINT) for piece in _split(part, _WEAK)]
        least = [measure(one) if _FIGURE.fullmatch(one) else min(measure(one), _NAME_WIDTH) for one in pieces]
        return whole, min(whole, max(least, default=0))

    def wrap(self, width: int) -> "TerminalColumn":
        """Wrap the cells, wider than asked if cells that differ would otherwise look alike."""
        for room in count(width):
            wrapped = tuple("\n".join(_wrap_cell(cell, room)) for cell in self.cells)
            if len({*wrapped}) == len({*self.cells}):
                break
        return TerminalColumn("\n".join(_wrap_cell(self.heading, width)), wrapped)


@dataclass(frozen=True)
class Grid:
    """A table as it is printed; `above` is what all its rows share."""

    columns: tuple[TerminalColumn, ...]
    above: str = ""

    @property
    def width(self) -> int:
        """The width of all columns together."""
        return _join_widths([column.width for column in self.columns])

    @property
    def least_width(self) -> int:
        """Their least width."""
        return _join_widths([column.floors[1] for column in self.columns])

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of each row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))


def _join_widths(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def lay_out(headings: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> list[Grid]:
    """Fit a table into a width: as it is if possible, else wrapped or turned on its side, else in parts."""
    cells = [tuple("\n".join(map(printable, cell.split("\n"))) for cell in row) for row in rows]
    columns = zip(*cells, strict=True) if cells else [()] * len(headings)
    whole = Grid(tuple(TerminalColumn(heading, own) for heading, own in zip(headings, columns, strict=True)))
    if whole.width <= width or not cells:
        return [whole]
    short = _say_once(whole)
    ways = [short, _turn(short)] if len(cells) < len(short.columns) else [short]
    fitting = [_narrow(way, width) for way in ways if way.least_width <= width]
    return [min(fitting, key=lambda way: len(list(draw(way))))] if fitting else list(_part(short, width))


def draw(grid: Grid) -> Iterator[str]:
    """Write a table: the headings, which may take several lines, a rule, and the rows, spaced if many are tall."""
    yield "\n".join(_draw_row(grid, [column.heading for column in grid.columns]))
    yield _find_rule() * grid.width
    rows = [list(_draw_row(grid, row)) for row in grid.rows]
    is_tall = 3 * sum(len(lines) > _FEW_LINES for lines in rows) > len(rows)
    for place, lines in enumerate(rows):
        yield from [""] * (is_tall and place > 0)
        yield from lines


def _find_rule() -> str:
    try:
        "─".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"


def _draw_row(grid: Grid, cells: Sequence[str]) -> Iterator[str]:
    for texts in zip_longest(*(cell.split("\n") for cell in cells), fillvalue=""):
        padded = []
        for column, text in zip(grid.columns, texts, strict=True):
            blank = " " * (column.width - measure(text))
            padded.append(blank + text if column.has_bare_numbers else text + blank)
        yield (" " * GAP).join(padded).rstrip()


def _say_once(grid: Grid) -> Grid:
    """Move what all rows share above the table, unless it is a figure."""
    is_shared = [len({*column.cells}) == 1 and not column.has_figures for column in grid.columns]
    if len(grid.rows) == 1 or not any(is_shared):
        return grid
    shared, others = (tuple(compress(grid.columns, chosen)) for chosen in (is_shared, map(not_, is_shared)))
    return Grid(others, "; ".join(f"{column.heading}: {column.cells[0]}" for column in shared if column.cells[0]))


def _turn(grid: Grid) -> Grid:
    """Turn a table on its side: a row for each column."""
    lines = zip(*((column.heading, *column.cells) for column in grid.columns), strict=True)
    return Grid(tuple(TerminalColumn(heading, tuple(cells)) for heading, *cells in lines), grid.above)


def _part(grid: Grid, width: int) -> Iterator[Grid]:
    """Split a table: as many columns as fit, then the others below, each time after the columns that name the rows."""
    first = next((place for place, column in enumerate(grid.columns) if place and column.has_figures), 1)
    keys, waiting, above = grid.columns[:first], grid.columns[first:], grid.above
    while waiting:
        ends = range(1, len(waiting) + 1)
        most = max((end for end in ends if Grid(keys + waiting[:end]).least_width <= width), default=1)
        taken = ceil(len(waiting) / ceil(len(waiting) / most))  # the parts are about equally wide
        yield _narrow(Grid(keys + waiting[:taken], above), width)
        waiting, above = waiting[taken:], ""


def _narrow(grid: Grid, width: int) -> Grid:
    """Wrap cells until the table fits: sentences first, then the widest column that can still shrink."""
    kept = [column.width for column in grid.columns]
    figures = [place for place, column in enumerate(grid.columns) if column.has_figures]
    for floors in zip(*(column.floors for column in grid.columns), strict=True):
        while _join_widths(kept) > width:
            wide = [place for place, floor in enumerate(floors) if kept[place] > floor]
            if not wide:
                break
            widest = max(wide, key=kept.__getitem__)
            if widest in figures:  # intervals go below their values in all columns or none
                kept = [floors[place] if place in figures else room for place, room in enumerate(kept)]
            else:
                kept[widest] -= 1
    for place, column in enumerate(grid.columns):
        if place not in figures:
            kept[place] = min(column.width, kept[place] + max(0, width - _join_widths(kept)))
    return Grid(tuple(column.wrap(room) for column, room in zip(grid.columns, kept, strict=True)), grid.above)


def _wrap_cell(cell: str, width: int) -> Iterator[str]:
    for line in cell.split("\n"):
        if measure(line) <= width:
            yield line
        else:
            yield from _fill((_break(word, width) for word in _ATOM.findall(line)), width)


def _fill(words: Iterable[Iterable[str]], width: int) -> list[str]:
    """Fill lines with words, each given in pieces that are rejoined where there is room."""
    lines = [""]
    for word in words:
        for place, piece in enumerate(word):
            joined = lines[-1] + " " * (bool(lines[-1]) and not place) + piece
            if not lines[-1] or measure(joined) <= width:
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


def _break(word: str, width: int) -> Iterator[str]:
    """Break a word that is too long for a line at its joints, and shorten pieces that are still too long."""
    if measure(word) <= width:
        yield word
        return
    for part in _split(word, _JOINT):
        for piece in [part] if measure(part) <= width else _split(part, _WEAK):
            yield _shorten(piece, width)


def _split(word: str, joint: re.Pattern[str]) -> list[str]:
    return [word] if _FIGURE.fullmatch(word) else joint.split(word)


def _shorten(word: str, width: int) -> str:
    """Leave out the middle of a long name; numbers in it are kept whole or dropped."""
    if measure(word) <= width or _FIGURE.fullmatch(word):
        return word
    half = (width - 1) // 2
    return word[: width - 1 - half].rstrip(_OF_NUMBERS) + "…" + word[-half:].lstrip(_OF_NUMBERS)


_LINE_EVERY_SECONDS = 30.0


class TerminalEvents:
    """Prints results on stdout; warnings and progress on stderr: a bar at a terminal, else a line every 30 seconds."""

    def __init__(self) -> None:
        self._bars = _make_bars() if sys.stderr.isatty() else None
        self._done = self._total = self._failed = 0
        self._what = ""
        self._started = self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def say(self, *lines: str) -> None:
        """Print results."""
        print_line(*lines)

    def warn(self, *lines: str) -> None:
        """Print warnings."""
        print_warnings(*lines)

    def begin(self, what: str, total: int) -> None:
        """Start a bar."""
        self._what, self._total, self._done, self._failed = printable(what), total, 0, 0
        self._started = self._last_line = time.monotonic()
        if self._bars is not None:
            self._bars.start()
            self._task = self._bars.add_task(self._what, total=total, rate="", errors="")

    def advance(self, *, has_failed: bool = False) -> None:
        """Advance the bar by one."""
        self._done += 1
        self._failed += has_failed
        now = time.monotonic()
        rate = self._done / max(now - self._started, 1e-9)
        if self._bars is not None:
            errors = f"[red]{self._failed} errors" if self._failed else ""
            self._bars.update(self._task, advance=1, rate=f"{rate:.1f}/s", errors=errors)
        elif now - self._last_line >= _LINE_EVERY_SECONDS:
            self._last_line = now
            left = (self._total - self._done) / rate
            print(
                f"{self._what}: {self._done}/{self._total}, {rate:.1f}/s, {self._failed} errors, {left:.0f} s left",
                file=sys.stderr,
            )


def _make_bars() -> "Bars":
    # Imported only at a terminal: it takes as long as drawing two pictures.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[errors]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        redirect_stdout=sys.stdout.isatty(),  # results that go to a file or program stay out of the bar's terminal
    )
