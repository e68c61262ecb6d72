"""What commands print for programs is pinned, of every command."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import typer.main
from typer.core import TyperGroup

from subitize.cli import app
from tests.goldens.commands import COMMANDS
from tests.goldens.kept_runs import PRINTED

Path = tuple[str, ...]


def test_every_command_with_json_has_a_golden() -> None:
    kept = [shlex.split(command) for commands in COMMANDS.values() for command in commands]
    kept += [list(command) for commands in PRINTED.values() for command in commands]
    called = {path for words in kept if "--json" in words for path in _paths(words)}
    with_json = set(_find_with_json(typer.main.get_command(app)))
    assert with_json > {("score",), ("corpus", "corpus"), ("make", "plan", "kappa")}
    assert with_json - called == set()


def _paths(words: Sequence[str]) -> tuple[Path, ...]:
    """Name what words may call: a command, that of a group's own name, or one of a group."""
    return tuple(words[:1]), (words[0], words[0]), tuple(words[:2]), tuple(words[:3])


def _find_with_json(command: Any, path: Path = ()) -> Iterator[Path]:  # noqa: ANN401
    """Find the commands that have --json, in groups, too."""
    if isinstance(command, TyperGroup):
        for name, one in command.commands.items():
            yield from _find_with_json(one, (*path, name))
    elif any("--json" in option.opts for option in command.params):
        yield path
