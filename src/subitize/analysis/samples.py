"""Which suites of a run were sampled, in words."""

from subitize.store import FRAME_ITEMS, Run
from subitize.store.counts import count_items


def describe_samples(run: Run) -> dict[str, str]:
    """Say of each suite of which the run has a part what sample that is."""
    items, seeds, samplings = count_items(run), {one.name: one.seed for one in run.suites()}, run.samplings()
    return {
        suite: f"a sample of {items[suite]:,} of {_write_total(sampling.sampled_from)} items "
        f"({sampling.scheme}, seed {seeds[suite]})"
        for suite, sampling in samplings.items()
        if items[suite] < sampling.sampled_from
    }


def _write_total(items: int) -> str:
    return f"the first {items:,}" if items == FRAME_ITEMS else f"{items:,}"
