"""Tiny networks of every kind, each written to disk once in a session of tests."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.networks import tiny_detectors, tiny_matchers, tiny_vlms

Writer = Callable[[Path], object]
_THREE_CLASSES = ("cat", "apple", "dog")
_WRITERS: Mapping[str, Writer] = {
    "blip-vqa": tiny_vlms.write_blip_vqa,
    "blip2-opt": tiny_vlms.write_blip2,
    "blip2-t5": partial(tiny_vlms.write_blip2, is_t5=True),
    "idefics3": tiny_vlms.write_idefics3,
    "instructblip": tiny_vlms.write_instructblip,
    "llava": tiny_vlms.write_llava,
    "lxmert-vqa": tiny_vlms.write_lxmert_vqa,
    "molmo2": tiny_vlms.write_molmo2,
    "molmo2-chat": partial(tiny_vlms.write_molmo2, replies=()),
    "paligemma": tiny_vlms.write_paligemma,
    "qwen2.5-vl": tiny_vlms.write_qwen25_vl,
    "vilt-vqa": tiny_vlms.write_vilt_vqa,
    "align": tiny_matchers.write_align,
    "altclip": tiny_matchers.write_altclip,
    "blip-itm": tiny_matchers.write_blip_itm,
    "blip2-itm": tiny_matchers.write_blip2_itm,
    "blip2-itm-with-image-token": partial(tiny_matchers.write_blip2_itm, has_image_token=True),
    "chinese-clip": tiny_matchers.write_chinese_clip,
    "clip": tiny_matchers.write_clip,
    "lxmert": tiny_matchers.write_lxmert,
    "metaclip-2": tiny_matchers.write_metaclip_2,
    "siglip": tiny_matchers.write_siglip,
    "siglip2": tiny_matchers.write_siglip2,
    "siglip2-fixed": tiny_matchers.write_siglip2_fixed,
    "vilbert": tiny_matchers.write_vilbert,
    "vilbert-12-in-1": partial(tiny_matchers.write_vilbert, is_multi_task=True),
    "vilt-itm": tiny_matchers.write_vilt_itm,
    "vilt-mlm": tiny_matchers.write_vilt_mlm,
    "conditional-detr": tiny_detectors.write_conditional_detr,
    "deformable-detr": tiny_detectors.write_deformable_detr,
    "detr": tiny_detectors.write_detr,
    "detr-cat-apple-dog": partial(tiny_detectors.write_detr, classes=_THREE_CLASSES),
    "grounding-dino": tiny_detectors.write_grounding_dino,
    "mm-grounding-dino": tiny_detectors.write_mm_grounding_dino,
    "owlv2": tiny_detectors.write_owlv2,
    "rf-detr": tiny_detectors.write_rf_detr,
    "rf-detr-cat-apple-dog": partial(tiny_detectors.write_rf_detr, classes=_THREE_CLASSES),
    "rf-detr-outlining": tiny_detectors.write_rf_detr_outlining,
    "rt-detr": tiny_detectors.write_rt_detr,
    "rt-detr-cat-apple-dog": partial(tiny_detectors.write_rt_detr, classes=_THREE_CLASSES),
    "rt-detr-v2": tiny_detectors.write_rt_detr_v2,
    "sam3": tiny_detectors.write_sam3,
    "sam3-video": tiny_detectors.write_sam3_video,
    "vilt": tiny_detectors.write_vilt,
    "yolos": tiny_detectors.write_yolos,
}
PIPELINES = ("sd", "sdxl", "sd3", "flux", "pixart", "lcm")
_SHELF = "tiny"


def find_tiny(kind: str, folders: pytest.TempPathFactory) -> Path:
    """Find the folder of a tiny network, or pipeline, which is written when it is first asked for.

    Who spoils it copies it first.
    """
    folder = folders.getbasetemp() / _SHELF / kind
    if not folder.is_dir():
        (_pipeline_writer(kind) if kind in PIPELINES else _WRITERS[kind])(folder)
    return folder


def keep_loaded(load: Callable[..., Any]) -> Callable[..., Any]:
    """Have what is loaded from the folder of a tiny network loaded once; from other folders it is loaded as ever."""
    kept: dict[tuple[object, ...], Any] = {}

    def load_once(kind: type, folder: Path, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if folder.parent.name != _SHELF:
            return load(kind, folder, *arguments, **options)
        key = (kind, folder, *arguments, *sorted(options.items()))
        if key not in kept:
            kept[key] = load(kind, folder, *arguments, **options)
        return kept[key]

    return load_once


def _pipeline_writer(family: str) -> Writer:
    from tests.networks import tiny_pipelines  # which imports torch

    writer: Writer = getattr(tiny_pipelines, f"write_{family}")
    return writer
