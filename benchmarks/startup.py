"""How long `subitize --help` takes, in starts of a bare Python."""

from collections.abc import Iterator

from benchmarks.comparing import Comparison, compare_times
from benchmarks.processes import run_python


def measure(*, is_tiny: bool = False) -> Iterator[Comparison]:
    """Compare whole processes."""
    yield compare_times(
        "subitize --help, in starts of python -c pass",
        lambda: run_python("-m", "subitize", "--help"),
        lambda: run_python("-c", "pass"),
        aim="<= 18",
        pairs=1 if is_tiny else 15,
    )
