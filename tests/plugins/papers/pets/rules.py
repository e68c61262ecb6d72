"""How the paper's annotators count: a brace is two."""

from subitize.labels import WordRule
from subitize.language import final, mentions


def read_answer(text: str) -> float | mentions.NoValue:
    """Read an answer, in which "a brace" may stand for two."""
    return final.read_number(text.replace("a brace", "2"), policy="strict")


RULE = WordRule(1, read_answer)
