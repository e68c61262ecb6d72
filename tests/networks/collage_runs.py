"""Runs of photographs pasted side by side: their numbers are known, and real detectors can count them."""

import io
from collections.abc import Iterator, Sequence

from PIL import Image

from subitize.interfaces import Model, Pixels, Reply, Request, Suite
from subitize.networks.collages import make_collage
from subitize.records import Ask, Confirm, Count, Draw, Item, Scalar, Spec
from subitize.registry import Resolved
from subitize.store import Run
from tests.runs import run_suite


class Collages(Suite):
    """Asks for so many photographs of each noun; prompts with an odd number also quote a text."""

    title = "Collages"
    judge = "parser"

    def __init__(self, nouns: Sequence[str], numbers: Sequence[int]) -> None:
        self._nouns, self._numbers = nouns, numbers

    def items(self, seed: int) -> Iterator[Item]:
        for number in self._numbers:
            for noun in self._nouns:
                there = Confirm(f"there are some {noun}s", is_informed=False)
                asks = (
                    Ask(Count(noun), f"How many {noun}s are there?", (number,)),
                    Ask(there, f"Are there {noun}s?", (True,)),
                )
                factors: dict[str, Scalar] = {"category": noun, "number": number}
                prompt = f"{number} {noun}" if number == 1 else f"{number} {noun}s"
                sign = ' and a sign that says "OPEN"' if number % 2 else ""
                yield Item(f"collages/{noun}-{number}", Draw(prompt + sign), asks, factors)


class Pasting(Model):
    """Pastes what it is asked for."""

    tasks = frozenset({"draw"})
    is_stand_in = True
    batch_size = 8

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        return [Reply(Pixels(_paste(request.text, request.seed)), request.provenance()) for request in requests]


def _paste(prompt: str, seed: int) -> bytes:
    number, things = prompt.split(" ")[:2]
    noun = things.removesuffix("s")
    file = io.BytesIO()
    Image.fromarray(make_collage([noun] * int(number), seed).pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


def paste(run: Run, nouns: Sequence[str], numbers: Sequence[int], repeats: int = 1) -> Run:
    """Fill a run with collages, unjudged."""
    suite: Resolved[Suite] = Resolved(Spec("collages", {}, "collages"), Collages(nouns, numbers), "collages")
    model: Resolved[Model] = Resolved(Spec("pasting", {}, "pasting"), Pasting(), "pasting")
    run_suite(run, suite, model, repeats=repeats)
    return run
