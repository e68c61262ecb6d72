"""Turns keep to the limits: how many at once, how many a minute, and none while the server wants to be left alone."""

import asyncio
import time

import pytest

from subitize.models.pacing import Pacer
from subitize.models.serving import retry_after_seconds


async def begin_times(pacer: Pacer, count: int, tokens: int = 1, seconds: float = 0.0) -> list[float]:
    """Take so many turns at once, each so long, and tell when each began."""
    began = []

    async def take() -> None:
        async with pacer.turn(tokens) as turn:
            began.append(time.monotonic())
            await asyncio.sleep(seconds)
            pacer.accept(turn, tokens)

    await asyncio.gather(*(take() for _ in range(count)))
    return sorted(began)


def test_requests_are_spread_evenly_over_the_minute() -> None:
    began = asyncio.run(begin_times(Pacer(100, 6000, None), 40))
    assert began[-1] - began[0] >= 0.35
    assert all(after - before >= 0.1 for before, after in zip(began, began[14:], strict=False)), "never many together"


def test_tokens_are_spread_over_the_minute_and_what_was_not_used_is_given_back() -> None:
    began = asyncio.run(begin_times(Pacer(100, None, 60_000), 10, tokens=50))
    assert began[-1] - began[0] >= 0.35

    async def use_less() -> float:
        pacer, start = Pacer(100, None, 60_000), time.monotonic()
        for _ in range(10):
            async with pacer.turn(100) as turn:
                pacer.accept(turn, 10)
        return time.monotonic() - start

    assert asyncio.run(use_less()) < 0.5


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

    assert asyncio.run(most_at_once()) == 5


def test_a_busy_server_gets_half_as_many_at_once_and_more_again_as_it_answers() -> None:
    async def limits() -> list[int]:
        pacer = Pacer(16, None, None)
        found = [pacer.at_once]
        async with pacer.turn(1) as one, pacer.turn(1) as other:
            pacer.reject(one, None)
            pacer.reject(other, None)  # it was sent before the cut, and does not cut again
            found.append(pacer.at_once)
        await asyncio.sleep(0.001)
        for _ in range(30):
            async with pacer.turn(1) as turn:
                pacer.accept(turn, 1)
        return [*found, pacer.at_once]

    before, cut, after = asyncio.run(limits())
    assert (before, cut) == (16, 8)
    assert 8 < after <= 16


def test_nothing_begins_while_the_server_wants_to_be_left_alone_and_then_not_all_at_once() -> None:
    async def began() -> list[float]:
        pacer, start = Pacer(100, 6000, None), time.monotonic()
        async with pacer.turn(1) as turn:
            pacer.reject(turn, 0.2)
        return [at - start for at in await begin_times(pacer, 20)]

    found = asyncio.run(began())
    assert found[0] >= 0.2
    assert found[-1] - found[0] >= 0.1


def test_turns_go_on_in_another_event_loop() -> None:
    pacer = Pacer(4, 6000, None)
    for _ in range(3):
        assert len(asyncio.run(begin_times(pacer, 12))) == 12


def test_a_server_that_counts_nonsense_holds_nobody_up_for_hours() -> None:
    async def delay_seconds() -> float:
        pacer = Pacer(1, None, 60_000)
        async with pacer.turn(1) as turn:
            pacer.accept(turn, 10**9)
        rate = pacer._tokens
        assert rate is not None
        return rate.is_free_at() - asyncio.get_running_loop().time()

    assert asyncio.run(delay_seconds()) <= 60


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

    assert asyncio.run(go()) == 3


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
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
    ],
)
def test_how_long_to_wait_is_read_in_every_form(told: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(told, now=40.0) == seconds
