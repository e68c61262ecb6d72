"""One report that many tests look at."""

from collections.abc import Iterator

import pytest

from tests.report.report_runs import Written, drawn, named, report, unnumbered


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """The report of three runs together, with its figures and tables."""
    folder = tmp_path_factory.mktemp("report")
    with named(folder / "named") as one, drawn(folder / "drawn") as two, unnumbered(folder / "odd <run>") as three:
        yield report([one, two, three], folder)
