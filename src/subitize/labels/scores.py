"""Interprets scores of a text: whether it fits, where they are probabilities."""

import math
from collections.abc import Mapping


def read_probability(scores: Mapping[str, float]) -> float | None:
    """Take the probability that a text fits a picture; a similarity is none, as it accepts and rejects nothing.

    `match` is a probability where it is that of the logit, or comes without one.
    """
    if "probability" in scores:
        return scores["probability"]
    match, logit = scores.get("match"), scores.get("logit")
    if match is None or logit is None:
        return match
    is_probability = math.isclose(match, 1 / (1 + math.exp(-max(logit, -700.0))), abs_tol=1e-6)
    return match if is_probability else None
