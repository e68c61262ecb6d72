"""One row per count of a known number, and nothing else."""

from dataclasses import replace

import pytest

from subitize.analysis.counting import frame_counts
from subitize.frame import FrameRow, frame_seen
from subitize.records import Ask, Confirm, Count, Item, Scalar
from tests.samples import drawing_item, naming_item

ITEM = naming_item()
COUNTS = (
    *("suite", "model", "judge", "item", "task", "category", "number", "wording", "repeat", "response", "status"),
    *("is_excluded", "stratum", "cluster"),
)


def observe(item: Item = ITEM, value: Scalar | None = 3) -> FrameRow:
    return FrameRow(item, item.asks[0], "refused" if value is None else "eligible", value, "m", "parser", 2)


def with_factors(**factors: Scalar) -> FrameRow:
    return observe(replace(ITEM, factors=factors))


def about(ask: Ask) -> FrameRow:
    return observe(replace(ITEM, asks=(ask,)))


def test_a_row_has_what_figures_need() -> None:
    (row,) = frame_counts(frame_seen([observe()])).select(COUNTS).rows()
    assert row == ("naming", "m", "parser", ITEM.id, "answer", "apples", 3, "category", 2, 3.0, "eligible", False, 0, 0)


def test_what_was_excluded_by_hand_is_marked() -> None:
    found = frame_counts(frame_seen([observe()._replace(is_excluded=True), observe()]))
    assert found["is_excluded"].to_list() == [True, False]


def test_what_is_absent_is_null() -> None:
    (row,) = frame_counts(frame_seen([observe(drawing_item(), None)])).to_dicts()
    assert (row["wording"], row["response"], row["status"]) == (None, None, "refused")


@pytest.mark.parametrize(
    "observation",
    [
        with_factors(number=3),
        with_factors(category="apples"),
        with_factors(category="apples", number=4),
        with_factors(category="apples", number="3"),
        about(Ask(Count("apple"), "?", (3, 4))),
        about(Ask(Confirm("there are apples", is_informed=False), "?", (3,))),
        about(replace(ITEM.asks[0], is_relevant=False)),
    ],
    ids=["no category", "no number", "another number", "a text", "several are right", "no count", "an aside"],
)
def test_the_rest_is_left_out(observation: FrameRow) -> None:
    found = frame_counts(frame_seen([observation]))
    assert found.is_empty()
    assert found.schema == frame_counts(frame_seen([observe()])).schema
