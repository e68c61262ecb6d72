"""How many trials a second are stored with an instant model, as a share of a bare SQLAlchemy loop.

The loop inserts the same rows, ready made, into the same table of the same kind of SQLite file (WAL, synchronous
FULL). Ours also plans, builds each row, keeps the lease, and hands every answer through the engine.
"""

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, create_engine, event, insert, select

from benchmarks.comparing import Comparison, compare_rates
from subitize.interfaces import Model, Reply, Request, Suite
from subitize.records import Said, Spec
from subitize.registry import Resolved, make_suite
from subitize.store import Folder, Run, tables
from tests.runs import run_suite

BATCH = 64


@dataclass(frozen=True, slots=True)
class Size:
    """How many pictures of each number and category are named, how large, how often, and how many runs are timed."""

    images: int
    repeats: int
    pairs: int
    size_px: int = 1024

    def make_suite(self) -> Resolved[Suite]:
        """Make a suite of 50 items to an image: ten numbers in five categories."""
        return make_suite(f"naming:images={self.images},size_px={self.size_px},wordings=objects,control_question=false")


FULL = Size(images=4, repeats=20, pairs=5)  # 4,000 trials
TINY = Size(images=1, repeats=1, pairs=1, size_px=128)


class Instant(Model):
    """Say three at once."""

    tasks = frozenset({"answer"})
    is_stand_in = True
    concurrency = BATCH

    async def respond(self, request: Request, /) -> Reply:
        """Say three."""
        return Reply(Said("3"), request.provenance())


def measure(*, is_tiny: bool = False) -> Iterator[Comparison]:
    """Compare with one commit per trial, then with one per batch."""
    size = TINY if is_tiny else FULL
    with tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / str(number) for number in itertools.count())
        template = next(fresh)
        trials = _make_template(template, size)
        rows = _finished_rows(template, next(fresh), size, trials)
        for name, at_once, aim in (("per trial", 1, ">= .7"), ("per batch", BATCH, ">= .5")):
            yield compare_rates(
                f"{trials:,} trials stored, one commit {name}, as a share of the rate of a bare SQLAlchemy loop",
                _ours(_copies(template, fresh, size.pairs), size, at_once, trials),
                _bare(_copies(template, fresh, size.pairs), rows, at_once),
                aim=aim,
                pairs=size.pairs,
            )


def _make_template(folder: Path, size: Size) -> int:
    """Make a run with its items but no responses, to start from; return how many trials it will have."""
    suite = size.make_suite()
    items = list(suite.obj.items(0))
    with Run(Folder(folder), create=True) as run:
        run.add_suite(suite.spec, 0, items)
    return len(items) * size.repeats


def _finished_rows(template: Path, folder: Path, size: Size, trials: int) -> list[dict[str, object]]:
    """Finish a copy of the run, and read the rows that it then has."""
    shutil.copytree(template, folder)
    _run(folder, size, BATCH, trials)
    engine = _engine(folder)
    with engine.connect() as connection:
        found = connection.execute(select(tables.responses)).mappings().all()
    engine.dispose()
    return [{key: value for key, value in row.items() if key != "id"} for row in found]


def _copies(template: Path, fresh: Iterator[Path], count: int) -> Iterator[Path]:
    """Copy ahead of time: the copying is not what is measured."""
    copies = list(itertools.islice(fresh, count))
    for copy in copies:
        shutil.copytree(template, copy)
    return iter(copies)


def _ours(folders: Iterator[Path], size: Size, at_once: int, trials: int) -> Callable[[], None]:
    return lambda: _run(next(folders), size, at_once, trials)


def _bare(folders: Iterator[Path], rows: Sequence[dict[str, object]], at_once: int) -> Callable[[], None]:
    def insert_all() -> None:
        engine = _engine(next(folders))
        for start in range(0, len(rows), at_once):
            with engine.begin() as connection:
                connection.execute(insert(tables.responses), rows[start : start + at_once])
        engine.dispose()

    return insert_all


def _run(folder: Path, size: Size, at_once: int, trials: int) -> None:
    model: Resolved[Model] = Resolved(Spec("instant", {}, "instant"), Instant(), "instant")
    with Run(Folder(folder)) as run:
        summary = run_suite(run, size.make_suite(), model, repeats=size.repeats, concurrency=at_once)
    if summary.answered != trials:
        raise RuntimeError(f"stored {summary.answered} trials instead of {trials}")


def _engine(folder: Path) -> Engine:
    engine = create_engine(f"sqlite:///{folder / 'run.sqlite'}")

    @event.listens_for(engine, "connect")
    def _(connection: object, _: object) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    return engine
