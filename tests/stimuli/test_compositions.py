"""A picture of a scene shows what the scene says, where it says."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest

from subitize.errors import BadValueError
from subitize.language.scene import Entity, Form, Halves, Pieces, Portion, Relation, Scene
from subitize.records import RelationWord
from subitize.stimuli import placement
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.compositions import compose
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.recipes import Layout, PlacedThing

ZOO = Scene((Entity("dog", 3), Entity("cat", 5, "black"), Entity("apple", 2)))


def of(plan: Layout, noun: str) -> list[PlacedThing]:
    return [item for item in plan.items if item.noun == noun]


@pytest.mark.parametrize("size_px", [128, 512, 1024])
def test_as_many_things_of_each_kind_are_placed_as_the_scene_has(size_px: int) -> None:
    for seed in range(5):
        plan = compose(ZOO, seed, size_px)
        assert Counter(item.noun for item in plan.items) == {"dog": 3, "cat": 5, "apple": 2}
        assert plan.size_px == size_px


@pytest.mark.parametrize("number", [1, 12, 200])
@pytest.mark.parametrize("relations", [(), (Relation(0, "above", 1),)], ids=["anywhere", "above"])
def test_things_stand_inside_the_picture_and_apart(number: int, relations: tuple[Relation, ...]) -> None:
    plan = compose(Scene((Entity("dot", number), Entity("cat", 3)), relations), 7, 1024)
    gap = placement.gap_px(1024)
    for item in plan.items:
        assert min(item.left, item.top) >= gap
        assert max(item.left, item.top) + item.side_px <= 1024 - gap
    for one, other in combinations(plan.items, 2):
        across = one.left + one.side_px / 2 - other.left - other.side_px / 2
        down = one.top + one.side_px / 2 - other.top - other.side_px / 2
        assert across**2 + down**2 >= ((one.side_px + other.side_px) / 2 + gap) ** 2


@pytest.mark.parametrize("word", ["above", "below", "left of", "right of"])
def test_every_subject_stands_wholly_on_its_side_of_every_landmark(word: RelationWord) -> None:
    first, second = ("dog", "cup") if word in ("above", "left of") else ("cup", "dog")
    down = word in ("above", "below")
    for (dogs, cups), seed in product([(1, 1), (5, 3), (2, 40), (100, 1)], range(4)):
        plan = compose(Scene((Entity("dog", dogs), Entity("cup", cups)), (Relation(0, word, 1),)), seed, 1024)
        ends = [(item.top if down else item.left) + item.side_px for item in of(plan, first)]
        starts = [item.top if down else item.left for item in of(plan, second)]
        assert max(ends) < min(starts)


def test_chains_and_both_axes_hold_together() -> None:
    relations = (Relation(0, "above", 1), Relation(1, "above", 2), Relation(3, "right of", 1))
    nouns = ("star", "tree", "dog", "car")
    plan = compose(Scene(tuple(Entity(noun, 4) for noun in nouns), relations), 1, 1024)
    stars, trees, dogs, cars = (of(plan, noun) for noun in nouns)
    assert max(item.top + item.side_px for item in stars) < min(item.top for item in trees)
    assert max(item.top + item.side_px for item in trees) < min(item.top for item in dogs)
    assert max(item.left + item.side_px for item in trees) < min(item.left for item in cars)


@pytest.mark.parametrize("drawn", [9, 12, 14], ids=["too few", "exact", "too many"])
def test_things_in_a_grid_stand_in_its_columns_whatever_their_number(drawn: int) -> None:
    for seed in range(4):
        items = compose(Scene((Entity("cat", drawn),), grid=(3, 4)), seed, 512).items
        middles = [(item.left + item.side_px / 2, item.top + item.side_px / 2) for item in items]
        assert len({round(x / 32) for x, _ in middles}) == 4
        assert len({round(y / 32) for _, y in middles}) == (4 if drawn > 12 else 3)
        assert len({item.side_px for item in items}) > 4


def test_the_seed_alone_changes_the_layout() -> None:
    assert compose(ZOO, 3, 512) == compose(ZOO, 3, 512)
    assert compose(ZOO, 3, 512) != compose(ZOO, 4, 512)


def test_things_have_the_colour_asked_for_or_one_that_they_have_by_nature() -> None:
    for seed in range(20):
        plan = compose(ZOO, seed, 512)
        assert {item.colour for item in of(plan, "cat")} == {"black"}
        assert {item.colour for item in of(plan, "dog")} <= set(GLYPHS["dog"].colours)


@pytest.mark.parametrize("asked", [("red",), GLYPHS["apple"].colours], ids=["one", "all natural"])
def test_things_without_a_colour_keep_off_the_colours_counted_of_their_kind(asked: tuple[str, ...]) -> None:
    scene = Scene((Entity("apple", 9), *(Entity("apple", 1, colour) for colour in asked)))
    for seed in range(10):
        colours = Counter(item.colour for item in compose(scene, seed, 1024).items)
        assert all(colours[colour] == 1 for colour in asked)


def test_nothing_is_drawn_of_what_there_are_none() -> None:
    assert compose(Scene((Entity("dog", 0),)), 1, 256).items == ()
    assert len(compose(Scene((Entity("dog", 0), Entity("cat", 2)), (Relation(0, "above", 1),)), 1, 256).items) == 2


def test_every_glyph_is_composed_in_every_colour() -> None:
    for noun in GLYPHS:
        scene = Scene(tuple(Entity(noun, 1, colour) for colour in PALETTE))
        assert [item.colour for item in compose(scene, 1, 512).items] == list(PALETTE)


@pytest.mark.parametrize(
    ("scene", "size_px"),
    [
        (Scene((Entity("dot", 200),)), 128),
        (Scene((Entity("dot", 1),)), 64),
        (Scene((Entity("cake", 1, form=Pieces(40)),)), 512),
        (Scene((Entity("cake", 1, form=Portion(Fraction(1))),)), 512),
        (Scene((Entity("apple", 3), Entity("dog", 1)), (Relation(0, "on", 1),)), 512),
        (Scene(tuple(Entity("dot", 1) for _ in range(20)), tuple(Relation(i, "above", i + 1) for i in range(19))), 128),
        (Scene((Entity("dog", 1), Entity("cat", 1)), (Relation(0, "above", 1), Relation(1, "above", 0))), 512),
        (Scene((Entity("dog", 1), Entity("cat", 1)), (Relation(0, "above", 1),), grid=(2, 1)), 512),
    ],
    ids=[
        "too many",
        "too small",
        "too many pieces",
        "no portion",
        "no holder",
        "too many rows",
        "contradiction",
        "grid",
    ],
)
def test_what_cannot_be_placed_is_refused(scene: Scene, size_px: int) -> None:
    with pytest.raises(BadValueError):
        compose(scene, 1, size_px)


@pytest.mark.parametrize("holders", [0, 1, 2])
@pytest.mark.parametrize("number", [0, 4, 18])
def test_things_lie_within_their_holders_and_are_drawn_over_them(number: int, holders: int) -> None:
    scene = Scene((Entity("candle", number), Entity("cake", holders)), (Relation(0, "on", 1),))
    plan = compose(scene, 3, 1024)
    cakes, candles = of(plan, "cake"), of(plan, "candle")
    assert (len(cakes), len(candles)) == (holders, number)
    assert list(plan.items) == cakes + candles
    for candle in candles:
        assert not cakes or any(
            cake.left < candle.left
            and cake.top < candle.top
            and candle.left + candle.side_px < cake.left + cake.side_px
            and candle.top + candle.side_px < cake.top + cake.side_px
            for cake in cakes
        )


@pytest.mark.parametrize(
    "form",
    [Pieces(2), Pieces(3, (1, 1, 1)), Portion(Fraction(1, 4)), Halves(("red", "blue"))],
    ids=["broken", "cut", "quarter", "two colours"],
)
def test_an_entity_is_drawn_in_its_form_beside_whole_ones(form: Form) -> None:
    plan = compose(Scene((Entity("pizza", 2), Entity("pizza", 1, form=form))), 1, 1024)
    assert [item.form for item in plan.items] == [None, None, form]


def test_the_half_that_is_not_told_has_another_colour() -> None:
    (item,) = compose(Scene((Entity("pencil", 1, form=Halves(("red",))),)), 1, 512).items
    assert isinstance(item.form, Halves)
    assert len(set(item.form.colours)) == 2


def test_several_kinds_on_one_table_lie_apart() -> None:
    scene = Scene(
        (Entity("plate", 4), Entity("fork", 4), Entity("table", 1)), (Relation(0, "on", 2), Relation(1, "on", 2))
    )
    items = [item for item in compose(scene, 2, 1024).items if item.noun != "table"]
    for one, other in combinations(items, 2):
        across = one.left + one.side_px / 2 - other.left - other.side_px / 2
        down = one.top + one.side_px / 2 - other.top - other.side_px / 2
        assert across**2 + down**2 > ((one.side_px + other.side_px) / 2) ** 2
