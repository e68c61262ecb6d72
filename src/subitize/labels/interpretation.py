"""Interprets evidence as the answer to a question: a number, a line, yes or no, or a score."""

import math
import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from subitize.errors import BadValueError
from subitize.labels.boxes import check_spatial_claim, counted_boxes, read_standing, read_statement
from subitize.labels.rules import Rule, find_word_rule, word_rules
from subitize.language import mentions, reading
from subitize.records import (
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
    Transcribe,
    Value,
    Words,
)


def read_line(text: str, lines: Sequence[str], *, has_positions: bool) -> Value:
    """Find the chosen line by its words, its letter, or, if digits are positions, its number."""
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
    """Remove what does not distinguish lines: case, spacing, and surrounding marks."""
    return " ".join(text.lower().split()).strip(" .*_`\"'“”‘’")


# A letter names a line if it is marked, as in "(b)", "b." and "**b**", or is alone on the answer's first line.
# An unmarked letter followed by words is a word: "a cat".
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
# An unmarked "a" or "i" is a word, and so is the "s" of "it's".
_OTHER_LETTER = re.compile(r"(?<![\w'’.]) (?: ([a-z])(?:[)\]*]|[.](?!\w)|$) | ([b-hj-z])(?![\w'’]|[.]\w) )", re.VERBOSE)
# What may follow a chosen letter besides the words of its line.
_REASON = re.compile(r"(?:as|because|best|describes|fits|i (?:can )?(?:count|see)|matches|since)\b")
# What follows a letter or line that is discussed, not chosen: "(a) is wrong", "(b) Two cats: no".
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
    """Find the line that an answer names by letter, unless it also names another, or discusses it."""
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
    """Return whether a text is part of the line; a single word may be a comment on it: "(a) no", "(b) some"."""
    return " " in text and f" {text} " in f" {line} "


VOTES_FOR = ("yes", "y", "1", "true", "right", "correct", "success", "✓")
VOTES_AGAINST = ("no", "n", "0", "false", "wrong", "incorrect", "failure", "✗")


def read_vote(text: str) -> Value:
    """Read one of the words that people vote with, and nothing else."""
    said = text.strip().casefold()
    if said in VOTES_FOR or said in VOTES_AGAINST:
        return Known(said in VOTES_FOR)
    return Discarded(f"no vote: {text[:40]!r}")


# A word is an answer if it is alone, set off from the rest, or continued as a sentence: "yes", "No, …", "yes it is".
# Others mean something else: "no idea", "no images attached", "n/a", "true to life", "yes or no".
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


def read_yes_or_no(text: str) -> Value:
    """Read the first answer word, unless its opposite follows as an answer, or the text declines to answer."""
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


CANNOT_TELL = "cannot tell: "
"""Begins the words of people who skip a question, and of judges that find boxes without recognising their contents."""
WITHDRAWN = f"{CANNOT_TELL}withdrawn by the study's owner"
"""Replaces the answers of an excluded person."""
SIMILARITY = f"{CANNOT_TELL}a similarity ranks texts, and accepts or rejects none"
"""Replaces scores that are not probabilities."""


def interpret(evidence: Evidence, question: Question, rule: Rule) -> Value:
    """Read the evidence as an answer to the question."""
    match evidence, question:
        case Words(text=text), _ if text.startswith(CANNOT_TELL):
            return Discarded(text, is_refusal=text != WITHDRAWN)
        case Words(text=text), Count():
            return _number(text, rule)
        case Words(text=text), Confirm() | MatchesPrompt() if rule.name == "votes":
            return read_vote(text)
        case Words(text=text), Confirm() | MatchesPrompt() | Choose():
            return _choice(text, question, rule)
        case Words(text=text), Name() | Transcribe():
            return Known(text.strip())
        case Boxes(boxes=boxes), Count():
            _require_boxes(rule, evidence)
            return Known(len(counted_boxes(boxes, question, rule)))
        case Boxes(boxes=boxes), Confirm(statement=statement) if stated := read_statement(statement):
            _require_boxes(rule, evidence)
            return Known(stated.holds(len(counted_boxes(boxes, Count(stated.noun), rule))))
        case Boxes(boxes=boxes), Confirm(statement=statement) if standing := read_standing(statement):
            _require_boxes(rule, evidence)
            found = (counted_boxes(boxes, Count(noun), rule) for noun in (standing.thing, standing.landmark))
            return check_spatial_claim(standing.word, *found)
        case Compared(scores=scores), Confirm(statement=statement) if stated := read_statement(statement):
            first, *others = scores.values()
            return Known((first > max(others)) != (stated.number == 0))
        case Measured(score=score), Fit():
            return Known(score)
    return Discarded(f"{evidence.kind} cannot answer {question.id!r}")


def _number(text: str, rule: Rule) -> Value:
    by = find_word_rule(rule.name)
    if by is None:
        raise _unfit(rule, set(word_rules()), Words(text))
    number = by.read(text)
    if isinstance(number, mentions.NoValue):
        answer = by.find_answer(text)
        is_refusal = isinstance(answer, str) and isinstance(reading.read(answer), mentions.Refusal)
        return Discarded(number.reason, is_refusal=is_refusal)
    return Known(int(number) if number == int(number) else number)


def _choice(text: str, question: Question, rule: Rule) -> Value:
    by = find_word_rule(rule.name)
    answer = by.find_answer(text) if by else text
    if isinstance(answer, mentions.NoValue):
        return Discarded(answer.reason)
    if isinstance(question, Choose):
        # Digits are line positions in our observer's answers, and in people's in some released data.
        has_positions = by.takes_positions if by else rule.name == "boxes"
        return read_line(answer, question.lines, has_positions=has_positions)
    return read_yes_or_no(answer)


def _require_boxes(rule: Rule, evidence: Evidence) -> None:
    if rule.name != "boxes":
        raise _unfit(rule, {"boxes"}, evidence)


def _unfit(rule: Rule, names: set[str], evidence: Evidence) -> BadValueError:
    return BadValueError(f"rule {rule.name!r} cannot read {evidence.kind}; for these: {', '.join(sorted(names))}")


def read_probability(scores: Mapping[str, float]) -> float | None:
    """Return the probability that a text fits a picture; None for a similarity, which only ranks texts.

    `match` is a probability if it is the sigmoid of `logit`, or comes without one.
    """
    if "probability" in scores:
        return scores["probability"]
    match, logit = scores.get("match"), scores.get("logit")
    if match is None or logit is None:
        return match
    is_probability = math.isclose(match, 1 / (1 + math.exp(-max(logit, -700.0))), abs_tol=1e-6)
    return match if is_probability else None
