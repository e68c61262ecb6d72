"""By which name a folder of weights is run, for those who wrote another."""

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
    return architecture.endswith(_DETECTS)


def name_detector(architecture: str) -> str | None:
    """Name the detector that an architecture is run by; None for what is no detector, or one not known here."""
    if not is_detector(architecture) or architecture.startswith(_NOT_RUN):
        return None
    return next((name for start, name in _DETECTORS.items() if architecture.startswith(start)), "detr")


_DETECTS = "ForObjectDetection"
_NOT_RUN = ("PP", "OmDet", "OwlViT")  # those of writing, and those that are told nouns in ways of their own
_DETECTORS = {
    "GroundingDino": "grounding-dino",
    "MMGroundingDino": "grounding-dino",
    "Owlv2": "owlv2",
    "RTDetr": "rt-detr",
}
