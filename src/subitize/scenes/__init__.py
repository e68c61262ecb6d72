"""What a prompt says, as a scene of entities and relations, and the questions that follow from it."""

from subitize.scenes.asks import confirm_asks, count_asks
from subitize.scenes.drafts import MOST_THINGS
from subitize.scenes.places import Places, Ranks, find_places
from subitize.scenes.reading import NotUnderstood, read_scene
from subitize.scenes.scene import Entity, Relation, Scene

__all__ = [
    "MOST_THINGS",
    "Entity",
    "NotUnderstood",
    "Places",
    "Ranks",
    "Relation",
    "Scene",
    "confirm_asks",
    "count_asks",
    "find_places",
    "read_scene",
]
