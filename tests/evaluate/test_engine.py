"""Slots are bounded, a slot is used again only after its result is committed, and stopping loses nothing answered."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

import pytest

from subitize.evaluate.driving import fill_slots


class Ledger:
    """Remembers what was begun and committed, and how."""

    def __init__(self, commit_seconds: float = 0.0) -> None:
        self.commit_seconds = commit_seconds
        self.committed: list[int] = []
        self.batches: list[int] = []
        self.under_way = 0
        self.most_under_way = 0
        self.renewals = 0
        self.told: list[int] = []

    async def perform(self, job: int) -> int:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0.001)
        return job

    def commit(self, done: Sequence[int]) -> None:
        time.sleep(self.commit_seconds)
        self.committed += done
        self.batches.append(len(done))
        self.under_way -= len(done)

    def renew(self) -> None:
        self.renewals += 1

    def fill(
        self, jobs: Iterable[int], slots: int, renewal_seconds: float = 100.0, **how: Callable[..., Any]
    ) -> Coroutine[Any, Any, None]:
        """Do the jobs, with a `perform`, `commit` or `renew` other than one's own."""
        perform, commit, renew = (how.get(name, getattr(self, name)) for name in ("perform", "commit", "renew"))
        return fill_slots(
            jobs, perform, commit, slots=slots, renew=renew, tell=self.told.append, renewal_seconds=renewal_seconds
        )


def test_every_job_is_done_and_committed_once() -> None:
    ledger = Ledger()
    asyncio.run(ledger.fill(range(500), 16))
    assert sorted(ledger.committed) == list(range(500))
    assert sorted(ledger.told) == list(range(500))


def test_no_more_than_the_bound_are_begun_and_not_yet_committed() -> None:
    ledger = Ledger(commit_seconds=0.005)
    asyncio.run(ledger.fill(range(100), 7))
    assert ledger.most_under_way == 7


def test_results_that_wait_are_committed_together() -> None:
    ledger = Ledger(commit_seconds=0.01)
    asyncio.run(ledger.fill(range(100), 20))
    assert max(ledger.batches) > 5


def test_the_lease_is_renewed_while_a_job_takes_long() -> None:
    ledger = Ledger()

    async def slow(job: int) -> int:
        await asyncio.sleep(0.3)
        return job

    asyncio.run(ledger.fill([1], 1, 0.05, perform=slow))
    assert ledger.renewals >= 3


def test_an_error_of_a_commit_ends_the_work_as_itself() -> None:
    def full(done: Sequence[int]) -> None:
        raise OSError("disk full")

    ledger = Ledger()
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(ledger.fill(range(100), 4, commit=full))
    assert ledger.told == []


def test_an_error_of_a_job_ends_the_work_and_keeps_what_was_answered() -> None:
    ledger = Ledger()

    async def perform(job: int) -> int:
        if job == 50:
            raise RuntimeError("job 50")
        return job

    with pytest.raises(RuntimeError, match="job 50"):
        asyncio.run(ledger.fill(range(1000), 4, perform=perform))
    assert set(range(46)) <= set(ledger.committed)
    assert 50 not in ledger.committed


def test_a_lost_lease_ends_the_work_though_jobs_hang() -> None:
    def renew() -> None:
        raise RuntimeError("lease lost")

    async def hang(job: int) -> int:
        await asyncio.sleep(1000)
        return job

    ledger = Ledger()
    with pytest.raises(RuntimeError, match="lease lost"):
        asyncio.run(ledger.fill([1, 2, 3], 2, 0.01, perform=hang, renew=renew))


def test_what_was_answered_is_committed_though_the_work_is_cancelled() -> None:
    ledger = Ledger()

    async def perform(job: int) -> int:
        if job >= 4:
            await asyncio.sleep(1000)
        return job

    async def stop_early() -> None:
        task = asyncio.create_task(ledger.fill(range(1000), 4, perform=perform))
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # the slots have answered; their commit is due in the next turn
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stop_early())
    assert sorted(ledger.committed) == [0, 1, 2, 3]


def test_a_commit_that_fails_while_the_work_is_cancelled_is_told() -> None:
    def full(done: Sequence[int]) -> None:
        raise OSError("disk full")

    async def stop_early() -> None:
        async def perform(job: int) -> int:
            return job

        ledger = Ledger()
        task = asyncio.create_task(ledger.fill(range(10), 2, perform=perform, commit=full))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(stop_early())
