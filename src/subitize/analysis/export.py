"""Export the tables of a run as files for other tools; docs/frame.md explains their columns."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
from polars.exceptions import ComputeError
from polars.io.plugins import register_io_source
from pydantic import TypeAdapter

from subitize.analysis.design import stratum_of
from subitize.analysis.frame import read_frame
from subitize.errors import NothingToDoError, StorageError, SubitizeError
from subitize.frame import COLUMNS, RESPONSES, group_trials
from subitize.interfaces import Events, watch
from subitize.io import codec
from subitize.io.files import FORMULA
from subitize.io.frames import lay_out_beside, make_frame
from subitize.io.outputs import atomic_file, make_folder
from subitize.records import FAILED, Discarded, Draw, Item, Known, Scalar, as_float, digest, task_text
from subitize.store import Run
from subitize.store.reading import (
    PART_ROWS,
    TRIAL,
    VOTE,
    count_annotators,
    look_up_outcomes,
    scan_readings,
    scan_responses,
)
from subitize.store.rows import count_readings, count_trials, decode_question, decode_value, read_designs

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = ("parquet", "csv", "jsonl")


def export(
    run: Run,
    folder: Path,
    format: Format,
    events: Events,
    annotators: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write the run's tables and the frame behind its figures, one file each, completely or not at all.

    `annotators` gives people other names.
    """
    make_folder(folder)
    tables = read_tables(run, annotators)
    return [write_parts(watch(events, name, table), folder / f"{name}.{format}", format) for name, table in tables]


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table in parts, which are made lazily; there is at least one."""

    rows: int
    parts: Iterator[pl.DataFrame]

    def __len__(self) -> int:
        return max(1, -(-self.rows // PART_ROWS))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return self.parts


def read_tables(run: Run, annotators: Mapping[str, str] | None = None) -> Iterator[tuple[str, ExportTable]]:
    """Iterate over the tables by name; nested values stay JSON. `annotators` gives people other names."""
    rows, latest = _observe(run)  # the step that takes most memory comes first
    factors = pl.col("^factor_.*$")
    items = _describe_items(run, run.items())
    listed = items.select("item", "suite", "task", "text", factors, "task_record", "asks")
    yield "items", ExportTable(1, iter([listed]))
    models, judges = run.model_names(), run.judge_names()
    responses = scan_responses(run, _RESPONSES, rows=PART_ROWS)
    responses_named = (_name(_responses(run, part), model=models) for part in responses)
    yield "responses", ExportTable(count_trials(run), responses_named)
    readings = scan_readings(run, columns=_READINGS, with_reviews=True, rows=PART_ROWS)
    readings_named = (_name(_readings(part, annotators), judge=judges) for part in readings)
    yield "readings", ExportTable(count_readings(run), readings_named)
    yield "exclusions", ExportTable(1, iter([make_frame(run.exclusions().items(), _EXCLUSIONS)]))
    observed = _observations(run, rows, latest, items.select("item", "base", "cluster", "stratum", factors))
    yield "observations", ExportTable(rows.height, (_name(part, model=models, judge=judges) for part in observed))


def _name(rows: pl.DataFrame, **names: Mapping[str, str]) -> pl.DataFrame:
    """Add a column of display names beside a column of specs."""
    for column, known in names.items():
        shown = rows[column].replace(dict(known)).alias(f"{column}_name")
        rows = rows.insert_column(rows.get_column_index(column) + 1, shown)
    return rows


_RESPONSES = (*TRIAL, "image", "outcome", "provenance", "tries", "latency_seconds", "at", "attached")
_READINGS = (*VOTE, "id", "rule", "at", "evidence", "purpose", "reviews", "trial_ids", "question_record")
_TEXT = pl.String()
_EXCLUSIONS: dict[str, pl.DataType] = dict.fromkeys(("item", "reason"), _TEXT)


def _describe_items(run: Run, items: Sequence[Item]) -> pl.DataFrame:
    """Describe the items; every factor of the run is a column, null for items without it."""
    designs = read_designs(run)
    names = ("item", "suite", "task", "text", "task_record", "asks", "base", "cluster", "stratum")
    rows = (
        (
            item.id,
            item.suite,
            item.task.kind,
            task_text(item.task),
            codec.encode(codec.task, item.task),
            codec.encode(codec.asks, item.asks),
            item.base,
            _cluster(item),
            " · ".join(map(str, stratum_of(item, designs))) or None,
        )
        for item in items
    )
    factors = dict.fromkeys(name for item in items for name in item.factors)
    columns = [_lay_out(name, [item.factors.get(name) for item in items]) for name in factors]
    return make_frame(rows, dict.fromkeys(names, _TEXT)).with_columns(columns)


def _lay_out(name: str, levels: list[Scalar | None]) -> pl.Series:
    """Make a column for a factor: yes/no, whole numbers, numbers or text."""
    types = {type(level) for level in levels} - {type(None)}
    for dtype, allowed in ((pl.Boolean(), {bool}), (pl.Int64(), {int}), (pl.Float64(), {int, float})):
        if types <= allowed:
            return pl.Series(f"factor_{name}", levels, dtype)
    return pl.Series(f"factor_{name}", [None if level is None else str(level) for level in levels], _TEXT)


def _responses(run: Run, rows: pl.DataFrame) -> pl.DataFrame:
    """Extract columns from the records; an attached image replaces the picture's name."""
    kind, outcome, provenance = pl.col("kind"), pl.col("outcome"), pl.col("provenance")
    is_older = (kind == "said") & ~outcome.str.contains('"tokens":', literal=True)
    rows = _bring_up_to_date(rows, "outcome", is_older, codec.outcome)
    is_older = ~provenance.str.contains('"parameter_count":', literal=True)
    rows = _bring_up_to_date(rows, "provenance", is_older, codec.provenance)
    name = pl.col("picture_name")
    is_attached = pl.col("attached").is_not_null() & name.is_not_null()
    file = pl.when(is_attached).then("attached").otherwise("image")
    rows = rows.with_columns(
        text=pl.when(kind == "said").then(outcome).str.json_path_match("$.text"),
        picture_name=pl.when(kind == "drawn").then(outcome).str.json_path_match("$.picture.name"),
        reason=pl.when(kind.is_in(["failed", "refused"])).then(outcome).str.json_path_match("$.reason"),
        seed=provenance.str.json_path_match("$.seed").cast(pl.Int64),
        prompt_sent=provenance.str.json_path_match("$.prompt_sent"),
    ).with_columns(file=file)
    hash, ending = (pl.col("file").str.split_exact(".", 1).struct.field(f"field_{place}") for place in (0, 1))
    path = pl.concat_str(pl.lit(f"{run.image_files.root}{os.sep}"), hash.str.head(2), pl.lit(os.sep), "file")
    begin, middle, end = map(pl.lit, ('{"picture":{"hash":"', '","format":"', '","kind":"stored"},"kind":"drawn"}'))
    return rows.select(
        *("trial", "item", "model", "repeat", "attempt"),
        kind.alias("outcome"),
        "text",
        pl.when(kind == "drawn").then(pl.coalesce(path, name)).alias("image"),
        "reason",
        pl.when(is_attached)
        .then(pl.concat_str(begin, hash, middle, ending, end))
        .otherwise(outcome)
        .alias("outcome_record"),
        *("seed", "prompt_sent", "latency_seconds", "tries", "provenance"),
        pl.col("at").alias("stored_at"),
    )


def _bring_up_to_date(rows: pl.DataFrame, column: str, is_older: pl.Expr, adapter: TypeAdapter[Any]) -> pl.DataFrame:
    """Rewrite the records of earlier versions in the present form."""
    older = rows.filter(is_older)[column].unique()
    if not len(older):
        return rows
    renewed = [codec.encode(adapter, adapter.validate_json(text)) for text in older]
    return rows.with_columns(pl.col(column).replace(older, renewed))


def _readings(rows: pl.DataFrame, annotators: Mapping[str, str] | None) -> pl.DataFrame:
    """Add the decoded values to readings; each distinct value and question is decoded once."""
    if annotators:
        rows = rows.with_columns(pl.col("annotator").replace(dict(annotators)))
    rows = lay_out_beside(rows, "value", _VALUE, _describe_value)
    rows = lay_out_beside(rows, "question_record", _INFORMED, lambda text: (decode_question(text).is_informed,))
    return rows.select(
        pl.col("id").alias("reading"),
        "subject",
        pl.col("trial_ids").str.extract_all(r"\w+").alias("trials"),
        *("question", "is_informed", "judge", "annotator", "rule"),
        pl.col("number").alias("value"),
        *("value_text", "discarded", "evidence"),
        pl.col("at").alias("stored_at"),
        *(pl.col("purpose").fill_null("answer"), "reviews"),
    )


_VALUE: dict[str, pl.DataType] = {"number": pl.Float64(), "value_text": _TEXT, "discarded": _TEXT}
_INFORMED: dict[str, pl.DataType] = {"is_informed": pl.Boolean()}


def _describe_value(text: str) -> tuple[float | None, str | None, str | None]:
    match decode_value(text):
        case Known(value):
            return None if isinstance(value, str) else as_float(value), str(value), None
        case Discarded(reason):
            return None, None, reason


def _cluster(item: Item) -> str:
    """Write what dependent answers share: the prompt, or a hash of the picture that was shown."""
    if isinstance(item.task, Draw):
        return item.task.prompt
    return digest(codec.dump(codec.task, item.task)["picture"])[:_SHORT]


_SHORT = 12


def _observe(run: Run) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read the frame behind figures, and the responses that count."""
    try:
        survey = read_frame(run)
    except NothingToDoError:
        return pl.DataFrame(schema=COLUMNS), pl.DataFrame(schema=RESPONSES)
    return survey.whole.rows, survey.responses


def _observations(
    run: Run, rows: pl.DataFrame, responses: pl.DataFrame, described: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Add to the frame the trials, the answers in words, the numbers of annotators, and the items' conditions."""
    annotators, members = count_annotators(run), _list_members(rows, responses)
    said = responses.filter(pl.col("kind") == "said").select(subject="trial")
    is_single, said_text = pl.col("group") == 1, pl.col("outcome").str.json_path_match("$.text")
    for start in range(0, rows.height or 1, PART_ROWS):
        part = rows.slice(start, PART_ROWS)
        one = part.filter(is_single).select("subject").unique().join(said, on="subject", how="semi")
        for others, on in (
            (annotators, ["subject", "question", "judge"]),
            (members, ["subject"]),
            (look_up_outcomes(run, one["subject"]).select(subject="trial", answer=said_text), ["subject"]),
            (described, ["item"]),
        ):
            part = part.join(others, on=on, how="left", maintain_order="left")
        part = part.with_columns(
            pl.col("annotators").fill_null(0),
            trials=pl.when(is_single).then(pl.concat_list("subject")).otherwise("members"),
        )
        yield part.select(*_OBSERVATIONS, pl.col("^factor_.*$"))


_OBSERVATIONS = (
    *("suite", "item", "base", "model", "judge", "annotators", "ask", "question", "question_kind", "subject", "trials"),
    *("repeat", "attempt", "group", "status", "value", "value_text", "expected", "target"),
    *("is_right", "is_right_by_itself", "parent", "is_relevant", "is_number", "is_informed", "is_excluded"),
    *("answer", "cluster", "stratum"),
)


def _list_members(rows: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """List the trials of every group that a question is about, in the order of their repeats."""
    answered = responses.filter(pl.col("kind") != FAILED)
    sizes = rows.filter(pl.col("group") > 1)["group"].unique()
    found = (group_trials(answered, size).select("subject", members="trials") for size in sizes)
    return pl.concat([pl.DataFrame(schema={"subject": _TEXT, "members": pl.List(pl.String())}), *found])


def write_parts(parts: Iterator[pl.DataFrame], path: Path, format: Format) -> Path:
    """Write a table that comes in parts, completely or not at all."""
    make_folder(path.parent)
    with atomic_file(path) as partial:
        if format == "parquet":
            try:
                _write_parquet(parts, partial)
            except ComputeError as error:  # polars raises it for a full disk
                raise StorageError(f"cannot write {path}: {error}") from error
        else:  # through Python, as some versions of polars overlook a full disk
            with partial.open("w", encoding="utf-8", newline="") as file:
                for place, part in enumerate(parts):
                    file.write(part.write_ndjson() if format == "jsonl" else _to_csv(part, is_first=place == 0))
    return path


def _write_parquet(parts: Iterator[pl.DataFrame], path: Path) -> None:
    first, second = next(parts), next(parts, None)
    if second is None:  # some versions of polars explain disk errors only when writing a whole frame
        first.write_parquet(path)
        return
    failures: list[SubitizeError] = []

    def go_on(*_: object) -> Iterator[pl.DataFrame]:
        yield first
        yield second
        try:
            yield from parts
        except SubitizeError as error:  # polars would replace it by an error of its own
            failures.append(error)
            raise

    try:
        register_io_source(go_on, schema=first.schema).sink_parquet(path)
    except ComputeError:
        if failures:
            raise failures[0] from None
        raise


def _to_csv(part: pl.DataFrame, *, is_first: bool) -> str:
    joined = part.with_columns(pl.col(pl.List(pl.String)).list.join(" "))
    text = pl.col(pl.String)
    inert = joined.with_columns(pl.when(text.str.contains(FORMULA)).then("'" + text).otherwise(text).name.keep())
    return inert.write_csv(include_header=is_first)
