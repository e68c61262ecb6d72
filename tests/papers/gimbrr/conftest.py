"""What the tests of GIMBRR share: the authors' release where it is there, read once, and a small one made up."""

from pathlib import Path

import pytest

from subitize.papers.gimbrr.ratings import Ratings
from subitize.papers.gimbrr.release import Release, read_release, take_released
from tests.gimbrr_release import write_release


@pytest.fixture(scope="session")
def released(shared_data: Path) -> Release:
    return read_release(shared_data / "gimbrr")


@pytest.fixture(scope="session")
def released_ratings(released: Release) -> Ratings:
    return take_released(released)


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release; tests that change it write their own."""
    return write_release(tmp_path_factory.mktemp("gimbrr") / "release", per_task=6)
