"""Rows read without decoding say the same as the records, on every kind of database."""

from collections.abc import Iterator

import pytest

from subitize.io import codec
from subitize.labels import interpret, parse_rule
from subitize.records import Count, Failed, Known, Outcome, Reading, Refused, Said, Subject, Words
from subitize.store import Location, Run
from subitize.store import reading as frames
from subitize.store.reading import trace_responses
from subitize.store.rows import (
    count_by_source,
    decode_question,
    decode_value,
    list_sources,
    look_up_failures,
    look_up_readings,
    look_up_responses,
    read_trials,
    read_values,
)
from tests.samples import MODEL, SUITE, naming_item, reading, response, trial

ITEMS = [naming_item(index) for index in range(5)]
OUTCOMES: list[Outcome] = [
    Said('"kind":"failed"} 3'),
    Said("4"),
    Refused('no "kind":"said"'),
    Failed("HTTP 400", False),
    Failed("HTTP 503", True),
]


@pytest.fixture
def run(location: Location) -> Iterator[Run]:
    trials = [trial(item) for item in ITEMS]
    with Run(location, create=True) as run:
        run.add_suite(SUITE, 0, ITEMS)
        run.add_model(MODEL, is_stand_in=True)
        with run.lease("test") as lease:
            run.add_responses(lease, [response(one, outcome) for one, outcome in zip(trials, OUTCOMES, strict=True)])
            run.add_readings(lease, [reading(trials[0]), reading(trials[1], "4")])
            first = next(iter(run.readings()))
            changed = Reading(Subject((trials[0].id,)), Count("apple"), "parser", Words("5"), "strict@1", Known(5))
            run.add_readings(lease, [_replacing(changed, first.id)])
        yield run


def _replacing(reading: Reading, id: int) -> Reading:
    return Reading(
        *(reading.subject, reading.question, reading.judge, reading.evidence, reading.rule, reading.value), "", id
    )


def test_responses_are_those_of_the_records(run: Run) -> None:
    found = [(row.trial_id, row.item_id, row.model, row.kind) for row in read_trials(run, MODEL.text)]
    expected = [
        (one.trial_id, one.response.trial.item_id, one.response.trial.model, one.response.outcome.kind)
        for one in run.responses()
    ]
    assert found == expected
    assert frames.read_responses(run).select("trial", "item", "model", "kind").rows() == expected
    assert [kind for *_, kind in found] == ["said", "said", "refused", "failed", "failed"]


def test_an_answer_is_not_undone_by_a_failure_nor_a_failure_kept_once_there_is_an_answer(run: Run) -> None:
    with run.lease("test") as lease:
        run.add_responses(lease, [response(trial(ITEMS[4]), Said("3"))])
    assert [row.kind for row in read_trials(run, MODEL.text)][-2:] == ["failed", "said"]
    assert frames.read_responses(run)["kind"][4] == "said"


def test_of_several_failures_and_an_answer_the_frame_has_one_row_at_the_place_of_the_first(run: Run) -> None:
    of, other = trial(ITEMS[4]), trial(ITEMS[3], repeat=1)
    with run.lease("test") as lease:
        run.add_responses(lease, [response(of, Failed("HTTP 503", True)), response(other), response(of, Said("3"))])
    found = frames.read_responses(run)
    assert found["trial"].to_list() == [*(trial(item).id for item in ITEMS), other.id]
    assert found["kind"].to_list() == ["said", "said", "refused", "failed", "said", "said"]


def test_replaced_readings_are_left_out(run: Run) -> None:
    stored = [one.reading for one in run.readings()]
    assert [one.value for one in stored] == [Known(4), Known(5)]
    judge = stored[0].judge
    own = [(one.subject.id, one.question.id, one.value) for one in stored if one.judge == judge]
    assert list(read_values(run, judge)) == own
    assert list(read_values(run, "nobody")) == []
    framed = frames.read_readings(run)
    found = [(one.subject.id, one.question.id, one.judge) for one in stored]
    assert framed.select("subject", "question", "judge").rows() == found
    assert [decode_value(text) for text in framed["value"]] == [Known(4), Known(5)]
    assert frames.read_readings(run, "nobody").schema == framed.schema


def test_evidence_can_be_read_anew(run: Run) -> None:
    rule = parse_rule("total")
    rows = frames.read_readings(run, columns=("evidence", "question_record")).rows()
    values = [interpret(codec.evidence.validate_json(seen), decode_question(of), rule) for seen, of in rows]
    assert values == [Known(4), Known(5)]


def test_a_few_records_can_be_looked_up_in_full(run: Run) -> None:
    ids = [trial(item).id for item in ITEMS]
    found = look_up_responses(run, ids)
    assert {id: one.outcome for id, one in found.items()} == dict(zip(ids[:3], OUTCOMES[:3], strict=True))
    readings = look_up_readings(run, ids)
    assert [(key, [one.value for one in values]) for key, values in readings.items()] == [
        ((ids[1], "count:apple"), [Known(4)]),
        ((ids[0], "count:apple"), [Known(5)]),
    ]
    assert look_up_failures(run, ids[3:]) == {ids[3]: "HTTP 400", ids[4]: "HTTP 503"}
    assert look_up_responses(run, []) == {}


def test_judges_are_listed_with_their_rules(run: Run) -> None:
    (source,) = list_sources(run)
    assert (source.judge, source.annotator, source.rule) == ("parser", "", "strict@1")
    (counts,) = count_by_source(run)
    assert (source.stored, counts.readings) == (3, 2)
    assert source.first_at <= source.last_at
    assert trace_responses(run)["kind"].to_list() == ["said", "said", "refused", "failed", "failed"]
