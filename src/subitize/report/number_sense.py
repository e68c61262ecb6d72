"""Number sense in the report and at the terminal: how models name or draw numbers, and by what laws."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from subitize.analysis.counting import ALL, LEAST_PER_CELL, CountingReport, name_baselines, write_range
from subitize.analysis.measures import Abstraction, Bias, measures
from subitize.analysis.overview import Names
from subitize.analysis.published import PublishedCounts
from subitize.io.frames import group_rows
from subitize.language.numbers import in_words
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.estimates import MODEL, EstimateGrid, methods
from subitize.report.scores import explain_marks
from subitize.report.series import CountingModel, differing_design, level_name, level_text
from subitize.report.table import Block, Cell, Column, Figure, Paragraph, Result, Row, Section, Table, Worded
from subitize.report.texts import estimate_text, write_p
from subitize.stats.answers import FALSE_ALARMS_BELOW, LEAST_HITS, Anchoring, KnowerLevel, KnownNumber
from subitize.stats.cues import Cues
from subitize.stats.weber import LEAST_POINTS, NoWeber, ScalarVariability, Weber

_DIRECTIONS = {"over": "Over.", "under": "Under.", "none": "none"}
_CRITERIA = {"answered when shown": LEAST_HITS, "answered when not shown": FALSE_ALARMS_BELOW}
_CUES = ("number", "ink", "hull", "density")
_LIKENESS = {
    "human_correlation_all": Column("Corr. with human"),
    "human_correlation": Column("Corr. with human, answered"),
    "coverage": Column("Coverage", "Share that has a count."),
    "human_distance": Column("Distance to human"),
    "random_distance": Column("Distance to chance"),
}


@dataclass(frozen=True, slots=True)
class _Study:
    """The models of a suite, the report's colours, whether numbers are drawn or named, and the published figures."""

    suite: str
    models: Sequence[CountingModel]
    palette: Palette
    are_drawn: bool
    published: PublishedCounts | None

    @property
    def categories(self) -> list[str]:
        """All categories that some model was given."""
        return list(dict.fromkeys(category for model in self.models for category in model.report.categories))


def counting_sections(
    suite: str,
    models: Sequence[CountingModel],
    palette: Palette,
    *,
    are_drawn: bool,
    published: PublishedCounts | None = None,
) -> list[Section]:
    """Write every section that the suite has figures for; numbers are either drawn or named."""
    study = _Study(suite, models, palette, are_drawn, published)
    sections = []
    for name, (title, measure, write) in _SECTIONS.items():
        found = [(model, value) for model in models if (value := getattr(model.report, measure)) is not None]
        if any(value for _, value in found):
            sections.append(Section(f"{suite}-{name}", title, tuple(write(study, found))))
    return [section for section in sections if section.blocks]


def _confusion(study: _Study, _: object) -> Iterator[Block]:
    shares = {model.label: _shares(model) for model in study.models}
    rows = [row for of_model in shares.values() for row in of_model]
    top = max([model.report.numbers[-1] for model in study.models] + [int(row["response"]) for row in rows])
    panels = [
        charts.Panel(m.label, shares[m.label], m.report.numbers, [one for one in m.report.responses if one <= top])
        for m in study.models
    ]
    columns = (MODEL, Column.text("Category"), "Target", "Response", Column("Share", digits=3), "n")
    cells = (Row(tuple(row.values())) for row in rows)
    yield Figure(
        f"{study.suite}-confusion",
        "Confusion matrices",
        charts.confusion(panels, [*study.categories, "overall"]),
        "Each column of a panel is a target number, each row a response; colour is the share of the responses to that "
        "target, from 0 % (dark purple) to 100 % (yellow). "
        f"{_ceilings(study.models, top)}A sure counter would show one yellow diagonal.",
        f"Confusion matrices of {len(study.models)} models by category, target across and response up.",
        Table.of(f"{study.suite}-confusion-matrices", "Confusion matrices", columns, cells),
    )


def _ceilings(models: Sequence[CountingModel], top: int) -> str:
    """Say where responses beyond a matrix are counted; its height depends on the numbers its model was given."""
    ceilings = sorted({model.report.responses[-1] for model in models})
    if top < ceilings[0]:
        return ""
    if len(ceilings) == 1:
        return f"Responses above {ceilings[0]} are counted in the top row. "
    heights = "; ".join(
        f"{ceiling} for {', '.join(model.label for model in models if model.report.responses[-1] == ceiling)}"
        for ceiling in ceilings
    )
    return f"Responses above a panel’s highest row are counted in that row: {heights}. "


def _shares(model: CountingModel) -> list[dict[str, str | int | float]]:
    found: list[dict[str, str | int | float]] = []
    for category in (*model.report.categories, ALL):
        counts = model.report.matrices[category]
        of = {"model": model.label, "category": "overall" if category == ALL else category}
        for target, column in zip(model.report.numbers, counts.T.tolist(), strict=True):
            n = sum(column)
            found += [
                {**of, "target": target, "response": response, "share": count / n, "n": n}
                for response, count in zip(model.report.responses, column, strict=True)
                if count
            ]
    return found


def _likeness(study: _Study, _: object) -> Iterator[Block]:
    rows = [model.row(*(getattr(model.report, name) for name in _LIKENESS)) for model in study.models]
    for name, one in name_baselines(model.report.numbers for model in study.models):
        rows.append(Row((name, one.human_correlation, one.human_correlation, 1.0, None, None), "baseline"))
    yield Table.of(
        f"{study.suite}-likeness",
        "Likeness to people and to chance",
        (MODEL, *_LIKENESS.values()),
        rows,
        "Against the exact matrices of an ideal human observer and of random answers. A distance is the share of "
        "responses that would have to be others, from 0 (the same) to 1; a correlation with random answers is not "
        "defined, as all shares in their matrix are equal. What has no count is a response that people never give; "
        "“answered” leaves it out, as in the paper, and with it numbers that were never counted. The interval of a "
        "correlation is for prompts (or pictures) like these, answered without end.",
    )


def _accuracy(study: _Study, found: Sequence[tuple[CountingModel, KnowerLevel]]) -> Iterator[Block]:
    known = [(model, one) for model, knower in found for one in knower.numbers]
    if not known:
        return
    numbers = sorted({one.number for _, one in known})
    badges = {model.label: model.badge for model in study.models}
    grid = EstimateGrid({(model.label, one.number): one.hits for model, one in known}, badges)
    x_title = "number asked for" if study.are_drawn else "number shown"
    palette = study.palette.of([model.label for model in study.models])
    yield Figure(
        f"{study.suite}-accuracy",
        "Accuracy by number",
        charts.accuracy_by_number(grid.points("model", "number"), palette, numbers, x_title=x_title),
        f"Share of right answers among those with a value, by the {x_title}; lines are 95 % intervals ({grid.sizes}).",
        "Accuracy by number for every model, with intervals.",
        grid.table(f"{study.suite}-accuracy-by-number", "Share of right answers by number", numbers),
    )


def _knower(study: _Study, found: Sequence[tuple[CountingModel, KnowerLevel]]) -> Iterator[Block]:
    columns = (
        MODEL,
        Column("Level", "The largest n such that 1 to n are all known; what has no count is a miss."),
        Column("Lowest possible", "1 to this many are known beyond doubt."),
        Column("Highest possible", "That 1 to this many, and no more, can all be known."),
        Column("Level, answered", "What has no count is left out, as in the paper."),
        *("Weakest number known", "Margin, weakest", "First number not known", "Margin, first not known"),
    )
    yield Table.of(
        f"{study.suite}-knower-levels",
        "Counting level",
        columns,
        (model.row(*_level_cells(knower, level_text(model.report.knower))) for model, knower in found),
        "The margin is the smaller of those to the two criteria: how much a share may change before the verdict does. "
        "Levels from the lowest to the highest possible hold the true one in 95 % of studies: numbers are known beyond "
        "doubt by intervals over clusters; that several are known is tested for all of them together (Simes).",
    )
    numbers = [(model, one) for model, knower in found for one in knower.numbers]
    points = [
        {**model.point("number", one.number, estimate), "kind": kind, "criterion": criterion}
        for model, one in numbers
        for (kind, criterion), estimate in zip(_CRITERIA.items(), (one.hits, one.false_alarms), strict=True)
        if estimate is not None
    ]
    yield Figure(
        f"{study.suite}-knower",
        "Numbers known",
        charts.shares_by_number(points, [model.label for model, _ in found], _CRITERIA),
        f"A number counts as known if it is answered in at least {100 * LEAST_HITS:.0f} % of the trials that "
        f"show it (blue dots above the blue line) and in fewer than {100 * FALSE_ALARMS_BELOW:.0f} % of the others "
        "(orange triangles below the orange line).",
        "Hits and false alarms by number with the criteria of the knower levels, one panel per model.",
        _margin_table(study.suite, numbers),
    )


def _margin_table(suite: str, numbers: Sequence[tuple[CountingModel, KnownNumber]]) -> Table:
    columns = (
        MODEL,
        "Number",
        "Answered when shown",
        Column(f"Margin over {100 * LEAST_HITS:.0f} %", "How far above the criterion; below 0 it is missed."),
        "Answered when not shown",
        Column(f"Margin under {100 * FALSE_ALARMS_BELOW:.0f} %", "How far below the criterion; below 0 it is missed."),
        Column.text("Known"),
        Column.text("Beyond doubt"),
    )
    rows = []
    for model, one in numbers:
        shares = (one.hits, one.hit_margin, one.false_alarms, one.false_alarm_margin)
        rows.append(model.row(one.number, *shares, "yes" if one.is_known else "no", one.standing))
    return Table.of(f"{suite}-knower-numbers", "Numbers known, with margins", columns, rows)


def _level_cells(knower: KnowerLevel, answered: str | None) -> tuple[Cell, ...]:
    margins = {
        one.number: min(margin for margin in (one.hit_margin, one.false_alarm_margin) if margin is not None)
        for one in knower.numbers
    }
    held = [number for number in margins if number <= (knower.level or 0)]
    weakest = min(held, key=margins.__getitem__, default=None)
    missed = next((one.number for one in knower.numbers if not one.is_known), None)
    level = None if knower.level is None else level_name(knower.level)
    numbers = [cell for number in (weakest, missed) for cell in (number, None if number is None else margins[number])]
    return level, knower.low, knower.high, answered, *numbers


def _bias(study: _Study, found: Sequence[tuple[CountingModel, Sequence[Bias]]]) -> Iterator[Block]:
    published = study.published.biases if study.published else ()
    categories = [*dict.fromkeys([*study.categories, *(bias.category for bias in published)]), ALL]
    rows = []
    for model, biases in found:
        own = {bias.category: Worded(_DIRECTIONS[bias.direction], bias.r) for bias in biases}
        rows.append(model.row(*(own.get(category, "") for category in categories)))
    for name in dict.fromkeys(bias.model for bias in published):
        # What is not printed stays blank, which is not the same as no bias.
        printed = {
            bias.category: _DIRECTIONS[bias.direction] + ("" if bias.r is None else f" {bias.r:.2f}")
            for bias in published
            if bias.model == name
        }
        rows.append(Row((name, *(printed.get(category, "") for category in categories)), "published"))
    yield Table.of(
        f"{study.suite}-bias",
        "Over- and underestimation",
        (MODEL, *("overall" if name == ALL else name for name in categories)),
        rows,
        "“Over.” and “Under.”: responses lie systematically above or below the target (Wilcoxon signed-rank test, "
        "p < .05, and effect size r = |z| / √n of at least .3); “none”: neither. Figures are r with its 95 % interval; "
        f"published rows have r alone. {differing_design(study.published, study.models)}".strip(),
    )


def _weber(study: _Study, found: Sequence[tuple[CountingModel, Weber | NoWeber]]) -> Iterator[Block]:
    """Show the Weber fractions, or why there are none, and the psychometric curves that they fit."""
    fitted = [(model, weber) for model, weber in found if isinstance(weber, Weber)]
    columns = (
        MODEL,
        Column("Weber fraction", digits=3),
        Column("Gain", "Mean response as a share of the number.", digits=3),
        Column("Lapses", "Share of responses that have nothing to do with the number.", digits=3),
        Column.p("p of fit", "Pearson’s test; a small p says that the law does not fit."),
        "Assumed exact up to",
        "n",
        Column.text("Why none"),
    )
    yield Table.of(
        f"{study.suite}-weber",
        "Weber fractions",
        columns,
        (model.row(*_weber_cells(weber)) for model, weber in found),
        "The spread of the responses to a number of a category, as a share of their mean: about .15 in human adults, 0 "
        "for an exact counter. It is that of normal responses with a gain, rounded, but for lapses, and is fitted to "
        "the numbers above those that people see exactly, and to responses that are neither 1 nor the highest of the "
        "matrix (n). Prompts may have gains of their own; where they do, or where only some numbers are ever answered, "
        "the law with one gain per category does not fit. " + methods(weber.estimate for _, weber in fitted),
    )
    if not fitted:
        return
    points, rows = [], []
    for model, weber in fitted:
        for at in weber.curve:
            law = at.predicted_exact if at.number > weber.subitizing else None
            points.append({**model.point("number", at.number, at.exact), "predicted": law})
            moments = (at.mean, at.predicted_mean, at.sd, at.predicted_sd)
            rows.append(model.row(at.number, at.exact, at.predicted_exact, *moments))
    names = ("Exact", "Exact, fitted law", "Mean", "Mean, fitted law", "SD", "SD, fitted law")
    yield Figure(
        f"{study.suite}-psychometric",
        "Psychometric curves",
        charts.psychometric(points, [model.label for model, _ in fitted], study.palette),
        "Share of exact answers by number: dots with 95 % intervals as observed, the curve as Weber’s law with the "
        "fitted fraction, gain and lapses has it, over the numbers that it is fitted to.",
        "Observed and fitted share of exact answers by number, one panel per model.",
        Table.of(f"{study.suite}-psychometric-curves", "Psychometric curves", (MODEL, "Number", *names), rows),
    )


def _weber_cells(weber: Weber | NoWeber) -> tuple[Cell, ...]:
    if isinstance(weber, NoWeber):
        return None, None, None, None, weber.subitizing, None, weber.reason
    p = weber.goodness_of_fit.p if weber.goodness_of_fit else None
    return weber.estimate, weber.gain, weber.lapse, p, weber.subitizing, weber.estimate.n, ""


def _scalar(study: _Study, found: Sequence[tuple[CountingModel, ScalarVariability]]) -> Iterator[Block]:
    """Show whether the spread of the responses grows with their mean."""
    columns = (
        MODEL,
        Column("Slope", "Over all numbers, trials pooled: the paper’s own."),
        Column.p("p against 1", "The paper’s own test."),
        "Numbers",
        Column("Slope where fitted", "Over the numbers that Weber’s law is fitted to, between the edges."),
        Column("Slope of the law", "What Weber’s law predicts for whole numbers."),
        Column.p("p against the law"),
        Column.text("Never vary"),
    )
    slopes = []
    for model, scalar in found:
        paper, law = (scalar.slope, scalar.p_value_against_1, len(scalar.points)), scalar.law
        verdict = (law.slope, law.predicted, law.p) if law else (None, None, None)
        slopes.append(model.row(*paper, *verdict, write_range(scalar.constant)))
    yield Table.of(
        f"{study.suite}-scalar",
        "Scalar variability",
        columns,
        slopes,
        "The slope of log standard deviation on log mean: it is near 1 in scalar variability, the signature of "
        "estimation; 0 means that larger numbers are answered with no more spread than small ones. Rounding to whole "
        "numbers and lapses change what Weber’s law predicts, so the verdict is the p against the law’s own slope: a "
        f"small one says that the spread does not grow as the law has it. It takes {in_words(LEAST_POINTS)} numbers.",
    )
    rows = (model.row(at.number, at.mean, at.sd, at.n) for model, scalar in found for at in scalar.points)
    title, heads = "Mean and spread of the responses", (MODEL, "Number", "Mean", "SD", "n")
    yield Figure(
        f"{study.suite}-scalar-variability",
        "Spread against mean",
        charts.spread(
            [row for model, scalar in found for row in _fit_line(model, scalar)],
            study.palette.of([model.label for model, _ in found]),
        ),
        "Standard deviation over mean of the responses to each number, both on logarithmic scales, with the fitted "
        "line. Numbers answered without any spread have no place on it.",
        "Standard deviation over mean response on logarithmic scales, with a fitted line per model.",
        Table.of(f"{study.suite}-spread", title, heads, rows),
    )


def _fit_line(model: CountingModel, scalar: ScalarVariability) -> list[dict[str, object]]:
    """Add the fitted value to each point; the least-squares line passes through the mean of the logs."""
    logs = [(math.log(one.mean), math.log(one.sd)) for one in scalar.points]
    x, y = (sum(values) / len(values) for values in zip(*logs, strict=True))
    fitted = [math.exp(y + scalar.slope.value * (at - x)) for at, _ in logs]
    points = zip(scalar.points, fitted, strict=True)
    return [{"model": model.label, "mean": one.mean, "sd": one.sd, "fitted": on_line} for one, on_line in points]


def _cues(study: _Study, found: Sequence[tuple[CountingModel, Cues]]) -> Iterator[Block]:
    """Show whether responses follow number or a magnitude correlated with it."""
    runner_up = Column.p("p of the runner-up")
    rows = []
    for model, cues in found:
        delta_bics = {str(one.cue): one.delta_bic for one in cues.models}
        rows.append(model.row(cues.verdict, cues.p_value, *(delta_bics.get(cue) for cue in _CUES), cues.n))
    yield Table.of(
        f"{study.suite}-cues",
        "What the responses follow",
        (MODEL, Column.text("Follows"), runner_up, *(Column(f"ΔBIC {cue}", digits=1) for cue in _CUES), "n"),
        rows,
        "ΔBIC is how much worse a cue alone explains the responses, by any smooth law, than the best one (0). "
        "“Undecided”: the runner-up is about as close (Vuong’s test). “Number, with a bias by item size” (or hull, the "
        "area that things spread over): answers follow number, but among pictures of one number they go with that too.",
    )
    slopes = [(model, one) for model, cues in found for one in cues.coefficients]
    if not slopes:
        return
    columns = (MODEL, Column.text("Cue"), "Slope", Column("Variance only it explains", digits=3))
    cells = (model.row(one.predictor, one.slope, one.unique_share) for model, one in slopes)
    spec = charts.forest(
        [model.point("name", one.predictor, one.slope) for model, one in slopes],
        list(dict.fromkeys(model.label for model, _ in slopes)),
        study.palette,
        x_title="slope of log response",
        order=list(dict.fromkeys(one.predictor for _, one in slopes)),
    )
    yield Figure(
        f"{study.suite}-cue-regression",
        "Slopes of the cues",
        spec,
        "How the responses follow number, the size of the things and the area they spread over (hull), each beside "
        "the others; lines are 95 % intervals, those of item area and hull together. Number is a factor, so that a "
        "model that answers by number alone, by any law, has slopes of 0 for the rest; one that counts has 1 for it.",
        "Regression slopes of the cues with intervals, one panel per model.",
        Table.of(f"{study.suite}-cue-slopes", "Slopes of the cues", columns, cells),
    )


def _anchors(study: _Study, found: Sequence[tuple[CountingModel, Anchoring]]) -> Iterator[Block]:
    rows = []
    for model, anchoring in found:
        anchors: list[tuple[Cell, ...]] = [
            (one.answer, one.share, write_range(one.home), one.p_value) for one in anchoring.anchors
        ]
        rows += [model.row(*cells) for cells in anchors or [("none", None, None, None)]]
    p = Column.p("p", "Of its being no more frequent than an answer next to it; Holm’s.")
    yield Table.of(
        f"{study.suite}-anchors",
        "Anchors",
        (MODEL, "Answer", "Share elsewhere", Column.text("At home with"), p),
        rows,
        "Answers that are returned to whatever is shown: away from the numbers that it is at home with, an anchor is "
        "more frequent than both answers next to it, which no scatter around the number explains. The share is of the "
        "counts given to these other numbers. " + methods(one.share for _, each in found for one in each.anchors),
    )


def _abstraction(study: _Study, found: Sequence[tuple[CountingModel, Abstraction]]) -> Iterator[Block]:
    rows = [model.row(one.estimate, " and ".join(one.pair)) for model, one in found]
    if study.published:
        rows += [Row((name, value, ""), "published") for name, value in study.published.abstractions.items()]
    yield Table.of(
        f"{study.suite}-abstraction",
        "Abstraction",
        (MODEL, "Smallest correlation", Column.text("Between")),
        rows,
        "The smallest correlation between the confusion matrices of two categories: near 1, number is treated alike "
        f"whatever the things are. {differing_design(study.published, study.models)}".strip(),
    )


def _wordings(study: _Study, _: object) -> Iterator[Block]:
    if any(len(model.report.wordings) > 1 for model in study.models):
        rows = []
        for model in study.models:
            for one in model.report.wordings:
                kept = "kept" * (one.wording == model.report.wording)
                rows.append(model.row(one.wording, kept, one.accuracy, one.mae, one.nae, one.n))
        columns = (MODEL, Column.text("Wording"), Column.text(""), "Accuracy", "MAE", Column("NAE", digits=3), "n")
        caption = (
            "For each model the wording kept is that with the smallest mean absolute error, as in the paper, among "
            "those with at least half as many usable answers as the most answered."
        )
        yield Table.of(f"{study.suite}-wordings", "Wordings of the question", columns, rows, caption)
    if any(model.report.control is not None for model in study.models):
        rows = [model.row(model.report.control) for model in study.models]
        caption = "Share of the answers to “What does the image represent?” that name apples or fruit."
        head = (MODEL, "Control question right")
        yield Table.of(f"{study.suite}-control", "Control question", head, rows, caption)


# By anchor: the title, the measure that some model must have, and the function that writes the section.
_SECTIONS: Mapping[str, tuple[str, str, Callable[[_Study, Sequence[tuple[CountingModel, Any]]], Iterator[Block]]]] = {
    "confusion": ("Confusion matrices", "matrices", _confusion),
    "likeness": ("Likeness to people and to chance", "matrices", _likeness),
    "accuracy": ("Accuracy by number", "knower", _accuracy),
    "knower": ("Counting level", "knower_all", _knower),
    "bias": ("Over- and underestimation", "biases", _bias),
    "weber": ("Weber fraction", "weber", _weber),
    "scalar": ("Scalar variability", "scalar", _scalar),
    "cues": ("Number or ink", "cues", _cues),
    "anchors": ("Anchoring", "anchoring", _anchors),
    "abstraction": ("Abstraction", "abstraction", _abstraction),
    "wordings": ("Wordings and control", "matrices", _wordings),
}


def small_sample_warning(models: Sequence[CountingModel]) -> list[Paragraph]:
    """Warn if a cell has fewer eligible trials than the paper asks for."""
    few = [model for model in models if model.report.smallest_cell < LEAST_PER_CELL]
    if not few:
        return []
    whose = "every model" if len(few) == len(models) else ", ".join(model.label for model in few)
    smallest = min(model.report.smallest_cell for model in few)
    text = (
        f"The measures of Testolin, Hou and Zorzi (2025) need at least {LEAST_PER_CELL} usable answers per number "
        f"and category. Here {whose} has fewer somewhere, down to {smallest}: read "
        "what follows as a trial run."
    )
    return [Paragraph(text, is_warning=True)]


_SKILL = (
    *("accuracy", "nae", "coverage", "knower_all", "knower", "human_correlation_all", "human_correlation"),
    *("random_distance", "abstraction"),
)
# If every answer has a count, these repeat other columns.
_OF_ANSWERED = ("coverage", "knower", "human_correlation")
_OTHERS = ("refused", "discarded", "unknown", "excluded")
_MOST_ANCHORS = 3
# Measures that are in neither table come last in the second.
_NATURE = ("wording", "control", "weber", "scalar", "cues", "anchoring", "biases")
_VALUES = "value [95 % interval]; n: answers with a count, in the wording with the smallest error"
_HELP = {
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


def counting_result(enumerations: Sequence[CountingReport], names: Names) -> Result:
    """Show two tables per suite: a row per model and judge, then the exact figures of two known observers."""
    tables: list[Table] = []
    for suite, own in group_rows(enumerations, lambda one: one.suite).items():
        tables += _suite_tables(suite, own, names)
    notes = [*explain_marks(enumerations, names)]
    if any(one.smallest_cell < LEAST_PER_CELL for one in enumerations):
        notes.append(
            f"! some category has fewer than {LEAST_PER_CELL} answers to some number; the paper asks for as many"
        )
    rows = []
    for one in enumerations:
        matrices = {category: matrix.tolist() for category, matrix in one.matrices.items()}
        rows.append(one.row() | {"matrices": matrices, "is_stand_in": one.model in names.models})
    return Result(tuple(tables), names.plain(rows), notes=tuple(notes))


def _suite_tables(suite: str, enumerations: Sequence[CountingReport], names: Names) -> Iterator[Table]:
    has_runs = len({one.run for one in enumerations}) > 1
    judges = dict.fromkeys(names.mark_judge(one.judge) for one in enumerations)
    places = [*["run"] * has_runs, "model", *["judge"] * (len(judges) > 1)]
    headings = {name: measure.heading for name, measure in measures().items() if measure.heading}
    is_partial = not all(one.has_every_count for one in enumerations)
    skill = [name for name in _SKILL if is_partial or name not in _OF_ANSWERED]
    nature = [*_NATURE, *(name for name in headings if name not in (*_SKILL, *_NATURE))]
    first: list[tuple[Cell, ...]] = []
    second: list[tuple[Cell, ...]] = []
    for one in enumerations:
        labels = {"run": one.run, "model": names.mark_model(one.model), "judge": names.name_judge(one.judge)}
        named = [labels[place] for place in places]
        n = f"{one.eligible}" + " !" * (one.smallest_cell < LEAST_PER_CELL)
        others = [f"{count} {name}" for name in _OTHERS if (count := getattr(one, name))]
        first.append((*named, *(_tell(getattr(one, name)) for name in skill), " + ".join([n, *others])))
        second.append((*named, *(_tell(getattr(one, name)) for name in nature)))
    for name, known in name_baselines(one.numbers for one in enumerations):
        named = [f"({name}, exact)" if place == "model" else "" for place in places]
        first.append((*named, *(_tell(getattr(known, figure.removesuffix("_all"), None)) for figure in skill), ""))
    for title, chosen, rows in ((f"{suite}, judged by {', '.join(judges)}", skill, first), ("", nature, second)):
        heads = [Column.text(place) for place in places]
        for name in chosen:
            heading = headings.get(name, name)
            heads.append(Column(heading, _HELP.get(heading, ""), digits=3))
        made = Table.of(suite, title, [*heads, *[Column("n")] * (chosen is skill)], rows, _VALUES)
        yield made if chosen is skill else made.without_empty()


def _tell(measure: object) -> Cell:
    """Return the most telling figure of a measure; blank if it has none."""
    match measure:
        case None | KnowerLevel(level=None):
            return ""
        case (Estimate() as found) | Abstraction(estimate=found):
            return found
        case KnowerLevel(level=level, low=low, high=high):
            return f"{level} [{low}, {high}]"
        case Anchoring(anchors=anchors):
            texts = (f"{one.answer}: {estimate_text(one.share, mark=' !')}" for one in anchors[:_MOST_ANCHORS])
            return ", ".join(texts) or "none"
        case Weber(estimate=found, gain=gain, lapse=lapse, goodness_of_fit=fit):
            fitted = f", fit p {write_p(fit.p)}" if fit else ""
            return Worded("", found, f"(gain {gain.value:.2f}, lapses {lapse.value:.2f}{fitted})")
        case NoWeber(reason=reason):
            return f"none: {reason}"
        case ScalarVariability(slope=slope, law=law, constant=constant):
            # The slope beside that of the law, if there is one; else the paper's own.
            beside = [f"law {law.predicted:.2f}, p {write_p(law.p)}"] if law else []
            beside += [f"{write_range(constant)} never vary"] if constant else []
            return Worded("", law.slope if law else slope, f"({'; '.join(beside)})" if beside else "")
        case Cues(verdict=verdict):
            return verdict
        case float():
            return measure
        case tuple():
            biases = [one for one in measure if isinstance(one, Bias) and one.category != ALL]
            told = (f"{one.category} {one.direction} {one.r.value:.2f}" for one in biases if one.direction != "none")
            return ", ".join(told)
    return str(measure)
