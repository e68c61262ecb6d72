"""The boxes that count: enough score, not suppressed, of the noun, colour and place asked for."""

from collections.abc import Sequence
from itertools import compress

from subitize.labels.rules import Rule
from subitize.records import Box, Count, RelationWord
from subitize.stats.boxes import Detections


def counted_boxes(boxes: Sequence[Box], question: Count, rule: Rule) -> list[Box]:
    """Find the boxes that answer a question: of enough score, not suppressed, of the noun, colour and place.

    The best come first. A box is suppressed by better ones only, so that low scores may be left out before or after.
    """
    things = [box for box in _kept(boxes, question.noun, rule) if question.colour in (None, box.colour)]
    if question.place is None:
        return things
    relation = question.place.relation
    landmarks = _kept(boxes, question.place.landmark, rule)
    return [box for box in things if _stands(box, relation, landmarks)]


def _kept(boxes: Sequence[Box], label: str, rule: Rule) -> list[Box]:
    """Find what is left of one label: none is suppressed by another's, but one of any colour by any of its label."""
    least = rule.threshold or 0.0
    found = sorted((box for box in boxes if box.label == label and box.score >= least), key=lambda box: -box.score)
    if rule.iou is None or rule.iou >= 1:
        return found
    return list(compress(found, Detections.of(found).unsuppressed(rule.iou)))


def _stands(box: Box, relation: RelationWord, landmarks: Sequence[Box]) -> bool:
    """Tell whether a thing's centre is on that side of all the landmarks' centres; without any it is on no side."""
    axis = 0 if relation in ("left of", "right of") else 1
    sign = 1 if relation in ("left of", "above") else -1
    return bool(landmarks) and all(sign * _centre(box)[axis] < sign * _centre(other)[axis] for other in landmarks)


def _centre(box: Box) -> tuple[float, float]:
    left, top, right, bottom = box.xyxy
    return (left + right) / 2, (top + bottom) / 2
