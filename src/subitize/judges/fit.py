"""Has a model score how well a drawing fits its whole prompt: VQAScore, ITM heads, any model that matches."""

from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, Reply, SelfTest
from subitize.judges.asking import ModelJudge, shown_picture
from subitize.judges.self_tests import Look, check_scores
from subitize.records import Ask, Draw, Fit, Item, Match, Measured, Question, Refused, Scored

WORDING = "How well does the image fit the text?"
ASKS_ABOUT = "drawings of prompts"


def fit_asks(item: Item) -> tuple[Ask, ...]:
    """Ask how well a drawing fits what was asked for; no score is the right one."""
    return (Ask(Fit(item.task.prompt), WORDING, ()),) if isinstance(item.task, Draw) else ()


class FitJudge(ModelJudge):
    """Ask a model that scores texts how well each drawing fits its prompt; of a chat model it is VQAScore."""

    name = "fit"
    task = "match"
    instead = "fit:transformers:MODEL_OR_FOLDER"
    asks_about = ASKS_ABOUT
    asks = staticmethod(fit_asks)

    def _can_ask(self, question: Question) -> bool:
        return isinstance(question, Fit)

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> Match:
        if not isinstance(inquiry.question, Fit):
            raise TypeError(f"a score does not answer {inquiry.question.id!r}")
        return Match(shown_picture(exhibit), inquiry.question.text)

    def _find(self, reply: Reply) -> Finding:
        """Take the score named match."""
        match reply.content:
            case Scored(scores=scores) if "match" in scores:
                return Finding(Measured(float(scores["match"])), reply.provenance, reply.usage)
            case Refused(reason=reason):
                raise ValueError(f"the model refused to score the text: {reason}")
        raise ValueError(f"the model gave {reply.content!r:.80} where a score named match was asked for")

    def _self_test(self, look: Look) -> SelfTest:
        """Have photographs of known things scored."""
        return check_scores(look)
