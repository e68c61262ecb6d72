"""Who does best in T2ICountBench: a table as the paper's Table 2, its fifteen models among ours, and a sentence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from subitize.language.numbers import in_words
from subitize.papers.t2icountbench.published import AVERAGE, CATEGORIES, list_published
from subitize.papers.t2icountbench.tables import (
    SUITE,
    TableCell,
    average_by_model,
    choose_k,
    list_warnings,
    place,
    table_2,
)
from subitize.records import Estimate
from subitize.report.comparisons import RefinedRun
from subitize.report.leaderboard import SIZE, describe_standing, draw_ranking, stand_series
from subitize.report.series import MODEL
from subitize.report.table import (
    Block,
    Column,
    Columns,
    FigureBlock,
    Row,
    RowKind,
    TableBlock,
    TextBlock,
    make_table,
    percent_text,
)

_PLACED = "Among the fifteen published averages, and that of the interval’s ends; with all six categories only."
_RANK = "rank of the average, and of the ends of its interval, among the fifteen averages as printed"


def rank_models(groups: Sequence[RefinedRun]) -> list[Block]:
    """Rank the models here among those of the paper, best first, and warn of what cannot be compared."""
    cells = by_row(cell for group in groups for cell in table_2(group.attempts) if not cell.is_published)
    found = [name for own in cells.values() for name in own if name != AVERAGE]
    categories = [name for name in dict.fromkeys([*CATEGORIES, *found]) if name in found]
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
    table = make_table(
        f"{SUITE}-leaderboard", "Leaderboard", columns, ordered, _caption(ordered, describe_success(groups))
    )
    return [table, _warn(groups), _glance(table)]


def describe_success(groups: Sequence[RefinedRun]) -> str:
    """Say what counts as success: of how many images one must be right."""
    sizes = sorted({choose_k(group.attempts) for group in groups})
    if sizes == [1]:
        return "share of prompts whose image is right"
    return f"share of prompts of which at least one of {' or '.join(map(in_words, sizes))} images is right"


def headline(groups: Sequence[RefinedRun]) -> str:
    """Say who does best, a stand-in only where there is no other, and where that is among the fifteen of the paper."""
    found = {
        model: mean
        for group in groups
        for model, mean in average_by_model(group.attempts, choose_k(group.attempts)).items()
    }
    if not found:
        return ""
    marks = badges(groups)
    best = max(found, key=lambda model: (not marks[model], found[model].value))
    placed = next((one for group in groups for one in place(group.attempts) if one.model == best), None)
    rank = f", rank {placed.rank} of {placed.of} with the published models, whose judges were people" if placed else ""
    told = describe_standing(
        best, stand_series([one for group in groups for one in group.series]), by="accuracy per image"
    )
    share = percent_text(found[best])
    return (
        f"In {SUITE}, {best} does best: for {share} of the prompts at least one image has the right number{rank}.{told}"
    )


def badges(groups: Iterable[RefinedRun]) -> dict[str, RowKind]:
    """Mark the models that are stand-ins, by label."""
    return {one.label: one.badge for group in groups for one in group.series}


def by_row(cells: Iterable[TableCell]) -> dict[str, dict[str, TableCell]]:
    """Sort cells by row and column."""
    found: dict[str, dict[str, TableCell]] = defaultdict(dict)
    for cell in cells:
        found[cell.row][cell.column] = cell
    return found


def _measured(
    groups: Sequence[RefinedRun], cells: Mapping[str, Mapping[str, TableCell]], categories: Sequence[str]
) -> Iterator[tuple[float, Row]]:
    ranks = {one.model: one for group in groups for one in place(group.attempts)}
    badge = badges(groups)
    for label, own in cells.items():
        average = own[AVERAGE].value
        if isinstance(average, Estimate):
            it = ranks.get(label)
            rank = Estimate(it.rank, it.best, it.worst, average.n, _RANK, average.confidence) if it else None
            shares = (own[name].value if name in own else None for name in categories)
            yield (
                average.value,
                Row((label, average, own[AVERAGE].per_image, rank, *shares, average.n, ""), badge[label]),
            )


def _published(categories: Sequence[str]) -> Iterator[tuple[float, Row]]:
    printed = {place: float(text) for place, text in list_published("table2").items()}
    sizes = list_published("table1")
    for model in dict.fromkeys(row for row, _ in printed):
        average = printed[model, AVERAGE]
        shares = (printed.get((model, name)) for name in categories)
        size = sizes[model, "parameters"].removesuffix("B").replace("N/A", "")
        yield average, Row((model, average, None, None, *shares, None, size), "published")


def _warn(groups: Sequence[RefinedRun]) -> TextBlock:
    """Say what keeps rows from being compared with the paper's; what is so of several models is said once."""
    lines = ["Published rows are to be compared with care:"]
    for group in groups:
        known = {one.model for one in (*group.attempts, *group.refined)}
        of_models: dict[str, list[str]] = {}
        for text in list_warnings([*group.attempts, *group.refined], group.omissions):
            who = next((label for label in known if text.startswith(f"{label}: ")), "")
            of_models.setdefault(text.removeprefix(f"{who}: "), []).append(who)
        run = f"{group.name}: " if len(groups) > 1 else ""
        for what, labels in of_models.items():
            who = "all models" if len(labels) == len(known) > 1 else ", ".join(labels)
            lines.append(f"{run}{who}{': ' * bool(who)}{what}.")
    return TextBlock("\n".join(lines), is_warning=True)


def _caption(rows: Sequence[Row], success: str) -> str:
    caption = (
        f"{success[0].upper()}{success[1:]}, by category, with 95 % intervals; best first, by the average. Published: "
        "as printed in Table 2 of Guo and others (2025), one of four images, judged by five people, with two digits "
        "and no n; not measured here."
    )
    if any(row.badge == "stand-in" for row in rows):
        caption += " Stand-in: embedded in subitize to try the pipeline, not a real model."
    return caption


def _glance(table: TableBlock) -> FigureBlock:
    x_title = "average of the categories"
    data, spec = draw_ranking(table, f"{SUITE}-averages", "Average of the categories", x_title=x_title)
    return FigureBlock(
        f"{SUITE}-glance",
        "Among the fifteen of the paper",
        spec,
        "The average of the categories with 95 % intervals, best first; published averages have none.",
        "Average success of every model with its interval among the published averages, best first.",
        data,
    )
