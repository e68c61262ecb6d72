"""Who does best in GeckoNum: a table as the paper's Table 2, the same at a glance, and in a sentence."""

from collections.abc import Sequence

from subitize.papers.geckonum.release import MODELS
from subitize.papers.geckonum.report.findings import Findings, Measured, printed
from subitize.papers.geckonum.runs import SUITE
from subitize.papers.geckonum.tables import BASELINES
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.leaderboard import mark_point
from subitize.report.series import MODEL
from subitize.report.table import (
    Block,
    Cell,
    Column,
    FigureBlock,
    Printed,
    Row,
    TableBlock,
    make_table,
    number_text,
    text_column,
)

_GRAPH = "task3_graph_acc"
TASKS = {1: "exact numbers", 2: "quantities", 3: "parts of things"}


def rank_models(findings: Findings) -> list[Block]:
    """Rank the models measured, each of the paper's own beside its printed figures; then the rest of the paper's."""
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
    table = TableBlock(f"{SUITE}-leaderboard", "Leaderboard", columns, tuple(rows), caption)
    return [table, _glance(rows, _errors(findings.models))]


def headline(findings: Findings) -> str:
    """Say who does best in each task, as each judge reads it."""
    judges = _judges(findings)
    found = []
    for judge in judges:
        own = [one for one in findings.models if one.judge == judge]
        best = "; ".join(told for task in TASKS if (told := _best(own, task)))
        found += [f"as read by {judge}, {best}" if len(judges) > 1 else best] if best else []
    return f"In {SUITE}, right most often: {'; '.join(found)}." if found else ""


def _judges(findings: Findings) -> list[str]:
    return list(dict.fromkeys(one.judge for one in findings.models))


def _best(models: Sequence[Measured], task: int) -> str:
    known = [(mean, one) for one in models if (mean := _accuracy(one, task))]
    if not known:
        return ""
    best, model = max(known, key=lambda pair: (not pair[1].badge, pair[0].value))  # a stand-in only among its like
    share = f"{best.value:.0f} % [{number_text(best.low, 0)}, {number_text(best.high, 0)}]"
    told = f"{model.label} with {TASKS[task]} (Task {task}: {share}, chance {BASELINES[task]:.0f} %)"
    return told + _equals(model, [one for _, one in known], task)


def _equals(best: Measured, models: Sequence[Measured], task: int) -> str:
    """Say which models cannot be told apart from the best, of those compared with it."""
    letters, others = _letters(best, task), [one for one in models if one is not best and one.is_compared_with(best)]
    equal = [one.label for one in others if letters & _letters(one, task)]
    return f", which cannot be told apart from {', '.join(equal)}" if equal else ""


def _letters(one: Measured, task: int) -> set[str]:
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
    columns += [text_column(f"Rank, Task {task}") for task in TASKS]
    return (*columns, Column("Task 3 by scene graph (%)", "An answer counts only if its parents are right.", digits=1))


def _accuracy(one: Measured, task: int) -> Estimate | None:
    return one.estimate("table2", f"task{task}_acc")


def _measured(one: Measured) -> Row:
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
        cells += [None if value is None or error is None else Printed(value, error), difference, None]
    return Row((*cells, *[None] * len(TASKS), None), "published")


def _errors(models: Sequence[Measured]) -> TableBlock:
    """Set out the accuracies with their standard errors, also those that know that labels of one prompt are alike."""
    rows = []
    for one in models:
        for task in TASKS:
            mean = _accuracy(one, task)
            errors = [one.number("table2", f"task{task}_{what}") for what in ("sem", "sem_by_prompt")]
            rows += [Row((one.label, task, mean, *errors, mean.n), one.badge)] if mean else []
    error = Column("Standard error (the paper’s)", "As the paper computes it: labels taken as independent.", digits=1)
    by_prompt = Column(
        "Standard error by prompt",
        "As if types and numbers were sampled with the prompts; intervals take them as fixed.",
        digits=1,
    )
    columns = (MODEL, "Task", Column("Accuracy (%)", digits=1), error, by_prompt, "n")
    return make_table(f"{SUITE}-accuracy", "Accuracy by task", columns, rows)


def _glance(rows: Sequence[Row], data: TableBlock) -> FigureBlock:
    tasks = {task: f"Task {task}: {what}" for task, what in TASKS.items()}
    shown = [row for row in rows if row.badge != "baseline"]
    points = [
        {**mark_point(row, row.cells[3 * task - 2], per=100), "task": title, "chance": BASELINES[task] / 100}
        for row in shown
        for task, title in tasks.items()
    ]
    names = list(dict.fromkeys(str(point["name"]) for point in points))
    return FigureBlock(
        f"{SUITE}-glance",
        "The three tasks at a glance",
        charts.glance(points, names, list(tasks.values())),
        "Share of right outcomes per task with 95 % intervals; the dashed line is chance. Published figures, printed "
        "with a standard error only, are diamonds. Intervals are over prompts, whose labels hang together; the paper’s "
        "standard errors, which take labels as independent, are in the data.",
        "Accuracy of every model in the three tasks, with intervals and a line at chance.",
        data,
    )
