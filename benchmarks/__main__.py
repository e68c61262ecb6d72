"""Runs every benchmark of speed, or those named: python -m benchmarks [--tiny] [store startup].

Tiny sizes show within seconds that a benchmark works. With --against REV our side of each benchmark is compared with
that of another commit; the exit code is 1 if anything takes more than --most times as long or as much, also when it is
measured again. How often the observer is right is measured, not compared, by python -m benchmarks.observer.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence

from benchmarks.against import NotComparableError, Task, compare
from benchmarks.comparing import Result
from benchmarks.processes import ROOT

NAMES = (
    "startup",
    "small_run",
    "parsing",
    "store",
    "stimuli",
    "runner",
    "report",
    "reading",
    "growth",
    "geckonum",
    "judges",
    "serving",
    "finetune",
    "annotation",
    "probes",
    "corpus",
    "own_data",
    "ray",
)


def main() -> None:
    """Print what each benchmark measures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all unless named")
    parser.add_argument("--tiny", action="store_true", help="sizes for a smoke test, at which the figures mean nothing")
    parser.add_argument("--against", metavar="REV", help="compare the working tree with this commit")
    parser.add_argument("--rounds", type=int, metavar="N", help="how often each claim is compared with REV's; 5")
    parser.add_argument("--most", type=float, metavar="X", help="how many times REV's figure ours may be; 1.1")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"no benchmark named {name!r}; known: {', '.join(NAMES)}")
    if options.against is None and (options.rounds, options.most) != (None, None):
        parser.error("--rounds and --most go with --against REV")
    if options.rounds is not None and options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: it must be 1 or more")
    if options.tiny:
        print("tiny sizes: the figures mean nothing, and aims may be missed", file=sys.stderr)
    names = options.names or NAMES
    if options.against is not None:
        rounds, most = options.rounds or 5, 1.1 if options.most is None else options.most
        try:
            is_kept = compare(ROOT, Task(names, options.against, rounds, most, options.tiny))
        except NotComparableError as error:
            parser.exit(2, f"{parser.prog}: {error}\n")
        sys.exit(0 if is_kept else 1)
    for result in measure(names, is_tiny=options.tiny):
        print(result, flush=True)


def measure(names: Sequence[str], *, is_tiny: bool) -> Iterator[Result]:
    """Run benchmarks by name, each of which is a module."""
    for name in names:
        yield from importlib.import_module(f"benchmarks.{name}").measure(is_tiny=is_tiny)


if __name__ == "__main__":
    main()
