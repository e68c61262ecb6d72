"""Asks a model, yes or no, all that a prompt's scene graph gives rise to (in the manner of Cho et al. 2024)."""

from collections.abc import Sequence

from subitize.judges.vlm import InWords
from subitize.language.graph import Node, read_graph
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.records import Ask, Confirm, Draw, Item, Question
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.glyphs import GLYPHS

NOUNS = tuple(dict.fromkeys((*GLYPHS, *COCO_CLASSES)))
"""What a prompt may speak of: the things we draw, and those of COCO."""


def graph_of(item: Item) -> tuple[Node, ...]:
    """Make the scene graph of what an item asks to be drawn; nothing where it is not understood."""
    return read_graph(item.task.prompt, NOUNS, COLOUR_NAMES) if isinstance(item.task, Draw) else ()


class Dsg(InWords):
    """Ask an image-to-text model every yes-or-no question of a prompt's scene graph; `subitize align` scores it."""

    name = "dsg"
    instead = "dsg:openai:MODEL, dsg:hf-inference:MODEL or dsg:transformers:MODEL"
    counts = False
    asks_about = "drawings of prompts that it can make a scene graph of"

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask all that the prompt says; nothing where it is not understood."""
        return [node.ask for node in graph_of(item)]

    def _can_ask(self, question: Question) -> bool:
        return isinstance(question, Confirm)
