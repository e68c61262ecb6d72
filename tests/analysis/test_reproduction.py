"""Printed cells, read from a file."""

from pathlib import Path

import pytest

from subitize.analysis.published import CellId, read_published


def test_cells_are_texts_by_table_row_and_column_and_empty_ones_are_not_printed(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text('A2,prompts,numbers\nsimple,600,"1, 2"\nparts,,1/2\n\ntable2,p\nDALL·E 3,0.050\n', encoding="utf-8")
    assert list(read_published(file).items()) == [
        (CellId("A2", "simple", "prompts"), "600"),
        (CellId("A2", "simple", "numbers"), "1, 2"),
        (CellId("A2", "parts", "numbers"), "1/2"),
        (CellId("table2", "DALL·E 3", "p"), "0.050"),
    ]


def test_a_row_with_too_few_cells_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text("A2,prompts,numbers\nsimple,600\n", encoding="utf-8")
    with pytest.raises(ValueError, match="shorter"):
        read_published(file)
