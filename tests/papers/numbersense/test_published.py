"""The paper's figures as data: whole, in range, and under names that lead to each other."""

from collections import Counter

import pytest

from subitize.analysis.published import PublishedBias
from subitize.papers.numbersense.tables import ABSTRACTIONS, SPELLINGS, TABLE_1, TABLE_2, TABLE_3


def test_the_leader_board_is_ranked_by_error_within_each_task() -> None:
    assert Counter(row.suite for row in TABLE_1) == {"naming": 7, "production": 5}
    for suite in ("naming", "production"):
        errors = [row.nae for row in TABLE_1 if row.suite == suite]
        assert errors == sorted(errors)
    assert max(row.level for row in TABLE_1) == 4


@pytest.mark.parametrize(("table", "models", "categories"), [(TABLE_2, 7, 5), (TABLE_3, 5, 4)])
def test_a_table_of_biases_has_every_cell(table: tuple[PublishedBias, ...], models: int, categories: int) -> None:
    assert len({cell.model for cell in table}) == models
    assert len({cell.category for cell in table}) == categories
    assert len({(cell.model, cell.category) for cell in table}) == len(table) == models * categories
    for cell in table:
        assert (cell.r is None) == (cell.direction == "none")
        assert cell.r is None or 0.3 <= cell.r <= 1


# The cells as printed, in the order of print, one row of a table per line.
PRINTED_1 = """
Qwen-72B|0.89|0.01|4-knower|0.89|72
Qwen-7B|0.82|0.02|4-knower|0.90|7
Gemini Pro|0.60|0.10|4-knower|0.93|600?
GPT-4V|0.74|0.13|4-knower|0.92|>1000?
LLaVa|0.37|0.13|2-knower|0.85|34
VILT|0.28|0.27|1-knower|0.67|0.1
BLIP2|0.29|0.33|1-knower|0.52|4
FLUX|0.44|0.25|2-knower|0.89|12
SD3.5|0.41|0.26|3-knower|0.91|8
DALLE-2|0.34|0.37|2-knower|0.83|3.5
SD2.1|0.28|0.39|1-knower|0.77|0.5
DALLE-3|0.32|0.47|1-knower|0.84|?
"""
PRINTED_2 = """
Model|Apples|People|Butterflies|Dots|Flashcards
ViLT|-|Under. (0.44)|Under. (0.68)|-|-
BLIP2|Under. (0.64)|Under. (0.61)|Under. (0.62)|Under. (0.46)|Under. (0.54)
llava34b|-|Over. (0.67)|Under. (0.68)|-|-
Qwen-72b|-|-|-|Under. (0.51)|-
Qwen-7b|Under. (0.46)|-|Under. (0.33)|Under. (0.40)|-
GPT-4V|-|-|-|Over. (0.48)|-
Gemini Pro|Under. (0.61)|Under. (0.67)|Under. (0.50)|Under. (0.42)|Over. (0.33)
"""
PRINTED_3 = """
Model|Apples|People|Butterflies|Dots
SD2.1|Over. (0.3)|-|Over. (0.45)|-
SD3.5|-|Under. (0.44)|Over. (0.57)|-
FLUX|-|-|Over. (0.45)|-
DALLE-2|-|Under. (0.34)|-|-
DALLE-3|-|Over. (0.64)|Over. (0.76)|-
"""


def cells(printed: str) -> list[list[str]]:
    return [line.split("|") for line in printed.split("\n") if line]


def test_every_cell_of_the_leader_board_is_as_printed() -> None:
    found = [
        (row.model, row.accuracy, row.nae, f"{row.level}-knower", row.human_correlation, row.size_billion)
        for row in TABLE_1
    ]
    assert found == [
        (model, float(accuracy), float(nae), level, float(correlation), size)
        for model, accuracy, nae, level, correlation, size in cells(PRINTED_1)
    ]
    assert [row.suite for row in TABLE_1] == ["naming"] * 7 + ["production"] * 5


@pytest.mark.parametrize(
    ("table", "suite", "printed"), [(TABLE_2, "naming", PRINTED_2), (TABLE_3, "production", PRINTED_3)]
)
def test_every_bias_is_as_printed(table: tuple[PublishedBias, ...], suite: str, printed: str) -> None:
    (_, *categories), *rows = cells(printed)
    expected = []
    for model, *row in rows:
        for category, cell in zip(categories, row, strict=True):
            word, _, size = cell.partition(". ")
            direction, r = ("none", None) if cell == "-" else (word.lower(), float(size.strip("()")))
            expected.append((suite, model, category.lower(), direction, r))
    assert [(one.suite, one.model, one.category, one.direction, one.r) for one in table] == expected


def test_every_name_leads_to_a_row_of_table_1() -> None:
    rows = {row.model for row in TABLE_1}
    named = {*ABSTRACTIONS, *(cell.model for cell in (*TABLE_2, *TABLE_3))}
    assert {SPELLINGS[name] for name in named} <= rows
    assert {SPELLINGS[cell.model] for cell in (*TABLE_2, *TABLE_3)} == rows
