"""The self-test passes real detectors and refuses broken ones, with the reason."""

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from subitize.errors import UnusableModelError
from subitize.io.images import Rgb
from subitize.language.nouns import plural
from subitize.networks import collages
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.networks.detectors.detector import Detector, DetectorSettings, self_test
from subitize.networks.detectors.opencv import Ssd, Yolo
from subitize.stats.boxes import Detections, Floats
from tests.networks.coco_network import copy_yolo, ssd_folder, yolo_folder
from tests.networks.onnx_graphs import write_network
from tests.networks.tiny_weights import find_tiny

IOU = 0.45
LOWEST = 0.2
"""No threshold here is below it."""
HEADER_BYTES = 20
SMALL = 128
"""The size of pictures for networks that see nothing in them, whatever their size."""


@pytest.fixture(scope="module")
def yolo() -> "Remembering":
    return Remembering(Yolo(str(yolo_folder())))


@pytest.fixture(scope="module")
def ssd() -> "Remembering":
    return Remembering(Ssd(str(ssd_folder())))


class Wrapped(Detector):
    """A detector that another one is made of."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector

    @property
    def assumption(self) -> str:
        return self._detector.assumption

    def classes(self) -> Collection[str]:
        return self._detector.classes()

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        return self._detector.detect(pictures, nouns, floor)


class Remembering(Wrapped):
    """Looks at no picture twice, as a network takes long."""

    def __init__(self, detector: Detector) -> None:
        super().__init__(detector)
        self._seen: dict[tuple[object, ...], list[Detections]] = {}

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        assert floor >= LOWEST
        key = (*(picture.tobytes() for picture in pictures), *nouns)
        if key not in self._seen:
            self._seen[key] = super().detect(pictures, nouns, LOWEST)
        return [found.above(floor) for found in self._seen[key]]


@pytest.mark.weights
def test_a_real_ssd_passes_and_what_it_assumes_is_said(ssd: Remembering) -> None:
    result = self_test(ssd, 0.3, IOU)
    assert result.is_passed
    assert result.summary.startswith(("counted 6 of 8", "counted 7 of 8", "counted 8 of 8"))
    assert "its 90 are taken for those of COCO" in result.summary


@pytest.mark.weights
@pytest.mark.parametrize("threshold", [0.25, 0.5])
def test_a_real_yolo_passes_whatever_the_threshold(threshold: float, yolo: Remembering) -> None:
    result = self_test(yolo, threshold, IOU)
    assert result.is_passed
    assert result.summary in {f"counted {right} of 8 photo collages right" for right in (6, 7, 8)}


class Renamed(Wrapped):
    """A detector whose classes have other names."""

    def __init__(self, detector: Detector, names: Sequence[str]) -> None:
        super().__init__(detector)
        self._names = dict(zip(detector.classes(), names, strict=True))

    def classes(self) -> Collection[str]:
        return list(self._names.values())

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        found = super().detect(pictures, nouns, floor)
        return [replace(one, labels=tuple(self._names[label] for label in one.labels)) for one in found]


class Glancing(Wrapped):
    """Notes how often it looks, and finds nothing."""

    def __init__(self, detector: Detector, *, is_open_vocabulary: bool) -> None:
        super().__init__(detector)
        self.is_open_vocabulary = is_open_vocabulary
        self.looks: list[tuple[int, int]] = []

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        self.looks.append((len(pictures), len(nouns)))
        return [Detections.make(np.zeros((0, 4)), np.zeros(0), []) for _ in pictures]


@pytest.mark.weights
@pytest.mark.parametrize("is_open", [False, True], ids=["all classes at a glance", "two nouns each"])
def test_the_test_takes_no_more_than_eight_looks(is_open: bool, yolo: Remembering) -> None:
    glancing = Glancing(yolo, is_open_vocabulary=is_open)
    with pytest.raises(UnusableModelError, match="saw nothing on 8 of 8"):
        self_test(glancing, 0.3, IOU)
    assert glancing.looks == [(1, 2 if is_open else 0)] * 8


@pytest.mark.weights
def test_shuffled_names_of_classes_are_found_out(yolo: Remembering) -> None:
    names = [*COCO_CLASSES[33:], *COCO_CLASSES[:33]]
    _refuses(
        Renamed(yolo, names),
        "counted 0 of 8 photo collages right: it took cats for sandwiches, took cups for clocks",
    )


@pytest.mark.weights
def test_two_names_that_were_swapped_are_found_out(yolo: Remembering) -> None:
    names = list(COCO_CLASSES)
    cat, dog = names.index("cat"), names.index("dog")
    names[cat], names[dog] = "dog", "cat"
    _refuses(Renamed(yolo, names), "took cats for dogs")


@pytest.mark.weights
def test_two_names_that_are_both_in_the_test_are_told_apart(yolo: Remembering) -> None:
    names = list(COCO_CLASSES)
    cat, cup = names.index("cat"), names.index("cup")
    names[cat], names[cup] = "cup", "cat"
    _refuses(Renamed(yolo, names), "took cats for cups, took cups for cats")


@pytest.mark.weights
def test_one_class_with_a_name_of_something_that_is_not_there_is_found_out(yolo: Remembering) -> None:
    names = list(COCO_CLASSES)
    cup, sandwich = names.index("cup"), names.index("sandwich")
    names[cup], names[sandwich] = "sandwich", "cup"
    _refuses(Renamed(yolo, names), "took cups for sandwiches")


@pytest.mark.weights
@pytest.mark.parametrize(("noun", "finer"), [("person", "man"), ("cup", "coffee cup")])
def test_a_detector_with_finer_classes_passes_and_what_it_calls_them_is_said(
    noun: str, finer: str, yolo: Remembering
) -> None:
    names = [finer if name == noun else noun if name == "toaster" else name for name in COCO_CLASSES]
    result = self_test(Renamed(yolo, names), 0.3, IOU)
    assert result.is_passed
    assert f"took {plural(noun)} for {plural(finer)}" in result.summary


@pytest.mark.weights
def test_names_that_begin_one_too_late_are_found_out(yolo: Remembering) -> None:
    _refuses(Renamed(yolo, ["background", *COCO_CLASSES[:-1]]), "counted 0 of 8")


@pytest.mark.weights
def test_weights_that_are_all_zero_are_found_out(tmp_path: Path) -> None:
    _refuses(_reweighted(tmp_path, np.zeros_like), "saw nothing on 8 of 8")


@pytest.mark.weights
def test_random_weights_are_found_out(tmp_path: Path) -> None:
    def scramble(weights: np.ndarray) -> np.ndarray:
        return np.abs(np.random.default_rng(1).normal(0, 0.05, weights.shape)).astype(np.float32)

    _refuses(_reweighted(tmp_path, scramble), "took cats for people, took cups for people")


@pytest.mark.weights
def test_weights_whose_last_layers_are_zero_are_found_out(tmp_path: Path) -> None:
    def blank_the_end(weights: np.ndarray) -> np.ndarray:
        blank = weights.copy()
        blank[len(blank) // 4 :] = 0
        return blank

    _refuses(_reweighted(tmp_path, blank_the_end), "saw nothing on 8 of 8")


@pytest.mark.detect
def test_boxes_everywhere_are_found_out(tmp_path: Path) -> None:
    centres = [(8 + 9 * column, 12 + 7 * row) for column in range(6) for row in range(6)]
    boxes = [[x, y, 5, 5, 0.9, *(0.9 if name == "cat" else 0.1 for name in COCO_CLASSES)] for x, y in centres]
    path = write_network(tmp_path / "cats.onnx", {"output0": np.array([boxes])})
    _refuses(
        Yolo(str(path)), "counted 0 of 8 photo collages right: it saw 36 cats where there are 2, took cups for cats"
    )


@pytest.mark.detect
def test_things_that_are_never_there_are_found_out(tmp_path: Path) -> None:
    boxes = [[5, 20, 20, 40, 0.9, 0], [30, 20, 50, 40, 0.9, 0], [5, 20, 20, 40, 0.9, 1]]
    notes = {"names": "{0: 'cat', 1: 'elephant'}"}
    path = write_network(tmp_path / "cats.onnx", {"output0": np.array([boxes])}, notes=notes)
    _refuses(Yolo(str(path)), "saw 2 cats where there is 1, saw things that are not there (elephants) on 8 of 8")


class Displaced(Wrapped):
    """A detector whose boxes are moved."""

    def __init__(self, detector: Detector, moved: Callable[[Floats], Floats]) -> None:
        super().__init__(detector)
        self._moved = moved

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        return [replace(one, xyxy=self._moved(one.xyxy)) for one in super().detect(pictures, nouns, floor)]


@pytest.mark.weights
@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(lambda xyxy: np.array([720, 0, 720, 0]) + xyxy[:, [2, 1, 0, 3]] * [-1, 1, -1, 1], id="mirrored"),
        pytest.param(
            lambda xyxy: np.array([0, 540, 0, 540]) + xyxy[:, [0, 3, 2, 1]] * [1, -1, 1, -1], id="upside down"
        ),
        pytest.param(lambda xyxy: xyxy[:, [1, 0, 3, 2]], id="transposed"),
        pytest.param(lambda xyxy: xyxy / 10, id="a tenth"),
        pytest.param(lambda xyxy: xyxy * 300 / 720, id="of a picture of 300 pixels"),
    ],
)
@pytest.mark.parametrize("kind", ["ssd", "yolo"])
def test_boxes_in_wrong_places_are_found_out(
    kind: str, moved: Callable[[Floats], Floats], request: pytest.FixtureRequest
) -> None:
    detector: Remembering = request.getfixturevalue(kind)
    with pytest.raises(UnusableModelError, match=r"found \w+ where there are none on [3-8] of 8"):
        self_test(Displaced(detector, moved), 0.3, IOU)


class Failing(Wrapped):
    """A detector whose network cannot compute."""

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        raise RuntimeError("OpenCV cannot compute with these weights; copy or export them again")


@pytest.mark.weights
def test_one_that_cannot_compute_is_refused_with_its_own_words(yolo: Remembering) -> None:
    with pytest.raises(UnusableModelError, match=r"cannot look at photo collages: OpenCV cannot .* export them again"):
        self_test(Failing(yolo), 0.3, IOU)


@pytest.mark.weights
def test_a_refusal_says_how_to_use_it_all_the_same(yolo: Remembering) -> None:
    with pytest.raises(UnusableModelError, match=r"self_test=false uses it all the same, as one of drawings"):
        self_test(Displaced(yolo, lambda boxes: boxes / 3), 0.3, IOU)


@pytest.mark.weights
def test_what_is_taken_for_granted_is_said_even_if_nothing_is_tested() -> None:
    setup = DetectorSettings("ssd", Ssd(str(ssd_folder())), 0.3, IOU, 0.05, 4, is_tested=False)
    assert setup.self_test().summary.startswith("left out (self_test=false); no file names the classes")


@pytest.mark.torch
def test_a_random_detr_is_found_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    from subitize.networks.detectors.hub import Detr

    with pytest.raises(UnusableModelError, match="counted 0 of 8 photo collages right: it saw nothing on 8 of 8"):
        self_test(Detr(str(find_tiny("detr", tmp_path_factory))), 0.5, 1.0)


@pytest.mark.detect
def test_a_detector_that_knows_none_of_the_things_cannot_be_tested(tmp_path: Path) -> None:
    notes = {"names": "{0: 'ant', 1: 'butterfly'}"}
    path = write_network(tmp_path / "insects.onnx", {"output0": np.zeros((1, 20, 7))}, notes=notes)
    result = self_test(Yolo(str(path)), 0.3, IOU)
    assert not result.is_passed
    assert result.summary == "cannot be tested: it knows none of cat, cup, motorcycle, person"


@pytest.mark.weights
def test_without_the_photographs_it_cannot_be_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = Yolo(str(yolo_folder()))
    monkeypatch.setitem(sys.modules, "skimage", None)
    collages._photograph.cache_clear()
    result = self_test(detector, 0.3, IOU)
    assert not result.is_passed
    assert result.summary.startswith(
        "cannot be tested: testing a detector with photographs needs scikit-image; run: pip"
    )


def _reweighted(folder: Path, change: object) -> Yolo:
    assert callable(change)
    path = copy_yolo(folder / "net") / "yolov4-tiny.weights"
    data = path.read_bytes()
    weights = change(np.frombuffer(data[HEADER_BYTES:], dtype=np.float32))
    path.write_bytes(data[:HEADER_BYTES] + weights.astype(np.float32).tobytes())
    return Yolo(str(path.parent), size=SMALL)


def _refuses(detector: Detector, told: str) -> None:
    with pytest.raises(UnusableModelError) as refused:
        self_test(detector, 0.3, IOU)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
