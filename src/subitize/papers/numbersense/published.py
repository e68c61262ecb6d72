"""What Numbersense reports, as printed, to stand beside what is measured here.

Source: Testolin, Hou and Zorzi (2025), Visual Enumeration Remains Challenging for Multimodal Generative AI. Nothing
here was measured by subitize. Names are spelled as where they stand; SPELLINGS leads from each to that of Table 1.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from subitize.analysis.published import PublishedBias, PublishedCounts, PublishedRow
from subitize.analysis.reproduction import Place

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


def find_model(name: str, suite: str) -> str | None:
    """Find the paper's model of a suite that a name or spec is of, under its name in Table 1; None if it is no such.

    Case and punctuation do not matter, and of a spec only the end of the target does: `folder:images/dall-e_3` has the
    images of DALLE-3.
    """
    target = re.split(r",(?=[a-z][a-z0-9_]*=)", name)[0].rpartition(":")[2]
    found = _MODELS.get(_plain(re.split(r"[/\\]", target.rstrip("/\\"))[-1]))
    return found if any(row.model == found and row.suite == suite for row in TABLE_1) else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


_MODELS: Mapping[str, str] = {_plain(spelling): model for spelling, model in SPELLINGS.items()}


def _print() -> Iterator[tuple[Place, str]]:
    """Write the cells with the digits that are printed: two, but for one 0.3 in Table 3."""
    for row in TABLE_1:
        figures = {"accuracy": row.accuracy, "nae": row.nae, "human_correlation": row.human_correlation}
        cells = {name: f"{value:.2f}" for name, value in figures.items()} | {"knower_level": str(row.level)}
        for column, text in cells.items():
            yield Place(f"table1_{row.suite}", row.model, column), text
    for suite, (categories, rows) in _BIASES.items():
        for model, biases in rows.items():
            for category, cell in zip(categories, biases, strict=True):
                place = Place(BIAS_TABLES[suite], SPELLINGS[model], _OUR_NAMES.get(category, category))
                yield place, _bias(suite, model, category, cell).direction
                if cell:
                    yield place._replace(column=f"{place.column}_r"), cell[1:]
    suites = {row.model: row.suite for row in TABLE_1}
    for spelling, value in ABSTRACTIONS.items():
        model = SPELLINGS[spelling]
        yield Place(f"abstraction_{suites[model]}", model, "least_correlation"), f"{value:.2f}"


BIAS_TABLES: Mapping[str, str] = MappingProxyType({"naming": "table2", "production": "table3"})
PRINTED: Mapping[Place, str] = MappingProxyType(dict(_print()))
"""Every cell as printed, by where it stands; rows go by the names of Table 1, categories by ours."""
