"""Training with two chances, questions with known answers, second looks, pilots."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment, Training
from subitize.annotation.study import Study
from subitize.errors import BadValueError, ConflictError
from subitize.records import Ask, Count, Known
from subitize.store import Run
from tests.annotation.studies import COUNTS, add_gold, folder, item, make_run, opened

PASSES: tuple[tuple[list[bool], int, str], ...] = (
    ([], 4, "training"),
    ([True] * 3, 4, "training"),
    ([True, True, True, False], 4, "passed"),
    ([True, True, False, False], 4, "training"),
    ([False] * 4 + [True] * 3, 4, "training"),
    ([False] * 4 + [True] * 3 + [False], 4, "passed"),
    ([False] * 4 + [True] * 2 + [False] * 2, 4, "failed"),
    ([], 0, "passed"),
)


@pytest.mark.parametrize(("rights", "pages", "outcome"), PASSES)
def test_training_is_passed_at_the_mark_by_the_second_chance_at_last(
    rights: list[bool], pages: int, outcome: str
) -> None:
    training = Training(range(pages), 0.75)
    for turn, is_right in enumerate(rights):
        assert training.due(1) == turn % pages
        training.note(1, turn % pages, is_right=is_right)
    assert training.outcome(1) == outcome
    assert (training.due(1) is None) == (outcome != "training")


def answer(study: Study, name: str, text: str, turn: int) -> str:
    """Answer what comes next, and tell what it was for."""
    person = study.people.invite(name)
    (task,) = study.next_tasks(person, 1)
    study.save(person, task, 0, AnswerRecord(f"{name}-answer-{turn:03}", text))
    return task.purpose


def test_training_comes_first_counts_in_no_figure_and_outlives_a_restart(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 3)
    settings: dict[str, Any] = {"gold": "gold", "training": 2, "pass_mark": 1.0}
    with opened(folder(tmp_path), **settings) as study:
        assert [answer(study, "anna", text, turn) for turn, text in enumerate(("2", "5"))] == ["training"] * 2
        assert study.outcome(study.people.invite("anna")) == "training"  # one was wrong: a second chance
    with opened(folder(tmp_path), **settings) as study:
        assert [answer(study, "anna", "2", turn) for turn in (2, 3)] == ["training"] * 2
        assert study.outcome(study.people.invite("anna")) == "passed"
        assert answer(study, "anna", "4", 4) == "answer"
        for turn in range(4):
            answer(study, "ben", "7", turn)
        assert study.outcome(study.people.invite("ben")) == "failed"
        assert study.next_tasks(study.people.invite("ben"), 1) == []
    with Run(folder(tmp_path)) as run:
        assert [stored.reading.value for stored in run.readings("human")] == [Known(4)]


def train(study: Study, name: str, place: int, text: str, key: str, number: int = 0) -> None:
    study.save(study.people.invite(name), Assignment(place, "training"), number, AnswerRecord(key, text))


def test_a_page_of_the_training_counts_once_and_failing_is_final(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 3)
    settings: dict[str, Any] = {"gold": "gold", "training": 3, "pass_mark": 0.6}
    with opened(folder(tmp_path), **settings) as study:
        anna = study.people.invite("anna")
        (first,) = study.next_tasks(anna, 1)
        train(study, "anna", first.page_index, "7", "answer-0")
        train(study, "anna", first.page_index, "7", "answer-0")  # sent again
        with pytest.raises(ConflictError, match="answered already"):
            train(study, "anna", first.page_index, "2", "answer-1")
        with pytest.raises(ConflictError, match="not the next"):
            train(study, "anna", study.gold.training[2], "2", "answer-2")
    for turn in range(3, 8):
        with opened(folder(tmp_path), **settings) as study:
            assert answer(study, "anna", "7", turn) == "training"
    with opened(folder(tmp_path), **settings) as study:
        assert study.outcome(anna) == "failed"
        for place in study.gold.training:
            with pytest.raises(ConflictError):
                train(study, "anna", place, "2", f"answer-late-{place}")
        study.hold_back(dict.fromkeys(study.pages[first.page_index].images, "ugly"))
        assert study.outcome(anna) == "failed"
    with opened(folder(tmp_path), **settings) as study:
        assert study.outcome(anna) == "failed"
        assert study.next_tasks(anna, 1) == []


def test_a_question_of_a_training_page_is_answered_once(tmp_path: Path) -> None:
    asks = tuple(Ask(Count(noun), f"How many {noun}s?", (2,)) for noun in ("cat", "dog"))
    make_run(folder(tmp_path), [replace(one, asks=asks) for one in COUNTS])
    add_gold(folder(tmp_path), 1, nouns=("cat", "dog"))
    with opened(folder(tmp_path), gold="gold", training=1) as study:
        train(study, "anna", study.gold.training[0], "7", "answer-0")
        with pytest.raises(ConflictError):
            train(study, "anna", study.gold.training[0], "2", "answer-1")
        train(study, "anna", study.gold.training[0], "2", "answer-2", number=1)
        assert study.outcome(study.people.invite("anna")) == "training"


@pytest.mark.parametrize("right", [True, False])
def test_a_training_page_held_back_is_left_out_and_shown_again_changes_nothing(tmp_path: Path, right: bool) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 3)
    settings: dict[str, Any] = {"gold": "gold", "training": 2, "pass_mark": 0.5}
    with opened(folder(tmp_path), **settings) as study:
        held = study.pages[study.gold.training[1]].images[0]
        study.hold_back({held: "ugly"})
        for turn in range(1 if right else 2):
            assert answer(study, "anna", "2" if right else "7", turn) == "training"
        anna, outcome = study.people.invite("anna"), "passed" if right else "failed"
        assert study.outcome(anna) == outcome
        study.show_again(held)
        assert study.outcome(anna) == outcome
    with opened(folder(tmp_path), **settings) as study:
        assert study.outcome(anna) == outcome


def test_everybody_is_shown_the_pages_with_known_answers_now_and_then(tmp_path: Path) -> None:
    make_run(folder(tmp_path), [item(f"cats/{place:02}", Count("cat"), "How many?") for place in range(40)])
    add_gold(folder(tmp_path), 4)
    with opened(folder(tmp_path), people_per_image=1, gold="gold") as study:
        for name in ("anna", "ben"):
            for turn in range(18):
                answer(study, name, "2" if name == "anna" else "3", turn)
            right, known = study.gold_results(study.people.invite(name))
            assert known >= 2
            assert right == (known if name == "anna" else 0)


def test_a_second_look_is_asked_as_if_it_were_new_and_counts_in_no_figure(tmp_path: Path) -> None:
    make_run(folder(tmp_path), [item(f"cats/{place:02}", Count("cat"), "How many?") for place in range(40)])
    with opened(folder(tmp_path), people_per_image=1, second_look=0.5) as study:
        purposes = [answer(study, "anna", str(turn % 3), turn) for turn in range(40)]
        again = purposes.count("again")
        assert 5 < again < 30
        assert "again" not in purposes[:10]  # nobody remembers what was shown long ago
        same, looks = study.consistency(study.people.invite("anna"))
        assert looks == again
        assert 0 <= same <= looks
    with Run(folder(tmp_path)) as run:
        assert len(list(run.readings("human"))) == purposes.count("answer")


@pytest.mark.parametrize(
    ("form", "first", "again"), [("count", "3", "three"), ("click", "[[1, 1], [9, 9]]", "[[2, 1], [8, 9]]")]
)
def test_who_counts_the_same_at_a_second_look_is_consistent(tmp_path: Path, form: str, first: str, again: str) -> None:
    make_run(folder(tmp_path), [item(f"cats/{place:02}", Count("cat"), "How many?") for place in range(40)])
    with opened(folder(tmp_path), forms=[form], people_per_image=1, second_look=0.5) as study:
        anna = study.people.invite("anna")
        for turn in range(30):
            (task,) = study.next_tasks(anna, 1)
            study.save(anna, task, 0, AnswerRecord(f"answer-{turn:03}", again if task.purpose == "again" else first))
        same, looks = study.consistency(anna)
        assert same == looks > 3


def test_a_second_look_that_is_not_finished_says_nothing_of_the_next(tmp_path: Path) -> None:
    asks = tuple(Ask(Count(noun), f"How many {noun}s?", (2,)) for noun in ("cat", "dog"))
    make_run(folder(tmp_path), [replace(one, asks=asks) for one in COUNTS[:2]])
    with opened(folder(tmp_path)) as study:
        anna = study.people.invite("anna")
        study.save(anna, Assignment(0, "again"), 0, AnswerRecord("looked-1", "3"))
        assert study.last_answer(anna, Assignment(0, "again"), 0) is not None
        assert study.last_answer(anna, Assignment(1, "again"), 0) is None


def test_answers_of_a_pilot_enter_no_figure(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path), is_pilot=True) as study:
        answer(study, "anna", "3", 0)
        assert study.progress(study.people.invite("anna"))["done"] == 1
    with opened(folder(tmp_path), is_pilot=True) as study:
        assert study.progress(study.people.invite("anna"))["done"] == 1
    with Run(folder(tmp_path)) as run:
        assert list(run.readings("human")) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"training": 2}, "needs right answers"),
        ({"gold": "gold", "training": 5}, "right answers are known for 1 of this study's pages, and 5 needed"),
        ({"gold": "nobody"}, "right answers are known for 0 of this study's pages, and 1 needed"),
        ({"gold": "gold", "pass_mark": 1.5}, "`pass_mark` 1.5: should be less than or equal to 1"),
        ({"second_look": 1.0}, "`second_look` 1.0: should be less than 1"),
    ],
)
def test_checks_that_cannot_work_are_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 1)
    with pytest.raises(BadValueError, match=message), opened(folder(tmp_path), **settings):
        pass
