"""Every error a user can meet.

SubitizeError                 exit code 2: the message names the value and the remedy
├── UnknownNameError          no suite, model, judge, option, item … of that name; lists the known ones
├── BadValueError             a value that cannot be used: an option, a flag, an answer
├── BadFileError              a file that cannot be read as what it should be, with its line if it has one
│   └── BadImageError         an image that is truncated, too large, or not an image at all
├── MissingPartError          an optional part is not installed; says which command installs it
├── RunError                  a run that cannot be opened, at least not this way
│   ├── NotARunError          a folder or database without a run of that name
│   ├── NewerSchemaError      written by a newer subitize
│   ├── DamagedRunError       a run whose database cannot be read; names the row and the remedy
│   ├── ConflictError         resumed with another seed or other options
│   ├── BusyError             another process works on the same run and model
│   ├── LeaseLostError        another process took over while this one was stalled
│   └── UnusableModelError    a model that cannot be used as it is given: its key, name or address is wrong
├── UnansweredError           exit code 1: a model refused everything; says why
├── BudgetError               the user's limit is reached; raise it to go on
├── StorageError              the disk or database refused: full, read-only, unreachable
└── NothingToDoError          nothing to work on yet: an empty run, no readings; says what to do first
"""

from collections.abc import Iterable


class SubitizeError(Exception):
    """An error that a user can fix; its message is all that the user sees."""

    exit_code = 2


class UnknownNameError(SubitizeError):
    """An unknown name; the message lists the known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} named {name!r}; known: {', '.join(sorted(known)) or 'none'}")


class BadValueError(SubitizeError):
    """A value that cannot be used."""


class BadFileError(SubitizeError):
    """A file that cannot be read as the expected format."""


class BadImageError(BadFileError):
    """Bytes that are not a usable image."""


class MissingPartError(SubitizeError):
    """An optional part of subitize is not installed."""

    def __init__(self, what: str, needs: str, extra: str) -> None:
        self.remedy = f"pip install 'subitize[{extra}]'"
        super().__init__(f"{what} needs {needs}; run: {self.remedy}")


class RunError(SubitizeError):
    """A run that cannot be opened, at least not this way."""


class NotARunError(RunError):
    """There is no run at this place."""


class NewerSchemaError(RunError):
    """The run was written by a newer version of subitize."""


class DamagedRunError(RunError):
    """Part of a run's database cannot be read."""


class ConflictError(RunError):
    """The run exists already, with other settings."""


class BusyError(RunError):
    """Another process holds the lease."""


class LeaseLostError(RunError):
    """Another process took over this one's lease."""


class UnusableModelError(RunError):
    """A model that cannot be used as given; further trials would fail too."""


class UnansweredError(SubitizeError):
    """The models refused everything that they were asked."""

    exit_code = 1


class BudgetError(SubitizeError):
    """The budget is used up."""


class StorageError(SubitizeError):
    """The disk or database refused an operation."""


class NothingToDoError(SubitizeError):
    """There is nothing to work on yet; the message says what to do first."""
