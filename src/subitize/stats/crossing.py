"""The number at which a measure that declines with number falls below a level, such as accuracy below one half."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from subitize.stats.estimate import Floats, Integers

RESAMPLES = 1000
_CELLS_AT_ONCE = 2_000_000
LEVEL = 0.5
_EPSILON = 1e-9  # a mean that rounding alone puts below the level is not below it


@dataclass(frozen=True, slots=True)
class Crossing:
    """The smallest number asked for at which the fit is below `level`, with an interval; None means above `highest`.

    Nothing is known between it and the previous number asked for: the fit may be below from `earliest` on, and the
    interval begins likewise. If `number` is `lowest`, the fit may already be below at smaller numbers. `fitted` is the
    fit by number.
    """

    number: int | None
    earliest: int | None
    low: int | None
    high: int | None
    n: int
    lowest: int
    highest: int
    fitted: Mapping[int, float]
    method: str
    level: float = LEVEL
    confidence: float = 0.95

    @property
    def is_below_throughout(self) -> bool:
        """Return whether the fit is below the level at every number asked for, so that it falls below at none."""
        return self.number == self.lowest

    def __str__(self) -> str:
        """Write the number and its interval; ends beyond which nothing was asked say so."""
        return f"{self._write()} [{self._end(self.low)}, {self._end(self.high)}]"

    def _write(self) -> str:
        if self.is_below_throughout:
            level = "one half" if self.level == LEVEL else f"{self.level:g}"
            return f"below {level} from {self.number} on"
        is_gap = self.earliest != self.number
        return f"{self.earliest} to {self.number}" if is_gap else self._end(self.number)

    def _end(self, number: int | None) -> str:
        if number is None:
            return f"above {self.highest}"
        return f"{number} or below" if number == self.lowest else str(number)


def find_crossing(
    values: Mapping[int, Sequence[float]], *, level: float = LEVEL, confidence: float = 0.95, seed: int = 0
) -> Crossing | None:
    """Find where the mean of values (0 to 1, one per item, by number) falls below a level; None without values.

    The fit is the closest sequence that never rises with number. The interval is from a bootstrap of the items of each
    number and one more that is right half of the time: where all are alike, the next might still differ. It includes
    the numbers between two that were asked for, as the fit may cross the level at any of them.
    """
    numbers = sorted(number for number, own in values.items() if len(own))
    if not numbers:
        return None
    sizes = np.array([len(values[number]) for number in numbers], dtype=np.float64)
    means = np.array([float(np.mean(values[number])) for number in numbers])
    fitted = isotonic_decreasing(means, sizes)
    random = np.random.default_rng(seed)
    drawn = np.stack([_resample(np.asarray(values[number], dtype=np.float64), random) for number in numbers], axis=-1)
    batches = np.array_split(drawn, max(1, drawn.size * len(numbers) // _CELLS_AT_ONCE))
    places = np.concatenate([_first_below(isotonic_decreasing(batch, sizes), level) for batch in batches])
    place = int(_first_below(fitted, level))
    tail = (1 - confidence) / 2
    low = min(int(np.quantile(places, tail, method="inverted_cdf")), place)
    high = max(int(np.quantile(places, 1 - tail, method="inverted_cdf")), place)
    # A fit that is below at one number but not at the previous one may cross the level anywhere in between.
    starts = [numbers[0], *(before + 1 for before in numbers[:-1])]
    earliest, first = (starts[one] if one < len(numbers) else None for one in (place, low))
    number, last = (numbers[one] if one < len(numbers) else None for one in (place, high))
    by_number = dict(zip(numbers, fitted.tolist(), strict=True))
    method = f"isotonic fit, percentile bootstrap of items within numbers, {RESAMPLES} resamples"
    n = int(sizes.sum())
    return Crossing(number, earliest, first, last, n, numbers[0], numbers[-1], by_number, method, level, confidence)


def isotonic_decreasing(means: Floats, weights: Floats) -> Floats:
    """Fit, along the last axis, the sequence that never rises and is closest in weighted squares (isotonic regression).

    Its value at a place is a minimum over the starts of the stretches that contain it: for each start, the highest mean
    of such a stretch. Pooling adjacent violators gives the same, but not for many sequences at once.
    """
    size = len(weights)
    lengths = np.concatenate([[0.0], np.cumsum(weights)])
    sums = np.concatenate([np.zeros((*means.shape[:-1], 1)), np.cumsum(means * weights, axis=-1)], axis=-1)
    spans = lengths[None, 1:] - lengths[:-1, None]
    is_stretch = np.triu(np.ones((size, size), dtype=bool))
    stretches = (sums[..., None, 1:] - sums[..., :-1, None]) / np.where(is_stretch, spans, 1.0)
    highest = np.maximum.accumulate(np.where(is_stretch, stretches, -np.inf)[..., ::-1], axis=-1)[..., ::-1]
    lowest = np.minimum.accumulate(np.where(is_stretch, highest, np.inf), axis=-2)
    return np.asarray(np.diagonal(lowest, axis1=-2, axis2=-1))


def _resample(values: Floats, random: np.random.Generator) -> Floats:
    """Average resamples of the items and one more, which is 0 or 1."""
    n = len(values)
    place = random.integers(0, n + 1, (RESAMPLES, n))
    others = random.integers(0, 2, (RESAMPLES, n)).astype(np.float64)
    return np.asarray(np.where(place < n, values[np.minimum(place, n - 1)], others).mean(axis=1))


def _first_below(fitted: Floats, level: float) -> Integers:
    """Find the first place below, or one after the last: as fits never rise, it is the number of places not below."""
    return np.asarray((fitted >= level - _EPSILON).sum(axis=-1))
