"""What a report says of models that name or draw numbers, in the order of Numbersense."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from subitize.analysis.papers.numbersense import ALL, Bias, Enumeration, ScalarVariability
from subitize.analysis.papers.numbersense_published import TABLE_2, TABLE_3, PublishedBias
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.document import (
    Badge,
    Block,
    Cell,
    Column,
    FigureBlock,
    Row,
    Section,
    TableBlock,
    Tagged,
    TextBlock,
)

_MODEL = Column("Model", is_numeric=False)
# Le Corre and Carey 2007, as Numbersense has them (section 2.4.2).
_CRITERIA = {"answered when shown": 0.67, "answered when not shown": 0.5}


@dataclass(frozen=True, slots=True)
class Counted:
    """A model under its name in the report, and how it enumerates."""

    label: str
    badge: Badge
    it: Enumeration


def rank(models: Iterable[Counted]) -> list[Counted]:
    """Put those with the smallest error first."""
    return sorted(models, key=lambda model: (model.it.nae.value if model.it.nae else math.inf, model.label))


def number_sections(suite: str, models: Sequence[Counted], palette: Palette) -> list[Section]:
    """Write all sections that the suite's figures suffice for, in the paper's order."""
    made: list[Section | None] = [
        _confusion(suite, models),
        _accuracy(suite, models, palette),
        _knower(suite, models),
        _bias(suite, models),
        _weber(suite, models, palette),
        _scalar(suite, models, palette),
        _cues(suite, models, palette),
        _abstraction(suite, models),
        _wordings(suite, models),
    ]
    return [section for section in made if section is not None]


def _confusion(suite: str, models: Sequence[Counted]) -> Section:
    categories = _categories(models)
    rows = [row for model in models for row in _shares(model)]
    targets = sorted({number for model in models for number in model.it.numbers})
    responses = max((model.it.responses for model in models), key=len)
    shown = [*(category for category in categories), "overall"]
    columns = (
        _MODEL,
        Column("Category", is_numeric=False),
        Column("Target"),
        Column("Response"),
        Column("Share", digits=3),
        Column("n"),
    )
    data = TableBlock(
        f"{suite}-confusion-matrices",
        "Confusion matrices",
        columns,
        tuple(
            Row((row["model"], row["category"], row["target"], row["response"], row["share"], row["n"])) for row in rows
        ),
    )
    figure = FigureBlock(
        f"{suite}-confusion",
        "Confusion matrices",
        charts.confusion(rows, [model.label for model in models], shown, (targets, responses)),
        "Each column of a panel is a target number, each row a response; colour is the share of the responses to that "
        f"target, from 0 % (dark blue) to 100 % (yellow). Responses above {responses[-1]} are in the top row. A sure "
        "counter would show one yellow diagonal.",
        f"Confusion matrices of {len(models)} models by category, target across and response up.",
        data,
    )
    return Section(f"{suite}-confusion", "Confusion matrices", (figure,))


def _shares(model: Counted) -> list[dict[str, str | int | float]]:
    found: list[dict[str, str | int | float]] = []
    for category in (*model.it.categories, ALL):
        counts = model.it.matrices[category]
        totals = counts.sum(axis=0)
        for place, target in enumerate(model.it.numbers):
            for rank, response in enumerate(model.it.responses):
                if counts[rank, place]:
                    found.append(
                        {
                            "model": model.label,
                            "category": "overall" if category == ALL else category,
                            "target": target,
                            "response": response,
                            "share": float(counts[rank, place] / totals[place]),
                            "n": int(totals[place]),
                        }
                    )
    return found


def _accuracy(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    known = [(model, number) for model in models if model.it.knower for number in model.it.knower.numbers]
    if not known:
        return None
    rows = [_point(model, "number", one.number, one.hits) for model, one in known]
    numbers = sorted({one.number for _, one in known})
    hits = {(model.label, one.number): one.hits for model, one in known}
    table = TableBlock(
        f"{suite}-accuracy-by-number",
        "Share of right answers by number",
        (_MODEL, *(Column(str(number)) for number in numbers)),
        tuple(Row((m.label, *(hits.get((m.label, number)) for number in numbers)), m.badge) for m in models),
        _methods(one.hits for _, one in known),
    )
    figure = FigureBlock(
        f"{suite}-accuracy",
        "Accuracy by number",
        charts.accuracy_by_number(rows, _only(palette, models), numbers),
        "Share of right answers among those with a value, by the number shown or asked for; lines are 95 % intervals"
        f" ({_sizes(one.hits for _, one in known)}).",
        "Accuracy by number for every model, with intervals.",
        table,
    )
    return Section(f"{suite}-accuracy", "Accuracy by number", (figure,))


def _knower(suite: str, models: Sequence[Counted]) -> Section | None:
    known = [(model, model.it.knower) for model in models if model.it.knower is not None]
    if not known:
        return None
    rows, table_rows = [], []
    for model, knower in known:
        for one in knower.numbers:
            for kind, estimate in zip(_CRITERIA, (one.hits, one.false_alarms), strict=True):
                if estimate is not None:
                    rows.append(
                        _point(model, "number", one.number, estimate) | {"kind": kind, "criterion": _CRITERIA[kind]}
                    )
            shares = (one.hits, one.hit_margin, one.false_alarms, one.false_alarm_margin)
            known_or_not = "yes" if one.is_known else "no"
            table_rows.append(Row((model.label, one.number, *shares, known_or_not), model.badge))
    margins = TableBlock(
        f"{suite}-knower-numbers",
        "Numbers known, with margins",
        (
            _MODEL,
            Column("Number"),
            Column("Answered when shown"),
            Column("Margin over 67 %", "How far above the criterion; below 0 it is missed."),
            Column("Answered when not shown"),
            Column("Margin under 50 %", "How far below the criterion; below 0 it is missed."),
            Column("Known", is_numeric=False),
        ),
        tuple(table_rows),
    )
    figure = FigureBlock(
        f"{suite}-knower",
        "Numbers known",
        charts.shares_by_number(rows, [model.label for model, _ in known], _CRITERIA),
        "A number counts as known if it is answered in at least 67 % of the trials that show it (blue dots above the "
        "blue line) and in fewer than 50 % of the others (orange triangles below the orange line).",
        "Hits and false alarms by number with the criteria of the knower levels, one panel per model.",
        margins,
    )
    levels = TableBlock(
        f"{suite}-knower-levels",
        "Counting level",
        (
            _MODEL,
            Column("Level", "The largest n such that 1 to n are all known."),
            Column("Weakest number known"),
            Column("Margin"),
            Column("First number not known"),
            Column("Margin"),
        ),
        tuple(Row((model.label, *_level_cells(model)), model.badge) for model, _ in known),
        "The margin is the smaller of those to the two criteria: how much a share may change before the verdict does.",
    )
    return Section(f"{suite}-knower", "Counting level", (levels, figure))


def _level_cells(model: Counted) -> tuple[Cell, ...]:
    knower = model.it.knower
    if knower is None or knower.level is None:
        return (None, None, None, None, None)
    margins = {
        one.number: min(margin for margin in (one.hit_margin, one.false_alarm_margin) if margin is not None)
        for one in knower.numbers
    }
    held = {number: margin for number, margin in margins.items() if number <= knower.level}
    weakest = min(held, key=lambda number: held[number], default=None)
    missed = next((one.number for one in knower.numbers if one.number > knower.level), None)
    return (
        level_name(knower.level),
        weakest,
        None if weakest is None else held[weakest],
        missed,
        None if missed is None else margins[missed],
    )


def level_name(level: int) -> str:
    """Write a level as the literature does."""
    return f"{level}-knower"


_DIRECTIONS = {"over": "Over.", "under": "Under.", "none": "–"}


def _bias(suite: str, models: Sequence[Counted]) -> Section | None:
    if not any(model.it.biases for model in models):
        return None
    published = [bias for bias in (*TABLE_2, *TABLE_3) if bias.suite == suite]
    names = list(dict.fromkeys(bias.model for bias in published))
    categories = [
        *dict.fromkeys([*_categories(models), *(_OUR_NAMES.get(b.category, b.category) for b in published)]),
        ALL,
    ]
    rows = [
        Row((model.label, *(_bias_cell(model.it.biases, category) for category in categories)), model.badge)
        for model in models
    ]
    rows += [
        Row((name, *(_published_cell(published, name, category) for category in categories)), "published")
        for name in names
    ]
    table = TableBlock(
        f"{suite}-bias",
        "Over- and underestimation",
        (_MODEL, *(Column("overall" if name == ALL else name) for name in categories)),
        tuple(rows),
        "“Over.” and “Under.”: responses lie systematically above or below the target (Wilcoxon signed-rank test, "
        "p < .05, and effect size r = |z| / √n of at least .3); “–”: neither. Figures are r with its 95 % interval; "
        "published rows have r alone.",
    )
    return Section(f"{suite}-bias", "Over- and underestimation", (table,))


def _bias_cell(biases: Iterable[Bias], category: str) -> Cell:
    found = next((bias for bias in biases if bias.category == category), None)
    return "" if found is None else Tagged(_DIRECTIONS[found.direction], found.r)


# Table 2 calls "flashcards" what section 2.1.1 calls fast cards.
_OUR_NAMES = {"flashcards": "fastcards"}


def _published_cell(biases: Iterable[PublishedBias], model: str, category: str) -> Cell:
    for bias in biases:
        if bias.model == model and _OUR_NAMES.get(bias.category, bias.category) == category:
            word = _DIRECTIONS[bias.direction]
            return word if bias.r is None else f"{word} {bias.r:.2f}"
    return ""  # not printed, which is not the same as no bias


def _weber(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    fitted = [(model, model.it.weber) for model in models if model.it.weber is not None]
    if not fitted:
        return None
    rows = [
        _point(model, "number", point.number, point.exact) | {"predicted": point.predicted_exact}
        for model, weber in fitted
        for point in weber.curve
    ]
    data = TableBlock(
        f"{suite}-psychometric-curves",
        "Psychometric curves",
        (
            _MODEL,
            Column("Number"),
            Column("Exact"),
            Column("Exact, fitted law"),
            Column("Mean"),
            Column("Mean, fitted law"),
            Column("SD"),
            Column("SD, fitted law"),
        ),
        tuple(
            Row(
                (
                    model.label,
                    point.number,
                    point.exact,
                    point.predicted_exact,
                    point.mean,
                    point.predicted_mean,
                    point.sd,
                    point.predicted_sd,
                ),
                model.badge,
            )
            for model, weber in fitted
            for point in weber.curve
        ),
    )
    fractions = TableBlock(
        f"{suite}-weber",
        "Weber fractions",
        (_MODEL, Column("Weber fraction", digits=3), Column("Exact up to"), Column("n")),
        tuple(Row((m.label, weber.estimate, weber.subitizing, weber.estimate.n), m.badge) for m, weber in fitted),
        "The spread of the responses as a share of the number: about .15 in human adults, 0 for an exact counter. "
        + _methods(weber.estimate for _, weber in fitted),
    )
    figure = FigureBlock(
        f"{suite}-psychometric",
        "Psychometric curves",
        charts.psychometric(rows, [model.label for model, _ in fitted], palette),
        "Share of exact answers by number: dots with 95 % intervals as observed, the curve as Weber’s law with the "
        "fitted fraction has it.",
        "Observed and fitted share of exact answers by number, one panel per model.",
        data,
    )
    return Section(f"{suite}-weber", "Weber fraction", (fractions, figure))


def _scalar(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    found = [(model, model.it.scalar) for model in models if model.it.scalar is not None]
    if not found:
        return None
    fits = [row for model, scalar in found for row in _fit_line(model, scalar)]
    slopes = TableBlock(
        f"{suite}-scalar",
        "Scalar variability",
        (_MODEL, Column("Slope"), Column("p against 1", digits=3, is_probability=True), Column("Numbers")),
        tuple(Row((m.label, s.slope, s.p_value_against_1, len(s.points)), m.badge) for m, s in found),
        "The slope of log standard deviation on log mean: 1 is scalar variability, the signature of estimation; 0 "
        "means that larger numbers are answered with no more spread than small ones.",
    )
    data = TableBlock(
        f"{suite}-spread",
        "Mean and spread of the responses",
        (_MODEL, Column("Number"), Column("Mean"), Column("SD"), Column("n")),
        tuple(Row((m.label, p.number, p.mean, p.sd, p.n), m.badge) for m, scalar in found for p in scalar.points),
    )
    figure = FigureBlock(
        f"{suite}-scalar-variability",
        "Spread against mean",
        charts.spread(fits, _only(palette, [model for model, _ in found])),
        "Standard deviation over mean of the responses to each number, both on logarithmic scales, with the fitted "
        "line. Numbers answered without any spread have no place on it.",
        "Standard deviation over mean response on logarithmic scales, with a fitted line per model.",
        data,
    )
    return Section(f"{suite}-scalar", "Scalar variability", (slopes, figure))


def _fit_line(model: Counted, scalar: ScalarVariability) -> list[dict[str, object]]:
    """Put each point's place on the line beside it: the least-squares line goes through the mean of the logs."""
    logs = [(math.log(point.mean), math.log(point.sd)) for point in scalar.points]
    x, y = (sum(values) / len(values) for values in zip(*logs, strict=True))
    return [
        {
            "model": model.label,
            "mean": point.mean,
            "sd": point.sd,
            "fitted": math.exp(y + scalar.slope.value * (at - x)),
        }
        for point, (at, _) in zip(scalar.points, logs, strict=True)
    ]


def _cues(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    found = [(model, model.it.cues) for model in models if model.it.cues is not None]
    if not found:
        return None
    table = TableBlock(
        f"{suite}-cues",
        "What the responses follow",
        (
            _MODEL,
            Column("Follows", is_numeric=False),
            Column("p of the runner-up", digits=3, is_probability=True),
            *(Column(f"ΔBIC {cue}", digits=1) for cue in _CUES),
            Column("n"),
        ),
        tuple(
            Row(
                (
                    model.label,
                    cues.verdict,
                    cues.p_value,
                    *(next((one.delta_bic for one in cues.models if one.cue == cue), None) for cue in _CUES),
                    cues.n,
                ),
                model.badge,
            )
            for model, cues in found
        ),
        "ΔBIC is how much worse a cue alone explains the responses than the best one (0). “Undecided”: the runner-up "
        "is about as close (Vuong’s test).",
    )
    slopes = [(model, one) for model, cues in found for one in cues.coefficients]
    if not slopes:
        return Section(f"{suite}-cues", "Number or ink", (table,))
    order = list(dict.fromkeys(one.predictor for _, one in slopes))
    with_slopes = list({model.label: model for model, _ in slopes}.values())
    data = TableBlock(
        f"{suite}-cue-slopes",
        "Slopes of the cues",
        (
            _MODEL,
            Column("Cue", is_numeric=False),
            Column("Slope"),
            Column("Share of variance only it explains", digits=3),
        ),
        tuple(Row((model.label, one.predictor, one.slope, one.unique_share), model.badge) for model, one in slopes),
    )
    figure = FigureBlock(
        f"{suite}-cue-regression",
        "Number or ink",
        charts.forest(
            [_point(model, "name", one.predictor, one.slope) for model, one in slopes],
            [model.label for model in with_slopes],
            palette,
            x_title="slope of log response",
            order=order,
        ),
        "How the responses follow number, the size of the things and the area they spread over, each beside the "
        "others; lines are 95 % intervals. One who counts has a slope of 1 for number and of 0 for the rest.",
        "Regression slopes of the cues with intervals, one panel per model.",
        data,
    )
    return Section(f"{suite}-cues", "Number or ink", (table, figure))


_CUES = ("number", "ink", "hull", "density")


def _abstraction(suite: str, models: Sequence[Counted]) -> Section | None:
    found = [(model, model.it.abstraction) for model in models if model.it.abstraction is not None]
    if not found:
        return None
    table = TableBlock(
        f"{suite}-abstraction",
        "Abstraction",
        (_MODEL, Column("Smallest correlation"), Column("Between", is_numeric=False)),
        tuple(Row((m.label, one.estimate, " and ".join(one.pair)), m.badge) for m, one in found),
        "The smallest correlation between the confusion matrices of two categories: near 1, number is treated alike "
        "whatever the things are.",
    )
    return Section(f"{suite}-abstraction", "Abstraction", (table,))


def _wordings(suite: str, models: Sequence[Counted]) -> Section | None:
    blocks: list[Block] = []
    if any(len(model.it.wordings) > 1 for model in models):
        rows = [
            Row(
                (m.label, w.wording, "kept" if w.wording == m.it.wording else "", w.accuracy, w.mae, w.nae, w.n),
                m.badge,
            )
            for m in models
            for w in m.it.wordings
        ]
        columns = (
            _MODEL,
            Column("Wording", is_numeric=False),
            Column("", is_numeric=False),
            Column("Accuracy"),
            Column("MAE"),
            Column("NAE", digits=3),
            Column("n"),
        )
        caption = "For each model the wording with the smallest mean absolute error is kept, as in the paper."
        blocks.append(TableBlock(f"{suite}-wordings", "Wordings of the question", columns, tuple(rows), caption))
    if any(model.it.control is not None for model in models):
        control_rows = tuple(Row((m.label, m.it.control), m.badge) for m in models)
        caption = "Share of the answers to “What does the image represent?” that name apples or fruit."
        head = (_MODEL, Column("Control question right"))
        blocks.append(TableBlock(f"{suite}-control", "Control question", head, control_rows, caption))
    return Section(f"{suite}-wordings", "Wordings and control", tuple(blocks)) if blocks else None


def eligibility_notes(models: Sequence[Counted]) -> list[TextBlock]:
    """Warn where a cell has fewer eligible trials than the paper asks for."""
    few = [model for model in models if model.it.smallest_cell < _PAPER_CELL]
    if not few:
        return []
    whose = "every model" if len(few) == len(models) else ", ".join(model.label for model in few)
    text = (
        f"The paper wants at least {_PAPER_CELL} usable answers for every number and category. Here {whose} has fewer "
        f"somewhere, at the least {min(model.it.smallest_cell for model in few)}: read what follows as a trial run."
    )
    return [TextBlock(text, is_warning=True)]


_PAPER_CELL = 20


def _categories(models: Sequence[Counted]) -> list[str]:
    return list(dict.fromkeys(category for model in models for category in model.it.categories))


def _point(model: Counted, name: str, at: object, estimate: Estimate) -> dict[str, object]:
    bounds = {"low": max(estimate.low, -1e6), "high": min(estimate.high, 1e6), "n": estimate.n}
    return {"model": model.label, name: at, "value": estimate.value, **bounds}


def _only(palette: Palette, models: Sequence[Counted]) -> Palette:
    return palette.of([model.label for model in models])


def _methods(estimates: Iterable[Estimate]) -> str:
    methods = sorted({estimate.method for estimate in estimates})
    return f"Intervals (95 %): {'; '.join(methods)}." if methods else ""


def _sizes(estimates: Iterable[Estimate]) -> str:
    sizes = [estimate.n for estimate in estimates]
    return f"n = {min(sizes):,} each" if min(sizes) == max(sizes) else f"n from {min(sizes):,} to {max(sizes):,}"
