"""How the paper's annotators count: a brace is two."""

from subitize import numerals
from subitize.labels import WordRule


def read_answer(text: str) -> float | numerals.Unread:
    """Read an answer, in which "a brace" may stand for two."""
    return numerals.value(text.replace("a brace", "2"), policy="strict")


RULE = WordRule(1, read_answer)
