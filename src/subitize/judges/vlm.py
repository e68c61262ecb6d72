"""Asks a model that answers questions about pictures: its words are the evidence, numerals makes numbers of them."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from string import ascii_lowercase
from typing import Protocol

from subitize.errors import BadValueError, UnknownNameError
from subitize.interfaces import (
    Checks,
    Computes,
    Exhibit,
    Finding,
    Inquiry,
    Judge,
    Metered,
    Model,
    Opens,
    Reply,
    Request,
    Responds,
    TransientError,
    Usage,
)
from subitize.records import (
    Answer,
    Choose,
    Confirm,
    Count,
    Drawn,
    Failed,
    Fit,
    MatchesPrompt,
    Outcome,
    Question,
    Refused,
    Said,
    Stored,
    Task,
    Words,
    digest,
)

# The policies of numerals that read prose; geckonum reads digits that people typed, and takes the o of "No" for a 0.
POLICIES = ("strict", "total")


def make_vlm(model: Model, /, *, policy: str = "strict") -> Judge:
    """Ask an image-to-text model, and read the numbers in its answers by one of the policies strict, total."""
    if policy not in POLICIES:
        raise UnknownNameError("policy", policy, POLICIES)
    who = type(model).__name__
    if "answer" not in model.tasks:
        raise BadValueError(
            f"judge 'vlm' asks questions about pictures, and model {who} does not answer any "
            f"(it can: {', '.join(sorted(model.tasks))}); take vlm:openai:MODEL, vlm:hf-inference:MODEL or vlm:observer"
        )
    if isinstance(model, Responds):
        return MeteredVlm(model, policy) if isinstance(model, Metered) else WaitingVlm(model, policy)
    if isinstance(model, Computes):
        return ComputingVlm(model, policy)
    raise BadValueError(f"judge 'vlm': model {who} has neither respond nor compute; it needs one of them")


class _Vlm:
    """What all judges have in common that ask a model, one question per call."""

    asks_together = False

    def __init__(self, model: Model, policy: str) -> None:
        self.rule, self.is_stand_in = policy, model.is_stand_in

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a question that words answer."""
        match outcomes:
            case [Drawn(picture=Stored())]:
                has_letters = not isinstance(question, Choose) or len(question.lines) <= len(ascii_lowercase)
                return has_letters and not isinstance(question, Fit)
        return False

    def put(self, exhibit: Exhibit, /) -> Iterator[Answer]:
        """Put the questions as tasks of the model, in their order."""
        return (Answer(_picture(exhibit), phrase(inquiry, exhibit.prompt)) for inquiry in exhibit.inquiries)

    def _requests(self, exhibit: Exhibit) -> Iterator[Request]:
        for inquiry, task in zip(exhibit.inquiries, self.put(exhibit), strict=True):
            id = digest(exhibit.id, _picture(exhibit).hash, inquiry.question.id, task.question)
            yield Request(inquiry.question.id, task, 0, 0, int(id[:8], 16), exhibit.load, id)


class _ComputingModel(Model, Computes[Request, Reply], Protocol):
    pass


class _WaitingModel(Model, Responds[Request, Reply], Protocol):
    pass


class _MeteredModel(_WaitingModel, Metered, Protocol):
    pass


class ComputingVlm(_Vlm):
    """Asks a model that computes."""

    def __init__(self, model: _ComputingModel, policy: str) -> None:
        super().__init__(model, policy)
        self._model = model

    def compute(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Put the questions to the model."""
        return tuple(_find(self._model.compute(request)) for request in self._requests(exhibit))


class WaitingVlm(_Vlm):
    """Asks a model that waits, as many at a time as the model says."""

    def __init__(self, model: _WaitingModel, policy: str) -> None:
        super().__init__(model, policy)
        self._model, self.concurrency = model, model.concurrency

    def check(self) -> None:
        """Make sure that the model can be asked."""
        if isinstance(self._model, Checks):
            self._model.check()

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep open what the model keeps open."""
        return self._model.opened() if isinstance(self._model, Opens) else nullcontext()

    async def respond(self, exhibit: Exhibit, /) -> tuple[Finding, ...]:
        """Put the questions to the model."""
        return tuple([_find(await self._model.respond(request)) for request in self._requests(exhibit)])


class MeteredVlm(WaitingVlm):
    """Asks a model that is paid for by use."""

    def __init__(self, model: _MeteredModel, policy: str) -> None:
        super().__init__(model, policy)
        self.base_url, self.served_name, self._metered = model.base_url, model.served_name, model

    def expect(self, task: Task, /) -> Usage:
        """Guess what one answer of the model uses."""
        return self._metered.expect(task)


def phrase(inquiry: Inquiry, prompt: str | None) -> str:
    """Put a question as it is sent: with what there is to choose from, and what form the answer should have.

    Only where the question is about the prompt does the prompt stand in it: an informed question that says all it is
    about ("exactly 3 apples?") needs no more of what the answer should be.
    """
    wording = inquiry.wording
    match inquiry.question:
        case Count():
            return f"{wording} Answer with a number."
        case Confirm():
            return f"{wording} Answer yes or no."
        case MatchesPrompt() if prompt is None:
            raise ValueError("whether a picture matches its prompt can be asked only where there is a prompt")
        case MatchesPrompt():
            return f'The picture was asked for in these words: "{prompt}"\n{wording} Answer yes or no.'
        case Choose(lines=lines):
            lettered = (f"({letter}) {line}" for letter, line in zip(ascii_lowercase, lines, strict=False))
            return "\n".join([wording, *lettered, "Answer with the letter of the line."])
    return wording


def _picture(exhibit: Exhibit) -> Stored:
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return picture
    raise TypeError(f"a model is shown one picture at a time, not {[outcome.kind for outcome in exhibit.outcomes]}")


def _find(reply: Reply) -> Finding:
    """Take the model's words as evidence; one that refuses gives none, and its reason stands beside."""
    match reply.content:
        case Said(text=text):
            return Finding(Words(text), reply.provenance, reply.usage)
        case Refused(reason=reason):
            refused = replace(reply.provenance, parameters={**reply.provenance.parameters, "refused": reason})
            return Finding(Words(""), refused, reply.usage)
        case Failed(reason=reason, is_transient=True):
            raise TransientError(reason)
        case Failed(reason=reason):
            raise ValueError(reason)
    raise ValueError(f"the model gave {type(reply.content).__name__} where words were asked for")
