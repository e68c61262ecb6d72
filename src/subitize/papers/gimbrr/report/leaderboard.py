"""Who does best in GIMBRR: all tasks together as in the paper, whose own figures stand among ours, and a sentence."""

from collections.abc import Sequence

from subitize.papers.gimbrr.items import NAME
from subitize.papers.gimbrr.published import PUBLISHED
from subitize.papers.gimbrr.release import MODELS
from subitize.papers.gimbrr.report.groups import Group, estimate_all, list_badges
from subitize.papers.gimbrr.report.profile import LADDER, find_failure
from subitize.papers.gimbrr.tables import STEPS
from subitize.papers.gimbrr.tasks import TASKS
from subitize.report.leaderboard import draw_ranking
from subitize.report.series import MODEL, methods
from subitize.report.table import Block, Cell, Column, FigureBlock, Row, make_table, percent_text

_COLUMNS = (
    Column("All tasks", "Share of images that match their prompts: the eleven tasks and single objects."),
    Column("Eleven tasks", "Without single objects."),
    Column("Controlled", "The five controlled number tasks, which are in no other column."),
)


def rank_models(groups: Sequence[Group]) -> list[Block]:
    """Rank the models here by all tasks together, best first, among the three that the paper prints."""
    whole, *parts = (
        {model: one for (model,), one in estimate_all(groups, tasks=tasks).items()}
        for tasks in (LADDER, [task.key for task in TASKS], list(STEPS))
    )
    ranked: list[tuple[float, Row]] = []
    for model, badge in list_badges(groups).items():
        own = whole.get(model)
        cells: tuple[Cell, ...] = (model, own, *(of.get(model) for of in parts), own.n if own else 0)
        ranked.append((own.value if own else -1.0, Row(cells, badge)))
    for place, printed in PUBLISHED.items():
        if place.table == "overall":
            share = float(printed) / 100
            ranked.append((share, Row((MODELS[place.column], share, None, None, None), "published")))
    rows = [row for _, row in sorted(ranked, key=lambda pair: -pair[0])]
    caption = (
        "Best first, by all tasks. Published: as printed in the paper, of its 1,602 prompts; two digits, cut rather "
        f"than rounded (0.54 is 0.547). {methods(whole.values())}"
    )
    columns = (MODEL, *_COLUMNS, Column("n", "Ratings of all tasks."))
    table = make_table(f"{NAME}-leaderboard", "Leaderboard", columns, rows, caption)
    x_title = "share of images that match their prompts"
    data, spec = draw_ranking(table, f"{NAME}-leaderboard-share", "All tasks", x_title=x_title)
    glance = FigureBlock(
        f"{NAME}-leaderboard-chart",
        "All tasks at a glance",
        spec,
        "All tasks together with 95 % intervals, best first; published figures have none.",
        "Share of images that match their prompts, for every model with its interval, best first.",
        data,
    )
    return [table, glance]


def headline(groups: Sequence[Group]) -> str:
    """Say who does best, a stand-in only where there is no other, and where that model fails first."""
    whole = {model: one for (model,), one in estimate_all(groups, tasks=LADDER).items()}
    if not whole:
        return ""
    badges = list_badges(groups)
    best = max(whole, key=lambda model: (not badges[model], whole[model].value))
    told = f"In {NAME}, {best} does best: {percent_text(whole[best])} of its images match their prompts."
    steps = estimate_all(groups, "task", tasks=list(STEPS))
    failure = find_failure({task: one for (task, model), one in steps.items() if model == best})
    return f"{told} On the way from one object to arithmetic, it first fails at {failure}." if failure else told
