"""DETR and its successors (Conditional and Deformable DETR, RT-DETR, YOLOS …): find things of the classes they know."""

import inspect
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from subitize.detections import Detections
from subitize.errors import BadValueError
from subitize.image_files import Rgb
from subitize.networks.detectors.coco import class_of
from subitize.networks.detectors.pretrained import Batch, Findings, Pretrained

if TYPE_CHECKING:
    import torch

_NO_CLASS = ("", "N/A")
"""What gaps in the numbering of COCO's classes are called."""


class Detr(Pretrained):
    """Looks for whatever it knows; a class is kept if it was asked for, by that name or another for the same."""

    own_name = "detr"
    has_open_vocabulary = False

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.model, self.image_processor

    def can_see(self, noun: str, /) -> bool:
        """Tell whether the noun names one of its classes."""
        return class_of(noun, self.classes()) is not None

    def classes(self) -> Collection[str]:
        """List its classes, as its config calls them; the weights are not needed for it."""
        return self._classes

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture the things of the nouns, or all."""
        self.load()
        wanted = self._wanted(nouns)
        findings = Findings(pictures, floor)
        for batch in self.batches(pictures):
            for place, found in zip(batch.places, self._look(batch, findings), strict=True):
                names = [self.config.id2label.get(int(label), "") for label in found["labels"]]
                for own, noun in wanted:
                    chosen = [name == own for name in names]
                    findings.add(place, found["boxes"][chosen], found["scores"][chosen], noun)
        return list(findings.detections())

    @cached_property
    def _classes(self) -> tuple[str, ...]:
        names = dict.fromkeys(self.config.id2label.values())
        return tuple(name for name in names if name not in _NO_CLASS)

    def _wanted(self, nouns: Sequence[str]) -> list[tuple[str, str]]:
        """Pair its classes with the nouns they are asked for by."""
        if not nouns:
            return [(own, own) for own in self._classes]
        classes = {noun: class_of(noun, self._classes) for noun in nouns}
        for noun, own in classes.items():
            if own is None:
                known = ", ".join(self._classes[:8]) + (" …" if len(self._classes) > 8 else "")
                raise BadValueError(f"{self.who} cannot see {noun!r}; it knows {known}")
        return [(own, noun) for noun, own in classes.items() if own is not None]

    def _look(self, batch: Batch, findings: Findings) -> list[dict[str, "torch.Tensor"]]:
        """Let the folder's own processor read the output: whether there is a class for nothing differs by network."""
        output = self.run(batch)
        read = self.image_processor.post_process_object_detection
        # Some keep the best hundred pairs of box and class only, which would be a ceiling for counting.
        limit = {"top_k": output.logits[0].numel()} if "top_k" in inspect.signature(read).parameters else {}
        sizes = [findings.size(place) for place in batch.places]
        return list(read(output, threshold=-1.0, target_sizes=sizes, **limit))
