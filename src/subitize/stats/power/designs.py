"""The studies that can be planned: an accuracy, a difference on the same prompts, the agreement of raters."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.records import Estimate
from subitize.stats.power.laws import Floats, Law, Pair, beta_binomial, difference_law, image_rate, outcome_law
from subitize.stats.power.methods import Method, Studies
from subitize.stats.power.readings import Interval, SignedRanks, fleiss, passes, student

# From where on the normal law is right to one percentage point: docs/power.md has what was measured.
_WIDTH_FROM, _WIDTH_VOTES = 50, 16.0
_POWER_FROM, _SKEW, _ROOM, _SKEW_OF_DIFFERENCES, _DIFFERENT = 200, 0.025, 2.0, 0.04, 100.0
_NO_ERROR = 1e-9


@dataclass(frozen=True)
class Accuracy:
    """The share of right images over prompts; with `at` k, how likely one of k images of a prompt is right (pass@k).

    `rate` is that of what is reported; `icc` the correlation of two images of one prompt.
    """

    prompts: int
    images: int
    rate: float
    icc: float
    at: int = 1
    limits: ClassVar = (0.0, 1.0)
    """Where intervals are cut off."""

    @cached_property
    def law(self) -> Law:
        """What a prompt gives: its share of right images, or its pass@k."""
        return outcome_law(self.images, image_rate(self.rate, self.icc, self.at), self.icc, self.at)

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.rate

    def interval(self, confidence: float) -> Interval:
        """That of `average_passes`."""
        return passes(self.law.values, self.images / self.at, confidence)

    def smooth_interval(self, confidence: float) -> Interval:
        """The same near what is to be expected."""
        return passes(self.law.values, self.images / self.at, confidence, is_capped=self.room < 0)

    @cached_property
    def room(self) -> float:
        """How far prompts are from being worth as much as all their choices, in standard errors; below 0: more."""
        values, shares, rate = self.law.values - self.law.mean, self.law.shares, self.law.mean
        variance = float(shares @ values**2)
        worth = self.images / self.at * variance / (rate * (1 - rate))
        own = values**2 / variance - 1 - values * (1 - 2 * rate) / (rate * (1 - rate))
        error = math.sqrt(float(shares @ own**2) / self.prompts)
        return math.log(worth) / error if error > _NO_ERROR else 0.0


@dataclass(frozen=True)
class Difference:
    """The accuracy of a second condition minus that of a first (`rate`), on the same prompts, `images` in each."""

    prompts: int
    images: int
    rate: float
    difference: float
    icc: float
    correlation: float
    at: int = 1
    limits: ClassVar = (-1.0, 1.0)
    """Where intervals are cut off."""

    @cached_property
    def pair(self) -> Pair:
        """The two conditions, by single images."""
        first, second = (image_rate(rate, self.icc, self.at) for rate in (self.rate, self.rate + self.difference))
        return Pair(first, second, self.icc, self.correlation)

    @cached_property
    def law(self) -> Law:
        """What a prompt gives: the difference of its means."""
        return difference_law(self.pair, self.images, self.at)

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.difference

    def interval(self, confidence: float) -> Interval:
        """Student's over the prompts' differences."""
        return student(self.law.values, confidence)

    smooth_interval = interval


@dataclass(frozen=True)
class Agreement:
    """Fleiss' κ of `raters` who each say yes or no of every prompt; `share` say yes."""

    prompts: int
    raters: int
    kappa: float
    share: float
    limits: ClassVar = (-1.0, 1.0)
    """Where intervals are cut off."""

    @cached_property
    def law(self) -> Law:
        """What a prompt gives: how many say yes. κ is the correlation of two raters' answers."""
        return Law(np.arange(self.raters + 1.0), beta_binomial(self.raters, self.share, self.kappa))

    @property
    def truth(self) -> float:
        """What is estimated."""
        return self.kappa

    def interval(self, confidence: float) -> Interval:
        """Student's over prompts."""
        return fleiss(self.raters, confidence)

    smooth_interval = interval


Design = Accuracy | Difference | Agreement


def half_width(design: Design, confidence: float, method: Method) -> Estimate:
    """Compute what half the width of the interval will be on average."""
    studies = Studies(design.law, design.prompts, has_normal_width(design), method)
    least, most = design.limits

    def cut(read: Interval, counts: Floats) -> Floats:
        bounds = read(counts)
        return (np.minimum(bounds.high, most) - np.maximum(bounds.low, least)) / 2

    exact, smooth = partial(cut, design.interval(confidence)), partial(cut, design.smooth_interval(confidence))
    return studies.mean(exact, lambda: studies.moments(smooth)[0])


def coverage(design: Design, confidence: float, method: Method) -> Estimate | None:
    """Compute how often the interval has the true value in it; None by the normal law, which cannot tell."""
    read, studies = design.interval(confidence), Studies(design.law, design.prompts, has_normal_power(design), method)
    if studies.way == "normal":
        return None

    def covers(counts: Floats) -> NDArray[np.bool_]:
        bounds = read(counts)
        return np.asarray((bounds.low <= design.truth) & (design.truth <= bounds.high))

    return studies.share(covers, lambda: math.nan)


def power(design: Design, alpha: float, method: Method, *, against: float = 0.0) -> Estimate:
    """Compute how often a study finds that the truth is not `against`.

    Differences are tested as those of refinements are (`SignedRanks`): p below alpha. Of an accuracy or κ, the
    interval at the confidence 1 − alpha must leave `against` out.
    """
    studies = Studies(design.law, design.prompts, has_normal_power(design), method)
    if isinstance(design, Difference):
        test = SignedRanks(design.law.values)
        return studies.share(lambda rows: test.rejects(rows, alpha), lambda: _beyond(studies, test.z, _z(alpha)))
    read, smooth = design.interval(1 - alpha), design.smooth_interval(1 - alpha)

    def leaves_out(counts: Floats) -> NDArray[np.bool_]:
        bounds = read(counts)
        return np.asarray((bounds.low > against) | (bounds.high < against))

    def distance(counts: Floats) -> Floats:
        """Tell how far `against` is from the middle, in half-widths: beyond 1 it is left out."""
        bounds = smooth(counts)
        return (bounds.low + bounds.high - 2 * against) / (bounds.high - bounds.low)

    return studies.share(leaves_out, lambda: _beyond(studies, distance, 1.0))


def has_normal_width(design: Design) -> bool:
    """Tell whether the normal law gives the width of the interval."""
    if isinstance(design, Agreement):
        return design.prompts * design.share * (1 - design.share) >= _WIDTH_VOTES
    return design.prompts >= _WIDTH_FROM


def has_normal_power(design: Design) -> bool:
    """Tell whether the normal law gives the power: many prompts, many that differ, little skewness, no bend nearby."""
    if isinstance(design, Agreement) or design.prompts < _POWER_FROM:
        return False
    values, shares = design.law.values - design.law.mean, design.law.shares
    skewness = abs(float(shares @ values**3) / float(shares @ values**2) ** 1.5 / math.sqrt(design.prompts))
    if isinstance(design, Accuracy):
        return skewness <= _SKEW and abs(design.room) >= _ROOM
    different = design.prompts * (1 - float(shares[design.law.values == 0].sum()))
    return skewness <= _SKEW_OF_DIFFERENCES and different >= _DIFFERENT


def _z(alpha: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(alpha / 2))


def _beyond(studies: Studies, statistic: Callable[[Floats], Floats], critical: float) -> float:
    """Compute how likely a statistic that is normal is beyond ± a critical value."""
    from scipy.special import ndtr

    mean, variance = studies.moments(statistic)
    spread = math.sqrt(max(variance, 1e-300))
    return float(ndtr((mean - critical) / spread) + ndtr((-critical - mean) / spread))
