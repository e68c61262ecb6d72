"""What GeckoNum reports, as printed, to stand beside what is computed here.

Source: Kajić et al. (2024), Evaluating Numerical Reasoning in Text-to-Image Models: Table 2, Figure 5, Tables A2–A8 and
A10, Appendix C.2. Nothing here was computed by subitize. Cells stay texts: the digits printed are the precision that is
claimed. Percentages are written as such, 77 where the paper prints 0.77.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from subitize.analysis.reproduction import Place
from subitize.papers.geckonum.release import MODELS

# Accuracy, standard error and difference to the baseline of Tasks 1, 2 and 3; a row per model, in the order of MODELS.
_TABLE_2 = """
    45.2 0.5 35.2  48.7 2.7 24.1  48.8 1.1 -1.2
    26.3 0.4 16.3  20.0 2.2 -4.6  41.1 1.3 -8.9
    27.0 0.4 17.0  24.6 2.3 0.0   42.9 1.4 -7.1
    34.8 0.4 24.9  27.0 2.4 2.4   50.6 1.2 0.6
    28.5 0.4 18.5  28.7 2.4 4.0   43.8 1.3 -6.2
    34.8 0.4 24.8  21.0 2.2 -3.6  45.1 1.2 -4.9
    39.8 0.5 29.8  24.6 2.3 0.0   46.2 1.2 -3.8
"""
_TABLE_2_COLUMNS = tuple(f"task{task}_{what}" for task in (1, 2, 3) for what in ("acc", "sem", "diff"))

_FIGURE_5 = """
    98 60 70 82 72 70 62
    52 57 50 52 35 42 52
    48 10 10 10 12 18 10
    53 12 12 21 31 4 20
    60 12 29 24 27 22 25
    5.3 0 2.7 1.4 9.5 1.3 1.3
"""
QUANTIFIERS: tuple[str, ...] = ("many", "few", "no", "fewer", "more", "as many")

# p, the accuracies of the two groups, N and chi-squared.
_CHI_SQUARED = {
    "A3": """
        0.827 69.8 70.4 1600 0.05
        0.001 42.2 50.4 1592 10.60
        0.000 35.1 45.7 1595 17.95
        0.000 54.5 67.6 1592 27.94
        0.000 31.4 45.1 1596 31.09
        0.018 47.4 53.4 1594 5.55
        0.000 44.4 56.4 1600 22.56
    """,
    "A4": """
        0.189 71.7 68.6 1600 1.73
        0.000 39.4 52.5 1592 26.94
        0.000 32.3 47.6 1595 38.04
        0.001 56.7 64.8 1592 10.69
        0.621 38.9 37.6 1596 0.24
        0.000 41.2 58.6 1594 47.71
        0.000 44.9 55.4 1600 17.14
    """,
    "A6": """
        0.470 77 79 1800 0.52
        0.994 69 69 1785 0.00
        0.499 59 62 1800 0.46
        0.071 82 76 1800 3.25
        0.717 55 54 1795 0.13
        0.020 64 72 1797 5.37
        0.298 73 69 1800 1.08
    """,
    "A7": """
        1.000 48 48 2015 0.00
        0.883 26 25 2010 0.02
        0.036 42 31 2006 4.42
        0.861 41 43 2006 0.03
        0.023 51 38 2014 5.16
        0.212 53 45 2006 1.56
        0.061 67 56 2015 3.50
    """,
    "A8": """
        0.095 40 37 2350 2.79
        0.000 19 7 2313 74.82
        0.000 23 12 2315 50.00
        0.000 29 16 2311 55.31
        0.000 31 17 2341 56.94
        0.000 28 17 2315 37.80
        0.000 37 27 2350 27.00
    """,
}
GROUPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"A3": ("D", "W"), "A4": ("R", "F"), "A6": ("NC", "C"), "A7": ("2A", "2AC"), "A8": ("NS", "S")}
)
"""The two groups of each table: digits and words, rare and frequent nouns, without and with colour, …"""

DROPS: tuple[tuple[str, str], ...] = (
    ("numeric_simple", "2-additive"),
    ("2-additive", "3-additive"),
    ("numeric_simple", "3-additive"),
)
_A5 = """
    -7.3 -41.3 -40.3  -30.9 -46.8 -23.6  -2.2 -22.4 -10.3
    -7.3 -9.8 -4.6    1.3 -6.6 -14.8     -11.4 -7.8 -7.8
    -14.5 -51.1 -45.0 -29.6 -53.4 -38.4  -13.6 -30.1 -18.1
"""
_A5_COLUMNS = tuple(f"{model}_{number}" for model in ("dalle_3", "imagen_c", "muse_b") for number in (1, 2, 3))

_A10 = """
    0.0 2.3 6.5 8.5 82.6
    0.1 2.3 6.6 8.7 82.3
    0.1 2.7 7.4 9.4 80.4
    0.1 2.8 8.0 10.4 78.7
    0.1 3.8 7.6 9.5 79.1
    0.2 3.2 8.6 11.0 77.0
    0.1 3.3 10.1 12.0 74.5
"""
_A10_COLUMNS = tuple(f"{votes}/5" for votes in range(1, 6))

_A2 = {
    "numeric_simple": ("600", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"),
    "attribute-color": ("160", "1, 2, 3, 4"),
    "numeric_sentence": ("100", "1, 2, 3, 4, 5"),
    "2-additive": ("100", "1, 2, 3, 4, 5"),
    "2-additive-color": ("100", "1, 2, 3, 4, 5, 6, 7, 8"),
    "3-additive": ("100", "1, 2, 3, 4, 5"),
    "attribute-spatial": ("100", "1, 2, 3, 4, 5"),
    "approx-1-entity": ("24", "no, few, many"),
    "approx-2-entity": ("45", "fewer, as many as, more"),
    "fractional-simple": ("36", "1, 2, 3, 1/2, 1/3, 1/4, 1/5"),
    "part-whole": ("15", "1/2"),
    "fractional-complex": ("6", "1/3 + 2/3, 1/2"),
}

# Appendix C.2; the level of measurement of α is not told, and the paper's .865 is the nominal one.
_POOLED = {
    Place("agreement", "task1", ">=5/5"): "79",
    Place("agreement", "task1", ">=4/5"): "89",
    Place("agreement", "task1", ">=3/5"): "97",
    Place("agreement", "task2", ">=5/5"): "79",
    Place("agreement", "task2", ">=4/5"): "92",
    Place("agreement", "task2", ">=3/5"): "99",
    Place("agreement", "task3", ">=5/5"): "85",
    Place("agreement", "task3", ">=4/5"): "95",
    Place("krippendorff", "task1", "nominal"): "0.865",
    Place("krippendorff", "task2", "nominal"): "0.863",
    Place("krippendorff", "task3", "nominal"): "0.903",
    Place("counts", "prompts", "n"): "1386",
    Place("counts", "images", "n"): "52721",
    Place("counts", "annotations_task1", "n"): "432035",
    Place("counts", "annotations_task2", "n"): "12045",
    Place("counts", "annotations_task3", "n"): "36100",
    Place("counts", "annotations_total", "n"): "479570",
    Place("counts", "labels_task1_5seeds", "n"): "80450",
    Place("counts", "labels_task2", "n"): "2409",
}


def _read() -> Iterator[tuple[Place, str]]:
    yield from _grid("table2", _TABLE_2, tuple(MODELS), _TABLE_2_COLUMNS)
    yield from _grid("figure5", _FIGURE_5, QUANTIFIERS, tuple(MODELS))
    for table, text in _CHI_SQUARED.items():
        first, second = GROUPS[table]
        yield from _grid(table, text, tuple(MODELS), ("p", f"acc_{first}", f"acc_{second}", "N", "chi2"))
    yield from _grid("A5", _A5, tuple(f"{before}->{after}" for before, after in DROPS), _A5_COLUMNS)
    yield from _grid("A10", _A10, tuple(MODELS), _A10_COLUMNS)
    for type, (prompts, numbers) in _A2.items():
        yield Place("A2", type, "prompts"), prompts
        yield Place("A2", type, "numbers"), numbers
    yield from _POOLED.items()


def _grid(table: str, text: str, rows: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[Place, str]]:
    for row, line in zip(rows, text.strip().splitlines(), strict=True):
        for column, cell in zip(columns, line.split(), strict=True):
            yield Place(table, row, column), cell


PUBLISHED: Mapping[Place, str] = MappingProxyType(dict(_read()))
"""Every printed cell, by the names that `subitize reproduce geckonum --json` gives them."""
