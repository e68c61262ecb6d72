"""Disks that are full or read-only, as real as this machine allows."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def tiny_disk(folder: Path, kilobytes: int) -> Iterator[bool]:
    """Mount a file system of that size, if we may; say whether we could."""
    folder.mkdir()
    could = _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder))
    try:
        yield could
    finally:
        if could:
            subprocess.run(["umount", "-l", str(folder)], check=True, timeout=30)


def grow(folder: Path, kilobytes: int) -> None:
    """Give a tiny disk more room."""
    assert _mount("-o", f"remount,size={kilobytes}k", str(folder))


@contextmanager
def read_only(folder: Path) -> Iterator[bool]:
    """Make a folder read-only: by its mode or, for root whom modes do not bind, by a read-only mount."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        try:
            yield True
        finally:
            folder.chmod(0o700)
        return
    could = _mount("--bind", str(folder), str(folder)) and _mount("-o", "remount,ro,bind", str(folder))
    try:
        yield could
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=could, capture_output=True, timeout=30)


def _mount(*arguments: str) -> bool:
    if os.geteuid() != 0:
        return False
    return subprocess.run(["mount", *arguments], capture_output=True, timeout=30).returncode == 0
