"""The figures of T2ICountBench's paper, for any models: by difficulty, scene and style, and Table 3; and by number."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from subitize.analysis.score import PromptResult, rate_passes
from subitize.papers.t2icountbench import tables as paper
from subitize.papers.t2icountbench.beyond import HalfPoint, drawn_numbers, half_points
from subitize.papers.t2icountbench.published import ALL_MODELS, AVERAGE, CONDITIONS
from subitize.papers.t2icountbench.report.charts import bars, falling, signed_by_number
from subitize.papers.t2icountbench.report.leaderboard import badges, by_row, describe_success
from subitize.papers.t2icountbench.tables import SUITE, TableCell, choose_k
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.comparisons import RefinedRun
from subitize.report.series import MODEL, bounds, methods, sizes
from subitize.report.table import Block, Column, Columns, FigureBlock, Row, RowKind, Section, make_table, text_column
from subitize.stats.crossing import LEVEL

_PUBLISHED = "15 models (published)"
_PUBLISHED_COLOUR = "#6b7480"
_HERE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b")
_IMAGE = "one image"
_KIND = text_column("Right is")
_COLOURS = {True: "#d55e00", False: "#0072b2"}


def by_difficulty(groups: Sequence[RefinedRun]) -> Section | None:
    """Show what larger numbers do to each model (Figure 1)."""
    note = (
        "Easy are the numbers 1 to 5, medium 6 to 10, hard 11 to 15. The paper prints no figures but in its text, and "
        "mostly as ranges; those stand in the data."
    )
    figure = _by_level(groups, paper.by_difficulty, "difficulty", "By difficulty", note)
    return Section(f"{SUITE}-by-difficulty", "By difficulty", (figure,)) if figure else None


def by_number(groups: Sequence[RefinedRun]) -> Section | None:
    """Show accuracy per image and success by number, and the number at which each falls below one half."""
    curves: dict[tuple[str, int], dict[int, Estimate]] = {}
    halves: list[HalfPoint] = []
    for group in groups:
        k = choose_k(group.attempts)
        halves += half_points(group.attempts, k)
        rates = [one for one in rate_passes(group.attempts, ["number"]) if one.factor == "number"]
        for label, size in product(dict.fromkeys(one.model for one in group.attempts), sorted({1, k})):
            own = {int(one.group): one.estimate for one in rates if (one.model, one.k) == (label, size)}
            curves |= {(label, size): own} if own else {}
    if not curves:
        return None
    crossings = {(one.model, one.k): one.crossing for one in halves if not one.crossing.is_below_throughout}
    points = [
        {"model": label, "kind": _kind(size), "number": number, "crossing": at and at.number, **bounds(estimate)}
        for (label, size), own in curves.items()
        for at in [crossings.get((label, size))]
        for number, estimate in own.items()
    ]
    estimates = [estimate for own in curves.values() for estimate in own.values()]
    numbers = sorted({number for own in curves.values() for number in own})
    columns: Columns = (MODEL, _KIND, *map(str, numbers))
    badge = badges(groups)
    rows = (Row((label, _kind(k), *map(own.get, numbers)), badge[label]) for (label, k), own in curves.items())
    data = make_table(f"{SUITE}-by-number", "Share right by number", columns, rows, methods(estimates))
    kinds = {_kind(size): _COLOURS[size == 1] for _, size in curves}
    figure = FigureBlock(
        f"{SUITE}-by-number-chart",
        "By number",
        falling(points, list(dict.fromkeys(label for label, _ in curves)), kinds, level=LEVEL),
        f"Share of single images that are right, and {describe_success(groups)}, by the number asked for, with 95 % "
        f"intervals ({sizes(estimates)}). Dashed: the first of these numbers at which it is below one half.",
        "Accuracy per image and success by number, a panel per model, with intervals and a line at one half.",
        data,
    )
    return Section(f"{SUITE}-by-number", "By number", (figure, _half_table(halves, badge)))


def errors(groups: Sequence[RefinedRun], palette: Palette) -> Section | None:
    """Show whether too many or too few are drawn, and how the numbers drawn scatter; votes tell nothing of that."""
    found = [one for group in groups for one in drawn_numbers(group.attempts)]
    if not found:
        return None
    badge = badges(groups)
    means = [one.error for one in found]
    spreads = [one.spread for one in found if one.spread]
    points = [{"model": one.model, "number": one.number, **bounds(one.error)} for one in found]
    error = Column("Drawn − asked", "Mean over images; above 0 too many are drawn.")
    columns = (MODEL, "Number", error, Column("Standard deviation", "Of the numbers drawn."), "Images", "Prompts")
    rows = (
        Row((one.model, one.number, one.error, one.spread, one.error.n, one.prompts), badge[one.model]) for one in found
    )
    title, caption = "Too many or too few", methods([*means, *spreads])
    figure = FigureBlock(
        f"{SUITE}-errors-chart",
        title,
        signed_by_number(points, palette.of([one.model for one in found]), y_title="drawn − asked"),
        "Mean of the number drawn minus the number asked for, with 95 % intervals that know that images of one prompt "
        f"hang together ({sizes(means)}): above the line too many are drawn, below it too few. Standard deviations are "
        "in the data.",
        "Mean signed error by number, a panel per model, with intervals and a line at 0.",
        make_table(f"{SUITE}-errors", "Numbers drawn, by the number asked for", columns, rows, caption),
    )
    return Section(f"{SUITE}-errors", title, (figure,))


def by_scene(groups: Sequence[RefinedRun]) -> FigureBlock | None:
    """Show what scenes do to each model, in plain style (Figure 4)."""
    note = "Published: what the paper’s text says."
    return _by_level(groups, paper.by_scene, "scene", "By scene, in plain style", note)


def by_style(groups: Sequence[RefinedRun]) -> FigureBlock | None:
    """Show what styles do to each model, at home (Figure 3)."""
    return _by_level(groups, paper.by_style, "style", "By style, at home", "The paper prints none of these.")


def averages(groups: Sequence[RefinedRun]) -> FigureBlock | None:
    """Show scenes and styles averaged over models, beside the paper's means (Figure 5)."""
    found = [(group, cell) for group in groups for cell in paper.averages(group.attempts)]
    measured: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for group, cell in found:
        if isinstance(cell.value, Estimate):
            measured[cell.row if len(groups) == 1 else f"{cell.row}, {group.name}"][cell.column] = cell.value
    if not measured:
        return None
    levels = list(dict.fromkeys(level for own in measured.values() for level in own))
    printed = {cell.column: float(cell.value) / 100 for _, cell in found if isinstance(cell.value, str)}
    points = [
        {"model": level, "kind": name, **bounds(estimate)}
        for name, own in measured.items()
        for level, estimate in own.items()
    ]
    points += [{"model": level, "kind": _PUBLISHED, **_point(printed[level])} for level in levels if level in printed]
    rows = [Row((name, *map(own.get, levels))) for name, own in measured.items()]
    rows.append(Row((ALL_MODELS, *map(printed.get, levels)), "published"))
    estimates = [estimate for own in measured.values() for estimate in own.values()]
    kinds = dict(zip(measured, _HERE_COLOURS, strict=False)) | {_PUBLISHED: _PUBLISHED_COLOUR}
    title = "Scenes and styles, averaged over models"
    columns: Columns = (text_column("Mean of"), *levels)
    return FigureBlock(
        f"{SUITE}-averages-by-condition-chart",
        title,
        bars(points, levels, charts.colour_kinds(kinds)),
        f"The mean over models, scenes in plain style and styles at home ({sizes(estimates)}). The 95 % intervals are "
        "of prompts: these models are no sample of others. The paper’s means are those of its text.",
        "Average success in each scene and style, with intervals, beside the paper’s means.",
        make_table(f"{SUITE}-averages-by-condition", title, columns, rows, methods(estimates)),
    )


def table_3(groups: Sequence[RefinedRun]) -> list[Block]:
    """Set out original and refined prompts at home in plain style as the paper does (Table 3)."""
    found = [cell for group in groups for cell in paper.table_3([*group.attempts, *group.refined])]
    measured = by_row(cell for cell in found if not cell.is_published and cell.table == "table3")
    if not measured:
        return []
    names = dict.fromkeys(name for own in measured.values() for name in own)
    columns = [*(name for name in names if name != AVERAGE), *(name for name in names if name == AVERAGE)]
    badge = badges(groups)
    rows = []
    for label, own in measured.items():
        shares = (own[name].value if name in own else None for name in columns)
        fell_back = sum(cell.fallbacks for cell in own.values() if cell.column != AVERAGE)
        rows.append(Row((label, *shares, fell_back), badge[label]))
    are_same = {*columns} == {*CONDITIONS, AVERAGE}
    for model, printed in by_row(cell for cell in found if cell.is_published).items():
        named = f"{model} of 15" if model == AVERAGE else model
        known = [name for name in printed if name != AVERAGE or are_same]
        figures = (float(str(printed[name].value)) if name in known else None for name in columns)
        rows.append(Row((named, *figures, None), "published"))
    fallbacks = Column("Fallbacks", "Refined prompts that are the original ones, as the refinement did not apply.")
    caption = (
        f"At home in plain style: {describe_success(groups)}, the mean of the categories, with 95 % intervals. The "
        "average is of the columns here; published averages are of the paper’s five, and stand here where these "
        "are the same. Published: as printed in Table 3 of Guo and others (2025), one of four images, judged by "
        "five people, with two digits and no n; not measured here."
    )
    shown: Columns = (MODEL, *columns, fallbacks)
    return [make_table(f"{SUITE}-table-3", "Original and refined prompts, as in Table 3", shown, rows, caption)]


def _by_level(
    groups: Sequence[RefinedRun],
    compute: Callable[[Sequence[PromptResult]], list[TableCell]],
    name: str,
    title: str,
    note: str,
) -> FigureBlock | None:
    found = [cell for group in groups for cell in compute(group.attempts)]
    measured = [cell for cell in found if not cell.is_published]
    levels = list(dict.fromkeys(cell.column for cell in measured))
    if len(levels) < 2:
        return None
    found_here = [(cell, cell.value) for cell in measured if isinstance(cell.value, Estimate)]
    estimates = [estimate for _, estimate in found_here]
    points = [{"model": cell.row, "kind": cell.column, **bounds(estimate)} for cell, estimate in found_here]
    badge = badges(groups)
    rows = []
    for label, own in by_row(measured).items():
        cells = [own.get(level) for level in levels]
        figures = [
            *(cell.value if cell else None for cell in cells),
            *(cell.per_image if cell else None for cell in cells),
        ]
        rows.append(Row((label, *figures), badge[label]))
    for model, printed in by_row(cell for cell in found if cell.is_published).items():
        shares = {level: _read_percentage(str(cell.value)) for level, cell in printed.items()}
        named = {"model": f"{model} (published)"}
        points += [
            {**named, "kind": level, **_point(share)}
            for level, share in shares.items()
            if isinstance(share, float) and level in levels
        ]
        rows.append(Row((model, *map(shares.get, levels), *(None for _ in levels)), "published"))
    success = describe_success(groups)
    per_image = (Column(f"{level}, per image", "Share of single images that are right.") for level in levels)
    columns: Columns = (MODEL, *levels, *per_image)
    return FigureBlock(
        f"{SUITE}-by-{name}-chart",
        title,
        bars(points, list(dict.fromkeys(str(one["model"]) for one in points)), charts.colour_levels(levels)),
        f"{success[0].upper()}{success[1:]}, with 95 % intervals ({sizes(estimates)}). {note}",
        f"Success by {name} for every model, with intervals.",
        make_table(f"{SUITE}-by-{name}", title, columns, rows, methods(estimates)),
    )


def _point(share: float) -> dict[str, object]:
    """Make a row of a chart's data of what was printed, which has no interval."""
    return {"value": share, "low": share, "high": share, "n": None}


def _read_percentage(text: str) -> float | str:
    """Read a percentage of the paper's text as a share; a range or a bound stays what it is."""
    return int(text) / 100 if text.isdecimal() else f"{text} %"


def _kind(size: int) -> str:
    return _IMAGE if size == 1 else f"at least one of {size}"


def _half_table(halves: Sequence[HalfPoint], badge: Mapping[str, RowKind]) -> Block:
    kinds = sorted({one.k for one in halves})
    rows = []
    for label in dict.fromkeys(one.model for one in halves):
        own = {one.k: one.crossing for one in halves if one.model == label}
        crossings = [str(own[k]) if k in own else None for k in kinds]
        rows.append(Row((label, *crossings, max(crossing.n for crossing in own.values())), badge[label]))
    columns = (MODEL, *(text_column(_kind(k).capitalize()) for k in kinds), Column("n", "Prompts."))
    caption = (
        "The smallest number at which a model is right in less than one half, with its 95 % interval: the closest fit "
        "that never rises with number, and a bootstrap of the prompts of each number. Between two "
        "numbers that were asked for, any may be it."
    )
    return make_table(f"{SUITE}-half-points", "Where models fall below one half", columns, rows, caption)
