"""The probes' part of a report: how often each framing finds the right number, next to guessing.

Framings are compared by model, split and number; all measures of texts follow."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from subitize.frame import NO_JUDGE
from subitize.io.frames import group_rows
from subitize.papers.seeing_past_words import tables
from subitize.papers.seeing_past_words.claims import WORDING, claims
from subitize.papers.seeing_past_words.measures import PAIRWISE, measure_baselines
from subitize.records import Estimate
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.claims import claims_section
from subitize.report.estimates import MODEL, bounds, methods, sizes
from subitize.report.leaderboard import mark_point
from subitize.report.series import CountingModel, ReportRun, Series
from subitize.report.table import Column, Columns, Figure, Paragraph, Row, RowKind, Section, SuiteReport, Table
from subitize.report.texts import number_text, percent_text, slug
from subitize.stats.estimate import estimate

STATEMENT, QUESTION_AND_ANSWER, CAPTION = "statement", "question with answer", "caption"
GAP, FAITHFUL_GAP, QUESTION = "gap", "gap, as in the paper", "question"
SUITES = {
    STATEMENT: tables.COUNTING,
    QUESTION_AND_ANSWER: tables.COUNTING,
    GAP: tables.MASKED,
    FAITHFUL_GAP: tables.MASKED,
    QUESTION: tables.VQA,
    CAPTION: tables.ALIGNMENT,
}
"""The framings in display order, each with its suite."""
_FORMATS = {"declarative": STATEMENT, "qa": QUESTION_AND_ANSWER}
_MASKS = {"neutral": GAP, "faithful": FAITHFUL_GAP}
_RANKED, _CHANCE = PAIRWISE["half"], 0.5
MOST_FREQUENT = "the most frequent answer"
_SHARE_GUESSES = ("the smaller number", MOST_FREQUENT, "even numbers", "the number's prior")
LARGEST_ALONE = 10


class Share(NamedTuple):
    """How often a model finds the right number, overall (number None) or for one number."""

    framing: str
    split: str
    model: str
    number: int | None
    estimate: Estimate
    chance: float
    badge: RowKind = ""


def list_shares(probed: tables.Probed) -> Iterator[Share]:
    """Yield the shares of all framings; for the counting probe also those of guessing."""
    for split, texts in _take_widest(tables.by_split(tables.take_counting(probed))).items():
        for form, own in group_rows(texts, lambda one: tables.name_condition(one)[1]).items():
            yield from _rank_texts(_FORMATS[form], split, own)
    for split, gaps in _take_widest(tables.by_split(probed.gaps)).items():
        for mask, filled in group_rows(gaps, lambda one: str(one.item.factors["mask"])).items():
            yield from _name_numbers(_MASKS[mask], split, filled)
    for split, answers in _take_widest(tables.by_split(probed.answers)).items():
        yield from _name_numbers(QUESTION, split, answers)
    captions = [one for one in probed.texts if one.item.suite == tables.ALIGNMENT]
    for (source, model), own in group_rows(captions, lambda one: (str(one.item.factors["source"]), one.model)).items():
        if ranked := tables.measure_texts(own).get(_RANKED):
            yield Share(CAPTION, source, model, None, ranked, _CHANCE)


def _take_widest(found: dict[tuple[str, str], list[tables.RowT]]) -> dict[str, list[tables.RowT]]:
    """Use validation and test data together where both exist."""
    both = {split for split, data in found if data == "validation + test"}
    return {
        f"{split}, {data}": rows
        for (split, data), rows in found.items()
        if split not in both or data == "validation + test"
    }


def _rank_texts(framing: str, split: str, texts: Sequence[tables.TextScore]) -> Iterator[Share]:
    by_model = group_rows(texts, lambda one: one.model)
    for model, own in by_model.items():
        for number, some in _shares_by_number(own).items():
            if ranked := tables.measure_texts(some).get(_RANKED):
                yield Share(framing, split, model, number, ranked, _CHANCE)
    # Guessing needs only the numbers, which are the same for every model.
    for number, some in _shares_by_number(next(iter(by_model.values()))).items():
        found = measure_baselines(tables.numbers_of_texts(some))
        for name in _SHARE_GUESSES if number is None else _SHARE_GUESSES[:1]:
            if ranked := found[name].get(_RANKED):
                yield Share(framing, split, name, number, ranked, _CHANCE, "baseline")


def _name_numbers(framing: str, split: str, rows: Sequence[tables.NamedNumber]) -> Iterator[Share]:
    by_model = group_rows(rows, lambda one: one.model)
    first = next(iter(by_model.values()))
    counts = Counter(int(one.item.factors["number"]) for one in first)
    usual = min(counts, key=lambda number: (-counts[number], number))
    chance = counts[usual] / len(first)
    for model, own in by_model.items():
        for number, some in _shares_by_number(own).items():
            yield Share(framing, split, model, number, _share([_is_right(one) for one in some], some), chance)
    for number, some in _shares_by_number(first).items():
        hits = [one.item.factors["number"] == usual for one in some]
        yield Share(framing, split, MOST_FREQUENT, number, _share(hits, some), chance, "baseline")


def _is_right(one: tables.NamedNumber) -> bool:
    return one.rank <= 1 if one.rank else one.said == one.item.factors["number"]


def _share(hits: Sequence[bool], rows: Sequence[tables.NamedNumber]) -> Estimate:
    return estimate([float(hit) for hit in hits], tables.images_of(rows))[0]


def _shares_by_number(rows: Sequence[tables.RowT]) -> dict[int | None, list[tables.RowT]]:
    """Group rows: all, then each number, with large ones together."""
    found: dict[int, list[tables.RowT]] = group_rows(
        rows, lambda one: min(int(one.item.factors["number"]), LARGEST_ALONE + 1)
    )
    all_and_each: dict[int | None, list[tables.RowT]] = {None: list(rows)}
    return all_and_each | {number: found[number] for number in sorted(found)}


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


def glance(suite: str, shares: Sequence[Share]) -> Figure:
    """Show the framings of one suite in all splits, every model beside the baselines."""
    return _side_by_side(f"{slug(suite)}-glance", "At a glance", shares, lambda one: f"{one.framing}: {one.split}")


def compare(suite: str, shares: Sequence[Share], palette: Palette) -> Section:
    """Show all framings of one split, overall and by number."""
    split = shares[0].split
    name = f"{slug(suite)}-framings-{slug(split)}"
    blocks = (
        _side_by_side(f"{name}-glance", "Framings side by side", shares, lambda one: one.framing),
        _by_number(f"{name}-by-number", shares, palette),
    )
    return Section(name, f"Framings: {split}", blocks)


def _side_by_side(name: str, title: str, shares: Sequence[Share], panel_of: Callable[[Share], str]) -> Figure:
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
    columns = (MODEL, Column.text("Framing"), "Share right", "n")
    estimates = [one.estimate for one in overall]
    return Figure(
        name,
        title,
        charts.glance(points, list(dict.fromkeys(one.model for _, one, _ in rows)), panels),
        f"With 95 % intervals over images ({sizes(estimates)}). {_explain(overall)}",
        "How often every model and every baseline is right, a panel per framing, with intervals and a line at chance.",
        Table.of(f"{name}-shares", title, columns, (row for *_, row in rows), methods(estimates)),
    )


def _explain(shares: Sequence[Share]) -> str:
    """Say what counts as right in the framings shown, and what the baselines are."""
    are_texts = {SUITES[one.framing] in (tables.COUNTING, tables.ALIGNMENT) for one in shares}
    are_guessed = any(one.badge == "baseline" for one in shares)
    parts = {_TEXTS: True in are_texts, _NUMBERS: False in are_texts, _GUESSES: are_guessed}
    return " ".join(text for text, is_so in parts.items() if is_so)


def _by_number(name: str, shares: Sequence[Share], palette: Palette) -> Figure:
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
    columns = (MODEL, Column.text("Framing"), "Number", "Share right", "n")
    estimates = [one.estimate for one, _ in found]
    return Figure(
        name,
        "By number",
        spec,
        f"The same by the right number, those above {LARGEST_ALONE} together, with 95 % intervals over images "
        f"({sizes(estimates)}), beside whoever prefers the smaller number, or always gives the same answer.",
        "How often models and baselines are right by the right number, with intervals.",
        Table.of(f"{name}-shares", "Share right by number", columns, rows, methods(estimates)),
    )


def tabulate_measures(suite: str, probed: Mapping[str, tables.Probed]) -> Section:
    """List all measures of texts, by condition and model; for the counting probe also those of guessing."""
    rows: list[Row] = []
    for name, one in probed.items():
        run = f" ({name})" if len(probed) > 1 else ""
        for condition, texts in _by_condition(suite, one).items():
            by_model = group_rows(texts, lambda text: text.model)
            rows += [_row(f"{model}{run}", condition, tables.measure_texts(own)) for model, own in by_model.items()]
            if suite == tables.COUNTING:
                guesses = measure_baselines(tables.numbers_of_texts(next(iter(by_model.values()))))
                rows += [_row(guess, f"{condition}{run}", found, "baseline") for guess, found in guesses.items()]
    estimates = [cell for row in rows for cell in row.cells if isinstance(cell, Estimate)]
    columns: Columns = (
        MODEL,
        Column.text("Condition"),
        *_MEASURES.values(),
        Column("n", "Texts, or pairs if nothing decides."),
    )
    caption = (
        "A text is accepted if its probability is above one half; similarities accept and reject nothing. What is not "
        f"defined is left out. {methods(estimates)}"
    )
    table = Table.of(f"{slug(suite)}-measures", "All measures", columns, rows, caption)
    return Section(f"{slug(suite)}-measures", "All measures", (table,))


def _by_condition(suite: str, probed: tables.Probed) -> dict[str, list[tables.TextScore]]:
    texts = [one for one in probed.texts if one.item.suite == suite]
    if suite != tables.COUNTING:
        return group_rows(texts, lambda one: str(one.item.factors["source"]))
    return {
        f"{split}, {data}, {form}": own
        for (split, data), some in tables.by_split(texts).items()
        for form, own in group_rows(some, lambda one: tables.name_condition(one)[1]).items()
    }


def _row(model: str, condition: str, found: Mapping[str, Estimate], badge: RowKind = "") -> Row:
    n = max((one.n for one in found.values()), default=0)
    return Row((model, condition, *map(found.get, _MEASURES), n), badge)


def report(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport:
    """Compose what the scores and answers allow; the first suite of a counting probe compares all in its runs."""
    sources = {one.source.name: one.source for one in series if not one.is_excluded}
    probed = {name: _read(source) for name, source in sources.items()}
    notes = [Paragraph(text) for one in probed.values() for text in one.warnings]
    shares = _list(probed, sources)
    own = [share for share in shares if SUITES[share.framing] == suite]
    if not own:
        return SuiteReport(notes, ())
    sections: list[Section] = []
    present = {SUITES[share.framing] for share in shares}
    if suite == next((one for one in (tables.COUNTING, tables.MASKED, tables.VQA) if one in present), ""):
        counting = [share for share in shares if SUITES[share.framing] != tables.ALIGNMENT]
        splits = dict.fromkeys(share.split for share in counting)
        sections += [compare(suite, [one for one in counting if one.split == split], palette) for split in splits]
        stated = claims_section(suite, {name: claims(one) for name, one in probed.items()}, WORDING)
        sections += [stated] if stated else []
    if suite in (tables.COUNTING, tables.ALIGNMENT):
        sections.append(tabulate_measures(suite, probed))
    return SuiteReport([glance(suite, own), *notes], sections, _headline(suite, own))


def _read(source: ReportRun) -> tables.Probed:
    """Read the probes of a run; of several judges of the answers, the first."""
    rows = source.survey.observations.rows
    judges = sorted({*rows.filter(rows["suite"] == tables.VQA)["judge"]} - {NO_JUDGE})
    names = {spec: source.name_model(spec) for spec in source.names.model_names}
    found = tables.read_probed(source.run, judges[0] if judges else None, source.survey).rename(names)
    if len(judges) < 2:
        return found
    first, *others = map(source.name_judge, judges)
    said = f"{source.name}: figures of {tables.VQA} are as {first} read the answers, not {', '.join(others)}."
    return replace(found, warnings=[*found.warnings, said])


def _list(probed: Mapping[str, tables.Probed], sources: Mapping[str, ReportRun]) -> list[Share]:
    """List the shares of all runs; models in several are marked by run, and guesses are the same for all."""
    found = {name: list(list_shares(one)) for name, one in probed.items()}
    runs = Counter(model for shares in found.values() for model in {one.model for one in shares})
    listed: dict[tuple[str, str, str, int | None], Share] = {}
    for name, shares in found.items():
        source = sources[name]
        badges = {source.name_model(spec): source.badge(spec) for spec in source.names.model_names}
        for one in shares:
            label = f"{one.model} ({name})" if runs[one.model] > 1 and one.badge != "baseline" else one.model
            own = one._replace(model=label, badge=one.badge or badges[one.model.removesuffix(tables.BLIND)])
            listed.setdefault((own.framing, own.split, own.model, own.number), own)
    return list(listed.values())


def _headline(suite: str, shares: Sequence[Share]) -> str:
    """Name the best model in the first framing of the first split, and the best guess."""
    first = shares[0]
    here = [one for one in shares if (one.framing, one.split, one.number) == (first.framing, first.split, None)]
    # Stand-ins only if there is no other.
    best = max((one for one in here if one.badge != "baseline"), key=lambda one: (not one.badge, one.estimate.value))
    guess = max((one for one in here if one.badge == "baseline"), key=lambda one: one.estimate.value, default=None)
    other = f"; {guess.model}, without a look, gets {number_text(100 * guess.estimate.value, 0)} %" if guess else ""
    return f"In {suite}, {best.model} does best ({best.framing}, {best.split}): {percent_text(best.estimate)}{other}."
