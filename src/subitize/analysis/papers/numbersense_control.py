"""The control question of naming, "What does the image represent?", which enters no other figure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from subitize.analysis.observations import Observation, Reader, Status
from subitize.analysis.rows import ResponseRow, read_readings, read_responses
from subitize.labels import consensus
from subitize.records import Ask, Estimate, Item, Known, Name, Value
from subitize.stats.intervals import wilson_interval
from subitize.store import Run

WORDING = "control"
# Section 2.1.1 takes these: "apple(s)" and "fruit".
_RIGHT = re.compile(r"\b(apples?|fruits?)\b", re.IGNORECASE)


def observe_controls(run: Run, reader: Reader) -> list[Observation]:
    """Find the answers to the control question, which observations leave out because it is not about number."""
    controls = {item.id: (item, ask) for item in run.items() for ask in item.asks if _is_control(item, ask)}
    if not controls:
        return []
    values: dict[str, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))
    for reading in read_readings(run, reader.judge):
        if reading.question_id == Name().id:
            values[reading.subject_id][reading.judge].append(reading.value)
    excluded = run.exclusions()
    latest = _latest(row for row in read_responses(run) if row.item_id in controls and row.kind != "failed")
    judges: dict[str, set[str]] = defaultdict(set)
    for row in latest:
        judges[row.model].update(values[row.trial_id])
    return [
        Observation(*controls[row.item_id], row.model, judge, row.repeat, status, said, row.item_id in excluded)
        for row in latest
        for judge in sorted(judges[row.model])
        for status, said in _outcome(row, values[row.trial_id].get(judge, []), reader.agreement)
    ]


def score_controls(observations: Iterable[Observation]) -> dict[tuple[str, str, str], Estimate]:
    """Give the share of right answers by suite, model and judge; a refusal is wrong."""
    answers: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for one in observations:
        if _is_control(one.item, one.ask) and not one.is_excluded and one.status != "discarded":
            is_right = one.status == "eligible" and bool(_RIGHT.search(str(one.value)))
            answers[one.item.suite, one.model, one.judge].append(is_right)
    return {key: wilson_interval(sum(found), len(found)) for key, found in answers.items()}


def _is_control(item: Item, ask: Ask) -> bool:
    return isinstance(ask.question, Name) and item.factors.get("wording") == WORDING


def _latest(rows: Iterable[ResponseRow]) -> list[ResponseRow]:
    latest: dict[tuple[str, str, int], ResponseRow] = {}
    for row in sorted(rows, key=lambda row: row.attempt):
        latest[row.item_id, row.model, row.repeat] = row
    return list(latest.values())


def _outcome(row: ResponseRow, values: list[Value], agreement: str) -> Iterator[tuple[Status, str | None]]:
    if row.kind == "refused":
        yield "refused", None
    elif values:
        value = consensus(values, agreement)
        yield ("eligible", str(value.value)) if isinstance(value, Known) else ("discarded", None)
