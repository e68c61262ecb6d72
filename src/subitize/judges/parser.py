"""Reads what a model said: the words are the evidence, numerals makes a number of them."""

from collections.abc import Sequence

from subitize.errors import UnknownNameError, UnusableModelError
from subitize.interfaces import Exhibit, Finding, SelfTest
from subitize.labels import interpret, parse_rule
from subitize.labels.rules import find_word_rule, word_rules
from subitize.records import Count, Fit, Known, Outcome, Question, Said, Words

_KNOWN = (("3", 3), ("12", 12), ("0", 0))


class Parser:
    """Read the number in a text answer, by the policy strict, total, final, or one that a paper brings."""

    is_stand_in = False
    asks_together = True
    concurrency = 64

    def __init__(self, *, policy: str = "strict") -> None:
        if find_word_rule(policy) is None:
            raise UnknownNameError("policy", policy, word_rules())
        self.rule = policy

    def self_test(self) -> SelfTest:
        """Read answers whose numbers are known."""
        rule = parse_rule(self.rule)
        if any(interpret(Words(text), Count("apple"), rule) != Known(number) for text, number in _KNOWN):
            raise UnusableModelError(f"the parser misread known answers {_KNOWN}; install subitize again")
        return SelfTest(True)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether there is text to read; a score is not read off a text."""
        return not isinstance(question, Fit) and all(isinstance(outcome, Said) for outcome in outcomes)

    async def respond(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Take the text as it stands."""
        text = "\n".join(outcome.text for outcome in exhibit.outcomes if isinstance(outcome, Said))
        return tuple(Finding(Words(text)) for _ in exhibit.inquiries)
