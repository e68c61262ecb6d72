"""Forecasts what a command would do and cost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from subitize.evaluate.costs import Meter, price_of
from subitize.evaluate.execution import plan_check
from subitize.evaluate.judging import JudgePlan, list_open
from subitize.evaluate.pictures import USUAL_PX
from subitize.evaluate.plan import Plan, SuitePlan, check_suites
from subitize.interfaces import Judge, JudgeQuestion, JudgeRequest, Model, Usage
from subitize.records import Draw, Drawn, Item, Picture, Stimulus, Stored, Task
from subitize.registry import Resolved
from subitize.store import Run


@dataclass(frozen=True, slots=True)
class Expense:
    """The calls of a model or judge, and what they are expected to use and, if the price is known, to cost.

    The cost is estimated from the `paid_before` answers paid for so far, or from the price list if there are none.
    """

    who: str
    calls: int
    tokens_in: int
    tokens_out: int
    pictures: int
    usd: float | None
    paid_before: int
    who_name: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is left to do of a suite on a model, its expected expenses, and which files matched."""

    suite: str
    model: str
    items: int
    trials: int
    done: int
    expenses: tuple[Expense, ...]
    matched: tuple[str, ...]
    model_name: str


def forecast(plan: Plan, run: Run | None) -> list[Forecast]:
    """Sum up what is left of each suite on each model, and what its calls are expected to use; nothing is written."""
    if run is not None:
        plan.budget.enter(run)
        check_suites(plan.parts, run)
    return [_forecast(part, run) for part in _with_checks(plan, run)]


def _with_checks(plan: Plan, run: Run | None) -> Iterator[SuitePlan]:
    checked: set[str] = set()
    for part in plan.parts:
        model = part.model.spec.text
        if plan.config.sight_check and model not in checked and (check := plan_check(part, run)):
            checked.add(model)
            yield check
        yield part


def forecast_judging(plan: JudgePlan, run: Run) -> Expense:
    """Sum up the expected cost of a judge's open questions."""
    plan.budget.enter(run)
    looks, tasks = list_open(plan, run)
    return _expend(plan.budget.meter(plan.judge), tasks, looks)


def _forecast(plan: SuitePlan, run: Run | None) -> Forecast:
    suite, model, trials = plan.suite, plan.model, plan.trials
    finished = run.finished(model.spec.text) if run is not None else set()
    groups = [[one.item for one in group] for group in trials.left(finished)]
    left = [item for group in groups for item in group]
    expenses = [_expend(plan.budget.meter(model), [item.task for item in left], len(groups))]
    if plan.judge is not None:
        expenses.append(_expend_on_judge(plan, plan.judge, left))
    total, count = trials.total, sum(1 for _ in trials.items)
    names, counts = (suite.spec.text, model.spec.text), (count, total, total - len(left))
    return Forecast(*names, *counts, tuple(expenses), plan.matched, str(model))


def _expend_on_judge(plan: SuitePlan, judge: Resolved[Judge], items: Iterable[Item]) -> Expense:
    """Estimate the judge's calls for one drawing per item, about which it is asked all that it can answer."""
    drawn, tasks = Drawn(Stored("0" * 64, "png")), []
    for item in items:
        if not isinstance(item.task, Draw) or not judge.obj.asks_model:
            continue
        picture = Stimulus("not yet drawn", 1, 0, _expect_side(plan.model.obj, item.task))
        for ask in judge.obj.asks(item):
            if judge.obj.can_answer(ask.question, (drawn,)):
                inquiry = JudgeQuestion(ask.question, ask.wording)
                exhibit = JudgeRequest((drawn,), (inquiry,), _no_picture, item.task.prompt)
                tasks += [replace(task, picture=picture) for task in judge.obj.put(exhibit)]
    return _expend(plan.budget.meter(judge), tasks, len(tasks))


def _expect_side(model: Model, task: Draw) -> int:
    """Return the side of the pictures that a model is asked for, or else the usual size."""
    sides = [int(side) for side in model.expect(task).size.split("x") if side.isdecimal()]
    return max(sides, default=USUAL_PX)


def _no_picture(picture: Picture) -> bytes:
    raise TypeError(f"a forecast looks at no picture, not at {picture}")


def _expend(meter: Meter, tasks: Sequence[Task], calls: int) -> Expense:
    usages = [meter.expect(task) for task in tasks]
    tokens_in, tokens_out = sum(usage.tokens_in for usage in usages), sum(usage.tokens_out for usage in usages)
    pictures = sum(usage.pictures for usage in usages)
    usd = _expect_usd(meter, usages)
    return Expense(meter.name, calls, tokens_in, tokens_out, pictures, usd, meter.paid.times, meter.label)


def _expect_usd(meter: Meter, usages: Sequence[Usage]) -> float | None:
    """Estimate the cost from earlier answers, or else from the price list."""
    if meter.metered is None:
        return 0.0
    if meter.paid.times:
        return len(usages) * meter.paid.mean_usd
    prices = [None if meter.price is None else price_of(meter.price, usage) for usage in usages]
    known = [price for price in prices if price is not None]
    return sum(known) if len(known) == len(prices) else None
