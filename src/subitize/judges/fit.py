"""Has a model score how well a drawing fits its whole prompt: VQAScore, ITM heads, any model that matches."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from subitize.interfaces import Exhibit, Finding, Handling, Judge, Model, Proof, Reply
from subitize.judges.asking import ask_through, shown_picture
from subitize.judges.proving import NOT_TESTED, Look, prove_scores
from subitize.records import Ask, Draw, Fit, Item, Match, Measured, Question, Refused, Scored, TaskKind

WORDING = "How well does the image fit the text?"
ASKS_ABOUT = "drawings of prompts"


def make_fit(model: Model, /, *, self_test: Annotated[bool, Handling] = True) -> Judge:
    """Ask a model that scores texts how well each drawing fits its prompt; of a chat model it is VQAScore."""
    return ask_through(model, ByScore(is_tested=self_test), "fit", "fit:transformers:MODEL_OR_FOLDER")


def fit_asks(item: Item) -> tuple[Ask, ...]:
    """Ask how well a drawing fits what was asked for; no score is the right one."""
    return (Ask(Fit(item.task.prompt), WORDING, ()),) if isinstance(item.task, Draw) else ()


class ByScore:
    """Takes the score that a model gives the text as evidence."""

    task: TaskKind = "match"
    rule = "strict"
    asks_about = ASKS_ABOUT

    def __init__(self, *, is_tested: bool = True) -> None:
        self._is_tested = is_tested

    def can_answer(self, question: Question, /) -> bool:
        """Tell whether the question is for a score."""
        return isinstance(question, Fit)

    def put(self, exhibit: Exhibit, /) -> Iterator[Match]:
        """Put the questions as tasks of the model, in their order."""
        for inquiry in exhibit.inquiries:
            if not isinstance(inquiry.question, Fit):
                raise TypeError(f"a score does not answer {inquiry.question.id!r}")
            yield Match(shown_picture(exhibit), inquiry.question.text)

    def find(self, reply: Reply, /) -> Finding:
        """Take the score named match."""
        match reply.content:
            case Scored(scores=scores) if "match" in scores:
                return Finding(Measured(float(scores["match"])), reply.provenance, reply.usage)
            case Refused(reason=reason):
                raise ValueError(f"the model refused to score the text: {reason}")
        raise ValueError(f"the model gave {reply.content!r:.80} where a score named match was asked for")

    def prove(self, look: Look, /) -> Proof:
        """Have photographs of known things scored."""
        return prove_scores(look) if self._is_tested else NOT_TESTED

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)
