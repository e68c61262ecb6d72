"""Counts things in pictures outside any run, and turns the counts into rewards.

Reads a request's samples (a picture each, and what should be counted in it) and lets a judge look at them, batched
across requests, with bounded concurrency. A fault in the request raises an error that names the field; a fault in one
picture or prompt only costs that sample its reward."""

import asyncio
import binascii
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from pydantic_core import from_json

from subitize.errors import BadImageError, BadValueError, BudgetError, SubitizeError
from subitize.evaluate.costs import Meter
from subitize.evaluate.driving import Retry
from subitize.evaluate.engines import Caller, Failure
from subitize.evaluate.judging import check_findings
from subitize.evaluate.pictures import Loader
from subitize.interfaces import Finding, Judge, JudgeQuestion, JudgeRequest, Usage
from subitize.io.images import image_format
from subitize.judges.asking import NOUNS
from subitize.labels import Rule, interpret
from subitize.language.clauses import read_scene
from subitize.language.nouns import singular
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, NotUnderstood, Scene, Whole
from subitize.language.tokens import LONGEST_TEXT
from subitize.records import Ask, Discarded, Drawn, ImageFormat, Known, Stored, Value, digest
from subitize.registry import Resolved
from subitize.stimuli.colours import COLOUR_NAMES

MOST_SAMPLES = 1024
MOST_KINDS = 50
"""The most kinds of things that may be counted in one picture."""
MOST_COUNTED = 10_000
LONGEST_NOUN = 100
_FIELDS = ("prompts", "images", "expected")
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,", re.ASCII)


@dataclass(frozen=True, slots=True)
class RewardSample:
    """A picture, and what should be counted in it."""

    image: bytes
    format: ImageFormat
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Unscorable:
    """Why a sample has no reward."""

    reason: str


def read_samples(body: bytes) -> list[RewardSample | Unscorable]:
    """Read a request; raise BadValueError, naming the field, if it is malformed."""
    given = _read_object(body)
    prompts, images = (_read_texts(given, field) for field in ("prompts", "images"))
    expected = _read_expected(given, len(prompts))
    if len(images) != len(prompts):
        raise BadValueError(f"images: {len(images):,} of them for {len(prompts):,} prompts; give one for each")
    return [
        _read_sample(prompt, _read_image(f"images[{place}]", image), entities)
        for place, (prompt, image, entities) in enumerate(zip(prompts, images, expected, strict=True))
    ]


def _read_object(body: bytes) -> Mapping[str, object]:
    try:
        given = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise BadValueError(f"body: not JSON ({error})") from None
    if not isinstance(given, dict):
        raise BadValueError(f"body: {_name(given)}; should be an object with prompts and images")
    for field in given:
        if field not in _FIELDS:
            raise BadValueError(f"{field[:80]!r}: no such field; known: {', '.join(_FIELDS)}")
    return given


def _read_texts(given: Mapping[str, object], field: str) -> list[str]:
    if field not in given:
        raise BadValueError(f"{field}: missing; give a list of texts")
    return [_read_text(f"{field}[{place}]", text) for place, text in enumerate(_read_list(field, given[field]))]


def _read_text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadValueError(f"{field}: {_name(value)}; should be a text")
    return value


def _read_list(field: str, value: object, most: int = MOST_SAMPLES) -> list[object]:
    if not isinstance(value, list):
        raise BadValueError(f"{field}: {_name(value)}; should be a list")
    if not 1 <= len(value) <= most:
        raise BadValueError(f"{field}: a list of {len(value):,}; should be 1 to {most:,}")
    return value


def _read_expected(given: Mapping[str, object], samples: int) -> Sequence[tuple[Entity, ...] | None]:
    """Read what is expected of each sample; None where its prompt says so."""
    if given.get("expected") is None:
        return [None] * samples
    each = _read_list("expected", given["expected"])
    if len(each) != samples:
        raise BadValueError(f"expected: {len(each):,} of them for {samples:,} prompts; give one for each, or null")
    return [None if one is None else _read_entities(f"expected[{place}]", one) for place, one in enumerate(each)]


def _read_entities(field: str, value: object) -> tuple[Entity, ...]:
    each = _read_list(field, value, MOST_KINDS)
    entities = tuple(_read_entity(f"{field}[{place}]", one) for place, one in enumerate(each))
    for entity in entities:
        if sum(entity.noun == other.noun for other in entities) > 1:
            raise BadValueError(f"{field}: {entity.noun!r} stands there more than once")
    return entities


def _read_entity(field: str, value: object) -> Entity:
    if not isinstance(value, dict) or set(value) != {"noun", "count"}:
        raise BadValueError(f'{field}: {_name(value)}; should be an object as {{"noun": "apple", "count": 3}}')
    noun, number = value["noun"], value["count"]
    if not isinstance(noun, str) or not noun.strip() or not noun.isprintable() or len(noun) > LONGEST_NOUN:
        raise BadValueError(f"{field}.noun: {_name(noun)}; should be a text of 1 to {LONGEST_NOUN} characters")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST_COUNTED:
        raise BadValueError(f"{field}.count: {_name(number)}; should be a whole number from 0 to {MOST_COUNTED:,}")
    return Entity(singular(" ".join(noun.lower().split())), number)


def _read_image(field: str, text: str) -> bytes:
    start = _DATA_URL.match(text)
    try:
        return binascii.a2b_base64(text[start.end() :] if start else text, strict_mode=True)
    except ValueError as error:
        raise BadValueError(f"{field}: not base64 ({error}); encode the bytes of an image file") from None


def _read_sample(prompt: str, image: bytes, entities: tuple[Entity, ...] | None) -> RewardSample | Unscorable:
    asks = count_asks(Scene(entities)) if entities is not None else _read_prompt(prompt)
    if isinstance(asks, Unscorable):
        return asks
    try:
        return RewardSample(image, image_format(image), asks)
    except BadImageError as error:
        return Unscorable(str(error))


def _read_prompt(prompt: str) -> tuple[Ask, ...] | Unscorable:
    """Ask for the numbers that a prompt names, if they are all that it says of numbers."""
    if len(prompt) > LONGEST_TEXT:
        return Unscorable(f"the prompt has {len(prompt):,} characters; {LONGEST_TEXT:,} are read")
    return _ask_for(prompt)


@lru_cache(maxsize=1024)  # who trains sends a prompt again and again
def _ask_for(prompt: str) -> tuple[Ask, ...] | Unscorable:
    scene = read_scene(prompt, NOUNS, COLOUR_NAMES)
    if isinstance(scene, NotUnderstood):
        reason = scene.reason.partition("; known: ")[0]
        return Unscorable(f"the prompt is not understood ({reason}); say in `expected` what should be counted")
    for entity in scene.entities:
        if not isinstance(entity.number, int) or not isinstance(entity.form, Whole | None):
            return Unscorable(f"the prompt gives no exact number of whole things for {entity.noun!r}")
    if scene.comparisons or not scene.entities:
        return Unscorable("the prompt compares numbers, or names none, where counts are rewarded")
    return count_asks(scene)


def _name(value: object) -> str:
    """Describe a value for an error message, by its kind if it is long."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str() | int() | float():
            return f"{value!r:.80}" if not isinstance(value, int) or abs(value) < 10**20 else "a huge number"
        case list():
            return f"a list of {len(value):,}"
    return "an object"


RewardKind = Literal["exact", "graded"]


@dataclass(frozen=True, slots=True)
class RewardedCount:
    """A thing that was counted: the number expected, and the judge's value."""

    thing: str
    expected: int
    value: Value


@dataclass(frozen=True, slots=True)
class Reward:
    """The reward of a sample, None if any of its counts is unknown, and its basis."""

    value: float | None
    counts: Mapping[str, float]
    expected: Mapping[str, int]
    reason: str | None = None


def reward(counted: Sequence[RewardedCount] | Unscorable, kind: RewardKind) -> Reward:
    """Reward a sample by its counts; if one of them is unknown there is no reward, which is not a reward of 0."""
    if isinstance(counted, Unscorable):
        return Reward(None, {}, {}, counted.reason)
    expected = {one.thing: one.expected for one in counted}
    known: dict[str, float] = {}
    reasons = []
    for one in counted:
        match one.value:
            case Known(value=int() | float() as number):
                known[one.thing] = number
            case Known(value=other):
                reasons.append(f"{one.thing}: {other!r:.80} is no number")
            case Discarded(reason=why):
                reasons.append(f"{one.thing}: {why}")
    if reasons:
        return Reward(None, known, expected, "; ".join(reasons))
    return Reward(_RULES[kind](list(known.values()), list(expected.values())), known, expected)


def _exact(counts: Sequence[float], expected: Sequence[int]) -> float:
    return float(counts == expected)


def _graded(counts: Sequence[float], expected: Sequence[int]) -> float:
    """The mean of max(0, 1 − |n − t| / max(t, 1))."""
    each = [max(0.0, 1 - abs(n - t) / max(t, 1)) for n, t in zip(counts, expected, strict=True)]
    return sum(each) / len(each)


_RULES: Mapping[RewardKind, Callable[[Sequence[float], Sequence[int]], float]] = {"exact": _exact, "graded": _graded}

# More failures in a row than this mean a broken judge, but a batch may just have bad pictures.
_LARGEST_BATCH = 25

_Findings = tuple[Finding, ...]


class JudgePool:
    """Lets a judge look at samples as they come, while there is money for it."""

    def __init__(self, judge: Resolved[Judge], rule: Rule, caller: Caller, tries: int, meter: Meter) -> None:
        self._judge, self._rule, self._caller, self._tries, self._meter = judge, rule, caller, tries, meter
        self._waiting: asyncio.Queue[tuple[JudgeRequest, asyncio.Future[_Findings | Failure]]] = asyncio.Queue()
        self.failure = ""
        """Why the last look failed, if it did."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Process looks while the context lasts."""
        async with self._caller.opened():
            takers = [asyncio.create_task(self._take()) for _ in range(self._caller.concurrency)]
            try:
                yield
            finally:
                for taker in takers:
                    taker.cancel()
                await asyncio.gather(*takers, return_exceptions=True)

    async def count(self, sample: RewardSample) -> tuple[RewardedCount, ...] | Unscorable:
        """Count what should be counted in a sample; raise an error if the judge cannot look at anything."""
        picture = Stored(hashlib.sha256(sample.image).hexdigest(), sample.format)
        unfit = self._find_unanswerable(sample.asks, picture)
        if unfit:
            return Unscorable(unfit)
        load, judge = Loader(None, {picture: sample.image}), self._judge
        together = [sample.asks] if judge.obj.asks_together else [(ask,) for ask in sample.asks]
        values = await asyncio.gather(*(self._look(asks, picture, load) for asks in together))
        each = zip(sample.asks, (value for some in values for value in some), strict=True)
        return tuple(RewardedCount(ask.question.id.removeprefix("count:"), _number(ask), value) for ask, value in each)

    def _find_unanswerable(self, asks: Iterable[Ask], picture: Stored) -> str:
        judge = self._judge.obj
        for ask in asks:
            if not judge.can_answer(ask.question, (Drawn(picture),)):
                why = judge.why_not(ask.question) or f"does not answer {ask.question.id!r}"
                return f"judge {self._judge.spec.text} {why}"
        return ""

    async def _look(self, asks: Sequence[Ask], picture: Stored, load: Loader) -> Sequence[Value]:
        inquiries = tuple(JudgeQuestion(ask.question, ask.wording) for ask in asks)
        id = digest(self._judge.spec.text, picture.hash, [ask.question.id for ask in asks])
        look = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((JudgeRequest((Drawn(picture),), inquiries, load, id=id), look))
        found: _Findings | Failure = await look
        if isinstance(found, Failure):
            return [Discarded(found.reason)] * len(asks)
        return [self._read(finding, ask) for finding, ask in zip(found, asks, strict=True)]

    def _read(self, finding: Finding, ask: Ask) -> Value:
        try:
            return interpret(finding.evidence, ask.question, self._rule)
        except BadValueError as error:  # the rule is for another kind of evidence
            return Discarded(str(error))

    async def _take(self) -> None:
        size = min(self._caller.batch_size, _LARGEST_BATCH)
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < size and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            wanted = [(exhibit, look) for exhibit, look in batch if not look.cancelled()]  # by a client that hung up
            if wanted:
                await self._take_batch(*zip(*wanted, strict=True))

    async def _take_batch(
        self, exhibits: Sequence[JudgeRequest], looks: "Sequence[asyncio.Future[_Findings | Failure]]"
    ) -> None:
        name = self._judge.spec.text
        # A new one each time: failures of other requests do not count against this batch.
        retry = Retry(f"judge {name!r}", self._caller.call, self._tries)
        reserved_usd, usages = 0.0, list[Usage | None]()
        try:
            reserved_usd = self._reserve(exhibits)
            given = await retry.ask(exhibits, lambda: self._meter.write_off(reserved_usd))
            found = check_findings(name, exhibits, given.each)
            usages = [finding.usage for one in found if not isinstance(one, Failure) for finding in one]
        except SubitizeError as error:
            self.failure = str(error)
            _settle(looks, [error] * len(looks))
        else:
            self.failure = ""
            _settle(looks, found)
        finally:
            self._meter.settle(reserved_usd, usages)

    def _reserve(self, exhibits: Iterable[JudgeRequest]) -> float:
        """Reserve the cost of looks; raise BudgetError if there is not enough left."""
        tasks = chain.from_iterable(self._judge.obj.put(exhibit) for exhibit in exhibits)
        usd, ledger = self._meter.expect_usd(tasks), self._meter.ledger
        if not ledger.reserve(usd):
            raise BudgetError(
                f"stopped at `max_cost` {ledger.limit_usd:g}: US$ {ledger.spent_usd:.4f} are spent or may be; "
                "start again with more"
            )
        return usd


def _settle(
    looks: "Sequence[asyncio.Future[_Findings | Failure]]", given: Sequence[_Findings | Failure | SubitizeError]
) -> None:
    for look, one in zip(looks, given, strict=True):
        if look.done():  # its client hung up meanwhile
            continue
        if isinstance(one, SubitizeError):
            look.set_exception(one)
        else:
            look.set_result(one)


def _number(ask: Ask) -> int:
    (number,) = ask.expects
    return int(number)
