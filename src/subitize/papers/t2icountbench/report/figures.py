"""The figures of T2ICountBench's paper, for any models: by difficulty, scene and style, and Table 3; and by number."""

from collections.abc import Callable, Sequence

from subitize.analysis.attempts import Attempt
from subitize.analysis.passes import PassRate, rate_passes
from subitize.papers.t2icountbench import tables as paper
from subitize.papers.t2icountbench.beyond import HalfPoint, drawn_numbers, half_points
from subitize.papers.t2icountbench.published import ALL_MODELS, AVERAGE, CONDITIONS
from subitize.papers.t2icountbench.report.leaderboard import tell_success
from subitize.papers.t2icountbench.tables import SUITE, TableCell, choose_k
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Block,
    Cell,
    Column,
    Columns,
    FigureBlock,
    Row,
    Section,
    make_table,
    text_column,
)
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, bounds, methods, sizes
from subitize.report.sections.refinements import Group
from subitize.stats.crossings import LEVEL

_PUBLISHED = "15 models (published)"
_PUBLISHED_COLOUR = "#6b7480"
_HERE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b")
Found = Sequence[tuple[Group, TableCell]]
_IMAGE = "one image"
_KIND = text_column("Right is")
_COLOURS = {True: "#d55e00", False: "#0072b2"}


def by_difficulty(groups: Sequence[Group]) -> Section | None:
    """Show what larger numbers do to each model (Figure 1)."""
    note = (
        "Easy are the numbers 1 to 5, medium 6 to 10, hard 11 to 15. The paper prints no figures but in its text, and "
        "mostly as ranges; those stand in the data."
    )
    figure = _by_level(groups, paper.by_difficulty, "difficulty", "By difficulty", note)
    return Section(f"{SUITE}-by-difficulty", "By difficulty", (figure,)) if figure else None


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


def by_scene(groups: Sequence[Group]) -> FigureBlock | None:
    """Show what scenes do to each model, in plain style (Figure 4)."""
    note = "Published: what the paper’s text says."
    return _by_level(groups, paper.by_scene, "scene", "By scene, in plain style", note)


def by_style(groups: Sequence[Group]) -> FigureBlock | None:
    """Show what styles do to each model, at home (Figure 3)."""
    return _by_level(groups, paper.by_style, "style", "By style, at home", "The paper prints none of these.")


def averages(groups: Sequence[Group]) -> FigureBlock | None:
    """Show scenes and styles averaged over models, beside the paper's means (Figure 5)."""
    found = [(group, cell) for group in groups for cell in paper.averages(group.attempts)]
    measured = [(group, cell) for group, cell in found if not cell.is_published]
    levels = list(dict.fromkeys(cell.column for _, cell in measured))
    if not levels:
        return None
    names = {group.name: _row_name(group, groups, cell) for group, cell in measured}
    printed = {cell.column: cell.value for _, cell in found if cell.is_published}
    points = [{"model": cell.column, "kind": names[group.name], **_point(cell.value)} for group, cell in measured]
    points += [{"model": level, "kind": _PUBLISHED, **_point(printed[level])} for level in levels if level in printed]
    rows = [
        Row((names[group.name], *(_cell_of(measured, group, level) for level in levels)))
        for group in groups
        if group.name in names
    ]
    rows.append(Row((ALL_MODELS, *(_share(printed.get(level)) for level in levels)), "published"))
    estimates = [cell.value for _, cell in measured if isinstance(cell.value, Estimate)]
    kinds = dict(zip(names.values(), _HERE_COLOURS, strict=False)) | {_PUBLISHED: _PUBLISHED_COLOUR}
    return FigureBlock(
        f"{SUITE}-averages-by-condition-chart",
        "Scenes and styles, averaged over models",
        charts.bars(points, levels, charts.colour_kinds(kinds)),
        f"The mean over models, scenes in plain style and styles at home ({sizes(estimates)}). The 95 % intervals are "
        "of prompts: these models are no sample of others. The paper’s means are those of its text.",
        "Average success in each scene and style, with intervals, beside the paper’s means.",
        make_table(
            f"{SUITE}-averages-by-condition",
            "Scenes and styles, averaged over models",
            (text_column("Mean of"), *levels),
            rows,
            methods(estimates),
        ),
    )


def table_3(groups: Sequence[Group]) -> list[Block]:
    """Set out original and refined prompts at home in plain style as the paper does (Table 3)."""
    found = [(group, cell) for group in groups for cell in paper.table_3([*group.attempts, *group.refined])]
    measured = [(group, cell) for group, cell in found if not cell.is_published and cell.table == "table3"]
    if not measured:
        return []
    names = dict.fromkeys(cell.column for _, cell in measured)
    columns = [*(name for name in names if name != AVERAGE), *(name for name in names if name == AVERAGE)]
    rows = _rows(measured, columns)
    printed = {(cell.row, cell.column): cell.value for _, cell in found if cell.is_published}
    are_same = {*columns} == {*CONDITIONS, AVERAGE}
    for model in dict.fromkeys(row for row, _ in printed):
        named = f"{model} of 15" if model == AVERAGE else model
        shares = [printed.get((model, name)) if name != AVERAGE or are_same else None for name in columns]
        rows.append(Row((named, *map(_share_as_printed, shares), None), "published"))
    fallbacks = Column("Fallbacks", "Refined prompts that are the original ones, as the refinement did not apply.")
    caption = (
        f"At home in plain style: {tell_success(groups)}, the mean of the categories, with 95 % intervals. The average "
        "is of the columns here; published averages are of the paper’s five, and stand here where these are the same. "
        "Published: as printed in Table 3 of Guo and others (2025), one of four images, judged by five people, with "
        "two digits and no n; not measured here."
    )
    shown: Columns = (MODEL, *columns, fallbacks)
    return [make_table(f"{SUITE}-table-3", "Original and refined prompts, as in Table 3", shown, rows, caption)]


def _by_level(
    groups: Sequence[Group], compute: Callable[[Sequence[Attempt]], list[TableCell]], name: str, title: str, note: str
) -> FigureBlock | None:
    found = [(group, cell) for group in groups for cell in compute(group.attempts)]
    measured = [(group, cell) for group, cell in found if not cell.is_published]
    levels = list(dict.fromkeys(cell.column for _, cell in measured))
    if len(levels) < 2:
        return None
    printed = {(cell.row, cell.column): str(cell.value) for _, cell in found if cell.is_published}
    points = [{"model": cell.row, "kind": cell.column, **_point(cell.value)} for _, cell in measured]
    points += [
        {"model": f"{row} (published)", "kind": level, **_point(text)}
        for (row, level), text in printed.items()
        if text.isdecimal() and level in levels
    ]
    rows = _rows(measured, levels, with_images=True)
    for model in dict.fromkeys(row for row, _ in printed):
        texts = [printed.get((model, level)) for level in levels]
        rows.append(Row((model, *map(_as_text, texts), *(None for _ in levels)), "published"))
    estimates = [cell.value for _, cell in measured if isinstance(cell.value, Estimate)]
    success = tell_success(groups)
    per_image = (Column(f"{level}, per image", "Share of single images that are right.") for level in levels)
    columns: Columns = (MODEL, *levels, *per_image)
    return FigureBlock(
        f"{SUITE}-by-{name}-chart",
        title,
        charts.bars(points, list(dict.fromkeys(str(one["model"]) for one in points)), charts.colour_levels(levels)),
        f"{success[0].upper()}{success[1:]}, with 95 % intervals ({sizes(estimates)}). {note}",
        f"Success by {name} for every model, with intervals.",
        make_table(f"{SUITE}-by-{name}", title, columns, rows, methods(estimates)),
    )


def _rows(measured: Found, columns: Sequence[str], *, with_images: bool = False) -> list[Row]:
    rows = []
    for label in dict.fromkeys(cell.row for _, cell in measured):
        group = next(group for group, cell in measured if cell.row == label)
        own = {cell.column: cell for _, cell in measured if cell.row == label}
        cells: list[Cell] = [own[name].value if name in own else None for name in columns]
        if with_images:
            cells += [own[name].per_image if name in own else None for name in columns]
        else:
            cells.append(sum(cell.fallbacks for cell in own.values() if cell.column != AVERAGE))
        rows.append(Row((label, *cells), group.badge(label)))
    return rows


def _cell_of(measured: Found, group: Group, level: str) -> Cell:
    return next((cell.value for own, cell in measured if own is group and cell.column == level), None)


def _row_name(group: Group, groups: Sequence[Group], cell: TableCell) -> str:
    return cell.row if len(groups) == 1 else f"{cell.row}, {group.name}"


def _point(value: Estimate | str) -> dict[str, object]:
    """Make a row of a chart's data; what was printed, in percent, has no interval."""
    if isinstance(value, Estimate):
        return bounds(value)
    share = float(value) / 100
    return {"value": share, "low": share, "high": share, "n": None}


def _share(percent: Estimate | str | None) -> Cell:
    return None if percent is None or isinstance(percent, Estimate) else float(percent) / 100


def _share_as_printed(text: Estimate | str | None) -> Cell:
    return None if text is None or isinstance(text, Estimate) else float(text)


def _as_text(text: str | None) -> Cell:
    """Write a percentage of the text as a share; a range or a bound stays what it is."""
    if text is None or not text.isdecimal():
        return None if text is None else f"{text} %"
    return int(text) / 100


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
