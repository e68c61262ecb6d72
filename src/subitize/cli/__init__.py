"""The command line: a command parses, calls one function and prints; heavy imports wait until it runs."""

import os
import sys

# In the order in which --help lists the commands.
from subitize.cli import listing, running, rewriting, reading, keeping  # isort: skip
from subitize.cli import papers, probes, power, corpus, serving, annotating  # isort: skip
from subitize.cli.options import app
from subitize.errors import BadValueError, SubitizeError
from subitize.garbage import collect_seldom

__all__ = [
    "annotating",
    "app",
    "corpus",
    "keeping",
    "listing",
    "main",
    "papers",
    "power",
    "probes",
    "reading",
    "rewriting",
    "running",
    "serving",
]


def main() -> None:
    """Run the command line; an error that a user can mend is one line on stderr and exit code 2."""
    collect_seldom()
    try:
        _check_arguments(sys.argv[1:])
        app()
    except SubitizeError as error:
        message = "".join(char if char.isprintable() else " " for char in str(error))
        print(f"subitize: {message}", file=sys.stderr)
        sys.exit(error.exit_code)


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise BadValueError(f"argument {os.fsencode(argument)!r} is not UTF-8") from None
