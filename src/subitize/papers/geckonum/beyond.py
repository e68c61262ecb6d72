"""GeckoNum's report beyond accuracy: how and why images fail, pairwise model comparisons, annotator agreement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from subitize.papers.geckonum.files import MANY, MODELS, RATERS
from subitize.papers.geckonum.findings import (
    COUNTED_TYPES,
    Findings,
    JudgedRun,
    MeasuredModel,
    distribution,
    pairs,
    point,
    printed,
    stacked,
)
from subitize.papers.geckonum.labels import SUITE
from subitize.records import Estimate
from subitize.report.charts import Palette, forest
from subitize.report.estimates import MODEL, methods, sizes
from subitize.report.table import Cell, Column, Columns, Figure, Paragraph, Row, Section, Table

_OF_COUNTS = {"right": "#0072b2", "absent": "#8a94a0", "too few": "#e6a15c", "too many": "#b5502b"}
_OF_IMAGES = {
    "all right": "#0072b2",
    "numbers right, relation wrong": "#7db8e0",
    "numbers wrong": "#e6a15c",
    "one omitted": "#b5502b",
    "several omitted": "#8a94a0",
}
_TYPE = Column.text("Type")
_VOTES = [(votes, RATERS) for votes in range(RATERS, 0, -1)]
_MAJORITIES = [(votes, RATERS) for votes in range(RATERS, RATERS // 2, -1)]
_LEVELS = ("nominal", "ordinal", "interval")
_TASKS = ("task1", "task2", "task3")
_LEAST_FOR_TEXT = 12.0  # a bar of at least this many percent has room for its number
_LARGEST = 1e3  # odds ratios beyond this are clipped in the chart, not in the table


def failures(findings: Findings) -> Section | None:
    """Show how single counts and whole images come out."""
    figures = (
        _failures(
            findings.models,
            "failures_of_counts",
            _OF_COUNTS,
            "How single counts come out",
            "Of each kind of thing asked for: the right number, none at all, too few or too many",
        ),
        _failures(
            findings.models,
            "failures_of_images",
            _OF_IMAGES,
            "How images of several things come out",
            "All numbers right and in place; right but in the wrong place; all there, but not so many; one kind of "
            "thing left out, or several",
        ),
    )
    lead = "What is there instead of the right number, of one kind of thing and of all in an image."
    return Section.of(f"{SUITE}-failures", "How images fail", *figures, lead=lead)


def numbers_drawn(findings: Findings) -> Section | None:
    """Show which numbers were requested and which were drawn (Figure A12)."""
    rows, cells = [], []
    for one in findings.models:
        found = one.estimates("A12")
        for kind, name in (("asked for", "asked"), ("drawn", "drawn")):
            own = {number: share for (of, number), share in found.items() if of == name}
            rows += [{"kind": kind, "number": number, **point(one.label, share)} for number, share in own.items()]
            if own:
                cells.append(Row((one.label, kind, *(own.get(number) for number in range(MANY + 1))), one.badge))
    if not rows:
        return None
    numbers = (Column(number, digits=1) for number in (*map(str, range(MANY)), ">10"))
    caption = "Shares of the labels of a model with 95 % intervals over prompts."
    columns = (MODEL, Column.text("Numbers"), *numbers)
    data = Table.of(f"{SUITE}-numbers-drawn", "Numbers asked for and drawn, %", columns, cells, caption)
    figure = Figure(
        f"{SUITE}-distributions",
        "Numbers asked for and drawn",
        distribution(rows, list(dict.fromkeys(str(row["model"]) for row in rows))),
        "How often each number was drawn (bars, with 95 % intervals) and asked for (ticks). Bars above their tick: the "
        "model draws that number too often; 0 and more than 10 are never asked for.",
        "Share of each number among those drawn and those asked for, a panel per model.",
        data,
    )
    return Section(f"{SUITE}-numbers-drawn", "Numbers drawn", (figure,))


def decisive(findings: Findings, palette: Palette) -> Section | None:
    """Show what raises or lowers the odds of a correct count, each condition adjusted for the others."""
    ratios = [(one, what, ratio) for one in findings.models for what, ratio in one.estimates("odds_ratios").items()]
    if not ratios:
        return None
    found = {_condition(what) for _, what, _ in ratios}
    first = ("number", *COUNTED_TYPES, "words", "mixed", "rare", "frequent")
    order = [*(name for name in first if name in found), *sorted(found.difference(first))]
    rows = [{"name": _condition(what), **_bounded(one.label, ratio)} for one, what, ratio in ratios]
    models = list(dict.fromkeys(one.label for one, _, _ in ratios))
    data = Table.of(
        f"{SUITE}-odds-ratios",
        "Odds ratios",
        (MODEL, Column.text("Condition"), "Odds ratio", Column.p("p")),
        (
            Row((one.label, _condition(what), ratio, one.number("odds_ratios_p", what)), one.badge)
            for one, what, ratio in ratios
        ),
        "Of a right count, against simple prompts in digits about frequent nouns (or the most frequent level where "
        f"there are none). {methods(ratio for _, _, ratio in ratios)}",
    )
    figure = Figure(
        f"{SUITE}-odds",
        "Odds of a right count",
        forest(rows, models, palette, x_title="odds ratio", order=order, are_ratios=True),
        "Right of the dashed line a condition raises the odds of a right count, left of it it lowers them, the others "
        "being the same; lines are 95 % intervals with standard errors clustered by prompt. “Number” is per further "
        "thing. Models whose data a condition decides wholly are left out.",
        "Odds ratios of each condition with intervals on a logarithmic scale, a panel per model.",
        data,
    )
    return Section(f"{SUITE}-odds", "What decides", (figure,))


def differences(findings: Findings) -> Section | None:
    """Compare the models of a run on the same prompts."""
    found = pairs(findings)
    tasks = sorted({task for own in found.values() for task in own})
    if not found:
        return None
    columns = [Column.text("Models")]
    for task in tasks:
        name = f"Task {task[-1]}"
        columns += [
            Column(f"{name} (points)", "Difference of accuracies over the images that all models have.", digits=1),
            Column.p(f"p {task[-1]}", "By sign flips, adjusted by Holm for all pairs."),
            Column(f"n {task[-1]}", "Labels of each model."),
        ]
    rows = []
    for (first, second), own in found.items():
        cells: list[Cell] = [f"{first} − {second}"]
        for task in tasks:
            one = own.get(task)
            cells += [*one, one.difference.n] if one else [None, None, None]
        rows.append(Row(tuple(cells)))
    caption = (
        "Difference of accuracy in percentage points with 95 % intervals over prompts within types of prompts, and p, "
        "below .05 exactly where 0 lies outside the interval, with Holm’s correction for all pairs of a run and task. "
        "Over what all models of a run have, five images of a prompt at most: it leaves out what makes prompts harder "
        "for all. In Table 2 every label weighs the same: a model with more images of some prompts than of others, as "
        "imagen_c has, is judged there by another mixture of prompts."
    )
    title = "Models compared on the same prompts"
    table = Table.of(f"{SUITE}-differences", title, columns, rows, caption)
    return Section(f"{SUITE}-differences", title, (table,))


def agreement(findings: Findings) -> Section | None:
    """Show how well annotators agree, where there are several."""
    groups = [group for group in findings.groups if group.raters > 1]
    if not groups:
        return None
    lead = Paragraph("How far the labels depend on whom one asks.")
    annotated = {one.label for group in groups for one in group.models}
    votes = _votes([one for one in findings.models if one.label in annotated])
    return Section(f"{SUITE}-agreement", "Do annotators agree?", (lead, votes, _pooled(groups)))


def _failures(
    models: Iterable[MeasuredModel], table: str, kinds: Mapping[str, str], title: str, what: str
) -> Figure | None:
    rows, cells = [], []
    estimates: list[Estimate] = []
    for one in models:
        found = one.estimates(table)
        estimates += found.values()
        for type in COUNTED_TYPES:
            own = {kind: found.get((type, kind)) for kind in kinds}
            n = next((share.n for share in own.values() if share), None)
            if n is None:
                continue
            cells.append(Row((one.label, type, *own.values(), n), one.badge))
            for rank, (kind, share) in enumerate(own.items()):
                # A kind that never occurred has no width.
                drawn = share or Estimate(0.0, 0.0, 0.0, n, "")
                text = f"{drawn.value:.0f}" if drawn.value >= _LEAST_FOR_TEXT else ""
                rows.append({"level": type, "kind": kind, "rank": rank, "text": text, **point(one.label, drawn)})
    if not rows:
        return None
    name = f"{SUITE}-{table.replace('_', '-')}"
    columns: Columns = (MODEL, _TYPE, *(Column(f"{kind} (%)", digits=1) for kind in kinds), "n")
    data = Table.of(name, f"{title}, %", columns, cells, methods(estimates))
    labels = list(dict.fromkeys(str(row["model"]) for row in rows))
    types = [type for type in COUNTED_TYPES if any(row["level"] == type for row in rows)]
    return Figure(
        f"{name}-shares",
        title,
        stacked(rows, labels, types, kinds),
        f"{what}. The figure in a bar and the line at its end are the share of the first, in %, with its 95 % "
        f"interval; those of the others are in the data ({sizes(estimates)}).",
        f"{title}: stacked shares by type of prompt, a panel per model.",
        data,
    )


def _condition(what: str) -> str:
    """Name a term of the regression: the number or a factor's level."""
    factor, _, level = what.partition("=")
    return f"{factor} {level}" if level == "not varied" else level or factor


def _bounded(label: str, ratio: Estimate) -> dict[str, object]:
    low, value, high = (min(max(one, 1 / _LARGEST), _LARGEST) for one in (ratio.low, ratio.value, ratio.high))
    return {"model": label, "value": value, "low": low, "high": high, "n": ratio.n}


def _votes(models: Sequence[MeasuredModel]) -> Table:
    columns = _add_panels(_VOTES, (votes for one in models for votes in one.estimates("A10")))
    heads = [f"{votes}/{panel}" for votes, panel in columns]
    rows = [Row((one.label, *map(one.estimates("A10").get, columns)), one.badge) for one in models]
    rows += [Row((title, *(printed("A10", model, at) for at in heads)), "published") for model, title in MODELS.items()]
    return Table.of(
        f"{SUITE}-votes",
        "How many annotators gave the label of Task 1, %",
        (MODEL, *(Column(at, digits=1) for at in heads)),
        rows,
        "Shares of the labels on which so many of so many annotators agree, with 95 % intervals over prompts. "
        "Published: Table A10 of the paper.",
    )


def _add_panels(published: Sequence[tuple[int, int]], found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Append the votes of panels of other sizes than the paper's, the largest first."""
    return [*published, *sorted(set(found).difference(published), key=lambda votes: votes[::-1], reverse=True)]


def _pooled(groups: Sequence[JudgedRun]) -> Table:
    agreed = _add_panels(_MAJORITIES, (votes for group in groups for _, votes in group.pooled.get("agreement", {})))
    cells: list[tuple[str, Any, str]] = [("agreement", (votes, panel), f">={votes}/{panel}") for votes, panel in agreed]
    cells += [("krippendorff", level, level) for level in _LEVELS]
    rows = []
    for group in groups:
        for task in _TASKS:
            found = [group.estimate(table, task, what) for table, what, _ in cells]
            rows += [Row((group.name, int(task[-1]), *found))] if any(found) else []
    for task in _TASKS:
        published = (printed(table, task, column) for table, _, column in cells)
        rows.append(Row(("paper, all seven models", int(task[-1]), *published), "published"))
    shares = (Column(f"≥ {votes}/{panel} (%)", digits=1) for votes, panel in agreed)
    alphas = (Column(f"α {level}", "Krippendorff’s α.", digits=3) for level in _LEVELS)
    columns: Columns = (Column.text("Run and judge"), "Task", *shares, *alphas)
    caption = (
        "Shares of questions to which at least so many of those asked gave the same answer, and Krippendorff’s α (1 "
        "is full agreement, 0 chance) with 95 % intervals for prompts and annotators like these. The paper does not "
        "say at which level of measurement its α is."
    )
    return Table.of(f"{SUITE}-agreement", "Agreement of annotators", columns, rows, caption)
