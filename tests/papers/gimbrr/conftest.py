"""What the tests of GIMBRR share: the authors' release where it is there, read once, and a small one made up."""

from pathlib import Path

import polars as pl
import pytest

from subitize.analysis.papers import Release
from subitize.papers.gimbrr.release import read
from subitize.papers.gimbrr.tables import rows
from tests.papers.gimbrr.gimbrr_release import write_release


@pytest.fixture(scope="session")
def released(shared_data: Path) -> Release:
    return read(shared_data / "gimbrr")


@pytest.fixture(scope="session")
def released_ratings(released: Release) -> pl.DataFrame:
    return rows(released.seen())


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release; tests that change it write their own."""
    return write_release(tmp_path_factory.mktemp("gimbrr") / "release", per_task=6)
