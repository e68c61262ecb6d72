"""Turns keep to the limits: how many at once, how many a minute, and none while the server wants to be left alone."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from subitize.models.http import retry_after_seconds
from subitize.models.pacing import Pacer
from tests.cases import Case

GivenT = TypeVar("GivenT")


class Skipping(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to whatever comes next, so that nothing is waited for."""

    now = 1000.0

    def time(self) -> float:
        return Skipping.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            Skipping.now = max(Skipping.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run(coroutine: Coroutine[Any, Any, GivenT]) -> GivenT:
    with asyncio.Runner(loop_factory=Skipping) as runner:
        return runner.run(coroutine)


async def begin_times(pacer: Pacer, count: int, tokens: int = 1) -> list[float]:
    """Take so many turns at once, and tell when each began, counted from now."""
    loop, began = asyncio.get_running_loop(), []
    start = loop.time()

    async def take() -> None:
        async with pacer.turn(tokens) as turn:
            began.append(loop.time() - start)
            pacer.accept(turn, tokens)

    await asyncio.gather(*(take() for _ in range(count)))
    return sorted(began)


def test_requests_are_spread_evenly_over_the_minute() -> None:
    began = run(begin_times(Pacer(100, 6000, None), 40))
    # The first few make good a delay of 30 ms.
    assert began == pytest.approx([max(0.0, place * 0.01 - 0.03) for place in range(40)])


def test_tokens_are_spread_over_the_minute_and_what_was_not_used_is_given_back() -> None:
    began = run(begin_times(Pacer(100, None, 60_000), 10, tokens=50))
    assert began == pytest.approx([max(0.0, place * 0.05 - 0.03) for place in range(10)])

    async def use_less() -> float:
        loop, pacer = asyncio.get_running_loop(), Pacer(100, None, 60_000)
        start = loop.time()
        for _ in range(10):
            async with pacer.turn(100) as turn:
                pacer.accept(turn, 10)
        return loop.time() - start

    assert run(use_less()) < 0.1, "a tenth of a second's worth was used"


def test_no_more_are_under_way_than_may_be() -> None:
    async def most_at_once() -> int:
        pacer, now, most = Pacer(5, None, None), 0, 0

        async def take() -> None:
            nonlocal now, most
            async with pacer.turn(1):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.001)
                now -= 1

        await asyncio.gather(*(take() for _ in range(50)))
        return most

    assert run(most_at_once()) == 5


def test_a_busy_server_gets_half_as_many_at_once_and_more_again_as_it_answers() -> None:
    async def limits() -> list[int]:
        pacer = Pacer(16, None, None)
        found = [pacer.at_once]
        async with pacer.turn(1) as one, pacer.turn(1) as other:
            await asyncio.sleep(0.001)
            pacer.reject(one, None)
            pacer.reject(other, None)  # it was sent before the cut, and does not cut again
            found.append(pacer.at_once)
        await asyncio.sleep(0.001)
        for _ in range(30):
            async with pacer.turn(1) as turn:
                pacer.accept(turn, 1)
        return [*found, pacer.at_once]

    before, cut, after = run(limits())
    assert (before, cut) == (16, 8)
    assert 8 < after <= 16


def test_nothing_begins_while_the_server_wants_to_be_left_alone_and_then_not_all_at_once() -> None:
    async def began() -> list[float]:
        pacer = Pacer(100, 6000, None)
        async with pacer.turn(1) as turn:
            pacer.reject(turn, 20)
        return await begin_times(pacer, 20)

    found = run(began())
    assert found[0] == pytest.approx(20)
    assert found[-1] - found[0] >= 0.1


def test_turns_go_on_in_another_event_loop() -> None:
    pacer = Pacer(4, 6000, None)
    for _ in range(3):
        assert len(run(begin_times(pacer, 12))) == 12


def test_a_server_that_counts_nonsense_holds_nobody_up_for_hours() -> None:
    async def delay_seconds() -> float:
        pacer = Pacer(1, None, 60_000)
        async with pacer.turn(1) as turn:
            pacer.accept(turn, 10**9)
        rate = pacer._tokens
        assert rate is not None
        return rate.free_at - asyncio.get_running_loop().time()

    assert run(delay_seconds()) <= 60


def test_a_turn_that_is_cancelled_while_it_waits_holds_nobody_up() -> None:
    async def go() -> int:
        pacer, done = Pacer(1, None, None), 0

        async def take(seconds: float) -> None:
            nonlocal done
            async with pacer.turn(1):
                await asyncio.sleep(seconds)
                done += 1

        first = asyncio.create_task(take(0.05))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(take(0)) for _ in range(4)]
        await asyncio.sleep(0.01)
        waiting[0].cancel()
        first.cancel()
        await asyncio.wait([first, *waiting], timeout=1)
        return done

    assert run(go()) == 3


def test_a_waiter_cancelled_just_after_it_is_woken_leaves_its_turn_to_the_next() -> None:
    async def go() -> list[str]:
        pacer, may_leave, done = Pacer(1, None, None), asyncio.Event(), list[str]()

        async def take(name: str) -> None:
            async with pacer.turn(1):
                await may_leave.wait()
                done.append(name)

        first, second, third = (asyncio.create_task(take(name)) for name in ("first", "second", "third"))
        await asyncio.sleep(0)
        may_leave.set()
        await asyncio.sleep(0)
        assert first.done()
        second.cancel()
        await asyncio.wait([second, third], timeout=1)
        return done

    assert run(go()) == ["first", "third"]


PAUSES: list[tuple[dict[str, str], float | None]] = [
    ({}, None),
    ({"retry-after": "3"}, 3.0),
    ({"retry-after": "0.5"}, 0.5),
    ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
    ({"retry-after": "-1"}, 0.0),
    ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
    ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
    ({"retry-after": "soon"}, None),
    ({"retry-after": ""}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "inf"}, None),
]


def test_how_long_to_wait_is_read_in_every_form(case: Case) -> None:
    for told, seconds in PAUSES:
        with case(told):
            assert retry_after_seconds(told, now=40.0) == seconds
