"""Builds the report of any set of runs, from title and summary to citations."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from subitize import papers
from subitize.analysis.advice import describe_unread
from subitize.analysis.compare import Ranked
from subitize.analysis.counting import measure_counting, name_baselines
from subitize.analysis.design import with_units
from subitize.analysis.papers import CountingModels
from subitize.analysis.published import PublishedCounts
from subitize.analysis.score import MEASURES, Score, list_factors, score
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE
from subitize.interfaces import Events
from subitize.io.frames import group_rows
from subitize.records import REFINED, Draw, base_suite
from subitize.registry import find_references, find_suite_title, paper_of
from subitize.report import leaderboard, provenance
from subitize.report.alignment import alignment_sections, rescoring_sections
from subitize.report.charts import Palette
from subitize.report.claims import claims_section
from subitize.report.comparisons import refinement_sections
from subitize.report.costs import cost_sections
from subitize.report.figures import draw_figures_ahead
from subitize.report.gallery import make_gallery
from subitize.report.number_sense import counting_sections, small_sample_warning
from subitize.report.papers import report_paper
from subitize.report.scores import TAKE_BACK
from subitize.report.series import CountingModel, ReportRun, Series, level_text, list_series, rank
from subitize.report.table import Citation, Document, Paragraph, RowKind, Section, SuiteReport, Table
from subitize.report.texts import number_of, percent_text, printable, slug
from subitize.suites.datasets import name_datasets

_OF_COUNTS = {"number", "category", "wording"}
_EXCLUDED = "{}: all {} observations are excluded by hand; it is in no figure."
_INFORMED = "informed: it knew what was asked for"
_INFORMED_IN_PART = "informed in part: some questions say what was asked for"


def build_report(sources: Sequence[ReportRun], events: Events) -> Document:
    """Build the report of these runs."""
    series = list_series(sources)
    _check_left(series)
    counted = _count(sources, series)
    ranked = [model.label for models in counted.values() for model in models]
    palette = Palette(tuple(dict.fromkeys([*ranked, *(one.label for one in series)])))
    # Suites of refined prompts come right after their original.
    suites = sorted({one.suite for one in series}, key=lambda suite: (base_suite(suite), suite))
    titles = {suite: _title(suite) for suite in suites}
    reports = {suite: _report_suite(suite, series, counted[suite], palette) for suite in suites}
    for report in reports.values():
        draw_figures_ahead(report.sections)
    protocols = provenance.find_protocols(series)
    leaders, results, headlines = [], [], {}
    standings: dict[str, Mapping[str, Ranked]] = {}
    for suite, report in reports.items():
        own, name = [one for one in series if one.suite == suite], slug(suite)
        shown = {row.cells[0] for one in report.leaderboard if isinstance(one, Table) for row in one.rows}
        followed = [one for one in protocols if one.series.suite == suite and one.series.label in shown]
        standings[suite] = leaderboard.stand_series(own)
        sizes = {one.series.label: count for one in followed if (count := one.parameter_count) is not None}
        known = leaderboard.KnownModels(standings[suite], sizes, {one.series.label: one.link() for one in followed})
        published_by = (paper.judged_by.get(suite) if (paper := paper_of(suite)) else None) or ""
        leader = [
            leaderboard.finish_leaderboard(one, known, published_by) if isinstance(one, Table) else one
            for one in report.leaderboard
        ]
        sections, headlines[suite] = [*report.sections], report.headline
        left_out = [Paragraph(_EXCLUDED.format(one.label, len(one.observations))) for one in own if one.is_excluded]
        blocks = (*provenance.warn_of_protocols(followed), *leader[:1], _describe_judges(own), *leader[1:], *left_out)
        leaders.append(Section(f"{name}-leaderboard", titles[suite], blocks))
        draw_figures_ahead(leaders[-1:])
        gallery = make_gallery(name, own, events)
        if gallery is not None:
            sections.append(Section(f"{name}-pictures", "Right and wrong", (gallery,)))
        notes = (*left_out, *small_sample_warning(counted[suite]))
        results.append(Section(name, titles[suite], notes, tuple(sections)))
    cited = [Section("citations", "Please cite", works)] if (works := references(suites, sources)) else []
    costs = (*alignment_sections(sources), *rescoring_sections(sources), *cost_sections(sources, series))
    last = (
        *costs,
        provenance.missing_data_section(sources),
        provenance.describe_protocols(protocols),
        provenance.describe_provenance(sources),
        *cited,
    )
    *others, last_title = [title for suite, title in titles.items() if base_suite(suite) == suite] or titles.values()
    return Document(
        " and ".join(filter(None, [", ".join(others), last_title])),
        _summarize(sources, series, counted, headlines, standings),
        (Section("leaderboard", "Leaderboard", (), tuple(leaders)), *results, *last),
    )


def _report_suite(
    suite: str, series: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport:
    """Report on a suite; for one of refined prompts, only its leaderboard."""
    own = [one for one in series if one.suite == suite]
    refined = [one for one in series if one.suite != suite and base_suite(one.suite) == suite]
    if REFINED in suite:
        left = [one for one in own if not one.is_excluded]
        return SuiteReport(leaderboard.rank_scores(slug(suite), left, _score(left, ())) if left else (), ())
    paper = paper_of(suite)
    report = None
    if paper and "figures" in paper.parts:
        by_itself = papers.load(paper.report) if paper.report else None
        report = (
            by_itself(suite, own, refined, counted, palette)
            if by_itself
            else report_paper(paper, suite, own, palette, counted)
        )
    if report is None:
        report = _default_report(suite, own, counted, palette)
    if report.has_refinements:
        return report
    sections = (*report.sections, *refinement_sections(suite, own, refined, palette))
    return replace(report, sections=sections)


def _check_left(series: Sequence[Series]) -> None:
    """Refuse a report if everything is excluded."""
    if all(one.is_excluded for one in series):
        count = sum(len(one.observations) for one in series)
        raise NothingToDoError(f"all {count} observations are excluded; {TAKE_BACK}")


def _count(sources: Sequence[ReportRun], series: Sequence[Series]) -> dict[str, list[CountingModel]]:
    """Measure the suites that ask for counts of known numbers; other suites have no entry."""
    # Refined prompts are compared with their originals, not measured again.
    is_refined = pl.col("suite").str.contains(REFINED, literal=True)
    try:
        found = measure_counting({source.name: source.survey.whole.filter(~is_refined) for source in sources})
    except NothingToDoError:
        found = []
    by_key = {(one.run, one.suite, one.model, one.judge): one for one in found}
    counted: dict[str, list[CountingModel]] = defaultdict(list)
    for one in series:
        report = by_key.get((one.source.name, one.suite, one.model, one.judge))
        if report is not None:
            named = replace(report, model=one.source.name_model(one.model), judge=one.judge_name)
            counted[one.suite].append(CountingModel(one.label, one.badge, named))
    return defaultdict(list, {suite: rank(models) for suite, models in counted.items()})


def _default_report(
    name: str, series: Sequence[Series], counted: Sequence[CountingModel], palette: Palette
) -> SuiteReport:
    """Write the leaderboard and sections of one suite: those on counting if it counts, and by condition."""
    suite = slug(name)
    left = [one for one in series if not one.is_excluded]
    if not left:
        return SuiteReport((), ())
    factors = list_factors(item for one in left for item in one.observations.seen_items())
    if not counted:
        scores = _score(left, factors)
        sections = leaderboard.factor_sections(suite, left, scores, palette)
        return SuiteReport(leaderboard.rank_scores(suite, left, scores), sections)
    paper = paper_of(name)
    published: PublishedCounts | None = papers.load(paper.counts).get(name) if paper and paper.counts else None
    baselines = name_baselines(model.report.numbers for model in counted)
    leader = leaderboard.rank_counts(suite, counted, baselines, published)
    are_drawn = all(isinstance(one.observations.seen_items()[0].task, Draw) for one in left)
    sections = counting_sections(suite, counted, palette, are_drawn=are_drawn, published=published)
    if paper and "claims" in paper.parts:
        # The paper's conclusions are tested on each run and judge separately.
        groups = group_rows((model.report for model in counted), lambda report: f"{report.run} · {report.judge}")
        part, sources = paper.load("claims"), {one.source.name: one.source for one in left}.values()
        sizes = {of.name_model(spec): size for of in sources for spec, size in of.trails.sizes().items()}
        found = {group: part.claims(CountingModels(own, sizes)) for group, own in groups.items()}
        sections += filter(None, [claims_section(suite, found, part.WORDING)])
    others = [name for name in factors if name not in _OF_COUNTS]
    if others:
        sections += leaderboard.factor_sections(suite, left, _score(left, others), palette)
    return SuiteReport(leader, sections)


def _score(series: Sequence[Series], factors: Sequence[str]) -> dict[str, list[Score]]:
    """Score each series separately, by label: the same model and judge may be in two runs."""
    found = {}
    for one in series:
        known = {name for item in one.observations.seen_items() for name in item.factors}
        found[one.label] = score(one.observations, [name for name in factors if name in known])
    return found


def _title(suite: str) -> str:
    """Get a suite's title with its refinement, or its name if it is not installed."""
    base, _, refinement = suite.partition(REFINED)
    title = find_suite_title(base)
    if title is None:
        return suite
    return f"{title}, refined: {refinement}" if refinement else title


def _describe_judges(series: Sequence[Series]) -> Paragraph:
    """Name the judges behind the figures, with what readers must know about them; a warning if one was informed."""
    marks: dict[str, list[str]] = {}
    for one in series:
        is_stand_in = one.judge in one.source.names.judges
        known = marks.setdefault(one.judge_name, [])
        known += ["embedded stand-in"] * (is_stand_in and "embedded stand-in" not in known)
        mark = _INFORMED if one.observations.rows["is_informed"].all() else _INFORMED_IN_PART
        known += [mark] * (one.is_informed and mark not in known)
    if list(marks) == [NO_JUDGE]:
        return Paragraph("No judge was needed: every response was a refusal.")
    named = [f"{judge} ({'; '.join(found)})" if found else judge for judge, found in sorted(marks.items())]
    return Paragraph(f"Judged by {', '.join(named)}.", is_warning=any(one.is_informed for one in series))


def references(suites: Iterable[str], sources: Iterable[ReportRun] = ()) -> tuple[Citation, ...]:
    """List what to cite, each work once: for suites, refined or not, and for published sets of questions."""
    works = dict.fromkeys(work for suite in suites for work in find_references(suite))
    seen = (source.survey.observations.seen_items() for source in sources)
    datasets = dict.fromkeys(one for items in seen for one in name_datasets(items))
    return (
        *(Citation(work.citation, work.url, work.use) for work in works),
        *(Citation(one.citation, one.url, f"{one.title}: the questions") for one in datasets),
    )


def _summarize(
    sources: Sequence[ReportRun],
    series: Sequence[Series],
    counted: Mapping[str, Sequence[CountingModel]],
    headlines: Mapping[str, str],
    standings: Mapping[str, Mapping[str, Ranked]],
) -> str:
    """Summarise the report in words.

    The counting models (best first), headlines and standings are given by suite.
    """
    sentences = [_describe_coverage(sources, series)]
    # Refined prompts are covered by the section on their originals.
    originals = (one for one in series if base_suite(one.suite) == one.suite)
    for suite, own in group_rows(originals, lambda one: one.suite).items():
        fit = leaderboard.drop_stand_ins([one for one in own if one.badge != "stand-in judge"])
        if not fit:
            sentences.append(f"In {suite}, nothing can be said: a stand-in judged the drawings of real models.")
            continue
        ranked = leaderboard.drop_stand_ins(
            [one for one in counted[suite] if one.report.accuracy and one.badge != "stand-in judge"]
        )
        ranks = standings[suite]
        general = _headline(suite, ranked, ranks) if ranked else _accuracies(suite, fit, ranks)
        has_unfit = any(one.badge == "stand-in judge" for one in own)
        sentences.append(general if has_unfit else headlines[suite] or general)
        unread = (line for one in own for line in describe_unread(one.source.run, one.observations, one.source.names))
        sentences += (f"{line}." for line in unread)
    return " ".join(filter(None, sentences))


def _describe_coverage(sources: Sequence[ReportRun], series: Sequence[Series]) -> str:
    names = [printable(source.name) for source in sources]
    models = {one.model: one.badge for one in series}
    items = {(own.source.name, id) for own in series for id in own.observations.rows["item"].unique()}
    made = [trail for source in sources for trail in source.trails.responses.values()]
    responses = sum(trail.responses for trail in made)
    when = provenance.days(min(trail.first_at for trail in made), max(trail.last_at for trail in made))
    whole = f"{number_of(len(names), 'run')} ({', '.join(names)}) with {number_of(len(models), 'model')}"
    return (
        f"This report covers {whole}{_stand_ins(list(models.values()))}: {number_of(len(items), 'scored item')} and "
        f"{number_of(responses, 'response')}, stored {'from' if ' to ' in when else 'on'} {when}."
    )


def _stand_ins(badges: Sequence[RowKind]) -> str:
    count = badges.count("stand-in")
    if not count:
        return ""
    if len(badges) == 1:
        return ", an embedded stand-in"
    return f", {'all' if count == len(badges) else count} of them embedded stand-ins"


def _headline(suite: str, ranked: Sequence[CountingModel], standings: Mapping[str, Ranked]) -> str:
    best, worst = ranked[0], ranked[-1]
    level = level_text(best.report.knower_all)
    counts = "" if level is None else f" (counting level: {level})"
    right = f"{percent_text(best.report.accuracy)} of its answers are right{counts}"
    if len(ranked) == 1:
        return f"In {suite}, {best.label} was measured: {right}."
    if best.report.accuracy and not best.report.accuracy.value:
        return f"In {suite}, no model is ever right."
    standing = leaderboard.describe_standing(best.label, standings)
    others = f"{worst.label} is right least often, in {percent_text(worst.report.accuracy)}."
    return f"In {suite}, {best.label} is right most often: {right}.{standing} {others}"


def _accuracies(suite: str, series: Sequence[Series], standings: Mapping[str, Ranked]) -> str:
    accuracy = MEASURES["accuracy"]
    found = {one.label: share for one in series if (share := accuracy.of(with_units(one.observations).rows))}
    if not found:
        return ""
    best = max(found, key=lambda label: found[label].value)
    if not found[best].value:
        return f"In {suite}, no model is ever right."
    standing = leaderboard.describe_standing(best, standings)
    return f"In {suite}, {best} is right most often: in {percent_text(found[best])}.{standing}"
