"""The commands that plan a study: what so many prompts and images can show, and how many are needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, check_file, open_run, print_json
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.analysis.power import Plan
    from subitize.stats.power import Likeness

power_app = typer.Typer(
    help="Plan a study: how many prompts and images per prompt it needs, and what it can show.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(power_app, name="power")

_Suite = Annotated[str | None, typer.Option(metavar="NAME", help="Take prompts and images per prompt from this suite.")]
_Prompts = Annotated[int | None, typer.Option(metavar="N", help="Number of prompts.")]
_Images = Annotated[int | None, typer.Option(metavar="N", help="Images per prompt [the suite's, else 1].")]
_Icc = Annotated[float | None, typer.Option(help="Correlation of two images of one prompt [0.5].")]
_At = Annotated[int, typer.Option("--at", metavar="K", help="Success is one of K images right (pass@k).")]
_Precision = Annotated[float | None, typer.Option(help="Half-width that the interval should have.")]
_Confidence = Annotated[float, typer.Option(help="Of the interval.")]
_Alpha = Annotated[float, typer.Option(help="Level of the test.")]
_Target = Annotated[float, typer.Option("--power", help="Power that is wanted.")]
_Tests = Annotated[int, typer.Option(metavar="N", help="Tests that share the level (Bonferroni).")]
_Like = Annotated[str | None, typer.Option(metavar="RUN", help="Learn what is not given from a run.")]
_Models = Annotated[list[str] | None, typer.Option("--model", help="With --like: only this model; or two.")]
_Of = Annotated[list[str] | None, typer.Option(metavar="SUITE", help="With --like: only this suite; or two.")]
_Judge = Annotated[str | None, typer.Option(help="With --like: only the readings of this judge.")]
_Method = Annotated[str, typer.Option(metavar="auto|closed|simulation", help="How it is computed.")]
_Simulations = Annotated[int, typer.Option(metavar="N", help="Studies that are drawn.")]
_Seed = Annotated[int, typer.Option(help="Of the simulation.")]
_Figure = Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the curve: a .png or .svg.")]
_ImageFolder = Annotated[Path | None, typer.Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a --database.")]


@power_app.command()
def accuracy(
    suite: _Suite = None,
    prompts: _Prompts = None,
    images: _Images = None,
    rate: Annotated[float | None, typer.Option(help="Share that is right [0.5].")] = None,
    icc: _Icc = None,
    at: _At = 1,
    precision: _Precision = None,
    against: Annotated[float | None, typer.Option(metavar="RATE", help="A rate to be told apart from.")] = None,
    confidence: _Confidence = 0.95,
    alpha: _Alpha = 0.05,
    target: _Target = 0.8,
    tests: _Tests = 1,
    like: _Like = None,
    model: _Models = None,
    of: _Of = None,
    judge: _Judge = None,
    method: _Method = "auto",
    simulations: _Simulations = 40_000,
    seed: _Seed = 0,
    figure: _Figure = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    image_folder: _ImageFolder = None,
) -> None:
    """Plan one accuracy, or the success of K images."""
    _check(figure)
    from subitize.analysis.assumptions import Given, Size, settle_accuracy
    from subitize.analysis.power import Wanted, make_method, plan_accuracy

    how = make_method(method, simulations, seed)
    wanted = Wanted(confidence, alpha, target, tests, precision, against, how)
    known = _learn(like, model, of, judge, database, image_folder)
    design = settle_accuracy(Size(suite, prompts, images), Given(rate, icc, at), known)
    _show(plan_accuracy(design, wanted), figure, as_json=as_json)


@power_app.command()
def difference(
    suite: _Suite = None,
    prompts: _Prompts = None,
    images: _Images = None,
    rate: Annotated[float | None, typer.Option(help="Share that is right in the first [0.5].")] = None,
    difference: Annotated[float | None, typer.Option(help="Rate of the second minus that of the first.")] = None,
    icc: _Icc = None,
    correlation: Annotated[float | None, typer.Option(help="Of the prompts' chances in both [0].")] = None,
    discordance: Annotated[float | None, typer.Option(help="Instead: how often one image of each differs.")] = None,
    at: _At = 1,
    precision: _Precision = None,
    confidence: _Confidence = 0.95,
    alpha: _Alpha = 0.05,
    target: _Target = 0.8,
    tests: _Tests = 1,
    like: _Like = None,
    model: _Models = None,
    of: _Of = None,
    judge: _Judge = None,
    method: _Method = "auto",
    simulations: _Simulations = 40_000,
    seed: _Seed = 0,
    figure: _Figure = None,
    as_json: options.AsJson = False,
    database: options.DatabaseUrl = None,
    image_folder: _ImageFolder = None,
) -> None:
    """Plan a comparison of two on the same prompts."""
    _check(figure)
    from subitize.analysis.assumptions import GivenPair, Size, settle_difference
    from subitize.analysis.power import Wanted, make_method, plan_difference

    how = make_method(method, simulations, seed)
    wanted = Wanted(confidence, alpha, target, tests, precision, None, how)
    known = _learn(like, model, of, judge, database, image_folder)
    given = GivenPair(rate, icc, at, difference, correlation, discordance)
    design = settle_difference(Size(suite, prompts, images), given, known)
    _show(plan_difference(design, wanted), figure, as_json=as_json)


@power_app.command()
def kappa(
    suite: _Suite = None,
    prompts: _Prompts = None,
    raters: Annotated[int | None, typer.Option(metavar="N", help="How many answer yes or no to each prompt.")] = None,
    kappa: Annotated[float | None, typer.Option(help="What to expect.")] = None,
    share: Annotated[float, typer.Option(help="Share of yes.")] = 0.5,
    precision: _Precision = None,
    against: Annotated[float | None, typer.Option(metavar="KAPPA", help="A kappa to be told apart from.")] = None,
    confidence: _Confidence = 0.95,
    alpha: _Alpha = 0.05,
    target: _Target = 0.8,
    tests: _Tests = 1,
    method: _Method = "auto",
    simulations: _Simulations = 40_000,
    seed: _Seed = 0,
    figure: _Figure = None,
    as_json: options.AsJson = False,
) -> None:
    """Plan Fleiss' kappa of raters who say yes or no."""
    _check(figure)
    from subitize.analysis.assumptions import Size, settle_agreement
    from subitize.analysis.power import Wanted, make_method, plan_agreement

    how = make_method(method, simulations, seed)
    wanted = Wanted(confidence, alpha, target, tests, precision, against, how)
    design = settle_agreement(Size(suite, prompts, images=1), raters, kappa, share)
    _show(plan_agreement(design, wanted), figure, as_json=as_json)


def _check(figure: Path | None) -> None:
    if figure is not None:
        from subitize.report.document.figures import check_figure

        check_file(figure)
        check_figure(figure)


def _learn(
    like: str | None,
    models: list[str] | None,
    suites: list[str] | None,
    judge: str | None,
    database: str | None,
    image_folder: Path | None,
) -> "Likeness | None":
    if like is None:
        if models or suites or judge:
            raise BadValueError("--model, --of and --judge choose what is learnt from a run; add --like RUN")
        return None
    from subitize.analysis.assumptions import learn_from

    with open_run(like, database, image_folder) as run:
        return learn_from(run, models or (), suites or (), judge)


def _show(plan: "Plan", figure: Path | None, *, as_json: bool) -> None:
    from subitize.report.terminal.power import print_plan, write_figure

    if figure is not None:
        write_figure(plan, figure)
    if as_json:
        return print_json(plan)
    return print_plan(plan)
