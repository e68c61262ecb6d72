"""Merges several values into one, by a named rule: votes on a question, or verdicts on the parts of a picture."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median_high, median_low

from subitize import papers as plugins
from subitize.errors import UnknownNameError
from subitize.language.texts import normalise
from subitize.records import OF_FILE, Ask, Discarded, Item, Known, Question, Scalar, Transcribe, Value, base_suite

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


@dataclass(frozen=True, slots=True)
class PartsRule:
    """How values of parts are joined to whether a picture matches its prompt.

    Judges that answer the whole question directly need no joining.
    """

    name: str
    """Includes the version, as in gimbrr-parts@1."""
    list_parts: Callable[[Item], Sequence[Ask]]
    """List an item's asks about parts; none if only the whole can be judged."""
    join: Callable[[Item, Mapping[str, Value]], Value | None]
    """Join values, by question id; None where one is missing."""
    name_waiting: Callable[[Iterable[Item], Callable[[Question], bool]], str]
    """Describe which items wait for another judge, given what this one can answer; "" if none do."""


def find_parts_rule(suite: str) -> PartsRule | None:
    """Find the rule of a suite's paper, or that of YAML suites; None if there is none."""
    base = base_suite(suite)
    if base.endswith(OF_FILE):
        return OF_FILES
    reference = plugins.find("parts_rules", base)
    return plugins.load(reference) if reference else None


def join_parts(parts: Sequence[Ask], values: Mapping[str, Value], texts: Sequence[str] = ()) -> Value | None:
    """Join one judge's values of the parts: a picture matches if all hold; None if a part was not judged.

    One wrong part makes the whole wrong; otherwise one unknown part makes it unknown. The text that should be written
    is the one that the part expects, unless texts are given.
    """
    if not parts or any(ask.question.id not in values for ask in parts):
        return None
    verdicts = [_holds(ask, values[ask.question.id], texts) for ask in parts]
    if False in verdicts:
        return Known(False)
    return Discarded("a part is unknown", is_refusal=True) if None in verdicts else Known(True)


def is_written(text: str, read: str) -> bool:
    """Return whether the words of a text occur in what was read, in order and without others between."""
    return f" {_words(text)} " in f" {_words(read)} "


def is_served(parts: Sequence[Ask], can_answer: Callable[[Question], bool]) -> bool:
    """Return whether a judge can answer all parts of an item."""
    return bool(parts) and all(can_answer(ask.question) for ask in parts)


def _holds(ask: Ask, value: Value, texts: Sequence[str]) -> bool | None:
    """Return whether a part is right; None if the judge could not tell. An unusable answer counts as wrong."""
    if not isinstance(value, Known):
        return None if value.is_refusal else False
    if isinstance(ask.question, Transcribe):
        return all(is_written(text, str(value.value)) for text in texts or map(str, ask.expects))
    return value.value in ask.expects


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", normalise(text)))


def _list_parts(item: Item) -> tuple[Ask, ...]:
    return tuple(ask for ask in item.asks if not ask.is_relevant)


def _name_waiting(items: Iterable[Item], can_answer: Callable[[Question], bool]) -> str:
    parts = [own for item in items if (own := _list_parts(item))]
    waiting = sum(not is_served(own, can_answer) for own in parts)
    return f"{waiting} of {len(parts)} items wait for people or another judge" if waiting else ""


OF_FILES = PartsRule("parts@1", _list_parts, lambda item, values: join_parts(_list_parts(item), values), _name_waiting)
"""The rule of YAML suites: all parts must hold."""
