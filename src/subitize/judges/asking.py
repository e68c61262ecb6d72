"""Judges that put their questions to a model, whose words or scores are the evidence.

`Vlm` asks about the whole picture, `Parts` about each part, `Dsg` every yes-or-no question of the prompt's scene graph,
in the manner of Cho et al. (2024). `FitJudge` takes a score: VQAScore, an image-text matching head, or a similarity. A
judge has the methods of its model: it waits for a server or computes, one by one or in batches. Local models are tested
with photographs of known things."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cache
from operator import eq
from string import ascii_lowercase
from typing import Annotated, Any

from PIL import Image

from subitize import records
from subitize.errors import BadFileError, BadValueError, MissingPartError, UnknownNameError, UnusableModelError
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
from subitize.io.images import encode_png
from subitize.labels import interpret, parse_rule
from subitize.language.answers import drop_reasoning
from subitize.language.clauses import read_graph
from subitize.language.final import POLICIES
from subitize.language.nouns import article, plural
from subitize.language.questions import Node
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.stimuli.glyphs import GLYPHS

_TASKS = {
    "answer": ("asks questions about pictures", "answer"),
    "match": ("has texts scored by how well they fit a picture", "score"),
}


def is_picture(outcomes: Sequence[records.Outcome]) -> bool:
    """Return whether the response is a single stored picture."""
    match outcomes:
        case [records.Drawn(picture=records.Stored())]:
            return True
    return False


def shown_picture(exhibit: JudgeRequest) -> records.Stored:
    """Return the one picture that a model is shown."""
    match exhibit.outcomes:
        case [records.Drawn(picture=records.Stored() as picture)]:
            return picture
    raise TypeError(f"a model is shown one picture at a time, not {[outcome.kind for outcome in exhibit.outcomes]}")


Findings = tuple[Finding, ...]
ComputeFindings = Callable[[Sequence[JudgeRequest]], Sequence[Findings]]


class ModelJudge(Judge):
    """Base class of judges that ask a model, one question per call.

    Subclasses define what to ask and how to read a reply. A judge has the calling methods of its model and no others,
    so that callers can see by them how to call it.
    """

    name: str
    task: records.TaskKind
    instead: str
    """What to write instead of a model that cannot do such tasks."""
    asks_model = True

    def __init__(self, model: Model, /, *, self_test: Annotated[bool, RuntimeOption] = True) -> None:
        if self.task not in model.tasks:
            wants, lacks = _TASKS[self.task]
            refusal = f"the model does not {lacks} any (it can: {', '.join(sorted(model.tasks))})"
            raise BadValueError(f"judge {self.name!r} {wants}, and {refusal}; take {self.instead}")
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
            lacks = "none of respond, compute and compute_all; it needs one"
            raise BadValueError(f"judge {self.name!r}: model {type(model).__name__} has {lacks}")

    def can_answer(self, question: records.Question, outcomes: Sequence[records.Outcome]) -> bool:
        """Return whether this is one picture, and a question that the model can be asked."""
        return is_picture(outcomes) and self._can_ask(question)

    def put(self, exhibit: JudgeRequest, /) -> Iterator[records.Answer | records.Match]:
        """Turn the questions into tasks of the model, in their order."""
        return (self._put(inquiry, exhibit) for inquiry in exhibit.inquiries)

    def check(self) -> None:
        """Check that the model can be used."""
        self._model.check()

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep open what the model needs."""
        opened: AbstractAsyncContextManager[object] = self._model.opened()
        return opened

    def expect(self, task: records.Task, /) -> Usage:
        """Estimate the model's usage."""
        usage: Usage = self._model.expect(task)
        return usage

    def self_test(self) -> SelfTest:
        """Test a local model on known pictures, as asking it costs nothing."""
        if not isinstance(self, ComputesSeveral):
            return super().self_test()
        return self._self_test(self._compute_all) if self._is_tested else NOT_TESTED

    def _can_ask(self, question: records.Question) -> bool:
        """Return whether a model can be asked such a question about a picture."""
        raise NotImplementedError

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> records.Answer | records.Match:
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
            self._kept |= {id: reply for id, reply in replies.items() if not isinstance(reply.content, records.Failed)}
            raise

    def _requests(self, exhibit: JudgeRequest) -> Iterator[Request]:
        for inquiry, task in zip(exhibit.inquiries, self.put(exhibit), strict=True):
            id = records.digest(exhibit.id, shown_picture(exhibit).hash, inquiry.question.id, records.task_text(task))
            yield Request(inquiry.question.id, task, 0, 0, int(id[:8], 16), exhibit.load, id)

    def _read(self, reply: Reply) -> Finding:
        match reply.content:
            case records.Failed(reason=reason, is_transient=True):
                raise TransientError(reason)
            case records.Failed(reason=reason):
                raise ValueError(reason)
            case records.Refused(reason=reason):
                refused = replace(reply.provenance, parameters={**reply.provenance.parameters, "refused": reason})
                return self._find(replace(reply, provenance=refused))
            case records.Said() | records.Scored():
                return self._find(reply)
        raise ValueError(f"the model gave {type(reply.content).__name__} where words or scores were asked for")


class InWords(ModelJudge):
    """Base class of judges that ask in words, and take the model's words as evidence."""

    task = "answer"
    counts = True

    def _can_ask(self, question: records.Question) -> bool:
        has_letters = not isinstance(question, records.Choose) or len(question.lines) <= len(ascii_lowercase)
        return has_letters and not isinstance(question, records.Fit)

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> records.Answer:
        return records.Answer(shown_picture(exhibit), phrase(inquiry, exhibit.prompt))

    def _find(self, reply: Reply) -> Finding:
        """Take the model's words as evidence, without its reasoning; a refusal has none."""
        match reply.content:
            case records.Said(text=text) if text.strip():
                return Finding(records.Words(drop_reasoning(text)), reply.provenance, reply.usage)
            case records.Said():
                raise EmptyAnswerError
            case records.Refused():
                return Finding(records.Words(""), reply.provenance, reply.usage)
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

    def _can_ask(self, question: records.Question) -> bool:
        return super()._can_ask(question) and not isinstance(question, records.MatchesPrompt)


def phrase(inquiry: JudgeQuestion, prompt: str | None) -> str:
    """Word a question as it is sent, with its choices and the form of the answer.

    The prompt is included only where the question is about it: an informed question ("exactly 3 apples?") says enough
    about the expected answer.
    """
    wording = inquiry.wording
    match inquiry.question:
        case records.Count():
            return f"{wording} Answer with a number."
        case records.Confirm():
            return f"{wording} Answer yes or no."
        case records.MatchesPrompt() if prompt is None:
            raise ValueError("whether a picture matches its prompt can be asked only where there is a prompt")
        case records.MatchesPrompt():
            return f'The picture was asked for in these words: "{prompt}"\n{wording} Answer yes or no.'
        case records.Choose(lines=lines):
            lettered = (f"({letter}) {line}" for letter, line in zip(ascii_lowercase, lines, strict=False))
            return "\n".join([wording, *lettered, "Answer with the letter of the line."])
    return wording


NOT_TESTED = SelfTest(False, "left out (self_test=false)")
_LEAST_SHARE = 0.75
_REMEDY = "its weights are damaged, not trained, or not meant for such questions (self_test=false uses it all the same)"


class EmptyAnswerError(ValueError):
    """A model gave an empty answer."""

    def __init__(self) -> None:
        super().__init__("the model gave an empty answer")


def check_answers(compute: ComputeFindings, rule: str, *, counts: bool) -> SelfTest:
    """Ask whether things are there, and if that fails and `counts` is true, how many, as some models only count.

    The answers are read by the judge's own rule, as they will be in a run.
    """
    told = []
    for asked in (_is_there, _how_many) if counts else (_is_there,):
        right = 0
        try:
            found = compute([_exhibit(noun, 0, [asked(noun), asked(_another(noun))]) for noun in PHOTO_NOUNS])
        except _UNTESTABLE as error:
            return SelfTest(False, f"cannot be tested: {error}")
        except EmptyAnswerError:
            found = ()  # nothing is right
        for noun, findings in zip(PHOTO_NOUNS, found, strict=False):
            values = [
                interpret(finding.evidence, asked(one).question, parse_rule(rule))
                for one, finding in zip((noun, _another(noun)), findings, strict=True)
            ]
            # One counts as yes, and none as no.
            right += sum(map(eq, values, (records.Known(True), records.Known(False))))
        count, example = 2 * len(PHOTO_NOUNS), asked(PHOTO_NOUNS[0]).wording
        told.append(f"{right} of {count} questions about photographs ({example} …) answered right")
        if right >= _LEAST_SHARE * count:
            return SelfTest(True, told[-1])
    raise UnusableModelError(f"{', '.join(told)}: {_REMEDY}")


def check_scores(compute: ComputeFindings) -> SelfTest:
    """Score the names of four things against photographs of each: the right name must score best."""
    shown = [(noun, seed) for noun in PHOTO_NOUNS for seed in (0, 1)]
    names = [JudgeQuestion(records.Fit(f"a photo of {article(noun)} {noun}"), "") for noun in PHOTO_NOUNS]
    try:
        found = compute([_exhibit(noun, seed, names) for noun, seed in shown])
    except _UNTESTABLE as error:
        return SelfTest(False, f"cannot be tested: {error}")
    right = 0
    for (noun, _), findings in zip(shown, found, strict=True):
        scores = [one.evidence.score for one in findings if isinstance(one.evidence, records.Measured)]
        own = scores.pop(PHOTO_NOUNS.index(noun))
        right += all(own > score for score in scores)
    told = f"{right} of {len(shown)} photographs fit their own names best"
    if right < _LEAST_SHARE * len(shown):
        raise UnusableModelError(f"{told}: {_REMEDY}")
    return SelfTest(True, told)


# No photographs are installed, or the network reads region features instead of pixels.
_UNTESTABLE = (MissingPartError, BadFileError, BadValueError)


def _another(noun: str) -> str:
    return PHOTO_NOUNS[(PHOTO_NOUNS.index(noun) + 1) % len(PHOTO_NOUNS)]


def _is_there(noun: str) -> JudgeQuestion:
    return JudgeQuestion(
        records.Confirm(f"there are some {plural(noun)}", is_informed=False),
        f"Is there {article(noun)} {noun} in the image?",
    )


def _how_many(noun: str) -> JudgeQuestion:
    return JudgeQuestion(records.Count(noun), f"How many {plural(noun)} are in the image?")


def _exhibit(noun: str, seed: int, inquiries: Sequence[JudgeQuestion]) -> JudgeRequest:
    data = _photograph(noun, seed)
    name = records.digest("photograph", noun, seed)
    return JudgeRequest(
        (records.Drawn(records.Stored(name * 2, "png")),), tuple(inquiries), lambda _: data, id=f"self-test {name}"
    )


@cache
def _photograph(noun: str, seed: int) -> bytes:
    return encode_png(Image.fromarray(make_collage([noun], seed).pixels), compress_level=1)


NOUNS = tuple(dict.fromkeys((*GLYPHS, *COCO_CLASSES)))
"""The things a prompt may mention: those we draw, and COCO's classes."""


def graph_of(item: records.Item) -> tuple[Node, ...]:
    """Make the scene graph of an item's prompt; empty if it is not understood."""
    return read_graph(item.task.prompt, NOUNS, COLOUR_NAMES) if isinstance(item.task, records.Draw) else ()


class Dsg(InWords):
    """Ask an image-to-text model every yes-or-no question of a prompt's scene graph; `score --alignment` scores it."""

    name = "dsg"
    instead = "dsg:openai:MODEL, dsg:hf-inference:MODEL or dsg:transformers:MODEL"
    counts = False
    asks_about = "drawings of prompts that it can make a scene graph of"

    def asks(self, item: records.Item, /) -> Sequence[records.Ask]:
        """Ask everything the prompt says; nothing if it is not understood."""
        return [node.ask for node in graph_of(item)]

    def _can_ask(self, question: records.Question) -> bool:
        return isinstance(question, records.Confirm)


FIT_QUESTION = "How well does the image fit the text?"
ASKS_ABOUT = "drawings of prompts"


def fit_asks(item: records.Item) -> tuple[records.Ask, ...]:
    """Ask how well a drawing fits its prompt; there is no right score."""
    if not isinstance(item.task, records.Draw):
        return ()
    return (records.Ask(records.Fit(item.task.prompt), FIT_QUESTION, ()),)


class FitJudge(ModelJudge):
    """Ask a model that scores texts how well each drawing fits its prompt; of a chat model it is VQAScore."""

    name = "fit"
    task = "match"
    instead = "fit:transformers:MODEL_OR_FOLDER"
    asks_about = ASKS_ABOUT

    def asks(self, item: records.Item, /) -> Sequence[records.Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)

    def _can_ask(self, question: records.Question) -> bool:
        return isinstance(question, records.Fit)

    def _put(self, inquiry: JudgeQuestion, exhibit: JudgeRequest) -> records.Match:
        if not isinstance(inquiry.question, records.Fit):
            raise TypeError(f"a score does not answer {inquiry.question.id!r}")
        return records.Match(shown_picture(exhibit), inquiry.question.text)

    def _find(self, reply: Reply) -> Finding:
        """Take the score named match."""
        match reply.content:
            case records.Scored(scores=scores) if "match" in scores:
                return Finding(records.Measured(float(scores["match"])), reply.provenance, reply.usage)
            case records.Refused(reason=reason):
                raise ValueError(f"the model refused to score the text: {reason}")
        raise ValueError(f"the model gave {reply.content!r:.80} where a score named match was asked for")

    def _self_test(self, compute: ComputeFindings) -> SelfTest:
        """Have photographs of known things scored."""
        return check_scores(compute)
