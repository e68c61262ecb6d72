"""Figures of the probes: shares at a glance, framings side by side and by number, and all measures of texts."""

from collections.abc import Callable, Mapping, Sequence

from subitize.io.frames import group_rows
from subitize.papers.seeing_past_words.baselines import measure_baselines
from subitize.papers.seeing_past_words.report.shares import LARGEST_ALONE, SUITES, Share
from subitize.papers.seeing_past_words.runs import (
    ALIGNMENT,
    COUNTING,
    Probed,
    TextScore,
    lay_out_texts,
    measure_texts,
)
from subitize.papers.seeing_past_words.tables import by_split, name_condition
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.leaderboard import mark_point
from subitize.report.series import MODEL, bounds, methods, sizes
from subitize.report.table import Column, Columns, FigureBlock, Row, RowKind, Section, make_table, slug, text_column

_ASKED = "right number"
_TEXTS = "Texts: foils ranked below the right text, ties half; the dashed line is chance."
_NUMBERS = "Gaps and questions: the right number is named; the dashed line is the share of the most frequent one."
_GUESSES = (
    "Baselines see no image: “the smaller number” ranks the numbers of a probe from the smallest, “the number’s prior” "
    "by how often each is right in other images, “the most frequent answer” always says the same."
)
_MEASURES = {
    "pairwise_accuracy": "Pairs ranked right",
    "tied_pairs": "Ties",
    "auroc": "AUROC",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced",
    "recall_right": "Recall, right",
    "recall_foiled": "Recall, foiled",
    "precision_right": "Precision, right",
    "precision_foiled": "Precision, foiled",
}


def glance(suite: str, shares: Sequence[Share]) -> FigureBlock:
    """Show the framings of one suite in all splits, every model beside the baselines."""
    return _side_by_side(f"{slug(suite)}-glance", "At a glance", shares, lambda one: f"{one.framing}: {one.split}")


def compare(suite: str, shares: Sequence[Share], palette: Palette) -> Section:
    """Show all framings of one split, on the whole and by number."""
    split = shares[0].split
    name = f"{slug(suite)}-framings-{slug(split)}"
    blocks = (
        _side_by_side(f"{name}-glance", "Framings side by side", shares, lambda one: one.framing),
        _by_number(f"{name}-by-number", shares, palette),
    )
    return Section(name, f"Framings: {split}", blocks)


def _side_by_side(name: str, title: str, shares: Sequence[Share], panel_of: Callable[[Share], str]) -> FigureBlock:
    overall = [one for one in shares if one.number is None]
    rows = [
        (panel_of(one), one, Row((one.model, panel_of(one), one.estimate, one.estimate.n), one.badge))
        for one in sorted(overall, key=lambda one: (one.badge == "baseline", list(SUITES).index(one.framing)))
    ]
    points = [
        {**mark_point(row, one.estimate), "name": one.model, "task": panel, "chance": one.chance}
        for panel, one, row in rows
    ]
    panels = list(dict.fromkeys(panel_of(one) for one in overall))
    columns = (MODEL, text_column("Framing"), "Share right", "n")
    estimates = [one.estimate for one in overall]
    return FigureBlock(
        name,
        title,
        charts.glance(points, list(dict.fromkeys(one.model for _, one, _ in rows)), panels),
        f"With 95 % intervals over images ({sizes(estimates)}). {_explain(overall)}",
        "How often every model and every baseline is right, a panel per framing, with intervals and a line at chance.",
        make_table(f"{name}-shares", title, columns, (row for *_, row in rows), methods(estimates)),
    )


def _explain(shares: Sequence[Share]) -> str:
    """Say what counts as right in the framings that are shown, and who guesses."""
    are_texts = {SUITES[one.framing] in (COUNTING, ALIGNMENT) for one in shares}
    are_guessed = any(one.badge == "baseline" for one in shares)
    told = {_TEXTS: True in are_texts, _NUMBERS: False in are_texts, _GUESSES: are_guessed}
    return " ".join(text for text, is_so in told.items() if is_so)


def _by_number(name: str, shares: Sequence[Share], palette: Palette) -> FigureBlock:
    found = [(one, one.number) for one in shares if one.number is not None]
    points = [
        {"model": one.model, "kind": one.framing, "number": number, **bounds(one.estimate)} for one, number in found
    ]
    models = list(dict.fromkeys(one.model for one, _ in found))
    framings = [framing for framing in SUITES if any(one.framing == framing for one, _ in found)]
    colours = Palette(tuple(dict.fromkeys([*palette.names, *models]))).of(models)
    if len(models) <= charts.MOST_SIDE_BY_SIDE:
        spec = charts.curves(points, framings, colours.colour(), of="kind", x_title=_ASKED)
    else:
        spec = charts.curves(points, colours.order, charts.colour_levels(framings), of="model", x_title=_ASKED)
    rows = (
        Row((one.model, one.framing, f">{LARGEST_ALONE}" if number > LARGEST_ALONE else number, one.estimate,
             one.estimate.n), one.badge)
        for one, number in found
    )  # fmt: skip
    columns = (MODEL, text_column("Framing"), "Number", "Share right", "n")
    estimates = [one.estimate for one, _ in found]
    return FigureBlock(
        name,
        "By number",
        spec,
        f"The same by the right number, those above {LARGEST_ALONE} together, with 95 % intervals over images "
        f"({sizes(estimates)}), beside whoever prefers the smaller number, or always gives the same answer.",
        "How often models and baselines are right by the right number, with intervals.",
        make_table(f"{name}-shares", "Share right by number", columns, rows, methods(estimates)),
    )


def tabulate_measures(suite: str, probed: Mapping[str, Probed]) -> Section:
    """Set out all measures of texts, by condition and model; of the counting probe also those of guessing."""
    rows: list[Row] = []
    for name, one in probed.items():
        run = f" ({name})" if len(probed) > 1 else ""
        for condition, texts in _by_condition(suite, one).items():
            by_model = group_rows(texts, lambda text: text.model)
            rows += [_row(f"{model}{run}", condition, measure_texts(own)) for model, own in by_model.items()]
            if suite == COUNTING:
                guesses = measure_baselines(lay_out_texts(next(iter(by_model.values()))))
                rows += [_row(guess, f"{condition}{run}", found, "baseline") for guess, found in guesses.items()]
    estimates = [cell for row in rows for cell in row.cells if isinstance(cell, Estimate)]
    columns: Columns = (
        MODEL,
        text_column("Condition"),
        *_MEASURES.values(),
        Column("n", "Texts, or pairs if nothing decides."),
    )
    caption = (
        "A text is accepted if its probability is above one half; similarities accept and reject nothing. What is not "
        f"defined is left out. {methods(estimates)}"
    )
    table = make_table(f"{slug(suite)}-measures", "All measures", columns, rows, caption)
    return Section(f"{slug(suite)}-measures", "All measures", (table,))


def _by_condition(suite: str, probed: Probed) -> dict[str, list[TextScore]]:
    texts = [one for one in probed.texts if one.item.suite == suite]
    if suite != COUNTING:
        return group_rows(texts, lambda one: str(one.item.factors["source"]))
    return {
        f"{split}, {data}, {form}": own
        for (split, data), some in by_split(texts).items()
        for form, own in group_rows(some, lambda one: name_condition(one)[1]).items()
    }


def _row(model: str, condition: str, found: Mapping[str, Estimate], badge: RowKind = "") -> Row:
    n = max((one.n for one in found.values()), default=0)
    return Row((model, condition, *map(found.get, _MEASURES), n), badge)
