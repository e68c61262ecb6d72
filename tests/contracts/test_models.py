"""What every embedded model must hold, run on all of them; those that need a target get one here."""

from pathlib import Path

import pytest

from subitize.drawing.stimuli import render
from subitize.interfaces import Computes, Model, Responds
from subitize.records import Outcome, Stimulus, TaskKind
from subitize.registry import Made, listings, make_model, make_suite
from subitize.runner import Settings, Silent, run_suite
from subitize.store import Folder, Run

SUITE_FOR: dict[TaskKind, str] = {
    "answer": "naming:images=1,numbers=1-3,categories=apples,size_px=256",
    "draw": "production:numbers=1-3,categories=apples",
}
OUTCOME_OF: dict[TaskKind, str] = {"answer": "said", "draw": "drawn"}


@pytest.fixture(params=[listing.name for listing in listings("models")])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Made[Model]:
    if request.param != "folder":
        return make_model(request.param)
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"apples_{number}.png").write_bytes(render(Stimulus("apples", number, 1, 256)).png)
    return make_model(f"folder:{folder}")


def tasks_of(model: Made[Model]) -> list[TaskKind]:
    return [task for task in SUITE_FOR if task in model.it.tasks]


def test_it_says_what_it_can_do_and_how_it_is_run(model: Made[Model]) -> None:
    assert tasks_of(model)
    assert isinstance(model.it.is_stand_in, bool)
    assert isinstance(model.it, Responds) != isinstance(model.it, Computes)


def test_it_is_made_again_from_its_spec(model: Made[Model]) -> None:
    assert make_model(model.spec.shown).spec == model.spec


def test_a_run_of_it_is_complete_resumes_and_has_provenance(model: Made[Model], tmp_path: Path) -> None:
    for task in tasks_of(model):
        settings = Settings(make_suite(SUITE_FOR[task]), model, repeats=1, seed=5)
        with Run(Folder(tmp_path / task), create=True) as run:
            first = run_suite(run, settings, Silent())
            assert (first.failed, first.refused, first.impossible) == (0, 0, 0)
            assert first.answered == len(run.items())
            again = run_suite(run, settings, Silent())
            assert (again.answered, again.already_done) == (0, first.answered)
            for stored in run.responses():
                response = stored.response
                assert response.outcome.kind == OUTCOME_OF[task]
                assert response.provenance.prompt_sent
                assert response.provenance.seed == response.trial.seed(5)
                assert response.provenance.versions["subitize"]
                assert response.latency_seconds > 0


def test_two_runs_with_one_seed_agree_in_every_outcome(model: Made[Model], tmp_path: Path) -> None:
    for task in tasks_of(model):
        outcomes: list[dict[str, Outcome]] = []
        for name in ("one", "other"):
            with Run(Folder(tmp_path / task / name), create=True) as run:
                run_suite(run, Settings(make_suite(SUITE_FOR[task]), model, repeats=1, seed=5), Silent())
                outcomes.append({stored.trial_id: stored.response.outcome for stored in run.responses()})
        assert outcomes[0] == outcomes[1]
