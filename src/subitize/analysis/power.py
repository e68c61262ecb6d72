"""Plans of studies: what so many prompts and images can show, and how many would be needed."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from subitize.analysis.assumptions import MOST_IMAGES, check_within
from subitize.errors import BadValueError
from subitize.records import Estimate
from subitize.stats.power import Accuracy, Agreement, Columns, Simulation, Study, Wanted, find_least, summarize

_DEFAULT_POWER = 0.8
_TABLED = (1, 2, 4, 8, 16, 32)
_MOST_PROMPTS_TRIED = 20_000
_STEP = 1e-3  # of differences
_ROUGHLY, _EXACT_WIDTH = 10, 1_000  # so many times fewer studies to search with; as many are enough for a half-width
_FINE = 1.03  # the factor between sizes once they are known roughly


@dataclass(frozen=True, slots=True)
class Answer:
    """One figure of a plan; None where nothing that was tried is enough, and then why."""

    what: str
    value: Estimate | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """The same study with another number of images (of prompts, for κ)."""

    at: int
    half_width: Estimate
    power: Estimate | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A study, what it assumes, what it shows, and the same for other numbers of images or prompts."""

    design: Study
    assumed: Mapping[str, str]
    answers: tuple[Answer, ...]
    axis: str
    curve: tuple[Point, ...]
    notes: tuple[str, ...] = ()


def plan(study: Study, wanted: Wanted, simulation: Simulation, *, with_curve: bool = False) -> Plan:
    """Simulate a study: its figures, the sizes that would give those that are wanted, and those of other sizes."""
    _check(study, wanted)
    columns = simulation.run(study, wanted)
    answers = [Answer(name, summarize(own)) for name, own in columns.items() if name not in ("low", "high")]
    answers += _tell_apart(study, columns, wanted.power or _DEFAULT_POWER)
    answers += _search(study, wanted, simulation, is_tested="power" in columns)
    curve = _draw_curve(study, wanted, simulation) if with_curve else ()
    axis = "prompts" if isinstance(study, Agreement) else "images per prompt"
    level = f"level {wanted.alpha:g}" + f" / {wanted.tests} tests (Bonferroni)" * (wanted.tests > 1)
    note = f"{simulation.studies} simulated studies, each read as subitize {study.command} does; {level}"
    return Plan(study, _assume(study), tuple(answers), axis, tuple(curve), (note,))


def _check(study: Study, wanted: Wanted) -> None:
    """Refuse to want what tells nothing."""
    if wanted.power is not None and wanted.power <= wanted.alpha:
        raise BadValueError(
            f"--power {wanted.power:g}: should be above --alpha {wanted.alpha:g}, which any study has by chance"
        )
    if wanted.against is not None:
        check_within("against", wanted.against, *study.limits)
    if wanted.against == getattr(study, study.estimand):
        raise BadValueError(f"--against {wanted.against:g}: that is what is expected; give another value")


def _tell_apart(study: Study, columns: Columns, power: float) -> Iterator[Answer]:
    """Find the nearest values that intervals leave out so often: quantiles of the intervals' ends."""
    if "low" not in columns:
        return
    error = 1.96 * math.sqrt(power * (1 - power) / len(columns["low"]))
    sides = (("lower", "low", 1 - power), ("higher", "high", power))
    for (direction, end, share), edge in zip(sides, study.limits, strict=True):
        what, places = f"{direction} value told apart with power {power:g}", [share, share - error, share + error]
        value, low, high = np.quantile(columns[end], np.clip(places, 0, 1)).tolist()
        if math.isclose(value, edge, abs_tol=1e-12):
            yield Answer(what, None, f"not even {edge:g}")
        else:
            yield Answer(what, Estimate(value, low, high, len(columns[end]), "quantile of simulated intervals"))


def _search(study: Study, wanted: Wanted, simulation: Simulation, *, is_tested: bool) -> Iterator[Answer]:
    """Find sizes for what is wanted; of models whose difference is not given, the least that is found."""
    for figure, value in (("half-width", wanted.precision), ("power", wanted.power if is_tested else None)):
        if value is None:
            continue
        search = _Search(study, wanted, simulation, figure, value)
        if not isinstance(study, Agreement):
            what = f"images per prompt for {figure} {value:g}, with {study.prompts} prompts"
            otherwise = f"not even {MOST_IMAGES} are enough: images of one prompt hang together; take more prompts"
            yield search.find(what, "images", range(study.at, MOST_IMAGES + 1), otherwise)
        what = f"prompts for {figure} {value:g}, with {study.images} images each"
        otherwise = f"not even {_MOST_PROMPTS_TRIED} are enough"
        yield search.find(what, "prompts", range(2, _MOST_PROMPTS_TRIED + 1), otherwise)
    if isinstance(study, Accuracy) and study.models > 1 and not is_tested:
        search = _Search(study, wanted, simulation, "power", wanted.power or _DEFAULT_POWER)
        what = f"least difference with power {search.value:g}"
        span = range(1, math.ceil(max(study.rate, 1 - study.rate) / (study.models - 1) / _STEP))
        step = _STEP if study.rate <= 0.5 else -_STEP  # towards .5, where it takes more
        yield search.find(what, "difference", span, "none is found so often; more prompts are needed", step)


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for the least number with which a figure of a study reaches a value."""

    study: Study
    wanted: Wanted
    simulation: Simulation
    figure: str
    value: float

    def find(self, what: str, name: str, span: range, otherwise: str, step: float = 1) -> Answer:
        """Find a place with few studies, then the right one near it with all of them."""
        full, is_width = self.simulation, self.figure == "half-width"
        if is_width:
            full = replace(full, studies=min(full.studies, _EXACT_WIDTH))
        rough = replace(full, studies=max(100, full.studies // _ROUGHLY))
        reached: dict[int, Estimate] = {}

        def is_enough(simulation: Simulation, size: int) -> bool:
            columns = simulation.run(self.study, self.wanted, **{name: size * step})
            reached[size] = summarize(columns[self.figure])
            return reached[size].value <= self.value if is_width else reached[size].value >= self.value

        near = find_least(partial(is_enough, rough), span, getattr(self.study, name))
        found = find_least(partial(is_enough, full), span, near or span[-1], _FINE)
        if found is None:
            return Answer(what, None, otherwise)
        value, there = found * step, reached[found]
        note = f"{self.figure} {there.value:.4f} [{there.low:.4f}, {there.high:.4f}]"
        return Answer(what, Estimate(value, value, value, full.studies, "simulation"), note)


def _draw_curve(study: Study, wanted: Wanted, simulation: Simulation) -> Iterator[Point]:
    """Simulate the same study with other numbers of images, or of prompts."""
    if isinstance(study, Agreement):
        name, sizes = "prompts", {max(2, round(study.prompts * share)) for share in (0.1, 0.25, 0.5, 1, 2, 4)}
    else:
        name, sizes = "images", {study.images, *(one for one in _TABLED if one >= study.at)}
    for size in sorted(sizes):
        columns = simulation.run(study, wanted, **{name: size})
        power = summarize(columns["power"]) if "power" in columns else None
        yield Point(size, summarize(columns["half-width"]), power)


def _assume(study: Study) -> dict[str, str]:
    """Tell what is assumed, but for options that are as by default."""
    values = {one.name: getattr(study, one.name) for one in fields(study)}
    values["strata"] = len(values.get("strata", (1,)))
    usual = {"strata": 1, "at": 1, "models": 1, "difference": 0, "correlation": 0, "habit": 0}
    usual |= {"icc_within": values["icc"]} if values["strata"] == 1 else {}
    told = {name: value for name, value in values.items() if usual.get(name) != value}
    return {name.replace("_", " "): f"{value:.4g}" for name, value in told.items()}
