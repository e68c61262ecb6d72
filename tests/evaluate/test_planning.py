"""What is left to do follows from what is stored."""

from collections.abc import Iterator

import pytest

from subitize.errors import BadValueError
from subitize.evaluate.plan import TrialPlan, TriedAttempts, collect_values, further_attempts
from subitize.evaluate.sampling import items_of
from subitize.interfaces import Attempt, Suite
from subitize.papers.numbersense.suite import Naming, Production
from subitize.records import Discarded, Item, Known, Spec, Value
from subitize.registry import Resolved
from subitize.store import StoredResponse
from tests.samples import MODEL, drawing_item, naming_item, reading, response, trial

ITEMS = [naming_item(index) for index in range(3)]


def tried(item: Item, value: Value, attempt: int = 0) -> Attempt:
    return Attempt(item, 0, attempt, {item.asks[0].question.id: value})


def test_items_are_made_once_and_only_as_far_as_they_are_asked_for() -> None:
    made: list[int] = []

    class Counting(Naming):
        def items(self, seed: int) -> Iterator[Item]:
            for index in range(3):
                made.append(index)
                yield naming_item(index)

    suite: Resolved[Suite] = Resolved(Spec("naming", {}, "naming"), Counting(), "naming")
    assert next(iter(items_of(suite, 0))) == naming_item(0)
    assert made == [0]
    assert list(items_of(suite, 0)) == list(items_of(suite, 0)) == ITEMS
    assert made == [0, 1, 2]
    assert list(items_of(suite, 1)) == ITEMS
    assert made == [0, 1, 2] * 2, "another seed may give others"


def test_a_suite_that_fails_on_the_way_fails_again_and_is_never_cut_short() -> None:
    class Failing(Naming):
        def items(self, seed: int) -> Iterator[Item]:
            yield naming_item(0)
            raise BadValueError("no more")

    suite: Resolved[Suite] = Resolved(Spec("naming", {}, "naming"), Failing(), "naming")
    for _ in range(2):
        with pytest.raises(BadValueError, match="no more"):
            list(items_of(suite, 0))


@pytest.mark.parametrize(("images", "is_held"), [(2, True), (40, False)])
def test_items_of_small_suites_are_held_and_those_of_large_ones_made_again(images: int, is_held: bool) -> None:
    suite: Resolved[Suite] = Resolved(Spec("naming", {}, "naming"), Naming(images=images), "naming")
    first, again = (next(iter(items_of(suite, 0))) for _ in range(2))
    assert first == again
    assert (first is again) == is_held


def test_equal_values_are_held_once_and_true_is_not_1() -> None:
    given = [("00", "a", Known(1)), ("01", "a", Known(True)), ("00", "b", Known(2))]
    values = collect_values([*given, ("02", "a", given[0][2]), ("02", "b", given[2][2])])
    assert values[b"\0"] is values[b"\2"]
    assert values[b"\1"]["a"].value is True  # type: ignore[union-attr]


def test_all_items_come_once_before_any_is_repeated() -> None:
    planned = list(TrialPlan(ITEMS, MODEL, 2).left(finished=set()))
    assert [(one.trial.item_id, one.trial.repeat) for (one,) in planned] == [
        (item.id, r) for r in (0, 1) for item in ITEMS
    ]


def test_a_finished_trial_is_not_planned_again() -> None:
    planned = list(TrialPlan(ITEMS, MODEL, 1).left(finished={trial(ITEMS[1]).id}))
    assert [one.item for (one,) in planned] == [ITEMS[0], ITEMS[2]]


def test_repeats_of_one_item_are_planned_together_where_a_call_gives_several() -> None:
    items = [drawing_item(3), drawing_item(4)]
    finished = {trial(items[0], repeat=1).id}
    groups = TrialPlan(items, MODEL, 5, repeats_per_call=2).left(finished)
    planned = [[one.trial.repeat for one in group] for group in groups]
    assert planned == [[0], [0, 1], [2, 3], [2, 3], [4], [4]]


def test_questions_are_put_one_by_one_whatever_a_call_could_give() -> None:
    planned = TrialPlan(ITEMS[:1], MODEL, 3, repeats_per_call=2).left(finished=set())
    assert [[one.trial.repeat for one in group] for group in planned] == [[0], [1], [2]]


def test_production_asks_again_only_where_nothing_countable_was_drawn() -> None:
    nothing, something = drawing_item(3), drawing_item(4)
    planned = list(further_attempts(Production(), MODEL, [tried(nothing, Known(0)), tried(something, Known(1))]))
    assert [(one.trial.item_id, one.trial.attempt) for one in planned] == [(nothing.id, 1)]


def test_asking_again_ends_at_the_cap() -> None:
    suite = Production(max_attempts=3)
    attempts = [
        [one.trial.attempt for one in further_attempts(suite, MODEL, [tried(drawing_item(), Known(0), attempt)])]
        for attempt in range(4)
    ]
    assert attempts == [[1], [2], [], []]


def test_naming_asks_again_in_a_cell_with_too_few_eligible_answers() -> None:
    cell = [naming_item(index) for index in range(25)]
    with_19 = [tried(item, Known(3) if i < 19 else Discarded("vague")) for i, item in enumerate(cell)]
    with_20 = [tried(item, Known(3) if i < 20 else Discarded("vague")) for i, item in enumerate(cell)]
    assert [one.item.id for one in Naming().again(with_19)] == [item.id for item in cell[19:]]
    assert list(Naming().again(with_20)) == []


def test_naming_asks_again_cell_by_cell() -> None:
    good = [tried(naming_item(index, number=2), Known(2)) for index in range(20)]
    bad = tried(naming_item(0, number=3), Discarded("vague"))
    assert list(Naming().again([*good, bad])) == [bad]


def test_the_latest_attempt_counts_and_unread_ones_are_left_out() -> None:
    first, second = trial(ITEMS[0]), trial(ITEMS[0], attempt=1)
    unread = trial(ITEMS[1])
    responses = [StoredResponse(one.id, response(one), 0.0) for one in (second, first, unread)]
    read = [(reading(first, "3"), Known(3)), (reading(second, "4"), Known(4))]
    values = collect_values((one.subject.id, one.question.id, value) for one, value in read)
    (latest,) = TriedAttempts(ITEMS, responses, values)
    assert (latest.attempt, dict(latest.values)) == (1, {"count:apple": Known(4)})
