"""Counts incoming pictures with a judge: batched across requests, with bounded concurrency."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain

from subitize.errors import BadValueError, BudgetError, SubitizeError
from subitize.interfaces import Explains, Finding, Judge, JudgeQuestion, JudgeRequest, Usage
from subitize.labels import Rule, interpret
from subitize.records import Ask, Discarded, Drawn, Picture, Stored, Value, digest
from subitize.registry import Made
from subitize.rewards.reward_rules import Counted
from subitize.rewards.samples import Sample, Unjudged
from subitize.runner.costs import Meter
from subitize.runner.judging import check_findings, put_tasks
from subitize.runner.retries import Retry
from subitize.runner.workers import Broken, Executor

# More failures in a row than this are taken for a judge that does not work, and these may be bad pictures only.
_LARGEST_BATCH = 25

_Findings = tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """Has the bytes of the one picture that a look is about; it can be sent to a worker process."""

    data: bytes

    def __call__(self, picture: Picture) -> bytes:
        return self.data


class Looks:
    """Has a judge look at samples as they come, while there is money for it."""

    def __init__(self, judge: Made[Judge], rule: Rule, executor: Executor, tries: int, meter: Meter) -> None:
        self._judge, self._rule, self._executor, self._tries, self._meter = judge, rule, executor, tries, meter
        self._waiting: asyncio.Queue[tuple[JudgeRequest, asyncio.Future[_Findings | Broken]]] = asyncio.Queue()
        self.failure = ""
        """Why the last look could not be taken, if it could not."""

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take looks while the context lasts."""
        async with self._executor.opened():
            takers = [asyncio.create_task(self._take()) for _ in range(self._executor.concurrency)]
            try:
                yield
            finally:
                for taker in takers:
                    taker.cancel()
                await asyncio.gather(*takers, return_exceptions=True)

    async def count(self, sample: Sample) -> tuple[Counted, ...] | Unjudged:
        """Count what should be counted in a sample; raise what keeps the judge from looking at anything."""
        picture = Stored(hashlib.sha256(sample.image).hexdigest(), sample.format)
        unfit = self._find_unanswerable(sample.asks, picture)
        if unfit:
            return Unjudged(unfit)
        load, judge = _Held(sample.image), self._judge
        together = [sample.asks] if judge.it.asks_together else [(ask,) for ask in sample.asks]
        values = await asyncio.gather(*(self._look(asks, picture, load) for asks in together))
        each = zip(sample.asks, (value for some in values for value in some), strict=True)
        return tuple(Counted(ask.question.id.removeprefix("count:"), _number(ask), value) for ask, value in each)

    def _find_unanswerable(self, asks: Iterable[Ask], picture: Stored) -> str:
        judge = self._judge.it
        for ask in asks:
            if not judge.can_answer(ask.question, (Drawn(picture),)):
                why = judge.why_not(ask.question) if isinstance(judge, Explains) else ""
                return f"judge {self._judge.spec.shown} {why or f'does not answer {ask.question.id!r}'}"
        return ""

    async def _look(self, asks: Sequence[Ask], picture: Stored, load: _Held) -> Sequence[Value]:
        inquiries = tuple(JudgeQuestion(ask.question, ask.wording) for ask in asks)
        id = digest(self._judge.spec.shown, picture.hash, [ask.question.id for ask in asks])
        look = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((JudgeRequest((Drawn(picture),), inquiries, load, id=id), look))
        found: _Findings | Broken = await look
        if isinstance(found, Broken):
            return [Discarded(found.reason)] * len(asks)
        return [self._read(finding, ask) for finding, ask in zip(found, asks, strict=True)]

    def _read(self, finding: Finding, ask: Ask) -> Value:
        try:
            return interpret(finding.evidence, ask.question, self._rule)
        except BadValueError as error:  # the rule is for other evidence
            return Discarded(str(error))

    async def _take(self) -> None:
        size = min(self._executor.batch_size, _LARGEST_BATCH)
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < size and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            wanted = [(exhibit, look) for exhibit, look in batch if not look.cancelled()]  # by one who hung up
            if wanted:
                await self._take_batch(*zip(*wanted, strict=True))

    async def _take_batch(
        self, exhibits: Sequence[JudgeRequest], looks: "Sequence[asyncio.Future[_Findings | Broken]]"
    ) -> None:
        name = self._judge.spec.shown
        # A new one each time: what others sent does not count against this batch.
        retry: Retry[JudgeRequest, _Findings] = Retry(f"judge {name!r}", self._executor.call, self._tries)
        promised_usd, usages = 0.0, list[Usage | None]()
        try:
            promised_usd = self._promise(exhibits)
            given = await retry.ask(exhibits, lambda: self._meter.lose(promised_usd))
            found = check_findings(name, exhibits, given.each)
            usages = [finding.usage for one in found if not isinstance(one, Broken) for finding in one]
        except SubitizeError as error:
            self.failure = str(error)
            _settle(looks, [error] * len(looks))
        else:
            self.failure = ""
            _settle(looks, found)
        finally:
            self._meter.settle(promised_usd, usages)

    def _promise(self, exhibits: Iterable[JudgeRequest]) -> float:
        """Put aside what looks will cost; where there is not so much left, none is taken."""
        tasks = chain.from_iterable(put_tasks(self._judge.it, exhibit) for exhibit in exhibits)
        usd, ledger = self._meter.expect_usd(tasks), self._meter.ledger
        if not ledger.promise(usd):
            raise BudgetError(
                f"stopped at --max-cost {ledger.limit_usd:g}: US$ {ledger.spent_usd:.4f} are spent or may be; "
                "start again with more"
            )
        return usd


def _settle(
    looks: "Sequence[asyncio.Future[_Findings | Broken]]", given: Sequence[_Findings | Broken | SubitizeError]
) -> None:
    for look, one in zip(looks, given, strict=True):
        if look.done():  # whoever waited for it hung up meanwhile
            continue
        if isinstance(one, SubitizeError):
            look.set_exception(one)
        else:
            look.set_result(one)


def _number(ask: Ask) -> int:
    (number,) = ask.expects
    return int(number)
