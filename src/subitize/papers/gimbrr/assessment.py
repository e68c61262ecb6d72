"""Automatic assessment: which judges can serve which part, and how the parts of a picture become one verdict."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from subitize.labels import PartsRule, parts
from subitize.language.counted import quoted_texts
from subitize.papers.gimbrr.tasks import ALL
from subitize.records import Ask, Item, Question, Transcribe, Value, task_text

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
    own = tuple(ask for ask in item.asks if not ask.is_relevant)
    return tuple(ask for ask in own if isinstance(ask.question, Transcribe)) or own


def join_parts(item: Item, values: Mapping[str, Value]) -> Value | None:
    """Join what one judge read of the parts; of text all that the prompt has in quotes must be written."""
    return parts.join_parts(list_parts(item), values, quoted_texts(task_text(item.task)))


def name_waiting(items: Iterable[Item], can_answer: Callable[[Question], bool]) -> str:
    """Say which tasks wait for another judge or for people, as this one cannot answer all parts of any of their items.

    Nothing where there are none.
    """
    served: dict[str, bool] = {}
    for item in items:
        task = str(item.factors["task"])
        served[task] = served.get(task, False) or parts.is_served(list_parts(item), can_answer)
    waiting: dict[Sequence[str], list[str]] = {}
    for key in ALL:
        if served.get(key) is False:
            waiting.setdefault(JUDGES[key], []).append(key)
    told = "; ".join(f"{', '.join(keys)} (by {', '.join(judges)})" for judges, keys in waiting.items())
    return f"tasks that wait for people or another judge: {told}" if told else ""


RULE = PartsRule("gimbrr-parts@1", list_parts, join_parts, name_waiting)
