"""What a prompt says, as a scene of entities and relations, and the questions that follow from it."""

from subitize.scenes.asks import count_asks
from subitize.scenes.confirmations import IMAGE_ASK, confirm_asks, setting_asks
from subitize.scenes.drafts import MOST_THINGS
from subitize.scenes.lines import LINES_WORDING, MOST_FEW, line_asks, line_codes
from subitize.scenes.places import Places, Ranks, find_places
from subitize.scenes.questions import scene_asks
from subitize.scenes.reading import read_scene
from subitize.scenes.scene import (
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
from subitize.scenes.settling import settle

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
