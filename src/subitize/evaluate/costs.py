"""The cost of a run: estimated before each call, booked once known, and kept below a limit."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar

from pydantic_core import from_json

from subitize.errors import BadValueError
from subitize.evaluate.pictures import measure
from subitize.interfaces import Answerer, Usage
from subitize.io.prices import Price, PriceList, Tiles
from subitize.records import Draw, Provenance, Task
from subitize.registry import Resolved
from subitize.store import Run
from subitize.store.images import Images
from subitize.store.rows import read_usages

JobT = TypeVar("JobT")
# The pictures of a model without a price are counted as gpt-4o counts them.
_USUAL_RULE = Tiles(base=85, per_tile=170)


class Paid(NamedTuple):
    """A sum, and the number of answers it paid for."""

    usd: float
    times: int

    @property
    def mean_usd(self) -> float:
        """The average cost of an answer."""
        return self.usd / self.times if self.times else 0.0


@dataclass(slots=True)
class Budget:
    """The money of one run, over all its models and judges: spent so far, and reserved for calls under way."""

    prices: PriceList = field(default_factory=PriceList)
    limit_usd: float | None = None
    spent_usd: float = 0.0
    reserved_usd: float = 0.0
    is_exhausted: bool = False
    paid: dict[str, Paid] = field(default_factory=dict)
    used: dict[str, Price] = field(default_factory=dict)
    """What was paid, and the price, by the name of the model or judge."""
    images: Images | None = None
    """The stored pictures that may be shown."""

    def __post_init__(self) -> None:
        check_limit(self.limit_usd)

    @property
    def spending(self) -> str:
        """What was spent, in brackets, or nothing."""
        return f" (spent: US$ {self.spent_usd:.4f})" if self.spent_usd else ""

    def begin(self, run: Run) -> None:
        """Take a run's pictures and, if there is a limit, what the run has cost so far."""
        self.images = run.image_files
        if self.limit_usd is not None:
            self.enter(run)

    def enter(self, run: Run) -> None:
        """Book what a run has cost so far: a limit covers all of it, earlier calls included."""
        self.images = run.image_files
        for who, usages in read_usages(run).items():
            usd, times, unsettled = 0.0, 0, 0
            for text, count in usages.items():
                usage = from_json(text)
                usd += count * (usage["price_usd"] or 0.0)
                times += count * (usage["price_usd"] is not None)
                unsettled += count * usage.get("unsettled_tries", 0)
            self.paid[who] = Paid(usd, times)
            # A try that may have been charged counts with the average cost.
            self.spent_usd += usd + unsettled * self.paid[who].mean_usd

    def reserve(self, usd: float) -> bool:
        """Reserve money for a call and return whether the budget allows it; free calls are always allowed."""
        if usd and not self.has_room(usd):
            return False
        self.reserved_usd += usd
        return True

    def has_room(self, usd: float) -> bool:
        """Return whether the budget allows so much more."""
        return self.limit_usd is None or self.spent_usd + self.reserved_usd + usd <= self.limit_usd

    def meter(self, made: Resolved[Any]) -> "Meter":
        """Return the meter of a model or judge; with a limit, one without a known price is refused."""
        name, it = made.spec.text, made.obj
        if not it.base_url:
            return Meter(self, name, label=str(made))
        price = self.prices.find(it.base_url, it.served_name)
        if price is None and self.limit_usd is not None:
            raise BadValueError(
                f"`max_cost` needs the price of {str(made)!r}, served as {it.served_name!r} at {it.base_url}; "
                "give it in a file: `prices` FILE"
            )
        if price is not None:
            self.used[name] = price
        return Meter(self, name, it, price, str(made))


@dataclass(slots=True)
class Meter:
    """Books what one model or judge uses in the budget of its run; one that is free costs nothing."""

    ledger: Budget
    name: str
    metered: Answerer | None = None
    price: Price | None = None
    label: str = ""

    @property
    def paid(self) -> Paid:
        """What its answers have cost so far."""
        return self.ledger.paid.get(self.name, Paid(0.0, 0))

    def expect_usd(self, tasks: Iterable[Task]) -> float:
        """Estimate the cost of the answers to these tasks, as far as prices are known."""
        if self.metered is None or self.price is None:
            return 0.0
        # The mean of earlier answers replaces an estimate that it exceeds.
        return sum(max(self.paid.mean_usd, self._expect_usd(task)) for task in tasks)

    def expect(self, task: Task) -> Usage:
        """Estimate what one answer uses, including the picture that is shown."""
        if self.metered is None:
            return Usage()
        usage = self.metered.expect(task)
        if isinstance(task, Draw):
            return usage
        rule = _USUAL_RULE if self.price is None else self.price.image_in_chat
        shown = rule.count(*measure(self.ledger.images, task.picture), is_low_detail=usage.is_low_detail)
        return replace(usage, tokens_in=usage.tokens_in + shown)

    def _expect_usd(self, task: Task) -> float:
        usd = None if self.price is None else price_of(self.price, self.expect(task))
        if usd is None and self.ledger.limit_usd is not None:
            asked = self.expect(task)
            what = f"pictures of size {asked.size or 'auto'} and quality {asked.quality or 'auto'}"
            raise BadValueError(
                f"`max_cost` needs the price of {what if asked.pictures else 'chats'} by {self.name!r}; "
                "give it in a file: `prices` FILE"
            )
        return usd or 0.0

    def write_off(self, reserved_usd: float) -> bool:
        """Book a try that may have been charged; return whether the budget allows another."""
        self.ledger.spent_usd += reserved_usd
        has_room = self.ledger.has_room(0.0)
        self.ledger.is_exhausted |= not has_room
        return has_room

    def settle(self, reserved_usd: float, usages: Sequence[Usage | None]) -> list[float | None]:
        """Book the cost of the answers of one call, and return each, if there is a price.

        Where a server does not report usage, the estimate counts.
        """
        share_usd = reserved_usd / len(usages) if usages and self.price else None
        usd = [price_of(self.price, usage) if self.price and usage else share_usd for usage in usages]
        known = [one for one in usd if one is not None]
        self.ledger.reserved_usd -= reserved_usd
        self.ledger.spent_usd += sum(known)
        self.ledger.paid[self.name] = Paid(self.paid.usd + sum(known), self.paid.times + len(known))
        return usd


def check_limit(usd: float | None) -> None:
    """Refuse a limit that is no sum of money."""
    if usd is not None and not 0 < usd < math.inf:
        raise BadValueError(f"`max_cost` {usd:g}: should be a sum in US dollars above 0")


def price_of(price: Price, usage: Usage) -> float | None:
    """Return the cost of a usage, if the price list has it."""
    if not usage.pictures:
        has_chats = price.chat_usd_per_million is not None
        return price.of_chat(usage.tokens_in, usage.tokens_out, usage.cached_in) if has_chats else None
    tokens = (usage.tokens_in, usage.tokens_out) if usage.tokens_out else (None, None)
    return price.of_images(usage.size, usage.quality, usage.pictures, *tokens)


def priced(provenance: Provenance, usd: float | None, unsettled: int) -> Provenance:
    """Add cost and unsettled tries to a provenance; return the same object if there are none."""
    if usd is None and not unsettled:
        return provenance
    return replace(provenance, price_usd=usd, unsettled_tries=unsettled)


class Affordable(Iterator[tuple[JobT, float]]):
    """Yields jobs with their reserved cost until the budget is used up.

    A job that was held back comes first once there is money again.
    """

    def __init__(self, jobs: Iterable[JobT], meter: Meter, tasks_of: Callable[[JobT], Iterable[Task]]) -> None:
        self._jobs, self._meter, self._tasks_of = iter(jobs), meter, tasks_of
        self._held: list[JobT] = []

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[JobT, float]:
        job = self._held.pop() if self._held else next(self._jobs)
        usd = self._meter.expect_usd(self._tasks_of(job))
        if not self._meter.ledger.reserve(usd):
            self._held.append(job)
            raise StopIteration
        return job, usd

    def has_more(self) -> bool:
        """Return whether there is money now for a job held back: calls may cost less than was reserved."""
        return any(self._meter.ledger.has_room(self._meter.expect_usd(self._tasks_of(job))) for job in self._held)

    def work_off(self, work: Callable[[], None]) -> bool:
        """Do the jobs while there is money; return, and note in the budget, whether some were left."""
        work()
        while self.has_more():
            work()
        self._meter.ledger.is_exhausted |= bool(self._held)
        return bool(self._held)
