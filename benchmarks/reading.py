"""How long commands that read a run take, in times of a bare program that reads its answers and takes the mode of each.

The bare program goes from SQLAlchemy to polars and groups by response, question and judge. All are whole processes. The
run is the import of GeckoNum's answers, 222,546 of them. They have no counts of a category by number, of which
`measure` is: it measures a run of `naming` with answers by known laws. The report is set against the paper's tables
made from the files, resuming a run that is finished against its score.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars
from sqlalchemy import create_engine

from benchmarks import report
from benchmarks.comparing import Comparison, Figure, Result, Unmeasured, compare_times
from benchmarks.geckonum import WHERE, copy_some, find_release
from benchmarks.processes import peak_megabytes, run_python
from subitize.store import Folder, Run
from subitize.store.reading import VOTE, read_readings

_QUERY = """
SELECT subjects.subject_id, questions.question_id, sources.judge, readings.value FROM readings
JOIN subjects ON subjects.id = readings.subject JOIN questions ON questions.id = readings.question
JOIN sources ON sources.id = readings.source
"""
_BARE = f"""
import sys
import polars
from sqlalchemy import create_engine
engine = create_engine(f"sqlite:///{{sys.argv[1]}}/run.sqlite")
with engine.connect() as connection:
    answers = polars.read_database({_QUERY!r}, connection)
engine.dispose()
modes = answers.group_by("subject_id", "question_id", "judge").agg(polars.col("value").mode().first())
print(modes.height)
"""


@dataclass(frozen=True, slots=True)
class Size:
    """A run with answers by known laws, a suite whose run is resumed with its repeats, and how many pairs are timed."""

    answered: report.Size
    resumed: str
    repeats: int
    pairs: int


FULL = Size(
    report.FULL, "naming:images=100,size_px=128,wordings=things,control_question=false", repeats=4, pairs=3
)  # 20,000 trials
TINY = Size(report.TINY, "naming:images=1,numbers=1-2,categories=dots", repeats=1, pairs=1)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare whole processes."""
    size = TINY if is_tiny else FULL
    release = find_release()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        report.make_run(place / "answered", size.answered)
        yield _compare("measure", "answers by known laws", place / "answered", size.pairs)
        if release is None:
            yield Unmeasured("commands that read GeckoNum's answers, in times of a bare program", WHERE)
        else:
            if is_tiny:
                release = copy_some(release, place / "some", images="0_0")
            yield from _compare_commands(release, place, size.pairs)
        yield _compare_resuming(place / "resumed", size)


def _compare_commands(release: Path, place: Path, pairs: int) -> Iterator[Result]:
    run = place / "run"
    run_python("-m", "subitize", "import", "release", "geckonum", release, "--out", run)
    yield _compare_answers(run, pairs)
    for command in ("score", "agree", "show"):
        yield _compare(command, "GeckoNum's answers", run, pairs)
    peaks_mb: list[float] = []
    yield compare_times(
        "export of GeckoNum's answers, in times of a bare program that takes modes",
        lambda: peaks_mb.append(peak_megabytes("-m", "subitize", "export", run, "--out", place / "tables")),
        _bare(run),
        aim="<= 8",
        pairs=pairs,
    )
    yield Figure("peak memory of the export", max(peaks_mb), "MB", "<= 400")
    yield compare_times(
        "report of GeckoNum's answers, in times of the paper's tables from the files",
        lambda: run_python("-m", "subitize", "report", run, "-o", place / "report.html"),
        lambda: run_python("-m", "subitize", "reproduce", "geckonum", release),
        aim="<= 2",
        pairs=pairs,
    )


def _compare_answers(folder: Path, pairs: int) -> Comparison:
    """Compare the reading of answers alone, in this process."""
    engine = create_engine(f"sqlite:///{folder}/run.sqlite")
    try:
        with Run(Folder(folder)) as run, engine.connect() as connection:
            return compare_times(
                "GeckoNum's answers as a frame, in times of the query of a bare program",
                lambda: read_readings(run, None, VOTE),
                lambda: polars.read_database(_QUERY, connection),
                aim="<= 1",
                pairs=pairs,
                clock=time.process_time,
            )
    finally:
        engine.dispose()


def _compare(command: str, what: str, run: Path, pairs: int) -> Comparison:
    return compare_times(
        f"{command} --json of {what}, in times of a bare program that takes modes",
        lambda: run_python("-m", "subitize", command, run, "--json"),
        _bare(run),
        aim="<= 4",
        pairs=pairs,
    )


def _bare(run: Path) -> Callable[[], object]:
    return lambda: run_python("-c", _BARE, run)


def _compare_resuming(run: Path, size: Size) -> Comparison:
    command = ("run", size.resumed, "--model", "random", "--repeats", size.repeats, "--out", run)
    run_python("-m", "subitize", *command)
    return compare_times(
        f"resuming a finished run of {size.resumed}, in times of its score",
        lambda: run_python("-m", "subitize", *command),
        lambda: run_python("-m", "subitize", "score", run, "--json"),
        aim="<= 2",
        pairs=size.pairs,
    )
