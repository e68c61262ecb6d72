"""Images that were made elsewhere: one file per trial, named after the item."""

from dataclasses import replace
from pathlib import Path

from subitize.errors import BadFileError
from subitize.interfaces import Pixels, Reply, Request
from subitize.records import Failed, TaskKind

SUFFIXES: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp", ".gif")


class Folder:
    """Take the images in a folder: ITEM_REPEAT.png, ITEM as `subitize prompts` lists it, _ for /."""

    tasks: frozenset[TaskKind] = frozenset({"draw"})
    is_stand_in = False
    concurrency = 8

    def __init__(self, path: str, /) -> None:
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise BadFileError(f"{path} is not a folder of images")
        self._files: dict[str, Path] = {}
        for file in sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES):
            if file.stem in self._files:
                raise BadFileError(f"{path} has {self._files[file.stem].name} and {file.name}; which of them is meant?")
            self._files[file.stem] = file
        if not self._files:
            raise BadFileError(f"{path} has no images ({', '.join(SUFFIXES)}); is it the right folder?")

    async def respond(self, request: Request, /) -> Reply:
        """Find the trial's file; asked again, a folder gives the same image."""
        stem = request.item_id.partition("/")[2].replace("/", "_")
        names = [f"{stem}_{request.repeat}"] + [stem] * (request.repeat == 0)
        file = next((self._files[name] for name in names if name in self._files), None)
        if file is None:
            reason = f"no file {names[0]}.png, .jpg, … in the folder (one image per item: --repeats 1)"
            return Reply(Failed(reason, is_transient=True), request.provenance())
        return Reply(Pixels(file.read_bytes()), replace(request.provenance(), parameters={"file": file.name}))
