"""Images that were made elsewhere, in the layouts people have: found, matched to a suite's items, and handed over."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from subitize.errors import BadFileError, BadImageError
from subitize.interfaces import Pixels, Reply, Request
from subitize.io.images import read_image
from subitize.models.folder.files import Image
from subitize.models.folder.layouts import PROMPTS, UnclearLayoutError, read_folder
from subitize.models.folder.matching import MatchedImages as MatchedImages
from subitize.models.folder.matching import Placement, describe
from subitize.records import Failed, Item, TaskKind

_ONLY_FOUND = "only those that are there: --only-found"


class Folder:
    """Take the images in a folder, or those that a .jsonl or .csv file lists, in any of the layouts people have.

    Args:
        layout: how files are named; auto: found from the names
    """

    tasks: frozenset[TaskKind] = frozenset({"draw"})
    is_stand_in = False
    concurrency = 8

    def __init__(self, path: str, /, *, layout: str = "auto") -> None:
        self._path, self._is_told = Path(path).expanduser(), layout != "auto"
        self._fault: UnclearLayoutError | None = None
        try:
            self._holdings = read_folder(self._path, layout)
        except UnclearLayoutError as error:  # perhaps the prompts of a suite tell
            self._fault, self._holdings = error, read_folder(self._path, PROMPTS)
        self._placed: dict[str, dict[int, Image]] = {}

    def match(self, items: Sequence[Item], repeats: int, /) -> MatchedImages:
        """Find the images of these items, and say what is missing and what is unknown.

        Two items with the same prompt can be told apart only if both are among them: give all items of a suite.
        """
        drawn = [item for item in items if item.task.kind in self.tasks]
        placement = Placement(self._holdings, drawn)
        if not placement.has_any and self._fault is not None:
            raise self._fault
        if not placement.has_any and not self._is_told and self._path.is_dir():
            with suppress(BadFileError):  # what cannot be read in this way either is told by what was found before
                by_prompts = read_folder(self._path, PROMPTS)
                other = Placement(by_prompts, drawn)
                if other.has_any:
                    self._holdings, placement = by_prompts, other
        self._placed |= placement.of_item
        return describe(self._holdings, placement, drawn, repeats)

    async def respond(self, request: Request, /) -> Reply:
        """Find the trial's file; asked again, a folder gives the same image."""
        if request.item_id not in self._placed:
            alone = Item(request.item_id, request.task, (), {})
            self._placed |= Placement(self._holdings, [alone]).of_item
        images = self._placed[request.item_id]
        image = images.get(request.repeat)
        if image is None:
            return Reply(Failed(self._say_missing(request, len(images)), is_transient=True), request.provenance())
        provenance = replace(
            request.provenance(),
            # What the folder says that was sent, where it says so in words and not in a mangled file name.
            prompt_sent=image.prompt if image.prompt and not self._holdings.is_named_by_prompts else request.text,
            parameters=image.parameters | {"layout": self._holdings.layout},
        )
        try:
            return Reply(Pixels(await asyncio.to_thread(read_image, image.path)), provenance)
        except BadImageError as error:
            return Reply(Failed(f"{image.name}: {error}", is_transient=True), provenance)

    def _say_missing(self, request: Request, found: int) -> str:
        if self._holdings.layout == "items":
            name = f"{request.item_id.partition('/')[2].replace('/', '_')}_{request.repeat}"
            return f"no file {name}.png, .jpg, … in the folder (one image per item: --repeats 1; {_ONLY_FOUND})"
        return (
            f"{request.item_id} has {found} images in the folder, none for repeat {request.repeat} "
            f"(see --repeats; {_ONLY_FOUND})"
        )
