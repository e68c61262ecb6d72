"""From evidence to value, and from several values to one label, by named and versioned rules."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from subitize import numerals
from subitize.errors import BadValueError, UnknownNameError
from subitize.records import (
    Box,
    Boxes,
    Choose,
    Confirm,
    Count,
    Discarded,
    Evidence,
    Fit,
    Known,
    MatchesPrompt,
    Measured,
    Name,
    Question,
    RelationWord,
    Transcribe,
    Value,
    Words,
)

# Each rule has the version of its meaning: a stored value says exactly how it was read.
# strict, total and geckonum are policies of numerals, for words; boxes counts the boxes with enough score; where a
# place is asked for ("left of the cats") those whose centres are on that side of all the landmarks' centres.
RULE_VERSIONS: dict[str, int] = {"strict": 1, "total": 1, "geckonum": 1, "boxes": 1}
CONSENSUS_RULES: tuple[str, ...] = ("mode", "majority", "geckonum")

_YES = {"yes", "y", "true", "1"}
_NO = {"no", "n", "false", "0"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to read evidence; `boxes` takes the lowest score that counts: `boxes>=0.4`."""

    name: str
    threshold: float = 0.0

    def __str__(self) -> str:
        floor = f">={self.threshold:g}" if self.threshold else ""
        return f"{self.name}@{RULE_VERSIONS[self.name]}{floor}"


def parse_rule(text: str) -> Rule:
    """Read a rule as users write it, `total` or `boxes>=0.4`, or as it is stored, `total@1`."""
    head, has_floor, floor = text.partition(">=")
    name, _, version = head.partition("@")
    if name not in RULE_VERSIONS or version not in ("", str(RULE_VERSIONS[name])):
        raise UnknownNameError("rule", head, RULE_VERSIONS)
    if not has_floor:
        return Rule(name)
    if name != "boxes" or not re.fullmatch(r"0?\.\d{1,4}|1\.0{1,4}|[01]", floor, re.ASCII):
        right = "a score from 0 to 1 with at most 4 decimals, as in boxes>=0.4"
        raise BadValueError(f"rule {text!r}: only boxes takes a threshold, {right}")
    return Rule(name, float(floor))


def interpret(evidence: Evidence, question: Question, rule: Rule) -> Value:
    """Read the evidence as an answer to the question."""
    match evidence, question:
        case Words(text=text), Count():
            return _number(text, rule)
        case Words(text=text), Confirm() | MatchesPrompt():
            return _yes_or_no(text)
        case Words(text=text), Choose(lines=lines):
            return _line(text, lines)
        case Words(text=text), Name() | Transcribe():
            return Known(text.strip())
        case Boxes(boxes=boxes), Count():
            _require(rule, {"boxes"}, evidence)
            return Known(_fitting([box for box in boxes if box.score >= rule.threshold], question))
        case Measured(score=score), Fit():
            return Known(score)
    return Discarded(f"{evidence.kind} cannot answer {question.id!r}")


def consensus(values: Sequence[Value], rule: str) -> Value:
    """Make one value of several; those that were discarded have no vote."""
    if rule not in CONSENSUS_RULES:
        raise UnknownNameError("consensus rule", rule, CONSENSUS_RULES)
    votes = [value.value for value in values if isinstance(value, Known)]
    if not votes:
        return values[0] if values else Discarded("no reading")
    # Counter keeps the order of first appearance, so that a tie goes to the first.
    winner, count = Counter(votes).most_common(1)[0]
    if rule == "majority" and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    # What reproduces GeckoNum: the mode of the unrounded values, rounded half to even only then.
    return Known(round(winner)) if rule == "geckonum" and isinstance(winner, float) else Known(winner)


def _fitting(boxes: Sequence[Box], question: Count) -> int:
    """Count the boxes of the noun, of the colour if one is asked for, in the place if one is asked for."""
    fitting = [box for box in boxes if box.label == question.noun and question.colour in (None, box.colour)]
    if question.place is None:
        return len(fitting)
    landmarks = [box for box in boxes if box.label == question.place.landmark]
    return sum(_stands(box, question.place.relation, landmarks) for box in fitting)


def _stands(box: Box, relation: RelationWord, landmarks: Sequence[Box]) -> bool:
    """Tell whether a thing's centre is on that side of all the landmarks' centres; without any it is on no side."""
    axis = 0 if relation in ("left of", "right of") else 1
    sign = 1 if relation in ("left of", "above") else -1
    return bool(landmarks) and all(sign * _centre(box)[axis] < sign * _centre(other)[axis] for other in landmarks)


def _centre(box: Box) -> tuple[float, float]:
    left, top, right, bottom = box.xyxy
    return (left + right) / 2, (top + bottom) / 2


def _number(text: str, rule: Rule) -> Value:
    _require(rule, set(numerals.POLICIES), Words(text))
    policy = next(policy for policy in numerals.POLICIES if policy == rule.name)
    number = numerals.value(text, policy)
    if isinstance(number, numerals.Unread):
        return Discarded(number.reason, is_refusal=isinstance(numerals.read(text), numerals.Refusal))
    return Known(int(number) if number == int(number) else number)


def _yes_or_no(text: str) -> Value:
    # Past quotes and emphasis ("**Yes**"), but not into a number: 0.9 is no "0", and -1 no "1".
    answer = text.lower()
    first_word = re.match(r"[^\w-]*([^\W_]+)\b(?!\.\d)", answer)
    word, rest = (first_word.group(1), answer[first_word.end() :]) if first_word else ("", "")
    # "1 apple" counts, "no idea" declines, "yes or no" only repeats the question.
    is_answer = not (re.search(r"\w", rest) if word.isdecimal() else _NO_ANSWER.match(word + rest))
    if word in _YES | _NO and is_answer:
        return Known(word in _YES)
    return Discarded(f"neither yes nor no: {text[:40]!r}")


_NO_ANSWER = re.compile(
    r"no (?:clue|doubt|idea|image|photo|picture|way)\b|(?:yes|no)(?: (?:and|or) | ?/ ?)(?:yes|no)\b"
)


def _line(text: str, lines: Sequence[str]) -> Value:
    answer = text.strip()
    if answer in lines:
        return Known(lines.index(answer))
    if re.fullmatch(r"\d{1,4}", answer, re.ASCII) and int(answer) < len(lines):
        return Known(int(answer))
    plain = [_plain(line) for line in lines]
    said = _plain(answer)
    position = plain.index(said) if plain.count(said) == 1 else _lettered(answer.lower(), plain)
    return Discarded(f"none of the {len(lines)} lines: {text[:40]!r}") if position is None else Known(position)


def _plain(text: str) -> str:
    """Leave out what does not tell lines apart: case, spacing, and the marks around."""
    return " ".join(text.lower().split()).strip(" .*_`\"'“”‘’")


# A letter stands for a line if it is marked as one, as in "(b)", "b." and "**b**", or has the first line of the answer
# to itself. A letter that goes on without a mark is a word: "a cat".
_LETTER = re.compile(
    r"""
    [*_]{0,2} (?:(?:the\ )? (?:(?:best|correct|right)\ )? (?:answer|choice|line|option) (?:\ is)? :? [*_]{0,2} \s+)?
    (?:
        [*_`"'“‘]{0,3} [(\[]? (?P<marked>[a-z]) [)\].:]{1,2} [*_`"'”’]{0,3}
      | [*_`"'“‘]{1,3} (?P<emphasised>[a-z]) [*_`"'”’]{1,3} [).:]?
      | (?P<bare>[a-z]) (?= \s*$ | [ ]*\n | [ ][-–—][ ] )
    )
    (?: \s+ (?:[-–—]\s+)? | $ )
    """,
    re.VERBOSE,
)
_OTHER_LETTER = re.compile(r"(?<!\w)([a-z])(?:[).\]*](?!\w)|$)")
# What follows a letter that is talked about, not chosen: "(a) is wrong", "(a) or the last".
_TALK = re.compile(r"(?:and|are|can|cannot|could|do|does|is|may|might|nor|not|or|seems?|was|would)(?:n't|n’t)?\b")


def _lettered(answer: str, plain: Sequence[str]) -> int | None:
    """Find the line that an answer names by its letter, unless it names or says another, or talks about it."""
    found = _LETTER.match(answer)
    if found is None:
        return None
    letter, letters = found["marked"] or found["emphasised"] or found["bare"], ascii_lowercase[: len(plain)]
    rest = answer[found.end() :]
    others = {other for other in _OTHER_LETTER.findall(rest) if other in letters} - {letter}
    if letter not in letters or others or _TALK.match(rest):
        return None
    begun, position = _plain(rest), letters.index(letter)
    said = max((line for line in plain if begun.startswith(line)), key=len, default=plain[position])
    return position if said == plain[position] else None


def _require(rule: Rule, names: set[str], evidence: Evidence) -> None:
    if rule.name not in names:
        fitting = ", ".join(sorted(names))
        raise BadValueError(f"rule {rule.name!r} cannot read {evidence.kind}; for these: {fitting}")
