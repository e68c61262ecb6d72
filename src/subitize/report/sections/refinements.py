"""What a report says of refined prompts: each beside the prompt that it is made of, for any suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from subitize.analysis.attempts import Attempt, Omissions, Unusable, find_omissions, gather_attempts
from subitize.analysis.observations import NO_JUDGE
from subitize.analysis.refinements import Measure, Refinement, compare
from subitize.records import Estimate
from subitize.report.document import charts
from subitize.report.document.blocks import (
    Badge,
    Block,
    Column,
    FigureBlock,
    Record,
    Section,
    TableBlock,
    TextBlock,
    tabulate,
    text_column,
)
from subitize.report.document.cells import slug
from subitize.report.document.charts import Palette
from subitize.report.sections.counted import MODEL, bounds, methods, sizes
from subitize.report.sections.sources import Series


@dataclass(frozen=True, slots=True)
class Group:
    """What one judge saw of the models of one run: attempts at a suite's prompts, and at refined ones.

    In the attempts models go by their labels in the report.
    """

    name: str
    judge: str
    series: tuple[Series, ...]
    attempts: tuple[Attempt, ...]
    refined: tuple[Attempt, ...]
    omissions: Omissions = field(default_factory=Omissions)

    def badge(self, label: str) -> Badge:
        """Mark a model that is a stand-in."""
        return next((one.badge for one in self.series if one.label == label), "")


def group_series(own: Sequence[Series], refined: Sequence[Series], *, unusable: Unusable = "wrong") -> list[Group]:
    """Take together what is compared: the models of one run, as one judge saw them; what was excluded is left out.

    What was only ever refused has no judge, and goes with each judge of the run.
    """
    labels = {(one.source.name, one.model): one.label for one in own}
    places = dict.fromkeys((one.source.name, one.judge) for one in (*own, *refined) if one.judge != NO_JUDGE)
    judged = {run for run, _ in places}
    places |= dict.fromkeys((one.source.name, NO_JUDGE) for one in own if one.source.name not in judged)
    return [_group(place, own, refined, labels, unusable) for place in places if _of_place(own, *place)]


def _group(
    place: tuple[str, str],
    own: Sequence[Series],
    refined: Sequence[Series],
    labels: Mapping[tuple[str, str], str],
    unusable: Unusable,
) -> Group:
    run, judge = place
    ours, theirs = (_of_place(series, run, judge) for series in (own, refined))
    labels = {**labels, **{(run, one.model): one.label for one in ours}}
    named = [(one, labels.get((run, one.model), one.label)) for one in (*ours, *theirs)]
    attempts = [replace(attempt, judge=judge) for one, label in named for attempt in _attempts(one, label, unusable)]
    found = [(find_omissions(one.observations, unusable=unusable), label) for one, label in named]
    omissions = Omissions(
        *(
            frozenset((label, id) for each, label in found for _, id in getattr(each, name))
            for name in ("undecided", "excluded")
        )
    )
    originals, others = ([one for one in attempts if (one.item.base is None) == is_own] for is_own in (True, False))
    name = ours[0].source.name_judge(judge)
    return Group(f"{run} · {name}", judge, tuple(ours), tuple(originals), tuple(others), omissions)


def _of_place(series: Sequence[Series], run: str, judge: str) -> list[Series]:
    return [one for one in series if one.source.name == run and one.judge in (judge, NO_JUDGE)]


def refinement_sections(
    suite: str, own: Sequence[Series], refined: Sequence[Series], palette: Palette
) -> list[Section]:
    """Write the section of a suite's refined prompts, if it has some that can be paired."""
    if all(item.base is None for one in (*own, *refined) for item in one.observations.items.values()):
        return []
    section = pair_section(suite, group_series(own, refined), palette)
    return [section] if section else []


def pair_section(suite: str, groups: Sequence[Group], palette: Palette, more: Sequence[Block] = ()) -> Section | None:
    """Set refined prompts beside those that they are made of, prompt by prompt; `more` stands after that."""
    found = [(group, row) for group in groups for row in _compare(group)]
    # Of one image per prompt, that one of them is right is the same as the share of right ones.
    shown = [(group, row) for group, row in found if row.measure == "accuracy" or row.k > 1]
    blocks = [_figure(suite, measure, own, palette) for measure in _TITLES if (own := _of(shown, measure))]
    if not blocks:
        return None
    lead = TextBlock(
        "The same models with prompts that say the same in other words, compared prompt by prompt. Where a refinement "
        "does not apply, as to the number 1, the original prompt was given again; such pairs are counted as fallbacks."
    )
    return Section(f"{slug(suite)}-refinements", "Refined prompts", (lead, *blocks, *more))


_TEST = "By flips of signs of prompts' residuals, two-sided, adjusted by Holm for a run and judge."
_TITLES: dict[Measure, str] = {"success": "One of k images is right", "accuracy": "Accuracy per image"}


def _compare(group: Group) -> list[Refinement]:
    designs = {suite: design for one in group.series for suite, design in one.observations.designs.items()}
    return compare([*group.attempts, *group.refined], designs=designs)


def _attempts(one: Series, label: str, unusable: Unusable) -> list[Attempt]:
    return [replace(attempt, model=label) for attempt in gather_attempts(one.observations, unusable=unusable)]


def _of(found: Sequence[tuple[Group, Refinement]], measure: Measure) -> list[tuple[Group, Refinement]]:
    return [(group, row) for group, row in found if row.measure == measure]


def _figure(suite: str, measure: Measure, found: Sequence[tuple[Group, Refinement]], palette: Palette) -> FigureBlock:
    differences = [row.pairing.difference for _, row in found]
    names = list(dict.fromkeys(row.refinement for _, row in found))
    models = [name for name in palette.order if any(row.model == name for _, row in found)]
    points = [{"model": row.model, "name": row.refinement, **bounds(row.pairing.difference)} for _, row in found]
    ks = sorted({row.k for _, row in found})
    title = _TITLES[measure].replace("k", " or ".join(map(str, ks))) if measure == "success" else _TITLES[measure]
    name = f"{slug(suite)}-refinements-{measure}"
    return FigureBlock(
        f"{name}-chart",
        title,
        charts.forest(points, models, palette.of(models), x_title="refined − original", order=names),
        f"{title}: refined minus original prompts, over the same prompts, with 95 % intervals ({sizes(differences)}). "
        "Left of the line a refinement does harm.",
        f"Difference between refined and original prompts for every model and refinement, with intervals ({title}).",
        _table(name, title, found),
    )


def _table(name: str, title: str, found: Sequence[tuple[Group, Refinement]]) -> TableBlock:
    rows = [(_record(row), group.badge(row.model)) for group, row in found]
    estimates = [cell for record, _ in rows for cell in record.values() if isinstance(cell, Estimate)]
    return tabulate(name, f"Refined prompts: {title[0].lower()}{title[1:]}", rows, methods(estimates))


def _record(row: Refinement) -> Record:
    pairing = row.pairing
    fallbacks = "Pairs in which the refinement did not apply, so that both have the original prompt."
    return {
        MODEL: row.model,
        text_column("Refinement"): row.refinement,
        Column("Original", "Mean over the prompts of the pairs."): pairing.second,
        Column("Refined", "Mean over the prompts of the pairs."): pairing.first,
        Column("Difference", "Refined minus original, prompt by prompt."): pairing.difference,
        Column("p", _TEST, 3, is_probability=True): pairing.p_holm,
        Column("Pairs"): pairing.difference.n,
        Column("Fallbacks", fallbacks): row.fallbacks,
        Column("Difference, applied", "Without the fallbacks."): row.applied.difference if row.applied else None,
        Column("Unpaired", "Prompts judged only refined, or only original."): row.unpaired,
    }
