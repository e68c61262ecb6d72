"""Asks a judge the questions of a run and stores its readings."""

import gc
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from subitize.analysis.advice import warn_of_reward_judges
from subitize.errors import SubitizeError, UnknownNameError, UnusableModelError
from subitize.evaluate.config import JudgeConfig
from subitize.evaluate.costs import Budget, priced
from subitize.evaluate.driving import Given, drive, remember
from subitize.evaluate.engines import Engine, Failure, started
from subitize.evaluate.identities import expand_name, resolve_judge
from subitize.evaluate.pictures import Loader
from subitize.evaluate.sampling import batches
from subitize.interfaces import (
    Events,
    Finding,
    Judge,
    JudgeQuestion,
    JudgeRequest,
    SelfTest,
)
from subitize.io import codec
from subitize.io.prices import load_prices
from subitize.labels import Rule, find_parts_rule, interpret, is_same_kind, parse_rule
from subitize.language.numbers import count_noun
from subitize.records import (
    Answer,
    Ask,
    Boxes,
    Compared,
    Draw,
    Drawn,
    Elsewhere,
    Item,
    Match,
    MatchesPrompt,
    Measured,
    Outcome,
    Provenance,
    Reading,
    Refused,
    Stored,
    Subject,
    Words,
    digest,
)
from subitize.registry import RULE_OPTION, Resolved, find_suite_rule, make_judge
from subitize.store import Lease, Run, StoredResponse, group_answers, subject_of
from subitize.store.rows import count_items, list_sources, read_rules

_ITEMS_AT_ONCE, _ITEMS_LISTED = 100, 500
_MOST_BOXES = 5_000


@dataclass(slots=True)
class JudgeTally:
    """Counts of one call: readings made, looks that failed, and questions that the judge cannot answer.

    `unsettled`: tries that may have been charged without an answer.
    """

    readings: int = 0
    failed: int = 0
    unanswerable: int = 0
    unsettled: int = 0
    reasons: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    """Why it cannot answer some questions."""
    is_in_vain: bool = False
    """Whether it can answer none of the questions and never answered any."""

    def __str__(self) -> str:
        parts = [count_noun(self.readings, "new reading")]
        if self.limits and not self.unanswerable:
            parts += self.limits
        if self.failed:
            parts.append(f"{count_noun(self.failed, 'look')} failed")
        if self.unanswerable:
            why = f" ({'; '.join(self.limits)})" if self.limits else ""
            parts.append(f"{count_noun(self.unanswerable, 'question')} it cannot answer{why}")
        if self.unsettled:
            parts.append(f"{count_noun(self.unsettled, 'try')} cut short that may have been paid for")
        return ", ".join(parts)

    def count(self, look: "_Look") -> None:
        """Add one look."""
        self.readings += len(look.readings)
        self.unsettled += look.unsettled
        if look.failure:
            self.failed += 1
            remember(look.failure, self.reasons)


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """A judge, the responses that it is asked about (None: all), the rule, and notes on changes in the run.

    Without a rule, the evidence is read by the suite's rule, or else by the judge's own.
    """

    judge: Resolved[Judge]
    suite: str | None = None
    model: str | None = None
    rule: str | None = None
    tries: int = 5
    budget: Budget = field(default_factory=Budget)
    notes: Sequence[str] = ()


def plan_judging(config: JudgeConfig, run: Run | None) -> JudgePlan:
    """Make the judge that a configuration names, and match it with those of the run, if there is one."""
    from subitize.analysis.reader import rule_for  # needs tables, which a run does not

    notes: list[str] = []
    made = make_judge(expand_name(run, config.judge, "judges"))
    rule = rule_for(made, config.rule, notes.append)
    budget = Budget(load_prices(config.prices), config.max_cost_usd)
    judge, more = resolve_judge(run, made, is_same_model=config.is_same_model)
    model = run.find_model(config.model) if run and config.model else config.model
    chosen = None if rule is None else str(rule)
    return JudgePlan(judge, config.suite, model, chosen, config.tries, budget, (*notes, *more))


def judge(plan: JudgePlan, run: Run, events: Events, engine: Engine | None = None) -> JudgeTally:
    """Test a judge, and let it answer its open questions in a run."""
    with started(engine) as own:
        if line := self_test(plan.judge, own):
            events.warn(line)
        plan.budget.begin(run)
        summary = judge_run(plan, run, own, events)
    events.say(f"{plan.judge}: {summary}{plan.budget.spending}")
    for line in warn_of_reward_judges(run, plan.judge.spec.text):
        events.warn(line)
    return summary


def find_other_rules(plan: JudgePlan, run: Run) -> list[str]:
    """Find the other rules by which the judge's evidence was read, if the plan names one."""
    if plan.rule is None:
        return []
    stored = {one.rule for one in list_sources(run) if one.judge == plan.judge.spec.text}
    return sorted(one for one in stored if not _is_same_rule(one, plan.rule))


def _is_same_rule(stored: str, rule: str) -> bool:
    """Return whether a stored rule, perhaps of an older version, means the same as another."""
    try:
        return str(parse_rule(stored)) == rule
    except SubitizeError:
        return False  # a version that no longer exists


def judge_run(
    plan: JudgePlan, run: Run, engine: Engine, events: Events, keep_alive: Callable[[], None] = lambda: None
) -> JudgeTally:
    """Let the judge answer every open question that it can, model by model; `keep_alive` is called meanwhile."""
    judge, meter, names = plan.judge, plan.budget.meter(plan.judge), run.model_names()
    if plan.model is not None and plan.model not in names:
        raise UnknownNameError("model in this run", plan.model, names.values())
    summary, suites = JudgeTally(), [one for one in count_items(run) if plan.suite in (None, one)]
    rules = _choose_rules(run, judge, suites, plan.rule)
    for model in names if plan.model is None else [plan.model]:
        # By model, so that runs of several models on one suite can judge at the same time.
        with run.lease(f"judge {judge.spec.text} on {model}") as lease:
            task = _Task(run, judge, plan.suite, model)
            first = next(jobs := task.jobs(summary), None)
            run.add_judge(judge.spec, is_stand_in=judge.obj.is_stand_in, name=judge.name, addresses=judge.addresses)
            if first is not None:
                events.begin(f"judge {judge} on {names[model]}", task.count())
                with engine.start("judge", judge) as caller:
                    work = _Round(plan, run, rules, lease, keep_alive, summary, events)
                    looks = batches(chain([first], jobs), caller.batch_size)
                    drive(looks, work, caller, meter, tries=plan.tries)
    summary.limits += _name_waiting(judge.obj, suites, run)
    if judge.obj.asks_about and not any(map(judge.obj.asks, run.stream_items(plan.suite))):
        summary.limits.append(f"nothing to ask: it asks about {judge.obj.asks_about}")
    has_tried = summary.readings or summary.failed or not (summary.unanswerable or summary.limits)
    summary.is_in_vain = not has_tried and not run.answered(judge.spec.text)
    return summary


def _name_waiting(judge: Judge, suites: Iterable[str], run: Run) -> Iterator[str]:
    """Name the parts that wait for another judge, in suites that join parts to a verdict."""
    picture = (Drawn(Stored("", "png")),)
    for suite in suites:
        rule = None if judge.can_answer(MatchesPrompt(), picture) else find_parts_rule(suite)
        own = run.stream_items(suite)
        if rule and (waiting := rule.name_waiting(own, lambda question: judge.can_answer(question, picture))):
            yield waiting


def _choose_rules(run: Run, judge: Resolved[Judge], suites: Iterable[str], named: str | None) -> dict[str, Rule]:
    """Choose the rule for each suite; where a judge has begun to read by its own rule, that one stays."""
    own = parse_rule(named or judge.obj.rule)
    rules = dict.fromkeys(suites, own)
    if named or judge.sets(RULE_OPTION):
        return rules
    for suite in rules:
        preferred = find_suite_rule(suite)
        if (
            preferred
            and is_same_kind(parse_rule(preferred), own)
            and str(own) not in read_rules(run, suite, judge.spec.text)
        ):
            rules[suite] = parse_rule(preferred)
    return rules


def self_test(judge: Resolved[Judge], engine: Engine | None = None) -> str:
    """Run a judge's self-test. Return a line for the user, if there is something to say; raise if it fails."""
    with started(engine) as own:
        own.invoke("judge", judge, "check")
        try:
            result: SelfTest = own.invoke("judge", judge, "self_test")
        except UnusableModelError as error:
            raise UnusableModelError(f"judge {judge} failed its self-test: {error}") from None
    if not result.summary:
        return ""
    return f"self-test of {judge}: {result}"


def list_open(plan: JudgePlan, run: Run) -> tuple[int, list[Answer | Match]]:
    """Count a judge's remaining looks, and list their tasks for the model that it asks, if it asks one.

    One that asks none is not asked what it can answer, which may load its weights: every question counts.
    """
    names = (entry.spec for entry in run.models() if plan.model in (None, entry.spec))
    left = [_Task(run, plan.judge, plan.suite, name) for name in names]
    if not plan.judge.obj.asks_model:
        return sum(one.count() for one in left), []
    jobs = chain.from_iterable(one.jobs(JudgeTally()) for one in left)
    tasks = [task for job in jobs for task in plan.judge.obj.put(job.exhibit)]
    return len(tasks), tasks


@dataclass(frozen=True, slots=True)
class _Job:
    suite: str
    subject: Subject
    exhibit: JudgeRequest


_Batch = tuple[_Job, ...]


@dataclass(frozen=True, slots=True)
class _Look:
    readings: list[Reading]
    failure: str = ""
    unsettled: int = 0


class _Task:
    """A judge's open questions about one model's responses, in chunks of items to save memory."""

    def __init__(self, run: Run, judge: Resolved[Judge], suite: str | None, model: str) -> None:
        self._run, self._judge, self._suite, self._model = run, judge, suite, model
        self._asks = judge.obj.asks
        self._done = run.answered(judge.spec.text)
        self._load = Loader(run.image_files)

    def count(self) -> int:
        """Count the remaining looks at single responses, as if every question could be answered."""
        return sum(count for _, count in self._left())

    def jobs(self, summary: JudgeTally) -> Iterator[_Job]:
        """Yield the remaining looks; count the questions that the judge cannot answer in the summary."""
        for left, _ in self._left():
            for ids in batches(left, _ITEMS_AT_ONCE):
                by_item: dict[str, list[StoredResponse]] = defaultdict(list)
                for stored in self._run.responses(self._model, ids):
                    by_item[stored.response.trial.item_id].append(stored)
                for item in self._run.items(ids=ids):
                    yield from self._plan(item, by_item[item.id], summary)

    def _list_asks(self) -> Iterator[tuple[str, Sequence[Ask]]]:
        """Yield what is asked about each item; to know the suite's own questions, it need not be decoded."""
        if type(self._judge.obj).asks is Judge.asks:
            return self._run.stream_asks(self._suite)
        return ((item.id, self._asks(item)) for item in self._run.stream_items(self._suite))

    def _left(self) -> Iterator[tuple[list[str], int]]:
        """Yield the items with an open question, and the number of looks: responses to others need not be read."""
        for some in batches(self._list_asks(), _ITEMS_LISTED):
            asks = dict(some)
            left: set[str] = set()
            looks = 0
            for trial_id, item_id in self._run.answers(self._model, list(asks)):
                questions = [ask.question.id for ask in asks[item_id] if ask.group == 1]
                count = sum((trial_id, question) not in self._done for question in questions)
                looks += min(count, 1) if self._judge.obj.asks_together else count
                if count or len(questions) < len(asks[item_id]):
                    left.add(item_id)
            yield [item_id for item_id in asks if item_id in left], looks
            gc.collect(0)  # statements have cycles, and a command collects seldom

    def _plan(self, item: Item, responses: Sequence[StoredResponse], summary: JudgeTally) -> Iterator[_Job]:
        inquiries: dict[Subject, list[JudgeQuestion]] = defaultdict(list)
        outcomes: dict[Subject, tuple[Outcome, ...]] = {}
        for ask, subject, shown in _open_asks(self._asks(item), responses, self._done):
            if _is_visible(shown) and self._judge.obj.can_answer(ask.question, shown):
                inquiries[subject].append(JudgeQuestion(ask.question, ask.wording))
                outcomes[subject] = shown
            elif ask.group == 1 and not self._follows(ask, item, shown):  # a group's answer follows from its members'
                summary.unanswerable += 1
                if why := self._judge.obj.why_not(ask.question):
                    remember(why, summary.limits)
        for subject, asked in inquiries.items():
            for together in [asked] if self._judge.obj.asks_together else [[one] for one in asked]:
                for exhibit in _exhibits(item, outcomes[subject], together, self._load):
                    questions = [inquiry.question.id for inquiry in exhibit.inquiries]
                    id = digest(self._judge.spec.text, subject.id, questions)
                    yield _Job(item.suite, subject, replace(exhibit, id=id))

    def _follows(self, ask: Ask, item: Item, shown: Sequence[Outcome]) -> bool:
        """Return whether the answer about a whole follows from answers about its parts, all of which can be given."""
        rule = find_parts_rule(item.suite) if isinstance(ask.question, MatchesPrompt) else None
        parts = rule.list_parts(item) if rule else ()
        return bool(parts) and all(self._judge.obj.can_answer(part.question, shown) for part in parts)


def _open_asks(
    asks: Iterable[Ask], responses: Sequence[StoredResponse], done: set[tuple[str, str]]
) -> Iterator[tuple[Ask, Subject, tuple[Outcome, ...]]]:
    for ask in asks:
        for members in group_answers(responses, ask.group):
            subject = subject_of(members)
            outcomes = (stored.response.outcome for stored in members)
            shown = tuple(outcome for outcome in outcomes if not isinstance(outcome, Refused))
            if shown and (subject.id, ask.question.id) not in done:
                yield ask, subject, shown


def _is_visible(shown: Iterable[Outcome]) -> bool:
    return not any(isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere) for outcome in shown)


def _exhibits(
    item: Item, outcomes: tuple[Outcome, ...], inquiries: Sequence[JudgeQuestion], load: Loader
) -> Iterator[JudgeRequest]:
    """Separate blind from informed questions, so that a blind one never comes with the prompt."""
    prompt = item.task.prompt if isinstance(item.task, Draw) else None
    blind = tuple(inquiry for inquiry in inquiries if not inquiry.question.is_informed)
    informed = tuple(inquiry for inquiry in inquiries if inquiry.question.is_informed)
    if blind:
        yield JudgeRequest(outcomes, blind, load)
    if informed:
        yield JudgeRequest(outcomes, informed, load, prompt)


@dataclass(frozen=True, slots=True)
class _Round:
    """Looks at one model's responses, under a lease; the work that is driven."""

    plan: JudgePlan
    run: Run
    rules: Mapping[str, Rule]
    lease: Lease
    keep_alive: Callable[[], None]
    tally: JudgeTally
    events: Events

    @property
    def who(self) -> str:
        return f"judge {str(self.plan.judge)!r}"

    def tasks(self, job: _Batch) -> Iterator[Answer | Match]:
        return chain.from_iterable(self.plan.judge.obj.put(one.exhibit) for one in job)

    async def requests(self, job: _Batch) -> Sequence[JudgeRequest]:
        return [one.exhibit for one in job]

    async def finish(self, job: _Batch, requests: Sequence[JudgeRequest], given: Given) -> list[_Look]:
        # A picture on which the judge fails must not stop the others; it is looked at again next time.
        checked = check_findings(str(self.plan.judge), requests, given.each)
        return [
            self._read(one, found, usd, given.unsettled if one is job[0] else 0)
            for one, found, usd in zip(job, checked, given.usd, strict=True)
        ]

    def commit(self, done: Sequence[list[_Look]]) -> None:
        looks = chain.from_iterable(done)
        self.run.add_readings(self.lease, [reading for look in looks for reading in look.readings])

    def renew(self) -> None:
        self.run.renew(self.lease)
        self.keep_alive()

    def tell(self, done: list[_Look]) -> None:
        for look in done:
            self.tally.count(look)
            self.events.advance(has_failed=bool(look.failure))

    def _read(
        self, job: _Job, found: tuple[Finding, ...] | Failure, usd: Sequence[float | None], unsettled: int
    ) -> _Look:
        if isinstance(found, Failure):
            return _Look([], found.reason, unsettled)
        judge, rule, readings = self.plan.judge.spec.text, self.rules[job.suite], []
        unwritten = unsettled
        for inquiry, finding, price_usd in zip(job.exhibit.inquiries, found, usd, strict=True):
            value = interpret(finding.evidence, inquiry.question, rule)
            how = None
            if finding.provenance is not None:  # the tries of a look are stored once
                how, unwritten = priced(finding.provenance, price_usd, unwritten), 0
            readings.append(
                Reading(job.subject, inquiry.question, judge, finding.evidence, str(rule), value, provenance=how)
            )
        return _Look(readings, unsettled=unsettled)


def check_findings(
    judge: str, exhibits: Sequence[JudgeRequest], found: Sequence[object]
) -> list[tuple[Finding, ...] | Failure]:
    """Check what a judge found in each exhibit; replace what cannot be evidence by a failure with its reason."""
    return [_check(judge, len(exhibit.inquiries), one) for exhibit, one in zip(exhibits, found, strict=True)]


def _check(judge: str, wanted: int, found: object) -> tuple[Finding, ...] | Failure:
    if isinstance(found, Failure):
        return found
    if not isinstance(found, tuple) or len(found) != wanted:
        fault = f"should give {wanted} findings, not {found!r:.80}"
    else:
        fault = next(filter(None, map(_fault_of, found)), "")
        if not fault:
            return found
    return Failure(f"judge {judge!r} {fault}")


def _fault_of(finding: object) -> str:
    match finding:
        case Finding(evidence=Words(text=str() as text), provenance=None | Provenance() as how):
            many = len(text) > codec.LONGEST_TEXT
            fault = f"gave {len(text):,} characters; at most {codec.LONGEST_TEXT:,}" if many else ""
            return fault or _fault_of_provenance(how)
        case Finding(evidence=Boxes(boxes=boxes)) if len(boxes) > _MOST_BOXES:
            return f"gave {len(boxes):,} boxes; at most {_MOST_BOXES:,}"
        case Finding(evidence=Boxes() | Compared() | Measured() as evidence, provenance=None | Provenance() as how):
            return codec.fault(codec.evidence, evidence) or _fault_of_scores(evidence) or _fault_of_provenance(how)
    return f"gave what is no finding with evidence: {finding!r:.80}"


def _fault_of_provenance(how: Provenance | None) -> str:
    return "" if how is None else codec.fault(codec.provenance, how)


def _fault_of_scores(evidence: Boxes | Compared | Measured) -> str:
    match evidence:
        case Measured(score=score):
            numbers = [score]
        case Compared(scores=scores):
            numbers = list(scores.values())
        case Boxes(boxes=boxes):
            numbers = [number for box in boxes for number in (box.score, *box.xyxy)]
    if not all(map(math.isfinite, numbers)):
        return f"gave scores that are no numbers: {evidence!r:.80}"
    has_rivals = not isinstance(evidence, Compared) or len(numbers) > 1
    return "" if has_rivals else f"compared a text with no other: {evidence!r:.80}"
