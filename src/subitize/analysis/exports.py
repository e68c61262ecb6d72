"""The tables of a run as files for others' tools."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import polars as pl
from polars.exceptions import ComputeError

from subitize.analysis.observations import COLUMNS, observe_run
from subitize.errors import NothingToDoError, StorageError
from subitize.records import Drawn, Elsewhere, Failed, Item, Known, Refused, Said, Stored, task_text
from subitize.store import Run, StoredReading, StoredResponse, codec

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = ("parquet", "csv", "jsonl")


def export(run: Run, folder: Path, format: Format) -> list[Path]:
    """Write the run's tables and what the figures are made of, one file each, each whole or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(frame, folder / f"{name}.{format}", format) for name, frame in frames(run).items()]
    except (OSError, ComputeError) as error:  # polars calls a full disk an OSError or, for Parquet, a ComputeError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StorageError(f"cannot write to {folder}: {reason}") from error


def frames(run: Run) -> dict[str, pl.DataFrame]:
    """Make a frame of each table; what does not fit a column stays JSON."""
    exclusions = [{"item_id": item_id, "reason": reason} for item_id, reason in run.exclusions().items()]
    return {
        "items": _frame([_item_row(item) for item in run.items()], _ITEM_COLUMNS),
        "responses": _frame([_response_row(stored, run) for stored in run.responses()], _RESPONSE_COLUMNS),
        "readings": _frame([_reading_row(stored) for stored in run.readings()], _READING_COLUMNS),
        "exclusions": _frame(exclusions, _EXCLUSION_COLUMNS),
        "observations": _observations(run),
    }


_TEXT, _WHOLE, _FLOAT, _FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
_ITEM_COLUMNS = dict.fromkeys(("item_id", "suite", "task", "text", "task_record", "asks"), _TEXT)
_RESPONSE_COLUMNS = {
    **dict.fromkeys(("trial_id", "item_id", "model"), _TEXT),
    **dict.fromkeys(("repeat", "attempt"), _WHOLE),
    **dict.fromkeys(("outcome", "text", "image", "reason", "outcome_record"), _TEXT),
    "seed": _WHOLE,
    "prompt_sent": _TEXT,
    "latency_seconds": _FLOAT,
    "tries": _WHOLE,
    "provenance": _TEXT,
    "stored_at": _FLOAT,
}
_READING_COLUMNS = {
    "reading_id": _WHOLE,
    **dict.fromkeys(("trial_ids", "question_id"), _TEXT),
    "is_informed": _FLAG,
    **dict.fromkeys(("judge", "annotator", "rule", "value", "discarded", "evidence"), _TEXT),
    "stored_at": _FLOAT,
}
_EXCLUSION_COLUMNS = dict.fromkeys(("item_id", "reason"), _TEXT)


def _frame(rows: Sequence[Mapping[str, object]], columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Make a frame whose columns have their types even where all or nothing is missing; factors come as they are."""
    if not rows:
        return pl.DataFrame(schema=dict(columns))
    return pl.DataFrame(rows, schema_overrides=dict(columns), infer_schema_length=None)


def _item_row(item: Item) -> dict[str, object]:
    return {
        "item_id": item.id,
        "suite": item.suite,
        "task": item.task.kind,
        "text": task_text(item.task),
        **{f"factor_{name}": level for name, level in item.factors.items()},
        "task_record": codec.encode(codec.task, item.task),
        "asks": codec.encode(codec.asks, item.asks),
    }


def _response_row(stored: StoredResponse, run: Run) -> dict[str, object]:
    trial, outcome, provenance = stored.response.trial, stored.response.outcome, stored.response.provenance
    return {
        "trial_id": stored.trial_id,
        "item_id": trial.item_id,
        "model": trial.model,
        "repeat": trial.repeat,
        "attempt": trial.attempt,
        "outcome": outcome.kind,
        "text": outcome.text if isinstance(outcome, Said) else None,
        "image": _image(outcome.picture, run) if isinstance(outcome, Drawn) else None,
        "reason": outcome.reason if isinstance(outcome, Failed | Refused) else None,
        "outcome_record": codec.encode(codec.outcome, outcome),
        "seed": provenance.seed,
        "prompt_sent": provenance.prompt_sent,
        "latency_seconds": stored.response.latency_seconds,
        "tries": stored.response.tries,
        "provenance": codec.encode(codec.provenance, provenance),
        "stored_at": stored.at,
    }


def _observations(run: Run) -> pl.DataFrame:
    """Give the frame that figures are made of, with the conditions of the items."""
    try:
        found = observe_run(run)
    except NothingToDoError:
        return pl.DataFrame(schema=COLUMNS)
    factors = [
        {"item": item.id, **{f"factor_{name}": level for name, level in item.factors.items()}}
        for item in found.seen_items()
    ]
    return found.rows.join(_frame(factors, {"item": _TEXT}), on="item", maintain_order="left")


def _image(picture: Stored | Elsewhere, run: Run) -> str:
    return str(run.images.path(picture)) if isinstance(picture, Stored) else picture.name


def _reading_row(stored: StoredReading) -> dict[str, object]:
    reading = stored.reading
    return {
        "reading_id": stored.id,
        "trial_ids": codec.encode(codec.trial_ids, reading.subject.trial_ids),
        "question_id": reading.question.id,
        "is_informed": reading.question.is_informed,
        "judge": reading.judge,
        "annotator": reading.annotator,
        "rule": reading.rule,
        "value": str(reading.value.value) if isinstance(reading.value, Known) else None,
        "discarded": None if isinstance(reading.value, Known) else reading.value.reason,
        "evidence": codec.encode(codec.evidence, reading.evidence),
        "stored_at": stored.at,
    }


def _write(frame: pl.DataFrame, path: Path, format: Format) -> Path:
    partial = path.with_name(f".{path.name}.partial")
    try:
        match format:
            case "parquet":
                frame.write_parquet(partial)
            case "csv" | "jsonl":  # through Python, as some versions of polars overlook a full disk
                text = frame.write_csv() if format == "csv" else frame.write_ndjson()
                partial.write_text(text, encoding="utf-8", newline="")
        return partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
