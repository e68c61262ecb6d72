"""Predictions that VLMEvalKit writes: a spreadsheet, or TSV or JSON of the same columns."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from subitize.errors import BadFileError, MissingPartError
from subitize.imports.outputs import output
from subitize.imports.outputs.output import Json, Output
from subitize.io.files import open_zip, read_text

_FAILED = "Failed to obtain answer"
_ANSWERS = ("answer", "answers")
_SCORES = ("hit", "score", "correct")
_LONGEST_CELL = 32_767


def is_vlmevalkit(record: Mapping[str, Json]) -> bool:
    """Return whether a record is from a file of VLMEvalKit."""
    return "prediction" in record


def read_vlmevalkit(path: Path) -> list[Output]:
    """Read the rows of a file `<MODEL>_<DATASET>.xlsx`, .tsv or .json."""
    rows = list(_READERS[path.suffix](path))
    there = {name for _, row in rows for name in row}
    missing = [" or ".join(either) for either in (_ANSWERS, ("prediction",)) if there.isdisjoint(either)]
    if rows and missing:
        known = ", ".join(map(str, rows[0][1]))[:120]
        raise BadFileError(f"{path.name}: no column {', '.join(missing)} among {known}")
    model, task = _name_parts(path)
    return [_read_row(model, task, number, row) for number, row in rows]


def _read_row(model: str, task: str, number: int, row: Mapping[str, Json]) -> Output:
    scored, thought = output.write(row.get("prediction")), output.write(row.get("thinking"))
    reply = f"<think>{thought}</think>{scored}" if thought else scored
    failure = scored if _FAILED in scored else ""
    if len(scored) == _LONGEST_CELL:
        failure = f"cut off at {_LONGEST_CELL:,} characters by the spreadsheet"
    return Output(
        output.write(row.get("index")) or str(number),
        model,
        task,
        output.write(row.get("question")),
        (next(filter(None, (output.write(row.get(name)) for name in _ANSWERS)), ""),),
        reply,
        scored if scored != reply else "",
        failure=failure,
        picture=output.write(row.get("image_path")),
        scores=output.read_credits({name: row[name] for name in _SCORES if name in row}),
        factors=output.find_factors(row),
    )


def _name_parts(path: Path) -> tuple[str, str]:
    """Split a file's name into model and dataset; its folder, or the one above, may be named after the model."""
    for folder in path.absolute().parents[:2]:
        if path.stem.startswith(f"{folder.name}_"):
            return folder.name, path.stem.removeprefix(f"{folder.name}_")
    model, _, task = path.stem.rpartition("_")
    return model or path.stem, task


_Rows = Iterator[tuple[int, Mapping[str, Json]]]


def _read_json_rows(path: Path) -> _Rows:
    rows = output.read_file(path)
    if not isinstance(rows, list):
        raise BadFileError(f"{path.name}: should be a list of records, as VLMEvalKit writes them")
    yield from ((number, output.as_mapping(row)) for number, row in enumerate(rows))


def _read_tsv(path: Path) -> _Rows:
    reader = csv.reader(io.StringIO(read_text(path, output.LARGEST_BYTES), newline=""), delimiter="\t")
    longest = csv.field_size_limit(output.LARGEST_BYTES)  # pictures may be among the columns
    try:
        rows = list(reader)
    except csv.Error as error:
        raise BadFileError(f"{path.name} line {reader.line_num}: no TSV: {error}") from None
    finally:
        csv.field_size_limit(longest)
    yield from _name_columns(path, rows)


def _read_xlsx(path: Path) -> _Rows:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingPartError(path.name, "openpyxl", "excel") from None
    try:
        with open_zip(path, "spreadsheet") as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > output.LARGEST_BYTES:
            raise BadFileError(f"{path.name}: {size:,} bytes when unpacked; at most {output.LARGEST_BYTES:,} are read")
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            rows = list(book.worksheets[0].iter_rows(values_only=True))
        finally:
            book.close()
    except BadFileError:
        raise
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # openpyxl raises many kinds of errors
        raise BadFileError(f"{path.name}: no spreadsheet that can be read: {error}") from None
    yield from _name_columns(path, rows)


def _name_columns(path: Path, rows: Sequence[Sequence[Json]]) -> _Rows:
    if not rows:
        raise BadFileError(f"{path.name}: empty; the first row should name the columns")
    names = [output.write(name).strip() for name in rows[0]]
    for number, row in enumerate(rows[1:]):
        if len(row) > len(names):
            raise BadFileError(f"{path.name} row {number + 2}: should have {len(names)} columns, not {len(row)}")
        if any(output.write(one) for one in row):
            yield number, dict(zip(names, row, strict=False))


_READERS = {".xlsx": _read_xlsx, ".tsv": _read_tsv, ".json": _read_json_rows}
SUFFIXES = tuple(_READERS)
