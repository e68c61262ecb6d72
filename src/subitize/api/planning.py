"""The verb that plans a study: how many prompts and images it needs, and what it can show."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from subitize.api.calls import AS_WARNINGS, as_list, as_path, opened, verb
from subitize.api.options import AnyPath, AnyRun, Names, Opt
from subitize.errors import UnknownNameError

if TYPE_CHECKING:
    from subitize.interfaces import Events
    from subitize.report.table import Result

STUDIES = {
    "accuracy": "Plan one accuracy, or the success of K images, as score reports it.",
    "error": "Plan a mean error (NAE or MAE), as score reports it.",
    "difference": "Plan a comparison of models on the same prompts, as compare reports it.",
    "kappa": "Plan Fleiss' κ and Krippendorff's α of annotators who say yes or no, as agree reports them.",
}
"""What can be planned."""
_OF_IMAGES = "accuracy error difference"


def _option(
    name: str,
    kind: Any,  # noqa: ANN401
    help: str,
    metavar: str | None = None,
    default: object = None,
    of: str = " ".join(STUDIES),
) -> tuple[str, Parameter]:
    """Make an optional parameter of some of the studies."""
    return of, Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, Opt(help, metavar)])


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
    _option("annotators", int, "Size of the pool they come from [--raters].", "N", of="kappa"),
    _option("kappa", float, "What to expect.", of="kappa"),
    _option("share", float, "Share of yes.", default=0.5, of="kappa"),
    _option("icc", float, "Correlation of answers about two images of one prompt.", of="kappa"),
    _option("habit", float, "Share of a person's answers given without looking.", default=0.0, of="kappa"),
    _option("suite", str, "Take prompts, strata and images from a suite.", "NAME"),
    _option("prompts", int, "Number of prompts.", "N"),
    _option("images", int, "Images per prompt [the suite's, else 1].", "N"),
    _option("strata", int, "Strata of equal size [the suite's, else 1].", "N", of=_OF_IMAGES),
    _option("nouns", int, "Nouns that prompts share, if sampled [the suite's, else none].", "N", of=_OF_IMAGES),
    _option(
        "noun_correlation", float, "Of the chances of two prompts of one noun, within strata [0.5].", of=_OF_IMAGES
    ),
    _option("icc", float, "Correlation of two images of one prompt [0.5].", of=_OF_IMAGES),
    _option("icc_within", float, "The same within a stratum [0.2; without strata --icc].", of=_OF_IMAGES),
    _option("like", AnyRun, "Learn what is not given from a run.", "RUN", of=_OF_IMAGES),
    _option("model", Names, "With --like: only this model; or two.", of=_OF_IMAGES),
    _option("of", Names, "With --like: only this suite; or two.", "SUITE", of=_OF_IMAGES),
    _option("judge", str, "With --like: only the readings of this judge.", of=_OF_IMAGES),
    _option("precision", float, "Find what gives the interval this half-width."),
    _option("against", float, "A value to be told apart from.", "VALUE", of="accuracy error kappa"),
    _option("power", float, "Find what gives this power."),
    _option("confidence", float, "Of the interval.", default=0.95, of="accuracy error"),
    _option("alpha", float, "Level of the test.", default=0.05, of=_OF_IMAGES),
    _option("tests", int, "Tests that share the level (Bonferroni).", "N", 1, of=_OF_IMAGES),
    _option("simulations", int, "Simulated studies [20000; if slow 10000].", "N"),
    _option("seed", int, "Of the simulation.", default=0),
    _option("figure", AnyPath, "Also draw the curve: a .png or .svg.", "FILE"),
)


def list_options(kind: str) -> Sequence[Parameter]:
    """List the options of a kind of study."""
    return [parameter for of, parameter in _OPTIONS if kind in of.split()]


@verb
def plan_study(kind: str, *, events: "Events" = AS_WARNINGS, **chosen: Any) -> "Result":  # noqa: ANN401
    """Plan the study of an accuracy, an error, a difference or κ: `plan_study("accuracy", rate=0.3, prompts=60)`.

    The options of each kind are those of `subitize make plan KIND`.
    """
    from subitize.analysis.power import plan
    from subitize.interfaces import watch
    from subitize.io.outputs import check_figure
    from subitize.report.studies import plan_result, write_power_figure

    if kind not in STUDIES:
        raise UnknownNameError("kind of study", kind, STUDIES)
    known = {one.name: one.default for one in list_options(kind)}
    if unknown := [name for name in chosen if name not in known]:
        raise UnknownNameError(f"option of {kind}", unknown[0], known)
    given = {name: value for name, value in (known | chosen).items() if value not in (None, [], ())}
    given |= {name: as_list(given[name]) for name in ("model", "of") if name in given}
    figure, like = as_path(given.pop("figure", None)), given.get("like")
    check_figure(figure)
    with nullcontext([None]) if like is None else opened(like) as (run,):
        found = plan(kind, given, run, partial(watch, events), with_curve=figure is not None)
    if figure is not None:
        write_power_figure(found, Path(figure))
    return plan_result(found)


def verb_of(kind: str) -> Any:  # noqa: ANN401
    """Make the verb that plans one kind of study, with its own options."""

    def planned(**chosen: Any) -> "Result":  # noqa: ANN401
        return plan_study(kind, **chosen)

    planned.__doc__ = STUDIES[kind]
    planned.__signature__ = Signature(list_options(kind))  # type: ignore[attr-defined]
    return planned
