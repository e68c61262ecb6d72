"""Option checks that suites share."""

from collections.abc import Collection, Iterable

from subitize.errors import BadValueError, UnknownNameError


def check_known(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)


def check_at_least_one(suite: str, **values: int) -> None:
    """Refuse an option below 1."""
    for name, value in values.items():
        if value < 1:
            raise BadValueError(f"suite {suite!r}: {name}={value}: should be at least 1")
