"""From evidence to value, and from several values to one label, by named and versioned rules."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from string import ascii_lowercase

from subitize import numerals
from subitize.calibrations import Calibrated
from subitize.detections import Detections
from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.records import (
    Box,
    Boxes,
    Choose,
    Compared,
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

# Each rule has the version of its meaning: a stored value says exactly how it was read. Only the latest can be applied.
# strict, total and geckonum are policies of numerals, for words; boxes counts the boxes with enough score, of two that
# overlap by more than `iou` only the better; where a place is asked for ("left of the cats") those whose centres are
# on that side of all the landmarks' centres; compared asks whether a text fits better than those beside it; votes knows
# the words in which people say yes or no to a picture, each by itself.
RULE_VERSIONS: dict[str, int] = {"strict": 2, "total": 2, "geckonum": 2, "boxes": 1, "compared": 1, "votes": 1}
CONSENSUS_RULES: tuple[str, ...] = ("mode", "majority", "geckonum")

# Where digits are a line's position from 0: people's codes in released data, and what our observer says. A model is
# shown letters: its "1" may be the first line or the second.
_POSITIONAL = ("geckonum", "boxes")


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to read evidence; `boxes` takes the lowest score and the largest overlap: `boxes>=0.4,iou=0.95`.

    What is None is left open: it is as in the rule that the evidence was read by before; where there was none, every
    score counts, and nothing is suppressed.
    """

    name: str
    threshold: float | None = None
    iou: float | None = None

    def __str__(self) -> str:
        """Write it as it is stored: nothing is left open there.

        Both numbers are named, or neither where every score counts and nothing is suppressed: whoever writes down only
        a part of them would leave the other open.
        """
        least, iou = self.threshold or 0.0, 1.0 if self.iou is None else self.iou
        numbers = f">={least:g},iou={iou:g}" if least or iou < 1 else ""
        return f"{self.name}@{RULE_VERSIONS[self.name]}{numbers}"

    def over(self, earlier: "Rule") -> "Rule":
        """Take from an earlier rule what this one leaves open."""
        if self.name != "boxes" or earlier.name != "boxes":
            return self
        threshold = earlier.threshold if self.threshold is None else self.threshold
        return replace(self, threshold=threshold, iou=earlier.iou if self.iou is None else self.iou)

    def over_stored(self, text: str) -> "Rule":
        """Take what is left open from a rule as it is stored; one of a version that is no more has nothing to give."""
        try:
            return self.over(parse_rule(text))
        except SubitizeError:
            return self


def parse_rule(text: str) -> Rule:
    """Read a rule as users write it, `total` or `boxes>=0.4,iou=0.95`, or as it is stored, `total@2`.

    With its version it is as stored, and leaves nothing open: `boxes@1>=0.4` suppresses nothing.
    """
    bare, has_iou, iou = text.partition(",iou=")
    head, has_floor, floor = bare.partition(">=")
    name, _, version = head.partition("@")
    latest = RULE_VERSIONS.get(name, 0)
    if version in map(str, range(1, latest)):
        instead = f"{name}@{latest}{text[len(head) :]}"
        raise BadValueError(
            f"rule {text!r}: version {version} of {name} is no more; write {instead} to read the evidence anew, or no "
            "rule for the values as they were stored"
        )
    if not latest or version not in ("", str(latest)):
        raise UnknownNameError("rule", head, RULE_VERSIONS)
    given = [number for has, number in ((has_floor, floor), (has_iou, iou)) if has]
    if given and (name != "boxes" or not all(_SHARE.fullmatch(number) for number in given)):
        right = "numbers from 0 to 1 with at most 4 decimals, as in boxes>=0.4,iou=0.95"
        raise BadValueError(f"rule {text!r}: only boxes takes a lowest score and a largest overlap, {right}")
    is_whole = name == "boxes" and bool(version)
    return Rule(
        name,
        float(floor) if has_floor else 0.0 if is_whole else None,
        float(iou) if has_iou else 1.0 if is_whole else None,
    )


_SHARE = re.compile(r"0?\.\d{1,4}|1\.0{1,4}|[01]", re.ASCII)


def make_rule(found: Calibrated) -> Rule:
    """Make the rule that counts boxes by a calibration."""
    return Rule("boxes", found.threshold, found.iou)


def check_kind(rule: Rule, own: Rule, judge: str) -> None:
    """Refuse a rule for other evidence than a judge gives, of which its own rule tells the kind."""
    if _kind(rule) != _kind(own):
        fitting = ", ".join(sorted(name for name in RULE_VERSIONS if _kind(Rule(name)) == _kind(own)))
        raise BadValueError(f"rule {rule.name!r} cannot read what judge {judge!r} finds; for it: {fitting}")


def _kind(rule: Rule) -> str:
    return "words" if rule.name in numerals.POLICIES else rule.name


def check_floor(rule: Rule, options: Mapping[str, str], judge: str) -> None:
    """Refuse to count boxes by a score below the one from which a judge, with these options, keeps them."""
    floor = read_share(options, "floor") or 0.0
    if rule.threshold is not None and rule.threshold < floor:
        raise BadValueError(
            f"rule boxes>={rule.threshold:g}: judge {judge!r} keeps no boxes with a score below {floor:g}, its floor; "
            f"count from boxes>={floor:g}, or judge with floor={rule.threshold:g}"
        )


def read_share(options: Mapping[str, str], name: str) -> float | None:
    """Read a score or an overlap among the options of a judge; None if there is none."""
    try:
        return float(options[name])
    except (KeyError, ValueError):
        return None


def interpret(evidence: Evidence, question: Question, rule: Rule) -> Value:
    """Read the evidence as an answer to the question."""
    match evidence, question:
        case Words(text=text), Count():
            return _number(text, rule)
        case Words(text=text), Confirm() | MatchesPrompt():
            return _vote(text) if rule.name == "votes" else _yes_or_no(text)
        case Words(text=text), Choose(lines=lines):
            return _line(text, lines, has_positions=rule.name in _POSITIONAL)
        case Words(text=text), Name() | Transcribe():
            return Known(text.strip())
        case Boxes(boxes=boxes), Count():
            _require(rule, {"boxes"}, evidence)
            return Known(len(counted_boxes(boxes, question, rule)))
        case Boxes(boxes=boxes), Confirm(statement=statement) if stated := read_statement(statement):
            _require(rule, {"boxes"}, evidence)
            return Known(stated.holds(len(counted_boxes(boxes, Count(stated.noun), rule))))
        case Compared(scores=scores), Confirm(statement=statement) if stated := read_statement(statement):
            first, *others = scores.values()
            return Known((first > max(others)) != (stated.number == 0))
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
    # Counter keeps the order of first appearance, so that a tie goes to the first; yes and no may not be left to that.
    winner, count = Counter(votes).most_common(1)[0]
    needs_majority = rule == "majority" or (rule == "mode" and isinstance(winner, bool))
    if needs_majority and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    # What reproduces GeckoNum: the mode of the unrounded values, rounded half to even only then.
    return Known(round(winner)) if rule == "geckonum" and isinstance(winner, float) else Known(winner)


@dataclass(frozen=True, slots=True)
class Statement:
    """That there are so many of something: a number, or None for some."""

    noun: str
    number: int | None

    def holds(self, count: int) -> bool:
        """Tell whether it is so where so many are seen."""
        return count >= 1 if self.number is None else count == self.number


_STATEMENT = re.compile(r"there (?:is|are) (?P<number>some|no|an?|\d{1,6}|[a-z-]+) (?P<things>[a-z][a-z -]*)")
# What the name of one kind of thing does not have: with these a statement is of two kinds, of parts, or of a place.
# "of" may be within a name: "loaves of bread".
_SAYS_MORE = re.compile(
    r"""
    \b (?:
        a | about | above | across | after | against | all | along | also | among | an | and | another | any | are |
        around | as | at | before | behind | below | beneath | beside | between | both | but | by | each | either |
        every | except | facing | fewer | for | from | half | halves | has | have | her | his | in | inside | into |
        is | its | left | less | like | many | more | most | near | neither | next | no | nor | not | on | only | onto
        | or | other | others | out | outside | over | piece | pieces | quarter | quarters | right | same | some |
        than | that | the | their | there | these | third | thirds | this | those | through | to | touching | toward |
        towards | under | upon | was | were | what | where | which | while | who | whose | whole | with | within |
        without
    ) \b
    """,
    re.VERBOSE,
)
# "dogs chasing cats", but "swimming pools"
_DOING = re.compile(r"\b[a-z]+[a-rt-z]s [a-z]+ing\b")


def read_statement(text: str) -> Statement | None:
    """Read "there are some apples", "there are no seeds", "there is 1 cat"; None for what says more or else."""
    found = _STATEMENT.fullmatch(text.strip().lower().removesuffix("."))
    if found is None or _says_more(found["things"]):
        return None
    noun = numerals.singular(found["things"])
    if found["number"] in ("some", "no"):
        return Statement(noun, None if found["number"] == "some" else 0)
    number = numerals.value(found["number"], "strict")
    whole = None if isinstance(number, numerals.Unread) or number != int(number) else int(number)
    return None if whole is None else Statement(noun, whole)


def _says_more(things: str) -> bool:
    has_number = any(not isinstance(numerals.value(word, "strict"), numerals.Unread) for word in things.split())
    return has_number or _SAYS_MORE.search(things) is not None or _DOING.search(things) is not None


def counted_boxes(boxes: Sequence[Box], question: Count, rule: Rule) -> list[Box]:
    """Find the boxes that answer a question: of enough score, not suppressed, of the noun, colour and place.

    The best come first. A box is suppressed by better ones only, so that low scores may be left out before or after.
    """
    things = [box for box in _kept(boxes, question.noun, rule) if question.colour in (None, box.colour)]
    if question.place is None:
        return things
    relation = question.place.relation
    landmarks = _kept(boxes, question.place.landmark, rule)
    return [box for box in things if _stands(box, relation, landmarks)]


def _kept(boxes: Sequence[Box], label: str, rule: Rule) -> list[Box]:
    """Find what is left of one label: none is suppressed by another's, but one of any colour by any of its label."""
    least = rule.threshold or 0.0
    found = sorted((box for box in boxes if box.label == label and box.score >= least), key=lambda box: -box.score)
    if rule.iou is None or rule.iou >= 1:
        return found
    return list(compress(found, Detections.of(found).unsuppressed(rule.iou)))


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


VOTES_FOR = ("yes", "y", "1", "true", "right", "correct", "success", "✓")
VOTES_AGAINST = ("no", "n", "0", "false", "wrong", "incorrect", "failure", "✗")


def _vote(text: str) -> Value:
    said = text.strip().casefold()
    if said in VOTES_FOR or said in VOTES_AGAINST:
        return Known(said in VOTES_FOR)
    return Discarded(f"no vote: {text[:40]!r}")


# A word is an answer if it stands alone, or is set off from what follows, or goes on as a sentence: "yes", "No, …",
# "yes it is". Others are about something else: "no idea", "no images attached", "n/a", "true to life", "yes or no".
_STANDS = r"""
    (?= [^\w\s]* (?: $ | \n | [,;:!?…–—] | (?<=[^\w\s])\s | \s+ (?: $ | [-–—(] | (?:SENTENCE)\b ) ) )
""".replace(
    "SENTENCE", "all|because|both|exactly|he|i|in|indeed|it|not|she|since|that|the|there|these|they|this|those|we|you"
)
_YES_OR_NO = r"(?: (?P<yes>yes|y|true) | (?P<no>no|n(?!\W+a\W*$)|false) )"
_ANSWER = re.compile(rf"[^\w-]* {_YES_OR_NO} {_STANDS}", re.VERBOSE)
_DIGIT = re.compile(r"""["'“‘(\[]*([01])["'”’)\].]*""")
# Neither "not true" nor the yes of "yes-men" is an answer.
_LATER_ANSWER = re.compile(rf"(?<![\w-]) (?<!not\ ) (?<!n['’]t\ ) {_YES_OR_NO} {_STANDS}", re.VERBOSE)
_DECLINES = re.compile(
    r"""
    (?: can(?:not|['’]t) | could(?:\ not|n['’]t) | unable\ to )\ (?:
        answer | determine | help | judge | know | say | tell | view
      | (?:access|open|process|see)\ (?:(?:an|any|that|the|this|your)\ )? (?:image|photo|picture)
    ) | \bno\ (?:image|photo|picture)
    """,
    re.VERBOSE,
)


def _yes_or_no(text: str) -> Value:
    """Read the first word, unless the other one stands as an answer after it, or the answer declines to give one."""
    answer = re.sub(r"[*_`]", "", text.lower()).strip()
    if digit := _DIGIT.fullmatch(answer):
        return Known(digit[1] == "1")
    first = _ANSWER.match(answer)
    if first is None:
        return Discarded(f"neither yes nor no: {text[:40]!r}")
    later = {found.lastgroup for found in _LATER_ANSWER.finditer(answer, first.end())}
    if later - {first.lastgroup} or _DECLINES.search(answer, first.end()):
        return Discarded(f"not clearly yes or no: {text[:40]!r}")
    return Known(first.lastgroup == "yes")


def _line(text: str, lines: Sequence[str], *, has_positions: bool) -> Value:
    answer = text.strip()
    if answer in lines:
        return Known(lines.index(answer))
    if has_positions and re.fullmatch(r"\d{1,4}", answer, re.ASCII) and int(answer) < len(lines):
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
    (?P<end> \s*$ | [ ]*\n\s* )? (?(end) | \s+ (?:[-–—]\s+)? )
    """,
    re.VERBOSE,
)
# An "a" or "i" without a mark is a word, and so is the "s" of "it's".
_OTHER_LETTER = re.compile(r"(?<![\w'’.]) (?: ([a-z])(?:[)\]*]|[.](?!\w)|$) | ([b-hj-z])(?![\w'’]|[.]\w) )", re.VERBOSE)
# What may follow a chosen letter besides the words of its line.
_REASON = re.compile(r"(?:as|because|best|describes|fits|i (?:can )?(?:count|see)|matches|since)\b")
# What follows a letter or a line that is talked about, not chosen: "(a) is wrong", "(b) Two cats: no".
_TALK = re.compile(
    r"""
    [^\w]* (?:
        and | are | can | cannot | could | do | does | false | incorrect | is | may | maybe | might | neither | no | nor
      | not | or | seems? | unlikely | was | would | wrong
    ) (?:n['’]t)?\b
    """,
    re.VERBOSE,
)


def _lettered(answer: str, plain: Sequence[str]) -> int | None:
    """Find the line that an answer names by its letter, unless it names or says another, or talks about it."""
    found = _LETTER.match(answer)
    if found is None:
        return None
    position = ascii_lowercase.index(found["marked"] or found["emphasised"] or found["bare"])
    if position >= len(plain):
        return None
    rest = _plain(answer[found.end() :])
    said = max((line for line in plain if _begins(rest, line)), key=len, default="")
    if said not in ("", plain[position]):
        return None
    tail = "" if _is_part(rest, plain[position]) else rest[len(said) :]
    others = {letter for letters in _OTHER_LETTER.findall(tail) for letter in letters if letter}
    names_another = others & set(ascii_lowercase[: len(plain)]) - {ascii_lowercase[position]}
    is_chosen = found["end"] is not None or said or not tail or _REASON.match(tail)
    return position if is_chosen and not names_another and not _TALK.match(tail) else None


def _begins(text: str, line: str) -> bool:
    return bool(line) and text.startswith(line) and not text[len(line) : len(line) + 1].isalnum()


def _is_part(text: str, line: str) -> bool:
    """Tell whether a text is some words of the line; one alone may be about it: "(a) no", "(b) some"."""
    return " " in text and f" {text} " in f" {line} "


def _require(rule: Rule, names: set[str], evidence: Evidence) -> None:
    if rule.name not in names:
        fitting = ", ".join(sorted(names))
        raise BadValueError(f"rule {rule.name!r} cannot read {evidence.kind}; for these: {fitting}")
