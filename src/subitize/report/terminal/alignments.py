"""How well drawings fit their prompts, and what is scored as others score it, at a terminal."""

from collections.abc import Mapping, Sequence

from subitize.analysis.alignment import MEASURES, Alignment
from subitize.analysis.design import WHOLE, name_level
from subitize.analysis.overview import Names
from subitize.analysis.rescoring import REASONS, Rescored
from subitize.analysis.scorers import DRAWING_SCORERS, SCORERS, DrawingScorer, Scorer
from subitize.report.document.cells import NOTHING, figure, number_of
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_marks

_LONGEST_REPLY = 40


def print_alignments(alignments: Sequence[Alignment], stand_ins: Names) -> None:
    """Print one row per model, judge, measure and group, and what the measures mean."""
    rows = []
    for one in alignments:
        judge = stand_ins.mark_judge(one.judge, is_informed=one.is_informed)
        names = (one.suite, stand_ins.mark_model(one.model), judge, one.measure, name_level(one.factor, one.group))
        score = cell(one.estimate) if one.has_interval else f"{figure(one.estimate.value, 3)} {NOTHING}"
        counts = {"incomplete": one.incomplete, "excluded": one.excluded}
        others = "".join(f" + {count} {name}" for name, count in counts.items() if count)
        discarded = f" ({number_of(one.discarded, 'answer')} discarded)" * (one.discarded > 0)
        rows.append((*names, score, f"{one.estimate.n}{others}{discarded}"))
    print_table(("suite", "model", "judge", "measure", "group", "score", "n"), rows)
    print_marks(alignments, stand_ins)
    say("mean over drawings [95 % interval, drawings of one item taken together]; n: drawings")
    if not all(one.has_interval for one in alignments):
        say(f"{NOTHING} no interval: all scores are the same, or of drawings of one item")
    for measure in dict.fromkeys(one.measure for one in alignments):
        say(f"{measure}: {MEASURES[measure]}")


def print_rescored(rows: Sequence[Rescored], stand_ins: Names) -> None:
    """Print both scores of every model, then what is read differently and why."""
    named = [
        {
            "suite": one.suite,
            "model": stand_ins.mark_model(one.model),
            "judged by": stand_ins.mark_judge(one.judge),
            "scored by": one.scorer,
            "group": one.group,
        }
        for one in rows
    ]
    figures = [(cell(one.theirs), cell(one.ours), str(one.theirs.n), str(one.different)) for one in rows]
    _print_named(named, ("their score", "ours", "n", "different"), figures)
    say("value [95 % interval over pictures or prompts], of the same replies or drawings in both")
    print_marks(rows, stand_ins)
    print_cautions(figure for one in rows for figure in (one.theirs, one.ours))
    for one in rows:
        of = one.scorer if one.group == WHOLE else f"{one.scorer}, {one.group}"
        if one.left_out:
            say(f"{of}: {one.left_out} are in neither figure: they wait for a judge, or it does not score them")
        if one.their_average is not None:
            say(f"{of} averages tasks, leaving out those with nothing right: {one.their_average:.3f}")
    told = [(row, one) for row in rows if row.group == WHOLE for one in row.differences]
    if not told:
        say("all are read alike")
        return
    cells = []
    for _, difference in told:
        who, example = "them" if difference.we_are_stricter else "us", difference.examples[0]
        reply = " ".join(example.reply.split())
        # Of a long reply, its end: there answers stand.
        short = reply if len(reply) <= _LONGEST_REPLY else f"…{reply[1 - _LONGEST_REPLY :]}"
        cells.append((difference.reason, who, str(difference.count), short, example.expected, example.ours))
    named = [{"model": stand_ins.mark_model(row.model), "scored by": row.scorer} for row, _ in told]
    _print_named(named, ("reason", "right by", "how many", "for example", "right", "we read"), cells)
    for reason in dict.fromkeys(one.reason for _, one in told):
        say(f"{reason}: {REASONS[reason]}")


def _print_named(named: Sequence[Mapping[str, str]], headings: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """Print a table; names that are the same in all rows are said once, above it."""
    common = {name: one for name, one in named[0].items() if all(row[name] == one for row in named)}
    say(", ".join(f"{name} {one}" for name, one in common.items() if (name, one) != ("group", WHOLE)))
    columns = [name for name in named[0] if name not in common]
    rows = ([*(row[name] for name in columns), *own] for row, own in zip(named, cells, strict=True))
    print_table([*columns, *headings], rows)


def print_scorers() -> None:
    """Print the published scorers that there are, what they credit and where they err."""
    known: list[Scorer | DrawingScorer] = [*SCORERS.values(), *DRAWING_SCORERS.values()]
    print_table(("scorer", "what is credited", "known defect"), ((one.name, one.rule, one.defect) for one in known))
