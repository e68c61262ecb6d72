"""Reads what a model said: the words are the evidence, numerals makes a number of them."""

from collections.abc import Sequence

from subitize.errors import UnknownNameError
from subitize.interfaces import Exhibit, Finding
from subitize.numerals import POLICIES
from subitize.records import Fit, Outcome, Question, Said, Words


class Parser:
    """Read the number in a text answer, by one of the policies strict, total, geckonum."""

    is_stand_in = False
    asks_together = True
    concurrency = 64

    def __init__(self, *, policy: str = "strict") -> None:
        if policy not in POLICIES:
            raise UnknownNameError("policy", policy, POLICIES)
        self.rule = policy

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether there is text to read; a score is not read off a text."""
        return not isinstance(question, Fit) and all(isinstance(outcome, Said) for outcome in outcomes)

    async def respond(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Take the text as it stands."""
        text = "\n".join(outcome.text for outcome in exhibit.outcomes if isinstance(outcome, Said))
        return tuple(Finding(Words(text)) for _ in exhibit.inquiries)
