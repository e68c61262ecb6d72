"""OWLv2: finds what a phrase names, any number of phrases at a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subitize.detections import Detections, Floats
from subitize.image_files import Rgb
from subitize.networks.detectors.pretrained import Findings, OpenVocabulary, corners_of
from subitize.numerals import article

if TYPE_CHECKING:
    import torch

QUERY = "a photo of {a} {noun}"
"""One of the captions in which CLIP, and its forerunner OWL-ViT, were taught nouns (arXiv 2205.06230)."""


class Owlv2(OpenVocabulary):
    """Looks for all nouns at once: its score for one does not depend on the others."""

    own_name = "owlv2"

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture the things of the nouns; one place may be found for several of them."""
        self.load()
        findings = Findings(pictures, floor)
        asked = list(dict.fromkeys(nouns))
        if not asked:
            return list(findings.detections())
        words = self._tokenize(asked)
        for batch in self.batches(pictures):
            output = self.run(batch, **words)
            for place, scores, boxes in zip(batch.places, output.logits.sigmoid(), output.pred_boxes, strict=True):
                height, width = findings.size(place)
                # A picture is made square by padding on its right or below, and boxes are shares of the square.
                corners = corners_of(boxes, max(height, width), max(height, width))
                inside = _is_inside(corners, width, height)
                for noun, own_scores in zip(asked, scores.T, strict=True):
                    findings.add(place, corners[inside], np.asarray(own_scores)[inside], noun)
        return list(findings.detections())

    def _tokenize(self, nouns: Sequence[str]) -> dict[str, "torch.Tensor"]:
        texts = [QUERY.format(a=article(noun), noun=noun) for noun in nouns]
        longest = self.config.text_config.max_position_embeddings
        made = self.tokenizer(texts, return_tensors="pt", padding="max_length", truncation=True, max_length=longest)
        return {name: made[name] for name in ("input_ids", "attention_mask")}


def _is_inside(corners: Floats, width: int, height: int) -> NDArray[np.bool_]:
    """Tell which boxes have their centre in the picture, not in what was put beside it."""
    centres = (corners[:, :2] + corners[:, 2:]) / 2
    inside: NDArray[np.bool_] = (centres[:, 0] <= width) & (centres[:, 1] <= height)
    return inside
