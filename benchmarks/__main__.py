"""Runs every benchmark of speed, or those named: python -m benchmarks [--tiny] [store startup].

Tiny sizes show within seconds that a benchmark works. How often the observer is right is measured, not compared, by
python -m benchmarks.observer.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence

from benchmarks.comparing import Result

NAMES = (
    "startup",
    "small_run",
    "parsing",
    "store",
    "stimuli",
    "runner",
    "report",
    "reading",
    "geckonum",
    "judges",
    "serving",
    "annotation",
    "probes",
    "corpus",
    "own_data",
)


def main() -> None:
    """Print what each benchmark measures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all unless named")
    parser.add_argument("--tiny", action="store_true", help="sizes for a smoke test, at which the figures mean nothing")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"no benchmark named {name!r}; known: {', '.join(NAMES)}")
    if options.tiny:
        print("tiny sizes: the figures mean nothing, and aims may be missed", file=sys.stderr)
    for result in measure(options.names or NAMES, is_tiny=options.tiny):
        print(result, flush=True)


def measure(names: Sequence[str], *, is_tiny: bool) -> Iterator[Result]:
    """Run benchmarks by name, each of which is a module."""
    for name in names:
        yield from importlib.import_module(f"benchmarks.{name}").measure(is_tiny=is_tiny)


if __name__ == "__main__":
    main()
