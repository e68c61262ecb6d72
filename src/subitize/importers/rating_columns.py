"""The columns that papers have in their files of ratings: how such a file is known, and what its lines say in ours."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize import plugins
from subitize.io.files import CsvRow, read_lines


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The columns that a file of ratings has, in one of several ways, and its lines in ours: see `readings.COLUMNS`."""

    headers: Sequence[Sequence[str]]
    translate: Callable[[Iterable[CsvRow]], Iterator[Mapping[str, str]]]

    def fits(self, header: Sequence[str]) -> bool:
        """Tell whether a file with these columns has ratings."""
        return any(set(columns) <= set(header) for columns in self.headers)

    def read(self, path: Path) -> Iterator[CsvRow]:
        """Read the ratings of a file."""
        lines = list(read_lines(path, (), ""))
        for line, row in zip(lines, self.translate(lines), strict=True):
            yield line._replace(row=row)


def find_rating_columns(header: Sequence[str]) -> RatingColumns | None:
    """Find the paper whose file of ratings has these columns; None where they are ours, or nobody's."""
    names = [name.strip() for name in header]
    if "annotator" in names:
        return None
    known: dict[str, RatingColumns] = plugins.load_all("rating_columns")
    return next((columns for columns in known.values() if columns.fits(names)), None)
