"""What a prompt says, as a scene of entities and relations, and the questions that follow from it."""

from importlib import import_module
from typing import TYPE_CHECKING

from subitize.scenes.asks import count_asks
from subitize.scenes.confirmations import IMAGE_ASK, confirm_asks, setting_asks
from subitize.scenes.exact_numbers import settle
from subitize.scenes.lines import LINES_WORDING, MOST_FEW, line_asks, line_codes
from subitize.scenes.places import Places, Ranks, find_places
from subitize.scenes.scene import (
    MOST_THINGS,
    Comparison,
    ComparisonWord,
    ContactWord,
    Entity,
    Form,
    Halves,
    HoldingWord,
    NotUnderstood,
    Pieces,
    Portion,
    Quantifier,
    Relation,
    Scene,
    Whole,
)

if TYPE_CHECKING:
    from subitize.scenes.questions import scene_asks
    from subitize.scenes.reading import read_scene

__all__ = [
    "IMAGE_ASK",
    "LINES_WORDING",
    "MOST_FEW",
    "MOST_THINGS",
    "Comparison",
    "ComparisonWord",
    "ContactWord",
    "Entity",
    "Form",
    "Halves",
    "HoldingWord",
    "NotUnderstood",
    "Pieces",
    "Places",
    "Portion",
    "Quantifier",
    "Ranks",
    "Relation",
    "Scene",
    "Whole",
    "confirm_asks",
    "count_asks",
    "find_places",
    "line_asks",
    "line_codes",
    "read_scene",
    "scene_asks",
    "setting_asks",
    "settle",
]

_GRAMMAR = {"read_scene": "subitize.scenes.reading", "scene_asks": "subitize.scenes.questions"}


def __getattr__(name: str) -> object:
    """Import the grammar when a prompt is read: that takes as long as reading some hundred of them."""
    if name in _GRAMMAR:
        return getattr(import_module(_GRAMMAR[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
