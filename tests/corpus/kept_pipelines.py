"""Keeps spaCy's pipelines: loading them takes longer than what most tests do with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from subitize.corpus import tagging
from subitize.corpus import tagging as windows


@contextmanager
def keep_pipelines() -> Iterator[None]:
    """Let what counts captions load each pipeline once."""
    load = cache(tagging.load_pipeline)
    with pytest.MonkeyPatch.context() as patch:
        for module in (tagging, windows):
            patch.setattr(module, "load_pipeline", load)
        yield
