"""The annotation app over HTTP: serves pages and bare pixels, and stores each answer at once."""

import re
import time
from functools import lru_cache
from typing import Literal, get_args

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from PIL import Image
from pydantic import BaseModel

from subitize.annotation.agreement import AgreementMonitor
from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.owner import Changing, OwnerDesk, Pace, SignedIn
from subitize.annotation.pages import Page, split_paragraphs
from subitize.annotation.people import Person, Role
from subitize.annotation.plan import PRACTICE, Purpose
from subitize.annotation.recruiting import DETAILS, BadTokenError, ProlificKeys, make_code_page, make_frame, way_back
from subitize.annotation.reviewing import GivenAnswer
from subitize.annotation.study import Study, UnreadAnswerError
from subitize.errors import BadImageError
from subitize.io.images import decode, encode_png
from subitize.records import Choose, digest
from subitize.store.images import Images
from subitize.web import is_same
from subitize.web.app import UNKNOWN_LINK, Account, Sessions, make_web_app, root_of, send_page

_MOST_PAGES = 8
_PAGE_ID = re.compile("[0-9a-f]{64}")
_PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
_ANSWERING: tuple[Purpose, ...] = ("answer", *PRACTICE)
_NOTHING_TO_ANSWER = HTTPException(403, "you answer nothing in this study; open the link of somebody who does")
ShownPurpose = Literal["question", "training", "review", "adjudication"]


class QuestionShown(BaseModel):
    """A question as the browser gets it, with this person's earlier answer.

    Reviewers and adjudicators also see the answers of others, and are asked only some questions of a page.
    """

    wording: str
    form: str
    lines: list[str]
    said: "AnswerShown | None"
    others: list[GivenAnswer]
    is_asked: bool


class AnswerShown(BaseModel):
    """A person's earlier answer."""

    text: str
    is_skipped: bool
    is_unsure: bool
    is_flagged: bool
    comment: str


class PageShown(BaseModel):
    """A page as the browser gets it; prompt and linked pictures are present only where the form needs them."""

    id: str
    pictures: list[str]
    questions: list[QuestionShown]
    prompt: str | None
    linked: "list[LinkedShown]"
    purpose: ShownPurpose


class LinkedShown(BaseModel):
    """A picture of a part of the prompt."""

    picture: str
    prompt: str


class StudyProgress(BaseModel):
    """The progress of a person and of the study."""

    done: int
    left: int
    given: int
    wanted: int


class Saved(StudyProgress):
    """The progress after an answer is stored; in training with the right answer."""

    expected: str | None


class PagesShown(BaseModel):
    """The next pages, and the progress."""

    pages: list[PageShown]
    progress: StudyProgress


class Me(BaseModel):
    """The signed-in person, their CSRF token, the texts to read and agree to first, and the pages finished so far.

    Recruited people go on in another browser by the return code.
    """

    name: str
    role: Role
    csrf_token: str
    instructions: list[str]
    examples: list[tuple[str, str]]
    consent: str | None
    finished: list[str]
    has_failed: bool
    return_code: str | None


class Completion(BaseModel):
    """How a person goes back to the recruiter: by an address, or by a code to type there."""

    url: str | None
    code: str | None


class ReadAs(BaseModel):
    """The value of an answer, or why it has none."""

    value: str | None
    reason: str | None


def make_app(
    study: Study,
    images: Images,
    monitor: AgreementMonitor,
    hosts: frozenset[str] | None,
    making_link: str | None = None,
) -> FastAPI:
    """Make the app; `hosts` are the names it answers to (None: any), `making_link` is shown to the owner."""
    sessions = Sessions(study.people.secret, study.people.find)
    desk = _Desk(study, images, sessions)
    owner = OwnerDesk(study, images, monitor, desk.pace, desk.link_pictures, making_link)
    app = make_web_app("subitize.annotation", hosts)
    app.state.sessions = sessions
    app.add_api_route("/", desk.index, include_in_schema=False)
    app.add_api_route("/adjudicate", desk.adjudicate, include_in_schema=False)
    app.add_api_route("/join/{token}", desk.join, include_in_schema=False)
    app.add_api_route("/study/{token}", desk.recruit, include_in_schema=False)
    app.add_api_route("/mturk/{token}", desk.frame, include_in_schema=False)
    app.add_api_route("/api/me", desk.me)
    app.add_api_route("/api/consent", desk.consent, methods=["POST"], status_code=204)
    app.add_api_route("/api/completion", desk.completion)
    app.add_api_route("/api/pages", desk.next_pages)
    app.add_api_route("/api/pages/{page_id}", desk.page)
    app.add_api_route("/api/pages/{page_id}/questions/{number}", desk.save, methods=["PUT"])
    app.add_api_route("/api/pages/{page_id}/questions/{number}/read", desk.read, methods=["POST"])
    app.add_api_route("/pictures/{page_id}/{number}", desk.picture, response_class=Response)
    app.add_api_route("/api/study", owner.study, dependencies=[Depends(owner.refresh)])
    app.add_api_route("/api/study/screening", owner.screening)
    app.add_api_route("/api/study/screening", owner.decide, methods=["POST"], status_code=204)
    app.add_api_route("/api/study/screening/flagged", owner.hold_flagged, methods=["POST"], status_code=204)
    app.add_api_route("/api/study/screening/faces", owner.find_faces, methods=["POST"], status_code=204)
    app.add_api_route("/api/study/people", owner.invite, methods=["POST"])
    app.add_api_route("/api/study/people/{person_id}/effect", owner.effect)
    app.add_api_route("/api/study/people/{person_id}/withdraw", owner.withdraw, methods=["POST"], status_code=204)
    return app


class _Desk:
    """Handles the requests of annotators, reviewers and adjudicators."""

    def __init__(self, study: Study, images: Images, sessions: Sessions) -> None:
        self._study, self._sessions = study, sessions
        self._consent = "\n\n".join(split_paragraphs(study.plan.consent))
        self.pace, self._keys = Pace(), ProlificKeys()
        self._pages = {_short(page): page_index for page_index, page in enumerate(study.pages)}
        self._picture = lru_cache(maxsize=64)(lambda stored: _plain_png(images.load(stored)))

    def index(self, person: SignedIn) -> Response:
        """Show the page, or how to sign in."""
        return send_page("subitize.annotation", "owner.html" if person.role == "owner" else "annotate.html")

    def adjudicate(self, person: SignedIn) -> Response:
        """Show the page where the owner adjudicates disagreements."""
        if person.role != "owner" or not self._study.plan.purposes_of(person.role):
            raise _NOTHING_TO_ANSWER
        return send_page("subitize.annotation", "annotate.html")

    def join(self, token: str, request: Request) -> Response:
        """Sign in by an invitation, which works on any device, any number of times."""
        for person in self._study.people.all():
            if not person.is_withdrawn and is_same(token, self._study.people.join_token(person)):
                return self._sessions.let_in(person, request)
        self._sessions.slow_down(request)
        raise UNKNOWN_LINK

    def recruit(self, token: str, request: Request) -> Response:
        """Sign in by the recruiting link: by a signed token, or in the browser that came first with an ID."""
        self._check_recruiting(token, request)
        people, plan = self._study.people, self._study.plan
        if plan.prolific_audience:
            try:
                signed = self._keys.read_token(request.query_params.get("prolific_token", ""), plan.prolific_audience)
            except BadTokenError as error:
                raise HTTPException(403, str(error)) from None
            return self._sessions.let_in(people.recruit(signed)[0], request)
        given = {name: request.query_params.get(name, "") for name in DETAILS[plan.recruiter]}
        details = {name: value[:200] for name, value in given.items() if value}
        known, code = self._known(request), request.query_params.get("code", "")
        if not details and known is not None:
            return self._sessions.let_in(known, request)
        person, is_new = people.recruit(details)
        if is_new or person == known or self._sessions.is_bound(person, request):
            return self._sessions.let_in(person, request, is_bound=True)
        if is_same(code.strip(), people.return_code(person)):
            return self._sessions.let_in(person, request, is_bound=True)
        page = make_code_page(root_of(request), details, was_wrong=bool(code))
        return HTMLResponse(page, 403)

    def frame(self, token: str, request: Request) -> Response:
        """Show what MTurk shows in a frame: instructions, and once the task is accepted a link and a field."""
        self._check_recruiting(token, request)
        if self._study.plan.recruiter != "mturk":
            raise UNKNOWN_LINK
        told = self._study.instruct("annotator").paragraphs
        page, headers = make_frame(root_of(request), token, request.query_params, told)
        return HTMLResponse(page, headers=headers)

    def _check_recruiting(self, token: str, request: Request) -> None:
        self._sessions.slow_down(request)
        if not self._study.plan.is_recruiting or not is_same(token, self._study.people.recruiting_token()):
            raise UNKNOWN_LINK

    def consent(self, person: Changing) -> None:
        """Record that a person agrees to take part."""
        self._study.people.consent(person)

    def completion(self, person: SignedIn) -> Completion:
        """Return how a person goes back to the recruiter, by how their part has ended."""
        plan = self._study.plan
        if person.role != "annotator":
            return Completion(url=None, code=None)
        ending = self._study.ending(person)
        if ending is None:
            raise HTTPException(409, "there is something left to answer")
        has_code = plan.is_recruiting and plan.recruiter == "mturk"
        code = self._study.people.done_code(person, ending) if has_code else None
        return Completion(url=way_back(plan, ending), code=code)

    def me(self, person: SignedIn) -> Me:
        """Return the signed-in person and the texts they should read."""
        told, is_signed = self._study.instruct(person.role), bool(self._study.plan.prolific_audience)
        return Me(
            name=person.name,
            role=person.role,
            csrf_token=self._sessions.csrf_token(person),
            instructions=told.paragraphs,
            examples=told.examples,
            consent=self._consent if self._study.must_consent(person) else None,
            has_failed=self._study.outcome(person) == "failed",
            return_code=None if is_signed or not person.details else self._study.people.return_code(person),
            finished=[self._page_id(person, task) for task in self._study.finished_tasks(person)],
        )

    def next_pages(self, person: SignedIn, count: int = 1) -> PagesShown:
        """Lease the next pages to answer, review or adjudicate to this person."""
        if not self._study.plan.purposes_of(person.role):
            raise _NOTHING_TO_ANSWER
        if self._study.must_consent(person):
            raise HTTPException(403, "agree to take part first; reload the page")
        tasks = self._study.next_tasks(person, min(max(count, 1), _MOST_PAGES))
        pages = [self._show(person, task) for task in tasks]
        return PagesShown(pages=pages, progress=StudyProgress(**self._study.progress(person)))

    def page(self, page_id: str, person: SignedIn) -> PageShown:
        """Show a page again, with this person's answers."""
        return self._show(person, self._find(person, page_id))

    def save(self, page_id: str, number: int, given: AnswerRecord, person: Changing) -> Saved:
        """Store an answer on disk before returning; in training, also return the right answer."""
        task = self._find_answerable(person, page_id, number)
        if self._study.save(person, task, number, given):
            self.pace.note(time.time())
        page = self._study.pages[task.page_index]
        expected = self._study.gold.expects(page, number) if task.purpose == "training" else None
        return Saved(**self._study.progress(person), expected=None if expected is None else str(expected))

    def read(self, page_id: str, number: int, given: AnswerRecord, person: Changing) -> ReadAs:
        """Return how an answer would be read, without storing it."""
        task = self._find_answerable(person, page_id, number)
        try:
            return ReadAs(
                value=str(self._study.read(self._study.pages[task.page_index], number, given.text)), reason=None
            )
        except UnreadAnswerError as error:
            return ReadAs(value=None, reason=str(error))

    def picture(self, page_id: str, number: int, person: SignedIn) -> Response:
        """Send the pixels of a picture without any metadata of its file."""
        page = self._study.pages[self._find(person, page_id).page_index]
        pictures = (*page.pictures, *(one.picture for one in page.linked))
        if not 0 <= number < len(pictures):
            raise HTTPException(404, "there is no such picture")
        if Images.name(pictures[number]) in self._study.held and person.role != "owner":
            raise HTTPException(410, "this picture is held back; go on with the next")
        try:
            data = self._picture(pictures[number])
        except BadImageError as error:
            raise HTTPException(410, "this picture is broken; skip it") from error
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})

    def link_pictures(self, person: Person, task: Assignment) -> list[str]:
        """List the addresses of a page's pictures for a person."""
        count = len(self._study.pages[task.page_index].pictures)
        return [self._link_picture(person, task, number) for number in range(count)]

    def _link_picture(self, person: Person, task: Assignment, number: int) -> str:
        return f"pictures/{self._page_id(person, task)}/{number}"

    def _known(self, request: Request) -> Account | None:
        try:
            return self._sessions.identify(request)
        except HTTPException:
            return None

    def _find_answerable(self, person: Person, page_id: str, number: int) -> Assignment:
        """Find a page that a person answers, by its ID, and check that it has the question."""
        task = self._find(person, page_id)
        if task.purpose not in self._study.plan.purposes_of(person.role):
            raise _NOTHING_TO_ANSWER
        if not 0 <= number < len(self._study.pages[task.page_index].asks):
            raise HTTPException(404, "there is no such question")
        return task

    def _show(self, person: Person, task: Assignment) -> PageShown:
        page, purpose = self._study.pages[task.page_index], task.purpose
        return PageShown(
            id=self._page_id(person, task),
            pictures=self.link_pictures(person, task),
            questions=[self._show_question(person, task, number) for number in range(len(page.asks))],
            prompt=page.prompt if "match" in page.forms else None,
            linked=[
                LinkedShown(picture=self._link_picture(person, task, number), prompt=one.prompt)
                for number, one in enumerate(page.linked, start=len(page.pictures))
                if Images.name(one.picture) not in self._study.held
            ],
            # People do not learn that it is a second look.
            purpose="question" if purpose == "answer" or purpose == "again" else purpose,
        )

    def _show_question(self, person: Person, task: Assignment, number: int) -> QuestionShown:
        page = self._study.pages[task.page_index]
        ask, said = page.asks[number], self._study.last_answer(person, task, number)
        lines = list(ask.question.lines) if isinstance(ask.question, Choose) else []
        shown = AnswerShown.model_validate(said, from_attributes=True) if said else None
        others = [] if task.purpose in _ANSWERING else self._study.reviews.list_answers(task, number)
        return QuestionShown(
            wording=ask.wording,
            form=page.forms[number],
            lines=lines,
            said=shown,
            others=others,
            is_asked=task.purpose in _ANSWERING or self._study.reviews.is_asked(task, number),
        )

    def _page_id(self, person: Person, task: Assignment) -> str:
        """Make an opaque page ID, different for every person and purpose, from which only this study reads the page.

        A review covers the answers as they were shown: when they change, so does the ID.
        """
        page, about = self._study.pages[task.page_index], list[object]()
        if task.author is not None:
            about = [self._study.reviews.answer_key(task, number) for number in range(len(page.asks))]
        plain = f"{_short(page)}{_PURPOSES.index(task.purpose)}{task.author or 0:015x}"
        tag = self._study.people.sign("page", person.id, plain, *about)
        return f"{tag}{self._mask(person, tag, plain)}"

    def _mask(self, person: Person, tag: str, digits: str) -> str:
        """Hide 32 hexadecimal digits, or show hidden ones."""
        return f"{int(digits, 16) ^ int(self._study.people.sign('mask', person.id, tag), 16):032x}"

    def _find(self, person: Person, page_id: str) -> Assignment:
        """Find a page by its ID, which only the person it was shown to knows; also works after a restart."""
        plain = self._mask(person, page_id[:32], page_id[32:]) if _PAGE_ID.fullmatch(page_id) else ""
        if (page_index := self._pages.get(plain[:16])) is not None:
            purpose, author = _PURPOSES[int(plain[16], 16) % len(_PURPOSES)], int(plain[17:], 16)
            task = Assignment(page_index, purpose, author or None)
            if is_same(page_id, self._page_id(person, task)):
                return task
        raise HTTPException(404, "there is no such page; reload to go on with the next")


def _short(page: Page) -> str:
    return digest(page.subject.id)[:16]


def _plain_png(data: bytes) -> bytes:
    """Re-encode a picture: its file may contain the prompt that made it."""
    return encode_png(Image.fromarray(decode(data)), compress_level=1)
