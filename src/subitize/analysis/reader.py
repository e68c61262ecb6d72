"""Choose whose readings a command uses, and the rule that interprets their evidence.

A rule may be a saved calibration, which holds only for the judge it was made for."""

from collections.abc import Callable

from subitize.analysis.design import check_prompts
from subitize.analysis.frame import ReadOptions
from subitize.interfaces import Judge
from subitize.labels import PLURALITY, Rule, make_rule, parse_rule
from subitize.labels.calibrations import PREFIX, load
from subitize.labels.rules import check_floor, check_kind
from subitize.registry import Resolved, names

Warn = Callable[[str], None]


def choose_reader(
    judge: str | None, text: str | None, warn: Warn, agreement: str = PLURALITY, nouns: str = "sampled"
) -> ReadOptions:
    """Choose the judge and the rule; a calibration selects the judge that it was made for."""
    rule, made_for = _rule(text)
    of_nouns = check_prompts(nouns, "nouns")
    if made_for is None or judge is not None:
        _warn_of_other(text, made_for, judge, warn)
        return ReadOptions(judge, rule, agreement, of_nouns)
    warn(f"`rule` {text}: only the readings of {made_for!r}, which it was made for; others with `judge`")
    return ReadOptions(made_for, rule, agreement, of_nouns)


def rule_for(judge: Resolved[Judge], text: str | None, warn: Warn) -> Rule | None:
    """Parse the rule for a judge's evidence and check it, before the judge looks at anything."""
    rule, made_for = _rule(text)
    if rule is None:
        return None
    name, own = judge.spec.text, parse_rule(judge.obj.rule)
    _warn_of_other(text, made_for, name, warn)
    check_kind(rule, own, name)
    check_floor(rule, judge.spec.options, name)
    return rule.over(own)


def _rule(text: str | None) -> tuple[Rule | None, str | None]:
    """Parse a rule as users write it; for a calibration, also return the judge that it was made for."""
    if text is None or not text.startswith(PREFIX):
        return parse_rule(text) if text else None, None
    found = load(text.removeprefix(PREFIX))
    return make_rule(found), found.judge


def _warn_of_other(text: str | None, made_for: str | None, judge: str | None, warn: Warn) -> None:
    """Warn if a calibration was made for another judge; names of judges are known to the run alone."""
    if made_for not in (None, judge) and judge is not None and judge.partition(":")[0] in names("judges"):
        warn(f"`rule` {text} was calibrated for judge {made_for!r}, not {judge!r}")
