"""GeckoNum's part of a report: the leaderboard, sections in the paper's order, and a sentence for the summary.

Figures are the paper's, for any models: by type, number, quantifier, wording and context."""

from collections.abc import Iterable, Sequence

import polars as pl

from subitize.papers.geckonum import beyond
from subitize.papers.geckonum.claims import WORDING
from subitize.papers.geckonum.files import MANY, MODELS
from subitize.papers.geckonum.findings import (
    COUNTED_TYPES,
    Findings,
    JudgedRun,
    MeasuredModel,
    find,
    point,
    printed,
    strip,
)
from subitize.papers.geckonum.labels import SUITE
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.geckonum.sentences import ZIPF
from subitize.papers.geckonum.tables import BASELINES, DROPS, GROUPS, QUANTIFIERS
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.claims import claims_section
from subitize.report.estimates import MODEL, EstimateGrid, methods, sizes
from subitize.report.leaderboard import mark_point
from subitize.report.series import CountingModel, Series
from subitize.report.table import (
    Block,
    Cell,
    Column,
    Figure,
    Paragraph,
    PublishedValue,
    Row,
    Section,
    SuiteReport,
    Table,
)
from subitize.report.texts import number_text

TWO_KINDS = ("#0072b2", "#d55e00")
_TYPE = Column.text("Type")
_ASKED = "number asked for"
_TYPE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
_WORDS = {"no": "#5f6b7a", "few": "#d55e00", "many": "#0072b2"}
_VIEWS = {"A16": "said by the judge", "A17": "asked for"}


def by_type(findings: Findings, palette: Palette) -> Section | None:
    """Show the accuracy of each model by type of prompt (Figure 3)."""
    grid = EstimateGrid(
        {
            (one.label, type): estimate
            for one in findings.models
            for type, estimate in one.estimates("figure3_by_type").items()
        },
        {one.label: one.badge for one in findings.models},
    )
    types = [type for type in sorted(TYPES, key=TYPES.__getitem__) if type in grid.columns]
    if not types:
        return None
    figure = Figure(
        f"{SUITE}-types",
        "Accuracy by type of prompt",
        charts.by_level(grid.points("model", "level", per=100), palette.of(grid.rows).colour(), types),
        "The further left, the harder a type of prompt is for a model; exact numbers stand above quantities and parts "
        f"of things. 95 % intervals ({grid.sizes}).",
        "Accuracy of every model for each type of prompt, with intervals.",
        grid.table(f"{SUITE}-by-type", "Accuracy by type of prompt, %", types, digits=1),
    )
    return Section(f"{SUITE}-by-type", "By type of prompt", (figure,))


def by_number(findings: Findings, palette: Palette) -> Section | None:
    """Show accuracy by number, for simple prompts (Figure 4) and for other prompts with exact numbers (A2)."""
    others = [type for type in COUNTED_TYPES if type != "numeric_simple"]
    sums = " Of a noun in several colours the number is their sum."
    figures = []
    for asked, name, title, what, note in (
        (["numeric_simple"], "numbers", "Simple prompts", "prompts that ask for one kind of thing (“3 dogs.”)", ""),
        (others, "numbers-by-type", "Other prompts", "all other prompts that ask for exact numbers", sums),
    ):
        grid = _curve_grid(findings.models, asked)
        if grid.cells:
            spec = _draw_curves(grid, [type for type in asked if any(type == of for _, of, _ in grid.cells)], palette)
            data = _curve_table(f"{SUITE}-{name}-accuracy", grid)
            caption = (
                f"Share of right labels by the number asked for, in {what}, with 95 % intervals: how far up a model "
                f"counts.{note}"
            )
            alt = f"Accuracy by number in {what} for every model, with intervals."
            figures.append(Figure(f"{SUITE}-{name}", title, spec, caption, alt, data))
    lead = "How high a model counts, and how much sooner it fails when more is asked for than a number."
    return Section.of(f"{SUITE}-by-number", "By number", *figures, lead=lead)


def by_quantifier(findings: Findings) -> Section | None:
    """Show accuracy by quantifier (Figure 5), and quantifiers by number of things (A16, A17)."""
    figures = (_heat_map(findings.models), _quantifiers_by_count(findings.groups))
    return Section.of(f"{SUITE}-by-quantifier", "By quantifier", *figures)


def by_wording(findings: Findings) -> Section | None:
    """Show the effects of digits and words (A3) and of rare and frequent nouns (A4), and noun frequencies (A1)."""
    made = (
        _comparison(findings, "A3", "digits-words", "Digits and words", ("digits", "words")),
        _comparison(findings, "A4", "rare-frequent", "Rare and frequent nouns", ("rare", "frequent")),
    )
    more = show_frequencies(findings.groups) if any(made) else ()
    lead = "One who understands numbers does not mind how they are written, nor how common the things are."
    return Section.of(f"{SUITE}-by-wording", "Wording", *made, *more, lead=lead)


def by_addition(findings: Findings) -> Section | None:
    """Show accuracy by number when several kinds of things are requested (Figure A4, Table A5)."""
    types = ["numeric_simple", "2-additive", "3-additive"]
    grid = _curve_grid(findings.models, types)
    colours = dict(zip(types, ("#0072b2", "#d55e00", "#009e73"), strict=True))
    present = {type: colour for type, colour in colours.items() if any(type == of for _, of, _ in grid.cells)}
    if len(present) < 2:
        return None
    rows = grid.points("model", "kind", "number", per=100)
    figure = Figure(
        f"{SUITE}-additions",
        "One, two and three kinds of things",
        charts.curves(rows, grid.rows, charts.colour_kinds(present), of="model", x_title=_ASKED),
        "Accuracy by number where one, two or three kinds of things are asked for at once, with 95 % intervals: the "
        "gap between the lines is what the company costs.",
        "Accuracy by number for one, two and three kinds of things, a panel per model, with intervals.",
        _curve_table(f"{SUITE}-additions-accuracy", grid),
    )
    return Section(f"{SUITE}-by-addition", "Several kinds of things", (figure, *_drops(findings)))


def by_context(findings: Findings) -> Section | None:
    """Show how colours (A6, A7) and places (A8) affect accuracy."""
    made = (
        _comparison(findings, "A6", "colour", "One kind of thing, and in a colour", ("plain", "with a colour")),
        _comparison(findings, "A7", "two-colours", "Two kinds of things, and in colours", ("plain", "with colours")),
        _comparison(findings, "A8", "place", "Two kinds of things, and in a place", ("plain", "with a place")),
    )
    lead = "Whether numbers survive being asked for together with a colour or a place."
    return Section.of(f"{SUITE}-by-context", "Colour and place", *made, lead=lead)


def _draw_curves(grid: EstimateGrid, types: Sequence[str], palette: Palette) -> charts.Spec:
    """Draw a panel per type with all models, or a panel per model if there are too many to tell apart."""
    colours, rows = palette.of(grid.rows), grid.points("model", "kind", "number", per=100)
    if len(colours.order) <= charts.MOST_SIDE_BY_SIDE:
        return charts.curves(rows, types, colours.colour(), of="kind", x_title=_ASKED)
    kinds = charts.colour_kinds(dict(zip(types, _TYPE_COLOURS, strict=False)))
    return charts.curves(rows, colours.order, kinds, of="model", x_title=_ASKED)


def _curve_grid(models: Iterable[MeasuredModel], types: Sequence[str]) -> EstimateGrid:
    own = list(models)
    return EstimateGrid(
        {
            (one.label, type, number): estimate
            for one in own
            for type in types
            for number, estimate in one.estimates(f"magnitude_{type.replace('-', '_')}").items()
        },
        {one.label: one.badge for one in own},
    )


def _curve_table(name: str, grid: EstimateGrid) -> Table:
    return grid.table(name, "Accuracy by number, %", sorted(grid.columns), (MODEL, _TYPE), digits=1)


def _heat_map(models: Iterable[MeasuredModel]) -> Figure | None:
    found = [(one, own) for one in models if (own := one.estimates("figure5"))]
    if not found:
        return None
    present = [word for word in QUANTIFIERS if any(word in own for _, own in found)]
    rows = [_coloured(one.label, word, estimate) for one, own in found for word, estimate in own.items()]
    cells = [Row((one.label, *map(own.get, present)), one.badge) for one, own in found]
    for model, title in MODELS.items():
        values = {word: printed("figure5", word, model) for word in present}
        rows += [_coloured(f"{title} (published)", word, value) for word, value in values.items() if value is not None]
        cells.append(Row((title, *values.values()), "published"))
    names = [*(one.label for one, _ in found), *(f"{title} (published)" for title in MODELS.values())]
    columns = (MODEL, *(Column(word, digits=1) for word in present))
    estimates = [estimate for _, own in found for estimate in own.values()]
    shade = charts.field("value", "quantitative", scale={"scheme": "blues", **charts.SHARE}, legend=None)
    return Figure(
        f"{SUITE}-quantifiers",
        "Accuracy by quantifier",
        charts.heat_map(rows, names, present, shade, dark_from=0.68),
        "Share of images whose label is the line asked for, in %, with 95 % intervals below; the darker, the more "
        f"often right ({sizes(estimates)}). “No” must leave something out, and “as many” must make two numbers the "
        "same. Published: as printed in Figure 5 of the paper.",
        "Accuracy by quantifier and model as coloured cells with the figures in them.",
        Table.of(f"{SUITE}-by-quantifier", "Accuracy by quantifier, %", columns, cells, methods(estimates)),
    )


def _coloured(name: str, word: str, percentage: Estimate | float) -> dict[str, object]:
    value = percentage.value if isinstance(percentage, Estimate) else percentage
    bounds = f"[{percentage.low:.0f}, {percentage.high:.0f}]" if isinstance(percentage, Estimate) else ""
    return {"name": name, "column": word, "value": value / 100, "text": f"{value:.0f}", "bounds": bounds}


def _quantifiers_by_count(groups: Sequence[JudgedRun]) -> Figure | None:
    rows, cells = [], []
    several = len(groups) > 1
    for group in groups:
        for table, view in _VIEWS.items():
            title = f"{view} · {group.name}" if several else view
            for word, number in group.pooled.get(table, {}):
                estimate = group.estimate(table, word, number)
                if estimate:
                    rows.append({"panel": title, "kind": word, "number": number, **point("", estimate)})
                    cells.append(Row((title, word, ">10" if number == MANY else str(number), estimate, estimate.n)))
    if not rows:
        return None
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    columns = (Column.text("Quantifier"), Column.text("Word"), "Things", Column("Share (%)", digits=1), "n")
    title, estimates = "Quantifiers by the number of things, %", [row.cells[3] for row in cells]
    method = methods(one for one in estimates if isinstance(one, Estimate))
    data = Table.of(f"{SUITE}-quantifiers-by-count", title, columns, cells, method)
    spec = charts.curves(rows, panels, charts.colour_kinds(_WORDS), of="panel", x_title="things in the image")
    caption = (
        "Which quantifier goes with so many things in the image: that of the line the judge chose, and that of the "
        "prompt; 95 % intervals. The paper’s annotators said few up to 10, and many above."
    )
    alt = "Share of the quantifiers no, few and many by the number of things in the image, with intervals."
    return Figure(f"{SUITE}-words-by-count", "Quantifiers and counts", spec, caption, alt, data)


def _comparison(findings: Findings, table: str, name: str, title: str, kinds: tuple[str, str]) -> Figure | None:
    """Compare two groups of prompts, with the test and its control."""
    places = [f"acc_{group}" for group in GROUPS[table]]
    shown = [one for one in findings.models if table in one.cells]
    if not shown:
        return None
    found = {one.label: [one.estimate(table, at) for at in places] for one in shown}
    estimates = [share for shares in found.values() for share in shares if share]
    points = [
        {"kind": kind, **point(label, share)}
        for label, shares in found.items()
        for kind, share in zip(kinds, shares, strict=True)
        if share
    ]
    rows = []
    for one in shown:
        chi2, p, n, shuffled = (one.number(table, at) for at in ("chi2", "p", "N", "shuffled"))
        rows.append(Row((one.label, *found[one.label], chi2, p, None if n is None else int(n), shuffled), one.badge))
    for model, spelled in MODELS.items():
        *cells, n = (printed(table, model, at) for at in (*places, "chi2", "p", "N"))
        rows.append(Row((spelled, *cells, None if n is None else int(n), None), "published"))
    columns = (
        MODEL,
        *(Column(f"{kind} (%)", digits=1) for kind in kinds),
        Column("χ²", "Chi-squared of the two groups, with Yates's correction."),
        Column.p("p"),
        Column("N", "Labels in both groups."),
        Column("Significant shuffles", "Of labels shuffled between the groups; about .05 or less is right.", digits=3),
    )
    caption = (
        f"{title}, numbers up to 4. The control is the share of shuffles of the labels between the two groups that "
        "come out significant. χ² takes labels as independent, as the paper does. Published: Table "
        f"{table} of the paper. {methods(estimates)}"
    )
    data = Table.of(f"{SUITE}-{name}", title, columns, rows, caption)
    colour = charts.colour_kinds(dict(zip(kinds, TWO_KINDS, strict=True)))
    return Figure(
        f"{SUITE}-{name}-accuracy",
        title,
        charts.by_level(points, colour, [one.label for one in shown], of="model"),
        f"Share of right labels, {kinds[0]} and {kinds[1]}, with 95 % intervals, for numbers up to 4 "
        f"({sizes(estimates)}). {_say_significant(shown, table)}",
        f"Accuracy of every model, {kinds[0]} and {kinds[1]}, with intervals.",
        data,
    )


def _say_significant(models: Sequence[MeasuredModel], table: str) -> str:
    found = [one.label for one in models if (p := one.number(table, "p")) is not None and p < 0.05]
    if not found:
        return "For no model is the difference significant (χ², p < .05)."
    return f"The difference is significant for {', '.join(found)} (χ², p < .05)."


def _drops(findings: Findings) -> list[Block]:
    rows = []
    numbers = (1, 2, 3)
    for before, after in DROPS:
        spelled = f"{before} → {after}"
        measured = [
            Row((one.label, spelled, *cells, *(cell.n if cell else None for cell in cells)), one.badge)
            for one in findings.models
            if any(cells := [one.estimate("A5", before, after, number) for number in numbers])
        ]
        published = [
            Row((title, spelled, *values, *(None for _ in numbers)), "published")
            for model, title in MODELS.items()
            if any(values := [printed("A5", f"{before}->{after}", f"{model}_{number}") for number in numbers])
        ]
        rows += [*measured, *published] if measured else []
    if not rows:
        return []
    sizes = (Column(f"n {number}", "Labels of both kinds of prompts together.") for number in numbers)
    columns = (MODEL, Column.text("Step"), *(Column(f"{number}", digits=1) for number in numbers), *sizes)
    caption = (
        "Change of accuracy in percentage points from prompts with fewer kinds of things to prompts with more, for the "
        "numbers 1 to 3; the prompts of the two are others, n are the labels of both. Published: Table A5 of the "
        "paper, which prints no n."
    )
    return [Table.of(f"{SUITE}-drops", "What every further kind of thing costs", columns, rows, caption)]


def show_frequencies(groups: Sequence[JudgedRun]) -> list[Block]:
    """Show how frequent the paper's nouns are in English text (Figure A1)."""
    nouns = {noun: kind for group in groups for noun, kind in group.nouns.items()}
    if not nouns or not nouns.keys() <= ZIPF.keys():
        return []
    found = sorted(((ZIPF[noun], noun) for noun in nouns), reverse=True)
    rows = [{"name": noun, "kind": nouns[noun], "value": value} for value, noun in found]
    columns = (Column.text("Noun"), Column.text("Group"), "Zipf frequency")
    cells = (Row((noun, nouns[noun], value)) for value, noun in found)
    data = Table.of(f"{SUITE}-noun-frequencies", "Word frequencies of the nouns", columns, cells)
    kinds = {"frequent": TWO_KINDS[0], "rare": TWO_KINDS[1]}
    figure = Figure(
        f"{SUITE}-nouns",
        "Word frequencies of the nouns",
        strip(rows, kinds, x_title="Zipf frequency", names=[noun for _, noun in found]),
        "How frequent each noun is in English text, on the Zipf scale of wordfreq (log₁₀ of occurrences per billion "
        "words); the suite calls those above 3.78 frequent.",
        "Word frequency of each noun, most frequent first.",
        data,
    )
    return [figure]


_GRAPH = "task3_graph_acc"
TASKS = {1: "exact numbers", 2: "quantities", 3: "parts of things"}


def rank_models(findings: Findings) -> list[Block]:
    """Rank the measured models, each of the paper's own beside its printed figures; then the paper's other models."""
    rows: list[Row] = []
    measured: set[str] = set()
    for one in findings.models:
        rows.append(_measured(one))
        rows += [_published(one.model)] if one.model in MODELS and one.model not in measured else []
        measured.add(one.model)
    accuracies = {model: [-(printed("table2", model, f"task{task}_acc") or 0.0) for task in TASKS] for model in MODELS}
    rows += [_published(model) for model in sorted(MODELS, key=accuracies.__getitem__) if model not in measured]
    chance = (cell for task in TASKS for cell in (BASELINES[task], 0.0, None))
    rows.append(Row(("chance", *chance, *[None] * len(TASKS), None), "baseline"))
    caption = (
        "Percentages of right outcomes with their 95 % interval over prompts and n: "
        "labels of questions in Tasks 1 and 2, images in Task 3. Best first, by Task 1. Published: as printed in Table "
        "2 of Kajić and others (2024), ± standard error, not measured here. Chance: one of ten numbers, one of three "
        "or five lines, yes or no. Rank: among the models of a run and judge, over the images that all of them have, "
        "five of a prompt at most; models that share a letter cannot be told apart."
    )
    if len(_judges(findings)) > 1:
        caption += " Judges are not ranked: what each of them read stands together, best first."
    if any(row.badge == "stand-in" for row in rows):
        caption += " Stand-in: embedded in subitize to try the pipeline, not a real model."
    columns = _columns()
    if not any(one.estimate("table2", _GRAPH) for one in findings.models):
        columns, rows = columns[:-1], [Row(row.cells[:-1], row.badge) for row in rows]
    else:
        caption += " By scene graph: an answer counts only if what it rests on is right, too."
    table = Table(f"{SUITE}-leaderboard", "Leaderboard", columns, tuple(rows), caption)
    return [table, _glance(rows, _errors(findings.models))]


def headline(findings: Findings) -> str:
    """Name the best model in each task, for each judge."""
    judges = _judges(findings)
    found = []
    for judge in judges:
        own = [one for one in findings.models if one.judge == judge]
        best = "; ".join(text for task in TASKS if (text := _best(own, task)))
        found += [f"as read by {judge}, {best}" if len(judges) > 1 else best] if best else []
    return f"In {SUITE}, right most often: {'; '.join(found)}." if found else ""


def _judges(findings: Findings) -> list[str]:
    return list(dict.fromkeys(one.judge for one in findings.models))


def _best(models: Sequence[MeasuredModel], task: int) -> str:
    known = [(mean, one) for one in models if (mean := _accuracy(one, task))]
    if not known:
        return ""
    best, model = max(known, key=lambda pair: (not pair[1].badge, pair[0].value))  # stand-ins only if there is no other
    share = f"{best.value:.0f} % [{number_text(best.low, 0)}, {number_text(best.high, 0)}]"
    text = f"{model.label} with {TASKS[task]} (Task {task}: {share}, chance {BASELINES[task]:.0f} %)"
    return text + _equals(model, [one for _, one in known], task)


def _equals(best: MeasuredModel, models: Sequence[MeasuredModel], task: int) -> str:
    """Name the models not distinguishable from the best, among those compared with it."""
    letters, others = _letters(best, task), [one for one in models if one is not best and one.is_compared_with(best)]
    equal = [one.label for one in others if letters & _letters(one, task)]
    return f", which cannot be told apart from {', '.join(equal)}" if equal else ""


def _letters(one: MeasuredModel, task: int) -> set[str]:
    return set((one.text("ranks", f"task{task}_rank") or "").partition(" ")[2])


def _columns() -> tuple[Column, ...]:
    columns = [MODEL]
    for task, what in TASKS.items():
        columns += [
            Column(f"Task {task} (%)", f"Accuracy: {what}.", digits=1),
            Column(
                f"Task {task} − chance", "In percentage points; the interval is as wide as that of the accuracy.", 1
            ),
            Column(f"n Task {task}"),
        ]
    columns += [Column.text(f"Rank, Task {task}") for task in TASKS]
    return (*columns, Column("Task 3 by scene graph (%)", "An answer counts only if its parents are right.", digits=1))


def _accuracy(one: MeasuredModel, task: int) -> Estimate | None:
    return one.estimate("table2", f"task{task}_acc")


def _measured(one: MeasuredModel) -> Row:
    cells: list[Cell] = [one.label]
    for task in TASKS:
        mean = _accuracy(one, task)
        cells += [mean, one.number("table2", f"task{task}_diff"), mean.n if mean else None]
    cells += [one.text("ranks", f"task{task}_rank") for task in TASKS]
    return Row((*cells, one.estimate("table2", _GRAPH)), one.badge)


def _published(model: str) -> Row:
    cells: list[Cell] = [MODELS[model]]
    for task in TASKS:
        value, error, difference = (printed("table2", model, f"task{task}_{what}") for what in ("acc", "sem", "diff"))
        cells += [None if value is None or error is None else PublishedValue(value, error), difference, None]
    return Row((*cells, *[None] * len(TASKS), None), "published")


def _errors(models: Sequence[MeasuredModel]) -> Table:
    """List the accuracies with the paper's standard errors."""
    rows = []
    for one in models:
        for task in TASKS:
            mean = _accuracy(one, task)
            sem = one.number("table2", f"task{task}_sem")
            rows += [Row((one.label, task, mean, sem, mean.n), one.badge)] if mean else []
    error = Column("Standard error (the paper’s)", "As the paper computes it: labels taken as independent.", digits=1)
    columns = (MODEL, "Task", Column("Accuracy (%)", digits=1), error, "n")
    return Table.of(f"{SUITE}-accuracy", "Accuracy by task", columns, rows)


def _glance(rows: Sequence[Row], data: Table) -> Figure:
    tasks = {task: f"Task {task}: {what}" for task, what in TASKS.items()}
    shown = [row for row in rows if row.badge != "baseline"]
    points = [
        {**mark_point(row, row.cells[3 * task - 2], per=100), "task": title, "chance": BASELINES[task] / 100}
        for row in shown
        for task, title in tasks.items()
    ]
    names = list(dict.fromkeys(str(point["name"]) for point in points))
    return Figure(
        f"{SUITE}-glance",
        "The three tasks at a glance",
        charts.glance(points, names, list(tasks.values())),
        "Share of right outcomes per task with 95 % intervals; the dashed line is chance. Published figures, printed "
        "with a standard error only, are diamonds. Intervals are over prompts, whose labels hang together; the paper’s "
        "standard errors, which take labels as independent, are in the data.",
        "Accuracy of every model in the three tasks, with intervals and a line at chance.",
        data,
    )


def report(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport | None:
    """Compose every section that the answers allow; items excluded by hand are left out."""
    if suite != SUITE:
        return None
    findings = find([one for one in series if not one.is_excluded])
    notes = [Paragraph(text) for text in _gaps(series, findings)]
    if not findings.models:
        return SuiteReport(notes, ())
    made = (
        by_type(findings, palette),
        by_number(findings, palette),
        by_quantifier(findings),
        by_wording(findings),
        by_addition(findings),
        by_context(findings),
        beyond.failures(findings),
        beyond.numbers_drawn(findings),
        beyond.decisive(findings, palette),
        beyond.differences(findings),
        beyond.agreement(findings),
        claims_section(SUITE, {group.name: group.statements for group in findings.groups}, WORDING),
    )
    return SuiteReport([*rank_models(findings), *notes], tuple(filter(None, made)), headline(findings))


def _gaps(series: Sequence[Series], findings: Findings) -> list[str]:
    """List refusals, and models without any usable answer."""
    texts = [f"{label}: no answer about its images has a value; it is in no figure." for label in findings.unread]
    for one in series:
        refused = one.observations.kept().filter(pl.col("status") == "refused").rows
        images = refused.select("item", "repeat").n_unique()
        if images:
            what = f"{images:,} images were" if images > 1 else "1 image was"
            texts.append(f"{one.label}: {what} refused and in no figure here; “What no figure covers” counts them.")
    return texts
