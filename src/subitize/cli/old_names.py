"""Names and options of the version before: each still works, and says what it is called now."""

from collections.abc import Sequence

from subitize.report.terminal import print_warnings

_NOW = {
    ("align",): ("score", "--alignment"),
    ("compare", "--models"): ("compare",),
    ("rescore",): ("score",),
}


def modernise(arguments: Sequence[str]) -> list[str]:
    """Write a command by its name of today; say so if it had another."""
    given = list(arguments)
    for old, now in _NOW.items():
        command, flags = [one for one in old if one[0] != "-"], [one for one in old if one[0] == "-"]
        if given[: len(command)] != command or not set(flags) <= set(given):
            continue
        rest = [one for one in given[len(command) :] if one not in flags]
        if old == ("rescore",):
            now = _score_as_others(rest)
        print_warnings(f"subitize {' '.join(old)} is now: subitize {' '.join(now)}")
        return [*now, *rest]
    return given


def _score_as_others(rest: Sequence[str]) -> tuple[str, ...]:
    if not [one for one in rest if one[0] != "-"]:
        return ("list", "scorers")
    return ("score",) if any(one.startswith("--scorer") for one in rest) else ("score", "--scorer", "all")
