"""How likely one of k images is right, and how far people agree that it is, at a terminal."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from subitize.analysis.agreement import Concord
from subitize.analysis.attempts import PassRate
from subitize.analysis.clusters import name_level
from subitize.analysis.overview import StandIns
from subitize.records import base_suite
from subitize.registry import paper_of
from subitize.report.document.cells import NOTHING
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_marks

_SHOWN_K = (1, 2, 3, 4, 5, 10, 20, 50, 100)
_FEW = 10


def print_passes(passes: Sequence[PassRate], stand_ins: StandIns) -> None:
    """Print one row per model and group of items, one column per k."""
    rows: dict[tuple[str, str, str, str, str], dict[int, PassRate]] = {}
    for one in passes:
        rows.setdefault((one.suite, one.model, one.judge, one.factor, one.group), {})[one.k] = one
    ks = _choose_k(passes)
    lines = []
    for (suite, model, judge, factor, group), row in rows.items():
        marked = stand_ins.mark_judge(judge, is_informed=any(one.is_informed for one in row.values()))
        undecided = max(one.undecided for one in row.values())
        items = f"{max(one.estimate.n for one in row.values())}" + f" + {undecided} undecided" * (undecided > 0)
        names = (suite, stand_ins.mark_model(model), marked, name_level(factor, group))
        lines.append([*names, *(_pass(row.get(k)) for k in ks), items, str(max(one.images for one in row.values()))])
    print_table(["suite", "model", "judge", "group", *(f"pass@{k}" for k in ks), "items", "images"], lines)
    print_marks(passes, stand_ins)
    say("pass@k: the chance that at least one of k images of a prompt is right; pass@1 is the accuracy per image")
    say("mean over items [95 % interval over prompts]; refused images, and those without a usable value, are wrong")
    print_cautions(one.estimate for one in passes if one.k in ks)
    if any(one.is_voted for one in passes):
        say("‡ from votes on groups of k images")
    if any(one.undecided for one in passes):
        say("undecided: items without any value, as where votes are tied; they are in no figure")
    if any(one.left_out for one in passes):
        say("(−n): n items have fewer than k images and are left out")


def print_agreement(concords: Sequence[Concord], stand_ins: StandIns) -> None:
    """Print tables of one row per model and kind of question, narrow enough for a terminal."""
    for (suite, judge), own in groupby(concords, key=lambda one: (one.suite, one.judge)):
        rows = [(_name(one, stand_ins), one) for one in own]
        say(f"suite {suite} answered by {stand_ins.name_judge(judge)}")
        for columns in _FIGURES:
            _print_figures(rows, columns)
        sizes = [[*names, *map(str, _sizes(one))] for names, one in rows]
        print_table([*_NAMES, "annotators", "prompts", "units", "single", "votes", "ties"], sizes)
    print_marks(concords, stand_ins)
    say("value [95 % interval for prompts and annotators like these; of “all agree”, for prompts like these]")
    say("κ: Fleiss'; AC1: Gwet's; α: Krippendorff's, nominal unless named; pairs agree: how often two people do")
    say("units: images, or groups of images, with two or more answers; single: those with one answer, in no figure")
    say("ties: units without a majority; yes: mean share of yes among the votes on a unit")
    if any(one.kappa is None for one in concords):
        say(f"{NOTHING} not defined: all answers are the same")
    for one in concords:
        if one.caution:
            say(f"too little to rely on: {', '.join(_name(one, stand_ins))}: {one.caution}")
    for told in dict.fromkeys(filter(None, map(_published_kappa, concords))):
        say(f"{told[0]} reports a Fleiss' κ of {told[1]} of five annotators; other images, other people")


_NAMES = ("model", "question", "group")
_FIGURES: tuple[Mapping[str, str], ...] = (
    {"κ": "kappa", "AC1": "ac1", "α": "alpha"},
    {"α ordinal": "alpha_ordinal", "α interval": "alpha_interval", "α ratio": "alpha_ratio"},
    {"pairs agree": "pairwise", "all agree": "unanimous", "yes": "yes"},
)


def _print_figures(rows: Sequence[tuple[tuple[str, ...], Concord]], columns: Mapping[str, str]) -> None:
    """Print the figures of these columns; rows and columns without any are left out, but κ stands for all."""
    found = [(names, [getattr(one, field) for field in columns.values()]) for names, one in rows]
    if "κ" not in columns:
        found = [(names, figures) for names, figures in found if any(figures)]
    if found:
        print_table([*_NAMES, *columns], ([*names, *map(cell, figures)] for names, figures in found))


def _name(one: Concord, stand_ins: StandIns) -> tuple[str, ...]:
    model = one.model if one.is_pooled else stand_ins.mark_model(one.model)
    return model, one.question, name_level(one.factor, one.group)


def _sizes(one: Concord) -> tuple[int, ...]:
    return one.annotators, one.prompts, one.units, one.single, one.votes, one.ties


def published_kappa(one: Concord) -> float | None:
    """Give what the paper reports of the same question about the same prompts, if it does."""
    told = _published_kappa(one)
    return None if told is None else float(told[1])


def _published_kappa(one: Concord) -> tuple[str, str] | None:
    paper = paper_of(one.suite)
    kappa = paper and paper.kappas.get((base_suite(one.suite), one.question))
    return (paper.title, kappa) if paper and kappa else None


def _choose_k(passes: Sequence[PassRate]) -> list[int]:
    known = sorted({one.k for one in passes})
    return known if known[-1] <= _FEW else [k for k in known if k in (*_SHOWN_K, known[-1])]


def _pass(one: PassRate | None) -> str:
    if one is None:
        return NOTHING
    return cell(one.estimate) + " ‡" * one.is_voted + f" (−{one.left_out})" * (one.left_out > 0)
