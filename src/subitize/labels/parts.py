"""Verdicts on whole pictures, derived from one judge's readings of their parts by a rule of the suite."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from subitize import plugins
from subitize.records import OF_FILE, Ask, Item, Question, Value, base_suite

_RULE_OF_FILES = "subitize.suites.parts:OF_FILES"


@dataclass(frozen=True, slots=True)
class PartsRule:
    """How the values of parts become the answer to whether a picture matches its prompt.

    A judge that answered the whole question itself needs no joining.
    """

    name: str
    """With its version, as in gimbrr-parts@1."""
    list_parts: Callable[[Item], Sequence[Ask]]
    """List the asks of an item that must be answered; none where only the whole can be."""
    join: Callable[[Item, Mapping[str, Value]], Value | None]
    """Join values, by question id; None where one is missing."""
    name_waiting: Callable[[Iterable[Item], Callable[[Question], bool]], str]
    """Say which of the items wait for another judge, given what this one can answer; nothing where none does."""


def find_parts_rule(suite: str) -> PartsRule | None:
    """Find the rule of a suite's paper, or that of suites that files define; None if there is none."""
    base = base_suite(suite)
    reference = _RULE_OF_FILES if base.endswith(OF_FILE) else plugins.find("parts_rules", base)
    return plugins.load(reference) if reference else None
