"""Base classes of what runs a network on this machine: its weights, its device, its provenance and its tasks."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Annotated

from subitize.errors import BadValueError
from subitize.interfaces import Model, Pixels, Reply, Request, RuntimeOption
from subitize.io.specs import check_range
from subitize.networks import weights
from subitize.networks.encoders import LazyImage
from subitize.networks.weights import Device
from subitize.records import Failed, Provenance, Refused, Said, Scalar, Scored, TaskKind


class LocalNetwork:
    """Base class of models and judges whose network is in a folder or on the hub."""

    name: str
    """Its name in specs, NAME:MODEL."""
    packages: tuple[str, ...] = ("torch",)
    """The optional packages that it needs; their versions are noted."""

    def __init__(
        self,
        model: str,
        /,
        *,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 8,
    ) -> None:
        self.who, self.given, self.batch_size = f"{self.name}:{model}", model, batch_size
        check_range(self.who, 1, batch_size=batch_size)
        with weights.naming(self.who):
            self.device = Device(device, dtype)
        weights.require(self.who, *self.packages)

    @cached_property
    def folder(self) -> Path:
        """The folder of its weights, fetched from the hub if need be."""
        return weights.locate(self.given)

    @property
    def parameter_count(self) -> int | None:
        """How many parameters the network has, if that is noted."""
        return None

    def trace(self, start: Provenance, parameters: Mapping[str, Scalar] | None = None) -> Provenance:
        """Add weights, versions and parameters to the provenance."""
        return replace(
            start,
            parameters=parameters or {},
            revision=self.folder.name if self.folder.parent.name == "snapshots" else None,
            weights_hash=weights.hash_weights(self.folder),
            parameter_count=self.parameter_count,
            versions={**start.versions, **weights.name_versions(*self.packages)},
        )


Content = Pixels | Said | Scored | Refused | Failed


@dataclass(frozen=True, slots=True)
class Described:
    """A content, with parameters that were in effect for it alone, and the prompt if another one was sent."""

    content: Content
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    prompt_sent: str | None = None


class LocalModel(LocalNetwork, Model):
    """Base class of models that load a network once and work in batches: `load`, and a method for each task.

    What a method gives is in the order of what it gets: words for answers, scores by name for matches and gaps, an
    encoded picture for drawings, or any of them as a Described.
    """

    _is_loaded = False

    def __init_subclass__(cls) -> None:
        """Find the tasks: those for which there is a method."""
        if "tasks" not in vars(cls):
            own = (task for task, method in _METHODS.items() if getattr(cls, method) is not getattr(LocalModel, method))
            cls.tasks = frozenset(own)

    def load(self) -> None:
        """Load the network; called once, before its first batch."""
        raise NotImplementedError

    def parameters(self) -> dict[str, Scalar]:
        """List what was in effect, for the provenance."""
        return {"dtype": str(self.device.torch_dtype()).removeprefix("torch.")}

    def answer(
        self, images: Sequence[LazyImage], questions: Sequence[str], seeds: Sequence[int]
    ) -> Sequence[str | Described]:
        """Answer each question about its image."""
        raise NotImplementedError

    def score(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float] | Described]:
        """Score how well each text fits its image; the score that counts is named match."""
        raise NotImplementedError

    def fill(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float] | Described]:
        """Give the probabilities of words in the gap of each text about its image."""
        raise NotImplementedError

    def draw(self, prompts: Sequence[str], seeds: Sequence[int]) -> Sequence[bytes | Described]:
        """Draw each prompt, from its seed."""
        raise NotImplementedError

    def check(self) -> None:
        """Load the network, once."""
        if not self._is_loaded:
            with weights.naming(self.who):
                self.load()
            self._is_loaded = True

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Do all tasks; those of one kind go through the network together."""
        self.check()
        replies: dict[int, Reply] = {}
        for kind in dict.fromkeys(request.task.kind for request in requests):
            places = [place for place, request in enumerate(requests) if request.task.kind == kind]
            own = [requests[place] for place in places]
            start = time.perf_counter()
            given = self._do(kind, own)
            seconds = (time.perf_counter() - start) / len(own)
            replies |= zip(places, map(self._reply, own, given, repeat(seconds)), strict=True)
        return [replies[place] for place in range(len(requests))]

    def _do(self, kind: TaskKind, requests: Sequence[Request]) -> Sequence[object]:
        if kind not in self.tasks:
            raise BadValueError(f"{self.who} cannot do the task {kind!r}; it can {', '.join(sorted(self.tasks))}")
        texts, seeds = [request.text for request in requests], [request.seed for request in requests]
        if kind == "draw":
            return self.draw(texts, seeds)
        images = [LazyImage.of_task(request) for request in requests]
        if kind == "answer":
            return self.answer(images, texts, seeds)
        return self.score(images, texts) if kind == "match" else self.fill(images, texts)

    def _reply(self, request: Request, given: object, seconds: float) -> Reply:
        made = _describe(given)
        start = request.provenance()
        if made.prompt_sent is not None:
            start = replace(start, prompt_sent=made.prompt_sent)
        return Reply(made.content, self.trace(start, self.parameters() | dict(made.parameters)), seconds)


_METHODS: Mapping[TaskKind, str] = {"answer": "answer", "match": "score", "fill": "fill", "draw": "draw"}


def _describe(given: object) -> Described:
    match given:
        case Described():
            return given
        case str():
            return Described(Said(given))
        case bytes():
            return Described(Pixels(given))
        case Mapping():
            return Described(Scored(given))
    raise TypeError(f"{given!r:.80} is no answer, scores or picture")
