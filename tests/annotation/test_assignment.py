"""Who is shown what, by the rules alone."""

from collections import Counter

import numpy as np
import pytest

from subitize.annotation.assignment import AssignmentQueue


def answer_all(assignments: AssignmentQueue, people: list[str], *, ahead: int = 1) -> list[tuple[str, int]]:
    """Let people take turns until nobody is shown anything."""
    shown: list[tuple[str, int]] = []
    now = 0.0
    while True:
        before = len(shown)
        for person in people:
            now += 1
            for page in assignments.take(person, ahead, now)[:1]:
                assignments.finish(person, page)
                shown.append((person, page))
        if len(shown) == before:
            return shown


@pytest.mark.parametrize("ahead", [1, 4])
def test_every_page_gets_as_many_people_as_wanted_and_nobody_twice(ahead: int) -> None:
    assignments = AssignmentQueue(pages=40, people_per_page=3, lease_seconds=1e9, seed=1, pages_per_person=100)
    shown = answer_all(assignments, ["anna", "ben", "chris", "dora", "emil"], ahead=ahead)
    assert Counter(page for _, page in shown) == dict.fromkeys(range(40), 3)
    assert len(set(shown)) == len(shown)
    assert (assignments.answers_given(), assignments.answers_wanted()) == (120, 120)


def test_nobody_answers_a_page_twice_where_people_are_too_few() -> None:
    assignments = AssignmentQueue(pages=10, people_per_page=5, lease_seconds=1e9, seed=1, pages_per_person=100)
    assert len(answer_all(assignments, ["anna", "ben"])) == 20
    assert assignments.left_for("anna") == 0


def test_pages_are_answered_once_before_any_is_answered_again() -> None:
    assignments = AssignmentQueue(pages=30, people_per_page=2, lease_seconds=1e9, seed=1, pages_per_person=100)
    shown = answer_all(assignments, ["anna", "ben"])
    assert len({page for _, page in shown[:30]}) == 30


def test_each_person_has_an_order_of_their_own_that_comes_again_after_a_restart() -> None:
    orders: dict[str, list[int]] = {}
    for person in ("anna", "ben", "anna"):
        assignments = AssignmentQueue(pages=50, people_per_page=1, lease_seconds=1e9, seed=1, pages_per_person=100)
        order = [page for _, page in answer_all(assignments, [person])]
        assert orders.setdefault(person, order) == order
    assert orders["anna"] != orders["ben"]
    assert abs(np.corrcoef(orders["anna"], list(range(50)))[0, 1]) < 0.4


def test_a_page_that_is_kept_for_somebody_goes_to_others_once_its_time_is_over() -> None:
    assignments = AssignmentQueue(pages=1, people_per_page=1, lease_seconds=60, seed=1, pages_per_person=100)
    assert assignments.take("anna", 1, now=0) == [0]
    assert assignments.take("ben", 1, now=59) == []
    assert assignments.take("ben", 1, now=61) == [0]


def test_a_page_stays_with_whoever_comes_back_for_it() -> None:
    assignments = AssignmentQueue(pages=5, people_per_page=1, lease_seconds=60, seed=1, pages_per_person=100)
    first = assignments.take("anna", 1, now=0)
    assert assignments.take("anna", 1, now=50) == first
    assert first[0] not in assignments.take("ben", 5, now=100)  # the second look put its end off


def test_an_answer_that_comes_after_its_time_still_counts() -> None:
    assignments = AssignmentQueue(pages=2, people_per_page=1, lease_seconds=60, seed=1, pages_per_person=100)
    (page,) = assignments.take("anna", 1, now=0)
    assignments.take("ben", 2, now=100)
    assignments.finish("anna", page)
    assignments.finish("anna", page)
    assert assignments.finished("anna") == [page]
    assert assignments.answers_given() == 1


def test_nobody_is_shown_more_than_their_share() -> None:
    assignments = AssignmentQueue(pages=10, people_per_page=2, lease_seconds=60, seed=1, pages_per_person=3)
    shown = answer_all(assignments, ["anna", "ben"], ahead=4)
    assert Counter(person for person, _ in shown) == {"anna": 3, "ben": 3}
    assert assignments.left_for("anna") == 0
