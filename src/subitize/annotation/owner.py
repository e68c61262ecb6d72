"""The owner's page over HTTP: the state of a study, its people, and screening of pictures."""

import asyncio
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

from subitize.annotation.agreement import AgreementMonitor, AgreementSnapshot
from subitize.annotation.assignment import Assignment, WithoutNul
from subitize.annotation.people import Person, Role
from subitize.annotation.reviewing import Tally
from subitize.annotation.screening import HAS_FACES, MAY_BE_MISSED, FaceFinder
from subitize.annotation.study import Activity, Study
from subitize.errors import BadImageError, NothingToDoError, SubitizeError
from subitize.io.images import decode
from subitize.records import Estimate, Stored, to_plain
from subitize.store.images import Images
from subitize.web.app import address_of, identify, identify_changing

_SPEED_SECONDS = 600.0
_ENOUGH_ANSWERS, _ENOUGH_GOLD = 10, 3  # below, figures say too little about a person
_BY_THE_OWNER = "held back by the owner"
SignedIn = Annotated[Person, Depends(identify)]
Changing = Annotated[Person, Depends(identify_changing)]


class PersonShown(BaseModel):
    """A person as the owner sees them."""

    id: int
    name: str
    role: Role
    link: str
    is_withdrawn: bool
    done: int
    skipped: int
    unsure: int
    flagged: int
    median_seconds: float | None
    gold: tuple[int, int]
    consistency: tuple[int, int]
    agreement: object
    proposal: str
    done_code: str | None


class DisagreementShown(BaseModel):
    """A question that people answer differently, with its pictures."""

    wording: str
    pictures: list[str]
    answers: dict[str, str]


class StudyShown(BaseModel):
    """The state of a study; measures of agreement state their age."""

    name: str
    given: int
    wanted: int
    pages: int
    people_per_page: int
    per_hour: float
    hours_left: float | None
    people: list[PersonShown]
    agreement: object
    agreement_age_seconds: float | None
    disagreements: list[DisagreementShown]
    reviews: Tally
    corrections: int
    adjudications: Tally
    can_adjudicate: bool
    making_link: str | None


class Invited(BaseModel):
    """The name and role of a new person."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    role: Role = "annotator"


class Withdrawal(BaseModel):
    """Why a person is excluded; without a reason, only the link is closed."""

    model_config = ConfigDict(extra="forbid")

    reason: WithoutNul = Field(default="", max_length=500)


class Pace:
    """The rate at which pages are finished, over the last ten minutes."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def note(self, now: float) -> None:
        """Record a finished page."""
        self._times.append(now)

    def per_hour(self, now: float) -> float:
        """Return the number of pages finished per hour."""
        while self._times and self._times[0] < now - _SPEED_SECONDS:
            self._times.popleft()
        since = max(60.0, now - self._times[0]) if self._times else 1.0
        return 3600 * len(self._times) / since


async def _only_owner(person: SignedIn) -> Person:
    if person.role != "owner":
        raise HTTPException(403, "only the owner of the study may see this")
    return person


async def _only_owner_changing(_: Changing, owner: Annotated[Person, Depends(_only_owner)]) -> Person:
    return owner


Owner = Annotated[Person, Depends(_only_owner)]
OwnerChanging = Annotated[Person, Depends(_only_owner_changing)]


class ScreenedPicture(BaseModel):
    """A picture that is flagged or held back, the reason, and its address."""

    image: str
    reason: str
    picture: str


class FacesShown(BaseModel):
    """Progress and result of the search for faces."""

    looked: int = 0
    pictures: int = 0
    found: int = 0
    unreadable: int = 0
    is_running: bool = False
    problem: str = ""
    caution: str = MAY_BE_MISSED


class ScreeningShown(BaseModel):
    """Flagged pictures that await a decision, those held back, and the search for faces."""

    flagged: list[ScreenedPicture]
    held: list[ScreenedPicture]
    faces: FacesShown


class Decision(BaseModel):
    """Whether to hold a picture back, and why."""

    model_config = ConfigDict(extra="forbid")

    image: str = Field(max_length=200)
    is_held: bool
    reason: WithoutNul = Field(default="", max_length=500)


class OwnerDesk:
    """Handles the owner's requests about the study, its people and its pictures."""

    def __init__(
        self,
        study: Study,
        images: Images,
        monitor: AgreementMonitor,
        pace: Pace,
        link_pictures: Callable[[Person, Assignment], list[str]],
        making_link: str | None,
    ) -> None:
        self._study, self._monitor, self._pace = study, monitor, pace
        self._link_pictures, self._making_link = link_pictures, making_link
        self._places = {
            image: (place, number) for place, page in enumerate(study.pages) for number, image in enumerate(page.images)
        }
        self._faces = _FaceSearch(study, images)

    async def refresh(self, _: Owner) -> None:
        """Have the measures of agreement computed again if they are old; this needs the event loop."""
        self._monitor.refresh()

    def study(self, owner: Owner, request: Request) -> StudyShown:
        """Show the study's progress and people's agreement."""
        latest, totals, now = self._monitor.latest, self._study.progress(owner), time.time()
        per_hour, left = self._pace.per_hour(now), totals["wanted"] - totals["given"]
        agreements = {one.name: one.agreement for one in latest.people} if latest else {}
        paces = [pace for one in self._study.people.annotators() if (pace := self._study.activity(one).median_seconds)]
        usual = (
            statistics.median(paces or [0.0]),
            statistics.median([one.value for one in agreements.values()] or [0.0]),
        )
        reviews = self._study.reviews
        return StudyShown(
            name=self._study.name,
            given=totals["given"],
            wanted=totals["wanted"],
            pages=len(self._study.shown_pages()),
            people_per_page=self._study.plan.people_wanted,
            per_hour=per_hour,
            hours_left=left / per_hour if per_hour else None,
            people=[
                self._show_person(one, agreements.get(one.name), request, usual)
                for one in self._study.people.all()
                if one != owner
            ],
            agreement=_plain(latest.agreements) if latest else None,
            agreement_age_seconds=now - latest.at if latest else None,
            disagreements=self._show_disagreements(owner, latest) if latest else [],
            reviews=reviews.tally_all("review"),
            corrections=reviews.count_corrections(),
            adjudications=reviews.tally_all("adjudication"),
            can_adjudicate=bool(self._study.plan.purposes_of(owner.role)),
            making_link=self._making_link,
        )

    async def effect(self, person_id: int, _: Owner) -> dict[str, object]:
        """Show what excluding a person would change, without changing it."""
        person = self._find(person_id)
        try:
            without = (await self._monitor.without(person.name)).agreements
        except NothingToDoError:
            without = []  # there are no answers yet
        latest = self._monitor.latest
        return {"agreement": _plain(latest.agreements) if latest else None, "without": _plain(without)}

    def invite(self, invited: Invited, _: OwnerChanging, request: Request) -> PersonShown:
        """Invite a person by a personal link."""
        return self._show_person(self._study.people.invite(invited.name, invited.role), None, request, (0.0, 0.0))

    def withdraw(self, person_id: int, withdrawal: Withdrawal, owner: OwnerChanging) -> None:
        """Close a person's link; with a reason, also exclude their answers from all results."""
        person = self._find(person_id)
        if person == owner:
            raise HTTPException(409, "this is your own link; another owner can withdraw it")
        self._study.withdraw(person, withdrawal.reason.strip())

    def _find(self, person_id: int) -> Person:
        person = self._study.people.find(person_id)
        if person is None:
            raise HTTPException(404, "there is no such person in this study")
        return person

    def _show_person(
        self, person: Person, agreement: Estimate | None, request: Request, usual: tuple[float, float]
    ) -> PersonShown:
        activity, gold, plan = self._study.activity(person), self._study.gold_results(person), self._study.plan
        has_code = plan.is_recruiting and plan.recruiter == "mturk" and person.role == "annotator"
        return PersonShown(
            id=person.id,
            name=person.name,
            role=person.role,
            link=f"{address_of(request)}/join/{self._study.people.join_token(person)}",
            is_withdrawn=person.is_withdrawn,
            done=activity.answers if person.role == "annotator" else self._study.reviews.tally(person).done,
            **asdict(activity),
            gold=gold,
            proposal=propose(activity, gold, agreement, usual, plan.pass_mark),
            done_code=self._study.people.done_code(person, "done") if has_code else None,
            consistency=self._study.consistency(person),
            agreement=_plain(agreement),
        )

    def _show_disagreements(self, owner: Person, latest: AgreementSnapshot) -> list[DisagreementShown]:
        shown = []
        for one in latest.disagreements:
            if question := self._study.find_question(one.subject_id, one.question_id):
                page_index, number = question
                wording = self._study.pages[page_index].asks[number].wording
                pictures = self._link_pictures(owner, Assignment(page_index))
                shown.append(DisagreementShown(wording=wording, pictures=pictures, answers=one.answers))
        return shown

    def screening(self, owner: Owner) -> ScreeningShown:
        """Show the flagged and the held-back pictures."""
        self._study.screen()
        return ScreeningShown(
            flagged=self._show_screened(owner, self._study.list_flagged()),
            held=self._show_screened(owner, self._study.held),
            faces=self._faces.shown,
        )

    def decide(self, decision: Decision, _: OwnerChanging) -> None:
        """Hold a picture back, or show it."""
        if decision.image not in self._places:
            raise HTTPException(404, "there is no such picture in this study")
        if decision.is_held:
            self._study.hold_back({decision.image: decision.reason.strip() or _BY_THE_OWNER})
        else:
            self._study.show_again(decision.image)

    def hold_flagged(self, _: OwnerChanging) -> None:
        """Hold back all flagged pictures."""
        self._study.hold_back(self._study.list_flagged())

    async def find_faces(self, _: OwnerChanging) -> None:
        """Start a search for faces that holds back the pictures with any."""
        self._faces.begin(picture for page in self._study.shown_pages() for picture in page.pictures)

    def _show_screened(self, owner: Person, images: Mapping[str, str]) -> list[ScreenedPicture]:
        known = ((image, reason, self._places[image]) for image, reason in images.items() if image in self._places)
        return [
            ScreenedPicture(image=image, reason=reason, picture=self._link_pictures(owner, Assignment(place))[number])
            for image, reason, (place, number) in known
        ]


def propose(
    activity: Activity, gold: tuple[int, int], agreement: Estimate | None, usual: tuple[float, float], pass_mark: float
) -> str:
    """Say what of a person's work the owner should look at; `usual` are the median time and agreement of people.

    It is the owner who decides: nobody is left out by a figure.
    """
    if activity.answers < _ENOUGH_ANSWERS:
        return ""
    (right, known), (usual_seconds, usual_agreement) = gold, usual
    is_fast = activity.median_seconds is not None and activity.median_seconds < usual_seconds / 3
    differs = agreement is not None and agreement.high < usual_agreement
    is_wrong = known >= _ENOUGH_GOLD and right < pass_mark * known
    faults = {"much faster than others": is_fast, "gold questions wrong": is_wrong, "unlike others": differs}
    found = [fault for fault, is_there in faults.items() if is_there]
    return f"look at these answers: {', '.join(found)}" if found else ""


def _plain(found: object) -> object:
    """Convert to JSON values; numbers that are not finite become null."""
    return from_json(to_json(to_plain(found), inf_nan_mode="null"))


class _FaceSearch:
    """Searches pictures one by one, in a separate thread."""

    def __init__(self, study: Study, images: Images) -> None:
        self.shown = FacesShown()
        self._study, self._images = study, images
        self._task: asyncio.Task[None] | None = None

    def begin(self, pictures: Iterable[Stored]) -> None:
        """Start a search unless one is running."""
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
