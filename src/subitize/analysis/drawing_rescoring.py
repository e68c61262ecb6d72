"""Scores drawings as others do, from our judges' evidence, beside our exact counts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from subitize.analysis.observations import Observations, Survey
from subitize.analysis.rescored import Example, Heading, Rescored, Verdict, sum_up
from subitize.frames import group_rows
from subitize.labels.drawing_scorers import DRAWING_SCORERS, Drawing, DrawingScorer
from subitize.records import Ask, Box, Boxes, Count, Draw, Item, Scalar, base_suite
from subitize.store import Run, codec
from subitize.store.frames import read_readings

_TAG = "tag"


@dataclass(frozen=True, slots=True)
class _Seen:
    """A drawing: what was asked about it alone, what the judge read, and which answers are right."""

    item: Item
    subject: str
    asks: tuple[Ask, ...]
    values: Mapping[str, Scalar]
    right: frozenset[str]


def rescore_drawings(survey: Survey, scorers: Sequence[DrawingScorer]) -> list[Rescored]:
    """Score the drawings of a run by the scorers that its suites have anything for."""
    found: list[Rescored] = []
    for (suite, model, judge), own in survey.observations.kept().partition("suite", "model", "judge"):
        fitting = [scorer for scorer in scorers if scorer.suite in ("", base_suite(suite))]
        drawings = list(_gather_drawings(own)) if fitting else []
        boxes = _read_boxes(survey.run, judge) if drawings else {}
        for scorer in fitting:
            found += _rescore(Heading(suite, model, judge, scorer.name), scorer, drawings, boxes)
    return found


def rescore_by_suite(survey: Survey) -> list[Rescored]:
    """Score the drawings of a run whose suite was published with a rule by that."""
    return rescore_drawings(survey, [scorer for scorer in DRAWING_SCORERS.values() if scorer.suite])


def _gather_drawings(observed: Observations) -> Iterator[_Seen]:
    for subject, own in group_rows(observed.rows.iter_rows(named=True), lambda row: str(row["subject"])).items():
        item = observed.items[own[0]["item"]]
        if not isinstance(item.task, Draw):
            continue
        seen = [observed.look(row) for row in own]
        values = {one.ask.question.id: one.value for one in seen if one.value is not None}
        right = {one.ask.question.id for one, row in zip(seen, own, strict=True) if row["is_right"]}
        asks = tuple(ask for ask in item.asks if ask.is_relevant and ask.group == 1)
        yield _Seen(item, subject, asks, values, frozenset(right))


_Found = Mapping[str, Sequence[Box]]
"""The boxes of a drawing, by label."""


def _read_boxes(run: Run, judge: str) -> dict[str, _Found]:
    """Read the boxes that a judge found, by drawing: those of one look at each label, with colours if any has them."""
    found: dict[str, dict[str, list[Box]]] = {}
    rows = read_readings(run, judge, with_evidence=True)
    for subject, text in rows.select("subject", "evidence").iter_rows():
        evidence = codec.evidence.validate_json(text)
        if isinstance(evidence, Boxes):
            looked = group_rows(evidence.boxes, lambda box: box.label)
            known = found.setdefault(subject, {})
            known |= {label: own for label, own in looked.items() if own[0].colour or label not in known}
    return dict(found)


def _rescore(
    heading: Heading, scorer: DrawingScorer, drawings: Sequence[_Seen], boxes: Mapping[str, _Found]
) -> Iterator[Rescored]:
    """Score all drawings together, and by tag where the scorer averages tags: each weighs the same in the whole."""
    asked = [(one, [ask for ask in one.asks if scorer.is_about(ask)]) for one in drawings]
    whole = [(one, asks) for one, asks in asked if asks]
    answered = [(one, asks) for one, asks in whole if all(ask.question.id in one.values for ask in asks)]
    if not answered:
        return
    tags = Counter(_tag(one) if scorer.averages_tags else "" for one, _ in answered)
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for one, asks in answered:
        tag = _tag(one) if scorer.averages_tags else ""
        drawing = Drawing(asks, one.values, _list_boxes(boxes.get(one.subject)), _tag(one))
        verdicts[tag].append(_judge(one, asks, scorer.credit(drawing), weight=1 / tags[tag]))
    left_out = Counter(_tag(one) if scorer.averages_tags else "" for one, _ in whole) - tags
    every = [verdict for own in verdicts.values() for verdict in own]
    yield sum_up(heading, every, left_out.total())
    if scorer.averages_tags:
        for tag, own in verdicts.items():
            yield sum_up(heading._replace(group=tag), own, left_out[tag])


def _list_boxes(found: _Found | None) -> list[Box] | None:
    return None if found is None else [box for own in found.values() for box in own]


def _tag(one: _Seen) -> str:
    return str(one.item.factors.get(_TAG, ""))


def _judge(one: _Seen, asks: Sequence[Ask], credit: float, weight: float) -> Verdict:
    is_right = all(ask.question.id in one.right for ask in asks)
    seen = ", ".join(f"{one.values[ask.question.id]} {_name(ask)}" for ask in asks)
    expected = ", ".join(f"{ask.expects[0]} {_name(ask)}" for ask in asks)
    example = Example(one.item.id, seen, expected, "right" if is_right else "wrong", credit)
    counts = [ask for ask in asks if isinstance(ask.question, Count)]
    is_short = any(float(one.values[ask.question.id]) < float(ask.expects[0]) for ask in counts)
    reason = "part of the credit" if 0 < credit < 1 else "threshold" if is_right or is_short else "surplus"
    stratum = (_tag(one),) if _tag(one) else ()
    return Verdict(one.item, example, is_right, reason, weight, stratum)


def _name(ask: Ask) -> str:
    return ask.question.id.partition(":")[2]
