"""What tests share: the parts they need (skipped where absent, required under `make check`) and where runs live."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import PLUGINS
from postgres_server import PostgresServer, find_postgres
from subitize.store import Database, Folder, Location

ROOT = Path(__file__).resolve().parent.parent


def require(part: str, *, is_there: bool) -> None:
    """Skip where a part is absent; under `make check` its absence is a failure."""
    if is_there:
        return
    if os.environ.get("SUBITIZE_ALL_PARTS"):
        pytest.fail(f"{part} is missing, and `make check` must not pass without it")
    pytest.skip(f"needs {part}")


@pytest.fixture(scope="session", autouse=True)
def _one_core_each() -> Iterator[None]:
    """Tests that share out the cores start one worker process at a time; those of whole commands start them all."""
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The papers' released data, which is never part of the project: absent is fine everywhere."""
    folder = Path(os.environ.get("SUBITIZE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the papers' data in ../shared/data or $SUBITIZE_DATA")
    return folder


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A real server of our own, on a free loopback port."""
    programs = find_postgres()
    require("PostgreSQL (apt-get install postgresql) and psycopg", is_there=programs is not None)
    assert programs is not None
    with PostgresServer(programs) as server:
        yield server


@pytest.fixture
def odd_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outside package of misbehaving models is installed, for this process and for its workers."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    monkeypatch.setenv("PYTHONPATH", str(PLUGINS))


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A place for a new run: a folder, then a database."""
    if request.param == "sqlite":
        return Folder(tmp_path / "run")
    server: PostgresServer = request.getfixturevalue("postgres")
    return Database(server.new_database(), "a-run", tmp_path / "images")
