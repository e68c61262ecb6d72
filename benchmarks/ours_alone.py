"""Measures our side of one benchmark, once, in whatever commit's tree it is started: see against.py, which does.

Its source is given to `python -c`, as that tree may not have this file. It writes one line of JSON for each claim, and
goes on to the next when it reads a line. So two trees take turns, claim by claim.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# How often, if the benchmark provides for it: the quicker counts, as a busy machine only ever adds to times.
_MOST_CALLS = 2


def main() -> None:
    """Take a benchmark's name, where subitize must come from, and flags: tiny, both."""
    name, source, *flags = sys.argv[1:]
    _check_source(Path(source))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a benchmark prints is no claim
    if "both" not in flags:
        _leave_out_others()
    results: Iterator[Any] = import_module(f"benchmarks.{name}").measure(is_tiny="tiny" in flags)
    while sys.stdin.readline():
        result = next(results, None)
        print(json.dumps(None if result is None else _describe(result)), file=out, flush=True)
        if result is None:
            break
    else:  # nobody listens any more: the benchmark clears up behind it
        getattr(results, "close", lambda: None)()


def _check_source(source: Path) -> None:
    import subitize

    if not Path(subitize.__file__ or "").is_relative_to(source):
        sys.exit(f"subitize was imported from {subitize.__file__}, not from {source}")


def _leave_out_others() -> None:
    """Let comparisons measure our side only; benchmarks import these functions later."""
    comparing: Any = import_module("benchmarks.comparing")
    comparing.compare_rates = comparing.compare_times = _time_ours


def _time_ours(
    what: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    *,
    pairs: int = 5,
    clock: Callable[[], float] = time.perf_counter,
    **others: object,
) -> SimpleNamespace:
    seconds = min(_time(ours, clock) for _ in range(min(pairs, _MOST_CALLS)))
    return SimpleNamespace(what=what, ours_seconds=seconds)


def _time(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def _describe(result: Any) -> dict[str, object]:  # noqa: ANN401
    """Describe a comparison by the seconds that ours takes, a figure by its value; null is what is not measured."""
    if hasattr(result, "ours_seconds"):
        return {"what": result.what, "value": result.ours_seconds, "unit": "s", "is_rate": False}
    if hasattr(result, "value"):
        is_rate = str(result.aim).startswith(">")
        return {"what": result.what, "value": result.value, "unit": result.unit, "is_rate": is_rate}
    return {"what": f"{result.what}, which needs {result.needs}", "value": None, "unit": "", "is_rate": False}


if __name__ == "__main__":
    main()
