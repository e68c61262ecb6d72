"""T2ICountBench's part of a report: Table 2 as its leaderboard, and figures in the paper's order for any models.

By difficulty, scene, style, refinement and number; beyond the paper also every number, every k, the direction of
errors, and its claims."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from subitize.analysis.agreement import RaterAgreement, agree_run
from subitize.analysis.score import rate_passes
from subitize.errors import NothingToDoError
from subitize.language.numbers import in_words
from subitize.papers.t2icountbench import tables
from subitize.papers.t2icountbench.beyond import Threshold, drawn_numbers, thresholds_at_half
from subitize.papers.t2icountbench.claims import WORDING, claims_of, observe
from subitize.papers.t2icountbench.suite import NAME as SUITE
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.claims import claims_section
from subitize.report.comparisons import RefinedRun, pair_section
from subitize.report.estimates import MODEL, EstimateGrid, bounds, methods, sizes
from subitize.report.leaderboard import SIZE, describe_standing, draw_ranking, stand_series
from subitize.report.number_sense import counting_sections
from subitize.report.papers import JudgedRows, draw, list_badges
from subitize.report.series import shared_judges
from subitize.report.table import Block, Column, Columns, Figure, Paragraph, Row, RowKind, Section, Table
from subitize.report.texts import percent_text
from subitize.stats.crossing import LEVEL

_FAR = 1e6  # intervals this wide carry no information


def falling(rows: charts.Rows, models: Sequence[str], kinds: Mapping[str, str], *, level: float) -> charts.Spec:
    """Draw shares of several kinds by number, a panel per model, with a line at a level, dashed where it is crossed."""
    colour = charts.colour_kinds(kinds)
    crossed = {"x": charts.field("crossing", "quantitative", aggregate="mean"), "color": colour}
    layers = [
        charts.draw_reference({"y": {"datum": level}}, dash=[1, 3]),
        charts.layer("rule", crossed, when="isValid(datum.crossing)", strokeDash=[4, 3], opacity=0.8),
        *charts.draw_lines(
            charts.share_field("share right"), {"x": charts.number_field("number asked for"), "color": colour}
        ),
    ]
    return charts.lay_out_panels(rows, layers, models)


def signed_by_number(rows: charts.Rows, palette: Palette, *, y_title: str) -> charts.Spec:
    """Draw values on both sides of 0 by number with their intervals, a panel per model."""
    ends = [float(str(row[end])) for row in rows for end in ("value", "low", "high")]
    near = [0.0, *(end for end in ends if abs(end) < _FAR)]
    scale = {"domain": [min(near), max(near)], "nice": True, "clamp": True}
    y = charts.field("value", "quantitative", title=y_title, scale=scale, axis={"tickCount": 5})
    shared = {"x": charts.number_field("number asked for"), "color": palette.colour(legend=False)}
    return charts.lay_out_panels(
        rows, [charts.draw_reference({"y": {"datum": 0}}), *charts.draw_estimates("y", y, shared)], palette.order
    )


_PLACED = "Among the fifteen published averages, and that of the interval’s ends; with all six categories only."
_RANK = "rank of the average, and of the ends of its interval, among the fifteen averages as printed"


def leaderboard(groups: Sequence[JudgedRows]) -> list[Block]:
    """Rank the models here among those of the paper, best first, and warn of what cannot be compared."""
    cells, _ = by_row(cell for group in groups for cell in tables.table_2(group.rows.originals))
    found = [name for own in cells.values() for name in own if name != tables.AVERAGE]
    categories = [name for name in dict.fromkeys([*tables.CATEGORIES, *found]) if name in found]
    rows = [*_measured(groups, cells, categories), *_published(categories)]
    ordered = [row for _, row in sorted(rows, key=lambda pair: -pair[0])]
    columns: Columns = (
        MODEL,
        Column("Average", f"Plain mean of the {len(categories)} categories, as in the paper."),
        Column("Accuracy per image", "Share of single images that are right, the mean of the categories."),
        Column("Rank of 16", _PLACED, digits=0),
        *categories,
        Column("n", "Prompts."),
        SIZE,
    )
    table = Table.of(
        f"{SUITE}-leaderboard", "Leaderboard", columns, ordered, _caption(ordered, describe_success(groups))
    )
    return [table, _warn(groups), _glance(table)]


def describe_success(groups: Sequence[JudgedRows]) -> str:
    """Describe success: how many images there are, of which one must be right."""
    sizes = sorted({group.rows.originals.k for group in groups})
    if sizes == [1]:
        return "share of prompts whose image is right"
    return f"share of prompts of which at least one of {' or '.join(map(in_words, sizes))} images is right"


def headline(groups: Sequence[JudgedRows]) -> str:
    """Name the best model, a stand-in only if there is no other, and its rank among the fifteen of the paper."""
    found = {
        model: mean
        for group in groups
        for model, mean in tables.average_by_model(group.rows.originals.results, group.rows.originals.k).items()
    }
    if not found:
        return ""
    marks = list_badges(groups)
    best = max(found, key=lambda model: (not marks[model], found[model].value))
    placed = next(
        (one for group in groups for one in tables.rank_among_published(group.rows.originals) if one.model == best),
        None,
    )
    rank = f", rank {placed.rank} of {placed.of} with the published models, whose judges were people" if placed else ""
    note = describe_standing(
        best, stand_series([one for group in groups for one in group.series]), by="accuracy per image"
    )
    share = percent_text(found[best])
    return (
        f"In {SUITE}, {best} does best: for {share} of the prompts at least one image has the right number{rank}.{note}"
    )


CellsByRow = Mapping[str, Mapping[str, tables.TableCell]]


def by_row(cells: Iterable[tables.TableCell]) -> tuple[CellsByRow, CellsByRow]:
    """Group measured cells by row and column, and published ones."""
    measured: dict[str, dict[str, tables.TableCell]] = defaultdict(dict)
    published: dict[str, dict[str, tables.TableCell]] = defaultdict(dict)
    for cell in cells:
        (published if cell.is_published else measured)[cell.row][cell.column] = cell
    return measured, published


def _measured(
    groups: Sequence[JudgedRows], cells: CellsByRow, categories: Sequence[str]
) -> Iterator[tuple[float, Row]]:
    ranks = {one.model: one for group in groups for one in tables.rank_among_published(group.rows.originals)}
    badge = list_badges(groups)
    for label, own in cells.items():
        average = own[tables.AVERAGE].value
        if isinstance(average, Estimate):
            ranked = ranks.get(label)
            ends = (ranked.rank, ranked.best, ranked.worst) if ranked else None
            rank = Estimate(*ends, average.n, _RANK, average.confidence) if ends else None
            shares = (own[name].value if name in own else None for name in categories)
            yield (
                average.value,
                Row((label, average, own[tables.AVERAGE].per_image, rank, *shares, average.n, ""), badge[label]),
            )


def _published(categories: Sequence[str]) -> Iterator[tuple[float, Row]]:
    printed = {place: float(text) for place, text in tables.list_published("table2").items()}
    sizes = tables.list_published("table1")
    for model in dict.fromkeys(row for row, _ in printed):
        average = printed[model, tables.AVERAGE]
        shares = (printed.get((model, name)) for name in categories)
        size = sizes[model, "parameters"].removesuffix("B").replace("N/A", "")
        yield average, Row((model, average, None, None, *shares, None, size), "published")


def _warn(groups: Sequence[JudgedRows]) -> Paragraph:
    """List what makes rows and the paper's incomparable; what several models share is said once."""
    lines = ["Published rows are to be compared with care:"]
    for group in groups:
        known = {one.model for one in group.rows.results}
        of_models: dict[str, list[str]] = {}
        for text in tables.list_warnings(group.rows):
            who = next((label for label in known if text.startswith(f"{label}: ")), "")
            of_models.setdefault(text.removeprefix(f"{who}: "), []).append(who)
        run = f"{group.name}: " if len(groups) > 1 else ""
        for what, labels in of_models.items():
            who = "all models" if len(labels) == len(known) > 1 else ", ".join(labels)
            lines.append(f"{run}{who}{': ' * bool(who)}{what}.")
    return Paragraph("\n".join(lines), is_warning=True)


def _caption(rows: Sequence[Row], success: str) -> str:
    caption = (
        f"{success[0].upper()}{success[1:]}, by category, with 95 % intervals; best first, by the average. Published: "
        "as printed in Table 2 of Guo and others (2025), one of four images, judged by five people, with two digits "
        "and no n; not measured here."
    )
    if any(row.badge == "stand-in" for row in rows):
        caption += " Stand-in: embedded in subitize to try the pipeline, not a real model."
    return caption


def _glance(table: Table) -> Figure:
    x_title = "average of the categories"
    data, spec = draw_ranking(table, f"{SUITE}-averages", "Average of the categories", x_title=x_title)
    return Figure(
        f"{SUITE}-glance",
        "Among the fifteen of the paper",
        spec,
        "The average of the categories with 95 % intervals, best first; published averages have none.",
        "Average success of every model with its interval among the published averages, best first.",
        data,
    )


_QUESTIONS = {"matches-prompt": "one of four is right", "count": "how many"}


def passes(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show the probability that one of k images is right, for every k."""
    found = [rate for group in groups for rate in rate_passes(group.rows.originals.results)]
    if not found:
        return None
    sizes_of_groups = sorted({rate.k for rate in found})
    columns = [f"pass@{k}" for k in sizes_of_groups]
    grid = EstimateGrid({(rate.model, f"pass@{rate.k}"): rate.estimate for rate in found}, list_badges(groups))
    points = [{"model": rate.model, "number": rate.k, **bounds(rate.estimate)} for rate in found]
    is_voted = any(rate.is_voted for rate in found)
    voted = " Of groups that were voted on together only the size of the group is known." * is_voted
    figure = draw(
        grid.table(f"{SUITE}-passes", "pass@k: one of k images is right", columns),
        charts.accuracy_by_number(points, palette.of(grid.rows), sizes_of_groups, x_title="images (k)"),
        "How likely at least one of k images of a prompt is right, estimated without bias from all its images, the "
        f"mean over prompts with 95 % intervals ({grid.sizes}). Of one image it is the accuracy per image, of "
        "four the paper’s success. Images of which nothing usable was read are left out, as in the paper’s "
        "tables; `score --pass-at-k` counts them as wrong."
        f"{voted}",
        "The share of prompts with at least one right image among k, by k, for every model, with intervals.",
        title="How many images it takes",
    )
    return Section(f"{SUITE}-passes", "One of k images", (figure,))


def agreement(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show how well annotators agree, where there are several, beside the paper's κ."""
    found = [(group, one) for group in groups for one in _concords(group) if one.suite == SUITE]
    if not found:
        return None
    rows, cautions = [], []
    for group, one in found:
        label = next((series.label for series in group.series if series.model == one.model), one.model)
        name = _prefix(group, groups) + one.model if one.is_pooled else label
        shares = (one.kappa, one.ac1, one.unanimous, one.yes)
        counts = (one.annotators, one.units, one.votes, one.ties, one.single)
        question = _QUESTIONS.get(one.question, one.question)
        rows.append(Row((name, question, *shares, *counts)))
        if one.caution:
            cautions.append(Paragraph(f"With caution: {name}, {question}: {one.caution}."))
    rows.append(
        Row(("15 models", "one of four is right", float(tables.KAPPA), *(None,) * 3, 5, *(None,) * 4), "published")
    )
    columns = (
        Column.text("Images of"),
        Column.text("Question"),
        "Fleiss’ κ",
        Column("Gwet’s AC1", "As κ, but chance does not grow where nearly all answers are the same."),
        Column("Unanimous", "Share of groups on which all agree."),
        Column("Yes", "Share of yes among the votes."),
        "Annotators",
        Column("Groups", "With at least two votes."),
        "Votes",
        Column("Ties", "Without a majority; in no figure."),
        Column("One vote", "Groups that one annotator alone voted on; in no figure here."),
    )
    caption = (
        "Agreement of annotators beyond chance, with 95 % intervals for prompts and annotators like these; that of "
        "Unanimous is for these annotators. Published: section 4.3 of Guo and others (2025), "
        "five annotators, all models together, without an interval."
    )
    table = Table.of(f"{SUITE}-agreement", "Agreement of annotators", columns, rows, caption)
    return Section(f"{SUITE}-agreement", "Agreement of annotators", (table, *cautions))


def statements(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show the paper's observations evaluated on these data, each with its tests."""
    found = {group.name: observe(group.rows) for group in groups}
    return claims_section(SUITE, found, WORDING)


def describe_ranks(groups: Sequence[JudgedRows]) -> list[Paragraph]:
    """Describe whether models keep their ranks across scenes: Kendall's W, with its interval."""
    rankings = [(_prefix(group, groups), claims_of.evaluate("C.2", group.rows.originals)) for group in groups]
    return [Paragraph(f"{prefix}{one.claim} {one.verdict.capitalize()}: {one.sentence}.") for prefix, one in rankings]


def _prefix(group: JudgedRows, groups: Sequence[JudgedRows]) -> str:
    return f"{group.name}: " if len(groups) > 1 else ""


def _concords(group: JudgedRows) -> list[RaterAgreement]:
    run = group.series[0].source.run
    if group.rows.judge not in shared_judges(run):
        return []
    try:
        return agree_run(run, group.rows.judge)
    except NothingToDoError:
        return []


_PUBLISHED = "15 models (published)"
_PUBLISHED_COLOUR = "#6b7480"
_HERE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b")
_IMAGE = "one image"
_KIND = Column.text("Right is")
_COLOURS = {True: "#d55e00", False: "#0072b2"}


def by_difficulty(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show how accuracy falls with larger numbers for each model (Figure 1)."""
    note = (
        "Easy are the numbers 1 to 5, medium 6 to 10, hard 11 to 15. The paper prints no figures but in its text, and "
        "mostly as ranges; those stand in the data."
    )
    figure = _by_level(groups, tables.by_difficulty, "difficulty", "By difficulty", note)
    return Section.of(f"{SUITE}-by-difficulty", "By difficulty", figure)


def by_number(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show accuracy per image and success by number, and the number at which each falls below one half."""
    cells: dict[tuple[str, str, int], Estimate] = {}
    halves: list[Threshold] = []
    for group in groups:
        k = group.rows.originals.k
        halves += thresholds_at_half(group.rows.originals.results, k)
        rates = [one for one in rate_passes(group.rows.originals.results, ["number"]) if one.factor == "number"]
        for place in product(dict.fromkeys(one.model for one in group.rows.originals.results), sorted({1, k})):
            own = (one for one in rates if (one.model, one.k) == place)
            cells |= {(one.model, _kind(one.k), int(one.group)): one.estimate for one in own}
    if not cells:
        return None
    grid, badge = EstimateGrid(cells, list_badges(groups)), list_badges(groups)
    falls = [one for one in halves if not one.crossing.is_below_throughout]
    crossings = {(one.model, _kind(one.k)): one.crossing.number for one in falls}
    points = [
        {**one, "crossing": crossings.get((one["model"], one["kind"]))}
        for one in grid.points("model", "kind", "number")
    ]
    kinds = {kind: _COLOURS[kind == _IMAGE] for _, kind, _ in cells}
    figure = draw(
        grid.table(f"{SUITE}-by-number", "Share right by number", sorted(grid.columns), (MODEL, _KIND)),
        falling(points, grid.rows, kinds, level=LEVEL),
        f"Share of single images that are right, and {describe_success(groups)}, by the number asked for, with 95 % "
        f"intervals ({grid.sizes}). Dashed: the first of these numbers at which it is below one half.",
        "Accuracy per image and success by number, a panel per model, with intervals and a line at one half.",
        title="By number",
    )
    return Section(f"{SUITE}-by-number", "By number", (figure, _half_table(halves, badge)))


def errors(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show whether too many or too few are drawn, and their spread; votes say nothing about that."""
    found = [one for group in groups for one in drawn_numbers(group.rows.originals.results)]
    if not found:
        return None
    badge = list_badges(groups)
    means = [one.error for one in found]
    spreads = [one.spread for one in found if one.spread]
    points = [{"model": one.model, "number": one.number, **bounds(one.error)} for one in found]
    error = Column("Drawn − asked", "Mean over images; above 0 too many are drawn.")
    columns = (MODEL, "Number", error, Column("Standard deviation", "Of the numbers drawn."), "Images", "Prompts")
    rows = [
        Row((one.model, one.number, one.error, one.spread, one.error.n, one.prompts), badge[one.model]) for one in found
    ]
    title, caption = "Too many or too few", methods([*means, *spreads])
    figure = draw(
        Table.of(f"{SUITE}-errors", "Numbers drawn, by the number asked for", columns, rows, caption),
        signed_by_number(points, palette.of([one.model for one in found]), y_title="drawn − asked"),
        "Mean of the number drawn minus the number asked for, with 95 % intervals that know that images of one prompt "
        f"hang together ({sizes(means)}): above the line too many are drawn, below it too few. Standard deviations are "
        "in the data.",
        "Mean signed error by number, a panel per model, with intervals and a line at 0.",
        title=title,
    )
    return Section(f"{SUITE}-errors", title, (figure,))


def by_scene(groups: Sequence[JudgedRows]) -> Figure | None:
    """Show the effect of scenes on each model, in plain style (Figure 4)."""
    note = "Published: what the paper’s text says."
    return _by_level(groups, tables.by_scene, "scene", "By scene, in plain style", note)


def by_style(groups: Sequence[JudgedRows]) -> Figure | None:
    """Show the effect of styles on each model, at home (Figure 3)."""
    return _by_level(groups, tables.by_style, "style", "By style, at home", "The paper prints none of these.")


def averages(groups: Sequence[JudgedRows]) -> Figure | None:
    """Show scenes and styles averaged over models, beside the paper's means (Figure 5)."""
    found = [(group, cell) for group in groups for cell in tables.averages(group.rows.originals)]
    grid = EstimateGrid(
        {
            (cell.row if len(groups) == 1 else f"{cell.row}, {group.name}", cell.column): cell.value
            for group, cell in found
            if isinstance(cell.value, Estimate)
        }
    )
    if not grid.cells:
        return None
    levels = grid.columns
    printed = {cell.column: float(cell.value) / 100 for _, cell in found if isinstance(cell.value, str)}
    points = grid.points("kind", "model")
    points += [{"model": level, "kind": _PUBLISHED, **_point(printed[level])} for level in levels if level in printed]
    rows = [Row((name, *map(grid.row(name).get, levels))) for name in grid.rows]
    rows.append(Row((tables.ALL_MODELS, *map(printed.get, levels)), "published"))
    kinds = dict(zip(grid.rows, _HERE_COLOURS, strict=False)) | {_PUBLISHED: _PUBLISHED_COLOUR}
    columns: Columns = (Column.text("Mean of"), *levels)
    title = "Scenes and styles, averaged over models"
    return draw(
        Table.of(f"{SUITE}-averages-by-condition", title, columns, rows, methods(grid.cells.values())),
        charts.by_level(points, charts.colour_kinds(kinds), levels, of="model"),
        f"The mean over models, scenes in plain style and styles at home ({grid.sizes}). The 95 % intervals are "
        "of prompts: these models are no sample of others. The paper’s means are those of its text.",
        "Average success in each scene and style, with intervals, beside the paper’s means.",
    )


def table_3(groups: Sequence[JudgedRows]) -> list[Block]:
    """Show original and refined prompts at home in plain style as in the paper (Table 3)."""
    found = (cell for group in groups for cell in tables.table_3(group.rows) if cell.table == "table3")
    measured, published = by_row(found)
    if not measured:
        return []
    names = dict.fromkeys(name for own in measured.values() for name in own)
    columns = [*(name for name in names if name != tables.AVERAGE), *(name for name in names if name == tables.AVERAGE)]
    badge = list_badges(groups)
    rows = []
    for label, own in measured.items():
        shares = (own[name].value if name in own else None for name in columns)
        fell_back = sum(cell.fallbacks for cell in own.values() if cell.column != tables.AVERAGE)
        rows.append(Row((label, *shares, fell_back), badge[label]))
    are_same = {*columns} == {*tables.CONDITIONS, tables.AVERAGE}
    for model, printed in published.items():
        named = f"{model} of 15" if model == tables.AVERAGE else model
        known = [name for name in printed if name != tables.AVERAGE or are_same]
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
    return [Table.of(f"{SUITE}-table-3", "Original and refined prompts, as in Table 3", shown, rows, caption)]


def _by_level(
    groups: Sequence[JudgedRows],
    compute: Callable[[tables.Attempts], list[tables.TableCell]],
    name: str,
    title: str,
    note: str,
) -> Figure | None:
    found = [cell for group in groups for cell in compute(group.rows.originals)]
    measured, published = by_row(found)
    grid = EstimateGrid({(cell.row, cell.column): cell.value for cell in found if isinstance(cell.value, Estimate)})
    levels = grid.columns
    if len(levels) < 2:
        return None
    points = grid.points("model", "kind")
    badge = list_badges(groups)
    rows = []
    for label, own in measured.items():
        cells = [own.get(level) for level in levels]
        values = (cell.value if cell else None for cell in cells)
        images = (cell.per_image if cell else None for cell in cells)
        rows.append(Row((label, *values, *images), badge[label]))
    for model, printed in published.items():
        shares = {level: _read_percentage(str(cell.value)) for level, cell in printed.items()}
        named = {"model": f"{model} (published)"}
        points += [
            {**named, "kind": level, **_point(share)}
            for level, share in shares.items()
            if isinstance(share, float) and level in levels
        ]
        rows.append(Row((model, *map(shares.get, levels), *(None for _ in levels)), "published"))
    success, names = describe_success(groups), list(dict.fromkeys(str(one["model"]) for one in points))
    per_image = (Column(f"{level}, per image", "Share of single images that are right.") for level in levels)
    columns: Columns = (MODEL, *levels, *per_image)
    return draw(
        Table.of(f"{SUITE}-by-{name}", title, columns, rows, methods(grid.cells.values())),
        charts.by_level(points, charts.colour_levels(levels), names, of="model"),
        f"{success[0].upper()}{success[1:]}, with 95 % intervals ({grid.sizes}). {note}",
        f"Success by {name} for every model, with intervals.",
    )


def _point(share: float) -> dict[str, object]:
    """Make a chart row of a printed figure, which has no interval."""
    return {"value": share, "low": share, "high": share, "n": None}


def _read_percentage(text: str) -> float | str:
    """Convert a percentage of the paper's text to a share; ranges and bounds stay text."""
    return int(text) / 100 if text.isdecimal() else f"{text} %"


def _kind(size: int) -> str:
    return _IMAGE if size == 1 else f"at least one of {size}"


def _half_table(halves: Sequence[Threshold], badge: Mapping[str, RowKind]) -> Block:
    kinds = sorted({one.k for one in halves})
    rows = []
    for label in dict.fromkeys(one.model for one in halves):
        own = {one.k: one.crossing for one in halves if one.model == label}
        crossings = [str(own[k]) if k in own else None for k in kinds]
        rows.append(Row((label, *crossings, max(crossing.n for crossing in own.values())), badge[label]))
    columns = (MODEL, *(Column.text(_kind(k).capitalize()) for k in kinds), Column("n", "Prompts."))
    caption = (
        "The smallest number at which a model is right in less than one half, with its 95 % interval: the closest fit "
        "that never rises with number, and a bootstrap of the prompts of each number. Between two "
        "numbers that were asked for, any may be it."
    )
    return Table.of(f"{SUITE}-half-points", "Where models fall below one half", columns, rows, caption)


def by_condition(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Show scenes and styles, each model's and averaged over models."""
    made = (by_scene(groups), by_style(groups), averages(groups))
    more = describe_ranks(groups) if any(made) else ()
    lead = "Scenes vary in plain style and styles at home, so that one of both differs at a time."
    return Section.of(f"{SUITE}-by-condition", "Scenes and styles", *made, *more, lead=lead)


def numbers_drawn(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Measure the numbers drawn as in any suite that counts."""
    counted = groups[0].counted
    if not counted:
        return None
    lead = Paragraph(
        "The numbers that were drawn, each image by itself, with the measures of Testolin, Hou and Zorzi (2025), as "
        "for any suite that counts. The paper has none of these."
    )
    # Accuracy by number is shown above already, beside success.
    inner = [one for one in counting_sections(SUITE, counted, palette, are_drawn=True) if one.id != f"{SUITE}-accuracy"]
    return Section(f"{SUITE}-numbers", "Numbers drawn", (lead,), tuple(inner))


def refinements(groups: Sequence[JudgedRows], palette: Palette) -> Section | None:
    """Compare refined prompts with their originals, in pairs and as in Table 3."""
    runs = [
        RefinedRun(group.name, group.rows.judge, tuple(group.series), tuple(group.rows.results), ()) for group in groups
    ]
    return pair_section(SUITE, runs, palette, table_3(groups))


NOTHING = "No prompt has a result yet: its answers are missing, tied or without a value, or excluded by hand."
SECTIONS = (
    by_difficulty,
    by_number,
    by_condition,
    refinements,
    passes,
    errors,
    agreement,
    statements,
    numbers_drawn,
)
SHOWS = ("claims", "refinements")
