"""What a report says of the probes: framings side by side, by split and by number, beside what guessing gets."""

from collections import Counter
from collections.abc import Mapping, Sequence

from subitize.papers.seeing_past_words.claims import observe
from subitize.papers.seeing_past_words.published import BLIND
from subitize.papers.seeing_past_words.report import figures
from subitize.papers.seeing_past_words.report.shares import SUITES, Share, list_shares
from subitize.papers.seeing_past_words.runs import ALIGNMENT, COUNTING, MASKED, VQA, Probed, read_probed
from subitize.report.charts import Palette
from subitize.report.claims import Wording, claims_section
from subitize.report.series import CountingModel, ReportRun, Series
from subitize.report.table import Section, SuiteReport, TextBlock, number_text, percent_text

_WORDING = Wording("claim", "claims", "Numbers are those of sections in the paper.", "Observations")


def compose_account(
    suite: str, series: Sequence[Series], refined: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport:
    """Write what the scores and answers suffice for; the first suite of a counting probe compares all in its runs."""
    sources = {one.source.name: one.source for one in series if not one.is_excluded}
    probed = {name: _read(source) for name, source in sources.items()}
    notes = [TextBlock(text) for one in probed.values() for text in one.warnings]
    shares = _list(probed, sources)
    own = [share for share in shares if SUITES[share.framing] == suite]
    if not own:
        return SuiteReport(notes, ())
    sections: list[Section] = []
    present = {SUITES[share.framing] for share in shares}
    if suite == next((one for one in (COUNTING, MASKED, VQA) if one in present), ""):
        counting = [share for share in shares if SUITES[share.framing] != ALIGNMENT]
        splits = dict.fromkeys(share.split for share in counting)
        sections += [
            figures.compare(suite, [one for one in counting if one.split == split], palette) for split in splits
        ]
        stated = claims_section(suite, {name: observe(one) for name, one in probed.items()}, _WORDING)
        sections += [stated] if stated else []
    if suite in (COUNTING, ALIGNMENT):
        sections.append(figures.tabulate_measures(suite, probed))
    return SuiteReport([figures.glance(suite, own), *notes], sections, _headline(suite, own))


def _read(source: ReportRun) -> Probed:
    """Read the probes of a run; of several judges of the answers, the first."""
    rows = source.survey.observations.rows
    judges = sorted({*rows.filter(rows["suite"] == VQA)["judge"]})
    names = {spec: source.name_model(spec) for spec in source.stand_ins.model_names}
    return read_probed(source.run, judges[0] if judges else None).rename(names)


def _list(probed: Mapping[str, Probed], sources: Mapping[str, ReportRun]) -> list[Share]:
    """List the shares of all runs, models that are in several by run; guesses are the same for all."""
    found = {name: list(list_shares(one)) for name, one in probed.items()}
    runs = Counter(model for shares in found.values() for model in {one.model for one in shares})
    listed: dict[tuple[str, str, str, int | None], Share] = {}
    for name, shares in found.items():
        source = sources[name]
        badges = {source.name_model(spec): source.badge(spec) for spec in source.stand_ins.model_names}
        for one in shares:
            label = f"{one.model} ({name})" if runs[one.model] > 1 and one.badge != "baseline" else one.model
            own = one._replace(model=label, badge=one.badge or badges[one.model.removesuffix(BLIND)])
            listed.setdefault((own.framing, own.split, own.model, own.number), own)
    return list(listed.values())


def _headline(suite: str, shares: Sequence[Share]) -> str:
    """Say who does best in the first framing of the first split, and what guessing gets there."""
    first = shares[0]
    here = [one for one in shares if (one.framing, one.split, one.number) == (first.framing, first.split, None)]
    # A stand-in only where there is no other.
    best = max((one for one in here if one.badge != "baseline"), key=lambda one: (not one.badge, one.estimate.value))
    guess = max((one for one in here if one.badge == "baseline"), key=lambda one: one.estimate.value, default=None)
    told = f"; {guess.model}, without a look, gets {number_text(100 * guess.estimate.value, 0)} %" if guess else ""
    return f"In {suite}, {best.model} does best ({best.framing}, {best.split}): {percent_text(best.estimate)}{told}."
