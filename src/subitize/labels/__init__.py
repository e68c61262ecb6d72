"""From evidence to value, and from several values to one label, by named and versioned rules."""

from subitize.labels.boxes import counted_boxes
from subitize.labels.consensus import consensus, consensus_rules
from subitize.labels.interpretation import interpret
from subitize.labels.rules import (
    Rule,
    WordRule,
    check_floor,
    check_kind,
    find_positional_rule,
    find_word_rule,
    make_rule,
    parse_rule,
    read_share,
    rule_versions,
    word_rules,
)
from subitize.labels.statements import Statement, read_statement
from subitize.labels.yes_no import VOTES_AGAINST, VOTES_FOR

__all__ = [
    "VOTES_AGAINST",
    "VOTES_FOR",
    "Rule",
    "Statement",
    "WordRule",
    "check_floor",
    "check_kind",
    "consensus",
    "consensus_rules",
    "counted_boxes",
    "find_positional_rule",
    "find_word_rule",
    "interpret",
    "make_rule",
    "parse_rule",
    "read_share",
    "read_statement",
    "rule_versions",
    "word_rules",
]
