"""Tables of how far people agree with one another, and a judge with people."""

from collections.abc import Mapping, Sequence
from itertools import groupby, starmap

from subitize.analysis.agreement import JudgeAgreement, RaterAgreement
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.records import Scalar, base_suite
from subitize.registry import paper_of
from subitize.report.scores import explain_marks
from subitize.report.table import NOTHING, Column, Columns, Result, Table

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
_SIZES = {
    "annotators": "",
    "prompts": "",
    "units": "images, or groups of images, with two or more answers",
    "single": "those with one answer, in no figure",
    "votes": "",
    "ties": "units without a majority",
}
_PAIRS = {
    "pairs": "answers for which both have a value",
    "prompts": "",
    "ties": "people are tied; in no figure",
    "unusable": "one side has no value; in no figure",
}
_HELP = {"error": "mean of the judge's count minus people's", "yes": "mean share of yes among the votes on a unit"}
_MOST_ROWS, _MOST_ANSWERS = 20, 5


def agreement_result(concords: Sequence[RaterAgreement], names: Names) -> Result:
    """Show tables of one row per model and kind of question."""
    tables: list[Table] = []
    for (suite, judge), own in groupby(concords, key=lambda one: (one.suite, one.judge)):
        rows = [(_name(one, names), one) for one in own]
        title = f"suite {suite} answered by {names.name_judge(judge)}"
        tables += _make_tables(title, _NAMES, rows, _OF_PEOPLE, _SIZES)
    lines = [
        *explain_marks(concords, names),
        "value [95 % interval for prompts and annotators like these; of “all agree”, for prompts like these]",
        "κ: Fleiss'; AC1: Gwet's; α: Krippendorff's, nominal unless named; pairs agree: how often two people do",
    ]
    if any(one.kappa is None for one in concords):
        lines.append(f"{NOTHING} not defined: all answers are the same")
    cautious = [one for one in concords if one.caution]
    lines += [f"too little to rely on: {', '.join(_name(one, names))}: {one.caution}" for one in cautious]
    published = [(published_kappa(one), one) for one in concords]
    for title, kappa in dict.fromkeys(found for found, _ in published if found):
        lines.append(f"{title} reports a Fleiss' κ of {kappa} of five annotators; other images, other people")
    records = [names.row(one) | {"published_kappa": float(found[1]) if found else None} for found, one in published]
    return Result(tuple(tables), records, notes=tuple(lines))


def judge_agreement_result(found: Sequence[JudgeAgreement], names: Names) -> Result:
    """Show one row for the judge and one for people among themselves, and what the judge says for each answer."""
    tables: list[Table] = []
    lines = [*explain_marks(found, names)]
    for suite, of_suite in groupby(found, key=lambda one: one.suite):
        own = list(of_suite)
        first = own[0]
        judge, against = names.mark_judge(first.judge), names.name_judge(first.against)
        rows: list[tuple[Sequence[str], object]] = []
        for one in own:
            sides = ((names.name_judge(one.judge), one.agreement), ("people", one.ceiling))
            rows += [((*_name(one, names), who), found) for who, found in sides if found]
        title = f"suite {suite}: {judge} against {against} ({first.rule})"
        tables += _make_tables(title, (*_NAMES, "who"), rows, _OF_JUDGES, _PAIRS)
        pooled = {one.question for one in own if one.is_pooled}
        whole = [one for one in own if one.factor == WHOLE and (one.is_pooled or one.question not in pooled)]
        tables += [_confusion_table(one, names) for one in whole]
    lines += [
        "value [95 % interval over prompts]",
        "κ (Fleiss') and α (Krippendorff's): of both sides",
        "people: each person against the others together, on what the judge looked at"
        if any(one.ceiling for one in found)
        else "no two people looked at the same, so that it is unknown how far people agree with one another",
    ]
    if any(one.agreement.kappa is None for one in found):
        lines.append(f"{NOTHING} not defined: counts only, or all answers are the same")
    for one in found:
        if one.agreement.caution:
            named = ", ".join((names.name_model(one.model), one.question, name_level(one.factor, one.group)))
            lines.append(f"too little to rely on: {named}: {one.agreement.caution}")
    return Result(tuple(tables), list(map(names.row, found)), notes=tuple(lines))


def _make_tables(
    title: str,
    names: Sequence[str],
    rows: Sequence[tuple[Sequence[str], object]],
    figures: _Figures,
    sizes: Mapping[str, str],
) -> list[Table]:
    """Make a table for each set of figures, and one of the sizes behind them.

    Rows and tables without figures are left out, except in the table with κ, which has all rows.
    """
    tables: list[Table] = []
    for columns in figures:
        found = [(own, [getattr(one, field) for field in columns.values()]) for own, one in rows]
        lines = [(*own, *values) for own, values in found if any(values) or "κ" in columns]
        heads: Columns = (*names, *(Column(head, _HELP.get(head, ""), digits=3) for head in columns))
        tables.append(Table.of("agreement", "" if tables else title, heads, lines))
    counts = ((*own, *(getattr(one, size) for size in sizes)) for own, one in rows)
    return [*tables, Table.of("sizes", "", [*map(Column, names), *starmap(Column, sizes.items())], counts)]


def _name(one: RaterAgreement | JudgeAgreement, names: Names) -> tuple[str, ...]:
    model = one.model if one.is_pooled else names.mark_model(one.model)
    return model, one.question, name_level(one.factor, one.group)


def published_kappa(one: RaterAgreement) -> tuple[str, str] | None:
    """Return a paper's title and the kappa it reports for this question and suite, if there is one."""
    paper = paper_of(one.suite)
    kappa = paper and paper.kappas.get((base_suite(one.suite), one.question))
    return (paper.title, kappa) if paper and kappa else None


def _confusion_table(one: JudgeAgreement, names: Names) -> Table:
    rows = []
    for value, found in groupby(one.agreement.confusion, key=lambda each: each.against):
        answers = sorted(found, key=lambda each: -each.n)
        said = ", ".join(f"{_write(each.said)} × {each.n}" for each in answers[:_MOST_ANSWERS])
        others = f", {len(answers) - _MOST_ANSWERS} others" * (len(answers) > _MOST_ANSWERS)
        rows.append((sum(each.n for each in answers), _write(value), said + others))
    often = sorted(range(len(rows)), key=lambda place: -rows[place][0])[:_MOST_ROWS]
    lines = [(value, count, said) for count, value, said in (rows[place] for place in sorted(often))]
    judge, against = names.name_judge(one.judge), names.name_judge(one.against)
    rest = len(rows) - _MOST_ROWS
    caption = f"… and {rest} rarer answers of {against}: --json has all" if rest > 0 else ""
    return Table.of("confusion", "", (f"{against}: {one.question}", "pairs", f"{judge} says"), lines, caption)


def _write(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"
