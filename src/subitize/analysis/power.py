"""Plans of studies: what so many prompts and images can show, and how many would be needed."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.special import ndtri

from subitize.analysis.assumptions import MOST_IMAGES, check_open, check_within
from subitize.errors import BadValueError
from subitize.records import Estimate
from subitize.stats.power.simulation import Simulation, find_least, summarize
from subitize.stats.power.studies import Accuracy, Agreement, Columns, Study, Wanted

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
    _check(study, wanted, simulation)
    columns = simulation.run(study, wanted)
    answers = [Answer(name, summarize(own)) for name, own in columns.items() if name not in ("low", "high")]
    answers += _tell_apart(study, columns, wanted.power or _DEFAULT_POWER)
    answers += _search(study, wanted, simulation, float(columns["half-width"].mean()))
    sizes = _resize(study) if with_curve else {}
    curve = [_point(at, simulation.run(one, wanted)) for at, one in sizes.items()]
    axis = "prompts" if isinstance(study, Agreement) else "images per prompt"
    level = f"level {wanted.alpha:g}" + f" / {wanted.tests} tests (Bonferroni)" * (wanted.tests > 1)
    note = f"{simulation.studies} simulated studies, each read as subitize {study.command} does; {level}"
    return Plan(study, _assume(study), tuple(answers), axis, tuple(curve), (note,))


def _check(study: Study, wanted: Wanted, simulation: Simulation) -> None:
    """Refuse what no study can have."""
    check_open("--confidence", wanted.confidence)
    check_open("--alpha", wanted.alpha)
    check_within("--tests", wanted.tests, 1, 10_000)
    check_within("--simulations", simulation.studies, 100, 1_000_000)
    check_within("--seed", simulation.seed, 0, 2**31)
    if wanted.precision is not None and not 0 < wanted.precision < math.inf:
        raise BadValueError(f"--precision {wanted.precision:g}: should be above 0")
    if wanted.power is not None and check_open("--power", wanted.power) <= wanted.alpha:
        raise BadValueError(
            f"--power {wanted.power:g}: should be above --alpha {wanted.alpha:g}, which any study has by chance"
        )
    if wanted.against is not None and check_within("--against", wanted.against, *study.limits) == study.truth:
        raise BadValueError(f"--against {study.truth:g}: that is what is expected; give another value")


def _tell_apart(study: Study, columns: Columns, power: float) -> Iterator[Answer]:
    """Find the nearest values that intervals leave out so often: quantiles of the intervals' ends."""
    for direction, end, share in (("lower", "low", 1 - power), ("higher", "high", power)):
        if end not in columns:
            return
        ends, error = columns[end], 1.96 * math.sqrt(power * (1 - power) / len(columns[end]))
        places = np.clip([share, share - error, share + error], 0, 1)
        value, low, high = np.quantile(ends, places).tolist()
        what, edge = f"{direction} value told apart with power {power:g}", study.limits[direction == "higher"]
        if math.isclose(value, edge, abs_tol=1e-12):
            yield Answer(what, None, f"not even {edge:g}")
        else:
            yield Answer(what, Estimate(value, low, high, len(ends), "quantile of simulated intervals"))


@dataclass(frozen=True, slots=True)
class _Goal:
    """What is searched: the least number in a span that brings a figure to a value."""

    what: str
    change: Callable[[int], Study]
    span: range
    start: int
    figure: str
    value: float
    otherwise: str
    unit: float = 1

    def is_met(self, columns: Columns) -> bool:
        """Tell whether studies reach it."""
        found = float(columns[self.figure].mean())
        return found <= self.value if self.figure == "half-width" else found >= self.value


def _search(study: Study, wanted: Wanted, simulation: Simulation, half_width: float) -> Iterator[Answer]:
    """Find sizes for what is wanted; of models whose difference is not given, the least that is found."""
    compared = study if isinstance(study, Accuracy) and study.models > 1 else None
    is_tested = compared.difference != 0 if compared else wanted.against is not None
    goals: list[_Goal] = []
    if wanted.precision is not None:
        goals += _list_sizes(study, "half-width", wanted.precision)
    if wanted.power is not None and is_tested:
        goals += _list_sizes(study, "power", wanted.power)
    if compared and not is_tested:
        goals.append(_list_differences(compared, wanted.power or _DEFAULT_POWER, half_width))
    for goal in goals:
        yield _find(goal, wanted, simulation)


def _list_sizes(study: Study, figure: str, value: float) -> Iterator[_Goal]:
    of = f"for {figure} {value:g}"
    if not isinstance(study, Agreement):
        what = f"images per prompt {of}, with {study.prompts} prompts"
        otherwise = f"not even {MOST_IMAGES} are enough: images of one prompt hang together; take more prompts"
        span = range(study.at if isinstance(study, Accuracy) else 1, MOST_IMAGES + 1)
        yield _Goal(what, lambda n: replace(study, images=n), span, study.images, figure, value, otherwise)
    what, span = f"prompts {of}, with {study.images} images each", range(2, _MOST_PROMPTS_TRIED + 1)
    otherwise = f"not even {_MOST_PROMPTS_TRIED} are enough"
    yield _Goal(what, lambda n: replace(study, prompts=n), span, study.prompts, figure, value, otherwise)


def _list_differences(study: Accuracy, power: float, half_width: float) -> _Goal:
    """Look in the direction of .5, where it takes more."""
    unit = _STEP if study.rate <= 0.5 else -_STEP
    span = range(1, math.ceil(max(study.rate, 1 - study.rate) / (study.models - 1) / _STEP))
    start = round(half_width * (1 + float(ndtri(power)) / 1.96) / _STEP)
    what, otherwise = f"least difference with power {power:g}", "none is found so often; more prompts are needed"
    return _Goal(what, lambda n: replace(study, difference=n * unit), span, start, "power", power, otherwise, unit)


def _find(goal: _Goal, wanted: Wanted, simulation: Simulation) -> Answer:
    """Find a place with few studies, then the right one near it with all of them."""
    if goal.figure == "half-width":
        simulation = replace(simulation, studies=min(simulation.studies, _EXACT_WIDTH))
    rough = replace(simulation, studies=max(100, simulation.studies // _ROUGHLY))
    tried: dict[int, Columns] = {}

    def settle(size: int) -> bool:
        tried[size] = simulation.run(goal.change(size), wanted)
        return goal.is_met(tried[size])

    near = find_least(lambda size: goal.is_met(rough.run(goal.change(size), wanted)), goal.span, goal.start)
    found = find_least(settle, goal.span, near or goal.span[-1], _FINE)
    if found is None:
        return Answer(goal.what, None, goal.otherwise)
    reached, value = summarize(tried[found][goal.figure]), found * goal.unit
    note = f"{goal.figure} {reached.value:.4f} [{reached.low:.4f}, {reached.high:.4f}]"
    return Answer(goal.what, Estimate(value, value, value, simulation.studies, "simulation"), note)


def _resize(study: Study) -> dict[int, Study]:
    """Give the studies of a curve, by size."""
    if isinstance(study, Agreement):
        sizes = sorted({max(2, round(study.prompts * share)) for share in (0.1, 0.25, 0.5, 1, 2, 4)})
        return {size: replace(study, prompts=size) for size in sizes}
    least = study.at if isinstance(study, Accuracy) else 1
    sizes = sorted({one for one in _TABLED if one >= least} | {study.images})
    return {size: replace(study, images=size) for size in sizes}


def _point(at: int, columns: Columns) -> Point:
    return Point(at, summarize(columns["half-width"]), summarize(columns["power"]) if "power" in columns else None)


def _assume(study: Study) -> dict[str, str]:
    """Tell what is assumed, but for options that are as by default."""
    values = {one.name: getattr(study, one.name) for one in fields(study)}
    values["strata"] = len(values.get("strata", (1,)))
    usual = {"strata": 1, "at": 1, "models": 1, "difference": 0, "correlation": 0, "habit": 0}
    usual |= {"icc_within": values["icc"]} if values["strata"] == 1 else {}
    told = {name: value for name, value in values.items() if usual.get(name) != value}
    return {name.replace("_", " "): f"{value:.4g}" for name, value in told.items()}
