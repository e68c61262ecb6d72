"""How long GeckoNum's tables take, in times of the plain pandas program, on the same files and to the same figures.

The other program (pandas, the krippendorff package, a bootstrap loop) is run unchanged: all tables, α at three levels,
10,000-fold bootstrap intervals. Both are whole processes. Ours computes the intervals of all cells of a table at once,
over prompts, without resampling; it also puts intervals around α, and shuffles, which the other does not.
Then the import of the answers into a run, in times of pandas reading and grouping them.
"""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.comparing import Comparison, Figure, Result, Unmeasured, compare_times
from benchmarks.processes import ROOT, peak_megabytes, run_python

WHERE = "the release in ../shared/data or $SUBITIZE_DATA"
PANDAS_PROGRAM = ROOT.parent / "shared" / "tools" / "geckonum_baseline.py"
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


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Race whole processes."""
    release = find_release()
    if release is None:
        yield Unmeasured("GeckoNum's tables and import, in times of pandas", WHERE)
        return
    bootstraps, pairs = (10, 1) if is_tiny else (10_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if is_tiny:
            release = copy_some(release, place / "some")
        yield from _compare_tables(release, place / "results.json", bootstraps, pairs)
        yield _compare_imports(release, place, pairs)


def find_release() -> Path | None:
    """Look for the authors' files, which are not ours to ship."""
    release = Path(os.environ.get("SUBITIZE_DATA") or ROOT.parent / "shared" / "data") / "geckonum"
    return release if (release / "prompts.csv").exists() else None


def copy_some(release: Path, folder: Path, *, images: str = "_0") -> Path:
    """Copy one model's answers about images whose ids end so: those are the first image to each prompt."""
    folder.mkdir()
    shutil.copyfile(release / "prompts.csv", folder / "prompts.csv")
    for file in release.glob("task_?_dalle_3.csv"):
        rows = pl.read_csv(file, infer_schema=False)
        rows.filter(pl.col("image_id").str.ends_with(images)).write_csv(folder / file.name)
    return folder


def _compare_tables(release: Path, results: Path, bootstraps: int, pairs: int) -> Iterator[Result]:
    what = "GeckoNum's tables from the files, as a share of the time of pandas"
    if not PANDAS_PROGRAM.exists():
        yield Unmeasured(what, "the pandas program ../shared/tools/geckonum_baseline.py")
        return
    peaks_mb: dict[str, float] = {}
    yield compare_times(
        what,
        lambda: peaks_mb.update(ours=peak_megabytes("-m", "subitize", "reproduce", "geckonum", release, "--json")),
        lambda: peaks_mb.update(other=peak_megabytes(PANDAS_PROGRAM, release, bootstraps, results)),
        aim="<= 0.04",
        pairs=pairs,
    )
    share = peaks_mb["ours"] / peaks_mb["other"]
    yield Figure("peak memory of GeckoNum's tables", peaks_mb["ours"], "MB")
    yield Figure("peak memory of GeckoNum's tables, as a share of that of pandas", share, aim="< 0.33")


def _compare_imports(release: Path, place: Path, pairs: int) -> Comparison:
    runs = (place / f"run-{number}" for number in itertools.count())
    return compare_times(
        "import of the answers into a run, in times of pandas reading and grouping them",
        lambda: run_python("-m", "subitize", "import", "release", "geckonum", release, "--out", next(runs)),
        lambda: run_python("-c", _READ_AND_GROUP, release),
        aim="<= 8",
        pairs=pairs,
    )
