"""The one adapter from a model, whatever its shape, to a judge that puts its questions to it.

What is asked, and what is made of a reply, is the judge's manner. Whether the model is waited for, computes one by one
or batch by batch is its own affair: the judge takes the model's shape.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Protocol

from subitize.errors import BadValueError
from subitize.interfaces import (
    AsksItself,
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
)
from subitize.judges.proving import Look
from subitize.records import (
    Answer,
    Drawn,
    Failed,
    Match,
    Outcome,
    Question,
    Refused,
    Said,
    Scored,
    Stored,
    TaskKind,
    digest,
    task_text,
)

_TASKS = {
    "answer": ("asks questions about pictures", "answer"),
    "match": ("has texts scored by how well they fit a picture", "score"),
}


class Manner(Protocol):
    """What a judge asks a model, one question per call, and what it makes of the reply; it may ask by itself, too."""

    task: TaskKind
    rule: str

    def can_answer(self, question: Question, /) -> bool:
        """Tell whether a model can be asked such a question about a picture."""
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


def ask_through(model: Model, manner: Manner, judge: str, instead: str) -> Judge:
    """Make a judge that asks a model in a manner; one that does no such tasks is refused, and told what to take."""
    if manner.task not in model.tasks:
        wants, lacks = _TASKS[manner.task]
        raise BadValueError(
            f"judge {judge!r} {wants}, and the model does not {lacks} any "
            f"(it can: {', '.join(sorted(model.tasks))}); take {instead}"
        )
    if not isinstance(model, Responds | ComputesSeveral | Computes):
        raise BadValueError(
            f"judge {judge!r}: model {type(model).__name__} has none of respond, compute and compute_all; it needs one"
        )
    return ModelJudge(model, manner)


def is_picture(outcomes: Sequence[Outcome]) -> bool:
    """Tell whether these responses are one picture whose pixels are here."""
    match outcomes:
        case [Drawn(picture=Stored())]:
            return True
    return False


def shown_picture(exhibit: Exhibit) -> Stored:
    """Get the one picture that a model is shown."""
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return picture
    raise TypeError(f"a model is shown one picture at a time, not {[outcome.kind for outcome in exhibit.outcomes]}")


Findings = tuple[Finding, ...]


class ModelJudge:
    """Asks a model in a manner.

    Whoever calls it tells its shape by what it has: it has what its model and its manner have, and no more.
    """

    asks_together = False

    def __init__(self, model: Any, manner: Manner) -> None:  # noqa: ANN401 - of any of the shapes
        self.rule, self.is_stand_in = manner.rule, model.is_stand_in
        self._model, self._manner = model, manner
        self._kept: dict[str, Reply] = {}
        # A model that can do both is waited for: many requests are under way at once.
        if isinstance(model, Responds):
            self.concurrency, self.respond = model.concurrency, self._respond
            self.opened = model.opened if isinstance(model, Opens) else nullcontext
            if isinstance(model, Metered):
                self.base_url, self.served_name, self.expect = model.base_url, model.served_name, model.expect
        elif isinstance(model, ComputesSeveral):
            self.batch_size, self.compute_all = model.batch_size, self._compute_all
            # It is here, and asking costs nothing.
            self.prove = lambda: manner.prove(self._compute_all)
        else:
            self.compute = self._compute
        if isinstance(manner, AsksItself):
            self.asks_about, self.asks = manner.asks_about, manner.asks

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a question in the judge's manner."""
        return is_picture(outcomes) and self._manner.can_answer(question)

    def put(self, exhibit: Exhibit, /) -> Iterator[Answer | Match]:
        """Put the questions as tasks of the model, in their order."""
        return self._manner.put(exhibit)

    def check(self) -> None:
        """Make sure that the model can be asked."""
        if isinstance(self._model, Checks):
            self._model.check()

    async def _respond(self, exhibit: Exhibit, /) -> Findings:
        return tuple([self._find(await self._model.respond(request)) for request in self._requests(exhibit)])

    def _compute(self, exhibit: Exhibit, /) -> Findings:
        return tuple(self._find(self._model.compute(request)) for request in self._requests(exhibit))

    def _compute_all(self, exhibits: Sequence[Exhibit], /) -> list[Findings]:
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
