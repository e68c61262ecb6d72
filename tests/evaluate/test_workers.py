"""Small runs are computed in this process, longer ones and what comes from elsewhere in worker processes."""

import asyncio
import itertools
import multiprocessing
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from subitize.evaluate import engines
from subitize.evaluate.engines import Called, Failure
from subitize.evaluate.pictures import Loader
from subitize.interfaces import Pixels, Reply, Request
from subitize.records import Draw
from subitize.registry import make_model
from subitize.store.images import Images


def draw(spec: str, count: int, *, is_at_hand: bool = False) -> tuple[list[Reply | Failure], int]:
    """Have so many pictures drawn one after the other, and count the worker processes that were started."""
    replies, before = list[Reply | Failure](), multiprocessing.active_children()
    with engines.LocalEngine(is_at_hand=is_at_hand) as engine, engine.start("model", make_model(spec)) as caller:

        async def work() -> None:
            for seed in range(count):
                request = Request("an item", Draw("two apples"), 0, 0, seed, Loader(Images(Path())))
                called = await caller.call([request])
                replies.extend(called.each if isinstance(called, Called) else [called])

        asyncio.run(work())
        return replies, len({*multiprocessing.active_children()} - {*before})


def test_what_is_soon_done_needs_no_worker_process() -> None:
    _, processes = draw("painter:size_px=256", 4)
    assert processes == 0


def test_waiting_for_a_busy_machine_starts_no_worker_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.perf_counter", itertools.count(0.0, 10.0).__next__)
    _, processes = draw("painter:size_px=256", 4)
    assert processes == 0


@pytest.mark.slow
def test_what_takes_longer_goes_on_in_worker_processes_and_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = draw("painter:size_px=256", 3)
    monkeypatch.setattr(engines, "IN_PROCESS_SECONDS", 1e-9)
    replies, processes = draw("painter:size_px=256", 3)
    assert processes > 0
    assert pixels(replies) == pixels(here)


def test_what_is_at_hand_goes_on_in_this_process_while_it_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "IN_PROCESS_SECONDS", 1e-9)
    _, processes = draw("painter:size_px=256", 3, is_at_hand=True)
    assert processes == 0


@pytest.mark.slow
@pytest.mark.usefixtures("odd_models")
def test_what_comes_from_elsewhere_never_computes_in_this_process() -> None:
    for is_at_hand in (False, True):
        (failure,), _ = draw("crashing", 1, is_at_hand=is_at_hand)
        assert isinstance(failure, Failure)
        assert (failure.ends_run, "a worker process died" in failure.reason) == ("run", True)


@pytest.mark.slow
@pytest.mark.usefixtures("odd_models")
def test_what_may_be_tried_again_says_all_that_it_says_on_its_way_out_of_a_worker() -> None:
    (failure,), _ = draw("overloaded", 1)
    assert failure == Failure("busy", is_transient=True, retry_after_seconds=7.0, is_busy=True, is_unsettled=True)


def test_what_is_raised_here_is_told_as_if_it_came_from_a_worker() -> None:
    (failure,), _ = draw("observer", 1)  # it answers questions about pictures, and there is none
    assert isinstance(failure, Failure)
    assert re.match(r"\w+Error: ", failure.reason)


def pixels(replies: Sequence[Reply | Failure]) -> list[bytes]:
    return [reply.content.data for reply in replies if isinstance(reply, Reply) and isinstance(reply.content, Pixels)]
