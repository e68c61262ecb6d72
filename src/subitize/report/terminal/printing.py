"""Tables on stdout, for people at a terminal."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from subitize.analysis.observations import Gaps
from subitize.analysis.overview import ItemStory, Overview, StandIns
from subitize.analysis.scoring import MEASURES, Score
from subitize.drawing.clipart import Glyph
from subitize.records import (
    Attached,
    Drawn,
    Elsewhere,
    Estimate,
    Failed,
    Known,
    Outcome,
    Refused,
    Said,
    Scored,
    Stored,
    task_text,
)
from subitize.registry import Listing
from subitize.report.document.cells import billions, estimate_text
from subitize.report.terminal.bars import printable
from subitize.stats.estimator import FEW

_NO_WIDTH_LIMIT = 10_000
_HEADINGS = {"suite": "suite", "judge": "judged by", "protocol": "protocol"}
STAND_IN = "* an embedded stand-in, not a real model or judge"


def print_scores(
    scores: Sequence[Score],
    stand_ins: StandIns,
    factors: Sequence[str],
    fingerprints: Mapping[tuple[str, str, str], str] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> None:
    """Print one row per model and group, one column per measure that tells something.

    The fingerprints of protocols, if they are to be shown, are by suite, model and judge; how many parameters models
    have is by model.
    """
    rows: dict[tuple[str, str, str, str, str], dict[str, Score]] = {}
    for score in scores:
        if score.factor in ("all", *factors):
            key = (score.suite, score.model, score.judge, score.factor, score.group)
            rows.setdefault(key, {})[score.measure] = score
    silent = _silent_measures(scores)
    measures = [m for m in MEASURES if m not in silent and any(m in row for row in rows.values())]
    protocols = fingerprints or {}
    known = {model: billions(count) for model, count in (sizes or {}).items()}
    named = [
        _names(key, row, stand_ins) | {"protocol": protocols.get(key[:3], ""), "size": known.get(key[1], "")}
        for key, row in rows.items()
    ]
    # What is the same in all rows is said once, above them.
    size, protocol = (("size",) if known else ()), (("protocol",) if protocols else ())
    told = ("suite", "model", *size, "judge", "group", *protocol)
    common = [place for place in told if place in _HEADINGS and len({names[place] for names in named}) == 1]
    columns = [place for place in told if place not in common]
    if common:
        say(" ".join(f"{_HEADINGS[place]} {named[0][place]}" for place in common))
    lines = []
    for names, row in zip(named, rows.values(), strict=True):
        cells = [cell(row[m].estimate) if m in row else "" for m in measures]
        lines.append([*(names[column] for column in columns), *cells, _counts(row)])
    print_table([*columns, *measures, "n"], lines)
    _print_legend([score for row in rows.values() for score in row.values()], stand_ins, measures)
    if any(_is_of_groups(row) for row in rows.values()):
        print("n of a row without accuracy: groups of images that were judged together, refused ones among them")
    if size:
        print("size: parameters in billions, of a pipeline those of the part that denoises")
    if "protocol" in columns:
        print("protocol: rows may be compared exactly where it is the same; subitize report says in what they differ")


def _names(key: tuple[str, str, str, str, str], row: dict[str, Score], stand_ins: StandIns) -> dict[str, str]:
    """Name what a row is about, with the marks that the legend explains."""
    suite, model, judge, factor, group = key
    return {
        "suite": suite,
        "model": stand_ins.mark_model(model),
        "judge": stand_ins.mark_judge(judge, is_informed=any(one.is_informed for one in row.values())),
        "group": group if factor in ("all", "category") else f"{factor}={group}",
    }


def _print_legend(shown: Sequence[Score], stand_ins: StandIns, measures: Sequence[str]) -> None:
    print_marks(shown, stand_ins)
    print("value [95 % interval; that of an error is cut off at 0]; n: answers with a value")
    print_cautions(score.estimate for score in shown)
    if {"refused", "discarded"} & {*measures}:
        print("accuracy counts what was refused or discarded as wrong; accuracy_read leaves out what was discarded,")
        print("accuracy_answered also what was refused")
    if "coverage" in measures:
        print(
            "coverage: share that has a count, which mae and nae are of; nae_all takes what has none for a count of 0"
        )
    if "accuracy_by_itself" in measures:
        print("accuracy counts an answer only if those it rests on are right; accuracy_by_itself counts each alone")
    if "unknown" in measures:
        print("unknown: drawings that the judge does not know or would not look at, and ties; in no other figure")
    if "discarded" in measures:
        print("discarded: answers that the rule makes no value of, and drawings with nothing to count in them (0)")


def print_coverage(samples: Mapping[str, str], gaps: Gaps) -> None:
    """Say of which suites the figures are about a sample, and what they do not cover."""
    for suite, sample in samples.items():
        say(f"{suite}: {sample}")
    if gaps.unasked:
        print(
            f"{gaps.unasked} items have not been given to a model that was given others, counted once for each such "
            "model: the run is not complete"
        )
    if gaps.failed:
        print(f"{gaps.failed} trials failed and are in no figure")
    if gaps.unread:
        print(f"{gaps.unread} answers have not been judged and are in no figure")
    if gaps.tied:
        print(f"{gaps.tied} answers have no value because their readings are tied: they are unknown (see --agreement)")


def print_overview(overview: Overview, stand_ins: StandIns, samples: Mapping[str, str]) -> None:
    """Print what is in a run: models and judges by their names, with what they are and where they are reached."""
    for entry in overview.suites:
        items = f"{overview.items.get(entry.name, 0)} items, seed {entry.seed}"
        say(f"suite {entry.shown}: {samples.get(entry.name, items)}")
    models = []
    for one in overview.models:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(one.outcomes.items()))
        what = _tell_what(one.model, stand_ins.name_model(one.model), one.addresses)
        models.append((one.suite, stand_ins.mark_model(one.model), str(sum(one.outcomes.values())), kinds, *what))
    judges = []
    for each in overview.judges:
        counts = [str(count) for count in (each.annotators, each.readings, each.discarded)]
        what = _tell_what(each.judge, stand_ins.name_judge(each.judge), each.addresses)
        judges.append([stand_ins.mark_judge(each.judge), *counts, *what])
    _print_filled(("suite", "model", "responses", "outcomes", "spec", "address"), models)
    _print_filled(("judge", "annotators", "readings", "without a value", "spec", "address"), judges)
    if any(one.is_stand_in for one in overview.models) or any(one.is_stand_in for one in overview.judges):
        print(STAND_IN)
    for item_id, reason in overview.exclusions.items():
        say(f"excluded: {item_id} ({reason})")


def _tell_what(spec: str, name: str, addresses: Sequence[str]) -> tuple[str, str]:
    """Say what goes by a name, if the name does not, and where it is reached."""
    return spec if spec != name else "", ", ".join(addresses)


def _print_filled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table without the columns that are empty; nothing where there are no rows."""
    filled = [place for place in range(len(headings)) if any(row[place] for row in rows)]
    if rows:
        print_table([headings[place] for place in filled], [[row[place] for place in filled] for row in rows])


def print_story(story: ItemStory, stand_ins: StandIns) -> None:
    """Print one item with what came of it."""
    say(f"item {story.item.id}")
    say(f"task {story.item.task.kind}: {task_text(story.item.task)}")
    if story.excluded is not None:
        say(f"excluded: {story.excluded}")
    for ask in story.item.asks:
        say(f"ask {ask.question.id}: {ask.wording} expects {', '.join(map(str, ask.expects))}")
    for stored in story.responses:
        trial = stored.response.trial
        where = f"{stand_ins.name_model(trial.model)} repeat {trial.repeat} attempt {trial.attempt}"
        say(f"response {stored.trial_id} {where}: {_told(stored.response.outcome)}")
    trials = {stored.trial_id: stored.response.trial for stored in story.responses}
    for found in story.readings:
        reading = found.reading
        members = [trials[id] for id in reading.subject.trial_ids if id in trials]
        about = reading.subject.id
        if len(members) > 1:
            about = (
                f"{stand_ins.mark_model(members[0].model)} repeats {', '.join(str(trial.repeat) for trial in members)}"
            )
        value = reading.value.value if isinstance(reading.value, Known) else f"discarded, {reading.value.reason}"
        who = f"{stand_ins.name_judge(reading.judge)} {reading.annotator}".strip()
        say(f"reading {found.id} of {about} by {who}: {reading.question.id} = {value} ({reading.rule})")


def _told(outcome: Outcome) -> str:
    match outcome:
        case Said(text=text):
            return f"said {text!r}"
        case Drawn(picture=picture):
            return f"drew {_name(picture)}"
        case Scored(scores=scores):
            return f"scored {dict(scores)}"
        case Refused(reason=reason):
            return f"refused, {reason}"
        case Failed(reason=reason):
            return f"failed, {reason}"


def _name(picture: Stored | Elsewhere) -> str:
    if isinstance(picture, Elsewhere):
        return picture.name
    file = f"{picture.hash}.{picture.format}"
    return f"{picture.name}, attached: {file}" if isinstance(picture, Attached) else file


def print_listings(listings: Iterable[Listing]) -> None:
    """Print what exists of a kind, with its options and their defaults."""
    rows = []
    for one in listings:
        name = f"{one.name}:{one.target.upper()}" if one.target else one.name
        rows.append((name, one.summary, "\n".join(f"{key}={value}" for key, value in one.options.items())))
    print_table(("name", "what it does", "options"), rows)


def print_glyphs(glyphs: Iterable[Glyph]) -> None:
    """Print what can be drawn, in how many drawings, and the colours it has by nature."""
    known = sorted(glyphs, key=lambda one: one.noun)
    rows = ((one.noun, str(len(one.drawings)), ", ".join(one.colours)) for one in known)
    print_table(("noun", "drawings", "colours"), rows)


def cell(estimate: Estimate | None) -> str:
    """Write a figure with its interval; at a terminal † is a judge that is informed."""
    return estimate_text(estimate, mark=" !")


def print_cautions(estimates: Iterable[Estimate]) -> None:
    """Say why to be wary of the figures that are marked."""
    for line in tell_cautions(estimate.caution for estimate in estimates):
        print(line)


def tell_cautions(cautions: Iterable[str]) -> Iterator[str]:
    """Say why to be wary of the figures that are marked, if there are any; how many clusters each has is in --json."""
    parts = (part for caution in cautions if caution for part in caution.split("; "))
    found = sorted({f"fewer than {FEW} clusters" if part.startswith("only ") else part for part in parts})
    if found:
        yield from (f"! too little to rely on: {reason}" for reason in found)
        yield "a cluster: all images of a prompt, or all answers to a picture"


def _silent_measures(scores: Sequence[Score]) -> set[str]:
    """Find the columns that would say nothing, as where nobody refused, nothing was discarded, or all was counted."""
    told = {score.measure for score in scores if score.estimate.value > 0}
    silent = {"mae_all"}  # --json has it
    if "refused" not in told:
        silent |= {"refused", "accuracy_answered"}
    if "discarded" not in told:
        silent |= {"discarded", "accuracy_read"}
    if all(score.estimate.value == 1 for score in scores if score.measure == "coverage"):
        silent |= {"coverage", "nae_all"}
    return silent


def _counts(row: dict[str, Score]) -> str:
    """How many answers the row rests on; where there are none about single images, how many about groups of them."""
    counted = "success" if _is_of_groups(row) else "accuracy_answered"
    n = row[counted].estimate.n if counted in row else 0
    others = {
        name: round(row[name].estimate.value * row[name].estimate.n) if name in row else 0
        for name in ("refused", "discarded", "unknown")
    }
    told = "".join(f" + {count} {name}" for name, count in others.items() if count and counted != "success")
    excluded = max(score.excluded for score in row.values())
    return str(n) + told + f" ({excluded} excluded)" * (excluded > 0)


def _is_of_groups(row: dict[str, Score]) -> bool:
    return "success" in row and "accuracy" not in row


def print_marks(figures: Sequence[Any], stand_ins: StandIns) -> None:
    """Say what the marks behind models and judges mean, where there are some."""
    if any(stand_ins.has(one.model, one.judge) for one in figures):
        print(STAND_IN)
    if any(getattr(one, "is_informed", False) for one in figures):
        print("† informed: the judge knew what was asked for")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    whole_lines().print(make_table(headings, rows))


def make_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", numbers: int = 0) -> Table:
    """Make a table, so many of whose last columns are numbers, set to the right.

    Texts stay what they are: a name with brackets in it is a name, not markup.
    """
    table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD)
    for place, heading in enumerate(headings):
        table.add_column(Text(heading), justify="right" if place >= len(headings) - numbers else "left")
    for row in rows:
        table.add_row(*(Text("\n".join(printable(line) for line in one.split("\n"))) for one in row))
    return table


def say(line: str) -> None:
    """Print a line in which others may have written."""
    print(printable(line))


def whole_lines() -> Console:
    """Print in full width where nobody watches, so that a file or pipe gets whole lines."""
    return Console() if sys.stdout.isatty() else Console(width=_NO_WIDTH_LIMIT)
