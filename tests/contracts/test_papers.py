"""Every paper brings what it says: all references lead somewhere, and each thing is of its kind."""

import pytest

from subitize import papers as plugins
from subitize.interfaces import Paper
from subitize.labels import Rule, WordRule, consensus, parse_rule
from subitize.language.mentions import NoValue
from subitize.models.image_folders import FileNaming
from subitize.records import Known
from subitize.registry import find_paper, names, paper_of
from subitize.report.compose import references
from subitize.report.listing import listings
from tests.commands import call

PAPERS = names("papers")


@pytest.fixture(params=PAPERS)
def paper(request: pytest.FixtureRequest) -> Paper:
    return find_paper(request.param)


def test_it_is_cited_and_its_suites_are_found(paper: Paper) -> None:
    assert paper.citation
    assert all(one.use for one in paper.references)
    for suite in paper.suites:
        assert paper_of(suite) is paper_of(f"{suite}~grid") is paper
        assert references([suite])[0].text == paper.citation
    assert set(paper.picture_suites) | set(paper.judged_by) <= set(paper.suites)
    assert {suite for suite, _ in paper.kappas} <= set(paper.suites)
    known = {one.name for one in listings("suites")}
    assert set(paper.suites) <= known


def test_its_rules_read_numbers(paper: Paper) -> None:
    for name, reference in paper.rules.items():
        rule = plugins.load(reference)
        assert isinstance(rule, WordRule)
        assert str(parse_rule(name)) == str(Rule(name)) == f"{name}@{rule.version}"
        assert rule.read("3") == 3
        assert isinstance(rule.read("no number here"), float | NoValue)
    for name in paper.consensus_rules:
        assert consensus([Known(3), Known(3), Known(4)], name) == Known(3)


def test_its_files_are_named_like_their_example(paper: Paper) -> None:
    for name, reference in paper.file_names.items():
        naming = plugins.load(reference)
        assert isinstance(naming, FileNaming)
        assert naming.name == name
        assert naming.fits(naming.example.rpartition(".")[0])


_WRITES = {
    "release": ("read",),
    "reproduction": ("reproduce",),
    "tables": (),
    "claims": ("claims", "WORDING"),
    "figures": (),
    "export": ("write",),
}
_OF_COMMON_FORM = {"tables": ("rows", "TABLES", "EXTENSIONS", "PUBLISHED", "warnings")}
_OF_FIGURES = {"figures": ("leaderboard", "SECTIONS", "headline", "NOTHING")}


def test_its_parts_have_what_they_should(paper: Paper) -> None:
    wanted = _WRITES | ({} if paper.tabulate else _OF_COMMON_FORM) | ({} if paper.report else _OF_FIGURES)
    for part in paper.parts:
        module = paper.load(part)
        for name in wanted[part]:
            assert hasattr(module, name), (paper.title, part, name)


def test_its_published_counts_are_of_its_suites(paper: Paper) -> None:
    assert not paper.counts or set(plugins.load(paper.counts)) <= set(paper.suites)


@pytest.mark.parametrize("name", PAPERS)
def test_what_it_cannot_do_is_said_in_one_line_with_those_that_can(name: str) -> None:
    for parts, arguments in (
        ({"release", "reproduction"}, ["report", "reproduce", name, "DIR"]),
        ({"release"}, ["import", "release", name, "DIR", "--out", "run"]),
        ({"export"}, ["export", "ratings", name, "--paper", name]),
    ):
        if not parts & {*find_paper(name).parts}:
            ended = call(*arguments)
            assert (ended.code, ended.err.count("\n")) == (2, 1)
            assert "those that can: " in ended.err
