"""What can be computed from T2ICountBench's printed cells alone: its means, and its conclusions over the models."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from subitize.analysis.claims import Claim, Verdict, adjust, all_drop, pair
from subitize.analysis.design import Rate
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.t2icountbench import PAPER
from subitize.papers.t2icountbench.checks import ITEMS, MeanCheck, TextCheck, check_means, check_text, implied_counts
from subitize.papers.t2icountbench.claims import state
from subitize.papers.t2icountbench.published import ALL_MODELS, AVERAGE, CATEGORIES, CONDITIONS, MODELS, list_published
from subitize.papers.t2icountbench.tables import STYLES, average_categories
from subitize.records import Estimate
from subitize.report.claims import tell, write_p
from subitize.report.table import estimate_text
from subitize.stats.estimate import mean_interval, subtract_independent
from subitize.stats.significance import kendall_w


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The printed means and sentences checked, and the conclusions that the printed cells allow."""

    citation: str
    means: list[MeanCheck]
    text: list[TextCheck]
    statements: list[Claim]


def check_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Check the printed figures against one another; nothing else was released."""
    if folder is not None:
        raise BadValueError(
            f"of t2icountbench nothing was released, so that {str(folder)!r} cannot be read; leave it out"
        )
    if extensions:
        raise BadValueError("--extensions needs images that were judged: subitize tables RUN --paper t2icountbench")
    found = Reproduction(PAPER.citation, check_means(), check_text(), observe_published())
    printed_by = "subitize.papers.t2icountbench.printing:print_checks"
    return Tables(found, printed_by, claims=lambda: found.statements, shows_claims=True)


def observe_published() -> list[Claim]:
    """Compute the observations on the printed cells, the fifteen models as units.

    Intervals and p-values are of models, as if drawn from more like them; rounding may move each cell by .005.
    """
    return [_low_and_unequal(), _falls_with_number(), _refinements(), _scenes(), _rankings(), _styles()]


def _low_and_unequal() -> Claim:
    averages = _column("table2", AVERAGE)
    mean = mean_interval(list(averages.values()))
    best, worst = max(averages, key=averages.__getitem__), min(averages, key=averages.__getitem__)
    below = sum(value < 0.5 for value in averages.values())
    # Which prompts each got right is not known: as if they had been given others.
    apart = subtract_independent(_implied_average(best), _implied_average(worst))
    told = (
        f"{below} of {len(averages)} averages are below .50; their mean is {estimate_text(mean)}; "
        f"{best} is {estimate_text(apart)} above {worst}, by the numbers of prompts that the cells stand for"
    )
    verdict: Verdict = "holds" if below == len(averages) and apart.low > 0 else "does not hold"
    return state("4.1", verdict, told)


def _falls_with_number() -> Claim:
    said = list_published("figure1")
    easy, medium = said[ALL_MODELS, "easy"], said[ALL_MODELS, "medium"]
    above = [model for model in MODELS if said.get((model, "hard"), "").startswith(">")]
    told = (
        f"the text gives ranges only: easy {easy} %, medium {medium} %, and hard above 10 % for {', '.join(above)} "
        "alone; ranges that do not overlap are a drop for every model, of unknown size"
    )
    return state("4.2", "holds", told)


def _refinements() -> Claim:
    original = _column("table3", CONDITIONS[0])
    columns = {name: _column("table3", name) for name in CONDITIONS[1:]}
    comparisons = adjust(
        {(f"original − {name}", ""): found for name, own in columns.items() if (found := pair(original, own))}
    )
    worse = sum(original[model] > own[model] for own in columns.values() for model in MODELS)
    cells = len(columns) * len(MODELS)
    told = f"{'; '.join(map(tell, comparisons))}; {worse} of {cells} refined cells are below the original"
    return state("5.1", all_drop(comparisons), told, comparisons)


def _scenes() -> Claim:
    said, means = list_published("figure4"), list_published("figure5")
    home, city = means[ALL_MODELS, "home"], means[ALL_MODELS, "city"]
    both = [f"{model} {said[model, 'home']} to {said[model, 'city']} %" for model in MODELS if (model, "home") in said]
    told = f"home {home} % to city {city} % on average, {', '.join(both)}; of the other models no cells are printed"
    return state("C.1", "undecided", told)


def _rankings() -> Claim:
    """Kendall's W where there are cells: not by scene, but by category and by refinement."""
    told = []
    for table, what, names in (("table2", "categories", CATEGORIES), ("table3", "columns", CONDITIONS)):
        columns = [_column(table, name) for name in names]
        found = kendall_w(np.array([[own[model] for model in MODELS] for own in columns]))
        assert found is not None
        told.append(
            f"the {found.raters} {what} of {table} rank the {found.things} models with W {found.w:.3f} "
            f"(χ² {found.chi_squared:.1f}, p {write_p(found.p)})"
        )
    return state("C.2", "undecided", f"cells by scene are not printed; {'; '.join(told)}")


def _styles() -> Claim:
    means = {level: f"{level} {share} %" for (_, level), share in list_published("figure5").items()}
    styles, scenes = (", ".join(map(means.__getitem__, levels)) for levels in (STYLES, ("home", "city")))
    return state("C.3", "undecided", f"means only: {styles}; {scenes}; without cells by model there is no interval")


def _implied_average(model: str) -> Estimate:
    """Average the categories of a model as shares of so many prompts; of two possible counts the lower."""
    cells = list_published("table2")
    counts = {name: implied_counts(cells[model, name], n)[0] for name, n in ITEMS.items()}
    return average_categories(
        {
            name: [Rate((name, place), (), float(place < count)) for place in range(ITEMS[name])]
            for name, count in counts.items()
        }
    )


def _column(table: str, column: str) -> dict[str, float]:
    cells = list_published(table)
    return {model: float(cells[model, column]) for model in MODELS}
