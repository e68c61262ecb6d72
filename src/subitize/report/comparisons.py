"""Models compared with one another, and refined prompts with their originals, in the report and at the terminal."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from subitize.analysis.compare import Comparisons, Leaderboard, LeftOut, RefinementEffect, compare
from subitize.analysis.design import Estimand, name_level
from subitize.analysis.overview import Names
from subitize.analysis.score import (
    LeftOutResults,
    PromptResult,
    RefinementMeasure,
    Unusable,
    gather_decided,
)
from subitize.frame import NO_JUDGE
from subitize.records import Estimate, to_plain
from subitize.report import charts
from subitize.report.charts import Palette
from subitize.report.scores import STAND_IN, explain_marks
from subitize.report.series import MODEL, Series, bounds, methods, sizes
from subitize.report.table import Block, Column, Figure, Paragraph, Record, Result, RowKind, Section, Table, slug


@dataclass(frozen=True, slots=True)
class RefinedRun:
    """One judge's view of the models of one run: attempts at a suite's prompts, and at refined ones.

    In attempts, models go by their labels in the report.
    """

    name: str
    judge: str
    series: tuple[Series, ...]
    attempts: tuple[PromptResult, ...]
    refined: tuple[PromptResult, ...]
    omissions: LeftOutResults = field(default_factory=LeftOutResults)


def group_series(own: Sequence[Series], refined: Sequence[Series], *, unusable: Unusable = "wrong") -> list[RefinedRun]:
    """Group what is compared: the models of one run, by judge, without excluded observations.

    A series that was only refused has no judge, and is grouped with each judge of the run.
    """
    labels = {(one.source.name, one.model): one.label for one in own}
    places = dict.fromkeys((one.source.name, one.judge) for one in (*own, *refined) if one.judge != NO_JUDGE)
    judged = {run for run, _ in places}
    places |= dict.fromkeys((one.source.name, NO_JUDGE) for one in own if one.source.name not in judged)
    groups = []
    for run, judge in places:
        ours, theirs = (
            [one for one in series if one.source.name == run and one.judge in (judge, NO_JUDGE)]
            for series in (own, refined)
        )
        if not ours:
            continue
        known = {**labels, **{(run, one.model): one.label for one in ours}}
        attempts: list[PromptResult] = []
        undecided: set[tuple[str, str]] = set()
        excluded: set[tuple[str, str]] = set()
        for one in (*ours, *theirs):
            label = known.get((run, one.model), one.label)
            found, omitted = gather_decided(one.observations, unusable=unusable)
            attempts += [replace(attempt, judge=judge, model=label) for attempt in found]
            undecided |= {(label, id) for _, id in omitted.undecided}
            excluded |= {(label, id) for _, id in omitted.excluded}
        originals, others = (tuple(one for one in attempts if (one.item.base is None) == own) for own in (True, False))
        name = f"{run} · {ours[0].source.name_judge(judge)}"
        omissions = LeftOutResults(frozenset(undecided), frozenset(excluded))
        groups.append(RefinedRun(name, judge, tuple(ours), originals, others, omissions))
    return groups


def refinement_sections(
    suite: str, own: Sequence[Series], refined: Sequence[Series], palette: Palette
) -> list[Section]:
    """Write the section on a suite's refined prompts, if some can be paired."""
    if all(item.base is None for one in (*own, *refined) for item in one.observations.items.values()):
        return []
    section = pair_section(suite, group_series(own, refined), palette)
    return [section] if section else []


def pair_section(
    suite: str, groups: Sequence[RefinedRun], palette: Palette, more: Sequence[Block] = ()
) -> Section | None:
    """Compare refined prompts with their originals, prompt by prompt; `more` blocks follow."""
    shown: dict[RefinementMeasure, list[tuple[RefinedRun, RefinementEffect]]] = {"success": [], "accuracy": []}
    for group in groups:
        designs = {suite: design for one in group.series for suite, design in one.observations.designs.items()}
        for row in compare([*group.attempts, *group.refined], designs=designs):
            # With one image per prompt, success is the same as accuracy.
            if row.measure == "accuracy" or row.k > 1:
                shown[row.measure].append((group, row))
    blocks = [_figure(suite, measure, found, palette) for measure, found in shown.items() if found]
    if not blocks:
        return None
    lead = Paragraph(
        "The same models with prompts that say the same in other words, compared prompt by prompt. Where a refinement "
        "does not apply, as to the number 1, the original prompt was given again; such pairs are counted as fallbacks."
    )
    return Section(f"{slug(suite)}-refinements", "Refined prompts", (lead, *blocks, *more))


_TEST = "By flips of signs of prompts' residuals, two-sided, adjusted by Holm for a suite, judge and measure."


def _figure(
    suite: str, measure: RefinementMeasure, found: Sequence[tuple[RefinedRun, RefinementEffect]], palette: Palette
) -> Figure:
    differences = [row.pairing.difference for _, row in found]
    names = list(dict.fromkeys(row.refinement for _, row in found))
    models = [name for name in palette.order if any(row.model == name for _, row in found)]
    points = [{"model": row.model, "name": row.refinement, **bounds(row.pairing.difference)} for _, row in found]
    ks = " or ".join(map(str, sorted({row.k for _, row in found})))
    title = f"One of {ks} images is right" if measure == "success" else "Accuracy per image"
    name = f"{slug(suite)}-refinements-{measure}"
    badges = {one.label: one.badge for group, _ in found for one in group.series}
    rows = [(_record(row, row.model), badges.get(row.model, "")) for _, row in found]
    estimates = [cell for record, _ in rows for cell in record.values() if isinstance(cell, Estimate)]
    return Figure(
        f"{name}-chart",
        title,
        charts.forest(points, models, palette.of(models), x_title="refined − original", order=names),
        f"{title}: refined minus original prompts, over the same prompts, with 95 % intervals ({sizes(differences)}). "
        "Left of the line a refinement does harm.",
        f"Difference between refined and original prompts for every model and refinement, with intervals ({title}).",
        Table.of_records(name, f"Refined prompts: {title[0].lower()}{title[1:]}", rows, methods(estimates)),
    )


def _record(row: RefinementEffect, model: str) -> Record:
    pairing = row.pairing
    fallbacks = "Pairs in which the refinement did not apply, so that both have the original prompt."
    return {
        MODEL: model,
        Column.text("Refinement"): row.refinement,
        Column("Original", "Mean over the prompts of the pairs.", 3): pairing.second,
        Column("Refined", "Mean over the prompts of the pairs.", 3): pairing.first,
        Column("Difference", "Refined minus original, prompt by prompt.", 3): pairing.difference,
        Column.p("p", _TEST): pairing.p_holm,
        Column("Pairs"): pairing.difference.n,
        Column("Fallbacks", fallbacks): row.fallbacks,
        Column("Difference, applied", "Without the fallbacks.", 3): row.applied.difference if row.applied else None,
        Column("Unpaired", "Prompts judged only refined, or only original."): row.unpaired,
    }


_LIKE = {"accuracy_read": "accuracy", "accuracy_answered": "accuracy", "mae_all": "mae", "nae_all": "nae"}
_RANK = "the best and the worst that a model may have"
_LETTER = "models that share one cannot be told apart"
_FLIPS = "by flipping the signs of prompts' residuals, as the interval"


def comparison_result(found: Comparisons, names: Names, estimand: Estimand) -> Result:
    """Show the leaderboard and the pairs of each measure, and explain the columns."""
    tables: list[Table] = []
    for one in _without_repeats(found.boards):
        board = one.board
        judge, group = names.name_judge(board.judge), name_level(board.factor, board.group)
        title = f"{board.measure} in {board.suite}, judged by {judge}, {group}"
        heads = (
            Column.text("rank", _RANK),
            Column.text("model"),
            Column.text("letter", _LETTER),
            Column(board.measure, digits=3),
            Column("n", "observations"),
        )
        ranks = ((of.rank, names.mark_model(of.model), of.letters, of.estimate, of.estimate.n) for of in one.models)
        named = names.rename(one.pairs)
        pairs = ((f"{of.first} − {of.second}", of.difference, of.p, of.p_holm) for of in named)
        ps = (Column.p("p", _FLIPS), Column.p("p (Holm)", "adjusted for all pairs of a table"))
        tables.append(Table.of("leaderboard", title, heads, ranks, _VALUES))
        tables.append(Table.of("pairs", "", ("models", Column("difference", digits=3), *ps), pairs, _VALUES))
    stand_ins = [STAND_IN] * any(of.model in names.models for one in found.boards for of in one.models)
    about = f"intervals are about {estimand}"
    notes = (
        *map(write_left_out, names.rename(found.left_out)),
        *(_name_models(one, names) for one in found.notes),
        *stand_ins,
        about,
    )
    boards = [
        {**one.board._asdict(), "models": to_plain(one.models), "pairs": to_plain(one.pairs)} for one in found.boards
    ]
    records = {**estimand.record(), "leaderboards": boards, "left_out": found.left_out, "notes": found.notes}
    return Result(tuple(tables), names.plain(records), notes=notes)


def _name_models(note: str, names: Names) -> str:
    known = {spec: name for spec, name in names.model_names.items() if spec != name}
    longest_first = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{longest_first})(?!\w)", lambda found: known[found[0]], note) if known else note


_VALUES = "value [95 % interval] over what all models have answered"


def _without_repeats(boards: Sequence[Leaderboard]) -> Iterator[Leaderboard]:
    """Leave out measures that repeat another one, as where nothing was refused or discarded."""
    figures = {one.board: [(of.model, of.estimate.value, of.estimate.n) for of in one.models] for one in boards}
    for one in boards:
        like = _LIKE.get(one.board.measure)
        if like and figures.get(one.board._replace(measure=like)) == figures[one.board]:
            continue
        if one.board.measure == "coverage" and all(of.estimate.value == 1 for of in one.models):
            continue
        yield one


def write_left_out(one: LeftOut) -> str:
    """Say how much of a model is in no comparison."""
    return (
        f"left out: {one.count} of {one.total} answers about {one.model} in {one.suite}, which not all models have or "
        "which are excluded"
    )


def refinement_result(rows: Sequence[RefinementEffect], names: Names) -> Result:
    """Show one row per refinement, model, judge and measure, and explain the columns."""
    return Result((pair_table(rows, names),), list(map(names.row, rows)), notes=explain_marks(rows, names))


def pair_table(rows: Iterable[RefinementEffect], names: Names | None = None) -> Table:
    """Show refined prompts beside the original ones, as far as they can be paired."""
    known = names or Names()
    records: list[tuple[Record, RowKind]] = []
    for one in rows:
        named = {Column.text("Suite"): one.suite, Column.text("Judge"): known.mark_judge(one.judge)}
        measure = {Column.text("Measure"): name_measure(one.measure, one.k)}
        records.append(({**named, **measure, **_record(one, known.mark_model(one.model))}, ""))
    title, caption = "refined and original prompts, in pairs", "value [95 % interval over prompts]"
    return Table.of_records("refinements", title, records, caption)


def name_measure(measure: RefinementMeasure, k: int) -> str:
    """Name a measure of images, or of groups of k."""
    return f"success of {k}" if measure == "success" else "per image"
