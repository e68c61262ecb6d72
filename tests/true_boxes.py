"""Where the things of a stimulus are, told by what is drawn."""

import numpy as np

from subitize.drawing import stimuli
from subitize.drawing.painting import sprites
from subitize.drawing.silhouettes import outline
from subitize.records import Box, Stimulus


def true_boxes(stimulus: Stimulus) -> list[Box]:
    """Give the box of every thing in a recipe's picture, tight around what is drawn."""
    items = stimuli.layout(stimulus).items
    boxes = []
    for item, sprite in zip(items, sprites(items), strict=True):
        reach = np.add(outline(np.asarray(sprite.getchannel("A"))), (item.left, item.top))
        (left, top), (right, bottom) = reach.min(axis=0).tolist(), reach.max(axis=0).tolist()
        boxes.append(Box(item.noun, 1.0, (float(left), float(top), float(right), float(bottom)), item.colour))
    return boxes
