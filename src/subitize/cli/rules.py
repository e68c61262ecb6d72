"""Chooses reading rules for commands: warnings go to stderr."""

from typing import TYPE_CHECKING

from subitize.cli.options import print_warnings

if TYPE_CHECKING:
    from subitize.analysis.frame import ReadOptions
    from subitize.interfaces import Judge
    from subitize.labels import Rule
    from subitize.registry import Made


def choose_reader(judge: str | None, text: str | None, agreement: str = "plurality") -> "ReadOptions":
    """Choose whose readings are read, and by which rule."""
    from subitize.analysis import reader

    return reader.choose_reader(judge, text, _warn, agreement)


def rule_for(judge: "Made[Judge]", text: str | None) -> "Rule | None":
    """Read the rule by which a judge's evidence is to be read, before it looks at anything."""
    from subitize.analysis import reader

    return reader.rule_for(judge, text, _warn)


def _warn(line: str) -> None:
    print_warnings([line])
