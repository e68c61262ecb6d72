"""Predictions and reviews that EvalScope writes, since 1.0 and before."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from subitize.errors import BadFileError
from subitize.imports.outputs import output
from subitize.imports.outputs.output import Json, Output

_FIELDS = frozenset({"sample_score", "model_output", "raw_input", "choices"})


def is_evalscope(record: Mapping[str, Json]) -> bool:
    """Return whether a record is from a file of EvalScope."""
    return bool(record.keys() & _FIELDS) and "doc_id" not in record


def read_evalscope(path: Path) -> list[Output]:
    """Read reviews and the predictions beside them: `reviews/<model>/<benchmark>.jsonl` and `predictions/…`.

    Reviews have the right answer and the score, predictions the reply with its reasoning.
    """
    reviews, predictions = _find_pair(path)
    predicted = output.read_lines(predictions) if predictions else ()
    whole = {output.write(record.get("index")): record for _, record in predicted}
    model, task = path.absolute().parent.name, path.stem
    places: dict[str, dict[str, int]] = defaultdict(dict)
    found = []
    for place, record in output.read_lines(reviews):
        index = output.write(record.get("index"))
        read = _read_earlier if "choices" in record else _read_review
        one = read(model, task, place, record, whole.get(index, {}))
        # The samples of a group are one question asked several times; a recurring sample was appended later.
        places[one.key].setdefault(index, len(places[one.key]))
        found.append(replace(one, repeat=places[one.key][index]))
    return found


def _find_pair(path: Path) -> tuple[Path, Path | None]:
    """Find the reviews, and the predictions if there are any, given either."""
    _, first = next(output.read_lines(path), ("", {}))
    if first and "sample_score" not in first and "choices" not in first:
        reviews = _beside(path, "predictions", "reviews")
        if reviews is None:
            raise BadFileError(
                f"{path.name} has predictions, which do not say what is right; the reviews are not beside it: "
                "…/reviews/<model>/<benchmark>.jsonl"
            )
        return reviews, path
    return path, _beside(path, "reviews", "predictions")


def _beside(path: Path, one: str, other: str) -> Path | None:
    parts = list(path.absolute().parts)
    if one not in parts:
        return None
    parts[len(parts) - 1 - parts[::-1].index(one)] = other
    found = Path(*parts)
    return found if found.is_file() else None


def _read_review(
    model: str, task: str, place: str, record: Mapping[str, Json], prediction: Mapping[str, Json]
) -> Output:
    sample = output.as_mapping(output.take(record, "sample_score", place))
    score = output.as_mapping(sample.get("score"))
    answer = output.as_mapping(prediction.get("model_output"))
    said = output.join_content(output.as_mapping(output.first_of(answer.get("choices")).get("message")).get("content"))
    scored = output.write(score.get("prediction"))
    reply = said or scored
    messages = record.get("messages")
    return Output(
        output.write(sample.get("group_id")) or output.write(record.get("index")),
        output.write(prediction.get("model")) or model,
        task,
        output.join_questions(messages) if isinstance(messages, list) else output.write(record.get("input")),
        (output.write(record.get("target")),),
        reply,
        scored if scored and scored != reply else "",
        output.write(answer.get("error")),
        picture=output.find_picture(messages) or output.find_picture(prediction.get("messages")),
        scores=output.read_credits(output.as_mapping(score.get("value"))),
        factors=output.find_factors(output.as_mapping(sample.get("sample_metadata"))),
    )


def _read_earlier(model: str, task: str, place: str, record: Mapping[str, Json], _: Mapping[str, Json]) -> Output:
    """Read a record of version 0.17 or earlier."""
    choice = output.first_of(output.take(record, "choices", place))
    review = output.as_mapping(choice.get("review") or record.get("review"))
    asked = output.as_mapping(record.get("raw_input"))
    return Output(
        output.write(record.get("index")),
        model,
        task,
        output.find_text(asked.get("question") or asked.get("input") or asked.get("query") or ""),
        (output.write(review.get("gold")),),
        output.join_content(output.as_mapping(choice.get("message")).get("content")),
        scores=output.read_credits({"result": review.get("result")}),
        factors=output.find_factors(asked),
    )
