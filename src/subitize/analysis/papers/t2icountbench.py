"""T2ICountBench's tables and figures from what models drew in a run, beside what the paper prints.

All take attempts as one judge saw them. A figure is the plain mean over categories of the share of prompts of which at
least one of four images is right, as in the paper; the share of all images that are right stands beside it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from subitize.analysis.attempts import Attempt
from subitize.analysis.papers.t2icountbench_published import (
    ALL_MODELS,
    AVERAGE,
    CATEGORIES,
    CONDITIONS,
    MODELS,
    list_published,
)
from subitize.analysis.refinements import MEASURES, Measure, is_fallback, usual_k, value_of
from subitize.records import REFINED, Estimate, Scalar
from subitize.stats.strata import mean_of_strata
from subitize.suites.t2icountbench import suite, wording

SUITE = suite.NAME
IMAGES = suite.GROUP
"""How many images of a prompt the paper looks at together."""

SCENES: tuple[str, ...] = tuple(wording.SCENES)
STYLES: tuple[str, ...] = tuple(wording.STYLES)
DIFFICULTIES: tuple[str, ...] = (*suite.DIFFICULTIES, suite.BEYOND)

Where = Callable[[Attempt], bool]


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table or figure: computed, with its interval (n: prompts), or as the paper prints it.

    `per_image` is the share of images that are right, which the success of several hides; None where nobody looked at
    single images. `fallbacks` is how many of the prompts could not be refined and are the original ones.
    """

    table: str
    row: str
    column: str
    value: Estimate | str
    per_image: Estimate | None = None
    fallbacks: int = 0

    @property
    def is_published(self) -> bool:
        """Tell whether it is the paper's."""
        return isinstance(self.value, str)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a model stands among the fifteen of the paper: 1 is the best, 16 the last.

    `best` and `worst` are the ranks of the ends of its interval; the paper's own averages are taken as printed.
    """

    model: str
    average: Estimate
    rank: int
    best: int
    worst: int
    of: int


def originals(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Take the attempts at the benchmark's own prompts."""
    return [one for one in attempts if one.item.suite == SUITE]


def choose_k(attempts: Sequence[Attempt]) -> int:
    """Choose how many images are looked at together: four, or as many as at least half of the prompts have."""
    return usual_k(attempts, IMAGES)


def table_2(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Table 2, categories and their mean by model, the paper's rows among ours, by average."""
    k, own = choose_k(attempts), originals(attempts)
    categories = _levels(own, "category", CATEGORIES)
    cells: dict[tuple[str, bool], list[TableCell]] = {}
    for model, of_model in _by_model(own).items():
        row = [
            cell
            for category in categories
            for cell in _cell("table2", model, category, _having(of_model, category=category), k)
        ]
        cells[model, False] = [*row, *_cell("table2", model, AVERAGE, of_model, k)]
    for cell in _printed("table2"):
        cells.setdefault((cell.row, True), []).append(cell)
    return [cell for row in sorted(cells.values(), key=_average) for cell in row]


def by_difficulty(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Figure 1: models by how many things are asked for."""
    return _by_factor("figure1", attempts, "difficulty", DIFFICULTIES, {})


def by_style(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Figure 3: models by style, at home."""
    return _by_factor("figure3", attempts, "style", STYLES, {"scene": "home"})


def by_scene(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Figure 4: models by scene, in plain style."""
    return _by_factor("figure4", attempts, "scene", SCENES, {"style": "plain"})


def averages(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Figure 5: scenes and styles averaged over the run's models, prompts that all of them were given.

    The interval is of prompts: the models are those that there are, not a sample of others.
    """
    k, own = choose_k(attempts), originals(attempts)
    models = len(_by_model(own))
    row = f"{models} models here" if models > 1 else "1 model here"
    cells: list[TableCell] = []
    for factor, known, fixed in (("scene", SCENES, {"style": "plain"}), ("style", STYLES, {"scene": "home"})):
        chosen = _having(own, **fixed)
        for level in _levels(chosen, factor, known):
            cells += _cell("figure5", row, level, _having(chosen, **{factor: level}), k)
    return [*cells, *_printed("figure5")]


def table_3(attempts: Sequence[Attempt]) -> list[TableCell]:
    """Compute Table 3: the original prompt and its refinements at home in plain style, and the mean of them all.

    Means of models are over the prompts that have an attempt in every column. The table "table3_applied" leaves out
    prompts that could not be refined; there, the original is not comparable with each column, and has no mean.
    """
    k = choose_k(attempts)
    chosen = _having(attempts, scene="home", style="plain")
    refined = [_refinement(one) for one in chosen if REFINED in one.item.suite]
    columns = [*CONDITIONS, *sorted({*refined} - {*CONDITIONS})]
    columns = [name for name in columns if name == CONDITIONS[0] or name in refined]
    if not refined:
        return []
    cells: list[TableCell] = []
    for model, own in _by_model(chosen).items():
        by_column = {name: [one for one in own if _refinement(one) == name] for name in columns}
        for name, there in by_column.items():
            cells += _cell("table3", model, name, there, k)
        cells += _cell("table3", model, AVERAGE, _complete(by_column), k)
        for name in columns[1:]:
            cells += _cell("table3_applied", model, name, [one for one in by_column[name] if not is_fallback(one)], k)
    return [*cells, *_printed("table3")]


def place(attempts: Sequence[Attempt]) -> list[Placement]:
    """Place each model among the fifteen of Table 2 by its average."""
    printed = [float(text) for (_, column), text in list_published("table2").items() if column == AVERAGE]

    def rank(value: float) -> int:
        return 1 + sum(other > value for other in printed)

    return [
        Placement(
            cell.row, cell.value, rank(cell.value.value), rank(cell.value.high), rank(cell.value.low), len(printed) + 1
        )
        for cell in table_2(attempts)
        if cell.column == AVERAGE and isinstance(cell.value, Estimate)
    ]


def list_warnings(attempts: Sequence[Attempt]) -> list[str]:
    """Say in what these figures differ from those of the paper, so that nobody compares what is not the same."""
    return list(_warnings(attempts))


def _warnings(attempts: Sequence[Attempt]) -> Iterator[str]:
    own, k = originals(attempts), choose_k(attempts)
    judges = ", ".join(sorted({one.judge for one in attempts}))
    yield (
        f"judges differ: the paper's figures are of five people's votes, these of {judges}; "
        "the paper's cells have two digits and no n"
    )
    if k < IMAGES:
        images = f"{k} image{'s' * (k > 1)}"
        yield f"the figures are the success of {images}, not of {IMAGES}: most prompts have no more; repeats={IMAGES}"
    few = sum(one.most < k for one in attempts)
    if few:
        yield f"{few} of {len(attempts)} prompts have fewer than {k} judged images and are left out of success"
    design = {item.id for item in suite.T2ICountBench().items(0)}
    given = {one.item.id for one in own}
    if given - design:
        yield (
            f"{len(given - design)} prompts are not of the published design; averages are over the categories, scenes "
            "and numbers that there are"
        )
    for model, of_model in _by_model(own).items():
        missing = len(design - {one.item.id for one in of_model})
        if missing:
            yield f"{model}: {missing} of the {len(design)} published prompts have no judged images"


def _by_factor(
    table: str, attempts: Sequence[Attempt], factor: str, known: Sequence[str], fixed: Mapping[str, Scalar]
) -> list[TableCell]:
    k, own = choose_k(attempts), _having(originals(attempts), **fixed)
    levels = _levels(own, factor, known)
    cells = [
        cell
        for model, of_model in _by_model(own).items()
        for level in levels
        for cell in _cell(table, model, level, _having(of_model, **{factor: level}), k)
    ]
    return [*cells, *_printed(table)]


def _cell(table: str, row: str, column: str, attempts: Sequence[Attempt], k: int) -> Iterator[TableCell]:
    """Average categories that weigh the same; nothing where there is no success to average."""
    success, per_image = (_mean_of_categories(attempts, measure, k) for measure in MEASURES)
    if success is not None:
        fallbacks = sum(map(is_fallback, attempts))
        yield TableCell(table, row, column, success, per_image, fallbacks)


def _mean_of_categories(attempts: Sequence[Attempt], measure: Measure, k: int) -> Estimate | None:
    """Average within prompts (over models or refinements, if several), then within categories, then those."""
    by_category: dict[Scalar, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for one in attempts:
        prompt = one.item.base or one.item.id
        by_category[one.item.factors.get("category", "")][prompt].append(value_of(one, measure, k))
    most = max((len(found) for prompts in by_category.values() for found in prompts.values()), default=0)
    means: list[list[float]] = []
    for prompts in by_category.values():
        known = ([value for value in found if value is not None] for found in prompts.values())
        means.append([sum(values) / most for values in known if len(values) == most])
    strata = [values for values in means if values]
    return mean_of_strata(strata) if strata else None


def _complete(by_column: Mapping[str, Sequence[Attempt]]) -> list[Attempt]:
    """Keep the prompts that were given as they were and in every refinement."""
    bases = [{one.item.base or one.item.id for one in own} for own in by_column.values()]
    common = set.intersection(*bases)
    return [one for own in by_column.values() for one in own if (one.item.base or one.item.id) in common]


def _refinement(attempt: Attempt) -> str:
    return attempt.item.suite.partition(REFINED)[2] or CONDITIONS[0]


def _having(attempts: Iterable[Attempt], **factors: Scalar) -> list[Attempt]:
    return [one for one in attempts if all(one.item.factors.get(name) == level for name, level in factors.items())]


def _levels(attempts: Sequence[Attempt], factor: str, known: Sequence[str]) -> list[str]:
    """List the levels that there are, the paper's first and in its order."""
    found = dict.fromkeys(str(one.item.factors[factor]) for one in attempts if factor in one.item.factors)
    return [*(level for level in known if level in found), *(level for level in found if level not in known)]


def _by_model(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = defaultdict(list)
    for one in attempts:
        found[one.model].append(one)
    return found


def _printed(table: str) -> list[TableCell]:
    cells = list_published(table)
    rows = [name for name in (*MODELS, AVERAGE, ALL_MODELS) if any(row == name for row, _ in cells)]
    return [
        TableCell(table, row, column, text) for name in rows for (row, column), text in cells.items() if row == name
    ]


def _average(row: Sequence[TableCell]) -> float:
    value = row[-1].value
    return float(value) if isinstance(value, str) else value.value
