"""The assumptions of a planned study: as given, else as a run or a suite has them, else defaults."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from subitize.analysis.clusters import place_items
from subitize.analysis.observations import NO_JUDGE, Reader, observe_run
from subitize.analysis.scoring import MEASURES
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import design_of
from subitize.registry import make_suite
from subitize.stats.power import Accuracy, Agreement, Errors, Study
from subitize.store import Run

Assumed = Mapping[str, Any]
"""Values by the names of options; what is not known is left out."""

MOST_IMAGES = 100
_OWN = {
    "accuracy": ("rate", "at"),
    "difference": ("rate", "models", "difference", "correlation"),
    "error": ("mean", "sd"),
    "kappa": ("raters", "annotators", "kappa", "share", "icc", "habit"),
}
_LIMITS = {
    "prompts": (2, 100_000),
    "images": (1, MOST_IMAGES),
    "at": (1, MOST_IMAGES),
    "models": (2, 20),
    "raters": (2, 50),
    "habit": (0, 0.9),
    "tests": (1, 10_000),
    "simulations": (100, 1_000_000),
    "seed": (0, 2**31),
    **dict.fromkeys(("icc", "icc_within", "correlation"), (0, 1)),
}
_BELOW = dict.fromkeys(("rate", "share", "confidence", "alpha", "power"), 1.0)  # and above 0
_BELOW |= dict.fromkeys(("mean", "sd", "precision"), math.inf)


def settle(what: str, given: Assumed, learnt: Assumed) -> Study:
    """Settle on the study of an accuracy, a difference, an error or κ, by what is given and what a run tells."""
    _check_limits(given)
    own = {name: value for name, value in {**learnt, **given}.items() if name in _OWN[what]}
    if what == "kappa":
        return _settle_agreement(given, own)
    size = _settle_size(given)
    own |= size | _settle_iccs(given, learnt, has_strata=len(size["strata"]) > 1)
    if what != "error":
        return _settle_accuracy(given, learnt, own)
    if not {"mean", "sd"} <= own.keys():
        raise BadValueError("give --mean and --sd, as in --mean 0.3 --sd 0.4; or a run to learn from by --like RUN")
    _check_limits(own)
    return Errors(**own)


def learn_from(
    run: Run, measure: str, models: Sequence[str] = (), suites: Sequence[str] = (), judge: str | None = None
) -> Assumed:
    """Learn what to assume from a run: of one model on one suite, or of two conditions on the same prompts."""
    observed, of = observe_run(run, Reader(judge)).kept(), MEASURES[measure]
    items = {item.id: item for item in observed.seen_items()}
    bases = {id: item.base if item.base in items else id for id, item in items.items()}
    places = place_items(items.values(), observed.designs).rename({"item": "base"})
    rows = observed.rows.filter(of.where).with_columns(
        measured=of.value.cast(pl.Float64), base=pl.col("item").replace_strict(bases, return_dtype=pl.String())
    )
    judges = set(rows["judge"]) - {NO_JUDGE}
    if len(judges) == 1:  # what was only ever refused is wrong for every judge
        rows = rows.with_columns(judge=pl.lit(judges.pop()))
    names = {"model": models, "suite": suites}
    kept = rows.filter(*(pl.col(name).is_in(list(chosen)) for name, chosen in names.items() if chosen))
    conditions = kept.join(places, on="base").partition_by("model", "suite", "judge")
    if not conditions:
        raise NothingToDoError(f"{run.location} has no {measure} of that; it has: {_name_conditions(rows)}")
    if len(conditions) > 2:
        raise BadValueError(
            f"--like {run.location} has {len(conditions)} conditions: {_name_conditions(kept)}; choose one, or two to "
            "compare, by --model, --of and --judge"
        )
    if not set.intersection(*(set(one["cluster"]) for one in conditions)):
        raise BadValueError(f"--like {run.location}: its two conditions have no prompt in common; choose others")
    learnt = learn(*conditions)
    return {"rate": learnt["mean"], **learnt}


def learn(first: pl.DataFrame, second: pl.DataFrame | None = None) -> dict[str, float]:
    """Learn mean, spread and iccs of what was `measured`, by analysis of variance, from the first of two conditions.

    The correlation is that of both conditions' prompts within strata: as their images are drawn apart, the covariance
    of means over images is that of what is to be expected. What cannot be told is left out: the iccs where no prompt
    has two images, or all are alike.
    """
    mean, sd = first.select(pl.col("measured").mean(), sd=pl.col("measured").std(ddof=0)).row(0)
    learnt: dict[str, float] = {"mean": mean, "sd": sd}
    _, *overall = _analyse(first.with_columns(stratum=pl.lit(0)))
    prompts, *within = _analyse(first)
    for name, (between, rest) in {"icc": overall, "icc_within": within}.items():
        if between + rest > 0:
            learnt[name] = between / (between + rest)
    if second is not None:
        others, between, _ = _analyse(second)
        both = prompts.join(others, on="cluster").sort("cluster")
        degrees, spread = both.height - both["stratum"].n_unique(), within[0] * between
        if degrees > 0 and spread > 0:
            ours, theirs = (pl.col(one) - pl.col(one).mean().over("stratum") for one in ("mean", "mean_right"))
            correlation = both.select((ours * theirs).sum()).item() / degrees / math.sqrt(spread)
            learnt["correlation"] = min(1.0, max(0.0, correlation))
    return learnt


def _analyse(rows: pl.DataFrame) -> tuple[pl.DataFrame, float, float]:
    """Average over prompts, and split the variance within strata: between prompts, and between images of a prompt.

    Variances are NaN where there is too little to tell.
    """
    n, mean, measured = pl.col("n"), pl.col("mean"), pl.col("measured")
    sums = {"n": pl.len().cast(pl.Float64), "mean": measured.mean(), "spread": measured.var(ddof=0)}
    prompts = rows.group_by("cluster", maintain_order=True).agg(pl.col("stratum").first(), **sums)
    degrees, rest = prompts.height - prompts["stratum"].n_unique(), rows.height - prompts.height
    if degrees < 1 or rest < 1:
        return prompts, math.nan, math.nan
    of_stratum = n.sum().over("stratum")
    center = (n * mean).sum().over("stratum") / of_stratum
    within, between, size = prompts.select(
        within=(n * pl.col("spread")).sum() / rest,
        between=(n * (mean - center) ** 2).sum() / degrees,
        size=(rows.height - (n**2 / of_stratum).sum()) / degrees,
    ).row(0)
    return prompts, max(0.0, (between - within) / size), within


def _name_conditions(rows: pl.DataFrame) -> str:
    names = rows.select("model", "suite", "judge").unique().iter_rows()
    return "; ".join(sorted(f"{model} on {suite} by {judge}" for model, suite, judge in names)) or "none"


def _check_limits(given: Assumed) -> None:
    for name, limits in _LIMITS.items():
        if name in given:
            check_within(name, given[name], *limits)
    for name, most in _BELOW.items():
        if name in given and not 0 < given[name] < most:
            raise BadValueError(f"--{name} {given[name]:g}: should be above 0 and below {most:g}")


def check_within(name: str, value: float, least: float, most: float) -> None:
    """Refuse what is out of range."""
    if not least <= value <= most:
        raise BadValueError(f"--{name.replace('_', '-')} {value:g}: should be from {least:g} to {most:.10g}")


def _settle_size(given: Assumed) -> dict[str, Any]:
    """Settle on the prompts, the images of each, and the shares of strata."""
    if "suite" not in given and "prompts" not in given:
        raise BadValueError("give --suite NAME or --prompts N")
    own = _measure_suite(given["suite"]) if "suite" in given else {"prompts": 0, "images": 1, "strata": 1}
    size = {name: given.get(name, value) for name, value in own.items()}
    _check_limits(size)
    if isinstance(size["strata"], int):
        check_within("strata", size["strata"], 1, size["prompts"])
        size["strata"] = (1.0,) * size["strata"]
    return size


def _measure_suite(text: str) -> dict[str, Any]:
    """Tell how many prompts a suite has, how many images of each it asks for, and how many prompts each stratum has."""
    suite = make_suite(text).it
    items = list(suite.items(0))
    places = place_items(items, dict.fromkeys((item.suite for item in items), design_of(suite)))
    sizes = places.group_by("stratum").agg(pl.col("cluster").n_unique()).sort("stratum")["cluster"]
    prompts = places["cluster"].n_unique()
    images = round(suite.repeats * len(items) / max(1, prompts))
    return {"prompts": prompts, "images": images, "strata": tuple(map(float, sizes))}


def _settle_iccs(given: Assumed, learnt: Assumed, *, has_strata: bool) -> dict[str, float]:
    """Settle on how images of a prompt hang together: without strata in one way; within them no more than in all."""
    if learnt and not {"icc", "icc_within"} & given.keys() and "icc" not in learnt:
        raise BadValueError(
            "--like: the run cannot tell how images of one prompt hang together (one image per prompt, or all "
            "alike); give --icc"
        )
    assumed = {"icc": 0.5, "icc_within": 0.2, **learnt, **given}
    icc, within = assumed["icc"], assumed["icc_within"]
    if {"icc", "icc_within"} <= given.keys() and (within > icc or (within != icc and not has_strata)):
        raise BadValueError(
            f"--icc-within {within:g}: should be no more than --icc {icc:g}, and without strata the same"
        )
    if not has_strata:
        icc = within = given.get("icc", given.get("icc_within", icc))
    elif within > icc:
        icc = within = given.get("icc_within", icc)
    return {"icc": icc, "icc_within": within}


def _settle_accuracy(given: Assumed, learnt: Assumed, assumed: Assumed) -> Accuracy:
    """Settle on the study of one accuracy, or of those of several models; without a difference it is one of 0."""
    if "rate" not in given and learnt.get("rate") in (0, 1):
        raise BadValueError(f"--like: all images of the run are {'right' if learnt['rate'] else 'wrong'}; give --rate")
    study = Accuracy(**assumed)
    at, images, rate, difference = study.at, study.images, study.rate, study.difference
    if "rate" not in given and learnt and at > 1:
        raise BadValueError(f"--like gives the rate of single images; with --at {at} give --rate as well")
    if at > images:
        raise BadValueError(f"--at {at}: there are only {images} images per prompt; give --images {at} or more")
    if given.get("difference") == 0:
        raise BadValueError("--difference 0: there is nothing to find; leave it out to see what can be found")
    last = rate + (study.models - 1) * difference
    if not 0 < last < 1:
        told = f"from --rate {rate:g} it leads to {last:g}; the last rate should be above 0 and below 1"
        raise BadValueError(f"--difference {difference:g}: {told}")
    attained = study.attained_icc
    if attained >= study.icc - 1e-3:
        return study
    if "icc" in given:
        told = f"at this rate {len(study.sizes)} strata make it no more than {attained:.3f}"
        raise BadValueError(f"--icc {study.icc:g}: {told}; give that, more --strata, or a higher --icc-within")
    return replace(study, icc=attained)


def _settle_agreement(given: Assumed, own: Assumed) -> Agreement:
    """Settle on the study of agreement about one image of each prompt, if no other number is given."""
    if not {"raters", "kappa"} <= own.keys():
        raise BadValueError("kappa needs --raters and --kappa, as in --raters 5 --kappa 0.58 --share 0.35")
    size = _settle_size({"images": 1, **given})
    study = Agreement(size["prompts"], size["images"], **{"annotators": own["raters"], **own})
    if study.images > 1 and "icc" not in given:
        raise BadValueError(f"--images {study.images}: with several images of a prompt give --icc as well")
    check_within("annotators", study.annotators, study.raters, 500)
    looked = (1 - study.habit) ** 2
    if not (0 <= study.kappa < 1 and study.kappa <= looked):
        raise BadValueError(
            f"--kappa {study.kappa:g}: should be from 0 to below 1; with --habit H at most (1 − H)², here {looked:.3g}"
        )
    check_within("icc", study.icc, 0, study.kappa)
    return study
