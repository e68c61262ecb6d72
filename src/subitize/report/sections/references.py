"""The works whose protocols and criteria a report rests on."""

from collections.abc import Iterable

from subitize.registry import paper_of
from subitize.report.document.blocks import ReferenceBlock


def references(suites: Iterable[str]) -> tuple[ReferenceBlock, ...]:
    """List what to cite for these suites, each work once; a refined suite rests on the works of its base."""
    papers = filter(None, map(paper_of, suites))
    works = dict.fromkeys(work for paper in papers for work in paper.references)
    return tuple(ReferenceBlock(work.citation, work.url, work.use) for work in works)
