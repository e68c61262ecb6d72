"""What a planned study assumes: as it is given, else as a run has it, else by default; and what it may be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from subitize.analysis.attempts import Attempt, gather_attempts
from subitize.analysis.observations import Reader, observe_run
from subitize.errors import BadValueError, NothingToDoError
from subitize.registry import make_suite
from subitize.stats.power import Accuracy, Agreement, Difference, Likeness, Pair, discordance_range, like_one, like_two
from subitize.store import Run

DEFAULT_RATE, DEFAULT_ICC, DEFAULT_CORRELATION = 0.5, 0.5, 0.0
MOST_IMAGES, MOST_IMAGES_AT, MOST_PROMPTS, MOST_RATERS = 100, 32, 100_000, 50

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Size:
    """How large the study is: a suite, or so many prompts; numbers that are given come before the suite's."""

    suite: str | None = None
    prompts: int | None = None
    images: int | None = None

    def settle(self) -> tuple[int, int]:
        """Give the number of prompts, and of images of each."""
        if self.suite is None:
            prompts, images = self.prompts, 1
        else:
            prompts, images = measure_suite(self.suite)
        prompts = prompts if self.prompts is None else self.prompts
        if prompts is None:
            raise BadValueError("give --suite NAME or --prompts N")
        own = f" of {self.suite}" if self.images is None and self.suite else ""
        images = images if self.images is None else self.images
        return (
            check_within("--prompts", prompts, 2, MOST_PROMPTS),
            check_within(f"--images{own}", images, 1, MOST_IMAGES),
        )


@dataclass(frozen=True, slots=True)
class Given:
    """What is said of the images; None is left to a run or the default."""

    rate: float | None = None
    icc: float | None = None
    at: int = 1


@dataclass(frozen=True, slots=True)
class GivenPair(Given):
    """What is said of two conditions; the rate is that of the first."""

    difference: float | None = None
    correlation: float | None = None
    discordance: float | None = None


def settle_accuracy(size: Size, given: Given, known: Likeness | None = None) -> Accuracy:
    """Settle on the study of one accuracy."""
    prompts, images = size.settle()
    rate, icc = _settle_images(given, known)
    return Accuracy(prompts, images, rate, icc, _check_at(given.at, images))


def settle_difference(size: Size, given: GivenPair, known: Likeness | None = None) -> Difference:
    """Settle on the comparison of two conditions; without a difference it is one of 0."""
    prompts, images = size.settle()
    if given.correlation is not None and given.discordance is not None:
        raise BadValueError("--correlation and --discordance say the same; give one of them")
    rate, icc = _settle_images(given, known)
    at, difference = _check_at(given.at, images), given.difference or 0.0
    if not 0 < rate + difference < 1:
        raise BadValueError(
            f"--difference {difference:g}: from --rate {rate:g} it leads to {rate + difference:g}; the second rate "
            "should be above 0 and below 1"
        )
    if given.difference == 0:
        raise BadValueError("--difference 0: there is nothing to find; leave it out to see what can be found")
    if given.discordance is not None:
        if at > 1:
            raise BadValueError("--discordance is of single images; with --at give --correlation instead")
        correlation = find_correlation(rate, difference, icc, check_within("--discordance", given.discordance, 0, 1))
    else:
        learnt = None if known is None else known.correlation
        correlation = next(one for one in (given.correlation, learnt, DEFAULT_CORRELATION) if one is not None)
        check_within("--correlation", correlation, 0, 1)
    return Difference(prompts, images, rate, difference, icc, correlation, at)


def settle_agreement(size: Size, raters: int | None, kappa: float | None, share: float) -> Agreement:
    """Settle on the study of raters' agreement."""
    prompts, _ = size.settle()
    if raters is None or kappa is None:
        raise BadValueError("kappa needs --raters and --kappa, as in --raters 5 --kappa 0.58 --share 0.35")
    if not 0 <= kappa < 1:
        raise BadValueError(
            f"--kappa {kappa:g}: should be from 0 to below 1; raters who agree less than by chance, or always, are not "
            "planned for"
        )
    return Agreement(prompts, check_within("--raters", raters, 2, MOST_RATERS), kappa, check_open("--share", share))


def measure_suite(text: str) -> tuple[int, int]:
    """Give how many prompts a suite has, and how many images of each it asks for."""
    suite = make_suite(text).it
    prompts = sum(1 for _ in suite.items(0))
    return prompts, suite.repeats


def learn_from(run: Run, models: Sequence[str], suites: Sequence[str], judge: str | None) -> Likeness:
    """Estimate what to assume from a run: of one model on one suite, or of two conditions on the same prompts."""
    found = gather_attempts(observe_run(run, Reader(judge)), unusable="left out")
    attempts = [one for one in found if one.images]
    if found and not attempts:
        raise NothingToDoError(
            f"--like {run.location}: it has votes on groups of images only, which do not tell how images of one prompt "
            "hang together; plan success as one outcome per prompt with --images 1 --rate SUCCESS"
        )
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


def check_open(name: str, value: float) -> float:
    """Refuse what is not above 0 and below 1."""
    if not (math.isfinite(value) and 0 < value < 1):
        raise BadValueError(f"{name} {value:g}: should be above 0 and below 1")
    return value


def check_within(name: str, value: _Number, least: int, most: int) -> _Number:
    """Refuse what is out of range."""
    if not (math.isfinite(value) and least <= value <= most):
        raise BadValueError(f"{name} {value:g}: should be from {least} to {most}")
    return value


def _settle_images(given: Given, known: Likeness | None) -> tuple[float, float]:
    """Settle on the rate and on how images of one prompt hang together."""
    rate, icc = given.rate, given.icc
    if known is not None and given.at > 1 and rate is None:
        raise BadValueError(f"--like gives the rate of single images; with --at {given.at} give --rate as well")
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
    return (
        check_open("--rate", DEFAULT_RATE if rate is None else rate),
        check_within("--icc", DEFAULT_ICC if icc is None else icc, 0, 1),
    )


def _check_at(at: int, images: int) -> int:
    check_within("--at", at, 1, MOST_IMAGES_AT)
    if at > images:
        raise BadValueError(f"--at {at}: there are only {images} images per prompt; give --images {at} or more")
    if at > 1:
        check_within("--images", images, 1, MOST_IMAGES_AT)
    return at


def _counts(attempts: Sequence[Attempt]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array([one.right for one in attempts]), np.array([one.images for one in attempts])
