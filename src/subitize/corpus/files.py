"""Finds the files of a corpus with their formats and columns, and reads captions in batches, in constant memory."""

import csv
import glob
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import polars as pl

from subitize.errors import BadFileError, BadValueError, MissingPartError, UnknownNameError
from subitize.io.files import find_delimiter, open_input, read_own_toml
from subitize.io.frames import scan_parquet

FORMATS = {
    ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
}  # fmt: skip
COMPRESSIONS = (".gz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class CorpusLayout:
    """The columns of captions and of image addresses; the latter may be empty."""

    caption: str
    address: str = ""
    columns: tuple[str, ...] = ()
    """The names of columns, for files without a header."""
    entries: str = ""
    """The key of the list of captions, for JSON files that contain an object."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a corpus; size and time reveal changes."""

    name: str
    size_bytes: int
    changed_at: str

    @property
    def is_remote(self) -> bool:
        """Whether the file must be fetched."""
        return "://" in self.name

    @property
    def compression(self) -> str:
        """The suffix of the compression: .gz, .zst, .zstd or empty."""
        return next((suffix for suffix in COMPRESSIONS if self.name.lower().endswith(suffix)), "")

    @property
    def format(self) -> str:
        """The format of the uncompressed file."""
        inner = self.name[: len(self.name) - len(self.compression)]
        suffix = Path(inner).suffix.lower()
        if suffix not in FORMATS:
            raise BadFileError(f"{self.name}: no known format; its name should end in {', '.join(FORMATS)}")
        return FORMATS[suffix]


def choose_layout(preset: str | None, column: str | None, address: str | None) -> CorpusLayout:
    """Return the layout of a preset, of named columns, or both, where named columns win."""
    known = read_own_toml(__file__, "layouts.toml")
    if preset is None and column is None:
        raise BadValueError(f"where are the captions? give `column` NAME or `preset` {'|'.join(known)}")
    if preset is not None and preset not in known:
        raise UnknownNameError("preset", preset, known)
    own: dict[str, Any] = {"caption": column, "address": address}
    table = {**known.get(preset or "", {}), **{key: value for key, value in own.items() if value is not None}}
    return CorpusLayout(**{**table, "columns": tuple(table.get("columns", ()))})


def find_shards(patterns: Sequence[str]) -> list[Shard]:
    """List the files that match patterns, each once, in order."""
    found: dict[str, Shard] = {}
    for pattern in patterns:
        own = list(_find_remote(pattern) if "://" in pattern else _find_local(pattern))
        if not own:
            raise BadFileError(f"no file matches {pattern!r}")
        for shard in own:
            _ = shard.format  # reject an unknown format before counting anything
            found.setdefault(shard.name, shard)
    return list(found.values())


@contextmanager
def local_copy(shard: Shard) -> Iterator[Path]:
    """Yield the path of a local file, or of a temporary copy of a remote one."""
    if not shard.is_remote:
        yield Path(shard.name)
        return
    with TemporaryDirectory(prefix="subitize-") as folder:
        path = Path(folder) / shard.name.rpartition("/")[2]
        with _open_remote("fetch", shard.name) as (files, inner):
            files.get_file(inner, str(path))
        yield path


def _find_local(pattern: str) -> Iterator[Shard]:
    names = [pattern] if os.path.isfile(pattern) else sorted(glob.glob(pattern, recursive=True))
    for name in names:
        path = Path(name)
        if path.is_file():
            stat = path.stat()
            yield Shard(str(path.resolve()), stat.st_size, str(stat.st_mtime_ns))


def _find_remote(pattern: str) -> Iterator[Shard]:
    with _open_remote("list", pattern) as (files, inner):
        for name in sorted(files.glob(inner)):
            about = files.info(name)
            changed = about.get("mtime") or about.get("LastModified") or about.get("ETag") or ""
            yield Shard(files.unstrip_protocol(name), int(about.get("size") or 0), str(changed))


@contextmanager
def _open_remote(verb: str, address: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of an address and the path in it; errors name what could not be done."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingPartError(address, "fsspec", "corpus") from None
    try:
        yield url_to_fs(address)
    except Exception as error:  # each kind of store has errors of its own
        raise BadFileError(f"cannot {verb} {address}: {error}") from error


Rows = tuple[int, int]
"""The first row, and the one after the last."""
_ROWS = 100_000
_LEAST_ROWS = 1_000
_PEEK_BYTES = 65_536
_LONGEST_TOKEN = 16  # of JSON, but for strings: -Infinity, \ud83d\ude00
_ZSTANDARD_BYTES = 2_048  # may decompress to 64 MB
_MOST_PROBLEMS = 20
_DAMAGE = (OSError, EOFError, zlib.error)
_SEPARATORS = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Batch:
    """Captions with image addresses (empty if missing), and the share of the file read so far."""

    captions: pl.Series
    addresses: pl.Series | None
    share_read: float


@dataclass(slots=True)
class Problems:
    """The number of parts that could not be read, with the first messages."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Record a problem."""
        self.count += 1
        if len(self.first) < _MOST_PROBLEMS:
            self.first.append(message)


def read_batches(
    shard: Shard, path: Path, layout: CorpusLayout, problems: Problems, rows: Rows | None = None
) -> Iterator[Batch]:
    """Read a file, or these rows of a Parquet file; damaged parts are recorded and left out."""
    if shard.format == "parquet":
        return _read_parquet(shard, path, layout, problems, rows)
    return _read_text(shard, path, layout, problems)


def split_rows(shard: Shard, layout: CorpusLayout, most: int) -> list[Rows | None]:
    """Split a large Parquet file into rows that are counted by themselves; None is a whole file.

    One that must be fetched is not split, as each part would fetch it all.
    """
    if shard.is_remote or shard.format != "parquet":
        return [None]
    _, count = _open_parquet(shard, Path(shard.name), layout)
    return [(start, min(start + most, count)) for start in range(0, count, most)] if count > most else [None]


def check_shard(shard: Shard, path: Path, layout: CorpusLayout) -> None:
    """Raise an error for a file that does not match its name or lacks a column."""
    if shard.format == "parquet":
        _open_parquet(shard, path, layout)
    else:
        with _unpacked(shard, path) as (file, _):
            next(_ENTRIES[shard.format](shard, file, layout, Problems()), None)


def _read_parquet(
    shard: Shard, path: Path, layout: CorpusLayout, problems: Problems, rows: Rows | None
) -> Iterator[Batch]:
    frame, count = _open_parquet(shard, path, layout)
    first, end = rows or (0, count)
    for start in range(first, end, _ROWS):
        for part in _read_rows(shard, frame, (start, min(start + _ROWS, end)), problems):
            addresses = part[layout.address] if layout.address else None
            yield Batch(part[layout.caption], addresses, min(1.0, (start + _ROWS - first) / (end - first)))


def _open_parquet(shard: Shard, path: Path, layout: CorpusLayout) -> tuple[pl.LazyFrame, int]:
    """Return the needed columns, unread, and the number of rows."""
    if shard.compression:
        raise BadFileError(f"{shard.name}: a Parquet file is compressed within; unpack it first")
    try:
        frame = scan_parquet(path)
        schema = frame.collect_schema()
        rows = int(frame.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadFileError(f"{shard.name}: no Parquet file that can be read ({_first_line(error)})") from None
    _check_columns(shard, layout, list(schema))
    if not isinstance(schema[layout.caption], pl.String | pl.Categorical | pl.Null):
        raise BadFileError(f"{shard.name}: column {layout.caption!r} holds {schema[layout.caption]}, not text")
    wanted = [layout.caption, *([layout.address] if layout.address else [])]
    return frame.select(pl.col(name).cast(pl.String) for name in wanted), rows


def _read_rows(shard: Shard, frame: pl.LazyFrame, rows: tuple[int, int], problems: Problems) -> Iterator[pl.DataFrame]:
    """Read rows; if that fails, read each half, so that only broken rows are lost."""
    start, end = rows
    try:
        yield frame.slice(start, end - start).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        if end - start <= _LEAST_ROWS:
            problems.add(f"{shard.name}: rows {start:,} to {end - 1:,} cannot be read ({_first_line(error)})")
            return
        middle = (start + end) // 2
        yield from _read_rows(shard, frame, (start, middle), problems)
        yield from _read_rows(shard, frame, (middle, end), problems)


def _read_text(shard: Shard, path: Path, layout: CorpusLayout, problems: Problems) -> Iterator[Batch]:
    captions: list[str | None] = []
    addresses: list[str | None] = []
    with _unpacked(shard, path) as (file, read_share):
        entries = _ENTRIES[shard.format](shard, file, layout, problems)
        try:
            for caption, address in entries:
                captions.append(caption)
                addresses.append(address)
                if len(captions) >= _ROWS:
                    yield _make_batch(captions, addresses, read_share())
                    captions, addresses = [], []
        except _DAMAGE as error:
            problems.add(f"{shard.name}: ends too early ({_first_line(error)}); what comes before is counted")
        if captions:
            yield _make_batch(captions, addresses, 1.0)


def _make_batch(captions: Sequence[str | None], addresses: Sequence[str | None], share_read: float) -> Batch:
    return Batch(pl.Series(captions, dtype=pl.String), pl.Series(addresses, dtype=pl.String), share_read)


@contextmanager
def _unpacked(shard: Shard, path: Path) -> Iterator[tuple[IO[str], Callable[[], float]]]:
    """Open a text file, decompressed; also yield a function that returns the share read so far."""
    with open_input(path, None) as raw:
        size = max(1, path.stat().st_size)
        with _unpack(shard, raw) as binary:
            buffered = io.BufferedReader(binary, _PEEK_BYTES)
            _check_text(shard, buffered)
            text = io.TextIOWrapper(buffered, encoding="utf-8-sig", errors="replace", newline="")
            yield text, lambda: min(1.0, raw.tell() / size)


def _unpack(shard: Shard, raw: IO[bytes]) -> Any:  # noqa: ANN401
    if shard.compression == ".gz":
        return gzip.GzipFile(fileobj=raw)
    if shard.compression:
        return _Zstandard(shard.name, raw)
    return io.FileIO(raw.fileno(), closefd=False)


class _Zstandard(io.RawIOBase):
    """Decompresses Zstandard frames; unlike zstandard's own reader, it rejects truncated files."""

    def __init__(self, name: str, packed: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingPartError(name, "zstandard", "corpus") from None
        self._packed = packed
        self._open_frame = zstandard.ZstdDecompressor().decompressobj
        self._error = zstandard.ZstdError
        self._frame: Any = None
        self._left, self._ready = b"", memoryview(b"")

    def readable(self) -> bool:
        """Return true, as io.RawIOBase requires."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401
        """Fill a buffer with the next bytes, as far as there are any."""
        while not self._ready and (packed := self._left or self._packed.read(_ZSTANDARD_BYTES)):
            self._unpack(packed)
        if not self._ready and self._frame is not None:
            raise EOFError("the last frame is cut short")
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def _unpack(self, packed: bytes) -> None:
        self._frame = self._frame or self._open_frame()
        try:
            self._ready = memoryview(self._frame.decompress(packed))
        except self._error as error:
            raise OSError(str(error)) from None
        self._left = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = None


def _check_text(shard: Shard, file: io.BufferedReader) -> None:
    try:
        start = file.peek(_PEEK_BYTES)
    except _DAMAGE as error:
        raise BadFileError(f"{shard.name}: cannot be unpacked ({_first_line(error)})") from None
    if b"\0" in start:
        raise BadFileError(f"{shard.name}: a binary file, not {shard.format.upper()}; is its name right?")


Entry = tuple[str | None, str | None]


def _read_rows_of_fields(shard: Shard, file: IO[str], layout: CorpusLayout, problems: Problems) -> Iterator[Entry]:
    """Read CSV, or TSV, where quotation marks have no meaning."""
    first = next(file, "")
    style: dict[str, Any] = {"delimiter": find_delimiter([first])}
    if shard.format == "tsv":
        style = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    reader = csv.reader(chain([first], file), **style)
    columns = list(layout.columns) or next(reader, [])
    _check_columns(shard, layout, columns)
    caption = columns.index(layout.caption)
    address = columns.index(layout.address) if layout.address else None
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.add(f"{shard.name} line {reader.line_num}: {error}")
            continue
        if not any(map(str.strip, row)):
            continue
        if len(row) <= caption:
            problems.add(f"{shard.name} line {reader.line_num}: {len(row)} fields instead of {len(columns)}")
            continue
        yield row[caption], row[address] if address is not None and address < len(row) else None


def _read_json_lines(shard: Shard, file: IO[str], layout: CorpusLayout, problems: Problems) -> Iterator[Entry]:
    entries = _picked(shard, layout, _decode_lines(shard, file, problems))
    first = next(entries, None)
    if first is None and problems.count:
        raise BadFileError(f"{shard.name}: no line of it is JSON; is its name right?")
    yield from chain([first] if first else [], entries)


def _decode_lines(shard: Shard, file: IO[str], problems: Problems) -> Iterator[object]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            try:
                entry = json.loads(line)
            except ValueError as error:
                problems.add(f"{shard.name} line {number}: no JSON ({_first_line(error)})")
            else:
                yield entry


def _read_json(shard: Shard, file: IO[str], layout: CorpusLayout, problems: Problems) -> Iterator[Entry]:
    """Read a list of objects one by one, without loading the whole file."""
    is_begun = False
    try:
        for entry in _picked(shard, layout, _stream_list(file, layout.entries)):
            is_begun = True
            yield entry
    except ValueError as error:
        if not is_begun:
            raise BadFileError(f"{shard.name}: no list of JSON objects ({_first_line(error)})") from None
        problems.add(f"{shard.name}: the rest is no JSON ({_first_line(error)}); what comes before is counted")


def _picked(shard: Shard, layout: CorpusLayout, entries: Iterator[object]) -> Iterator[Entry]:
    """Pick caption and address from each entry; the first must have their columns."""
    for place, entry in enumerate(entries):
        if not place:
            _check_entry(shard, layout, entry)
        yield _pick(entry, layout.caption), _pick(entry, layout.address)


def _stream_list(file: IO[str], key: str) -> Iterator[object]:
    """Decode the elements of the list in the file, or of the list under a key."""
    decoder = json.JSONDecoder()
    text, place = _skip_to_list(file, key), 0
    while True:
        place = _SEPARATORS.match(text, place).end()  # type: ignore[union-attr]  # it also matches an empty text
        if text.startswith("]", place):
            return
        try:
            entry, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            more = file.read(_PEEK_BYTES) if _may_be_cut(error, text) else ""
            if not more:
                raise
            text, place = text[place:] + more, 0
            continue
        yield entry


def _may_be_cut(error: json.JSONDecodeError, text: str) -> bool:
    """Return whether more text may mend it; reading on where it cannot would take time quadratic in the file."""
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _LONGEST_TOKEN


def _skip_to_list(file: IO[str], key: str) -> str:
    """Read past the list's opening bracket, skipping what comes before the key."""
    opening = re.compile(rf'"{re.escape(key)}"\s*:\s*\[' if key else r"\s*\[")
    text = ""
    while more := file.read(_PEEK_BYTES):
        text += more
        found = opening.search(text) if key else opening.match(text)
        if found is not None:
            return text[found.end() :]
        if not key:
            raise ValueError("it does not begin with [")
        text = text[-len(key) - 20 :]  # the key may begin in one piece and end in the next
    raise ValueError(f"no list {key!r}" if key else "it is empty")


_ENTRIES: Mapping[str, Callable[[Shard, IO[str], CorpusLayout, Problems], Iterator[Entry]]] = {
    "csv": _read_rows_of_fields,
    "tsv": _read_rows_of_fields,
    "jsonl": _read_json_lines,
    "json": _read_json,
}


def _check_columns(shard: Shard, layout: CorpusLayout, columns: Sequence[str]) -> None:
    for name in (layout.caption, layout.address):
        if name and name not in columns:
            raise BadValueError(f"{shard.name}: no column {name!r}; there are: {', '.join(columns)[:300] or 'none'}")


def _check_entry(shard: Shard, layout: CorpusLayout, entry: object) -> None:
    if not isinstance(entry, dict):
        raise BadFileError(f"{shard.name}: {str(entry)[:40]!r} is no JSON object")
    outermost = CorpusLayout(layout.caption.partition(".")[0], layout.address.partition(".")[0])
    _check_columns(shard, outermost, list(entry))


def _pick(entry: object, path: str) -> str | None:
    """Follow a dotted path into an entry."""
    if not path:
        return None
    for step in path.split("."):
        if isinstance(entry, dict):
            entry = entry.get(step)
        elif isinstance(entry, list) and step.isdecimal() and int(step) < len(entry):
            entry = entry[int(step)]
        else:
            return None
    return None if entry is None else str(entry)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
