"""What every web app of ours does: it answers to its name only, bounds requests, and shows readable errors."""

from typing import Annotated

import pytest

pytestmark = pytest.mark.web


def test_a_browser_gets_a_page_where_a_program_gets_json() -> None:
    from fastapi import HTTPException
    from starlette.testclient import TestClient

    from subitize.web.app import make_web_app

    app = make_web_app("subitize.annotation", None)

    @app.get("/refused")
    def refuse() -> None:
        raise HTTPException(404, "no <such> thing", {"X-Hint": "look elsewhere"})

    client = TestClient(app)
    for accepted, kind, text in (
        ("*/*", "application/json", '{"detail":"no <such> thing"}'),
        ("text/html,*/*;q=0.8", "text/html; charset=utf-8", "<p>no &lt;such&gt; thing</p>"),
    ):
        refused = client.get("/refused", headers={"accept": accepted})
        assert (refused.status_code, refused.headers["content-type"], refused.headers["x-hint"]) == (
            404,
            kind,
            "look elsewhere",
        )
        assert text in refused.text
        assert refused.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_request_of_the_wrong_shape_is_described_in_one_line() -> None:
    from fastapi import Body
    from starlette.testclient import TestClient

    from subitize.web.app import make_web_app

    app = make_web_app("subitize.annotation", None)

    @app.post("/count")
    def count(number: Annotated[int, Body(embed=True, ge=1)]) -> int:
        return number

    wrong = TestClient(app).post("/count", json={"number": 0})
    assert (wrong.status_code, wrong.json()) == (422, {"detail": "number: Input should be greater than or equal to 1"})


def test_responses_do_not_wait_for_a_delayed_acknowledgement() -> None:
    import socket

    from subitize.web.hosting import listen

    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        accepted.close()


def test_an_app_answers_to_its_own_names_and_has_the_shared_files_beside_its_own() -> None:
    from starlette.testclient import TestClient

    from subitize.web.app import make_web_app
    from subitize.web.hosting import hosts_at

    hosts = hosts_at("http://127.0.0.1:8421")
    assert (hosts, hosts_at("http://0.0.0.0:8421")) == (frozenset({"localhost", "127.0.0.1", "::1"}), None)
    app = make_web_app("subitize.annotation", hosts)
    client = TestClient(app, base_url="http://127.0.0.1")
    assert {client.get(f"/static/{name}").status_code for name in ("page.css", "calling.js", "owner.js")} == {200}
    assert client.get("/static/page.css", headers={"host": "evil.example"}).status_code == 400
