"""What is read from a text."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.language.final import POLICIES, read_number
from subitize.language.mentions import Amount, Exact, NoValue
from subitize.language.reading import read
from subitize.language.tokens import LONGEST_TEXT
from tests.cases import Case
from tests.language.numeral_cases import GROUPS


@pytest.mark.parametrize("cases", GROUPS.values(), ids=GROUPS)
def test_a_text_is_read_as_what_it_says(cases: list[tuple[str, Amount]], case: Case) -> None:
    for text, amount in cases:
        with case(repr(text)):
            assert read(text) == amount


def test_text_beyond_the_longest_is_not_read() -> None:
    text = "5 " + "x" * LONGEST_TEXT + " 6"
    assert read(text) == Exact(5)
    assert read_number(text, "strict") == read_number(text, "total") == 5


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


@settings(deadline=None)
@given(
    st.text(max_size=LONGEST_TEXT)
    | st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
)
def test_no_text_crashes_the_reader(text: str) -> None:
    amount = read(text)
    for policy in POLICIES:
        got = read_number(text, policy)
        assert isinstance(got, NoValue) or (math.isfinite(got) and got >= 0)
    if isinstance(amount, Exact) and amount.value >= 0:
        assert read_number(text, "strict") == read_number(text, "total") == amount.value


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_emphasis_does_not_change_a_number(text: str) -> None:
    assert read_number(f"**{text}**") == read_number(text)
