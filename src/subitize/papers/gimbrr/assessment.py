"""Automatic assessment: which judges can serve which part, and how the parts of a picture become one verdict."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from subitize.labels import PartsRule
from subitize.papers.gimbrr.tasks import ALL
from subitize.records import Ask, Discarded, Item, Known, Question, Transcribe, Value, task_text
from subitize.scenes.quotes import quoted_texts
from subitize.stats.edits import normalise

_OPEN_DETECTORS = ("grounding-dino", "mm-grounding-dino", "molmo2", "owlv2", "sam3")
_COCO_DETECTORS = ("detr", "rf-detr", "rt-detr", "ssd", "yolo")
_COUNTS = (*_OPEN_DETECTORS, *_COCO_DETECTORS, "parts")
_PRESENCE = ("clip", *_COUNTS)
_WRITING = ("ocr", "parts")
_LOOKS = ("parts",)

JUDGES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("single", "multiple", "controlled-single", "controlled-multiple"), _PRESENCE),
    **dict.fromkeys(("negation", "conditional"), _PRESENCE),
    **dict.fromkeys(("counting", "arithmetic", "spatial"), _COUNTS),
    **dict.fromkeys(("controlled-counting", "controlled-two-counting", "controlled-arithmetic"), _COUNTS),
    "text": _WRITING,
    **dict.fromkeys(("actions", "unusual", "compositional", "chimeras"), _LOOKS),
}
"""The judges that can serve a task alone, by the task's key; a judge `vlm` answers the whole at once besides."""


def list_parts(item: Item) -> tuple[Ask, ...]:
    """List the questions whose answers are joined; of text it is the text, whatever carries it."""
    parts = tuple(ask for ask in item.asks if not ask.is_relevant)
    return tuple(ask for ask in parts if isinstance(ask.question, Transcribe)) or parts


def join_parts(item: Item, values: Mapping[str, Value]) -> Value | None:
    """Join what one judge read of the parts: a picture matches if all hold; None where a part was not looked at.

    One part that is wrong settles it; where none is, one that is unknown leaves it unknown.
    """
    parts = list_parts(item)
    if not parts or any(ask.question.id not in values for ask in parts):
        return None
    verdicts = [_holds(item, ask, values[ask.question.id]) for ask in parts]
    if False in verdicts:
        return Known(False)
    return Discarded("a part is unknown", is_refusal=True) if None in verdicts else Known(True)


def _holds(item: Item, ask: Ask, value: Value) -> bool | None:
    """Tell whether a part is as it should be; None where the judge could not tell; an answer of no use is wrong."""
    if not isinstance(value, Known):
        return None if value.is_refusal else False
    if isinstance(ask.question, Transcribe):
        return all(is_written(text, str(value.value)) for text in quoted_texts(task_text(item.task)))
    return value.value in ask.expects


def is_written(text: str, read: str) -> bool:
    """Tell whether all words of a text stand in what was read, in their order and with nothing between."""
    return f" {_words(text)} " in f" {_words(read)} "


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", normalise(text)))


def name_waiting(items: Iterable[Item], can_answer: Callable[[Question], bool]) -> str:
    """Say which tasks wait for another judge or for people, as this one cannot answer all parts of any of their items.

    Nothing where there are none.
    """
    served: dict[str, bool] = {}
    for item in items:
        task = str(item.factors["task"])
        parts = list_parts(item)
        is_served = bool(parts) and all(can_answer(ask.question) for ask in parts)
        served[task] = served.get(task, False) or is_served
    waiting: dict[Sequence[str], list[str]] = {}
    for key in ALL:
        if served.get(key) is False:
            waiting.setdefault(JUDGES[key], []).append(key)
    told = "; ".join(f"{', '.join(keys)} (by {', '.join(judges)})" for judges, keys in waiting.items())
    return f"tasks that wait for people or another judge: {told}" if told else ""


RULE = PartsRule("gimbrr-parts@1", list_parts, join_parts, name_waiting)
