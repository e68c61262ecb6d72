"""Asks a model, yes or no, all that a prompt's scene graph gives rise to (in the manner of Cho et al. 2024)."""

from collections.abc import Sequence
from typing import Annotated

from subitize.interfaces import Handling, Judge, Model
from subitize.judges.asking import ask_through
from subitize.judges.vlm import InWords
from subitize.networks.detectors.coco import COCO_CLASSES
from subitize.records import Ask, Confirm, Draw, Item, Question
from subitize.scenes.graph import Node, read_graph
from subitize.vision.colours import COLOUR_NAMES
from subitize.vision.recognition import KINDS

NOUNS = tuple(dict.fromkeys((*KINDS, *COCO_CLASSES)))
"""What a prompt may speak of: the things we draw, and those of COCO."""


def make_dsg(model: Model, /, *, self_test: Annotated[bool, Handling] = True) -> Judge:
    """Ask an image-to-text model every yes-or-no question of a prompt's scene graph; `subitize align` scores it."""
    instead = "dsg:openai:MODEL, dsg:hf-inference:MODEL or dsg:transformers:MODEL"
    return ask_through(model, ByGraph(is_tested=self_test), "dsg", instead)


def graph_of(item: Item) -> tuple[Node, ...]:
    """Make the scene graph of what an item asks to be drawn; nothing where it is not understood."""
    return read_graph(item.task.prompt, NOUNS, COLOUR_NAMES) if isinstance(item.task, Draw) else ()


class ByGraph(InWords):
    """Asks the questions of the scene graph, in words."""

    counts = False
    asks_about = "drawings of prompts that it can make a scene graph of"

    def can_answer(self, question: Question, /) -> bool:
        """Tell whether it is a question of yes or no."""
        return isinstance(question, Confirm)

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask all that the prompt says; nothing where it is not understood."""
        return [node.ask for node in graph_of(item)]
