"""Small runs are computed in this process, longer ones and what comes from elsewhere in worker processes."""

import itertools
import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import pytest

from subitize.errors import RunError
from subitize.evaluate import engines
from subitize.evaluate.pictures import Loader
from subitize.interfaces import Pixels, Reply, Request, TransientError
from subitize.records import Draw
from subitize.registry import make_model
from subitize.store.images import Images


def draw(spec: str, count: int, *, is_at_hand: bool = False) -> tuple[list[Reply], int]:
    """Have so many pictures drawn one after the other, and count the worker processes that were started."""
    replies, before = list[Reply](), multiprocessing.active_children()
    with engines.open_caller("model", make_model(spec), is_at_hand=is_at_hand) as executor:

        async def work() -> None:
            for seed in range(count):
                given, _ = await executor.call(
                    [Request("an item", Draw("two apples"), 0, 0, seed, Loader(Images(Path())))]
                )
                replies.extend(one for one in given if isinstance(one, Reply))

        executor.run(work)
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
        with pytest.raises(RunError, match="a worker process died"):
            draw("crashing", 1, is_at_hand=is_at_hand)


@pytest.mark.slow
@pytest.mark.usefixtures("odd_models")
def test_what_may_be_tried_again_says_all_that_it_says_on_its_way_out_of_a_worker() -> None:
    with pytest.raises(TransientError, match="busy") as caught:
        draw("overloaded", 1)
    error = caught.value
    assert (error.retry_after_seconds, error.is_busy, error.is_unsettled) == (7.0, True, True)


def test_what_is_raised_here_is_told_as_if_it_came_from_a_worker() -> None:
    with pytest.raises(engines.WorkerError, match=r"^\w+Error: "):
        draw("observer", 1)  # it answers questions about pictures, and there is none


def pixels(replies: Sequence[Reply]) -> list[bytes]:
    return [reply.content.data for reply in replies if isinstance(reply.content, Pixels)]
