"""Recruited people: who comes, by signed tokens or in the browser that came first, and how each is sent back."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.study import Study
from subitize.errors import BadValueError
from subitize.records import Count
from tests.annotation.studies import COUNTS, add_gold, folder, item, make_run, opened
from tests.annotation.visitors import Visitor, visited
from tests.cases import Case

pytestmark = pytest.mark.web

# Primes of RSA keys that sign nothing but what is here.
OURS = (
    int(
        "ee3aecef1fae9fe2bfa90ccfb59df3681259f4f1e12328b52453bee9e154bb6a95cfd05fdf4499a5c567f03a58a24601d983"
        "1d45eec15e898f29ea01c1ed77773a810ed460ee698f9a5b9691647d1c904b880cdf698630262797dfd5603e1ce900cb968c"
        "f4857a455190411f3ff1e4fe2a5bfb55f3fb15d7e8b5463051f5c02b",
        16,
    ),
    int(
        "f779b1ba66a34d89d8065c7382a0bb81f2febe37bc0b4a542c0ccf3ba120fe97f7f0b321fb95635ca35b9a0f622775513030"
        "3d5372d6c986f3a41c0e5fbddf3ff4e9796e7ef26735e3f568befa49d77f6f7a2975808ee28c10b3a82fcee510e999fd2275"
        "59a8e5a244873217f849258d00e92e63bb2e860e9892ff519107dd5d",
        16,
    ),
)
FOREIGN = (
    int(
        "db0e8af817b2a56cd9e6ca7353af7ad9b6515f885312621ceaeb6a58a39bb58340c8ee592b6ad4b01fcfb41382eff361127e"
        "101b862ff51dd7dce2432855d5f580519a8d92ae4e2f759808c94bae68d0687c891e08bdabba5b184cf5898c8809f57e3073"
        "f87edd3a471a2c6ec5eaee8134a3461b84e425773afe92511c6b9825",
        16,
    ),
    int(
        "f84d1a8b36ed4fec23af64885314607f032b10b96d406c0c4f3fbf07fed7c718e806ae0d295ca935f960499311ff576dbc49"
        "31a4d47440b4607f48e6a3c29406baff38eb82546fbce14eca4ccac95ccf155556bf671c503617d0b5dc60dc8e6a6c263647"
        "005dba3714fa593f9fd3c1b5f8554ce70dd0a18297863fdc0c4ce121",
        16,
    ),
)
E = 65_537


def encode(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(message: bytes, primes: tuple[int, int]) -> bytes:
    """Sign as RFC 8017 says: RSASSA-PKCS1-v1_5 with SHA-256."""
    p, q = primes
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + sha256(message).digest()
    padded = int("0001" + "ff" * (256 - 3 - len(digest)) + "00" + digest.hex(), 16)
    return pow(padded, pow(E, -1, (p - 1) * (q - 1)), p * q).to_bytes(256)


def make_token(primes: tuple[int, int] = OURS, *, header: dict[str, Any] | None = None, **claims: object) -> str:
    told = {"exp": time.time() + 300, "aud": "lab.example", "prolific": {"PROLIFIC_PID": "abc", "STUDY_ID": "s"}}
    parts = ({"alg": "RS256", "kid": "ours"} | (header or {}), told | claims)
    plain = ".".join(encode(json.dumps(part).encode()) for part in parts)
    return f"{plain}.{encode(sign(plain.encode(), primes))}"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Publish our key as Prolific does; give the requests for it."""
    requests: list[str] = []

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            n = (OURS[0] * OURS[1]).to_bytes(256)
            key = {"kty": "RSA", "kid": "ours", "alg": "RS256", "n": encode(n), "e": encode(E.to_bytes(3))}
            self.send_response(200)
            self.end_headers()
            weak = {**key, "kid": "weak", "n": encode((77).to_bytes(1))}
            self.wfile.write(json.dumps({"keys": [key, weak]}).encode())

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = HTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("SUBITIZE_PROLIFIC_KEYS", f"http://127.0.0.1:{server.server_port}/jwks.json")
    yield requests
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def recruiting(path: Path, **settings: Any) -> Iterator[tuple[Study, str]]:  # noqa: ANN401
    make_run(folder(path), COUNTS)
    with opened(folder(path), is_recruiting=True, **settings) as study:
        yield study, f"/study/{study.people.recruiting_token()}"


def name_of(visitor: Visitor) -> str:
    return str(visitor.client.get("/api/me").json().get("name", ""))


def test_a_signed_token_says_who_comes_whatever_else_the_link_says(tmp_path: Path, fetched: list[str]) -> None:
    with recruiting(tmp_path, prolific_audience="lab.example") as (study, link):
        for pid, name in (("abc", "p1"), ("xyz", "p2"), ("abc", "p1")):
            visitor = Visitor(study, tmp_path)
            token = make_token(aud=["other.example", "lab.example"], prolific={"PROLIFIC_PID": pid})
            visitor.client.get(link, params={"PROLIFIC_PID": "somebody", "prolific_token": token})
            assert name_of(visitor) == name
        assert [json.loads(one.details)["PROLIFIC_PID"] for one in study.people.annotators()] == ["abc", "xyz"]


def test_the_keys_are_kept_and_asked_for_again_only_where_one_is_unknown(
    tmp_path: Path, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with recruiting(tmp_path, prolific_audience="lab.example") as (study, link):
        visitor = Visitor(study, tmp_path)
        headers: list[dict[str, str]] = [{}, {}, {"kid": "new"}, {"kid": "newer"}]
        for header in headers:
            visitor.client.get(link, params={"prolific_token": make_token(header=header)})
        assert len(fetched) == 1  # at most once a minute
        later = time.monotonic() + 61
        monkeypatch.setattr(time, "monotonic", lambda: later)
        visitor.client.get(link, params={"prolific_token": make_token(header={"kid": "newest"})})
        visitor.client.get(link, params={"prolific_token": make_token()})
        assert len(fetched) == 2


def make_bad_tokens() -> dict[str, str]:
    good = make_token()
    header, body, signature = good.split(".")
    other = encode(json.dumps({"exp": 9e9, "aud": "lab.example", "prolific": {"PROLIFIC_PID": "victim"}}).encode())
    unsigned = encode(json.dumps({"alg": "none", "kid": "ours"}).encode())
    return {
        "none": "",
        "garbage": "a.b.c",
        "too many parts": f"{good}.x",
        "no letters": "é.é.é",
        "deep": encode(b"[" * 5_000) + ".e30.e30",
        "another body": f"{header}.{other}.{signature}",
        "unsigned": f"{unsigned}.{other}.",
        "signature cut": f"{header}.{body}.{signature[:-8]}",
        "signature of zeros": f"{header}.{body}.{encode(bytes(256))}",
        "signature too large": f"{header}.{body}.{encode(bytes([255] * 256))}",
        "foreign key": make_token(FOREIGN),
        "unknown key": make_token(header={"kid": "other"}),
        "weak key": make_token(header={"kid": "weak"}),
        "alg none": make_token(header={"alg": "none"}),
        "alg HS256": make_token(header={"alg": "HS256"}),
        "expired": make_token(exp=time.time() - 120),
        "never expires": make_token(exp=None),
        "expiry not finite": make_token(exp=float("nan")),
        "other audience": make_token(aud="evil.example"),
        "no audience": make_token(aud=None),
        "part of the audience": make_token(aud="lab.example.evil"),
        "nobody": make_token(prolific={"STUDY_ID": "s"}),
        "claims of another kind": make_token(prolific="abc"),
    }


def test_forged_expired_and_foreign_tokens_let_nobody_in(
    tmp_path: Path, fetched: list[str], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    from subitize.web.app import Limiter

    monkeypatch.setattr(Limiter, "admit", lambda *_: True)  # more tries than an address has
    with recruiting(tmp_path, prolific_audience="lab.example") as (study, link):
        visitor = Visitor(study, tmp_path)
        for name, token in make_bad_tokens().items():
            with case(name):
                given = {"PROLIFIC_PID": "abc", "prolific_token": token}
                refused = visitor.client.get(link, params=given, headers={"accept": "text/html"})
                assert (refused.status_code, "Prolific" in refused.text) == (403, True)
                assert visitor.client.get("/api/me").status_code == 401
        assert study.people.annotators() == []


def test_keys_that_cannot_be_read_are_no_fault_of_the_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBITIZE_PROLIFIC_KEYS", "http://127.0.0.1:9/jwks.json")
    with recruiting(tmp_path, prolific_audience="lab.example") as (study, link):
        refused = Visitor(study, tmp_path).client.get(link, params={"prolific_token": make_token()})
        assert (refused.status_code, "try again" in refused.text) == (503, True)


def test_an_id_belongs_to_the_browser_that_came_first(tmp_path: Path) -> None:
    details = {"PROLIFIC_PID": "abc", "STUDY_ID": "s", "SESSION_ID": "1"}
    with recruiting(tmp_path) as (study, link):
        first, thief = Visitor(study, tmp_path), Visitor(study, tmp_path)
        first.client.get(link, params=details)
        assert name_of(first) == "p1"
        shown = thief.client.get(link, params=details)
        assert (shown.status_code, "another browser" in shown.text) == (403, True)
        for wrong in ("", "0" * 12, study.people.join_token(study.people.all()[0])[:12], "<b>", "é"):
            assert thief.client.get(link, params=details | {"code": wrong}).status_code == 403
        assert thief.client.get("/api/me").status_code == 401
        first.client.cookies.delete("subitize_session")  # a week later
        first.client.get(link, params=details | {"SESSION_ID": "2"})
        assert name_of(first) == "p1"
        code = first.client.get("/api/me").json()["return_code"]
        phone = Visitor(study, tmp_path)
        phone.client.get(link, params=details | {"code": f" {code} "})
        assert name_of(phone) == "p1"
        owners = Visitor(study, tmp_path)  # the owner has sent the person's own link
        owners.client.get(f"/join/{study.people.join_token(study.people.all()[0])}")
        owners.client.get(link, params=details)
        assert name_of(owners) == "p1"
        anonymous = Visitor(study, tmp_path)
        for _ in range(2):
            anonymous.client.get(link)
            assert name_of(anonymous) == "p2"


def test_what_a_link_carries_is_no_code_of_the_page(tmp_path: Path) -> None:
    with recruiting(tmp_path) as (study, link):
        details = {"PROLIFIC_PID": '"><script>alert(1)</script>', "evil": "x"}
        Visitor(study, tmp_path).client.get(link, params=details)
        shown = Visitor(study, tmp_path).client.get(link, params=details)
        assert shown.status_code == 403
        assert "<script" not in shown.text
        assert "evil" not in shown.text


CODES = {"completion_code": "C1/&", "failure_code": "F", "screened_out_code": "S", "no_consent_code": "N"}
ENDINGS = ("done", "failed", "no-consent")
PROLIFIC, CLOUD = "https://app.prolific.com/submissions/complete?cc=", "https://connect.cloudresearch.com"
WAYS_BACK: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "prolific": (CODES, (f"{PROLIFIC}C1%2F%26", f"{PROLIFIC}F", f"{PROLIFIC}N")),
    "cloudresearch": (
        {"done_url": f"{CLOUD}/done?id=1", "partial_url": f"{CLOUD}/partial"},
        (f"{CLOUD}/done?id=1", f"{CLOUD}/partial", f"{CLOUD}/partial"),
    ),
}


def end_as(study: Study, path: Path, ending: str) -> Visitor:
    """Bring somebody to an ending."""
    visitor = Visitor(study, path)
    visitor.client.get(f"/study/{study.people.recruiting_token()}")
    number = next(one.id for one in study.people.all() if one.name == name_of(visitor))
    if ending != "no-consent":
        study.people.consent(study.people.all()[-1])
    person = study.people.find(number)
    assert person is not None
    for turn, text in enumerate({"done": ["2", "3"], "failed": ["7", "7"]}.get(ending, [])):
        (task,) = study.next_tasks(person, 1)
        study.save(person, task, 0, AnswerRecord(f"answer-{turn}", text))
    return visitor


def test_every_ending_has_a_way_back_of_its_own(tmp_path: Path, case: Case) -> None:
    more: dict[str, Any] = {"gold": "gold", "training": 1, "images_per_person": 1, "consent": "We keep it."}
    for recruiter, (settings, ways_back) in WAYS_BACK.items():
        path = tmp_path / recruiter
        make_run(folder(path), COUNTS)
        add_gold(folder(path), 1)
        with opened(folder(path), is_recruiting=True, recruiter=recruiter, **more, **settings) as study:
            for ending, url in zip(ENDINGS, ways_back, strict=True):
                with case(f"{recruiter} {ending}"):
                    back = end_as(study, path, ending).client.get("/api/completion").json()
                    assert back == {"url": url, "code": None}


def test_somebody_who_is_not_needed_any_more_is_screened_out(tmp_path: Path) -> None:
    with recruiting(tmp_path, people_per_image=1, **CODES) as (study, link):
        for place in range(6):
            study.save(study.people.invite("anna"), Assignment(place), 0, AnswerRecord(f"answer-{place}", "2"))
        visitor = Visitor(study, tmp_path)
        visitor.client.get(link)
        assert visitor.client.get("/api/completion").json()["url"].endswith("?cc=S")


def test_no_way_back_is_given_while_something_is_left(tmp_path: Path) -> None:
    with recruiting(tmp_path, **CODES) as (study, link):
        visitor = Visitor(study, tmp_path)
        visitor.client.get(link)
        assert visitor.client.get("/api/completion").status_code == 409


SUBMIT = "https://www.mturk.com"
ELSEWHERE = ("https://evil.example", "http://www.mturk.com", f"{SUBMIT}.evil.example", "javascript:alert(1)", "")


def test_mturk_may_frame_the_invitation_and_nothing_else(tmp_path: Path, case: Case) -> None:
    with recruiting(tmp_path, recruiter="mturk") as (study, link):
        frame, visitor = link.replace("/study/", "/mturk/"), Visitor(study, tmp_path)
        details = {"assignmentId": 'A1&"', "workerId": "W", "hitId": "H", "turkSubmitTo": f"{SUBMIT}/"}
        shown = visitor.client.get(frame, params=details)
        policy = shown.headers["Content-Security-Policy"]
        assert policy.endswith("frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com")
        assert "script-src" not in policy
        assert f'action="{SUBMIT}/mturk/externalSubmit"' in shown.text
        assert 'name="assignmentId" value="A1&amp;&quot;"' in shown.text
        assert f"{link}?workerId=W&amp;hitId=H" in shown.text
        for host in ELSEWHERE:
            with case(host):
                text = visitor.client.get(frame, params=details | {"turkSubmitTo": host}).text
                assert "<form" not in text
                assert "evil" not in text
        preview = visitor.client.get(frame, params=details | {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
        assert "Count what you are asked for" in preview.text
        assert not any(word in preview.text for word in ("<form", "/study/", "pictures/"))
        for other in (link, "/", "/api/me"):
            assert "frame-ancestors 'none'" in visitor.client.get(other).headers["Content-Security-Policy"]
        assert visitor.client.get("/mturk/0").status_code == 404
    with recruiting(tmp_path / "prolific") as (study, link):
        assert Visitor(study, tmp_path).client.get(link.replace("/study/", "/mturk/")).status_code == 404


def test_the_code_for_mturk_is_of_one_person_and_one_ending(tmp_path: Path) -> None:
    with recruiting(tmp_path, recruiter="mturk", images_per_person=1) as (study, link):
        codes = set()
        for worker in ("W1", "W2"):
            visitor = Visitor(study, tmp_path)
            visitor.client.get(link, params={"workerId": worker})
            visitor.csrf = visitor.client.get("/api/me").json()["csrf_token"]
            assert visitor.answer(visitor.next_page()["id"], "2").status_code == 200
            codes.add(visitor.client.get("/api/completion").json()["code"])
        owner = Visitor(study, tmp_path).join(study, "otto", "owner")
        assert {one["done_code"] for one in owner.client.get("/api/study").json()["people"]} == codes
        assert len(codes) == 2
        assert all(code.startswith("done-") for code in codes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recruiter": "cloudresearch", "done_url": "http://x"}, "should begin with https://"),
        ({"recruiter": "cloudresearch", "partial_url": "javascript:alert(1)"}, "should begin with https://"),
        ({"done_url": "https://x"}, "only CloudResearch"),
        ({"recruiter": "mturk", "prolific_audience": "lab.example"}, "links of `recruiter` mturk are not signed"),
        ({"recruiter": "toloka"}, "`recruiter` 'toloka'"),
    ],
)
def test_options_of_another_recruiter_are_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValueError, match=message), recruiting(tmp_path, **settings):
        pass


def test_the_owner_is_told_whose_answers_to_look_at_and_nobody_is_left_out(tmp_path: Path) -> None:
    from subitize.annotation.owner import propose
    from subitize.annotation.study import Activity
    from subitize.records import Estimate

    low, usual = Estimate(0.2, 0.1, 0.3, 20, "m"), (3.0, 0.8)
    slow, fast = Activity(20, 0, 0, 0, 2.0), Activity(20, 0, 0, 0, 0.5)
    assert propose(slow, (5, 5), None, usual, 0.8) == ""
    assert propose(fast, (5, 5), None, usual, 0.8) == "look at these answers: much faster than others"
    told = "look at these answers: much faster than others, gold questions wrong, unlike others"
    assert propose(fast, (1, 5), low, usual, 0.8) == told
    assert propose(Activity(9, 0, 0, 0, 0.5), (1, 5), low, usual, 0.8) == ""
    items = [COUNTS[0], *(item(f"more/{place}", Count("cat"), "How many?") for place in range(11))]
    with visited(tmp_path, items, people_per_image=3) as (study, _):
        for name, seconds in (("anna", 3.0), ("ben", 3.0), ("bot", 0.1)):
            for place in range(12):
                given = AnswerRecord(f"answer-{place:03}", "2", seconds=seconds)
                study.save(study.people.invite(name), Assignment(place), 0, given)
        shown = Visitor(study, tmp_path).join(study, "otto", "owner").client.get("/api/study").json()
        found = {one["name"]: (one["proposal"], one["is_withdrawn"]) for one in shown["people"]}
        assert found["anna"] == ("", False)
        assert found["bot"] == ("look at these answers: much faster than others", False)
