"""How long GeckoNum's tables take, in times of the plain pandas program, on the same files and to the same figures.

The other program (pandas, the krippendorff package, a bootstrap loop) is run unchanged: all tables, α at three levels,
10,000-fold bootstrap intervals. Both are whole processes. Ours takes the quantiles of resampled shares from their law,
the binomial, instead of drawing; it also puts 1,000-fold intervals around α, and shuffles, which the other does not.
Then the import of the answers into a run, in times of pandas reading and grouping them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparing import Comparison, compare_times

_SHARED = Path(__file__).resolve().parents[2] / "shared"
RELEASE = Path(os.environ.get("SUBITIZE_DATA") or _SHARED / "data") / "geckonum"
PANDAS_PROGRAM = _SHARED / "tools" / "geckonum_baseline.py"
_OURS = "import sys; from subitize.cli import main; sys.argv[0] = 'subitize'; main()"
_READ_AND_GROUP = """
import sys
from pathlib import Path
import pandas
for task in (1, 2, 3):
    files = sorted(Path(sys.argv[1]).glob(f"task_{task}_*.csv"))
    rows = pandas.concat([pandas.read_csv(file, dtype={"raw_answer": str}) for file in files], ignore_index=True)
    keys = [name for name in ("model", "image_id", "question_id") if name in rows]
    rows.groupby(keys, sort=False)["answer_num" if task == 2 else "answer"].agg(["size", "mean"])
"""


@dataclass(frozen=True, slots=True)
class MemoryShare:
    """The peak memory of our process as a share of that of the other."""

    ours_mb: float
    other_mb: float

    def __str__(self) -> str:
        share = self.ours_mb / self.other_mb
        return f"peak memory: {share:.2f} of pandas' (aim < 0.33); ours {self.ours_mb:.0f} MB, {self.other_mb:.0f} MB"


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not here to be measured."""

    what: str

    def __str__(self) -> str:
        return f"geckonum: not measured, {self.what} is missing"


def measure() -> Iterator[Comparison | MemoryShare | Missing]:
    """Race whole processes."""
    for needed in (RELEASE / "prompts.csv", PANDAS_PROGRAM):
        if not needed.exists():
            yield Missing(str(needed))
            return
    with tempfile.TemporaryDirectory() as folder:
        ours = [sys.executable, "-c", _OURS, "reproduce", "geckonum", str(RELEASE), "--json"]
        other = [sys.executable, str(PANDAS_PROGRAM), str(RELEASE), "10000", f"{folder}/results.json"]
        peaks: dict[str, float] = {}
        yield compare_times(
            "GeckoNum's tables from the files, as a share of the time of pandas",
            lambda: peaks.update(ours=_run(ours)),
            lambda: peaks.update(other=_run(other)),
            aim="<= 0.05",
            pairs=3,
        )
        yield MemoryShare(peaks["ours"], peaks["other"])
        runs = iter(range(100))
        yield compare_times(
            "import of the answers into a run, in times of pandas reading and grouping them",
            lambda: _run([sys.executable, "-c", _OURS, *_import(f"{folder}/{next(runs)}")]),
            lambda: _run([sys.executable, "-c", _READ_AND_GROUP, str(RELEASE)]),
            aim="<= 8",
            pairs=3,
        )


def _import(run: str) -> list[str]:
    return ["import", "geckonum", str(RELEASE), "--out", run]


def _run(command: Sequence[str]) -> float:
    """Run a process to its end and return the most memory it had, in megabytes."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return usage.ru_maxrss / 1024
