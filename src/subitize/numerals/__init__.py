"""The one place that reads numbers from text, and that writes numbers, plurals and articles.

Reading goes in three steps, each linear in the text: tokens (words, digit chunks, marks), mentions (what each
quantity in the text says, with how much weight) and one decision over all mentions. What is done with
several numbers or a vague answer is no part of reading: that is a policy's choice, in `value`.
"""

from subitize.numerals.amounts import (
    Amount,
    AtLeast,
    Exact,
    NoNumber,
    Range,
    Refusal,
    Several,
    Unread,
    Vague,
)
from subitize.numerals.answers import find_answer
from subitize.numerals.nouns import article, plural, singular
from subitize.numerals.policies import POLICIES, Policy, value
from subitize.numerals.reading import read
from subitize.numerals.tokens import LONGEST_TEXT
from subitize.numerals.writing import LARGEST_IN_WORDS, counted, in_words, list_some

__all__ = [
    "LARGEST_IN_WORDS",
    "LONGEST_TEXT",
    "POLICIES",
    "Amount",
    "AtLeast",
    "Exact",
    "NoNumber",
    "Policy",
    "Range",
    "Refusal",
    "Several",
    "Unread",
    "Vague",
    "article",
    "counted",
    "find_answer",
    "in_words",
    "list_some",
    "plural",
    "read",
    "singular",
    "value",
]
