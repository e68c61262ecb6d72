"""What the projects of other tools share: answers grouped by page, and exported pictures with their sizes.

Pictures are exported as bare pixels, without those that are held back."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image

from subitize.annotation.exchange.ratings import AnswerKey, Remark, Size, name_file
from subitize.annotation.pages import Form, form_of
from subitize.annotation.ratings import Rating, find_subjects
from subitize.annotation.screening import FaceFinder, blur_faces, list_pictures, read_held
from subitize.errors import BadImageError
from subitize.io.frames import group_rows
from subitize.io.images import decode, encode_png, image_size
from subitize.io.outputs import write_atomic
from subitize.records import Ask, Boxes, Drawn, Item, Stored, task_text
from subitize.store import Run, StoredResponse


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """A person's answer to a question of a page, given by its number there, with remarks."""

    number: int
    rating: Rating
    remark: Remark


@dataclass(frozen=True, slots=True)
class RatedPage:
    """A page and its answers by the person's number, separately for each look.

    `pictures` are paths or names. `prompt` is present only if people are asked about it.
    """

    subject_id: str
    pictures: Sequence[str]
    prompt: str | None
    asks: Sequence[Ask]
    forms: Sequence[Form]
    answers: Sequence[tuple[int, Sequence[RatedAnswer]]]


def make_pages(
    ratings: Iterable[Rating],
    people: Mapping[str, int],
    remarks: Mapping[AnswerKey, Remark],
    name_pictures: Callable[[Rating], Sequence[str]],
) -> list[RatedPage]:
    """Group ratings into pages by subject, in order of the first rating of each."""
    pages = []
    for subject_id, own in group_rows(ratings, lambda rating: rating.reading.subject.id).items():
        asked = _find_asked(own)
        prompt = task_text(own[0].item.task) if "match" in asked.values() else None
        answers = _gather_answers([one for one in own if one.ask in asked], list(asked), people, remarks)
        pages.append(RatedPage(subject_id, name_pictures(own[0]), prompt, list(asked), list(asked.values()), answers))
    return pages


def _find_asked(ratings: Sequence[Rating]) -> dict[Ask, Form]:
    """Map the answered questions, in the order of the item, to their forms."""
    clicked = {one.ask for one in ratings if isinstance(one.reading.evidence, Boxes)}
    rated = {one.ask for one in ratings}
    forms = {ask: form_of(ask.question, is_clicked=ask in clicked) for ask in ratings[0].item.asks if ask in rated}
    return {ask: form for ask, form in forms.items() if form is not None}


def _gather_answers(
    ratings: Iterable[Rating], asked: Sequence[Ask], people: Mapping[str, int], remarks: Mapping[AnswerKey, Remark]
) -> list[tuple[int, list[RatedAnswer]]]:
    """Group answers by person and look; answering a question again is another look."""
    looks: dict[tuple[int, int], list[RatedAnswer]] = defaultdict(list)
    times: Counter[tuple[str, Ask]] = Counter()
    for one in ratings:
        remark = remarks.get((one.annotator, one.reading.subject.id, one.ask.question.id), Remark())
        look = times[one.annotator, one.ask]
        times[one.annotator, one.ask] += 1
        looks[people[one.annotator], look].append(RatedAnswer(asked.index(one.ask), one, remark))
    return [(person, said) for (person, _), said in looks.items()]


PictureChoice = Literal["all", "blur-faces", "without-faces"]
PICTURE_CHOICES: Mapping[PictureChoice, str] = {
    "all": "as they are",
    "blur-faces": "faces blurred",
    "without-faces": "without those that show faces",
}
FACE_CHOICES: tuple[PictureChoice, ...] = ("blur-faces", "without-faces")
"""Choices that need the face detector."""
WITHHELD = "withheld"
_FOLDER = "pictures"


class PictureWriter:
    """Writes numbered pictures beside the answers, each once; without a choice it only names them."""

    def __init__(self, run: Run, folder: Path, choice: PictureChoice | None) -> None:
        self._images, self._held = run.image_files, read_held(run)
        self._folder, self._choice = folder / _FOLDER, choice
        self._finder = FaceFinder() if choice in FACE_CHOICES else None
        self._written: dict[str, str] = {}

    def name_pictures(self, rating: Rating) -> Sequence[str]:
        """Return where the pictures of an answer are, writing new ones."""
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


class PictureSizes:
    """Returns the size of a subject's picture; None for several pictures or a missing one."""

    def __init__(self, run: Run) -> None:
        self._images, self._subjects = run.image_files, find_subjects(run)
        self._known: dict[str, Size | None] = {}

    def __call__(self, subject_id: str) -> Size | None:
        """Measure a subject's picture, once."""
        if subject_id not in self._known:
            self._known[subject_id] = self._measure(subject_id)
        return self._known[subject_id]

    def find(self, subject_id: str) -> tuple[Item, StoredResponse] | None:
        """Find a subject's item and the first of its responses."""
        if subject_id not in self._subjects:
            return None
        item, members = self._subjects[subject_id]
        return item, members[0]

    def _measure(self, subject_id: str) -> Size | None:
        _, members = self._subjects.get(subject_id, (None, ()))
        outcome = members[0].response.outcome if len(members) == 1 else None
        if not (isinstance(outcome, Drawn) and isinstance(outcome.picture, Stored)):
            return None
        try:
            return image_size(self._images.path(outcome.picture))
        except BadImageError:
            return None
