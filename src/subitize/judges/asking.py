"""Puts a judge's questions to a model, in whichever way that model works.

What is asked, and what is made of a reply, is the judge's manner; whether the model is waited for, computes one by one
or batch by batch is its own affair, and the judge works as its model does.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import Any, Literal, Protocol, runtime_checkable

from subitize.errors import BadValueError
from subitize.interfaces import (
    Checks,
    Computes,
    ComputesSeveral,
    Exhibit,
    Finding,
    Judge,
    Metered,
    Model,
    Opens,
    Proof,
    Reply,
    Request,
    Responds,
    TransientError,
    Usage,
)
from subitize.judges.proving import Look
from subitize.records import (
    Answer,
    Ask,
    Drawn,
    Failed,
    Item,
    Match,
    Outcome,
    Question,
    Refused,
    Said,
    Scored,
    Stored,
    Task,
    digest,
    task_text,
)


class Manner(Protocol):
    """What a judge asks a model, one question per call, and what it makes of the reply."""

    rule: str

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether a model can be asked such a question about such responses."""
        ...

    def put(self, exhibit: Exhibit, /) -> Iterator[Answer | Match]:
        """Put the questions as tasks of the model, in their order."""
        ...

    def find(self, reply: Reply, /) -> Finding:
        """Make evidence of a reply that is no failure."""
        ...

    def prove(self, look: Look, /) -> Proof:
        """Look at what is known; raise UnusableModelError, with the reason, if what is found is wrong."""
        ...


@runtime_checkable
class Asking(Protocol):
    """A manner with questions of its own about an item's outcome."""

    asks_about: str
    """What they are about, in a few words, for those who wonder why nothing was asked."""

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask about the outcome of an item."""
        ...


def ask_through(model: Model, manner: Manner, judge: str) -> Judge:
    """Make a judge that asks a model in a manner, and works as the model does."""
    # A model that can do both is waited for: many requests are under way at once.
    if isinstance(model, Responds):
        shape: Any = MeteredJudge if isinstance(model, Metered) else WaitingJudge
    elif isinstance(model, ComputesSeveral):
        shape = BatchingJudge
    elif isinstance(model, Computes):
        shape = ComputingJudge
    else:
        raise BadValueError(
            f"judge {judge!r}: model {type(model).__name__} has none of respond, compute and compute_all; it needs one"
        )
    made: Judge = (_SELF_ASKING[shape] if isinstance(manner, Asking) else shape)(model, manner)
    return made


def require_task(model: Model, kind: Literal["answer", "match"], judge: str, instead: str) -> None:
    """Refuse a model that does not do what a judge would ask of it."""
    if kind not in model.tasks:
        wants, lacks = _TASKS[kind]
        raise BadValueError(
            f"judge {judge!r} {wants}, and the model does not {lacks} any "
            f"(it can: {', '.join(sorted(model.tasks))}); take {instead}"
        )


_TASKS = {
    "answer": ("asks questions about pictures", "answer"),
    "match": ("has texts scored by how well they fit a picture", "score"),
}


def shown_picture(exhibit: Exhibit) -> Stored:
    """Get the one picture that a model is shown."""
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return picture
    raise TypeError(f"a model is shown one picture at a time, not {[outcome.kind for outcome in exhibit.outcomes]}")


class _ModelJudge:
    """What all judges have in common that ask a model."""

    asks_together = False

    def __init__(self, model: Model, manner: Manner) -> None:
        self.rule, self.is_stand_in = manner.rule, model.is_stand_in
        self._asked, self._manner = model, manner

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a question in the judge's manner."""
        match outcomes:
            case [Drawn(picture=Stored())]:
                return self._manner.can_answer(question, outcomes)
        return False

    def put(self, exhibit: Exhibit, /) -> Iterator[Answer | Match]:
        """Put the questions as tasks of the model, in their order."""
        return self._manner.put(exhibit)

    def check(self) -> None:
        """Make sure that the model can be asked."""
        if isinstance(self._asked, Checks):
            self._asked.check()

    def _requests(self, exhibit: Exhibit) -> Iterator[Request]:
        for inquiry, task in zip(exhibit.inquiries, self.put(exhibit), strict=True):
            id = digest(exhibit.id, shown_picture(exhibit).hash, inquiry.question.id, task_text(task))
            yield Request(inquiry.question.id, task, 0, 0, int(id[:8], 16), exhibit.load, id)

    def _find(self, reply: Reply) -> Finding:
        match reply.content:
            case Failed(reason=reason, is_transient=True):
                raise TransientError(reason)
            case Failed(reason=reason):
                raise ValueError(reason)
            case Refused(reason=reason):
                refused = replace(reply.provenance, parameters={**reply.provenance.parameters, "refused": reason})
                return self._manner.find(replace(reply, provenance=refused))
            case Said() | Scored():
                return self._manner.find(reply)
        raise ValueError(f"the model gave {type(reply.content).__name__} where words or scores were asked for")


class _ComputingModel(Model, Computes[Request, Reply], Protocol):
    pass


class _BatchingModel(Model, ComputesSeveral[Request, Reply], Protocol):
    pass


class _WaitingModel(Model, Responds[Request, Reply], Protocol):
    pass


class _MeteredModel(_WaitingModel, Metered, Protocol):
    pass


class ComputingJudge(_ModelJudge):
    """Asks a model that computes one by one."""

    def __init__(self, model: _ComputingModel, manner: Manner) -> None:
        super().__init__(model, manner)
        self._model = model

    def compute(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Put the questions to the model."""
        return tuple(self._find(self._model.compute(request)) for request in self._requests(exhibit))


class BatchingJudge(_ModelJudge):
    """Asks a model that computes batch by batch."""

    def __init__(self, model: _BatchingModel, manner: Manner) -> None:
        super().__init__(model, manner)
        self._model, self.batch_size = model, model.batch_size
        self._kept: dict[str, Reply] = {}

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Put all the questions to the model; those that it answered beside one that failed are not asked again."""
        asked = [tuple(self._requests(exhibit)) for exhibit in exhibits]
        wanted = {request.trial_id: request for requests in asked for request in requests}
        replies = {id: self._kept.pop(id) for id in wanted if id in self._kept}
        missing = [request for id, request in wanted.items() if id not in replies]
        for start in range(0, len(missing), self.batch_size):
            some = missing[start : start + self.batch_size]
            given = self._model.compute_all(some)
            if len(given) != len(some):
                raise ValueError(f"the model gave {len(given)} replies to {len(some)} questions")
            replies |= {request.trial_id: reply for request, reply in zip(some, given, strict=True)}
        try:
            return [tuple(self._find(replies[request.trial_id]) for request in requests) for requests in asked]
        except Exception:
            # The runner now asks for each half anew.
            self._kept |= {id: reply for id, reply in replies.items() if not isinstance(reply.content, Failed)}
            raise

    def prove(self) -> Proof:
        """Show the model photographs of known things: it is here, and asking costs nothing."""
        return self._manner.prove(self.compute_all)


class WaitingJudge(_ModelJudge):
    """Asks a model that waits, as many at a time as the model says."""

    def __init__(self, model: _WaitingModel, manner: Manner) -> None:
        super().__init__(model, manner)
        self._model, self.concurrency = model, model.concurrency

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep open what the model keeps open."""
        return self._model.opened() if isinstance(self._model, Opens) else nullcontext()

    async def respond(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Put the questions to the model."""
        return tuple([self._find(await self._model.respond(request)) for request in self._requests(exhibit)])


class MeteredJudge(WaitingJudge):
    """Asks a model that is paid for by use."""

    def __init__(self, model: _MeteredModel, manner: Manner) -> None:
        super().__init__(model, manner)
        self.base_url, self.served_name, self._metered = model.base_url, model.served_name, model

    def expect(self, task: Task, /) -> Usage:
        """Guess what one answer of the model uses."""
        return self._metered.expect(task)


class _SelfAsking(_ModelJudge):
    """Has the questions of its manner, in place of the suite's."""

    @property
    def asks_about(self) -> str:
        """Say what they are about."""
        return self._asking.asks_about

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask about the outcome of an item."""
        return self._asking.asks(item)

    @property
    def _asking(self) -> Asking:
        if not isinstance(self._manner, Asking):
            raise TypeError(f"{type(self._manner).__name__} has no questions of its own")
        return self._manner


class _SelfAskingComputing(_SelfAsking, ComputingJudge):
    pass


class _SelfAskingBatching(_SelfAsking, BatchingJudge):
    pass


class _SelfAskingWaiting(_SelfAsking, WaitingJudge):
    pass


class _SelfAskingMetered(_SelfAsking, MeteredJudge):
    pass


_SELF_ASKING: dict[type[_ModelJudge], type[_SelfAsking]] = {
    ComputingJudge: _SelfAskingComputing,
    BatchingJudge: _SelfAskingBatching,
    WaitingJudge: _SelfAskingWaiting,
    MeteredJudge: _SelfAskingMetered,
}
