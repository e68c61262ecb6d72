"""Records to JSON and back; pydantic checks every value that is read."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import TypeAdapter

from subitize.records import (
    Ask,
    Evidence,
    Outcome,
    Provenance,
    Question,
    Scalar,
    Task,
    Value,
)

T = TypeVar("T")

task: TypeAdapter[Task] = TypeAdapter(Task)
asks: TypeAdapter[tuple[Ask, ...]] = TypeAdapter(tuple[Ask, ...])
factors: TypeAdapter[Mapping[str, Scalar]] = TypeAdapter(Mapping[str, Scalar])
options: TypeAdapter[Mapping[str, str]] = TypeAdapter(Mapping[str, str])
outcome: TypeAdapter[Outcome] = TypeAdapter(Outcome)
provenance: TypeAdapter[Provenance] = TypeAdapter(Provenance)
question: TypeAdapter[Question] = TypeAdapter(Question)
evidence: TypeAdapter[Evidence] = TypeAdapter(Evidence)
value: TypeAdapter[Value] = TypeAdapter(Value)
trial_ids: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])


def encode(adapter: TypeAdapter[T], record: T) -> str:
    """Write a record as JSON."""
    return adapter.dump_json(record).decode()
