"""Turns evidence into values, and several values into one label, by named and versioned rules."""

from subitize.labels.boxes import counted_boxes, read_standing, read_statement
from subitize.labels.consensus import (
    ADJUDICATED,
    EARLIER_NAME,
    MEDIAN,
    PLURALITY,
    PartsRule,
    consensus,
    find_parts_rule,
    is_ours,
    is_tie,
)
from subitize.labels.interpretation import CANNOT_TELL, SIMILARITY, interpret
from subitize.labels.rules import (
    Rule,
    WordRule,
    check_floor,
    is_same_kind,
    make_rule,
    parse_rule,
    read_share,
    rule_versions,
)

__all__ = [
    "ADJUDICATED",
    "CANNOT_TELL",
    "EARLIER_NAME",
    "MEDIAN",
    "PLURALITY",
    "SIMILARITY",
    "PartsRule",
    "Rule",
    "WordRule",
    "check_floor",
    "consensus",
    "counted_boxes",
    "find_parts_rule",
    "interpret",
    "is_ours",
    "is_same_kind",
    "is_tie",
    "make_rule",
    "parse_rule",
    "read_share",
    "read_standing",
    "read_statement",
    "rule_versions",
]
