"""A paper's part of a report, written once for all papers: each run as each judge saw it becomes the paper's rows."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from subitize.analysis.papers import JudgedFrame, models_of, take
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE
from subitize.papers import Paper
from subitize.report.charts import Palette, Spec
from subitize.report.claims import claims_section
from subitize.report.series import CountingModel, Series
from subitize.report.table import Block, Figure, Paragraph, RowKind, Section, SuiteReport, Table

UNREAD = "{}: no answer about its images has a value; it is in no figure."


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """One run as one judge saw it: the paper's rows, whose models have their labels in the report.

    `suffix` keeps file names apart and is empty if there is only one.
    """

    name: str
    suffix: str
    rows: Any
    series: Sequence[Series]
    counted: Sequence[CountingModel] = ()

    @property
    def badges(self) -> dict[str, RowKind]:
        """Map the labels of its models to badges, which mark stand-ins."""
        return {one.label: one.badge for one in self.series}

    @property
    def models(self) -> list[str]:
        """The models, in the order of their first rows."""
        return models_of(self.rows)

    def title(self, text: str) -> str:
        """Add the name to a title if there are several."""
        return f"{text}, {self.name}" if self.suffix else text


class FiguresPart(Protocol):
    """What a paper's module `figures` has.

    Its `SHOWS`, if there is one, names what its sections show, which is otherwise added to them: "claims",
    "refinements".
    """

    NOTHING: str
    """What a report says where nothing was judged."""
    SECTIONS: Sequence[Callable[[Sequence[JudgedRows], Palette], Section | None]]

    def leaderboard(self, groups: Sequence[JudgedRows], /) -> Sequence[Block]:
        """Rank the models."""
        ...

    def headline(self, groups: Sequence[JudgedRows], /) -> str:
        """Say what stands out, in a sentence."""
        ...


def report_paper(
    paper: Paper, suite: str, series: Sequence[Series], palette: Palette, counted: Sequence[CountingModel] = ()
) -> SuiteReport:
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
        source = own[0].source
        with suppress(NothingToDoError):  # where no answer has a value
            rows = tables.rows(JudgedFrame.of_run(source.survey, paper.suites, [judge]))
            rows = take(rows, {one.model: one.label for one in own})
            if models_of(rows):
                suffix = f"-{place}" if len(keys) > 1 else ""
                groups.append(JudgedRows(f"{run} · {source.name_judge(judge)}", suffix, rows, own, counted))
                notes += map(Paragraph, tables.warnings(rows))
    read = {model for group in groups for model in group.models}
    notes += [Paragraph(UNREAD.format(one.label)) for one in left if one.label not in read]
    if not groups:
        return SuiteReport([Paragraph(figures.NOTHING), *notes], ())
    made = [section(groups, palette) for section in figures.SECTIONS]
    shown = getattr(figures, "SHOWS", ())
    if "claims" in paper.parts and "claims" not in shown:
        claims = paper.load("claims")
        found = {group.name: claims.claims(group.rows) for group in groups}
        made.append(claims_section(suite, found, claims.WORDING))
    return SuiteReport(
        [*figures.leaderboard(groups), *notes],
        tuple(filter(None, made)),
        figures.headline(groups),
        has_refinements="refinements" in shown,
    )


def list_badges(groups: Iterable[JudgedRows]) -> dict[str, RowKind]:
    """Map labels to badges, which mark stand-ins."""
    return {label: badge for group in groups for label, badge in group.badges.items()}


def draw(table: Table, spec: Spec, caption: str, alt: str, *, title: str = "") -> Figure:
    """Make a figure of a table and its chart, by default under the table's title."""
    return Figure(f"{table.name}-chart", title or table.title, spec, caption, alt, table)
