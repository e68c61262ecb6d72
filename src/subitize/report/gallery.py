"""The gallery: a bounded sample of pictures, right and wrong, with what was asked, answered and read."""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import polars as pl

from subitize import records
from subitize.errors import SubitizeError
from subitize.frame import FrameRow
from subitize.interfaces import Events
from subitize.io.frames import group_rows
from subitize.labels import Rule, counted_boxes, parse_rule, read_statement
from subitize.report.pictures import thumbnail
from subitize.report.series import Series
from subitize.report.table import Card, Gallery, GalleryVerdict, Paragraph
from subitize.store.rows import ReadingBasis, TrialOutcome, look_up_readings, look_up_responses


def describe_target(item: records.Item, ask: records.Ask) -> str:
    """Describe the right answer briefly: for a choice of lines, the quantifier in which they differ."""
    quantifier = item.factors.get("quantifier") if isinstance(ask.question, records.Choose) else None
    return str(quantifier) if quantifier is not None else describe_expected(ask)


def describe_expected(ask: records.Ask) -> str:
    """Write the right values."""
    return " or ".join(describe_value(value, ask.question) for value in ask.expects)


def describe_value(value: records.Scalar, question: records.Question, *, is_short: bool = False) -> str:
    """Write a value as a person would answer; a line, if short, as its difference from the others."""
    match question:
        case records.Choose(lines=lines) if isinstance(value, int) and 0 <= value < len(lines):
            return _differing(lines)[value] if is_short else lines[value]
        case records.Confirm() | records.MatchesPrompt():
            return "yes" if value else "no"
    return str(value)


def _differing(lines: Sequence[str]) -> list[str]:
    """Leave out the words that all lines begin or end with."""
    words = [line.split() for line in lines]
    start = _count_alike(words)
    end = _count_alike([line[start:][::-1] for line in words])
    return [" ".join(line[start : len(line) - end]) for line in words]


def _count_alike(lines: Sequence[Sequence[str]]) -> int:
    """Count the words that all lines begin with."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*lines, strict=False)))


def describe_outcome(outcome: records.Outcome) -> str:
    """Write what a model answered; a drawing has no words."""
    match outcome:
        case records.Said(text=text):
            return text
        case records.Refused(reason=reason):
            return f"refused: {reason}"
        case records.Scored(scores=scores):
            return ", ".join(f"{name} {score:.3f}" for name, score in scores.items())
        case _:
            return "–"


_CARDS_IN_ALL = 240
_CARDS_PER_STRATUM = 4
_LONGEST_TEXT = 1_000
_MOST_COUNTED, _MOST_OTHERS = 200, 30  # boxes on one picture; a detector with a low threshold keeps hundreds
_MOST_OTHERS_SMALL = 8  # more would hide a small picture
_POINT_PX = 6  # how far around a point its box is drawn
_RANKS: dict[GalleryVerdict, int] = {"right": 0, "wrong": 0, "refused": 1, "discarded": 2, "unknown": 2}
_IMAGE = ("lot", "item", "repeat")
_BEST = ("is_agreed", *_IMAGE)
_CATEGORIES = ("category", "type", "task")
"""The factors that pictures are sorted by: the first that an item has."""


def make_gallery(suite: str, series: Sequence[Series], events: Events) -> Gallery | Paragraph | None:
    """Make the gallery of one suite, or say that its pictures are elsewhere; None if there is nothing to show."""
    sampled, most = _pick(series)
    picked = [one for one in sampled if not isinstance(one.pictures[0], records.Elsewhere)]
    if sampled and not picked:
        return Paragraph("The pictures are known by name only; there is none to show.")
    events.begin(f"pictures of {suite}", len(picked))
    cards: list[Card] = []
    omitted: Counter[str] = Counter()
    for one in picked:
        card, left_out = _card(one)
        cards.append(card)
        omitted += left_out
        events.advance()
    if all(isinstance(card.thumbnail, str) for card in cards):
        return None
    judges = tuple(sorted({card.judge for card in cards}))
    strata = "model, judge, outcome and category" if len(judges) > 1 else "model, outcome and category"
    total = sum(len(one.observations) for one in series)
    caption = (
        f"{len(cards):,} of {total:,} responses are shown: at most {most} for each {strata}, "
        "drawn at random, the same ones every time."
    )
    if len(judges) > 1:
        caption += " Pictures that judges disagree about come first."
    if len(picked) < len(sampled):
        caption += " Pictures that are known by name only are left out."
    caption += _describe_omitted(cards, omitted)
    filters = {
        "model": tuple(sorted({card.model for card in cards})),
        "judge": judges,
        "outcome": tuple(verdict for verdict in _RANKS if any(card.outcome == verdict for card in cards)),
        "category": _levels(card.category for card in cards),
        "target": _levels(card.target for card in cards),
    }
    return Gallery(f"gallery-{suite}", "Right and wrong", caption, tuple(cards), filters)


class _Picked(NamedTuple):
    """An observation to show, with the answer in each of its trials and what its judge read."""

    series: Series
    observation: FrameRow
    subject: records.Subject
    verdict: GalleryVerdict
    category: str
    answers: Sequence[TrialOutcome] = ()
    judged: Sequence[ReadingBasis] = ()

    @property
    def pictures(self) -> list[records.Picture | None]:
        """The pictures judged: of a group, all that were drawn; None for trials without one."""
        task = self.observation.item.task
        outcomes = [answer.outcome for answer in self.answers]
        if not isinstance(task, records.Draw):
            return [task.picture for _ in outcomes]
        return [outcome.picture if isinstance(outcome, records.Drawn) else None for outcome in outcomes]


@dataclass(frozen=True, slots=True)
class Outline(records.Box):
    """A box as drawn over a picture; boxes that were counted look different.

    Spare boxes are drawn only when the picture is enlarged.
    """

    is_counted: bool = False
    is_spare: bool = False


def _pick(series: Sequence[Series]) -> tuple[list[_Picked], int]:
    """Sample a few of each stratum, the same for all models so that they can be compared."""
    listed = pl.concat(_list_images(number, one) for number, one in enumerate(series))
    lots = listed.with_columns(_draw_lots(listed[name]) for name in ("lot", "question_lot")).with_row_index("row")
    is_decided = pl.col("verdict").is_in(["right", "wrong"])
    verdicts = pl.col("verdict").filter(is_decided).n_unique().over("drawn", "item", "repeat", "question_lot")
    lots = lots.with_columns(
        stratum=pl.col("row").min().over("series", "verdict", "category"), is_agreed=~is_decided | (verdicts < 2)
    )
    # One of several questions about an image is enough to show it.
    ordered = lots.sort("is_agreed", "question_lot", "row")
    one_each = ordered.unique(["stratum", *_IMAGE], keep="first", maintain_order=True)
    most = max(1, min(_CARDS_PER_STRATUM, _CARDS_IN_ALL // max(1, one_each["stratum"].n_unique())))
    first = one_each.sort("stratum", *_BEST).filter(pl.int_range(pl.len()).over("stratum") < most)
    if first.height > _CARDS_IN_ALL:
        first = first.sort(*_BEST, maintain_order=True).head(_CARDS_IN_ALL)
    # The least instructive come last; the same item of several models and judges is shown side by side.
    shown = first.sort("is_agreed", pl.col("verdict").replace_strict(_RANKS), *_IMAGE, "label", maintain_order=True)
    chosen = shown.select("series", "place", "verdict", "category").iter_rows()
    return _look_up([_picked(series[number], *of_series) for number, *of_series in chosen]), most


def _list_images(number: int, one: Series) -> pl.DataFrame:
    """List every observation by its place in the series, with what it is sampled by."""
    seen = one.observations
    categories = {
        item.id: str(next((item.factors[name] for name in _CATEGORIES if name in item.factors), ""))
        for item in seen.seen_items()
    }
    decided = pl.when("is_right").then(pl.lit("right")).otherwise(pl.lit("wrong"))
    verdict = pl.when(pl.col("expected") == "").then(pl.lit("unknown")).otherwise(decided)  # no right answer is known
    return seen.rows.select(
        "item",
        "repeat",
        lot=pl.format("{} {}", "item", "repeat"),
        question_lot=pl.format("{} {}", "item", "question"),
        series=pl.lit(number),
        drawn=pl.lit(f"{one.source.name} {one.model}"),
        place=pl.int_range(pl.len()),
        label=pl.lit(one.label),
        verdict=pl.when(pl.col("status") == "eligible").then(verdict).otherwise("status"),
        category=pl.col("item").replace_strict(categories, return_dtype=pl.String),
    )


def _draw_lots(names: pl.Series) -> pl.Series:
    """Give each name a random number that is the same in every series."""
    different = names.unique()
    return names.replace_strict(different, [zlib.crc32(name.encode()) for name in different], return_dtype=pl.Int64)


def _picked(one: Series, place: int, verdict: GalleryVerdict, category: str) -> _Picked:
    row = one.observations.rows.row(place, named=True)
    seen = one.observations.row(row)
    trials = one.source.survey.trials(row) if seen.ask.group > 1 else (seen.subject,)
    return _Picked(one, seen, records.Subject(trials), verdict, category)


def _look_up(picked: Sequence[_Picked]) -> list[_Picked]:
    """Look up the responses and readings to show, run by run."""
    found = {}
    for name, own in group_rows(picked, lambda one: one.series.source.name).items():
        run = own[0].series.source.run
        responses = look_up_responses(run, [id for one in own for id in one.subject.trial_ids])
        answered = [one._replace(answers=[responses[id] for id in one.subject.trial_ids]) for one in own]
        shown = [one.subject.id for one in answered if not isinstance(one.pictures[0], records.Elsewhere)]
        found[name] = (responses, look_up_readings(run, shown))
    known = []
    for one in picked:
        responses, readings = found[one.series.source.name]
        read = readings.get((one.subject.id, one.observation.ask.question.id), [])
        judged = [reading for reading in read if reading.judge == one.series.judge]
        known.append(one._replace(answers=[responses[id] for id in one.subject.trial_ids], judged=judged))
    return known


def _card(one: _Picked) -> tuple[Card, Counter[str]]:
    item, ask, value = one.observation.item, one.observation.ask, one.observation.value
    said = describe_outcome(one.answers[0].outcome)
    response = said if value is None else describe_value(value, ask.question, is_short=True)
    outlines, omitted = _outlines(one.judged, ask.question)
    pictures = [picture for picture in one.pictures if picture is not None]
    card = Card(
        one.series.label.removesuffix(f" · {one.series.judge_name}"),
        one.verdict,
        one.category,
        describe_target(item, ask),
        response,
        thumbnail(pictures, one.series.source.run.image_files) if pictures else "nothing was drawn",
        tuple((name, value[:_LONGEST_TEXT]) for name, value in _details(one)),
        outlines,
        _subject_of(item, ask),
        one.series.judge_name,
    )
    return card, omitted


def _subject_of(item: records.Item, ask: records.Ask) -> str:
    """Say what a question is about, if the picture has several."""
    if sum(one.is_relevant for one in item.asks) < 2:
        return ""
    match ask.question:
        case records.Count(noun=noun, colour=colour, place=place):
            where = f" {place.relation} {place.landmark}" if place else ""
            return f"{colour} {noun}{where}" if colour else f"{noun}{where}"
    return ask.wording


def _details(one: _Picked) -> list[tuple[str, str]]:
    item, answered = one.observation.item, one.answers[0]
    provenance = answered.provenance
    ask, asked, sent = one.observation.ask, records.task_text(item.task), provenance.prompt_sent
    group = f", first of {len(one.answers)}" if len(one.answers) > 1 else ""
    details = [
        ("Asked", asked),
        ("Sent", sent if sent != asked else None),
        ("Rewritten by the provider", provenance.prompt_rewritten),
        ("Answer", None if isinstance(answered.outcome, records.Drawn) else describe_outcome(answered.outcome)),
        ("Question", ask.wording if isinstance(item.task, records.Draw) else None),
        ("Right would be", describe_expected(ask)),
        *((f"Read by {one.series.judge_name}", _read(found, ask.question)) for found in one.judged),
        ("Conditions", ", ".join(f"{name} {level}" for name, level in item.factors.items())),
        ("Item", item.id),
        ("Repeat", f"{one.observation.repeat}{group}"),
        ("Run", one.series.source.name),
        ("Seed", str(provenance.seed)),
    ]
    return [(name, text) for name, text in details if text is not None]


def _read(judged: ReadingBasis, question: records.Question) -> str:
    read = judged.value
    value = describe_value(read.value, question) if isinstance(read, records.Known) else f"discarded, {read.reason}"
    match judged.evidence:
        case records.Boxes(boxes=boxes):
            return f"{value} (from {len(boxes)} boxes, by {judged.rule})"
        case records.Words(text=text):
            return f"{value} (from {text!r})"
        case _:
            return str(value)


def _outlines(judged: Sequence[ReadingBasis], question: records.Question) -> tuple[tuple[Outline, ...], Counter[str]]:
    """Take the boxes of the first reading with boxes: those counted, and the best of the others.

    To keep the page small not all are drawn; the numbers left out are returned, too.
    """
    found = ((one.rule, one.evidence.boxes) for one in judged if isinstance(one.evidence, records.Boxes))
    rule, boxes = next(found, ("", ()))
    counted = counted_boxes(boxes, asked, _parse(rule)) if boxes and (asked := _what_is_counted(question)) else []
    chosen = {id(box) for box in counted}
    others = sorted((box for box in boxes if id(box) not in chosen), key=lambda box: -box.score)
    # Counted boxes are drawn last, over the others.
    drawn = (
        *(_outline(box, is_spare=place >= _MOST_OTHERS_SMALL) for place, box in enumerate(others[:_MOST_OTHERS])),
        *(_outline(box, is_counted=True) for box in counted[:_MOST_COUNTED]),
    )
    return drawn, Counter(counted=len(counted[_MOST_COUNTED:]), others=len(others[_MOST_OTHERS:]))


def _outline(box: records.Box, *, is_counted: bool = False, is_spare: bool = False) -> Outline:
    left, top, right, bottom = box.xyxy
    around = _POINT_PX if (left, top) == (right, bottom) else 0
    xyxy = (left - around, top - around, right + around, bottom + around)
    return Outline(box.label, box.score, xyxy, box.colour, is_counted, is_spare)


def _describe_omitted(cards: Iterable[Card], omitted: Counter[str]) -> str:
    """Say which boxes are not drawn, or only on enlarged pictures."""
    text = ""
    if omitted["counted"]:
        text += f" Of the boxes on a picture that were counted, the {_MOST_COUNTED} with the best scores are drawn."
    if any(isinstance(box, Outline) and box.is_spare for card in cards for box in card.boxes):
        enlarged = f"the best {_MOST_OTHERS}" if omitted["others"] else "all of them"
        text += (
            f" Of the boxes on a picture that were not counted, the {_MOST_OTHERS_SMALL} with the best scores are "
            f"drawn, and {enlarged} once it is enlarged by a click."
        )
    return text


def _what_is_counted(question: records.Question) -> records.Count | None:
    match question:
        case records.Count():
            return question
        case records.Confirm(statement=text) if stated := read_statement(text):
            return records.Count(stated.noun)
    return None


def _parse(rule: str) -> Rule:
    """Parse a stored rule; one of an older version counts every box with the right label."""
    try:
        return parse_rule(rule)
    except SubitizeError:
        return Rule("boxes")


def _levels(texts: Iterable[str]) -> tuple[str, ...]:
    """Sort numbers by size, then names."""
    return tuple(sorted(set(texts), key=lambda text: (not text.isdecimal(), text.isdecimal() and len(text), text)))
