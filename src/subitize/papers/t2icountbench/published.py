"""What T2ICountBench reports, as printed (published.csv), to stand beside what is computed here.

Source: Guo et al. (2025), Text-to-Image Diffusion Models Cannot Count, and Prompt Refinement Cannot Help: Tables 1 to
3, and what the text says of Figures 1 and 3 to 5, which print no numbers (sections 4.2, C.1 and C.2). Nothing here was
computed by subitize. No images or votes were released; no cell has an n.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from subitize.analysis.published import CellId, read_published
from subitize.papers.t2icountbench import PAPER

CATEGORIES: tuple[str, ...] = ("fruit", "human", "animal", "shape", "furniture", "plant")
CONDITIONS: tuple[str, ...] = ("original", "multiplicative", "additive", "grid", "position")
"""The columns of Table 3: the prompt as it was, and its refinements."""
AVERAGE = "average"
ALL_MODELS = "all 15 models"
"""The row of what is told of all models together."""
KAPPA = PAPER.kappas["t2icountbench", "matches-prompt"]

PUBLISHED: Mapping[CellId, str] = MappingProxyType(
    {
        **read_published(Path(__file__).with_name("published.csv")),
        CellId("agreement", ALL_MODELS, "fleiss_kappa"): KAPPA,
    }
)
"""Every printed cell, in the order of the paper. Tables are shares; what the text says of figures is in percent."""
MODELS: tuple[str, ...] = tuple(dict.fromkeys(place.row for place in PUBLISHED if place.table == "table1"))


def list_published(table: str) -> dict[tuple[str, str], str]:
    """Take the printed cells of one table, by row and column."""
    return {(place.row, place.column): cell for place, cell in PUBLISHED.items() if place.table == table}
