"""The self-test passes real detectors and refuses broken ones, with the reason."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from coco_network import copy_yolo, ssd_folder, yolo_folder
from conftest import require
from onnx_graphs import write_network
from subitize.errors import UnusableModelError
from subitize.networks.detectors import collages
from subitize.networks.detectors.coco import COCO_CLASSES
from subitize.networks.detectors.opencv import Ssd, Yolo
from subitize.networks.detectors.proving import prove
from subitize.networks.weights import Placement
from tiny_detectors import write_detr

IOU = 0.45
HEADER_BYTES = 20


@pytest.fixture(autouse=True)
def _parts() -> None:
    require("OpenCV", is_there=find_spec("cv2") is not None)
    require("scikit-image", is_there=find_spec("skimage") is not None)


def test_a_real_ssd_passes_and_what_it_assumes_is_said() -> None:
    proof = prove(Ssd(str(ssd_folder())), 0.3, IOU)
    assert proof.is_passed
    assert proof.told.startswith(("counted 6 of 8", "counted 7 of 8", "counted 8 of 8"))
    assert "its 90 are taken for those of COCO" in proof.told


@pytest.mark.parametrize("threshold", [0.25, 0.5])
def test_a_real_yolo_passes_whatever_the_threshold(threshold: float) -> None:
    proof = prove(Yolo(str(yolo_folder())), threshold, IOU)
    assert proof.is_passed
    assert proof.told in {f"counted {right} of 8 photo collages right" for right in (6, 7, 8)}


def test_the_test_is_quick() -> None:
    detector = Ssd(str(ssd_folder()))
    detector.load()
    before = time.process_time()
    prove(detector, 0.3, IOU)
    assert time.process_time() - before < 6


def test_shuffled_names_of_classes_are_found_out(tmp_path: Path) -> None:
    names = [*COCO_CLASSES[33:], *COCO_CLASSES[:33]]
    _refuses(
        _renamed(tmp_path, names),
        "counted 0 of 8 photo collages right: it took cats for sandwiches, took cups for clocks",
    )


def test_two_names_that_were_swapped_are_found_out(tmp_path: Path) -> None:
    names = list(COCO_CLASSES)
    cat, dog = names.index("cat"), names.index("dog")
    names[cat], names[dog] = "dog", "cat"
    _refuses(_renamed(tmp_path, names), "took cats for dogs")


def test_two_names_that_are_both_in_the_test_are_told_apart(tmp_path: Path) -> None:
    names = list(COCO_CLASSES)
    cat, cup = names.index("cat"), names.index("cup")
    names[cat], names[cup] = "cup", "cat"
    _refuses(_renamed(tmp_path, names), "took cats for cups, took cups for cats")


def test_names_that_begin_one_too_late_are_found_out(tmp_path: Path) -> None:
    _refuses(_renamed(tmp_path, ["background", *COCO_CLASSES[:-1]]), "counted 0 of 8")


def test_weights_that_are_all_zero_are_found_out(tmp_path: Path) -> None:
    _refuses(_reweighted(tmp_path, np.zeros_like), "saw nothing on 8 of 8")


def test_random_weights_are_found_out(tmp_path: Path) -> None:
    def scramble(weights: np.ndarray) -> np.ndarray:
        return np.abs(np.random.default_rng(1).normal(0, 0.05, weights.shape)).astype(np.float32)

    _refuses(_reweighted(tmp_path, scramble), "took cats for people, took cups for people")


def test_weights_whose_last_layers_are_zero_are_found_out(tmp_path: Path) -> None:
    def blank_the_end(weights: np.ndarray) -> np.ndarray:
        blank = weights.copy()
        blank[len(blank) // 4 :] = 0
        return blank

    _refuses(_reweighted(tmp_path, blank_the_end), "saw nothing on 8 of 8")


def test_boxes_everywhere_are_found_out(tmp_path: Path) -> None:
    centres = [(8 + 9 * column, 12 + 7 * row) for column in range(6) for row in range(6)]
    boxes = [[x, y, 5, 5, 0.9, *(0.9 if name == "cat" else 0.1 for name in COCO_CLASSES)] for x, y in centres]
    path = write_network(tmp_path / "cats.onnx", {"output0": np.array([boxes])})
    _refuses(
        Yolo(str(path)), "counted 0 of 8 photo collages right: it saw 36 cats where there are 2, took cups for cats"
    )


def test_things_that_are_never_there_are_found_out(tmp_path: Path) -> None:
    boxes = [[5, 20, 20, 40, 0.9, 0], [30, 20, 50, 40, 0.9, 0], [5, 20, 20, 40, 0.9, 1]]
    notes = {"names": "{0: 'cat', 1: 'elephant'}"}
    path = write_network(tmp_path / "cats.onnx", {"output0": np.array([boxes])}, notes=notes)
    _refuses(Yolo(str(path)), "saw 2 cats where there is 1, saw things that are not there (elephants) on 8 of 8")


def test_a_random_detr_is_found_out(tmp_path: Path) -> None:
    require("torch and transformers", is_there=find_spec("torch") is not None and find_spec("transformers") is not None)
    from subitize.networks.detectors.detr import Detr

    with pytest.raises(UnusableModelError, match="counted 0 of 8 photo collages right: it saw nothing on 8 of 8"):
        prove(Detr(str(write_detr(tmp_path / "detr")), Placement("cpu")), 0.5, 1.0)


def test_a_detector_that_knows_none_of_the_things_cannot_be_tested(tmp_path: Path) -> None:
    notes = {"names": "{0: 'ant', 1: 'butterfly'}"}
    path = write_network(tmp_path / "insects.onnx", {"output0": np.zeros((1, 20, 7))}, notes=notes)
    proof = prove(Yolo(str(path)), 0.3, IOU)
    assert not proof.is_passed
    assert proof.told == "cannot be tested: it knows none of cat, cup, motorcycle, person"


def test_without_the_photographs_it_cannot_be_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = Yolo(str(yolo_folder()))
    monkeypatch.setitem(sys.modules, "skimage", None)
    collages._photograph.cache_clear()
    proof = prove(detector, 0.3, IOU)
    assert not proof.is_passed
    assert proof.told.startswith("cannot be tested: testing a detector with photographs needs scikit-image; run: pip")


def _renamed(folder: Path, names: list[str]) -> Yolo:
    path = folder / "spoilt.names"
    path.write_text("\n".join(names), encoding="utf-8")
    return Yolo(str(yolo_folder()), str(path))


def _reweighted(folder: Path, change: object) -> Yolo:
    assert callable(change)
    path = copy_yolo(folder / "net") / "yolov4-tiny.weights"
    data = path.read_bytes()
    weights = change(np.frombuffer(data[HEADER_BYTES:], dtype=np.float32))
    path.write_bytes(data[:HEADER_BYTES] + weights.astype(np.float32).tobytes())
    return Yolo(str(path.parent))


def _refuses(detector: Yolo, told: str) -> None:
    with pytest.raises(UnusableModelError) as refused:
        prove(detector, 0.3, IOU)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
