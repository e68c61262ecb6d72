"""Detectors of OpenCV: real weights see what is there, each format of boxes is read right, spoilt files are refused."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError, MissingPartError, SubitizeError, UnusableModelError
from subitize.io.images import Rgb
from subitize.networks.collages import make_collage
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.networks.detectors.detector import Detector
from subitize.networks.detectors.opencv import OpenCv, Ssd, Yolo
from subitize.networks.detectors.outputs import YoloLayout, recognise_yolo
from tests.cases import Case
from tests.networks.coco_network import copy_yolo, ssd_folder, yolo_folder
from tests.networks.onnx_graphs import Floats, write_network

WHITE: Rgb = np.full((100, 200, 3), 255, dtype=np.uint8)
CAT = COCO_CLASSES.index("cat")
# In a network of 64 × 64 pixels the white picture of 200 × 100 lies in the middle, 32 pixels high.
CENTRE = (32.0, 32.0, 16.0, 8.0)
IN_THE_PICTURE = (75.0, 37.5, 125.0, 62.5)


@pytest.fixture(scope="module")
def ssd() -> Ssd:
    return Ssd(str(ssd_folder()))


@pytest.fixture(scope="module")
def yolo() -> Yolo:
    return Yolo(str(yolo_folder()))


@pytest.fixture(params=["ssd", "yolo"])
def real(request: pytest.FixtureRequest) -> OpenCv:
    detector: OpenCv = request.getfixturevalue(request.param)
    return detector


@pytest.mark.weights
def test_a_real_network_finds_the_cup_where_it_is(real: Detector) -> None:
    collage = make_collage(("cup", "motorcycle"), 3)
    (found,) = real.detect([collage.pixels], ["mug", "motorbike"], 0.3)
    mugs, bikes = found.labelled("mug").suppressed(0.45), found.labelled("motorbike").suppressed(0.45)
    assert len(mugs) == len(bikes) == 1
    centres = [(box.xyxy[0, 0] + box.xyxy[0, 2]) / 2 for box in (mugs, bikes)]
    assert abs(centres[0] - centres[1]) > 200
    assert found.xyxy.min() >= 0
    assert found.xyxy[:, 2].max() <= 720
    assert found.xyxy[:, 3].max() <= 540


@pytest.mark.weights
def test_boxes_come_down_to_the_floor_and_overlap(yolo: Yolo) -> None:
    picture = make_collage(("person",), 1).pixels
    (low,), (high,) = (yolo.detect([picture], ["person"], floor) for floor in (0.01, 0.3))
    assert len(low) > len(high) > len(high.suppressed(0.45))
    assert 0.01 <= low.scores.min() < 0.2
    assert low.above(0.3).boxes() == high.boxes()


@pytest.mark.weights
def test_thresholds_in_the_configuration_leave_no_box_out(yolo: Yolo, tmp_path: Path) -> None:
    plan = copy_yolo(tmp_path / "net") / "yolov4-tiny.cfg"
    strict = "\n thresh = .6\nnms_threshold=0.3\n\n"
    plan.write_text(re.sub(r"\[yolo\][^\[]*", lambda own: own[0].rstrip() + strict, plan.read_text()), encoding="utf-8")
    picture = make_collage(("cat", "cat", "person"), 3).pixels
    (low,), (own,) = (one.detect([picture], ["cat", "person"], 0.05) for one in (Yolo(str(tmp_path / "net")), yolo))
    assert low.boxes() == own.boxes()
    assert low.scores.min() < 0.2


@pytest.mark.weights
def test_pictures_are_seen_alike_alone_and_together(real: Detector) -> None:
    pictures = [make_collage((noun,), 2).pixels for noun in ("cat", "cup")]
    together = real.detect(pictures, [], 0.1)
    assert [found.boxes() for found in together] == [real.detect([one], [], 0.1)[0].boxes() for one in pictures]


@pytest.mark.weights
def test_without_nouns_all_classes_are_looked_for_by_their_own_names(yolo: Yolo) -> None:
    (found,) = yolo.detect([make_collage(("cup", "motorcycle"), 3).pixels], [], 0.3)
    assert {"cup", "motorbike"} <= set(found.labels) <= set(yolo.classes())


@pytest.mark.weights
def test_a_noun_of_no_class_is_refused_by_name(real: Detector) -> None:
    assert real.knows("airplane")
    assert not real.knows("butterfly")
    with pytest.raises(BadValueError, match="cannot see 'butterfly'; it knows person, bicycle"):
        real.detect([WHITE], ["butterfly"], 0.3)


@pytest.mark.weights
def test_a_network_without_names_is_taken_for_coco_and_that_is_said(ssd: Ssd, yolo: Yolo) -> None:
    assert ssd.classes() == COCO_CLASSES
    assert "90 are taken for those of COCO" in ssd.assumption
    assert yolo.assumption == ""


@pytest.mark.weights
def test_other_names_of_classes_make_another_detector(yolo: Yolo, tmp_path: Path) -> None:
    names = tmp_path / "other.names"
    names.write_text("\n".join(reversed(yolo.classes())), encoding="utf-8")
    other = Yolo(str(yolo_folder()), labels=str(names))
    assert other.classes() == yolo.classes()[::-1]
    assert other.weights_hash() != yolo.weights_hash() == Yolo(str(yolo_folder())).weights_hash()
    assert re.fullmatch("[0-9a-f]{64}", yolo.weights_hash())
    assert yolo.versions()["opencv"].startswith("4.")


@pytest.mark.weights
@pytest.mark.parametrize(("size", "is_right"), [(320, True), (100, False), (-32, False), (9600, False)])
def test_a_yolo_looks_at_multiples_of_thirty_two_pixels(size: int, is_right: bool) -> None:
    if is_right:
        (found,) = Yolo(str(yolo_folder()), size=size).detect([make_collage(("cup",), 1).pixels], ["cup"], 0.3)
        assert len(found.suppressed(0.45)) == 1
    else:
        with pytest.raises(BadValueError, match=f"size={size}: should be a multiple of 32"):
            Yolo(str(yolo_folder()), size=size)


def _with_objectness(boxes: int, classes: int) -> Floats:
    output = np.zeros((1, boxes, classes + 5))
    output[0, 3] = [*CENTRE, 0.9, *([0.0] * classes)]
    output[0, 3, 5 + min(CAT, classes - 1)] = 0.5
    return output


def _without_objectness(boxes: int, classes: int) -> Floats:
    output = np.zeros((1, classes + 4, boxes))
    output[0, :4, 3] = CENTRE
    output[0, 4 + min(CAT, classes - 1), 3] = 0.45
    return output


def _final(boxes: int) -> Floats:
    output = np.zeros((1, boxes, 6))
    output[0, 3] = [24, 28, 40, 36, 0.45, CAT]
    return output


@pytest.mark.detect
@pytest.mark.parametrize(
    "output",
    [
        pytest.param(_with_objectness(252, 80), id="n × 85 with objectness"),
        pytest.param(_with_objectness(20, 80), id="few × 85 with objectness"),
        pytest.param(_without_objectness(84, 80), id="84 × n"),
        pytest.param(_without_objectness(20, 80), id="84 × few"),
        pytest.param(_without_objectness(20, 80).transpose(0, 2, 1), id="n × 84"),
        pytest.param(_final(300), id="n × 6, final"),
    ],
)
def test_each_export_of_a_yolo_is_told_by_its_shape_and_read(output: Floats, tmp_path: Path) -> None:
    write_network(tmp_path / "v.onnx", {"output0": output})
    (tmp_path / "coco.names").write_text("\n".join(COCO_CLASSES), encoding="utf-8")
    (found,) = Yolo(str(tmp_path)).detect([WHITE], ["cat"], 0.05)
    assert [(box.label, box.score, box.xyxy) for box in found.boxes()] == [("cat", 0.45, IN_THE_PICTURE)]


LAYOUTS = [
    ((25200, 85), 0, YoloLayout("objectness", 80)),
    ((84, 8400), 0, YoloLayout("classes", 80, is_transposed=True)),
    ((300, 6), 80, YoloLayout("final", 0)),
    ((25200, 6), 1, YoloLayout("objectness", 1)),
    ((8400, 6), 2, YoloLayout("classes", 2)),
    ((6, 8400), 2, YoloLayout("classes", 2, is_transposed=True)),
    ((5, 8400), 1, YoloLayout("classes", 1, is_transposed=True)),
    ((300, 6), 1, YoloLayout("final", 0)),
    ((25500, 6), 1, YoloLayout("objectness", 1)),
    ((8500, 6), 2, YoloLayout("classes", 2)),
    ((12345, 6), 1, YoloLayout("objectness", 1)),
    ((12345, 6), 80, None),
    ((116, 8400), 80, None),
    ((25200, 85), 3, None),
]


def test_shapes_tell_yolos_apart(case: Case) -> None:
    for shape, classes, layout in LAYOUTS:
        with case((shape, classes)):
            assert recognise_yolo([(1, *shape)], classes, (640, 640)) == layout


def test_boxes_of_a_small_network_with_four_sizes_of_cells_are_not_final() -> None:
    assert recognise_yolo([(1, 3 * (64 + 16 + 4 + 1), 6)], 1, (64, 64)) == YoloLayout("objectness", 1)


@pytest.mark.detect
def test_an_export_says_its_own_names_and_size(tmp_path: Path) -> None:
    output = _without_objectness(20, 2)
    notes = {"names": "{0: 'ant', 1: 'butterfly'}"}
    path = write_network(tmp_path / "insects.onnx", {"output0": output}, size=(96, 64), notes=notes)
    (tmp_path / "coco.names").write_text("\n".join(COCO_CLASSES), encoding="utf-8")
    detector = Yolo(str(path))
    assert detector.classes() == ("ant", "butterfly")
    # 200 × 100 pixels become 96 × 48, with bars of 8 pixels above and below.
    (box,) = detector.detect([WHITE], ["butterflies"], 0.05)[0].boxes()
    assert box.label == "butterflies"
    assert box.xyxy == pytest.approx((24 / 0.48, 20 / 0.48, 40 / 0.48, 28 / 0.48), abs=0.01)


@pytest.mark.detect
def test_an_export_of_one_size_is_not_shown_another_and_an_open_one_is(tmp_path: Path) -> None:
    fixed = write_network(tmp_path / "fixed.onnx", {"output0": _with_objectness(252, 80)})
    with pytest.raises(BadValueError, match="size=96: this network was exported for 64 × 64 pixels; leave size out"):
        Yolo(str(fixed), size=96).load()
    left_open = write_network(tmp_path / "open.onnx", {"output0": _with_objectness(252, 80)}, size=(0, 0))
    (found,) = Yolo(str(left_open), size=64).detect([WHITE], ["cat"], 0.05)
    assert [box.xyxy for box in found.boxes()] == [IN_THE_PICTURE]


@pytest.mark.detect
def test_a_yolo_of_eighty_classes_without_names_is_taken_for_coco(tmp_path: Path) -> None:
    detector = Yolo(str(write_network(tmp_path / "v.onnx", {"output0": _with_objectness(252, 80)})))
    assert detector.classes() == COCO_CLASSES
    assert detector.assumption == "no file names the classes of v.onnx: its 80 are taken for those of COCO"


@pytest.mark.detect
def test_an_exported_yolo_is_shown_values_from_0_to_1_with_grey_bars(tmp_path: Path) -> None:
    base, slope = _without_objectness(84, 80), np.zeros((1, 84, 84))
    base[0, 4 + CAT, 3], slope[0, 4 + CAT, 3] = 0, 1
    detector = Yolo(str(write_network(tmp_path / "v.onnx", {"output0": base}, brighter={"output0": slope})))
    (box,) = detector.detect([WHITE], ["cat"], 0.05)[0].boxes()
    assert box.score == pytest.approx((1 + 114 / 255) / 2, abs=1e-4)


BOXES = np.array([[[0.1, 0.2, 0.5, 0.6], [0.0, 0.0, 1.0, 1.0]]])


@pytest.mark.detect
@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param(
            {"boxes": BOXES, "scores": np.array([[0.75, 0.01]]), "labels": np.array([[2.0, 1.0]])}, id="three outputs"
        ),
        pytest.param({"boxes": BOXES * 64, "scores": np.array([[[0.2, 0.05, 0.75], [0.98, 0.01, 0.01]]])}, id="pixels"),
        pytest.param({"b": BOXES, "s": np.array([[[0.2, 0.05, 0.75], [0.98, 0.01, 0.01]]])}, id="boxes by classes"),
        pytest.param({"out": np.array([[[[0, 2, 0.75, 0.1, 0.2, 0.5, 0.6]]]])}, id="rows of seven"),
    ],
)
def test_an_ssd_in_onnx_is_read_by_its_outputs(outputs: dict[str, Floats], tmp_path: Path) -> None:
    path = write_network(tmp_path / "ssd.onnx", outputs)
    (tmp_path / "labels.txt").write_text("background\nant\nbutterfly\n", encoding="utf-8")
    (found,) = Ssd(str(path)).detect([WHITE], ["butterfly"], 0.05)
    assert [(box.score, box.xyxy) for box in found.boxes()] == [(0.75, (20.0, 20.0, 100.0, 60.0))]


@pytest.mark.detect
@pytest.mark.parametrize("unit", [1, 64])
def test_a_wild_box_below_the_floor_does_not_change_the_others(unit: int, tmp_path: Path) -> None:
    boxes = np.array([[[0.1, 0.2, 0.5, 0.6], [0.0, 0.0, 9.0, 0.5], [-7.0, 0.0, 0.1, 0.1]]]) * unit
    scores = np.array([[[0.2, 0.05, 0.75], [0.98, 0.01, 0.01], [0.98, 0.01, 0.01]]])
    path = write_network(tmp_path / "ssd.onnx", {"boxes": boxes, "scores": scores})
    (tmp_path / "labels.txt").write_text("background\nant\nbutterfly\n", encoding="utf-8")
    (found,) = Ssd(str(path)).detect([WHITE], ["butterfly"], 0.05)
    assert [(box.score, box.xyxy) for box in found.boxes()] == [(0.75, (20.0, 20.0, 100.0, 60.0))]


@pytest.mark.detect
def test_outputs_of_an_ssd_that_cannot_be_told_are_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "ssd.onnx", {"a": np.zeros((1, 9, 9)), "b": np.zeros((1, 3))})
    with pytest.raises(UnusableModelError, match="gives a 1 × 9 × 9, b 1 × 3: not the boxes, scores and labels"):
        Ssd(str(path)).load()


@pytest.mark.detect
def test_outputs_that_are_no_yolo_are_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "v.onnx", {"output0": np.zeros((1, 116, 90))})
    with pytest.raises(UnusableModelError, match="gives output0 1 × 116 × 90, which with unknown classes are no YOLO"):
        Yolo(str(path)).load()


@pytest.mark.detect
def test_final_boxes_without_names_of_classes_are_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "v.onnx", {"output0": _final(300)})
    with pytest.raises(UnusableModelError, match="has unknown classes, and no file names them; write labels=FILE"):
        Yolo(str(path)).load()


@pytest.mark.weights
def test_a_wrong_number_of_names_is_refused(tmp_path: Path) -> None:
    (copy_yolo(tmp_path / "net") / "coco.names").write_text("cat\ndog\n", encoding="utf-8")
    with pytest.raises(
        UnusableModelError, match="has 80 classes, and the file of names has 2 lines; write labels=FILE"
    ):
        Yolo(str(tmp_path / "net")).load()


@pytest.mark.detect
def test_a_folder_of_two_networks_lists_both(tmp_path: Path) -> None:
    for name in ("a.onnx", "b.onnx"):
        write_network(tmp_path / name, {"output0": _final(300)})
    with pytest.raises(BadFileError, match=r"has 2 networks; name one: \S+a.onnx, \S+b.onnx$"):
        Yolo(str(tmp_path)).load()


@pytest.mark.weights
def test_a_folder_of_the_other_kind_says_which_it_is() -> None:
    with pytest.raises(BadFileError, match=r"no network for it .* write yolo:\S+yolov4-tiny.weights$"):
        Ssd(str(yolo_folder())).load()
    with pytest.raises(BadFileError, match=r"no network for it .* write ssd:\S+frozen_inference_graph.pb$"):
        Yolo(str(ssd_folder())).load()


@pytest.mark.detect
def test_a_folder_that_is_not_there_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="there is no folder or file"):
        Yolo(str(tmp_path / "nothing")).load()
    with pytest.raises(BadFileError, match="it has nothing"):
        Yolo(str(tmp_path)).load()


@pytest.mark.weights
def test_one_name_is_one_line(tmp_path: Path) -> None:
    (copy_yolo(tmp_path / "net") / "coco.names").write_text("cat\n", encoding="utf-8")
    with pytest.raises(UnusableModelError, match="the file of names has 1 line; write"):
        Yolo(str(tmp_path / "net")).load()


@pytest.mark.weights
def test_a_folder_of_labels_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=rf"labels={tmp_path} is a folder; name a file in it"):
        Yolo(str(yolo_folder()), labels=str(tmp_path)).load()


@pytest.mark.weights
@pytest.mark.parametrize(
    ("version", "cut", "told"),
    [
        ((0, 2), 16, "4 fewer than yolov4-tiny.cfg asks for: it says that it is of Darknet 0.2, and its header seems"),
        ((0, 1), 20, "4 more than yolov4-tiny.cfg asks for: it says that it is of Darknet 0.1, and its header seems"),
        ((2**31 - 1, 2**31 - 1), 24, "8 more than|cannot be read by OpenCV"),
    ],
)
def test_a_header_of_another_version_is_told_from_damage(
    version: tuple[int, int], cut: int, told: str, tmp_path: Path
) -> None:
    weights = copy_yolo(tmp_path / "net") / "yolov4-tiny.weights"
    numbers = weights.read_bytes()[20:]
    weights.write_bytes(np.array([*version, 0], dtype=np.int32).tobytes() + bytes(cut - 12) + numbers)
    with pytest.raises(UnusableModelError, match=told):
        Yolo(str(tmp_path / "net")).load()


@pytest.mark.weights
def test_an_older_header_is_read(tmp_path: Path) -> None:
    weights = copy_yolo(tmp_path / "net") / "yolov4-tiny.weights"
    weights.write_bytes(np.array([0, 1, 0, 0], dtype=np.int32).tobytes() + weights.read_bytes()[20:])
    Yolo(str(tmp_path / "net")).load()


def _truncate(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _scribble(path: Path) -> None:
    path.write_text("this is a letter to my aunt\n" * 40, encoding="utf-8")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _remove(path: Path) -> None:
    path.unlink()


@pytest.mark.weights
@pytest.mark.parametrize(
    ("file", "spoil", "told"),
    [
        (
            "yolov4-tiny.weights",
            _truncate,
            "has 12125638 bytes, 12125638 fewer than yolov4-tiny.cfg asks for: it is damaged",
        ),
        ("yolov4-tiny.weights", _empty, "is empty; copy or export it again"),
        ("yolov4-tiny.weights", _scribble, "cannot be read by OpenCV"),
        ("yolov4-tiny.cfg", _truncate, "is no configuration of a Darknet detector"),
        ("yolov4-tiny.cfg", _scribble, "is no configuration of a Darknet detector"),
        ("yolov4-tiny.cfg", _remove, "needs its .cfg file beside it"),
        ("coco.names", _empty, "is empty; write the names"),
    ],
)
def test_spoilt_darknet_files_are_refused_in_one_line(file: str, spoil: object, told: str, tmp_path: Path) -> None:
    assert callable(spoil)
    spoil(copy_yolo(tmp_path / "net") / file)
    _refuses(Yolo(str(tmp_path / "net")), told)


@pytest.mark.weights
@pytest.mark.parametrize(
    ("suffix", "spoil", "told"),
    [
        (".pb", _truncate, "cannot be read by OpenCV"),
        (".pb", _scribble, "cannot be read by OpenCV"),
        (".pbtxt", _truncate, "is no text graph of an SSD, or a part of one"),
        (".pbtxt", _scribble, "is no text graph of an SSD, or a part of one"),
        (".pbtxt", _remove, "needs its .pbtxt file beside it"),
    ],
)
def test_spoilt_tensorflow_files_are_refused_in_one_line(suffix: str, spoil: object, told: str, tmp_path: Path) -> None:
    assert callable(spoil)
    for file in ssd_folder().iterdir():
        if file.suffix in (".pb", ".pbtxt"):
            shutil.copy(file, tmp_path / f"net{file.suffix}")
    spoil(tmp_path / f"net{suffix}")
    _refuses(Ssd(str(tmp_path)), told)


@pytest.mark.detect
@pytest.mark.parametrize("spoil", [_truncate, _scribble])
def test_a_spoilt_onnx_file_is_refused_in_one_line(spoil: object, tmp_path: Path) -> None:
    assert callable(spoil)
    path = write_network(tmp_path / "v.onnx", {"output0": _with_objectness(252, 80)})
    spoil(path)
    _refuses(Yolo(str(path)), "v.onnx is no ONNX file, or a damaged one; export or copy it again")


@pytest.mark.detect
def test_an_operation_that_opencv_does_not_know_is_named_without_paths_of_its_build(tmp_path: Path) -> None:
    path = write_network(tmp_path / "v.onnx", {"output0": _with_objectness(252, 80)})
    path.write_bytes(path.read_bytes().replace(b"ReduceMean", b"ReduceMoon"))
    with pytest.raises(UnusableModelError) as refused:
        Yolo(str(path)).load()
    assert "ReduceMoon" in str(refused.value)
    assert ".cpp" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_opencv_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingPartError, match=r"yolo needs cv2; run: pip install 'subitize\[detect\]'"):
        Yolo("anywhere")


@pytest.mark.weights
@pytest.mark.usefixtures("loaded_anew")
def test_an_opencv_that_reads_no_darknet_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import cv2

    monkeypatch.delattr(cv2.dnn, "readNetFromDarknet")
    with pytest.raises(
        UnusableModelError, match="reads no Darknet weights; run: pip install 'opencv-python-headless<5'"
    ):
        Yolo(str(yolo_folder())).load()


def _refuses(detector: OpenCv, told: str) -> None:
    with pytest.raises(SubitizeError) as refused:
        detector.load()
    message = str(refused.value)
    assert told in message
    assert "\n" not in message
    assert "/io/" not in message
    assert refused.value.exit_code == 2
