"""Replies scored as others score them, at a terminal."""

from collections.abc import Mapping, Sequence

from subitize.analysis.clusters import WHOLE
from subitize.analysis.overview import StandIns
from subitize.analysis.rescoring import REASONS, Difference, Rescored
from subitize.labels.drawing_scorers import DRAWING_SCORERS, DrawingScorer
from subitize.labels.published_scorers import SCORERS, Scorer
from subitize.report.terminal.layout import print_table, say
from subitize.report.terminal.printing import cell, print_cautions, print_marks

_LONGEST_REPLY = 40


def print_rescored(rows: Sequence[Rescored], stand_ins: StandIns) -> None:
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
    _print_differences([one for one in rows if one.group == WHOLE], stand_ins)


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


def _print_differences(rows: Sequence[Rescored], stand_ins: StandIns) -> None:
    told = [(row, one) for row in rows for one in row.differences]
    if not told:
        return say("all are read alike")
    named = [{"model": stand_ins.mark_model(row.model), "scored by": row.scorer} for row, _ in told]
    cells = [_describe(one) for _, one in told]
    _print_named(named, ("reason", "right by", "how many", "for example", "right", "we read"), cells)
    for reason in dict.fromkeys(one.reason for _, one in told):
        say(f"{reason}: {REASONS[reason]}")
    return None


def _describe(one: Difference) -> tuple[str, ...]:
    example = one.examples[0]
    who = "them" if one.we_are_stricter else "us"
    return one.reason, who, str(one.count), _shorten(example.reply), example.expected, example.ours


def _shorten(reply: str) -> str:
    """Write a reply in one short line: its end, where answers stand, if it is long."""
    line = " ".join(reply.split())
    return line if len(line) <= _LONGEST_REPLY else f"…{line[1 - _LONGEST_REPLY :]}"
