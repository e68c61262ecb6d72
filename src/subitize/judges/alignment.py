"""Judges of how well a drawing fits its whole prompt: by scene-graph questions, or by a model's score.

`Dsg` asks every yes-or-no question of the prompt's scene graph, in the manner of Cho et al. (2024). `FitJudge` takes
a score: VQAScore, an image-text matching head, or a similarity."""

from collections.abc import Sequence

from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, Reply, SelfTest
from subitize.judges.asking import InWords, ModelJudge, shown_picture
from subitize.judges.self_tests import ComputeFindings, check_scores
from subitize.language.clauses import read_graph
from subitize.language.questions import Node
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.records import Ask, Confirm, Draw, Fit, Item, Match, Measured, Question, Refused, Scored
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.glyphs import GLYPHS

NOUNS = tuple(dict.fromkeys((*GLYPHS, *COCO_CLASSES)))
"""The things a prompt may mention: those we draw, and COCO's classes."""


def graph_of(item: Item) -> tuple[Node, ...]:
    """Make the scene graph of an item's prompt; empty if it is not understood."""
    return read_graph(item.task.prompt, NOUNS, COLOUR_NAMES) if isinstance(item.task, Draw) else ()


class Dsg(InWords):
    """Ask an image-to-text model every yes-or-no question of a prompt's scene graph; `score --alignment` scores it."""

    name = "dsg"
    instead = "dsg:openai:MODEL, dsg:hf-inference:MODEL or dsg:transformers:MODEL"
    counts = False
    asks_about = "drawings of prompts that it can make a scene graph of"

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask everything the prompt says; nothing if it is not understood."""
        return [node.ask for node in graph_of(item)]

    def _can_ask(self, question: Question) -> bool:
        return isinstance(question, Confirm)


FIT_QUESTION = "How well does the image fit the text?"
ASKS_ABOUT = "drawings of prompts"


def fit_asks(item: Item) -> tuple[Ask, ...]:
    """Ask how well a drawing fits its prompt; there is no right score."""
    return (Ask(Fit(item.task.prompt), FIT_QUESTION, ()),) if isinstance(item.task, Draw) else ()


class FitJudge(ModelJudge):
    """Ask a model that scores texts how well each drawing fits its prompt; of a chat model it is VQAScore."""

    name = "fit"
    task = "match"
    instead = "fit:transformers:MODEL_OR_FOLDER"
    asks_about = ASKS_ABOUT

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)

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

    def _self_test(self, compute: ComputeFindings) -> SelfTest:
        """Have photographs of known things scored."""
        return check_scores(compute)
