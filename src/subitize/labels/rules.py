"""The rules for reading evidence: their names, versions and numbers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from subitize import papers as plugins
from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.labels.calibrations import Calibrated
from subitize.language import answers, mentions
from subitize.language import final as final_module


@dataclass(frozen=True, slots=True)
class WordRule:
    """A versioned way to read numbers from text.

    If it takes positions, digits are a line's position from 0, as in people's codes in released data. Models are shown
    letters, so their "1" may mean the first line or the second. `find_answer` drops everything but the answer, for yes
    and no and for lines, too.
    """

    version: int
    read: Callable[[str], float | mentions.NoValue]
    takes_positions: bool = False
    find_answer: Callable[[str], str | mentions.NoValue] = str


# Rules are versioned, so a stored value says exactly how it was read. Only the latest version can be applied.
# strict, total and final are policies of language/final.py; papers add others. boxes counts the boxes with a sufficient
# score, only the better of two that overlap by more than `iou`, and for a place ("left of the cats") only those whose
# centres are on that side of all landmarks' centres. compared asks whether a text fits better than its distractors.
# votes knows the words that people vote with, each by itself.
_WORD_RULES = {
    "strict": WordRule(2, partial(final_module.read_number, policy="strict")),
    "total": WordRule(2, partial(final_module.read_number, policy="total")),
    "final": WordRule(2, partial(final_module.read_number, policy="final"), find_answer=answers.find_answer),
}
_OTHER_VERSIONS = {"boxes": 1, "compared": 1, "votes": 1}


def rule_versions() -> dict[str, int]:
    """List all rules with their versions."""
    return {name: rule.version for name, rule in word_rules().items()} | _OTHER_VERSIONS


def word_rules() -> dict[str, WordRule]:
    """List the rules that read numbers from text, built-in ones first."""
    return _WORD_RULES | plugins.load_all("rules")


def find_word_rule(name: str) -> WordRule | None:
    """Find a rule that reads numbers from text."""
    if name in _OTHER_VERSIONS:
        return None
    return _WORD_RULES.get(name) or _load(plugins.find("rules", name))


def find_positional_rule() -> "Rule | None":
    """Find a text rule that takes digits as line positions."""
    return next((Rule(name) for name, rule in word_rules().items() if rule.takes_positions), None)


@lru_cache
def _load(reference: str | None) -> WordRule | None:
    return None if reference is None else plugins.load(reference)


def _version(name: str) -> int:
    """Return the version of a rule; 0 if it is unknown."""
    rule = find_word_rule(name)
    return rule.version if rule else _OTHER_VERSIONS.get(name, 0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to read evidence; `boxes` takes the lowest score and the largest overlap: `boxes>=0.4,iou=0.95`.

    None leaves a number open: it is inherited from the rule that read the evidence before. Without an earlier rule,
    every score counts, and nothing is suppressed.
    """

    name: str
    threshold: float | None = None
    iou: float | None = None

    def __str__(self) -> str:
        """Write it as stored, with nothing left open.

        Both numbers are written, or neither if every score counts and nothing is suppressed: one alone would leave the
        other open.
        """
        least, iou = self.threshold or 0.0, 1.0 if self.iou is None else self.iou
        numbers = f">={least:g},iou={iou:g}" if least or iou < 1 else ""
        return f"{self.name}@{_version(self.name)}{numbers}"

    def over(self, earlier: "Rule") -> "Rule":
        """Inherit from an earlier rule what this one leaves open."""
        if self.name != "boxes" or earlier.name != "boxes":
            return self
        threshold = earlier.threshold if self.threshold is None else self.threshold
        return replace(self, threshold=threshold, iou=earlier.iou if self.iou is None else self.iou)

    def over_stored(self, text: str) -> "Rule":
        """Inherit what is left open from a stored rule; nothing from an outdated version."""
        try:
            return self.over(parse_rule(text))
        except SubitizeError:
            return self


def parse_rule(text: str) -> Rule:
    """Parse a rule as users write it, `total` or `boxes>=0.4,iou=0.95`, or as stored, `total@2`.

    A rule with a version is a stored one and leaves nothing open: `boxes@1>=0.4` suppresses nothing.
    """
    bare, has_iou, iou = text.partition(",iou=")
    head, has_floor, floor = bare.partition(">=")
    name, _, version = head.partition("@")
    latest = _version(name)
    if version in map(str, range(1, latest)):
        instead = f"{name}@{latest}{text[len(head) :]}"
        raise BadValueError(
            f"rule {text!r}: version {version} of {name} is no more; write {instead} to read the evidence anew, or no "
            "rule for the values as they were stored"
        )
    if not latest or version not in ("", str(latest)):
        raise UnknownNameError("rule", head, rule_versions())
    given = [number for has, number in ((has_floor, floor), (has_iou, iou)) if has]
    if given and (name != "boxes" or not all(_SHARE.fullmatch(number) for number in given)):
        right = "numbers from 0 to 1 with at most 4 decimals, as in boxes>=0.4,iou=0.95"
        raise BadValueError(f"rule {text!r}: only boxes takes a lowest score and a largest overlap, {right}")
    is_whole = name == "boxes" and bool(version)
    least = float(floor) if has_floor else 0.0 if is_whole else None
    return Rule(name, least, float(iou) if has_iou else 1.0 if is_whole else None)


_SHARE = re.compile(r"0?\.\d{1,4}|1\.0{1,4}|[01]", re.ASCII)


def make_rule(found: Calibrated) -> Rule:
    """Make the rule that counts boxes with a calibrated threshold."""
    return Rule("boxes", found.threshold, found.iou)


def check_kind(rule: Rule, own: Rule, judge: str) -> None:
    """Refuse a rule for another kind of evidence than that of the judge's own rule."""
    if not is_same_kind(rule, own):
        fitting = ", ".join(sorted(name for name in rule_versions() if _kind(Rule(name)) == _kind(own)))
        raise BadValueError(f"rule {rule.name!r} cannot read what judge {judge!r} finds; for it: {fitting}")


def is_same_kind(rule: Rule, other: Rule) -> bool:
    """Return whether two rules read the same kind of evidence."""
    return _kind(rule) == _kind(other)


def _kind(rule: Rule) -> str:
    return "words" if find_word_rule(rule.name) else rule.name


def check_floor(rule: Rule, options: Mapping[str, str], judge: str) -> None:
    """Refuse a threshold below the floor from which a judge, with these options, keeps boxes."""
    floor = read_share(options, "floor") or 0.0
    if rule.threshold is not None and rule.threshold < floor:
        raise BadValueError(
            f"rule boxes>={rule.threshold:g}: judge {judge!r} keeps no boxes with a score below {floor:g}, its floor; "
            f"count from boxes>={floor:g}, or judge with floor={rule.threshold:g}"
        )


def read_share(options: Mapping[str, str], name: str) -> float | None:
    """Read a score or overlap from a judge's options; None if it is missing."""
    try:
        return float(options[name])
    except (KeyError, ValueError):
        return None
