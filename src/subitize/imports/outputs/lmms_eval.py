"""Samples logged by lmms-eval, in any of its versions."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from subitize.errors import BadFileError
from subitize.imports.outputs import output
from subitize.imports.outputs.output import Json, Output
from subitize.language.tokens import word_set

# The fields that are not metrics.
_FIELDS = word_set(
    "doc_id doc target arguments input input_media resps filtered_resps doc_hash prompt_hash target_hash token_counts"
    " metrics filter"
)
_ANSWERS = ("number", "count", "answer", "groundtruth")
_DATED = re.compile(r"[\dT:.-]+_[\dT:.-]+_samples_(?P<after>.+)|samples_(?P<before>.+?)(_[\dT:._-]+)?")


def is_lmms_eval(record: Mapping[str, Json]) -> bool:
    """Return whether a record is from lmms-eval: the whole file up to version 0.2.0, a line of it since."""
    return "logs" in record or ("doc_id" in record and bool(record.keys() & {"resps", "filtered_resps"}))


def read_lmms_eval(path: Path) -> list[Output]:
    """Read the samples of a file: `<task>.json` up to version 0.2.0, `…_samples_<task>.jsonl` since."""
    return [_read_record(path, *placed) for placed in _list_records(path)]


def _list_records(path: Path) -> Iterator[tuple[str, Mapping[str, Json]]]:
    if path.suffix == ".jsonl":
        yield from output.read_lines(path)
        return
    logs = output.take(output.as_mapping(output.read_file(path)), "logs", path.name)
    if not isinstance(logs, list):
        raise BadFileError(f"{path.name}: 'logs' should be a list")
    for number, record in enumerate(logs):
        yield f"{path.name} logs[{number}]", output.as_mapping(record)


def _read_record(path: Path, place: str, record: Mapping[str, Json]) -> Output:
    doc = output.as_mapping(record.get("doc"))
    output.take(record, "doc_id", place)
    scored = output.find_text(output.take(record, "filtered_resps", place))
    target = record.get("target")
    if target is None:
        target = next((doc[name] for name in _ANSWERS if name in doc), None)
    asked = (doc.get("question"), doc.get("prompt"), record.get("input"), record.get("arguments"))
    reply = output.find_text(record.get("resps")) or scored
    return Output(
        output.write(record["doc_id"]),
        path.absolute().parent.name,
        _find_task(path),
        next(filter(None, map(output.find_text, asked)), ""),
        tuple(map(output.write, target if isinstance(target, list) else [target])),
        reply,
        scored if scored != reply else "",
        picture=output.name_picture(
            output.find_text([doc.get("image_path"), doc.get("image_url"), record.get("input_media")])
        ),
        scores=output.read_credits({name: value for name, value in record.items() if name not in _FIELDS}),
        factors=output.find_factors(doc),
    )


def _find_task(path: Path) -> str:
    found = _DATED.fullmatch(path.stem)
    return (found["after"] or found["before"]) if found else path.stem
