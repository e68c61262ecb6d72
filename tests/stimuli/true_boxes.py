"""Where the things of a stimulus are, told by what is drawn."""

import numpy as np

from subitize.records import Box, Stimulus
from subitize.stimuli import recipes
from subitize.stimuli.glyphs import outline
from subitize.stimuli.recipes import sprites


def true_boxes(stimulus: Stimulus) -> list[Box]:
    """Give the box of every thing in a recipe's picture, tight around what is drawn."""
    items = recipes.layout(stimulus).items
    boxes = []
    for item, sprite in zip(items, sprites(items), strict=True):
        reach = np.add(outline(np.asarray(sprite.getchannel("A"))), (item.left, item.top))
        (left, top), (right, bottom) = reach.min(axis=0).tolist(), reach.max(axis=0).tolist()
        boxes.append(Box(item.noun, 1.0, (float(left), float(top), float(right), float(bottom)), item.colour))
    return boxes
