"""What tests of corpora share: spaCy's pipelines."""

from collections.abc import Iterator

import pytest

from tests.corpus.kept_pipelines import keep_pipelines


@pytest.fixture(scope="session", autouse=True)
def _pipelines_kept() -> Iterator[None]:
    """Load each pipeline once; a test that changes one loads its own."""
    with keep_pipelines():
        yield
