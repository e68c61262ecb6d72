"""What a suite has, in a few lines."""

from collections import Counter
from collections.abc import Iterable

from subitize.interfaces import Suite, design_of
from subitize.records import Scalar, task_text
from subitize.registry import Made

_LEVELS_SHOWN = 8
_PROMPTS_SHOWN = 3


def describe_suite(made: Made[Suite]) -> dict[str, str]:
    """Describe a suite by its items: what they ask for, under which conditions, and how the outcome is looked at."""
    items = list(made.it.items(0))
    tasks = Counter(item.task.kind for item in items)
    asked = Counter(ask.question.kind for item in items for ask in item.asks)
    levels: dict[str, dict[Scalar, None]] = {}
    for item in items:
        for name, level in item.factors.items():
            levels.setdefault(name, {})[level] = None
    factors = (f"{name} ({_some(own, _LEVELS_SHOWN)})" for name, own in levels.items())
    return {
        "suite": made.spec.shown,
        "title": made.it.title,
        "items": ", ".join(f"{count:,} to {kind}" for kind, count in tasks.items()),
        "repeats": str(made.it.repeats),
        "prompts": _some((task_text(item.task) for item in items), _PROMPTS_SHOWN, "; "),
        "questions": ", ".join(f"{count:,} {kind}" for kind, count in asked.items()),
        "factors": "; ".join(factors),
        "strata": ", ".join(design_of(made.it).strata) or "none",
        "judge": made.it.judge,
    }


def _some(values: Iterable[Scalar], most: int, between: str = ", ") -> str:
    texts = list(dict.fromkeys(map(str, values)))
    return between.join(texts[:most]) + (f"{between}…" if len(texts) > most else "")
