"""Verbs that compute figures from runs: scores, measures, comparisons, agreement, thresholds, reports, plates."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, as_path, locate, name_of, opened, refuse_beside, verb
from subitize.api.options import AnyPath, AnyRun, Names, Opt
from subitize.errors import BadValueError
from subitize.io.memory import gc_paused

if TYPE_CHECKING:
    from subitize.analysis.frame import ReadOptions
    from subitize.interfaces import Events
    from subitize.report.table import Result
    from subitize.store import Run

_ALL = "all"


@verb
def score(
    run: options.RunArg,
    by: options.Factors = None,
    *,
    judge: options.Judge = None,
    rule: options.Rule = None,
    agreement: options.Agreement = "plurality",
    prompts: options.Prompts = "sampled",
    nouns: options.SampledNouns = "sampled",
    pass_at_k: Annotated[bool, Opt("The chance that one of k images of a prompt is right, for every k.")] = False,
    alignment: Annotated[
        bool, Opt("How well drawings fit their prompts: by scene graphs, CLIPScore and the like, or the text in them.")
    ] = False,
    scorer: Annotated[
        Names, Opt("As a published scorer does, beside ours. Repeatable; all: as an import recorded, or all.", "NAME")
    ] = (),
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Compute accuracy and errors with their intervals, overall and by factor."""
    from subitize.analysis.advice import advise_rules, advise_tables, warn_of_reward_judges
    from subitize.analysis.design import Estimand, check_prompts
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import describe_samples, read_names
    from subitize.analysis.protocols import read_making
    from subitize.analysis.reader import choose_reader
    from subitize.analysis.score import gather_attempts, rate_passes
    from subitize.analysis.score import score as score_observations
    from subitize.report.scores import describe_gaps, pass_result, score_result

    if alignment or scorer:
        unused: dict[str, Names | bool | None] = {"scorer": scorer} if alignment else {"by": by}
        unused |= {"agreement": agreement != "plurality" and agreement, "prompts": prompts != "sampled" and prompts}
        unused |= {"nouns": nouns != "sampled" and nouns}
        refuse_beside("alignment" if alignment else "scorer", rule=rule, pass_at_k=pass_at_k, **unused)
        return _align(run, by, judge) if alignment else _rescore(run, scorer, judge)
    estimand, factors = check_prompts(prompts), None if by is None else as_list(by)
    if pass_at_k and estimand == "fixed":
        raise BadValueError("`pass_at_k` is about prompts like these; leave out `prompts` fixed")
    reader = choose_reader(judge, rule, events.warn, agreement, nouns)
    with opened(run) as (own,):
        reader = replace(reader, judge=reader.judge and own.find_judge(reader.judge))
        making = None if pass_at_k else read_making(own, reader)  # before the frame: both at once take much memory
        survey = read_frame(own, reader)
        judge = survey.reader.judge
        names = read_names(own)
        notes = describe_gaps(describe_samples(own), survey.gaps())
        advice = [] if rule else advise_rules(own, name_of(run), judge)
        events.warn(*warn_of_reward_judges(own, judge))
    about = Estimand(estimand, reader.nouns).over(survey.whole.designs.values())
    if making is None:
        notes += [f"intervals are about {about}"] * ("nouns" in about.record())
        passes = rate_passes(gather_attempts(survey.observations, keep_empty=True), factors or ())
        return pass_result(passes, names, notes)
    scores = score_observations(survey.observations, factors, prompts=estimand)
    found = score_result(scores, names, factors or ["category"], making.fingerprints, making.sizes, about)
    return found.say(*notes, *advice, *advise_tables(survey.observations, name_of(run)))


def _align(run: AnyRun, by: Names | None, judge: str | None) -> "Result":
    from subitize.analysis.alignment import align_run
    from subitize.analysis.overview import read_names
    from subitize.report.alignment import alignment_result

    with opened(run) as (own,):
        alignments = align_run(own, judge and own.find_judge(judge), list(dict.fromkeys(as_list(by))))
        return alignment_result(alignments, read_names(own))


def _rescore(run: AnyRun, scorer: Names, judge: str | None) -> "Result":
    from subitize.analysis.overview import read_names
    from subitize.analysis.rescoring import rescore_run
    from subitize.report.alignment import rescoring_result

    scorers = as_list(scorer)
    with opened(run) as (own,):
        return rescoring_result(rescore_run(own, [] if scorers == [_ALL] else scorers, judge), read_names(own))


@verb
def measure(
    *runs: options.RunArgs,
    judge: options.Judge = None,
    rule: options.Rule = None,
    nouns: options.SampledNouns = "sampled",
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Compute measures of number sense: counting level, likeness to people, biases, Weber fraction and others."""
    from subitize.analysis.counting import measure_counting
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import read_names
    from subitize.analysis.reader import choose_reader
    from subitize.report.number_sense import counting_result

    reader = choose_reader(judge, rule, events.warn, nouns=nouns)
    given = {name_of(one): one for one in _some(runs)}
    with opened(*given.values()) as own:
        surveys = {name: read_frame(one, reader).whole for name, one in zip(given, own, strict=True)}
        return counting_result(measure_counting(surveys), read_names(*own))


@verb
def compare(
    *runs: options.RunArgs,
    refined: Annotated[bool, Opt("Compare refined prompts with the original ones instead, within one run.")] = False,
    by: options.Factors = None,
    measures: Annotated[
        Names, Opt("One measure to compare models by. Repeatable [all].", "MEASURE", "--measure --measures")
    ] = (),
    prompts: options.Prompts = "sampled",
    nouns: options.SampledNouns = "sampled",
    judge: options.Judge = None,
    rule: options.Rule = None,
    agreement: options.Agreement = "plurality",
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Compare models on what all of them have answered, or refined prompts with the original ones (--refined)."""
    from subitize.analysis.compare import compare_run
    from subitize.analysis.design import check_prompts
    from subitize.analysis.overview import read_names
    from subitize.analysis.reader import choose_reader
    from subitize.report.comparisons import refinement_result

    reader, estimand = choose_reader(judge, rule, events.warn, agreement, nouns), check_prompts(prompts)
    _check_once(_some(runs))
    if refined:
        refuse_beside("refined", by=by, measures=measures, prompts=estimand == "fixed" and estimand)
        if len(runs) > 1:
            raise BadValueError(
                f"{len(runs)} runs, but refined prompts are compared within one run; for the models of several: "
                "subitize compare RUN RUN"
            )
        with opened(*runs) as (own,):
            return refinement_result(compare_run(own, reader), read_names(own))
    with opened(*runs) as several:
        named = {name_of(one): own for one, own in zip(runs, several, strict=True)}
        return _compare_models(named, reader, as_list(measures), as_list(by), prompts)


def _compare_models(
    runs: "dict[str, Run]", reader: "ReadOptions", measures: Sequence[str], factors: Sequence[str], prompts: str
) -> "Result":
    from subitize.analysis.compare import compare_surveys, list_entries
    from subitize.analysis.design import Estimand, check_prompts
    from subitize.analysis.frame import read_frame
    from subitize.analysis.overview import read_names
    from subitize.report.comparisons import comparison_result

    surveys = {name: read_frame(run, reader) for name, run in runs.items()}
    names, estimand = read_names(*runs.values()), check_prompts(prompts)
    entries, shown = list_entries(surveys), list_entries(surveys, names.model_names)
    designs = (design for one in surveys.values() for design in one.whole.designs.values())
    about = Estimand(estimand, reader.nouns).over(designs)
    found = compare_surveys(surveys, measures, factors, prompts=estimand)
    stand_ins = frozenset(one.label for one in entries if one.source[2] in names.models)
    own = {one.label: named.label for one, named in zip(entries, shown, strict=True)}
    return comparison_result(found, replace(names, models=stand_ins, model_names=own), about)


@verb
def agree(
    run: options.RunArg,
    *,
    judge: Annotated[str | None, Opt("Whose answers, as `subitize show` names them.", "JUDGE")] = None,
    against: Annotated[str | None, Opt("Compare the judge with these people, such as human.", "PEOPLE")] = None,
    agreement: Annotated[
        str | None,
        Opt("With --against: how several people's answers become one.", "RULE", shown="plurality"),
    ] = None,
    rule: Annotated[str | None, Opt("With --against: read the judge's evidence again, as `score --rule` does.")] = None,
    nouns: options.SampledNouns = "sampled",
    by: options.Factors = None,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Compute how far people agree with one another, or a judge with people (--against)."""
    from subitize.analysis.agreement import JudgePair, agree_run, compare_judge
    from subitize.analysis.overview import read_names
    from subitize.analysis.reader import choose_reader
    from subitize.labels import PLURALITY
    from subitize.report.agreement import agreement_result, judge_agreement_result

    with opened(run) as (own,):
        judge = judge and own.find_judge(judge)
        if against is not None:
            reader = choose_reader(judge, rule, events.warn, nouns=nouns)
            sides = JudgePair(
                reader.judge or _refuse_no_judge(own, own.find_judge(against)),
                own.find_judge(against),
                agreement or PLURALITY,
                reader.rule,
                reader.nouns,
            )
            return judge_agreement_result(compare_judge(own, sides, as_list(by)), read_names(own))
        for option, given in (
            ("agreement", agreement),
            ("rule", rule),
            ("nouns", None if nouns == "sampled" else nouns),
        ):
            if given is not None:
                raise BadValueError(f"`{option}` {given}: it is for `against` PEOPLE, who are held against a judge")
        return agreement_result(agree_run(own, judge, as_list(by)), read_names(own))


@verb
def calibrate(
    run: options.RunArg,
    judge: Annotated[str, Opt("Whose boxes; `subitize show` lists the judges.", "JUDGE")],
    *,
    against: Annotated[str, Opt("Whose counts are taken as true.", "JUDGE")] = "human",
    metric: Annotated[str, Opt("Which figure to optimise.", "nae|accuracy")] = "nae",
    iou: Annotated[bool, Opt("Also search for the overlap from which two boxes count as one.")] = False,
    folds: Annotated[int, Opt("Folds of the cross-validation.", "N")] = 10,
    seed: options.Seed = 0,
    save: Annotated[str | None, Opt("Save it under this name [the judge's].", "NAME")] = None,
    force: Annotated[bool, Opt("Replace a calibration of another judge by that name.")] = False,
    figure: Annotated[AnyPath | None, Opt("Draw the curve as .png or .svg [RUN/calibration-NAME.png].", "FILE")] = None,
    events: "Events" = AS_WARNINGS,
) -> "Result":
    """Find and save the score from which a detector's boxes count, so that it counts as people do."""
    from subitize.analysis.calibration import Search
    from subitize.analysis.calibration import calibrate as search_threshold
    from subitize.analysis.overview import read_names
    from subitize.io.outputs import check_figure
    from subitize.labels import calibrations
    from subitize.report.studies import calibration_result, write_calibration_figure
    from subitize.store import Folder

    with opened(run) as (own,):
        judge, against = own.find_judge(judge), own.find_judge(against)
        name = calibrations.name_safely(judge) if save is None else save
        calibrations.check_free(name, judge, force=force)
        location = locate(run)
        folder = location.path if isinstance(location, Folder) else Path()
        picture = as_path(figure) or folder / f"calibration-{name}.png"
        check_figure(picture)
        found = search_threshold(own, Search(judge, against, metric, iou, folds, seed), events)
        names = read_names(own)
    kept, drawn = calibrations.save(name, found.result, force=force), write_calibration_figure(found, picture)
    return calibration_result(found, names, name, kept, drawn)


@verb
@gc_paused()
def write_report(
    *runs: options.RunArgs,
    out: Annotated[AnyPath, Opt("The page to write.", "FILE", "--out -o")] = "report.html",
    figures: Annotated[AnyPath | None, Opt("Also write every figure here, as PNG and SVG.", "DIR")] = None,
    tables: Annotated[AnyPath | None, Opt("Also write every table here, as CSV, Markdown and LaTeX.", "DIR")] = None,
    agreement: options.Agreement = "plurality",
    nouns: options.SampledNouns = "sampled",
    events: "Events" = AS_WARNINGS,
) -> list[Path]:
    """Write a report of one or more runs: one HTML page that works offline."""
    from subitize.io.outputs import check_file
    from subitize.report import figures as chart_engine

    check_file(Path(out))
    chart_engine.start()  # it takes as long as the rest to import

    from subitize.analysis.design import check_prompts
    from subitize.analysis.frame import ReadOptions
    from subitize.report import document

    reader = ReadOptions(agreement=agreement, nouns=check_prompts(nouns, "nouns"))
    outputs = document.Outputs(Path(out), as_path(figures), as_path(tables))
    with opened(*_some(runs)) as own:
        return document.write_report(own, outputs, events, reader)


@verb
def plate(
    run: options.RunArg,
    *,
    out: Annotated[AnyPath, Opt("A .png or .svg file.", "FILE", "--out -o")] = "plate.png",
    suite: Annotated[str | None, Opt("Whose prompts, where the run has several suites.", "SUITE")] = None,
    item: Annotated[Names, Opt("An item's id, or the words of its prompt. Repeatable [drawn at random].", "ITEM")] = (),
    columns: Annotated[int | None, Opt("How many prompts are drawn at random.", "N", shown="6")] = None,
    model: Annotated[Names, Opt("A model, in this order. Repeatable [all].", "MODEL")] = (),
    judge: options.Judge = None,
    rule: options.Rule = None,
    repeat: Annotated[int, Opt("Which image of each prompt, from 0.", "N")] = 0,
    transpose: Annotated[bool, Opt("Prompts in rows, models in columns.")] = False,
    size_px: Annotated[int, Opt("Width and height of each picture.", "PX")] = 240,
    seed: options.Seed = 0,
    events: "Events" = AS_WARNINGS,
) -> Path:
    """Draw a plate as papers print it: models × prompts, with every picture marked right or wrong."""
    from subitize.analysis.reader import choose_reader
    from subitize.io.outputs import check_figure
    from subitize.report.plates import PlateOptions, write_plate

    check_figure(Path(out), "out")
    choice = PlateOptions(suite, as_list(item), as_list(model), columns, repeat, seed, size_px, transpose)
    reader = choose_reader(judge, rule, events.warn)
    with opened(run) as (own,):
        return write_plate(own, reader, choice, Path(out), events)


def _some(runs: Sequence[AnyRun]) -> Sequence[AnyRun]:
    if not runs:
        raise BadValueError("no run given: name one or more, such as runs/naming")
    return runs


def _check_once(runs: Sequence[AnyRun]) -> None:
    places = [os.path.realpath(name_of(one)) for one in runs]
    for one, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise BadValueError(f"run {name_of(one)} is given {places.count(place)} times; once is enough")


def _refuse_no_judge(run: "Run", against: str) -> str:
    from subitize.store.rows import read_judges

    known = run.judge_names()
    others = ", ".join(known.get(name, name) for name in read_judges(run) if name != against) or "none"
    raise BadValueError(f"`against` {against}: name who is held against them with `judge`; judges: {others}")
