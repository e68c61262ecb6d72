"""One value of several, by a named rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from subitize import plugins
from subitize.errors import UnknownNameError
from subitize.records import Discarded, Known, Scalar, Value

_CONSENSUS_RULES = ("mode", "majority")


def consensus_rules() -> tuple[str, ...]:
    """List the rules, ours before those of papers; those make something of the most frequent value."""
    return (*_CONSENSUS_RULES, *plugins.list_all("consensus_rules"))


def consensus(values: Sequence[Value], rule: str) -> Value:
    """Make one value of several; those that were discarded have no vote."""
    finish = None if rule in _CONSENSUS_RULES else _find(rule)
    votes = [value.value for value in values if isinstance(value, Known)]
    if not votes:
        return values[0] if values else Discarded("no reading")
    # Counter keeps the order of first appearance, so that a tie goes to the first; yes and no may not be left to that.
    winner, count = Counter(votes).most_common(1)[0]
    needs_majority = rule == "majority" or (rule == "mode" and isinstance(winner, bool))
    if needs_majority and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    return Known(finish(winner) if finish else winner)


@lru_cache
def _find(rule: str) -> Callable[[Scalar], Scalar]:
    """Find what a paper's rule makes of the most frequent value."""
    found = plugins.find("consensus_rules", rule)
    if found is None:
        raise UnknownNameError("consensus rule", rule, consensus_rules())
    finish: Callable[[Scalar], Scalar] = plugins.load(found)
    return finish
