"""The command that plans a study: what so many prompts and images can show, and how many are needed."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar, cast

import typer

from subitize.cli.options import AsJson, DatabaseUrl, app, check_file, open_run, print_json
from subitize.errors import BadValueError, UnknownNameError

if TYPE_CHECKING:
    from subitize.analysis.power import Plan, Wanted
    from subitize.stats.power import Likeness

_Number = TypeVar("_Number", int, float)

_KINDS = ("accuracy", "difference", "kappa")
_METHODS = ("auto", "closed", "simulation")
DEFAULT_RATE, DEFAULT_ICC, DEFAULT_CORRELATION = 0.5, 0.5, 0.0


@app.command()
def power(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="accuracy, difference (of two on the same prompts), kappa")
    ],
    suite: Annotated[str | None, typer.Option(help="Takes prompts and images per prompt from this suite.")] = None,
    prompts: Annotated[int | None, typer.Option(help="Number of prompts.")] = None,
    images: Annotated[int | None, typer.Option(help="Images per prompt [the suite's, else 1].")] = None,
    rate: Annotated[float | None, typer.Option(help="Share right [0.5]; of the first of two.")] = None,
    difference: Annotated[float | None, typer.Option(help="Of the second from the first of two.")] = None,
    precision: Annotated[float | None, typer.Option(help="Half-width that the interval should have.")] = None,
    against: Annotated[float | None, typer.Option(help="A rate or kappa to be told apart from.")] = None,
    icc: Annotated[float | None, typer.Option(help="Correlation of two images of one prompt [0.5].")] = None,
    correlation: Annotated[float | None, typer.Option(help="Of the prompts' chances in both of two [0].")] = None,
    discordance: Annotated[
        float | None, typer.Option(help="Instead: share of prompts where one image differs.")
    ] = None,
    at: Annotated[int, typer.Option("--at", metavar="K", help="Success is one of K images right (pass@k).")] = 1,
    raters: Annotated[int | None, typer.Option(help="For kappa: how many answer yes or no to each.")] = None,
    kappa: Annotated[float | None, typer.Option(help="For kappa: what to expect.")] = None,
    share: Annotated[float, typer.Option(help="For kappa: share of yes.")] = 0.5,
    confidence: Annotated[float, typer.Option(help="Of the interval.")] = 0.95,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    target: Annotated[float, typer.Option("--power", help="Power that is wanted.")] = 0.8,
    tests: Annotated[int, typer.Option(help="Comparisons that share the level (Bonferroni).")] = 1,
    like: Annotated[str | None, typer.Option(metavar="RUN", help="Takes rate, icc, correlation from a run.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="With --like: only this model; or two.")] = None,
    of: Annotated[list[str] | None, typer.Option(metavar="SUITE", help="With --like: only this suite; or two.")] = None,
    judge: Annotated[str | None, typer.Option(help="With --like: only the readings of this judge.")] = None,
    method: Annotated[str, typer.Option(metavar="auto|closed|simulation", help="How it is computed.")] = "auto",
    simulations: Annotated[int, typer.Option(help="Studies that are drawn.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 0,
    figure: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the curve: a .png or .svg.")] = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    image_folder: Annotated[
        Path | None, typer.Option(envvar="SUBITIZE_IMAGES", help="Of a --like run in a --database.")
    ] = None,
) -> None:
    """Plan a study: how many prompts and images per prompt it needs, and what it can show."""
    if what not in _KINDS:
        raise UnknownNameError("study", what, _KINDS)
    if method not in _METHODS:
        raise UnknownNameError("method", method, _METHODS)
    if figure is not None:
        from subitize.report.calibrations import check_figure

        check_file(figure)
        check_figure(figure)
    _refuse_strangers(
        what,
        {
            "--difference": difference,
            "--correlation": correlation,
            "--discordance": discordance,
            "--raters": raters,
            "--kappa": kappa,
            "--against": against,
            "--like": like,
        },
    )
    from subitize.analysis.power import Wanted
    from subitize.stats.power import Method

    how = Method(
        cast("Literal['auto', 'closed', 'simulation']", method),
        _within("--simulations", simulations, 100, 1_000_000),
        _within("--seed", seed, 0, 2**31),
    )
    wanted = Wanted(
        _open("--confidence", confidence),
        _open("--alpha", alpha),
        _open("--power", target),
        _within("--tests", tests, 1, 10_000),
        None if precision is None else _open("--precision", precision),
        against,
        how,
    )
    if target <= alpha:
        raise BadValueError(f"--power {target:g}: should be above --alpha {alpha:g}, which any study has by chance")
    size = _size(suite, prompts, images, what)
    if what == "kappa":
        plan = _plan_kappa(size[0], raters, kappa, share, wanted)
    else:
        known = None
        if like is not None:
            from subitize.analysis.power import learn_from

            with open_run(like, database, image_folder) as opened:
                known = learn_from(opened, model or (), of or (), judge)
        given = _Given(rate, difference, icc, correlation, discordance, at)
        plan = _plan_rates(what, size, given.settle(known), wanted)
    from subitize.report.power import print_plan, write_figure

    if figure is not None:
        write_figure(plan, figure)
    if as_json:
        return print_json(plan)
    return print_plan(plan)


@dataclass(frozen=True)
class _Given:
    """What is assumed of images: as given, else as a run has it, else the default."""

    rate: float | None
    difference: float | None
    icc: float | None
    correlation: float | None
    discordance: float | None
    at: int

    def settle(self, known: "Likeness | None") -> "_Given":
        """Fill in what was not given."""
        rate, icc, correlation = self.rate, self.icc, self.correlation
        if self.correlation is not None and self.discordance is not None:
            raise BadValueError("--correlation and --discordance say the same; give one of them")
        if known is not None and self.at > 1 and self.rate is None:
            raise BadValueError(f"--like gives the rate of single images; with --at {self.at} give --rate as well")
        if known is not None and icc is None:
            if known.icc is None:
                raise BadValueError(
                    "--like: the run cannot tell how images of one prompt hang together (one image per prompt, or all "
                    "alike); give --icc"
                )
            icc = known.icc.value
        if known is not None and rate is None:
            rate = known.rate.value
            if not 0 < rate < 1:
                raise BadValueError(f"--like: all images of the run are {'right' if rate else 'wrong'}; give --rate")
        if correlation is None and known is not None and self.discordance is None:
            correlation = known.correlation
        return _Given(
            _open("--rate", DEFAULT_RATE if rate is None else rate),
            self.difference,
            _within("--icc", DEFAULT_ICC if icc is None else icc, 0, 1),
            None if correlation is None else _within("--correlation", correlation, 0, 1),
            None if self.discordance is None else _within("--discordance", self.discordance, 0, 1),
            self.at,
        )


def _plan_rates(what: str, size: tuple[int, int], given: _Given, wanted: "Wanted") -> "Plan":
    from subitize.analysis.power import MOST_IMAGES_AT, find_correlation, plan_accuracy, plan_difference
    from subitize.stats.power import Accuracy, Difference

    prompts, images = size
    rate, icc = given.rate or DEFAULT_RATE, DEFAULT_ICC if given.icc is None else given.icc
    at = _within("--at", given.at, 1, MOST_IMAGES_AT)
    if at > images:
        raise BadValueError(f"--at {at}: there are only {images} images per prompt; give --images {at} or more")
    if at > 1:
        _within("--images", images, 1, MOST_IMAGES_AT)
    if what == "accuracy":
        if wanted.against is not None:
            _open("--against", wanted.against)
        return plan_accuracy(Accuracy(prompts, images, rate, icc, at), wanted)
    difference = given.difference or 0.0
    if not 0 < rate + difference < 1:
        raise BadValueError(
            f"--difference {difference:g}: from --rate {rate:g} it leads to {rate + difference:g}; the second rate "
            "should be above 0 and below 1"
        )
    correlation = DEFAULT_CORRELATION if given.correlation is None else given.correlation
    if given.discordance is not None:
        if at > 1:
            raise BadValueError("--discordance is of single images; with --at give --correlation instead")
        correlation = find_correlation(rate, difference, icc, given.discordance)
    if given.difference is not None and difference == 0:
        raise BadValueError("--difference 0: there is nothing to find; leave it out to see what can be found")
    design = Difference(prompts, images, rate, difference, icc, correlation, at)
    return plan_difference(design, wanted, is_given=given.difference is not None)


def _plan_kappa(prompts: int, raters: int | None, kappa: float | None, share: float, wanted: "Wanted") -> "Plan":
    from subitize.analysis.power import MOST_RATERS, plan_agreement
    from subitize.stats.power import Agreement

    if raters is None or kappa is None:
        raise BadValueError("kappa needs --raters and --kappa, as in --raters 5 --kappa 0.58 --share 0.35")
    if not 0 <= kappa < 1:
        raise BadValueError(
            f"--kappa {kappa:g}: should be from 0 to below 1; raters who agree less than by chance, or always, are not "
            "planned for"
        )
    if wanted.against is not None:
        _within("--against", wanted.against, -1, 1)
    return plan_agreement(
        Agreement(prompts, _within("--raters", raters, 2, MOST_RATERS), kappa, _open("--share", share)), wanted
    )


def _size(suite: str | None, prompts: int | None, images: int | None, what: str) -> tuple[int, int]:
    from subitize.analysis.power import MOST_IMAGES, MOST_PROMPTS, measure_suite

    if suite is None and prompts is None:
        raise BadValueError("give --suite NAME or --prompts N")
    found = (prompts, images or 1) if suite is None else measure_suite(suite)
    own = "" if what == "kappa" else f" of {suite}" if images is None and suite else ""
    settled = prompts if prompts is not None else found[0]
    assert settled is not None
    each = images if images is not None else found[1]
    return (
        _within("--prompts", settled, 2, MOST_PROMPTS),
        1 if what == "kappa" else _within(f"--images{own}", each, 1, MOST_IMAGES),
    )


def _refuse_strangers(what: str, given: dict[str, object]) -> None:
    """Refuse options that mean nothing for this study, rather than pass over them."""
    own = {
        "accuracy": {"--against", "--like"},
        "difference": {"--difference", "--correlation", "--discordance", "--like"},
        "kappa": {"--raters", "--kappa", "--against"},
    }[what]
    for name, value in given.items():
        if value is not None and name not in own:
            raise BadValueError(f"{name} means nothing for {what}; leave it out")


def _open(name: str, value: float) -> float:
    if not (math.isfinite(value) and 0 < value < 1):
        raise BadValueError(f"{name} {value:g}: should be above 0 and below 1")
    return value


def _within(name: str, value: _Number, least: int, most: int) -> _Number:
    if not (math.isfinite(value) and least <= value <= most):
        raise BadValueError(f"{name} {value:g}: should be from {least} to {most}")
    return value
