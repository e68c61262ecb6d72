"""Prompts that were rewritten elsewhere, by a language model or by hand, read from a CSV file."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from subitize.csv_files import read_records, read_text
from subitize.errors import BadFileError, BadValueError
from subitize.records import Scalar
from subitize.suites.refining.phrases import Counted

COLUMNS = ("item", "base_prompt", "prompt", "model", "revision", "instruction")
"""The columns of a file that `subitize rewrite` writes; item and prompt are enough."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rewritten prompt: of which item, in which words before and after, by whom, told what."""

    item: str
    base_prompt: str
    prompt: str
    model: str
    revision: str
    instruction: str


class Rewritten:
    """Take the prompts of a CSV file (item,prompt), as `subitize rewrite` writes it; others stay as they were.

    `sha256` is the beginning of the hash of the file, by which a run knows it; a file with another is refused.
    """

    def __init__(self, *, file: str = "", sha256: str = "") -> None:
        if not file:
            raise BadValueError("refinement 'rewritten' needs file=FILE.csv; `subitize rewrite` writes one")
        self._path = Path(file)
        self._rows = read_rows(self._path)
        if not self._rows:
            raise BadFileError(f"{self._path.name}: no rewritten prompts; should have a row for each item")
        hash = hashlib.sha256(read_text(self._path).encode()).hexdigest()[:12]
        if sha256 not in ("", hash):
            raise BadFileError(f"{self._path} has changed: its hash is {hash}, not {sha256}")
        instructions = dict.fromkeys(row.instruction for row in self._rows.values() if row.instruction)
        self.source: Mapping[str, str] = {"sha256": hash, "instruction": " | ".join(instructions)}

    def __call__(self, counted: Counted, /) -> str | None:
        """Look the prompt up; one that was written for other words than the item has is refused."""
        row = self._rows.get(counted.item)
        if row is None:
            return None
        if row.base_prompt and row.base_prompt != counted.prompt.strip():
            raise BadFileError(
                f"{self._path.name}: {row.item} was rewritten from {row.base_prompt!r}, and is {counted.prompt!r} now; "
                "rewrite it anew"
            )
        return row.prompt

    def check(self, items: Collection[str]) -> None:
        """Refuse a suite of which no item is in the file."""
        if not self._rows.keys() & items:
            first = next(iter(self._rows))
            raise BadFileError(f"{self._path.name}: no item of this suite, as {next(iter(items))}, but {first}")

    def factors(self, item: str) -> Mapping[str, Scalar]:
        """Who rewrote it, where the file says so."""
        row = self._rows.get(item)
        return {"rewriter": row.model} if row is not None and row.model else {}


def read_rows(path: Path) -> dict[str, Row]:
    """Read the rows by item; what is wrong with the file is told with its line."""
    records = read_records(path)
    _, header = next(records, (1, []))
    for name in ("item", "prompt"):
        if name not in header:
            raise BadFileError(f"{path.name} line 1: no column {name!r}; should have {', '.join(COLUMNS)}")
    rows: dict[str, Row] = {}
    for line, fields in records:
        if len(fields) != len(header):
            raise BadFileError(f"{path.name} line {line}: {len(fields)} columns instead of {len(header)}")
        told = dict(zip(header, fields, strict=True))
        row = Row(*(told.get(name, "").strip() for name in COLUMNS))
        if not row.item or not row.prompt:
            raise BadFileError(f"{path.name} line {line}: no {'prompt' if row.item else 'item'}")
        if row.item in rows:
            raise BadFileError(f"{path.name} line {line}: {row.item} stands there twice; once is enough")
        rows[row.item] = row
    return rows
