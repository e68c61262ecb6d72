"""Reads a model's words, or puts its scores into words; these are the evidence from which a rule reads a number."""

from collections.abc import Mapping, Sequence

from subitize.errors import UnknownNameError, UnusableModelError
from subitize.interfaces import Finding, Judge, JudgeRequest, SelfTest
from subitize.labels import SIMILARITY, interpret, parse_rule
from subitize.labels.interpretation import read_probability
from subitize.labels.rules import find_word_rule, word_rules
from subitize.language.answers import drop_reasoning
from subitize.language.numbers import name_number
from subitize.records import Confirm, Count, Fit, Known, Outcome, Question, Said, Scored, Words

_LIKELIER_THAN_NOT = 0.5
_KNOWN = (("3", 3), ("12", 12), ("0", 0))


class Parser(Judge):
    """Read the number in a text answer, by the policy strict, total, final, or one that a paper brings.

    Of scores it takes whether a text fits, or the likeliest number in a gap.
    """

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
        """Return whether there is text to read, or scores; how well a text fits cannot be read from words."""
        if isinstance(question, Confirm | Count) and len(outcomes) == 1 and isinstance(outcomes[0], Scored):
            return True
        return not isinstance(question, Fit) and all(isinstance(outcome, Said) for outcome in outcomes)

    async def respond(self, exhibit: JudgeRequest, /) -> tuple[Finding, ...]:
        """Take the text without the model's reasoning, or put the scores into words."""
        if isinstance(exhibit.outcomes[0], Scored):
            scores = exhibit.outcomes[0].scores
            return tuple(Finding(Words(_put_in_words(scores, inquiry.question))) for inquiry in exhibit.inquiries)
        said = (outcome.text for outcome in exhibit.outcomes if isinstance(outcome, Said))
        text = "\n".join(map(drop_reasoning, said))
        return tuple(Finding(Words(text)) for _ in exhibit.inquiries)


def _put_in_words(scores: Mapping[str, float], question: Question) -> str:
    if isinstance(question, Count):
        number = name_number(scores)
        return "no numeral" if number is None else str(number)
    probability = read_probability(scores)
    return SIMILARITY if probability is None else "yes" if probability > _LIKELIER_THAN_NOT else "no"
