"""How much more memory `run` and `score` take for each further trial.

That is the difference of the peaks of whole processes at two sizes of `naming` with the stand-in `random`, by the
difference of their trials: 6,400 and 25,600.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparing import Figure
from benchmarks.processes import peak_megabytes
from subitize.store import Folder, Run
from subitize.store.rows import count_trials


@dataclass(frozen=True, slots=True)
class Size:
    """A suite at two sizes: its option `images`, and its other options."""

    fewer: int
    more: int
    options: str


FULL = Size(40, 160, "size_px=256")
TINY = Size(1, 2, "numbers=1-2,categories=dots,size_px=128")
_AIMS = {"run": "<= .5", "score": "<= 2"}


def measure(*, is_tiny: bool = False) -> Iterator[Figure]:
    """Compare whole processes at two sizes."""
    size = TINY if is_tiny else FULL
    with tempfile.TemporaryDirectory() as folder:
        (few, fewer_mb), (many, more_mb) = (
            _measure(Path(folder) / str(images), f"naming:images={images},{size.options}")
            for images in (size.fewer, size.more)
        )
    for command, aim in _AIMS.items():
        kilobytes = (more_mb[command] - fewer_mb[command]) * 1024 / (many - few)
        what = f"memory that {command} takes per further trial, from {few:,} trials ({fewer_mb[command]:.0f} MB) to"
        yield Figure(f"{what} {many:,} ({more_mb[command]:.0f} MB)", kilobytes, "kB", aim)


def _measure(folder: Path, suite: str) -> tuple[int, dict[str, float]]:
    """Run a suite and score it; return how many trials it has, and the peak of each command."""
    peaks_mb = {
        "run": peak_megabytes("-m", "subitize", "run", suite, "--model", "random", "--out", folder),
        "score": peak_megabytes("-m", "subitize", "score", folder, "--json"),
    }
    with Run(Folder(folder)) as run:
        return count_trials(run), peaks_mb
