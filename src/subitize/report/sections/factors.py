"""What a report says of any suite: how the outcome depends on each condition of the items."""

import math
from collections.abc import Mapping, Sequence

from subitize.analysis.clusters import WHOLE
from subitize.analysis.scoring import Score
from subitize.report.document import charts
from subitize.report.document.blocks import FigureBlock, Row, Section, make_table
from subitize.report.document.cells import slug
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, bounds
from subitize.report.sections.sources import Series

_MOST_LEVELS_DRAWN = 16


def factor_sections(
    suite: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]], palette: Palette
) -> list[Section]:
    """Write one section per condition, with the share of right outcomes at each level; scores are by label."""
    factors = dict.fromkeys(score.factor for own in scores.values() for score in own if score.factor != WHOLE)
    return [_section(suite, factor, series, scores, palette) for factor in factors]


def _section(
    suite: str, factor: str, series: Sequence[Series], scores: Mapping[str, Sequence[Score]], palette: Palette
) -> Section:
    by_cell = {
        (label, one.group): one.estimate
        for label, own in scores.items()
        for one in own
        if one.factor == factor and one.measure == "accuracy"
    }
    levels = sorted({level for _, level in by_cell}, key=_rank)
    table = make_table(
        f"{suite}-by-{slug(factor)}",
        f"Accuracy by {factor}",
        (MODEL, *levels),
        (Row((one.label, *(by_cell.get((one.label, level)) for level in levels)), one.badge) for one in series),
        "Share of right outcomes with 95 % intervals; what was refused or discarded is wrong.",
    )
    title = f"By {factor}"
    if len(levels) > _MOST_LEVELS_DRAWN:
        return Section(f"{suite}-by-{slug(factor)}", title, (table,))
    points = [{"model": label, "level": level, **bounds(one)} for (label, level), one in by_cell.items()]
    figure = FigureBlock(
        f"{suite}-by-{slug(factor)}-chart",
        title,
        charts.by_level(points, palette.of([one.label for one in series]), levels, factor),
        f"Share of right outcomes by {factor}, with 95 % intervals.",
        f"Accuracy by {factor} for every model, with intervals.",
        table,
    )
    return Section(f"{suite}-by-{slug(factor)}", title, (figure,))


def _rank(level: str) -> tuple[bool, float, str]:
    """Order numbers by size, and what is no number after them by name."""
    try:
        number = float(level)
    except ValueError:
        number = math.nan
    return (False, number, level) if math.isfinite(number) else (True, 0.0, level)
