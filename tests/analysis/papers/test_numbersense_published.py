"""The paper's figures as data: whole, in range, and under names that lead to each other."""

from collections import Counter

import pytest

from subitize.analysis.papers.numbersense_published import (
    ABSTRACTIONS,
    BEST_WORDINGS,
    DISCARDED,
    SPELLINGS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    PublishedBias,
)


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


@pytest.mark.parametrize(
    ("model", "category", "direction", "r"),
    [
        ("llava34b", "people", "over", 0.67),
        ("Gemini Pro", "flashcards", "over", 0.33),
        ("BLIP2", "apples", "under", 0.64),
        ("DALLE-3", "butterflies", "over", 0.76),
        ("DALLE-2", "people", "under", 0.34),
        ("GPT-4V", "apples", "none", None),
    ],
)
def test_cells_are_as_printed(model: str, category: str, direction: str, r: float | None) -> None:
    (cell,) = (one for one in (*TABLE_2, *TABLE_3) if (one.model, one.category) == (model, category))
    assert (cell.direction, cell.r) == (direction, r)


def test_every_name_leads_to_a_row_of_table_1() -> None:
    rows = {row.model for row in TABLE_1}
    named = {*ABSTRACTIONS, *DISCARDED, *BEST_WORDINGS, *(cell.model for cell in (*TABLE_2, *TABLE_3))}
    assert {SPELLINGS[name] for name in named} <= rows
    assert {SPELLINGS[cell.model] for cell in (*TABLE_2, *TABLE_3)} == rows
