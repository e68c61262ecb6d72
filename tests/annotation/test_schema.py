"""Whatever is sent to the annotation app by its OpenAPI description, or against it, the answer is no server error."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings

from subitize.annotation.people import Role
from subitize.store import Folder, list_runs
from subitize.web.hosting import address_at
from tests.annotation.studies import COUNTS, make_run
from tests.annotation.visitors import Visitor, visited
from tests.cases import Case

if TYPE_CHECKING:
    from starlette.testclient import TestClient

pytestmark = [pytest.mark.schemathesis, pytest.mark.web, pytest.mark.slow]

FEW, MANY = 4, 30
ROLES: tuple[Role, ...] = ("annotator", "reviewer", "owner")


@pytest.mark.filterwarnings("ignore")  # those of schemathesis itself
def test_no_request_by_the_schema_is_a_server_error(tmp_path: Path, case: Case) -> None:
    check_study(tmp_path, case, FEW)


@pytest.mark.proof("subitize.annotation")
@pytest.mark.filterwarnings("ignore")
def test_none_of_many_requests_by_the_schema_is_a_server_error(tmp_path: Path, case: Case) -> None:
    check_study(tmp_path, case, MANY)


def check_study(tmp_path: Path, case: Case, count: int) -> None:
    """Have everybody send so many requests to every operation of a study."""
    import schemathesis

    with visited(tmp_path, review=0.5) as (study, stranger):
        schema = schemathesis.openapi.from_dict(stranger.client.app.openapi())  # type: ignore[attr-defined]
        operations = [found.ok() for found in schema.get_all_operations()]
        assert len(operations) >= 10
        visitors: dict[str, Visitor] = {role: Visitor(study, tmp_path).join(study, role, role) for role in ROLES}
        ids = _find_ids(visitors)
        senders = [(visitor.client, visitor.csrf) for visitor in (stranger, *visitors.values())]
        for operation in operations:
            with case(operation.label):
                _send_anything(operation, count, senders, ids)


@pytest.mark.filterwarnings("ignore")
def test_no_request_of_whoever_makes_studies_is_a_server_error(tmp_path: Path, case: Case) -> None:
    import schemathesis
    from starlette.testclient import TestClient

    from subitize.annotation.host import Host

    make_run(Folder(tmp_path / "first"), COUNTS)
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        Host(list_runs(Folder(tmp_path)), address_at("127.0.0.1", listening)) as host,
    ):
        client = TestClient(host.app, base_url="http://127.0.0.1")
        join = urlsplit(host.making_link).path
        client.get(join)
        prefix = join.partition("/join/")[0]
        csrf = client.get(f"{prefix}/api/me").json()["csrf_token"]
        schema = schemathesis.openapi.from_dict(client.get(f"{prefix}/openapi.json").json())
        for operation in (found.ok() for found in schema.get_all_operations()):
            with case(operation.label):
                _send_anything(operation, MANY, [(client, csrf)], {"run": ["first"]}, prefix)


def _find_ids(visitors: dict[str, Visitor]) -> dict[str, list[object]]:
    """List ids that the app knows, so that requests get further than to what is not there."""
    pages = visitors["annotator"].client.get("/api/pages").json()["pages"]
    people = visitors["owner"].client.get("/api/study").json()["people"]
    return {
        "page_id": [page["id"] for page in pages],
        "person_id": [person["id"] for person in people],
        "number": [0, 1],
    }


def _send_anything(
    operation: Any,  # noqa: ANN401
    count: int,
    senders: Sequence[tuple["TestClient", str]],
    ids: dict[str, list[object]],
    prefix: str = "",
) -> None:
    """Have each send requests of all kinds, every second one about something that there is."""
    sent = 0

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(made=operation.as_strategy())
    def send(made: Any) -> None:  # noqa: ANN401
        nonlocal sent
        sent += 1
        request = made.as_transport_kwargs(base_url="http://testserver")
        parameters, query = dict(made.path_parameters or {}), dict(request.get("params") or {})
        body = request.get("json")
        if sent % 2:
            for given in (parameters, query, body if isinstance(body, dict) else {}):
                given |= {name: ids[name][sent % len(ids[name])] for name in given if ids.get(name)}
        path = operation.path.format(**parameters) if parameters else operation.path
        for client, csrf in senders:
            response = client.request(
                made.method,
                f"{prefix}{path}",
                params=query,
                headers={"X-CSRF-Token": csrf},
                json=body,
                follow_redirects=False,
            )
            assert response.status_code < 500, (request, response.text)

    send()
