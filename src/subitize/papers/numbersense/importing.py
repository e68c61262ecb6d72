"""Images with counts in their names as a run: responses known by name, and the counts as people's readings."""

from pathlib import Path

from subitize.errors import ConflictError
from subitize.imports.releases import JUDGE, Importable, ReleaseSummary
from subitize.interfaces import design_of
from subitize.papers.numbersense.named_images import NamedImages, NamedModel, read_named_images
from subitize.records import Response, Spec
from subitize.store import Run


def read_importable(folder: Path) -> Importable:
    """Read the names: what is wrong with them leaves no run behind."""
    named = read_named_images(folder)
    return Importable(named.warnings, lambda run: _store(named, run))


def _store(named: NamedImages, run: Run) -> ReleaseSummary:
    """Add the images and counts that a run has not, all or none; other images under the same names are refused."""
    suite = named.suite
    with run.lease(f"judge {JUDGE}") as lease:
        # The prompts are the same under every seed.
        seed = next((entry.seed for entry in run.suites() if entry.name == suite.spec.name), 0)
        run.add_suite(suite.spec, seed, named.items, design_of(suite.it))
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        for model in named.models:
            run.add_model(model.spec, is_stand_in=False)
        responses = [one for model in named.models for one in _find_new_responses(run, model)]
        said = run.answered(JUDGE)
        readings = [reading for model in named.models for reading in model.readings]
        new = [reading for reading in readings if (reading.subject.id, reading.question.id) not in said]
        stored = run.add_judged(lease, responses, new)
    return ReleaseSummary(*stored, already_there=len(readings) - len(new))


def _find_new_responses(run: Run, model: NamedModel) -> list[Response]:
    there = {stored.trial_id: stored.response for stored in run.responses(model.spec.shown)}
    for response in model.responses:
        known = there.get(response.trial.id)
        if known is not None and known.provenance.parameters != response.provenance.parameters:
            before, now = (one.provenance.parameters.get("file") for one in (known, response))
            raise ConflictError(
                f"{run.location} has {before!r} where {model.spec.shown} now has {now!r}: its images have changed; "
                "import them into a new run"
            )
    return [response for response in model.responses if response.trial.id not in there]
