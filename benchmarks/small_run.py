"""How long a small run takes as a whole process, as a share of the same with new worker processes from the start."""

import itertools
import tempfile
from collections.abc import Iterator

from benchmarks.comparing import Comparison, compare_times
from benchmarks.processes import run_python

_OURS = "from subitize.cli import main; main()"
_WITH_WORKERS = f"from subitize.evaluate import engines; engines.IN_PROCESS_SECONDS = 0; {_OURS}"


def measure(*, is_tiny: bool = False) -> Iterator[Comparison]:
    """Compare 12 pictures drawn and judged; where tiny, 4 that nobody judges."""
    numbers, model, judge = ("1", "painter:size_px=128", "none") if is_tiny else ("1-3", "painter", "observer")
    what = ("run", f"production:numbers={numbers}", "--repeats", 1, "--model", model, "--judge", judge)
    with tempfile.TemporaryDirectory() as folder:
        fresh = (f"{folder}/{number}" for number in itertools.count())
        yield compare_times(
            f"subitize run production:numbers={numbers}, as a share of a process pool for each model and judge",
            lambda: run_python("-c", _OURS, *what, "--out", next(fresh)),
            lambda: run_python("-c", _WITH_WORKERS, *what, "--out", next(fresh)),
            aim="<= .5",
            pairs=1 if is_tiny else 5,
        )
