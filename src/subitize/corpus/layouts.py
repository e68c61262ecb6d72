"""Where the captions are: which files, in which format, and in which column."""

import glob
import os
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from subitize.errors import BadFileError, BadValueError, MissingPartError, SubitizeError, UnknownNameError

FORMATS = {
    ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
}  # fmt: skip
PACKINGS = (".gz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of captions and of the images' addresses, which may be absent."""

    caption: str
    address: str = ""
    columns: tuple[str, ...] = ()
    """The names of columns, in files that do not begin with them."""
    entries: str = ""
    """The key of the list that holds the captions, in JSON files that are an object."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a corpus; size and time tell whether it has changed."""

    name: str
    size_bytes: int
    changed_at: str

    @property
    def is_remote(self) -> bool:
        """Whether it must be fetched."""
        return "://" in self.name

    @property
    def packing(self) -> str:
        """How it is compressed: .gz, .zst, .zstd or nothing."""
        return next((suffix for suffix in PACKINGS if self.name.lower().endswith(suffix)), "")

    @property
    def format(self) -> str:
        """What it is within its packing."""
        inner = self.name[: len(self.name) - len(self.packing)]
        suffix = Path(inner).suffix.lower()
        if suffix not in FORMATS:
            raise BadFileError(f"{self.name}: no known format; its name should end in {', '.join(FORMATS)}")
        return FORMATS[suffix]


def choose_layout(preset: str | None, column: str | None, address: str | None) -> Layout:
    """Take a known corpus's layout, or make one of columns; columns that are named go first."""
    known = tomllib.loads(Path(__file__).with_name("layouts.toml").read_text(encoding="utf-8"))
    if preset is None and column is None:
        raise BadValueError(f"where are the captions? give --column NAME or --preset {'|'.join(known)}")
    if preset is not None and preset not in known:
        raise UnknownNameError("preset", preset, known)
    own: dict[str, Any] = {"caption": column, "address": address}
    table = {**known.get(preset or "", {}), **{key: value for key, value in own.items() if value is not None}}
    return Layout(**{**table, "columns": tuple(table.get("columns", ()))})


def find_shards(patterns: Sequence[str]) -> list[Shard]:
    """List the files that patterns name, each once, in order."""
    found: dict[str, Shard] = {}
    for pattern in patterns:
        own = list(_find_remote(pattern) if "://" in pattern else _find_local(pattern))
        if not own:
            raise BadFileError(f"no file matches {pattern!r}")
        for shard in own:
            _ = shard.format  # an unknown one is refused before anything is counted
            found.setdefault(shard.name, shard)
    return list(found.values())


@contextmanager
def at_hand(shard: Shard) -> Iterator[Path]:
    """Give a file on this machine: one from elsewhere is fetched, and removed afterwards."""
    if not shard.is_remote:
        yield Path(shard.name)
        return
    with TemporaryDirectory(prefix="subitize-") as folder:
        path = Path(folder) / shard.name.rpartition("/")[2]
        try:
            files, inner = _open_remote(shard.name)
            files.get_file(inner, str(path))
        except SubitizeError:
            raise
        except Exception as error:
            raise BadFileError(f"cannot fetch {shard.name}: {error}") from error
        yield path


def _find_local(pattern: str) -> Iterator[Shard]:
    names = [pattern] if os.path.isfile(pattern) else sorted(glob.glob(pattern, recursive=True))
    for name in names:
        path = Path(name)
        if path.is_file():
            stat = path.stat()
            yield Shard(str(path.resolve()), stat.st_size, str(stat.st_mtime_ns))


def _find_remote(pattern: str) -> Iterator[Shard]:
    try:
        files, inner = _open_remote(pattern)
        for name in sorted(files.glob(inner)):
            about = files.info(name)
            changed = about.get("mtime") or about.get("LastModified") or about.get("ETag") or ""
            yield Shard(files.unstrip_protocol(name), int(about.get("size") or 0), str(changed))
    except SubitizeError:
        raise
    except Exception as error:  # each kind of store has errors of its own
        raise BadFileError(f"cannot list {pattern}: {error}") from error


def _open_remote(address: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingPartError(address, "fsspec", "corpus") from None
    files, inner = url_to_fs(address)
    return files, inner
