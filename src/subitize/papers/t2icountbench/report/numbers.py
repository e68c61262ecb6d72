"""How T2ICountBench's models fare number by number: how far up they are right, and which way they err."""

from collections.abc import Sequence

from subitize.analysis.passes import PassRate, rate_passes
from subitize.papers.t2icountbench.beyond import HalfPoint, drawn_numbers, half_points
from subitize.papers.t2icountbench.report.leaderboard import tell_success
from subitize.papers.t2icountbench.tables import SUITE, choose_k
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import Block, Column, Columns, FigureBlock, Row, Section, make_table, text_column
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, bounds, methods, sizes
from subitize.report.sections.refinements import Group
from subitize.stats.crossings import LEVEL

_IMAGE = "one image"
_KIND = text_column("Right is")
_COLOURS = {True: "#d55e00", False: "#0072b2"}


def by_number(groups: Sequence[Group]) -> Section | None:
    """Show accuracy per image and success by number, and the number at which each falls below one half."""
    points, rows, halves, kinds = [], [], [], {}
    estimates: list[Estimate] = []
    for group in groups:
        k = choose_k(group.attempts)
        crossings = {(one.model, one.k): one for one in half_points(group.attempts, k)}
        halves += [(group, one) for one in crossings.values()]
        for (label, size), rates in _by_curve(group, k).items():
            kind = _kind(size)
            kinds[kind] = _COLOURS[size == 1]
            half = crossings.get((label, size))
            number = half.crossing.number if half and not half.crossing.is_below_throughout else None
            points += [
                {"model": label, "kind": kind, "number": int(one.group), "crossing": number, **bounds(one.estimate)}
                for one in rates
            ]
            by = {int(one.group): one.estimate for one in rates}
            estimates += by.values()
            rows.append((by, label, kind, group.badge(label)))
    if not points:
        return None
    numbers = sorted({number for by, *_ in rows for number in by})
    columns: Columns = (MODEL, _KIND, *map(str, numbers))
    cells = (Row((label, kind, *map(by.get, numbers)), badge) for by, label, kind, badge in rows)
    data = make_table(f"{SUITE}-by-number", "Share right by number", columns, cells, methods(estimates))
    figure = FigureBlock(
        f"{SUITE}-by-number-chart",
        "By number",
        charts.falling(points, list(dict.fromkeys(label for _, label, *_ in rows)), kinds, level=LEVEL),
        f"Share of single images that are right, and {tell_success(groups)}, by the number asked for, with 95 % "
        f"intervals ({sizes(estimates)}). Dashed: the first of these numbers at which it is below one half.",
        "Accuracy per image and success by number, a panel per model, with intervals and a line at one half.",
        data,
    )
    return Section(f"{SUITE}-by-number", "By number", (figure, _half_table(halves)))


def errors(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Show whether too many or too few are drawn, and how the numbers drawn scatter; votes tell nothing of that."""
    found = [(group, one) for group in groups for one in drawn_numbers(group.attempts)]
    if not found:
        return None
    labels = list(dict.fromkeys(one.model for _, one in found))
    means = [one.error for _, one in found]
    spreads = [one.spread for _, one in found if one.spread]
    points = [{"model": one.model, "number": one.number, **bounds(one.error)} for _, one in found]
    error = Column("Drawn − asked", "Mean over images; above 0 too many are drawn.")
    columns = (MODEL, "Number", error, Column("Standard deviation", "Of the numbers drawn."), "Images", "Prompts")
    rows = (
        Row((one.model, one.number, one.error, one.spread, one.error.n, one.prompts), group.badge(one.model))
        for group, one in found
    )
    title, caption = "Too many or too few", methods([*means, *spreads])
    figure = FigureBlock(
        f"{SUITE}-errors-chart",
        title,
        charts.signed_by_number(points, palette.of(labels), y_title="drawn − asked"),
        "Mean of the number drawn minus the number asked for, with 95 % intervals that know that images of one prompt "
        f"hang together ({sizes(means)}): above the line too many are drawn, below it too few. Standard deviations are "
        "in the data.",
        "Mean signed error by number, a panel per model, with intervals and a line at 0.",
        make_table(f"{SUITE}-errors", "Numbers drawn, by the number asked for", columns, rows, caption),
    )
    return Section(f"{SUITE}-errors", title, (figure,))


def _by_curve(group: Group, k: int) -> dict[tuple[str, int], list[PassRate]]:
    """Take the shares by number of single images and of k, where they are known."""
    rates = [one for one in rate_passes(group.attempts, ["number"]) if one.factor == "number"]
    places = [(label, size) for label in dict.fromkeys(one.model for one in group.attempts) for size in sorted({1, k})]
    curves = {place: [one for one in rates if (one.model, one.k) == place] for place in places}
    return {place: own for place, own in curves.items() if own}


def _kind(size: int) -> str:
    return _IMAGE if size == 1 else f"at least one of {size}"


def _half_table(halves: Sequence[tuple[Group, HalfPoint]]) -> Block:
    kinds = list(dict.fromkeys(one.k for _, one in sorted(halves, key=lambda pair: pair[1].k)))
    rows = []
    for label in dict.fromkeys(one.model for _, one in halves):
        own = {one.k: one.crossing for _, one in halves if one.model == label}
        badge = next(group.badge(label) for group, one in halves if one.model == label)
        crossings = [str(own[k]) if k in own else None for k in kinds]
        rows.append(Row((label, *crossings, max(crossing.n for crossing in own.values())), badge))
    columns = (MODEL, *(text_column(_kind(k).capitalize()) for k in kinds), Column("n", "Prompts."))
    caption = (
        "The smallest number at which a model is right in less than one half, with its 95 % interval: the closest fit "
        "that never rises with number, and a bootstrap of the prompts of each number. Between two "
        "numbers that were asked for, any may be it."
    )
    return make_table(f"{SUITE}-half-points", "Where models fall below one half", columns, rows, caption)
