"""Describes what was asked for, answered and read, in plain words."""

from collections.abc import Sequence
from itertools import takewhile

from subitize.records import Ask, Choose, Confirm, Item, MatchesPrompt, Outcome, Question, Refused, Said, Scalar, Scored


def describe_target(item: Item, ask: Ask) -> str:
    """Say what was asked for in short: of lines to choose from, the quantifier that they differ in."""
    quantifier = item.factors.get("quantifier") if isinstance(ask.question, Choose) else None
    return str(quantifier) if quantifier is not None else describe_expected(ask)


def describe_expected(ask: Ask) -> str:
    """Write the values that make an outcome right."""
    return " or ".join(describe_value(value, ask.question) for value in ask.expects)


def describe_value(value: Scalar, question: Question, *, is_short: bool = False) -> str:
    """Write a value as people would answer the question; of a line, in short, what tells it from the others."""
    match question:
        case Choose(lines=lines) if isinstance(value, int) and 0 <= value < len(lines):
            return _differing(lines)[value] if is_short else lines[value]
        case Confirm() | MatchesPrompt():
            return "yes" if value else "no"
    return str(value)


def _differing(lines: Sequence[str]) -> list[str]:
    """Leave out the words that lines begin and end with alike."""
    words = [line.split() for line in lines]
    start = _count_alike(words)
    end = _count_alike([line[start:][::-1] for line in words])
    return [" ".join(line[start : len(line) - end]) for line in words]


def _count_alike(lines: Sequence[Sequence[str]]) -> int:
    """Count the words that all lines begin with."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*lines, strict=False)))


def describe_outcome(outcome: Outcome) -> str:
    """Write what a model answered; of a drawing there is nothing to be said."""
    match outcome:
        case Said(text=text):
            return text
        case Refused(reason=reason):
            return f"refused: {reason}"
        case Scored(scores=scores):
            return ", ".join(f"{name} {score:.3f}" for name, score in scores.items())
        case _:
            return "–"
