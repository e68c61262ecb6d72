"""Plans of studies: their assumptions, what a number of prompts and images can show, and how many are needed."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from subitize.analysis.design import assign_units, levels_of
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import MEASURES
from subitize.errors import BadValueError
from subitize.frame import NO_JUDGE
from subitize.records import Estimate
from subitize.registry import make_suite
from subitize.stats.estimate import ColumnLike, split_levels
from subitize.stats.power import (
    Accuracy,
    AgreementStudy,
    Columns,
    ErrorStudy,
    Simulation,
    Study,
    Track,
    Wanted,
    summarize,
)
from subitize.store import Run

Assumed = Mapping[str, Any]
"""Known values by the names of options."""

_MOST_IMAGES = 100
_MOST_PROMPTS_TRIED = 20_000
_LIMITS = {
    "prompts": (2, 100_000),
    "images": (1, _MOST_IMAGES),
    "at": (1, _MOST_IMAGES),
    "models": (2, 20),
    "raters": (2, 50),
    "habit": (0, 0.9),
    "tests": (1, 10_000),
    "simulations": (100, 1_000_000),
    "seed": (0, 2**31),
    "nouns": (2, 100_000),
    **dict.fromkeys(("icc", "icc_within", "correlation", "noun_correlation"), (0, 1)),
}
_BELOW = dict.fromkeys(("rate", "share", "confidence", "alpha", "power"), 1.0)  # and above 0
_BELOW |= dict.fromkeys(("mean", "sd", "precision"), math.inf)
_CONDITION = ("model", "suite", "judge")
_DEFAULT_POWER = 0.8
_TABLED = (1, 2, 4, 8, 16, 32)
_STEP = 1e-3  # of differences
_ROUGHLY, _EXACT_WIDTH = 10, 1_000  # factor by which a rough search has fewer studies; studies for a half-width
_FINE = 1.03  # the factor between sizes once the size is roughly known


@dataclass(frozen=True, slots=True)
class PlanFigure:
    """One figure of a plan; None, with a note why, if nothing tried is enough."""

    what: str
    value: Estimate | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlanPoint:
    """The same study with another number of images (of prompts, for κ)."""

    at: int
    half_width: Estimate
    power: Estimate | None


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """A study, its assumptions, its figures, and the same for other numbers of images or prompts."""

    design: Study
    assumed: Mapping[str, str]
    answers: tuple[PlanFigure, ...]
    axis: str
    curve: tuple[PlanPoint, ...]
    notes: tuple[str, ...] = ()


def plan(what: str, given: Assumed, run: Run | None, track: Track, *, with_curve: bool = False) -> PowerPlan:
    """Plan the study of an accuracy, a difference, an error or κ, from given values and those learnt from a run.

    It is simulated: its figures, the sizes that would give the wanted figures, and the figures of other sizes.
    """
    study = _settle(what, given, _learn_from(run, what, given))
    wanted = Wanted(**{name: given[name] for name in Wanted.__dataclass_fields__ if name in given})
    _check_wanted(study, wanted)
    reader = {"difference": "compare", "kappa": "agree"}.get(what, "score")
    is_quick = reader == "score" and study.prompts <= 1_000
    count = given.get("simulations", 20_000 if is_quick else 10_000)
    simulation = Simulation(study, wanted, count, given["seed"], track)
    columns = simulation.run()
    answers = [PlanFigure(name, summarize(own)) for name, own in columns.items() if name not in ("low", "high")]
    answers += [*_find_distinguishable(simulation, columns), *_search(simulation, is_tested="power" in columns)]
    curve = _draw_curve(simulation) if with_curve else ()
    axis = "prompts" if isinstance(study, AgreementStudy) else "images per prompt"
    level = f"level {wanted.alpha:g}" + f" / {wanted.tests} tests (Bonferroni)" * (wanted.tests > 1)
    note = f"{count} simulated studies, each read as subitize {reader} does; {level}"
    return PowerPlan(study, _assume(study), tuple(answers), axis, tuple(curve), (note,))


def _learn_from(run: Run | None, what: str, given: Assumed) -> Assumed:
    """Learn assumptions from a run: from one model on one suite, or from two conditions on the same prompts."""
    measure = given.get("measure", "accuracy")
    if what == "error" and measure not in ("nae", "mae"):
        raise BadValueError(f"`measure` {measure}: should be nae or mae")
    if run is None:
        if {"model", "of", "judge"} & given.keys():
            raise BadValueError("`model`, `of` and `judge` choose what is learnt from a run; add `like` RUN")
        return {}
    observed, of = observe_run(run, ReadOptions(given.get("judge"))).kept(), MEASURES[measure]
    items = {item.id: item for item in observed.seen_items()}
    bases = {id: item.base for id, item in items.items() if item.base in items}
    measured = of.value.cast(pl.Float64)
    rows = observed.rows.filter(of.where).with_columns(pl.col("item").replace(bases), measured=measured)
    judges = set(rows["judge"]) - {NO_JUDGE}
    if len(judges) == 1:  # items that were only ever refused are wrong for every judge
        rows = rows.with_columns(judge=pl.lit(judges.pop()))
    names = {"model": given.get("model"), "suite": given.get("of")}
    kept = rows.filter(*(pl.col(column).is_in(chosen) for column, chosen in names.items() if chosen))
    places = assign_units(items.values(), observed.designs)
    conditions = kept.join(places, on="item").partition_by(*_CONDITION)
    if not 1 <= len(conditions) <= 2:
        known = "; ".join(sorted("{} on {} by {}".format(*one) for one in rows.select(_CONDITION).unique().rows()))
        reason = f"choose one, or two to compare, by `model`, `of` and `judge`, of: {known or 'none'}"
        raise BadValueError(f"`like` {run.location}: {len(conditions)} conditions have {measure}; {reason}")
    if not set.intersection(*(set(one["cluster"]) for one in conditions)):
        raise BadValueError(f"`like` {run.location}: its two conditions have no prompt in common; choose others")
    learnt = learn(*conditions)
    return {"rate": learnt["mean"], **learnt}


def learn(first: pl.DataFrame, second: pl.DataFrame | None = None) -> dict[str, float]:
    """Learn the mean, spread and iccs of `measured` by analysis of variance, from the first of two conditions.

    The correlation is that of both conditions' prompts within strata: as their images are drawn independently, the
    covariance of means over images equals that of expectations. Unknown values are left out, such as the iccs if no
    prompt has two images, or all are alike.
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

    Variances are NaN if there is too little data.
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


def _settle(what: str, given: Assumed, learnt: Assumed) -> Study:
    """Choose the study: as given, else as in a run or a suite, else by default."""
    if what != "error" and "rate" not in given and learnt.get("rate") in (0, 1):
        raise BadValueError(f"`like`: all images of the run are {'right' if learnt['rate'] else 'wrong'}; give `rate`")
    kinds: dict[str, type[Study]] = {"kappa": AgreementStudy, "error": ErrorStudy}
    kind = kinds.get(what, Accuracy)
    known = {**learnt, **given, **_settle_size({"images": 1, **given} if what == "kappa" else given)}
    if what == "accuracy":  # one model only
        known.pop("correlation", None)
    known = {name: value for name, value in known.items() if name in kind.__dataclass_fields__}
    _check_limits({**given, **known})
    if kind is AgreementStudy:
        return _settle_agreement(known)
    known |= _settle_iccs(given, learnt, has_strata=len(known["strata"]) > 1)
    if kind is Accuracy:
        return _settle_accuracy(given, learnt, Accuracy(**known))
    if not {"mean", "sd"} <= known.keys():
        raise BadValueError("give `mean` and `sd`, as in `mean` 0.3 `sd` 0.4; or a run to learn from by `like` RUN")
    return ErrorStudy(**known)


def _check_limits(given: Assumed) -> None:
    for name, limits in _LIMITS.items():
        if name in given:
            _check_within(name, given[name], *limits)
    for name, most in _BELOW.items():
        if name in given and not 0 < given[name] < most:
            raise BadValueError(f"`{name}` {given[name]:g}: should be above 0 and below {most:g}")


def _check_within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise BadValueError(f"`{name}` {value:g}: should be from {least:g} to {most:.10g}")


def _settle_size(given: Assumed) -> dict[str, Any]:
    """Choose the numbers of prompts and images and the shares of strata: as given, else as in a suite."""
    if "suite" not in given and "prompts" not in given:
        raise BadValueError("give `suite` NAME or `prompts` N")
    prompts, images, sizes, nouns = given.get("prompts", 0), 1, [1], given.get("nouns", 0)
    if "suite" in given:
        suite = make_suite(given["suite"]).obj
        items = list(suite.items(0))
        places = assign_units(items, dict.fromkeys((item.suite for item in items), suite.design()))
        sizes = places.group_by("stratum").agg(pl.col("cluster").n_unique()).sort("stratum")["cluster"].to_list()
        own = places["cluster"].n_unique()
        nouns = nouns or max((_count_levels(levels) for levels in levels_of(places).values()), default=0)
        prompts, images = given.get("prompts", own), round(suite.repeats * len(items) / max(1, own))
    if "strata" in given:
        _check_within("strata", given["strata"], 1, prompts)
        sizes = [1] * given["strata"]
    known = {"prompts": prompts, "images": given.get("images", images), "strata": tuple(map(float, sizes))}
    if "noun_correlation" in given and not nouns:
        raise BadValueError(f"`noun_correlation` {given['noun_correlation']:g}: give the number of `nouns`, too")
    return known | ({"nouns": nouns, "noun_correlation": given.get("noun_correlation", 0.5)} if nouns else {})


def _count_levels(texts: ColumnLike) -> int:
    return len({level for text in texts for level in split_levels(text)})


def _settle_iccs(given: Assumed, learnt: Assumed, *, has_strata: bool) -> dict[str, float]:
    """Choose the iccs of images of a prompt: one value without strata; within strata no more than overall."""
    named = {"icc", "icc_within"} & given.keys()
    if learnt and not named and "icc" not in learnt:
        reason = "the run cannot tell how images of one prompt hang together (one image per prompt, or all alike)"
        raise BadValueError(f"`like`: {reason}; give `icc`")
    assumed = {"icc": 0.5, "icc_within": 0.2, **learnt, **given}
    icc, within = assumed["icc"], assumed["icc_within"]
    if len(named) == 2 and (within > icc or (within != icc and not has_strata)):
        raise BadValueError(f"`icc_within` {within:g}: should be no more than `icc` {icc:g}; without strata the same")
    if within > icc or not has_strata:
        icc = within = given.get("icc_within", icc)
    return {"icc": icc, "icc_within": within}


def _settle_accuracy(given: Assumed, learnt: Assumed, study: Accuracy) -> Accuracy:
    """Choose one accuracy, or those of several models; an icc that strata cannot attain is lowered, unless given."""
    at, images, rate, difference = study.at, study.images, study.rate, study.difference
    if "rate" not in given and learnt and at > 1:
        raise BadValueError(f"`like` gives the rate of single images; with `at` {at} give `rate` as well")
    if at > images:
        raise BadValueError(f"`at` {at}: there are only {images} images per prompt; give `images` {at} or more")
    if given.get("difference") == 0:
        raise BadValueError("`difference` 0: there is nothing to find; leave it out to see what can be found")
    last = rate + (study.models - 1) * difference
    if not 0 < last < 1:
        reason = f"from `rate` {rate:g} it leads to {last:g}; the last rate should be above 0 and below 1"
        raise BadValueError(f"`difference` {difference:g}: {reason}")
    attained = study.attained_icc
    if attained >= study.icc - 1e-3:
        return study
    if "icc" in given:
        reason = f"at this rate {len(study.sizes)} strata make it no more than {attained:.3f}"
        raise BadValueError(f"`icc` {study.icc:g}: {reason}; give that, more `strata`, or a higher `icc_within`")
    return replace(study, icc=attained)


def _settle_agreement(known: Assumed) -> AgreementStudy:
    """Choose the agreement study; by default there are as many annotators as raters of each image."""
    if not {"raters", "kappa"} <= known.keys():
        raise BadValueError("kappa needs `raters` and `kappa`, as in `raters` 5 `kappa` 0.58 `share` 0.35")
    study = AgreementStudy(**{"annotators": known["raters"], **known})
    if study.images > 1 and "icc" not in known:
        raise BadValueError(f"`images` {study.images}: with several images of a prompt give `icc` as well")
    _check_within("annotators", study.annotators, study.raters, 500)
    looked = (1 - study.habit) ** 2
    if not (0 <= study.kappa < 1 and study.kappa <= looked):
        reason = f"should be from 0 to below 1; with `habit` H at most (1 − H)², here {looked:.3g}"
        raise BadValueError(f"`kappa` {study.kappa:g}: {reason}")
    _check_within("icc", study.icc, 0, study.kappa)
    return study


def _check_wanted(study: Study, wanted: Wanted) -> None:
    """Refuse aims that make no sense."""
    power, alpha, against = wanted.power, wanted.alpha, wanted.against
    if power is not None and power <= alpha:
        raise BadValueError(f"`power` {power:g}: should be above `alpha` {alpha:g}, which any study has by chance")
    if against is not None:
        _check_within("against", against, *study.limits)
    if against == getattr(study, study.estimand):
        raise BadValueError(f"`against` {against:g}: that is what is expected; give another value")


def _find_distinguishable(simulation: Simulation, columns: Columns) -> Iterator[PlanFigure]:
    """Find the nearest values that intervals exclude with the wanted power: quantiles of the intervals' ends."""
    if "low" not in columns:
        return
    power = simulation.wanted.power or _DEFAULT_POWER
    error = 1.96 * math.sqrt(power * (1 - power) / simulation.studies)
    sides = (("lower", "low", 1 - power), ("higher", "high", power))
    for (direction, end, share), edge in zip(sides, simulation.study.limits, strict=True):
        what, places = f"{direction} value told apart with power {power:g}", [share, share - error, share + error]
        value, low, high = np.quantile(columns[end], np.clip(places, 0, 1)).tolist()
        if math.isclose(value, edge, abs_tol=1e-12):
            yield PlanFigure(what, None, f"not even {edge:g}")
        else:
            yield PlanFigure(what, Estimate(value, low, high, simulation.studies, "quantile of simulated intervals"))


def _search(simulation: Simulation, *, is_tested: bool) -> Iterator[PlanFigure]:
    """Find the sizes for the wanted figures; for models without a given difference, the least detectable one."""
    study, wanted = simulation.study, simulation.wanted
    for figure, value in (("half-width", wanted.precision), ("power", wanted.power if is_tested else None)):
        if value is None:
            continue
        find = partial(_find, simulation, figure, value)
        if not isinstance(study, AgreementStudy):
            what = f"images per prompt for {figure} {value:g}, with {study.prompts} prompts"
            otherwise = f"not even {_MOST_IMAGES} are enough: images of one prompt hang together; take more prompts"
            yield PlanFigure(what, *find("images", range(study.at, _MOST_IMAGES + 1)) or (None, otherwise))
        what = f"prompts for {figure} {value:g}, with {study.images} images each"
        otherwise = f"not even {_MOST_PROMPTS_TRIED} are enough"
        yield PlanFigure(what, *find("prompts", range(2, _MOST_PROMPTS_TRIED + 1)) or (None, otherwise))
    if isinstance(study, Accuracy) and study.models > 1 and not is_tested:
        power = wanted.power or _DEFAULT_POWER
        span = range(1, math.ceil(max(study.rate, 1 - study.rate) / (study.models - 1) / _STEP))
        step = _STEP if study.rate <= 0.5 else -_STEP  # towards .5, where it takes more
        found = _find(simulation, "power", power, "difference", span, step)
        otherwise = "none is found so often; more prompts are needed"
        yield PlanFigure(f"least difference with power {power:g}", *found or (None, otherwise))


def _find(
    simulation: Simulation, figure: str, value: float, name: str, span: range, step: float = 1
) -> tuple[Estimate, str] | None:
    """Find the least number at which a figure reaches a value: roughly with few studies, then with all of them."""
    is_width = figure == "half-width"
    full = replace(simulation, studies=min(simulation.studies, _EXACT_WIDTH)) if is_width else simulation
    rough = replace(full, studies=max(100, full.studies // _ROUGHLY))
    reached: dict[int, Estimate] = {}

    def is_enough(simulation: Simulation, size: int) -> bool:
        reached[size] = summarize(simulation.run(**{name: size * step})[figure])
        return reached[size].value <= value if is_width else reached[size].value >= value

    near = find_least(partial(is_enough, rough), span, getattr(simulation.study, name))
    found = find_least(partial(is_enough, full), span, near or span[-1], _FINE)
    if found is None:
        return None
    size, there = found * step, reached[found]
    note = f"{figure} {there.value:.4f} [{there.low:.4f}, {there.high:.4f}]"
    return Estimate(size, size, size, full.studies, "simulation"), note


def find_least(is_enough: Callable[[int], bool], span: range, start: int, growth: float = 2.0) -> int | None:
    """Find the smallest sufficient number in a span, to about 1 %; None if not even the last is sufficient.

    It moves from `start` by factors until the number is bracketed, then bisects.
    """
    below, enough = span.start - 1, span.stop
    guess = start
    while enough - below > (1 if enough == span.stop else max(1, enough // 100)):
        tried = min(max(guess, below + 1), enough - 1)
        below, enough = (below, tried) if is_enough(tried) else (tried, enough)
        if enough == span.stop:
            guess = round(below * growth)
        elif below < span.start:
            guess = round(enough / growth)
        else:
            guess = (below + enough) // 2
    return enough if enough in span else None


def _draw_curve(simulation: Simulation) -> Iterator[PlanPoint]:
    """Simulate the same study with other numbers of images, or of prompts."""
    study = simulation.study
    if isinstance(study, AgreementStudy):
        name, sizes = "prompts", {max(2, round(study.prompts * share)) for share in (0.1, 0.25, 0.5, 1, 2, 4)}
    else:
        name, sizes = "images", {study.images, *(one for one in _TABLED if one >= study.at)}
    for size in sorted(sizes):
        figures = {figure: summarize(column) for figure, column in simulation.run(**{name: size}).items()}
        yield PlanPoint(size, figures["half-width"], figures.get("power"))


def _assume(study: Study) -> dict[str, str]:
    """Describe the assumptions, except options at their defaults."""
    values = {one.name: getattr(study, one.name) for one in fields(study)}
    values["strata"] = len(values.get("strata", (1,)))
    usual = {
        "strata": 1,
        "at": 1,
        "models": 1,
        "difference": 0,
        "correlation": 0,
        "habit": 0,
        "nouns": 0,
        "noun_correlation": 0,
    }
    usual |= {"icc_within": values["icc"]} if values["strata"] == 1 else {}
    shown = {name: value for name, value in values.items() if usual.get(name) != value}
    return {name.replace("_", " "): f"{value:.4g}" for name, value in shown.items()}
