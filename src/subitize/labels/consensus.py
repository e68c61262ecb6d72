"""Merges several values into one, by a named rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import median_high, median_low

from subitize import papers as plugins
from subitize.errors import UnknownNameError
from subitize.records import Discarded, Known, Scalar, Value

PLURALITY = "plurality"
"""The default rule: the most frequent value; none in a tie."""
EARLIER_NAME = "mode"
"""The former name of `first`, once the default; still accepted, and hashed in protocols."""
MEDIAN = "median"
"""The rule for scattered counts: the middle one, or the mean of two."""
ADJUDICATED = "adjudicated"
"""The adjudicator's answer if there is one, else the plurality of the answers as corrected by reviewers."""
_OURS = (PLURALITY, "majority", MEDIAN, "first", ADJUDICATED)
_LARGEST_EXACT = 2**53  # half of a larger odd number is not a float
_TIE = "a tie among"


def consensus_rules() -> tuple[str, ...]:
    """List the rules, built-in ones first; papers' rules transform the most frequent value."""
    return (*_OURS, *plugins.list_all("consensus_rules"))


def consensus(values: Sequence[Value], rule: str) -> Value:
    """Merge several values into one; discarded values have no vote.

    The median of yes and no, or of texts, is their plurality. For `adjudicated`, votes are as reviewers and
    adjudicators left them.
    """
    finish = None if is_ours(rule) else _find(rule)
    votes = [value.value for value in values if isinstance(value, Known)]
    if not votes:
        return values[0] if values else Discarded("no reading")
    if rule == MEDIAN and (numbers := [vote for vote in votes if not isinstance(vote, bool | str)]) == votes:
        return Known(_middle(numbers))
    # Counter keeps the order of first appearance, so that the first of a tie comes first.
    (winner, count), *others = Counter(votes).most_common()
    if rule in (PLURALITY, MEDIAN, ADJUDICATED):
        return Discarded(f"{_TIE} {len(votes)} votes") if count in dict(others).values() else Known(winner)
    # Built-in rules never decide yes or no by that order.
    needs_majority = rule == "majority" or (finish is None and isinstance(winner, bool))
    if needs_majority and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    return Known(finish(winner) if finish else winner)


def is_ours(rule: str) -> bool:
    """Return whether the rule is built in; a paper's rule may transform the value."""
    return rule in (*_OURS, EARLIER_NAME)


def is_tie(value: Value) -> bool:
    """Return whether votes have no value because of a tie."""
    return isinstance(value, Discarded) and value.reason.startswith(_TIE)


def _middle(numbers: Sequence[float]) -> float:
    """Find the median, or the mean of the two middle numbers, as an int if it is whole."""
    low, high = median_low(numbers), median_high(numbers)
    total = low + high
    if isinstance(total, int) and (total % 2 == 0 or total > _LARGEST_EXACT):
        return total // 2
    return low if low == high else total / 2


@lru_cache
def _find(rule: str) -> Callable[[Scalar], Scalar]:
    """Find the function by which a paper's rule transforms the most frequent value."""
    found = plugins.find("consensus_rules", rule)
    if found is None:
        raise UnknownNameError("consensus rule", rule, consensus_rules())
    finish: Callable[[Scalar], Scalar] = plugins.load(found)
    return finish
