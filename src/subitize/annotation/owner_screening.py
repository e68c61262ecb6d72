"""What the owner holds back from people in the browser: pictures that were flagged, and those that show faces."""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from fastapi import HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.answers import Task
from subitize.annotation.faces import HAS_FACES, MAY_BE_MISSED, FaceFinder
from subitize.annotation.people import Person
from subitize.annotation.schemas import WithoutNul
from subitize.annotation.study import Study
from subitize.errors import BadImageError, SubitizeError
from subitize.io.images import decode
from subitize.records import Stored
from subitize.store.images import Images

_BY_THE_OWNER = "held back by the owner"


class ScreenedPicture(BaseModel):
    """A picture that is flagged or held back, why, and where the owner sees it."""

    image: str
    reason: str
    picture: str


class FacesShown(BaseModel):
    """How far the search for faces is, and what came of it."""

    looked: int = 0
    pictures: int = 0
    found: int = 0
    unreadable: int = 0
    is_running: bool = False
    problem: str = ""
    caution: str = MAY_BE_MISSED


class ScreeningShown(BaseModel):
    """Pictures of the study that people flagged and nobody has decided about, those held back, and the faces."""

    flagged: list[ScreenedPicture]
    held: list[ScreenedPicture]
    faces: FacesShown


class Decision(BaseModel):
    """Whether a picture is held back from now on, and why."""

    model_config = ConfigDict(extra="forbid")

    image: str = Field(max_length=200)
    is_held: bool
    reason: WithoutNul = Field(default="", max_length=500)


class ScreeningDesk:
    """What the owner can ask for; `identify` finds who sends a request, if that is the owner."""

    def __init__(
        self,
        study: Study,
        images: Images,
        identify: Callable[[Request], Person],
        identify_changing: Callable[[Request], Person],
        link_pictures: Callable[[Person, Task], list[str]],
    ) -> None:
        self._study, self._link_pictures = study, link_pictures
        self._identify, self._identify_changing = identify, identify_changing
        self._places = {
            image: (place, number) for place, page in enumerate(study.pages) for number, image in enumerate(page.images)
        }
        self._faces = _FaceSearch(study, images)

    def screening(self, request: Request) -> ScreeningShown:
        """Show what is flagged and what is held back."""
        owner = self._identify(request)
        self._study.screen()
        return ScreeningShown(
            flagged=self._show(owner, self._study.list_flagged()),
            held=self._show(owner, self._study.held),
            faces=self._faces.shown,
        )

    def decide(self, decision: Decision, request: Request) -> None:
        """Hold a picture back from everybody, or show it."""
        self._identify_changing(request)
        if decision.image not in self._places:
            raise HTTPException(404, "there is no such picture in this study")
        if decision.is_held:
            self._study.hold_back({decision.image: decision.reason.strip() or _BY_THE_OWNER})
        else:
            self._study.show_again(decision.image)

    def hold_flagged(self, request: Request) -> None:
        """Hold back all that is flagged."""
        self._identify_changing(request)
        self._study.hold_back(self._study.list_flagged())

    async def find_faces(self, request: Request) -> None:
        """Begin to look for faces, and hold back the pictures that show any."""
        self._identify_changing(request)
        self._faces.begin(picture for page in self._study.shown_pages() for picture in page.pictures)

    def _show(self, owner: Person, images: Mapping[str, str]) -> list[ScreenedPicture]:
        known = ((image, reason, self._places[image]) for image, reason in images.items() if image in self._places)
        return [
            ScreenedPicture(image=image, reason=reason, picture=self._link_pictures(owner, Task(place))[number])
            for image, reason, (place, number) in known
        ]


class _FaceSearch:
    """Looks through pictures one after the other, in a thread of its own."""

    def __init__(self, study: Study, images: Images) -> None:
        self.shown = FacesShown()
        self._study, self._images = study, images
        self._task: asyncio.Task[None] | None = None

    def begin(self, pictures: Iterable[Stored]) -> None:
        """Begin, unless it has begun."""
        if not self.shown.is_running:
            finder, named = FaceFinder(), {Images.name(picture): picture for picture in pictures}
            self.shown = FacesShown(pictures=len(named), is_running=True)
            self._task = asyncio.create_task(self._search(finder, named))

    async def _search(self, finder: FaceFinder, pictures: Mapping[str, Stored]) -> None:
        try:
            for name, picture in pictures.items():
                if await asyncio.to_thread(self._has_faces, finder, picture):
                    await asyncio.to_thread(self._study.hold_back, {name: HAS_FACES})
                    self.shown.found += 1
                self.shown.looked += 1
        except SubitizeError as error:
            self.shown.problem = str(error)
        finally:
            self.shown.is_running = False

    def _has_faces(self, finder: FaceFinder, picture: Stored) -> bool:
        try:
            return bool(finder.find(decode(self._images.load(picture))))
        except BadImageError:
            self.shown.unreadable += 1
            return False
