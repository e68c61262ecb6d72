"""Asks a model that answers questions about pictures: its words are the evidence, numerals makes numbers of them."""

from string import ascii_lowercase
from typing import Annotated

from subitize.errors import UnknownNameError
from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, Model, Reply, RuntimeOption, SelfTest
from subitize.judges.asking import ModelJudge, shown_picture
from subitize.judges.self_tests import EmptyAnswerError, Look, check_answers
from subitize.language.final import POLICIES
from subitize.records import Answer, Choose, Confirm, Count, Fit, MatchesPrompt, Question, Refused, Said, Words


class InWords(ModelJudge):
    """Asks in words, and takes the model's words as evidence."""

    task = "answer"
    counts = True

    def _can_ask(self, question: Question) -> bool:
        has_letters = not isinstance(question, Choose) or len(question.lines) <= len(ascii_lowercase)
        return has_letters and not isinstance(question, Fit)

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> Answer:
        return Answer(shown_picture(exhibit), phrase(inquiry, exhibit.prompt))

    def _find(self, reply: Reply) -> Finding:
        """Take the model's words as evidence; one that refuses gives none."""
        match reply.content:
            case Said(text=text) if text.strip():
                return Finding(Words(text), reply.provenance, reply.usage)
            case Said():
                raise EmptyAnswerError
            case Refused():
                return Finding(Words(""), reply.provenance, reply.usage)
        raise ValueError(f"the model gave {type(reply.content).__name__} where words were asked for")

    def _self_test(self, look: Look) -> SelfTest:
        """Ask about photographs of known things."""
        return check_answers(look, self.rule, counts=self.counts)


class Vlm(InWords):
    """Ask an image-to-text model, and read the numbers in its answers by one of the policies strict, total, final."""

    name = "vlm"
    instead = "vlm:openai:MODEL, vlm:hf-inference:MODEL, vlm:transformers:MODEL or vlm:observer"

    def __init__(
        self, model: Model, /, *, policy: str = "strict", self_test: Annotated[bool, RuntimeOption] = True
    ) -> None:
        # A paper's rule may be for digits that people typed: geckonum takes the o of "No" for a 0.
        if policy not in POLICIES:
            raise UnknownNameError("policy", policy, POLICIES)
        super().__init__(model, self_test=self_test)
        self.rule = policy


class Parts(InWords):
    """Ask an image-to-text model about each part that a suite asks about, never about the whole: these are joined."""

    name = "parts"
    instead = "parts:openai:MODEL, parts:hf-inference:MODEL or parts:transformers:MODEL"

    def _can_ask(self, question: Question) -> bool:
        return super()._can_ask(question) and not isinstance(question, MatchesPrompt)


def phrase(inquiry: JudgeQuestion, prompt: str | None) -> str:
    """Put a question as it is sent: with what there is to choose from, and what form the answer should have.

    Only where the question is about the prompt does the prompt stand in it: an informed question that says all it is
    about ("exactly 3 apples?") needs no more of what the answer should be.
    """
    wording = inquiry.wording
    match inquiry.question:
        case Count():
            return f"{wording} Answer with a number."
        case Confirm():
            return f"{wording} Answer yes or no."
        case MatchesPrompt() if prompt is None:
            raise ValueError("whether a picture matches its prompt can be asked only where there is a prompt")
        case MatchesPrompt():
            return f'The picture was asked for in these words: "{prompt}"\n{wording} Answer yes or no.'
        case Choose(lines=lines):
            lettered = (f"({letter}) {line}" for letter, line in zip(ascii_lowercase, lines, strict=False))
            return "\n".join([wording, *lettered, "Answer with the letter of the line."])
    return wording
