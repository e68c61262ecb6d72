"""Prints how far people agree with one another, and a judge with people."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from subitize.analysis.agreement import JudgeAgreement, PairAgreement, RaterAgreement
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.records import Scalar, base_suite
from subitize.registry import paper_of
from subitize.report.scores import cell, print_cautions, print_marks
from subitize.report.table import NOTHING
from subitize.report.terminal import print_line, print_table

_NAMES = ("model", "question", "group")
# The columns of each table by heading, narrow enough for a terminal.
_Figures = tuple[Mapping[str, str], ...]
_OF_PEOPLE: _Figures = (
    {"κ": "kappa", "AC1": "ac1", "α": "alpha"},
    {"α ordinal": "alpha_ordinal", "α interval": "alpha_interval", "α ratio": "alpha_ratio"},
    {"pairs agree": "pairwise", "all agree": "unanimous", "yes": "yes"},
)
_OF_JUDGES: _Figures = (
    {"exact": "exact", "±1": "within_one", "error": "error"},
    {"κ": "kappa", "α ordinal": "alpha_ordinal", "α interval": "alpha_interval"},
)
_MOST_ROWS, _MOST_ANSWERS = 20, 5


def print_agreement(concords: Sequence[RaterAgreement], names: Names) -> None:
    """Print tables of one row per model and kind of question."""
    for (suite, judge), own in groupby(concords, key=lambda one: (one.suite, one.judge)):
        print_line(f"suite {suite} answered by {names.name_judge(judge)}")
        rows = [(_name(one, names), one) for one in own]
        _print_tables(_NAMES, rows, _OF_PEOPLE, ("annotators", "prompts", "units", "single", "votes", "ties"))
    print_marks(concords, names)
    print_line("value [95 % interval for prompts and annotators like these; of “all agree”, for prompts like these]")
    print_line("κ: Fleiss'; AC1: Gwet's; α: Krippendorff's, nominal unless named; pairs agree: how often two people do")
    print_line(
        "units: images, or groups of images, with two or more answers; single: those with one answer, in no figure"
    )
    print_line("ties: units without a majority; yes: mean share of yes among the votes on a unit")
    if any(one.kappa is None for one in concords):
        print_line(f"{NOTHING} not defined: all answers are the same")
    for one in concords:
        if one.caution:
            print_line(f"too little to rely on: {', '.join(_name(one, names))}: {one.caution}")
    for title, kappa in dict.fromkeys(filter(None, map(published_kappa, concords))):
        print_line(f"{title} reports a Fleiss' κ of {kappa} of five annotators; other images, other people")


def print_judge_agreements(found: Sequence[JudgeAgreement], names: Names) -> None:
    """Print one row for the judge and one for people among themselves, and what the judge says for each answer."""
    for suite, of_suite in groupby(found, key=lambda one: one.suite):
        own = list(of_suite)
        first = own[0]
        judge, against = names.mark_judge(first.judge), names.name_judge(first.against)
        print_line(f"suite {suite}: {judge} against {against} ({first.rule})")
        rows: list[tuple[Sequence[str], PairAgreement]] = []
        for one in own:
            sides = ((names.name_judge(one.judge), one.agreement), ("people", one.ceiling))
            rows += [((*_name(one, names), who), found) for who, found in sides if found]
        _print_tables((*_NAMES, "who"), rows, _OF_JUDGES, ("pairs", "prompts", "ties", "unusable"))
        pooled = {one.question for one in own if one.is_pooled}
        for one in own:
            if one.factor == WHOLE and (one.is_pooled or one.question not in pooled):
                _print_confusion(one, names)
    print_marks(found, names)
    print_line("value [95 % interval over prompts]; error: mean of the judge's count minus people's")
    print_line("κ (Fleiss') and α (Krippendorff's): of both sides; pairs: answers for which both have a value")
    print_line("ties: people are tied; unusable: one side has no value; neither is in any figure")
    if any(one.ceiling for one in found):
        print_line("people: each person against the others together, on what the judge looked at")
    else:
        print_line("no two people looked at the same, so that it is unknown how far people agree with one another")
    if any(one.agreement.kappa is None for one in found):
        print_line(f"{NOTHING} not defined: counts only, or all answers are the same")
    figures = [each for one in found for each in (one.agreement, one.ceiling) if each]
    print_cautions(each for one in figures for each in (one.exact, one.within_one, one.error) if each)
    for one in found:
        if one.agreement.caution:
            named = ", ".join((names.name_model(one.model), one.question, name_level(one.factor, one.group)))
            print_line(f"too little to rely on: {named}: {one.agreement.caution}")


def _print_tables(
    names: Sequence[str], rows: Sequence[tuple[Sequence[str], object]], figures: _Figures, sizes: Sequence[str]
) -> None:
    """Print a table for each set of figures, and one of the sizes behind them.

    Rows and tables without figures are left out, except in the table with κ, which has all rows.
    """
    for columns in figures:
        found = [(own, [getattr(one, field) for field in columns.values()]) for own, one in rows]
        lines = [[*own, *map(cell, values)] for own, values in found if any(values) or "κ" in columns]
        if lines:
            print_table([*names, *columns], lines)
    print_table([*names, *sizes], ([*own, *(str(getattr(one, size)) for size in sizes)] for own, one in rows))


def _name(one: RaterAgreement | JudgeAgreement, names: Names) -> tuple[str, ...]:
    model = one.model if one.is_pooled else names.mark_model(one.model)
    return model, one.question, name_level(one.factor, one.group)


def published_kappa(one: RaterAgreement) -> tuple[str, str] | None:
    """Return a paper's title and the kappa it reports for this question and suite, if there is one."""
    paper = paper_of(one.suite)
    kappa = paper and paper.kappas.get((base_suite(one.suite), one.question))
    return (paper.title, kappa) if paper and kappa else None


def _print_confusion(one: JudgeAgreement, names: Names) -> None:
    rows = []
    for value, found in groupby(one.agreement.confusion, key=lambda each: each.against):
        answers = sorted(found, key=lambda each: -each.n)
        said = ", ".join(f"{_write(each.said)} × {each.n}" for each in answers[:_MOST_ANSWERS])
        others = f", {len(answers) - _MOST_ANSWERS} others" * (len(answers) > _MOST_ANSWERS)
        rows.append((sum(each.n for each in answers), _write(value), said + others))
    often = sorted(range(len(rows)), key=lambda place: -rows[place][0])[:_MOST_ROWS]
    lines = ([value, str(count), said] for count, value, said in (rows[place] for place in sorted(often)))
    judge, against = names.name_judge(one.judge), names.name_judge(one.against)
    print_table([f"{against}: {one.question}", "pairs", f"{judge} says"], lines)
    if len(rows) > _MOST_ROWS:
        print_line(f"… and {len(rows) - _MOST_ROWS} rarer answers of {against}: --json has all")


def _write(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"
