"""The annotation page's server: who may do what, what reaches a browser, and what is refused."""

import asyncio
import io
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.annotation.study import Study
from subitize.records import Ask, Count
from tests.annotation.studies import COUNTS, LINES, VOTE, folder, item, make_run, opened
from tests.annotation.visitors import Visitor, visited

pytestmark = pytest.mark.web


def test_an_answer_is_stored_and_shown_again(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        visitor.join(study, "anna")
        page = visitor.next_page()
        assert (page["questions"], page["prompt"]) == (
            [
                {
                    "wording": "How many cats are there?",
                    "form": "count",
                    "lines": [],
                    "said": None,
                    "others": [],
                    "is_asked": True,
                }
            ],
            None,
        )
        stored = visitor.answer(page["id"], "7", is_unsure=True, comment="one is hidden")
        assert stored.json() == {"done": 1, "left": 5, "given": 1, "wanted": 30, "expected": None}
        said = visitor.client.get(f"/api/pages/{page['id']}").json()["questions"][0]["said"]
        assert said == {
            "text": "7",
            "is_skipped": False,
            "is_unsure": True,
            "is_flagged": False,
            "comment": "one is hidden",
        }


def test_an_answer_that_is_not_read_says_why_and_is_not_stored(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        refused = visitor.answer(page, "2-5")
        assert (refused.status_code, refused.json()) == (422, {"detail": "a range: 2 to 5"})
        preview = visitor.client.post(
            f"/api/pages/{page}/questions/0/read",
            json={"key": "feedback", "text": "2-5"},
            headers={"X-CSRF-Token": visitor.csrf},
        )
        assert preview.json() == {"value": None, "reason": "a range: 2 to 5"}
        assert study.progress(study.people.invite("anna"))["done"] == 0


ROUTES = ("/", "/api/me", "/api/pages", "/api/pages/{page}", "/pictures/{page}/0")


def test_nothing_is_shown_without_an_invitation(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = Visitor(study, tmp_path).join(study, "anna").next_page()["id"]
        for route in ROUTES:
            assert visitor.client.get(route.format(page=page)).status_code == 401
        assert visitor.answer(page).status_code == 401
        for unknown in ("0" * 32, "é", "%00", "x" * 3000):
            assert visitor.client.get(f"/join/{unknown}").status_code == 404
            assert visitor.client.get(f"/study/{unknown}").status_code == 404


def test_a_page_is_known_only_to_the_person_it_was_shown_to(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, anna):
        page = anna.join(study, "anna").next_page()["id"]
        ben = Visitor(study, tmp_path).join(study, "ben")
        for route in ROUTES[3:]:
            assert ben.client.get(route.format(page=page)).status_code == 404
        assert ben.answer(page).status_code == 404


def test_a_link_that_is_not_known_shows_a_page(tmp_path: Path) -> None:
    with visited(tmp_path) as (_, visitor):
        for route in ("/join/0", "/study/0", "/"):
            shown = visitor.client.get(route, headers={"accept": "text/html"})
            assert shown.headers["content-type"].startswith("text/html")
            assert "<h1>Not possible (40" in shown.text


def test_ranges_are_offered_only_where_the_studys_rule_reads_them(tmp_path: Path) -> None:
    for rule, takes_ranges in (("strict", False), ("geckonum", True)):
        with visited(tmp_path / rule, rule=rule) as (study, visitor):
            told = visitor.join(study, "anna").client.get("/api/me").json()
            assert any("a range will do" in text for text in told["instructions"]) == takes_ranges
            assert [said for _, said in told["examples"]] == ["2.5", "0"]
            page = visitor.next_page()["id"]
            assert visitor.answer(page, "2-5").status_code == (200 if takes_ranges else 422)
    with visited(tmp_path / "own", instructions="Look closely.") as (study, visitor):
        told = visitor.join(study, "anna").client.get("/api/me").json()
        assert (told["instructions"], told["examples"]) == (["Look closely."], [])


def test_a_session_that_was_tampered_with_or_is_of_another_study_is_refused(tmp_path: Path) -> None:
    with visited(tmp_path / "one") as (study, visitor), visited(tmp_path / "two") as (_, other):
        session = visitor.join(study, "anna").client.cookies["subitize_session"]
        for forged in (session, session[:-1] + ("a" if session[-1] != "a" else "b"), "", "x" * 5000):
            other.client.cookies.set("subitize_session", forged)
            assert other.client.get("/api/me").status_code == 401


def test_a_page_stays_good_when_its_person_joins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        later = time.time() + 60
        monkeypatch.setattr(time, "time", lambda: later)
        visitor.client.get(f"/join/{study.people.join_token(study.people.invite('anna'))}")
        assert visitor.answer(page).status_code == 200


def test_a_withdrawn_invitation_ends_the_session_and_the_link(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        study.withdraw(study.people.invite("anna"))
        assert visitor.client.get("/api/me").status_code == 403
        assert visitor.answer(page).status_code == 403
        assert visitor.client.get(f"/join/{study.people.join_token(study.people.invite('anna'))}").status_code == 404


@pytest.mark.parametrize("csrf", ["", "0" * 32, "é"])
def test_an_answer_without_the_pages_token_is_refused(tmp_path: Path, csrf: str) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        assert visitor.answer(page, csrf=csrf).status_code == 403


@pytest.mark.parametrize(
    "given",
    [
        {"key": "x"},
        {"key": "../../../etc"},
        {"text": 3},
        {"text": "2" * 40_001},
        {"seconds": -1},
        {"seconds": "NaN"},
        {"comment": "x" * 2001},
        {"annotator": "ben"},
        {"is_unsure": []},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_no_page_of_ours_sends_is_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        text = given.pop("text", "2")
        assert visitor.answer(page, text, **given).status_code == 422
        assert visitor.answer(page, number=1).status_code == visitor.answer("0" * 32).status_code == 404
        assert visitor.client.get(f"/pictures/{page}/1").status_code == 404


def test_a_body_that_is_too_long_or_does_not_say_how_long_is_refused_unread(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        route, headers = f"/api/pages/{page}/questions/0", {"X-CSRF-Token": visitor.csrf}
        assert visitor.client.put(route, content=b"x" * 70_000, headers=headers).status_code == 413
        assert visitor.client.put(route, content=iter([b"{}"]), headers=headers).status_code in (411, 413)


def test_too_many_tries_at_an_invitation_are_refused(tmp_path: Path) -> None:
    with visited(tmp_path) as (_, visitor):
        statuses = [visitor.client.get(f"/join/{number:032}").status_code for number in range(30)]
        assert statuses[0] == 404
        assert statuses[-1] == 429


def test_another_host_name_is_refused_on_this_machine_alone(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path)) as study:
        visitor = Visitor(study, tmp_path, hosts=frozenset({"localhost"}))
        for host, status in (("localhost:8421", 401), ("evil.example", 400), ("", 400)):
            assert visitor.client.get("/api/me", headers={"Host": host}).status_code == status


def test_every_answer_keeps_the_browser_from_doing_more_than_ours(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        for route in (*ROUTES, "/static/annotate.js", "/nowhere", "/join/x"):
            headers = visitor.client.get(route.format(page=page)).headers
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
        assert visitor.client.get("/docs").status_code == 404


def test_pictures_are_sent_as_pixels_alone(tmp_path: Path) -> None:
    with visited(tmp_path, prompt_in_file="seven red apples, masterpiece") as (study, visitor):
        picture = visitor.join(study, "anna").next_page()["pictures"][0]
        sent = visitor.client.get(picture)
        assert sent.headers["Content-Type"] == "image/png"
        assert b"apples" not in sent.content
        shown = np.asarray(Image.open(io.BytesIO(sent.content)))
        assert shown.shape == (40, 60, 3)


def test_studies_that_differ_in_prompt_and_number_send_the_same_bytes(tmp_path: Path) -> None:
    sent = []
    for prompt in ("two cats", "seven cats on a red sofa"):
        items = [item(f"cats/{prompt}/{place}", Count("cat"), "How many cats?", prompt=prompt) for place in range(3)]
        with visited(tmp_path / prompt, items, prompt_in_file=prompt) as (study, visitor):
            visitor.join(study, "anna")
            answers = []
            for turn in range(3):
                page = visitor.next_page()
                answers += [json.dumps(page).replace(page["id"], "ID")]
                answers += [repr(visitor.client.get(page["pictures"][0]).content)]
                answers += [visitor.answer(page["id"], key=f"answer-{turn}").text]
            sent.append(sorted(answers))
            assert "sofa" not in visitor.client.get("/").text
    assert sent[0] == sent[1]


def test_the_prompt_is_shown_only_where_the_form_asks_about_it(tmp_path: Path) -> None:
    with visited(tmp_path / "blind", [LINES]) as (study, visitor):
        assert visitor.join(study, "anna").next_page()["prompt"] is None
    with visited(tmp_path / "informed", [VOTE], repeats=4) as (study, visitor):
        page = visitor.join(study, "anna").next_page()
        assert (page["prompt"], len(page["pictures"])) == ("two cats", 4)


def test_a_broken_picture_is_told_and_can_be_skipped(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        for file in (tmp_path / "run" / "images").glob("??/*"):
            file.write_bytes(file.read_bytes()[:30])
        page = visitor.join(study, "anna").next_page()
        assert visitor.client.get(page["pictures"][0]).status_code == 410
        assert visitor.answer(page["id"], "The picture is broken", is_skipped=True).status_code == 200


def test_the_api_describes_itself(tmp_path: Path) -> None:
    with visited(tmp_path) as (_, visitor):
        paths = visitor.client.get("/openapi.json").json()["paths"]
        assert "/api/pages/{page_id}/questions/{number}" in paths


def test_the_owner_invites_sees_and_withdraws(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, owner):
        owner.join(study, "the owner", "owner")
        headers = {"X-CSRF-Token": owner.csrf}
        invited = owner.client.post("/api/study/people", json={"name": "anna"}, headers=headers).json()
        anna = Visitor(study, tmp_path)
        anna.client.get(invited["link"].removeprefix("http://testserver"))
        anna.csrf = anna.client.get("/api/me").json()["csrf_token"]
        anna.answer(anna.next_page()["id"], "3", is_flagged=True, seconds=4)
        shown = owner.client.get("/api/study").json()
        assert (shown["given"], shown["wanted"], shown["people_per_page"]) == (1, 30, 5)
        (person,) = shown["people"]
        assert (person["done"], person["flagged"], person["median_seconds"]) == (1, 1, 4)
        withdrawn = owner.client.post(
            f"/api/study/people/{person['id']}/withdraw", json={"reason": "a robot"}, headers=headers
        )
        assert withdrawn.status_code == 204
        assert anna.client.get("/api/me").status_code == 403
        for unknown in ("/api/study/people/99/withdraw", "/api/study/people/99/effect"):
            method = "GET" if unknown.endswith("effect") else "POST"
            assert owner.client.request(method, unknown, json={}, headers=headers).status_code == 404


def test_nobody_is_shown_anything_before_they_agree(tmp_path: Path) -> None:
    with visited(tmp_path, consent="We keep what you answer.") as (study, visitor):
        visitor.join(study, "anna")
        assert visitor.client.get("/api/me").json()["consent"] == "We keep what you answer."
        assert visitor.client.get("/api/pages").status_code == 403
        assert visitor.client.post("/api/consent").status_code == 403  # without the page's token
        assert visitor.client.post("/api/consent", headers={"X-CSRF-Token": visitor.csrf}).status_code == 204
        assert visitor.client.get("/api/me").json()["consent"] is None
        assert visitor.next_page()["id"]


def test_speed_and_time_left_are_those_of_pages_not_of_their_questions(tmp_path: Path) -> None:
    asks = tuple(Ask(Count(noun), f"How many {noun}s?", (2,)) for noun in ("cat", "dog", "cow"))
    with visited(tmp_path, [replace(one, asks=asks) for one in COUNTS], people_per_image=1) as (study, visitor):

        def look() -> tuple[float, float | None]:
            shown = visitor.join(study, "otto", "owner").client.get("/api/study").json()
            return shown["per_hour"], shown["hours_left"]

        page = visitor.join(study, "anna").next_page()["id"]
        for number in range(3):
            assert look() == (0, None)
            assert visitor.join(study, "anna").answer(page, number=number, key=f"answer-{number}").status_code == 200
        visitor.answer(page, "3", key="changed-")
        assert look() == (60, 5 / 60)  # one in the minute that it takes at least


def test_a_text_that_some_databases_cannot_hold_is_refused(tmp_path: Path) -> None:
    with visited(tmp_path) as (study, visitor):
        page = visitor.join(study, "anna").next_page()["id"]
        for given in ({"text": "3\x00"}, {"comment": "\x00"}):
            assert visitor.answer(page, **given).status_code == 422  # type: ignore[arg-type]


def test_nothing_but_those_who_save_waits_for_a_commit(tmp_path: Path) -> None:
    """The event loop waits for no lock; next pages and pictures do not wait while an answer is committed."""
    with visited(tmp_path) as (study, visitor), ThreadPoolExecutor(4) as threads:
        page = visitor.join(study, "anna").next_page()
        owner = Visitor(study, tmp_path).join(study, "otto", "owner")
        with study._saving:
            saving = threads.submit(visitor.answer, page["id"])
            for path in ("/api/pages", f"/{page['pictures'][0]}", "/api/me", f"/api/pages/{page['id']}"):
                assert threads.submit(visitor.client.get, path).result(30).status_code == 200
            assert threads.submit(owner.client.get, "/api/study").result(30).status_code == 200
            assert not saving.done()
        assert saving.result(30).status_code == 200


def test_handlers_that_take_the_studys_lock_run_in_threads(tmp_path: Path) -> None:
    import httpx

    async def look_while_locked(study: Study, app: Any) -> None:  # noqa: ANN401
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://testserver")
        await client.get(f"/join/{study.people.join_token(study.people.invite('otto', 'owner'))}")
        with study._lock:
            waiting = asyncio.create_task(client.get("/api/study"))
            await asyncio.sleep(0.1)
            assert (await asyncio.wait_for(client.get("/static/page.css"), 30)).status_code == 200
            assert not waiting.done()
        assert (await waiting).status_code == 200
        await client.aclose()

    with visited(tmp_path) as (study, visitor):
        asyncio.run(look_while_locked(study, visitor.client.app))
