"""Interprets evidence as an answer to a question."""

from subitize.errors import BadValueError
from subitize.labels.boxes import counted_boxes
from subitize.labels.lines import read_line
from subitize.labels.rules import Rule, find_word_rule, word_rules
from subitize.labels.spatial_relations import judge_standing, read_standing
from subitize.labels.statements import read_statement
from subitize.labels.yes_no import read_vote, read_yes_or_no
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

CANNOT_TELL = "cannot tell: "
"""How the words of a judge begin that finds boxes, but does not know what is in them."""
WITHDRAWN = f"{CANNOT_TELL}withdrawn by the study's owner"
"""What stands for the answers of a person who is left out."""
SIMILARITY = f"{CANNOT_TELL}a similarity ranks texts, and accepts or rejects none"
"""What stands for scores of a text that are no probability."""


def interpret(evidence: Evidence, question: Question, rule: Rule) -> Value:
    """Read the evidence as an answer to the question."""
    match evidence, question:
        case Words(text=text), _ if text == SIMILARITY or (rule.name == "boxes" and text.startswith(CANNOT_TELL)):
            return Discarded(text, is_refusal=True)
        case Words(text=text), Count():
            return _number(text, rule)
        case Words(text=text), Confirm() | MatchesPrompt() if rule.name == "votes":
            return read_vote(text)
        case Words(text=text), Confirm() | MatchesPrompt() | Choose():
            answer = _find_answer(text, rule)
            return Discarded(answer.reason) if isinstance(answer, mentions.NoValue) else _choice(answer, question, rule)
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
            return judge_standing(standing.word, *found)
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


def _find_answer(text: str, rule: Rule) -> str | mentions.NoValue:
    by = find_word_rule(rule.name)
    return by.find_answer(text) if by else text


def _choice(answer: str, question: Question, rule: Rule) -> Value:
    if isinstance(question, Choose):
        return read_line(answer, question.lines, has_positions=_takes_positions(rule))
    return read_yes_or_no(answer)


def _takes_positions(rule: Rule) -> bool:
    """Tell whether digits are a line's position: our observer's are, and those of some people in released data."""
    by = find_word_rule(rule.name)
    return by.takes_positions if by else rule.name == "boxes"


def _require_boxes(rule: Rule, evidence: Evidence) -> None:
    if rule.name != "boxes":
        raise _unfit(rule, {"boxes"}, evidence)


def _unfit(rule: Rule, names: set[str], evidence: Evidence) -> BadValueError:
    fitting = ", ".join(sorted(names))
    return BadValueError(f"rule {rule.name!r} cannot read {evidence.kind}; for these: {fitting}")
