"""Which line describes it? The question about quantities that are left open, as GeckoNum puts it in its second task."""

from typing import get_args

from subitize.numerals import article
from subitize.records import Ask, Choose, Count
from subitize.scenes.names import spoken, spoken_plural
from subitize.scenes.scene import MOST_THINGS, Comparison, ComparisonWord, Quantifier, Relation, Scene

MOST_FEW = 10
"""People call up to ten of something a few, and more than ten many (Figure A16 of the paper)."""

LINES_WORDING = "Which line describes the image the best?"
_QUANTITIES: dict[int | Quantifier, str] = {0: "no", "few": "only a few", "many": "many"}
_COMPARISONS: dict[ComparisonWord, str] = {
    "fewer": "fewer {ones} than {others}",
    "as many": "as many {ones} as {others}",
    "more": "more {ones} than {others}",
}
_CODES = {3: (0, 2, 3), 5: (0, 1, 2, 3, 4)}


def line_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask which line describes the scene; of things that a place holds also how many, which does not count."""
    if scene.comparisons:
        return (_comparison_ask(scene, scene.comparisons[0]),)
    holding = next((relation for relation in scene.relations if relation.word in ("in", "on")), None)
    if holding is None:
        raise ValueError("a scene without comparison or things that a place holds has no lines to choose from")
    return _holding_asks(scene, holding)


def line_codes(question: Choose) -> tuple[int, ...]:
    """The number that GeckoNum's release has for each line: "only a few" is 2 and "many" 3, whatever its paper says."""
    return _CODES[len(question.lines)]


def _comparison_ask(scene: Scene, comparison: Comparison) -> Ask:
    ones, others = (spoken_plural(scene.entities[of].noun) for of in (comparison.subject, comparison.other))
    lines = (
        f"An image with no {ones} and with no {others}.",
        f"An image with some {ones} or some {others}, but not with both {ones} and {others}.",
        *(
            f"An image with some {ones} and some {others}. There are {pattern.format(ones=ones, others=others)}."
            for pattern in _COMPARISONS.values()
        ),
    )
    return Ask(Choose(lines), LINES_WORDING, (2 + get_args(ComparisonWord).index(comparison.word),))


def _holding_asks(scene: Scene, holding: Relation) -> tuple[Ask, ...]:
    thing, place = scene.entities[holding.subject], spoken(scene.entities[holding.landmark].noun)
    things = spoken_plural(thing.noun)
    opening = f"An image of {article(place)} {place}."
    lines = tuple(f"{opening} There are {word} {things} {holding.word} the {place}." for word in _QUANTITIES.values())
    numbers = {0: (0,), "few": tuple(range(1, MOST_FEW + 1)), "many": tuple(range(MOST_FEW + 1, MOST_THINGS + 1))}
    return (
        Ask(Choose(lines), LINES_WORDING, (list(_QUANTITIES).index(thing.number),)),
        Ask(Count(thing.noun), f"How many {things} are in the image?", numbers[thing.number], is_relevant=False),
    )
