"""How long `subitize --help` takes, in starts of a bare Python."""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.comparing import Comparison, compare_times


def measure() -> Iterator[Comparison]:
    """Compare whole processes."""
    yield compare_times(
        "subitize --help, in starts of python -c pass",
        lambda: subprocess.run([sys.executable, "-m", "subitize", "--help"], check=True, capture_output=True),
        lambda: subprocess.run([sys.executable, "-c", "pass"], check=True, capture_output=True),
        aim="<= 18",
        pairs=15,
    )
