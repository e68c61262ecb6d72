"""What there is, and what options it has; nothing here waits for a store or a frame to be imported."""

from collections.abc import Iterable, Sequence

from subitize.drawing.clipart import Glyph
from subitize.registry import Description, Listing, Option
from subitize.report.document.cells import NOTHING
from subitize.report.terminal.layout import print_table, say


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
        if one.options:
            _print_options(one.options)


def _print_options(options: Sequence[Option]) -> None:
    rows = [(one.name + " °" * one.is_runtime, one.default or NOTHING, _explain(one)) for one in options]
    print_table(("option", "default", "meaning"), rows)
    if any(one.is_runtime for one in options):
        say("° changes how it runs, not what it is: a run may go on with another value")


def _explain(option: Option) -> str:
    """Say what an option means, and what its value looks like where that is not just any text."""
    return option.meaning if option.type == "text" else f"{option.meaning} ({option.type})".strip()


def print_glyphs(glyphs: Iterable[Glyph]) -> None:
    """Print what can be drawn, in how many drawings, and the colours it has by nature."""
    known = sorted(glyphs, key=lambda one: one.noun)
    rows = ((one.noun, str(len(one.drawings)), ", ".join(one.colours)) for one in known)
    print_table(("noun", "drawings", "colours"), rows)
