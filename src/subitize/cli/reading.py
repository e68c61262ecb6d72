"""Commands that analyse runs: score, measure, compare, calibrate, align, agree, report, plate."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_figure, check_file, choose_reader, open_run, print_json, read_names
from subitize.errors import BadValueError
from subitize.io.memory import gc_paused
from subitize.report.terminal import Bar, print_line

if TYPE_CHECKING:
    from subitize.analysis.agreement import JudgePair
    from subitize.analysis.counting import CountingReport
    from subitize.analysis.design import Prompts
    from subitize.analysis.frame import Frame, Missing, ReadOptions
    from subitize.analysis.overview import Names
    from subitize.analysis.score import Score
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
    from subitize.analysis.design import ESTIMANDS, check_prompts
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import describe_samples
    from subitize.analysis.protocols import fingerprints
    from subitize.analysis.provenance import read_provenance
    from subitize.analysis.score import score as score_observations

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
        coverage = None if as_json else (describe_samples(opened), survey.gaps())
        advice = [] if as_json or rule else advise_rules(opened, run, judge)
        options.print_warnings(*warn_of_reward_judges(opened, judge))
    if pass_at_k:
        return _print_passes(survey.observations, by or (), names, coverage)
    scores = score_observations(survey.observations, by, prompts=estimand)
    if coverage is None:
        marks = [(one.model in names.models, protocols.get((one.suite, one.model, one.judge))) for one in scores]
        rows = [_score_row(one, prompts, *mark) for one, mark in zip(scores, marks, strict=True)]
        return print_json(rows, names)
    from subitize.report.scores import print_coverage, print_scores

    print_scores(scores, names, by or ["category"], protocols, trails.sizes() if trails else {})
    print_line(f"intervals are about {ESTIMANDS[estimand]}")
    print_coverage(*coverage)
    return print_line(*advice, *advise_tables(survey.observations, run))


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

    reader = choose_reader(judge, rule)
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(open_run(name, database, images)) for name in dict.fromkeys(runs)}
        enumerations = measure_counting({name: read_frame(one, reader).whole for name, one in opened.items()})
        names = read_names(*opened.values())
    if as_json:
        rows = [_enumeration_row(one, is_stand_in=one.model in names.models) for one in enumerations]
        return print_json(rows, names)
    from subitize.report.number_sense import print_enumerations

    return print_enumerations(enumerations, names)


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
    from subitize.analysis.design import check_prompts

    reader, estimand = choose_reader(judge, rule), check_prompts(prompts)
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(open_run(name, database, images)) for name in _check_once(runs)}
        if models:
            return _compare_models(opened, reader, measure or (), by or (), estimand, as_json=as_json)
        fixed = [estimand] if estimand == "fixed" else None
        for option, given in (("--by", by), ("--measure", measure), ("--prompts", fixed)):
            if given:
                raise BadValueError(f"{option} {given[0]}: it is for models; add --models")
        if len(opened) > 1:
            raise BadValueError(
                f"{len(opened)} runs, but refined prompts are compared within one run; for the models of several: "
                "subitize compare RUN RUN --models"
            )
        return _compare_refinements(opened[runs[0]], reader, as_json=as_json)


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
    from subitize.labels import calibrations, make_rule
    from subitize.records import to_plain
    from subitize.report.studies import print_calibration, write_calibration_figure

    with open_run(run, database, images) as opened, Bar() as bar:
        judge, against = opened.find_judge(judge), opened.find_judge(against)
        name = calibrations.name_safely(judge) if save is None else save
        calibrations.check_free(name, judge, force=force)
        picture = figure or Path("." if database else run, f"calibration-{name}.png")
        check_figure(picture)
        search = Search(judge, against, metric, iou, folds, seed or 0)
        found = search_threshold(opened, search, partial(options.watch, bar, "pictures"))
        names = read_names(opened)
    kept, drawn = calibrations.save(name, found.result, force=force), write_calibration_figure(found, picture)
    if as_json:
        rule = str(make_rule(found.result))
        return print_json(to_plain(found) | {"rule": rule, "saved": str(kept), "figure": str(drawn)}, names)
    print_calibration(names.rename(found))
    print_line(f"saved in {kept}, drawn in {drawn}; use it with: --rule {calibrations.PREFIX}{name}")
    return None


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
    from subitize.report.alignment import print_alignments

    with open_run(run, database, images) as opened:
        alignments = align_run(opened, judge and opened.find_judge(judge), list(dict.fromkeys(by or ())))
        names = read_names(opened)
    rows = [{**names.row(one), "is_informed": one.is_informed} for one in alignments]
    return print_json(rows) if as_json else print_alignments(alignments, names)


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
    from subitize.analysis.agreement import JudgePair, agree_run
    from subitize.labels import PLURALITY
    from subitize.report.agreement import print_agreement, published_kappa

    with open_run(run, database, images) as opened:
        judge = judge and opened.find_judge(judge)
        if against is not None:
            reader = choose_reader(judge, rule)
            sides = JudgePair(reader.judge or "", opened.find_judge(against), agreement or PLURALITY, reader.rule)
            return _agree_with_people(opened, sides, by or (), as_json=as_json)
        for option, given in (("agreement", agreement), ("rule", rule)):
            if given is not None:
                raise BadValueError(f"--{option} {given}: it is for --against PEOPLE, who are held against a judge")
        found = agree_run(opened, judge, by or ())
        names = read_names(opened)
    if not as_json:
        return print_agreement(found, names)
    kappas = [known and float(known[1]) for known in map(published_kappa, found)]
    rows = zip(map(names.row, found), kappas, strict=True)
    return print_json([row | {"published_kappa": kappa} for row, kappa in rows])


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
        for path in write_report(opened, outputs, stack.enter_context(Bar()), reader):
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
    with open_run(run, database, images) as opened, Bar() as bar:
        print(write_plate(opened, reader, choice, out, bar))


def _agree_with_people(run: "Run", sides: "JudgePair", factors: Sequence[str], *, as_json: bool) -> None:
    from subitize.analysis.agreement import compare_judge
    from subitize.report.agreement import print_judge_agreements
    from subitize.store.reading import read_judges

    if not sides.judge:
        known, against = run.judge_names(), sides.against
        others = ", ".join(known.get(name, name) for name in read_judges(run) if name != against) or "none"
        raise BadValueError(f"--against {against}: name who is held against them with --judge; judges: {others}")
    found, names = compare_judge(run, sides, factors), read_names(run)
    return print_json(list(map(names.row, found))) if as_json else print_judge_agreements(found, names)


def _check_once(runs: Sequence[str]) -> Sequence[str]:
    places = [os.path.realpath(name) for name in runs]
    for name, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise BadValueError(f"run {name} is given {places.count(place)} times; once is enough")
    return runs


def _compare_refinements(run: "Run", reader: "ReadOptions", *, as_json: bool) -> None:
    from subitize.analysis.compare import compare_run
    from subitize.report.comparisons import print_refinements

    found, names = compare_run(run, reader), read_names(run)
    return print_json(list(map(names.row, found))) if as_json else print_refinements(found, names)


def _compare_models(
    runs: "Mapping[str, Run]",
    reader: "ReadOptions",
    measures: Sequence[str],
    factors: Sequence[str],
    prompts: "Prompts",
    *,
    as_json: bool,
) -> None:
    from dataclasses import replace

    from subitize.analysis.compare import compare_surveys, list_entries
    from subitize.analysis.design import ESTIMANDS
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import Names
    from subitize.records import to_plain
    from subitize.report.comparisons import print_comparisons

    surveys = {name: read_frame(run, reader) for name, run in runs.items()}
    known = read_names(*runs.values())
    named = list_entries(surveys, known.model_names)
    if as_json:
        found = compare_surveys(surveys, measures, factors, prompts=prompts)
        labels = {one.label: shown.label for one, shown in zip(list_entries(surveys), named, strict=True)}
        boards = [
            {**one.board._asdict(), "models": to_plain(one.models), "pairs": to_plain(one.pairs)}
            for one in found.boards
        ]
        others = {"left_out": to_plain(found.left_out), "notes": list(found.notes)}
        plain = {"prompts": prompts, "leaderboards": boards} | others
        return print_json(plain, replace(known, model_names=labels))
    stand_in_labels = frozenset(one.label for one in named if one.source[2] in known.models)
    found = compare_surveys(surveys, measures, factors, known.model_names, prompts=prompts)
    print_comparisons(found, Names(stand_in_labels, judge_names=known.judge_names))
    return print_line(f"intervals are about {ESTIMANDS[prompts]}")


def _print_passes(
    observations: "Frame",
    by: Sequence[str],
    names: "Names",
    coverage: "tuple[Mapping[str, str], Missing] | None",
) -> None:
    from subitize.analysis.score import gather_attempts, rate_passes
    from subitize.report.scores import print_coverage, print_passes

    passes = rate_passes(gather_attempts(observations, keep_empty=True), by)
    if coverage is None:
        return print_json([names.row(one) for one in passes])
    print_passes(passes, names)
    return print_coverage(*coverage)


def _score_row(score: "Score", prompts: str, is_stand_in: bool, protocol: str | None) -> dict[str, object]:
    from subitize.records import to_plain

    row = to_plain(score)
    estimate = row.pop("estimate")
    return {**row, **estimate, "prompts": prompts, "is_stand_in": is_stand_in, "protocol": protocol}


def _enumeration_row(one: "CountingReport", *, is_stand_in: bool) -> dict[str, object]:
    matrices = {category: matrix.tolist() for category, matrix in one.matrices.items()}
    return one.row() | {"matrices": matrices, "is_stand_in": is_stand_in}
