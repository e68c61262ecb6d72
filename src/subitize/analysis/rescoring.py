"""Score a run as others do, beside our own reading: replies by their text, drawings by what our judges found."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from subitize import records
from subitize.analysis.design import WHOLE, number_clusters, number_strata
from subitize.analysis.frame import ReadOptions, RunFrame, read_frame
from subitize.analysis.scorers import DRAWING_SCORERS, SCORERS, DrawingScorer, JudgedDrawing, ScoredReply, Scorer
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.frame import Frame
from subitize.imports.outputs.importing import SCORED_TEXT, OutputSummary, is_foreign
from subitize.io import codec
from subitize.io.frames import group_rows
from subitize.language import final, mentions, numbers
from subitize.stats.estimate import estimate
from subitize.store import Run
from subitize.store.reading import read_readings
from subitize.store.rows import decode_value

_FIT = "fit:"
_TAG = "tag"
_EXAMPLES = 3
REASONS = {
    "reasoning": "a number in the model's reasoning was taken",
    "number word": "the count is written as a word",
    "punctuation": "only marks or spaces stand beside the number",
    "sentence": "the number stands in a sentence",
    "first integer": "the first number of the reply is another than the answer",
    "substring": "the digits stand within another number",
    "larger than 20": "a number above 20 is not read",
    "braces": "the count does not stand in braces",
    "near miss": "a count that is off is credited",
    "no one count": "we read no single count: several, a range, or none",
    "part of the credit": "less than the whole credit is given",
    "surplus": "more things than were asked for are credited",
    "threshold": "another score or distance is enough for them than for our judge",
    "other": "none of these",
}
"""The reasons for different credit for a reply or a drawing."""


@dataclass(frozen=True, slots=True)
class Example:
    """A reply, or what was seen in a drawing: the right answer, our reading, and the scorer's credit."""

    item: str
    reply: str
    expected: str
    ours: str
    credit: float


@dataclass(frozen=True, slots=True)
class ScorerDisagreement:
    """Replies read differently for one reason, with examples; if only the scorer gives credit, we are stricter."""

    reason: str
    we_are_stricter: bool
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """One model's score by one scorer and by our judge, over the same replies or drawings.

    `is_recorded` if the score was imported, not computed here. `left_out` counts what the scorer does not score, or the
    judge did not answer. `their_average` is the figure as they print it, if that is not a plain mean.
    """

    suite: str
    model: str
    judge: str
    scorer: str
    group: str
    is_recorded: bool
    theirs: records.Estimate
    ours: records.Estimate
    left_out: int
    differences: tuple[ScorerDisagreement, ...]
    their_average: float | None = None

    @property
    def different(self) -> int:
        """The number of replies that are read differently."""
        return sum(one.count for one in self.differences)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reply or drawing: whether it is right by our reading, its credit elsewhere, and why the two differ."""

    item: records.Item
    example: Example
    is_right: bool
    reason: str
    weight: float = 1.0
    stratum: tuple[records.Scalar, ...] = ()


class Heading(NamedTuple):
    """The subject of verdicts."""

    suite: str
    model: str
    judge: str
    scorer: str
    group: str = WHOLE
    is_recorded: bool = False


def rescore_run(run: Run, names: Sequence[str] = (), judge: str | None = None) -> list[Rescored]:
    """Score a run by these scorers; without any, use the scores recorded with its replies, or else all scorers."""
    known = {*SCORERS, *DRAWING_SCORERS}
    for name in names:
        if name not in known:
            raise UnknownNameError("scorer", name, known)
    survey = read_frame(run, ReadOptions(judge))
    recorded = {} if names else _read_recorded(run)
    chosen = dict.fromkeys(names or (() if recorded else sorted(known)))
    found = _rescore_replies(survey, [SCORERS[name] for name in chosen if name in SCORERS], recorded)
    found += _rescore_drawings(survey, [DRAWING_SCORERS[name] for name in chosen if name in DRAWING_SCORERS])
    if not found:
        raise NothingToDoError(
            f"{run.location} has nothing that {', '.join(names) or 'a scorer'} can score: replies in words to counting "
            "questions, or drawings whose every question a judge has answered"
        )
    return found


def rescore_recorded(survey: RunFrame) -> list[Rescored]:
    """Compare the scores recorded with imported replies with our reading; empty if nothing was imported."""
    recorded = _read_recorded(survey.run)
    return _rescore_replies(survey, (), recorded) if recorded else []


def rescore_import(run: Run, imported: OutputSummary) -> list[Rescored]:
    """Compare the recorded scores with our reading, or else those by the program's own rule, if known."""
    own = SCORERS.get(f"{imported.format}:{imported.task}".lower())
    try:
        survey = read_frame(run)
    except NothingToDoError:  # there are no replies
        return []
    return rescore_recorded(survey) if imported.metrics else _rescore_replies(survey, [own] if own else [], {})


def rescore_by_suite(survey: RunFrame) -> list[Rescored]:
    """Score the drawings of suites that were published with a rule, by that rule."""
    return _rescore_drawings(survey, [scorer for scorer in DRAWING_SCORERS.values() if scorer.suite])


@dataclass(frozen=True, slots=True)
class _Read:
    """A reply with the right answer, our reading, and whether that is right."""

    item: records.Item
    subject: str
    reply: ScoredReply
    value: str
    is_right: bool


_Recorded = Mapping[tuple[str, str], Mapping[str, float]]


def _rescore_replies(survey: RunFrame, scorers: Sequence[Scorer], recorded: _Recorded) -> list[Rescored]:
    said = _list_said(survey.run)
    counts = survey.observations.kept().filter(pl.col("question_kind") == "count", pl.col("group") == 1)
    found: list[Rescored] = []
    for (suite, model, judge), own in counts.partition("suite", "model", "judge"):
        replies = list(_read_replies(own, said))
        for scorer in scorers:
            credits = [scorer.credit(one.reply) for one in replies]
            found += _compare(Heading(suite, model, judge, scorer.name), replies, credits, scorer)
        for (program, metric), known in recorded.items():
            heading = Heading(suite, model, judge, f"{program}: {metric}", is_recorded=True)
            found += _compare(heading, replies, [known.get(one.subject) for one in replies])
    return found


def _read_recorded(run: Run) -> dict[tuple[str, str], dict[str, float]]:
    """Read the imported scores, by program and metric, then by subject."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for program in (entry.spec for entry in run.judges() if is_foreign(entry.spec)):
        rows = read_readings(run, program, ("question", "subject", "value"))
        for question, subject, value in rows.filter(pl.col("question").str.starts_with(_FIT)).iter_rows():
            known = decode_value(value)
            if isinstance(known, records.Known) and math.isfinite(score := records.as_float(known.value)):
                found[program, question.removeprefix(_FIT)][subject] = score
    return found


def _list_said(run: Run) -> dict[str, tuple[records.Said, str]]:
    """List answers by trial, each with the text that is scored."""
    found = {}
    for stored in run.responses():
        outcome, parameters = stored.response.outcome, stored.response.provenance.parameters
        if isinstance(outcome, records.Said):
            found[stored.trial_id] = outcome, str(parameters.get(SCORED_TEXT, outcome.text))
    return found


def _read_replies(observed: Frame, said: Mapping[str, tuple[records.Said, str]]) -> Iterator[_Read]:
    for row in observed.rows.iter_rows(named=True):
        item = observed.items[row["item"]]
        expected = item.asks[row["ask"]].expects
        is_count = len(expected) == 1 and type(expected[0]) is int
        if row["subject"] in said and isinstance(item.task, records.Answer) and is_count:
            outcome, text = said[row["subject"]]
            value = str(row["value_text"] if row["status"] == "eligible" else row["status"])
            reply = ScoredReply(text, int(expected[0]), outcome.tokens, item.factors)
            yield _Read(item, row["subject"], reply, value, bool(row["is_right"]))


def _compare(
    heading: Heading, replies: Sequence[_Read], credits: Sequence[float | None], scorer: Scorer | None = None
) -> Iterator[Rescored]:
    pairs = [(one, credit) for one, credit in zip(replies, credits, strict=True) if credit is not None]
    if not pairs:
        return
    by_task = [(str(one.reply.factors.get("task", heading.suite)), credit) for one, credit in pairs]
    average = scorer.average(by_task) if scorer and scorer.average else None
    verdicts = []
    for one, credit in pairs:
        example = Example(one.item.id, one.reply.text, str(one.reply.expected), one.value, credit)
        is_alike = credit == float(one.is_right)
        reason = "" if is_alike else find_reason(one.reply, credit, scorer, is_right=one.is_right)
        verdicts.append(Verdict(one.item, example, one.is_right, reason))
    yield sum_up(heading, verdicts, len(replies) - len(pairs), average)


_INTEGER = re.compile(r"(?<![\d.,])\d+(?:,\d{3})*(?![\d]|[.,]\d)", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_THINKS = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_LARGEST_READ = 20


def find_reason(reply: ScoredReply, credit: float, scorer: Scorer | None = None, *, is_right: bool) -> str:
    """Find why a reply gets another credit than by our reading; see REASONS."""
    if 0 < credit < 1:
        return "part of the credit"
    if _THINKS.search(reply.text):
        return "reasoning"
    return _find_what_they_miss(reply, scorer) if is_right else _find_what_they_allow(reply)


def _find_what_they_miss(reply: ScoredReply, scorer: Scorer | None) -> str:
    text, expected = reply.text, str(reply.expected)
    # Would the count alone, in digits, get the credit? For a recorded score: was the reply something else?
    reads_plain = text != expected if scorer is None else bool(scorer.credit(replace(reply, text=expected)))
    if not reads_plain:
        if scorer and scorer.credit(replace(reply, text=f"{{{expected}}}")):
            return "braces"
        return "larger than 20" if reply.expected > _LARGEST_READ else "other"
    if not _DIGITS.search(text):
        return "number word"
    if re.sub(r"[^\w]|_", "", text) == expected:
        return "punctuation"
    return "sentence" if _DIGITS.findall(text)[0] == expected else "first integer"


def _find_what_they_allow(reply: ScoredReply) -> str:
    text, expected = reply.text, str(reply.expected)
    whole = [number.replace(",", "") for number in _INTEGER.findall(text)]
    if expected not in whole and expected in text:
        return "substring"
    if isinstance(final.read_number(text, "final"), mentions.NoValue):
        return "no one count"
    if whole and whole[0] == expected:
        return "first integer"
    is_worded = reply.expected <= numbers.LARGEST_IN_WORDS and numbers.in_words(reply.expected) in text.lower()
    return "other" if expected in whole or is_worded else "near miss"


class _Seen(NamedTuple):
    """A drawing with the questions about it alone, the judge's answers, and which of them are right."""

    item: records.Item
    drawing: JudgedDrawing
    right: frozenset[str]


def _rescore_drawings(survey: RunFrame, scorers: Sequence[DrawingScorer]) -> list[Rescored]:
    found: list[Rescored] = []
    observed = survey.observations.kept()
    drawn = [item.id for item in observed.seen_items() if isinstance(item.task, records.Draw)]
    for (suite, model, judge), own in observed.filter(pl.col("item").is_in(drawn)).partition("suite", "model", "judge"):
        fitting = [scorer for scorer in scorers if scorer.suite in ("", records.base_suite(suite))]
        drawings = list(_gather_drawings(own, _read_boxes(survey.run, judge))) if fitting else []
        for scorer in fitting:
            found += _rescore(Heading(suite, model, judge, scorer.name), scorer, drawings)
    return found


def _gather_drawings(observed: Frame, boxes: Mapping[str, Sequence[records.Box]]) -> Iterator[_Seen]:
    for subject, own in group_rows(observed.rows.iter_rows(named=True), lambda row: str(row["subject"])).items():
        item = observed.items[own[0]["item"]]
        seen = [observed.row(row) for row in own]
        values = {one.ask.question.id: one.value for one in seen if one.value is not None}
        right = frozenset(one.ask.question.id for one, row in zip(seen, own, strict=True) if row["is_right"])
        asks = [ask for ask in item.asks if ask.is_relevant and ask.group == 1]
        yield _Seen(item, JudgedDrawing(asks, values, boxes.get(subject), str(item.factors.get(_TAG, ""))), right)


def _read_boxes(run: Run, judge: str) -> dict[str, list[records.Box]]:
    """Read a judge's boxes by drawing: for each label those of one reading, if possible one with colours."""
    found: dict[str, dict[str, list[records.Box]]] = {}
    rows = read_readings(run, judge, ("subject", "evidence"))
    for subject, text in rows.iter_rows():
        evidence = codec.evidence.validate_json(text)
        if isinstance(evidence, records.Boxes):
            looked = group_rows(evidence.boxes, lambda box: box.label)
            known = found.setdefault(subject, {})
            known |= {label: own for label, own in looked.items() if own[0].colour or label not in known}
    return {subject: [box for own in known.values() for box in own] for subject, known in found.items()}


def _rescore(heading: Heading, scorer: DrawingScorer, drawings: Sequence[_Seen]) -> Iterator[Rescored]:
    """Score all drawings together and, if the scorer averages tags, by tag: then tags weigh the same overall."""
    asked = [
        one._replace(drawing=replace(one.drawing, asks=asks))
        for one in drawings
        if (asks := [ask for ask in one.drawing.asks if scorer.is_about(ask)])
    ]
    answered = [one for one in asked if all(ask.question.id in one.drawing.values for ask in one.drawing.asks)]
    if not answered:
        return
    by_tag = group_rows(answered, lambda one: one.drawing.tag if scorer.averages_tags else "")
    verdicts = {
        tag: [_judge_drawing(one, scorer.credit(one.drawing), weight=1 / len(own)) for one in own]
        for tag, own in by_tag.items()
    }
    yield sum_up(heading, [one for own in verdicts.values() for one in own], len(asked) - len(answered))
    if scorer.averages_tags:
        tagged = Counter(one.drawing.tag for one in asked)
        for tag, own in verdicts.items():
            yield sum_up(heading._replace(group=tag), own, tagged[tag] - len(own))


def _judge_drawing(one: _Seen, credit: float, weight: float) -> Verdict:
    asks, values, tag = one.drawing.asks, one.drawing.values, one.drawing.tag
    is_right = all(ask.question.id in one.right for ask in asks)
    seen = ", ".join(f"{values[ask.question.id]} {_name(ask)}" for ask in asks)
    expected = ", ".join(f"{ask.expects[0]} {_name(ask)}" for ask in asks)
    example = Example(one.item.id, seen, expected, "right" if is_right else "wrong", credit)
    counts = [ask for ask in asks if isinstance(ask.question, records.Count)]
    is_short = any(records.as_float(values[ask.question.id]) < records.as_float(ask.expects[0]) for ask in counts)
    reason = "part of the credit" if 0 < credit < 1 else "threshold" if is_right or is_short else "surplus"
    return Verdict(one.item, example, is_right, reason, weight, (tag,) if tag else ())


def _name(ask: records.Ask) -> str:
    return ask.question.id.partition(":")[2]


def sum_up(heading: Heading, verdicts: Sequence[Verdict], left_out: int, average: float | None = None) -> Rescored:
    """Estimate both figures, and gather the reasons for differences, the most frequent first."""
    values = [[one.example.credit for one in verdicts], [float(one.is_right) for one in verdicts]]
    clusters = number_clusters(one.item for one in verdicts)
    strata = number_strata(one.stratum for one in verdicts)
    theirs, ours = estimate(values, clusters, strata, [one.weight for one in verdicts])
    different = (one for one in verdicts if one.example.credit != float(one.is_right))
    groups = group_rows(different, lambda one: (one.reason, not one.is_right))
    differences = (
        ScorerDisagreement(*reason, len(own), tuple(one.example for one in own[:_EXAMPLES]))
        for reason, own in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    )
    return Rescored(*heading, theirs, ours, left_out, tuple(differences), average)
