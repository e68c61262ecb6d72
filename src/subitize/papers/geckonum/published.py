"""What GeckoNum reports, as printed (published.csv), to stand beside what is computed here.

Source: Kajić et al. (2024), Evaluating Numerical Reasoning in Text-to-Image Models: Table 2, Figure 5, Tables A2–A8 and
A10, Appendix C.2. Nothing here was computed by subitize. Percentages are written as such, 77 where the paper prints
0.77. The level of measurement of Krippendorff's α is not told, and the paper's .865 is the nominal one.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from subitize.analysis.published import CellId, read_published

PUBLISHED: Mapping[CellId, str] = read_published(Path(__file__).with_name("published.csv"))
"""Every printed cell, by the names that `subitize reproduce geckonum --json` gives them."""

QUANTIFIERS: tuple[str, ...] = ("many", "few", "no", "fewer", "more", "as many")
GROUPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"A3": ("D", "W"), "A4": ("R", "F"), "A6": ("NC", "C"), "A7": ("2A", "2AC"), "A8": ("NS", "S")}
)
"""The two groups of each table: digits and words, rare and frequent nouns, without and with colour, …"""

DROPS: tuple[tuple[str, str], ...] = (
    ("numeric_simple", "2-additive"),
    ("2-additive", "3-additive"),
    ("numeric_simple", "3-additive"),
)
