"""Turns evidence into values, and several values into one label, by named and versioned rules."""

from subitize.labels.boxes import counted_boxes, read_standing, read_statement
from subitize.labels.consensus import ADJUDICATED, MEDIAN, PLURALITY, PartsRule, consensus, find_parts_rule
from subitize.labels.interpretation import CANNOT_TELL, SIMILARITY, interpret
from subitize.labels.rules import Rule, WordRule, check_floor, is_same_kind, make_rule, parse_rule, rule_versions

__all__ = ["ADJUDICATED", "CANNOT_TELL", "MEDIAN", "PLURALITY", "SIMILARITY", "PartsRule", "Rule", "WordRule"]
__all__ += ["check_floor", "consensus", "counted_boxes", "find_parts_rule", "interpret", "is_same_kind", "make_rule"]
__all__ += ["parse_rule", "read_standing", "read_statement", "rule_versions"]
