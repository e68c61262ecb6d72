"""The commands that plan a study: what so many prompts and images can show, and how many are needed."""

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.cli import options as shared
from subitize.cli.options import app, check_file, open_run, print_json, watch
from subitize.errors import BadValueError

power_app = typer.Typer(
    cls=shared.Summarised,
    help="Plan a study: how many prompts and images per prompt it needs, and what it can show.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(power_app, name="power")

_ImageFolder = Annotated[Path | None, typer.Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a database.")]


def _option(name: str, kind: type, told: str, metavar: str | None = None, default: object = None) -> Parameter:
    """Make an option, which may be left out."""
    option = typer.Option(default, help=told, metavar=metavar)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=option, annotation=kind | None)


_SHARED = (
    _option("suite", str, "Take prompts, strata and images from a suite.", "NAME"),
    _option("prompts", int, "Number of prompts.", "N"),
    _option("images", int, "Images per prompt [the suite's, else 1].", "N"),
    _option("strata", int, "Strata of equal size [the suite's, else 1].", "N"),
    _option("icc", float, "Correlation of two images of one prompt [0.5]."),
    _option("icc_within", float, "The same within a stratum [0.2; without strata --icc]."),
    _option("like", str, "Learn what is not given from a run.", "RUN"),
    _option("model", list[str], "With --like: only this model; or two."),
    _option("of", list[str], "With --like: only this suite; or two.", "SUITE"),
    _option("judge", str, "With --like: only the readings of this judge."),
    Parameter("database", Parameter.KEYWORD_ONLY, default=None, annotation=shared.DatabaseUrl),
    Parameter("image_folder", Parameter.KEYWORD_ONLY, default=None, annotation=_ImageFolder),
    _option("precision", float, "Find what gives the interval this half-width."),
    _option("against", float, "A value to be told apart from.", "VALUE"),
    _option("power", float, "Find what gives this power."),
    _option("confidence", float, "Of the interval.", default=0.95),
    _option("alpha", float, "Level of the test.", default=0.05),
    _option("tests", int, "Tests that share the level (Bonferroni).", "N", 1),
    _option("simulations", int, "Simulated studies [20000; if slow 10000].", "N"),
    _option("seed", int, "Of the simulation.", default=0),
    _option("figure", Path, "Also draw the curve: a .png or .svg.", "FILE"),
    Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=shared.AsJson),
)
_LEARNING = ("like", "model", "of", "judge", "database", "image_folder")


def _add_command(what: str, told: str, *own: Parameter, without: Iterable[str] = ()) -> None:
    """Add a command that has its own options, and all shared ones but some."""
    parameters = [*own, *(one for one in _SHARED if one.name not in without)]

    def command(**given: Any) -> None:  # noqa: ANN401
        _plan(what, {name: value for name, value in given.items() if value is not None})

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    power_app.command(what, help=told)(command)


_add_command(
    "accuracy",
    "Plan one accuracy, or the success of K images, as score reports it.",
    _option("rate", float, "Share that is right [0.5]."),
    _option("at", int, "Success is one of K images right (pass@k).", "K", 1),
)
_add_command(
    "error",
    "Plan a mean error (NAE or MAE), as score reports it.",
    _option("mean", float, "Mean error to expect, NAE or MAE."),
    _option("sd", float, "Its standard deviation over all images."),
    _option("measure", str, "With --like: which error.", "nae|mae", "nae"),
)
_add_command(
    "difference",
    "Plan a comparison of models on the same prompts, as compare --models reports it.",
    _option("models", int, "Models that are compared; Holm's adjustment.", "M", 2),
    _option("rate", float, "Share that is right in the first [0.5]."),
    _option("difference", float, "Rate of each model minus that of the one before."),
    _option("correlation", float, "Of prompts' chances in two, within strata [0]."),
    without=("against", "confidence"),
)
_add_command(
    "kappa",
    "Plan Fleiss' κ and Krippendorff's α of annotators who say yes or no, as agree reports them.",
    _option("raters", int, "How many answer yes or no to each image.", "N"),
    _option("annotators", int, "From a pool of so many [--raters].", "N"),
    _option("kappa", float, "What to expect."),
    _option("share", float, "Share of yes.", default=0.5),
    _option("icc", float, "Correlation of answers about two images of one prompt."),
    _option("habit", float, "Share of a person's answers given without looking.", default=0.0),
    without=("strata", "icc", "icc_within", *_LEARNING, "confidence", "alpha", "tests"),
)


def _plan(what: str, given: dict[str, Any]) -> None:
    """Settle on a study, simulate it, and print what it shows."""
    from subitize.analysis.assumptions import settle
    from subitize.analysis.power import plan
    from subitize.report.document.figures import check_figure
    from subitize.report.terminal.bars import Bar
    from subitize.report.terminal.power import print_plan, write_figure
    from subitize.stats.power import Simulation, Wanted

    figure, as_json = given.pop("figure", None), given.pop("as_json")
    if figure is not None:
        check_file(figure)
        check_figure(figure)
    study = settle(what, given, _learn(what, given))
    wanted = Wanted(**{name: given[name] for name in Wanted.__dataclass_fields__ if name in given})
    with Bar() as bar:
        is_quick = study.command == "score" and study.prompts <= 1_000
        studies = given.get("simulations", 20_000 if is_quick else 10_000)
        is_watched = sys.stderr.isatty() and not as_json
        simulation = Simulation(studies, given["seed"], partial(watch, bar) if is_watched else lambda _, pieces: pieces)
        found = plan(study, wanted, simulation, with_curve=figure is not None)
    if figure is not None:
        write_figure(found, figure)
    print_json(found) if as_json else print_plan(found)


def _learn(what: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Learn from a run, if there is one."""
    from subitize.analysis.assumptions import learn_from

    measure = given.get("measure", "accuracy")
    if what == "error" and measure not in ("nae", "mae"):
        raise BadValueError(f"--measure {measure}: should be nae or mae")
    models, suites, judge = (given.get(name) for name in ("model", "of", "judge"))
    if "like" in given:
        with open_run(given["like"], given.get("database"), given.get("image_folder")) as run:
            return learn_from(run, measure, models or (), suites or (), judge)
    if models or suites or judge:
        raise BadValueError("--model, --of and --judge choose what is learnt from a run; add --like RUN")
    return {}
