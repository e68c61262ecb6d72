"""The words of T2ICountBench: what its objects are called, where they stand, and in which style.

Source: Guo et al. (2025), sections 3.2 and 5.1, appendix C and the prompts printed over Figures 6 to 11. What the paper
does not print is ours and is marked so; docs/t2icountbench.md lists it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


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

OBJECTS: dict[str, Thing] = {
    "apple": Thing("fruit", Words("apple", "apples", "apple")),
    "watermelon": Thing("fruit", Words("watermelon", "watermelons", "watermelon")),
    "human": Thing(
        "human",
        Words("human", "humans", "person"),
        {"nature": Words("human traveler", "human travelers", "person")},
    ),
    "cat": Thing("animal", Words("cat", "cats", "cat")),
    "triangle": Thing("shape", Words("triangle", "triangles", "triangle")),
    "chair": Thing("furniture", Words("chair", "chairs", "chair")),
    "plant": Thing(
        "plant",
        Words("tree", "trees", "tree"),
        {HOME: Words("flower", "flowers", "flower", opening="a flower pot with ")},
    ),
}

DEFAULT = "default"
"""Stands among a scene's places for the one of all objects that have none of their own."""

SCENES: dict[str, Mapping[str, str]] = {
    HOME: {
        "apple": "on a wooden table",
        "watermelon": "on a wooden table",
        "human": "on a wooden floor",
        "cat": "on a wooden floor",
        "triangle": "on a painting on a wall",
        "chair": "on a wooden floor",
        "plant": "on a wooden table",
        DEFAULT: "on a wooden table",
    },
    "nature": {
        "apple": "on an apple tree in a grassland",
        "watermelon": "in a farmland",
        "human": "in a valley",
        "cat": "in a temperate grassland",
        "triangle": "on the earthy surface",
        "chair": "in a garden",
        "plant": "in a valley",
        DEFAULT: "in a garden",
    },
    "city": {
        "apple": "on an apple tree in a city garden",
        "watermelon": "in a city market",  # ours
        "human": "in a city central business district",
        "cat": "in an office",
        "triangle": "on a city billboard",  # ours
        "chair": "in a bus station",
        "plant": "alongside a city's main road",
        DEFAULT: "in a city garden",
    },
}
"""Where the objects stand; what stands under "default" is for a user's own objects."""

STYLES: dict[str, str] = {
    PLAIN: "",
    "watercolor": "in a watercolor style",
    "cartoon": "in a cartoon style",
}


def write_prompt(words: Words, number: int, place: str, style: str) -> str:
    """Fill the paper's template: the number of the object, in or on the scene, in the style."""
    before, after = surround(words, place, style)
    return f"{before}{words.counted(number)}{after}"


def surround(words: Words, place: str, style: str) -> tuple[str, str]:
    """What the template says before and after the number of the object."""
    return f"Generate {words.opening}", f"{''.join(f' {said}' for said in (place, style) if said)}."
