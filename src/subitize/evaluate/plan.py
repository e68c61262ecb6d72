"""Plans a run: resolves what is named, chooses seeds and items, and finds the trials that are not stored yet.

It reads the run, if there is one, and writes nothing; what is too large or cannot work is refused here."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from subitize.errors import BadFileError, BadValueError, NothingToDoError, RunError
from subitize.evaluate.config import NO_JUDGE, RunConfig
from subitize.evaluate.costs import Budget
from subitize.evaluate.identities import expand_name, resolve_judge, resolve_models
from subitize.evaluate.sampling import SCHEME, batches, items_of, sample_of
from subitize.interfaces import (
    Attempt,
    ComputesSeveral,
    Judge,
    Matched,
    Model,
    Suite,
)
from subitize.io.prices import load_prices
from subitize.records import Draw, Item, Spec, TaskKind, Trial, Value, base_suite
from subitize.registry import Resolved, make_judge, make_model, make_refined, make_suite, trained_on, trained_with
from subitize.store import SAMPLED_FROM_AT_MOST, Run, Sample
from subitize.store.rows import RowT, rank_attempt

_NO_VALUES: Mapping[str, Value] = {}
# The rank of an attempt, and its values.
_Tried = tuple[tuple[bool, int], Mapping[str, Value]]
_UNTRIED: _Tried = (False, -1), _NO_VALUES


class PlannedTrial(NamedTuple):
    """A trial, and the item that is asked."""

    trial: Trial
    item: Item


# The trials of one call: most often a single one.
TrialBatch = tuple[PlannedTrial, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The suite, models, refinements of the suite and judge that a configuration names."""

    suite: Resolved[Suite]
    models: Sequence[Resolved[Model]]
    refined: Sequence[Resolved[Suite]] = ()
    judge: Resolved[Judge] | None = None


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """One suite on one model: its trials, and the seed and scheme that chose their items.

    `sampling`: None for runs begun before there were samples. `matched`: lines about answers that a model has ready.
    """

    config: RunConfig
    suite: Resolved[Suite]
    model: Resolved[Model]
    judge: Resolved[Judge] | None
    budget: Budget
    seed: int
    sampling: str | None
    trials: "TrialPlan"
    matched: tuple[str, ...] = ()

    @property
    def items(self) -> Iterable[Item]:
        """All items of the suite, whether they are asked or not."""
        return items_of(self.suite, self.seed)

    def sample(self) -> Sample | None:
        """Return the sample to be stored: the selected items, or all without a limit; None if the run has none."""
        if self.sampling is None:
            return None
        placed = enumerate(self.items)
        if self.config.limit is None:
            return Sample(self.sampling, placed)
        taken = {item.id for item in self.trials.items}
        return Sample(self.sampling, islice((one for one in placed if one[1].id in taken), len(taken)))

    def count_impossible(self) -> int:
        """Count the items whose task the model does not support."""
        looked_at = self.items if self.config.limit is None else islice(self.items, SAMPLED_FROM_AT_MOST)
        return sum(item.task.kind not in self.model.obj.tasks for item in looked_at)


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked configuration: each suite on each model, the judge, the money, and notes on changes in the run."""

    config: RunConfig
    parts: Sequence[SuitePlan]
    judge: Resolved[Judge] | None
    budget: Budget
    notes: Sequence[str]


def make_plan(config: RunConfig, run: Run | None, suite: Resolved[Suite] | None = None) -> Plan:
    """Make what a configuration names, except a suite that is made already, and plan it for a run or for a new one."""
    return plan_chosen(config, choose(config, run, suite or make_suite(config.suite)), run)


def choose(config: RunConfig, run: Run | None, suite: Resolved[Suite]) -> Chosen:
    """Make the models, refinements and judge that a configuration names; names may be those of the run."""
    slots = {} if config.concurrency is None else {"concurrency": str(config.concurrency)}
    models = [make_model(expand_name(run, text), **slots) for text in config.models]
    if config.trained_with is not None:
        models = [trained_with(made, config.trained_with) for made in models]
    if config.trained_on is not None:
        models = [trained_on(made, config.trained_on) for made in models]
    refined = [make_refined(config.suite, text) for text in config.refine]
    named = expand_name(run, config.judge, "judges") if config.judge else suite.obj.judge
    return Chosen(suite, models, refined, None if named == NO_JUDGE else make_judge(named))


def plan_chosen(config: RunConfig, chosen: Chosen, run: Run | None) -> Plan:
    """Plan each suite on each model: first the suite itself, then its refinements."""
    budget = Budget(load_prices(config.prices), config.max_cost_usd)
    models, notes = resolve_models(run, chosen.models, is_same_model=config.is_same_model)
    judge = chosen.judge
    if judge is not None:
        judge, more = resolve_judge(run, judge, is_same_model=config.is_same_model)
        notes += more
    planner = Planner(config, run, judge, budget)
    parts = [planner.plan(chosen.suite, model) for model in models]
    if config.judge is None and judge is not None:
        _check_default(judge, chosen.suite.spec.name, models, run)
    parts += [planner.plan(suite, model, chosen.suite) for suite in chosen.refined for model in models]
    return Plan(config, parts, judge, budget, notes)


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans suites on models by one configuration; with a judge, a suite can retry items that showed nothing."""

    config: RunConfig
    run: Run | None
    judge: Resolved[Judge] | None
    budget: Budget

    def plan(self, suite: Resolved[Suite], model: Resolved[Model], base: Resolved[Suite] | None = None) -> SuitePlan:
        """Plan a suite on a model, and refuse what cannot work.

        With a `base`, a limit takes the items refined from those it takes of the base, so that both can be compared.
        """
        config = self.config
        if config.only_found and not model.obj.is_ready_made:
            raise BadValueError(f"`only_found` is for models that have their images ready, as folder:PATH; not {model}")
        repeats = config.repeats or suite.obj.repeats
        seed, sampling = self._settle(suite.spec.name)
        check_size(suite, seed, config.limit, repeats)
        self._check_possible(suite, model, seed)
        items = self._select(suite, model, base, (seed, sampling))
        matched = _match(suite, model, seed, repeats)
        batch_size = model.obj.batch_size if isinstance(model.obj, ComputesSeveral) else 1
        absent: frozenset[tuple[str, int]] = frozenset()
        if config.only_found and matched is not None:
            ids = {item.id for item in items}
            absent = frozenset(trial for trial in matched.absent if trial[0] in ids)
        trials = TrialPlan(items, model.spec, repeats, model.obj.repeats_per_call, batch_size, absent)
        lines = () if matched is None else tuple(matched.lines())
        return SuitePlan(config, suite, model, self.judge, self.budget, seed, sampling, trials, lines)

    def plan_all(self, suite: Resolved[Suite], model: Resolved[Model], repeats: int) -> SuitePlan:
        """Plan all items of a suite, whatever the limit, with so many repeats."""
        return replace(self, config=replace(self.config, limit=None, repeats=repeats)).plan(suite, model)

    def _settle(self, suite: str) -> tuple[int, str | None]:
        """Choose the seed (given, else the run's, else 0), and the sampling of the run's suite or its base suite."""
        known = {} if self.run is None else {entry.name: entry for entry in self.run.suites()}
        like, seed = known.get(suite) or known.get(base_suite(suite)), self.config.seed
        if self.run is None or like is None:
            return seed or 0, SCHEME
        sampling = self.run.samplings().get(like.name)
        return like.seed if seed is None else seed, sampling.scheme if sampling else None

    def _check_possible(self, suite: Resolved[Suite], model: Resolved[Model], seed: int) -> None:
        """Refuse a model that can do nothing of the suite, and a limit of cost without a price."""
        tasks = (item.task for item in islice(items_of(suite, seed), SAMPLED_FROM_AT_MOST))
        possible = next((task for task in tasks if task.kind in model.obj.tasks), None)
        if possible is not None:  # a limit without a price is refused before there is a run
            self.budget.meter(model).expect_usd([possible])
        if self.judge is not None:
            self.budget.meter(self.judge)
        if possible is None:
            kinds = sorted({item.task.kind for item in islice(items_of(suite, seed), SAMPLED_FROM_AT_MOST)})
            raise NothingToDoError(
                f"model {str(model)!r} cannot do {suite.spec.name!r}: "
                f"it can {', '.join(sorted(model.obj.tasks))}, the suite asks to {', '.join(kinds)}"
            )

    def _select(
        self,
        suite: Resolved[Suite],
        model: Resolved[Model],
        base: Resolved[Suite] | None,
        settled: tuple[int, str | None],
    ) -> Iterable[Item]:
        """Select the items that the model can do and the limit takes, in suite order."""
        (seed, sampling), limit, tasks = settled, self.config.limit, model.obj.tasks
        possible = _Possible(items_of(suite, seed), tasks)
        if limit is None:
            return possible
        sampled = base or suite
        order = items_of(sampled, seed) if sampling is None else sample_of(sampled, seed, sampling)
        taken = {item.id for item in islice((one for one in order if one.task.kind in tasks), limit)}
        if base is None:
            return list(islice((item for item in possible if item.id in taken), len(taken)))
        refined = [item for item in possible if item.base in taken]
        if not refined:
            raise NothingToDoError(
                f"{suite.spec.name}: none of the {limit:,} items that `limit` takes can be refined; raise it"
            )
        return refined


@dataclass(frozen=True, slots=True)
class _Possible(Iterable[Item]):
    """The items that a model can do."""

    items: Iterable[Item]
    tasks: Collection[TaskKind]

    def __iter__(self) -> Iterator[Item]:
        return (item for item in self.items if item.task.kind in self.tasks)


def _match(suite: Resolved[Suite], model: Resolved[Model], seed: int, repeats: int) -> Matched | None:
    """Find the answers of a model that has them ready; refuse if none fits the suite, before anything is stored."""
    if not model.obj.is_ready_made:
        return None
    matched = model.obj.match(list(items_of(suite, seed)), repeats)
    if not matched.count:
        raise BadFileError(f"{model} has nothing for suite {suite.spec.name!r}: {'; '.join(matched.lines())}")
    return matched


def _check_default(judge: Resolved[Judge], suite: str, models: Iterable[Resolved[Model]], run: Run | None) -> None:
    """Refuse a stand-in as the default judge of a real model, unless it judged that model before."""
    if not judge.obj.is_stand_in:
        return
    judged = _judged_before(judge, run)
    for model in models:
        if not model.obj.is_stand_in and model.spec.text not in judged:
            raise BadValueError(
                f"{suite} is judged by {judge} unless another judge is named, and that one knows only the "
                f"drawings of subitize, not those of {model.name or model.spec.text}. Name one that can see them: "
                "`judge` vlm:MODEL (a model that answers questions about pictures, as vlm:openai:NAME with its key in "
                "OPENAI_API_KEY), `judge` grounding-dino:MODEL (a detector on this machine; pip install "
                f"'subitize[local]'), or `judge` none, and judge later; or {judge} itself, if they look "
                "like those of subitize. All judges: subitize list judges"
            )


def _judged_before(judge: Resolved[Judge], run: Run | None) -> set[str]:
    """Return the models of the run, if the judge is stored in it."""
    if run is None or judge.spec.text not in {entry.spec for entry in run.judges()}:
        return set()
    return {entry.spec for entry in run.models()}


def check_suites(parts: Iterable[SuitePlan], run: Run) -> None:
    """Refuse suites that the run has with other items, before a model is asked anything."""
    for part in {part.suite.spec.name: part for part in parts}.values():
        run.check_suite(part.suite.spec, part.seed, part.items)


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """A model's trials: `repeats` of each item, with several repeats of one item or a batch of any items per call.

    `absent`, by item and repeat, are those that the model is known not to have; they are not asked for.
    """

    items: Iterable[Item]
    model: Spec
    repeats: int
    repeats_per_call: int = 1
    batch_size: int = 1
    absent: Collection[tuple[str, int]] = frozenset()

    @property
    def total(self) -> int:
        """The number of trials, done or not."""
        return sum(1 for _ in self.items) * self.repeats - len(self.absent)

    def left(self, finished: Collection[str]) -> Iterator[TrialBatch]:
        """Yield the trials without a response, all items once before any is repeated."""
        groups = self._by_item(finished)
        if self.batch_size == 1:
            return groups
        return batches((trial for group in groups for trial in group), self.batch_size)

    def _by_item(self, finished: Collection[str]) -> Iterator[TrialBatch]:
        for start in range(0, self.repeats, self.repeats_per_call):
            repeats = range(start, min(start + self.repeats_per_call, self.repeats))
            for item in self.items:
                there = (repeat for repeat in repeats if (item.id, repeat) not in self.absent)
                trials = (Trial(item.id, self.model.text, self.model.options, repeat) for repeat in there)
                group = tuple(PlannedTrial(trial, item) for trial in trials if trial.id not in finished)
                if group and isinstance(item.task, Draw):
                    yield group
                else:
                    yield from ((one,) for one in group)


def further_attempts(suite: Suite, model: Spec, tried: Sequence[Attempt]) -> Iterator[PlannedTrial]:
    """Yield the next attempts at what the suite asks again, up to its maximum."""
    for one in suite.again(tried):
        if not isinstance(one, Attempt):
            raise RunError(f"suite {type(suite).__name__}: again should give what it was given, not {one!r:.60}")
        trial = Trial(one.item.id, model.text, model.options, one.repeat, one.attempt + 1)
        if trial.attempt < suite.max_attempts:
            yield PlannedTrial(trial, one.item)


class TriedAttempts(Sequence[Attempt]):
    """The latest attempts at each item and repeat with their values, repeat by repeat; unread ones are left out.

    The attempts are made at each pass, as all of them take much memory.
    """

    def __init__(
        self, items: Iterable[Item], trials: Iterable[RowT], values: Mapping[bytes, Mapping[str, Value]]
    ) -> None:
        self._items = items
        places = {item.id: place for place, item in enumerate(items)}
        self._latest: dict[int, list[_Tried]] = defaultdict(lambda: [_UNTRIED] * len(places))
        shared: dict[tuple[tuple[bool, int], int], _Tried] = {}
        for one in trials:
            latest, place = self._latest[one.repeat], places.get(one.item_id)
            if place is not None and latest[place][0] < (rank := rank_attempt(one)):
                own = values.get(bytes.fromhex(one.trial_id), _NO_VALUES)
                latest[place] = shared.setdefault((rank, id(own)), (rank, own))

    def __iter__(self) -> Iterator[Attempt]:
        for repeat in sorted(self._latest):
            for item, ((_, attempt), values) in zip(self._items, self._latest[repeat], strict=True):
                if values:
                    yield Attempt(item, repeat, attempt, values)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        return list(self)[place]


def collect_values(readings: Iterable[tuple[str, str, Value]]) -> dict[bytes, Mapping[str, Value]]:
    """Collect the values by question for each subject; equal ones are held once.

    Readings are triples of subject, question and value.
    """
    found: dict[bytes, Mapping[str, Value]] = {}
    shared: dict[tuple[int, str, int], Mapping[str, Value]] = {}
    for subject, question, value in readings:
        before = found.get(key := bytes.fromhex(subject), _NO_VALUES)
        same = (id(before), question, id(value))  # True and 1 are equal, but not the same answer
        if same not in shared:
            shared[same] = {**before, question: value}
        found[key] = shared[same]
    return found


MOST_ITEMS = 1_000_000
MOST_ANSWERS = 100_000_000
_ANSWER_BYTES, _ANSWERS_PER_SECOND = 1_000, 1_000  # of a text and its reading, from a quick server
_YEAR_SECONDS = 365 * 24 * 3600


def check_size(suite: Resolved[Suite], seed: int, limit: int | None = None, repeats: int = 1) -> None:
    """Refuse more items than fit into memory, and more answers than one can wait for."""
    if limit is not None and limit <= MOST_ITEMS and limit * repeats <= MOST_ANSWERS:
        return
    items = _count(suite, seed)
    items = items if limit is None else min(items, limit)
    if items > MOST_ITEMS:
        more = "more than " * (items == MOST_ITEMS + 1)
        raise BadValueError(
            f"{suite.spec.text} has {more}{items - bool(more):,} items, {_describe(items)}; "
            f"at most {MOST_ITEMS:,} are made: run and stimuli take fewer with `limit`"
        )
    if items * repeats > MOST_ANSWERS:
        raise BadValueError(
            f"`repeats` {repeats:,}: {items:,} items so often are {items * repeats:,} answers, "
            f"{_describe(items * repeats)}; at most {MOST_ANSWERS:,} are made"
        )


def _count(suite: Resolved[Suite], seed: int) -> int:
    """Count the items of a suite, if need be by making them, up to one more than is allowed."""
    known = suite.obj.count_items()
    return sum(1 for _ in islice(items_of(suite, seed), MOST_ITEMS + 1)) if known is None else known


def _describe(answers: int) -> str:
    size, seconds = answers * _ANSWER_BYTES, answers / _ANSWERS_PER_SECOND
    years = seconds / _YEAR_SECONDS
    time = f"{years:,.0f} years" if years >= 2 else f"{seconds / 86400:,.0f} days"
    return f"{size / 1e12:,.0f} TB of disk at least, and {time} at {_ANSWERS_PER_SECOND:,} a second"
