"""What a report says of the laws behind responses: how they spread, and what they follow."""

import math
from collections.abc import Sequence

from subitize.analysis.enumeration import write_range
from subitize.numerals import in_words
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Cell,
    Column,
    FigureBlock,
    Row,
    Section,
    TableBlock,
    make_table,
    text_column,
)
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, Counted, methods, only, point
from subitize.stats.cues import Coefficient, Cues
from subitize.stats.scalar_variability import LEAST_POINTS, ScalarVariability
from subitize.stats.weber import CurvePoint, NoWeber, Weber


def weber_section(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    """Show the Weber fractions or why there is none, and the psychometric curves they fit."""
    found = [(model, model.it.weber) for model in models if model.it.weber is not None]
    if not found:
        return None
    fitted = [(model, weber) for model, weber in found if isinstance(weber, Weber)]
    fractions = make_table(
        f"{suite}-weber",
        "Weber fractions",
        (
            MODEL,
            Column("Weber fraction", digits=3),
            Column("Gain", "Mean response as a share of the number.", digits=3),
            Column("Lapses", "Share of responses that have nothing to do with the number.", digits=3),
            Column("p of fit", "Pearson’s test; a small p says that the law does not fit.", 3, is_probability=True),
            "Assumed exact up to",
            "n",
            text_column("Why none"),
        ),
        (Row((model.label, *_weber_cells(weber)), model.badge) for model, weber in found),
        "The spread of the responses to a number of a category, as a share of their mean: about .15 in human adults, 0 "
        "for an exact counter. It is that of normal responses with a gain, rounded, but for lapses, and is fitted to "
        "the numbers above those that people see exactly, and to responses that are neither 1 nor the highest of the "
        "matrix (n). Prompts may have gains of their own; where they do, or where only some numbers are ever answered, "
        "the law with one gain per category does not fit. " + methods(weber.estimate for _, weber in fitted),
    )
    figures = (_psychometric(suite, fitted, palette),) if fitted else ()
    return Section(f"{suite}-weber", "Weber fraction", (fractions, *figures))


def _weber_cells(weber: Weber | NoWeber) -> tuple[Cell, ...]:
    if isinstance(weber, NoWeber):
        return None, None, None, None, weber.subitizing, None, weber.reason
    p = weber.goodness_of_fit.p if weber.goodness_of_fit else None
    return weber.estimate, weber.gain, weber.lapse, p, weber.subitizing, weber.estimate.n, ""


def _psychometric(suite: str, fitted: Sequence[tuple[Counted, Weber]], palette: Palette) -> FigureBlock:
    curves = [(model, at) for model, weber in fitted for at in weber.curve]
    assumed_exact = {model.label: weber.subitizing for model, weber in fitted}
    rows = [
        {
            **point(model, "number", one.number, one.exact),
            "predicted": one.predicted_exact if one.number > assumed_exact[model.label] else None,
        }
        for model, one in curves
    ]
    return FigureBlock(
        f"{suite}-psychometric",
        "Psychometric curves",
        charts.psychometric(rows, [model.label for model, _ in fitted], palette),
        "Share of exact answers by number: dots with 95 % intervals as observed, the curve as Weber’s law with the "
        "fitted fraction, gain and lapses has it, over the numbers that it is fitted to.",
        "Observed and fitted share of exact answers by number, one panel per model.",
        _curve_table(suite, curves),
    )


def _curve_table(suite: str, curves: Sequence[tuple[Counted, CurvePoint]]) -> TableBlock:
    names = ("Exact", "Exact, fitted law", "Mean", "Mean, fitted law", "SD", "SD, fitted law")
    rows = []
    for model, one in curves:
        observed_and_fitted = (one.exact, one.predicted_exact, one.mean, one.predicted_mean, one.sd, one.predicted_sd)
        rows.append(Row((model.label, one.number, *observed_and_fitted), model.badge))
    return make_table(f"{suite}-psychometric-curves", "Psychometric curves", (MODEL, "Number", *names), rows)


def scalar_section(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    """Show whether the spread of the responses grows with their mean."""
    found = [(model, model.it.scalar) for model in models if model.it.scalar is not None]
    if not found:
        return None
    fits = [row for model, scalar in found for row in _fit_line(model, scalar)]
    slopes = make_table(
        f"{suite}-scalar",
        "Scalar variability",
        (
            MODEL,
            Column("Slope", "Over all numbers, trials pooled: the paper’s own."),
            Column("p against 1", "The paper’s own test.", 3, is_probability=True),
            "Numbers",
            Column("Slope where fitted", "Over the numbers that Weber’s law is fitted to, between the edges."),
            Column("Slope of the law", "What Weber’s law predicts for whole numbers."),
            Column("p against the law", digits=3, is_probability=True),
            text_column("Never vary"),
        ),
        (Row((model.label, *_scalar_cells(scalar)), model.badge) for model, scalar in found),
        "The slope of log standard deviation on log mean: it is near 1 in scalar variability, the signature of "
        "estimation; 0 means that larger numbers are answered with no more spread than small ones. Rounding to whole "
        "numbers and lapses change what Weber’s law predicts, so the verdict is the p against the law’s own slope: a "
        f"small one says that the spread does not grow as the law has it. It takes {in_words(LEAST_POINTS)} numbers.",
    )
    points = (Row((m.label, p.number, p.mean, p.sd, p.n), m.badge) for m, scalar in found for p in scalar.points)
    title, columns = "Mean and spread of the responses", (MODEL, "Number", "Mean", "SD", "n")
    data = make_table(f"{suite}-spread", title, columns, points)
    figure = FigureBlock(
        f"{suite}-scalar-variability",
        "Spread against mean",
        charts.spread(fits, only(palette, [model for model, _ in found])),
        "Standard deviation over mean of the responses to each number, both on logarithmic scales, with the fitted "
        "line. Numbers answered without any spread have no place on it.",
        "Standard deviation over mean response on logarithmic scales, with a fitted line per model.",
        data,
    )
    return Section(f"{suite}-scalar", "Scalar variability", (slopes, figure))


def _scalar_cells(scalar: ScalarVariability) -> tuple[Cell, ...]:
    law = scalar.law
    paper = (scalar.slope, scalar.p_value_against_1, len(scalar.points))
    verdict = (law.slope, law.predicted, law.p) if law else (None, None, None)
    return *paper, *verdict, write_range(scalar.constant)


def _fit_line(model: Counted, scalar: ScalarVariability) -> list[dict[str, object]]:
    """Put each point's place on the line beside it: the least-squares line goes through the mean of the logs."""
    logs = [(math.log(one.mean), math.log(one.sd)) for one in scalar.points]
    x, y = (sum(values) / len(values) for values in zip(*logs, strict=True))
    fitted = [math.exp(y + scalar.slope.value * (at - x)) for at, _ in logs]
    points = zip(scalar.points, fitted, strict=True)
    return [{"model": model.label, "mean": one.mean, "sd": one.sd, "fitted": on_line} for one, on_line in points]


def cue_section(suite: str, models: Sequence[Counted], palette: Palette) -> Section | None:
    """Show whether responses follow number or a magnitude that goes along with it."""
    found = [(model, model.it.cues) for model in models if model.it.cues is not None]
    if not found:
        return None
    runner_up = Column("p of the runner-up", digits=3, is_probability=True)
    table = make_table(
        f"{suite}-cues",
        "What the responses follow",
        (MODEL, text_column("Follows"), runner_up, *(Column(f"ΔBIC {cue}", digits=1) for cue in _CUES), "n"),
        (Row((m.label, cues.verdict, cues.p_value, *_delta_bics(cues), cues.n), m.badge) for m, cues in found),
        "ΔBIC is how much worse a cue alone explains the responses, by any smooth law, than the best one (0). "
        "“Undecided”: the runner-up is about as close (Vuong’s test). “Number, with a bias by item size” (or hull, the "
        "area that things spread over): answers follow number, but among pictures of one number they go with that too.",
    )
    slopes = [(model, one) for model, cues in found for one in cues.coefficients]
    figures = (_slope_figure(suite, slopes, palette),) if slopes else ()
    return Section(f"{suite}-cues", "Number or ink", (table, *figures))


_CUES = ("number", "ink", "hull", "density")


def _delta_bics(cues: Cues) -> list[float | None]:
    return [next((one.delta_bic for one in cues.models if one.cue == cue), None) for cue in _CUES]


def _slope_figure(suite: str, slopes: Sequence[tuple[Counted, Coefficient]], palette: Palette) -> FigureBlock:
    columns = (MODEL, text_column("Cue"), "Slope", Column("Variance only it explains", digits=3))
    rows = (Row((model.label, one.predictor, one.slope, one.unique_share), model.badge) for model, one in slopes)
    data = make_table(f"{suite}-cue-slopes", "Slopes of the cues", columns, rows)
    spec = charts.forest(
        [point(model, "name", one.predictor, one.slope) for model, one in slopes],
        list(dict.fromkeys(model.label for model, _ in slopes)),
        palette,
        x_title="slope of log response",
        order=list(dict.fromkeys(one.predictor for _, one in slopes)),
    )
    return FigureBlock(
        f"{suite}-cue-regression",
        "Slopes of the cues",
        spec,
        "How the responses follow number, the size of the things and the area they spread over (hull), each beside "
        "the others; lines are 95 % intervals, those of item area and hull together. Number is a factor, so that who "
        "answers by number alone, by whatever law, has slopes of 0 for the rest; one who counts has 1 for number.",
        "Regression slopes of the cues with intervals, one panel per model.",
        data,
    )
