"""The doctor knows every part we ask for, and what to run where one is missing."""

import re
from importlib.metadata import PackageNotFoundError, metadata, requires, version

import pytest
from packaging.requirements import Requirement

from subitize import __version__
from subitize.report.catalog import InstallationCheck, examine, installation_result


@pytest.fixture(scope="module")
def findings() -> list[InstallationCheck]:
    return examine()


def test_this_machine_comes_first(findings: list[InstallationCheck]) -> None:
    assert [one.part for one in findings[:4]] == ["subitize", "python", "sqlite", "processor cores"]
    assert findings[0].version == __version__
    assert all(one.version for one in findings[:4])


def test_every_requirement_is_looked_for_under_its_extra(findings: list[InstallationCheck]) -> None:
    wanted = [one for one in map(Requirement, requires("subitize") or []) if _extra(one) != "dev"]
    assert len(wanted) > 20
    assert [(one.part, one.wanted_by) for one in findings[4:]] == [(one.name, _extra(one)) for one in wanted]


def test_a_part_has_its_version_or_the_command_that_brings_it(findings: list[InstallationCheck]) -> None:
    for one in findings[4:]:
        package = "subitize" if one.wanted_by == "core" else f"subitize[{one.wanted_by}]"
        try:
            expected = InstallationCheck(one.part, one.wanted_by, version(one.part), None)
        except PackageNotFoundError:
            expected = InstallationCheck(one.part, one.wanted_by, None, f"pip install '{package}'")
        assert one == expected


def test_the_core_is_complete(findings: list[InstallationCheck]) -> None:
    assert [one.part for one in findings if one.wanted_by == "core" and one.version is None] == []


@pytest.mark.detect
@pytest.mark.hub
@pytest.mark.inspect
@pytest.mark.ocr
@pytest.mark.postgres
@pytest.mark.torch
def test_where_everything_is_installed_no_part_for_users_is_missing(findings: list[InstallationCheck]) -> None:
    assert [one.part for one in findings if one.version is None and one.wanted_by != "dev"] == []


def test_what_is_missing_is_printed_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        InstallationCheck("numpy", "core", "2.0", None),
        InstallationCheck("torch", "local", None, "pip install 'subitize[local]'"),
    ]
    print(installation_result(found))
    _, _, there, missing, _ = capsys.readouterr().out.splitlines()
    assert there.split() == ["numpy", "core", "2.0"]
    assert re.fullmatch(r"torch +local +missing; run: pip install 'subitize\[local\]'", missing)


def _extra(requirement: Requirement) -> str:
    """Find the extra that makes the requirement's marker true."""
    extras = metadata("subitize").get_all("Provides-Extra") or []
    marker = requirement.marker
    return next((extra for extra in extras if marker and marker.evaluate({"extra": extra})), "core")
