"""The annotation page over HTTP: pages to answer, pictures without anything but pixels, answers stored at once."""

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.resources import files
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from itsdangerous import BadSignature, URLSafeTimedSerializer
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.limits import Limiter
from subitize.annotation.ownership import Overseer, OwnerDesk, Pace
from subitize.annotation.pages import Page
from subitize.annotation.people import RECRUITERS_DETAILS, Person
from subitize.annotation.study import Given, Purpose, Study, UnreadAnswerError
from subitize.annotation.texts import Texts
from subitize.errors import BadImageError, SubitizeError
from subitize.image_files import decode, encode_png
from subitize.records import Choose
from subitize.store import RENEWAL_SECONDS
from subitize.store.images import Images

COOKIE = "subitize_session"
_STATIC = files("subitize.annotation") / "static"
_SESSION_SECONDS = 7 * 24 * 3600
_LARGEST_BODY_BYTES = 65_536
_MOST_PAGES = 8
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


_UNKNOWN_LINK = HTTPException(404, "this invitation is not known, or was withdrawn; ask whoever sent it")


class QuestionShown(BaseModel):
    """A question as the browser gets it, with what this person said to it before."""

    wording: str
    form: str
    lines: list[str]
    said: "AnswerShown | None"


class AnswerShown(BaseModel):
    """What a person said before."""

    text: str
    is_skipped: bool
    is_unsure: bool
    is_flagged: bool
    comment: str


class PageShown(BaseModel):
    """A page as the browser gets it. The prompt is there only where the form asks about it."""

    id: str
    pictures: list[str]
    questions: list[QuestionShown]
    prompt: str | None
    is_training: bool


class Progress(BaseModel):
    """How far a person is, and the study."""

    done: int
    left: int
    given: int
    wanted: int


class Saved(Progress):
    """How far it is once an answer is stored; in training with the right answer."""

    expected: str | None


class PagesShown(BaseModel):
    """What comes next, and how far it is."""

    pages: list[PageShown]
    progress: Progress


class Me(BaseModel):
    """Who is here, the token that changes need, what to read and to agree to first, and the pages finished so far."""

    name: str
    csrf_token: str
    instructions: list[str]
    consent: str | None
    finished: list[str]
    has_failed: bool


class AnswerGiven(BaseModel):
    """An answer as the browser sends it; sent again under the same key, it is the same."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern=r"^[A-Za-z0-9-]{8,64}$")
    text: str = Field(max_length=40_000)
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = Field(default="", max_length=2000)
    seconds: float = Field(default=0, ge=0, le=86_400, allow_inf_nan=False)


class Completion(BaseModel):
    """Where to go when all is answered; None if nowhere."""

    url: str | None


class ReadAs(BaseModel):
    """How an answer would be read, or why it is not."""

    value: str | None
    reason: str | None


def make_app(
    study: Study,
    texts: Texts,
    images: Images,
    overseer: Overseer,
    renew: Callable[[], None],
    hosts: frozenset[str] | None,
) -> FastAPI:
    """Make the application; `hosts` are the names it answers to, None any."""
    desk = _Desk(study, texts, images)
    owner = OwnerDesk(study, overseer, desk.pace, desk.identify, desk.identify_changing, desk.link_pictures)

    @asynccontextmanager
    async def renewing(_: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(_renew_for_ever(renew))
        yield
        task.cancel()
        overseer.close()

    app = FastAPI(title="subitize annotate", docs_url=None, redoc_url=None, lifespan=renewing)
    app.middleware("http")(_Guard(hosts))
    app.exception_handler(SubitizeError)(_tell)
    app.add_api_route("/", desk.index, include_in_schema=False)
    app.add_api_route("/join/{token}", desk.join, include_in_schema=False)
    app.add_api_route("/study/{token}", desk.recruit, include_in_schema=False)
    app.add_api_route("/api/me", desk.me)
    app.add_api_route("/api/consent", desk.consent, methods=["POST"], status_code=204)
    app.add_api_route("/api/completion", desk.completion)
    app.add_api_route("/api/pages", desk.next_pages)
    app.add_api_route("/api/pages/{page_id}", desk.page)
    app.add_api_route("/api/pages/{page_id}/questions/{number}", desk.save, methods=["PUT"])
    app.add_api_route("/api/pages/{page_id}/questions/{number}/read", desk.read, methods=["POST"])
    app.add_api_route("/pictures/{page_id}/{number}", desk.picture, response_class=Response)
    app.add_api_route("/api/study", owner.study)
    app.add_api_route("/api/study/people", owner.invite, methods=["POST"])
    app.add_api_route("/api/study/people/{person_id}/effect", owner.effect)
    app.add_api_route("/api/study/people/{person_id}/withdraw", owner.withdraw, methods=["POST"], status_code=204)
    app.mount("/static", StaticFiles(directory=str(_STATIC)))
    return app


async def _renew_for_ever(renew: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(RENEWAL_SECONDS)
        await asyncio.to_thread(renew)


async def _tell(_: Request, error: Exception) -> JSONResponse:
    status = 422 if isinstance(error, UnreadAnswerError) else 503
    return JSONResponse({"detail": str(error)}, status)


class _Guard:
    """Refuses what no page of ours sends, and adds the headers that keep a browser from doing more than ours."""

    def __init__(self, hosts: frozenset[str] | None) -> None:
        self._hosts, self._limiter = hosts, Limiter(per_second=1000, burst=2000)  # a whole team may have one address

    async def __call__(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        refused = self._refuse(request)
        response = refused or await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refuse(self, request: Request) -> Response | None:
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname
        if self._hosts is not None and host not in self._hosts:
            return JSONResponse({"detail": "this server has another name"}, 400)
        length = request.headers.get("content-length", "0")
        if request.method not in ("GET", "HEAD") and not (length.isdecimal() and int(length) <= _LARGEST_BODY_BYTES):
            return JSONResponse({"detail": f"a request has at most {_LARGEST_BODY_BYTES:,} bytes, and says so"}, 413)
        if "transfer-encoding" in request.headers:
            return JSONResponse({"detail": "a request says how long it is"}, 411)
        if not self._limiter.admit(request.client.host if request.client else "", time.monotonic()):
            return JSONResponse({"detail": "too many requests; wait a second"}, 429, {"Retry-After": "1"})
        return None


class _Desk:
    """What people can ask for."""

    def __init__(self, study: Study, texts: Texts, images: Images) -> None:
        self._study, self._texts = study, texts
        self._sessions = URLSafeTimedSerializer(study.people.secret, salt="session")
        self._joining = Limiter(per_second=1, burst=20)
        self._working = Limiter(per_second=50, burst=200)
        self.pace = Pace()
        self._named = lru_cache(maxsize=1_000)(self._name_pages)
        self._picture = lru_cache(maxsize=64)(lambda stored: _plain_png(images.load(stored)))

    def index(self, request: Request) -> Response:
        """Show the page, or how to come in."""
        try:
            person = self.identify(request)
        except HTTPException as error:
            return PlainTextResponse(str(error.detail), error.status_code)
        return FileResponse(str(_STATIC / ("owner.html" if person.role == "owner" else "annotate.html")))

    def join(self, token: str, request: Request) -> Response:
        """Come in by an invitation: the same link brings the same person back, on any device."""
        for person in self._study.people.all():
            if not person.is_withdrawn and _is_same(token, self._study.people.join_token(person)):
                return self._let_in(person, request)
        self._slow_down(request)
        raise _UNKNOWN_LINK

    def recruit(self, token: str, request: Request) -> Response:
        """Come in by the link that recruits; whoever comes again, or with the same details, is the same person."""
        self._slow_down(request)
        if not self._texts.is_recruiting or not _is_same(token, self._study.people.recruiting_token()):
            raise _UNKNOWN_LINK
        given = {name: request.query_params.get(name, "") for name in RECRUITERS_DETAILS}
        details = {name: value[:200] for name, value in given.items() if value}
        if not details and (known := self._known(request)) is not None:
            return self._let_in(known, request)
        return self._let_in(self._study.people.recruit(details), request)

    def consent(self, request: Request) -> None:
        """Agree to take part."""
        self._study.people.consent(self.identify_changing(request))

    def completion(self, request: Request) -> Completion:
        """Tell whoever has answered everything how to say so to whoever recruited them."""
        person = self.identify(request)
        if self._study.progress(person)["left"] and self._study.outcome(person) != "failed":
            raise HTTPException(409, "there is something left to answer")
        return Completion(url=self._texts.completion_url(has_failed=self._study.outcome(person) == "failed"))

    def me(self, request: Request) -> Me:
        """Tell who is here, and what they should know."""
        person = self.identify(request)
        return Me(
            name=person.name,
            csrf_token=self._csrf_token(person),
            instructions=list(self._texts.instructions),
            consent=None if person.has_consented else self._texts.consent,
            has_failed=self._study.outcome(person) == "failed",
            finished=[self._page_id(person, place) for place in self._study.finished_pages(person)],
        )

    def next_pages(self, request: Request, count: int = 1) -> PagesShown:
        """Give the pages to be answered next; they are kept for this person for a while."""
        person = self.identify(request)
        if person.role != "annotator":
            raise HTTPException(403, "the owner of a study answers nothing; open the link of a person")
        if self._texts.consent and not person.has_consented:
            raise HTTPException(403, "agree to take part first; reload the page")
        places = self._study.next_pages(person, min(max(count, 1), _MOST_PAGES))
        pages = [self._show(person, place, purpose) for place, purpose in places]
        return PagesShown(pages=pages, progress=Progress(**self._study.progress(person)))

    def page(self, page_id: str, request: Request) -> PageShown:
        """Show a page again, with what this person said to it."""
        person = self.identify(request)
        return self._show(person, *self._find(person, page_id))

    def save(self, page_id: str, number: int, given: AnswerGiven, request: Request) -> Saved:
        """Store an answer; when this returns it is on the disk. In training, tell whether it is right."""
        person, place, purpose = self._changing(request, page_id, number)
        self._study.save(person, place, number, Given(**given.model_dump()), purpose)
        self.pace.note(time.time())
        expected = self._study.gold.expects(self._study.pages[place], number) if purpose == "training" else None
        return Saved(**self._study.progress(person), expected=None if expected is None else str(expected))

    def read(self, page_id: str, number: int, given: AnswerGiven, request: Request) -> ReadAs:
        """Tell how an answer would be read, and store nothing."""
        _, place, _ = self._changing(request, page_id, number)
        try:
            return ReadAs(value=str(self._study.read(self._study.pages[place], number, given.text)), reason=None)
        except UnreadAnswerError as error:
            return ReadAs(value=None, reason=str(error))

    def picture(self, page_id: str, number: int, request: Request) -> Response:
        """Send the pixels of a picture, and nothing that its file says besides."""
        person = self.identify(request)
        place, _ = self._find(person, page_id)
        pictures = self._study.pages[place].pictures
        if not 0 <= number < len(pictures):
            raise HTTPException(404, "there is no such picture")
        try:
            data = self._picture(pictures[number])
        except BadImageError as error:
            raise HTTPException(410, "this picture is broken; skip it") from error
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})

    def _known(self, request: Request) -> Person | None:
        try:
            return self.identify(request)
        except HTTPException:
            return None

    def identify(self, request: Request) -> Person:
        """Find who sends a request, by their session."""
        try:
            number = self._sessions.loads(request.cookies.get(COOKIE, ""), max_age=_SESSION_SECONDS)
        except BadSignature:
            raise HTTPException(
                401, "you are not signed in, or it was too long ago; open your invitation link"
            ) from None
        person = self._study.people.find(number)
        if person is None or person.is_withdrawn:
            raise HTTPException(403, "your invitation was withdrawn; what you said is kept")
        if not self._working.admit(str(person.id), time.monotonic()):
            raise HTTPException(429, "too many requests; wait a second", {"Retry-After": "1"})
        return person

    def identify_changing(self, request: Request) -> Person:
        """Find who wants to change something; only a page of ours knows the token that this takes."""
        person = self.identify(request)
        if not _is_same(request.headers.get("x-csrf-token", ""), self._csrf_token(person)):
            raise HTTPException(403, "the page is out of date; reload it")
        return person

    def link_pictures(self, person: Person, place: int) -> list[str]:
        """List where a person finds the pictures of a page."""
        page_id = self._page_id(person, place)
        return [f"/pictures/{page_id}/{number}" for number in range(len(self._study.pages[place].pictures))]

    def _changing(self, request: Request, page_id: str, number: int) -> tuple[Person, int, Purpose]:
        """Find who answers about which page."""
        person = self.identify_changing(request)
        place, purpose = self._find(person, page_id)
        if person.role != "annotator":
            raise HTTPException(403, "the owner of a study answers nothing; open the link of a person")
        if not 0 <= number < len(self._study.pages[place].asks):
            raise HTTPException(404, "there is no such question")
        return person, place, purpose

    def _slow_down(self, request: Request) -> None:
        address = request.client.host if request.client else ""
        if not self._joining.admit(address, time.monotonic()):
            raise HTTPException(429, "too many tries; wait a minute")

    def _let_in(self, person: Person, request: Request) -> Response:
        response = RedirectResponse("/", 303)
        session, is_https = self._sessions.dumps(person.id), request.url.scheme == "https"
        response.set_cookie(COOKIE, session, _SESSION_SECONDS, httponly=True, samesite="lax", secure=is_https)
        return response

    def _csrf_token(self, person: Person) -> str:
        """Make the token of a person's pages; it outlives a session, so that a page stays good in a second tab."""
        return self._study.people.sign("csrf", person.id)

    def _show(self, person: Person, place: int, purpose: Purpose) -> PageShown:
        page = self._study.pages[place]
        return PageShown(
            id=self._page_id(person, place, purpose),
            pictures=self.link_pictures(person, place),
            questions=[self._show_question(person, page, number, purpose) for number in range(len(page.asks))],
            prompt=page.prompt if "match" in page.forms else None,
            is_training=purpose == "training",
        )

    def _show_question(self, person: Person, page: Page, number: int, purpose: Purpose) -> QuestionShown:
        ask, said = page.asks[number], self._study.said(person, page, number, purpose)
        lines = list(ask.question.lines) if isinstance(ask.question, Choose) else []
        shown = AnswerShown.model_validate(said, from_attributes=True) if said else None
        return QuestionShown(wording=ask.wording, form=page.forms[number], lines=lines, said=shown)

    def _page_id(self, person: Person, place: int, purpose: Purpose = "answer") -> str:
        """Name a page so that nobody learns from it what it shows or what for, or that another sees the same."""
        return self._study.people.sign("page", person.id, self._study.pages[place].subject.id, purpose)

    def _find(self, person: Person, page_id: str) -> tuple[int, Purpose]:
        """Find a page by the name that only the person it was shown to can know, also after a restart."""
        try:
            return self._named(person)[page_id]
        except KeyError:
            raise HTTPException(404, "there is no such page; reload to go on with the next") from None

    def _name_pages(self, person: Person) -> dict[str, tuple[int, Purpose]]:
        purposes: tuple[Purpose, ...] = ("answer", "training", "again")
        return {
            self._page_id(person, place, purpose): (place, purpose)
            for place in range(len(self._study.pages))
            for purpose in purposes
        }


def _is_same(given: str, secret: str) -> bool:
    """Compare a token with what it should be, in the same time whatever it is."""
    return hmac.compare_digest(given.encode(), secret.encode())


def _plain_png(data: bytes) -> bytes:
    """Write a picture anew: files may hold the prompt that made them."""
    return encode_png(Image.fromarray(decode(data)), compress_level=1)
