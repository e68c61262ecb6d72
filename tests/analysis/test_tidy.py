"""One row per count of a known number, and nothing else."""

from dataclasses import replace

import pytest

from samples import drawing_item, naming_item
from subitize.analysis.observations import Observation
from subitize.analysis.tidy import COLUMNS, frame_counts
from subitize.records import Ask, Confirm, Count, Item, Scalar

ITEM = naming_item()


def observe(item: Item = ITEM, value: Scalar | None = 3) -> Observation:
    return Observation(
        item, item.asks[0], "m", "parser", 2, "eligible" if value is not None else "refused", value, False
    )


def with_factors(**factors: Scalar) -> Observation:
    return observe(replace(ITEM, factors=factors))


def test_a_row_has_what_figures_need() -> None:
    (row,) = frame_counts([observe()]).rows()
    assert row == ("naming", "m", "parser", ITEM.id, "answer", "apples", 3, "category", 2, 3.0, "eligible")


def test_what_is_absent_is_null() -> None:
    (row,) = frame_counts([observe(drawing_item(), None)]).to_dicts()
    assert (row["wording"], row["response"], row["status"]) == (None, None, "refused")


@pytest.mark.parametrize(
    "observation",
    [
        replace(observe(), is_excluded=True),
        with_factors(number=3),
        with_factors(category="apples"),
        with_factors(category="apples", number=4),
        with_factors(category="apples", number="3"),
        replace(observe(), ask=Ask(Count("apple"), "?", (3, 4))),
        replace(observe(), ask=Ask(Confirm("there are apples", is_informed=False), "?", (3,))),
    ],
    ids=["excluded", "no category", "no number", "another number", "a text", "several are right", "no count"],
)
def test_the_rest_is_left_out(observation: Observation) -> None:
    found = frame_counts([observation])
    assert found.is_empty()
    assert dict(found.schema) == COLUMNS
