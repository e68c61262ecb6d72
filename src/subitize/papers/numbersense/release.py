"""Reads and imports images whose names say what was requested and how many people counted; pixels are not needed.

Images, in a folder per model, become responses known by name; the counts become people's readings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadFileError, ConflictError
from subitize.frame import Frame, frame_of
from subitize.imports.releases import JUDGE, Importable, ReleaseSummary, read_named_count
from subitize.interfaces import Suite
from subitize.models.folder import ImageAssignment
from subitize.models.image_folders import FolderTree, ImageFolder, UnmatchedFile, read_folder, stem_of, storable
from subitize.papers.numbersense.suite import NAMING
from subitize.records import Discarded, Drawn, Elsewhere, Item, Provenance, Reading, Response, Spec, Trial, task_text
from subitize.registry import Resolved, make_suite
from subitize.store import Run

SUITE = "production"
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class NamedModel:
    """One model's images as responses known by name, with the counts in their names as readings."""

    spec: Spec
    responses: Sequence[Response]
    readings: Sequence[Reading]


@dataclass(frozen=True, slots=True)
class NamedImages:
    """The images of all models, the suite they were made for, and warnings about the files."""

    suite: Resolved[Suite]
    items: Sequence[Item]
    models: Sequence[NamedModel]
    warnings: Sequence[str]

    def observe(self) -> Frame:
        """Make the frame that a run with these images and readings would give."""
        responses = (one for model in self.models for one in model.responses)
        readings = (one for model in self.models for one in model.readings)
        return frame_of(self.items, responses, readings, {SUITE: self.suite.obj.design()})


def read_named_images(folder: Path) -> NamedImages:
    """Read the file names in a folder of one model's images, or in a folder per model below it."""
    suite = make_suite(SUITE)
    items = list(suite.obj.items(0))
    warnings: list[str] = []
    models = [_read_model(path, items, warnings) for path in _find_models(folder)]
    return NamedImages(suite, items, models, warnings)


def _find_models(folder: Path) -> list[Path]:
    """List the folders of single models: this one, or those in it."""
    if not folder.is_dir():
        raise BadFileError(f"{folder} is not a folder; name that of the images, or one with a folder per model")
    try:
        tree = FolderTree(folder)
        categories = [below for below in tree.entries().folders if _is_of_category(tree, below)]
        others = [below for below in tree.entries().folders if below not in categories]
        models = [below for below in others if _has_images(FolderTree(folder / below))]
        has_own = _has_images(tree)
    except OSError as error:
        raise BadFileError(f"cannot read {folder}: {error.strerror}") from None
    if has_own and models:
        raise BadFileError(
            f"{folder} has images of its own and folders with others ({', '.join(map(storable, models[:_EXAMPLES]))}); "
            "name the folder of one model, or one with a folder per model"
        )
    if not has_own and not models:
        raise BadFileError(
            f"{folder} has no images named like {NAMING.example} (asked for, counted, category, index), and no folder "
            "in it has"
        )
    return [folder] if has_own else [folder / model for model in models]


def _has_images(tree: FolderTree) -> bool:
    entries = tree.entries()
    has_named = any(NAMING.fits(stem_of(name)) for name in entries.images)
    return has_named or any(_is_of_category(tree, below) for below in entries.folders)


def _is_of_category(tree: FolderTree, below: str) -> bool:
    return any(map(NAMING.is_in_its_category, tree.entries(below).images))


def _read_model(folder: Path, items: Sequence[Item], warnings: list[str]) -> NamedModel:
    holdings = read_folder(folder, NAMING.name)
    name = storable(folder.resolve().name)
    _check_items(holdings, items, name)
    placement = ImageAssignment(holdings, items)
    spec = Spec(name, {"released": "numbersense"}, name)
    responses: list[Response] = []
    readings: list[Reading] = []
    for item in items:
        for repeat, image in placement.of_item[item.id].items():
            parameters = {**image.parameters, "layout": holdings.layout}
            provenance = Provenance(0, task_text(item.task), parameters=parameters)
            trial = Trial(item.id, spec.text, spec.options, repeat)
            responses.append(Response(trial, Drawn(Elsewhere(image.name)), provenance))
            reading = read_named_count(responses[-1], item)
            if reading is not None:
                readings.append(reading)
    unread, left = _unread(responses, readings), [*holdings.left, *placement.duplicates]
    if unread:
        counts = f"{len(unread):,} of {len(readings):,}"
        warnings.append(f"{name}: no number in the name, discarded: {counts} ({_list(unread)})")
    if left:
        warnings.append(f"{name}: other files, left alone: {len(left):,} ({_list(left)})")
    return NamedModel(spec, responses, readings)


def _check_items(holdings: ImageFolder, items: Sequence[Item], model: str) -> None:
    """Refuse images of categories or numbers that the suite never requests, as no table has a place for them."""
    known = {key for item in items for key in holdings.keys(item.id)}
    for image in holdings.images:
        if image.key not in known:
            numbers = [int(item.factors["number"]) for item in items]
            categories = dict.fromkeys(str(item.factors["category"]) for item in items)
            raise BadFileError(
                f"{model}: {image.name!r} is of no item of {SUITE}, which asks for {min(numbers)} to {max(numbers)} of "
                f"{', '.join(categories)}; take it away, or rename it"
            )


def _unread(responses: Sequence[Response], readings: Sequence[Reading]) -> list[UnmatchedFile]:
    """List the images whose count is not a number."""
    files = {one.trial.id: str(one.provenance.parameters["file"]) for one in responses}
    return [
        UnmatchedFile(files[reading.subject.id], reading.value.reason)
        for reading in readings
        if isinstance(reading.value, Discarded)
    ]


def _list(files: Sequence[UnmatchedFile]) -> str:
    some = ", ".join(f"{file.name}: {file.reason}" for file in files[:_EXAMPLES])
    return some + (", …" if len(files) > _EXAMPLES else "")


def read_importable(folder: Path) -> Importable:
    """Read and check the names first, so that faulty ones leave no run behind."""
    named = read_named_images(folder)
    return Importable(named.warnings, lambda run: _store(named, run))


def _store(named: NamedImages, run: Run) -> ReleaseSummary:
    """Add the images and counts that the run lacks, all or none; changed images under the same names are refused."""
    suite = named.suite
    with run.lease(f"judge {JUDGE}") as lease:
        # The prompts are the same for every seed.
        seed = next((entry.seed for entry in run.suites() if entry.name == suite.spec.name), 0)
        run.add_suite(suite.spec, seed, named.items, suite.obj.design())
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
    there = {stored.trial_id: stored.response for stored in run.responses(model.spec.text)}
    for response in model.responses:
        known = there.get(response.trial.id)
        if known is not None and known.provenance.parameters != response.provenance.parameters:
            before, now = (one.provenance.parameters.get("file") for one in (known, response))
            raise ConflictError(
                f"{run.location} has {before!r} where {model.spec.text} now has {now!r}: its images have changed; "
                "import them into a new run"
            )
    return [response for response in model.responses if response.trial.id not in there]
