"""Judges that put their questions to a model: `Vlm` asks about the whole picture, `Parts` about each part.

The model's words are the evidence; a policy reads the number in them. A judge has the methods of its model: it waits
for a server or computes, one by one or in batches."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from string import ascii_lowercase
from typing import Annotated, Any

from subitize.errors import BadValueError, UnknownNameError
from subitize.interfaces import (
    Computes,
    ComputesSeveral,
    Finding,
    Judge,
    JudgeQuestion,
    JudgeRequest,
    Model,
    Reply,
    Request,
    Responds,
    RuntimeOption,
    SelfTest,
    TransientError,
    Usage,
)
from subitize.judges.self_tests import NOT_TESTED, ComputeFindings, EmptyAnswerError, check_answers
from subitize.language.final import POLICIES
from subitize.records import (
    Answer,
    Choose,
    Confirm,
    Count,
    Drawn,
    Failed,
    Fit,
    Match,
    MatchesPrompt,
    Outcome,
    Question,
    Refused,
    Said,
    Scored,
    Stored,
    Task,
    TaskKind,
    Words,
    digest,
    task_text,
)

_TASKS = {
    "answer": ("asks questions about pictures", "answer"),
    "match": ("has texts scored by how well they fit a picture", "score"),
}


def is_picture(outcomes: Sequence[Outcome]) -> bool:
    """Return whether the response is a single stored picture."""
    match outcomes:
        case [Drawn(picture=Stored())]:
            return True
    return False


def shown_picture(exhibit: JudgeRequest) -> Stored:
    """Return the one picture that a model is shown."""
    match exhibit.outcomes:
        case [Drawn(picture=Stored() as picture)]:
            return picture
    raise TypeError(f"a model is shown one picture at a time, not {[outcome.kind for outcome in exhibit.outcomes]}")


Findings = tuple[Finding, ...]


class ModelJudge(Judge):
    """Base class of judges that ask a model, one question per call.

    Subclasses define what to ask and how to read a reply. A judge has the calling methods of its model and no others,
    so that callers can see by them how to call it.
    """

    name: str
    task: TaskKind
    instead: str
    """What to write instead of a model that cannot do such tasks."""
    asks_model = True

    def __init__(self, model: Model, /, *, self_test: Annotated[bool, RuntimeOption] = True) -> None:
        if self.task not in model.tasks:
            wants, lacks = _TASKS[self.task]
            raise BadValueError(
                f"judge {self.name!r} {wants}, and the model does not {lacks} any "
                f"(it can: {', '.join(sorted(model.tasks))}); take {self.instead}"
            )
        self.is_stand_in, self.base_url, self.served_name = model.is_stand_in, model.base_url, model.served_name
        self._is_tested = self_test
        self._model: Any = model
        self._kept: dict[str, Reply] = {}
        # A model with both methods is waited for, as many requests can be under way at once.
        if isinstance(model, Responds):
            self.concurrency, self.respond = model.concurrency, self._respond
        elif isinstance(model, ComputesSeveral):
            self.batch_size, self.compute_all = model.batch_size, self._compute_all
        elif isinstance(model, Computes):
            self.compute = self._compute
        else:
            raise BadValueError(
                f"judge {self.name!r}: model {type(model).__name__} has none of respond, compute and compute_all; "
                "it needs one"
            )

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a question that the model can be asked."""
        return is_picture(outcomes) and self._can_ask(question)

    def put(self, exhibit: JudgeRequest, /) -> Iterator[Answer | Match]:
        """Turn the questions into tasks of the model, in their order."""
        return (self._put(inquiry, exhibit) for inquiry in exhibit.inquiries)

    def check(self) -> None:
        """Check that the model can be used."""
        self._model.check()

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep open what the model needs."""
        opened: AbstractAsyncContextManager[object] = self._model.opened()
        return opened

    def expect(self, task: Task, /) -> Usage:
        """Estimate the model's usage."""
        usage: Usage = self._model.expect(task)
        return usage

    def self_test(self) -> SelfTest:
        """Test a local model on known pictures, as asking it costs nothing."""
        if not isinstance(self, ComputesSeveral):
            return super().self_test()
        return self._self_test(self._compute_all) if self._is_tested else NOT_TESTED

    def _can_ask(self, question: Question) -> bool:
        """Return whether a model can be asked such a question about a picture."""
        raise NotImplementedError

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> Answer | Match:
        """Turn one question into a task of the model."""
        raise NotImplementedError

    def _find(self, reply: Reply) -> Finding:
        """Turn a reply that is not a failure into evidence."""
        raise NotImplementedError

    def _self_test(self, compute: ComputeFindings) -> SelfTest:
        """Test the model on known pictures; raise UnusableModelError, with the reason, if it fails."""
        raise NotImplementedError

    async def _respond(self, exhibit: JudgeRequest, /) -> Findings:
        return tuple([self._read(await self._model.respond(request)) for request in self._requests(exhibit)])

    def _compute(self, exhibit: JudgeRequest, /) -> Findings:
        return tuple(self._read(self._model.compute(request)) for request in self._requests(exhibit))

    def _compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[Findings]:
        """Ask the model all questions; if one fails, the answers to the others are kept for the next try."""
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
            return [tuple(self._read(replies[request.trial_id]) for request in requests) for requests in asked]
        except Exception:
            # The runner now tries each half again.
            self._kept |= {id: reply for id, reply in replies.items() if not isinstance(reply.content, Failed)}
            raise

    def _requests(self, exhibit: JudgeRequest) -> Iterator[Request]:
        for inquiry, task in zip(exhibit.inquiries, self.put(exhibit), strict=True):
            id = digest(exhibit.id, shown_picture(exhibit).hash, inquiry.question.id, task_text(task))
            yield Request(inquiry.question.id, task, 0, 0, int(id[:8], 16), exhibit.load, id)

    def _read(self, reply: Reply) -> Finding:
        match reply.content:
            case Failed(reason=reason, is_transient=True):
                raise TransientError(reason)
            case Failed(reason=reason):
                raise ValueError(reason)
            case Refused(reason=reason):
                refused = replace(reply.provenance, parameters={**reply.provenance.parameters, "refused": reason})
                return self._find(replace(reply, provenance=refused))
            case Said() | Scored():
                return self._find(reply)
        raise ValueError(f"the model gave {type(reply.content).__name__} where words or scores were asked for")


class InWords(ModelJudge):
    """Base class of judges that ask in words, and take the model's words as evidence."""

    task = "answer"
    counts = True

    def _can_ask(self, question: Question) -> bool:
        has_letters = not isinstance(question, Choose) or len(question.lines) <= len(ascii_lowercase)
        return has_letters and not isinstance(question, Fit)

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> Answer:
        return Answer(shown_picture(exhibit), phrase(inquiry, exhibit.prompt))

    def _find(self, reply: Reply) -> Finding:
        """Take the model's words as evidence; a refusal has none."""
        match reply.content:
            case Said(text=text) if text.strip():
                return Finding(Words(text), reply.provenance, reply.usage)
            case Said():
                raise EmptyAnswerError
            case Refused():
                return Finding(Words(""), reply.provenance, reply.usage)
        raise ValueError(f"the model gave {type(reply.content).__name__} where words were asked for")

    def _self_test(self, compute: ComputeFindings) -> SelfTest:
        """Ask about photographs of known things."""
        return check_answers(compute, self.rule, counts=self.counts)


class Vlm(InWords):
    """Ask an image-to-text model, and read the numbers in its answers by one of the policies strict, total, final."""

    name = "vlm"
    instead = "vlm:openai:MODEL, vlm:hf-inference:MODEL, vlm:transformers:MODEL or vlm:observer"

    def __init__(
        self, model: Model, /, *, policy: str = "strict", self_test: Annotated[bool, RuntimeOption] = True
    ) -> None:
        # Not a paper's rule, which may be for typed digits: geckonum reads the o of "No" as 0.
        if policy not in POLICIES:
            raise UnknownNameError("policy", policy, POLICIES)
        super().__init__(model, self_test=self_test)
        self.rule = policy


class Parts(InWords):
    """Ask an image-to-text model about each part that a suite asks about, never about the whole: these are joined."""

    name = "parts"
    instead = "parts:openai:MODEL, parts:hf-inference:MODEL or parts:transformers:MODEL"

    def _can_ask(self, question: Question) -> bool:
        return super()._can_ask(question) and not isinstance(question, MatchesPrompt)


def phrase(inquiry: JudgeQuestion, prompt: str | None) -> str:
    """Word a question as it is sent, with its choices and the form of the answer.

    The prompt is included only where the question is about it: an informed question ("exactly 3 apples?") says enough
    about the expected answer.
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
