"""The commands that plan a study: what so many prompts and images can show, and how many are needed."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from subitize.cli import options as shared
from subitize.cli.options import app, check_file, open_run, print_json
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.analysis.assumptions import Given
    from subitize.stats.power.likeness import Likeness
    from subitize.stats.power.studies import Study

power_app = typer.Typer(
    help="Plan a study: how many prompts and images per prompt it needs, and what it can show.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(power_app, name="power")

_Option = typer.Option


@dataclass(frozen=True, slots=True)
class _Options:
    """The options that plans share."""

    suite: Annotated[str | None, _Option(metavar="NAME", help="Take prompts, strata and images from a suite.")] = None
    prompts: Annotated[int | None, _Option(metavar="N", help="Number of prompts.")] = None
    images: Annotated[int | None, _Option(metavar="N", help="Images per prompt [the suite's, else 1].")] = None
    strata: Annotated[int | None, _Option(metavar="N", help="Strata of equal size [the suite's, else 1].")] = None
    icc: Annotated[float | None, _Option(help="Correlation of two images of one prompt [0.5].")] = None
    icc_within: Annotated[float | None, _Option(help="The same within a stratum [0.2; without strata --icc].")] = None
    like: Annotated[str | None, _Option(metavar="RUN", help="Learn what is not given from a run.")] = None
    model: Annotated[list[str] | None, _Option(help="With --like: only this model; or two.")] = None
    of: Annotated[list[str] | None, _Option(metavar="SUITE", help="With --like: only this suite; or two.")] = None
    judge: Annotated[str | None, _Option(help="With --like: only the readings of this judge.")] = None
    database: shared.DatabaseUrl = None
    image_folder: Annotated[Path | None, _Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a database.")] = (
        None
    )
    precision: Annotated[float | None, _Option(help="Find what gives the interval this half-width.")] = None
    against: Annotated[float | None, _Option(metavar="VALUE", help="A value to be told apart from.")] = None
    power: Annotated[float | None, _Option(help="Find what gives this power.")] = None
    confidence: Annotated[float, _Option(help="Of the interval.")] = 0.95
    alpha: Annotated[float, _Option(help="Level of the test.")] = 0.05
    tests: Annotated[int, _Option(metavar="N", help="Tests that share the level (Bonferroni).")] = 1
    simulations: Annotated[int | None, _Option(metavar="N", help="Simulated studies [20000; if slow 10000].")] = None
    seed: Annotated[int, _Option(help="Of the simulation.")] = 0
    figure: Annotated[Path | None, _Option(metavar="FILE", help="Also draw the curve: a .png or .svg.")] = None
    as_json: shared.AsJson = False

    def given(self) -> "Given":
        """Say what is given of prompts and images."""
        from subitize.analysis.assumptions import Given

        return Given(self.suite, self.prompts, self.images, self.strata, self.icc, self.icc_within)

    def learn(self, measure: str) -> "Likeness | None":
        """Learn from a run, if there is one."""
        from subitize.analysis.assumptions import learn_from

        if self.like is None:
            if self.model or self.of or self.judge:
                raise BadValueError("--model, --of and --judge choose what is learnt from a run; add --like RUN")
            return None
        with open_run(self.like, self.database, self.image_folder) as run:
            return learn_from(run, measure, self.model or (), self.of or (), self.judge)

    def show(self, study: "Study") -> None:
        """Plan, and print the plan."""
        from subitize.analysis.power import plan
        from subitize.report.document.figures import check_figure
        from subitize.report.terminal.bars import Bar
        from subitize.report.terminal.power import print_plan, write_figure
        from subitize.stats.power.simulation import Simulation
        from subitize.stats.power.studies import Wanted

        wanted = Wanted(self.confidence, self.alpha, self.power, self.tests, self.precision, self.against)
        if self.figure is not None:
            check_file(self.figure)
            check_figure(self.figure)
        with Bar() as bar:

            def track(what: str, pieces: Sequence[int]) -> Iterator[int]:
                bar.begin(what, len(pieces))
                for piece in pieces:
                    yield piece
                    bar.advance(has_failed=False)

            is_quick = study.command == "score" and study.prompts <= 1_000
            studies = (20_000 if is_quick else 10_000) if self.simulations is None else self.simulations
            is_shown = sys.stderr.isatty() and not self.as_json
            simulation = Simulation(studies, self.seed, track if is_shown else lambda _, pieces: pieces)
            found = plan(study, wanted, simulation, with_curve=self.figure is not None)
        if self.figure is not None:
            write_figure(found, self.figure)
        print_json(found) if self.as_json else print_plan(found)


def _command(*without: str) -> "Callable[[Callable[..., Study]], None]":
    """Make a command of a function that settles on a study: it has its own options and all shared ones but some."""

    def add(settle: "Callable[..., Study]") -> None:
        own = [one for name, one in signature(settle).parameters.items() if name != "options"]
        common = [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
            for one in fields(_Options)
            if one.name not in without
        ]

        def command(**given: Any) -> None:  # noqa: ANN401
            options = _Options(**{one.name: given.pop(one.name) for one in common})
            options.show(settle(options, **given))

        command.__signature__ = Signature([*own, *common])  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in (*own, *common)}
        power_app.command(settle.__name__, help=settle.__doc__)(command)

    return add


@_command()
def accuracy(
    options: _Options,
    *,
    rate: Annotated[float | None, _Option(help="Share that is right [0.5].")] = None,
    at: Annotated[int, _Option(metavar="K", help="Success is one of K images right (pass@k).")] = 1,
) -> "Study":
    """Plan one accuracy, or the success of K images, as score reports it."""
    from subitize.analysis.assumptions import settle_accuracy

    return settle_accuracy(options.given(), rate, options.learn("accuracy"), at=at)


@_command()
def error(
    options: _Options,
    *,
    mean: Annotated[float | None, _Option(help="Mean error to expect, NAE or MAE.")] = None,
    sd: Annotated[float | None, _Option(help="Its standard deviation over all images.")] = None,
    measure: Annotated[str, _Option(metavar="nae|mae", help="With --like: which error.")] = "nae",
) -> "Study":
    """Plan a mean error (NAE or MAE), as score reports it."""
    from subitize.analysis.assumptions import settle_errors

    if measure not in ("nae", "mae"):
        raise BadValueError(f"--measure {measure}: should be nae or mae")
    return settle_errors(options.given(), mean, sd, options.learn(measure))


@_command("against", "confidence")
def difference(
    options: _Options,
    *,
    models: Annotated[int, _Option(metavar="M", help="Models that are compared; Holm's adjustment.")] = 2,
    rate: Annotated[float | None, _Option(help="Share that is right in the first [0.5].")] = None,
    difference: Annotated[float | None, _Option(help="Rate of each model minus that of the one before.")] = None,
    correlation: Annotated[float | None, _Option(help="Of prompts' chances in two, within strata [0].")] = None,
) -> "Study":
    """Plan a comparison of models on the same prompts, as compare --models reports it."""
    from subitize.analysis.assumptions import settle_comparison

    known, compared = options.learn("accuracy"), (models, difference, correlation)
    return settle_comparison(options.given(), rate, *compared, known=known)


_NOT_FOR_KAPPA = ("strata", "icc", "icc_within", "like", "model", "of", "judge", "database", "image_folder")


@_command(*_NOT_FOR_KAPPA, "confidence", "alpha", "tests")
def kappa(
    options: _Options,
    *,
    raters: Annotated[int | None, _Option(metavar="N", help="How many answer yes or no to each image.")] = None,
    annotators: Annotated[int, _Option(metavar="N", help="From a pool of so many [--raters].")] = 0,
    kappa: Annotated[float | None, _Option(help="What to expect.")] = None,
    share: Annotated[float, _Option(help="Share of yes.")] = 0.5,
    icc: Annotated[float | None, _Option(help="Correlation of answers about two images of one prompt.")] = None,
    habit: Annotated[float, _Option(help="Share of a person's answers given without looking.")] = 0.0,
) -> "Study":
    """Plan Fleiss' κ and Krippendorff's α of annotators who say yes or no, as agree reports them."""
    from subitize.analysis.assumptions import settle_agreement
    from subitize.stats.power.studies import Agreement

    if raters is None or kappa is None:
        raise BadValueError("kappa needs --raters and --kappa, as in --raters 5 --kappa 0.58 --share 0.35")
    images = 1 if options.images is None else options.images
    if images > 1 and icc is None:
        raise BadValueError(f"--images {images}: with several images of a prompt give --icc as well")
    return settle_agreement(
        options.given(), Agreement(0, images, raters, annotators or raters, kappa, share, icc or 0.0, habit)
    )
