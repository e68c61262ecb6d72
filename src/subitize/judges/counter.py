"""Counts by a command of the user's: what it writes is the evidence."""

from collections.abc import Sequence

from subitize.interfaces import Finding, JudgeRequest, SelfTest
from subitize.judges.asking import is_picture, shown_picture
from subitize.networks.command import Counter
from subitize.records import Count, Outcome, Question, Words


class CounterJudge(Counter):
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    rule = "strict"
    asks_together = False

    def self_test(self) -> SelfTest:
        """Say that it is taken as it is."""
        return SelfTest(False, "cannot be tested: what its command can count is not known")

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a count of things wherever they are."""
        return is_picture(outcomes) and isinstance(question, Count) and question == Count(question.noun)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Have the pictures counted."""
        pictures = [exhibit.load(shown_picture(exhibit)) for exhibit in exhibits]
        return [(Finding(Words(number)),) for number in self.count_each(pictures, list(map(_noun, exhibits)))]


def _noun(exhibit: JudgeRequest) -> str:
    match exhibit.inquiries:
        case [inquiry] if isinstance(inquiry.question, Count):
            return inquiry.question.noun
    raise TypeError("a counter is asked for one count at a time")
