"""The pictures exported with answers: pixels only, without those that are withheld."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from PIL import Image

from subitize.analysis.ratings import Rating
from subitize.annotation.exchange.rating_table import name_file
from subitize.annotation.faces import FaceFinder, blur_faces
from subitize.annotation.screening import list_pictures, read_held
from subitize.io.images import decode, encode_png
from subitize.io.outputs import write_atomic
from subitize.records import Stored
from subitize.store import Run, StoredResponse

PictureChoice = Literal["all", "blur-faces", "without-faces"]
PICTURE_CHOICES: Mapping[PictureChoice, str] = {
    "all": "as they are",
    "blur-faces": "faces blurred",
    "without-faces": "without those that show faces",
}
FACE_CHOICES: tuple[PictureChoice, ...] = ("blur-faces", "without-faces")
"""Those that depend on what a detector finds."""
WITHHELD = "withheld"
_FOLDER = "pictures"


class PictureWriter:
    """Writes pictures beside the answers about them, each once, by a number; without a choice it only names them."""

    def __init__(self, run: Run, folder: Path, choice: PictureChoice | None) -> None:
        self._images, self._held = run.images, read_held(run)
        self._folder, self._choice = folder / _FOLDER, choice
        self._finder = FaceFinder() if choice in FACE_CHOICES else None
        self._written: dict[str, str] = {}

    def name_pictures(self, rating: Rating) -> Sequence[str]:
        """Say where the pictures of an answer are, and write those that are new."""
        return [self._name(stored) for stored in rating.members]

    def _name(self, stored: StoredResponse) -> str:
        name = name_file(stored)
        for picture in list_pictures([stored]):
            if name not in self._written:
                self._written[name] = WITHHELD if name in self._held else self._write(picture, name)
        return self._written.get(name, name)

    def _write(self, picture: Stored, name: str) -> str:
        if self._choice is None:
            return name
        pixels = decode(self._images.load(picture))
        faces = self._finder.find(pixels) if self._finder else []
        if faces and self._choice == "without-faces":
            return WITHHELD
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"{len(self._written) + 1}.png"
        write_atomic(path, [encode_png(Image.fromarray(blur_faces(pixels, faces)))])
        return f"{_FOLDER}/{path.name}"
