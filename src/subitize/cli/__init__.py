"""The command line: a command parses, calls one function and prints; heavy imports wait until then."""

import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from subitize.cli.expose import name_options
from subitize.cli.groups import app
from subitize.cli.old_names import modernise
from subitize.cli.verbs import add_commands
from subitize.errors import BadValueError, SubitizeError
from subitize.io.memory import tune_gc
from subitize.papers import find_culprit

__all__ = ["add_commands", "app", "main"]


def main() -> None:
    """Run the command line; an error that the user can fix is one line on stderr, and exit code 2."""
    tune_gc()
    # Our matrices are too small for a second thread to pay. This works only before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals of another encoding
    try:
        _check_arguments(sys.argv[1:])
        sys.argv[1:] = modernise(sys.argv[1:])
        add_commands(sys.argv[1:])
        app()
    except SubitizeError as error:
        _end(str(error), error.exit_code)
    except Exception as error:
        culprit = find_culprit(error)
        if culprit is None:
            raise
        _end(f"{culprit} failed: {type(error).__name__}: {error}; tell its authors", SubitizeError.exit_code)


def _end(message: str, exit_code: int) -> NoReturn:
    printable = "".join(char if char.isprintable() else " " for char in name_options(message))
    print(f"subitize: {printable}", file=sys.stderr)
    sys.exit(exit_code)


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise BadValueError(f"argument {os.fsencode(argument)!r} is not UTF-8") from None
