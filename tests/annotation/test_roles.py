"""Every route by every role: what each may do, and what is refused."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.study import Study
from tests.annotation.studies import COUNTS, folder, make_run, opened
from tests.annotation.visitors import Visitor
from tests.cases import Case

pytestmark = pytest.mark.web

ROLES = ("stranger", "withdrawn", "annotator", "reviewer", "owner")
ANSWER = {"key": "12345678", "text": "3"}


@dataclass(frozen=True)
class Route:
    """A request, and the status that each of ROLES gets; `{page}` is one that was shown to whoever asks."""

    method: str
    path: str
    statuses: tuple[int, int, int, int, int]
    body: Mapping[str, object] | None = None
    is_public: bool = False
    template: str = field(default="")


MEMBERS, OWNER = (401, 403, 200, 200, 200), (401, 403, 403, 403, 200)
ROUTES = (
    Route("GET", "/static/annotate.js", (200, 200, 200, 200, 200), is_public=True),
    Route("GET", "/openapi.json", (200, 200, 200, 200, 200), is_public=True),
    Route("GET", "/join/0", (404, 404, 404, 404, 404), is_public=True, template="/join/{token}"),
    Route("GET", "/study/0", (404, 404, 404, 404, 404), is_public=True, template="/study/{token}"),
    Route("GET", "/", MEMBERS),
    Route("GET", "/adjudicate", OWNER),
    Route("GET", "/api/me", MEMBERS),
    Route("POST", "/api/consent", (401, 403, 204, 204, 204)),
    Route("GET", "/api/completion", (401, 403, 409, 200, 200)),
    Route("GET", "/api/pages", MEMBERS),
    Route("GET", "/api/pages/{page}", MEMBERS, template="/api/pages/{page_id}"),
    Route("PUT", "/api/pages/{page}/questions/0", MEMBERS, ANSWER, template="/api/pages/{page_id}/questions/{number}"),
    Route(
        "POST",
        "/api/pages/{page}/questions/0/read",
        MEMBERS,
        ANSWER,
        template="/api/pages/{page_id}/questions/{number}/read",
    ),
    Route("GET", "/pictures/{page}/0", MEMBERS, template="/pictures/{page_id}/{number}"),
    Route("GET", "/api/study", OWNER),
    Route("GET", "/api/study/screening", OWNER),
    Route("POST", "/api/study/screening", (401, 403, 403, 403, 404), {"image": "none.png", "is_held": True}),
    Route("POST", "/api/study/screening/flagged", (401, 403, 403, 403, 204)),
    Route("POST", "/api/study/screening/faces", (401, 403, 403, 403, 204 if find_spec("cv2") else 503)),
    Route("POST", "/api/study/people", OWNER, {"name": "eve", "role": "owner"}),
    Route(  # of somebody who is not there, as computing it takes seconds
        "GET",
        "/api/study/people/999/effect",
        (401, 403, 403, 403, 404),
        template="/api/study/people/{person_id}/effect",
    ),
    Route(
        "POST",
        "/api/study/people/{ben}/withdraw",
        (401, 403, 403, 403, 204),
        {"reason": "a robot"},
        template="/api/study/people/{person_id}/withdraw",
    ),
    Route("GET", "/mturk/0", (404, 404, 404, 404, 404), is_public=True, template="/mturk/{token}"),
)


class Hall:
    """A study in which each role has something to do, and somebody of each role."""

    def __init__(self, study: Study, path: Path) -> None:
        for name, text in (("anna", "3"), ("ben", "4")):
            study.save(study.people.invite(name), Assignment(0), 0, AnswerRecord(f"{name}-answer", text))
        self.study, self.visitors = study, {name: Visitor(study, path) for name in ROLES}
        for role, name in (("annotator", "anna"), ("reviewer", "ruth"), ("owner", "otto")):
            self.visitors[role].join(study, name, role)  # type: ignore[arg-type]
        self.visitors["withdrawn"].join(study, "will")
        self.pages = {role: self.visitors[role].next_page()["id"] for role in ROLES[2:]}
        self.pages["withdrawn"] = self.visitors["withdrawn"].next_page()["id"]
        self.pages["stranger"] = self.pages["annotator"]
        study.withdraw(study.people.invite("will"))

    def ask(
        self, route: Route, role: str, *, page: str | None = None, csrf: str | None = None, session: str | None = None
    ) -> int:
        """Send a request as somebody, and give the status."""
        visitor = self.visitors["stranger" if session else role]  # a browser of its own would drop an old session
        path = route.path.format(page=page or self.pages[role], ben=self.study.people.invite("ben").id)
        headers = {"X-CSRF-Token": self.visitors[role].csrf if csrf is None else csrf}
        headers |= {"Cookie": f"subitize_session={session}"} if session else {}
        sent = visitor.client.request(route.method, path, json=route.body, headers=headers)
        status: int = sent.status_code
        return status


@contextmanager
def hall(path: Path, **settings: Any) -> Iterator[Hall]:  # noqa: ANN401
    make_run(folder(path), COUNTS)
    with opened(folder(path), people_per_image=2, review=1.0, **settings) as study:
        yield Hall(study, path)


def test_every_role_gets_from_every_route_what_it_may(tmp_path: Path, case: Case) -> None:
    with hall(tmp_path) as made:
        for route in ROUTES:
            for role, status in zip(ROLES, route.statuses, strict=True):
                with case(f"{route.method} {route.path} as {role}"):
                    assert made.ask(route, role) == status


def test_the_table_has_every_route(tmp_path: Path) -> None:
    with hall(tmp_path) as made:
        app: Any = made.visitors["owner"].client.app
        served = {
            (method, one.path)
            for one in app.routes
            for method in (getattr(one, "methods", None) or {"GET"}) - {"HEAD"}
            if one.path != "/static"
        }
    assert {(one.method, one.template or one.path) for one in ROUTES if "/static" not in one.path} == served


def test_a_page_of_somebody_else_is_none(tmp_path: Path, case: Case) -> None:
    with hall(tmp_path) as made:
        for route in (one for one in ROUTES if "{page}" in one.path):
            for role in ROLES[2:]:
                for other in set(ROLES[2:]) - {role}:
                    with case(f"{route.method} {route.path} of {other} as {role}"):
                        assert made.ask(route, role, page=made.pages[other]) == 404


def test_a_change_needs_the_token_of_ones_own_page(tmp_path: Path, case: Case) -> None:
    with hall(tmp_path) as made:
        for route in (one for one in ROUTES if one.method != "GET"):
            for role in ROLES[2:]:
                others = [made.visitors[other].csrf for other in ROLES[2:] if other != role]
                for csrf in ("", "0" * 32, *others):
                    with case(f"{route.method} {route.path} as {role}"):
                        assert made.ask(route, role, csrf=csrf) == 403
        assert [one.name for one in made.study.people.all()] == ["anna", "ben", "ruth", "otto", "will"]


def test_a_session_that_is_too_old_or_tampered_with_opens_nothing(
    tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hall(tmp_path) as made:
        session = made.visitors["owner"].client.cookies["subitize_session"]
        assert made.ask(ROUTES[4], "owner", session=session) == 200
        now = time.time()
        for told, later, sent in (
            ("too old", 8 * 24 * 3600, session),
            ("tampered with", 0, session[:-9] + session[-9:].swapcase()),
            ("too long", 0, "x" * 5000),
        ):
            monkeypatch.setattr(time, "time", lambda later=later: now + later)
            for route in (one for one in ROUTES if not one.is_public):
                with case(f"{route.method} {route.path}, {told}"):
                    assert made.ask(route, "owner", session=sent) == 401


def test_people_of_another_study_are_none(tmp_path: Path, case: Case) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path), name="another") as another:
        stranger = another.people.invite("zoe")
    with opened(folder(tmp_path)) as study:
        owner = Visitor(study, tmp_path).join(study, "otto", "owner")
        for method, route in (("GET", "effect"), ("POST", "withdraw")):
            with case(route):
                headers = {"X-CSRF-Token": owner.csrf}
                path = f"/api/study/people/{stranger.id}/{route}"
                body = None if method == "GET" else {"reason": "x"}
                assert owner.client.request(method, path, json=body, headers=headers).status_code == 404


def test_an_owner_who_does_not_adjudicate_answers_nothing(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path), adjudicator="reviewer") as study:
        owner = Visitor(study, tmp_path).join(study, "otto", "owner")
        for route in ("/api/pages", "/adjudicate"):
            assert owner.client.get(route).status_code == 403


def test_nobody_withdraws_their_own_link_and_a_withdrawn_owner_sees_nothing(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path)) as study:
        otto, olga = (Visitor(study, tmp_path).join(study, name, "owner") for name in ("otto", "olga"))
        ids = {name: study.people.invite(name, "owner").id for name in ("otto", "olga")}
        headers = {"X-CSRF-Token": otto.csrf}
        own = otto.client.post(f"/api/study/people/{ids['otto']}/withdraw", json={}, headers=headers)
        assert own.status_code == 409
        other = otto.client.post(f"/api/study/people/{ids['olga']}/withdraw", json={}, headers=headers)
        assert other.status_code == 204
        assert olga.client.get("/api/study").status_code == 403


def test_what_others_answered_is_shown_without_names_and_to_nobody_who_answers(tmp_path: Path) -> None:
    with hall(tmp_path) as made:
        for role, answers in (
            ("annotator", []),
            ("reviewer", [{"text": "3", "value": "3", "people": 1}]),
            ("owner", [{"text": "3", "value": "3", "people": 1}, {"text": "4", "value": "4", "people": 1}]),
        ):
            page = made.visitors[role].client.get(f"/api/pages/{made.pages[role]}")
            assert page.json()["questions"][0]["others"] == answers
            assert not any(name in page.text for name in ("anna", "ben"))


def test_a_review_is_of_the_answer_that_was_shown(tmp_path: Path) -> None:
    with hall(tmp_path) as made:
        anna = made.study.people.invite("anna")
        made.study.save(anna, Assignment(0), 0, AnswerRecord("changed-", "6"))
        saving = next(one for one in ROUTES if one.method == "PUT")
        assert made.ask(saving, "reviewer") == 404  # it was of "3"
        page = made.visitors["reviewer"].next_page()
        assert page["questions"][0]["others"] == [{"text": "6", "value": "6", "people": 1}]
        assert made.ask(saving, "reviewer", page=page["id"]) == 200
