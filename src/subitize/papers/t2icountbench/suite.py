"""T2ICountBench as a suite: 525 prompts, four images each, of which one must have the right number of things."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from subitize.errors import BadFileError, BadValueError
from subitize.language.counted import CountedPhrase
from subitize.language.nouns import plural
from subitize.language.numbers import in_words
from subitize.language.scene import MOST_THINGS
from subitize.papers.t2icountbench.conditions_file import Conditions, read_conditions
from subitize.papers.t2icountbench.orders import order_cells
from subitize.papers.t2icountbench.wording import (
    DEFAULT,
    HOME,
    NUMBERS,
    OBJECTS,
    PLAIN,
    SCENES,
    STYLES,
    Words,
    surround,
    write_prompt,
)
from subitize.records import Ask, Count, Draw, Item, MatchesPrompt
from subitize.suites.checks import AskedOnce, check_known

NAME = "t2icountbench"
GROUP = 4
"""How many images are made of a prompt and voted on together (section 3.3)."""

DIFFICULTIES = {"easy": 5, "medium": 10, "hard": 15}
"""The levels of difficulty, each with its highest number (section 4.2)."""

BEYOND = "beyond"
"""The level of numbers above the paper's; ours."""


class T2ICountBench(AskedOnce):
    """Draw 1 to 15 of seven objects in three scenes and three styles, each prompt 4 times (T2ICountBench).

    Scenes vary in plain style and styles at home, as in the paper; `cross` puts every scene into every style. An
    option that is not given takes in what the file of conditions adds.

    Args:
        objects: which objects
        scenes: which scenes
        styles: which styles
        cross: every scene in every style
        conditions: TOML file with objects, scenes, styles and numbers of your own
    """

    title = "T2ICountBench"
    judge = "observer"
    repeats = GROUP
    strata: tuple[str, ...] = ("scene", "style", "number")

    def __init__(
        self,
        *,
        numbers: Annotated[tuple[int, ...], f"{NUMBERS[0]}-{NUMBERS[-1]}"] = (),
        objects: Annotated[tuple[str, ...], "+".join(OBJECTS)] = (),
        scenes: Annotated[tuple[str, ...], "+".join(SCENES)] = (),
        styles: Annotated[tuple[str, ...], "+".join(STYLES)] = (),
        cross: bool = False,
        conditions: str = "",
    ) -> None:
        own = read_conditions(Path(conditions)) if conditions else Conditions()
        self._things = OBJECTS | {name: one.thing() for name, one in own.objects.items()}
        self._scenes = SCENES | {name: {**SCENES.get(name, {}), **places} for name, places in own.scenes.items()}
        self._styles = STYLES | dict(own.styles)
        self._numbers = numbers or own.numbers or NUMBERS
        self._objects = _choose("object", objects, self._things)
        own_scenes, own_styles = _choose("scene", scenes, self._scenes), _choose("style", styles, self._styles)
        # As in the paper scene or style varies, not both at a time.
        self._conditions = [
            (scene, style) for style in own_styles for scene in own_scenes if cross or scene == HOME or style == PLAIN
        ]
        for number in self._numbers:
            if not 1 <= number <= MOST_THINGS:
                raise BadValueError(f"suite {NAME!r}: numbers={number}: should be from 1 to {MOST_THINGS}")
        _check_used("scene", scenes, [scene for scene, _ in self._conditions])
        _check_used("style", styles, [style for _, style in self._conditions])
        for scene in {scene for scene, _ in self._conditions}:
            _check_worded(Path(conditions), scene, self._scenes[scene], self._objects)

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the prompts, conditions and numbers mixed; the seed changes nothing, as the prompts are fixed."""
        for name, (scene, style), number in order_cells(self._objects, self._conditions, self._numbers):
            words = self._things[name].words_in(scene)
            yield Item(
                f"{NAME}/{name}/{scene}/{style}/{number}",
                Draw(write_prompt(words, number, self._place(name, scene), self._styles[style])),
                _asks(words, number),
                {
                    "category": self._things[name].category,
                    "object": name,
                    "scene": scene,
                    "style": style,
                    "number": number,
                    "difficulty": describe_difficulty(number),
                },
            )

    def find_counted(self, item: Item) -> CountedPhrase | None:
        """Take the prompt of an own item apart, as it was put together."""
        parts = item.id.split("/")
        if len(parts) != 5 or not isinstance(item.task, Draw):
            return None
        _, name, scene, style, number = parts
        is_known = name in self._things and scene in self._scenes and style in self._styles and number.isdecimal()
        if not is_known or not (name in self._scenes[scene] or DEFAULT in self._scenes[scene]):
            return None
        words = self._things[name].words_in(scene)
        before, after = surround(words, self._place(name, scene), self._styles[style])
        if item.task.prompt != f"{before}{words.counted(int(number))}{after}":
            return None
        forms = words.singular, words.plural
        return CountedPhrase(item.id, item.task.prompt, before, int(number), *forms, "digits", after)

    def _place(self, name: str, scene: str) -> str:
        places = self._scenes[scene]
        return places.get(name) or places[DEFAULT]


def describe_difficulty(number: int) -> str:
    """Tell the level of difficulty of a number."""
    return next((level for level, highest in DIFFICULTIES.items() if number <= highest), BEYOND)


def _choose(kind: str, names: tuple[str, ...], known: Mapping[str, object]) -> list[str]:
    """Take what is named, or all there is, own ones too, where nothing is."""
    check_known(kind, names, known)
    return list(names or known)


def _check_used(kind: str, names: tuple[str, ...], used: Collection[str]) -> None:
    """Refuse a scene or style that was asked for and is in no condition; so there is always something left."""
    for name in names:
        if name not in used:
            raise BadValueError(
                f"suite {NAME!r}: no prompt is left for {kind} {name!r}: scenes vary in style {PLAIN!r} and styles in "
                f"scene {HOME!r}; add {PLAIN if kind == 'scene' else HOME} to the other option, or cross=true"
            )


def _check_worded(file: Path, scene: str, places: Mapping[str, str], objects: Iterable[str]) -> None:
    for name in objects:
        if name not in places and DEFAULT not in places:
            raise BadFileError(f"{file.name}: scenes.{scene}: no place for {name!r}; add {name} or {DEFAULT} to it")


def _asks(words: Words, number: int) -> tuple[Ask, ...]:
    """Ask how many there are in each image; and, as the paper does, whether one of the four has so many."""
    nouns = words.plural if words.noun == words.singular else plural(words.noun)
    images = f"these {in_words(GROUP)} images"
    return (
        Ask(Count(words.noun), f"How many {nouns} are in the image?", (number,)),
        Ask(
            MatchesPrompt(),
            f"Does at least one of {images} show exactly {words.counted(number)}?",
            (True,),
            group=GROUP,
        ),
    )
