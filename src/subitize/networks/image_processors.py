"""Image processors that transformers has for torchvision only, put together without it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch
    from transformers import ProcessorMixin


def make_rf_detr_processor() -> type["ProcessorMixin"]:
    """Make the class of RF-DETR's processor: that of Deformable DETR, but for how pictures are resized."""
    from transformers.models.deformable_detr.image_processing_pil_deformable_detr import DeformableDetrImageProcessorPil

    class RfDetrImageProcessor(DeformableDetrImageProcessorPil):  # type: ignore[misc]
        def resize(
            self, image: NDArray[np.uint8], size: object, resample: object = None, **_: object
        ) -> NDArray[np.float32]:
            import torch

            height, width = super().resize(image, size, resample).shape[-2:]
            resized: NDArray[np.float32] = _resize(torch.from_numpy(image)[None], height, width)[0].numpy()
            return resized

    return RfDetrImageProcessor


def make_molmo2_processor() -> type["ProcessorMixin"]:
    """Make the class of Molmo 2's processor, which cuts pictures into overlapping tiles."""
    from transformers.models.molmo2.image_processing_molmo2 import Molmo2ImageProcessor

    class Molmo2ImageProcessorTorch(Molmo2ImageProcessor):  # type: ignore[misc]
        def resize(self, image: "torch.Tensor", size: Any, **_: object) -> "torch.Tensor":  # noqa: ANN401
            return _resize(image, size.height, size.width)

        def normalize(self, image: "torch.Tensor", mean: Any, std: Any, **_: object) -> "torch.Tensor":  # noqa: ANN401
            import torch

            channels = (torch.as_tensor(values, dtype=image.dtype)[:, None, None] for values in (mean, std))
            return (image - next(channels)) / next(channels)

    return Molmo2ImageProcessorTorch


def _resize(pixels: "torch.Tensor", height: int, width: int) -> "torch.Tensor":
    """Resize pictures as torchvision does when told not to smooth: both were trained so."""
    from torch.nn.functional import interpolate

    return interpolate(pixels.float(), (height, width), mode="bilinear", align_corners=False)
