"""What T2ICountBench reports, as printed, to stand beside what is computed here.

Source: Guo et al. (2025), Text-to-Image Diffusion Models Cannot Count, and Prompt Refinement Cannot Help: Tables 1 to
3, and what the text says of Figures 1 and 3 to 5, which print no numbers. Nothing here was computed by subitize. Cells
stay texts: the digits printed are the precision that is claimed. No images or votes were released; no cell has an n.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from subitize.papers.t2icountbench import PAPER

CATEGORIES: tuple[str, ...] = ("fruit", "human", "animal", "shape", "furniture", "plant")
CONDITIONS: tuple[str, ...] = ("original", "multiplicative", "additive", "grid", "position")
"""The columns of Table 3: the prompt as it was, and its refinements."""
AVERAGE = "average"
ALL_MODELS = "all 15 models"
"""The row of what is told of all models together."""
KAPPA = PAPER.kappas["t2icountbench", "matches-prompt"]


class Place(NamedTuple):
    """Where a cell stands."""

    table: str
    row: str
    column: str


# Organization, year, number of parameters and whether the weights are open; in the order of the paper.
_TABLE_1 = {
    "Recraft V3": ("Recraft AI", "2024", "N/A", "No"),
    "Imagen-3": ("Google", "2024", "N/A", "No"),
    "Grok 3": ("xAI", "2025", "N/A", "No"),
    "Gemini 2.0 Flash": ("Google", "2025", "N/A", "No"),
    "FLUX 1.1": ("Black Forest", "2024", "N/A", "No"),
    "Firefly 3": ("Adobe", "2024", "N/A", "No"),
    "DALL-E 3": ("OpenAI", "2024", "N/A", "No"),
    "SD 3.5": ("Stability AI", "2024", "8.1B", "Yes"),
    "Doubao": ("Bytedance", "2023", "N/A", "No"),
    "Qwen2.5-Max": ("Alibaba", "2025", "N/A", "No"),
    "WanX2.1": ("Alibaba", "2025", "14B", "Yes"),
    "Kling": ("Kwai", "2024", "N/A", "No"),
    "Star-3 Alpha": ("LiblibAI", "2024", "N/A", "No"),
    "Hunyuan": ("Tencent", "2024", "1.5B", "Yes"),
    "GLM-4": ("ZhipuAI", "2024", "9B", "Yes"),
}
_TABLE_1_COLUMNS = ("organization", "year", "parameters", "open")
MODELS: tuple[str, ...] = tuple(_TABLE_1)

_TABLE_2 = """
    0.23 0.36 0.27 0.23 0.24 0.20 0.25 Recraft V3
    0.14 0.33 0.35 0.27 0.27 0.23 0.26 SD 3.5
    0.21 0.55 0.23 0.35 0.23 0.17 0.29 Grok 3
    0.29 0.31 0.43 0.23 0.31 0.23 0.30 DALL-E 3
    0.27 0.33 0.44 0.25 0.37 0.24 0.32 GLM-4
    0.35 0.29 0.41 0.33 0.33 0.19 0.32 Qwen2.5-Max
    0.27 0.41 0.51 0.29 0.33 0.20 0.34 Firefly 3
    0.31 0.43 0.40 0.27 0.36 0.31 0.35 FLUX 1.1
    0.30 0.51 0.45 0.19 0.33 0.35 0.35 Kling
    0.35 0.43 0.4 0.35 0.39 0.33 0.37 Doubao
    0.33 0.36 0.49 0.37 0.36 0.32 0.37 Hunyuan
    0.38 0.39 0.44 0.39 0.39 0.27 0.37 Star-3 Alpha
    0.37 0.52 0.47 0.32 0.36 0.20 0.37 WanX2.1
    0.28 0.48 0.48 0.51 0.29 0.32 0.39 Gemini 2.0 Flash
    0.31 0.53 0.51 0.44 0.43 0.33 0.43 Imagen-3
"""
_TABLE_3 = """
    0.37 0.29 0.26 0.26 0.15 0.26 Recraft V3
    0.58 0.33 0.29 0.49 0.26 0.39 Imagen-3
    0.36 0.38 0.20 0.33 0.16 0.29 DALL-E 3
    0.34 0.26 0.35 0.26 0.22 0.29 Grok 3
    0.46 0.39 0.30 0.36 0.33 0.37 Gemini 2.0 Flash
    0.38 0.16 0.24 0.32 0.13 0.25 FLUX 1.1
    0.42 0.10 0.16 0.39 0.17 0.25 Firefly 3
    0.29 0.18 0.15 0.30 0.13 0.21 SD 3.5
    0.48 0.20 0.12 0.40 0.08 0.26 Doubao
    0.41 0.27 0.27 0.35 0.19 0.30 Qwen2.5-Max
    0.50 0.35 0.19 0.34 0.30 0.34 WanX2.1
    0.40 0.17 0.10 0.33 0.07 0.22 Kling
    0.35 0.25 0.15 0.29 0.22 0.25 Star-3 Alpha
    0.45 0.28 0.26 0.21 0.26 0.29 Hunyuan
    0.46 0.36 0.35 0.39 0.28 0.37 GLM-4
    0.42 0.26 0.23 0.34 0.20 0.29 average
"""

# What the text says of the figures, in percent: sections 4.2 (difficulty), C.1 (scene) and C.2 (style).
_FIGURES = {
    Place("figure1", ALL_MODELS, "easy"): "60–80",
    Place("figure1", ALL_MODELS, "medium"): "10–30",
    Place("figure1", "Imagen-3", "hard"): "> 10",
    Place("figure1", "Gemini 2.0 Flash", "hard"): "> 10",
    Place("figure1", "Hunyuan", "hard"): "> 10",
    Place("figure1", "Recraft V3", "hard"): "2",
    Place("figure1", "SD 3.5", "hard"): "2",
    Place("figure4", "Imagen-3", "home"): "58",
    Place("figure4", "Imagen-3", "city"): "16",
    Place("figure4", "GLM-4", "home"): "46",
    Place("figure4", "GLM-4", "city"): "10",
    Place("figure4", "FLUX 1.1", "city"): "28",
    Place("figure5", ALL_MODELS, "home"): "42",
    Place("figure5", ALL_MODELS, "city"): "21",
    Place("figure5", ALL_MODELS, "plain"): "42",
    Place("figure5", ALL_MODELS, "watercolor"): "34",
    Place("figure5", ALL_MODELS, "cartoon"): "38",
    Place("agreement", ALL_MODELS, "fleiss_kappa"): KAPPA,
}


def _read() -> Iterator[tuple[Place, str]]:
    for model, cells in _TABLE_1.items():
        for column, cell in zip(_TABLE_1_COLUMNS, cells, strict=True):
            yield Place("table1", model, column), cell
    yield from _grid("table2", _TABLE_2, (*CATEGORIES, AVERAGE))
    yield from _grid("table3", _TABLE_3, (*CONDITIONS, AVERAGE))
    yield from _FIGURES.items()


def _grid(table: str, text: str, columns: Sequence[str]) -> Iterator[tuple[Place, str]]:
    for line in text.strip().splitlines():
        *cells, row = line.split(maxsplit=len(columns))
        for column, cell in zip(columns, cells, strict=True):
            yield Place(table, row, column), cell


PUBLISHED: Mapping[Place, str] = MappingProxyType(dict(_read()))
"""Every printed cell, in the order of the paper. Tables are shares; what the text says of figures is in percent."""


def list_published(table: str) -> dict[tuple[str, str], str]:
    """Take the printed cells of one table, by row and column."""
    return {(place.row, place.column): cell for place, cell in PUBLISHED.items() if place.table == table}
