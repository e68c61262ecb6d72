"""Prints what a command would do and cost."""

from collections.abc import Sequence

from subitize.evaluate.forecast import Expense, Forecast
from subitize.report.document.cells import number_of
from subitize.report.terminal.layout import say
from subitize.report.terminal.printing import print_filled


def print_forecasts(forecasts: Sequence[Forecast], spent_usd: float) -> None:
    """Print what is left to do of a suite by model, and what it is expected to cost."""
    for one in forecasts:
        sizes = f"{number_of(one.items, 'item')}, {number_of(one.trials, 'trial')}"
        say(f"{one.suite} on {one.model_name}: {sizes}, {one.done:,} of them done")
        for line in one.matched:
            say(f"  {line}")
    suites = [one.suite for one in forecasts for _ in one.expenses]
    print_expenses([expense for one in forecasts for expense in one.expenses], spent_usd, suites)


def print_expenses(expenses: Sequence[Expense], spent_usd: float, suites: Sequence[str] = ()) -> None:
    """Print what calls are expected to use and cost, one by one, of which suite where there are several, and in all."""
    named = suites if len(set(suites)) > 1 else []
    figures = ("who", "calls", "tokens in", "tokens out", "pictures", "US$", "expected from")
    rows = []
    for place, one in enumerate(expenses):
        counts = [f"{count:,}" if count else "" for count in (one.calls, one.tokens_in, one.tokens_out, one.pictures)]
        usd = "unknown" if one.usd is None else f"{one.usd:.4f}" if one.usd else "free"
        paid = f"{number_of(one.paid_before, 'answer')} paid for" if one.paid_before else ""
        rows.append([*named[place : place + 1], one.who_name, *counts, usd, paid or "the price list" * bool(one.usd)])
    print_filled([*["suite"] * bool(named), *figures], rows)
    unknown = dict.fromkeys(one.who_name for one in expenses if one.usd is None)
    known = sum(one.usd for one in expenses if one.usd is not None)
    if unknown:
        say(f"the cost is unknown without the price of {', '.join(unknown)}; give it with --prices FILE")
    else:
        say(f"expected: US$ {known:.4f}")
    if spent_usd:
        say(f"spent so far: US$ {spent_usd:.4f}")
