"""The costs of a run (calls, tokens, dollars, what may have been paid twice), and forecasts at the terminal."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl
import polars.selectors as cs
from pydantic_core import from_json

from subitize.analysis.design import UNITS, units_of, with_units
from subitize.evaluate.forecast import Expense, Forecast
from subitize.records import Estimate, to_plain
from subitize.report.series import ReportRun, Series
from subitize.report.table import Column, Paragraph, Record, Result, RowKind, Section, Table, number_of
from subitize.stats.estimate import Scale, estimate

_UNSETTLED = "Timed out or cut off: the try may have been paid for, and its repetition once more."
_UNKNOWN = Column("Price unknown", "Answers whose price is not known: the sum is too low by what they cost.")


@dataclass(frozen=True, slots=True)
class Bill:
    """The calls of one model or judge; known prices are counted by how often they were paid."""

    calls: int
    failed: int
    tokens_in: int | None
    tokens_out: int | None
    prices: Counter[float]
    unsettled: int

    @property
    def has_usage(self) -> bool:
        """Whether anything is known about what the calls used."""
        return bool(self.prices or self.unsettled or self.tokens_in is not None or self.tokens_out is not None)

    @property
    def total_usd(self) -> float:
        """The sum of the known prices."""
        return sum(price * count for price, count in self.prices.items())


def cost_sections(sources: Sequence[ReportRun], series: Sequence[Series]) -> list[Section]:
    """Write the section on what every model and judge cost, if anything is known."""
    found = [one for source in sources for one in _list_bills(source, series) if one[0].has_usage]
    if not found:
        return []
    caption = (
        "Calls that were answered, refused or failed, those about excluded items included, with the tokens and prices "
        "stored beside them; n of the sum: those with a price. USD per answer: mean with Student’s 95 % interval. "
        "USD per right answer: the sum over the answers or images (groups, where several are judged together) all of "
        "whose scored questions are right, its interval that of their share (Wilson’s), where one judge looked; n are "
        "those scored. Excluded items are not among them, though their calls are in the sum. A judge’s calls are its "
        "readings with a stored call; calls of judges that came to nothing are not included."
    )
    has_prices = any(bill.prices for bill, _, _ in found)
    records = [(record if has_prices else {**record, _UNKNOWN: None}, badge) for _, record, badge in found]
    table = Table.of_records("costs", "Cost by model and judge", records, caption, drops_empty=True)
    bills = [bill for bill, _, _ in found]
    unknown = sum(bill.calls - bill.prices.total() for bill in bills)
    calls, unsettled = sum(bill.calls for bill in bills), sum(bill.unsettled for bill in bills)
    warnings = []
    if 0 < unknown < calls:
        warnings += [f"The price of {unknown:,} of {calls:,} answers is not known: sums are too low by what they cost."]
    if unsettled:
        warnings += [f"{unsettled:,} tries timed out or were cut off: they may have been paid twice."]
    return [Section("costs", "Cost", (table, *(Paragraph(text, is_warning=True) for text in warnings)))]


def _list_bills(source: ReportRun, series: Sequence[Series]) -> Iterator[tuple[Bill, Record, RowKind]]:
    for (suite, model), trail in source.trails.responses.items():
        bill, place = _bill(trail.usages, trail.failed), (source.name, suite, model)
        own = [one for one in series if (one.source.name, one.suite, one.model) == place]
        who = (source.name_model(model), "model")
        yield bill, _record(bill, own[0] if len(own) == 1 else None, who, (suite, source.name)), source.badge(model)
    usages: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for looked_at, looked in source.trails.readings.items():
        usages[looked_at.suite, looked_at.judge].update(looked.usages)
    for (suite, judge), found in usages.items():
        bill = _bill(found, failed=0)
        yield bill, _record(bill, None, (source.name_judge(judge), "judge"), (suite, source.name)), ""


def _bill(usages: Counter[str], failed: int) -> Bill:
    prices: Counter[float] = Counter()
    tokens: dict[str, int | None] = {"tokens_in": None, "tokens_out": None}
    unsettled = 0
    for text, count in usages.items():
        usage = from_json(text)
        if usage["price_usd"] is not None:
            prices[usage["price_usd"]] += count
        for name, known in tokens.items():
            tokens[name] = known if usage[name] is None else (known or 0) + usage[name] * count
        # Older runs did not count such tries.
        unsettled += usage.get("unsettled_tries", 0) * count
    return Bill(usages.total(), failed, **tokens, prices=prices, unsettled=unsettled)


def _record(bill: Bill, series: Series | None, who: tuple[str, str], where: tuple[str, str]) -> Record:
    priced = bill.prices.total()
    right = _per_right(bill, series) if series and priced else None
    each = estimate([*bill.prices.elements()], scale=Scale("mean", low=0.0))[0] if priced else None
    total = bill.total_usd if priced else None
    most = total and total * (1 + bill.unsettled / priced)
    return {
        Column.text("Model or judge"): who[0],
        Column.text("Role"): who[1],
        Column("USD", "The sum of the prices that are known.", digits=4): total,
        Column("USD at most", "With every unsettled try reckoned as paid, at the mean price.", digits=4): most,
        Column("n priced", "Answers whose price is known."): priced,
        _UNKNOWN: bill.calls - priced,
        Column("USD per answer", digits=5): each,
        Column("USD per right answer", "An answer or image is right if all scored questions about it are.", 5): right,
        Column("n scored", "The answers or images that the share of right ones rests on."): right.n if right else None,
        Column("Answers", "Answered, refused or failed; several may have come of one call (n)."): bill.calls,
        Column("Failed", "Trials that came to nothing; what they cost is included where it is known."): bill.failed,
        Column("Unsettled tries", _UNSETTLED): bill.unsettled,
        Column("Tokens in"): bill.tokens_in,
        Column("Tokens out"): bill.tokens_out,
        Column.text("Suite"): where[0],
        Column.text("Run"): where[1],
    }


def _per_right(bill: Bill, series: Series) -> Estimate | None:
    """Compute the cost of an answer that is entirely right; unknown ones are left out."""
    judged = with_units(series.observations.kept().filter(pl.col("status") != "unknown")).rows
    by_answer = judged.group_by("subject", maintain_order=True)
    right = by_answer.agg(pl.col("is_right").all(), (cs.by_name("cluster", "stratum") | UNITS).first())
    if not right["is_right"].any():
        return None
    values = right["is_right"].cast(pl.Float64).to_numpy()
    (share,) = estimate(values, units_of(right), right["stratum"].to_numpy())
    each = bill.total_usd / share.n
    high = each / share.low if share.low else float("inf")
    return Estimate(each / share.value, each / share.high, high, share.n, f"sum over right answers, {share.method}")


def forecast_result(forecasts: Sequence[Forecast], spent_usd: float) -> Result:
    """Show what is left to do, by suite and model, and what it is expected to cost."""
    lead = []
    for one in forecasts:
        sizes = f"{number_of(one.items, 'item')}, {number_of(one.trials, 'trial')}"
        lead.append(f"{one.suite} on {one.model_name}: {sizes}, {one.done:,} of them done")
        lead += [f"  {line}" for line in one.matched]
    suites = [one.suite for one in forecasts for _ in one.expenses]
    found = expense_result([expense for one in forecasts for expense in one.expenses], spent_usd, suites)
    return replace(found, records=to_plain(forecasts), lead=tuple(lead))


def expense_result(expenses: Sequence[Expense], spent_usd: float, suites: Sequence[str] = ()) -> Result:
    """Show the calls with their expected use and cost, with the suite if there are several, and the total."""
    named = suites if len(set(suites)) > 1 else [""] * len(expenses)
    heads = ("suite", "who", "calls", "tokens in", "tokens out", "pictures", "US$", "expected from")
    rows = []
    for suite, one in zip(named, expenses, strict=True):
        counts = (count or "" for count in (one.calls, one.tokens_in, one.tokens_out, one.pictures))
        usd = "unknown" if one.usd is None else one.usd or "free"
        paid = f"{number_of(one.paid_before, 'answer')} paid for" if one.paid_before else ""
        rows.append((suite, one.who_name, *counts, usd, paid or "the price list" * bool(one.usd)))
    unknown = dict.fromkeys(one.who_name for one in expenses if one.usd is None)
    known = sum(one.usd for one in expenses if one.usd is not None)
    notes = [f"expected: US$ {known:.4f}"]
    if unknown:
        notes = [f"the cost is unknown without the price of {', '.join(unknown)}; give it with --prices FILE"]
    notes += [f"spent so far: US$ {spent_usd:.4f}"] if spent_usd else []
    table = Table.of("expenses", "", heads, rows, digits=4, drops_empty=True)
    return Result((table,), to_plain(expenses), notes=tuple(notes))
