"""What tests share: the parts they need (skipped where absent, required under `make check`) and where runs live."""

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from subitize import registry
from subitize.networks import generators, weights
from subitize.networks.detectors.opencv import Ssd, Yolo
from subitize.report import figures
from subitize.stimuli import glyphs
from subitize.store import Database, Folder, Location
from subitize.store import database as databases
from subitize.store.database import DATABASE_FILE, Backend, open_backend
from tests import parts, proofs
from tests.commands import PLUGINS, WIDE, python_path
from tests.networks.coco_network import keep_opened
from tests.networks.tiny_weights import keep_loaded
from tests.store.postgres_server import PostgresServer, find_postgres

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
# How long examples take to make, or to hold, says more about the machine than about the code.
hypothesis.settings.register_profile("any-load", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("any-load")
_OPEN_SQLITE, _SET_UP_SQLITE = databases._open_sqlite, databases._set_up_sqlite
_LOADERS = {
    (owner, name): getattr(owner, name)
    for owners, names in (((weights, generators), ("load_model", "load_part")), ((Ssd, Yolo), ("_open_with_plan",)))
    for owner in owners
    for name in names
}
# The parts that take longest to import or start; a test of several is kept with the first.
_APART = ("torch", "inspect", "ocr", "weights", "spacy", "postgres", "browser")
# Behind its address bar a window keeps pages of its own, which nobody sees here and which take most of its time;
# and it starts a process ahead for a page that never comes.
_BARE_WINDOWS = "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say how to run what `make test` leaves out."""
    parser.addoption("--all-parts", action="store_true", help="a missing part is a failure, not a skip")
    parser.addoption("--prove", choices=["changed", "all"], help="run proofs only: those whose modules changed, or all")


def pytest_configure(config: pytest.Config) -> None:
    """Record the results of proofs, in the process that hears of all of them; give a worker one core."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background, commands would inherit deafness
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("OPENAI_BASE_URL", None)  # tests name the servers that they mean
    gc.set_threshold(50_000, 20, 20)  # looked through as often as usual, garbage costs a tenth of the time
    if hasattr(config, "workerinput"):
        # The threads of torch and polars would wait for those of the other workers.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    if config.getoption("--prove") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(proofs.Recorder())


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> parts.UnreadFile | None:
    """Do not import the tests of a part that is absent, but skip them; under `make check` each of them fails."""
    return None if parent.config.getoption("--all-parts") else parts.leave_unread(module_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second worker begin with the last file: what one has compiled, the others need not compile again."""
    report = yield
    if isinstance(collector, pytest.Directory) and _is_from_last(collector.config):
        report.result.reverse()
    return report


def _is_from_last(config: pytest.Config) -> bool:
    if len(config.args) > 1:  # files that were named are few, and stay in the order of their names
        return False
    worker: str = getattr(config, "workerinput", {}).get("workerid", "gw0")
    return int(worker.removeprefix("gw")) % 2 == 1


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups, and must not do so before
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep proofs apart from tests, and the tests of a part in one process: importing or starting it takes long."""
    if _is_from_last(config):
        items.sort(key=lambda item: item.path)  # all workers must come to the same order
    mode = config.getoption("--prove")
    recorded = proofs.read_record() if mode == "changed" else {}
    is_wanted = [_is_wanted(item, mode, recorded) for item in items]
    config.hook.pytest_deselected(items=[item for item, wanted in zip(items, is_wanted, strict=True) if not wanted])
    items[:] = compress(items, is_wanted)
    gc.freeze()  # what was collected stays until the end: garbage collection need not look at it each time
    for item in items:
        group = next(filter(item.get_closest_marker, _APART), None) or _find_shared(item)
        if group is not None and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


def _find_shared(item: pytest.Item) -> str | None:
    """Name the file or folder whose tests share something that is made once, and not for each of them."""
    assert isinstance(item, pytest.Function)
    found = (made[-1] for made in item._fixtureinfo.name2fixturedefs.values())
    return next((one.baseid for one in found if one.scope != "function" and "/" in one.baseid), None)


def _is_wanted(item: pytest.Item, mode: str | None, recorded: dict[str, str]) -> bool:
    is_proof = item.get_closest_marker("proof") is not None
    if mode is None or not is_proof:
        return is_proof == (mode is not None)
    mark = proofs.fingerprint(item)
    item.user_properties.append((proofs.PROPERTY, mark))
    return recorded.get(item.nodeid) != mark


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip where a part is absent; under `make check` its absence is a failure."""
    missing = parts.missing(item)
    if not missing:
        return
    if item.config.getoption("--all-parts"):
        pytest.fail(f"missing, and `make check` must not pass without it: {', '.join(missing)}", pytrace=False)
    pytest.skip(f"needs {', '.join(missing)}")


@pytest.fixture(scope="session", autouse=True)
def _nothing_synced() -> Iterator[None]:
    """Do not wait for the disk: only a power cut would need it. What the store asks of SQLite is tested by itself."""

    def set_up_unsynced(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        connection.cursor().execute("PRAGMA synchronous = OFF")  # going over to WAL waits for the disk, too
        _SET_UP_SQLITE(connection, entry)
        connection.cursor().execute("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(databases, "_set_up_sqlite", set_up_unsynced)
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_compiled_once() -> Iterator[None]:
    """Let all runs in SQLite share the SQL of their statements, which SQLAlchemy makes anew for every database."""
    first = create_engine("sqlite://", query_cache_size=10_000)
    with first.connect():
        pass  # the dialect learns the version of SQLite
    set_up_engine = Engine.__init__

    def set_up_sharing(engine: Engine, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        set_up_engine(engine, *arguments, **options)
        if engine.dialect.name == "sqlite":
            engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "__init__", set_up_sharing)
        yield


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables stand as they are, whatever the terminal in which the tests run; not for pytest's own output."""
    monkeypatch.setenv("COLUMNS", str(WIDE))


@pytest.fixture(scope="session", autouse=True)
def _tables_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let a new run in a folder begin as a copy of an empty one: making its tables takes longer than most tests."""
    empty = tmp_path_factory.mktemp("empty") / "run"
    open_backend(Folder(empty), create=True).close()

    def open_copied(folder: Path, *, create: bool) -> Backend:
        backend = _OPEN_SQLITE(folder, create=create)
        if create:
            with suppress(OSError), (folder / DATABASE_FILE).open("xb") as file:
                file.write((empty / DATABASE_FILE).read_bytes())
        return backend

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(databases, "_open_sqlite", open_copied)
        yield


@pytest.fixture(scope="session", autouse=True)
def _glyphs_kept() -> Iterator[None]:
    """Keep the glyphs that were drawn: tests go through all of them again and again, as no user does."""
    with pytest.MonkeyPatch.context() as patch:
        for masters in ("_small_master", "_large_master"):
            patch.setattr(glyphs, masters, lru_cache(maxsize=2_000)(glyphs._master))
        yield


@pytest.fixture(scope="session", autouse=True)
def _networks_kept() -> Iterator[None]:
    """Keep the networks of tests that were loaded: that takes longer than computing, and each is opened many times."""
    with pytest.MonkeyPatch.context() as patch:
        for (owner, name), load in _LOADERS.items():
            patch.setattr(owner, name, keep_opened(load) if owner in (Ssd, Yolo) else keep_loaded(load))
        yield


@pytest.fixture
def loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks are read from their files each time, as users' are."""
    for (owner, name), load in _LOADERS.items():
        monkeypatch.setattr(owner, name, load)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are made and opened as users do it."""
    monkeypatch.setattr(databases, "_open_sqlite", _OPEN_SQLITE)
    monkeypatch.setattr(databases, "_set_up_sqlite", _SET_UP_SQLITE)


@pytest.fixture(scope="session", autouse=True)
def _one_core_each() -> Iterator[None]:
    """Tests that share out the cores start one worker process at a time; those of whole commands start them all."""
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture
def case(subtests: pytest.Subtests) -> Callable[[object], AbstractContextManager[None]]:
    """Open one case of a table, which is one test: each case that fails is a subtest of its own, those that hold
    cost nothing. Write `for text, number in TABLE: with case(text): assert ...`.
    """

    @contextmanager
    def named(name: object) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception):
            with subtests.test(str(name)):
                raise

    return named


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The papers' released data, which is never part of the project: absent is fine everywhere."""
    folder = Path(os.environ.get("SUBITIZE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the papers' data in ../shared/data or $SUBITIZE_DATA")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server of our own, on a free loopback port, for tests marked `postgres`."""
    programs = find_postgres()
    assert programs is not None
    with PostgresServer(programs) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_tables(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a database with our tables, of which others begin as copies: see _tables_made_once."""
    url = postgres.new_database()
    open_backend(Database(url, "a-run", tmp_path_factory.mktemp("images")), create=True).close()
    return url.rpartition("/")[2]


@pytest.fixture(scope="module")  # not longer: while it runs, no other test can have an event loop
def browser() -> "Iterator[Browser]":
    """A real browser, for tests marked `browser`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=parts.CHROMIUM, args=["--no-sandbox", _BARE_WINDOWS])
        yield browser
        browser.close()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are left empty: drawing them takes half the time of a report, and this test looks at none."""
    monkeypatch.setattr(figures, "start", lambda: None)
    monkeypatch.setattr(figures, "draw_ahead", lambda _: None)
    monkeypatch.setattr(figures, "to_svg", lambda _: '<svg viewBox="0 0 1 1"></svg>')


@pytest.fixture
def odd_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outside package of misbehaving models is installed, for this process and for its workers."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    monkeypatch.setenv("PYTHONPATH", python_path())


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A place for a new run: a folder, then a database."""
    if request.param == "sqlite":
        return Folder(tmp_path / "run")
    server: PostgresServer = request.getfixturevalue("postgres")
    empty = request.getfixturevalue("postgres_tables")
    return Database(server.new_database(f"TEMPLATE {empty}"), "a-run", tmp_path / "images")


@pytest.fixture
def own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the functions and objects of a test when it ends."""
    monkeypatch.setattr(registry, "_IN_PROGRAM", {})
