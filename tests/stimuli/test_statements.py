"""Scenes hold of what is seen: numbers, quantifiers, comparisons, forms, colours and places."""

from fractions import Fraction

import pytest

from subitize.language.scene import Comparison, Entity, Form, Halves, Pieces, Portion, Relation, Scene, Whole
from subitize.stimuli.observing import SceneView, SeenThing, holds
from tests.cases import Case

HALF = Portion(Fraction(1, 2))


def thing(
    kind: str, *, x: float = 0, colours: tuple[str, ...] = ("red",), form: Form | None = None, holder: int | None = None
) -> SeenThing:
    return SeenThing(kind, 1.0, (x, 0, x + 10, 10), colours, form or Whole(), holder)


def forks(whole: int, broken: int) -> SceneView:
    pieces = Pieces(2, (1, 1))
    return SceneView((*[thing("fork")] * whole, *[thing("fork", form=pieces)] * broken))


def cake(candles: int) -> SceneView:
    return SceneView((thing("cake"), *[thing("candle", holder=0)] * candles))


def candles(number: object) -> Scene:
    return Scene((Entity("candle", number), Entity("cake", 1)), (Relation(0, "on", 1),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "right"),
    [(0, {0}), ("few", range(1, 11)), ("many", range(11, 20)), ("some", range(1, 20)), (3, {3})],
    ids=["no", "few", "many", "some", "3"],
)
def test_quantifiers_are_ranges_of_numbers(number: object, right: set[int]) -> None:
    assert {seen for seen in range(20) if holds(candles(number), cake(seen))} == set(right)


def test_what_is_not_on_the_holder_does_not_count() -> None:
    assert holds(candles(0), SceneView((thing("cake"), thing("candle"))))
    assert not holds(candles(1), SceneView((thing("cake"), thing("candle"))))


@pytest.mark.parametrize("word", ["fewer", "as many", "more"])
def test_numbers_are_compared(word: str) -> None:
    scene = Scene((Entity("cat", "some"), Entity("dog", "some")), (), (Comparison(0, word, 1),))  # type: ignore[arg-type]
    seen = {
        name: holds(scene, SceneView((*[thing("cat")] * cats, *[thing("dog")] * dogs)))
        for name, cats, dogs in [("fewer", 2, 3), ("as many", 2, 2), ("more", 3, 2), ("none", 0, 2)]
    }
    assert [name for name, is_so in seen.items() if is_so] == [word]


OF_FORKS: list[tuple[tuple[Entity, ...], int, int, bool]] = [
    ((Entity("fork", 3),), 2, 1, True),
    ((Entity("fork", 2, form=Whole()),), 2, 1, True),
    ((Entity("fork", 3, form=Whole()),), 2, 1, False),
    ((Entity("fork", 0, form=Whole()),), 0, 1, True),
    ((Entity("fork", 1, form=Pieces(2)),), 2, 1, True),
    ((Entity("fork", 1, form=Pieces(2, (1, 1))),), 2, 1, True),
    ((Entity("fork", 1, form=Pieces(2, (1, 2))),), 2, 1, False),
    ((Entity("fork", 1, form=Pieces(3)),), 2, 1, False),
    ((Entity("fork", 2), Entity("fork", 1, form=Pieces(2))), 2, 1, True),
    ((Entity("fork", 3), Entity("fork", 1, form=Pieces(2))), 2, 1, False),
]


def test_forms_are_told_apart(case: Case) -> None:
    for entities, whole, broken, is_so in OF_FORKS:
        with case(f"{entities} of {whole} whole and {broken} broken ones"):
            assert holds(Scene(entities), forks(whole, broken)) == is_so


def test_a_portion_is_no_thing_and_a_thing_no_portion() -> None:
    sight = SceneView((thing("apple"), thing("apple", form=HALF)))
    assert holds(Scene((Entity("apple", 1),)), sight)
    assert holds(Scene((Entity("apple", 1, form=HALF),)), sight)
    assert not holds(Scene((Entity("apple", 1, form=Portion(Fraction(1, 4))),)), sight)


@pytest.mark.parametrize(
    ("form", "is_so"),
    [(Halves(("red", "blue")), True), (Halves(("blue",)), True), (Halves(("red", "green")), False), (None, True)],
    ids=str,
)
def test_halves_have_their_colours_in_any_order(form: Form | None, is_so: bool) -> None:
    sight = SceneView((thing("pencil", colours=("blue", "red"), form=Halves(("blue", "red"))),))
    assert holds(Scene((Entity("pencil", 1, form=form),)), sight) == is_so
    assert not holds(Scene((Entity("pencil", 1, "red"),)), sight)


def test_colours_and_places_count() -> None:
    sight = SceneView((thing("cat", x=0), thing("cat", x=50, colours=("black",)), thing("dog", x=30)))
    assert holds(Scene((Entity("cat", 1, "red"), Entity("cat", 1, "black"))), sight)
    assert holds(Scene((Entity("cat", 1), Entity("dog", 1)), (Relation(0, "left of", 1),)), sight)
    assert not holds(Scene((Entity("cat", 2), Entity("dog", 1)), (Relation(0, "left of", 1),)), sight)
    assert not holds(Scene((Entity("unicorn", 1),)), sight)
