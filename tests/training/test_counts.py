"""Counts are worth what the docs say, and what is unknown is worth nothing that could be taken for 0."""

from subitize.evaluate.looks import Reward, RewardedCount, Unscorable, reward
from subitize.records import Discarded, Known
from tests.cases import Case

# (counted, expected) of each thing, the exact reward, the graded one.
REWARDS: tuple[tuple[tuple[tuple[float, int], ...], float, float], ...] = (
    (((3, 3),), 1.0, 1.0),
    (((2, 3),), 0.0, 2 / 3),
    (((4, 3),), 0.0, 2 / 3),
    (((6, 3),), 0.0, 0.0),
    (((9, 3),), 0.0, 0.0),
    (((0, 3),), 0.0, 0.0),
    (((0, 0),), 1.0, 1.0),
    (((1, 0),), 0.0, 0.0),
    (((2.5, 3),), 0.0, 1 - 0.5 / 3),
    (((3, 3), (1, 2)), 0.0, 0.75),
    (((3, 3), (2, 2)), 1.0, 1.0),
)


def test_the_reward_of_counts(case: Case) -> None:
    for pairs, exact, graded in REWARDS:
        counted = [RewardedCount(f"thing {place}", t, Known(n)) for place, (n, t) in enumerate(pairs)]
        with case(str(pairs)):
            assert reward(counted, "exact").value == exact
            assert abs((reward(counted, "graded").value or 0.0) - graded) < 1e-12


def test_one_unknown_count_leaves_the_sample_without_a_reward_even_where_another_is_wrong() -> None:
    counted = [RewardedCount("apple", 3, Known(1)), RewardedCount("cat", 2, Discarded("cannot tell", is_refusal=True))]
    expected = {"apple": 3, "cat": 2}
    for kind in ("exact", "graded"):
        assert reward(counted, kind) == Reward(None, {"apple": 1}, expected, "cat: cannot tell")


def test_what_was_not_judged_has_a_reason_and_no_reward() -> None:
    assert reward(Unscorable("not understood"), "exact") == Reward(None, {}, {}, "not understood")
