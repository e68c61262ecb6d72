"""Where a thing is drawn that lies on top of or under another, or stands behind it or in front of it."""

from dataclasses import replace
from typing import get_args

import numpy as np

from subitize.drawing.painting import Placed
from subitize.drawing.placement import Field, gap_px
from subitize.drawing.silhouettes import silhouette
from subitize.language.scene import ContactWord, Scene

CONTACTS: tuple[ContactWord, ...] = get_args(ContactWord)
_MIDDLE = (0.28, 0.72)  # in shares of the picture: so that there is room for the other thing around it
_ASIDE = 0.45  # in shares of the landmark's side: what is hidden can still be told
_DEEPER = 0.3  # in shares of the landmark's side: what is nearer reaches lower


def find_contacts(scene: Scene) -> dict[int, tuple[ContactWord, int]]:
    """Tell how entities of one thing touch or hide others of one; of several they stand anywhere."""
    found: dict[int, tuple[ContactWord, int]] = {}
    for relation in scene.relations:
        are_single = all(scene.entities[index].number == 1 for index in (relation.subject, relation.landmark))
        for word in CONTACTS:
            if relation.word == word and are_single and relation.landmark not in found:
                found[relation.subject] = word, relation.landmark
    return found


def middle_field(size_px: int) -> Field:
    """Give what others touch or hide the middle of the picture."""
    low, high = (share * size_px for share in _MIDDLE)
    return Field(low, low, high, high)


def put_in_contact(
    thing: Placed, word: ContactWord, landmark: Placed, size_px: int, random: np.random.Generator
) -> Placed:
    """Move a thing onto or under a landmark, or partly behind or before it."""
    own, other = _extent(thing), _extent(landmark)
    left = landmark.left + (other[0] + other[2]) / 2 - (own[0] + own[2]) / 2
    if word == "on top of":
        return replace(thing, left=round(left), top=round(landmark.top + other[1] - gap_px(size_px) - own[3]))
    if word == "under":
        return replace(thing, left=round(left), top=round(landmark.top + other[3] + gap_px(size_px) - own[1]))
    aside = _ASIDE * landmark.side_px * (1 if random.random() < 0.5 else -1)
    deeper = _DEEPER * landmark.side_px * (1 if word == "in front of" else -1)
    return replace(thing, left=round(left + aside), top=round(landmark.top + other[3] - own[3] + deeper))


def _extent(thing: Placed) -> tuple[float, float, float, float]:
    """Tell how far a drawing reaches within its square: left, top, right, bottom, in pixels."""
    left, top, right, bottom = (edge * thing.side_px for edge in silhouette(thing.noun, thing.variant).extent)
    return left, top, right, bottom
