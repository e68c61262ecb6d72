"""Suggests the right model name for a folder of weights."""

from pathlib import Path

CONFIG = "config.json"
PIPELINE_INDEX = "model_index.json"
"""What a pipeline of diffusers has in place of a config.json."""


def is_pipeline(model: str) -> bool:
    """Tell whether a folder holds a pipeline, and no network of transformers."""
    return _has(model, PIPELINE_INDEX) and not _has(model, CONFIG)


def is_network(model: str) -> bool:
    """Tell whether a folder holds a network of transformers, or one part of a pipeline, and no whole pipeline."""
    return _has(model, CONFIG) and not _has(model, PIPELINE_INDEX)


def _has(model: str, name: str) -> bool:
    try:
        return (Path(model).expanduser() / name).is_file()
    except (OSError, RuntimeError):  # no path at all, which is told where the folder is looked for
        return False


def is_detector(architecture: str) -> bool:
    """Tell whether a network finds things in pictures, and does nothing else."""
    return architecture.endswith(_DETECTS) or architecture in _OUTLINES


def name_detector(architecture: str) -> str | None:
    """Name the detector that an architecture is run by; None for what is no detector, or one not known here."""
    named = next((name for start, name in _DETECTORS.items() if architecture.startswith(start)), "detr")
    is_run = is_detector(architecture) or named in _ALSO_ANSWER
    return named if is_run and not architecture.startswith(_NOT_RUN) else None


_DETECTS = "ForObjectDetection"
_OUTLINES = ("RfDetrForInstanceSegmentation", "Sam3Model", "Sam3VideoModel")
_ALSO_ANSWER = ("molmo2",)
_NOT_RUN = ("PP", "OmDet", "OwlViT")  # those of writing, and those that are told nouns in ways of their own
_DETECTORS = {
    "GroundingDino": "grounding-dino",
    "MMGroundingDino": "mm-grounding-dino",
    "Molmo2": "molmo2",
    "Owlv2": "owlv2",
    "RTDetr": "rt-detr",
    "RfDetr": "rf-detr",
    "Sam3": "sam3",
}
