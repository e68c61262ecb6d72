"""The interface of every detector."""

from collections.abc import Collection, Sequence
from typing import Protocol

from subitize.io.images import Rgb
from subitize.stats.boxes import Detections


class Detector(Protocol):
    """Finds things by their nouns, singular; loaded when it is first needed, or by `load`."""

    has_open_vocabulary: bool
    """Whether it looks for any noun; else only for those that are a class of its own."""

    @property
    def assumption(self) -> str:
        """What was taken for granted because no file says it; nothing if all was said."""

    def load(self) -> None:
        """Load the weights, once; raise UnusableModelError or MissingPartError where that cannot work."""

    def can_see(self, noun: str, /) -> bool:
        """Tell whether it can look for such things."""

    def classes(self) -> Collection[str]:
        """List the nouns it knows, as its own labels are called; nothing where it looks for any."""

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Find in each picture all the things of the nouns with at least this score, labelled by the noun asked for.

        Without nouns a detector with classes finds all it knows. Nothing is suppressed unless the network does so
        itself.
        """

    def weights_hash(self) -> str:
        """Tell the weights apart from others, as 64 hexadecimal digits."""

    def parameter_count(self) -> int | None:
        """Count what the network has learnt, where that can be told."""

    def versions(self) -> dict[str, str]:
        """Name the libraries that compute, and their versions."""
