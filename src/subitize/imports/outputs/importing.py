"""Recognises which program a file of outputs is from, and imports its replies as a run.

The questions are theirs, the reading is ours; their scores are stored beside it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from subitize import records
from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.imports.outputs.evalscope import is_evalscope, read_evalscope
from subitize.imports.outputs.inspect_logs import is_inspect, read_inspect
from subitize.imports.outputs.lmms_eval import is_lmms_eval, read_lmms_eval
from subitize.imports.outputs.output import LARGEST_BYTES, Json, Output, as_mapping, read_file, read_lines
from subitize.imports.outputs.vlmevalkit import is_vlmevalkit, read_vlmevalkit
from subitize.io.files import check_input
from subitize.labels import Rule, interpret
from subitize.language import final as final_module
from subitize.language import mentions
from subitize.language import numbers as numbers_module
from subitize.language.counted import find_counted, make_count
from subitize.registry import make_judge
from subitize.stimuli.colours import COLOUR_NAMES
from subitize.store import Location, Run


class Format(NamedTuple):
    """The suffixes of a program's files, how to recognise a record, and how to read them."""

    suffixes: tuple[str, ...]
    fits: Callable[[Mapping[str, Json]], bool]
    read: Callable[[Path], list[Output]]


FORMATS = {
    "lmms-eval": Format((".jsonl", ".json"), is_lmms_eval, read_lmms_eval),
    "vlmevalkit": Format((".xlsx", ".tsv", ".json"), is_vlmevalkit, read_vlmevalkit),
    "inspect": Format((".eval", ".json"), is_inspect, read_inspect),
    "evalscope": Format((".jsonl",), is_evalscope, read_evalscope),
}


def read_outputs(path: Path, format: str | None = None) -> tuple[str, list[Output]]:
    """Read a file; return the program it is from and its replies."""
    if format not in (None, *FORMATS):
        raise UnknownNameError("format", str(format), FORMATS)
    check_input(path, LARGEST_BYTES)
    if path.suffix in (".pkl", ".pickle"):
        raise BadFileError(
            f"{path.name}: a pickle can run any program when it is read, and is never opened; have VLMEvalKit write "
            "PRED_FORMAT=tsv, or convert it where it was made"
        )
    try:
        name = _detect(path, [format] if format else [*FORMATS])
        outputs = FORMATS[name].read(path)
    except RecursionError:
        raise BadFileError(f"{path.name}: nested too deeply") from None
    if not outputs:
        raise BadFileError(f"{path.name}: no replies in it")
    return name, outputs


def _detect(path: Path, names: Sequence[str]) -> str:
    """Find which of these formats a file has: by its suffix, and for JSON by the fields of a record."""
    ending = [name for name in names if path.suffix in FORMATS[name].suffixes]
    if not ending:
        known = "; ".join(f"{name}: {', '.join(FORMATS[name].suffixes)}" for name in names)
        raise BadFileError(f"{path.name}: not named like the outputs of a known program ({known})")
    if path.suffix not in _JSON:
        return ending[0]
    record = _find_record(path)
    fitting = [name for name in ending if FORMATS[name].fits(record)]
    if len(fitting) != 1:
        fields = ", ".join(map(str, record))[:120] or "nothing"
        which = f"is like the outputs of {' and '.join(fitting)}" if fitting else f"has none of {', '.join(ending)}"
        raise BadFileError(f"{path.name}: {which}: its first record has {fields}; name the program with `format`")
    return fitting[0]


_JSON = (".json", ".jsonl")


def _find_record(path: Path) -> Mapping[str, Json]:
    """Return the first record of a file, or the whole file if it is one record."""
    if path.suffix == ".jsonl":
        return next((record for _, record in read_lines(path)), {})
    whole = read_file(path)
    return as_mapping(whole[0] if isinstance(whole, list) and whole else whole)


SCORED_TEXT = "scored_text"
"""The parameter of a response with the text that the other program scored, if not the whole reply."""
_RULE = Rule("final")
_SCORE_RULE = Rule("strict")  # a score is its own value, by any rule
_THING, _NAMELESS = "thing", "model"
_ASKS_HOW_MANY = re.compile(r"\bhow many\b|\bcount|\bnumber of\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SkippedReplies:
    """Replies that are not imported: why, how many, and an example."""

    reason: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """What an import added: model, suite, replies, failures, what was there already, what is left out.

    `metrics` are the file's own scores; `notes` are about the questions.
    """

    format: str
    task: str
    suite: str
    model: str
    answers: int
    failed: int
    already_there: int
    metrics: tuple[str, ...]
    left_out: tuple[SkippedReplies, ...]
    notes: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Describe it in a few lines."""
        replies = "1 reply" if self.answers == 1 else f"{self.answers:,} replies"
        parts = [f"{replies} of {self.model} to {self.suite} added"]
        if self.failed:
            parts.append(f"{self.failed:,} that failed")
        if self.already_there:
            parts.append(f"{self.already_there:,} were there already")
        yield ", ".join(parts)
        for one in self.left_out:
            yield f"left out: {one.count:,} ({one.reason}; the first: {one.example})"
        yield from self.notes
        if not self.metrics:
            yield "the file has no scores of its own"


def import_outputs(
    location: Location, path: Path, format: str | None = None, model: str | None = None
) -> OutputSummary:
    """Make a run from a file of outputs, or add a model to one; nothing is written unless the file is valid."""
    found, outputs = read_outputs(path, format)
    if model is not None and not model.strip():
        raise BadValueError("`model` is empty; leave it out, or name the model")
    named = [replace(one, model=model or one.model or _NAMELESS) for one in outputs]
    counted, left_out = _choose(path, named)
    suite = records.Spec(_name_suite(found, counted[0].task), {"format": found, "task": counted[0].task}, "")
    suite = replace(suite, text=suite.name)
    items = {_item_id(suite, one): _make_item(suite, one) for one in counted}
    with Run(location, create=True) as run:
        return _store(run, found, suite, items, counted, left_out)


def _choose(path: Path, outputs: Sequence[Output]) -> tuple[list[Output], list[SkippedReplies]]:
    """Keep each model's last reply to every question whose right answer is a count; describe what is left out."""
    latest = {(one.model, one.key, one.repeat): one for one in outputs}
    counted = [one for one in latest.values() if _read_targets(one)]
    others = [one for one in latest.values() if not _read_targets(one)]
    unknown = [one for one in others if not any(one.targets)]
    uncounted = [one for one in others if any(one.targets)]
    reasons = {"no right answer in the file": unknown, "the right answer is no count": uncounted}
    left_out = [
        SkippedReplies(reason, len(own), f"{own[0].key}: {' or '.join(own[0].targets)[:60]!r}")
        for reason, own in reasons.items()
        if own
    ]
    if len(latest) < len(outputs):
        example = next(one.key for one in outputs if latest[one.model, one.key, one.repeat] is not one)
        left_out.append(SkippedReplies("earlier replies to the same question", len(outputs) - len(latest), example))
    if not counted:
        faults = "; ".join(f"{one.count} × {one.reason}, as {one.example}" for one in left_out)
        raise BadFileError(f"{path.name}: no question whose right answer is a count ({faults})")
    return counted, left_out


def _read_targets(output: Output) -> tuple[int, ...]:
    """Read the right counts; none if any answer is not a whole number."""
    numbers = [final_module.read_number(target, "strict") for target in output.targets]
    whole = [int(n) for n in numbers if not isinstance(n, mentions.NoValue) and n == int(n) and n >= 0]
    return tuple(dict.fromkeys(whole)) if len(whole) == len(numbers) else ()


def _name_suite(format: str, task: str) -> str:
    return f"{format}-{re.sub(r'[^A-Za-z0-9_.-]+', '-', task).strip('-') or 'task'}"


def _item_id(suite: records.Spec, output: Output) -> str:
    return f"{suite.name}/{output.key}"


def _make_item(suite: records.Spec, output: Output) -> records.Item:
    expected = _read_targets(output)
    factors: dict[str, records.Scalar] = {"category": output.task, **output.factors, "number": expected[0]}
    picture = records.Elsewhere(output.picture or f"{output.task} {output.key}")
    ask = records.Ask(make_count(find_counted(output.question) or _THING, COLOUR_NAMES), output.question, expected)
    return records.Item(_item_id(suite, output), records.Answer(picture, output.question), (ask,), factors)


def _store(
    run: Run,
    format: str,
    suite: records.Spec,
    items: Mapping[str, records.Item],
    outputs: Sequence[Output],
    left_out: list[SkippedReplies],
) -> OutputSummary:
    models = {one.model: records.Spec(one.model, {"imported": format}, one.model) for one in outputs}
    judge, theirs = make_judge("parser"), records.Spec(format, {}, format)
    with run.lease(f"import {format}") as lease:
        run.add_suite(suite, 0, items.values())
        run.add_judge(judge.spec, is_stand_in=False)
        metrics = tuple(dict.fromkeys(name for one in outputs for name in one.scores))
        if metrics:
            run.add_judge(theirs, is_stand_in=False)
        for spec in models.values():
            run.add_model(spec, is_stand_in=False, name=spec.text)  # it may look like a spec, but is not one
        finished = set().union(*(run.finished(name) for name in models))
        placed = [(items[_item_id(suite, one)], one, _make_trial(suite, models[one.model], one)) for one in outputs]
        new = [one for one in placed if one[2].id not in finished]
        responses = [_respond(trial, output) for _, output, trial in new]
        readings = [reading for one in new for reading in _read(judge.spec.text, format, *one)]
        run.add_judged(lease, responses, readings)
    failed = sum(bool(output.failure) for _, output, _ in new)
    counts = (len(new) - failed, failed, len(placed) - len(new))
    notes, whose = tuple(_note(items.values())), ", ".join(models)
    return OutputSummary(format, outputs[0].task, suite.name, whose, *counts, metrics, tuple(left_out), notes)


def _make_trial(suite: records.Spec, model: records.Spec, output: Output) -> records.Trial:
    return records.Trial(_item_id(suite, output), model.text, model.options, output.repeat)


def _respond(trial: records.Trial, output: Output) -> records.Response:
    outcome: records.Outcome = (
        records.Failed(output.failure[:500], is_transient=False) if output.failure else records.Said(output.reply)
    )
    scored: dict[str, records.Scalar] = {SCORED_TEXT: output.scored} if output.scored else {}
    return records.Response(trial, outcome, records.Provenance(0, output.question, parameters=scored))


def _read(
    judge: str, format: str, item: records.Item, output: Output, trial: records.Trial
) -> Iterator[records.Reading]:
    """Read a reply as our parser does, and add the other program's scores."""
    if output.failure:
        return
    subject, (ask,), words = records.Subject((trial.id,)), item.asks, records.Words(output.reply)
    yield records.Reading(subject, ask.question, judge, words, str(_RULE), interpret(words, ask.question, _RULE))
    for metric, score in output.scores.items():
        yield records.Reading(
            subject, records.Fit(metric), format, records.Measured(score), str(_SCORE_RULE), records.Known(score)
        )


def _note(items: Iterable[records.Item]) -> Iterator[str]:
    """Describe what is odd about the questions: they do not ask for a count, or give it away."""
    questions = [(item.asks[0].wording, item.asks[0].expects) for item in items]
    if not any(text for text, _ in questions):
        yield "the file does not have the questions; items go by their numbers"
        return
    others = [text for text, _ in questions if not _ASKS_HOW_MANY.search(text)]
    if others:
        yield f"{len(others):,} of {len(questions):,} questions do not ask how many in words: {others[0][:60]!r}"
    leaks = [text for text, expected in questions if _gives_away(text, expected)]
    if leaks:
        yield f"{len(leaks):,} of {len(questions):,} questions have the right count in their text: {leaks[0][:80]!r}"


def _gives_away(question: str, expected: Sequence[records.Scalar]) -> bool:
    """Return whether the question contains the count, in digits or as a word."""
    words = set(re.findall(r"[a-z-]+|\d+", question.lower()))
    counts = [n for n in expected if isinstance(n, int) and n <= numbers_module.LARGEST_IN_WORDS]
    return any(str(n) in words or (n >= 2 and numbers_module.in_words(n) in words) for n in counts)


def is_foreign(judge: str) -> bool:
    """Return whether a judge is another program whose scores were imported."""
    return judge in FORMATS
