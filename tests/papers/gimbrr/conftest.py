"""What the tests of GIMBRR share: the authors' release where it is there, read once, and a small one made up."""

from pathlib import Path

import pytest

from subitize.papers.gimbrr.ratings import TaskRatings
from subitize.papers.gimbrr.release import GimbrrRelease, read_release, take_released
from tests.papers.gimbrr.gimbrr_release import write_release


@pytest.fixture(scope="session")
def released(shared_data: Path) -> GimbrrRelease:
    return read_release(shared_data / "gimbrr")


@pytest.fixture(scope="session")
def released_ratings(released: GimbrrRelease) -> TaskRatings:
    return take_released(released)


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release; tests that change it write their own."""
    return write_release(tmp_path_factory.mktemp("gimbrr") / "release", per_task=6)
