"""What tests of corpora share: spaCy's pipelines, each loaded once."""

from collections.abc import Iterator
from functools import cache

import pytest

from subitize.corpus import tagging, windows


@pytest.fixture(scope="session", autouse=True)
def _pipelines_kept() -> Iterator[None]:
    """Keep the pipelines that commands load: it takes longer than they do. Tests that change one load their own."""
    keep = cache(tagging.load_pipeline)
    with pytest.MonkeyPatch.context() as patch:
        for module in (tagging, windows):
            patch.setattr(module, "load_pipeline", keep)
        yield
