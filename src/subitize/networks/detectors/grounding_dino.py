"""Grounding DINO: finds what a noun names, the detector of the Numbersense paper (its appendix on counting objects)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from subitize.detections import Detections
from subitize.image_files import Rgb
from subitize.networks.detectors.pretrained import Findings, OpenVocabulary, corners_of

if TYPE_CHECKING:
    import torch


class GroundingDino(OpenVocabulary):
    """Looks for one noun at a time, as the paper does: beside another, a noun is seen with other scores."""

    own_name = "grounding-dino"

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture the things of the nouns; a box's score is the largest of the noun's own tokens."""
        self.load()
        findings = Findings(pictures, floor)
        batches = self.batches(pictures)
        for noun in dict.fromkeys(nouns):
            words, is_of_noun = self._tokenize(noun)
            for batch in batches:
                output = self.run(batch, **words)
                scores = output.logits.sigmoid()[..., : len(is_of_noun)][..., is_of_noun].amax(-1)
                for place, own_scores, boxes in zip(batch.places, scores, output.pred_boxes, strict=True):
                    height, width = findings.size(place)
                    findings.add(place, corners_of(boxes, width, height), own_scores, noun)
        return list(findings.detections())

    def _tokenize(self, noun: str) -> tuple[dict[str, "torch.Tensor"], "torch.Tensor"]:
        """Write a noun as the network was taught, in lower case with a stop, and tell which tokens are the noun's."""
        import torch

        tokenizer, longest = self.tokenizer, self.config.max_text_len
        # A stop within a noun would make two things of it.
        text = " ".join(noun.lower().replace(".", " ").replace("?", " ").split()) + "."
        words = dict(tokenizer(text, return_tensors="pt", truncation=True, max_length=longest))
        others = [tokenizer.cls_token_id, tokenizer.sep_token_id, *tokenizer.convert_tokens_to_ids([".", "?"])]
        return words, ~torch.isin(words["input_ids"][0], torch.tensor(others))
