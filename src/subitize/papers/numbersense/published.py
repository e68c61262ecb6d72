"""What Numbersense reports, as printed (published.csv), to stand beside what is measured here.

Source: Testolin, Hou and Zorzi (2025), Visual Enumeration Remains Challenging for Multimodal Generative AI: Tables 1 to
3; sections 3.1 and 3.2 for the smallest correlation between the matrices of two categories ("Qwen" is the larger one).
Nothing here was measured by subitize. Names are spelled as where they stand; SPELLINGS leads from each to that of
Table 1.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from subitize.analysis.published import CellId, PublishedBias, PublishedCounts, PublishedRow, read_published
from subitize.stats.answers import Direction

BIAS_TABLES: Mapping[str, str] = MappingProxyType({"naming": "table2", "production": "table3"})
_CELLS = read_published(Path(__file__).with_name("published.csv"))
_DIRECTIONS: Mapping[str, Direction] = {"Over": "over", "Under": "under", "-": "none"}


def _rows(table: str) -> dict[str, dict[str, str]]:
    """Take the cells of a table by row and column."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for place, text in _CELLS.items():
        if place.table == table:
            rows[place.row][place.column] = text
    return rows


def _row(suite: str, model: str, cells: Mapping[str, str]) -> PublishedRow:
    accuracy, nae, correlation = (float(cells[name]) for name in ("accuracy", "nae", "human_correlation"))
    return PublishedRow(suite, model, accuracy, nae, int(cells["knower_level"]), correlation, cells["size"])


def _biases(suite: str) -> Iterator[PublishedBias]:
    for model, cells in _rows(BIAS_TABLES[suite]).items():
        for category, cell in cells.items():
            direction, r = _read_bias(cell)
            yield PublishedBias(suite, model, category, direction, float(r) if r else None)


def _read_bias(cell: str) -> tuple[Direction, str]:
    """Read "Over. (0.67)", or the dash of no bias."""
    word, _, r = cell.partition(". ")
    return _DIRECTIONS[word], r.strip("()")


TABLE_1 = tuple(_row(suite, model, cells) for suite in BIAS_TABLES for model, cells in _rows(f"table1_{suite}").items())
TABLE_2, TABLE_3 = (tuple(_biases(suite)) for suite in BIAS_TABLES)
ABSTRACTIONS: Mapping[str, float] = MappingProxyType(
    {model: float(cells["least_correlation"]) for model, cells in _rows("abstraction").items()}
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


def _our_name(category: str) -> str:
    """Table 2 calls "flashcards" what section 2.1.1 calls fast cards."""
    return "fastcards" if category == "flashcards" else category


def _counts(suite: str) -> PublishedCounts:
    rows = tuple(row for row in TABLE_1 if row.suite == suite)
    biases = tuple(replace(bias, category=_our_name(bias.category)) for bias in _biases(suite))
    theirs = {row.model for row in rows}
    return PublishedCounts(
        "Table 1 of Testolin, Hou and Zorzi (2025), on other pictures",
        rows,
        biases,
        {model: value for model, value in ABSTRACTIONS.items() if SPELLINGS[model] in theirs},
        _NUMBERS,
        tuple(dict.fromkeys(bias.category for bias in biases)),
    )


COUNTS: Mapping[str, PublishedCounts] = MappingProxyType({suite: _counts(suite) for suite in BIAS_TABLES})
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


def _print() -> Iterator[tuple[CellId, str]]:
    suites = {row.model: row.suite for row in TABLE_1}
    for place, text in _CELLS.items():
        model = SPELLINGS[place.row]
        match place.table:
            case "table2" | "table3":
                category = _our_name(place.column)
                direction, r = _read_bias(text)
                yield CellId(place.table, model, category), direction
                if r:
                    yield CellId(place.table, model, f"{category}_r"), r
            case "abstraction":
                yield CellId(f"abstraction_{suites[model]}", model, place.column), text
            case _ if place.column != "size":
                yield place, text


PRINTED: Mapping[CellId, str] = MappingProxyType(dict(_print()))
"""Every cell as printed, by where it stands; rows go by the names of Table 1, categories by ours."""
