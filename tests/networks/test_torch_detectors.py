"""Every detector on transformers keeps one contract, with tiny networks that are loaded from disk as a user's are."""

import gc
import json
import re
import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.io.images import Rgb
from subitize.networks.detectors.detector import Detector, DetectorSettings, detector_factory
from subitize.networks.detectors.hub import (
    Detr,
    GroundingDino,
    MmGroundingDino,
    Molmo2,
    OpenVocabulary,
    Owlv2,
    RfDetr,
    RtDetr,
    Sam3,
)
from subitize.stats.boxes import Detections, Floats
from tests.networks import tiny_detectors
from tests.networks.tiny_weights import find_tiny

if TYPE_CHECKING:
    import torch

Maker = type[Detr | OpenVocabulary]
MAKERS: dict[str, Maker] = {
    "grounding-dino": GroundingDino,
    "mm-grounding-dino": MmGroundingDino,
    "molmo2": Molmo2,
    "owlv2": Owlv2,
    "sam3": Sam3,
    "sam3-video": Sam3,
    "detr": Detr,
    "conditional-detr": Detr,
    "deformable-detr": Detr,
    "rf-detr": RfDetr,
    "rf-detr-outlining": RfDetr,
    "rt-detr": RtDetr,
    "rt-detr-v2": RtDetr,
    "yolos": Detr,
}
OPEN = ("grounding-dino", "mm-grounding-dino", "molmo2", "owlv2", "sam3", "sam3-video")
CLOSED = tuple(kind for kind in MAKERS if kind not in OPEN)
pytestmark = pytest.mark.torch

SIZES = ((60, 90), (100, 50), (64, 64), (60, 90), (24, 96))

every_kind = pytest.mark.parametrize("kind", MAKERS)
every_open = pytest.mark.parametrize("kind", OPEN)
every_closed = pytest.mark.parametrize("kind", CLOSED)

Folders = Callable[[str], Path]
Detectors = Callable[[str], Detector]
Everything = Callable[[str], list[Detections]]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return partial(find_tiny, folders=tmp_path_factory)


@pytest.fixture(scope="module")
def detectors(folders: Folders) -> Detectors:
    return cache(lambda kind: MAKERS[kind](str(folders(kind)), device="cpu"))


@pytest.fixture(scope="module")
def pictures() -> list[Rgb]:
    """Noise in blocks, of several sizes; two of the same."""
    random = np.random.default_rng(5)
    blocks = [random.integers(0, 256, (height // 4 + 1, width // 4 + 1, 3), np.uint8) for height, width in SIZES]
    grown = [block.repeat(4, axis=0).repeat(4, axis=1) for block in blocks]
    return [picture[:height, :width] for picture, (height, width) in zip(grown, SIZES, strict=True)]


@pytest.fixture(scope="module")
def everything(detectors: Detectors, pictures: list[Rgb]) -> Everything:
    """All that a detector finds in the pictures, whatever its score, when it is shown them together."""
    return cache(lambda kind: detectors(kind).detect(pictures, _nouns(kind), 0.0))


def _nouns(kind: str) -> list[str]:
    return ["apple", "cell phone"] if kind in OPEN else []


@every_kind
def test_a_batch_of_several_sizes_gives_what_each_picture_gives_alone(
    kind: str, detectors: Detectors, pictures: list[Rgb], everything: Everything
) -> None:
    for picture, found in zip(pictures, everything(kind), strict=True):
        (alone,) = detectors(kind).detect([picture], _nouns(kind), 0.0)
        assert len(found) > 0
        assert found.labels == alone.labels
        np.testing.assert_allclose(found.scores, alone.scores, atol=1e-4, rtol=0)
        np.testing.assert_allclose(found.xyxy, alone.xyxy, atol=1e-4 * max(picture.shape), rtol=0)


@every_kind
def test_what_is_found_depends_on_the_picture(kind: str, everything: Everything) -> None:
    one, other = everything(kind)[0], everything(kind)[3]
    assert one.xyxy.shape != other.xyxy.shape or not np.allclose(one.xyxy, other.xyxy, atol=0.05)


@every_kind
def test_boxes_are_in_the_pixels_of_the_picture_with_centres_inside_it(
    kind: str, pictures: list[Rgb], everything: Everything
) -> None:
    for picture, found in zip(pictures, everything(kind), strict=True):
        height, width, _ = picture.shape
        centres = (found.xyxy[:, :2] + found.xyxy[:, 2:]) / 2
        assert (found.xyxy[:, 2:] >= found.xyxy[:, :2]).all()
        assert (centres >= -1e-3).all()
        assert (centres <= np.array([width, height]) + 1e-3).all()


@every_kind
def test_what_scores_at_least_the_floor_is_kept_and_nothing_else(
    kind: str, detectors: Detectors, pictures: list[Rgb]
) -> None:
    (unsifted,) = detectors(kind).detect(pictures[:1], _nouns(kind), 0.0)
    floor = float(unsifted.scores[len(unsifted) // 2])
    (kept,) = detectors(kind).detect(pictures[:1], _nouns(kind), floor)
    np.testing.assert_array_equal(kept.scores, unsifted.above(floor).scores)
    assert floor in kept.scores


@every_kind
def test_where_nothing_scores_enough_there_are_no_detections(
    kind: str, detectors: Detectors, pictures: list[Rgb]
) -> None:
    for found in detectors(kind).detect(pictures[:2], _nouns(kind), 1.01):
        assert len(found) == 0
        assert found.xyxy.shape == (0, 4)
        assert found.boxes() == ()


@every_kind
def test_no_pictures_give_no_detections(kind: str, detectors: Detectors) -> None:
    assert detectors(kind).detect([], _nouns(kind), 0.1) == []


@every_kind
def test_the_smallest_picture_is_looked_at(kind: str, detectors: Detectors) -> None:
    (found,) = detectors(kind).detect([np.zeros((1, 1, 3), np.uint8)], _nouns(kind), 0.0)
    assert np.isfinite(found.xyxy).all()


@every_open
def test_a_noun_is_found_alike_alone_and_beside_others(kind: str, detectors: Detectors, pictures: list[Rgb]) -> None:
    (both,) = detectors(kind).detect(pictures[:1], ["cell phone", "Apple"], 0.0)
    (alone,) = detectors(kind).detect(pictures[:1], ["Apple"], 0.0)
    assert set(both.labels) == {"cell phone", "Apple"}
    _assert_alike(both.labelled("Apple"), alone)
    if MAKERS[kind].has_scores:
        assert not np.allclose(alone.scores, both.labelled("cell phone").scores)


@every_open
def test_an_open_vocabulary_has_no_list_and_sees_any_word(kind: str, detectors: Detectors) -> None:
    detector = detectors(kind)
    assert detector.is_open_vocabulary
    assert list(detector.classes()) == []
    assert detector.knows("zyzzyva")
    assert not detector.knows(" . ")
    assert detector.detect([np.zeros((9, 9, 3), np.uint8)], [], 0.0)[0].boxes() == ()


@every_open
def test_a_noun_longer_than_the_network_can_read_is_cut(kind: str, detectors: Detectors, pictures: list[Rgb]) -> None:
    (found,) = detectors(kind).detect(pictures[:1], ["apple " * 400], 0.0)
    assert set(found.labels) == {"apple " * 400}


@every_closed
def test_classes_are_those_of_the_config_without_its_gaps(kind: str, detectors: Detectors) -> None:
    detector = detectors(kind)
    assert not detector.is_open_vocabulary
    assert list(detector.classes()) == ["person", "bicycle", "airplane", "apple", "tv"]
    assert [noun for noun in ("people", "bike", "plane", "tv", "fork", "N/A") if detector.knows(noun)] == [
        "people",
        "bike",
        "plane",
        "tv",
    ]


@every_closed
def test_things_are_labelled_by_the_noun_that_was_asked_for(
    kind: str, detectors: Detectors, pictures: list[Rgb], everything: Everything
) -> None:
    asked = detectors(kind).detect(pictures, ["plane", "people", "apple", "bike", "television"], 0.0)
    names = {"airplane": "plane", "person": "people", "apple": "apple", "bicycle": "bike", "tv": "television"}
    for found, renamed in zip(everything(kind), asked, strict=True):
        assert set(found.labels) <= set(names)
        assert sorted(map(names.__getitem__, found.labels)) == sorted(renamed.labels)
        np.testing.assert_array_equal(found.scores, renamed.scores)


@every_closed
def test_a_noun_that_is_no_class_is_not_taken_for_absent(kind: str, detectors: Detectors) -> None:
    with pytest.raises(BadValueError, match="cannot see 'fork'; it knows person, bicycle"):
        detectors(kind).detect([np.zeros((9, 9, 3), np.uint8)], ["apple", "fork"], 0.1)


@pytest.mark.parametrize("noun", ["apple", "Cats", "cell phone", "dr. cat"])
@pytest.mark.parametrize("kind", ["grounding-dino", "mm-grounding-dino"])
def test_the_score_is_the_best_of_the_nouns_own_tokens_and_the_boxes_are_the_librarys(
    kind: str, noun: str, folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    from transformers import AutoImageProcessor, AutoTokenizer, GroundingDinoProcessor

    folder = folders(kind)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    processor = GroundingDinoProcessor(AutoImageProcessor.from_pretrained(folder), tokenizer)
    text = noun.lower().replace(". ", " ") + "."
    for picture in pictures[:2]:
        inputs = processor(images=[picture], text=text, return_tensors="pt")
        output = _forward(folder, dict(inputs))
        pieces = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
        assert pieces[0] == "[CLS]"
        assert pieces[-2:] == [".", "[SEP]"]
        output.logits[..., [0, len(pieces) - 2, len(pieces) - 1]] = -100.0
        (library,) = processor.post_process_grounded_object_detection(
            output, inputs["input_ids"], threshold=0.0, target_sizes=[picture.shape[:2]]
        )
        (found,) = detectors(kind).detect([picture], [noun], 0.0)
        _assert_alike(found, _sorted(library, [noun]))


def test_owlv2_is_asked_for_a_photo_and_its_boxes_are_the_librarys(
    folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    from transformers import AutoImageProcessor, AutoTokenizer, Owlv2Processor

    folder = folders("owlv2")
    processor = Owlv2Processor(AutoImageProcessor.from_pretrained(folder), AutoTokenizer.from_pretrained(folder))
    for noun, query in {"apple": "a photo of an apple", "cat": "a photo of a cat"}.items():
        inputs = processor(images=[pictures[2]], text=[[query]], return_tensors="pt", max_length=16)
        (library,) = processor.post_process_grounded_object_detection(
            _forward(folder, dict(inputs)), threshold=0.0, target_sizes=[(64, 64)]
        )
        (found,) = detectors("owlv2").detect([pictures[2]], [noun], 0.0)
        _assert_alike(found, _sorted(library, [noun]))


@pytest.mark.parametrize("place", [0, 1, 4])
def test_owlv2_sees_a_picture_as_it_sees_the_square_that_it_is_padded_to(
    place: int, detectors: Detectors, pictures: list[Rgb]
) -> None:
    height, width, _ = pictures[place].shape
    side = max(height, width)
    square = np.zeros((side, side, 3), np.uint8)
    square[:height, :width] = pictures[place]
    (found,) = detectors("owlv2").detect([pictures[place]], ["apple"], 0.0)
    (padded,) = detectors("owlv2").detect([square], ["apple"], 0.0)
    centres = (padded.xyxy[:, :2] + padded.xyxy[:, 2:]) / 2
    _assert_alike(found, padded.where((centres[:, 0] <= width) & (centres[:, 1] <= height)))


@pytest.mark.parametrize("kind", [kind for kind in CLOSED if not kind.startswith("rf-detr")])
def test_what_is_found_is_what_the_librarys_processor_reads(
    kind: str, folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    from transformers import AutoImageProcessor

    processor = AutoImageProcessor.from_pretrained(folders(kind))
    for picture in pictures[:2]:
        output = _forward(folders(kind), dict(processor(images=[picture], return_tensors="pt")))
        (library,) = processor.post_process_object_detection(output, threshold=0.0, target_sizes=[picture.shape[:2]])
        best = _sorted(library, ["N/A"] * (kind not in ("rt-detr", "rt-detr-v2")) + list(tiny_detectors.CLASSES[1:]))
        (found,) = detectors(kind).detect([picture], [], 0.0)
        _assert_alike(found, best.where([label != "N/A" for label in best.labels]))


@pytest.mark.parametrize("kind", ["conditional-detr", "deformable-detr"])
def test_every_class_of_every_box_is_kept_whatever_else_scores_better(
    kind: str, folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    from transformers import AutoImageProcessor

    processor = AutoImageProcessor.from_pretrained(folders(kind))
    output = _forward(folders(kind), dict(processor(images=[pictures[0]], return_tensors="pt")))
    odds = 1 / (1 + np.exp(-np.asarray(output.logits[0], dtype=np.float64)))
    for number, name in enumerate(tiny_detectors.CLASSES[1:], start=1):
        (found,) = detectors(kind).detect([pictures[0]], [name], 0.0)
        np.testing.assert_allclose(found.scores, np.sort(odds[:, number])[::-1], atol=1e-5)


@pytest.mark.parametrize("kind", ["rf-detr", "rf-detr-outlining"])
def test_rf_detr_scores_each_class_of_each_box_by_itself(
    kind: str, folders: Folders, pictures: list[Rgb], tmp_path: Path
) -> None:
    import torch
    from transformers import RfDetrForInstanceSegmentation, RfDetrForObjectDetection

    folder = _favour(folders(kind), tmp_path / kind, "class_embed.bias", [-9.0, 0.5, -9.0, 0.2, 0.0, -9.0])
    model_class = RfDetrForObjectDetection if kind == "rf-detr" else RfDetrForInstanceSegmentation
    network: Any = model_class.from_pretrained(folder)
    detector = RfDetr(str(folder), device="cpu")
    for picture in pictures[:2]:
        height, width, _ = picture.shape
        pixels = torch.from_numpy(picture.copy()).permute(2, 0, 1)[None] / 255
        small = torch.nn.functional.interpolate(pixels, (64, 64), mode="bilinear", antialias=False)
        with torch.no_grad():
            output = network((small - 0.45) / 0.5)
        odds = 1 / (1 + np.exp(-np.asarray(output.logits[0], dtype=np.float64)))
        x, y, w, h = np.asarray(output.pred_boxes[0], dtype=np.float64).T
        corners = np.stack([(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height], 1)
        (found,) = detector.detect([picture], [], 0.0)
        for number, name in enumerate(tiny_detectors.CLASSES[1:], start=1):
            _assert_alike(found.labelled(name), Detections.make(corners, odds[:, number], [name] * len(odds)))
        assert len(found.above(0.5).labelled("person")) > 1
        assert len(found.above(0.5).labelled("airplane")) > 1


@pytest.mark.parametrize("noun", ["apple", "cell phone"])
def test_sam3_scores_a_box_by_itself_and_by_whether_the_noun_is_there_at_all(
    noun: str, folders: Folders, pictures: list[Rgb], tmp_path: Path
) -> None:
    import torch
    from PIL import Image
    from transformers import AutoTokenizer, Sam3Model

    folder = _favour(folders("sam3"), tmp_path / "sam3", "presence_head.layer3.bias", [3.0])
    network: Any = Sam3Model.from_pretrained(folder)
    detector = Sam3(str(folder), device="cpu")
    words = AutoTokenizer.from_pretrained(folder)(noun, return_tensors="pt", padding="max_length", max_length=12)
    for picture in pictures[:2]:
        height, width, _ = picture.shape
        small = np.asarray(Image.fromarray(picture).resize((56, 56), Image.Resampling.BILINEAR), np.float32)
        with torch.no_grad():
            output = network(torch.from_numpy((small / 255 - 0.5) / 0.5).permute(2, 0, 1)[None], **words)
        logits, presence = (np.asarray(one[0], np.float64) for one in (output.pred_logits, output.presence_logits))
        scores = 1 / (1 + np.exp(-logits)) / (1 + np.exp(-presence))
        boxes = np.asarray(output.pred_boxes[0], np.float64) * (width, height, width, height)
        (found,) = detector.detect([picture], [noun], 0.0)
        _assert_alike(found, Detections.make(boxes, scores, [noun] * len(scores)))
        assert len(found.above(0.3)) > 1
        order = np.argsort(-scores, kind="stable")
        expected = [_cover(np.asarray(output.pred_masks[0, place]), boxes[place], picture) for place in order]
        np.testing.assert_array_equal(found.masks, expected)


def _favour(source: Path, folder: Path, name: str, bias: list[float]) -> Path:
    """Copy a network and have it score higher by other biases."""
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    tensors = load_file(folder / "model.safetensors")
    (own,) = [one for one in tensors if one.endswith(name)]
    save_file(tensors | {own: torch.tensor(bias)}, folder / "model.safetensors", {"format": "pt"})
    return folder


def _cover(scores: Floats, box: Floats, picture: Rgb) -> list[list[bool]]:
    """Tell, cell by cell, whether the centre of each lies where a map of the picture is above 0."""
    height, width, _ = picture.shape
    left, top, right, bottom = box

    def is_covered(row: int, column: int) -> bool:
        x, y = left + (right - left) * (column + 0.5) / 32, top + (bottom - top) * (row + 0.5) / 32
        if not (0 <= x < width and 0 <= y < height):
            return False
        return bool(scores[int(y / height * len(scores)), int(x / width * len(scores[0]))] > 0)

    return [[is_covered(row, column) for column in range(32)] for row in range(32)]


def test_grounding_dino_runs_the_weights_of_mm_grounding_dino_as_it_did_before_they_had_a_name(
    folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    (one,) = GroundingDino(str(folders("mm-grounding-dino"))).detect(pictures[:1], ["apple"], 0.0)
    (other,) = detectors("mm-grounding-dino").detect(pictures[:1], ["apple"], 0.0)
    _assert_alike(one, other)


def test_usual_thresholds_are_those_of_the_library() -> None:
    from inspect import signature

    from transformers import GroundingDinoProcessor, Sam3Processor
    from transformers.models.deformable_detr.image_processing_pil_deformable_detr import DeformableDetrImageProcessorPil

    library: dict[Maker, Callable[..., object]] = {
        MmGroundingDino: GroundingDinoProcessor.post_process_grounded_object_detection,
        RfDetr: DeformableDetrImageProcessorPil.post_process_object_detection,
        Sam3: Sam3Processor.post_process_object_detection,
    }
    for maker, read in library.items():
        usual = signature(detector_factory(DetectorSettings, maker)).parameters["threshold"].default
        assert usual == signature(read).parameters["threshold"].default


def test_in_detr_the_class_for_nothing_takes_its_share_and_is_never_found(
    folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    from transformers import AutoImageProcessor

    processor = AutoImageProcessor.from_pretrained(folders("detr"))
    output = _forward(folders("detr"), dict(processor(images=[pictures[0]], return_tensors="pt")))
    odds = np.exp(np.asarray(output.logits[0], dtype=np.float64))
    shares = odds / odds.sum(axis=1, keepdims=True)
    assert shares.shape[1] == len(tiny_detectors.CLASSES) + 1
    best = shares[:, :-1].argmax(axis=1)
    expected = sorted((share for share, own in zip(shares[:, :-1].max(axis=1), best, strict=True) if own), reverse=True)
    (found,) = detectors("detr").detect([pictures[0]], [], 0.0)
    np.testing.assert_allclose(found.scores, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("maker", "held", "told"),
    [
        (GroundingDino, "owlv2", "grounding-dino: {} holds a Owlv2ForObjectDetection; write owlv2:{}"),
        (GroundingDino, "rt-detr", "grounding-dino: {} holds a RTDetrForObjectDetection; write rt-detr:{}"),
        (Owlv2, "mm-grounding-dino", "owlv2: {} holds a MMGroundingDinoForObjectDetection; write mm-grounding-dino:{}"),
        (MmGroundingDino, "grounding-dino", "holds a GroundingDinoForObjectDetection; write grounding-dino:{}"),
        (GroundingDino, "molmo2", "grounding-dino: {} holds a Molmo2ForConditionalGeneration; write molmo2:{}"),
        (Molmo2, "sam3", "molmo2: {} holds a Sam3Model; write sam3:{}"),
        (Sam3, "rf-detr", "sam3: {} holds a RfDetrForObjectDetection; write rf-detr:{}"),
        (RfDetr, "sam3-video", "rf-detr: {} holds a Sam3VideoModel; write sam3:{}"),
        (Detr, "rf-detr-outlining", "detr: {} holds a RfDetrForInstanceSegmentation; write rf-detr:{}"),
        (Owlv2, "yolos", "owlv2: {} holds a YolosForObjectDetection; write detr:{}"),
        (Detr, "owlv2", "detr: {} holds a Owlv2ForObjectDetection; write owlv2:{}"),
        (Detr, "rt-detr-v2", "detr: {} holds a RTDetrV2ForObjectDetection; write rt-detr:{}"),
        (RtDetr, "deformable-detr", "rt-detr: {} holds a DeformableDetrForObjectDetection; write detr:{}"),
    ],
)
def test_another_detectors_folder_is_refused_with_the_name_of_its_own(
    maker: Maker, held: str, told: str, folders: Folders
) -> None:
    folder = folders(held)
    with pytest.raises(UnusableModelError, match=re.escape(told.replace("{}", str(folder)))):
        maker(str(folder)).load()


@pytest.mark.parametrize("maker", [Detr, GroundingDino, MmGroundingDino, Molmo2, Owlv2, RfDetr, RtDetr, Sam3])
def test_one_that_is_asked_for_by_a_name_answers_by_it(maker: Maker, folders: Folders) -> None:
    folder = folders("vilt")
    setup = detector_factory(DetectorSettings, maker)(str(folder))
    with pytest.raises(UnusableModelError, match=re.escape(f"{maker.name}: {folder} holds a ViltModel")):
        setup.detector.load()


@pytest.mark.parametrize("maker", [GroundingDino, Owlv2, Detr])
def test_what_is_no_detector_is_refused(maker: Maker, folders: Folders) -> None:
    folder = folders("vilt")
    with pytest.raises(UnusableModelError, match="holds a ViltModel; name the folder of a detector"):
        maker(str(folder)).load()


def test_a_detector_of_writing_is_none_of_things(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "pp_ocrv5_mobile_det"}))
    with pytest.raises(UnusableModelError, match="holds a pp_ocrv5_mobile_det; name the folder of a detector"):
        Detr(str(tmp_path)).load()


@pytest.mark.parametrize("kind", ["grounding-dino", "molmo2", "owlv2", "detr", "rf-detr", "rt-detr", "sam3"])
def test_a_network_without_its_processor_is_refused_in_one_line(kind: str, folders: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(folders(kind), folder)
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(UnusableModelError, match="lacks the files of its image processor; copy") as told:
        MAKERS[kind](str(folder)).load()
    assert "\n" not in str(told.value)


@every_kind
def test_a_detector_is_made_without_looking_and_loads_once(kind: str, folders: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    detector = MAKERS[kind](str(folder))
    with pytest.raises(BadFileError, match="there is no folder"):
        detector.load()
    shutil.copytree(folders(kind), folder)
    detector.load()
    first = detector.weights_hash()
    shutil.rmtree(folder)
    detector.load()
    (found,) = detector.detect([np.zeros((40, 40, 3), np.uint8)], _nouns(kind), 0.0)
    assert np.isfinite(found.scores).all()
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert set(detector.versions()) == {"torch", "transformers"}


@every_kind
@pytest.mark.usefixtures("loaded_anew")
def test_the_same_weights_find_the_same_to_the_last_bit(
    kind: str, folders: Folders, detectors: Detectors, pictures: list[Rgb]
) -> None:
    again = MAKERS[kind](str(folders(kind)), device="cpu", dtype="float32")
    one, two = (one.detect(pictures[:2], _nouns(kind), 0.0) for one in (detectors(kind), again))
    for first, second in zip(one, two, strict=True):
        np.testing.assert_array_equal(first.xyxy, second.xyxy)
        np.testing.assert_array_equal(first.scores, second.scores)


@every_kind
def test_half_floats_compute(kind: str, folders: Folders, pictures: list[Rgb]) -> None:
    detector = MAKERS[kind](str(folders(kind)), device="cpu", dtype="bfloat16")
    for found in detector.detect(pictures[:2], _nouns(kind), 0.0):
        assert np.isfinite(found.xyxy).all()
        assert ((found.scores >= 0) & (found.scores <= 1)).all()


@pytest.mark.parametrize("kind", ["grounding-dino", "molmo2", "owlv2", "detr", "rf-detr", "sam3"])
def test_looking_again_and_again_keeps_nothing(kind: str, detectors: Detectors, pictures: list[Rgb]) -> None:
    detectors(kind).load()
    gc.collect()
    gc.freeze()  # what there is by now, of all tests before, is not counted again and again
    detectors(kind).detect(pictures[:2], _nouns(kind), 0.0)
    before = _tensors()
    for _ in range(2):
        detectors(kind).detect(pictures[:2], _nouns(kind), 0.0)
    assert _tensors() == before


def test_a_folder_as_older_libraries_wrote_it_is_read(folders: Folders, pictures: list[Rgb], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(folders("detr"), folder)
    path = folder / "preprocessor_config.json"
    written = json.loads(path.read_text())
    del written["image_processor_type"]
    written |= {"feature_extractor_type": "DetrFeatureExtractor", "size": 96, "max_size": 144}
    path.write_text(json.dumps(written))
    (old,) = Detr(str(folder)).detect(pictures[:1], [], 0.0)
    (new,) = Detr(str(folders("detr"))).detect(pictures[:1], [], 0.0)
    _assert_alike(old, new)


def _forward(folder: Path, inputs: "dict[str, torch.Tensor]") -> "torch.Tensor":
    import torch

    with torch.no_grad():
        return _load(folder)(**inputs)


@cache
def _load(folder: Path) -> Any:  # noqa: ANN401
    import torch
    from transformers import AutoModelForObjectDetection, AutoModelForZeroShotObjectDetection

    from subitize.networks.weights import quiet

    is_open = folder.name in OPEN
    auto_class = AutoModelForZeroShotObjectDetection if is_open else AutoModelForObjectDetection
    with quiet():
        return auto_class.from_pretrained(folder, dtype=torch.float32)


def _sorted(library: "dict[str, torch.Tensor]", names: list[str]) -> Detections:
    boxes: Floats = np.asarray(library["boxes"], dtype=np.float64)
    labels = names * len(boxes) if len(names) == 1 else [names[int(number)] for number in library["labels"]]
    return Detections.make(boxes, np.asarray(library["scores"], dtype=np.float64), labels)


def _assert_alike(found: Detections, expected: Detections) -> None:
    assert len(found) > 0
    assert found.labels == expected.labels
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-5, rtol=0)
    np.testing.assert_allclose(found.xyxy, expected.xyxy, atol=1e-3, rtol=0)


def _tensors() -> int:
    import torch

    gc.collect()
    return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())
