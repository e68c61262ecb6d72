"""Tables of scores and pass@k, the contents of a run, and the lines that explain marks and gaps."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from subitize import records
from subitize.analysis.design import Estimand, name_level
from subitize.analysis.frame import Missing
from subitize.analysis.overview import ItemStory, Names, Overview, flatten
from subitize.analysis.score import MEASURES, PassRate, Score
from subitize.io.frames import group_rows
from subitize.report.table import Cell, Column, Result, Table, Worded, billions, number_of

_SHOWN_K = (1, 2, 3, 4, 5, 10, 20, 50, 100)
_FEW = 10
_USUAL = Estimand()
STAND_IN = "* an embedded stand-in, not a real model or judge"
_VALUES = "value [95 % interval; of errors, cut off at 0]; n: answers that have a value"
_OF_GROUPS = "; without accuracy: groups of images judged together, refused ones included"
_PLACES = {
    "model": "",
    "size": "billions of parameters; for a pipeline, those of the network that denoises",
    "judge": "",
    "group": "",
    "protocol": "only rows with the same number may be compared; how they differ: subitize report",
}
_HELP = {
    "accuracy_read": "without discarded answers, which accuracy counts as wrong",
    "accuracy_answered": "without refused and discarded answers, which accuracy counts as wrong",
    "accuracy_by_itself": "each answer alone; in accuracy it is right only if those it depends on are",
    "coverage": "share of answers with a count, on which mae and nae rest; nae_all counts the others as 0",
    "discarded": "answers in which the rule finds no value, and drawings with nothing to count in them (0)",
    "unknown": "what the judge cannot tell, such as drawings it does not know and similarities of texts, and ties; in "
    "no other figure",
}


def score_result(
    scores: Sequence[Score],
    names: Names,
    factors: Sequence[str],
    protocols: Mapping[tuple[str, str, str], str] | None = None,
    sizes: Mapping[str, int] | None = None,
    estimand: Estimand = _USUAL,
) -> Result:
    """Show a table per suite: one row per model and group, one column per informative measure.

    Fingerprints of protocols, if known, are given by suite, model and judge; sizes (parameters) by model.
    """
    known = protocols or {}
    shown = [score for score in scores if score.factor in ("all", *factors)]
    plain = []
    for one in scores:
        protocol = known.get((one.suite, one.model, one.judge))
        marks = {**estimand.record(), "is_stand_in": one.model in names.models, "protocol": protocol}
        plain.append(flatten(one) | marks)
    notes = (*explain_marks(shown, names), f"intervals are about {estimand}")
    return Result(_score_tables(shown, names, known, sizes or {}), names.add_names(plain), notes=notes)


def _score_tables(
    scores: Sequence[Score],
    names: Names,
    fingerprints: Mapping[tuple[str, str, str], str],
    sizes: Mapping[str, int],
) -> tuple[Table, ...]:
    known = {model: billions(count) for model, count in sizes.items()}
    tables = []
    for suite, own in group_rows(scores, lambda one: one.suite).items():
        rows = [{one.measure: one for one in found} for found in group_rows(own, _row_of).values()]
        firsts = [next(iter(row.values())) for row in rows]
        places = [(suite, one.model, one.judge) for one in firsts]
        protocols = _number_protocols({place: fingerprints.get(place, "") for place in places})
        named = [
            {
                "model": names.mark_model(one.model),
                "size": known.get(one.model, ""),
                "judge": names.mark_judge(one.judge, is_informed=any(each.is_informed for each in row.values())),
                "group": one.group if one.factor in ("all", "category") else f"{one.factor}={one.group}",
                "protocol": protocols[place],
            }
            for one, row, place in zip(firsts, rows, places, strict=True)
        ]
        tables.append(_suite_table(suite, named, rows))
    return tuple(tables)


def _row_of(one: Score | PassRate) -> tuple[str, ...]:
    return one.suite, one.model, one.judge, one.factor, one.group


def _suite_table(suite: str, named: Sequence[Mapping[str, str]], rows: Sequence[Mapping[str, Score]]) -> Table:
    """Make the table of a suite, under its judge if there is only one."""
    silent = _silent_measures([score for row in rows for score in row.values()])
    measures = [name for name in MEASURES if name not in silent and any(name in row for row in rows)]
    judges = {names["judge"] for names in named}
    places = [place for place in _PLACES if any(names[place] for names in named)]
    columns = [place for place in places if place != "judge" or len(judges) > 1]
    lines = []
    for names, row in zip(named, rows, strict=True):
        figures = (row[name].estimate if name in row else "" for name in measures)
        lines.append((*(names[column] for column in columns), *figures, _counts(row)))
    heads = [Column.text(name, _PLACES[name]) for name in columns]
    heads += [Column(name, _HELP.get(name, ""), digits=3) for name in measures]
    title = f"{suite}, judged by {judges.pop()}" if len(judges) == 1 else suite
    caption = _VALUES + _OF_GROUPS * any(map(_is_of_groups, rows))
    return Table.of(suite, title, (*heads, Column.text("n")), lines, caption)


def _number_protocols(protocols: Mapping[tuple[str, str, str], str]) -> Mapping[tuple[str, str, str], str]:
    """Number the protocols in the order of rows; leave blank if there is only one, or one per judge."""
    several = list(dict.fromkeys(protocols.values()))
    judges, pairs = {key[2] for key in protocols}, {(key[2], one) for key, one in protocols.items()}
    if len(several) == 1 or len(judges) == len(pairs) == len(several):
        return dict.fromkeys(protocols, "")
    return {key: str(several.index(one) + 1) for key, one in protocols.items()}


def _silent_measures(scores: Sequence[Score]) -> set[str]:
    """Find measures that add nothing, as where nothing was refused or discarded, or everything was counted."""
    above_zero = {score.measure for score in scores if score.estimate.value > 0}
    silent = {"mae_all"}  # --json has it
    if "refused" not in above_zero:
        silent |= {"refused", "accuracy_answered"}
    if "discarded" not in above_zero:
        silent |= {"discarded", "accuracy_read"}
    if all(score.estimate.value == 1 for score in scores if score.measure == "coverage"):
        silent |= {"coverage", "nae_all"}
    return silent


def _counts(row: Mapping[str, Score]) -> str:
    """Write the number of answers behind a row, or of groups of images if single ones were not judged."""
    counted = "success" if _is_of_groups(row) else "accuracy_answered"
    n = row[counted].estimate.n if counted in row else 0
    others = {
        name: round(row[name].estimate.value * row[name].estimate.n) if name in row else 0
        for name in ("refused", "discarded", "unknown")
    }
    beside = "".join(f" + {count} {name}" for name, count in others.items() if count and counted != "success")
    excluded = max(score.excluded for score in row.values())
    return str(n) + beside + f" ({excluded} excluded)" * (excluded > 0)


def _is_of_groups(row: Mapping[str, Score]) -> bool:
    return "success" in row and "accuracy" not in row


def pass_result(passes: Sequence[PassRate], names: Names, notes: Sequence[str] = ()) -> Result:
    """Show one row per model and group of items, one column per k."""
    known = sorted({one.k for one in passes})
    ks = known if known[-1] <= _FEW else [k for k in known if k in (*_SHOWN_K, known[-1])]
    lines: list[tuple[Cell, ...]] = []
    for (suite, model, judge, factor, group), own in group_rows(passes, _row_of).items():
        by_k = {one.k: one for one in own}
        marked = names.mark_judge(judge, is_informed=any(one.is_informed for one in own))
        undecided = max(one.undecided for one in own)
        items = f"{max(one.estimate.n for one in own)}" + f" + {undecided} undecided" * (undecided > 0)
        labels = (suite, names.mark_model(model), marked, name_level(factor, group))
        lines.append((*labels, *(_pass(by_k.get(k)) for k in ks), items, max(one.images for one in own)))
    heads = [*map(Column.text, ("suite", "model", "judge", "group")), *(Column(f"pass@{k}", digits=3) for k in ks)]
    caption = [
        "pass@k: the chance that at least one of k images of a prompt is right; pass@1 is the accuracy per image",
        "mean over items [95 % interval over prompts]; refused images, and those without a usable value, are wrong",
    ]
    caption += ["‡ from votes on groups of k images"] * any(one.is_voted for one in passes)
    if any(one.undecided for one in passes):
        caption.append("undecided: items without any value, as where votes are tied; they are in no figure")
    if any(one.left_out for one in passes):
        caption.append("(−n): n items have fewer than k images and are left out")
    columns = (*heads, Column.text("items"), Column("images"))
    table = Table.of("pass-at-k", "", columns, lines, notes=caption)
    return Result((table,), list(map(names.row, passes)), notes=(*explain_marks(passes, names), *notes))


def _pass(one: PassRate | None) -> Worded | None:
    if one is None:
        return None
    marks = ["‡"] * one.is_voted + [f"(−{one.left_out})"] * (one.left_out > 0)
    return Worded("", one.estimate, " ".join(marks))


def describe_gaps(samples: Mapping[str, str], gaps: Missing) -> list[str]:
    """Say which suites were sampled, and what no figure covers."""
    unasked = "not yet given to a model that got others, counted once for each such model"
    known = (
        (gaps.unasked, "item", f"not complete: {{}} {unasked}"),
        (gaps.failed, "trial", "in no figure: {} that failed"),
        (gaps.unread, "answer", "in no figure: {} not judged"),
        (gaps.tied, "answer", "unknown: {} with tied readings (see --agreement)"),
    )
    missing = [line.format(number_of(count, noun)) for count, noun, line in known if count]
    return [*(f"{suite}: {sample}" for suite, sample in samples.items()), *missing]


def show_overview(overview: Overview, names: Names, samples: Mapping[str, str]) -> Result:
    """Show what is in a run: suites, models and judges, with their specs and addresses."""
    suites = []
    for entry in overview.suites:
        items = f"{number_of(overview.items.get(entry.name, 0), 'item')}, seed {entry.seed}"
        suites.append(f"suite {entry.shown}: {samples.get(entry.name, items)}")
    models = []
    for one in overview.models:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(one.outcomes.items()))
        what = _spec_and_address(one.model, names.name_model(one.model), one.addresses)
        models.append((one.suite, names.mark_model(one.model), sum(one.outcomes.values()), kinds, *what))
    judges = []
    for each in overview.judges:
        counts = (each.annotators or "", each.readings or "", each.discarded or "")
        what = _spec_and_address(each.judge, names.name_judge(each.judge), each.addresses)
        judges.append((names.mark_judge(each.judge), *counts, *what))
    heads = ("suite", "model", "responses", "outcomes", "spec", "address")
    tables = (
        Table.of("models", "", heads, models, drops_empty=True),
        Table.of("judges", "", ("judge", "annotators", "readings", "without a value", *heads[4:]), judges,
                 drops_empty=True),
    )  # fmt: skip
    are_stand_ins = any(one.is_stand_in for own in (overview.models, overview.judges) for one in own)
    excluded = (f"excluded: {item} ({reason})" for item, reason in overview.exclusions.items())
    return Result(tables, names.plain(overview), tuple(suites), (*[STAND_IN] * are_stand_ins, *excluded))


def _spec_and_address(spec: str, name: str, addresses: Sequence[str]) -> tuple[str, str]:
    """Return the spec, if the name does not say it, and the addresses."""
    return spec if spec != name else "", ", ".join(addresses)


def show_story(story: ItemStory, names: Names) -> Result:
    """Show one item with its responses and readings."""
    lines = [f"item {story.item.id}", f"task {story.item.task.kind}: {records.task_text(story.item.task)}"]
    if story.excluded is not None:
        lines.append(f"excluded: {story.excluded}")
    for ask in story.item.asks:
        lines.append(f"question {ask.question.id}: {ask.wording} Right: {' or '.join(map(str, ask.expects))}")
    for stored in story.responses:
        lines.append(f"{_name_trials([stored.response.trial], names)}: {_describe_outcome(stored.response.outcome)}")
    trials = {stored.trial_id: stored.response.trial for stored in story.responses}
    for found in story.readings:
        reading = found.reading
        members = [trials[id] for id in reading.subject.trial_ids if id in trials]
        value = (
            reading.value.value if isinstance(reading.value, records.Known) else f"discarded, {reading.value.reason}"
        )
        who = f"{names.name_judge(reading.judge)} {reading.annotator}".strip()
        what = "reading" if reading.purpose == "answer" else reading.purpose
        of = "" if reading.reviews is None else f"reading {reading.reviews}, "
        about = of + (_name_trials(members, names) if members else reading.subject.id)
        lines.append(f"{what} {found.id} by {who} of {about}: {reading.question.id} = {value} ({reading.rule})")
    return Result((), names.plain(story), tuple(lines))


def _name_trials(trials: Sequence[records.Trial], names: Names) -> str:
    """Name a trial, or several of one model that were judged together."""
    repeats = ", ".join(str(trial.repeat) for trial in trials)
    attempt = f", attempt {trials[0].attempt}" if len(trials) == 1 and trials[0].attempt else ""
    return f"{names.name_model(trials[0].model)}, repeat{'s' * (len(trials) > 1)} {repeats}{attempt}"


def _describe_outcome(outcome: records.Outcome) -> str:
    match outcome:
        case records.Said(text=text):
            return f"said {text!r}"
        case records.Drawn(picture=picture):
            if isinstance(picture, records.Elsewhere):
                return f"drew {picture.name}"
            attached = f"{picture.name}, attached: " if isinstance(picture, records.Attached) else ""
            return f"drew {attached}{picture.hash}.{picture.format}"
        case records.Scored(scores=scores):
            return f"scored {dict(scores)}"
        case records.Refused(reason=reason):
            return f"refused, {reason}"
        case records.Failed(reason=reason):
            return f"failed, {reason}"


def explain_marks(figures: Iterable[Any], names: Names) -> tuple[str, ...]:
    """Explain the marks on models and judges, if there are any."""
    own = list(figures)
    stand_ins = [STAND_IN] * any(names.has(one.model, one.judge) for one in own)
    informed = ["† informed: the judge knew what was asked for"] * any(
        getattr(one, "is_informed", False) for one in own
    )
    return (*stand_ins, *informed)
