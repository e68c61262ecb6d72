"""Papers' conclusions with their verdicts, and papers' tables beside the published figures."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from subitize.analysis.claims import ALPHA, POOLED, SMALL, Claim, Contrast, Verdict
from subitize.analysis.papers import Tabulated
from subitize.analysis.published import AS_THE_PAPER, VERDICTS, CellMatch, ComparedCell
from subitize.io.frames import group_rows
from subitize.records import Estimate, to_plain
from subitize.report import charts, texts
from subitize.report.charts import Palette
from subitize.report.estimates import bounds, methods, sizes
from subitize.report.table import Block, Column, Figure, Paragraph, Result, Row, Section, Table, Worded
from subitize.report.texts import estimate_text, number_of, number_text, slug

if TYPE_CHECKING:
    from subitize.analysis.overview import Names


@dataclass(frozen=True, slots=True)
class Wording:
    """What a paper's conclusions are called (singular, plural), where their numbers come from, and what n and p are."""

    one: str
    several: str
    numbers: str
    n: str = "Pairs"
    p: str = "By flips of signs of prompts' residuals, two-sided."


def claims_section(suite: str, groups: Mapping[str, Sequence[Claim]], wording: Wording) -> Section | None:
    """Test a paper's conclusions on these data; groups are runs and judges by name."""
    columns = [*map(Column.text, (wording.one.capitalize(), "Claim, in our words", "Verdict", "What was found"))]
    tables: list[Block] = []
    for place, (group, found) in enumerate(groups.items(), start=1):
        suffix, of = (f"-{place}", f" {group}") if len(groups) > 1 else ("", "")
        rows = (Row((one.id, one.claim, Worded(one.verdict, None), one.sentence)) for one in found)
        name = f"{suite}-{wording.several}{suffix}"
        tables += [Table.of(name, f"Does it hold?{of}", columns, rows, wording.numbers)]
        tables += _tests(f"{suite}-comparisons{suffix}", found, wording)
    if not tables:
        return None
    lead = Paragraph(
        "What the paper concludes, computed of these models and this judge. A statement holds, or does not, where its "
        "tests decide it; otherwise it is undecided, which is no evidence against it."
    )
    return Section(f"{suite}-{wording.several}", f"The paper’s {wording.several}", (lead, *tables))


def _tests(name: str, found: Sequence[Claim], wording: Wording) -> list[Block]:
    """Draw the differences behind the claims for all models together; those of each model are in the data."""
    tested = [(one, each) for one in found for each in one.comparisons]
    if not tested:
        return []
    article = "an" if wording.one[0] in "aeiou" else "a"
    families = f"By Holm, for the comparisons of {article} {wording.one}: of all models together, or of single models."
    p = Column.p("p", wording.p)
    adjusted = Column.p("p adjusted", families)
    named = (Column.text(wording.one.capitalize()), Column.text("Difference of"), Column("Difference", digits=3))
    columns = (*named, p, adjusted, wording.n, Column.text("Models"))
    rows = (Row((one.id, each.label, each.difference, each.p, each.p_holm, each.n, each.model)) for one, each in tested)
    title, methods_used = "The tests behind it", methods(each.difference for _, each in tested)
    data = Table.of(name, title, columns, rows, methods_used)
    is_pooled = any(each.is_pooled for _, each in tested)
    who = POOLED if is_pooled else next((each.model for _, each in tested if each.model), None)
    of_all = [(one, each) for one, each in tested if (each.model, each.is_pooled) == (who, is_pooled)]
    shown = {f"{one.id}: {each.label}": each.difference for one, each in of_all}
    if who is None:
        return [data]
    points = [{"model": who, "name": label, **bounds(difference)} for label, difference in shown.items()]
    figure = Figure(
        f"{name}-chart",
        title,
        charts.forest(points, [who], Palette((who,)), x_title="difference of shares", order=list(shown)),
        f"Differences that the {wording.several} rest on, with 95 % intervals ({sizes(shown.values())}); right of "
        "the line the first does better. Those of each model, and p, are in the data.",
        "Differences between conditions with their intervals, one line for each comparison.",
        data,
    )
    return [figure]


def tell(one: Contrast, unit: str = "pair") -> str:
    """Write a contrast as part of a sentence; `unit` is what its n counts."""
    of = f" of {one.model}" if one.model and not one.is_pooled else ""
    units = number_of(one.n, unit)
    return f"{one.label}{of} is {estimate_text(one.difference)}, p {write_p(one.p_holm)} (Holm), {units}"


def describe_margin(verdict: Verdict, comparisons: Sequence[Contrast]) -> str:
    """Say so if a claim does not hold because a drop is certainly small."""
    if verdict != "does not hold" or all(one.trend != "none" for one in comparisons):
        return ""
    return f"; a drop that is surely smaller than {SMALL} is taken for none, a margin of ours"


def describe_level(models: int) -> str:
    """Describe the level of intervals that must hold for so many models together."""
    return "95 %" if models == 1 else f"{100 * (1 - ALPHA / models):.1f} %, which is 95 % for {models} models together"


def write_p(p: float) -> str:
    """Write a p-value with its sign."""
    text = texts.write_p(p)
    return text if text.startswith("<") else f"= {text}"


_LARGE = 10
MARKS: dict[CellMatch, str] = {
    "exact": "=",
    "truncated": "⌊",
    "within 0.1 pp": "~",
    "within 1 pp": "≈",
    "differs": "≠",
    "not published": "",
}


CONVENTION = "convention"
"""The column that says how the figures of a row were computed; it is printed below the tables."""


def reproduction_result(found: Sequence[ComparedCell], models: Mapping[str, str] | None = None) -> Result:
    """Show each table with the published figures beside ours, then how many have which verdict.

    Columns that are models of the paper have their names in print.
    """
    names = models or {}
    comparisons = [replace(one, column=names.get(one.column, one.column)) for one in found if one.column != CONVENTION]
    tables = compared_tables(comparisons)
    counted = Counter((one.table, one.verdict) for one in comparisons)
    shown = dict.fromkeys(one.table for one in comparisons)
    # Most papers round, so "truncated" is shown only if it occurs.
    known = [one for one in VERDICTS if one != "truncated" or any(counted[name, one] for name in shown)]
    if any(one.published is not None for one in comparisons):
        rows = ([name, *(counted[name, verdict] or "" for verdict in known)] for name in shown)
        tables += (Table.of("verdicts", "verdicts", ("", *known), rows),)
        legend = ", ".join(f"{MARKS[verdict]} {verdict}" for verdict in known if MARKS[verdict])
        notes = [f"ours [95 % interval], a mark, and (what the paper prints): {legend}; pp: percentage points"]
    else:
        notes = ["value [95 % interval]; the paper prints no figures of these models"]
    # Figures computed as the paper does, where subitize would compute them differently.
    own = [one for one in comparisons if one.method.startswith(AS_THE_PAPER)]
    for method, cells in group_rows(own, lambda one: one.method).items():
        notes.append(f"{', '.join(dict.fromkeys(cell.column for cell in cells))}: {method}")
    notes += [f"{one.row}: {one.ours}" for one in found if one.column == CONVENTION]
    return Result(tables, notes=tuple(notes))


def compared_tables(comparisons: Sequence[ComparedCell]) -> tuple[Table, ...]:
    """Make a table of each of a paper's, with the published figures beside ours."""
    tables = []
    for name, own in group_rows(comparisons, lambda one: one.table).items():
        cells = {(one.row, one.column): _compare(one) for one in own}
        tables.append(Table.from_cells(slug(name), name, cells, [Column("")], empty=""))
    return tuple(tables)


def _compare(cell: ComparedCell) -> Worded:
    numbers = [one for one in (cell.ours, cell.low, cell.high) if isinstance(one, float | int) and math.isfinite(one)]
    # Counts have no decimals, percentages one, smaller figures more.
    digits = 0 if all(one == int(one) for one in numbers) else 3 if max(map(abs, numbers)) < _LARGE else 1
    printed = cell.published if isinstance(cell.published, str | None) else f"{cell.published:g}"
    after = "" if printed is None else f"{MARKS[cell.verdict]} ({printed})"
    if isinstance(cell.ours, str):
        return Worded(cell.ours, after=after)
    if cell.low is None or cell.high is None:
        return Worded(number_text(cell.ours, digits) + " !" * bool(cell.caution), after=after)
    estimate = Estimate(cell.ours, cell.low, cell.high, cell.n or 0, cell.method, caution=cell.caution)
    return Worded("", estimate, after, digits=digits)


def claim_lines(claims: Iterable[Claim], *, title: str = "claims") -> Iterator[str]:
    """Write each claim with its verdict, and below it what was computed, part by part."""
    yield title
    for one in claims:
        yield f"{one.id} {one.verdict}: {one.claim}"
        yield from (f"    {part}" for part in one.sentence.split("; "))


def paper_result(found: Tabulated, names: "Names | None" = None, *, only_claims: bool) -> Result:
    """Show a paper's tables and conclusions, or these alone; the records are either the one or the other."""
    rename, add_names = (names.rename, names.add_names) if names else (lambda it: it, lambda it: it)
    claims = found.claims() if found.claims and (only_claims or not found.shows_claims) else ()
    show = found.show or partial(reproduction_result, models=found.models)
    shown: Result = Result() if only_claims else show(rename(found.records))
    records = add_names(to_plain(claims if only_claims else found.records))
    return replace(shown.say(*claim_lines(rename(claims))) if claims else shown, records=records)
