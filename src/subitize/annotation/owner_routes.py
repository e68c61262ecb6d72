"""The owner's page of a study, over HTTP."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from fastapi import HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

from subitize.annotation.answers import Task
from subitize.annotation.people import Person, Role
from subitize.annotation.reviewing import Tally
from subitize.annotation.schemas import WithoutNul
from subitize.annotation.sessions import Sessions, address_of
from subitize.annotation.study import Study
from subitize.annotation.study_agreement import Oversight, oversee
from subitize.errors import NothingToDoError, RunError, SubitizeError
from subitize.evaluate.processes import Pool, result_of
from subitize.records import to_plain
from subitize.store import Location

MOST_AGE_SECONDS = 30.0
_SPEED_SECONDS = 600.0


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


class DisagreementShown(BaseModel):
    """A question that people answer differently, with its pictures."""

    wording: str
    pictures: list[str]
    answers: dict[str, str]


class StudyShown(BaseModel):
    """The state of a study; figures of agreement are as old as they say."""

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
    """Who is invited, and as what."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    role: Role = "annotator"


class Withdrawal(BaseModel):
    """Why a person is left out; without a reason only the link is closed."""

    model_config = ConfigDict(extra="forbid")

    reason: WithoutNul = Field(default="", max_length=500)


class Effect(BaseModel):
    """Agreement with a person and without."""

    agreement: object
    without: object


class Pace:
    """How quickly pages are finished, by those of the last ten minutes."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def note(self, now: float) -> None:
        """Note that a page was finished."""
        self._times.append(now)

    def per_hour(self, now: float) -> float:
        """Tell how many pages are finished per hour."""
        while self._times and self._times[0] < now - _SPEED_SECONDS:
            self._times.popleft()
        since = max(60.0, now - self._times[0]) if self._times else 1.0
        return 3600 * len(self._times) / since


class Overseer:
    """Keeps figures of agreement fresh, computed in a process of its own so that nobody waits for them."""

    def __init__(self, location: Location, judge: str) -> None:
        self._location, self._judge = location, judge
        self._process = Pool(1)
        self._latest: Oversight | None = None
        self._refreshing: asyncio.Task[None] | None = None

    @property
    def latest(self) -> Oversight | None:
        """The latest figures, if there are any yet and they are not too old."""
        latest = self._latest
        is_old = latest is not None and time.time() - latest.at > MOST_AGE_SECONDS + latest.took_seconds
        return None if is_old else latest

    def refresh(self) -> None:
        """Begin to compute the figures anew where they are too old and nobody does so already."""
        is_fresh = self._latest is not None and time.time() - self._latest.at < MOST_AGE_SECONDS / 2
        if not is_fresh and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(self._compute())

    async def without(self, name: str) -> Oversight:
        """Compute the figures as they would be without somebody."""
        return await self._oversee(name)

    async def _compute(self) -> None:
        try:
            self._latest = await self._oversee(None)
        except SubitizeError:
            self._latest = None  # nothing to compare yet

    async def _oversee(self, without: str | None) -> Oversight:
        try:
            return await result_of(self._process.submit(oversee, self._location, self._judge, without))
        except RunError:  # it died, perhaps for want of memory
            self._process = Pool(1)
            raise

    def close(self) -> None:
        """Stop the process."""
        self._process.shutdown()


class OwnerDesk:
    """What the owner can ask for."""

    def __init__(
        self,
        study: Study,
        overseer: Overseer,
        pace: Pace,
        sessions: Sessions,
        link_pictures: Callable[[Person, Task], list[str]],
        making_link: str | None,
    ) -> None:
        self._study, self._overseer, self._pace = study, overseer, pace
        self._sessions, self._link_pictures, self._making_link = sessions, link_pictures, making_link

    async def study(self, request: Request) -> StudyShown:
        """Show how far the study is and how far people agree."""
        owner = self.identify(request)
        self._overseer.refresh()
        latest, totals, now = self._overseer.latest, self._study.progress(owner), time.time()
        per_hour, left = self._pace.per_hour(now), totals["wanted"] - totals["given"]
        agreements = {one.name: one.agreement for one in latest.people} if latest else {}
        reviews = self._study.reviews
        return StudyShown(
            name=self._study.name,
            given=totals["given"],
            wanted=totals["wanted"],
            pages=len(self._study.shown_pages()),
            people_per_page=self._study.settings.people_per_page,
            per_hour=per_hour,
            hours_left=left / per_hour if per_hour else None,
            people=[
                self._show_person(one, agreements.get(one.name), request)
                for one in self._study.people.all()
                if one != owner
            ],
            agreement=_plain(latest.concords) if latest else None,
            agreement_age_seconds=now - latest.at if latest else None,
            disagreements=self._show_disagreements(owner, latest) if latest else [],
            reviews=reviews.tally_all("review"),
            corrections=reviews.count_corrections(),
            adjudications=reviews.tally_all("adjudication"),
            can_adjudicate=bool(self._study.settings.purposes_of(owner.role)),
            making_link=self._making_link,
        )

    async def effect(self, person_id: int, request: Request) -> Effect:
        """Show what leaving somebody out would change, and change nothing."""
        self.identify(request)
        person = self._find(person_id)
        try:
            without = (await self._overseer.without(person.name)).concords
        except NothingToDoError:
            without = []  # nobody has answered yet
        latest = self._overseer.latest
        return Effect(agreement=_plain(latest.concords) if latest else None, without=_plain(without))

    def invite(self, invited: Invited, request: Request) -> PersonShown:
        """Invite somebody, by a link of their own."""
        self.identify_changing(request)
        return self._show_person(self._study.people.invite(invited.name, invited.role), None, request)

    def withdraw(self, person_id: int, withdrawal: Withdrawal, request: Request) -> None:
        """Close somebody's link; with a reason, leave their answers out of every figure."""
        owner, person = self.identify_changing(request), self._find(person_id)
        if person == owner:
            raise HTTPException(409, "this is your own link; another owner can withdraw it")
        self._study.withdraw(person, withdrawal.reason.strip())

    def identify(self, request: Request) -> Person:
        """Find who sends a request; only the owner may."""
        return self._owner(self._sessions.identify(request))

    def identify_changing(self, request: Request) -> Person:
        """Find who wants to change something; only the owner may."""
        return self._owner(self._sessions.identify_changing(request))

    @staticmethod
    def _owner(person: Person) -> Person:
        if person.role != "owner":
            raise HTTPException(403, "only the owner of the study may see this")
        return person

    def _find(self, person_id: int) -> Person:
        person = self._study.people.find(person_id)
        if person is None:
            raise HTTPException(404, "there is no such person in this study")
        return person

    def _show_person(self, person: Person, agreement: object, request: Request) -> PersonShown:
        done = self._study.activity(person)
        return PersonShown(
            id=person.id,
            name=person.name,
            role=person.role,
            link=f"{address_of(request)}/join/{self._study.people.join_token(person)}",
            is_withdrawn=person.is_withdrawn,
            done=done.answers if person.role == "annotator" else self._study.reviews.tally(person).done,
            skipped=done.skipped,
            unsure=done.unsure,
            flagged=done.flagged,
            median_seconds=done.median_seconds,
            gold=self._study.gold_results(person),
            consistency=self._study.consistency(person),
            agreement=_plain(agreement),
        )

    def _show_disagreements(self, owner: Person, latest: Oversight) -> list[DisagreementShown]:
        shown = []
        for one in latest.disagreements:
            found = self._study.find_question(one.subject_id, one.question_id)
            if found is not None:
                place, number = found
                wording = self._study.pages[place].asks[number].wording
                pictures = self._link_pictures(owner, Task(place))
                shown.append(DisagreementShown(wording=wording, pictures=pictures, answers=one.answers))
        return shown


def _plain(found: object) -> object:
    """Turn figures into what JSON can hold; what is not finite is null."""
    return from_json(to_json(to_plain(found), inf_nan_mode="null"))
