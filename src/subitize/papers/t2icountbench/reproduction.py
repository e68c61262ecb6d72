"""Computes T2ICountBench's tables from a run, and checks whether the printed figures are consistent.

The printed cells alone give the paper's means and its conclusions across models; nothing else was released."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np

from subitize.analysis.claims import Claim, Conclusion, adjust, all_drop, pair
from subitize.analysis.papers import Tabulated
from subitize.analysis.published import CellId
from subitize.errors import BadValueError
from subitize.papers.t2icountbench import PAPER, tables
from subitize.papers.t2icountbench.claims import claims_of
from subitize.records import Estimate
from subitize.report.claims import claim_lines, tell, write_p
from subitize.report.table import Result, Table
from subitize.report.texts import estimate_text
from subitize.stats.estimate import MEAN, estimate, subtract_independent
from subitize.stats.significance import kendall_w

PrintedVerdict = Literal["follows", "half way", "by rounding", "differs"]
VERDICTS: dict[PrintedVerdict, str] = {
    "follows": "the mean of the printed cells rounds to it",
    "half way": "the mean of the printed cells lies half way to a neighbour; no one rule rounds all of these",
    "by rounding": "the mean of the printed cells rounds to another, but that of the cells before rounding may not",
    "differs": "no cells that round to the printed ones have a mean that rounds to it",
}

ITEMS: dict[str, int] = {name: 150 if name == "fruit" else 75 for name in tables.CATEGORIES}
"""Prompts per category: 15 numbers in 5 conditions; fruit has two objects."""

_HALF = 0.005
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class PrintedMean:
    """A printed mean, the mean of its printed cells, and the range that rounding leaves for it."""

    place: CellId
    printed: str
    recomputed: float
    low: float
    high: float
    verdict: PrintedVerdict


def check_means() -> list[PrintedMean]:
    """Recompute the means of Table 2's rows and of Table 3's rows and columns.

    Table 3's overall mean is checked twice: as the mean of the printed column means, and of the row means. Shares of 75
    prompts are further apart than two digits, so most cells of Table 2 imply a single number of successes, those of
    fruit one or two: these give the range of its means. In Table 3 rounding gives the range.
    """
    two, three = tables.list_published("table2"), tables.list_published("table3")
    found = []
    for model in tables.MODELS:
        own = [two[model, name] for name in tables.CATEGORIES]
        shares = [[k / n for k in implied_counts(cell, n)] for cell, n in zip(own, ITEMS.values(), strict=True)]
        found.append(_check(CellId("table2", model, tables.AVERAGE), own, [(min(one), max(one)) for one in shares]))
    rows = {row: [three[row, name] for name in tables.CONDITIONS] for row in (*tables.MODELS, tables.AVERAGE)}
    columns = {name: [three[model, name] for model in tables.MODELS] for name in (*tables.CONDITIONS, tables.AVERAGE)}
    means = [(CellId("table3", row, tables.AVERAGE), cells) for row, cells in rows.items()]
    means += [(CellId("table3", tables.AVERAGE, name), cells) for name, cells in columns.items()]
    for place, cells in means:
        found.append(_check(place, cells, [(float(cell) - _HALF, float(cell) + _HALF) for cell in cells]))
    return found


@dataclass(frozen=True, slots=True)
class PrintedSentence:
    """A statement of the text about the tables, and what the printed cells say."""

    where: str
    said: str
    found: str
    agrees: bool


def check_text() -> list[PrintedSentence]:
    """Check what the text says about the tables against their printed cells."""
    return [PrintedSentence(*one) for one in _check_sentences()]


def _check_sentences() -> Iterator[tuple[str, str, str, bool]]:
    two, three = (
        {key: float(cell) for key, cell in tables.list_published(table).items()} for table in ("table2", "table3")
    )
    averages = [two[model, tables.AVERAGE] for model in tables.MODELS]
    best, worst = max(averages), min(averages)
    highest = max(two[model, category] for model in tables.MODELS for category in tables.CATEGORIES)
    yield "4.1", "no average is above 50 %", f"the highest is {best:.2f}", best <= 0.5
    yield "4.1", "no category is above 60 %", f"the highest is {highest:.2f}", highest <= 0.6
    rise = f"{best:.2f} is {best / worst - 1:.0%} more than {worst:.2f}, or {best / worst:.0%} of it"
    yield "4.1", "the best improves on the worst by nearly 150 %", rise, best / worst - 1 > 1.25
    means = {name: fmean([three[model, name] for model in tables.MODELS]) for name in tables.CONDITIONS}
    for name in ("multiplicative", "additive", "position"):
        drop = 1 - means[name] / means["original"]
        said = f"{name} prompts lose more than 40 % of the original accuracy"
        yield "5.2", said, f"{means['original']:.3f} to {means[name]:.3f}: {drop:.1%}", drop > 0.4
    firefly = 1 - three["Firefly 3", "multiplicative"] / three["Firefly 3", "original"]
    yield "5.2", "Firefly 3 loses 75 % by multiplication", f"{firefly:.0%}", 0.745 <= firefly < 0.77
    # Plain style at home is the unrefined column of Table 3.
    for model in tables.MODELS:
        if shown := tables.PUBLISHED.cells.get(CellId("figure4", model, "home")):
            found = three[model, "original"]
            yield "C", f"{model} has {shown} % at home", f"{found:.2f}", round(100 * found) == int(shown)
    worse = sum(three[model, "original"] < three["FLUX 1.1", "original"] for model in tables.MODELS)
    place = f"{worse} of the other {len(tables.MODELS) - 1} are worse"
    yield "C", "FLUX 1.1 is among the worst at home", place, worse < len(tables.MODELS) / 3


def implied_counts(printed: str, n: int) -> list[int]:
    """List the numbers of successes in n whose share is printed like this, whichever way halves are rounded."""
    value = float(printed)
    return [count for count in range(n + 1) if abs(count / n - value) <= _HALF + _EPSILON]


def _check(place: CellId, cells: Sequence[str], ranges: Sequence[tuple[float, float]]) -> PrintedMean:
    printed = tables.PUBLISHED.cells[place]
    mean, target = fmean(map(float, cells)), float(printed)
    low, high = fmean([edge for edge, _ in ranges]), fmean([edge for _, edge in ranges])
    distance = abs(mean - target)
    verdict: PrintedVerdict
    if abs(distance - _HALF) <= _EPSILON:
        verdict = "half way"
    elif distance < _HALF:
        verdict = "follows"
    else:
        is_possible = low <= target + _HALF + _EPSILON and high >= target - _HALF - _EPSILON
        verdict = "by rounding" if is_possible else "differs"
    return PrintedMean(place, printed, mean, low, high, verdict)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The printed means and sentences checked, and the conclusions that the printed cells allow."""

    citation: str
    means: list[PrintedMean]
    text: list[PrintedSentence]
    statements: list[Claim]


def reproduce(folder: Path | None, *, extensions: bool) -> Tabulated:
    """Check the printed figures for consistency; nothing else was released."""
    if folder is not None:
        raise BadValueError(
            f"of t2icountbench nothing was released, so that {str(folder)!r} cannot be read; leave it out"
        )
    if extensions:
        raise BadValueError(
            "`extensions` needs images that were judged: subitize report tables RUN --paper t2icountbench"
        )
    found = Reproduction(PAPER.citation, check_means(), check_text(), observe_published())
    return Tabulated(found, claims=lambda: found.statements, show=show_checks, shows_claims=True)


def observe_published() -> list[Claim]:
    """Evaluate the observations on the printed cells, with the fifteen models as units.

    Intervals and p-values treat models as a sample; rounding may shift each cell by .005.
    """
    found = {
        "4.1": _low_and_unequal(),
        "4.2": _falls_with_number(),
        "5.1": _refinements(),
        "C.1": _scenes(),
        "C.2": _rankings(),
        "C.3": _styles(),
    }
    return [Claim(id, *one, claims_of.functions[id][0]) for id, one in found.items()]


def _low_and_unequal() -> Conclusion:
    averages = _column("table2", tables.AVERAGE)
    (mean,) = estimate([*averages.values()], scale=MEAN)
    best, worst = max(averages, key=averages.__getitem__), min(averages, key=averages.__getitem__)
    below = sum(value < 0.5 for value in averages.values())
    # Which prompts each got right is unknown, so the two are treated as independent.
    apart = subtract_independent(_implied_average(best), _implied_average(worst))
    finding = (
        f"{below} of {len(averages)} averages are below .50; their mean is {estimate_text(mean)}; "
        f"{best} is {estimate_text(apart)} above {worst}, by the numbers of prompts that the cells stand for"
    )
    return Conclusion("holds" if below == len(averages) and apart.low > 0 else "does not hold", finding)


def _falls_with_number() -> Conclusion:
    said = tables.list_published("figure1")
    easy, medium = said[tables.ALL_MODELS, "easy"], said[tables.ALL_MODELS, "medium"]
    above = [model for model in tables.MODELS if said.get((model, "hard"), "").startswith(">")]
    finding = (
        f"the text gives ranges only: easy {easy} %, medium {medium} %, and hard above 10 % for {', '.join(above)} "
        "alone; ranges that do not overlap are a drop for every model, of unknown size"
    )
    return Conclusion("holds", finding)


def _refinements() -> Conclusion:
    original = _column("table3", tables.CONDITIONS[0])
    columns = {name: _column("table3", name) for name in tables.CONDITIONS[1:]}
    comparisons = adjust(
        {(f"original − {name}", ""): found for name, own in columns.items() if (found := pair(original, own))}
    )
    worse = sum(original[model] > own[model] for own in columns.values() for model in tables.MODELS)
    cells = len(columns) * len(tables.MODELS)
    finding = f"{'; '.join(map(tell, comparisons))}; {worse} of {cells} refined cells are below the original"
    return Conclusion(all_drop(comparisons), finding, comparisons)


def _scenes() -> Conclusion:
    said, means = tables.list_published("figure4"), tables.list_published("figure5")
    home, city = means[tables.ALL_MODELS, "home"], means[tables.ALL_MODELS, "city"]
    both = [
        f"{model} {said[model, 'home']} to {said[model, 'city']} %"
        for model in tables.MODELS
        if (model, "home") in said
    ]
    finding = f"home {home} % to city {city} % on average, {', '.join(both)}; of the other models no cells are printed"
    return Conclusion("undecided", finding)


def _rankings() -> Conclusion:
    """Compute Kendall's W where cells are printed: not by scene, but by category and by refinement."""
    rankings = []
    for table, what, names in (("table2", "categories", tables.CATEGORIES), ("table3", "columns", tables.CONDITIONS)):
        columns = [_column(table, name) for name in names]
        found = kendall_w(np.array([[own[model] for model in tables.MODELS] for own in columns]))
        assert found is not None
        rankings.append(
            f"the {found.raters} {what} of {table} rank the {found.things} models with W {found.w:.3f} "
            f"(χ² {found.chi_squared:.1f}, p {write_p(found.p)})"
        )
    return Conclusion("undecided", f"cells by scene are not printed; {'; '.join(rankings)}")


def _styles() -> Conclusion:
    means = {level: f"{level} {share} %" for (_, level), share in tables.list_published("figure5").items()}
    styles, scenes = (", ".join(map(means.__getitem__, levels)) for levels in (tables.STYLES, ("home", "city")))
    return Conclusion("undecided", f"means only: {styles}; {scenes}; without cells by model there is no interval")


def _implied_average(model: str) -> Estimate:
    """Average a model's categories as shares of prompts; of two possible counts the lower."""
    cells = tables.list_published("table2")
    counts = {name: implied_counts(cells[model, name], n)[0] for name, n in ITEMS.items()}
    return tables.average_categories(
        [
            tables.PromptShare(f"{name} {place}", name, (), float(place < count))
            for name, count in counts.items()
            for place in range(ITEMS[name])
        ]
    )


def _column(table: str, column: str) -> dict[str, float]:
    cells = tables.list_published(table)
    return {model: float(cells[model, column]) for model in tables.MODELS}


def show_checks(found: Reproduction) -> Result:
    """Show which printed means follow from the printed cells, what the text says about them, and the observations."""
    lead = "No images or votes were released: these are checks of the printed cells against one another."
    names = ("table", "row", "mean", "printed", "of the cells", "before rounding", "verdict")
    means = (
        (*one.place, one.printed, f"{one.recomputed:.4f}", f"{one.low:.4f} to {one.high:.4f}", one.verdict)
        for one in found.means
    )
    counted = Counter(one.verdict for one in found.means)
    verdicts = (f"{counted[verdict]} {verdict}: {meaning}" for verdict, meaning in VERDICTS.items())
    said = ((one.where, one.said, one.found, "agrees" if one.agrees else "does not agree") for one in found.text)
    heads = ("section", "said", "the printed cells", "")
    shown = (
        Table.of("means", "printed means", names, means, notes=verdicts),
        Table.of("text", "what the text says of the tables", heads, said),
    )
    units = "units are the fifteen models; a printed cell may be .005 off"
    notes = (*claim_lines(found.statements, title="observations"), units)
    return Result(shown, lead=(found.citation, lead), notes=notes)
