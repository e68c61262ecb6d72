"""How well drawings fit their prompts, at a terminal."""

from collections.abc import Sequence

from subitize.analysis.alignment import MEASURES, Alignment
from subitize.analysis.clusters import name_level
from subitize.analysis.overview import StandIns
from subitize.report.document.cells import NOTHING, figure, number_of
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_marks


def print_alignments(alignments: Sequence[Alignment], stand_ins: StandIns) -> None:
    """Print one row per model, judge, measure and group, and what the measures mean."""
    rows = []
    for one in alignments:
        judge = stand_ins.mark_judge(one.judge, is_informed=one.is_informed)
        names = (one.suite, stand_ins.mark_model(one.model), judge, one.measure, name_level(one.factor, one.group))
        rows.append((*names, _figure(one), _count(one)))
    print_table(("suite", "model", "judge", "measure", "group", "score", "n"), rows)
    print_marks(alignments, stand_ins)
    say("mean over drawings [95 % interval, drawings of one item taken together]; n: drawings")
    if not all(one.has_interval for one in alignments):
        say(f"{NOTHING} no interval: all scores are the same, or of drawings of one item")
    for measure in dict.fromkeys(one.measure for one in alignments):
        say(f"{measure}: {MEASURES[measure]}")


def _figure(one: Alignment) -> str:
    return cell(one.estimate) if one.has_interval else f"{figure(one.estimate.value, 3)} {NOTHING}"


def _count(one: Alignment) -> str:
    others = {"incomplete": one.incomplete, "excluded": one.excluded}
    told = "".join(f" + {count} {name}" for name, count in others.items() if count)
    return f"{one.estimate.n}{told}" + f" ({number_of(one.discarded, 'answer')} discarded)" * (one.discarded > 0)
