"""A report as values, before it becomes HTML or files: sections, tables, figures, galleries, facts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, Self

from subitize.records import Box, Estimate

if TYPE_CHECKING:
    import polars as pl

RowKind = Literal["", "stand-in", "stand-in judge", "published", "baseline"]
KINDS: tuple[RowKind, ...] = ("", "stand-in", "stand-in judge", "baseline", "published")
"""Row kinds in display order. Rows of different kinds are never ranked together."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A word with the figure behind it ("Over. 0.44"), what follows it, or a link to another place of the page.

    The figure may have other decimals than its column.
    """

    word: str
    estimate: Estimate | None = None
    after: str = ""
    anchor: str = ""
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """A published figure with its standard error; its interval is unknown."""

    value: float
    standard_error: float


Cell = str | int | float | Estimate | Worded | PublishedValue | None


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, what it means if that is not obvious, and the decimals of its figures.

    The meaning is a tooltip on the page and a line below the table at a terminal.
    """

    name: str
    help: str = ""
    digits: int = 2
    kind: Literal["number", "text", "p"] = "number"

    @classmethod
    def text(cls, name: str, help: str = "") -> Self:
        """Make a column of words."""
        return cls(name, help, kind="text")

    @classmethod
    def p(cls, name: str, help: str = "") -> Self:
        """Make a column of p-values."""
        return cls(name, help, 3, "p")


Columns = Iterable[Column | str]
Record = Mapping[Column, Cell]


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, the first of which names it; the badge marks rows that are not ordinary models."""

    cells: tuple[Cell, ...]
    badge: RowKind = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, for page, terminal and files; its name is that of its files."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    is_grouped: bool = False
    """Whether rows of a kind are grouped under a heading."""
    lead: tuple[str, ...] = ()
    """Lines above it at a terminal, where a title does not say enough."""
    notes: tuple[str, ...] = ()
    """Lines below it at a terminal, where a caption and the help of columns do not say enough."""

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        columns: Columns,
        rows: Iterable[Row | Sequence[Cell]],
        caption: str = "",
        *,
        notes: Iterable[str] = (),
        digits: int = 2,
        drops_empty: bool = False,
    ) -> Self:
        """Make a table; a plain column of figures may be given by its heading alone, an ordinary row by its cells."""
        heads = tuple(Column(one, digits=digits) if isinstance(one, str) else one for one in columns)
        own = tuple(one if isinstance(one, Row) else Row(tuple(one)) for one in rows)
        made = cls(name, title, heads, own, caption, notes=tuple(notes))
        return made.without_empty() if drops_empty else made

    @classmethod
    def of_records(
        cls,
        name: str,
        title: str,
        records: Sequence[tuple[Record, RowKind]],
        caption: str = "",
        *,
        drops_empty: bool = False,
    ) -> Self:
        """Make a table of records with the same columns in the same order."""
        rows = (Row(tuple(record.values()), badge) for record, badge in records)
        return cls.of(name, title, records[0][0] if records else (), rows, caption, drops_empty=drops_empty)

    @classmethod
    def from_cells(
        cls,
        name: str,
        title: str,
        cells: Mapping[tuple[Any, ...], Cell],
        heads: Sequence[Column],
        columns: Sequence[Any] = (),
        *,
        badges: Mapping[str, RowKind] | None = None,
        caption: str = "",
        digits: int = 2,
        empty: Cell = None,
    ) -> Self:
        """Make a table of cells by row and column; the last part of a key is the column, those before it name the row.

        The heads are those of the rows' names. Without columns, all are shown in the order in which they occur.
        """
        chosen = columns or list(dict.fromkeys(key[-1] for key in cells))
        rows = (
            Row((*row, *(cells.get((*row, column), empty) for column in chosen)), (badges or {}).get(row[0], ""))
            for row in dict.fromkeys(key[:-1] for key in cells)
        )
        return cls.of(name, title, (*heads, *map(str, chosen)), rows, caption, digits=digits)

    def without_empty(self) -> Self:
        """Leave out columns in which there is nothing but zeros."""
        filled = [any(row.cells[place] for row in self.rows) for place in range(len(self.columns))]
        rows = (replace(row, cells=tuple(compress(row.cells, filled))) for row in self.rows)
        return replace(self, columns=tuple(compress(self.columns, filled)), rows=tuple(rows))

    def with_column(self, column: Column, cells: Iterable[Cell], at: int) -> Self:
        """Insert a column at a place, or replace its cells if it is already there."""
        after = at + (self.columns[at : at + 1] == (column,))
        rows = (
            replace(row, cells=(*row.cells[:at], cell, *row.cells[after:]))
            for row, cell in zip(self.rows, cells, strict=True)
        )
        return replace(self, columns=(*self.columns[:at], column, *self.columns[after:]), rows=tuple(rows))

    def groups(self) -> list[tuple[RowKind | None, list[Row]]]:
        """Group rows by kind; a table of one kind, or that is not grouped, is one group of kind None."""
        kinds = dict.fromkeys(row.badge for row in self.rows)
        if not self.is_grouped or len(kinds) < 2:
            return [(None, list(self.rows))]
        return [(kind, [row for row in self.rows if row.badge == kind]) for kind in kinds]

    def cautions(self) -> set[str]:
        """Say why marked figures are too little to rely on."""
        cells = (cell.estimate if isinstance(cell, Worded) else cell for row in self.rows for cell in row.cells)
        cautions = (cell.caution for cell in cells if isinstance(cell, Estimate) and cell.caution)
        return {part for caution in cautions for part in caution.split("; ")}

    def full_caption(self) -> str:
        """Return the caption, which also explains the marked figures."""
        found = sorted(self.cautions())
        return f"{self.caption} † Too little to rely on: {'; '.join(found)}.".strip() if found else self.caption

    def __str__(self) -> str:
        return str(Result((self,)))

    def _repr_html_(self) -> str:
        return Result((self,))._repr_html_()


@dataclass(frozen=True, slots=True)
class Result:
    """What a command found: tables between lines, and records as `--json` prints them."""

    tables: tuple[Table, ...] = ()
    records: object = None
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def say(self, *lines: str) -> Self:
        """Add lines below."""
        return replace(self, notes=(*self.notes, *lines))

    @property
    def frame(self) -> "pl.DataFrame":
        """The records as a polars frame; of several lists of records, the first."""
        import polars as pl

        found = self.frames
        first = next(iter([*list(found)[not isinstance(self.records, list) :], *found]), None)
        return pl.DataFrame() if first is None else found[first]

    @property
    def frames(self) -> "dict[str, pl.DataFrame]":
        """Each list of records as a polars frame, by its name; a row begins with the fields of what holds it."""
        import polars as pl

        rows: dict[str, list[dict[str, Any]]] = {}
        _gather("records", self.records if isinstance(self.records, list) else [self.records], {}, rows)
        return {name: pl.DataFrame(own, infer_schema_length=None) for name, own in rows.items() if any(own)}

    def __str__(self) -> str:
        from subitize.report.terminal import find_width
        from subitize.report.writers import to_lines

        return "\n".join(to_lines(self, find_width()))

    def _repr_html_(self) -> str:
        from subitize.report.writers import to_fragment

        return to_fragment(self)


def _gather(
    name: str, records: Sequence[Any], holder: Mapping[str, Any], rows: dict[str, list[dict[str, Any]]]
) -> None:
    """Gather records under their name, and those that are nested in them under theirs."""
    for record in records:
        flat = {**holder, **_flatten(record)}
        inner = {key: value for key, value in flat.items() if _is_records(value)}
        own = {key: value for key, value in flat.items() if key not in inner}
        rows.setdefault(name, []).append(own)
        for key, value in inner.items():
            _gather(key, value, own, rows)


def _flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """Put the fields of an estimate beside those of what it is of."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat |= value if isinstance(value, Mapping) and "low" in value else {key: value}
    return flat


def _is_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


@dataclass(frozen=True, slots=True)
class Figure:
    """A Vega-Lite chart, a description for readers who cannot see it, and the numbers behind it."""

    name: str
    title: str
    spec: Mapping[str, Any]
    caption: str
    alt: str
    data: Table


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small picture as a data URI, and the size in pixels of the original."""

    uri: str
    width_px: int
    height_px: int


GalleryVerdict = Literal["right", "wrong", "refused", "discarded", "unknown"]


@dataclass(frozen=True, slots=True)
class Card:
    """One response in the gallery: its picture, or why there is none, and what is known about it."""

    model: str
    outcome: GalleryVerdict
    category: str
    target: str
    response: str
    thumbnail: Thumbnail | str
    details: tuple[tuple[str, str], ...]
    boxes: tuple[Box, ...] = ()
    subject: str = ""
    """What the question is about, if not the whole picture."""
    judge: str = ""
    """The judge, by name; the page shows it where several judged the same pictures."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """A bounded sample of the responses, which readers can filter."""

    name: str
    title: str
    caption: str
    cards: tuple[Card, ...]
    filters: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one model, judge or protocol: names with values of one or more lines.

    The id is its anchor, if anything links to it.
    """

    title: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    badge: RowKind = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A work to cite, its address, and what is used of it."""

    text: str
    url: str
    used_for: str


Block = Paragraph | Table | Figure | Gallery | Facts | Citation


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its blocks and subsections; the id is its anchor."""

    id: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple["Section", ...] = ()

    @classmethod
    def of(cls, id: str, title: str, *blocks: Block | None, lead: str = "") -> Self | None:
        """Make a section of the blocks that there are, after a paragraph; None without any."""
        shown = tuple(block for block in blocks if block)
        return cls(id, title, (*([Paragraph(lead)] if lead else ()), *shown)) if shown else None

    def all_blocks(self) -> Iterator[Block]:
        """Yield its blocks and those of its subsections."""
        yield from self.blocks
        for inner in self.sections:
            yield from inner.all_blocks()


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The report on one suite: its leaderboard, its sections, and perhaps its own sentence in the summary."""

    leaderboard: Sequence[Block]
    sections: Sequence[Section]
    headline: str = ""
    has_refinements: bool = False
    """Whether its sections cover refined prompts."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report; the summary is its first paragraph."""

    title: str
    summary: str
    sections: tuple[Section, ...]

    def tables(self) -> Iterator[Table]:
        """Yield the tables in order."""
        return (block for one in self.sections for block in one.all_blocks() if isinstance(block, Table))

    def figures(self) -> Iterator[Figure]:
        """Yield the figures in order."""
        return (block for one in self.sections for block in one.all_blocks() if isinstance(block, Figure))

    def check_names(self) -> None:
        """Refuse two tables or two figures of the same name: one file would replace the other."""
        tables = [*self.tables(), *(figure.data for figure in self.figures())]
        for kind, blocks in (("tables", tables), ("figures", list(self.figures()))):
            names = Counter(block.name for block in blocks)
            if twice := [name for name, times in names.items() if times > 1]:
                raise ValueError(f"{kind} of one name in a report: {', '.join(twice)}; give each a name of its own")
