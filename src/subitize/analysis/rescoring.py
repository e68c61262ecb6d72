"""Scores a run as others do: replies by their text, drawings by what our judges found in them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from subitize import numerals
from subitize.analysis.drawing_rescoring import rescore_drawings
from subitize.analysis.observations import Observations, Reader, Survey, survey_run
from subitize.analysis.rescored import Example, Heading, Rescored, Verdict, sum_up
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.importers.outputs.importing import SCORED_TEXT, OutputSummary, is_foreign
from subitize.labels.drawing_scorers import DRAWING_SCORERS
from subitize.labels.published_scorers import SCORERS, Reply, Scorer
from subitize.records import Answer, Item, Known, Said
from subitize.store import Run
from subitize.store.frames import read_readings
from subitize.store.rows import decode_value

_FIT = "fit:"


def rescore_run(run: Run, names: Sequence[str] = (), judge: str | None = None) -> list[Rescored]:
    """Score a run by these scorers; without any, as was recorded where its replies are from, else by all."""
    known = {*SCORERS, *DRAWING_SCORERS}
    for name in names:
        if name not in known:
            raise UnknownNameError("scorer", name, known)
    survey = survey_run(run, Reader(judge))
    recorded = {} if names else _read_recorded(run)
    chosen = names or (() if recorded else sorted(known))
    found = _rescore_replies(survey, [SCORERS[name] for name in dict.fromkeys(chosen) if name in SCORERS], recorded)
    drawing_scorers = [DRAWING_SCORERS[name] for name in dict.fromkeys(chosen) if name in DRAWING_SCORERS]
    found += rescore_drawings(survey, drawing_scorers)
    if not found:
        raise NothingToDoError(
            f"{run.location} has nothing that {', '.join(names) or 'a scorer'} can score: replies in words to counting "
            "questions, or drawings whose every question a judge has answered"
        )
    return found


def rescore_recorded(survey: Survey) -> list[Rescored]:
    """Set what was recorded where replies are from beside our reading; nothing where nothing was imported."""
    recorded = _read_recorded(survey.run)
    return _rescore_replies(survey, (), recorded) if recorded else []


def rescore_import(run: Run, imported: OutputSummary) -> list[Rescored]:
    """Set the recorded scores beside our reading; where there are none, those by the program's own rule, if known."""
    own = SCORERS.get(f"{imported.format}:{imported.task}".lower())
    try:
        survey = survey_run(run)
    except NothingToDoError:  # no reply came
        return []
    return rescore_recorded(survey) if imported.metrics else _rescore_replies(survey, [own] if own else [], {})


@dataclass(frozen=True, slots=True)
class _Read:
    """A reply, what is right, what we read, and whether that is right."""

    item: Item
    subject: str
    reply: Reply
    value: str
    is_right: bool


_Recorded = Mapping[tuple[str, str], Mapping[str, float]]


def _rescore_replies(survey: Survey, scorers: Sequence[Scorer], recorded: _Recorded) -> list[Rescored]:
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
    """Read the scores that were imported, by program and metric, then by subject."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for program in (entry.spec for entry in run.judges() if is_foreign(entry.spec)):
        rows = read_readings(run, program).filter(pl.col("question").str.starts_with(_FIT))
        for question, subject, value in rows.select("question", "subject", "value").iter_rows():
            known = decode_value(value)
            if isinstance(known, Known):
                found[program, question.removeprefix(_FIT)][subject] = float(known.value)
    return found


def _list_said(run: Run) -> dict[str, tuple[Said, str]]:
    """List what models said, by trial, each with the text that is scored."""
    found = {}
    for stored in run.responses():
        outcome, parameters = stored.response.outcome, stored.response.provenance.parameters
        if isinstance(outcome, Said):
            found[stored.trial_id] = outcome, str(parameters.get(SCORED_TEXT, outcome.text))
    return found


def _read_replies(observed: Observations, said: Mapping[str, tuple[Said, str]]) -> Iterator[_Read]:
    for row in observed.rows.iter_rows(named=True):
        item = observed.items[row["item"]]
        expected = item.asks[row["ask"]].expects
        if row["subject"] in said and isinstance(item.task, Answer) and _is_count(expected):
            outcome, text = said[row["subject"]]
            value = str(row["value_text"] if row["status"] == "eligible" else row["status"])
            reply = Reply(text, int(expected[0]), outcome.tokens, item.factors)
            yield _Read(item, row["subject"], reply, value, bool(row["is_right"]))


def _is_count(expected: Sequence[Any]) -> bool:
    return len(expected) == 1 and isinstance(expected[0], int) and not isinstance(expected[0], bool)


def _compare(
    heading: Heading, replies: Sequence[_Read], credits: Sequence[float | None], scorer: Scorer | None = None
) -> Iterator[Rescored]:
    pairs = [(one, credit) for one, credit in zip(replies, credits, strict=True) if credit is not None]
    if not pairs:
        return
    by_task = [(str(one.reply.factors.get("task", heading.suite)), credit) for one, credit in pairs]
    average = scorer.average(by_task) if scorer and scorer.average else None
    verdicts = [_judge(one, credit, scorer) for one, credit in pairs]
    yield sum_up(heading, verdicts, len(replies) - len(pairs), average)


def _judge(one: _Read, credit: float, scorer: Scorer | None) -> Verdict:
    example = Example(one.item.id, one.reply.text, str(one.reply.expected), one.value, credit)
    is_different = credit != float(one.is_right)
    reason = find_reason(one.reply, credit, scorer, is_right=one.is_right) if is_different else ""
    return Verdict(one.item, example, one.is_right, reason)


_INTEGER = re.compile(r"(?<![\d.,])\d+(?:,\d{3})*(?![\d]|[.,]\d)", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_THINKS = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_LARGEST_READ = 20


def find_reason(reply: Reply, credit: float, scorer: Scorer | None = None, *, is_right: bool) -> str:
    """Find why a reply has another credit than our reading gives it; see REASONS."""
    if 0 < credit < 1:
        return "part of the credit"
    if _THINKS.search(reply.text):
        return "reasoning"
    return _find_what_they_miss(reply, scorer) if is_right else _find_what_they_allow(reply)


def _find_what_they_miss(reply: Reply, scorer: Scorer | None) -> str:
    text, expected = reply.text, str(reply.expected)
    if not _reads_plain(reply, scorer):
        if scorer and scorer.credit(replace(reply, text=f"{{{expected}}}")):
            return "braces"
        return "larger than 20" if reply.expected > _LARGEST_READ else "other"
    if not _DIGITS.search(text):
        return "number word"
    if re.sub(r"[^\w]|_", "", text) == expected:
        return "punctuation"
    return "sentence" if _DIGITS.findall(text)[0] == expected else "first integer"


def _reads_plain(reply: Reply, scorer: Scorer | None) -> bool:
    """Tell whether the count alone, in digits, would have the credit; of a recorded score, whether it was that."""
    plain = str(reply.expected)
    return reply.text != plain if scorer is None else bool(scorer.credit(replace(reply, text=plain)))


def _find_what_they_allow(reply: Reply) -> str:
    text, expected = reply.text, str(reply.expected)
    whole = [number.replace(",", "") for number in _INTEGER.findall(text)]
    if expected not in whole and expected in text:
        return "substring"
    if isinstance(numerals.value(text, "final"), numerals.Unread):
        return "no one count"
    if whole and whole[0] == expected:
        return "first integer"
    return "near miss" if expected not in whole and not _names(text, reply.expected) else "other"


def _names(text: str, number: int) -> bool:
    return number <= numerals.LARGEST_IN_WORDS and numerals.in_words(number) in text.lower()
