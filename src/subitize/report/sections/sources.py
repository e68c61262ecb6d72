"""The runs of a report, each read once, and the names their models go by in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.analysis.frame import Frame, ReadOptions, RunFrame, read_frame
from subitize.analysis.overview import Names, read_names
from subitize.analysis.provenance import Trails, read_provenance
from subitize.errors import BadValueError
from subitize.io.frames import group_rows
from subitize.report.document.blocks import KINDS, Badge
from subitize.report.document.cells import printable
from subitize.store import Database, Run
from subitize.store.frames import trace_responses
from subitize.store.reading import read_judgings


@dataclass(frozen=True, slots=True)
class Source:
    """An open run and what was read of it, under the name that tells it from the others."""

    name: str
    run: Run
    survey: RunFrame
    trails: Trails
    stand_ins: Names

    def badge(self, model: str, judge: str = "") -> Badge:
        """Mark a model that is a stand-in, and one that is none but was judged by one."""
        if model in self.stand_ins.models:
            return "stand-in"
        return "stand-in judge" if judge in self.stand_ins.judges else ""

    def name_model(self, model: str) -> str:
        """Name a model in one line."""
        return printable(self.stand_ins.name_model(model)).replace("\n", " ")

    def name_judge(self, judge: str) -> str:
        """Name a judge."""
        return printable(self.stand_ins.name_judge(judge))


@dataclass(frozen=True, slots=True)
class Series:
    """What one judge observed of one model on one suite of one run, under its name in the report."""

    label: str
    source: Source
    suite: str
    model: str
    judge: str
    badge: Badge
    observations: Frame

    @property
    def judge_name(self) -> str:
        """How the judge is shown."""
        return self.source.name_judge(self.judge)

    @property
    def is_informed(self) -> bool:
        """Tell whether the judge knew what was asked for."""
        return bool(self.observations.rows["is_informed"].any())

    @property
    def is_excluded(self) -> bool:
        """Tell whether everything was left out by hand."""
        return bool(self.observations.rows["is_excluded"].all())


def read_sources(runs: Sequence[Run], reader: ReadOptions | None = None) -> list[Source]:
    """Read each run; a run without readings is refused with what to do about it."""
    sources = []
    for name, run in zip(_names(runs), runs, strict=True):
        responses = trace_responses(run)
        survey = read_frame(run, reader, responses)
        sources.append(Source(name, run, survey, read_provenance(run, survey.readings, responses), read_names(run)))
    return sources


def shared_judges(run: Run) -> set[str]:
    """Name the judges as which several people may have looked; it takes a moment only."""
    judgings = group_rows(read_judgings(run), lambda one: one.judge)
    return {judge for judge, own in judgings.items() if sum(one.annotators for one in own) > 1}


def list_series(sources: Sequence[Source]) -> list[Series]:
    """Tell apart what is shown: a model goes by its name, with the run and the judge where that is not enough."""
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
    """Name a run by its folder, or where two folders are called alike by its path."""
    places = [run.location for run in runs]
    paths = [Path(place.run_id) if isinstance(place, Database) else place.path for place in places]
    for path, count in Counter(path.resolve() for path in paths).items():
        if count > 1:
            raise BadValueError(f"run {path} is given {count} times; once is enough")
    short = [path.resolve().name or str(path) for path in paths]
    return [name if short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]
