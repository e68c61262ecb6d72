"""Pictures for a model that waits for a server are drawn in worker processes, a few ahead of its calls."""

import asyncio
import multiprocessing
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.evaluate.engines import LocalEngine
from subitize.evaluate.pictures import Drawing, Loader, Renderer
from subitize.evaluate.processes import result_of
from subitize.records import Picture, Stimulus
from subitize.registry import make_model, make_suite
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from subitize.store.images import Images
from tests.models.openai_server import Behaviour, serving
from tests.runs import run_suite

SMALL_PX = 128
MANY = 40_000_000  # pixels
TOO_MANY_THINGS = Stimulus("dots", 5000, 0, SMALL_PX)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    """One that has worker processes."""
    with LocalEngine() as engine:
        renderer = Renderer(engine.submit)
        renderer.expect(MANY)
        yield renderer


def finish(drawing: Drawing | None) -> Mapping[Picture, bytes]:
    async def wait() -> Mapping[Picture, bytes]:
        assert drawing is not None
        return await result_of(drawing)

    return asyncio.run(wait())


@pytest.mark.slow
def test_jobs_come_in_their_order_each_with_the_same_picture_as_ever(renderer: Renderer) -> None:
    recipes = [Stimulus("dots", 1 + seed % 5, seed, SMALL_PX) for seed in range(20)]
    jobs: list[Stimulus | None] = [*recipes[:10], None, *recipes[10:]]
    handed_out = list(renderer.draw_ahead(jobs, lambda job: job))
    assert [job for job, _ in handed_out] == jobs
    for job, drawing in handed_out:
        assert (drawing is None) == (job is None)
        assert job is None or finish(drawing)[job] == render(job).png


def test_questions_about_one_picture_have_it_drawn_once(renderer: Renderer) -> None:
    jobs = [(Stimulus("dots", 2, seed, SMALL_PX), wording) for seed in range(10) for wording in range(3)]
    drawings: dict[Stimulus, set[int]] = {}
    for (recipe, _), drawing in renderer.draw_ahead(jobs, lambda job: job[0]):
        drawings.setdefault(recipe, set()).add(id(drawing))
    assert all(len(each) == 1 for each in drawings.values())


def test_only_a_few_are_drawn_ahead(renderer: Renderer) -> None:
    begun: list[int] = []

    def recipe_of(job: int) -> Stimulus:
        begun.append(job)
        return Stimulus("dots", 1, job, SMALL_PX)

    for job, _ in renderer.draw_ahead(range(40), recipe_of):
        assert job < len(begun) <= job + 17


def test_what_cannot_be_drawn_is_missing_and_says_why_when_it_is_wanted(renderer: Renderer) -> None:
    ((_, drawing),) = renderer.draw_ahead([TOO_MANY_THINGS], lambda job: job)
    drawn = finish(drawing)
    assert drawn == {}
    with pytest.raises(BadValueError, match="5000"):
        Loader(Images(Path()), drawn)(TOO_MANY_THINGS)


@pytest.mark.slow
def test_a_few_pictures_need_no_worker_process() -> None:
    before = multiprocessing.active_children()
    with LocalEngine() as engine:
        renderer = Renderer(engine.submit)
        renderer.expect(12 * 1024**2)
        jobs = [Stimulus("dots", 1, seed, SMALL_PX) for seed in range(3)]
        assert list(renderer.draw_ahead(jobs, lambda job: job)) == [(job, None) for job in jobs]
        assert multiprocessing.active_children() == before


@pytest.mark.slow
def test_a_server_is_sent_the_same_pictures_whoever_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {}
    with serving() as server:
        for worth in (0, 10**12):
            monkeypatch.setattr("subitize.evaluate.pictures._WORTH_WORKERS_PX", worth)
            server.begin(Behaviour(answer="count-hash"))
            model = make_model(f"openai:test-model,base_url={server.base_url}")
            suite = make_suite(f"naming:images=1,size_px={SMALL_PX},numbers=1-3,categories=apples+dots")
            with Run(Folder(tmp_path / str(worth)), create=True) as run:
                assert run_suite(run, suite, model).answered == 21
                sent[worth] = {one.trial_id: one.response.outcome for one in run.responses()}
    assert sent[0] == sent[10**12]
