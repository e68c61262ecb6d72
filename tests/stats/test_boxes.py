"""Detections: what is kept, what is suppressed, and what survives storing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.records import Box, Boxes, Masks
from subitize.stats import boxes as detections
from subitize.stats.boxes import Detections

SQUARE = (0.0, 0.0, 10.0, 10.0)


def brute_force_iou(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Count the cells of a fine grid that both cover, and that either covers."""
    x, y = np.mgrid[0:40, 0:40] + 0.5
    first, second = ((left <= x) & (x < right) & (top <= y) & (y < bottom) for left, top, right, bottom in (one, other))
    return float((first & second).sum() / (first | second).sum())


corners = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20), st.integers(1, 20)).map(
    lambda it: (float(it[0]), float(it[1]), float(it[0] + it[2]), float(it[1] + it[3]))
)
boxes = st.lists(st.tuples(corners, st.floats(0, 1).map(lambda score: round(score, 3)), st.sampled_from("ab")))


@pytest.mark.slow
@settings(max_examples=50)
@given(boxes, st.sampled_from([0.0, 0.3, 0.5, 0.95]))
def test_what_is_left_is_what_a_slow_search_leaves(given_boxes: list[tuple], iou: float) -> None:  # type: ignore[type-arg]
    made = Detections.make(*([list(part) for part in zip(*given_boxes, strict=True)] if given_boxes else ([], [], [])))
    kept: list[tuple[tuple[float, ...], float, str]] = []
    for box in sorted(given_boxes, key=lambda one: -one[1]):
        if all(box[2] != other[2] or brute_force_iou(box[0], other[0]) <= iou + 1e-12 for other in kept):
            kept.append(box)
    assert [(box.xyxy, box.score, box.label) for box in made.suppressed(iou).boxes()] == kept


def test_many_boxes_are_compared_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    places = random.uniform(0, 60, (80, 2))
    made = Detections.make(np.hstack([places, places + 20]), random.uniform(size=80), list("ab" * 40))
    at_once = [made.suppressed(iou).boxes() for iou in (0.0, 0.3, 0.6)]
    monkeypatch.setattr(detections, "_PAIRS_AT_ONCE", 200)
    assert [made.suppressed(iou).boxes() for iou in (0.0, 0.3, 0.6)] == at_once
    assert [len(boxes) for boxes in at_once] == sorted({len(boxes) for boxes in at_once})


@settings(max_examples=50)
@given(boxes, st.floats(0, 1), st.sampled_from([0.1, 0.5, 0.9]))
def test_suppressing_before_or_after_the_threshold_is_the_same(given_boxes: list[tuple], at: float, iou: float) -> None:  # type: ignore[type-arg]
    made = Detections.of([Box(label, score, xyxy) for xyxy, score, label in given_boxes])
    assert made.above(at).suppressed(iou).boxes() == made.suppressed(iou).above(at).boxes()


def test_boxes_come_back_as_they_were_stored_best_first() -> None:
    stored = (Box("cat", 0.25, SQUARE, "red"), Box("dog", 0.75, (1.0, 2.0, 3.0, 4.0)))
    assert Detections.of(stored).boxes() == (stored[1], stored[0])


def test_nothing_found_is_no_boxes() -> None:
    nothing = Detections.make(np.zeros((0, 4)), np.zeros(0), [])
    assert nothing.boxes() == nothing.above(0.5).suppressed(0.5).boxes() == ()


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="2 boxes, 1 scores and 1 labels"):
        Detections.make([SQUARE, SQUARE], [0.5], ["cat"])


def test_masks_stay_with_their_boxes_and_are_kept_as_runs_that_give_them_back() -> None:
    random = np.random.default_rng(3)
    masks = [random.random((32, 32)) < share for share in (0.0, 0.1, 0.5, 1.0)]
    found = Detections.make([SQUARE] * 4, [0.1, 0.2, 0.3, 0.4], ["cat", "cat", "dog", "cat"], masks)
    kept = found.above(0.15).labelled("cat").evidence()
    assert isinstance(kept, Masks)
    assert [box.score for box in kept.boxes] == [0.4, 0.2]
    assert kept.masks[0] == "0 1024"
    for runs, mask in zip(kept.masks, (masks[3], masks[1]), strict=True):
        cells = [bool(place % 2) for place, length in enumerate(runs.split()) for _ in range(int(length))]
        np.testing.assert_array_equal(np.array(cells).reshape(32, 32), mask)
    assert found.above(0.9).evidence() == Boxes(())
    assert type(Detections.make([SQUARE], [0.1], ["cat"]).evidence()) is Boxes


def test_what_was_said_without_an_answer_stays_whatever_is_left_out() -> None:
    found = replace(Detections.make([SQUARE], [0.5], ["cat"]), unread={"dog": "Who knows?"})
    assert found.above(0.9).labelled("bird").unread == {"dog": "Who knows?"}


def test_labels_are_kept_apart_renamed_and_coloured() -> None:
    found = Detections.make([SQUARE, SQUARE], [0.5, 0.9], ["cat", "dog"])
    assert len(found.suppressed(0.1)) == 2
    assert len(found.renamed(lambda _: "thing").suppressed(0.1)) == 1
    assert found.labelled("cat").coloured(["red"]).boxes() == (Box("cat", 0.5, SQUARE, "red"),)
