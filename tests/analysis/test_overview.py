"""A run at a glance, and one item with everything that came of it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.analysis.overview import JudgeProgress, ModelProgress, item_story, overview
from subitize.errors import BadValueError
from subitize.records import Discarded, Failed, Known, MatchesPrompt, Refused, Said, Spec, Subject
from subitize.store import Folder, Run
from tests.samples import MODEL, SUITE, drawing_item, naming_item, reading, response, trial

ITEMS = [naming_item(index) for index in range(4)]
OTHER = Spec("other", {}, "other")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(SUITE, 5, ITEMS)
        run.add_suite(Spec("production", {}, "production"), 5, [drawing_item()])
        run.add_model(MODEL, is_stand_in=True)
        run.add_model(OTHER, is_stand_in=False)
        with run.lease("model") as lease:
            run.add_responses(
                lease,
                [
                    response(trial(ITEMS[0]), Said("3")),
                    response(trial(ITEMS[0], repeat=1), Said("4")),
                    response(trial(ITEMS[1]), Failed("503", True)),
                    response(trial(ITEMS[2]), Refused("no")),
                    response(trial(ITEMS[0], model=OTHER), Said("3")),
                ],
            )
        yield run


def test_an_empty_run_is_an_empty_overview(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "empty"), create=True) as run:
        found = overview(run)
    assert (found.suites, found.items, found.models, found.judges, found.exclusions) == ([], {}, [], [], {})


def test_items_are_counted_by_suite_and_outcomes_by_model(run: Run) -> None:
    found = overview(run)
    assert found.items == {"naming": 4, "production": 1}
    assert [(entry.name, entry.seed) for entry in found.suites] == [("naming", 5), ("production", 5)]
    assert found.models == [
        ModelProgress("naming", "other", False, {"said": 1}, ()),
        ModelProgress("naming", "random", True, {"said": 2, "failed": 1, "refused": 1}, ()),
    ]


def test_a_trial_that_was_tried_again_counts_once(run: Run) -> None:
    with run.lease("model") as lease:
        run.add_responses(lease, [response(trial(ITEMS[1]), Said("3"))])
    assert overview(run).models[1].outcomes == {"said": 3, "refused": 1}


def test_judges_are_counted_with_their_annotators_and_what_has_no_value(run: Run) -> None:
    one, again = trial(ITEMS[0]), trial(ITEMS[0], repeat=1)
    with run.lease("judge") as lease:
        run.add_readings(
            lease,
            [
                reading(one, "3"),
                replace(reading(again, "4"), value=Discarded("vague")),
                *(reading(one, "3", annotator=who) for who in ("ada", "bob")),
                reading(again, "3", annotator="ada"),
            ],
        )
        first = next(run.readings("human"))
        run.add_readings(lease, [replace(first.reading, value=Known(4), replaces=first.id)])
    assert overview(run).judges == [
        JudgeProgress("human", False, 2, 3, 0, ()),
        JudgeProgress("parser", False, 0, 2, 1, ()),
    ]


def test_exclusions_are_shown_with_their_reasons(run: Run) -> None:
    run.exclude(ITEMS[1].id, "a smudge")
    assert overview(run).exclusions == {ITEMS[1].id: "a smudge"}


def test_a_story_has_all_that_came_of_the_item_and_nothing_else(run: Run) -> None:
    group = Subject((trial(ITEMS[0]).id, trial(ITEMS[0], repeat=1).id))
    about_group = replace(reading(trial(ITEMS[0]), annotator="ada"), subject=group, question=MatchesPrompt())
    given = [reading(trial(ITEMS[0]), "3"), about_group]
    with run.lease("judge") as lease:
        run.add_readings(lease, [*given, reading(trial(ITEMS[2]), "3")])
    run.exclude(ITEMS[0].id, "a smudge")
    story = item_story(run, ITEMS[0].id)
    assert story.item == ITEMS[0]
    assert story.excluded == "a smudge"
    assert [(one.response.trial.model, one.response.trial.repeat) for one in story.responses] == [
        ("random", 0),
        ("random", 1),
        ("other", 0),
    ]
    assert [one.reading for one in story.readings] == given


def test_an_item_that_nobody_was_asked_has_a_short_story(run: Run) -> None:
    story = item_story(run, ITEMS[3].id)
    assert (story.excluded, story.responses, story.readings) == (None, [], [])


def test_an_unknown_item_is_answered_with_what_items_read_like(run: Run) -> None:
    with pytest.raises(BadValueError) as caught:
        item_story(run, "apples/3")
    assert str(caught.value) == (
        f"no item 'apples/3' in this run; its items read like {', '.join(item.id for item in ITEMS[:3])}"
    )


def test_an_empty_run_has_no_item_to_compare_with(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "empty"), create=True) as run, pytest.raises(BadValueError, match="it has no items"):
        item_story(run, "apples/3")
