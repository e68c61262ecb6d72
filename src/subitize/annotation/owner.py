"""The owner's pages over HTTP: the state of a study, screening of pictures, and making new studies."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

from subitize.annotation.agreement import AgreementSnapshot, oversee
from subitize.annotation.pages import FORMS, collect_pages
from subitize.annotation.people import Person, Role, sign
from subitize.annotation.plan import OWNER, StudyPlan
from subitize.annotation.reviewing import Tally
from subitize.annotation.sampling import draw_sample, list_samples, store_sample
from subitize.annotation.schemas import WithoutNul
from subitize.annotation.screening import HAS_FACES, MAY_BE_MISSED, FaceFinder
from subitize.annotation.sessions import STATIC, UNKNOWN_LINK, Sessions, address_of, guarded_app, is_same
from subitize.annotation.settings import Assignment
from subitize.annotation.study import Study
from subitize.errors import BadImageError, BadValueError, NothingToDoError, RunError, SubitizeError
from subitize.evaluate.processes import Pool, result_of
from subitize.io.images import decode
from subitize.records import Stored, to_plain
from subitize.store import Location, Run
from subitize.store.images import Images
from subitize.store.reading import read_judges

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


class PersonEffect(BaseModel):
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


class AgreementMonitor:
    """Keeps figures of agreement fresh, computed in a process of its own so that nobody waits for them."""

    def __init__(self, location: Location, judge: str) -> None:
        self._location, self._judge = location, judge
        self._process = Pool(1)
        self._latest: AgreementSnapshot | None = None
        self._refreshing: asyncio.Task[None] | None = None

    @property
    def latest(self) -> AgreementSnapshot | None:
        """The latest figures, if there are any yet and they are not too old."""
        latest = self._latest
        is_old = latest is not None and time.time() - latest.at > MOST_AGE_SECONDS + latest.took_seconds
        return None if is_old else latest

    def refresh(self) -> None:
        """Begin to compute the figures anew where they are too old and nobody does so already."""
        is_fresh = self._latest is not None and time.time() - self._latest.at < MOST_AGE_SECONDS / 2
        if not is_fresh and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(self._compute())

    async def without(self, name: str) -> AgreementSnapshot:
        """Compute the figures as they would be without somebody."""
        return await self._oversee(name)

    async def _compute(self) -> None:
        try:
            self._latest = await self._oversee(None)
        except SubitizeError:
            self._latest = None  # nothing to compare yet

    async def _oversee(self, without: str | None) -> AgreementSnapshot:
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
        overseer: AgreementMonitor,
        pace: Pace,
        sessions: Sessions,
        link_pictures: Callable[[Person, Assignment], list[str]],
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

    async def effect(self, person_id: int, request: Request) -> PersonEffect:
        """Show what leaving somebody out would change, and change nothing."""
        self.identify(request)
        person = self._find(person_id)
        try:
            without = (await self._overseer.without(person.name)).concords
        except NothingToDoError:
            without = []  # nobody has answered yet
        latest = self._overseer.latest
        return PersonEffect(agreement=_plain(latest.concords) if latest else None, without=_plain(without))

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

    def _show_disagreements(self, owner: Person, latest: AgreementSnapshot) -> list[DisagreementShown]:
        shown = []
        for one in latest.disagreements:
            found = self._study.find_question(one.subject_id, one.question_id)
            if found is not None:
                place, number = found
                wording = self._study.pages[place].asks[number].wording
                pictures = self._link_pictures(owner, Assignment(place))
                shown.append(DisagreementShown(wording=wording, pictures=pictures, answers=one.answers))
        return shown


def _plain(found: object) -> object:
    """Turn figures into what JSON can hold; what is not finite is null."""
    return from_json(to_json(to_plain(found), inf_nan_mode="null"))


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
        link_pictures: Callable[[Person, Assignment], list[str]],
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
            ScreenedPicture(image=image, reason=reason, picture=self._link_pictures(owner, Assignment(place))[number])
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


MAKING = "studies"
"""Below which path studies are made."""
_MAKER = Person(0, OWNER, "owner")


class MakerShown(BaseModel):
    """The token that changes need, and the runs that there are."""

    csrf_token: str
    runs: list[str]


class FormShown(BaseModel):
    """A form that a run has questions for: what people do, and about how many images."""

    name: str
    told: str
    images: int


class RunShown(BaseModel):
    """What a study of a run can be made of: forms, images of each model, factors, samples, and judges as gold."""

    forms: list[FormShown]
    models: dict[str, int]
    factors: list[str]
    samples: list[str]
    judges: list[str]


class SampleRequest(BaseModel):
    """A sample to be drawn: of how many images, spread over which factors."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=1, le=10_000_000)
    by: list[str] = Field(default=[], max_length=20)


class StudyWanted(BaseModel):
    """A study to be made: of which run, like what; where a sample is drawn, it goes by the study's name."""

    model_config = ConfigDict(extra="forbid")

    run: str
    plan: StudyPlan
    draw: SampleRequest | None = None


class StudyMade(BaseModel):
    """The links of a study, by name."""

    links: dict[str, str]


class StudyCreator:
    """What can be made: of the runs by name; `open_run` opens one, `make` makes a study of it and gives its links."""

    def __init__(
        self, runs: Collection[str], open_run: Callable[[str], Run], make: Callable[[str, StudyPlan], dict[str, str]]
    ) -> None:
        self.runs, self._open_run, self._make = runs, open_run, make

    def look(self, name: str) -> RunShown:
        """Tell what a study of a run can be made of."""
        run = self._open_run(name)
        collected = {form: collect_pages(run, [form]) for form in FORMS}
        models = {page.subject.id: page.model for one in collected.values() for page in one.pages}
        return RunShown(
            forms=[
                FormShown(name=form, told=FORMS[form], images=len(one.pages))
                for form, one in collected.items()
                if one.pages
            ],
            models=dict(sorted(Counter(models.values()).items())),
            factors=sorted({factor for one in collected.values() for page in one.pages for factor in page.factors}),
            samples=list_samples(run),
            judges=read_judges(run),
        )

    def make(self, wanted: StudyWanted) -> StudyMade:
        """Make a study, with its sample if one is to be drawn."""
        plan = wanted.plan
        if wanted.draw is not None:
            if plan.sample is not None:
                raise BadValueError(f"sample {plan.sample!r}: choose one that was drawn, or draw another, not both")
            run = self._open_run(wanted.run)
            drawn = draw_sample(collect_pages(run, plan.forms), plan.name, wanted.draw.size, wanted.draw.by, seed=0)
            store_sample(run, drawn)
            plan = replace(plan, sample=drawn.name)
        return StudyMade(links=self._make(wanted.run, plan))


def making_token(secret: str) -> str:
    """Make the secret part of the link by which studies are made."""
    return sign(secret, "join")


def make_making_app(maker: StudyCreator, secret: str, hosts: frozenset[str] | None) -> FastAPI:
    """Make the application in which whoever has the link makes studies."""
    sessions = Sessions(secret, lambda number: _MAKER if number == _MAKER.id else None)

    def index(request: Request) -> Response:
        """Show the page, or how to come in."""
        try:
            sessions.identify(request)
        except HTTPException as error:
            return PlainTextResponse(str(error.detail), error.status_code)
        return FileResponse(str(STATIC / "making.html"))

    def join(token: str, request: Request) -> Response:
        """Come in by the link."""
        if is_same(token, making_token(secret)):
            return sessions.let_in(_MAKER, request)
        sessions.slow_down(request)
        raise UNKNOWN_LINK

    def me(request: Request) -> MakerShown:
        """Tell which runs there are."""
        return MakerShown(csrf_token=sessions.csrf_token(sessions.identify(request)), runs=list(maker.runs))

    def look(run: str, request: Request) -> RunShown:
        """Tell what a study of a run can be made of."""
        sessions.identify(request)
        return maker.look(run)

    def make(wanted: StudyWanted, request: Request) -> StudyMade:
        """Make a study."""
        sessions.identify_changing(request)
        return maker.make(wanted)

    app = guarded_app(hosts)
    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/join/{token}", join, include_in_schema=False)
    app.add_api_route("/api/me", me)
    app.add_api_route("/api/run", look)
    app.add_api_route("/api/studies", make, methods=["POST"])
    return app
