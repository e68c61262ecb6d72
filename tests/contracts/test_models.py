"""What every embedded model must hold, run on all of them; those that need a target get one here."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest

from subitize.evaluate.execution import RunTally
from subitize.interfaces import Computes, ComputesSeveral, Model, Responds
from subitize.records import Outcome, Stimulus, TaskKind
from subitize.registry import Resolved, make_model, make_suite
from subitize.report.listing import listings
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.models import hf_server, openai_server
from tests.networks.coco_network import ssd_folder, yolo_folder
from tests.runs import run_suite

SUITE_FOR: dict[TaskKind, str] = {
    "answer": "naming:images=1,numbers=1-3,categories=apples,size_px=256",
    "draw": "production:numbers=1-3,categories=apples",
}
OUTCOME_OF: dict[TaskKind, str] = {"answer": "said", "draw": "drawn"}


# Those with weights of their own have a contract of their own: test_local_models.py.
LOCAL = {
    *("detr", "diffusers", "grounding-dino", "mm-grounding-dino", "molmo2", "owlv2", "rf-detr", "rt-detr", "sam3"),
    *("transformers", "vilbert"),
}


PARTS = {"hf-inference": pytest.mark.hub, "ssd": pytest.mark.weights, "yolo": pytest.mark.weights}
NAMES = [pytest.param(one.name, marks=PARTS.get(one.name, ())) for one in listings("models") if one.name not in LOCAL]


@pytest.fixture(scope="module", params=NAMES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resolved[Model]]:
    match request.param:
        case "folder":
            folder = tmp_path_factory.mktemp("pictures")
            for number in (1, 2, 3):
                (folder / f"apples_{number}.png").write_bytes(render(Stimulus("apples", number, 1, 256)).png)
            yield make_model(f"folder:{folder}")
        case "counter":
            script = tmp_path_factory.mktemp("counter") / "count.py"
            script.write_text("import sys\nfor _ in sys.stdin: print(3)")
            yield make_model(f"counter:{sys.executable} -IS {script}")
        case "ssd" | "yolo" as kind:
            # A copy is shown every picture anew: two runs are compared here.
            own = ssd_folder() if kind == "ssd" else yolo_folder()
            yield make_model(f"{kind}:{shutil.copytree(own, tmp_path_factory.mktemp(kind) / kind)},self_test=false")
        case "openai":
            with openai_server.serving() as server:
                yield make_model(f"openai:test-model,base_url={server.base_url},size=64x64")
        case "hf-inference":
            with hf_server.serving_images() as images:
                yield make_model(f"hf-inference:test-model,base_url={images.url},size=64x64")
        case name:
            yield make_model(name)


Ran = tuple[Run, RunTally]


@pytest.fixture(scope="module")
def ran(model: Resolved[Model], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[TaskKind, Ran]]:
    """A finished run of each task."""
    with ExitStack() as stack:
        runs = {task: stack.enter_context(new_run(tmp_path_factory)) for task in tasks_of(model)}
        yield {task: (run, run_small(run, task, model)) for task, run in runs.items()}


def new_run(folders: pytest.TempPathFactory) -> Run:
    return Run(Folder(folders.mktemp("runs") / "run"), create=True)


def run_small(run: Run, task: TaskKind, model: Resolved[Model]) -> RunTally:
    only_counts = ",control_question=false" if model.spec.name in ("counter", "ssd", "yolo") else ""
    return run_suite(run, make_suite(SUITE_FOR[task] + only_counts), model, repeats=1, seed=5)


def tasks_of(model: Resolved[Model]) -> list[TaskKind]:
    return [task for task in SUITE_FOR if task in model.obj.tasks]


def test_it_says_what_it_can_do_and_how_it_is_run(model: Resolved[Model]) -> None:
    assert tasks_of(model)
    assert isinstance(model.obj.is_stand_in, bool)
    assert sum(isinstance(model.obj, shape) for shape in (Responds, Computes, ComputesSeveral)) == 1


def test_it_is_made_again_from_its_spec(model: Resolved[Model]) -> None:
    assert make_model(model.spec.text).spec == model.spec


def test_a_run_of_it_is_complete_resumes_and_has_provenance(
    model: Resolved[Model], ran: Mapping[TaskKind, Ran]
) -> None:
    for task, (run, first) in ran.items():
        assert (first.failed, first.refused, first.impossible) == (0, 0, 0)
        assert first.answered == len(run.items())
        again = run_small(run, task, model)
        assert (again.answered, again.already_done) == (0, first.answered)
        for stored in run.responses():
            response = stored.response
            assert response.outcome.kind == OUTCOME_OF[task]
            assert response.provenance.prompt_sent
            assert response.provenance.seed == response.trial.seed(5)
            assert response.provenance.versions["subitize"]
            assert response.latency_seconds > 0


@pytest.mark.slow
def test_two_runs_with_one_seed_agree_in_every_outcome_however_many_work_on_them(
    model: Resolved[Model],
    ran: Mapping[TaskKind, Ran],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("subitize.evaluate.engines.IN_PROCESS_SECONDS", 0)  # so that worker processes compute
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for task, (one, _) in ran.items():
        with new_run(tmp_path_factory) as other:
            run_small(other, task, model)
            assert outcomes(other) == outcomes(one)


def outcomes(run: Run) -> dict[str, Outcome]:
    return {stored.trial_id: stored.response.outcome for stored in run.responses()}
