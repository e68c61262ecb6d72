"""Turns items, responses and readings into stored rows, and back.

Also joins responses known by name with the images attached to them later."""

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar, get_args

from sqlalchemy import Row

from subitize.io import codec
from subitize.records import (
    Attached,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    ImageFormat,
    Item,
    Outcome,
    Picture,
    Question,
    Reading,
    ReadingPurpose,
    Response,
    Stored,
    Subject,
    is_final,
)
from subitize.store import tables
from subitize.store.images import Images
from subitize.store.interning import Texts

_DIFFERENT_RECORDS = 50_000

RecordT = TypeVar("RecordT")
EncodedT = TypeVar("EncodedT")


def encode_options(options: Mapping[str, str]) -> str:
    """Write options, sorted by name."""
    return codec.encode(codec.options, dict(sorted(options.items())))


def item_row(run_id: str, position: int, item: Item) -> tuple[object, ...]:
    """Return the row of an item."""
    return (
        run_id,
        item.id,
        item.suite,
        position,
        None if isinstance(item.task, Draw) else _image_name(item.task.picture),
        codec.encode(codec.task, item.task),
        codec.encode(codec.asks, item.asks),
        codec.encode(codec.factors, item.factors),
    )


class ItemsHash:
    """Hashes and counts the rows of a suite's items while they are passed on, as together they take much memory."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.count = 0

    def follow(self, rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
        """Yield the rows."""
        for row in rows:
            _, item_id, _, _, _, *texts = row
            self._hash.update(repr((item_id, *texts)).encode())
            self.count += 1
            yield row

    def __str__(self) -> str:
        return self._hash.hexdigest()


def hash_items(rows: Iterable[tuple[object, ...]]) -> str:
    """Hash the stored texts of a suite's items, in order."""
    found = ItemsHash()
    deque(found.follow(rows), maxlen=0)
    return str(found)


def decode_item(item_id: str, task: str, asks: str, factors: str) -> Item:
    """Decode an item; what many items share is decoded once."""
    return Item(item_id, codec.task.validate_json(task), decode_asks(asks), _decode_factors(factors))


decode_asks = lru_cache(1_000)(codec.asks.validate_json)
_decode_factors = lru_cache(1_000)(codec.factors.validate_json)


def is_of(row: Row[tuple[object, ...]], item: Item) -> bool:
    """Return whether a row has this item; mostly the texts are the same and need not be decoded."""
    *_, task, asks, factors = item_row(row.run_id, row.position, item)
    stored = (row.item_id, row.task, row.asks, row.factors)
    return stored == (item.id, task, asks, factors) or decode_item(*stored) == item


def _image_name(picture: Picture) -> str | None:
    return Images.name(picture) if isinstance(picture, Stored) else None


def response_rows(run_id: str, responses: Iterable[Response]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of responses."""
    provenances = _Memo(partial(codec.encode, codec.provenance))
    for response in responses:
        trial, outcome = response.trial, response.outcome
        yield (
            run_id,
            trial.id,
            trial.item_id,
            trial.model,
            trial.repeat,
            trial.attempt,
            _status(outcome),
            _image_name(outcome.picture) if isinstance(outcome, Drawn) else None,
            codec.encode(codec.outcome, outcome),
            provenances.encode(response.provenance),
            response.tries,
            response.latency_seconds,
            time.time(),
        )


def _status(outcome: Outcome) -> str:
    if not is_final(outcome):
        return tables.TRANSIENT
    return tables.FAILED if isinstance(outcome, Failed) else tables.DONE


# The texts of a reading's subject, question and source, then its own columns from the evidence on.
EncodedReading = tuple[Texts, Texts, Texts, tuple[object, ...]]


def encode_readings(readings: Iterable[Reading]) -> Iterator[EncodedReading]:
    """Encode readings. Many share few questions and values, so each of these is encoded once."""
    subjects, questions = _Memo(_encode_subject), _Memo(_encode_question)
    evidences, values = _Memo(partial(codec.encode, codec.evidence)), _Memo(partial(codec.encode, codec.value))
    provenances = _Memo(partial(codec.encode, codec.provenance))
    for reading in readings:
        yield (
            subjects.encode(reading.subject),
            questions.encode(reading.question),
            (reading.judge, reading.annotator, reading.rule),
            (
                evidences.encode(reading.evidence),
                values.encode(reading.value),
                reading.replaces,
                time.time(),
                None if reading.provenance is None else provenances.encode(reading.provenance),
                encode_purpose(reading.purpose),
                reading.reviews,
            ),
        )


class _Memo(Generic[RecordT, EncodedT]):
    """Encodes a recurring record only once.

    Records are compared by identity, which is quicker than by value and distinguishes True from 1. They are kept
    alive, so that no other can take their place in memory.
    """

    def __init__(self, encode: Callable[[RecordT], EncodedT]) -> None:
        self._encode = encode
        self._known: dict[int, tuple[RecordT, EncodedT]] = {}

    def encode(self, record: RecordT) -> EncodedT:
        """Encode a record, or return its earlier encoding."""
        known = self._known.get(id(record))
        if known is None:
            if len(self._known) >= _DIFFERENT_RECORDS:
                self._known.clear()
            known = self._known[id(record)] = (record, self._encode(record))
        return known[1]


def _encode_subject(subject: Subject) -> tuple[str, str]:
    return subject.id, codec.encode(codec.trial_ids, subject.trial_ids)


def _encode_question(question: Question) -> tuple[str, str]:
    return question.id, codec.encode(codec.question, question)


def encode_purpose(purpose: ReadingPurpose) -> str | None:
    """Write the purpose of a reading; it is null for answers, which most are."""
    return None if purpose == "answer" else purpose


# What many readings share is decoded once.
_decode_subject = lru_cache(10_000)(lambda text: Subject(codec.trial_ids.validate_json(text)))
_decode_question = lru_cache(1_000)(codec.question.validate_json)
_decode_evidence = lru_cache(1_000)(codec.evidence.validate_json)
_decode_value = lru_cache(1_000)(codec.value.validate_json)


def decode_reading(columns: Iterable[Any]) -> Reading:
    """Decode a reading from its columns, in the order of its fields."""
    subject, question, judge, evidence, rule, value, annotator, replaces, provenance, purpose, reviews = columns
    return Reading(
        _decode_subject(subject),
        _decode_question(question),
        judge,
        _decode_evidence(evidence),
        rule,
        _decode_value(value),
        annotator,
        replaces,
        None if provenance is None else codec.provenance.validate_json(provenance),
        purpose or "answer",
        reviews,
    )


@dataclass(frozen=True, slots=True)
class Attachment:
    """The image attached to a trial's response, and its original file."""

    trial_id: str
    image: Stored
    file: str


def attach_image(outcome: Outcome, image: str | None) -> Outcome:
    """Give a drawing that is known by name its attached image, if any."""
    if image is None or not isinstance(outcome, Drawn) or not isinstance(outcome.picture, Elsewhere):
        return outcome
    stored = parse_image(image)
    return Drawn(Attached(stored.hash, stored.format, outcome.picture.name))


def parse_image(name: str) -> Stored:
    """Parse the name of an image's file."""
    hash, _, ending = name.partition(".")
    for known in get_args(ImageFormat):
        if known == ending:
            return Stored(hash, known)
    raise ValueError(f"{name!r} is no name of an image")
