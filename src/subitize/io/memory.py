"""Tunes Python's garbage collector where many objects live long."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


def tune_gc() -> None:
    """Look for cycles a hundredth as often as usual: a command's imports alone make 200,000 objects that all stay.

    At the end there is no look at all: the system takes back a process's memory whole, and faster.
    """
    gc.set_threshold(100_000, 10, 10)
    atexit.register(gc.freeze)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the collector from going through many records over and over: they have no cycles, and die by themselves."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
