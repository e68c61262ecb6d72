"""What a planned study assumes: as it is given, else as a run has it, else by default; and what it may be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from subitize.analysis.clusters import place_items
from subitize.analysis.observations import NO_JUDGE, Reader, observe_run
from subitize.analysis.scoring import MEASURES
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import design_of
from subitize.registry import make_suite
from subitize.stats.power.likeness import Likeness, Sample, learn
from subitize.stats.power.studies import Accuracy, Agreement, Errors
from subitize.store import Run

MOST_IMAGES = 100
_DEFAULT_ICC, _DEFAULT_ICC_WITHIN = 0.5, 0.2
_MOST_PROMPTS, _MOST_RATERS, _MOST_MODELS = 100_000, 50, 20

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Given:
    """What is said of a study's prompts and images; None is left to a suite, a run or the default."""

    suite: str | None = None
    prompts: int | None = None
    images: int | None = None
    strata: int | None = None
    icc: float | None = None
    icc_within: float | None = None

    def settle(self, known: Likeness | None = None) -> dict[str, Any]:
        """Settle on the prompts, their strata, the images of each, and how those hang together."""
        if self.suite is None and self.prompts is None:
            raise BadValueError("give --suite NAME or --prompts N")
        prompts, images, strata = (self.prompts or 0, 1, (1.0,)) if self.suite is None else measure_suite(self.suite)
        own = f" of {self.suite}" if self.suite and self.images is None else ""
        prompts = check_within("--prompts", _first(self.prompts, prompts), 2, _MOST_PROMPTS)
        images = check_within(f"--images{own}", _first(self.images, images), 1, MOST_IMAGES)
        if self.strata is not None:
            strata = (1.0,) * check_within("--strata", self.strata, 1, prompts)
        icc, within = self._settle_iccs(known, has_strata=len(strata) > 1)
        return {"prompts": prompts, "images": images, "strata": strata, "icc": icc, "icc_within": within}

    def _settle_iccs(self, known: Likeness | None, *, has_strata: bool) -> tuple[float, float]:
        if known is not None and self.icc is None and self.icc_within is None and known.icc is None:
            raise BadValueError(
                "--like: the run cannot tell how images of one prompt hang together (one image per prompt, or all "
                "alike); give --icc"
            )
        icc = check_within("--icc", _first(self.icc, known and known.icc, _DEFAULT_ICC), 0, 1)
        learnt = _first(self.icc_within, known and known.icc_within, _DEFAULT_ICC_WITHIN)
        within = check_within("--icc-within", learnt, 0, 1)
        if not has_strata:
            within = icc = _first(self.icc_within if self.icc is None else self.icc, icc)
        if self.icc_within not in (None, within) or (self.icc is not None and (self.icc_within or 0) > icc):
            raise BadValueError(
                f"--icc-within {self.icc_within:g}: should be no more than --icc {icc:g}, and without strata the same"
            )
        return (icc, min(icc, within)) if self.icc_within is None else (max(icc, within), within)


def settle_accuracy(given: Given, rate: float | None = None, known: Likeness | None = None, *, at: int = 1) -> Accuracy:
    """Settle on the study of one accuracy."""
    if known is not None and at > 1 and rate is None:
        raise BadValueError(f"--like gives the rate of single images; with --at {at} give --rate as well")
    study = Accuracy(**given.settle(known), rate=_settle_rate(rate, known))
    if check_within("--at", at, 1, MOST_IMAGES) > study.images:
        raise BadValueError(f"--at {at}: there are only {study.images} images per prompt; give --images {at} or more")
    return _allow_strata(replace(study, at=at), given)


def settle_comparison(
    given: Given,
    rate: float | None,
    models: int,
    difference: float | None,
    correlation: float | None,
    *,
    known: Likeness | None = None,
) -> Accuracy:
    """Settle on the comparison of models; without a difference it is one of 0."""
    study = Accuracy(
        **given.settle(known),
        rate=_settle_rate(rate, known),
        models=check_within("--models", models, 2, _MOST_MODELS),
        difference=difference or 0.0,
        correlation=check_within("--correlation", _first(correlation, known and known.correlation, 0.0), 0, 1),
    )
    if difference == 0:
        raise BadValueError("--difference 0: there is nothing to find; leave it out to see what can be found")
    last = study.rate + (models - 1) * study.difference
    if not 0 < last < 1:
        raise BadValueError(
            f"--difference {difference:g}: from --rate {study.rate:g} it leads to {last:g}; the last rate should be "
            "above 0 and below 1"
        )
    return _allow_strata(study, given)


def settle_errors(given: Given, mean: float | None, sd: float | None, known: Likeness | None = None) -> Errors:
    """Settle on the study of a mean error, with its spread."""
    mean, sd = _first(mean, known and known.mean), _first(sd, known and known.sd)
    if mean is None or sd is None:
        raise BadValueError(
            "give --mean and --sd, as in --mean 0.3 --sd 0.4; or a run to learn them from by --like RUN"
        )
    if not (0 < mean < math.inf and 0 < sd < math.inf):
        raise BadValueError(f"--mean {mean:g} --sd {sd:g}: both should be above 0")
    return Errors(**given.settle(known), mean=mean, sd=sd)


def settle_agreement(given: Given, study: Agreement) -> Agreement:
    """Settle on the prompts of a study of agreement, and check the rest."""
    check_within("--raters", study.raters, 2, _MOST_RATERS)
    check_within("--annotators", study.annotators, study.raters, 10 * _MOST_RATERS)
    looked = (1 - check_within("--habit", study.habit, 0, 0.9)) ** 2
    if not (0 <= study.kappa < 1 and study.kappa <= looked):
        raise BadValueError(
            f"--kappa {study.kappa:g}: should be from 0 to below 1; with --habit H at most (1 − H)², here {looked:.3g}"
        )
    check_within("--icc", study.icc, 0, study.kappa)
    check_open("--share", study.share)
    return replace(study, prompts=replace(given, images=study.images).settle()["prompts"])


def measure_suite(text: str) -> tuple[int, int, tuple[float, ...]]:
    """Tell how many prompts a suite has, how many images of each it asks for, and how many prompts each stratum has."""
    suite = make_suite(text).it
    items = list(suite.items(0))
    places = place_items(items, dict.fromkeys((item.suite for item in items), design_of(suite)))
    sizes = places.group_by("stratum").agg(pl.col("cluster").n_unique()).sort("stratum")["cluster"]
    prompts = places["cluster"].n_unique()
    return prompts, round(suite.repeats * len(items) / max(1, prompts)), tuple(map(float, sizes))


def learn_from(
    run: Run, measure: str, models: Sequence[str] = (), suites: Sequence[str] = (), judge: str | None = None
) -> Likeness:
    """Estimate what to assume from a run: of one model on one suite, or of two conditions on the same prompts."""
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
    samples = [Sample(*(one[name].to_numpy() for name in ("measured", "cluster", "stratum"))) for one in conditions]
    if len(samples) == 2 and not np.intersect1d(samples[0].clusters, samples[1].clusters).size:
        raise BadValueError(f"--like {run.location}: its two conditions have no prompt in common; choose others")
    return learn(*samples)


def check_open(name: str, value: float) -> float:
    """Refuse what is not above 0 and below 1."""
    if not 0 < value < 1:
        raise BadValueError(f"{name} {value:g}: should be above 0 and below 1")
    return value


def check_within(name: str, value: _Number, least: float, most: float) -> _Number:
    """Refuse what is out of range."""
    if not least <= value <= most:
        raise BadValueError(f"{name} {value:g}: should be from {least:g} to {most:.10g}")
    return value


def _first(*values: Any) -> Any:  # noqa: ANN401
    """Give the first that is there."""
    return next((one for one in values if one is not None), None)


def _settle_rate(rate: float | None, known: Likeness | None) -> float:
    if rate is None and known is not None and not 0 < known.mean < 1:
        raise BadValueError(f"--like: all images of the run are {'right' if known.mean else 'wrong'}; give --rate")
    return check_open("--rate", _first(rate, known and known.mean, 0.5))


def _allow_strata(study: Accuracy, given: Given) -> Accuracy:
    """Refuse an icc that strata cannot have; one that was not given is as large as they can have it."""
    attained = study.attained_icc
    if attained >= study.icc - 1e-3:
        return study
    if given.icc is not None:
        raise BadValueError(
            f"--icc {study.icc:g}: at this rate {len(study.sizes)} strata make it no more than {attained:.3f}; give "
            "that, more --strata, or a higher --icc-within"
        )
    return replace(study, icc=attained)


def _name_conditions(rows: pl.DataFrame) -> str:
    names = rows.select("model", "suite", "judge").unique().iter_rows()
    return "; ".join(sorted(f"{model} on {suite} by {judge}" for model, suite, judge in names)) or "none"
