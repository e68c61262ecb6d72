"""What a report says of models that name or draw numbers."""

from collections.abc import Sequence

from subitize.analysis.enumeration import ALL, LEAST_PER_CELL, name_baselines, write_range
from subitize.analysis.reproduction import PublishedBias, PublishedCounts
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Block,
    Cell,
    Column,
    FigureBlock,
    Row,
    Section,
    TableBlock,
    Tagged,
    TextBlock,
    make_table,
    text_column,
)
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import (
    MODEL,
    Counted,
    differing_design,
    level_name,
    level_text,
    methods,
    only,
    point,
    sizes,
)
from subitize.report.sections.estimation import cue_section, scalar_section, weber_section
from subitize.stats.knower_levels import FALSE_ALARMS_BELOW, LEAST_HITS, KnowerLevel, KnownNumber

_DIRECTIONS = {"over": "Over.", "under": "Under.", "none": "none"}
_CRITERIA = {"answered when shown": LEAST_HITS, "answered when not shown": FALSE_ALARMS_BELOW}


def number_sections(
    suite: str,
    models: Sequence[Counted],
    palette: Palette,
    *,
    are_drawn: bool,
    published: PublishedCounts | None = None,
) -> list[Section]:
    """Write all sections that the suite's figures suffice for; numbers are drawn or named."""
    made: list[Section | None] = [
        _confusion(suite, models),
        _likeness(suite, models),
        _accuracy(suite, models, palette, are_drawn=are_drawn),
        _knower(suite, models),
        _bias(suite, models, published),
        weber_section(suite, models, palette),
        scalar_section(suite, models, palette),
        cue_section(suite, models, palette),
        _anchors(suite, models),
        _abstraction(suite, models, published),
        _wordings(suite, models),
    ]
    return [section for section in made if section is not None]


def _confusion(suite: str, models: Sequence[Counted]) -> Section:
    categories = _categories(models)
    shares = {model.label: _shares(model) for model in models}
    rows = [row for of_model in shares.values() for row in of_model]
    top = max([model.it.numbers[-1] for model in models] + [int(row["response"]) for row in rows])
    panels = [
        charts.Panel(m.label, shares[m.label], m.it.numbers, [one for one in m.it.responses if one <= top])
        for m in models
    ]
    columns = (MODEL, text_column("Category"), "Target", "Response", Column("Share", digits=3), "n")
    cells = (Row(tuple(row.values())) for row in rows)
    data = make_table(f"{suite}-confusion-matrices", "Confusion matrices", columns, cells)
    figure = FigureBlock(
        f"{suite}-confusion",
        "Confusion matrices",
        charts.confusion(panels, [*categories, "overall"]),
        "Each column of a panel is a target number, each row a response; colour is the share of the responses to that "
        "target, from 0 % (dark purple) to 100 % (yellow). "
        f"{_ceilings(models, top)}A sure counter would show one yellow diagonal.",
        f"Confusion matrices of {len(models)} models by category, target across and response up.",
        data,
    )
    return Section(f"{suite}-confusion", "Confusion matrices", (figure,))


def _ceilings(models: Sequence[Counted], top: int) -> str:
    """Say where responses beyond a matrix are counted; its height goes by the numbers that its model was given."""
    ceilings = sorted({model.it.responses[-1] for model in models})
    if top < ceilings[0]:
        return ""
    if len(ceilings) == 1:
        return f"Responses above {ceilings[0]} are counted in the top row. "
    heights = "; ".join(
        f"{ceiling} for {', '.join(model.label for model in models if model.it.responses[-1] == ceiling)}"
        for ceiling in ceilings
    )
    return f"Responses above a panel’s highest row are counted in that row: {heights}. "


def _shares(model: Counted) -> list[dict[str, str | int | float]]:
    found: list[dict[str, str | int | float]] = []
    for category in (*model.it.categories, ALL):
        counts = model.it.matrices[category]
        of = {"model": model.label, "category": "overall" if category == ALL else category}
        for target, column in zip(model.it.numbers, counts.T.tolist(), strict=True):
            n = sum(column)
            found += [
                {**of, "target": target, "response": response, "share": count / n, "n": n}
                for response, count in zip(model.it.responses, column, strict=True)
                if count
            ]
    return found


def _accuracy(suite: str, models: Sequence[Counted], palette: Palette, *, are_drawn: bool) -> Section | None:
    known = [(model, number) for model in models if model.it.knower for number in model.it.knower.numbers]
    if not known:
        return None
    rows = [point(model, "number", one.number, one.hits) for model, one in known]
    numbers = sorted({one.number for _, one in known})
    hits = {(model.label, one.number): one.hits for model, one in known}
    x_title = "number asked for" if are_drawn else "number shown"
    cells = (Row((m.label, *(hits.get((m.label, number)) for number in numbers)), m.badge) for m in models)
    title, method = "Share of right answers by number", methods(one.hits for _, one in known)
    table = make_table(f"{suite}-accuracy-by-number", title, (MODEL, *map(str, numbers)), cells, method)
    figure = FigureBlock(
        f"{suite}-accuracy",
        "Accuracy by number",
        charts.accuracy_by_number(rows, only(palette, models), numbers, x_title=x_title),
        f"Share of right answers among those with a value, by the {x_title}; lines are 95 % intervals"
        f" ({sizes(one.hits for _, one in known)}).",
        "Accuracy by number for every model, with intervals.",
        table,
    )
    return Section(f"{suite}-accuracy", "Accuracy by number", (figure,))


def _knower(suite: str, models: Sequence[Counted]) -> Section | None:
    known = [(model, model.it.knower_all) for model in models if model.it.knower_all is not None]
    if not known:
        return None
    level = Column("Level", "The largest n such that 1 to n are all known; what has no count is a miss.")
    lowest = Column("Lowest possible", "1 to this many are known beyond doubt.")
    highest = Column("Highest possible", "That 1 to this many, and no more, can all be known.")
    answered = Column("Level, answered", "What has no count is left out, as in the paper.")
    margins = ("Weakest number known", "Margin, weakest", "First number not known", "Margin, first not known")
    levels = make_table(
        f"{suite}-knower-levels",
        "Counting level",
        (MODEL, level, lowest, highest, answered, *margins),
        (
            Row((model.label, *_level_cells(knower, level_text(model.it.knower))), model.badge)
            for model, knower in known
        ),
        "The margin is the smaller of those to the two criteria: how much a share may change before the verdict does. "
        "Levels from the lowest to the highest possible hold the true one in 95 % of studies: numbers are known beyond "
        "doubt by intervals over clusters; that several are known is tested for all of them together (Simes).",
    )
    numbers = [(model, one) for model, knower in known for one in knower.numbers]
    figure = FigureBlock(
        f"{suite}-knower",
        "Numbers known",
        charts.shares_by_number(_hits_and_false_alarms(numbers), [model.label for model, _ in known], _CRITERIA),
        f"A number counts as known if it is answered in at least {100 * LEAST_HITS:.0f} % of the trials that "
        f"show it (blue dots above the blue line) and in fewer than {100 * FALSE_ALARMS_BELOW:.0f} % of the others "
        "(orange triangles below the orange line).",
        "Hits and false alarms by number with the criteria of the knower levels, one panel per model.",
        _margin_table(suite, numbers),
    )
    return Section(f"{suite}-knower", "Counting level", (levels, figure))


def _hits_and_false_alarms(numbers: Sequence[tuple[Counted, KnownNumber]]) -> list[dict[str, object]]:
    return [
        {**point(model, "number", one.number, estimate), "kind": kind, "criterion": criterion}
        for model, one in numbers
        for (kind, criterion), estimate in zip(_CRITERIA.items(), (one.hits, one.false_alarms), strict=True)
        if estimate is not None
    ]


def _margin_table(suite: str, numbers: Sequence[tuple[Counted, KnownNumber]]) -> TableBlock:
    over = Column(f"Margin over {100 * LEAST_HITS:.0f} %", "How far above the criterion; below 0 it is missed.")
    under = Column(
        f"Margin under {100 * FALSE_ALARMS_BELOW:.0f} %", "How far below the criterion; below 0 it is missed."
    )
    columns = (
        MODEL,
        "Number",
        "Answered when shown",
        over,
        "Answered when not shown",
        under,
        text_column("Known"),
        text_column("Beyond doubt"),
    )
    rows = []
    for model, one in numbers:
        shares = (one.hits, one.hit_margin, one.false_alarms, one.false_alarm_margin)
        verdicts = ("yes" if one.is_known else "no", one.standing)
        rows.append(Row((model.label, one.number, *shares, *verdicts), model.badge))
    return make_table(f"{suite}-knower-numbers", "Numbers known, with margins", columns, rows)


def _level_cells(knower: KnowerLevel, answered: str | None) -> tuple[Cell, ...]:
    margins = {
        one.number: min(margin for margin in (one.hit_margin, one.false_alarm_margin) if margin is not None)
        for one in knower.numbers
    }
    held = {number: margin for number, margin in margins.items() if number <= (knower.level or 0)}
    weakest = min(held, key=lambda number: held[number], default=None)
    missed = next((one.number for one in knower.numbers if not one.is_known), None)
    return (
        None if knower.level is None else level_name(knower.level),
        *(knower.low, knower.high, answered),
        weakest,
        None if weakest is None else held[weakest],
        missed,
        None if missed is None else margins[missed],
    )


def _bias(suite: str, models: Sequence[Counted], published: PublishedCounts | None) -> Section | None:
    if not any(model.it.biases for model in models):
        return None
    biases = published.biases if published else ()
    categories = [*dict.fromkeys([*_categories(models), *(bias.category for bias in biases)]), ALL]
    rows = []
    for model in models:
        found = {bias.category: Tagged(_DIRECTIONS[bias.direction], bias.r) for bias in model.it.biases}
        rows.append(Row((model.label, *(found.get(category, "") for category in categories)), model.badge))
    for name in dict.fromkeys(bias.model for bias in biases):
        # What is not printed is left blank, which is not the same as no bias.
        printed = {bias.category: _print_bias(bias) for bias in biases if bias.model == name}
        rows.append(Row((name, *(printed.get(category, "") for category in categories)), "published"))
    table = make_table(
        f"{suite}-bias",
        "Over- and underestimation",
        (MODEL, *("overall" if name == ALL else name for name in categories)),
        rows,
        "“Over.” and “Under.”: responses lie systematically above or below the target (Wilcoxon signed-rank test, "
        "p < .05, and effect size r = |z| / √n of at least .3); “none”: neither. Figures are r with its 95 % interval; "
        f"published rows have r alone. {differing_design(published, models)}".strip(),
    )
    return Section(f"{suite}-bias", "Over- and underestimation", (table,))


def _print_bias(bias: PublishedBias) -> str:
    word = _DIRECTIONS[bias.direction]
    return word if bias.r is None else f"{word} {bias.r:.2f}"


def _likeness(suite: str, models: Sequence[Counted]) -> Section:
    rows = [Row((m.label, *(getattr(m.it, name) for name in _LIKENESS)), m.badge) for m in models]
    for name, one in name_baselines(model.it.numbers for model in models):
        likeness = (one.human_correlation, one.human_correlation)
        rows.append(Row((name, *likeness, 1.0, None, None), "baseline"))
    table = make_table(
        f"{suite}-likeness",
        "Likeness to people and to chance",
        (MODEL, *_LIKENESS.values()),
        rows,
        "Against the exact matrices of an ideal human observer and of random answers. A distance is the share of "
        "responses that would have to be others, from 0 (the same) to 1; a correlation with random answers is not "
        "defined, as all shares in their matrix are equal. What has no count is a response that people never give; "
        "“answered” leaves it out, as in the paper, and with it numbers that were never counted. The interval of a "
        "correlation is for prompts (or pictures) like these, answered without end.",
    )
    return Section(f"{suite}-likeness", "Likeness to people and to chance", (table,))


_LIKENESS = {
    "human_correlation_all": Column("Corr. with human"),
    "human_correlation": Column("Corr. with human, answered"),
    "coverage": Column("Coverage", "Share that has a count."),
    "human_distance": Column("Distance to human"),
    "random_distance": Column("Distance to chance"),
}


def _anchors(suite: str, models: Sequence[Counted]) -> Section | None:
    tested = [(model, model.it.anchoring) for model in models if model.it.anchoring is not None]
    if not tested:
        return None
    rows = []
    for model, found in tested:
        rows += [
            Row((model.label, one.answer, one.share, write_range(one.home), one.p_value), model.badge)
            for one in found.anchors
        ] or [Row((model.label, "none", None, None, None), model.badge)]
    p = Column("p", "Of its being no more frequent than an answer next to it; Holm’s.", digits=3, is_probability=True)
    table = make_table(
        f"{suite}-anchors",
        "Anchors",
        (MODEL, "Answer", "Share elsewhere", text_column("At home with"), p),
        rows,
        "Answers that are returned to whatever is shown: away from the numbers that it is at home with, an anchor is "
        "more frequent than both answers next to it, which no scatter around the number explains. The share is of the "
        "counts given to these other numbers. " + methods(one.share for _, found in tested for one in found.anchors),
    )
    return Section(f"{suite}-anchors", "Anchoring", (table,))


def _abstraction(suite: str, models: Sequence[Counted], published: PublishedCounts | None) -> Section | None:
    found = [(model, model.it.abstraction) for model in models if model.it.abstraction is not None]
    if not found:
        return None
    rows = [Row((model.label, one.estimate, " and ".join(one.pair)), model.badge) for model, one in found]
    if published:
        rows += [Row((name, value, ""), "published") for name, value in published.abstractions.items()]
    table = make_table(
        f"{suite}-abstraction",
        "Abstraction",
        (MODEL, "Smallest correlation", text_column("Between")),
        rows,
        "The smallest correlation between the confusion matrices of two categories: near 1, number is treated alike "
        f"whatever the things are. {differing_design(published, models)}".strip(),
    )
    return Section(f"{suite}-abstraction", "Abstraction", (table,))


def _wordings(suite: str, models: Sequence[Counted]) -> Section | None:
    blocks: list[Block] = []
    if any(len(model.it.wordings) > 1 for model in models):
        kept = {True: "kept", False: ""}
        rows = [
            Row((m.label, w.wording, kept[w.wording == m.it.wording], w.accuracy, w.mae, w.nae, w.n), m.badge)
            for m in models
            for w in m.it.wordings
        ]
        columns = (MODEL, text_column("Wording"), text_column(""), "Accuracy", "MAE", Column("NAE", digits=3), "n")
        caption = (
            "For each model the wording kept is that with the smallest mean absolute error, as in the paper, among "
            "those with at least half as many usable answers as the most answered."
        )
        blocks.append(make_table(f"{suite}-wordings", "Wordings of the question", columns, rows, caption))
    if any(model.it.control is not None for model in models):
        rows = [Row((m.label, m.it.control), m.badge) for m in models]
        caption = "Share of the answers to “What does the image represent?” that name apples or fruit."
        head = (MODEL, "Control question right")
        blocks.append(make_table(f"{suite}-control", "Control question", head, rows, caption))
    return Section(f"{suite}-wordings", "Wordings and control", tuple(blocks)) if blocks else None


def eligibility_notes(models: Sequence[Counted]) -> list[TextBlock]:
    """Warn where a cell has fewer eligible trials than the paper asks for."""
    few = [model for model in models if model.it.smallest_cell < LEAST_PER_CELL]
    if not few:
        return []
    whose = "every model" if len(few) == len(models) else ", ".join(model.label for model in few)
    text = (
        f"The measures of Testolin, Hou and Zorzi (2025) need at least {LEAST_PER_CELL} usable answers per number "
        f"and category. Here {whose} has fewer somewhere, down to {min(model.it.smallest_cell for model in few)}: read "
        "what follows as a trial run."
    )
    return [TextBlock(text, is_warning=True)]


def _categories(models: Sequence[Counted]) -> list[str]:
    return list(dict.fromkeys(category for model in models for category in model.it.categories))
