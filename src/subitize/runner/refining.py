"""Runs a suite beside its refinements: the same models, judge and items; items that cannot be refined are reported."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from subitize.interfaces import Suite
from subitize.records import REFINED, Item, base_suite
from subitize.registry import Made
from subitize.runner.running import Settings, select_items, settle
from subitize.store import Run
from subitize.suites.refined import Refined


def pair_settings(base: Sequence[Settings], refined: Sequence[Made[Suite]]) -> list[Settings]:
    """Set up a suite and then its refinements on each model; a limit takes the same items of all of them."""
    return [*base, *(replace(settings, suite=suite, base=settings.suite) for suite in refined for settings in base)]


def describe_refined(each: Sequence[Settings], run: Run) -> Iterator[str]:
    """Say of each refined suite how many prompts stayed as they were, which a comparison must know."""
    by_suite = {settings.suite.spec.name: settings for settings in each if REFINED in settings.suite.spec.name}
    for name, settings in by_suite.items():
        items = _select(settings, run)
        kept = sum(item.factors["is_refined"] is False for item in items)
        bases = {item.base for item in items}
        whole = [one for one in each if one.suite.spec.name == base_suite(name)]
        left_out = [item.id for one in whole[:1] for item in _select(one, run) if item.id not in bases]
        if left_out:
            what = "item is" if len(left_out) == 1 else "items are"
            yield (
                f"{name}: {len(left_out):,} {what} left out, the first {left_out[0]}: no single number of one kind of "
                "things is found in its prompt"
            )
        if kept:
            why = settings.suite.it.why_kept if isinstance(settings.suite.it, Refined) else Refined.why_kept
            yield f"{name}: {kept:,} of {len(items):,} prompts as they were ({why})"


def _select(settings: Settings, run: Run) -> list[Item]:
    return select_items(settings, settle(run, settings.suite.spec.name, settings.seed))
