"""Commands that analyse runs: score, measure, compare, calibrate, align, agree, report, plate."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_figure, check_file, choose_reader, emit, open_run, read_names
from subitize.errors import BadValueError
from subitize.io.memory import gc_paused
from subitize.report.terminal import TerminalEvents, print_warnings

if TYPE_CHECKING:
    from subitize.analysis.agreement import JudgePair
    from subitize.analysis.design import Prompts
    from subitize.analysis.frame import ReadOptions
    from subitize.report.table import Result
    from subitize.store import Run


Estimand = Annotated[
    str,
    typer.Option(
        metavar="sampled|fixed", help="Intervals for prompts like these, or for exactly these with new images."
    ),
]


@app.command()
def score(
    run: options.RunName,
    by: options.Factors = None,
    judge: options.JudgeName = None,
    rule: options.RuleText = None,
    agreement: options.Agreement = "plurality",
    prompts: Estimand = "sampled",
    pass_at_k: Annotated[
        bool, typer.Option("--pass-at-k", help="The chance that one of k images of a prompt is right, for every k.")
    ] = False,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compute accuracy and errors with their intervals, overall and by factor."""
    from subitize.analysis.advice import advise_rules, advise_tables, warn_of_reward_judges
    from subitize.analysis.design import check_prompts
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import describe_samples
    from subitize.analysis.protocols import fingerprints
    from subitize.analysis.provenance import read_provenance
    from subitize.analysis.score import gather_attempts, rate_passes
    from subitize.analysis.score import score as score_observations
    from subitize.report.scores import describe_gaps, pass_result, score_result

    estimand = check_prompts(prompts)
    if pass_at_k and estimand == "fixed":
        raise BadValueError("--pass-at-k is about prompts like these; leave out --prompts fixed")
    reader = choose_reader(judge, rule, agreement)
    with open_run(run, database, images) as opened:
        survey = read_frame(opened, reader)
        judge = survey.reader.judge
        names = read_names(opened)
        trails = None if pass_at_k else read_provenance(opened, survey.readings)
        protocols = fingerprints(survey, trails) if trails else {}
        notes = describe_gaps(describe_samples(opened), survey.gaps())
        advice = [] if rule else advise_rules(opened, run, judge)
        print_warnings(*warn_of_reward_judges(opened, judge))
    if trails is None:
        passes = rate_passes(gather_attempts(survey.observations, keep_empty=True), by or ())
        return emit(pass_result(passes, names, notes), as_json=as_json)
    scores = score_observations(survey.observations, by, prompts=estimand)
    found = score_result(scores, names, by or ["category"], protocols, trails.sizes(), estimand)
    return emit(found.say(*notes, *advice, *advise_tables(survey.observations, run)), as_json=as_json)


@app.command()
def measure(
    runs: options.RunNames,
    judge: options.JudgeName = None,
    rule: options.RuleText = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compute measures of number sense: counting level, likeness to people, biases, Weber fraction and others."""
    from subitize.analysis.counting import measure_counting
    from subitize.analysis.frame import read_frame
    from subitize.report.number_sense import counting_result

    reader = choose_reader(judge, rule)
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(open_run(name, database, images)) for name in dict.fromkeys(runs)}
        reports = measure_counting({name: read_frame(one, reader).whole for name, one in opened.items()})
        names = read_names(*opened.values())
    emit(counting_result(reports, names), as_json=as_json)


@app.command()
def compare(
    runs: options.RunNames,
    models: Annotated[
        bool, typer.Option("--models", help="Compare models with one another, on what all of them have.")
    ] = False,
    by: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR", help="With --models: a factor to group by. Repeatable.")
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE", help="With --models: one measure. Repeatable [all].")
    ] = None,
    prompts: Estimand = "sampled",
    judge: options.JudgeName = None,
    rule: options.RuleText = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compare models with one another (--models), or refined prompts with the original ones."""
    from subitize.analysis.compare import compare_run
    from subitize.analysis.design import check_prompts
    from subitize.report.comparisons import refinement_result

    reader, estimand = choose_reader(judge, rule), check_prompts(prompts)
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(open_run(name, database, images)) for name in _check_once(runs)}
        if models:
            found = _compare_models(opened, reader, measure or (), by or (), estimand, by_spec=as_json)
            return emit(found, as_json=as_json)
        fixed = [estimand] if estimand == "fixed" else None
        for option, given in (("--by", by), ("--measure", measure), ("--prompts", fixed)):
            if given:
                raise BadValueError(f"{option} {given[0]}: it is for models; add --models")
        if len(opened) > 1:
            raise BadValueError(
                f"{len(opened)} runs, but refined prompts are compared within one run; for the models of several: "
                "subitize compare RUN RUN --models"
            )
        run = opened[runs[0]]
        return emit(refinement_result(compare_run(run, reader), read_names(run)), as_json=as_json)


@app.command()
def calibrate(
    run: options.RunName,
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="Whose boxes; `subitize show` lists the judges.")],
    against: Annotated[str, typer.Option(metavar="JUDGE", help="Whose counts are taken as true.")] = "human",
    metric: Annotated[str, typer.Option(metavar="nae|accuracy", help="Which figure to optimise.")] = "nae",
    iou: Annotated[
        bool, typer.Option("--iou", help="Also search for the overlap from which two boxes count as one.")
    ] = False,
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of the cross-validation.")] = 10,
    seed: options.Seed = None,
    save: Annotated[str | None, typer.Option(metavar="NAME", help="Save it under this name [the judge's].")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a calibration of another judge by that name.")
    ] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curve as .png or .svg [RUN/calibration-NAME.png].")
    ] = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Find and save the score from which a detector's boxes count, so that it counts as people do."""
    from subitize.analysis.calibration import Search
    from subitize.analysis.calibration import calibrate as search_threshold
    from subitize.labels import calibrations
    from subitize.report.studies import calibration_result, write_calibration_figure

    with open_run(run, database, images) as opened, TerminalEvents() as events:
        judge, against = opened.find_judge(judge), opened.find_judge(against)
        name = calibrations.name_safely(judge) if save is None else save
        calibrations.check_free(name, judge, force=force)
        picture = figure or Path("." if database else run, f"calibration-{name}.png")
        check_figure(picture)
        search = Search(judge, against, metric, iou, folds, seed or 0)
        found = search_threshold(opened, search, events)
        names = read_names(opened)
    kept, drawn = calibrations.save(name, found.result, force=force), write_calibration_figure(found, picture)
    emit(calibration_result(found, names, name, kept, drawn), as_json=as_json)


@app.command()
def align(
    run: options.RunName,
    judge: options.JudgeName = None,
    by: options.Factors = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compute how well drawings fit their prompts: by scene graphs, CLIPScore and the like, or the text in them."""
    from subitize.analysis.alignment import align_run
    from subitize.report.alignment import alignment_result

    with open_run(run, database, images) as opened:
        alignments = align_run(opened, judge and opened.find_judge(judge), list(dict.fromkeys(by or ())))
        names = read_names(opened)
    emit(alignment_result(alignments, names), as_json=as_json)


@app.command()
def agree(
    run: options.RunName,
    judge: Annotated[
        str | None, typer.Option(metavar="JUDGE", help="Whose answers, as `subitize show` names them.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="PEOPLE", help="Compare --judge with these people, such as human.")
    ] = None,
    agreement: Annotated[
        str | None,
        typer.Option(
            metavar="RULE", help="With --against: how several people's answers become one.", show_default="plurality"
        ),
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="With --against: read the judge's evidence again, as `score --rule` does.")
    ] = None,
    by: options.Factors = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Compute how far people agree with one another, or a judge with people (--against)."""
    from subitize.analysis.agreement import JudgePair, agree_run, compare_judge
    from subitize.labels import PLURALITY
    from subitize.report.agreement import agreement_result, judge_agreement_result

    with open_run(run, database, images) as opened:
        judge = judge and opened.find_judge(judge)
        if against is not None:
            reader = choose_reader(judge, rule)
            sides = JudgePair(reader.judge or "", opened.find_judge(against), agreement or PLURALITY, reader.rule)
            _check_judge(opened, sides)
            found = compare_judge(opened, sides, by or ())
            return emit(judge_agreement_result(found, read_names(opened)), as_json=as_json)
        for option, given in (("agreement", agreement), ("rule", rule)):
            if given is not None:
                raise BadValueError(f"--{option} {given}: it is for --against PEOPLE, who are held against a judge")
        return emit(agreement_result(agree_run(opened, judge, by or ()), read_names(opened)), as_json=as_json)


@app.command()
@gc_paused()
def report(
    runs: options.RunNames,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write every figure here, as PNG and SVG.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write every table here, as CSV, Markdown and LaTeX.")
    ] = None,
    agreement: options.Agreement = "plurality",
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Write a report of one or more runs: one HTML page that works offline."""
    from subitize.report import figures as chart_engine

    check_file(out)
    chart_engine.start()  # it takes as long as the rest to import

    from subitize.analysis.frame import ReadOptions
    from subitize.report.document import Outputs, write_report

    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(open_run(name, database, images)) for name in runs]
        outputs, reader = Outputs(out, figures, tables), ReadOptions(agreement=agreement)
        for path in write_report(opened, outputs, stack.enter_context(TerminalEvents()), reader):
            print(path)


@app.command()
def plate(
    run: options.RunName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="A .png or .svg file.")] = Path("plate.png"),
    suite: Annotated[
        str | None, typer.Option(metavar="SUITE", help="Whose prompts, where the run has several suites.")
    ] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(metavar="ITEM", help="An item's id, or the words of its prompt. Repeatable [drawn at random]."),
    ] = None,
    columns: Annotated[
        int | None, typer.Option(metavar="N", help="How many prompts are drawn at random.", show_default="6")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(metavar="MODEL", help="A model, in this order. Repeatable [all].")
    ] = None,
    judge: options.JudgeName = None,
    rule: options.RuleText = None,
    repeat: Annotated[int, typer.Option(metavar="N", help="Which image of each prompt, from 0.")] = 0,
    transpose: Annotated[bool, typer.Option("--transpose", help="Prompts in rows, models in columns.")] = False,
    size_px: Annotated[int, typer.Option("--size-px", metavar="PX", help="Width and height of each picture.")] = 240,
    seed: options.Seed = None,
    database: options.DatabaseUrl = None,
    images: options.ImagesFolder = None,
) -> None:
    """Draw a plate as papers print it: models × prompts, with every picture marked right or wrong."""
    from subitize.report.plates import PlateOptions, write_plate

    check_figure(out, "-o")
    choice = PlateOptions(suite, item or (), model or (), columns, repeat, seed or 0, size_px, transpose)
    reader = choose_reader(judge, rule)
    with open_run(run, database, images) as opened, TerminalEvents() as events:
        print(write_plate(opened, reader, choice, out, events))


def _check_judge(run: "Run", sides: "JudgePair") -> None:
    from subitize.store.reading import read_judges

    if not sides.judge:
        known, against = run.judge_names(), sides.against
        others = ", ".join(known.get(name, name) for name in read_judges(run) if name != against) or "none"
        raise BadValueError(f"--against {against}: name who is held against them with --judge; judges: {others}")


def _check_once(runs: Sequence[str]) -> Sequence[str]:
    places = [os.path.realpath(name) for name in runs]
    for name, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise BadValueError(f"run {name} is given {places.count(place)} times; once is enough")
    return runs


def _compare_models(
    runs: "Mapping[str, Run]",
    reader: "ReadOptions",
    measures: Sequence[str],
    factors: Sequence[str],
    prompts: "Prompts",
    *,
    by_spec: bool,
) -> "Result":
    """Compare models, labelled by their specs or by their display names."""
    from subitize.analysis.compare import compare_surveys, list_entries
    from subitize.analysis.frame import read_frame
    from subitize.report.comparisons import comparison_result

    surveys = {name: read_frame(run, reader) for name, run in runs.items()}
    names = read_names(*runs.values())
    labels = {} if by_spec else names.model_names
    entries = list_entries(surveys, labels)
    shown = list_entries(surveys, names.model_names)
    found = compare_surveys(surveys, measures, factors, labels, prompts=prompts)
    stand_ins = frozenset(one.label for one in entries if one.source[2] in names.models)
    own = {one.label: named.label for one, named in zip(entries, shown, strict=True)}
    return comparison_result(found, replace(names, models=stand_ins, model_names=own), prompts)
