"""Names and options of the version before: each still works, and says what it is called now."""

import re
from collections.abc import Sequence

from subitize.papers import papers_by_name
from subitize.report.terminal import print_warnings

_NOW = {
    "align": "score --alignment",
    "attach": "import attachments",
    "calibrate": "agree calibrate",
    "compare --models": "compare",
    "corpus count": "corpus",
    "doctor": "list parts",
    "exclude": "show",
    "export --paper": "export ratings --paper",
    "glyphs": "list glyphs",
    "import named-counts": "import readings",
    "plate": "report plate",
    "power": "make plan",
    "probes build": "make probes",
    "probes captions": "make caption-probes",
    "probes describe": "list",
    "prompts": "make prompts",
    "ratings": "export ratings",
    "reproduce": "report reproduce",
    "rescore": "score",
    "rewrite": "make rewrites",
    "sample": "annotate sample",
    "screen": "annotate screen",
    "serve": "train serve",
    "stimuli": "make stimuli",
    "tables": "report tables",
}


def modernise(arguments: Sequence[str]) -> list[str]:
    """Write a command by its name of today; say so if it had another."""
    given = list(arguments)
    named = {one.partition("=")[0] for one in given}
    for old, now in _NOW.items():
        words = [one for one in old.split() if one[0] != "-"]
        flags = [one for one in old.split() if one[0] == "-"]
        if given[: len(words)] == words and set(flags) <= named and given[:2] != now.split()[:2]:
            rest = [one for one in given[len(words) :] if one not in flags or one in now]
            shown, fitted = _fit(old, now, rest)
            return _say(old, shown, fitted)
    if given[:1] == ["import"] and len(given) > 2 and given[1] in papers_by_name():
        return _say(f"import {given[1]}", f"import release {given[1]}", ["import", "release", *given[1:]])
    return given


def _say(old: str, now: str, arguments: list[str]) -> list[str]:
    print_warnings(f"subitize {old} is now: subitize {now}")
    return arguments


def _fit(old: str, now: str, rest: list[str]) -> tuple[str, list[str]]:
    """Fit the arguments of a command that became an option of another; return its name of today, too."""
    is_bare = not [one for one in rest if one[0] != "-"]
    match old:
        case "rescore" if is_bare:
            now = "list scorers"
        case "rescore" if not any(one.startswith("--scorer") for one in rest):
            now = "score --scorer all"
        case "exclude" if len(rest) > 1:
            return "show RUN --exclude ITEM", ["show", rest[0], "--exclude", *rest[1:]]
        case "import named-counts":
            model = [re.sub("^--model(?=$|=)", "--from-file-names", one) for one in rest]
            return "import readings --run RUN --from-file-names MODEL", ["import", "readings", "--run", *model]
        case "export --paper":
            return now, ["export", "ratings", *rest]
    return now, [*now.split(), *rest]
