"""Plans of studies: what the prompts of a suite and so many images of each can show, and what would be needed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from subitize.analysis.attempts import Attempt, gather_attempts
from subitize.analysis.observations import Reader, observe_run
from subitize.errors import BadValueError, NothingToDoError
from subitize.records import Estimate
from subitize.registry import make_suite
from subitize.stats.power import (
    Accuracy,
    Agreement,
    Design,
    Difference,
    Likeness,
    Method,
    Pair,
    coverage,
    discordance_range,
    half_width,
    least_number,
    least_share,
    like_one,
    like_two,
    power,
)
from subitize.store import Run

MOST_IMAGES, MOST_IMAGES_AT, MOST_PROMPTS, MOST_RATERS = 100, 32, 100_000, 50
_TABLED = (1, 2, 4, 8, 16, 32)
_LEAST_RATE = 1e-3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a study should be able to show, and how that is computed."""

    confidence: float = 0.95
    alpha: float = 0.05
    power: float = 0.8
    tests: int = 1
    precision: float | None = None
    against: float | None = None
    method: Method = field(default_factory=Method)

    @property
    def level(self) -> float:
        """The level of each test: Bonferroni's."""
        return self.alpha / self.tests


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

    design: Design
    assumed: Mapping[str, str]
    answers: tuple[Answer, ...]
    axis: str
    curve: tuple[Point, ...]
    notes: tuple[str, ...] = ()


def measure_suite(text: str) -> tuple[int, int]:
    """Give how many prompts a suite has, and how many images of each it asks for."""
    suite = make_suite(text).it
    prompts = sum(1 for _ in suite.items(0))
    return prompts, suite.repeats


def learn_from(run: Run, models: Sequence[str], suites: Sequence[str], judge: str | None) -> Likeness:
    """Estimate what to assume from a run: of one model on one suite, or of two conditions on the same prompts."""
    attempts = [one for one in gather_attempts(observe_run(run, Reader(judge))) if one.images]
    kept = [one for one in attempts if (not models or one.model in models) and (not suites or one.item.suite in suites)]
    conditions: dict[tuple[str, str, str], dict[str, Attempt]] = {}
    for one in kept:
        conditions.setdefault((one.model, one.item.suite, one.judge), {})[one.item.base or one.item.id] = one
    if not conditions:
        known = sorted({f"{one.model} on {one.item.suite} by {one.judge}" for one in attempts}) or ["none"]
        raise NothingToDoError(f"{run.location} has no judged images of that; it has: {'; '.join(known)}")
    if len(conditions) > 2:
        named = "; ".join(f"{model} on {suite} by {judge}" for model, suite, judge in conditions)
        raise BadValueError(
            f"--like {run.location} has {len(conditions)} conditions: {named}; choose one, or two to "
            "compare, by --model, --of and --judge"
        )
    first, *others = conditions.values()
    if not others:
        return like_one(*_counts(list(first.values())))
    common = [key for key in first if key in others[0]]
    if not common:
        raise BadValueError(f"--like {run.location}: its two conditions have no prompt in common; choose others")
    return like_two(_counts([first[key] for key in common]), _counts([others[0][key] for key in common]))


def _counts(attempts: Sequence[Attempt]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array([one.right for one in attempts]), np.array([one.images for one in attempts])


def find_correlation(rate: float, difference: float, icc: float, discordance: float) -> float:
    """Find the correlation of two conditions' chances at which one image of each differ so often."""
    pair = Pair(rate, rate + difference, icc, 1.0)
    low, high = discordance_range(pair)
    if not low - 1e-6 <= discordance <= high + 1e-6:
        raise BadValueError(
            f"--discordance {discordance:g}: with --rate {rate:g}, --difference {difference:g} and --icc {icc:g} it "
            f"can be from {low:.4f} to {high:.4f}; a higher --icc allows less"
        )
    spread = icc * math.sqrt(pair.first * (1 - pair.first) * pair.second * (1 - pair.second))
    return 0.0 if spread == 0 else max(0.0, (high - discordance) / 2 / spread)


def plan_accuracy(design: Accuracy, wanted: Wanted) -> Plan:
    """Plan the estimate of an accuracy, and its test against a rate."""
    answers = list(_precision(design, wanted))
    answers += _tested(design, wanted, f"power against a rate of {wanted.against:g}" if wanted.against else "")
    for direction, room in (("lower", design.rate), ("higher", 1 - design.rate)):
        sign = -1 if direction == "lower" else 1

        def found(share: float, sign: int = sign) -> Estimate:
            return power(design, wanted.level, wanted.method, against=design.rate + sign * share)

        least = least_share(found, lambda value: value >= wanted.power, room)
        note = "" if least else f"not even {0 if sign < 0 else 1}"
        answers.append(
            Answer(f"{direction} rate told apart with power {wanted.power:g}, from a difference of", least, note)
        )
    return Plan(
        design, _assumed(design), tuple(answers), "images per prompt", _curve(design, wanted), _notes(design, wanted)
    )


def plan_difference(design: Difference, wanted: Wanted, *, is_given: bool) -> Plan:
    """Plan the comparison of two conditions on the same prompts; `is_given`: for a difference that was named."""
    answers = list(_precision(design, wanted))
    if is_given:
        answers.append(Answer("power", power(design, wanted.level, wanted.method)))

        def of(one: Design) -> Estimate:
            return power(one, wanted.level, wanted.method)

        answers += _sizes(design, of, lambda value: value >= wanted.power, f"for power {wanted.power:g}")
    for name, sign, room in (("upwards", 1, 1 - design.rate), ("downwards", -1, design.rate)):

        def found(share: float, sign: int = sign) -> Estimate:
            return power(replace(design, difference=sign * share), wanted.level, wanted.method)

        least = least_share(found, lambda value: value >= wanted.power, room - _LEAST_RATE)
        note = "" if least else "no difference is large enough; more prompts are needed"
        answers.append(Answer(f"least difference {name} with power {wanted.power:g}", least, note))
    curve = _curve(design, wanted, is_tested=is_given)
    return Plan(design, _assumed(design), tuple(answers), "images per prompt", curve, _notes(design, wanted))


def plan_agreement(design: Agreement, wanted: Wanted) -> Plan:
    """Plan the estimate of Fleiss' κ."""
    answers = list(_precision(design, wanted))
    answers += _tested(design, wanted, f"power against κ {wanted.against:g}" if wanted.against is not None else "")
    return Plan(design, _assumed(design), tuple(answers), "prompts", _curve(design, wanted), _notes(design, wanted))


def _precision(design: Design, wanted: Wanted) -> list[Answer]:
    answers = [Answer(f"half-width of the {wanted.confidence:.0%} interval", _width(design, wanted))]
    covered = coverage(design, wanted.confidence, wanted.method)
    if covered is not None:
        answers.append(Answer("share of studies whose interval has the true value in it", covered))
    goal = wanted.precision
    if goal is not None:

        def of(one: Design) -> Estimate:
            return _width(one, wanted)

        answers += _sizes(design, of, lambda value: value <= goal, f"for a half-width of {goal:g}")
    return answers


def _tested(design: Accuracy | Agreement, wanted: Wanted, what: str) -> list[Answer]:
    against = wanted.against
    if against is None:
        return []

    def of(one: Design) -> Estimate:
        return power(one, wanted.level, wanted.method, against=against)

    return [
        Answer(what, of(design)),
        *_sizes(design, of, lambda value: value >= wanted.power, f"for power {wanted.power:g}"),
    ]


def _sizes(
    design: Design, of: Callable[[Design], Estimate], is_enough: Callable[[float], bool], what: str
) -> list[Answer]:
    """Find the images that are needed of these prompts, and the prompts with these images."""
    answers = []
    if not isinstance(design, Agreement):
        most = MOST_IMAGES_AT if design.at > 1 else MOST_IMAGES
        images = least_number(lambda images: of(_resize(design, images=images)), is_enough, range(design.at, most + 1))
        note = "" if images else f"not even {most} are enough: images of one prompt hang together; take more prompts"
        answers.append(Answer(f"images per prompt {what}, with {design.prompts} prompts", images, note))
    prompts = least_number(lambda prompts: of(_resize(design, prompts=prompts)), is_enough, range(2, MOST_PROMPTS + 1))
    each = f"{design.raters} raters" if isinstance(design, Agreement) else f"{design.images} images each"
    note = "" if prompts else f"not even {MOST_PROMPTS} are enough"
    answers.append(Answer(f"prompts {what}, with {each}", prompts, note))
    return answers


def _curve(design: Design, wanted: Wanted, *, is_tested: bool = False) -> tuple[Point, ...]:
    if isinstance(design, Agreement):
        sizes = sorted({max(2, round(design.prompts * share)) for share in (0.1, 0.25, 0.5, 1, 2, 4)})
        designs: list[tuple[int, Design]] = [(n, _resize(design, prompts=n)) for n in sizes if n <= MOST_PROMPTS]
    else:
        sizes = sorted({n for n in _TABLED if n >= design.at} | {design.images})
        designs = [(n, _resize(design, images=n)) for n in sizes]
    return tuple(Point(at, _width(one, wanted), _power(one, wanted, is_tested=is_tested)) for at, one in designs)


def _resize(design: Design, *, prompts: int = 0, images: int = 0) -> Design:
    """Take other numbers of prompts or images; 0 keeps them."""
    if isinstance(design, Agreement):
        return replace(design, prompts=prompts or design.prompts)
    return replace(design, prompts=prompts or design.prompts, images=images or design.images)


def _power(design: Design, wanted: Wanted, *, is_tested: bool) -> Estimate | None:
    if is_tested:
        return power(design, wanted.level, wanted.method)
    against = wanted.against
    return None if against is None else power(design, wanted.level, wanted.method, against=against)


def _width(design: Design, wanted: Wanted) -> Estimate:
    return half_width(design, wanted.confidence, wanted.method)


def _assumed(design: Design) -> dict[str, str]:
    if isinstance(design, Agreement):
        return {
            "prompts": f"{design.prompts}",
            "raters": f"{design.raters}",
            "kappa": f"{design.kappa:g}",
            "share of yes": f"{design.share:g}",
        }
    effect = 1 + (design.images - 1) * design.icc
    told = {"prompts": f"{design.prompts}", "images per prompt": f"{design.images}", "rate": f"{design.rate:.4g}"}
    told |= {"outcome": f"one of {design.at} images is right"} if design.at > 1 else {}
    told |= {"icc": f"{design.icc:.4g}", "design effect": f"{effect:.3g}"}
    if isinstance(design, Difference):
        told |= {"difference": f"{design.difference:g}", "correlation": f"{design.correlation:.4g}"}
    return told


def _notes(design: Design, wanted: Wanted) -> tuple[str, ...]:
    if isinstance(design, Difference):
        what = "interval: Student's over the prompts' differences; test: Wilcoxon's on them"
    elif isinstance(design, Agreement):
        what = "interval: Student's over prompts, as Fleiss' κ is reported"
    elif design.images in (1, design.at):
        what = "interval: Wilson's over prompts; test: whether it leaves the rate out"
    else:
        what = "interval: Student's over prompts; test: whether it leaves the rate out"
    level = f"; level {wanted.alpha:g}" + f" / {wanted.tests} tests (Bonferroni)" * (wanted.tests > 1)
    return (what + level,)
