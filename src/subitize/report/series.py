"""The runs of a report, each read once, its models by name, and what tables of counting models share."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from subitize.analysis.frame import ReadOptions, RunFrame, read_frame, read_rows
from subitize.analysis.overview import Names, read_names
from subitize.analysis.provenance import Trails, read_provenance
from subitize.errors import BadValueError
from subitize.frame import Frame
from subitize.language.numbers import in_words
from subitize.records import Estimate
from subitize.report.estimates import bounds
from subitize.report.table import KINDS, Cell, Row, RowKind
from subitize.report.texts import printable
from subitize.store import Database, Run
from subitize.store.rows import list_sources

if TYPE_CHECKING:
    from subitize.analysis.counting import CountingReport
    from subitize.analysis.published import PublishedCounts
    from subitize.stats.answers import KnowerLevel


@dataclass(frozen=True, slots=True)
class ReportRun:
    """An open run and what was read of it, under a unique name."""

    name: str
    run: Run
    survey: RunFrame
    trails: Trails
    names: Names

    def badge(self, model: str, judge: str = "") -> RowKind:
        """Mark a stand-in, or a real model judged by a stand-in."""
        if model in self.names.models:
            return "stand-in"
        return "stand-in judge" if judge in self.names.judges else ""

    def name_model(self, model: str) -> str:
        """Get a model's display name, on one line."""
        return printable(self.names.name_model(model)).replace("\n", " ")

    def name_judge(self, judge: str) -> str:
        """Get a judge's display name."""
        return printable(self.names.name_judge(judge))


@dataclass(frozen=True, slots=True)
class Series:
    """One judge's observations of one model on one suite of one run, under its label in the report."""

    label: str
    source: ReportRun
    suite: str
    model: str
    judge: str
    badge: RowKind
    observations: Frame

    @property
    def judge_name(self) -> str:
        """The judge's display name."""
        return self.source.name_judge(self.judge)

    @property
    def is_informed(self) -> bool:
        """Whether the judge knew what was asked for."""
        return bool(self.observations.rows["is_informed"].any())

    @property
    def is_excluded(self) -> bool:
        """Whether all its observations are excluded by hand."""
        return bool(self.observations.rows["is_excluded"].all())


def read_sources(runs: Sequence[Run], reader: ReadOptions | None = None) -> list[ReportRun]:
    """Read each run; refuse one without readings, saying what to do about it."""
    sources = []
    for name, run in zip(_names(runs), runs, strict=True):
        judge = run.find_judge(reader.judge) if reader and reader.judge else None
        own = replace(reader or ReadOptions(), judge=judge)
        rows = read_rows(run, own, is_traced=True)
        survey = read_frame(run, own, rows)
        sources.append(ReportRun(name, run, survey, read_provenance(run, judge, rows), read_names(run)))
    return sources


def shared_judges(run: Run) -> set[str]:
    """Find the judges that may stand for several people; this is quick."""
    judges = Counter(one.judge for one in list_sources(run))
    return {judge for judge, sources in judges.items() if sources > 1}


def list_series(sources: Sequence[ReportRun]) -> list[Series]:
    """List what is shown, labelled by model, and by run and judge where the model alone is ambiguous."""
    groups = {
        (place, suite, model, judge): observations
        for place, source in enumerate(sources)
        for (suite, model, judge), observations in source.survey.observations.partition("suite", "model", "judge")
    }
    judges = Counter((place, suite, model) for place, suite, model, _ in groups)
    names = {(place, suite, model): sources[place].name_model(model) for place, suite, model in judges}
    uses = Counter((suite, name) for (_, suite, _), name in names.items())
    found = []
    for (place, suite, model, judge), observations in groups.items():
        source, label = sources[place], names[place, suite, model]
        label += f" ({source.name})" * (uses[suite, label] > 1)
        label += f" · {source.name_judge(judge)}" * (judges[place, suite, model] > 1)
        found.append(Series(label, source, suite, model, judge, source.badge(model, judge), observations))
    return sorted(found, key=lambda one: (one.suite, KINDS.index(one.badge), one.label))


def _names(runs: Sequence[Run]) -> list[str]:
    """Name each run by its folder, or by its path if two folders have the same name."""
    places = [run.location for run in runs]
    paths = [Path(place.run_id) if isinstance(place, Database) else place.path for place in places]
    for path, count in Counter(path.resolve() for path in paths).items():
        if count > 1:
            raise BadValueError(f"run {path} is given {count} times; once is enough")
    short = [path.resolve().name or str(path) for path in paths]
    return [name if short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]


@dataclass(frozen=True, slots=True)
class CountingModel:
    """A model under its label in the report, and how it counts."""

    label: str
    badge: RowKind
    report: "CountingReport"

    def row(self, *cells: Cell) -> Row:
        """Make the model's row of a table."""
        return Row((self.label, *cells), self.badge)

    def point(self, name: str, at: object, estimate: Estimate) -> dict[str, object]:
        """Make a point of a chart: the model, a named coordinate and an estimate."""
        return {"model": self.label, name: at, **bounds(estimate)}


def rank(models: Iterable[CountingModel]) -> list[CountingModel]:
    """Sort models by kind, real ones first, then by accuracy."""

    def order(one: CountingModel) -> tuple[int, float, str]:
        accuracy = one.report.accuracy
        return KINDS.index(one.badge), -accuracy.value if accuracy else inf, one.label

    return sorted(models, key=order)


def differing_design(published: "PublishedCounts | None", models: Sequence[CountingModel]) -> str:
    """Describe the design of published figures if a model here had another one; else return nothing."""
    if published is None:
        return ""
    numbers, categories = published.numbers, published.categories
    if all((one.report.numbers, {*one.report.categories}) == (numbers, {*categories}) for one in models):
        return ""
    return (
        f"Published figures are for the numbers {numbers[0]}–{numbers[-1]} and the paper’s {in_words(len(categories))} "
        f"categories ({', '.join(categories)}); not all models here were given just these."
    )


def level_name(level: int) -> str:
    """Write a counting level as the literature does."""
    return f"{level}-knower"


def level_text(knower: "KnowerLevel | None") -> str | None:
    """Write a counting level with the lowest and highest possible ones."""
    if knower is None or knower.level is None:
        return None
    return f"{level_name(knower.level)} [{knower.low}, {knower.high}]"
