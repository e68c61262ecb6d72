"""Nouns find the class of a detector that means the very same thing, and no other."""

from subitize.language.nouns import plural
from subitize.networks.detectors.classes import COCO_CLASSES, COCO_NUMBERS, class_of
from tests.cases import Case

# The names as Darknet's list has them.
DARKNET = ("person", "motorbike", "aeroplane", "sofa", "pottedplant", "diningtable", "tvmonitor", "cell phone")


def test_there_are_eighty_classes_with_the_numbers_of_the_data_set() -> None:
    assert len(set(COCO_CLASSES)) == len(COCO_NUMBERS) == 80
    known = {1: "person", 13: "stop sign", 17: "cat", 44: "bottle", 47: "cup", 67: "dining table", 90: "toothbrush"}
    assert {number: COCO_NUMBERS[number] for number in known} == known
    assert {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}.isdisjoint(COCO_NUMBERS)


def test_every_class_is_found_however_it_is_written(case: Case) -> None:
    for name in COCO_CLASSES:
        several = name if name == "skis" else plural(name)
        for written in (name, several, name.upper(), name.replace(" ", "_"), several.replace(" ", "-").title()):
            with case(written):
                assert class_of(written, COCO_CLASSES) == name


OTHER_NAMES = [
    ("plane", COCO_CLASSES, "airplane"),
    ("people", COCO_CLASSES, "person"),
    ("human", COCO_CLASSES, "person"),
    ("bikes", COCO_CLASSES, "bicycle"),
    ("sofa", COCO_CLASSES, "couch"),
    ("televisions", COCO_CLASSES, "tv"),
    ("mobile phone", COCO_CLASSES, "cell phone"),
    ("table", COCO_CLASSES, "dining table"),
    ("doughnuts", COCO_CLASSES, "donut"),
    ("mug", COCO_CLASSES, "cup"),
    ("hotdog", COCO_CLASSES, "hot dog"),
    ("hair dryer", COCO_CLASSES, "hair drier"),
    ("airplane", DARKNET, "aeroplane"),
    ("motorcycle", DARKNET, "motorbike"),
    ("couch", DARKNET, "sofa"),
    ("potted plant", DARKNET, "pottedplant"),
    ("dining table", DARKNET, "diningtable"),
    ("tv", DARKNET, "tvmonitor"),
]


def test_another_name_of_the_same_thing_is_understood(case: Case) -> None:
    for noun, classes, own in OTHER_NAMES:
        with case(noun):
            assert class_of(noun, classes) == own


def test_kinds_of_a_class_and_what_it_is_a_kind_of_are_not_the_class(case: Case) -> None:
    nouns = ("man", "women", "child", "animal", "kitten", "puppy", "plant", "ball", "glass", "vehicle", "fruit", "")
    for noun in nouns:
        with case(noun):
            assert class_of(noun, COCO_CLASSES) is None


def test_the_same_name_comes_before_another_of_the_same_thing() -> None:
    assert class_of("mug", ("cup", "mug")) == "mug"
    assert class_of("Mugs", ("cup", "mug")) == "mug"


def test_spectacles_are_no_drinking_glasses() -> None:
    assert class_of("glass", ("Person", "Glasses", "Cup")) is None
    assert class_of("glasses", ("glass", "cup")) is None
    assert class_of("glasses", ("Person", "Glasses")) == "Glasses"
    assert class_of("wine glasses", COCO_CLASSES) == "wine glass"


def test_a_gap_in_a_list_of_classes_is_no_class() -> None:
    assert class_of("", ("", "cat")) is None
    assert class_of("cat", ("", "cat")) == "cat"
