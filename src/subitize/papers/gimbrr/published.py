"""What GIMBRR reports, as printed (published.csv), to stand beside what is computed here.

Source: Achterberg et al. (2023), section “Assessment results”. There are no other figures in the paper: its Figures 2
to 8 print none. It truncates some (54 % is 54.74 %) and rounds others; the `b` of its main effect is a sum of squares.
"""

from collections.abc import Mapping
from pathlib import Path

from subitize.analysis.published import CellId, read_published

PUBLISHED: Mapping[CellId, str] = read_published(Path(__file__).with_name("published.csv"))
"""Every printed figure, by the names that `subitize reproduce gimbrr --json` gives them."""
