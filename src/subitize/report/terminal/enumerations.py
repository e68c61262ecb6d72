"""How models enumerate, at a terminal: the measures that have a heading, in two tables per suite."""

from collections.abc import Sequence

from subitize.analysis.counting import ALL, LEAST_PER_CELL, CountingReport, name_baselines, write_range
from subitize.analysis.measures import Abstraction, Bias, measures
from subitize.analysis.overview import Names
from subitize.records import Estimate
from subitize.report.document.cells import write_p
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_filled, print_marks
from subitize.stats.answers import Anchoring, KnowerLevel
from subitize.stats.cues import Cues
from subitize.stats.weber import NoWeber, ScalarVariability, Weber

_SKILL = (
    *("accuracy", "nae", "coverage", "knower_all", "knower", "human_correlation_all", "human_correlation"),
    *("random_distance", "abstraction"),
)
# Where everything has a count, these say nothing that others do not say.
_OF_ANSWERED = ("coverage", "knower", "human_correlation")
_OTHERS = ("refused", "discarded", "unknown", "excluded")
_MOST_ANCHORS = 3
# Measures that are in neither come last in the second table.
_NATURE = ("wording", "control", "weber", "scalar", "cues", "anchoring", "biases")
_LEGEND = {
    "level": "the model knows the numbers from 1 to this one [the lowest and highest possible level]",
    "human": "correlation with the responses of an ideal human, with whom even a perfect counter correlates below 1; "
    "an answer without a count is a miss. “answered” leaves such answers out, as the paper does",
    "from chance": "distance from random answers, from 0 to 1; a correlation with them is not defined",
    "abstraction": "the smallest correlation between two categories",
    "control": "share of right answers to the control question",
    "weber": "Weber fraction of the numbers above 4, with the gain, the share of lapses and the p of the fit",
    "slope": "of log sd on log mean, beside the slope that the fitted law predicts; a small p says that it is not met",
    "follows": "what the answers follow: the number itself, or ink, hull and the like",
    "anchors": "answers given whatever is shown, and their share of the answers to numbers that do not call for them",
    "bias": "categories that are over- or underestimated (p < .05, r ≥ .3), and r; all figures with intervals: --json",
}


def print_enumerations(enumerations: Sequence[CountingReport], stand_ins: Names) -> None:
    """Print two tables per suite: a row per model and judge, the exact figures of two known observers below."""
    printed: set[str] = set()
    for suite in dict.fromkeys(one.suite for one in enumerations):
        printed |= _print_suite(suite, [one for one in enumerations if one.suite == suite], stand_ins)
    print_marks(enumerations, stand_ins)
    print_cautions(one for found in enumerations for one in (found.accuracy, found.nae) if one)
    say("value [95 % interval]; n: answers with a count, in the wording with the smallest error")
    for heading, meaning in _LEGEND.items():
        if heading in printed:
            say(f"{heading}: {meaning}")
    if any(one.smallest_cell < LEAST_PER_CELL for one in enumerations):
        say(f"! some category has fewer than {LEAST_PER_CELL} answers to some number; the paper asks for as many")


def _print_suite(suite: str, enumerations: Sequence[CountingReport], stand_ins: Names) -> set[str]:
    """Print the tables of a suite, and give the headings under which they have something."""
    has_runs = len({one.run for one in enumerations}) > 1
    judges = dict.fromkeys(stand_ins.mark_judge(one.judge) for one in enumerations)
    places = [*["run"] * has_runs, "model", *["judge"] * (len(judges) > 1)]
    headings = {name: measure.heading for name, measure in measures().items() if measure.heading}
    is_partial = not all(one.has_every_count for one in enumerations)
    skill = [name for name in _SKILL if is_partial or name not in _OF_ANSWERED]
    nature = [*_NATURE, *(name for name in headings if name not in (*_SKILL, *_NATURE))]
    first, second = [], []
    for one in enumerations:
        names = {"run": one.run, "model": stand_ins.mark_model(one.model), "judge": stand_ins.name_judge(one.judge)}
        named = [names[place] for place in places]
        n = f"{one.eligible}" + " !" * (one.smallest_cell < LEAST_PER_CELL)
        others = [f"{count} {name}" for name in _OTHERS if (count := getattr(one, name))]
        first.append([*named, *(_text(getattr(one, name)) for name in skill), " + ".join([n, *others])])
        second.append([*named, *(_text(getattr(one, name)) for name in nature)])
    for name, known in name_baselines(one.numbers for one in enumerations):
        named = [f"({name}, exact)" if place == "model" else "" for place in places]
        first.append([*named, *(_text(getattr(known, figure.removesuffix("_all"), None)) for figure in skill), ""])
    say(f"{suite}, judged by {', '.join(judges)}")
    tables = [([*places, *(headings[name] for name in skill), "n"], first)]
    tables.append(([*places, *(headings.get(name, name) for name in nature)], second))
    print_table(*tables[0])
    print_filled(*tables[1])
    return {heading for names, rows in tables for heading, *cells in zip(names, *rows, strict=True) if any(cells)}


def _text(measure: object) -> str:
    """Write the one figure that tells most of a measure; what nothing can be said about is left blank."""
    match measure:
        case None | KnowerLevel(level=None):
            return ""
        case (Estimate() as found) | Abstraction(estimate=found):
            return cell(found)
        case KnowerLevel(level=level, low=low, high=high):
            return f"{level} [{low}, {high}]"
        case Anchoring(anchors=anchors):
            return ", ".join(f"{one.answer}: {cell(one.share)}" for one in anchors[:_MOST_ANCHORS]) or "none"
        case Weber(estimate=found, gain=gain, lapse=lapse, goodness_of_fit=fit):
            fitted = f", fit p {write_p(fit.p)}" if fit else ""
            return f"{cell(found)} (gain {gain.value:.2f}, lapses {lapse.value:.2f}{fitted})"
        case NoWeber(reason=reason):
            return f"none: {reason}"
        case ScalarVariability(slope=slope, law=law, constant=constant):
            # The slope beside the law's, if there is one; else the paper's own.
            text = f"{cell(law.slope)} (law {law.predicted:.2f}, p {write_p(law.p)})" if law else cell(slope)
            return text + (f"; {write_range(constant)} never vary" if constant else "")
        case Cues(verdict=verdict):
            return verdict
        case float():
            return f"{measure:.3f}"
        case tuple():
            biases = [one for one in measure if isinstance(one, Bias) and one.category != ALL]
            told = (f"{one.category} {one.direction} {one.r.value:.2f}" for one in biases if one.direction != "none")
            return ", ".join(told)
    return str(measure)
