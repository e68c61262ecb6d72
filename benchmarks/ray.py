"""What a trial costs on a Ray cluster, what a second node brings, and whether memory stays flat.

Two nodes of one core each on this machine, on loopback addresses; workers are ready before the clock starts. The driver
checks, stores and commits every picture; on one machine its work takes from that of the workers.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from benchmarks.comparing import Figure, Result, Unmeasured, compare_times
from subitize.evaluate.engines import Engine, LocalEngine
from subitize.interfaces import NoEvents
from subitize.registry import make_model, make_suite
from subitize.store import Folder, Run
from tests.evaluate.ray_nodes import TwoNodes, two_nodes
from tests.runs import run_suite


@dataclass(frozen=True, slots=True)
class Size:
    """How many trials are timed, of a cheap model and of one that draws; when memory is looked at; how many pairs."""

    cheap: int
    drawn: int
    memory: tuple[int, int]
    pairs: int


FULL = Size(cheap=1_600, drawn=400, memory=(2_000, 10_000), pairs=5)
TINY = Size(cheap=16, drawn=10, memory=(10, 20), pairs=1)
_SMALL, _LARGE = "painter:size_px=128", "painter:size_px=1024"


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare with the local engine, then one node with two, then look at memory."""
    if not find_spec("ray"):
        yield Unmeasured("trials on a Ray cluster, in times of the local engine", "ray")
        return
    size = TINY if is_tiny else FULL
    with tempfile.TemporaryDirectory() as folder, two_nodes() as nodes:
        places = (Path(folder) / str(number) for number in count())
        yield from _measure_overhead(nodes, places, size)
        yield from _measure_nodes(nodes, places, size)
        yield from _measure_memory(nodes, next(places), size)


def run_trials(folder: Path, model: str, trials: int, engine: Engine, events: "Sampler | None" = None) -> None:
    """Draw apples so many times."""
    _run(folder, ("production:numbers=1-10,categories=apples", model), trials // 10, engine, events)


def name_trials(folder: Path, trials: int, engine: Engine) -> None:
    """Say a number so many times, for which nothing is drawn or looked at: what remains is the engine and the store."""
    _run(folder, ("naming:images=1,size_px=128,numbers=1-4,categories=apples", "random"), trials // 16, engine, None)


def _run(folder: Path, what: tuple[str, str], repeats: int, engine: Engine, events: "Sampler | None") -> None:
    suite, model = make_suite(what[0]), make_model(what[1])
    with Run(Folder(folder), create=True) as run:
        tally = run_suite(run, suite, model, engine=engine, repeats=repeats, events=events)
    if tally.failed:
        raise RuntimeError(f"not all were answered: {tally}")


def _measure_overhead(nodes: TwoNodes, places: Iterator[Path], size: Size) -> Iterator[Result]:
    start = time.perf_counter()
    with nodes.engine("ray:workers=2") as engine, LocalEngine() as local:
        engine.invoke("model", make_model("random"), "check")
        yield Figure("seconds until the first worker is ready", time.perf_counter() - start, "s")
        name_trials(next(places), 16, engine)
        compared = compare_times(
            f"{size.cheap:,} answers of the stand-in random on two nodes, in times of the local engine",
            lambda: name_trials(next(places), size.cheap, engine),
            lambda: name_trials(next(places), size.cheap, local),
            aim="none",
            pairs=size.pairs,
        )
    yield compared
    milliseconds = (compared.ours_seconds - compared.other_seconds) / size.cheap * 1_000
    yield Figure("overhead per trial", milliseconds, "ms", "<= 5")


def _measure_nodes(nodes: TwoNodes, places: Iterator[Path], size: Size) -> Iterator[Figure]:
    for workers, what in ((1, "one node"), (2, "two nodes")):
        with nodes.engine(f"ray:workers={workers}") as engine:
            run_trials(next(places), _LARGE, 10, engine)
            start, own_start = time.perf_counter(), time.process_time()
            run_trials(next(places), _LARGE, size.drawn, engine)
            seconds, own_seconds = time.perf_counter() - start, time.process_time() - own_start
        yield Figure(f"drawings of 1024 px, stored, with {what}", size.drawn / seconds, "per second")
        yield Figure(f"the driver's own part of each, with {what}", own_seconds / size.drawn * 1_000, "ms of a core")


def _measure_memory(nodes: TwoNodes, folder: Path, size: Size) -> Iterator[Figure]:
    sampler = Sampler(size.memory)
    with nodes.engine("ray:workers=2") as engine:
        run_trials(folder, _SMALL, size.memory[-1], engine, sampler)
    for who, (before, after) in (("the driver", sampler.driver_mb), ("a worker", sampler.worker_mb)):
        what = f"memory of {who} after {size.memory[1]:,} trials ({after:.0f} MB), in times of that after"
        yield Figure(f"{what} {size.memory[0]:,} ({before:.0f} MB)", after / before, "", "<= 1.1")


@dataclass
class Sampler(NoEvents):
    """Looks at the memory of this process, and of the largest worker, after so many trials."""

    moments: tuple[int, ...]
    driver_mb: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)
    _done: int = 0

    def advance(self, *, has_failed: bool = False) -> None:
        """Count a trial."""
        self._done += 1
        if self._done in self.moments:
            workers = (path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if _is_worker(path))
            self.driver_mb.append(_resident_mb(Path("/proc/self")))
            self.worker_mb.append(max(map(_resident_mb, workers)))


def _is_worker(command: Path) -> bool:
    try:
        return command.read_bytes().startswith(b"ray::RayWorker")
    except OSError:  # it ended meanwhile
        return False


def _resident_mb(process: Path) -> float:
    return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
