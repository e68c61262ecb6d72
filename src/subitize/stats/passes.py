"""How likely it is that at least one of k images of a prompt is right."""

import math
from collections.abc import Sequence
from math import comb

from subitize.records import Estimate
from subitize.stats.intervals import share_interval, wilson_interval


def pass_at_k(images: int, right: int, k: int) -> float:
    """Estimate it without bias from `images` of which `right` are: the share of all choices of k with a right one.

    The estimator of Chen and others (2021), arXiv 2107.03374, section 2.1.
    """
    if not 0 <= right <= images:
        raise ValueError(f"{right} of {images} images cannot be right")
    if not 1 <= k <= images:
        raise ValueError(f"k={k}: should be from 1 to the number of images, {images}")
    return 1 - comb(images - right, k) / comb(images, k)


def average_passes(rates: Sequence[float], choices: float | None = None, confidence: float = 0.95) -> Estimate:
    """Average what `pass_at_k` gives of each prompt, with an interval over prompts (its n).

    `choices` are all the choices of k images that have no image in common, where that is known. Of rates that are 0 or
    1 it is Wilson's interval of a share. Others tell more than that: it is Wilson's of as many prompts as would have
    their standard error, widened as Student's is for few prompts. It takes no more of them than there are choices, so
    that it keeps its width where rates hardly vary, or never.
    """
    from scipy.special import ndtri, stdtrit

    n, mean = len(rates), math.fsum(rates) / len(rates)
    if all(rate in (0, 1) for rate in rates):
        return wilson_interval(round(math.fsum(rates)), n, confidence)
    if n == 1:
        return share_interval(mean, 1.0, n=1, what="mean", confidence=confidence)
    error2 = math.fsum((rate - mean) ** 2 for rate in rates) / (n - 1) / n
    prompts = min(choices or math.inf, mean * (1 - mean) / error2) if error2 > 0 else choices or n
    edge = (1 + confidence) / 2
    widened = prompts * (float(ndtri(edge)) / float(stdtrit(n - 1, edge))) ** 2
    return share_interval(mean, widened, n=n, what="mean over prompts", confidence=confidence)
