"""A bounded sample of pictures, right and wrong: which are shown, and what stands beside each."""

import heapq
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from subitize.analysis.observations import Observation
from subitize.analysis.rows import Answered, Judged, look_up_readings, look_up_responses
from subitize.records import (
    Box,
    Boxes,
    Draw,
    Drawn,
    Item,
    Known,
    Outcome,
    Picture,
    Refused,
    Said,
    Scored,
    Subject,
    Words,
    task_text,
)
from subitize.report.document import Card, GalleryBlock, Thumbnail
from subitize.report.sources import Series
from subitize.report.thumbnails import thumbnail
from subitize.runner.progress import Progress

_CARDS_IN_ALL = 240
_CARDS_PER_STRATUM = 4
_LONGEST_TEXT = 1_000
Verdict = Literal["right", "wrong", "refused", "discarded"]
_VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "refused", "discarded")


def make_gallery(suite: str, series: Sequence[Series], progress: Progress) -> GalleryBlock | None:
    """Make the gallery of one suite; none where there is no picture to show."""
    picked, most = _pick(series)
    records = _look_up(picked)
    progress.begin(f"pictures of {suite}", len(picked))
    cards = []
    for one in picked:
        cards.append(_card(one, records[one.series.source.name]))
        progress.advance(has_failed=False)
    if all(isinstance(card.thumbnail, str) for card in cards):
        return None
    total = sum(len(one.observations) for one in series)
    caption = (
        f"{len(cards):,} of {total:,} responses are shown: at most {most} for each model, outcome and category, "
        "drawn at random, the same ones every time."
    )
    filters = {
        "model": tuple(dict.fromkeys(card.model for card in cards)),
        "outcome": tuple(verdict for verdict in _VERDICTS if any(card.outcome == verdict for card in cards)),
        "category": _levels(card.category for card in cards),
        "target": _levels(card.target for card in cards),
    }
    return GalleryBlock(f"gallery-{suite}", "Right and wrong", caption, tuple(cards), filters)


class _Picked(NamedTuple):
    series: Series
    observation: Observation
    subject: Subject
    verdict: Verdict
    category: str


class _Records(NamedTuple):
    responses: dict[str, Answered]
    readings: dict[tuple[str, str], list[Judged]]


def _pick(series: Sequence[Series]) -> tuple[list[_Picked], int]:
    """Take a few of each stratum, by a lot that falls the same for all models, so that they can be compared."""
    strata: dict[tuple[int, Verdict, str], list[Observation]] = defaultdict(list)
    for place, one in enumerate(series):
        for observation in one.observations:
            category = str(observation.item.factors.get("category", ""))
            strata[place, _verdict(observation), category].append(observation)
    most = max(1, min(_CARDS_PER_STRATUM, _CARDS_IN_ALL // max(1, len(strata))))
    picked = [
        _Picked(series[place], observation, observation.subject, verdict, category)
        for (place, verdict, category), members in strata.items()
        for observation in heapq.nsmallest(most, members, key=_lot)
        if observation.subject is not None
    ]
    if len(picked) > _CARDS_IN_ALL:
        picked = heapq.nsmallest(_CARDS_IN_ALL, picked, key=lambda one: _lot(one.observation))
    # What several models were shown stands side by side.
    return sorted(picked, key=lambda one: (_lot(one.observation), one.series.label)), most


def _lot(observation: Observation) -> tuple[int, str, int]:
    name = f"{observation.item.id} {observation.repeat}"
    return zlib.crc32(name.encode()), observation.item.id, observation.repeat


def _verdict(observation: Observation) -> Verdict:
    match observation.status:
        case "eligible":
            return "right" if observation.is_right else "wrong"
        case status:
            return status


def _look_up(picked: Iterable[_Picked]) -> dict[str, _Records]:
    subjects: dict[str, list[_Picked]] = defaultdict(list)
    for one in picked:
        subjects[one.series.source.name].append(one)
    return {
        name: _Records(
            look_up_responses(found[0].series.source.run, [id for one in found for id in one.subject.trial_ids]),
            look_up_readings(found[0].series.source.run, [one.subject.id for one in found]),
        )
        for name, found in subjects.items()
    }


def _card(one: _Picked, records: _Records) -> Card:
    item, ask = one.observation.item, one.observation.ask
    answered = records.responses[one.subject.trial_ids[0]]
    judged = [
        found
        for found in records.readings.get((one.subject.id, ask.question.id), [])
        if found.judge == one.series.judge
    ]
    target = " or ".join(str(value) for value in ask.expects)
    response = _said(answered.outcome) if one.observation.value is None else str(one.observation.value)
    return Card(
        one.series.label,
        one.verdict,
        one.category,
        target,
        response,
        _thumbnail(item, answered.outcome, one),
        tuple((name, value[:_LONGEST_TEXT]) for name, value in _details(one, answered, judged)),
        _boxes(judged),
    )


def _thumbnail(item: Item, outcome: Outcome, one: _Picked) -> Thumbnail | str:
    picture: Picture | None = None
    if not isinstance(item.task, Draw):
        picture = item.task.picture
    elif isinstance(outcome, Drawn):
        picture = outcome.picture
    return "nothing was drawn" if picture is None else thumbnail(picture, one.series.source.run.images)


def _details(one: _Picked, answered: Answered, judged: Sequence[Judged]) -> list[tuple[str, str]]:
    item, provenance = one.observation.item, answered.provenance
    details = [("Asked", task_text(item.task))]
    if provenance.prompt_sent != task_text(item.task):
        details.append(("Sent", provenance.prompt_sent))
    if provenance.prompt_rewritten is not None:
        details.append(("Rewritten by the provider", provenance.prompt_rewritten))
    if not isinstance(answered.outcome, Drawn):
        details.append(("Answer", _said(answered.outcome)))
    details.append(("Right would be", " or ".join(str(value) for value in one.observation.ask.expects)))
    details += [(f"Read by {one.series.judge}", _read(found)) for found in judged]
    factors = ", ".join(f"{name} {level}" for name, level in item.factors.items())
    group = f", first of {len(one.subject.trial_ids)}" if len(one.subject.trial_ids) > 1 else ""
    details += [("Conditions", factors), ("Item", item.id), ("Repeat", f"{one.observation.repeat}{group}")]
    return [*details, ("Run", one.series.source.name), ("Seed", str(provenance.seed))]


def _said(outcome: Outcome) -> str:
    match outcome:
        case Said(text=text):
            return text
        case Refused(reason=reason):
            return f"refused: {reason}"
        case Scored(scores=scores):
            return ", ".join(f"{name} {score:.3f}" for name, score in scores.items())
        case _:
            return "–"


def _read(judged: Judged) -> str:
    value = judged.value.value if isinstance(judged.value, Known) else f"discarded, {judged.value.reason}"
    match judged.evidence:
        case Boxes(boxes=boxes):
            return f"{value} (from {len(boxes)} boxes)"
        case Words(text=text):
            return f"{value} (from {text!r})"
        case _:
            return str(value)


def _boxes(judged: Sequence[Judged]) -> tuple[Box, ...]:
    return next((found.evidence.boxes for found in judged if isinstance(found.evidence, Boxes)), ())


def _levels(texts: Iterable[str]) -> tuple[str, ...]:
    """Order numbers by size, before names."""
    return tuple(
        sorted(set(texts), key=lambda text: (not text.isdecimal(), len(text) if text.isdecimal() else 0, text))
    )
