"""Attaches image files to a run's responses that are known by name only, so that judges can see them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from subitize.errors import BadFileError, BadImageError, NothingToDoError, UnknownNameError
from subitize.interfaces import Events, watch
from subitize.io.files import reading
from subitize.io.images import decode, image_format, read_image
from subitize.language.numbers import list_some
from subitize.models.folder import ImageAssignment
from subitize.models.image_folders import SUFFIXES, FolderTree, ImageFolder, UnmatchedFile, read_folder, storable
from subitize.records import Attached, Draw, Drawn, Elsewhere, Item
from subitize.store import Attachment, Run, latest_attempts
from subitize.store.images import Images

BY_NAME = "names"
_FILES_AT_ONCE = 16
_THREADS = 4


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """A file and the response whose image it is."""

    trial_id: str
    name: str
    file: str
    path: str


@dataclass(frozen=True, slots=True)
class AttachResult:
    """The result for one model's responses that are known by name.

    `matched_by` says how files were found: by the names of the responses, or by a layout, which gives item and repeat.
    `attached` are new, `already_attached` were there before; `missing` are names without a file. Of the files,
    `unknown` belong to no response, and `unreadable` are not images.
    """

    model: str
    folder: str
    matched_by: str
    attached: int
    already_attached: int
    missing: tuple[str, ...]
    unknown: tuple[UnmatchedFile, ...]
    unreadable: tuple[UnmatchedFile, ...]

    def lines(self) -> list[str]:
        """Describe it in a few lines, with examples."""
        total = self.attached + self.already_attached + len(self.missing) + len(self.unreadable)
        before = f", {self.already_attached:,} before" if self.already_attached else ""
        lines = [f"{self.model}: {self.attached:,} of {total:,} images attached{before} (by {self.matched_by})"]
        if self.missing:
            lines.append(f"missing: {len(self.missing):,} ({list_some(self.missing)})")
        for what, files in {"unknown, left alone": self.unknown, "unreadable": self.unreadable}.items():
            if files:
                lines.append(f"{what}: {len(files):,} ({list_some(map(str, files))})")
        return lines


def attach_images(
    run: Run, folder: Path, events: Events, *, model: str | None = None, layout: str = "auto"
) -> list[AttachResult]:
    """Find the files of all responses known by name, then store the new ones, a few at a time."""
    named = _find_named(run, model)
    folders = _find_folders(folder, named, model)
    matches = {name: _match(run, folders[name], own, layout) for name, own in named.items() if name in folders}
    if not any(match.pairs for match in matches.values()):
        faults = "; ".join(f"{name}: {_say_nothing_fits(match)}" for name, match in matches.items())
        raise BadFileError(f"{folder} has no image of this run: {faults}")
    return [
        _store(run, name, matches[name], events)
        if name in matches
        else AttachResult(name, "", "no folder named like it", 0, 0, tuple(one.name for one in own), (), ())
        for name, own in named.items()
    ]


@dataclass(frozen=True, slots=True)
class _Named:
    """A response that is known by name, or was before an image was attached."""

    trial_id: str
    item_id: str
    repeat: int
    name: str


@dataclass(frozen=True, slots=True)
class _Match:
    """The files of a folder that belong to a model's responses, and those that belong to none."""

    folder: Path
    matched_by: str
    pairs: list[MatchedFile]
    missing: list[str]
    unknown: list[UnmatchedFile]


def _find_named(run: Run, model: str | None) -> dict[str, list[_Named]]:
    names = run.model_names()
    if model is not None and model not in names:
        raise UnknownNameError("model in this run", model, names.values())
    found: dict[str, list[_Named]] = defaultdict(list)
    for stored in latest_attempts(run.responses(model)):
        outcome, trial = stored.response.outcome, stored.response.trial
        if isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere | Attached):
            found[trial.model].append(_Named(stored.trial_id, trial.item_id, trial.repeat, outcome.picture.name))
    if not found:
        whose = run.location if model is None else f"{names[model]} in {run.location}"
        raise NothingToDoError(f"{whose} has no images that are known by name only, as imported ones are")
    return dict(found)


def _find_folders(folder: Path, models: Iterable[str], wanted: str | None) -> dict[str, Path]:
    """Find the folder of each model: the one named like it, or for a single model the whole folder."""
    if not folder.is_dir() and not (folder.suffix == ".jsonl" and folder.is_file()):
        raise BadFileError(f"{folder} is not a folder of images, nor a .jsonl file that lists them")
    with reading(folder):
        below = [path for path in sorted(folder.iterdir()) if path.is_dir()] if folder.is_dir() else []
    found: dict[str, Path] = {}
    names = list(models)
    for model in names:
        like = [path for path in below if _plain(path.name) == _plain(model) != ""]
        same = [path for path in below if path.name == model] or like
        if len(same) == 1:
            found[model] = same[0]
    if not found and (len(names) == 1 or wanted is not None):
        return {names[0]: folder}
    if not found:
        remedy = "name the model that its images are of with `model`"
        raise BadFileError(f"{folder} has no folder named like a model of this run ({', '.join(names)}); {remedy}")
    return found


def _plain(name: str) -> str:
    return re.sub(r"\W|_", "", name.casefold())


def _match(run: Run, folder: Path, named: Sequence[_Named], layout: str) -> _Match:
    """Match files by the names of responses; if none matches, by a layout, as `folder:` does."""
    matched_by = BY_NAME
    pairs, unknown = _match_names(folder, named) if folder.is_dir() else ([], [])
    if not pairs:
        try:
            holdings = read_folder(folder, layout)
        except BadFileError as error:  # other models may have images
            unknown = [UnmatchedFile(storable(folder.name), str(error))]
        else:
            asked = {one.item_id.partition("/")[0] for one in named}
            items = [item for item in run.items() if item.suite in asked and isinstance(item.task, Draw)]
            matched_by = f"layout {holdings.layout}"
            pairs, unknown = _match_layout(holdings, items, named)
    paired = {pair.trial_id for pair in pairs}
    return _Match(folder, matched_by, pairs, [one.name for one in named if one.trial_id not in paired], unknown)


def _match_names(folder: Path, named: Sequence[_Named]) -> tuple[list[MatchedFile], list[UnmatchedFile]]:
    tree = FolderTree(folder)
    with reading(folder):
        levels = [tree.entries(), *(tree.entries(below) for below in tree.entries().folders)]
    files = [name for entries in levels for name in entries.images]
    unknown = [unplaced for entries in levels for unplaced in entries.left]
    pairs: list[MatchedFile] = []
    used: set[str] = set()
    for one, found in _find_called(files, named):
        used.update(found)
        if len(found) == 1:
            pairs.append(MatchedFile(one.trial_id, one.name, storable(found[0]), tree.path(found[0])))
        else:
            unknown += [UnmatchedFile(storable(file), "several files are called so") for file in found]
    unknown += [UnmatchedFile(storable(file), "no response is called so") for file in files if file not in used]
    return pairs, unknown


def _find_called(files: Sequence[str], named: Sequence[_Named]) -> Iterator[tuple[_Named, Sequence[str]]]:
    """Find the files named like each response, ignoring case and suffix.

    Folders in a name may differ here: they are ignored, unless two responses have the same bare name.
    """
    whole: dict[str, list[str]] = defaultdict(list)
    last: dict[str, list[str]] = defaultdict(list)
    for file in files:
        whole[_whole(file)].append(file)
        last[_last(file)].append(file)
    sharing = Counter(_last(one.name) for one in named)
    for one in named:
        bare = _last(one.name)
        yield one, whole.get(_whole(one.name)) or (last.get(bare, []) if sharing[bare] == 1 else [])


def _whole(name: str) -> str:
    bare = name.casefold()
    return next((bare.removesuffix(suffix) for suffix in SUFFIXES if bare.endswith(suffix)), bare)


def _last(name: str) -> str:
    return _whole(name).rpartition("/")[2]


def _match_layout(
    holdings: ImageFolder, items: Sequence[Item], named: Sequence[_Named]
) -> tuple[list[MatchedFile], list[UnmatchedFile]]:
    placement = ImageAssignment(holdings, items)
    by_item: dict[str, list[_Named]] = defaultdict(list)
    for one in sorted(named, key=lambda one: one.repeat):
        by_item[one.item_id].append(one)
    pairs: list[MatchedFile] = []
    unknown = [*holdings.left, *placement.ambiguous, *placement.duplicates, *placement.relisted]
    for item_id, responses in by_item.items():
        images = placement.of_item.get(item_id, {})
        if all(image.repeat is not None for image in images.values()):  # else all must be there, matched in order
            joined = [(one, images[one.repeat]) for one in responses if one.repeat in images]
        elif len(images) == len(responses):
            joined = list(zip(responses, images.values(), strict=True))
        else:
            joined = []
            reason = f"{len(images)} files for {len(responses)} responses to {item_id}: which is whose is not told"
            unknown += [UnmatchedFile(image.name, reason) for image in images.values()]
        pairs += [MatchedFile(one.trial_id, one.name, image.name, image.path) for one, image in joined]
    explained = {pair.file for pair in pairs} | {one.name for one in unknown}
    others = dict.fromkeys(image.name for image in holdings.images if image.name not in explained)
    unknown += [UnmatchedFile(name, "for no response") for name in others]
    return pairs, unknown


def _say_nothing_fits(match: _Match) -> str:
    some = f", but {list_some(map(str, match.unknown))}" if match.unknown else ""
    return f"nothing called {list_some(match.missing)} in {match.folder}{some}"


def _store(run: Run, model: str, match: _Match, events: Events) -> AttachResult:
    with run.lease(f"attach {model}") as lease:
        run.sweep(lease)  # images that a killed process stored but did not attach
        known = run.attachments()
        new = [pair for pair in match.pairs if pair.trial_id not in known]
        others = [
            UnmatchedFile(pair.file, f"{pair.name} has {known[pair.trial_id].file} attached")
            for pair in match.pairs
            if pair.trial_id in known and known[pair.trial_id].file != pair.file
        ]
        unreadable: list[UnmatchedFile] = []
        remaining = watch(events, "images", new)
        with ThreadPoolExecutor(_THREADS) as threads:
            while chunk := list(islice(remaining, _FILES_AT_ONCE)):
                kept = list(threads.map(lambda pair: _keep(run.image_files, pair), chunk))
                run.add_attachments(lease, [one for one in kept if isinstance(one, Attachment)])
                unreadable += [one for one in kept if isinstance(one, UnmatchedFile)]
                run.renew(lease)
    how, before = (str(match.folder), match.matched_by), len(match.pairs) - len(new)
    missing, unknown = tuple(match.missing), (*match.unknown, *others)
    return AttachResult(model, *how, len(new) - len(unreadable), before, missing, unknown, tuple(unreadable))


def _keep(images: Images, pair: MatchedFile) -> Attachment | UnmatchedFile:
    """Check a file and store it, if it is an image."""
    try:
        data = read_image(pair.path)
        decode(data)
    except BadImageError as error:
        return UnmatchedFile(pair.file, str(error))
    return Attachment(pair.trial_id, images.save(data, image_format(data)), pair.file)
