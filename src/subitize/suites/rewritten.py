"""Prompts rewritten elsewhere, by a language model or by hand, from a CSV file."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from subitize.errors import BadFileError, BadValueError
from subitize.io.files import CsvRow, read_lines, read_text
from subitize.records import Item, Scalar, task_text

COLUMNS = ("item", "base_prompt", "prompt", "model", "revision", "instruction")
"""The columns that `subitize make rewrites` writes; only item and prompt are required."""


@dataclass(frozen=True, slots=True)
class RewrittenPrompt:
    """One rewritten prompt: its item, the text before and after, the model and its instruction."""

    item: str
    base_prompt: str
    prompt: str
    model: str
    revision: str
    instruction: str


class Rewritten:
    """Take the prompts of a CSV file (item,prompt), as `subitize make rewrites` writes it; others stay as they were.

    A row is taken whatever its item asks for. `sha256` is the beginning of the hash of the file, by which a run knows
    it; a file with another is refused.

    Args:
        file: the CSV file
        sha256: how its hash begins, to refuse any other file
    """

    why_kept = "not in the file, or the same in it"

    def __init__(self, *, file: str = "", sha256: str = "") -> None:
        if not file:
            raise BadValueError("refinement 'rewritten' needs file=FILE.csv; `subitize make rewrites` writes one")
        self._path = Path(file)
        read = list(_read(self._path))
        self._lines = {row.item: line for line, row in read}
        self._rows = {row.item: row for _, row in read}
        if not self._rows:
            raise BadFileError(f"{self._path.name}: no rewritten prompts; should have a row for each item")
        hash = hashlib.sha256(read_text(self._path).encode()).hexdigest()[:12]
        if sha256 not in ("", hash):
            raise BadFileError(f"{self._path} has changed: its hash is {hash}, not {sha256}")
        instructions = dict.fromkeys(row.instruction for row in self._rows.values() if row.instruction)
        self.source: Mapping[str, str] = {"sha256": hash, "instruction": " | ".join(instructions)}

    def find(self, item: Item, /) -> str | None:
        """Look up the rewritten prompt; refuse one that was rewritten from another base prompt."""
        row, prompt = self._rows.get(item.id), task_text(item.task)
        if row is None:
            return None
        if row.base_prompt and row.base_prompt != prompt.strip():
            raise BadFileError(
                f"{self._path.name}: {row.item} was rewritten from {row.base_prompt!r}, and is {prompt!r} now; "
                "rewrite it anew"
            )
        return row.prompt

    def check(self, items: Collection[str], others: Collection[str] = (), /) -> None:
        """Refuse a file with an unknown item, which is probably a slip, or without any current one."""
        for item, line in self._lines.items():
            if item not in items and item not in others:
                (near,) = get_close_matches(item, items, n=1, cutoff=0.0)
                raise line.error(
                    f"no item {item!r} in this suite, the nearest is {near!r}; mend the row, or take it out"
                )
        if not any(item in items for item in self._rows):
            raise BadFileError(
                f"{self._path.name}: none of its {len(self._rows)} rows is for an item of this suite with these "
                f"options; the first is for {next(iter(self._rows))!r}"
            )

    def factors(self, item: str) -> Mapping[str, Scalar]:
        """Return who rewrote the prompt, if the file says so."""
        row = self._rows.get(item)
        return {"rewriter": row.model} if row is not None and row.model else {}


def read_rows(path: Path) -> dict[str, RewrittenPrompt]:
    """Read the rows by item; errors name the line."""
    return {row.item: row for _, row in _read(path)}


def _read(path: Path) -> Iterator[tuple[CsvRow, RewrittenPrompt]]:
    seen: set[str] = set()
    known = "item, prompt; optional: base_prompt, model, revision, instruction"
    for line in read_lines(path, (("item",), ("prompt",)), known):
        row = RewrittenPrompt(*(line.get(name) for name in COLUMNS))
        if not row.item or not row.prompt:
            raise line.error(f"no {'prompt' if row.item else 'item'}")
        if row.item in seen:
            raise line.error(f"{row.item} stands there twice; once is enough")
        seen.add(row.item)
        yield line, row
