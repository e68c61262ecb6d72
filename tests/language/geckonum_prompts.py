"""GeckoNum's released prompts of the types whose entities are numbers, and the scenes that its columns name."""

import csv
from pathlib import Path

from subitize.language.scene import Entity, Relation, Scene
from subitize.records import RelationWord

# The types whose entities are numbers, with or without colours and one relation, and how many prompts each has.
PROMPTS = {
    "numeric_simple": 600,
    "2-additive": 100,
    "3-additive": 100,
    "numeric_sentence": 100,
    "attribute-color": 160,
    "2-additive-color": 100,
    "attribute-spatial": 100,
}


def read_rows(shared_data: Path) -> list[dict[str, str]]:
    """All rows of the release, of whatever type."""
    with (shared_data / "geckonum" / "prompts.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scene_of(row: dict[str, str]) -> Scene:
    """The scene that the row's columns name, not its text."""
    entities = []
    for entity in row["entities"].split(","):
        name, _, number = entity.strip().partition(":")
        colour, _, noun = name.partition(" ") if "color" in row["prompt_type"] else ("", "", name)
        entities.append(Entity(noun, int(number), colour or None))
    return Scene(tuple(entities), _relations(row["prompt"]))


def _relations(prompt: str) -> tuple[Relation, ...]:
    words: tuple[RelationWord, ...] = ("above", "below", "left of", "right of")
    return tuple(Relation(0, word, 1) for word in words if f" {word} " in prompt)
