"""What goldens are made of: texts by the name of a file, with what differs from machine to machine masked."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import call

MOST_KEPT = 40_000
"""Characters of a text that is kept as it is; of a longer one its SHA-256 is."""
Texts = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class Golden:
    """Makes texts in an empty folder, which is the current one; `marks` name the parts that it needs."""

    make: Callable[[], Texts]
    marks: tuple[pytest.MarkDecorator, ...] = ()


def without_last_digits(text: str) -> str:
    """Cut floats to what every version of numpy and scipy computes alike; JSON has all digits of them."""
    return re.sub(r"-?\d+\.\d{7,}(e-\d+)?", lambda found: str(round(float(found[0]), 6)), text)


def printed(*command: object) -> str:
    """Run a command that must succeed, and give what it prints to stdout."""
    done = call(*command)
    assert done.code == 0, f"{command}: {done.err}"
    return done.out


def file_name(command: Sequence[object], suffix: str = "json") -> str:
    """Name the file that has what a command prints."""
    parts = [re.sub(r"[/:,=<>\[\]]+", "_", str(part).strip("-")) for part in command if part != "--json"]
    return f"{'-'.join(parts)}.{suffix}"


def read_files(folder: Path, pattern: str = "**/*") -> Texts:
    """Give the files below a folder: texts as they are, others by their SHA-256."""
    for file in sorted(path for path in folder.glob(pattern) if path.is_file()):
        content = file.read_bytes()
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = sha256(content)
        yield file.relative_to(folder).as_posix().replace("/", "~"), text


def sha256(content: bytes | str) -> str:
    """Hash a text or the content of a file, as one line."""
    return f"sha256 {hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()}\n"


def kept(text: str) -> str:
    """Shorten a text to what is kept of it."""
    text = without_last_digits(text)
    return text if len(text) <= MOST_KEPT else f"{len(text.splitlines())} lines, {sha256(text)}"
