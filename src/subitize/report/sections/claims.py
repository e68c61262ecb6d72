"""What papers conclude, held against data: statements with their verdicts as part of a report, and in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from subitize.analysis.claims import ALPHA, POOLED, SMALL, Claim, Comparison, Verdict
from subitize.report.document import cells, charts
from subitize.report.document.blocks import (
    Block,
    Column,
    FigureBlock,
    Row,
    Section,
    Tagged,
    TextBlock,
    make_table,
    text_column,
)
from subitize.report.document.cells import estimate_text, number_of
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import bounds, methods, sizes


@dataclass(frozen=True, slots=True)
class Wording:
    """How a paper's conclusions are called, one and several, where their numbers are from, and what n and p are."""

    one: str
    several: str
    numbers: str
    n: str = "Pairs"
    p: str = "By flips of signs of prompts' residuals, two-sided."


def claims_section(suite: str, groups: Mapping[str, Sequence[Claim]], wording: Wording) -> Section | None:
    """Hold a paper's conclusions against these data, each with its tests; groups are runs and judges by name."""
    columns = [*map(text_column, (wording.one.capitalize(), "Claim, in our words", "Verdict", "What was found"))]
    tables: list[Block] = []
    for place, (group, found) in enumerate(groups.items(), start=1):
        suffix, of = (f"-{place}", f" {group}") if len(groups) > 1 else ("", "")
        rows = (Row((one.id, one.claim, Tagged(one.verdict, None), one.sentence)) for one in found)
        name = f"{suite}-{wording.several}{suffix}"
        tables += [make_table(name, f"Does it hold?{of}", columns, rows, wording.numbers)]
        tables += _tests(f"{suite}-comparisons{suffix}", found, wording)
    if not tables:
        return None
    lead = TextBlock(
        "What the paper concludes, computed of these models and this judge. A statement holds, or does not, where its "
        "tests decide it; otherwise it is undecided, which is no evidence against it."
    )
    return Section(f"{suite}-{wording.several}", f"The paper’s {wording.several}", (lead, *tables))


def _tests(name: str, found: Sequence[Claim], wording: Wording) -> list[Block]:
    """Draw the differences that statements rest on, of all models together; those of each are in the data."""
    tested = [(one, each) for one in found for each in one.comparisons]
    if not tested:
        return []
    article = "an" if wording.one[0] in "aeiou" else "a"
    families = f"By Holm, for the comparisons of {article} {wording.one}: of all models together, or of single models."
    p = Column("p", wording.p, 3, is_probability=True)
    adjusted = Column("p adjusted", families, 3, is_probability=True)
    named = (text_column(wording.one.capitalize()), text_column("Difference of"), Column("Difference", digits=3))
    columns = (*named, p, adjusted, wording.n, text_column("Models"))
    rows = (Row((one.id, each.label, each.difference, each.p, each.p_holm, each.n, each.model)) for one, each in tested)
    title, methods_used = "The tests behind it", methods(each.difference for _, each in tested)
    data = make_table(name, title, columns, rows, methods_used)
    is_pooled = any(each.is_pooled for _, each in tested)
    who = POOLED if is_pooled else next((each.model for _, each in tested if each.model), None)
    of_all = [(one, each) for one, each in tested if (each.model, each.is_pooled) == (who, is_pooled)]
    shown = {f"{one.id}: {each.label}": each.difference for one, each in of_all}
    if who is None:
        return [data]
    points = [{"model": who, "name": label, **bounds(difference)} for label, difference in shown.items()]
    figure = FigureBlock(
        f"{name}-chart",
        title,
        charts.forest(points, [who], Palette((who,)), x_title="difference of shares", order=list(shown)),
        f"Differences that the {wording.several} rest on, with 95 % intervals ({sizes(shown.values())}); right of "
        "the line the first does better. Those of each model, and p, are in the data.",
        "Differences between conditions with their intervals, one line for each comparison.",
        data,
    )
    return [figure]


def tell(one: Comparison, unit: str = "pair") -> str:
    """Write a comparison as part of a sentence; `unit` is what its n counts."""
    of = f" of {one.model}" if one.model and not one.is_pooled else ""
    units = number_of(one.n, unit)
    return f"{one.label}{of} is {estimate_text(one.difference)}, p {write_p(one.p_holm)} (Holm), {units}"


def describe_margin(verdict: Verdict, comparisons: Sequence[Comparison]) -> str:
    """Say so where a claim does not hold because a drop is surely a small one."""
    if verdict != "does not hold" or all(one.trend != "none" for one in comparisons):
        return ""
    return f"; a drop that is surely smaller than {SMALL} is taken for none, a margin of ours"


def describe_level(models: int) -> str:
    """Say how sure intervals are that together must hold the figures of so many models."""
    return "95 %" if models == 1 else f"{100 * (1 - ALPHA / models):.1f} %, which is 95 % for {models} models together"


def write_p(p: float) -> str:
    """Write a p-value with its sign."""
    text = cells.write_p(p)
    return text if text.startswith("<") else f"= {text}"
