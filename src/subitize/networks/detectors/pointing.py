"""Networks that point: positions parsed from their replies."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np

from subitize.interfaces import RuntimeOption
from subitize.io.images import Rgb
from subitize.language.nouns import plural
from subitize.networks import weights
from subitize.networks.answers.generators import Chat, Generator, open_generator
from subitize.networks.detectors.pretrained import OpenVocabulary
from subitize.networks.pairs import View
from subitize.records import Said
from subitize.stats.boxes import Detections, Floats

if TYPE_CHECKING:
    from transformers import PreTrainedModel

REQUEST = "Point to the {nouns}."
"""As the model's card asks for several things."""
_POINTS = re.compile(r'<points\b[^<>]{0,200}? coords="([\d ;]*)"', re.ASCII)
_GROUP = re.compile(r"1((?: \d{1,4} \d{1,4} \d{1,4})+)", re.ASCII)
_NONE = re.compile(r"there are none[.!]?", re.IGNORECASE)
_SCALE = 1000
"""Positions are thousandths of the picture's sides (arXiv 2601.10611, appendix A)."""


class Molmo2(OpenVocabulary):
    """Points at the things of one noun at a time; each point is a box without extent.

    What it says without pointing is kept as it is: it is no count of nothing, unless it says that there are none.
    """

    kind = "molmo2"
    has_scores = False
    usual_dtype = "auto"  # words, unlike boxes, lose no digits in half floats

    def __init__(
        self,
        model: str,
        /,
        *,
        max_tokens: int = 2048,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
    ) -> None:
        super().__init__(model, dtype=dtype, device=device)
        self._max_tokens = max_tokens
        with weights.naming(self.who):
            weights.check_at_least(1, max_tokens=max_tokens)

    @cached_property
    def generator(self) -> Generator:
        """The network with what puts requests to it."""
        with weights.naming(self.who):
            return open_generator(self.folder, self.config.architectures[0], self._placement, Chat(self._max_tokens))

    @property
    def model(self) -> "PreTrainedModel":
        """Its weights, where they compute."""
        network: PreTrainedModel = self.generator.network
        return network

    def load(self) -> None:
        """Load the weights, once."""
        _ = self.generator

    def detect(self, pictures: Sequence[Rgb], nouns: Sequence[str], floor: float, /) -> list[Detections]:
        """Ask for the things of each noun in all pictures; of what has no score, all is kept or nothing."""
        self.load()
        views = [View.of_pixels(str(place), picture) for place, picture in enumerate(pictures)]
        replies: list[dict[str, Said]] = [{} for _ in pictures]
        for noun in dict.fromkeys(nouns):
            asked = [REQUEST.format(nouns=plural(noun))] * len(pictures)
            for own, said in zip(replies, self.generator.answer(views, asked, [0] * len(pictures)), strict=True):
                own[noun] = said
        return [self._locate(own, picture).above(floor) for own, picture in zip(replies, pictures, strict=True)]

    def _locate(self, replies: Mapping[str, Said], picture: Rgb) -> Detections:
        """Find the points in what was said of each noun; a reply that was cut off has not named them all."""
        points: dict[str, Floats] = {}
        unread: dict[str, str] = {}
        for noun, said in replies.items():
            if len(said.tokens) >= self._max_tokens:
                unread[noun] = f"cut off at max_tokens={self._max_tokens}: {said.text}"
            elif (shares := read_points(said.text)) is None:
                unread[noun] = said.text
            else:
                points[noun] = shares
        height, width, _ = picture.shape
        centres = np.concatenate([np.empty((0, 2)), *points.values()]) * (width, height)
        labels = [noun for noun, shares in points.items() for _ in shares]
        return replace(Detections.make(np.tile(centres, 2), np.ones(len(centres)), labels), unread=unread)


def read_points(text: str) -> Floats | None:
    """Read the positions in a reply, n × 2 shares of width and height; None where it neither points nor denies.

    The coordinates of a tag are those of pictures, divided by semicolons: the picture's number, which is always 1 here,
    and for each thing its number, its x and its y. A tag that holds anything else makes the whole reply unreadable.
    """
    if _NONE.fullmatch(text.strip()):
        return np.empty((0, 2))
    tags = _POINTS.findall(text)
    groups = [_GROUP.fullmatch(group) for tag in tags for group in tag.split(";")]
    if not groups or text.count("<points") != len(tags) or not all(groups):
        return None
    numbers = [int(number) for group in groups if group for number in group[1].split()]
    positions = np.array(numbers, dtype=np.float64).reshape(-1, 3)[:, 1:] / _SCALE
    return positions if (positions <= 1).all() else None
