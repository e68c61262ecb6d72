"""The image-to-text suites as Inspect tasks, read and measured like our own runs: `inspect eval subitize/naming`."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from subitize import __version__
from subitize.analysis.design import with_units
from subitize.analysis.score import MEASURES
from subitize.errors import BadValueError, MissingPartError, SubitizeError
from subitize.evaluate.pictures import Loader
from subitize.evaluate.sampling import sample_of
from subitize.frame import Frame, FrameRow, frame_seen
from subitize.io import codec
from subitize.io.images import data_url
from subitize.io.specs import write_spec
from subitize.labels import interpret, parse_rule
from subitize.language.answers import drop_reasoning
from subitize.papers import papers
from subitize.records import Answer, Estimate, Item, Known, Words
from subitize.registry import make_judge, make_suite
from subitize.report.listing import describe
from subitize.store.images import Images

try:
    from anyio.to_thread import run_sync
    from inspect_ai import Task, task
    from inspect_ai._util.error import PrerequisiteError  # the one error that Inspect shows without a traceback
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, ModelOutput
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from rich.markup import escape
except ImportError:
    raise MissingPartError("a task of Inspect", "inspect-ai", "inspect") from None

# How Inspect parses `-T key=value`: it reads the value as YAML, and splits text at commas.
Option = str | int | float | bool | list[str] | None

_STATUSES = ("discarded", "refused", "unknown")
_TASK, _ASKS = "task", "asks"  # keys of a sample's metadata besides the factors


def define_task(suite: str) -> Callable[..., Task]:
    """Turn a suite into a task; its options are those of the suite, including the suite's target."""
    described = describe("suites", suite)

    def make(*, seed: Option = 0, policy: Option = "strict", **options: Option) -> Task:
        target = _write_option(options.pop(described.target, "")) if described.target else ""
        return _make_task(f"{suite}:{target}" if target else suite, options, seed, policy)

    make.__name__, make.__doc__ = suite.replace("-", "_"), described.summary
    return task(name=suite)(make)


# Inspect finds tasks among the names of this module.
globals().update({name.replace("-", "_"): define_task(name) for paper in papers() for name in paper.picture_suites})


@solver
def picture() -> Solver:
    """Put the picture before the question. Drawing it this late keeps memory to the samples under way."""
    load = Loader(Images(Path()))

    async def show(state: TaskState, generate: Generate) -> TaskState:
        asked = _read_item(state.sample_id, state.metadata).task
        assert isinstance(asked, Answer)
        url = await run_sync(lambda: data_url(load(asked.picture)))
        state.messages = [ChatMessageUser(content=[ContentImage(image=url), ContentText(text=asked.question)])]
        return state

    return show


@metric(scores="unreduced")  # every epoch is an observation, like every repeat of a run
def measures(names: Sequence[str]) -> Metric:
    """Measure as `subitize score` does: each estimate, the bounds of its interval, and its n."""

    def measure(scores: list[SampleScore]) -> Value:
        observations = frame_seen(_read_observation(one) for one in scores)
        figures: dict[str, float] = {}
        for name in names:
            estimate = MEASURES[name].of(with_units(observations).rows)
            if estimate is not None:
                figures |= _write_estimate(name, estimate)
        return figures

    return measure


@scorer(metrics=[measures([name for name in MEASURES if name not in _STATUSES])])
def right(policy: str = "strict") -> Scorer:
    """Give 1 for the right number, 0 for another, a refusal, or an answer that the policy discards."""

    async def judge(state: TaskState, target: Target) -> Score | None:
        return _judge(state.sample_id, state.metadata, state.output, policy)

    return judge


@scorer(metrics=[measures(_STATUSES)])
def status(policy: str = "strict") -> Scorer:
    """Classify the answer as eligible, discarded or refused."""

    async def judge(state: TaskState, target: Target) -> Score | None:
        score = _judge(state.sample_id, state.metadata, state.output, policy)
        return score and score.model_copy(update={"value": (score.metadata or {})["status"]})

    return judge


def observe_log(path: str, policy: str = "strict") -> Frame:
    """Read the answers in a task's log as observations, which analysis.score measures by any factor."""
    log = read_eval_log(path, resolve_attachments=False)
    found = []
    for one in (sample for sample in log.samples or [] if sample.error is None):
        if score := _judge(one.id, one.metadata, one.output, policy):
            seen = _read_observation(SampleScore(score=score, sample_id=one.id, sample_metadata=one.metadata))
            found.append(seen._replace(model=log.eval.model, repeat=one.epoch - 1))
    return frame_seen(found)


def _make_task(suite: str, options: Mapping[str, Option], seed: Option, policy: Option) -> Task:
    try:
        made = make_suite(write_spec(suite, {key: _write_option(value) for key, value in options.items()}))
        rule = make_judge(f"parser:policy={_write_option(policy)}").obj.rule
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise BadValueError(f"seed={_write_option(seed)!r}: should be a whole number")
        # Inspect's own limit takes the first samples, the same ones that ours would take.
        samples = [_write_sample(item) for item in sample_of(made, seed)]
    except SubitizeError as error:
        raise PrerequisiteError(escape(str(error))) from error
    return Task(
        MemoryDataset(samples, made.spec.name),
        setup=picture(),  # it runs even with a solver of the user's choice
        scorer=[right(rule), status(rule)],
        metadata={"suite": made.spec.text, "seed": seed, "subitize": __version__},
    )


def _write_option(value: Option) -> str:
    """Write an option as in a spec."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _write_sample(item: Item) -> Sample:
    (ask,) = item.asks
    return Sample(
        input=ask.wording,
        target=[str(value) for value in ask.expects],
        id=item.id,
        # Enough for another policy to read the log later.
        metadata={**item.factors, _TASK: codec.dump(codec.task, item.task), _ASKS: codec.dump(codec.asks, item.asks)},
    )


def _read_item(sample_id: str | int | None, metadata: Mapping[str, Any]) -> Item:
    task = codec.task.validate_python(metadata[_TASK])
    asks = codec.asks.validate_python(metadata[_ASKS])
    return Item(str(sample_id), task, asks, {k: v for k, v in metadata.items() if k not in (_TASK, _ASKS)})


def _judge(sample_id: str | int, metadata: Mapping[str, Any], output: ModelOutput, policy: str) -> Score | None:
    """Read an answer; None for questions that do not enter the score."""
    (ask,) = _read_item(sample_id, metadata).asks
    if not ask.is_relevant:
        return None
    if _is_refused(output):
        return _score("refused", "the service refused")
    value = interpret(Words(drop_reasoning(output.completion)), ask.question, parse_rule(policy))
    if isinstance(value, Known):
        found = {"status": "eligible", "value": value.value}
        return Score(value=float(value.value in ask.expects), answer=str(value.value), metadata=found)
    return _score("refused" if value.is_refusal else "discarded", value.reason)


def _is_refused(output: ModelOutput) -> bool:
    """Return whether the service refused, or marks the model's answer as a refusal."""
    if not output.choices:
        return False
    is_marked = any(isinstance(part, ContentText) and part.refusal for part in output.message.content)
    return is_marked or output.stop_reason == "content_filter"


def _score(status: str, reason: str) -> Score:
    return Score(value=0.0, explanation=f"{status}: {reason}", metadata={"status": status, "value": None})


def _read_observation(one: SampleScore) -> FrameRow:
    item, found = _read_item(one.sample_id, one.sample_metadata or {}), one.score.metadata or {}
    return FrameRow(item, item.asks[0], found["status"], found["value"], judge="parser")


def _write_estimate(name: str, estimate: Estimate) -> dict[str, float]:
    share, n = estimate.value, estimate.n
    # Inspect's own tables look for a standard error: the deviation of n ones and zeros over the root of n.
    error = {"stderr": math.sqrt(share * (1 - share) / (n - 1))} if name == "accuracy" and n > 1 else {}
    return {name: share, **error, f"{name}_low": estimate.low, f"{name}_high": estimate.high, f"{name}_n": n}
