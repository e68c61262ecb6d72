"""The classes of the COCO data set, and which of a detector's classes a noun of a question means."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from subitize.numerals import singular

COCO_CLASSES: tuple[str, ...] = (
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis",
    "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket",
    "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange",
    "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed",
    "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven",
    "toaster", "sink", "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
)  # fmt: skip
"""The 80 classes that are annotated, in the order that most detectors number them from 0."""

# The data set numbers more categories than it has boxes for: these are in its list, and nowhere in its pictures.
_NEVER_ANNOTATED = frozenset({12, 26, 29, 30, 45, 66, 68, 69, 71, 83})

COCO_NUMBERS: Mapping[int, str] = dict(
    zip((number for number in range(1, 91) if number not in _NEVER_ANNOTATED), COCO_CLASSES, strict=True)
)
"""The same classes by the data set's own numbers, 1 to 90 with gaps, as TensorFlow's graphs and DETR have them."""

# Names of one and the same thing, as COCO's annotators drew its boxes (their cups include mugs). A kind of the thing
# is not among them, nor what it is a kind of: to count persons is not to count men, a plant may have no pot.
_SAME_THING: tuple[tuple[str, ...], ...] = (
    ("person", "human", "human being"),
    ("bicycle", "bike", "pushbike"),
    ("car", "automobile", "motorcar", "motor car"),
    ("motorcycle", "motorbike", "motor bike"),
    ("airplane", "aeroplane", "plane"),
    ("truck", "lorry"),
    ("traffic light", "stoplight", "traffic signal", "stop light"),
    ("fire hydrant", "hydrant", "fireplug"),
    ("backpack", "rucksack", "knapsack"),
    ("handbag", "purse"),
    ("tie", "necktie"),
    ("frisbee", "flying disc"),
    ("baseball glove", "baseball mitt"),
    ("tennis racket", "tennis racquet"),
    ("cup", "mug"),
    ("hot dog", "hotdog"),
    ("donut", "doughnut"),
    ("couch", "sofa", "settee"),
    ("potted plant", "pot plant", "houseplant"),
    ("dining table", "table"),
    ("tv", "television", "television set", "tv set", "tvmonitor"),
    ("laptop", "laptop computer", "notebook computer"),
    ("mouse", "computer mouse"),
    ("remote", "remote control", "tv remote"),
    ("keyboard", "computer keyboard"),
    ("cell phone", "cellphone", "mobile phone", "mobile", "phone", "cellular phone"),
    ("microwave", "microwave oven"),
    ("sink", "washbasin"),
    ("refrigerator", "fridge"),
    ("teddy bear", "teddy"),
    ("hair drier", "hair dryer", "blow dryer", "blow drier"),
)

# What looks like a plural and is another thing: who wears glasses has no glass.
_NO_PLURALS = frozenset({"glasses"})


def class_of(noun: str, classes: Iterable[str]) -> str | None:
    """Find what a detector itself calls the things of a noun; None where it has no such class.

    The same name comes first, then the same but for case, number and joints (hot_dogs, Hot-Dog), then another name of
    the very same thing. A noun with two meanings is taken for the class that is called so.
    """
    known = tuple(classes)
    if noun and noun in known:
        return noun
    for name in (_bare(noun), *_other_names(_bare(noun))):
        for own in known:
            if own and _bare(own) == name:
                return own
    return None


@cache
def _bare(noun: str) -> str:
    """Strip a noun of case, number and joints."""
    words = " ".join(re.split(r"[\s_-]+", noun.casefold().strip()))
    return words if words in _NO_PLURALS else singular(words).replace(" ", "")


def _other_names(bare: str) -> tuple[str, ...]:
    return _groups().get(bare, ())


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    bare = [tuple(_bare(name) for name in group) for group in _SAME_THING]
    return {name: group for group in bare for name in group}
