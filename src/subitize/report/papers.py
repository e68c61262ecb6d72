"""A paper's part of a report, written once for all papers: each run as each judge saw it becomes the paper's rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from subitize.analysis.papers import JudgedFrame, models_of, rename
from subitize.frame import NO_JUDGE
from subitize.papers import Paper
from subitize.report.charts import Palette, Spec
from subitize.report.claims import claims_section
from subitize.report.series import Series
from subitize.report.table import Block, Figure, Paragraph, RowKind, Section, SuiteReport, Table


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """One run as one judge saw it: the paper's rows, whose models have their labels in the report.

    `suffix` keeps file names apart and is empty if there is only one.
    """

    name: str
    suffix: str
    rows: Any
    badges: dict[str, RowKind]

    @property
    def models(self) -> list[str]:
        """The models, in the order of their first rows."""
        return models_of(self.rows)

    def title(self, text: str) -> str:
        """Add the name to a title if there are several."""
        return f"{text}, {self.name}" if self.suffix else text


class FiguresPart(Protocol):
    """What a paper's module `figures` has."""

    NOTHING: str
    """What a report says where nothing was judged."""
    SECTIONS: Sequence[Callable[[Sequence[JudgedRows], Palette], Section | None]]

    def leaderboard(self, groups: Sequence[JudgedRows], /) -> Sequence[Block]:
        """Rank the models."""
        ...

    def headline(self, groups: Sequence[JudgedRows], /) -> str:
        """Say what stands out, in a sentence."""
        ...


def report_paper(paper: Paper, suite: str, series: Sequence[Series], palette: Palette) -> SuiteReport:
    """Write every section that the answers allow; items excluded by hand are left out."""
    tables, figures = paper.load("tables"), paper.load("figures")
    left = [one for one in series if not one.is_excluded]
    # A model that only refused was seen by every judge of its run.
    judged = [(one.source.name, one.judge) for one in left if one.judge != NO_JUDGE]
    runs = {run for run, _ in judged}
    keys = dict.fromkeys([*judged, *((one.source.name, NO_JUDGE) for one in left if one.source.name not in runs)])
    groups: list[JudgedRows] = []
    notes: list[Block] = []
    for place, (run, judge) in enumerate(keys, start=1):
        own = [one for one in left if one.source.name == run and one.judge in (judge, NO_JUDGE)]
        seen = JudgedFrame.of_run(own[0].source.survey, paper.suites, [judge])
        labels = {one.model: one.label for one in own}
        rows = rename(tables.rows(seen).filter(pl.col("model").is_in([*labels])), labels)
        if rows.height:
            suffix = f"-{place}" if len(keys) > 1 else ""
            groups.append(JudgedRows(f"{run} · {judge}", suffix, rows, {one.label: one.badge for one in own}))
            notes += map(Paragraph, tables.warnings(rows))
    if not groups:
        return SuiteReport([Paragraph(figures.NOTHING)], ())
    made = [section(groups, palette) for section in figures.SECTIONS]
    if "claims" in paper.parts:
        claims = paper.load("claims")
        found = {group.name: claims.claims(group.rows) for group in groups}
        made.append(claims_section(suite, found, claims.WORDING))
    return SuiteReport([*figures.leaderboard(groups), *notes], tuple(filter(None, made)), figures.headline(groups))


def list_badges(groups: Iterable[JudgedRows]) -> dict[str, RowKind]:
    """Map labels to badges, which mark stand-ins."""
    return {label: badge for group in groups for label, badge in group.badges.items()}


def draw(table: Table, spec: Spec, caption: str, alt: str, *, title: str = "") -> Figure:
    """Make a figure of a table and its chart, by default under the table's title."""
    return Figure(f"{table.name}-chart", title or table.title, spec, caption, alt, table)
