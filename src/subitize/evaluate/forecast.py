"""Forecasts what a command would do and cost."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from subitize.evaluate.costs import Meter, price_of
from subitize.evaluate.execution import plan_check
from subitize.evaluate.judging import JudgePlan, list_open
from subitize.evaluate.pictures import USUAL_PX
from subitize.evaluate.plan import (
    Plan,
    PlannedTrial,
    SuitePlan,
    TriedAttempts,
    check_suites,
    collect_values,
    further_attempts,
)
from subitize.interfaces import Judge, JudgeQuestion, JudgeRequest, Model, Usage
from subitize.records import Draw, Drawn, Item, Picture, Stimulus, Stored, Task
from subitize.registry import Resolved
from subitize.store import Run
from subitize.store.rows import read_trials, read_values


@dataclass(frozen=True, slots=True)
class Expense:
    """The least calls of a model or judge, and what they are expected to use and, if the price is known, to cost.

    The cost is estimated from the `paid_before` answers paid for so far, or from the price list if there are none.
    A suite may ask again where nothing can be counted: `more_expected` times as many calls if that happens as often as
    so far in this run (None: nothing is known), `more_at_most` times as many if it asks as often as it may.
    """

    who: str
    calls: int
    tokens_in: int
    tokens_out: int
    pictures: int
    usd: float | None
    paid_before: int
    who_name: str
    more_expected: float | None = 1.0
    more_at_most: float = 1.0


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
    total, count, left = trials.total, sum(1 for _ in trials.items), sum(map(len, groups))
    again = _find_asked_again(plan, run, finished)
    groups += [[one.item] for one in again]
    items = [item for group in groups for item in group]
    expenses = [_expend(plan.budget.meter(model), [item.task for item in items], len(groups))]
    if plan.judge is not None:
        expenses.append(_expend_on_judge(plan, plan.judge, items))
    if _may_ask_again(plan) and items:
        most = suite.obj.max_attempts
        at_most = (left * most + sum(most - one.trial.attempt for one in again)) / len(items)
        usual = _mean_attempts(plan, run)
        expected = None if usual is None else max(1.0, min(at_most, (left * usual + len(again)) / len(items)))
        expenses = [replace(one, more_expected=expected, more_at_most=at_most) for one in expenses]
    names, counts = (suite.spec.text, model.spec.text), (count, total, total - left)
    return Forecast(*names, *counts, tuple(expenses), plan.matched, str(model))


def _may_ask_again(plan: SuitePlan) -> bool:
    return plan.judge is not None and plan.suite.obj.max_attempts > 1 and not plan.model.obj.is_ready_made


def _find_asked_again(plan: SuitePlan, run: Run | None, finished: Collection[str]) -> list[PlannedTrial]:
    """Find what is asked again because of answers that are stored already."""
    if run is None or plan.judge is None or not finished or not _may_ask_again(plan):
        return []
    values = collect_values(read_values(run, plan.judge.spec.text))
    tried = TriedAttempts(plan.trials.items, read_trials(run, plan.model.spec.text), values)
    again = further_attempts(plan.suite.obj, plan.model.spec, tried)
    return [one for one in again if one.trial.id not in finished]


def _mean_attempts(plan: SuitePlan, run: Run | None) -> float | None:
    """Return how many attempts the model has needed per trial of the suite in this run; None if it has made none."""
    if run is None:
        return None
    own = f"{plan.suite.spec.name}/"
    tried = {(row.item_id, row.repeat, row.attempt) for row in read_trials(run, plan.model.spec.text)}
    attempts = [attempt for item_id, _, attempt in tried if item_id.startswith(own)]
    return len(attempts) / attempts.count(0) if attempts else None


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
