"""The model `folder`: assigns images that were made elsewhere to items, and gives them as replies.

An image is matched by the item's key if the folder's layout has keys, else by the prompt."""

import asyncio
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from subitize.errors import BadFileError, BadImageError
from subitize.interfaces import Model, Pixels, Reply, Request
from subitize.io.images import find_fault, read_image
from subitize.language.numbers import count_noun, list_some
from subitize.models.image_folders import PROMPTS, Image, ImageFolder, UnclearLayoutError, UnmatchedFile, read_folder
from subitize.records import Failed, Item, Scalar, task_text

_LONGEST_SHOWN = 70


@dataclass(frozen=True, slots=True)
class MatchedImages:
    """Which of a suite's items a folder has images for, to be read before anything is stored.

    `files` has the file of each trial (item and repeat), `missing` the trials without one. Among the other files,
    `unknown` ones fit no item or another layout, `ambiguous` ones fit several items, `surplus` ones exceed the
    repeats, and `duplicates` are second files for one trial, or the same file again for one item. Among those in
    `files`, `faulty` ones cannot be read, `reworded` ones were made with another prompt, and `counts` is how many have
    a count in their name. `unmade` are trials whose file is listed but missing.
    """

    layout: str
    files: Mapping[tuple[str, int], str]
    missing: tuple[tuple[str, int], ...]
    unknown: tuple[UnmatchedFile, ...]
    ambiguous: tuple[UnmatchedFile, ...]
    surplus: tuple[str, ...]
    duplicates: tuple[UnmatchedFile, ...]
    faulty: tuple[UnmatchedFile, ...]
    reworded: tuple[UnmatchedFile, ...]
    counts: int
    unmade: tuple[tuple[str, int], ...]

    @property
    def absent(self) -> tuple[tuple[str, int], ...]:
        """The trials without an image, listed or not."""
        return (*self.missing, *self.unmade)

    @property
    def count(self) -> int:
        """How many trials have an image."""
        return len(self.files)

    @property
    def missing_items(self) -> tuple[str, ...]:
        """The items without any image, in their order."""
        found = {item_id for item_id, _ in self.files.keys() - set(self.unmade)}
        return tuple(dict.fromkeys(item_id for item_id, _ in self.absent if item_id not in found))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Describe the match in a few lines, with examples."""
        trials = self.count + len(self.missing)
        told = [f"layout {self.layout}: {trials - len(self.absent):,} of {trials:,} images found"]
        if self.absent:
            some = list_some(f"{item_id} repeat {repeat}" for item_id, repeat in self.absent)
            items = count_noun(len(self.missing_items), "item")
            told.append(f"missing: {len(self.absent):,} ({some}); {items} without any")
        unused = {
            "unknown, left alone": self.unknown,
            "for one of several items, left alone": self.ambiguous,
            "a second image for one trial, or one listed twice, left alone": self.duplicates,
            "unreadable": self.faulty,
            "made with another prompt than the suite's": self.reworded,
        }
        for what, files in unused.items():
            if files:
                some = list_some(f"{_show(file.name)}: {file.reason}" for file in files)
                told.append(f"{what}: {len(files):,} ({some})")
        if self.surplus:
            some = list_some(map(_show, self.surplus))
            told.append(f"more than the repeats, left alone: {len(self.surplus):,} ({some})")
        if self.counts:
            told.append(f"with a count in the name: {self.counts:,}")
        return told


class ImageAssignment:
    """The images of each item by repeat, and the images that could not be assigned."""

    def __init__(self, folder: ImageFolder, items: Sequence[Item]) -> None:
        self.of_item: dict[str, dict[int, Image]] = {item.id: {} for item in items}
        self.ambiguous: list[UnmatchedFile] = []
        self.duplicates: list[UnmatchedFile] = []
        self.relisted: list[UnmatchedFile] = []
        self._texts = {item.id: task_text(item.task) for item in items}
        self._are_names_prompts = folder.is_named_by_prompts
        certain: dict[str, list[Image]] = defaultdict(list)
        shared: dict[tuple[str, ...], list[Image]] = defaultdict(list)
        for image, candidates in self._list_each_once(folder, _Finder(folder, items)):
            if len(candidates) == 1:
                certain[candidates[0]].append(image)
            elif candidates:
                shared[candidates].append(image)
        for item_ids, images in shared.items():
            for item_id, share in self._deal(item_ids, images):
                certain[item_id] += share
        for item_id, images in certain.items():
            self.of_item[item_id] = dict(self._number(images))

    @property
    def has_any(self) -> bool:
        """Whether any item got an image."""
        return any(self.of_item.values())

    def _list_each_once(self, folder: ImageFolder, finder: "_Finder") -> Iterator[tuple[Image, tuple[str, ...]]]:
        """List the images with their candidate items, but no file twice for one item."""
        first_lines: dict[tuple[str, tuple[Scalar, ...]], Image] = {}
        for image in folder.images:
            named, worded = finder.items_by_key(image), finder.items_by_text(image)
            candidates = tuple(id for id in named if id in worded) if named and worded else named or worded
            if named and not candidates:
                reason = f"its id names {list_some(named)}, its prompt {list_some(worded)}"
                self.ambiguous.append(UnmatchedFile(image.name, reason))
                continue
            places = [(item_id, image.identity) for item_id in candidates if image.identity]
            first = next((first_lines[place] for place in places if place in first_lines), None)
            if first is not None:
                reason = f"line {image.order[0]} is the same file as line {first.order[0]}"
                self.relisted.append(UnmatchedFile(image.name, reason))
                continue
            first_lines |= dict.fromkeys(places, image)
            yield image, candidates

    def _deal(self, item_ids: tuple[str, ...], images: list[Image]) -> Iterator[tuple[str, list[Image]]]:
        """Share images among items with the very same prompt: a folder each, or equal parts of a list in its order."""
        ordered = sorted(images, key=lambda image: image.order)
        by_source: dict[str, list[Image]] = defaultdict(list)
        for image in ordered:
            by_source[image.source].append(image)
        is_list = "" in by_source
        if not all(image.prompt for image in images):
            obstacle = "which are called the same here"
        elif len({self._texts[item_id] for item_id in item_ids}) > 1:
            obstacle = "whose prompts are not the same to the letter"
        elif self._are_names_prompts:
            obstacle = "whose images have the same names, so that one's replaced the other's as they were written"
        elif not is_list and len(by_source) == len(item_ids):
            yield from zip(item_ids, by_source.values(), strict=True)
            return
        elif is_list and len(images) % len(item_ids) == 0:
            share = len(images) // len(item_ids)
            yield from ((id, ordered[place * share : (place + 1) * share]) for place, id in enumerate(item_ids))
            return
        else:
            obstacle = "which is no equal share" if is_list else f"in {len(by_source)} folders"
        reason = f"{len(images)} images for the {len(item_ids)} items {list_some(item_ids)}, {obstacle}"
        self.ambiguous += [UnmatchedFile(image.name, reason) for image in ordered]

    def _number(self, images: list[Image]) -> Iterator[tuple[int, Image]]:
        """Give each image its repeat: the one in its name, or its position among the item's images."""
        taken: dict[object, Image] = {}
        for image in sorted(images, key=lambda image: (image.order, image.name)):
            identity = image.order if image.repeat is None else image.repeat
            first = taken.setdefault(identity, image)
            if first is image:
                yield len(taken) - 1 if image.repeat is None else image.repeat, image
            else:
                self.duplicates.append(UnmatchedFile(image.name, f"{first.name} is taken"))


def describe(folder: ImageFolder, assignment: ImageAssignment, items: Sequence[Item], repeats: int) -> MatchedImages:
    """Describe how the images were assigned, for so many repeats."""
    every = {(id, repeat): image for id, images in assignment.of_item.items() for repeat, image in images.items()}
    wanted = [(item.id, repeat) for item in items for repeat in range(repeats)]
    files = {trial: every[trial] for trial in wanted if trial in every}
    prompts = {item.id: task_text(item.task) for item in items}
    assigned = {image.name for image in every.values()}
    told = (*assignment.ambiguous, *assignment.duplicates, *assignment.relisted)
    explained = assigned | {file.name for file in told}
    unknown = dict.fromkeys(image.name for image in folder.images if image.name not in explained)
    return MatchedImages(
        folder.layout,
        {trial: image.name for trial, image in files.items()},
        missing=tuple(trial for trial in wanted if trial not in every),
        unknown=(*(UnmatchedFile(name, "no item of the suite") for name in unknown), *folder.left),
        ambiguous=tuple(assignment.ambiguous),
        surplus=tuple(image.name for (_, repeat), image in every.items() if repeat >= repeats),
        duplicates=(*(file for file in assignment.duplicates if file.name not in assigned), *assignment.relisted),
        faulty=tuple(UnmatchedFile(image.name, fault) for image in files.values() if (fault := find_fault(image.path))),
        reworded=tuple(
            UnmatchedFile(image.name, _show(image.prompt))
            for (item_id, _), image in files.items()
            if image.prompt and not any(_is_same(prompt, prompts[item_id], folder) for prompt in image.prompts)
        ),
        counts=sum(image.count is not None for image in files.values()),
        unmade=tuple(trial for trial, image in files.items() if not os.path.exists(image.path)),
    )


class _Finder:
    """Finds the candidate items of an image: by key; by the exact text, or else by the text in plain form."""

    def __init__(self, folder: ImageFolder, items: Iterable[Item]) -> None:
        self._by_key: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_text: list[dict[str, dict[str, None]]] = [defaultdict(dict) for _ in range(3)]
        for item in items:
            text = task_text(item.task)
            names = plain_names(text) if folder.is_named_by_prompts else set()
            levels = [self._by_key, *self._by_text]
            for level, handles in zip(levels, (folder.keys(item.id), {text}, {plain(text)}, names), strict=True):
                for handle in handles:
                    level[handle][item.id] = None

    def items_by_key(self, image: Image) -> tuple[str, ...]:
        """List the items with the image's key, in their order."""
        return tuple(self._by_key.get(image.key, ())) if image.key else ()

    def items_by_text(self, image: Image) -> tuple[str, ...]:
        """List the items with the image's prompt in their order; several only if they are indistinguishable."""
        found = (
            level.get(handle)
            for prompt in image.prompts
            for level, handle in zip(self._by_text, (prompt, plain(prompt), plain_of_name(prompt)), strict=True)
            if handle
        )
        return tuple(next((ids for ids in found if ids), ()))


def _is_same(prompt: str, text: str, folder: ImageFolder) -> bool:
    if plain(prompt) == plain(text):
        return True
    return folder.is_named_by_prompts and plain_of_name(prompt) in plain_names(text)


def _show(text: str) -> str:
    """Make a name safe and short enough for a terminal."""
    printable = "".join(char if char.isprintable() else "?" for char in text)
    return printable if len(printable) <= _LONGEST_SHOWN else f"{printable[:_LONGEST_SHOWN]}…"


_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_BETWEEN_DIGITS = re.compile(r'(?<=\d)[<>:"/\\|?*\x00-\x1f](?=\d)')


def plain(text: str) -> str:
    """Normalise case and spaces, and drop final punctuation; ² does not become 2."""
    spaced = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return spaced.rstrip(" .,;:!?…")


def plain_of_name(text: str) -> str:
    """Normalise a file name in the same way, with _ as a space."""
    return plain(text.replace("_", " "))


def plain_names(text: str) -> set[str]:
    """List what a text may have become as a file name: forbidden characters are replaced or left out.

    Between digits they are never left out: 1/2 must not become 12.
    """
    told_apart = _BETWEEN_DIGITS.sub(" ", text)
    return {plain_of_name(_FORBIDDEN.sub("-", text))} | {
        plain_of_name(_FORBIDDEN.sub(instead, told_apart)) for instead in ("", " ")
    }


_ONLY_FOUND = "only those that are there: `only_found`"


class FolderModel(Model):
    """Take the images in a folder, or those that a .jsonl or .csv file lists, in any of the layouts people have.

    Args:
        layout: how files are named; auto: found from the names
    """

    tasks = frozenset({"draw"})
    is_ready_made = True
    concurrency = 8

    def __init__(self, path: str, /, *, layout: str = "auto") -> None:
        self._path, self._is_told = Path(path).expanduser(), layout != "auto"
        self._fault: UnclearLayoutError | None = None
        try:
            self._folder = read_folder(self._path, layout)
        except UnclearLayoutError as error:  # a suite's prompts may decide
            self._fault, self._folder = error, read_folder(self._path, PROMPTS)
        self._assigned: dict[str, dict[int, Image]] = {}

    def match(self, items: Sequence[Item], repeats: int, /) -> MatchedImages:
        """Assign the images to these items, and report what is missing or unknown.

        Items with the same prompt share its images only if all of them are here: give all items of a suite.
        """
        drawn = [item for item in items if item.task.kind in self.tasks]
        assignment = ImageAssignment(self._folder, drawn)
        if not assignment.has_any and self._fault is not None:
            raise self._fault
        if not assignment.has_any and not self._is_told and self._path.is_dir():
            with suppress(BadFileError):  # the first reading's report says enough
                by_prompts = read_folder(self._path, PROMPTS)
                other = ImageAssignment(by_prompts, drawn)
                if other.has_any:
                    self._folder, assignment = by_prompts, other
        self._assigned |= assignment.of_item
        return describe(self._folder, assignment, drawn, repeats)

    async def respond(self, request: Request, /) -> Reply:
        """Give the trial's image; a folder always gives the same one."""
        if request.item_id not in self._assigned:
            alone = Item(request.item_id, request.task, (), {})
            self._assigned |= ImageAssignment(self._folder, [alone]).of_item
        images = self._assigned[request.item_id]
        image = images.get(request.repeat)
        if image is None:
            return Reply(Failed(self._say_missing(request, len(images)), is_transient=True), request.provenance())
        provenance = replace(
            request.provenance(),
            # The prompt that the folder has in words, not in a mangled file name.
            prompt_sent=image.prompt if image.prompt and not self._folder.is_named_by_prompts else request.text,
            parameters=image.parameters | {"layout": self._folder.layout},
        )
        try:
            return Reply(Pixels(await asyncio.to_thread(read_image, image.path)), provenance)
        except BadImageError as error:
            return Reply(Failed(f"{image.name}: {error}", is_transient=True), provenance)

    def _say_missing(self, request: Request, found: int) -> str:
        if self._folder.layout == "items":
            name = f"{request.item_id.partition('/')[2].replace('/', '_')}_{request.repeat}"
            return f"no file {name}.png, .jpg, … in the folder (one image per item: `repeats` 1; {_ONLY_FOUND})"
        held = f"{found} images in the folder, none for repeat {request.repeat}"
        return f"{request.item_id} has {held} (see `repeats`; {_ONLY_FOUND})"
