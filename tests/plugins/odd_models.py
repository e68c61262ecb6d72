"""Models that misbehave, registered by entry points as an outside package's would be."""

import asyncio
import io
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from subitize.errors import BadFileError
from subitize.interfaces import Finding, Judge, JudgeRequest, Model, Pixels, Reply, Request, TransientError
from subitize.records import (
    Box,
    Boxes,
    Drawn,
    Measured,
    Outcome,
    Provenance,
    Question,
    Refused,
    Said,
    Scored,
    Stimulus,
    TaskKind,
    Words,
)
from subitize.stimuli.recipes import render

_ANSWER: frozenset[TaskKind] = frozenset({"answer"})
_DRAW: frozenset[TaskKind] = frozenset({"draw"})


class Instant(Model):
    """Say three at once."""

    tasks = _ANSWER
    is_stand_in = True

    def __init__(self, *, concurrency: int = 32) -> None:
        self.concurrency = concurrency

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Said("3"), request.provenance())


class Noisy(Model):
    """Draw noise that is new every time, after a while that is new every time."""

    tasks = _DRAW
    is_stand_in = True
    concurrency = 8

    def __init__(self, *, longest_ms: int = 20) -> None:
        self._longest_seconds = longest_ms / 1000

    async def respond(self, request: Request, /) -> Reply:
        await asyncio.sleep(random.uniform(0, self._longest_seconds))
        return Reply(
            Pixels(png(np.frombuffer(os.urandom(32 * 32 * 3), np.uint8).reshape(32, 32, 3))), request.provenance()
        )


class Flaky(Model):
    """Fail some times in a row on every trial, but for the first few, then answer."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    def __init__(self, *, failures: int = 2, spares: int = 0) -> None:
        self._failures, self._spares = failures, spares
        self._seen: Counter[str] = Counter()

    async def respond(self, request: Request, /) -> Reply:
        self._seen[request.item_id] += 1
        is_spared = list(self._seen).index(request.item_id) < self._spares
        if self._seen[request.item_id] <= self._failures and not is_spared:
            raise TransientError("try again", retry_after_seconds=0.0)
        return Reply(Said("3"), request.provenance())


class Overloaded(Model):
    """Ask to come again, in a worker process, after a try that may have been paid for."""

    tasks = _DRAW
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        raise TransientError("busy", retry_after_seconds=7.0, is_busy=True, is_unsettled=True)


class Broken(Model):
    """Raise an error of its own kind, in a worker process."""

    tasks = _ANSWER
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        raise RuntimeError("a bug in the plug-in")


class Crashing(Model):
    """Take the worker process down."""

    tasks = _ANSWER
    is_stand_in = True

    def compute(self, request: Request, /) -> Reply:
        os._exit(3)


class Weighty(Model):
    """Need a file, as weights are; say from which folder it was read."""

    tasks = _ANSWER
    is_stand_in = True
    is_self_tested = True

    def __init__(self, weights: str, /) -> None:
        self._weights = Path(weights)

    def check(self) -> None:
        if not self._weights.is_file():
            raise BadFileError(f"there is no file {self._weights}")

    def compute(self, request: Request, /) -> Reply:
        return Reply(Said(str(self._weights.resolve())), request.provenance())


class Garbage(Model):
    """Hand over bytes that are no image."""

    tasks = _DRAW
    is_stand_in = True
    concurrency = 4

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Pixels(b"this is no image"), request.provenance())


class Apologetic(Model):
    """Decline, in words, to count apples; count dots as three."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    async def respond(self, request: Request, /) -> Reply:
        text = "I'm sorry, but I can't help with that." if "apples" in request.text else "There are 3 dots."
        return Reply(Said(text), request.provenance())


class Babbling(Model):
    """Say what hardly can be stored: half a surrogate pair, or far too much."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    def __init__(self, *, characters: int = 0) -> None:
        self._text = "x" * characters or "3 \ud800 \x00 apples \x1b[31m"

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Said(self._text), request.provenance())


class Silent(Model):
    """Answer, but say nothing."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Said(" "), request.provenance())


class Stillborn(Model):
    """Cannot be made."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 1

    def __init__(self) -> None:
        self.share = 1 / len("")

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Said("3"), request.provenance())


class Rude(Model):
    """Give back what is no reply, or a reply that cannot be stored."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    def __init__(self, *, gives: str = "nothing") -> None:
        self._gives = gives

    async def respond(self, request: Request, /) -> Reply:
        provenance = request.provenance()
        match self._gives:
            case "text":
                return "seven"  # type: ignore[return-value]
            case "number":
                return Reply(Said(7), provenance)  # type: ignore[arg-type]
            case "nan":
                return Reply(Scored({"match": float("nan")}), provenance)
            case "pixels":
                return Reply(Pixels("text"), provenance)  # type: ignore[arg-type]
            case "tokens":
                return Reply(Said("3"), replace(provenance, tokens_in="many"))  # type: ignore[arg-type]
            case "surrogates":
                return Reply(Refused("no \ud800"), replace(provenance, prompt_rewritten="\ud800"))
        return None  # type: ignore[return-value]


class Relapsing(Model):
    """Answer vaguely at first; asked again, fail while a file of that name exists, then answer."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    def __init__(self, broken: str, /) -> None:
        self._broken = Path(broken)

    async def respond(self, request: Request, /) -> Reply:
        if request.attempt == 0:
            return Reply(Said("a few"), request.provenance())
        if self._broken.exists():
            raise TransientError("down", retry_after_seconds=0.0)
        return Reply(Said("3"), request.provenance())


class Refusing(Model):
    """Refuse every second item."""

    tasks = _ANSWER
    is_stand_in = True
    concurrency = 4

    async def respond(self, request: Request, /) -> Reply:
        if request.seed % 2:
            return Reply(Refused("I would rather not"), request.provenance())
        return Reply(Said("3"), request.provenance())


class Blank(Model):
    """Draw nothing at first, and three apples from the given attempt on."""

    tasks = _DRAW
    is_stand_in = True
    concurrency = 4

    def __init__(self, *, blanks: int = 1) -> None:
        self._blanks = blanks

    async def respond(self, request: Request, /) -> Reply:
        if request.attempt < self._blanks:
            return Reply(Pixels(png(np.full((64, 64, 3), 255, np.uint8))), request.provenance())
        return Reply(Pixels(render(Stimulus("apples", 3, request.seed, 256)).png), request.provenance())


class Nosy(Judge):
    """A judge that tells what it was told, cannot answer some kinds of question, and chokes on some pictures."""

    is_stand_in = True
    asks_together = True
    concurrency = 4

    def __init__(self, *, cannot: str = "", chokes_on: int = -1, gives: str = "words") -> None:
        self._cannot, self._chokes_on, self._gives = cannot, chokes_on, gives
        self._seen: Counter[object] = Counter()

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        return question.kind != self._cannot

    async def respond(self, exhibit: JudgeRequest, /) -> tuple[Finding, ...]:
        (outcome,) = exhibit.outcomes
        if isinstance(outcome, Drawn) and exhibit.load(outcome.picture) == bytes([self._chokes_on % 256]):
            raise ValueError("choked")
        match self._gives:
            case "few":
                return ()
            case "nothing":
                return None  # type: ignore[return-value]
            case "nan":
                return tuple(Finding(Measured(float("nan"))) for _ in exhibit.inquiries)
            case "boxes":
                box = Box("apple", 0.5, (0.0, 0.0, 1.0, 1.0))
                return tuple(Finding(Boxes((box,) * 1_000_000)) for _ in exhibit.inquiries)
            case "novels":
                return tuple(Finding(Words("x" * 2_000_000)) for _ in exhibit.inquiries)
            case "tokens":
                how = replace(Provenance(0, ""), tokens_in="many")  # type: ignore[arg-type]
                return tuple(Finding(Words("3"), how) for _ in exhibit.inquiries)
            case "flaky" | "unsettled":
                self._seen[exhibit.outcomes, exhibit.inquiries] += 1
                if self._seen[exhibit.outcomes, exhibit.inquiries] < 3:
                    is_unsettled = self._gives == "unsettled"
                    raise TransientError("later", retry_after_seconds=0.0, is_unsettled=is_unsettled)
                if self._gives == "unsettled":
                    first, *others = (Finding(Words("3"), Provenance(0, "")) for _ in exhibit.inquiries)
                    return (replace(first, provenance=None), *others)
        return tuple(Finding(Words(f"I know: {exhibit.prompt or 'nothing'}")) for _ in exhibit.inquiries)


def png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()
