"""A process that is short of memory, as on a small machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def little_memory() -> Iterator[None]:
    """Give this process no more than 200 MB on top of what it has.

    Torch computes without oneDNN meanwhile: where that is refused memory, it fails in later tests, too.
    """
    if not Path("/proc/self/statm").exists():
        pytest.skip("limits memory as Linux does")
    import resource

    import torch

    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 200_000_000, before[1]))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.backends.mkldnn, "enabled", False)
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
