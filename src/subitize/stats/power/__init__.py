"""How large a study must be: power, precision and the least difference that is found, before anything is drawn.

A study is `prompts` prompts. What one of them can give, and how likely, is a law (`laws`); what is computed from all of
them is what subitize reports (`readings`): Wilson's and Student's intervals, Wilcoxon's test, Fleiss' κ. How often a
test rejects, and how wide an interval is, is counted over all outcomes, taken from the normal law, or simulated
(`methods`).
"""

from subitize.stats.power.designs import Accuracy, Agreement, Design, Difference, coverage, half_width, power
from subitize.stats.power.estimates import Likeness, like_one, like_two
from subitize.stats.power.laws import Pair, discordance_range
from subitize.stats.power.methods import Choice, Method
from subitize.stats.power.searching import least_number, least_share

__all__ = [
    "Accuracy",
    "Agreement",
    "Choice",
    "Design",
    "Difference",
    "Likeness",
    "Method",
    "Pair",
    "coverage",
    "discordance_range",
    "half_width",
    "least_number",
    "least_share",
    "like_one",
    "like_two",
    "power",
]
