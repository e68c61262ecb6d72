"""What commands print for programs is pinned, of every command."""

import shlex
from collections.abc import Iterator, Sequence

import click
import typer.main

from golden_commands import COMMANDS
from golden_runs import PRINTED
from subitize.cli import app


def test_every_command_with_json_has_a_golden() -> None:
    kept = [shlex.split(command) for commands in COMMANDS.values() for command in commands]
    kept += [list(command) for commands in PRINTED.values() for command in commands]
    called = {name for words in kept if "--json" in words for name in _names(words)}
    missing = [" ".join(path) for path in _with_json(typer.main.get_command(app)) if path not in called]
    assert missing == []


def _names(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Name the command that words may call: one of the first level, or one of a group."""
    return tuple(words[:1]), tuple(words[:2])


def _with_json(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Find the commands that have --json, in groups, too."""
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from _with_json(one, (*path, name))
    elif any("--json" in option.opts for option in command.params):
        yield path
