"""Runs the command line as a user does, in a process of its own, with the odd models installed."""

import contextlib
import functools
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main

from subitize.cli import add_commands, main

PLUGINS = Path(__file__).parent / "plugins"
WIDE = 1000
"""Columns in which every table stands as it is, a row in a line."""
# Typer makes the commands anew at every call, which takes longer than most of them do.
_get_command = functools.cache(typer.main.get_command)
add_commands()


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


def python_path() -> str:
    """Where processes look for modules: the outside package, and what the tests themselves were told."""
    return os.pathsep.join(filter(None, (str(PLUGINS), os.environ.get("PYTHONPATH"))))


def environment() -> dict[str, str]:
    """The environment of a user who has installed an outside package of models."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SUBITIZE_")}
    return clean | {"PYTHONPATH": python_path(), "PYTHONWARNINGS": "error", "COLUMNS": str(WIDE)}


def start(*arguments: object, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """Start a command and let it run."""
    return subprocess.Popen(
        [sys.executable, "-m", "subitize", *map(str, arguments)],
        env=environment(),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def subitize(*arguments: object, cwd: Path | None = None) -> Finished:
    """Run a command to its end."""
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=200)
    return Finished(process.returncode, out, err)


@contextlib.contextmanager
def serving(command: str, *arguments: object) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """Run a command that serves on a free port, and give the first address it tells; then stop it."""
    with start(command, *arguments, "--port", 0) as process:
        try:
            assert process.stdout is not None
            told = (re.search(r"http://[\d.]+:\d+((/studies)?/join/\w+)?", line) for line in process.stdout)
            address = next(filter(None, told), None)
            assert address, process.communicate()
            yield process, address[0]
        finally:
            process.terminate()


def call(*arguments: object, columns: int = WIDE) -> Finished:
    """Run a command in this process: quicker, and the same code from the first line of main on."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["subitize", *map(str, arguments)]
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.dict(os.environ, COLUMNS=str(columns)),
        mock.patch.object(typer.main, "get_command", _get_command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return Finished(code, out.getvalue(), err.getvalue())
