"""Small tables and pictures of one's own, in the kinds of files people have."""

import io
import json
from pathlib import Path

import polars as pl
from PIL import Image

PICTURE = pl.Struct({"bytes": pl.Binary, "path": pl.String})


def png(shade: int) -> bytes:
    """A small picture that differs from others by its shade."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (shade, shade, shade)).save(file, "PNG")
    return file.getvalue()


def packed(shade: int) -> dict[str, object]:
    """A picture as Hugging Face keeps it in Parquet."""
    return {"bytes": png(shade), "path": None}


def write_parquet(path: Path, columns: dict[str, list[object]], **types: pl.DataType | type[pl.DataType]) -> Path:
    """Write columns to a Parquet file, some of them of types that are not told by their values."""
    pl.DataFrame(columns, schema_overrides=dict(types)).write_parquet(path)
    return path


def write_own_suites(folder: Path) -> dict[str, str]:
    """Write a table of questions, their pictures, and a table of prompts; give the suites that are made of them."""
    for shade in range(1, 4):
        (folder / f"{shade}.png").write_bytes(png(shade))
    questions = [f"{shade}.png,How many dots are there?,{shade},dim" for shade in range(1, 4)]
    prompts = [f"an image with {number} apples,{number},apple" for number in range(1, 4)]
    return {
        "questions": f"questions:{write_lines(folder / 'q.csv', 'image,question,count,light', *questions)}",
        "prompts": f"prompts:{write_lines(folder / 'p.csv', 'prompt,count,noun', *prompts)},strata=category",
    }


def write_json(path: Path, rows: object) -> Path:
    """Write rows to a JSON file."""
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def write_lines(path: Path, *lines: str) -> Path:
    """Write lines of CSV or JSON to a file."""
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path
