"""What every paper does in one way: a release or a run becomes a frame, and that becomes tables and conclusions."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from subitize.analysis.published import Cell, Published
from subitize.errors import ConflictError, NothingToDoError
from subitize.frame import NO_JUDGE, RESPONSES, Frame, build_frame
from subitize.io import codec
from subitize.io.frames import make_frame
from subitize.papers import Paper
from subitize.records import REFINED, Attached, Design, Drawn, Elsewhere, Item, Reading, Response, Spec

if TYPE_CHECKING:
    from subitize.analysis.claims import Claim
    from subitize.analysis.frame import RunFrame
    from subitize.analysis.measures import CountingReport
    from subitize.imports.releases import ReleaseSummary
    from subitize.store import Run


@dataclass(frozen=True, slots=True, eq=False)
class JudgedFrame:
    """What one judge saw of a paper's suites, in a run or a release: the frame, the responses, and the answers.

    Rows of refusals are there, too. Excluded items are, and are marked.
    """

    whole: Frame
    responses: pl.DataFrame
    votes: pl.DataFrame
    run: "Run | None" = None

    @property
    def excluded(self) -> Collection[str]:
        """The items that were excluded by hand."""
        return self.run.exclusions() if self.run else ()

    def rename(self, names: Mapping[str, str]) -> "JudgedFrame":
        """Replace the specs of models by names in the responses."""
        return replace(self, responses=rename(self.responses, names))

    @classmethod
    def of_run(cls, survey: "RunFrame", suites: Iterable[str], judges: Iterable[str]) -> "JudgedFrame":
        """Take what these judges saw of these suites, refined or not, of a run that has been read."""
        own = pl.col("suite").str.splitn(REFINED, 2).struct.field("field_0").is_in([*suites])
        whole = survey.whole.filter(own, pl.col("judge").is_in([*judges, NO_JUDGE]))
        return cls(whole, survey.responses, survey.readings, survey.run)


@dataclass(frozen=True, slots=True)
class CountingModels:
    """The rows of papers on counting: how each model counts, and numbers of parameters by model, where known."""

    reports: "Sequence[CountingReport]"
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """The models."""
        return [one.model for one in self.reports]


class TablesPart(Protocol):
    """What a paper's module `tables` has.

    Where its cells are more than `published.Cell`s, it also has `lay_out(rows, tabulated, *, extensions)`, which makes
    the record and how it is shown.
    """

    PUBLISHED: Published
    TABLES: Sequence[Callable[[Any], Iterable[Cell]]]
    """Functions of the rows, in the order of the paper."""
    EXTENSIONS: Sequence[Callable[[Any], Iterable[Cell]]]
    """What the paper has not."""

    def rows(self, seen: JudgedFrame, /) -> Any:  # noqa: ANN401
        """Make the paper's rows: a frame with a column `model`, or what knows its `models`, see `take`."""
        ...

    def warnings(self, rows: Any, seen: JudgedFrame | None = None, /) -> Iterable[str]:  # noqa: ANN401
        """Say what is odd about rows, and what of all that was seen is not among them."""
        ...


@dataclass(frozen=True, slots=True)
class Tabulated:
    """The computed tables of a paper as records: ComparedCells, or others that `show` makes a report's Result of.

    `claims` computes the paper's conclusions. They are printed below the tables unless the tables show them.
    """

    records: object
    warnings: Sequence[str] = ()
    claims: "Callable[[], Sequence[Claim]] | None" = field(default=None, compare=False)
    show: Callable[[Any], Any] | None = field(default=None, compare=False)
    shows_claims: bool = False
    models: Mapping[str, str] = field(default_factory=dict)
    """The paper's models by their names in its data, with those in print."""


@dataclass(frozen=True, slots=True)
class Release:
    """What authors released, read and checked: items, images known by name, and answers about them."""

    suite: Spec
    design: Design
    items: Sequence[Item]
    models: Sequence[Spec]
    judge: str
    responses: Sequence[Response]
    readings: Sequence[Reading]
    warnings: Sequence[str] = ()

    def seen(self) -> JudgedFrame:
        """Make the frame that a run of this release gives."""
        trials = make_frame(
            (
                (of.id, of.item_id, of.model, of.repeat, of.attempt, one.outcome.kind)
                for one in self.responses
                for of in (one.trial,)
            ),
            RESPONSES,
        )
        votes = make_frame(
            (
                (one.subject.id, one.question.id, one.judge, codec.encode(codec.value, one.value))
                for one in self.readings
            ),
            dict.fromkeys(("subject", "question", "judge", "value"), pl.String()),
        )
        designs = {self.suite.name: self.design}
        whole, _ = build_frame({item.id: item for item in self.items}, trials, votes, designs)
        return JudgedFrame(whole, trials, votes)

    def store(self, run: "Run") -> "ReleaseSummary":
        """Add what a run lacks, all or none; it must not have other images or answers of a model."""
        from subitize.imports.releases import ReleaseSummary

        with run.lease(f"judge {self.judge}") as lease:
            # The items are the same for every seed.
            seed = next((entry.seed for entry in run.suites() if entry.name == self.suite.name), 0)
            run.add_suite(self.suite, seed, self.items, self.design)
            run.add_judge(Spec(self.judge, {}, self.judge), is_stand_in=False)
            responses, readings = list(self._find_new(run)), self._find_unsaid(run)
            for model in self.models:
                run.add_model(model, is_stand_in=False)
            stored = run.add_judged(lease, responses, readings)
        return ReleaseSummary(*stored, len(self.readings) - len(readings))

    def _find_new(self, run: "Run") -> Iterator[Response]:
        there = {stored.trial_id: stored.response for stored in run.responses()}
        for one in self.responses:
            known = there.get(one.trial.id)
            if known is None:
                yield one
            elif (before := _name(known)) != (now := _name(one)):
                raise ConflictError(
                    f"{run.location} has {before!r} where {one.trial.model} now has {now!r}: its images have changed; "
                    "import them into a new run"
                )

    def _find_unsaid(self, run: "Run") -> list[Reading]:
        """Find the readings that the run lacks; of what it has answers to, it must have the same ones."""
        models = {one.trial.id: one.trial.model for one in self.responses}
        said = [(one, _said(one)) for one in self.readings]
        given = Counter(key for _, key in said)
        there = Counter(key for stored in run.readings(self.judge) if (key := _said(stored.reading))[0] in models)
        known = {key[:2] for key in there}
        for key in there | given:
            if key[:2] in known and there[key] != given[key]:
                raise ConflictError(
                    f"{run.location} has other ratings of {models[key[0]]} than the release; import into a new run"
                )
        return [one for one, key in said if key[:2] not in known]


def _name(response: Response) -> str:
    """Return the name of a released image."""
    match response.outcome:
        case Drawn(picture=Elsewhere(name=name) | Attached(name=name)):
            return name
    return ""


def _said(reading: Reading) -> tuple[str, str, str, str]:
    return reading.subject.id, reading.question.id, reading.annotator, codec.encode(codec.evidence, reading.evidence)


def read_judged(run: "Run", name: str, paper: Paper, judge: str | None) -> JudgedFrame:
    """Read what the only judge of each of a paper's suites saw in a run, or the one named."""
    from subitize.analysis.frame import ReadOptions, find_one_judge, read_frame  # they load the store

    if not any(entry.name in paper.suites for entry in run.suites()):
        imported = f", or: subitize import release {name} DIR --out RUN" if "release" in paper.parts else ""
        raise NothingToDoError(
            f"{run.location} has no items of {' or '.join(paper.suites)}; first: subitize run {[*paper.suites][-1]} "
            f"--model MODEL --out RUN{imported}"
        )
    survey = read_frame(run, ReadOptions(judge))
    rows = survey.observations.filter(pl.col("suite").is_in([*paper.suites])).rows
    if not rows.height:
        raise NothingToDoError(
            f"{run.location} has no readings of {' or '.join(paper.suites)} yet; subitize judge RUN --judge JUDGE"
        )
    by_suite = rows.partition_by("suite", maintain_order=True)
    judges = [find_one_judge(run, own, own["suite"][0] if len(paper.suites) > 1 else "") for own in by_suite]
    return JudgedFrame.of_run(survey, paper.suites, judges)


def tabulate(
    paper: Paper,
    rows: Any,  # noqa: ANN401
    seen: JudgedFrame | None = None,
    *,
    extensions: bool,
    warnings: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Tabulated:
    """Compute a paper's tables of its rows; names of models are for its warnings and conclusions."""
    part: TablesPart = paper.load("tables")
    tables = (*part.TABLES, *part.EXTENSIONS) if extensions else part.TABLES
    cells = [cell for table in tables for cell in table(rows)]
    shown = {spec: name for spec, name in (names or {}).items() if spec not in part.PUBLISHED.models}
    named = rename(rows, shown) if isinstance(rows, pl.DataFrame) else rows
    notes = tuple(dict.fromkeys((*warnings, *part.warnings(named, seen and seen.rename(shown)))))
    claims = (lambda: paper.load("claims").claims(named)) if "claims" in paper.parts else None
    if lay_out := getattr(part, "lay_out", None):
        laid_out: Tabulated = lay_out(rows, Tabulated(cells, notes, claims), extensions=extensions)
        return laid_out
    compared = part.PUBLISHED.compare(cells, models_of(rows))
    return Tabulated(compared, notes, claims, models=part.PUBLISHED.models)


def rename(rows: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """Replace the specs of models by names."""
    return rows.with_columns(pl.col("model").replace(names))


def take(rows: Any, labels: Mapping[str, str]) -> Any:  # noqa: ANN401
    """Keep the rows of these models, under their labels; rows that are no frame have a function `take` for it."""
    if isinstance(rows, pl.DataFrame):
        return rename(rows.filter(pl.col("model").is_in([*labels])), labels)
    return rows.take(labels)


def models_of(rows: Any) -> list[str]:  # noqa: ANN401
    """List the models in the order of their first rows."""
    return rows["model"].unique(maintain_order=True).to_list() if isinstance(rows, pl.DataFrame) else rows.models
