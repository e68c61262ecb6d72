"""Counting by a user's command, which reads picture paths, one per line, and writes a number for each."""

import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import IO, Annotated

from subitize.errors import BadValueError, RunError, UnusableModelError
from subitize.interfaces import RuntimeOption
from subitize.io.images import image_format
from subitize.io.specs import check_range

_MOST_OUTPUT = 10_000_000
_PIECE_BYTES = 1 << 16
_LINE = re.compile(r"(?:(?P<path>.*)[,;\t]\s*)?(?P<number>\d{1,9}(?:\.\d{1,9})?)", re.ASCII)


class Counter:
    """A command that counts, as a model and as a judge; `{noun}` in it is replaced by what to count."""

    def __init__(
        self,
        command: str,
        /,
        *,
        batch_size: Annotated[int, RuntimeOption] = 32,
        timeout_seconds: Annotated[float, RuntimeOption] = 60.0,
    ) -> None:
        self._command, self.batch_size, self._timeout_seconds = command, batch_size, timeout_seconds
        check_range("counter", 1, batch_size=batch_size)
        words = self._words("thing")
        if shutil.which(words[0]) is None:
            raise BadValueError(f"counter: there is no command {words[0]!r}; give one that is on the PATH, or its path")
        if timeout_seconds <= 0:
            raise BadValueError(f"counter: timeout_seconds={timeout_seconds:g}: should be above 0")

    def count_each(self, pictures: Sequence[bytes], nouns: Sequence[str]) -> list[str]:
        """Have a noun counted in each picture, one call per noun; return a number for each picture, in order."""
        numbers: dict[int, str] = {}
        for noun in dict.fromkeys(nouns):
            places = [place for place, other in enumerate(nouns) if other == noun]
            numbers |= zip(places, self.count([pictures[place] for place in places], noun), strict=True)
        return [numbers[place] for place in range(len(pictures))]

    def count(self, pictures: Sequence[bytes], noun: str) -> list[str]:
        """Have a noun counted in all pictures; return their numbers as text, in order."""
        with tempfile.TemporaryDirectory(prefix="subitize-") as folder:
            paths = [Path(folder) / f"{place:06d}.{image_format(data)}" for place, data in enumerate(pictures)]
            for path, data in zip(paths, pictures, strict=True):
                path.write_bytes(data)
            output = self._call(noun, paths)
            return _read(output, [str(path) for path in paths], self._command)

    def _words(self, noun: str) -> list[str]:
        """Split the command as a shell would; the noun stays one word, even with spaces in it."""
        try:
            words = shlex.split(self._command)
        except ValueError as error:
            raise BadValueError(f"counter: {self._command!r} cannot be split into words ({error})") from None
        if not words:
            raise BadValueError("counter: the command is empty; write counter:COMMAND")
        return [word.replace("{noun}", noun) for word in words]

    def _call(self, noun: str, paths: Sequence[Path]) -> str:
        given = "".join(f"{path}\n" for path in paths)
        try:
            done = _run_bounded(self._words(noun), given.encode(), self._timeout_seconds * len(paths))
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self._command!r} took more than {self._timeout_seconds:g} s a picture") from None
        except OSError as error:
            raise UnusableModelError(f"{self._command!r} cannot be started: {error.strerror}") from None
        if max(len(done.stdout), len(done.stderr)) > _MOST_OUTPUT:
            raise ValueError(f"{self._command!r} was stopped: it wrote more than {_MOST_OUTPUT:,} bytes")
        if done.returncode in (-signal.SIGINT, 128 + signal.SIGINT):
            raise RunError(
                f"{self._command!r} was stopped by Ctrl-C"
            )  # no picture is at fault, so the next would fare no better
        if done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
            raise ValueError(f"{self._command!r} ended with code {done.returncode}: {said or 'it said nothing'}")
        return done.stdout.decode("utf-8", "replace")


def _run_bounded(words: Sequence[str], given: bytes, timeout_seconds: float) -> "subprocess.CompletedProcess[bytes]":
    """Run a command on its input, and stop it once its output is too long."""
    with tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        pipe = subprocess.PIPE
        # Unbuffered, so that a pipe that a grandchild keeps open can be closed while it is read.
        with subprocess.Popen(words, stdin=source, stdout=pipe, stderr=pipe, bufsize=0) as process:
            written, said = bytearray(), bytearray()
            readers = [
                Thread(target=_collect, args=(process, stream, kept), daemon=True)
                for stream, kept in ((process.stdout, written), (process.stderr, said))
            ]
            try:
                for reader in readers:
                    reader.start()
                process.wait(timeout_seconds)
                for reader in readers:
                    reader.join(timeout_seconds)
            except BaseException:
                process.kill()
                raise
    return subprocess.CompletedProcess(words, process.returncode, bytes(written), bytes(said))


def _collect(process: "subprocess.Popen[bytes]", stream: IO[bytes], kept: bytearray) -> None:
    while data := stream.read(_PIECE_BYTES):
        kept += data
        if len(kept) > _MOST_OUTPUT:
            process.kill()
            return


def _read(output: str, paths: Sequence[str], command: str) -> list[str]:
    """Read one number per line in the order of the pictures, or paths with numbers in any order."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = [_LINE.fullmatch(line) for line in lines]
    bad = next((line for line, match in zip(lines, found, strict=True) if match is None), None)
    if bad is not None:
        raise ValueError(f"{command!r} wrote {bad[:60]!r}; should be a number, or a path, a comma and a number")
    numbers = [(match["path"], match["number"]) for match in found if match]
    if len(numbers) != len(paths):
        raise ValueError(f"{command!r} wrote {len(numbers)} numbers for {len(paths)} pictures")
    if not any(path for path, _ in numbers):
        return [number for _, number in numbers]
    by_path = {(path or "").strip().strip('"'): number for path, number in numbers}
    missing = next((path for path in paths if path not in by_path), None)
    if missing is not None:
        raise ValueError(f"{command!r} wrote no number for {Path(missing).name}")
    return [by_path[path] for path in paths]
