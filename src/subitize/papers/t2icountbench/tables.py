"""T2ICountBench's tables and figures from what models drew in a run, next to the printed figures.

All take results as one judge saw them. As in the paper, a figure is the plain mean over categories of the share of
prompts with at least one right image of four; next to it is the share of right images, averaged over prompts and then
categories. The paper has no over- or undercounting, no spread, and not the number from which half the images are wrong.
Source of the printed figures (published.csv): Guo et al. (2025), Text-to-Image Diffusion Models Cannot Count, and
Prompt Refinement Cannot Help: Tables 1 to 3, and what the text says of Figures 1 and 3 to 5, which print no numbers
(sections 4.2, C.1 and C.2). No images or votes were released; no cell has an n."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from subitize.analysis import score
from subitize.analysis.claims import Claim
from subitize.analysis.compare import default_k, is_fallback
from subitize.analysis.design import number_strata
from subitize.analysis.papers import JudgedFrame, Tabulated
from subitize.analysis.published import CellId, Published, read_published
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE
from subitize.io.frames import group_rows
from subitize.papers.t2icountbench import PAPER, beyond
from subitize.papers.t2icountbench import suite as benchmark
from subitize.papers.t2icountbench.beyond import Beyond
from subitize.records import REFINED, Design, Estimate, Item, Scalar
from subitize.report.claims import claim_lines
from subitize.report.comparisons import pair_table
from subitize.report.table import Cell, Column, Result, Table, Worded
from subitize.report.texts import number_of
from subitize.stats.estimate import estimate
from subitize.store import Run

CATEGORIES: tuple[str, ...] = ("fruit", "human", "animal", "shape", "furniture", "plant")
CONDITIONS: tuple[str, ...] = ("original", "multiplicative", "additive", "grid", "position")
"""The columns of Table 3: the original prompt and its refinements."""
AVERAGE = "average"
ALL_MODELS = "all 15 models"
"""The row of statements about all models together."""
KAPPA = PAPER.kappas["t2icountbench", "matches-prompt"]

PUBLISHED = Published(
    {
        **read_published(Path(__file__).with_name("published.csv")),
        CellId("agreement", ALL_MODELS, "fleiss_kappa"): KAPPA,
    },
    points=lambda _: 100.0,
)
"""Every printed cell, in the order of the paper. Tables are shares; figures quoted from the text are in percent."""

SUITE = benchmark.NAME
IMAGES = benchmark.GROUP
"""How many images of a prompt count together in the paper."""
UNUSABLE: score.Unusable = "left out"
"""In the paper every image could be judged, so unreadable ones are dropped here."""

SCENES: tuple[str, ...] = tuple(benchmark.SCENES)
STYLES: tuple[str, ...] = tuple(benchmark.STYLES)
DIFFICULTIES: tuple[str, ...] = (*benchmark.DIFFICULTIES, benchmark.BEYOND)


@dataclass(frozen=True, slots=True)
class Attempts:
    """The paper's rows: results of the suite and of its refinements as one judge saw them, and what has no result."""

    results: Sequence[score.PromptResult]
    judge: str = NO_JUDGE
    omissions: score.LeftOutResults = field(default_factory=score.LeftOutResults)
    designs: Mapping[str, Design] = field(default_factory=dict)
    run: Run | None = None

    @property
    def originals(self) -> "Attempts":
        """The results of the benchmark's own prompts."""
        return replace(self, results=[one for one in self.results if one.item.suite == SUITE])

    @property
    def models(self) -> list[str]:
        """The models with a result of the benchmark's own prompts."""
        return list(_by_model(self.originals.results))

    @property
    def k(self) -> int:
        """How many images count together: four, or as many as at least half of the prompts have."""
        return default_k(self.results, IMAGES)

    def rename(self, models: Mapping[str, str], judges: Mapping[str, str] | None = None) -> "Attempts":
        """Keep these models, under their names."""
        named = judges or {}
        results = [
            replace(one, model=models[one.model], judge=named.get(one.judge, one.judge))
            for one in self.results
            if one.model in models
        ]
        without = (
            frozenset((models[model], id) for model, id in own if model in models)
            for own in (self.omissions.undecided, self.omissions.excluded)
        )
        return replace(self, results=results, omissions=score.LeftOutResults(*without))

    def take(self, labels: Mapping[str, str]) -> "Attempts":
        """Keep these models, under their labels, by their averages: the order of all figures."""
        own = self.rename(labels)
        if not own.models:
            return own
        averages = average_by_model(own.originals.results, own.originals.k)
        known = {model: rank for rank, model in enumerate(sorted(averages, key=lambda model: -averages[model].value))}
        ordered = sorted(own.results, key=lambda one: (one.item.suite != SUITE, known.get(one.model, len(known))))
        return replace(own, results=ordered)


def rows(seen: JudgedFrame) -> Attempts:
    """Gather the results of the suite and its refinements, and the prompts without one.

    Prompts that were only ever refused have no judge, and count as wrong for any.
    """
    observed = seen.whole.filter(pl.col("is_relevant"))
    judge = max(observed.rows["judge"].unique(), key=lambda name: name != NO_JUDGE)
    found, omissions = score.gather_decided(observed, unusable=UNUSABLE)
    results = [replace(one, judge=judge) for one in found]  # also for results without any usable value
    if all(one.item.suite != SUITE for one in results):
        undecided, excluded = (
            sum(id.startswith(f"{SUITE}/") for _, id in ids) for ids in (omissions.undecided, omissions.excluded)
        )
        raise NothingToDoError(
            f"{seen.run.location if seen.run else 'it'} has no prompt of {SUITE} that is decided: {undecided} "
            f"undecided, as their votes are tied or no answer has a value, and {excluded} excluded by hand"
        )
    return Attempts(results, judge, omissions, seen.whole.designs, seen.run)


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table or figure: computed, with its interval (n: prompts), or as printed in the paper.

    `per_image` is the share of right images, averaged like the value, which the success of several hides; None if
    single images were not judged. `fallbacks` is how many of the n prompts could not be refined and stayed the
    original.
    """

    table: str
    row: str
    column: str
    value: Estimate | str
    per_image: Estimate | None = None
    fallbacks: int = 0

    @property
    def is_published(self) -> bool:
        """Whether it is the paper's."""
        return isinstance(self.value, str)


class PromptShare(NamedTuple):
    """A prompt's share of right images, or of choices of several with a right one, and the number of such choices."""

    prompt: str
    category: Scalar
    stratum: tuple[Scalar, ...]
    value: float
    choices: float = 1.0


@dataclass(frozen=True, slots=True)
class RankAmongPublished:
    """A model's rank among the fifteen of the paper: 1 is the best, 16 the last.

    `best` and `worst` are the ranks of the ends of its interval; the paper's averages are taken as printed.
    """

    model: str
    average: Estimate
    rank: int
    best: int
    worst: int
    of: int


def table_2(rows: Attempts) -> list[TableCell]:
    """Compute Table 2, categories and their mean by model, sorted by mean together with the paper's rows."""
    k, own = rows.k, rows.originals.results
    categories = _levels(own, "category", CATEGORIES)
    cells: dict[tuple[str, bool], list[TableCell]] = {}
    for model, of_model in _by_model(own).items():
        row = [
            cell
            for category in categories
            for cell in _cell("table2", model, category, having(of_model, category=category), k)
        ]
        cells[model, False] = [*row, *_cell("table2", model, AVERAGE, of_model, k)]
    for cell in _printed("table2"):
        cells.setdefault((cell.row, True), []).append(cell)
    # A model without a prompt that has k images has no row.
    return [cell for row in sorted(filter(None, cells.values()), key=_average) for cell in row]


def by_difficulty(rows: Attempts) -> list[TableCell]:
    """Compute Figure 1: models by the number of things requested."""
    return _by_factor("figure1", rows, "difficulty", DIFFICULTIES, {})


def by_style(rows: Attempts) -> list[TableCell]:
    """Compute Figure 3: models by style, at home."""
    return _by_factor("figure3", rows, "style", STYLES, {"scene": "home"})


def by_scene(rows: Attempts) -> list[TableCell]:
    """Compute Figure 4: models by scene, in plain style."""
    return _by_factor("figure4", rows, "scene", SCENES, {"style": "plain"})


def averages(rows: Attempts) -> list[TableCell]:
    """Compute Figure 5: scenes and styles averaged over the run's models, for prompts that all models share.

    A scene or style that some model lacks has no average. The interval is over prompts: models are not treated as a
    sample.
    """
    k, own = rows.k, rows.originals.results
    models = len(_by_model(own))
    row = f"{number_of(models, 'model')} here"
    cells: list[TableCell] = []
    for factor, known, fixed in (("scene", SCENES, {"style": "plain"}), ("style", STYLES, {"scene": "home"})):
        chosen = having(own, **fixed)
        for level in _levels(chosen, factor, known):
            cells += _cell("figure5", row, level, having(chosen, **{factor: level}), k, each=models)
    return [*cells, *_printed("figure5")]


def table_3(rows: Attempts) -> list[TableCell]:
    """Compute Table 3: the original prompt and its refinements at home in plain style, with their mean.

    Means of models are over the prompts that have a result in every column. Of the paper, only columns that the run has
    are shown, and averages only if it has all. The table "table3_applied" leaves out prompts that could not be refined;
    there, the original is not comparable with each column, and has no mean.
    """
    k = rows.k
    found = _by_column(rows.results)
    columns = [*CONDITIONS, *sorted(found.keys() - {*CONDITIONS})]
    columns = [name for name in columns if name == CONDITIONS[0] or name in found]
    if len(columns) == 1:
        return []
    cells: list[TableCell] = []
    for model, own in _by_model(having(rows.results, scene="home", style="plain")).items():
        by_column = {name: [one for one in own if _refinement(one) == name] for name in columns}
        for name, there in by_column.items():
            cells += _cell("table3", model, name, there, k)
        cells += _cell("table3", model, AVERAGE, _complete(by_column), k, each=len(columns))
        for name in columns[1:]:
            cells += _cell("table3_applied", model, name, [one for one in by_column[name] if not is_fallback(one)], k)
    # The paper's averages are over its five columns and compare with no other average.
    shown = {*columns, *([AVERAGE] if columns == [*CONDITIONS] else [])}
    return [*cells, *(cell for cell in _printed("table3") if cell.column in shown)]


TABLES = (table_2, by_difficulty, by_style, by_scene, averages, table_3)
EXTENSIONS = ()


def average_by_model(attempts: Sequence[score.PromptResult], k: int, confidence: float = 0.95) -> dict[str, Estimate]:
    """Average the categories of each model: success of k images."""
    found = {model: _sample(own, "success", k) for model, own in _by_model(attempts).items()}
    return {model: average_categories(own, confidence) for model, own in found.items() if own}


def average_categories(prompts: Sequence[PromptShare], confidence: float = 0.95) -> Estimate:
    """Average prompts (the n) with equal weights for categories; the design's strata lie within categories."""
    sizes = Counter(one.category for one in prompts)
    (found,) = estimate(
        [one.value for one in prompts],
        stratum=number_strata((one.category, *one.stratum) for one in prompts),
        weight=[len(prompts) / len(sizes) / sizes[one.category] for one in prompts],
        count=[one.choices for one in prompts],
        confidence=confidence,
        what="share" if len(sizes) == 1 else f"mean of {len(sizes)} categories",
    )
    return replace(found, n=len(prompts))


def rank_among_published(rows: Attempts) -> list[RankAmongPublished]:
    """Rank each model that has all six categories among the fifteen of Table 2 by its average, worst first."""
    printed = [float(text) for (_, column), text in list_published("table2").items() if column == AVERAGE]
    own = _by_model(rows.originals.results)

    def rank(value: float) -> int:
        return 1 + sum(other > value for other in printed)

    return [
        RankAmongPublished(model, one, rank(one.value), rank(one.high), rank(one.low), len(printed) + 1)
        for model, one in sorted(
            average_by_model(rows.originals.results, rows.k).items(), key=lambda pair: pair[1].value
        )
        if not missing_levels(own[model], rows.k)["category"]
    ]


def missing_levels(attempts: Sequence[score.PromptResult], k: int) -> dict[str, list[str]]:
    """List the categories, difficulties and conditions of the published design without any success of k."""
    there = [one for one in attempts if one.pass_at(k) is not None]
    return {
        name: [level for level in levels if level not in {_level(one.item, name) for one in there}]
        for name, levels in _published_levels().items()
    }


def warnings(rows: Attempts, seen: JudgedFrame | None = None) -> list[str]:
    """List the ways in which the figures of a run differ from the paper's; a report shows them with its leaderboard."""
    run = seen and seen.run
    return list_warnings(rows.rename(run.model_names(), run.judge_names())) if run else []


def list_warnings(rows: Attempts) -> list[str]:
    """List the ways in which these figures differ from the paper's, so that only like is compared with like."""
    own, left_out = rows.originals.results, rows.omissions
    found = [*_warn_of_all(rows)]
    excluded = len({id for _, id in left_out.excluded})
    if excluded:
        found.append(f"{number_of(excluded, 'prompt')} {'are' if excluded > 1 else 'is'} excluded by hand")
    for model in dict.fromkeys([*rows.models, *(model for model, _ in sorted(left_out.undecided))]):
        found += [
            f"{model}: {text}" for text in _warn_of_model([one for one in rows.results if one.model == model], rows.k)
        ]
        found += [f"{model}: {text}" for text in _warn_of_gaps(model, own, left_out)]
    return found


def _warn_of_all(rows: Attempts) -> Iterator[str]:
    attempts, k = rows.results, rows.k
    judges = ", ".join(sorted({one.judge for one in attempts} - {NO_JUDGE})) or "nobody, as all was refused"
    yield (
        f"judges differ: the paper's figures are of five people's votes, these of {judges}; "
        "the paper's cells have two digits and no n"
    )
    if k < IMAGES:
        images = number_of(k, "image")
        yield f"the figures are the success of {images}, not of {IMAGES}: most prompts have no more; repeats={IMAGES}"
    few = {prompt_of(one) for one in attempts if one.pass_at(k) is None}
    if few:
        of = len({prompt_of(one) for one in attempts})
        where = " of a model or refinement" if len({(one.model, one.item.suite) for one in attempts}) > 1 else ""
        yield f"{len(few)} of {of} prompts have fewer than {k} judged images{where}, which are left out of success"
    others = len({one.item.id for one in rows.originals.results} - _design().keys())
    if others:
        yield (
            f"{number_of(others, 'prompt')} {'are' if others > 1 else 'is'} not of the published design; averages are "
            "over the categories, scenes and numbers that there are"
        )


def _warn_of_model(attempts: Sequence[score.PromptResult], k: int) -> Iterator[str]:
    """Warn of what the figures of a model lack, and of refinements that cover other prompts than the original."""
    missing = missing_levels([one for one in attempts if one.item.suite == SUITE], k)
    if missing["category"]:
        yield f"not placed among the fifteen, as it has nothing of {', '.join(missing['category'])}"
    rest = [*missing["difficulty"], *missing["condition"]]
    if rest:
        yield f"its average has nothing of {', '.join(rest)}"
    bases = {name: {prompt_of(one) for one in own} for name, own in _by_column(attempts).items()}
    before = bases.pop(CONDITIONS[0], set())
    for name, after in bases.items():
        lone = before ^ after
        if lone:
            count = f"{len(lone)} of {len(before | after)} prompts at home in plain style"
            yield f"{count} were judged as they are or with {name}, but not both: compare no columns of Table 3"


def _warn_of_gaps(model: str, own: Sequence[score.PromptResult], omissions: score.LeftOutResults) -> Iterator[str]:
    undecided, excluded = ({id for of, id in ids if of == model} for ids in (omissions.undecided, omissions.excluded))
    if undecided:
        are = "are" if len(undecided) > 1 else "is"
        yield f"{number_of(len(undecided), 'prompt')} {are} undecided: votes are tied, or no answer has a value"
    given = {one.item.id for one in own if one.model == model}
    missing = len(_design().keys() - given - undecided - excluded)
    if missing:
        yield f"{missing} of the {len(_design())} published prompts have no judged images"


@cache
def _design() -> Mapping[str, Item]:
    return {item.id: item for item in benchmark.T2ICountBench().items(0)}


@cache
def _published_levels() -> Mapping[str, list[str]]:
    names = ("category", "difficulty", "condition")
    return {name: list(dict.fromkeys(_level(item, name) for item in _design().values())) for name in names}


def _level(item: Item, name: str) -> str:
    """Return the level of a factor; a condition is a scene and a style."""
    factors = item.factors
    return f"{factors.get('scene')} {factors.get('style')}" if name == "condition" else str(factors.get(name))


def _by_factor(
    table: str, rows: Attempts, factor: str, known: Sequence[str], fixed: Mapping[str, Scalar]
) -> list[TableCell]:
    k, own = rows.k, having(rows.originals.results, **fixed)
    levels = _levels(own, factor, known)
    cells = [
        cell
        for model, of_model in _by_model(own).items()
        for level in levels
        for cell in _cell(table, model, level, having(of_model, **{factor: level}), k)
    ]
    return [*cells, *_printed(table)]


def _cell(
    table: str, row: str, column: str, attempts: Sequence[score.PromptResult], k: int, *, each: int = 1
) -> Iterator[TableCell]:
    """Average categories with equal weights; yield nothing if there is no success to average."""
    success, per_image = (_sample(attempts, measure, k, each) for measure in score.REFINEMENT_MEASURES)
    if success:
        prompts = {one.prompt for one in success}
        fallbacks = len({prompt_of(one) for one in attempts if is_fallback(one)} & prompts)
        images = average_categories(per_image) if per_image else None
        yield TableCell(table, row, column, average_categories(success), images, fallbacks)


def _sample(
    attempts: Sequence[score.PromptResult], measure: score.RefinementMeasure, k: int, each: int = 1
) -> list[PromptShare]:
    """Average within prompts that have `each` results (by model or refinement)."""
    by_prompt: dict[str, list[tuple[score.PromptResult, float]]] = defaultdict(list)
    for one in attempts:
        value = score.value_of(one, measure, k)
        if value is not None:
            by_prompt[prompt_of(one)].append((one, value))
    found = []
    for name, own in by_prompt.items():
        if len(own) == each:
            first, mean = own[0][0], sum(value for _, value in own) / each
            choices = sum(score.choices_of(one, measure, k) for one, _ in own)
            found.append(PromptShare(name, first.item.factors.get("category", ""), first.stratum, mean, choices))
    return found


def _complete(by_column: Mapping[str, Sequence[score.PromptResult]]) -> list[score.PromptResult]:
    """Keep the prompts that have a result as they were and in every refinement."""
    common = set.intersection(*({prompt_of(one) for one in own} for own in by_column.values()))
    return [one for own in by_column.values() for one in own if prompt_of(one) in common]


def _by_column(attempts: Sequence[score.PromptResult]) -> dict[str, list[score.PromptResult]]:
    """Group results at home in plain style by the columns of Table 3."""
    found: dict[str, list[score.PromptResult]] = defaultdict(list)
    for one in having(attempts, scene="home", style="plain"):
        found[_refinement(one)].append(one)
    return found


def prompt_of(attempt: score.PromptResult) -> str:
    """Return the id of the prompt, or of the one that it refines."""
    return attempt.item.base or attempt.item.id


def _refinement(attempt: score.PromptResult) -> str:
    return attempt.item.suite.partition(REFINED)[2] or CONDITIONS[0]


def having(attempts: Iterable[score.PromptResult], **factors: Scalar) -> list[score.PromptResult]:
    """Return the results whose factors have these levels."""
    return [one for one in attempts if all(one.item.factors.get(name) == level for name, level in factors.items())]


def _levels(attempts: Sequence[score.PromptResult], factor: str, known: Sequence[str]) -> list[str]:
    """List the levels found, the paper's first and in its order."""
    found = dict.fromkeys(str(one.item.factors[factor]) for one in attempts if factor in one.item.factors)
    return [*(level for level in known if level in found), *(level for level in found if level not in known)]


def _by_model(attempts: Iterable[score.PromptResult]) -> dict[str, list[score.PromptResult]]:
    return group_rows(attempts, lambda one: one.model)


def _printed(table: str) -> list[TableCell]:
    cells = list_published(table)
    rows = [name for name in (*MODELS, AVERAGE, ALL_MODELS) if any(row == name for row, _ in cells)]
    return [
        TableCell(table, row, column, text) for name in rows for (row, column), text in cells.items() if row == name
    ]


def _average(row: Sequence[TableCell]) -> float:
    value = row[-1].value
    return float(value) if isinstance(value, str) else value.value


@dataclass(frozen=True, slots=True)
class PaperTables:
    """All tables of a run; `k` is how many images of a prompt count together, four if there are that many."""

    judge: str
    k: int
    warnings: list[str]
    cells: list[TableCell]
    placements: list[RankAmongPublished]
    statements: list[Claim]
    beyond: Beyond | None


def lay_out(rows: Attempts, found: Tabulated, *, extensions: bool) -> Tabulated:
    """Add what cells cannot hold: ranks, the observations, and on request what the paper does not have."""
    assert found.claims
    assert isinstance(found.records, list)
    statements = [*found.claims()]
    more = beyond.measure(rows.results, rows.k, rows.designs) if extensions else None
    ranks = rank_among_published(rows)
    record = PaperTables(rows.judge, rows.k, [*found.warnings], found.records, ranks, statements, more)
    return replace(found, records=record, claims=lambda: statements, show=show_tables, shows_claims=True)


_TITLES = {
    "table2": "Table 2: success by category",
    "figure1": "Figure 1: success by difficulty",
    "figure3": "Figure 3: success by style, at home",
    "figure4": "Figure 4: success by scene, in plain style",
    "figure5": "Figure 5: success by scene and style, all models",
    "table3": "Table 3: success by refinement, at home in plain style",
    "table3_applied": "Table 3 without the prompts that could not be refined",
}

_CELLS = (
    "value [95 % interval] n prompts; per image: the share of images that are right, averaged likewise, with its n "
    "where that is another; paper: as printed, tables as shares, what its text says in percent"
)
_ORDER = (*CATEGORIES, *CONDITIONS, *DIFFICULTIES, *SCENES, *STYLES)
"""The columns in the paper's order; further ones follow, and averages come last."""


def show_tables(found: PaperTables) -> Result:
    """Show the tables of a run, the ranks of its models among the paper's, and the observations."""
    images = f"at least one of {found.k} images" if found.k > 1 else "one image"
    shown = [
        _make_table(name, [one for one in found.cells if one.table == name])
        for name in dict.fromkeys(one.table for one in found.cells)
    ]
    if found.placements:
        shown.append(_rank_table(found.placements))
    if found.beyond:
        shown += [pair_table(found.beyond.refinements)] * bool(found.beyond.refinements)
        # Votes say nothing about the numbers drawn.
        shown += [beyond.drawn_table(found.beyond.drawn_numbers)] * bool(found.beyond.drawn_numbers)
        shown.append(beyond.half_points_table(found.beyond.half_points))
    lead = f"judged by {found.judge}; success: {images} of a prompt is right"
    return Result(tuple(shown), lead=(lead,), notes=tuple(claim_lines(found.statements, title="observations")))


def _make_table(name: str, own: Sequence[TableCell]) -> Table:
    cells: dict[tuple[str, str], Cell] = {}
    for (row, is_published), found in group_rows(own, lambda one: (one.row, one.is_published)).items():
        cells |= {(f"{row} (paper)" if is_published else row, one.column): _write(one) for one in found}
        if any(one.per_image for one in found):
            cells |= {(f"  per image of {row}", one.column): _per_image(one) for one in found}
    there = dict.fromkeys(one.column for one in own)
    others = (name for name in there if name != AVERAGE)
    columns = [name for name in dict.fromkeys((*_ORDER, *others, AVERAGE)) if name in there]
    return Table.from_cells(name, _TITLES[name], cells, [Column("")], columns, caption=_CELLS, digits=3, empty="")


def _per_image(one: TableCell) -> Cell:
    if one.per_image is None:
        return ""
    is_same = isinstance(one.value, Estimate) and one.value.n == one.per_image.n
    return Worded("", one.per_image, "" if is_same else str(one.per_image.n))


def _write(one: TableCell) -> Cell:
    if isinstance(one.value, str):
        return one.value
    fallbacks = f" ({one.fallbacks} unrefined)" if one.fallbacks else ""
    return Worded("", one.value, f"{one.value.n}{fallbacks}")


def _rank_table(placements: Iterable[RankAmongPublished]) -> Table:
    rows = ((one.model, one.average, f"{one.rank} of {one.of}", f"{one.best} to {one.worst}") for one in placements)
    title = "among the paper's fifteen, by average (1 is the best)"
    return Table.of("ranks", title, ("model", "average", "rank", "range"), rows, digits=3)


MODELS: tuple[str, ...] = tuple(dict.fromkeys(place.row for place in PUBLISHED.cells if place.table == "table1"))


def list_published(table: str) -> dict[tuple[str, str], str]:
    """Return the printed cells of one table, by row and column."""
    return {(place.row, place.column): cell for place, cell in PUBLISHED.cells.items() if place.table == table}
