"""Plans of studies: what the prompts of a suite and so many images of each can show, and what would be needed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from subitize.analysis.assumptions import MOST_IMAGES, MOST_IMAGES_AT, MOST_PROMPTS, check_open, check_within
from subitize.errors import BadValueError, UnknownNameError
from subitize.records import Estimate
from subitize.stats.power import (
    Accuracy,
    Agreement,
    Choice,
    Design,
    Difference,
    Method,
    coverage,
    half_width,
    least_number,
    least_share,
    power,
)

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

    def __post_init__(self) -> None:
        """Refuse what no study can have."""
        check_open("--confidence", self.confidence)
        check_open("--alpha", self.alpha)
        check_open("--power", self.power)
        check_within("--tests", self.tests, 1, 10_000)
        if self.precision is not None:
            check_open("--precision", self.precision)
        if self.power <= self.alpha:
            raise BadValueError(
                f"--power {self.power:g}: should be above --alpha {self.alpha:g}, which any study has by chance"
            )

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


def make_method(choice: str, simulations: int, seed: int) -> Method:
    """Make the method of that name."""
    known: dict[str, Choice] = {name: name for name in get_args(Choice)}
    if choice not in known:
        raise UnknownNameError("method", choice, known)
    return Method(
        known[choice],
        check_within("--simulations", simulations, 100, 1_000_000),
        check_within("--seed", seed, 0, 2**31),
    )


def plan_accuracy(design: Accuracy, wanted: Wanted) -> Plan:
    """Plan the estimate of an accuracy, and its test against a rate."""
    if wanted.against is not None:
        _check_apart(check_open("--against", wanted.against), design.rate, "--rate")
    answers = list(_precision(design, wanted))
    if wanted.against is not None:
        answers += _tested(design, wanted, f"power against a rate of {wanted.against:g}", wanted.against)
    for direction, room in (("lower", design.rate), ("higher", 1 - design.rate)):
        sign = -1 if direction == "lower" else 1

        def found(share: float, method: Method, sign: int = sign) -> Estimate:
            return power(design, wanted.level, method, against=design.rate + sign * share)

        least = least_share(found, lambda value: value >= wanted.power, room, wanted.method)
        note = "" if least else f"not even {0 if sign < 0 else 1}"
        answers.append(
            Answer(f"{direction} rate told apart with power {wanted.power:g}, from a difference of", least, note)
        )
    return Plan(
        design, _assumed(design), tuple(answers), "images per prompt", _curve(design, wanted), _notes(design, wanted)
    )


def plan_difference(design: Difference, wanted: Wanted) -> Plan:
    """Plan the comparison of two conditions on the same prompts; a difference of 0 is one that is not known yet."""
    answers, is_given = list(_precision(design, wanted)), design.difference != 0
    if is_given:
        answers += _tested(design, wanted, "power", 0.0)
    for name, sign, room in (("upwards", 1, 1 - design.rate), ("downwards", -1, design.rate)):

        def found(share: float, method: Method, sign: int = sign) -> Estimate:
            return power(replace(design, difference=sign * share), wanted.level, method)

        least = least_share(found, lambda value: value >= wanted.power, room - _LEAST_RATE, wanted.method)
        note = "" if least else "no difference is large enough; more prompts are needed"
        answers.append(Answer(f"least difference {name} with power {wanted.power:g}", least, note))
    curve = _curve(design, wanted, is_tested=is_given)
    return Plan(design, _assumed(design), tuple(answers), "images per prompt", curve, _notes(design, wanted))


def plan_agreement(design: Agreement, wanted: Wanted) -> Plan:
    """Plan the estimate of Fleiss' κ."""
    if wanted.against is not None:
        check_within("--against", wanted.against, -1, 1)
        _check_apart(wanted.against, design.kappa, "--kappa")
    answers = list(_precision(design, wanted))
    if wanted.against is not None:
        answers += _tested(design, wanted, f"power against κ {wanted.against:g}", wanted.against)
    return Plan(design, _assumed(design), tuple(answers), "prompts", _curve(design, wanted), _notes(design, wanted))


def _precision(design: Design, wanted: Wanted) -> list[Answer]:
    answers = [Answer(f"half-width of the {wanted.confidence:.0%} interval", _width(design, wanted))]
    covered = coverage(design, wanted.confidence, wanted.method)
    if covered is not None:
        answers.append(Answer("share of studies whose interval has the true value in it", covered))
    goal = wanted.precision
    if goal is not None:

        def of(one: Design, method: Method) -> Estimate:
            return half_width(one, wanted.confidence, method)

        answers += _sizes(design, of, lambda value: value <= goal, wanted.method, f"for a half-width of {goal:g}")
    return answers


def _check_apart(against: float, expected: float, name: str) -> None:
    if against == expected:
        raise BadValueError(
            f"--against {against:g}: it is {name} itself, so that there is nothing to find; give another"
        )


def _tested(design: Design, wanted: Wanted, what: str, against: float) -> list[Answer]:
    def of(one: Design, method: Method) -> Estimate:
        return power(one, wanted.level, method, against=against)

    sizes = _sizes(design, of, lambda value: value >= wanted.power, wanted.method, f"for power {wanted.power:g}")
    return [Answer(what, of(design, wanted.method)), *sizes]


def _sizes(
    design: Design,
    of: Callable[[Design, Method], Estimate],
    is_enough: Callable[[float], bool],
    method: Method,
    what: str,
) -> list[Answer]:
    """Find the images that are needed of these prompts, and the prompts with these images."""
    answers = []
    if not isinstance(design, Agreement):
        most = MOST_IMAGES_AT if design.at > 1 else MOST_IMAGES
        images = least_number(
            lambda images, method: of(_resize(design, images=images), method),
            is_enough,
            range(design.at, most + 1),
            method,
        )
        note = "" if images else f"not even {most} are enough: images of one prompt hang together; take more prompts"
        answers.append(Answer(f"images per prompt {what}, with {design.prompts} prompts", images, note))
    prompts = least_number(
        lambda prompts, method: of(_resize(design, prompts=prompts), method),
        is_enough,
        range(2, MOST_PROMPTS + 1),
        method,
    )
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
        test = "Wilcoxon's on those that are not 0 (McNemar's if all are 1)"
        what = f"interval: Student's over the prompts' differences; test: {test}"
    elif isinstance(design, Agreement):
        what = "interval: Student's over prompts, as Fleiss' κ is reported"
    else:
        what = "interval: as of score --pass-at-k (Wilson's over prompts); test: whether it leaves the rate out"
    level = f"; level {wanted.alpha:g}" + f" / {wanted.tests} tests (Bonferroni)" * (wanted.tests > 1)
    return (what + level,)
