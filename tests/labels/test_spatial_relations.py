"""Where one thing stands to another, told by the geometry of boxes."""

from itertools import permutations

from subitize.labels import interpret, parse_rule, read_standing
from subitize.labels.boxes import SpatialClaim
from subitize.networks.detectors.detector import nouns_of
from subitize.records import Box, Boxes, Confirm, Discarded, Known, Value
from tests.cases import Case

RULE = parse_rule("boxes>=0.5")
CAT = (40.0, 40.0, 60.0, 60.0)
Corners = tuple[float, float, float, float]


def read(word: str, dog: Corners, *, score: float = 0.9) -> Value:
    """Read whether a cat in the middle stands so to a dog."""
    boxes = Boxes((Box("cat", score, CAT), Box("dog", 0.9, dog)))
    return interpret(boxes, Confirm(f"there is a cat {word} a dog", is_informed=False), RULE)


LEFT, RIGHT, ABOVE, BELOW = (
    (0.0, 40.0, 20.0, 60.0),
    (80.0, 45.0, 99.0, 65.0),
    (40.0, 0.0, 60.0, 20.0),
    (42.0, 62.0, 62.0, 82.0),
)
FAR_BELOW, AROUND = (40.0, 90.0, 60.0, 99.0), (20.0, 20.0, 80.0, 80.0)
BEHIND, BEFORE, LEVEL = (50.0, 30.0, 75.0, 52.0), (50.0, 45.0, 75.0, 75.0), (50.0, 40.0, 70.0, 60.0)

TOLD: list[tuple[str, Corners, bool | None]] = [
    ("right of", LEFT, True),
    ("left of", LEFT, False),
    ("left of", RIGHT, True),
    ("right of", RIGHT, False),
    ("below", ABOVE, True),
    ("above", ABOVE, False),
    ("above", BELOW, True),
    ("on top of", BELOW, True),
    ("on top of", FAR_BELOW, False),
    ("on top of", ABOVE, False),
    ("on top of", LEFT, False),
    ("on top of", AROUND, None),
    ("under", ABOVE, True),
    ("under", BELOW, False),
    ("under", RIGHT, False),
    ("under", AROUND, None),
    ("in front of", BEHIND, True),
    ("behind", BEHIND, False),
    ("behind", BEFORE, True),
    ("in front of", BEFORE, False),
    ("behind", LEVEL, None),
    ("behind", RIGHT, None),
    ("in front of", LEFT, None),
]


def test_boxes_tell_where_things_stand_or_that_they_cannot_tell(case: Case) -> None:
    for word, dog, told in TOLD:
        with case(f"{word} {dog}"):
            value = read(word, dog)
            if told is None:
                assert isinstance(value, Discarded)
                assert value.is_refusal
            else:
                assert value == Known(told)


def test_what_is_not_there_stands_nowhere() -> None:
    for word in ("left of", "on top of", "behind"):
        assert read(word, LEFT, score=0.4) == Known(False)


def test_one_pair_that_stands_so_is_enough_and_one_that_may_leaves_it_open() -> None:
    question = Confirm("there is a cat on top of a dog", is_informed=False)
    boxes = {name: Box("dog", 0.9, xyxy) for name, xyxy in (("below", BELOW), ("around", AROUND), ("above", ABOVE))}
    for some, told in ((("below", "above"), True), (("around", "above"), None), (("above",), False)):
        for order in permutations(some):
            value = interpret(Boxes((Box("cat", 0.9, CAT), *(boxes[name] for name in order))), question, RULE)
            assert (value.value if isinstance(value, Known) else None) == told


def test_only_statements_of_places_are_read_as_such(case: Case) -> None:
    for text, told in {
        "there is a teddy bear on top of a fire hydrant": SpatialClaim("teddy bear", "on top of", "fire hydrant"),
        "there are some scissors under an oven": SpatialClaim("scissors", "under", "oven"),
        "there are some cats left of some dogs": SpatialClaim("cat", "left of", "dog"),
        "there are some cats": None,
        "there are 2 cats on top of a dog": None,
        "the cat is behind a dog": None,
        "there are some cats on a table": None,
    }.items():
        with case(text):
            assert read_standing(text) == told
            both = () if told is None else tuple(sorted((told.thing, told.landmark)))
            if told or "cats on a table" in text:
                assert nouns_of(Confirm(text, is_informed=False)) == both
