"""What Numbersense reports, as printed, to stand beside what is measured here.

Source: Testolin, Hou and Zorzi (2025), Visual Enumeration Remains Challenging for Multimodal Generative AI. Nothing
here was measured by subitize. Names are spelled as where they stand; SPELLINGS leads from each to that of Table 1.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from subitize.analysis.published import PublishedBias, PublishedCounts, PublishedRow

Suite = Literal["naming", "production"]


TABLE_1: tuple[PublishedRow, ...] = (
    PublishedRow("naming", "Qwen-72B", 0.89, 0.01, 4, 0.89, "72"),
    PublishedRow("naming", "Qwen-7B", 0.82, 0.02, 4, 0.90, "7"),
    PublishedRow("naming", "Gemini Pro", 0.60, 0.10, 4, 0.93, "600?"),
    PublishedRow("naming", "GPT-4V", 0.74, 0.13, 4, 0.92, ">1000?"),
    PublishedRow("naming", "LLaVa", 0.37, 0.13, 2, 0.85, "34"),
    PublishedRow("naming", "VILT", 0.28, 0.27, 1, 0.67, "0.1"),
    PublishedRow("naming", "BLIP2", 0.29, 0.33, 1, 0.52, "4"),
    PublishedRow("production", "FLUX", 0.44, 0.25, 2, 0.89, "12"),
    PublishedRow("production", "SD3.5", 0.41, 0.26, 3, 0.91, "8"),
    PublishedRow("production", "DALLE-2", 0.34, 0.37, 2, 0.83, "3.5"),
    PublishedRow("production", "SD2.1", 0.28, 0.39, 1, 0.77, "0.5"),
    PublishedRow("production", "DALLE-3", 0.32, 0.47, 1, 0.84, "?"),
)

# "+" stands for "Over.", "-" for "Under.", an empty cell for the paper's "-".
_BIASES: Mapping[Suite, tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]] = {
    "naming": (
        ("apples", "people", "butterflies", "dots", "flashcards"),
        {
            "ViLT": ("", "-0.44", "-0.68", "", ""),
            "BLIP2": ("-0.64", "-0.61", "-0.62", "-0.46", "-0.54"),
            "llava34b": ("", "+0.67", "-0.68", "", ""),
            "Qwen-72b": ("", "", "", "-0.51", ""),
            "Qwen-7b": ("-0.46", "", "-0.33", "-0.40", ""),
            "GPT-4V": ("", "", "", "+0.48", ""),
            "Gemini Pro": ("-0.61", "-0.67", "-0.50", "-0.42", "+0.33"),
        },
    ),
    "production": (
        ("apples", "people", "butterflies", "dots"),
        {
            "SD2.1": ("+0.3", "", "+0.45", ""),
            "SD3.5": ("", "-0.44", "+0.57", ""),
            "FLUX": ("", "", "+0.45", ""),
            "DALLE-2": ("", "-0.34", "", ""),
            "DALLE-3": ("", "+0.64", "+0.76", ""),
        },
    ),
}


def _bias(suite: Suite, model: str, category: str, cell: str) -> PublishedBias:
    if not cell:
        return PublishedBias(suite, model, category, "none", None)
    return PublishedBias(suite, model, category, "over" if cell[0] == "+" else "under", float(cell[1:]))


def _table(suite: Suite) -> tuple[PublishedBias, ...]:
    categories, rows = _BIASES[suite]
    return tuple(
        _bias(suite, model, category, cell)
        for model, cells in rows.items()
        for category, cell in zip(categories, cells, strict=True)
    )


TABLE_2: tuple[PublishedBias, ...] = _table("naming")
TABLE_3: tuple[PublishedBias, ...] = _table("production")

# Sections 3.1 and 3.2: the smallest correlation between the matrices of two categories. "Qwen" is the larger one.
ABSTRACTIONS: Mapping[str, float] = MappingProxyType(
    {
        "ViLT": 0.04,
        "BLIP-2": 0.27,
        "LLaVA": 0.52,
        "Qwen": 0.85,
        "GPT-4V": 0.87,
        "Gemini": 0.70,
        "SD2.1": 0.43,
        "SD3.5": 0.37,
        "FLUX": 0.69,
        "DALL-E 2": 0.63,
        "DALL-E 3": 0.56,
    }
)

SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        **{row.model: row.model for row in TABLE_1},
        "ViLT": "VILT",
        "BLIP-2": "BLIP2",
        "LLaVA": "LLaVa",
        "llava34b": "LLaVa",
        "Qwen": "Qwen-72B",
        "Qwen-72b": "Qwen-72B",
        "Qwen-7b": "Qwen-7B",
        "Gemini": "Gemini Pro",
        "DALL-E 2": "DALLE-2",
        "DALL-E 3": "DALLE-3",
    }
)

# Section 2.1.
_NUMBERS = tuple(range(1, 11))
# Table 2 calls "flashcards" what section 2.1.1 calls fast cards.
_OUR_NAMES = {"flashcards": "fastcards"}


def _counts(suite: Suite) -> PublishedCounts:
    rows = tuple(row for row in TABLE_1 if row.suite == suite)
    biases = tuple(
        replace(bias, category=_OUR_NAMES.get(bias.category, bias.category))
        for bias in (*TABLE_2, *TABLE_3)
        if bias.suite == suite
    )
    theirs = {row.model for row in rows}
    return PublishedCounts(
        "Table 1 of Testolin, Hou and Zorzi (2025), on other pictures",
        rows,
        biases,
        {model: value for model, value in ABSTRACTIONS.items() if SPELLINGS[model] in theirs},
        _NUMBERS,
        tuple(dict.fromkeys(bias.category for bias in biases)),
    )


COUNTS: Mapping[str, PublishedCounts] = MappingProxyType(
    {"naming": _counts("naming"), "production": _counts("production")}
)
"""All of it, as reports show it beside the models of each suite."""
