"""The long table: a row per answer, as CSV or Parquet, with every detail."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl

from subitize.analysis.ratings import Rating
from subitize.annotation.exchange.answers import write_clicks
from subitize.annotation.exchange.remarks import Place, Remark
from subitize.errors import BadFileError
from subitize.io.files import CsvRow
from subitize.io.frames import make_frame
from subitize.records import Attached, Boxes, Drawn, Elsewhere, Known, Stored, Words
from subitize.store import StoredResponse
from subitize.store.images import Images

_TEXT = pl.String()
COLUMNS: dict[str, pl.DataType] = {
    "annotator": pl.Int64(),
    **dict.fromkeys(("suite", "item", "model"), _TEXT),
    **dict.fromkeys(("repeat", "pictures"), pl.Int64()),
    **dict.fromkeys(("files", "question", "wording", "answer", "clicks", "value", "rule"), _TEXT),
    **dict.fromkeys(("is_unsure", "is_flagged"), pl.Boolean()),
    "comment": _TEXT,
    **dict.fromkeys(("seconds", "answered_at"), pl.Float64()),
}
"""`repeat` is that of the first of several pictures; clicks are in pixels; `answered_at` is in seconds since 1970."""


def tabulate(ratings: Iterable[Rating], people: Mapping[str, int], remarks: Mapping[Place, Remark]) -> pl.DataFrame:
    """Make a row of each answer, in the order they were given."""
    return make_frame((_row(rating, people, remarks) for rating in ratings), COLUMNS)


def read_parquet(path: Path) -> Iterator[CsvRow]:
    """Read the rows of a table as those of a CSV."""
    try:
        table = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise BadFileError(f"cannot read {path}: {str(error).splitlines()[0]}") from None
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        told = {name.casefold(): "" if value is None else str(value) for name, value in row.items()}
        yield CsvRow(path.name, number, told, kind="row")


def _row(rating: Rating, people: Mapping[str, int], remarks: Mapping[Place, Remark]) -> tuple[object, ...]:
    reading, item, ask = rating.reading, rating.item, rating.ask
    remark = remarks.get((rating.annotator, reading.subject.id, ask.question.id), Remark())
    answer, clicks = _write_evidence(rating)
    return (
        people[rating.annotator],
        *(item.suite, item.id, rating.model, rating.repeat, len(rating.members)),
        " ".join(map(name_file, rating.members)),
        *(ask.question.id, ask.wording, answer, clicks),
        str(reading.value.value) if isinstance(reading.value, Known) else None,
        reading.rule,
        *(remark.is_unsure, remark.is_flagged, remark.comment or None, remark.seconds),
        rating.at if remark.answered_at is None else remark.answered_at,
    )


def _write_evidence(rating: Rating) -> tuple[str, str | None]:
    match rating.reading.evidence:
        case Boxes(boxes=boxes):
            return str(len(boxes)), write_clicks([box.xyxy[:2] for box in boxes])
        case Words(text=text):
            return text, None
    return "", None


def name_file(stored: StoredResponse) -> str:
    """Name the file of a drawing; of what is none, say what it is."""
    outcome = stored.response.outcome
    match outcome:
        case Drawn(picture=Elsewhere(name=name) | Attached(name=name)):
            return name
        case Drawn(picture=Stored() as picture):
            return Images.name(picture)
    return outcome.kind
