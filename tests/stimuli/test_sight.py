"""Things in and on others, cut, broken, in part and in two colours are seen from pixels alone."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from PIL import Image, ImageDraw

from subitize.language.scene import Entity, Form, Halves, HoldingWord, Pieces, Portion, Relation, Scene, Whole
from subitize.stimuli.compositions import compose
from subitize.stimuli.observing import SceneView, see
from subitize.stimuli.recipes import Layout, PlacedThing, paint
from tests.cases import Case

HOLDINGS: list[tuple[str, HoldingWord, str]] = [
    ("flower", "in", "vase"),
    ("candle", "on", "cake"),
    ("plate", "on", "table"),
    ("book", "on", "shelf"),
    ("page", "in", "book"),
    ("seed", "in", "watermelon"),
    ("olive", "on", "plate"),
    ("rice grain", "on", "table"),
]
PAPER_NOUNS = ["apple", "cake", "pizza", "loaf", "fork", "pencil", "plate", "banana"]
OTHER_NOUNS = ["dog", "fish", "tree", "butterfly", "car", "cup", "star", "bottle"]
HALF, QUARTER = Portion(Fraction(1, 2)), Portion(Fraction(1, 4))


FORMS: list[Form] = [
    Pieces(2, (1, 1)),
    Pieces(2, (1, 2)),
    Pieces(3, (1, 1, 1)),
    Pieces(4, (1, 1, 1, 1)),
    HALF,
    QUARTER,
    Halves(("red", "blue")),
    Halves(("orange", "black")),
]
proof = pytest.mark.proof("subitize.stimuli")


def sight_of(scene: Scene, seed: int, size_px: int) -> SceneView:
    return see(np.asarray(paint(compose(scene, seed, size_px))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "seeds", "size_px"),
    [pytest.param((0, 4), (1,), 512, id="some"), pytest.param((0, 4, 15), (1, 2), 1024, id="all", marks=proof)],
)
def test_things_are_seen_in_and_on_their_holder(
    numbers: tuple[int, ...], seeds: tuple[int, ...], size_px: int, case: Case
) -> None:
    for (noun, word, holder), number, seed in product(HOLDINGS, numbers, seeds):
        with case(f"{number} {noun} {word} {holder}, {seed}"):
            scene = Scene((Entity(noun, number), Entity(holder, 1)), (Relation(0, word, 1),))
            first, *held = sight_of(scene, seed, size_px).things
            assert (first.kind, first.form, first.holder) == (holder, Whole(), None)
            assert Counter(thing.kind for thing in held) == ({noun: number} if number else {})
            assert all(thing.holder == 0 for thing in held)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("things", "size_px"),
    [
        pytest.param(list(zip(PAPER_NOUNS, FORMS, strict=True)), 512, id="some"),
        pytest.param(list(product([*PAPER_NOUNS, *OTHER_NOUNS], FORMS)), 1024, id="all", marks=proof),
    ],
)
def test_a_thing_is_seen_in_its_form_beside_a_whole_one(
    things: list[tuple[str, Form]], size_px: int, case: Case
) -> None:
    for noun, form in things:
        with case(f"{noun} {form}"):
            sight = sight_of(Scene((Entity(noun, 1), Entity(noun, 1, form=form))), 3, size_px)
            assert [thing.kind for thing in sight.things] == [noun, noun]
            seen = next(thing.form for thing in sight.things if thing.form != Whole())
            if isinstance(form, Halves):
                assert isinstance(seen, Halves)
                assert set(seen.colours) == set(form.colours)
            else:
                assert seen == form


@pytest.mark.slow
@pytest.mark.parametrize("noun", ["fork", "pencil", "plate"])
def test_the_broken_one_among_whole_ones_is_found(noun: str) -> None:
    for number in range(5):
        sight = sight_of(Scene((Entity(noun, number), Entity(noun, 1, form=Pieces(2)))), number, 640)
        forms = Counter(type(thing.form) for thing in sight.things if thing.kind == noun)
        assert forms == Counter({Whole: number, Pieces: 1})
        assert len(sight.things) == number + 1


@pytest.mark.slow
def test_what_is_cut_counts_once_and_a_portion_does_not() -> None:
    scene = Scene((Entity("apple", 2), Entity("apple", 1, form=Pieces(4)), Entity("apple", 1, form=HALF)))
    boxes = see(np.asarray(paint(compose(scene, 5, 1024)))).boxes()
    assert Counter(box.label for box in boxes) == {"apple": 3, "half apple": 1}


@pytest.mark.slow
def test_the_box_of_a_thing_in_pieces_goes_around_all_of_them() -> None:
    plan = Layout(400, (PlacedThing("pizza", -1, "orange", 50, 60, 200, Pieces(4, (1, 1, 1, 1))),))
    (box,) = see(np.asarray(paint(plan))).boxes()
    assert max(abs(a - b) for a, b in zip(box.xyxy, (54, 64, 246, 256), strict=True)) < 4


@pytest.mark.slow  # a new machine learns for seconds what parts look like
def test_a_piece_without_the_others_is_unknown() -> None:
    picture = paint(Layout(400, (PlacedThing("pizza", -1, "orange", 50, 60, 240, Pieces(3, (1, 1, 1))),)))
    picture.paste("white", (0, 0, 400, 165))
    assert {box.label for box in see(np.asarray(picture)).boxes()} == {"unknown"}


@pytest.mark.slow  # a new machine learns for seconds what parts look like
def test_scraps_that_lie_together_make_no_thing() -> None:
    picture = Image.new("RGB", (400, 400), "white")
    draw = ImageDraw.Draw(picture)
    for left in (100, 170, 240):
        draw.polygon([(left, 150), (left + 55, 140), (left + 40, 230), (left + 5, 250)], fill=(120, 60, 20))
    assert [box.label for box in see(np.asarray(picture)).boxes()] == ["unknown"] * 3


@pytest.mark.slow  # a new machine learns for seconds what parts look like
def test_what_lies_on_a_holder_and_is_none_of_ours_is_unknown() -> None:
    picture = paint(Layout(600, (PlacedThing("plate", -1, "blue", 20, 20, 560),)))
    ImageDraw.Draw(picture).polygon([(250, 250), (330, 240), (300, 290), (340, 340), (260, 330)], fill=(200, 30, 30))
    plate, scrap = see(np.asarray(picture)).things
    assert (plate.kind, scrap.kind, scrap.form, scrap.holder) == ("plate", "unknown", None, 0)
