"""How far a judge agrees with people, at a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from subitize.analysis.agreement import Confused, JudgeAgreement, PairAgreement
from subitize.analysis.clusters import WHOLE, name_level
from subitize.analysis.overview import StandIns
from subitize.records import Scalar
from subitize.report.document.cells import NOTHING
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_marks

_NAMES = ("model", "question", "group", "who")
_FIGURES: tuple[Mapping[str, str], ...] = (
    {"exact": "exact", "±1": "within_one", "error": "error"},
    {"κ": "kappa", "α ordinal": "alpha_ordinal", "α interval": "alpha_interval"},
)
_SIZES = ("pairs", "prompts", "ties", "unusable")
_PEOPLE = "people"
_MOST_ROWS, _MOST_ANSWERS = 20, 5


def print_judge_agreements(found: Sequence[JudgeAgreement], stand_ins: StandIns) -> None:
    """Print a row for the judge and one for people among themselves, and what is taken for what."""
    for suite, of_suite in groupby(found, key=lambda one: one.suite):
        own = list(of_suite)
        first = own[0]
        judge, against = stand_ins.mark_judge(first.judge), stand_ins.name_judge(first.against)
        say(f"suite {suite}: {judge} against {against} ({first.rule})")
        rows = [row for one in own for row in _list_rows(one, stand_ins)]
        for columns in _FIGURES:
            lines = [(names, [getattr(figures, name) for name in columns.values()]) for names, figures in rows]
            print_table([*_NAMES, *columns], ([*names, *map(cell, told)] for names, told in lines))
        sizes = ([*names, *(str(getattr(figures, name)) for name in _SIZES)] for names, figures in rows)
        print_table([*_NAMES, *_SIZES], sizes)
        for one in own:
            if one.factor == WHOLE and (one.is_pooled or not _is_pooled_with(one, own)):
                _print_confusion(one, stand_ins)
    _print_legend(found, stand_ins)


def _list_rows(one: JudgeAgreement, stand_ins: StandIns) -> Iterator[tuple[tuple[str, ...], PairAgreement]]:
    model = one.model if one.is_pooled else stand_ins.mark_model(one.model)
    names = (model, one.question, name_level(one.factor, one.group))
    yield (*names, stand_ins.name_judge(one.judge)), one.agreement
    if one.ceiling:
        yield (*names, _PEOPLE), one.ceiling


def _is_pooled_with(one: JudgeAgreement, others: Sequence[JudgeAgreement]) -> bool:
    return any(other.is_pooled and other.question == one.question for other in others)


def _print_confusion(one: JudgeAgreement, stand_ins: StandIns) -> None:
    rows = [(value, list(own)) for value, own in groupby(one.agreement.confusion, key=lambda each: each.against)]
    often = sorted(rows, key=lambda row: -_count(row[1]))[:_MOST_ROWS]
    lines = ([_write(value), str(_count(own)), _list_answers(own)] for value, own in rows if (value, own) in often)
    judge, against = stand_ins.name_judge(one.judge), stand_ins.name_judge(one.against)
    print_table([f"{against}: {one.question}", "pairs", f"{judge} says"], lines)
    if len(rows) > _MOST_ROWS:
        say(f"… and {len(rows) - _MOST_ROWS} rarer answers of {against}: --json has all")


def _count(answers: Sequence[Confused]) -> int:
    return sum(each.n for each in answers)


def _list_answers(answers: Sequence[Confused]) -> str:
    often = sorted(answers, key=lambda each: -each.n)[:_MOST_ANSWERS]
    told = [f"{_write(each.said)} × {each.n}" for each in often]
    return ", ".join(told) + f", {len(answers) - _MOST_ANSWERS} others" * (len(answers) > _MOST_ANSWERS)


def _write(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"


def _print_legend(found: Sequence[JudgeAgreement], stand_ins: StandIns) -> None:
    print_marks(found, stand_ins)
    say("value [95 % interval over prompts]; error: mean of the judge's count minus people's")
    say("κ (Fleiss') and α (Krippendorff's): of both sides; pairs: answers for which both have a value")
    say("ties: people are tied; unusable: one side has no value; neither is in any figure")
    if any(one.ceiling for one in found):
        say("people: each person against the others together, on what the judge looked at")
    else:
        say("no two people looked at the same, so that it is unknown how far people agree with one another")
    if any(one.agreement.kappa is None for one in found):
        say(f"{NOTHING} not defined: counts only, or all answers are the same")
    figures = [each for one in found for each in (one.agreement, one.ceiling) if each]
    print_cautions(each for one in figures for each in (one.exact, one.within_one, one.error) if each)
    for one in found:
        if one.agreement.caution:
            named = ", ".join((stand_ins.name_model(one.model), one.question, name_level(one.factor, one.group)))
            say(f"too little to rely on: {named}: {one.agreement.caution}")
