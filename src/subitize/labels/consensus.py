"""One value of several, by a named rule."""

from collections import Counter
from collections.abc import Sequence

from subitize import plugins
from subitize.errors import UnknownNameError
from subitize.records import Discarded, Known, Value

_CONSENSUS_RULES = ("mode", "majority")


def consensus_rules() -> tuple[str, ...]:
    """List the rules, ours before those of papers; those make something of the most frequent value."""
    return (*_CONSENSUS_RULES, *plugins.list_all("consensus_rules"))


def consensus(values: Sequence[Value], rule: str) -> Value:
    """Make one value of several; those that were discarded have no vote."""
    brought = None if rule in _CONSENSUS_RULES else plugins.find("consensus_rules", rule)
    if rule not in _CONSENSUS_RULES and brought is None:
        raise UnknownNameError("consensus rule", rule, consensus_rules())
    votes = [value.value for value in values if isinstance(value, Known)]
    if not votes:
        return values[0] if values else Discarded("no reading")
    # Counter keeps the order of first appearance, so that a tie goes to the first; yes and no may not be left to that.
    winner, count = Counter(votes).most_common(1)[0]
    needs_majority = rule == "majority" or (rule == "mode" and isinstance(winner, bool))
    if needs_majority and 2 * count <= len(votes):
        return Discarded(f"no majority among {len(votes)} votes")
    return Known(plugins.load(brought)(winner) if brought else winner)
