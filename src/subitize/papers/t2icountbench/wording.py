"""The words of T2ICountBench: what its objects are called, where they stand, and in which style (wording.toml)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Words:
    """What a prompt calls an object, and the noun, in the singular, that is counted in the picture."""

    singular: str
    plural: str
    noun: str
    opening: str = ""
    """What comes before the number."""

    def counted(self, number: int) -> str:
        """Write so many of them: "1 apple", "7 apples"."""
        return f"{number} {self.singular if number == 1 else self.plural}"


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of the benchmark; in some scenes it is called, or is, something else."""

    category: str
    words: Words
    words_by_scene: Mapping[str, Words] = field(default_factory=dict)

    def words_in(self, scene: str) -> Words:
        """Take the words for a scene."""
        return self.words_by_scene.get(scene, self.words)


HOME, PLAIN = "home", "plain"
"""The scene in which styles vary, and the style in which scenes vary."""

NUMBERS = tuple(range(1, 16))

DEFAULT = "default"
"""Stands among a scene's places for the one of all objects that have none of their own."""

_PUBLISHED = tomllib.loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))
SCENES: dict[str, Mapping[str, str]] = _PUBLISHED["scenes"]
STYLES: dict[str, str] = _PUBLISHED["styles"]


def _read_object(name: str, category: str, words: Mapping[str, str]) -> Thing:
    in_scenes = _PUBLISHED["words_by_scene"].get(name, {})
    return Thing(category, Words(**words), {scene: Words(**other) for scene, other in in_scenes.items()})


OBJECTS: dict[str, Thing] = {name: _read_object(name, **one) for name, one in _PUBLISHED["objects"].items()}


def write_prompt(words: Words, number: int, place: str, style: str) -> str:
    """Fill the paper's template: the number of the object, in or on the scene, in the style."""
    before, after = surround(words, place, style)
    return f"{before}{words.counted(number)}{after}"


def surround(words: Words, place: str, style: str) -> tuple[str, str]:
    """What the template says before and after the number of the object."""
    return f"Generate {words.opening}", f"{''.join(f' {said}' for said in (place, style) if said)}."
