"""The rules that read GeckoNum's answers, and make several of them one."""

from subitize.labels import WordRule
from subitize.papers.geckonum.typed_numbers import read_answer
from subitize.records import Scalar

RULE = WordRule(2, read_answer, takes_positions=True)


def round_mode(mode: Scalar) -> Scalar:
    """Round the mode of the unrounded values, half to even, and only then."""
    return round(mode) if isinstance(mode, float) else mode
