"""One value of several, by a named rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import median_high, median_low

from subitize import papers as plugins
from subitize.errors import UnknownNameError
from subitize.records import Discarded, Known, Scalar, Value

PLURALITY = "plurality"
"""The rule by default: the most frequent value; a tie has none."""
EARLIER_NAME = "mode"
"""What `first` was called when it was the default; it still goes by it, and protocols are hashed with it."""
MEDIAN = "median"
"""The rule for counts that lie apart: the one in the middle, or the mean of two."""
ADJUDICATED = "adjudicated"
"""The adjudicator's answer where there is one, else the plurality of the answers, corrected where a reviewer did so."""
_OURS = (PLURALITY, "majority", MEDIAN, "first", ADJUDICATED)
_LARGEST_EXACT = 2**53  # half of a larger odd number is no float
_TIE = "a tie among"


def consensus_rules() -> tuple[str, ...]:
    """List the rules, ours before those of papers; those make something of the most frequent value."""
    return (*_OURS, *plugins.list_all("consensus_rules"))


def consensus(values: Sequence[Value], rule: str) -> Value:
    """Make one value of several; those that were discarded have no vote.

    Yes and no, or texts, have no median: it is their plurality. Of `adjudicated` the votes are as reviewers and
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
    # Of ours, none leaves yes and no to that order.
    needs_majority = rule == "majority" or (finish is None and isinstance(winner, bool))
    if needs_majority and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    return Known(finish(winner) if finish else winner)


def is_ours(rule: str) -> bool:
    """Tell whether one vote counts as it is under a rule; a paper's makes something of it, if it is known at all."""
    return rule in (*_OURS, EARLIER_NAME)


def is_tie(value: Value) -> bool:
    """Tell whether several votes have no value because the most frequent ones are equally frequent."""
    return isinstance(value, Discarded) and value.reason.startswith(_TIE)


def _middle(numbers: Sequence[float]) -> float:
    """Find the median; between two different numbers it is their mean, which is whole where it can be."""
    low, high = median_low(numbers), median_high(numbers)
    total = low + high
    if isinstance(total, int) and (total % 2 == 0 or total > _LARGEST_EXACT):
        return total // 2
    return low if low == high else total / 2


@lru_cache
def _find(rule: str) -> Callable[[Scalar], Scalar]:
    """Find what a paper's rule makes of the most frequent value."""
    found = plugins.find("consensus_rules", rule)
    if found is None:
        raise UnknownNameError("consensus rule", rule, consensus_rules())
    finish: Callable[[Scalar], Scalar] = plugins.load(found)
    return finish
