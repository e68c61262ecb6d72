"""What there is, and what options it has; nothing here waits for a store or a frame to be imported."""

from collections import Counter
from collections.abc import Iterable

from subitize.interfaces import Suite, design_of
from subitize.records import Scalar, task_text
from subitize.registry import Description, Listing, Made
from subitize.report.document.cells import NOTHING
from subitize.report.terminal.layout import print_table, say
from subitize.stimuli.clipart import Glyph

_LEVELS_SHOWN = 8
_PROMPTS_SHOWN = 3


def print_listings(listings: Iterable[Listing], heading: str = "what it does") -> None:
    """Print what exists of a kind."""
    rows = [(f"{one.name}:{one.target.upper()}" if one.target else one.name, one.summary) for one in listings]
    print_table(("name", heading), rows)
    say("all about one of them, with its options: subitize list NAME")


def print_descriptions(descriptions: Iterable[Description]) -> None:
    """Print all there is to know of what a name stands for."""
    for place, one in enumerate(descriptions):
        if place:
            print()
        say(f"{one.kind.removesuffix('s')} {one.name}: {one.summary}")
        if one.details:
            say(f"  {one.details}")
        options = ",OPTION=VALUE" * bool(one.options)
        written = f":{one.target.upper()}{options}" if one.target else options.replace(",", ":")
        parts = f"missing; run: {one.remedy}" if one.remedy else "installed" if one.is_complete else ""
        for name, text in {"usage": written and one.name + written, **one.facts, "what it needs": parts}.items():
            if text:
                say(f"  {name}: {text}")
        print()
        rows = []
        for option in one.options:
            kind = "" if option.type == "text" else f" ({option.type})"
            name = option.name + " °" * option.is_runtime
            rows.append((name, option.default or NOTHING, f"{option.meaning}{kind}".strip()))
        if rows:
            print_table(("option", "default", "meaning"), rows)
        if any(option.is_runtime for option in one.options):
            say("° changes how it runs, not what it is: a run may go on with another value")


def print_glyphs(glyphs: Iterable[Glyph]) -> None:
    """Print what can be drawn, in how many drawings, and the colours it has by nature."""
    known = sorted(glyphs, key=lambda one: one.noun)
    rows = ((one.noun, str(len(one.drawings)), ", ".join(one.colours)) for one in known)
    print_table(("noun", "drawings", "colours"), rows)


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
