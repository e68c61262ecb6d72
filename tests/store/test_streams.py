"""What is read in frames of so many rows is what is stored, on every database."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl
import pytest

from subitize.records import Discarded, Failed, Known, MatchesPrompt, Said, Spec, Subject
from subitize.store import Location, Run
from subitize.store import reading as streams
from subitize.store.rows import (
    count_by_source,
    count_items,
    count_readings,
    count_trials,
    list_sources,
    read_discarded,
    read_rules,
)
from tests.samples import MODEL, SUITE, drawing_item, naming_item, reading, response, trial

ITEMS = [naming_item(index) for index in range(3)]


@pytest.fixture
def run(location: Location) -> Iterator[Run]:
    with Run(location, create=True) as run:
        _fill(run)
        yield run


def _fill(run: Run) -> None:
    run.add_suite(SUITE, 5, ITEMS)
    run.add_suite(Spec("production", {}, "production"), 5, [drawing_item()])
    run.add_model(MODEL, is_stand_in=True)
    trials = [trial(item, repeat=repeat) for repeat in range(2) for item in ITEMS]
    group = Subject((trials[0].id, trials[3].id))
    with run.lease("a") as lease:
        run.add_responses(lease, [response(trials[0], Failed("503", True)), response(trials[1], Failed("no", False))])
        run.add_responses(lease, [response(one, Said(str(place))) for place, one in enumerate(trials) if place != 1])
        run.add_readings(
            lease,
            [
                reading(trials[0], "3"),
                replace(reading(trials[2], "4"), value=Discarded("vague")),
                *(reading(trials[0], "3", annotator=who) for who in ("ada", "bob")),
                replace(reading(trials[0], annotator="ada"), subject=group, question=MatchesPrompt()),
            ],
        )
        first = next(run.readings("human"))
        run.add_readings(lease, [replace(first.reading, value=Known(4), replaces=first.id)])


def test_parts_have_what_the_run_has_in_its_order(run: Run) -> None:
    parts = list(streams.scan_responses(run, ("trial", "at"), rows=2))
    assert [part.height for part in parts] == [2, 2, 2]
    responses = pl.concat(parts)
    assert responses["trial"].to_list() == [one.trial_id for one in run.responses()]
    assert responses["at"].to_list() == [one.at for one in run.responses()]
    readings = pl.concat(streams.scan_readings(run, rows=2))
    assert readings["id"].to_list() == [one.id for one in run.readings()]
    assert readings["question"].to_list() == [one.reading.question.id for one in run.readings()]
    assert readings["subject"].to_list() == [one.reading.subject.id for one in run.readings()]
    assert readings["annotator"].to_list() == [one.reading.annotator for one in run.readings()]


def test_counts_are_those_of_what_stands(run: Run) -> None:
    assert count_items(run) == {"naming": 3, "production": 1}
    assert (count_trials(run), count_readings(run)) == (6, 5)
    stored = [(one.judge, one.annotator, one.stored) for one in list_sources(run)]
    assert stored == [("human", "ada", 3), ("human", "bob", 1), ("parser", "", 2)]
    counts = [(one.judge, one.annotator, one.readings, one.discarded) for one in count_by_source(run)]
    assert counts == [("human", "ada", 2, 0), ("human", "bob", 1, 0), ("parser", "", 2, 1)]
    assert sorted(streams.count_annotators(run)["annotators"]) == [1, 1, 1, 2]


def test_questions_are_listed_in_the_order_of_their_items(run: Run) -> None:
    for suite in (None, "naming"):
        assert list(run.stream_asks(suite)) == [(item.id, item.asks) for item in run.items(suite)]
        assert list(run.stream_items(suite)) == run.items(suite)


def test_groups_of_trials_are_read_with_their_first(run: Run) -> None:
    (group,) = {one.reading.subject for one in run.readings() if len(one.reading.subject.trial_ids) > 1}
    assert streams.read_groups(run).rows() == [(group.id, group.trial_ids[0])]


def test_what_a_rule_discards_is_counted_and_read(run: Run) -> None:
    (counted,) = count_by_source(run, annotators=False)
    found = read_discarded(run, "parser", counted.rule, 10)
    assert (counted.judge, counted.readings, counted.unusable) == ("parser", 2, len(found))
    assert read_discarded(run, "parser", "other@1", 10) == []
    assert read_rules(run, "naming", "parser") == {counted.rule}
    assert read_rules(run, "production", "parser") == set()


def test_the_rules_of_a_judge_that_read_groups_only_are_found(run: Run) -> None:
    trials = [trial(ITEMS[0], repeat=repeat) for repeat in range(2)]
    group = replace(reading(trials[0]), subject=Subject(tuple(one.id for one in trials)), judge="voter")
    with run.lease("a") as lease:
        run.add_judge(Spec("voter", {}, "voter"), is_stand_in=False)
        run.add_readings(lease, [group])
    assert read_rules(run, "naming", "voter") == {group.rule}
    assert read_rules(run, "production", "voter") == set()


def test_answers_are_looked_up_by_trial(run: Run) -> None:
    wanted = pl.Series([trial(item).id for item in ITEMS])
    found = streams.look_up_outcomes(run, wanted)
    assert sorted(found["outcome"]) == sorted(f'{{"text":"{place}","tokens":[],"kind":"said"}}' for place in (0, 2))


def test_an_items_readings_are_of_its_responses_and_their_groups(run: Run) -> None:
    own = [one for one in run.readings() if trial(ITEMS[0]).id in one.reading.subject.trial_ids]
    assert list(run.readings(items=[ITEMS[0].id])) == own
    assert len(own) == 4
    assert list(run.readings(items=[ITEMS[1].id])) == []
    assert run.items(ids=[ITEMS[1].id]) == [ITEMS[1]]
