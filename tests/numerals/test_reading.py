"""What is read from a text, in time that grows with the text only."""

import math
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeral_cases import GROUPS
from subitize.numerals import LONGEST_TEXT, POLICIES, Amount, Exact, Policy, Unread, read, value


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        pytest.param(text, amount, id=f"{group}: {text[:60]!r}")
        for group, cases in GROUPS.items()
        for text, amount in cases
    ],
)
def test_a_text_is_read_as_what_it_says(text: str, amount: Amount) -> None:
    assert read(text) == amount


def test_text_beyond_the_longest_is_not_read() -> None:
    text = "5 " + "x" * LONGEST_TEXT + " 6"
    assert read(text) == Exact(5)
    assert [value(text, policy) for policy in POLICIES] == [5, 5, 5]


@settings(deadline=None)
@given(st.integers(0, 10**15 - 1))
def test_digits_are_read_with_and_without_separators(n: int) -> None:
    assert read(str(n)) == read(f"{n:,}") == Exact(n)


PIECES = re.split(
    " ",
    "one two twenty hundred thousand and a an half dozen pair no none any not a few some at least more than up to or"
    " between to - – — + = 5 10 1,000 1/2 ½ 2.5 . , : ( ) \n ** _ total answer so wait the of red apples there is cm %"
    " both another nobody isn't 000 \u00a0 behind $ # x ³ ٣ １ ' ’ I'm sorry <b> -5 1e5 99999999999999999999",
)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=LONGEST_TEXT)
    | st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
)
def test_no_text_crashes_the_reader(text: str) -> None:
    amount = read(text)
    for policy in POLICIES:
        got = value(text, policy)
        assert isinstance(got, Unread) or (math.isfinite(got) and got >= 0)
    if isinstance(amount, Exact) and amount.value >= 0:
        assert value(text, "strict") == value(text, "total") == amount.value


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_emphasis_does_not_change_a_number(text: str) -> None:
    assert value(f"**{text}**") == value(text)


NASTY = (
    "one ", "1,", "a ", "no ", "(", "-", "٣", "1/", "hundred ", " and", "between 1 ", "1,000,", "1-", "1.", "1:", "<a ",
    "_", "not ", "any ", "5 or ", "half a ", "1\n", "1) ", "a few ", "total 5 ", "= 5 + ", "I can't ", "twenty-", "'",
    "a'", "1e", "http://", "½", "1 1/2 ", "more than ", "at least 5 ", "one and a half ", "more than one and ",
    "the ", "9", "1 000 ", "1\u00a0000\u00a0", "111 ", "both ", "and another ", "5, another ", "2 cats, ", "not 5 ",
    "nobody ", "one in front, ", "a few hundred ",
)  # fmt: skip


@pytest.mark.parametrize("unit", NASTY, ids=repr)
@pytest.mark.parametrize("policy", ["total", "geckonum"])
def test_reading_time_grows_no_faster_than_the_text(unit: str, policy: Policy) -> None:
    def text(length: int) -> str:
        return (unit * length)[:length]

    # Quadratic time would give 64. A busy machine only ever adds time, so minima over more rounds come closer to 8.
    short_seconds = long_seconds = math.inf
    for _ in range(10):
        short_seconds = min(short_seconds, _best_seconds(text(LONGEST_TEXT // 8), policy))
        long_seconds = min(long_seconds, _best_seconds(text(LONGEST_TEXT), policy))
        if long_seconds / short_seconds < 24:
            break
    assert long_seconds / short_seconds < 24


def _best_seconds(text: str, policy: Policy) -> float:
    def seconds() -> float:
        start = time.perf_counter()
        value(text, policy)
        return time.perf_counter() - start

    return min(seconds() for _ in range(3))
