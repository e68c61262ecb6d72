"""Studies are made in the browser by the same function as on the command line, and are served again after a restart."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.records import Known
from subitize.store import Folder, Location, Run, list_runs
from subitize.web.hosting import address_at
from tests.annotation.studies import COUNTS, STATEMENT, VOTE, add_gold, make_run, opened
from tests.cases import Case
from tests.commands import serving

if TYPE_CHECKING:
    from subitize.annotation.host import Host

pytestmark = pytest.mark.web


class Browser:
    """A browser that was let in by a link."""

    def __init__(self, app: Any, link: str) -> None:  # noqa: ANN401
        self.client, path = new_client(app), urlsplit(link).path
        self.path = path.partition("/join/")[0]
        self.client.get(path)
        self.csrf = self.get("api/me").json().get("csrf_token", "")

    def get(self, path: str, **params: str) -> Any:  # noqa: ANN401
        return self.client.get(f"{self.path}/{path}", params=params)

    def send(self, method: str, path: str, body: object) -> Any:  # noqa: ANN401
        return self.client.request(method, f"{self.path}/{path}", json=body, headers={"X-CSRF-Token": self.csrf})


def new_client(app: Any) -> Any:  # noqa: ANN401
    from starlette.testclient import TestClient

    return TestClient(app, base_url="http://127.0.0.1")


@contextmanager
def hosted(folder: Path) -> "Iterator[Host]":
    from subitize.annotation.host import Host

    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        Host(list_runs(Folder(folder)), address_at("127.0.0.1", listening)) as host,
    ):
        assert host.reopen_made() == []
        yield host


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs in a folder; one has statements, votes and known answers, too."""
    make_run(Folder(tmp_path / "first"), COUNTS)
    make_run(Folder(tmp_path / "second"), [*COUNTS, STATEMENT, VOTE], repeats=4)
    add_gold(Folder(tmp_path / "second"), 3)
    return tmp_path


def test_what_a_study_can_be_made_of_is_shown(runs: Path) -> None:
    with hosted(runs) as host:
        creator = Browser(host.app, host.making_link)
        assert creator.get("api/me").json()["runs"] == ["first", "second"]
        shown = creator.get("api/run", run="second").json()
        images = {form["name"]: form["images"] for form in shown["forms"]}
        assert images == {"count": 24, "click": 24, "yes-no": 4, "match": 1}
        assert (shown["models"], shown["factors"], shown["judges"]) == ({"artist": 29}, ["number"], ["gold"])


def test_the_form_has_every_field_of_a_plan_with_its_bounds(runs: Path) -> None:
    from subitize.annotation.plan import StudyPlan

    with hosted(runs) as host:
        shown = {field["name"]: field for field in Browser(host.app, host.making_link).get("api/plan").json()}
    assert set(shown) == {field.name for field in fields(StudyPlan)}
    assert shown["people_per_image"] == {
        "name": "people_per_image",
        "group": "People",
        "label": "How many people answer about each image",
        "empty": "everybody, at most 5",
        "kind": {"type": "integer", "minimum": 1, "default": None, "title": "People Per Image"},
    }
    kinds = {name: field["kind"] for name, field in shown.items()}
    assert (kinds["review"]["minimum"], kinds["review"]["maximum"]) == (0, 1)
    assert (kinds["adjudicator"]["enum"], kinds["adjudicator"]["default"]) == (["reviewer", "owner"], "owner")
    assert kinds["consent"]["maxLength"] == 50_000


def test_a_refused_plan_leaves_no_sample_behind_and_can_be_corrected(runs: Path, case: Case) -> None:
    from subitize.annotation.sampling import list_samples

    plan = {"name": "counts", "forms": ["count"]}
    wanted: dict[str, Any] = {"run": "second", "plan": plan, "draw": {"size": 2}}
    with hosted(runs) as host:
        creator = Browser(host.app, host.making_link)
        for fault in ({"reviewers": ["ruth"]}, {"gold": "nobody"}, {"gold": "gold", "training": 3}):
            with case(str(fault)):
                refused = creator.send("POST", "api/studies", wanted | {"plan": plan | fault})
                assert refused.status_code == 422, refused.text
                with Run(Folder(runs / "second")) as run:
                    assert list_samples(run) == []
        made = creator.send("POST", "api/studies", wanted)
        assert made.status_code == 200, made.text


def test_a_study_begun_with_other_settings_gets_no_sample(runs: Path) -> None:
    from subitize.annotation.sampling import list_samples
    from subitize.annotation.study import read_plans

    with opened(Folder(runs / "second"), forms=["count"], name="counts"):
        pass
    with hosted(runs) as host:
        plan = {"name": "counts", "forms": ["count"], "people_per_image": 4}
        wanted = {"run": "second", "plan": plan, "draw": {"size": 2}}
        assert Browser(host.app, host.making_link).send("POST", "api/studies", wanted).status_code == 422
        with Run(Folder(runs / "second")) as run:
            assert (list_samples(run), read_plans(run)) == ([], [])


def test_it_is_shown_who_has_answered_before_a_study_is_made(runs: Path) -> None:
    with opened(Folder(runs / "first")) as study:
        for place in range(3):
            study.save(study.people.invite("anna"), Assignment(place), 0, AnswerRecord(f"answer-{place}", "2"))
    with hosted(runs) as host:
        creator = Browser(host.app, host.making_link)
        shown = creator.get("api/run", run="first").json()["answered"]
        assert shown == {"human": "3 images are answered already by anna"}
        wanted: dict[str, Any] = {"run": "first", "plan": {"name": "again", "people": ["fritz"]}}
        refused = creator.send("POST", "api/studies", wanted)
        assert (refused.status_code, "3 images are answered already by anna" in refused.text) == (422, True)
        wanted["plan"]["earlier"] = "ask"
        links = creator.send("POST", "api/studies", wanted).json()["links"]
        assert Browser(host.app, links["fritz"]).get("api/pages").json()["progress"]["left"] == 6


def test_a_study_is_made_with_links_and_goes_on_after_a_restart(runs: Path) -> None:
    plan = {
        "name": "counts",
        "forms": ["count"],
        "people": ["anna", "ben"],
        "reviewers": ["ruth"],
        "review": 1.0,
        "gold": "gold",
        "training": 1,
        "instructions": "Look closely.",
        "consent": "We keep what you answer.",
    }
    run = "second"
    with hosted(runs) as host:
        creator = Browser(host.app, host.making_link)
        wanted = {"run": run, "plan": plan, "draw": {"size": 8, "by": ["number"]}}
        made = creator.send("POST", "api/studies", wanted)
        assert made.status_code == 200, made.text
        links = made.json()["links"]
        assert list(links) == ["anna", "ben", "ruth", "owner"]
        again = creator.send("POST", "api/studies", {"run": run, "plan": plan})
        assert (again.status_code, "is served already" in again.json()["detail"]) == (422, True)
    with hosted(runs) as host:
        anna, owner = (Browser(host.app, links[name]) for name in ("anna", "owner"))
        me = anna.get("api/me").json()
        assert (me["instructions"], me["consent"]) == (["Look closely."], "We keep what you answer.")
        assert anna.send("POST", "api/consent", {}).status_code == 204
        study = owner.get("api/study").json()
        assert (study["pages"], study["people_per_page"], study["making_link"]) == (8, 2, None)
        assert [(one["name"], one["role"]) for one in study["people"]] == [
            ("anna", "annotator"),
            ("ben", "annotator"),
            ("ruth", "reviewer"),
        ]
        (page,) = anna.get("api/pages").json()["pages"]
        assert page["purpose"] == "training"
        assert anna.get(page["pictures"][0]).headers["Content-Type"] == "image/png"
        answer = {"key": "12345678", "text": "2"}
        assert anna.send("PUT", f"api/pages/{page['id']}/questions/0", answer).json()["expected"] == "2"


def test_one_server_has_studies_of_one_run_and_judge_side_by_side(runs: Path) -> None:
    from subitize.annotation.plan import StudyPlan

    with hosted(runs / "first") as host:
        first = host.open_first(StudyPlan(people=("anna",)))
        owner = Browser(host.app, first.make_links(host.address)["owner"])
        creator = Browser(host.app, owner.get("api/study").json()["making_link"])
        wanted = {"run": "first", "plan": {"name": "second", "people": ["anna"]}}
        second = creator.send("POST", "api/studies", wanted).json()["links"]
        browsers = [Browser(host.app, first.make_links(host.address)["anna"]), Browser(host.app, second["anna"])]
        for text, browser in zip("34", browsers, strict=True):
            page = browser.get("api/pages").json()["pages"][0]["id"]
            answer = {"key": "12345678", "text": text}
            assert browser.send("PUT", f"api/pages/{page}/questions/0", answer).status_code == 200
            # A page, a session and a token of one study are none of the other.
            other = browsers[browser is browsers[0]]
            assert other.send("PUT", f"api/pages/{page}/questions/0", answer).status_code == 404
            assert browser.client.get(f"{other.path}/api/me").status_code in (401, 404)
    with Run(Folder(runs / "first")) as run:
        assert {stored.reading.value for stored in run.readings("human")} == {Known(3), Known(4)}


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"run": "elsewhere", "plan": {}}, "no run 'elsewhere' here; known: "),
    ({"run": "../../etc/passwd", "plan": {}}, "no run '../../etc/passwd' here"),
    ({"plan": {"forms": ["guess"]}}, "no form named 'guess'"),
    ({"plan": {"forms": ["count", "match"]}}, "cannot count blindly"),
    ({"plan": {"forms": ["count"], "sample": "none"}}, "no sample named 'none'"),
    ({"plan": {"sample": "none"}, "draw": {"size": 2}}, "not both"),
    ({"plan": {"forms": ["count"]}, "draw": {"size": 999}}, "`size` 999"),
    ({"plan": {"forms": ["count"], "gold": "nobody"}}, "right answers are known for 0"),
    ({"plan": {"people": ["an\nna"], "forms": ["count"]}}, "1 to 60 printable"),
    ({"plan": {"people": ["anna"], "reviewers": ["anna"], "review": 1}}, "'anna' is named twice"),
    ({"plan": {"people": ["owner"]}}, "'owner' is named twice"),
    ({"plan": {"name": " "}}, "1 to 60 printable"),
    ({"plan": {"reviewers": ["ruth"]}}, "reviewer 'ruth' has nothing to do"),
    ({"plan": {"judge": "observer"}}, "name of a judge of ours"),
)


MISSHAPEN: tuple[object, ...] = (
    {"plan": {}},
    {"run": 3},
    {"run": "second", "plan": {"evil": 1}},
    {"run": "second", "plan": {}, "evil": 1},
    {"run": "second", "plan": {"review": "all"}},
    {"run": "second", "plan": {"review": 1.1}},
    {"run": "second", "plan": {"forms": ["count"], "consent": "x" * 50_001}},
    [],
)


def test_what_cannot_be_made_is_refused_with_the_reason(runs: Path, case: Case) -> None:
    with hosted(runs) as host:
        creator = Browser(host.app, host.making_link)
        for wanted, message in WRONG:
            with case(message):
                made = creator.send("POST", "api/studies", {"run": "second", **wanted})
                assert made.status_code == 422
                assert message in made.json()["detail"]
        with Run(Folder(runs / "second")) as run, run.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM studies").scalar() == 0
        for body in MISSHAPEN:
            with case(body):
                assert creator.send("POST", "api/studies", body).status_code == 422


PAGES = ("/studies/", "/studies/api/me", "/studies/api/run?run=first")


def test_studies_are_made_only_by_whoever_has_the_link(runs: Path) -> None:
    from subitize.annotation.plan import StudyPlan

    with hosted(runs / "first") as host:
        first = host.open_first(StudyPlan(people=("anna",), reviewers=("ruth",), review=0.2))
        body = {"run": "first", "plan": {"name": "x"}}
        stranger = new_client(host.app)
        assert stranger.get("/studies/join/" + "0" * 32).status_code == 404
        assert {stranger.get(path).status_code for path in PAGES} == {401}
        assert stranger.post("/studies/api/studies", json=body).status_code == 401
        for link in first.make_links(host.address).values():  # also the owner, until they open the link
            visitor = Browser(host.app, link)
            sent = visitor.client.post("/studies/api/studies", json=body, headers={"X-CSRF-Token": visitor.csrf})
            assert sent.status_code == 401
            assert {visitor.client.get(path).status_code for path in PAGES} == {401}
        creator = Browser(host.app, host.making_link)
        assert creator.client.post("/studies/api/studies", json=body).status_code == 403  # without the page's token
        session = creator.client.cookies["subitize_session_studies"]
        for forged in (session[:-9] + session[-9:].swapcase(), "", "x" * 5000):
            headers = {"X-CSRF-Token": creator.csrf, "Cookie": f"subitize_session_studies={forged}"}
            assert new_client(host.app).post("/studies/api/studies", json=body, headers=headers).status_code == 401
        with Run(Folder(runs / "first")) as run, run.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM studies").scalar() == 1


def test_a_folder_without_studies_stays_as_it_was(runs: Path) -> None:
    with hosted(runs) as host:
        Browser(host.app, host.making_link).get("api/run", run="first")
    with Run(Folder(runs / "first")) as run, run.reading() as connection:
        names = connection.exec_driver_sql("SELECT name FROM sqlite_schema WHERE name LIKE 'stud%'").all()
    assert names == []


def test_plans_are_kept_in_the_run_and_only_there(location: Location) -> None:
    from subitize.annotation.plan import StudyPlan
    from subitize.annotation.study import open_study, read_plans

    make_run(location, COUNTS)
    plan = StudyPlan(name="counts", forms=("count",), people=("anna",), review=0.2, consent="We keep it.")
    with Run(location) as run, run.lease("judge human") as lease:
        assert read_plans(run) == []
        for _ in range(2):
            opened = open_study(run, lease, plan, is_kept=True)
        assert read_plans(run) == [plan]
        assert list(opened.make_links("http://x")) == ["anna", "owner"]
        assert opened.study.plan == plan
    assert location in list_runs(location)


def test_a_folder_of_runs_has_those_in_it(runs: Path) -> None:
    (runs / "notes").mkdir()
    assert list_runs(Folder(runs)) == [Folder(runs / "first"), Folder(runs / "second")]
    assert list_runs(Folder(runs / "first")) == [Folder(runs / "first")]
    assert list_runs(Folder(runs / "notes")) == list_runs(Folder(runs / "nowhere")) == []


def test_a_run_that_cannot_be_opened_keeps_no_other_from_being_served(runs: Path) -> None:
    from subitize.annotation.host import Host

    (runs / "broken").mkdir()
    (runs / "broken" / "run.sqlite").write_text("nothing of ours")
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        Host(list_runs(Folder(runs)), address_at("127.0.0.1", listening)) as host,
    ):
        (fault,) = host.reopen_made()
        assert "broken cannot be used" in fault
        made = Browser(host.app, host.making_link).send("POST", "api/studies", {"run": "first", "plan": {}})
        assert made.status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_stopped_says_so_and_lets_the_run_go(runs: Path, stop: signal.Signals) -> None:
    with serving("annotate", runs / "first", "--no-browser") as (server, link):
        urlopen(f"{link.partition('/join')[0]}/static/icon.svg", timeout=60).close()  # it answers by now
        server.send_signal(stop)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, err) == (0, "")
    assert "stopped; every answer is stored; see: subitize score" in out
    with Run(Folder(runs / "first")) as run, run.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM leases").scalar() == 0
