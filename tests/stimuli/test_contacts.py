"""Things on top of, under, behind and in front of others: where they are drawn, and in which order."""

from typing import get_args

import pytest

from subitize.language.scene import ContactWord, Entity, Relation, Scene
from subitize.stimuli.compositions import compose, find_contacts
from subitize.stimuli.glyphs import sprite
from subitize.stimuli.recipes import PlacedThing

SIZE_PX = 256
PAIRS = [("cat", "car"), ("book", "chair"), ("spoon", "pizza"), ("tree", "table")]


def extent(item: PlacedThing) -> tuple[float, float, float, float]:
    """How far a thing reaches in the picture, by its pixels."""
    alpha = sprite(item.noun, item.variant, "black", 256).getchannel("A")
    box = alpha.point([255 * (value >= 128) for value in range(256)]).getbbox()
    assert box is not None
    left, top, right, bottom = (edge / 256 * item.side_px for edge in box)
    return item.left + left, item.top + top, item.left + right, item.top + bottom


def scene(thing: str, word: ContactWord, landmark: str, *, number: int = 1) -> Scene:
    return Scene((Entity(thing, number), Entity(landmark, 1)), (Relation(0, word, 1),))


@pytest.mark.parametrize("word", get_args(ContactWord))
def test_things_touch_or_hide_one_another_within_the_picture(word: ContactWord) -> None:
    for thing, landmark in PAIRS:
        for seed in range(5):
            items = compose(scene(thing, word, landmark), seed, SIZE_PX).items
            one, other = (next(item for item in items if item.noun == noun) for noun in (thing, landmark))
            (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = extent(one), extent(other)
            assert min(left, top) >= 0
            assert max(right, bottom) <= SIZE_PX
            assert min(right, other_right) > max(left, other_left)
            match word:
                case "on top of":
                    assert 0 < other_top - bottom < 0.05 * SIZE_PX
                case "under":
                    assert 0 < top - other_bottom < 0.05 * SIZE_PX
                case "behind":
                    assert items[0] == one
                    assert top < other_bottom
                    assert bottom < other_bottom
                case "in front of":
                    assert items[0] == other
                    assert top < other_bottom < bottom


def test_of_several_things_none_touches_another() -> None:
    assert not find_contacts(scene("cat", "behind", "car", number=2))
    assert len(compose(scene("cat", "behind", "car", number=2), 1, SIZE_PX).items) == 3
