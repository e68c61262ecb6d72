"""Suite, model, judge: the architecture on one page.

A suite makes items; a model turns the request of one trial into a reply; a judge turns an exhibit (responses and
questions about them) into evidence. Models and judges come in two shapes: those that wait for something (a server, a
disk) `respond`, many at a time in one event loop; those that need a processor `compute`, in worker processes.
A new one is one file and one line in registry.py, or one entry point of an outside package.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from subitize import __version__
from subitize.records import (
    Draw,
    Failed,
    Item,
    Outcome,
    Picture,
    Provenance,
    Question,
    Refused,
    Said,
    Scored,
    Task,
    TaskKind,
    Value,
    task_text,
)

AskedT = TypeVar("AskedT", contravariant=True)
GivenT = TypeVar("GivenT", covariant=True)


@runtime_checkable
class Responds(Protocol[AskedT, GivenT]):
    """Waits rather than computes: up to `concurrency` are under way at once."""

    concurrency: int

    async def respond(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""
        ...


@runtime_checkable
class Computes(Protocol[AskedT, GivenT]):
    """Computes rather than waits: the runner spreads it over worker processes."""

    def compute(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""
        ...


class TransientError(Exception):
    """Trying again may help: a time-out, a busy server, an answer cut short."""

    def __init__(self, reason: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class Request:
    """One trial as its model gets it: the task, a seed of its own, and a way to the task's picture."""

    item_id: str
    task: Task
    repeat: int
    attempt: int
    seed: int
    load: Callable[[Picture], bytes]

    @property
    def text(self) -> str:
        """The words of the task."""
        return task_text(self.task)

    def picture(self) -> bytes:
        """Get the encoded picture the task is about, rendered now if it is a recipe."""
        if isinstance(self.task, Draw):
            raise TypeError(f"the task of {self.item_id} has no picture: it asks for one")
        return self.load(self.task.picture)

    def provenance(self) -> Provenance:
        """Start the provenance of the reply with what the request knows."""
        return Provenance(self.seed, self.text, versions={"subitize": __version__})


@dataclass(frozen=True, slots=True)
class Pixels:
    """An encoded image, as a model hands it over."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model gave for a request, and what it tells about how it came to it."""

    content: Pixels | Said | Scored | Refused | Failed
    provenance: Provenance


class Model(Protocol):
    """Anything that does a task; it also `Responds[Request, Reply]` or `Computes[Request, Reply]`."""

    tasks: frozenset[TaskKind]
    is_stand_in: bool


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question as it is put to a judge."""

    question: Question
    wording: str


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What a judge gets: a subject's responses in order, and the questions; the prompt only if it is informed."""

    outcomes: tuple[Outcome, ...]
    inquiries: tuple[Inquiry, ...]
    load: Callable[[Picture], bytes]
    prompt: str | None = None


class Judge(Protocol):
    """Anything that answers questions; also `Responds` or `Computes` from an Exhibit to one Evidence per inquiry.

    `rule` names how its evidence is read unless the user names another rule (see labels.py).
    """

    rule: str
    is_stand_in: bool

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether it can answer such a question about such responses."""
        ...


@dataclass(frozen=True, slots=True)
class Tried:
    """The latest attempt at an item, once it is judged: the values read, by question id; never none."""

    item: Item
    repeat: int
    attempt: int
    values: Mapping[str, Value]


class Suite(Protocol):
    """A benchmark: the items it is made of, and when an item must be asked again."""

    title: str
    judge: str
    max_attempts: int
    repeats: int

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items in their order; any beginning of it should be a fair sample."""
        ...

    def again(self, tried: Sequence[Tried]) -> Iterable[Tried]:
        """Pick those of the latest attempts that must be followed by another."""
        ...
