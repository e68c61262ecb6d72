"""How many trials a second are stored with an instant model, as a share of a bare SQLAlchemy loop.

The loop inserts the same rows, ready made, into the same table of the same kind of SQLite file (WAL, synchronous
FULL). Ours also plans, builds each row, keeps the lease, and hands every answer through the engine.
"""

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import Engine, create_engine, event, insert, select

from benchmarks.comparing import Comparison, compare_rates
from subitize.interfaces import Model, Reply, Request
from subitize.records import Said, Spec, TaskKind
from subitize.registry import Made, make_suite
from subitize.runner.progress import Silent
from subitize.runner.running import Settings, run_suite
from subitize.store import Folder, Run, tables

BATCH = 64
SUITE = "naming:images=10"  # 200 items
REPEATS = 20
TRIALS = 200 * REPEATS


class Instant:
    """Say three at once."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True
    concurrency = BATCH

    async def respond(self, request: Request, /) -> Reply:
        """Say three."""
        return Reply(Said("3"), request.provenance())


def measure() -> Iterator[Comparison]:
    """Compare with one commit per trial, then with one per batch."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / str(number) for number in itertools.count())
        template = next(fresh)
        rows = _template(template)
        for name, at_once, aim in (("per trial", 1, ">= .7"), ("per batch", BATCH, ">= .5")):
            yield compare_rates(
                f"stored trials/s, one commit {name}, as a share of a bare SQLAlchemy loop",
                _ours(template, fresh, at_once),
                _bare(template, fresh, rows, at_once),
                aim=aim,
            )


def _template(folder: Path) -> list[dict[str, object]]:
    """Make a run with its items but no responses to start from, and the rows that a finished run has."""
    with Run(Folder(folder), create=True) as run:
        suite = make_suite(SUITE)
        run.add_suite(suite.spec, 0, suite.it.items(0))
    done = folder.with_name("done")
    shutil.copytree(folder, done)
    _run(done, BATCH)
    engine = _engine(done)
    with engine.connect() as connection:
        found = connection.execute(select(tables.responses)).mappings().all()
    engine.dispose()
    return [{key: value for key, value in row.items() if key != "id"} for row in found]


def _ours(template: Path, fresh: Iterator[Path], at_once: int) -> Callable[[], None]:
    folders = _copies(template, fresh)
    return lambda: _run(next(folders), at_once)


def _bare(template: Path, fresh: Iterator[Path], rows: Sequence[dict[str, object]], at_once: int) -> Callable[[], None]:
    folders = _copies(template, fresh)

    def insert_all() -> None:
        engine = _engine(next(folders))
        for start in range(0, len(rows), at_once):
            with engine.begin() as connection:
                connection.execute(insert(tables.responses), rows[start : start + at_once])
        engine.dispose()

    return insert_all


def _copies(template: Path, fresh: Iterator[Path]) -> Iterator[Path]:
    """Copy ahead of time: the copying is not what is measured."""
    copies = list(itertools.islice(fresh, 5))
    for copy in copies:
        shutil.copytree(template, copy)
    return iter(copies)


def _run(folder: Path, at_once: int) -> None:
    model: Made[Model] = Made(Spec("instant", {}, "instant"), Instant(), "instant")
    with Run(Folder(folder)) as run:
        summary = run_suite(run, Settings(make_suite(SUITE), model, repeats=REPEATS, concurrency=at_once), Silent())
    if summary.answered != TRIALS:
        raise RuntimeError(f"stored {summary.answered} trials instead of {TRIALS}")


def _engine(folder: Path) -> Engine:
    engine = create_engine(f"sqlite:///{folder / 'run.sqlite'}")

    @event.listens_for(engine, "connect")
    def _(connection: object, _: object) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    return engine
