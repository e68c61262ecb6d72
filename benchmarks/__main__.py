"""Runs every benchmark, or those named: python -m benchmarks store startup."""

import importlib
import sys

NAMES = ("startup", "store", "stimuli", "runner", "report", "geckonum", "judges")


def main() -> None:
    """Print what each benchmark measures."""
    for name in sys.argv[1:] or NAMES:
        for comparison in importlib.import_module(f"benchmarks.{name}").measure():
            print(comparison, flush=True)


if __name__ == "__main__":
    main()
