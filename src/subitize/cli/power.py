"""The commands that plan a study: what so many prompts and images can show, and how many are needed."""

from contextlib import nullcontext
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.cli import options as shared
from subitize.cli.options import app, check_file, open_run, print_json, watch

power_app = typer.Typer(
    cls=shared.Summarised,
    help="Plan a study: how many prompts and images per prompt it needs, and what it can show.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(power_app, name="power")

_STUDIES = {
    "accuracy": "Plan one accuracy, or the success of K images, as score reports it.",
    "error": "Plan a mean error (NAE or MAE), as score reports it.",
    "difference": "Plan a comparison of models on the same prompts, as compare --models reports it.",
    "kappa": "Plan Fleiss' κ and Krippendorff's α of annotators who say yes or no, as agree reports them.",
}
_OF_IMAGES = "accuracy error difference"
_ImageFolder = Annotated[Path | None, typer.Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a database.")]


def _option(
    name: str, kind: type, told: str, metavar: str | None = None, default: object = None, of: str = " ".join(_STUDIES)
) -> tuple[str, Parameter]:
    """Make an option, which may be left out, of some of the studies."""
    option = typer.Option(default, help=told, metavar=metavar)
    return of, Parameter(name, Parameter.KEYWORD_ONLY, default=option, annotation=kind | None)


_OPTIONS = (
    _option("rate", float, "Share that is right [0.5].", of="accuracy"),
    _option("at", int, "Success is one of K images right (pass@k).", "K", 1, of="accuracy"),
    _option("mean", float, "Mean error to expect, NAE or MAE.", of="error"),
    _option("sd", float, "Its standard deviation over all images.", of="error"),
    _option("measure", str, "With --like: which error.", "nae|mae", "nae", of="error"),
    _option("models", int, "Models that are compared; Holm's adjustment.", "M", 2, of="difference"),
    _option("rate", float, "Share that is right in the first [0.5].", of="difference"),
    _option("difference", float, "Rate of each model minus that of the one before.", of="difference"),
    _option("correlation", float, "Of prompts' chances in two, within strata [0].", of="difference"),
    _option("raters", int, "How many answer yes or no to each image.", "N", of="kappa"),
    _option("annotators", int, "From a pool of so many [--raters].", "N", of="kappa"),
    _option("kappa", float, "What to expect.", of="kappa"),
    _option("share", float, "Share of yes.", default=0.5, of="kappa"),
    _option("icc", float, "Correlation of answers about two images of one prompt.", of="kappa"),
    _option("habit", float, "Share of a person's answers given without looking.", default=0.0, of="kappa"),
    _option("suite", str, "Take prompts, strata and images from a suite.", "NAME"),
    _option("prompts", int, "Number of prompts.", "N"),
    _option("images", int, "Images per prompt [the suite's, else 1].", "N"),
    _option("strata", int, "Strata of equal size [the suite's, else 1].", "N", of=_OF_IMAGES),
    _option("icc", float, "Correlation of two images of one prompt [0.5].", of=_OF_IMAGES),
    _option("icc_within", float, "The same within a stratum [0.2; without strata --icc].", of=_OF_IMAGES),
    _option("like", str, "Learn what is not given from a run.", "RUN", of=_OF_IMAGES),
    _option("model", list[str], "With --like: only this model; or two.", of=_OF_IMAGES),
    _option("of", list[str], "With --like: only this suite; or two.", "SUITE", of=_OF_IMAGES),
    _option("judge", str, "With --like: only the readings of this judge.", of=_OF_IMAGES),
    (_OF_IMAGES, Parameter("database", Parameter.KEYWORD_ONLY, default=None, annotation=shared.DatabaseUrl)),
    (_OF_IMAGES, Parameter("image_folder", Parameter.KEYWORD_ONLY, default=None, annotation=_ImageFolder)),
    _option("precision", float, "Find what gives the interval this half-width."),
    _option("against", float, "A value to be told apart from.", "VALUE", of="accuracy error kappa"),
    _option("power", float, "Find what gives this power."),
    _option("confidence", float, "Of the interval.", default=0.95, of="accuracy error"),
    _option("alpha", float, "Level of the test.", default=0.05, of=_OF_IMAGES),
    _option("tests", int, "Tests that share the level (Bonferroni).", "N", 1, of=_OF_IMAGES),
    _option("simulations", int, "Simulated studies [20000; if slow 10000].", "N"),
    _option("seed", int, "Of the simulation.", default=0),
    _option("figure", Path, "Also draw the curve: a .png or .svg.", "FILE"),
    (" ".join(_STUDIES), Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=shared.AsJson)),
)


def _add_command(study: str) -> None:
    """Add the command that plans a study, with its options."""
    parameters = [parameter for of, parameter in _OPTIONS if study in of.split()]

    def command(**given: Any) -> None:  # noqa: ANN401
        _plan(study, {name: value for name, value in given.items() if value not in (None, [])})

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    power_app.command(study, help=_STUDIES[study])(command)


for _study in _STUDIES:
    _add_command(_study)


def _plan(what: str, given: dict[str, Any]) -> None:
    """Plan a study, and print what it shows."""
    from subitize.analysis.power import plan
    from subitize.report.figures import check_figure
    from subitize.report.studies import print_plan, write_power_figure
    from subitize.report.terminal import Bar

    figure, as_json = given.pop("figure", None), given.pop("as_json")
    if figure is not None:
        check_file(figure)
        check_figure(figure)
    like, database, folder = (given.get(name) for name in ("like", "database", "image_folder"))
    with open_run(like, database, folder) if like else nullcontext() as run, Bar() as bar:
        found = plan(what, given, run, partial(watch, bar), with_curve=figure is not None)
    if figure is not None:
        write_power_figure(found, figure)
    print_json(found) if as_json else print_plan(found)
