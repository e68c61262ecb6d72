"""What makes a prompt of GIMBRR harder: the number, the size of a set, and what else varies within a task."""

from collections.abc import Mapping, Sequence

import polars as pl

from subitize.papers.gimbrr.items import NAME
from subitize.papers.gimbrr.ratings import Shares, estimate_by
from subitize.papers.gimbrr.report.groups import Group, estimate_all
from subitize.papers.gimbrr.tables import estimate_covariates
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.series import MODEL, bounds, methods, sizes
from subitize.report.table import Columns, FigureBlock, Row, Section, make_table, text_column

_COUNTED = {"counting": "counting", "controlled-counting": "controlled counting"}
_SETS = {True: "seen together", False: "rarely together"}
_KINDS = {
    kind: colour for kinds in (_COUNTED, _SETS) for kind, colour in zip(kinds.values(), charts.COLOURS, strict=False)
}
_LEVELS = {
    "target": "target stands {}",
    "adjective": "told apart by adjective: {}",
    "features": "{} animals in one",
    "relation": "{}",
}


def by_number(groups: Sequence[Group]) -> Section | None:
    """Show counting by the number asked for, of each model and all together (Figure 7)."""
    found = _with_all(groups, "task", "number", tasks=list(_COUNTED))
    curves = {(model, _COUNTED[task], number): one for (task, number, model), one in found.items()}
    return _draw_curves("by-number", "By number", curves, "How far up a model counts.")


def by_size(groups: Sequence[Group]) -> Section | None:
    """Show multiple objects by how many they are, and whether they are seen together (Figure 8)."""
    found = _with_all(groups, "common", "objects", tasks=["multiple"])
    curves = {(model, _SETS[common], size): one for (common, size, model), one in found.items()}
    note = "What further objects cost, where they are commonly seen together and where not."
    return _draw_curves("by-size", "By number of different objects", curves, note)


def by_covariate(groups: Sequence[Group], palette: Palette) -> Section | None:
    """Show what else varies within a task."""
    found = {
        (_LEVELS[name].format(level), model): one
        for group in groups
        for (name, level, model), one in estimate_covariates(group.ratings.rows).items()
        if name in _LEVELS
    }
    if not found:
        return None
    levels, models = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    rows = [{"model": model, "level": level, **bounds(one)} for (level, model), one in found.items()]
    cells = (Row((level, *(found.get((level, model)) for model in models))) for level in levels)
    columns: Columns = (text_column("Condition"), *models)
    title = "Other conditions"
    figure = FigureBlock(
        f"{NAME}-conditions-chart",
        title,
        charts.by_level(rows, palette.of(models), levels, ""),
        "Share of images that match their prompts by what varies within a task, with 95 % intervals "
        f"({sizes(found.values())}). Targets and adjectives: conditional generation; animals: chimeras; relations: "
        "spatial relationships.",
        "Share right by condition for every model, with intervals.",
        make_table(f"{NAME}-conditions", title, columns, cells, methods(found.values())),
    )
    return Section(f"{NAME}-conditions", title, (figure,))


def _with_all(groups: Sequence[Group], *by: str, tasks: Sequence[str]) -> Shares:
    """Estimate by model and, where one judge saw several models, of all together."""
    found = estimate_all(groups, *by, tasks=tasks)
    for group in groups:
        if len(group.ratings.models) > 1:
            pooled = group.ratings.of(*tasks).with_columns(model=pl.lit(group.title("all models")))
            found |= estimate_by(pooled, *by, "model")
    return found


def _draw_curves(name: str, title: str, curves: Mapping[tuple[str, str, int], Estimate], note: str) -> Section | None:
    numbers = sorted({number for *_, number in curves})
    if len(numbers) < 2:
        return None
    panels = list(dict.fromkeys(model for model, _, _ in curves))
    kinds = {kind: colour for kind, colour in _KINDS.items() if any(kind == of for _, of, _ in curves)}
    rows = [
        {"panel": model, "kind": kind, "number": number, **bounds(one)} for (model, kind, number), one in curves.items()
    ]
    spec = charts.curves(
        rows, panels, charts.colour_kinds(kinds), of="panel", x_title="number asked for", stops_at_ten=False
    )
    columns: Columns = (MODEL, text_column("Kind"), *map(str, numbers))
    cells = (
        Row((model, kind, *(curves.get((model, kind, number)) for number in numbers)))
        for model, kind in dict.fromkeys((model, kind) for model, kind, _ in curves)
    )
    figure = FigureBlock(
        f"{NAME}-{name}-chart",
        title,
        spec,
        f"{note} Share of images that match their prompts, with 95 % intervals ({sizes(curves.values())}).",
        f"{title}: share right with intervals, a panel per model.",
        make_table(f"{NAME}-{name}", title, columns, cells, methods(curves.values())),
    )
    return Section(f"{NAME}-{name}", title, (figure,))
