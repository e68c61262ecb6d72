"""Tables of how far people agree with one another, and a judge with people."""

from collections.abc import Sequence
from itertools import groupby

from subitize.analysis.agreement import JudgeAgreement, RaterAgreement
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.records import Scalar, base_suite
from subitize.registry import paper_of
from subitize.report.scores import explain_marks
from subitize.report.table import Column, Result, Table
from subitize.report.texts import NOTHING

_NAMES = ("model", "question", "group")
# By field of what agrees: heading and meaning.
_COLUMNS = {
    "exact": Column("exact", digits=3),
    "within_one": Column("±1", digits=3),
    "error": Column("error", "mean of the judge's count minus people's", 3),
    "kappa": Column("κ", "Fleiss', of a judge and people that of both sides", 3),
    "ac1": Column("AC1", "Gwet's", 3),
    "alpha": Column("α", "Krippendorff's, nominal", 3),
    "alpha_ordinal": Column("α ordinal", "Krippendorff's", 3),
    "alpha_interval": Column("α interval", digits=3),
    "alpha_ratio": Column("α ratio", digits=3),
    "pairwise": Column("pairs agree", "how often two people do", 3),
    "unanimous": Column("all agree", "its interval is for prompts like these", 3),
    "yes": Column("yes", "mean share of yes among the votes on a unit", 3),
    "pairs": Column("pairs", "answers for which both have a value"),
    "annotators": Column("annotators"),
    "prompts": Column("prompts"),
    "units": Column("units", "images, or groups of images, with two or more answers"),
    "single": Column("single", "units with one answer, in no figure"),
    "votes": Column("votes"),
    "ties": Column("ties", "people have no majority"),
    "unusable": Column("unusable", "one side has no value; in no figure"),
}
_MOST_ROWS, _MOST_ANSWERS = 20, 5


def agreement_result(concords: Sequence[RaterAgreement], names: Names) -> Result:
    """Show a table of one row per model and kind of question."""
    tables = []
    for (suite, judge), own in groupby(concords, key=lambda one: (one.suite, one.judge)):
        rows = [(_name(one, names), one) for one in own]
        title = f"suite {suite} answered by {names.name_judge(judge)}"
        tables.append(_make_table(title, _NAMES, rows, "for prompts and annotators like these"))
    cautious = [one for one in concords if one.caution]
    lines = [f"too little to rely on: {', '.join(_name(one, names))}: {one.caution}" for one in cautious]
    published = [(published_kappa(one), one) for one in concords]
    for title, kappa in dict.fromkeys(found for found, _ in published if found):
        lines.append(f"{title} reports a Fleiss' κ of {kappa} of five annotators; other images, other people")
    records = [names.row(one) | {"published_kappa": float(found[1]) if found else None} for found, one in published]
    return Result(tuple(tables), records, notes=(*explain_marks(concords, names), *lines))


def judge_agreement_result(found: Sequence[JudgeAgreement], names: Names) -> Result:
    """Show one row for the judge and one for people among themselves, and what the judge says for each answer."""
    tables: list[Table] = []
    for suite, of_suite in groupby(found, key=lambda one: one.suite):
        own = list(of_suite)
        judge, against = names.mark_judge(own[0].judge), names.name_judge(own[0].against)
        rows: list[tuple[Sequence[str], object]] = []
        for one in own:
            sides = ((names.name_judge(one.judge), one.agreement), ("people", one.ceiling))
            rows += [((*_name(one, names), who), found) for who, found in sides if found]
        title = f"suite {suite}: {judge} against {against} ({own[0].rule})"
        tables.append(_make_table(title, (*_NAMES, "who"), rows, "over prompts"))
        pooled = {one.question for one in own if one.is_pooled}
        whole = [one for one in own if one.factor == WHOLE and (one.is_pooled or one.question not in pooled)]
        tables += [_confusion_table(one, names) for one in whole]
    are_there = any(one.ceiling for one in found)
    people = "people: each person against the others together, on what the judge looked at"
    alone = "no two people looked at the same, so that it is unknown how far people agree with one another"
    lines = [people if are_there else alone]
    for one in found:
        if one.agreement.caution:
            named = ", ".join((names.name_model(one.model), one.question, name_level(one.factor, one.group)))
            lines.append(f"too little to rely on: {named}: {one.agreement.caution}")
    return Result(tuple(tables), list(map(names.row, found)), notes=(*explain_marks(found, names), *lines))


def _make_table(title: str, names: Sequence[str], rows: Sequence[tuple[Sequence[str], object]], of: str) -> Table:
    """Make a table without the figures that no row has."""
    lines = ((*own, *(getattr(one, field, None) for field in _COLUMNS)) for own, one in rows)
    caption = f"value [95 % interval {of}]; {NOTHING} not defined, as where all answers are the same"
    return Table.of("agreement", title, (*names, *_COLUMNS.values()), lines, caption, drops_empty=True)


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
