"""Records to JSON and back; pydantic checks every value that is read."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from subitize.records import Ask, Design, Evidence, Outcome, Provenance, Question, Scalar, Task, Value

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
strata: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])
sampled: TypeAdapter[Mapping[str, str | tuple[str, ...]]] = TypeAdapter(Mapping[str, str | tuple[str, ...]])
trial_ids: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])


def encode(adapter: TypeAdapter[T], record: T) -> str:
    """Write a record as JSON. A wrong type is an error; half a surrogate pair, which models emit, becomes "?"."""
    try:
        return adapter.dump_json(record, by_alias=True, warnings="error").decode()
    except PydanticSerializationError:
        return json.dumps(dump(adapter, record), ensure_ascii=False).encode("utf-8", "replace").decode()


def encode_factors(design: Design) -> str:
    """Write the factors of a design as JSON: a list of strata, or an object if factors are sampled, too."""
    if not design.sampled:
        return encode(strata, design.strata)
    return json.dumps({"strata": dump(strata, design.strata), "sampled": dump(sampled, dict(design.sampled))})


def decode_factors(text: str, *, asks_again: bool) -> Design:
    """Read the factors of a design from JSON."""
    found = json.loads(text)
    if isinstance(found, list):
        return Design(asks_again, strata.validate_python(found))
    return Design(asks_again, strata.validate_python(found["strata"]), sampled.validate_python(found["sampled"]))


def dump(adapter: TypeAdapter[T], record: T) -> Any:  # noqa: ANN401
    """Turn a record into the dictionaries and lists of its JSON."""
    return adapter.dump_python(record, mode="json", by_alias=True, warnings="error")


LONGEST_TEXT = 1_000_000
"""In characters, of anything that a model or judge returns: no answer to a question is longer."""


def fault(adapter: TypeAdapter[T], record: T) -> str:
    """Return why a record cannot be stored and read back, or an empty text."""
    try:
        text = encode(adapter, record)
        if len(text) > LONGEST_TEXT:
            return f"gave {len(text):,} characters to be stored; at most {LONGEST_TEXT:,}"
        adapter.validate_json(text)
    except (PydanticSerializationError, ValidationError) as error:
        return f"gave what cannot be stored: {' '.join(str(error).split())[:200]}"
    return ""
