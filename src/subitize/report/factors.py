"""What a report says of any suite: how the outcome depends on each condition of the items."""

from collections.abc import Mapping, Sequence

from subitize.analysis.scoring import WHOLE, Score
from subitize.report import charts
from subitize.report.cells import slug
from subitize.report.charts import Palette
from subitize.report.document import Column, FigureBlock, Row, Section, TableBlock
from subitize.report.sources import Series

_MOST_LEVELS_DRAWN = 16


def factor_sections(suite: str, series: Sequence[Series], scores: Sequence[Score], palette: Palette) -> list[Section]:
    """Write one section per condition, with the share of right outcomes at each of its levels."""
    labels = {(one.model, one.judge): one for one in series}
    factors = list(dict.fromkeys(score.factor for score in scores if score.factor != WHOLE))
    return [_section(suite, factor, labels, scores, palette) for factor in factors]


def _section(
    suite: str, factor: str, labels: Mapping[tuple[str, str], Series], scores: Sequence[Score], palette: Palette
) -> Section:
    found = [one for one in scores if one.factor == factor and one.measure == "accuracy"]
    levels = list(dict.fromkeys(one.group for one in found))
    by_cell = {(labels[one.model, one.judge].label, one.group): one.estimate for one in found}
    table = TableBlock(
        f"{suite}-by-{slug(factor)}",
        f"Accuracy by {factor}",
        (Column("Model", is_numeric=False), *(Column(level) for level in levels)),
        tuple(
            Row((one.label, *(by_cell.get((one.label, level)) for level in levels)), one.badge)
            for one in labels.values()
        ),
        "Share of right outcomes with 95 % intervals; refusals are wrong, discarded answers left out.",
    )
    title = f"By {factor}"
    if len(levels) > _MOST_LEVELS_DRAWN:
        return Section(f"{suite}-by-{slug(factor)}", title, (table,))
    points = [
        {"model": label, "level": level, "value": one.value, "low": one.low, "high": one.high, "n": one.n}
        for (label, level), one in by_cell.items()
    ]
    figure = FigureBlock(
        f"{suite}-by-{slug(factor)}-chart",
        title,
        charts.by_level(points, palette.of([one.label for one in labels.values()]), levels, factor),
        f"Share of right outcomes by {factor}, with 95 % intervals.",
        f"Accuracy by {factor} for every model, with intervals.",
        table,
    )
    return Section(f"{suite}-by-{slug(factor)}", title, (figure,))
