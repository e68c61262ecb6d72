"""Parses reading rules and calibrations as users name them."""

from typing import TYPE_CHECKING

from subitize.cli.options import print_warnings

if TYPE_CHECKING:
    from subitize.analysis.observations import Reader
    from subitize.interfaces import Judge
    from subitize.labels import Rule
    from subitize.registry import Made


def choose_reader(judge: str | None, text: str | None, agreement: str = "plurality") -> "Reader":
    """Choose whose readings are read, and by which rule; a calibration is for the judge it was made for."""
    from subitize.analysis.observations import Reader

    rule, made_for = _rule(text)
    if made_for is None or judge is not None:
        _warn_of_other(text, made_for, judge)
        return Reader(judge, rule, agreement)
    print_warnings([f"--rule {text}: only the readings of {made_for!r}, which it was made for; others with --judge"])
    return Reader(made_for, rule, agreement)


def rule_for(judge: "Made[Judge]", text: str | None) -> "Rule | None":
    """Read the rule by which a judge's evidence is to be read, before it looks at anything."""
    from subitize.labels.rules import check_floor, check_kind, parse_rule

    rule, made_for = _rule(text)
    if rule is None:
        return None
    name, own = judge.spec.shown, parse_rule(judge.it.rule)
    _warn_of_other(text, made_for, name)
    check_kind(rule, own, name)
    check_floor(rule, judge.spec.options, name)
    return rule.over(own)


def _rule(text: str | None) -> "tuple[Rule | None, str | None]":
    """Read a rule as users write it, and of a calibration the judge that it was made for."""
    from subitize.calibrations import PREFIX, load
    from subitize.labels import make_rule, parse_rule

    if text is None or not text.startswith(PREFIX):
        return parse_rule(text) if text else None, None
    found = load(text.removeprefix(PREFIX))
    return make_rule(found), found.judge


def _warn_of_other(text: str | None, made_for: str | None, judge: str | None) -> None:
    """Warn of another judge than a calibration was made for; what a name stands for only the run knows."""
    from subitize.registry import names

    if made_for not in (None, judge) and judge is not None and judge.partition(":")[0] in names("judges"):
        print_warnings([f"--rule {text} was calibrated for judge {made_for!r}, not {judge!r}"])
